#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x;

namespace {
constexpr auto T = tensor<double, "T", "m", "n", "k">;
constexpr auto A = tensor<double, "A", "n", "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;
}  // namespace

TEST_CASE("sums over every set of axes") {
    const auto [s, s0, s1, s2, s01, s02, s12, kept] = function(inputs(T), outputs(sum(T), sum(T, axis<0>), sum(T, axis<1>), sum(T, axis<-1>), sum(T, axis<0, 1>), sum(T, axis<0, -1>), sum(T, axis<1, 2>), sum(T, axis<0, 2>, keepdims)))(
        xt::xtensor<double, 3>{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}});
    CHECK(s == 78);
    CHECK((s0 == rows{{8, 10}, {12, 14}, {16, 18}}));
    CHECK((s1 == rows{{9, 12}, {27, 30}}));
    CHECK((s2 == rows{{3, 7, 11}, {15, 19, 23}}));
    CHECK((s01 == line{36, 42}));
    CHECK((s02 == line{18, 26, 34}));
    CHECK((s12 == line{21, 57}));
    CHECK(kept.shape()[0] == 1);
    CHECK(kept(0, 2, 0) == 34);
}

TEST_CASE("sums are accurate: several accumulators, combined pairwise") {
    line v = xt::ones<double>({1000000});
    v *= 0.1;
    CHECK_NEAR(function(inputs(x), sum(x))(v), 100000, 5e-12);  // one accumulator is off by 1.3e-11
}

TEST_CASE("max and min, ties and NaN") {
    constexpr auto f = function(inputs(A), outputs(max(A), min(A), max(A, axis<0>), min(A, axis<1>), grad(sum(max(A, axis<1>)), A)));
    const auto [m, l, columns, across, g] = f(rows{{1, 3, 3}, {2, -1, 0}});
    CHECK(m == 3);
    CHECK(l == -1);
    CHECK((columns == line{2, 3, 3}));
    CHECK((across == line{1, -1}));
    CHECK((g == rows{{0, 0.5, 0.5}, {1, 0, 0}}));
    CHECK(std::isnan(std::get<0>(f(rows{{1, qnan}, {2, 3}}))));
    CHECK(std::get<3>(f(rows{{1, qnan}, {2, 3}}))(1) == 2);
}

TEST_CASE("norms of any size") {
    constexpr auto f = function(inputs(A), outputs(norm(A), norm(A, axis<1>), grad(sum(norm(A, axis<1>)), A)));
    const auto [n, across, g] = f(rows{{3e200, 4e200}, {0, 0}});
    CHECK_NEAR(n, 5e200, 1e-15);
    CHECK_NEAR(across(0), 5e200, 1e-15);
    CHECK(across(1) == 0);
    CHECK_NEAR(g(0, 1), 0.8, 1e-15);
    CHECK(g(1, 0) == 0);
    CHECK(std::get<0>(f(rows{{inf, 1}})) == inf);
}

TEST_CASE("transposes and broadcasts") {
    constexpr auto f = function(inputs(T, x), outputs(transpose(T), transpose<1, 2, 0>(T), broadcast_to<4, "n">(x), grad(sum(broadcast_to<4, "n">(square(x))), x), broadcast_like(x(newaxis, all, newaxis), T)));
    const xt::xtensor<double, 3> t{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
    const auto [r, p, b, g, like] = f(t, line{1, 2, 3});
    CHECK(r.shape()[0] == 2);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 2; ++k) {
                CHECK(r(k, j, i) == t(i, j, k));
                CHECK(p(j, k, i) == t(i, j, k));
                CHECK(like(i, j, k) == static_cast<double>(j + 1));
            }
    CHECK((b == rows{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}));
    CHECK((g == line{8, 16, 24}));
}

TEST_CASE("a sum of nothing is 0, whatever stands outside it") {
    constexpr auto s = scalar<double, "s">;
    constexpr auto f = function(inputs(x, s), outputs(sum(s * x), sum(exp(x) + log(s)), sum(x / s), grad(sum(s * square(x)), s)));
    for (const double factor : {inf, -inf, qnan, 0.0}) {
        const auto [product, terms, quotient, slope] = f(line(), factor);
        CHECK(product == 0);
        CHECK(terms == 0);
        CHECK(quotient == 0);
        CHECK(slope == 0);
    }
    const auto [product, terms, quotient, slope] = f(line{1, 2}, inf);  // and there is something: infinite
    CHECK(product == inf);
    CHECK(terms == inf);
    CHECK(quotient == 0);
    CHECK(slope == 5);
}

TEST_CASE("a row without elements, with infinite factors") {
    constexpr auto r = tensor<double, "r", "n">;
    const auto [v, g] = function(inputs(A, r), outputs(sum(r(all, newaxis) * A, axis<1>), grad(sum(r(all, newaxis) * square(A)), r)))(rows::from_shape({2, 0}), line{inf, 3});
    CHECK((v == line{0, 0}));
    CHECK((g == line{0, 0}));
}

TEST_CASE("reductions over a fixed extent of 0") {
    constexpr auto none = tensor<double, "none", "n", 0>;
    constexpr auto f = function(inputs(none), outputs(sum(none, axis<1>), norm(none, axis<1>), logsumexp(none, axis<1>), var(none, axis<1>), sum(none), norm(none), grad(sum(norm(none, axis<1>)), none)));
    const auto [s, n, l, v, all_of_it, length, g] = f(rows::from_shape({2, 0}));
    CHECK((s == line{0, 0}));
    CHECK((n == line{0, 0}));
    CHECK((l == line{-inf, -inf}));
    CHECK(std::isnan(v(0)));
    CHECK(std::isnan(v(1)));
    CHECK(all_of_it == 0);
    CHECK(length == 0);
    CHECK(g.size() == 0);
}
