#include "op/table.hpp"

using namespace cotan;
using table::x;

namespace {

constexpr auto a = scalar<double, "a">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

}  // namespace

TEST_CASE("three derivatives of a loop") {  // a^32
    constexpr auto y = scan(init(a), times(c<5>), [](auto s) { return step(s * s); }).last;
    constexpr auto d = grad(y, a);
    constexpr auto dd = grad(d, a);
    const auto [v, first] = function(inputs(a), outputs(y, d))(0.95);
    CHECK_NEAR(v, 0.19371148445850115, 1e-14);
    CHECK_NEAR(first, 6.525018423865302, 1e-14);
    CHECK_NEAR(function(inputs(a), dd)(0.95), 212.92165383139407, 1e-13);
    CHECK_NEAR(function(inputs(a), grad(dd, a))(0.95), 6723.84169993876, 1e-13);
}

TEST_CASE("the last state alone, and a state that only the other one's start reaches") {
    constexpr auto power = scan(init(a), times(c<4>), [](auto s) { return step(square(s)); }).last;  // a^16
    const auto [v, g] = function(inputs(a), value_and_grad(power, a))(0.95);
    CHECK_NEAR(v, 0.4401266686517657, 1e-14);
    CHECK_NEAR(g, 7.412659682556054, 1e-14);
    constexpr auto loss = get<0>(scan(init(a, c<0.0>), times(c<2>), [](auto p, auto q) { return step(p + p, q + p); }).last) * a;  // 4 a^2
    const auto [l, d] = function(inputs(a), value_and_grad(loss, a))(1.5);
    CHECK(l == 9);
    CHECK(d == 12);
}

TEST_CASE("a loop mapped over numbers") {
    constexpr auto last = map(over(x), [](auto e) { return scan(init(e), times(c<10>), [](auto s) { return step(s + c<1.0>); }).last; });
    const auto [v, g] = function(inputs(x), outputs(last, grad(sum(last), x)))(line{1, 2, 3});
    CHECK((v == line{11, 12, 13}));
    CHECK((g == line{1, 1, 1}));
    constexpr auto powers = map(over(x), [](auto e) { return scan(init(c<1.0>), times(c<3>), [=](auto s) { return step(s * e); }).last; });  // x^3
    const auto [p, d] = function(inputs(x), outputs(powers, grad(sum(powers), x)))(line{1, 2, -3});
    CHECK((p == line{1, 8, -27}));
    CHECK((d == line{3, 12, 27}));
}

TEST_CASE("sums over steps of outer products: the weights of a recurrent network") {
    constexpr auto W = tensor<double, "W", "h", "h">;
    constexpr auto U = tensor<double, "U", "h", "i">;
    constexpr auto X = tensor<double, "X", "t", "i">;
    constexpr auto start = tensor<double, "start", "h">;
    constexpr auto states = scan(init(start), over(X), [=](auto h, auto v) {
        auto next = tanh(dot(W, h) + dot(U, v));
        return step(next).emit(next);
    }).trace;
    constexpr auto f = function(inputs(W, U, X, start), value_and_grad(sum(square(states)), wrt(W, U, start)));
    constexpr std::size_t H = 3, I = 2, T = 5;
    rows w = xt::zeros<double>({H, H}), u = xt::zeros<double>({H, I}), in = xt::zeros<double>({T, I});
    line h0{0.1, -0.2, 0.3};
    for (std::size_t i = 0; i < H; ++i) {
        for (std::size_t j = 0; j < H; ++j) w(i, j) = std::sin(static_cast<double>(3 * i + j) + 1) / 2;
        for (std::size_t j = 0; j < I; ++j) u(i, j) = std::cos(static_cast<double>(2 * i + j)) / 2;
    }
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t j = 0; j < I; ++j) in(t, j) = std::sin(static_cast<double>(t * t + 2 * j) + 0.5);

    // the plain loops
    double h[T + 1][H], ct[H] = {}, value = 0, gw[H][H] = {}, gu[H][I] = {};
    for (std::size_t i = 0; i < H; ++i) h[0][i] = h0(i);
    for (std::size_t t = 0; t < T; ++t)
        for (std::size_t i = 0; i < H; ++i) {
            double s = 0;
            for (std::size_t j = 0; j < H; ++j) s += w(i, j) * h[t][j];
            for (std::size_t j = 0; j < I; ++j) s += u(i, j) * in(t, j);
            h[t + 1][i] = std::tanh(s);
            value += h[t + 1][i] * h[t + 1][i];
        }
    for (std::size_t t = T; t-- > 0;) {
        double before[H] = {};
        for (std::size_t i = 0; i < H; ++i) {
            const double s = (ct[i] + 2 * h[t + 1][i]) * (1 - h[t + 1][i] * h[t + 1][i]);
            for (std::size_t j = 0; j < H; ++j) {
                gw[i][j] += s * h[t][j];
                before[j] += w(i, j) * s;
            }
            for (std::size_t j = 0; j < I; ++j) gu[i][j] += s * in(t, j);
        }
        for (std::size_t i = 0; i < H; ++i) ct[i] = before[i];
    }
    const auto [v, dw, du, d0] = f(w, u, in, h0);
    CHECK_NEAR(v, value, 1e-13);
    for (std::size_t i = 0; i < H; ++i) {
        for (std::size_t j = 0; j < H; ++j) CHECK_NEAR(dw(i, j), gw[i][j], 1e-11);
        for (std::size_t j = 0; j < I; ++j) CHECK_NEAR(du(i, j), gu[i][j], 1e-11);
        CHECK_NEAR(d0(i), ct[i], 1e-11);
    }
}

TEST_CASE("by a value inside of the model that the body takes from outside") {
    constexpr auto by = scalar<double, "by">;
    constexpr auto sequence = tensor<double, "sequence", "n">;
    constexpr auto inner = exp(by);
    constexpr auto z = scan(init(c<1.0>), over(sequence), [=](auto s, auto e) { return step(s * inner + e); }).last;  // (inner + 1) inner + 2
    const auto [first, second, tangent] =
        function(inputs(by, sequence), outputs(grad(z, inner), grad(grad(z, inner), inner), pushforward(z, inner, c<1.0>)))(std::log(2.0), xt::xtensor<double, 1>{1, 2});
    CHECK_NEAR(first, 5, 1e-14);
    CHECK_NEAR(second, 2, 1e-14);
    CHECK_NEAR(tangent, 5, 1e-14);
}
