#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>

using namespace cotan;
using namespace cotan::bits;

namespace {

int line(graph& g, const char* name, const char* extent) {
    type_data t;
    t.rank = 1;
    t.ext[0] = g.named(extent);
    const int p = g.named(name);
    return g.raw(input_info, {}, view<int>{&p, 1}, g.intern(t));
}

}  // namespace

TEST_CASE("equal nodes are one node") {
    graph g;
    const int x = line(g, "x", "n"), y = line(g, "y", "n");
    CHECK(line(g, "x", "n") == x);
    CHECK(x != y);
    CHECK(g.make(op_data<exp_>, x) == g.make(op_data<exp_>, x));
    CHECK(g.make(op_data<exp_>, x) != g.make(op_data<exp_>, y));
    CHECK(g.make(op_data<divide_>, x, y) != g.make(op_data<divide_>, y, x));
    const int one = 1, zero = 0;
    (void)zero;
    CHECK(g.make(op_data<sum_>, view<int>{&x, 1}, view<int>{&one, 1}) == g.make(op_data<sum_>, view<int>{&x, 1}, view<int>{&one, 1}));
    CHECK(g.literal(0.0, dtype::float64) != g.literal(-0.0, dtype::float64));
    CHECK(g.literal(1, dtype::float64) != g.literal(1, dtype::float32));
}

TEST_CASE("operands stand before what uses them, in graphs of any size") {
    graph g;
    int e = line(g, "x", "n");
    for (int i = 0; i < 3000; ++i) e = g.make(op_data<sin_>, g.make(op_data<add_>, e, g.literal(i, dtype::weak_real)));
    for (int id = 0; id < g.nodes.size(); ++id)
        for (int a : g.args(id)) CHECK(a < id);
    CHECK(g.nodes.size() == 1 + 3 * 3000 + 3000);  // each literal as it was given and as a double
}

TEST_CASE("what does not fit sets the error, and makes nothing") {
    const auto fault_of = [](auto make) {
        graph g;
        const int r = make(g);
        CHECK(r < 0);
        return g.error;
    };
    CHECK(fault_of([](graph& g) { return g.make(op_data<add_>, line(g, "x", "n"), line(g, "y", "k")); }) == fault::extents_differ);
    CHECK(fault_of([](graph& g) { return g.make(op_data<dot_>, line(g, "x", "n"), line(g, "y", "k")); }) == fault::dot_extents);
    CHECK(fault_of([](graph& g) { return g.make(op_data<dot_>, line(g, "x", "n"), g.literal(1, dtype::float64)); }) == fault::dot_ranks);
    CHECK(fault_of([](graph& g) { return g.make(op_data<logical_not_>, line(g, "x", "n")); }) == fault::not_boolean);
    CHECK(fault_of([](graph& g) {
        const int x = line(g, "x", "n"), mask = 2;
        return g.make(op_data<sum_>, view<int>{&x, 1}, view<int>{&mask, 1});
    }) == fault::no_such_axis);
    CHECK(fault_of([](graph& g) {
        const int x = line(g, "x", "n"), p[] = {1, 0};
        return g.make(op_data<transpose_>, view<int>{&x, 1}, view<int>{p, 2});
    }) == fault::permutation);
    CHECK(fault_of([](graph& g) {
        const int x = line(g, "x", "n"), p[] = {0, 0, 0, 0, 0, 1, 0, 0};
        return g.make(op_data<index_>, view<int>{&x, 1}, view<int>{p, 8});
    }) == fault::too_many_indices);
}

TEST_CASE("only an extent of 1 and missing axes stretch") {
    graph g;
    const int n = g.named("n"), k = g.named("k"), one = g.fixed(1), three = g.fixed(3);
    const auto type = [&](std::initializer_list<int> e) {
        type_data t;
        for (int x : e) t.ext[t.rank++] = x;
        return g.intern(t);
    };
    const auto together = [&](int a, int b) {
        const int tys[] = {a, b};
        g.error = fault::none;
        return g.broadcast(op_data<add_>, view<int>{tys, 2}, dtype::float64);
    };
    CHECK(together(type({n, k}), type({k})) == type({n, k}));
    CHECK(together(type({n, one}), type({one, k})) == type({n, k}));
    CHECK(together(type({}), type({three})) == type({three}));
    CHECK(together(type({one}), type({n, one})) == type({n, one}));
    CHECK(together(type({n, k}), type({n})) == -1);
    CHECK(together(type({n}), type({three})) == -1);
}
