#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

namespace {
constexpr auto X = tensor<double, "X", "n", "k">;
constexpr auto M = tensor<double, "M", 2, 6>;
template <class E> using typed = type_of<E>;
}  // namespace

TEST_CASE("reshape keeps the elements and their order") {
    constexpr auto f = function(inputs(M), outputs(reshape<3, 4>(M), reshape<2, 3, 2>(M), flatten(M), transpose(reshape<3, 4>(M)), reshape<12, 1>(M)));
    xt::xtensor<double, 2> in = xt::zeros<double>({2, 6});
    for (std::size_t i = 0; i < 12; ++i) in(i / 6, i % 6) = double(i);
    const auto [a, b, d, t, e] = f(in);
    CHECK(a.shape()[0] == 3);
    for (std::size_t i = 0; i < 12; ++i) {
        CHECK(a(i / 4, i % 4) == double(i));
        CHECK(b(i / 6, i / 2 % 3, i % 2) == double(i));
        CHECK(d(i) == double(i));
        CHECK(t(i % 4, i / 4) == double(i));
        CHECK(e(i, 0) == double(i));
    }
}

TEST_CASE("the cotangent is reshaped back") {
    constexpr auto w = tensor<double, "w", 4>;
    constexpr auto e = sum(square(reshape<3, 4>(M)) * w);
    constexpr auto f = function(inputs(M, w), outputs(e, grad(e, wrt(M, w)), pushforward(e, M, M)));
    xt::xtensor<double, 2> in = xt::zeros<double>({2, 6});
    for (std::size_t i = 0; i < 12; ++i) in(i / 6, i % 6) = double(i);
    const auto [v, g, gw, t] = f(in, xt::xtensor<double, 1>{1, 2, 3, 4});
    CHECK(v == 80 + 2 * 107 + 3 * 140 + 4 * 179);
    CHECK(g(1, 3) == 2 * 9 * 2);
    CHECK((gw == xt::xtensor<double, 1>{80, 107, 140, 179}));
    CHECK(t == 2 * v);
}

TEST_CASE("named extents") {
    constexpr auto f = function(inputs(X), outputs(flatten(X), grad(sum(square(flatten(X)) * flatten(X)), X), reshape<"k", "n">(X), -log(flatten(softmax(X)))));
    const auto [flat, g, turned, loss] = f(xt::xtensor<double, 2>{{1, 2, 3}, {4, 5, 6}});
    CHECK((flat == xt::xtensor<double, 1>{1, 2, 3, 4, 5, 6}));
    CHECK((g == xt::xtensor<double, 2>{{3, 12, 27}, {48, 75, 108}}));
    CHECK((turned == xt::xtensor<double, 2>{{1, 2}, {3, 4}, {5, 6}}));
    const auto [a, b, d, far] = f(xt::xtensor<double, 2>{{0, 1000}});
    CHECK(far(0) == 1000);
    CHECK(far(1) == 0);
}

TEST_CASE("a Jacobian through a reshape") {
    constexpr auto V = tensor<double, "V", 4>;
    const auto J = function(inputs(V), jacobian(reshape<2, 2>(square(V)), V))(xt::xtensor<double, 1>{1, 2, 3, 4});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            for (std::size_t k = 0; k < 4; ++k) CHECK(J(i, j, k) == (2 * i + j == k ? 2.0 * double(k + 1) : 0.0));
}

TEST_CASE("which sizes fit is known to the compiler") {
    STATIC_REQUIRE(bits::reshape_check_value<typed<decltype(M)>, bits::ty<dtype::float64, bits::fixed_extent<3>, bits::fixed_extent<4>>>());
    STATIC_REQUIRE(!bits::reshape_check_value<typed<decltype(M)>, bits::ty<dtype::float64, bits::fixed_extent<3>, bits::fixed_extent<5>>>());
    STATIC_REQUIRE(bits::reshape_check_value<typed<decltype(X)>, typed<decltype(flatten(X))>>());
    STATIC_REQUIRE(!bits::reshape_check_value<typed<decltype(X)>, bits::ty<dtype::float64, bits::named_extent<"k">, bits::named_extent<"n">, bits::fixed_extent<2>>>());
}
