#include "op/table.hpp"

#include <cstdint>

using namespace cotan;
using table::x;

namespace {

constexpr auto a = scalar<double, "a">;
constexpr auto i = scalar<std::int64_t, "i">;
using line = xt::xtensor<double, 1>;

}  // namespace

TEST_CASE("Newton's root is differentiated through its steps") {
    constexpr auto root = get<0>(while_loop(init(a, c<0.0>), [](auto r, auto before) { return abs(r - before) > c<1e-14> * r; },
                                            [](auto r, auto) { return step(c<0.5> * (r + a / r), r); }).last);
    const auto [v, g] = function(inputs(a), value_and_grad(root, a))(2.0);
    CHECK_NEAR(v, 1.4142135623730951, 1e-15);
    CHECK_NEAR(g, 0.35355339059327376, 1e-14);
}

TEST_CASE("a loop that stops early takes no more steps than that") {
    constexpr auto loop = scan(init(a), times(c<1000000>), [](auto s) {
        auto next = s * s;
        return step(next).emit(s).until(next < c<1e-20>);
    });
    const auto [v, trace, steps, g] = function(inputs(a), outputs(loop.last, loop.trace, loop.steps, grad(loop.last, a)))(0.95);
    CHECK(steps == 10);  // 0.95^1024
    CHECK(trace.size() == 10);
    CHECK_NEAR(v, 1.545154161087746e-23, 1e-12);
    CHECK_NEAR(g, 1.545154161087746e-23 * 1024 / 0.95, 1e-12);
}

TEST_CASE("the gradient of a condition under map") {
    constexpr auto y = map(over(x), [](auto e) { return cond(e > c<0.0>, square(e), e * e * e); });
    const auto [v, g] = function(inputs(x), outputs(y, grad(sum(y), x)))(line{-1, 0.5});
    CHECK((v == line{-1, 0.25}));
    CHECK((g == line{3, 1}));
}

TEST_CASE("a minimum by comparisons in a loop") {
    constexpr auto least = scan(init(x(c<0>)), over(x(slice<1, end>)), [](auto m, auto e) { return step(cond(e <= m, e, m)); }).last;
    const auto [v, g] = function(inputs(x), value_and_grad(least, x))(line{3, 1, 2});
    CHECK(v == 1);
    CHECK((g == line{0, 1, 0}));
}

TEST_CASE("a condition between integers") {
    CHECK(function(inputs(i, a), cond(a > c<0.0>, i, -i))(std::int64_t{3}, -1.0) == -3);
}

TEST_CASE("the branch not taken is not looked at") {
    constexpr auto y = cond(a < c<10.0>, a, log(c<-1.0> * a));
    const auto [v, g] = function(inputs(a), value_and_grad(y, a))(2.0);
    CHECK(v == 2);
    CHECK(g == 1);
}
