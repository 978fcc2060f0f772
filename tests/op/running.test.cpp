#include "table.hpp"

using namespace cotan;
using table::x, table::y;

namespace {

typedef xt::xtensor<double, 1> vector;
typedef xt::xtensor<double, 2> matrix;
constexpr auto z = tensor<double, "z", "n">;
constexpr auto X = tensor<double, "X", "n", "k">;

template <class E> auto at(E, const vector& a) { return function(inputs(x), E{})(a); }
template <class E> auto at(E, const vector& a, const vector& b) { return function(inputs(x, y), E{})(a, b); }
template <class E> auto at(E, const vector& a, const vector& b, const vector& d) { return function(inputs(x, y, z), E{})(a, b, d); }
template <class E> auto at(E, const matrix& a) { return function(inputs(X), E{})(a); }

template <class A, class O>
concept sums = requires(A a, O o) { cumsum(a, axis<0>, o); };

}  // namespace

TEST_CASE("cumsum") {
    const vector in = {1, 2, 3, 4};
    CHECK((at(cumsum(x), in) == vector{1, 3, 6, 10}));
    CHECK((at(cumsum(x, reverse), in) == vector{10, 9, 7, 4}));
    CHECK((at(cumsum(x, exclusive), in) == vector{0, 1, 3, 6}));
    CHECK((at(cumsum(x, exclusive, reverse), in) == vector{9, 7, 4, 0}));
    CHECK((at(grad(sum(x * cumsum(x)), x), in) == vector{11, 12, 13, 14}));
    CHECK((at(grad(sum(cumsum(x)), x), in) == vector{4, 3, 2, 1}));
    CHECK((at(grad(sum(cumsum(x, exclusive, reverse)), x), in) == vector{0, 1, 2, 3}));
    CHECK((at(pushforward(cumsum(x), x, square(x)), in) == vector{1, 5, 14, 30}));
}

TEST_CASE("cumsum along an axis of a matrix") {
    const matrix in = {{1, 2}, {3, 4}, {5, 6}};
    CHECK((at(cumsum(X, axis<0>), in) == matrix{{1, 2}, {4, 6}, {9, 12}}));
    CHECK((at(cumsum(X, axis<-1>), in) == matrix{{1, 3}, {3, 7}, {5, 11}}));
    CHECK((at(cumsum(X, axis<0>, reverse), in) == matrix{{9, 12}, {8, 10}, {5, 6}}));
    CHECK((at(grad(sum(square(cumsum(X, axis<1>))), X), in) == matrix{{8, 6}, {20, 14}, {32, 22}}));
}

TEST_CASE("counts and integers") {
    constexpr auto i = tensor<std::int32_t, "i", "n">;
    const xt::xtensor<std::int32_t, 1> in = {1, -1, 2};
    CHECK((function(inputs(i), cumsum(i > c<0>))(in) == xt::xtensor<std::int64_t, 1>{1, 1, 2}));
    CHECK((function(inputs(i), cumsum(i))(in) == xt::xtensor<std::int32_t, 1>{1, 0, 2}));
}

TEST_CASE("the gradient of cumprod never divides") {
    constexpr auto g = grad(sum(cumprod(x)), x);
    CHECK((at(g, {2, 0, 3, 4}) == vector{1, 32, 0, 0}));
    CHECK((at(g, {0, 2, 3}) == vector{9, 0, 0}));
    CHECK((at(g, {2, 3, 0}) == vector{4, 2, 6}));
    CHECK((at(g, {2, 0, 0, 3}) == vector{1, 2, 0, 0}));
    CHECK((at(g, {0, 0, 0}) == vector{1, 0, 0}));
    constexpr auto s = grad(sum(square(cumprod(x))), x);
    CHECK((at(s, {1, 2}) == vector{10, 4}));
    CHECK((at(s, {1, 0}) == vector{2, 0}));
    CHECK((at(cumprod(x), {2, 3, 4}) == vector{2, 6, 24}));
    CHECK(at(log(cumprod(exp(x)))(c<-1>), {600, 600}) == 1200);
}

TEST_CASE("cumprod: options, second derivatives, both modes") {
    // the products are (bcd, cd, d, 1): e = y0 bcd + y1 cd + y2 d + y3
    constexpr auto p = cumprod(x, exclusive, reverse);
    constexpr auto e = sum(y * p);
    const vector a = {2, 0, 3, 5}, b = {7, 11, 13, 17};
    CHECK((at(p, a) == vector{0, 15, 5, 1}));
    CHECK((at(grad(e, x), a, b) == vector{0, 105, 55, 46}));
    CHECK((at(grad(sum(grad(e, x)), x), a, b) == vector{0, 56, 46, 32}));
    CHECK((at(pushforward(cumprod(x), x, y), a, b) == vector{7, 22, 66, 330}));
    CHECK((at(pullback(cumprod(x), x, y), a, b) == vector{7, 610, 0, 0}));
    CHECK((at(jacobian(cumprod(x), x), a) == matrix{{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 6, 0, 0}, {0, 30, 0, 0}}));
}

TEST_CASE("options are reverse and exclusive") {
    STATIC_REQUIRE(sums<decltype(x), reverse_t>);
    STATIC_REQUIRE(!sums<decltype(x), keepdims_t>);
    STATIC_REQUIRE(!sums<double, reverse_t>);
}

TEST_CASE("recurrence") {
    constexpr auto r = recurrence(x, y, axis<0>);
    const vector a = {2, 3, 0.5, -1}, b = {1, 4, 2, 6}, u = {1, 10, 100, 1000};
    CHECK((at(r, a, b) == vector{1, 7, 5.5, 0.5}));
    // the cotangents of the states: 1000; 100 - 1000; 10 - 450; 1 - 1320
    CHECK((at(pullback(r, y, z), a, b, u) == vector{-1319, -440, -900, 1000}));
    CHECK((at(pullback(r, x, z), a, b, u) == vector{0, -440, -6300, 5500}));
    CHECK((at(pushforward(r, wrt(x, y), outputs(z, z)), a, b, u) == vector{1, 23, 811.5, 5688.5}));
    CHECK((at(recurrence(c<0.5>, y, axis<0>), a, b) == vector{1, 4.5, 4.25, 8.125}));
    // (y1 + x1 (y2 + x2 y3), y2 + x2 y3, y3, 0)
    constexpr auto q = recurrence(x, y, axis<0>, reverse, exclusive);
    CHECK((at(q, a, b) == vector{19, 5, 6, 0}));
    CHECK((at(pullback(q, y, z), a, b, u) == vector{0, 1, 13, 106.5}));
    CHECK((at(pullback(q, x, z), a, b, u) == vector{0, 5, 78, 0}));
}

TEST_CASE("several of them in one function") {
    const auto [p, s, g] = function(inputs(x), outputs(cumprod(x), cumsum(x, reverse), grad(sum(cumprod(x)), x)))(vector{1, 2, 3, 4});
    CHECK((p == vector{1, 2, 6, 24}));
    CHECK((s == vector{10, 9, 7, 4}));
    CHECK((g == vector{33, 16, 10, 6}));
}
