#include "table.hpp"

using namespace cotan;

namespace {

constexpr auto a = tensor<double, "a", "k">;
constexpr auto b = tensor<double, "b", "k">;
constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto B = tensor<double, "B", "k", "m">;
constexpr auto S = tensor<double, "S", "s", "n", "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

const line va{1, 2}, vb{3, 4};
const rows mA{{1, 2}, {3, 4}, {5, 6}}, mB{{1, 0, 2, -1}, {0, 1, 1, 3}};

}  // namespace

TEST_CASE("vectors") {
    constexpr auto e = square(dot(a, b));
    const auto [v, ga, gb] = function(inputs(a, b), value_and_grad(e, wrt(a, b)))(va, vb);
    CHECK(v == 121);
    CHECK((ga == line{66, 88}));
    CHECK((gb == line{22, 44}));
}

TEST_CASE("matrices and vectors") {
    constexpr auto f = function(inputs(A, a, B), outputs(dot(A, a), dot(a, B), grad(sum(square(dot(A, a))), wrt(A, a)), grad(sum(square(dot(a, B))), wrt(a, B))));
    const auto [Aa, aB, gA, ga, ha, gB] = f(mA, va, mB);
    CHECK((Aa == line{5, 11, 17}));
    CHECK((aB == line{1, 2, 4, 5}));
    CHECK((gA == rows{{10, 20}, {22, 44}, {34, 68}}));
    CHECK((ga == line{2 * (5 + 33 + 85), 2 * (10 + 44 + 102)}));
    CHECK((ha == line{2 * (1 + 8 - 5), 2 * (2 + 4 + 15)}));
    CHECK((gB == rows{{2, 4, 8, 10}, {4, 8, 16, 20}}));
}

TEST_CASE("matrices") {
    constexpr auto e = dot(A, B);
    const auto [v, gA, gB, tA] = function(inputs(A, B), outputs(e, grad(sum(square(e)), wrt(A, B)), pushforward(e, A, A)))(mA, mB);
    CHECK((v == rows{{1, 2, 4, 5}, {3, 4, 10, 9}, {5, 6, 16, 13}}));
    CHECK((tA == v));
    CHECK((gA == rows{{2 * (1 + 8 - 5), 2 * (2 + 4 + 15)}, {2 * (3 + 20 - 9), 2 * (4 + 10 + 27)}, {2 * (5 + 32 - 13), 2 * (6 + 16 + 39)}}));
    CHECK((gB == rows{{2 * (1 + 9 + 25), 2 * (2 + 12 + 30), 2 * (4 + 30 + 80), 2 * (5 + 27 + 65)}, {2 * (2 + 12 + 30), 2 * (4 + 16 + 36), 2 * (8 + 40 + 96), 2 * (10 + 36 + 78)}}));
}

TEST_CASE("batches") {
    const auto [v, w, g] = function(inputs(S, B, a), outputs(dot(S, B), dot(S, a), grad(sum(dot(S, a)), a)))(xt::xtensor<double, 3>{{{1, 2}}, {{3, 4}}}, mB, va);
    CHECK((v == xt::xtensor<double, 3>{{{1, 2, 4, 5}}, {{3, 4, 10, 9}}}));
    CHECK((w == rows{{5}, {11}}));
    CHECK((g == line{4, 6}));
}

TEST_CASE("the product of a matrix with itself, and quadratic forms") {
    constexpr auto Q = tensor<double, "Q", "k", "k">;
    constexpr auto e = dot(a, dot(Q, a));
    const auto [v, g, twice, gt] = function(inputs(Q, a), outputs(value_and_grad(e, a), dot(Q, Q), grad(sum(dot(Q, Q)), Q)))(rows{{1, 2}, {3, 4}}, va);
    CHECK(v == 27);
    CHECK((g == line{12, 21}));
    CHECK((twice == rows{{7, 10}, {15, 22}}));
    CHECK((gt == rows{{7, 11}, {9, 13}}));
}

TEST_CASE("a chain of two products with one matrix") {  // such as a power iteration
    constexpr auto Q = tensor<double, "Q", "k", "k">;
    constexpr auto e = dot(dot(A, Q), Q);
    const auto [v, g] = function(inputs(A, Q), outputs(e, grad(sum(e), A)))(mA, rows{{1, 2}, {3, 4}});
    CHECK((v == rows{{37, 54}, {81, 118}, {125, 182}}));
    CHECK((g == rows{{17, 37}, {17, 37}, {17, 37}}));
}
