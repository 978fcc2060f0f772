#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

namespace {
using line = xt::xtensor<double, 1>;
}

TEST_CASE("comparisons") {
    const auto [lt, le, gt, ge, eq, ne] = function(inputs(x, y), outputs(x < y, x <= y, x > y, x >= y, x == y, x != y))(line{1, 2, 3, qnan, 0.0}, line{2, 2, 2, 1, -0.0});
    using truth = xt::xtensor<bool, 1>;
    CHECK((lt == truth{true, false, false, false, false}));
    CHECK((le == truth{true, true, false, false, true}));
    CHECK((gt == truth{false, false, true, false, false}));
    CHECK((ge == truth{false, true, true, false, true}));
    CHECK((eq == truth{false, true, false, false, true}));
    CHECK((ne == truth{true, false, true, true, false}));
}

TEST_CASE("where chooses values and cotangents") {
    constexpr auto e = where(x > c<0>, sqrt(x), y);
    const auto [v, gx, gy, t] = function(inputs(x, y), outputs(e, grad(sum(e), wrt(x, y)), pushforward(e, wrt(x, y), outputs(x, y))))(line{4, 0, -1}, line{7, qnan, 9});
    CHECK(v(0) == 2);
    CHECK(std::isnan(v(1)));
    CHECK(v(2) == 9);
    CHECK((gx == line{0.25, 0, 0}));
    CHECK((gy == line{0, 1, 1}));
    CHECK(t(0) == 1);
    CHECK(t(2) == 9);
}

TEST_CASE("where broadcasts each of its operands") {
    constexpr auto A = tensor<double, "A", "n", "k">;
    constexpr auto m = tensor<bool, "m", "k">;
    constexpr auto e = where(m, A, x(all, newaxis));
    const auto [v, gA, gx] = function(inputs(A, m, x), outputs(e, grad(sum(e), wrt(A, x))))(xt::xtensor<double, 2>{{1, 2, 3}, {4, 5, 6}}, xt::xtensor<bool, 1>{true, false, false}, line{8, 9});
    CHECK((v == xt::xtensor<double, 2>{{1, 8, 8}, {4, 9, 9}}));
    CHECK((gA == xt::xtensor<double, 2>{{1, 0, 0}, {1, 0, 0}}));
    CHECK((gx == line{2, 2}));
}
