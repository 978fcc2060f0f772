#include "laws/evaluate.hpp"

#include <catch2/catch.hpp>

#include <cstdio>

using namespace cotan;
using namespace cotan::bits;

// Each rewrite rule of each operation, read as an equation: both sides are evaluated where the rule applies.

namespace {

// no point is so large that a side written naively overflows or cancels
const std::vector<double> anywhere{-6, -3, -1.5, -1, -0.75, -0.25, -0.01, 0, 0.01, 0.25, 0.5, 0.75, 1, 1.5, 3, 6};
const std::vector<double> positive{0.01, 0.25, 0.5, 0.75, 1, 1.5, 3, 6};
const std::vector<double> whole{-3, -1, 0, 1, 2, 6};

/// A side of a rule in a graph of real tensors, with `by` for its placeholders. Reductions fold the whole axis.
int written(graph& g, const graph& patterns, int p, const vec<int>& by) {
    const op_info& op = patterns.op(p);
    if (&op == &placeholder_info) return by[patterns.param(p, 0)];
    if (&op == &literal_info) return g.raw(literal_info, {}, {}, g.scalar_type(patterns.dtype_of(p)), patterns.nodes[p].bits);
    vec<int> a;
    for (int x : patterns.args(p)) a.push(written(g, patterns, x, by));
    vec<int> params;
    for (int x : patterns.params(p)) params.push(x);
    if ((op.cls == op_class::reduction || op.cls == op_class::composite) && params.empty()) params.push(1);
    return g.make(op, view<int>{a.data(), a.size()}, view<int>{params.data(), params.size()});
}

int line_type(graph& g) {
    type_data t;
    t.rank = 1;
    t.ext[0] = g.named("n");
    return g.intern(t);
}
int input(graph& g, int i) {
    const char name[] = {static_cast<char>('a' + i), 0};
    const int p = g.named(name);
    return g.raw(input_info, {}, view<int>{&p, 1}, line_type(g));
}

template <class F>
void each_operation(F f) {
    [&]<class... Op>(type_list<Op...>) { (f(op_data<Op>), ...); }(catalogue{});
}

bool agree(double l, double r) {
    if (l != l || r != r) return l != l && r != r;
    if (std::isinf(l) || std::isinf(r)) return l == r;
    return std::fabs(l - r) <= 2e-10 * (1 + std::fabs(l));
}

}  // namespace

TEST_CASE("both sides of each rule agree") {
    int rules = 0, points = 0;
    each_operation([&](const op_info& op) {
        if (!op.rules) return;
        rule_store s;
        op.rules(s);
        for (const rule_data& rule : s.rules) {
            INFO(op.name << ": " << rule.name);
            ++rules;
            graph g;
            vec<int> by;
            int used = 0;
            for (int i = 0; i < max_placeholders; ++i) by.push(input(g, i));
            const int from = written(g, s.patterns, rule.from, by), to = written(g, s.patterns, rule.to, by);
            REQUIRE(from >= 0);
            REQUIRE(to >= 0);
            const auto live = reachable(g, view<int>{&from, 1});
            for (int i = 0; i < max_placeholders; ++i)
                if (by[i] < live.size() && live[by[i]]) used = i + 1;
            // all combinations of the points
            const int guarded = rule.guard_placeholder >= 0 ? s.patterns.param(rule.guard_placeholder, 0) : -1;
            std::vector<std::vector<double>> columns(1);
            for (int i = 0; i < used; ++i) {
                std::vector<double> domain = anywhere;
                if (i == guarded) {
                    domain = rule.guard_facts & is_integer_valued ? whole : positive;
                    if (rule.guard_facts == is_nonnegative) domain.push_back(0);
                }
                std::vector<std::vector<double>> longer;
                for (const auto& c : columns)
                    for (double v : domain) {
                        longer.push_back(c);
                        longer.back().push_back(v);
                    }
                columns = longer;
            }
            reference::environment env;
            const bool folds = g.rank(from) == 0;  // then one group of points is one case
            const int chunk = folds ? 3 : static_cast<int>(columns.size());
            for (std::size_t first = 0; first < columns.size(); first += static_cast<std::size_t>(chunk)) {
                const int n = std::min<int>(chunk, static_cast<int>(columns.size() - first));
                env.sizes["n"] = n;
                for (int i = 0; i < max_placeholders; ++i) {
                    auto& a = env.inputs[std::string(1, static_cast<char>('a' + i))] = reference::filled({n}, 1);
                    for (int k = 0; k < n && i < used; ++k) a.v[static_cast<std::size_t>(k)] = columns[first + static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
                }
                reference::evaluator value(g, env);
                const auto l = value(from), r = value(to);
                for (std::size_t k = 0; k < l.v.size(); ++k) {
                    ++points;
                    const double want = l.v[k], got = r.v[r.v.size() == l.v.size() ? k : 0];
                    std::string where;
                    if (!agree(want, got)) {
                        for (int i = 0; i < used; ++i)
                            for (int j = 0; j < (folds ? n : 1); ++j)
                                where += " " + std::to_string(env.inputs[std::string(1, static_cast<char>('a' + i))].v[folds ? static_cast<std::size_t>(j) : k]);
                        INFO("at" << where << ": " << want << " becomes " << got);
                        CHECK(agree(want, got));
                    }
                }
            }
        }
    });
    CHECK(rules > 80);
    CHECK(points > 2000);
}

TEST_CASE("each rule applies to what it is written for") {
    each_operation([&](const op_info& op) {
        if (!op.rules) return;
        rule_store s;
        op.rules(s);
        for (const rule_data& rule : s.rules) {
            INFO(op.name << ": " << rule.name);
            graph g;
            vec<int> by;
            for (int i = 0; i < max_placeholders; ++i) by.push(input(g, i));
            if (rule.guard_placeholder >= 0) {  // an operand that is known to have the facts, and that no rule is written for
                const int k = s.patterns.param(rule.guard_placeholder, 0);
                if (rule.guard_facts & is_positive) by[k] = g.make(info<softplus_>, by[k]);
                else if (rule.guard_facts & is_nonnegative) by[k] = g.make(info<maximum_>, by[k], g.literal(0, dtype::float64));
                else by[k] = g.make(info<floor_>, by[k]);
            }
            const int from = written(g, s.patterns, rule.from, by);
            rewriter r;
            r.types = g.types;
            r.extents = g.extents;
            if (rule.when == phase::special) r.phases |= static_cast<unsigned>(phase::special);
            expand_into(r, g, view<int>{&from, 1});
            bool applied = false;
            for (const auto& a : r.applied) applied = applied || a.name == rule.name;
            CHECK(applied);
        }
    });
}
