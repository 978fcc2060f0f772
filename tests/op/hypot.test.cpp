#include "table.hpp"

using namespace cotan;
using table::row, table::row2, table::inf, table::qnan, table::x, table::y;

namespace {

constexpr row2 hypot_rows[] = {
    {3.0, 4.0, 5.0, 0.6, 0.8},
    {1e+200, -1e+200, 1.414213562373095006e+200, 0.7071067811865475244, -0.7071067811865475244},
    {1e-200, 3e-200, 3.1622776601683792754e-200, 0.3162277660168379332, 0.9486832980505137996},
    {-5.0, 12.5, 13.462912017836260078, -0.37139067635410372629, 0.92847669088525931573},
    {1.0, 1e-09, 1.0000000000000000005, 0.9999999999999999995, 1.0000000000000000618e-9},
};

constexpr row cbrt_rows[] = {
    {-8.0, -2.0, 0.083333333333333333333, 0.0069444444444444444444},
    {-1e-300, -1.0000000000000000084e-100, 3.3333333333333332776e+199, inf},
    {0.3, 0.66943295008216951362, 0.743814388980188376, -1.6529208644004186745},
    {1.0, 1.0, 0.33333333333333333333, -0.22222222222222222222},
    {27.0, 3.0, 0.037037037037037037037, -0.0009144947416552354824},
    {1e+100, 2.1544346900318837332e+33, 7.1814489667729456631e-68, -4.7876326445152970326e-168},
};

}  // namespace

TEST_CASE("hypot") {
    table::check(hypot(x, y), hypot_rows);
    constexpr auto f = function(inputs(x, y), outputs(hypot(x, y), grad(sum(hypot(x, y)), wrt(x, y))));
    const auto [v, a, b] = f(xt::xtensor<double, 1>{0, inf, qnan, -inf, 5e-324}, xt::xtensor<double, 1>{0, 3, inf, inf, 0});
    CHECK(v(0) == 0);
    CHECK(a(0) == 0);
    CHECK(b(0) == 0);
    CHECK(v(1) == inf);
    CHECK(std::isnan(v(2)));
    CHECK(v(3) == inf);
    CHECK(v(4) == 5e-324);
}

TEST_CASE("a hypot written by hand neither overflows nor has a NaN gradient") {
    constexpr auto e = sqrt(square(x) + square(y));
    constexpr auto f = function(inputs(x, y), outputs(e, grad(sum(e), x)));
    const auto [v, g] = f(xt::xtensor<double, 1>{3e200, 0}, xt::xtensor<double, 1>{4e200, 0});
    CHECK_NEAR(v(0), 5e200, 1e-15);
    CHECK_NEAR(g(0), 0.6, 1e-15);
    CHECK(g(1) == 0);
}

TEST_CASE("cbrt") {
    table::check(cbrt(x), cbrt_rows);
    CHECK_NEAR(table::value(cbrt(x), 1e-312), 1e-104, 1e-12);
    CHECK(table::slope(cbrt(x), 0) == inf);
    CHECK(table::value(grad(sum(c<0> * cbrt(x)), x), 0) == 0);
}
