#include "op/table.hpp"
#include "plan/plan_of.hpp"

#include <string_view>

using namespace cotan;
using table::inf, table::x, table::y;

// What is built on pullback and pushforward: zeros and fills, packs, inner nodes, nesting.

namespace {

constexpr auto p = scalar<double, "p">;
constexpr auto q = scalar<double, "q">;
constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto b = tensor<double, "b", "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;


}  // namespace

TEST_CASE("what a result does not depend on has gradient zero, and costs nothing") {
    constexpr auto d = plan_of<true>(inputs(x, y), outputs(grad(sum(x), y)));
    STATIC_REQUIRE(d.kernels == 0);
    STATIC_REQUIRE(d.outputs[0].fill);
    const auto [gx, gy] = function(inputs(x, y), grad(sum(exp(x)), wrt(x, y)))(line{0, 0}, line{1, 2});
    CHECK((gx == line{1, 1}));
    CHECK((gy == line{0, 0}));
}

TEST_CASE("fills stay fills through affine operations") {
    constexpr auto d = plan_of<true>(inputs(x), outputs(grad(sum(c<3> * x - c<1>), x), grad(c<2> * sum(-x) / c<4.0>, x)));
    STATIC_REQUIRE(d.kernels == 0);
    for (int i = 0; i < d.memory_count; ++i) CHECK(d.memories[i].kind != bits::memory_kind::temporary);
    const auto [a, e] = function(inputs(x), outputs(grad(sum(c<3> * x - c<1>), x), grad(c<2> * sum(-x) / c<4.0>, x)))(line{5, 6});
    CHECK((a == line{3, 3}));
    CHECK((e == line{-0.5, -0.5}));
}

TEST_CASE("packs keep their order and nest") {
    constexpr auto e = sum(x * y) * p;
    constexpr auto f = function(inputs(x, y, p), outputs(value_and_grad(e, wrt(p, y, x)), outputs(p, outputs(sum(x)))));
    const auto [v, gp, gy, gx, same, s] = f(line{1, 2}, line{3, 4}, 10.0);
    CHECK(v == 110);
    CHECK(gp == 11);
    CHECK((gy == line{10, 20}));
    CHECK((gx == line{30, 40}));
    CHECK(same == 10);
    CHECK(s == 3);
}

TEST_CASE("the gradient with respect to a node inside") {
    constexpr auto inner = x * y;
    constexpr auto e = sum(square(inner) + x);
    constexpr auto f = function(inputs(x, y), outputs(grad(e, inner), grad(e, x), pushforward(e, inner, c<1>)));
    const auto [gi, gx, t] = f(line{1, 2}, line{3, 4});
    CHECK((gi == line{6, 16}));
    CHECK((gx == line{2 * 3 * 3 + 1, 2 * 2 * 16 + 1}));
    CHECK(t == 22);
    // by two nodes one of which stands inside the other: each as if it were an input of its own
    constexpr auto outer = square(inner);
    const auto [go, gi2] = function(inputs(x, y), grad(sum(outer * inner), wrt(outer, inner)))(line{1, 2}, line{3, 4});
    CHECK((go == line{3, 8}));
    CHECK((gi2 == line{27, 192}));
}

TEST_CASE("derivatives nest without confusion") {
    // d/dp [p d/dq (p + q) at q = p]
    constexpr auto d = grad(p * grad(p + q, q), p);
    CHECK(function(inputs(p, q), d)(5.0, 5.0) == 1);
    constexpr auto e = exp(p * q);
    const auto [a, m] = function(inputs(p, q), outputs(grad(grad(e, p), q), grad(grad(e, q), p)))(0.5, 2.0);
    CHECK_NEAR(a, 2 * std::exp(1.0), 1e-15);
    CHECK_NEAR(m, 2 * std::exp(1.0), 1e-15);
    const auto t = function(inputs(x), pushforward(grad(sum(square(x)), x), x, c<1>))(line{1, 2, 3});
    CHECK((t == line{2, 2, 2}));
    constexpr auto third = grad(grad(grad(p * p * p * p, p), p), p);
    CHECK(function(inputs(p), third)(2.0) == 48);
}

TEST_CASE("the pushforward is the transpose of the pullback") {
    constexpr auto u = tensor<double, "u", "k">;
    constexpr auto w = tensor<double, "w", "n">;
    constexpr auto e = tanh(dot(A, b)) * sum(square(b));
    constexpr auto f = function(inputs(A, b, u, w), outputs(sum(pushforward(e, b, u) * w), sum(pullback(e, b, w) * u), sum(jacobian(e, b) * u * w(all, newaxis))));
    const auto [forward, backward, whole] = f(rows{{1, -0.5, 0.25}, {0.1, 0.2, 0.3}}, line{0.3, -0.2, 0.5}, line{1, 2, -1}, line{2, -3});
    CHECK_NEAR(forward, backward, 1e-14);
    CHECK_NEAR(whole, backward, 1e-14);
    CHECK(std::fabs(forward) > 0.01);
}

TEST_CASE("a pushforward along several tangents") {
    const auto t = function(inputs(p, q), pushforward(p * square(q), wrt(p, q), outputs(c<1>, c<0.5>)))(3.0, 2.0);
    CHECK(t == 4 + 0.5 * 12);
}

TEST_CASE("jacobians of matrices by matrices") {
    const auto J = function(inputs(A), jacobian(transpose(A), A))(rows{{1, 2, 3}, {4, 5, 6}});
    CHECK(J.shape()[0] == 3);
    CHECK(J.shape()[3] == 3);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 2; ++j)
            for (std::size_t k = 0; k < 2; ++k)
                for (std::size_t l = 0; l < 3; ++l) CHECK(J(i, j, k, l) == (i == l && j == k ? 1.0 : 0.0));
}

TEST_CASE("G15 the Jacobian of an outer product") {
    const auto J = function(inputs(x), jacobian(x(all, newaxis) * x(newaxis, all), x))(line{0, 1, 2});
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k) CHECK(J(i, j, k) == (i == k ? double(j) : 0.0) + (j == k ? double(i) : 0.0));
}

TEST_CASE("hessians and their products with vectors") {
    constexpr auto u = tensor<double, "u", "n">;
    constexpr auto e = sum(exp(x)) + square(sum(x));
    const auto [H, Hu] = function(inputs(x, u), outputs(hessian(e, x), hvp(e, x, u)))(line{0, 1}, line{1, -2});
    CHECK_NEAR(H(0, 0), 3.0, 1e-15);
    CHECK(H(0, 1) == 2);
    CHECK_NEAR(H(1, 1), 4.7182818284590452, 1e-15);
    CHECK_NEAR(Hu(0), -1.0, 1e-14);
    CHECK_NEAR(Hu(1), 2 - 2 * 4.7182818284590452, 1e-15);
}

TEST_CASE("D02 derivatives of float are float") {
    constexpr auto s = tensor<float, "s", "n">;
    constexpr auto e = sum(log(c<1.0> + exp(s)) * c<0.5> + sqrt(square(s) + c<1>));
    const auto [v, g, t, H] = function(inputs(s), outputs(value_and_grad(e, s), pushforward(e, s, c<1.0>), hessian(e, s)))(xt::xtensor<float, 1>{0, 1});
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(v)>, float>);
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(g(0))>, float>);
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(t)>, float>);
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(H(0, 0))>, float>);
    CHECK(std::fabs(g(0) - 0.25f) < 1e-6f);
    CHECK(std::fabs(H(0, 0) - 1.125f) < 1e-6f);
}

TEST_CASE("a float that is computed with doubles has a gradient of its own type") {
    constexpr auto s = tensor<float, "s", "n">;
    const auto [g, gx] = function(inputs(s, x), grad(sum(s * x), wrt(s, x)))(xt::xtensor<float, 1>{1, 2}, line{3, 4});
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(g(0))>, float>);
    CHECK((g == xt::xtensor<float, 1>{3, 4}));
    CHECK((gx == line{1, 2}));
}

TEST_CASE("G09 an argument given twice, and a chain of uses") {
    CHECK(function(inputs(p), grad(p * square(p), p))(3.0) == 27);
    constexpr auto e = p * exp(p) + (p - p * exp(p));
    constexpr auto at = c<100> * q;
    (void)at;
    const auto [v, g] = function(inputs(p), value_and_grad(e, p))(50.0);
    CHECK(v == 50);
    CHECK(g == 1);
}
