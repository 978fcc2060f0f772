#include "laws/random_graph.hpp"

#include <catch2/catch.hpp>

#include <cotan/dyn.hpp>

#include <cstdlib>
#include <string>

using namespace cotan;
using namespace cotan::bits;
using reference::array, reference::evaluator, reference::random_graph;

// Graphs made by chance, run by the runtime evaluator and by the reference evaluator: values, gradients in both modes, second order.

namespace {

/// An array of any rank as an argument. (clang 19 does not compile xtensor's own.)
struct plain {
    using value_type = double;
    std::vector<std::size_t> sizes;
    std::vector<std::ptrdiff_t> steps;
    const double* p;
    explicit plain(const array& a) : sizes(a.shape.begin(), a.shape.end()), steps(a.shape.size()), p(a.v.data()) {
        std::ptrdiff_t n = 1;
        for (std::size_t k = sizes.size(); k-- > 0; n *= static_cast<std::ptrdiff_t>(sizes[k])) steps[k] = n;
    }
    const auto& shape() const { return sizes; }
    const auto& strides() const { return steps; }
    std::size_t dimension() const { return sizes.size(); }
    const double* data() const { return p; }
    std::size_t data_offset() const { return 0; }
};

struct asked {
    std::shared_ptr<arena> home = std::make_shared<arena>();
    std::vector<dyn::expr> inputs, outputs;
    std::vector<std::string> names;

    explicit asked(random_graph& r) {
        graph& g = home->g;
        g = r.g;
        const auto in_home = [&](int id) { return dyn::expr(home, id); };
        const dyn::expr end_value = in_home(r.reals.back()), last = is_real(end_value.dtype()) ? end_value : cast<double>(end_value), total = sum(last);
        outputs = {last, total};
        if (!r.truths.empty()) outputs.push_back(in_home(r.truths.back()));
        for (int x : r.inputs) {
            const dyn::expr in = in_home(x);
            const std::string name = g.extents[g.param(x, 0)].name;
            r.env.inputs["t" + name] = reference::random_like(r.env.inputs[name], r.random);
            const dyn::expr t = in_home(reference::tensor_node(g, "t" + name, g.nodes[x].ty));
            inputs.push_back(in);
            inputs.push_back(t);
            names.push_back(name);
            names.push_back("t" + name);
            const dyn::expr gradient = grad(total, in);
            outputs.push_back(gradient);
            outputs.push_back(pushforward(last, in, t));
            if (r.smooth) outputs.push_back(hvp(total, in, t));
        }
    }
};

std::string fault_of(random_graph& r, int& checks) {
    asked q(r);
    const graph& g = q.home->g;
    vec<int> roots;
    for (const auto& o : q.outputs) roots.push(o.id());
    rewriter simple;
    simple.types = g.types;
    simple.extents = g.extents;
    const vec<int> a = expand_into(simple, g, view<int>{roots.data(), roots.size()});
    reference::lowered low(simple, view<int>{a.data(), a.size()});
    evaluator want(low.kernel, r.env);

    const dyn::function f(q.inputs, q.outputs);
    std::vector<dyn::argument> args;
    for (const auto& name : q.names) args.emplace_back(plain(r.env.inputs.at(name)));
    auto run = f.prepare();
    for (int pass = 0; pass < 2; ++pass) {
        const dyn::results& got = run(std::span<const dyn::argument>(args));
        for (int i = 0; i < roots.size(); ++i) {
            const array& w = want(low.roots[i]);
            bool finite = true;
            for (double v : w.v) finite = finite && std::isfinite(v) && std::fabs(v) < 1e12;
            if (!finite) continue;
            const dyn::value& v = got[static_cast<std::size_t>(i)];
            std::vector<int> shape(v.shape().begin(), v.shape().end());
            if (shape != w.shape) return "result " + std::to_string(i) + " has another shape";
            array h{shape, {}};
            for (std::size_t e = 0; e < v.size(); ++e)
                h.v.push_back(v.dtype() == dtype::boolean   ? v.data<bool>()[e]
                              : v.dtype() == dtype::float32 ? static_cast<double>(v.data<float>()[e])
                              : v.dtype() == dtype::float64 ? v.data<double>()[e]
                              : v.dtype() == dtype::int32   ? v.data<std::int32_t>()[e]
                                                            : static_cast<double>(v.data<std::int64_t>()[e]));
            ++checks;
            double size = 1;
            for (double e : w.v) size = std::max(size, std::fabs(e));
            if (const double d = reference::distance(h, w); !(d < 1e-8 * size)) return "result " + std::to_string(i) + " of pass " + std::to_string(pass) + " is off by " + std::to_string(d);
        }
    }
    return {};
}

}  // namespace

TEST_CASE("the runtime evaluator computes what the reference evaluator does") {
    const char* only = std::getenv("COTAN_SEED");
    unsigned seeds = 2500;
    if (const char* more = std::getenv("COTAN_SEEDS")) seeds = static_cast<unsigned>(std::atoi(more));
    int failures = 0, checks = 0;
    for (unsigned seed = 0; seed < seeds && failures < 6; ++seed) {
        if (only && seed != static_cast<unsigned>(std::atoi(only))) continue;
        random_graph r(seed, 1 + static_cast<int>(seed % 14), seed % 3 ? std::vector<int>{0, 1, 2, 3, 5, 9} : std::vector<int>{1, 4, 8, 9});
        const int last = r.reals.back();
        const std::string text = reference::text_of(r.g, view<int>{&last, 1}, r.env);
        std::string fault;
        try {
            fault = fault_of(r, checks);
        } catch (const std::exception& e) { fault = e.what(); }
        if (fault.empty()) continue;
        ++failures;
        UNSCOPED_INFO("seed " << seed << ": " << fault << "\n" << text);
        CHECK(fault.empty());
    }
    if (!only) CHECK(checks > 4 * static_cast<int>(seeds));
}
