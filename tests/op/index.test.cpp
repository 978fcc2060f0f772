#include "table.hpp"

using namespace cotan;
using table::x;

namespace {

constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto w = tensor<double, "w", 5>;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

const rows a{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
const line v{1, 2, 3, 4, 5};

}  // namespace

TEST_CASE("indices of a matrix") {
    const auto [row, last, column, element, part, column_of, three] = function(
        inputs(A), outputs(A(c<1>), A(c<-1>), A(all, c<-2>), A(c<2>, c<0>), A(slice<0, 2>, slice<1, end, 2>), A(all, slice<1, 2>), A(newaxis, c<0>, newaxis)))(a);
    CHECK((row == line{5, 6, 7, 8}));
    CHECK((last == line{9, 10, 11, 12}));
    CHECK((column == line{3, 7, 11}));
    CHECK(element == 9);
    CHECK((part == rows{{2, 4}, {6, 8}}));
    CHECK((column_of == rows{{2}, {6}, {10}}));
    CHECK(three.shape()[0] == 1);
    CHECK(three(0, 0, 3) == 4);
}

TEST_CASE("the cotangent of an index is written to its place") {
    const auto [g, h, s] = function(inputs(A), outputs(grad(square(A(c<1>, c<-1>)), A), grad(sum(A(slice<1, end>, c<0>)), A), grad(sum(square(A(all, slice<none, none, 2>))), A)))(a);
    CHECK((g == rows{{0, 0, 0, 0}, {0, 0, 0, 16}, {0, 0, 0, 0}}));
    CHECK((h == rows{{0, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}}));
    CHECK((s == rows{{2, 0, 6, 0}, {10, 0, 14, 0}, {18, 0, 22, 0}}));
}

TEST_CASE("slices of slices") {
    const auto [a1, a2, a3, a4] = function(inputs(x), outputs(x(slice<1, end>)(slice<0, -1>), x(slice<none, none, 2>)(c<-1>), x(slice<none, none, -1>)(slice<1, 3>), x(slice<-3, end>)(slice<none, none, -1>)))(v);
    CHECK((a1 == line{2, 3, 4}));
    CHECK(a2 == 5);
    CHECK((a3 == line{4, 3}));
    CHECK((a4 == line{5, 4, 3}));
}

TEST_CASE("a reversal reversed") {
    CHECK((function(inputs(x), x(slice<none, none, -1>)(slice<none, none, -1>) + c<1>)(v) == line{2, 3, 4, 5, 6}));
    CHECK((function(inputs(x), cumsum(x, reverse)(slice<none, none, -1>))(v) == line{5, 9, 12, 14, 15}));
    CHECK((function(inputs(w), w(slice<none, none, -1>)(slice<none, none, -1>))(v) == v));
}

TEST_CASE("a slice of a result over rows, and its gradient") {
    constexpr auto e = log(sum(exp(A), axis<0>))(slice<1, -1>);
    const auto [r, g] = function(inputs(A), outputs(e, grad(sum(e), A)))(a);
    for (std::size_t j = 0; j < 2; ++j) {
        CHECK_NEAR(r(j), a(2, j + 1) + std::log(1 + std::exp(-4.0) + std::exp(-8.0)), 1e-15);
        double total = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK_NEAR(g(i, j + 1), std::exp(a(i, j + 1) - r(j)), 1e-13);
            total += g(i, j + 1);
        }
        CHECK_NEAR(total, 1, 1e-14);
    }
    CHECK(g(0, 0) == 0);
    CHECK(g(2, 3) == 0);
}

TEST_CASE("fixed extents are clamped as Python's") {
    const auto [p, q, r] = function(inputs(w), outputs(w(slice<3, 100>), w(slice<-100, 2>), w(slice<4, 1, -2>)))(v);
    CHECK((p == line{4, 5}));
    CHECK((q == line{1, 2}));
    CHECK((r == line{5, 3}));
}

TEST_CASE("the Hessian of what elements and slices give keeps its directions apart") {
    constexpr auto e = square(square(w(c<0>))) + w(c<2>) * sum(w(slice<1, 3>) * w(c<0>));  // w0^4 + w0 w1 w2 + w0 w2^2
    const auto H = function(inputs(w), hessian(e, w))(v);
    const double want[5][5] = {{12, 3, 8, 0, 0}, {3, 0, 1, 0, 0}, {8, 1, 2, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) CHECK_NEAR(H(i, j), want[i][j], 1e-15);
}
