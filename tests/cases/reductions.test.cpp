#include "op/table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

// Users' problems with reductions and running products; the values are exact.

namespace {

constexpr auto X = tensor<double, "X", "n", "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

}  // namespace

TEST_CASE("R01 R02 the gradient of cumprod divides by nothing") {
    constexpr auto squares = sum(square(cumprod(x)));
    constexpr auto plain = sum(cumprod(x));
    constexpr auto f = function(inputs(x), outputs(grad(squares, x), grad(plain, x)));
    CHECK((std::get<0>(f(line{1, 2})) == line{10, 4}));
    CHECK((std::get<0>(f(line{1, 0})) == line{2, 0}));
    const auto g = [&](const line& v) { return std::get<1>(f(v)); };
    CHECK((g(line{2, 0, 3, 4}) == line{1, 32, 0, 0}));
    CHECK((g(line{0, 2, 3}) == line{9, 0, 0}));
    CHECK((g(line{2, 3, 0}) == line{4, 2, 6}));
    CHECK((g(line{2, 0, 0, 3}) == line{1, 2, 0, 0}));
    CHECK((g(line{0, 0, 0}) == line{1, 0, 0}));
}

TEST_CASE("R07 equal maxima share the cotangent") {
    constexpr auto f = function(inputs(x), outputs(value_and_grad(max(x), x), grad(min(x), x), pushforward(max(x), x, c<1>)));
    const auto [v, g, least, t] = f(line{1, 1});
    CHECK(v == 1);
    CHECK((g == line{0.5, 0.5}));
    CHECK((least == line{0.5, 0.5}));
    CHECK(t == 1);
    CHECK((std::get<1>(f(line{.6, .6, .3})) == line{0.5, 0.5, 0}));
}

TEST_CASE("R09 scaling by the least and the largest element") {
    constexpr auto e = sum((x - min(x)) / (max(x) - min(x)));
    const auto [v, g] = function(inputs(x), value_and_grad(e, x))(line{1, 2, 4});
    CHECK_NEAR(v, 4.0 / 3, 1e-15);
    const double want[] = {-2.0 / 9, 1.0 / 3, -1.0 / 9};
    for (std::size_t i = 0; i < 3; ++i) CHECK_NEAR(g(i), want[i], 1e-14);
}

TEST_CASE("R10 a count is a constant") {
    constexpr auto e = sum(pow(x, c<3>)) / sum(x > c<3>);
    const auto g = function(inputs(x), grad(e, x))(line{1, 2, 3, 4, 5, 6, 7, 8, 9});
    const double want[] = {0.5, 2, 4.5, 8, 12.5, 18, 24.5, 32, 40.5};
    for (std::size_t i = 0; i < 9; ++i) CHECK_NEAR(g(i), want[i], 1e-15);
}

TEST_CASE("R11 a mask made by comparison with a reduction") {
    constexpr auto e = sum(X * (X == max(X, axis<0>)));
    const auto [v, g] = function(inputs(X), value_and_grad(e, X))(rows{{1, 5}, {4, 2}});
    CHECK(v == 9);
    CHECK((g == rows{{0, 1}, {1, 0}}));
}

TEST_CASE("R13 a norm whose squares overflow") {
    constexpr auto s = tensor<float, "s", "n">;
    const auto [v, g] = function(inputs(s), value_and_grad(norm(s), s))(xt::xtensor<float, 1>{3e20f, 4e20f});
    CHECK(std::fabs(v - 5e20f) <= 1e-6f * 5e20f);
    CHECK(std::fabs(g(0) - 0.6f) < 1e-6f);
    CHECK(std::fabs(g(1) - 0.8f) < 1e-6f);
    const auto [w, h] = function(inputs(x), value_and_grad(norm(x), x))(line{3e-200, 4e-200});
    CHECK_NEAR(w, 5e-200, 1e-15);
    CHECK_NEAR(h(0), 0.6, 1e-15);
}

TEST_CASE("R14 a mean whose sum overflows") {
    constexpr auto s = tensor<float, "s", "n">;
    CHECK(function(inputs(s), mean(s))(xt::xtensor<float, 1>{3e38f, 3e38f, 3e38f}) == 3e38f);
}

TEST_CASE("R16 max over an axis while another one is empty") {
    const auto v = function(inputs(X), max(X, axis<0>))(rows(rows::shape_type{2, 0}));
    CHECK(v.size() == 0);
    // the maximum of no elements, in an axis whose length is known at run time only
    const auto none = function(inputs(X), max(X, axis<1>))(rows(rows::shape_type{2, 0}));
    CHECK((none == line{-inf, -inf}));
}
