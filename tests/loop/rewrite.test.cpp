#include "op/table.hpp"

#include <vector>

using namespace cotan;
using table::x;

namespace {

constexpr auto a = scalar<double, "a">;
using line = xt::xtensor<double, 1>;

/// The loops and conditions that are left of expressions over x and a.
template <class... E>
std::vector<bits::call_info> calls(E...) {
    bits::stages s;
    s.lower(bits::type_list<node_of<decltype(x)>, node_of<decltype(a)>>{}, bits::type_list<node_of<E>...>{});
    s.rewrite();
    std::vector<bits::call_info> r;
    for (const bits::call_info& c : s.calls) r.push_back(c);
    return r;
}

}  // namespace

TEST_CASE("the same loop twice is one loop") {
    const auto once = [](auto s, auto e) { return step(sin(s * e)).emit(s); };
    const auto again = [](auto now, auto value) { return step(sin(now * value)).emit(now); };
    const auto c1 = calls(scan(init(a), over(x), once).last, sum(scan(init(a), over(x), again).trace));
    REQUIRE(c1.size() == 1);
    CHECK(c1[0].states == 1);
    CHECK(c1[0].emissions == 1);
}
TEST_CASE("loops that carry the same and emit different values are one loop") {
    const auto c1 = calls(scan(init(a), over(x), [](auto s, auto e) { return step(sin(s * e)).emit(cos(s)); }).trace,
                          scan(init(a), over(x), [](auto s, auto e) { return step(sin(s * e)).emit(s * e); }).trace);
    REQUIRE(c1.size() == 1);
    CHECK(c1[0].states == 1);
}
TEST_CASE("what nobody reads of a loop is not carried and not stored") {
    constexpr auto loop = scan(init(a, c<1.0>), over(x), [](auto s, auto t, auto e) { return step(sin(s * e), cos(t + s)).emit(s, t); });
    const auto c1 = calls(get<0>(loop.last));
    REQUIRE(c1.size() == 1);
    CHECK(c1[0].states == 1);
    CHECK(c1[0].emissions == 0);
}
TEST_CASE("a map is no loop, nor are its derivatives") {
    constexpr auto y = sum(map(over(x), [](auto e) { return exp(e) * a; }));
    CHECK(calls(y, grad(y, x)).empty());
    CHECK(calls(grad(y, a)).empty());
    CHECK(calls(grad(grad(y, a), a), pushforward(y, x, x)).empty());
}
TEST_CASE("the forward mode is one loop that gives the primal too, the reverse mode carries what it needs") {
    constexpr auto y = scan(init(a), over(x), [](auto s, auto e) { return step(sin(s * e)); }).last;
    const auto forward = calls(y, pushforward(y, a, c<1.0>));
    REQUIRE(forward.size() == 1);
    CHECK(forward[0].states == 2);
    const auto reverse = calls(y, grad(y, a));
    REQUIRE(reverse.size() == 2);
    CHECK(reverse[0].states == 1);
    CHECK(reverse[1].states == 1);
    CHECK(reverse[1].emissions == 0);
}
TEST_CASE("merged and cleaned loops have the values of those that were written") {
    constexpr auto once = scan(init(a), over(x), [](auto s, auto e) { return step(sin(s * e)).emit(s); });
    constexpr auto other = scan(init(a, c<1.0>), over(x), [](auto s, auto t, auto e) { return step(cos(s + e), sin(t * e)); });
    const auto [v, trace, w] = function(inputs(x, a), outputs(once.last, once.trace, get<0>(other.last)))(line{0.5, -1, 2}, 0.7);
    const double s1 = std::sin(0.7 * 0.5), s2 = std::sin(-s1), t1 = std::cos(0.7 + 0.5), t2 = std::cos(t1 - 1);
    CHECK_NEAR(v, std::sin(2 * s2), 1e-14);
    CHECK_NEAR(trace(0), 0.7, 1e-15);
    CHECK_NEAR(trace(2), s2, 1e-14);
    CHECK_NEAR(w, std::cos(t2 + 2), 1e-14);
}
