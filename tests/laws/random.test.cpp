#include "laws/interpret.hpp"
#include "laws/random_graph.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

using namespace cotan;
using namespace cotan::bits;
using reference::array, reference::evaluator, reference::random_graph;

// Graphs made by chance: rewriting and lowering keep their values, and derivatives are what finite differences say. The seed of a failure is in its
// message.

namespace {

/// Allowed between two ways to compute a value: more where the value hangs on the last digits of the inputs.
double allowed(const graph& g, int id, const reference::environment& env, const array& value) {
    reference::environment there = env;
    for (auto& [name, a] : there.inputs)
        for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] *= 1 + (i % 2 ? 1e-12 : -1e-12);
    evaluator moved(g, there);
    return 1e-9 + 100 * reference::distance(moved(id), value);
}

/// Everything that can be asked of a graph's last node: itself, its sum, and for each input a gradient and a tangent.
struct asked {
    int last, total;
    vec<int> roots;
    rewriter simple;
    vec<int> a;  // the roots, rewritten

    explicit asked(random_graph& r) : last(r.reals.back()) {
        graph& g = r.g;
        const int mask = (1 << g.rank(last)) - 1;
        total = g.make(op_data<sum_>, view<int>{&last, 1}, view<int>{&mask, 1});
        roots.push(last);
        roots.push(total);
        const int one = g.literal(1, dtype::float64);
        for (int x : r.inputs) {
            const int y3[] = {total, x, one};
            roots.push(g.raw(op_data<pull_>, view<int>{y3, 3}, {}, g.nodes[x].ty));
            const std::string name = std::string("t") + g.extents[g.param(x, 0)].name;
            r.env.inputs[name] = reference::random_like(r.env.inputs[name.substr(1)], r.random);
            const int p3[] = {last, x, reference::tensor_node(g, name, g.nodes[x].ty)};
            roots.push(g.raw(op_data<push_>, view<int>{p3, 3}, {}, g.nodes[last].ty));
        }
        simple.types = g.types;
        simple.extents = g.extents;
        a = expand_into(simple, g, view<int>{roots.data(), roots.size()});
    }
    asked(const asked&) = delete;
};

/// What is wrong with a graph, or nothing.
std::string fault_of(random_graph& r, int& checks) {
    graph& g = r.g;
    const asked q(r);
    const rewriter& simple = q.simple;
    const vec<int>&a = q.a, &roots = q.roots;
    const int last = q.last;
    for (int v : a)
        if (v < 0) return "rewriting lost a result";
    reference::lowered low(simple, view<int>{a.data(), a.size()});

    evaluator source(g, r.env), rewritten(simple, r.env), kernel(low.kernel, r.env);
    for (int i = 0; i < 2; ++i) {
        const array& want = source(roots[i]);
        const double most = allowed(g, roots[i], r.env, want);
        if (most > 1e-3) continue;
        ++checks;
        const double d = reference::distance(rewritten(a[i]), want), l = reference::distance(kernel(low.roots[i]), want);
        if (!(d <= most)) return "rewriting changed result " + std::to_string(i) + " by " + std::to_string(d);
        if (!(l <= most)) return "lowering changed result " + std::to_string(i) + " by " + std::to_string(l);
    }
    // derivatives: along the tangents
    for (std::size_t i = 0; i < r.inputs.size(); ++i) {
        const int x = r.inputs[i];
        const std::string name = g.extents[g.param(x, 0)].name;
        const auto f = [&](double h) {
            reference::environment there = r.env;
            for (std::size_t k = 0; k < there.inputs[name].v.size(); ++k) there.inputs[name].v[k] += h * r.env.inputs["t" + name].v[k];
            evaluator value(g, there);
            return value(last);
        };
        const array coarse = reference::difference(f, 2e-3), want = reference::difference(f, 1e-3);
        if (!(reference::distance(coarse, want) < 1e-7)) continue;  // a kink or a jump is near
        ++checks;
        const array& forward = kernel(low.roots[3 + 2 * static_cast<int>(i)]);
        double d = reference::distance(forward, want);
        if (!(d < 1e-5)) return "the pushforward by " + name + " is off by " + std::to_string(d);
        d = reference::distance(rewritten(a[3 + 2 * static_cast<int>(i)]), forward);
        if (!(d < 1e-7)) return "lowering changed the pushforward by " + name + " by " + std::to_string(d);
        const array& gradient = kernel(low.roots[2 + 2 * static_cast<int>(i)]);
        double sum = 0, size = 1;
        for (double v : want.v) {
            sum += v;
            size += std::fabs(v);
        }
        d = std::fabs(reference::inner(gradient, r.env.inputs["t" + name]) - sum) / size;
        if (!(d < 1e-5)) return "the gradient by " + name + " is off by " + std::to_string(d);
        d = reference::distance(rewritten(a[2 + 2 * static_cast<int>(i)]), gradient);
        if (!(d < 1e-7)) return "lowering changed the gradient by " + name + " by " + std::to_string(d);
    }
    return {};
}

/// Runs a check on graphs made from many seeds; tells of the first few that fail.
template <class F>
void on_many(unsigned seeds, F fault_in) {
    const char* only = std::getenv("COTAN_SEED");
    if (const char* more = std::getenv("COTAN_SEEDS")) seeds = static_cast<unsigned>(std::atoi(more));
    int failures = 0;
    for (unsigned seed = 0; seed < seeds && failures < 6; ++seed) {
        if (only && seed != static_cast<unsigned>(std::atoi(only))) continue;
        random_graph r(seed, 1 + static_cast<int>(seed % 12));
        const int last = r.reals.back();
        std::string fault;
        try {
            fault = fault_in(r);
        } catch (const std::exception& e) { fault = e.what(); }
        if (fault.empty()) continue;
        ++failures;
        UNSCOPED_INFO("seed " << seed << ": " << fault << "\n" << reference::text_of(r.g, view<int>{&last, 1}, r.env));
        CHECK(fault.empty());
    }
}

}  // namespace

TEST_CASE("random graphs keep their values, and their derivatives are right") {
    int checks = 0;
    on_many(6000, [&](random_graph& r) { return fault_of(r, checks); });
    if (!std::getenv("COTAN_SEED") && !std::getenv("COTAN_SEEDS")) CHECK(checks > 15000);
}

namespace {

/// Plans what is asked of a graph, after so many tries to share loops, and runs the plan in an interpreter.
std::string fault_of_plan(random_graph& r, int patience, int& kernels) {
    const asked q(r);
    reference::lowered low(q.simple, view<int>{q.a.data(), q.a.size()});
    vec<int> in;
    for (int id = 0; id < low.kernel.nodes.size(); ++id)
        if (low.kernel.is(id, input_info)) in.push(id);
    std::vector<array> want;
    {
        evaluator value(low.kernel, r.env);
        for (int root : low.roots) want.push_back(value(root));
    }
    planner plan(low.kernel, in, low.roots);
    plan.patience = patience;
    if (!plan.run()) return "there is no plan";
    kernels += plan.p.kernels;
    share_rooms(plan.p);
    const reference::interpreter run(plan, r.env);
    for (int i = 0; i < low.roots.size(); ++i)
        if (const double d = reference::distance(run.output(i), want[static_cast<std::size_t>(i)]); !(d < 1e-7)) {
            bool finite = true;
            for (double v : want[static_cast<std::size_t>(i)].v) finite = finite && std::isfinite(v);
            if (finite) return "the plan computes another result " + std::to_string(i) + ", by " + std::to_string(d);
        }
    return {};
}

}  // namespace

TEST_CASE("random graphs have plans that compute them") {
    int kernels = 0;
    on_many(4000, [&](random_graph& r) { return fault_of_plan(r, planner::usual_patience, kernels); });
    if (!std::getenv("COTAN_SEED") && !std::getenv("COTAN_SEEDS")) CHECK(kernels > 12000);
}

TEST_CASE("a plan in which no value shares a loop computes every graph") {
    int kernels = 0;
    on_many(1000, [&](random_graph& r) { return fault_of_plan(r, 0, kernels); });
    if (!std::getenv("COTAN_SEED") && !std::getenv("COTAN_SEEDS")) CHECK(kernels > 6000);
}
