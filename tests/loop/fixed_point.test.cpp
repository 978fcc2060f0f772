// Values from mpmath with 40 digits, or closed forms.
#include "op/table.hpp"

#include <cstdint>

using namespace cotan;

namespace {

constexpr auto a = scalar<double, "a">;
constexpr auto f32 = scalar<float, "f32">;
constexpr auto A = tensor<double, "A", 2, 2>;
constexpr auto b = tensor<double, "b", 2>;
constexpr auto p = tensor<double, "p", 2>;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto w = stack(c<1.0>, c<-3.0>);
using line = xt::xtensor<double, 1>;
using square_matrix = xt::xtensor<double, 2>;

constexpr auto dottie = fixed_point([](auto v) { return cos(a * v); }, c<1.0>).last;
constexpr auto root = fixed_point([](auto v) { return c<0.5> * (v + a / v); }, c<1.0>);
constexpr auto linear = fixed_point([](auto v) { return dot(A, v) + b; }, c<0.0> * b).last;
// Kepler's equation, the parameters in a vector
constexpr auto anomaly = fixed_point([](auto e) { return p(c<0>) + p(c<1>) * sin(e); }, p(c<0>)).last;

const square_matrix matrix{{0.5, 0.25}, {0.125, 0.25}};
const line vector{1, 2};

}  // namespace

TEST_CASE("cos x = x, and its first three derivatives in both modes") {
    constexpr auto first = grad(dottie, a);
    const auto [v, d, dd, ddd] = function(inputs(a), outputs(dottie, first, grad(first, a), grad(grad(first, a), a)))(1.0);
    CHECK_NEAR(v, 0.7390851332151606, 1e-14);
    CHECK_NEAR(d, -0.29747434150983226, 1e-13);
    CHECK_NEAR(dd, 0.15333789131433614, 1e-12);
    CHECK_NEAR(ddd, 0.10788168126010541, 1e-12);
    const auto [t, forward_over_reverse, reverse_over_forward] =
        function(inputs(a), outputs(pushforward(dottie, a, c<1>), pushforward(first, a, c<1>), grad(pushforward(dottie, a, c<1>), a)))(1.0);
    CHECK_NEAR(t, -0.29747434150983226, 1e-13);
    CHECK_NEAR(forward_over_reverse, 0.15333789131433614, 1e-12);
    CHECK_NEAR(reverse_over_forward, 0.15333789131433614, 1e-12);
}

TEST_CASE("a root by Newton's method is differentiated at the root: as a linear equation, whose iteration ends at once") {
    constexpr auto first = grad(root.last, a);
    const auto [v, steps, d, dd] = function(inputs(a), outputs(root.last, root.steps, first, grad(first, a)))(2.0);
    CHECK_NEAR(v, std::sqrt(2.0), 1e-15);
    CHECK(steps == 6);
    CHECK_NEAR(d, 0.5 / std::sqrt(2.0), 1e-14);
    CHECK_NEAR(dd, -0.25 / (2 * std::sqrt(2.0)), 1e-14);
}

TEST_CASE("a linear map of vectors: gradients by its matrix and its vector, and the Jacobian") {
    const auto [v, by_A, by_b, jacobians] = function(inputs(A, b), outputs(linear, grad(sum(w * linear), wrt(A, b)), jacobian(linear, b)))(matrix, vector);
    const double det = 0.34375;
    const line solution{1.25 / det, 1.125 / det}, u{0.375 / det, -1.25 / det};
    const square_matrix inverse{{0.75 / det, 0.25 / det}, {0.125 / det, 0.5 / det}};
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK_NEAR(v(i), solution(i), 3e-14);
        CHECK_NEAR(by_b(i), u(i), 3e-14);
        for (std::size_t j = 0; j < 2; ++j) {
            CHECK_NEAR(by_A(i, j), u(i) * solution(j), 3e-14);
            CHECK_NEAR(jacobians(i, j), inverse(i, j), 3e-14);
        }
    }
}

TEST_CASE("the Jacobian by one forward sweep, and by one reverse sweep") {
    const auto [forward, reverse] = function(inputs(A, b), outputs(pushforward(linear, b, b), pullback(linear, b, w)))(matrix, vector);
    CHECK_NEAR(forward(0), 1.25 / 0.34375, 3e-14);  // linear in b
    CHECK_NEAR(forward(1), 1.125 / 0.34375, 3e-14);
    CHECK_NEAR(reverse(0), 0.375 / 0.34375, 3e-14);
    CHECK_NEAR(reverse(1), -1.25 / 0.34375, 3e-14);
}

TEST_CASE("a gradient and a Hessian by a vector of parameters") {
    const auto [v, g, h] = function(inputs(p), outputs(anomaly, grad(anomaly, p), hessian(anomaly, p)))(line{1, 0.5});
    CHECK_NEAR(v, 1.4987011335178483, 1e-14);
    CHECK_NEAR(g(0), 1.0373620218936459, 1e-14);
    CHECK_NEAR(g(1), 1.0346672323734564, 1e-14);
    CHECK_NEAR(h(0, 1), -0.4777509557247130, 1e-12);
    CHECK_NEAR(h(1, 0), -0.4777509557247130, 1e-12);
}

TEST_CASE("by a value inside of the model") {
    constexpr auto inner = exp(a);
    constexpr auto y = fixed_point([=](auto v) { return c<0.5> * (v + inner / v); }, c<1.0>).last;
    constexpr auto first = grad(y, inner);
    const auto [d, dd] = function(inputs(a), outputs(first, grad(first, inner)))(std::log(2.0));
    CHECK_NEAR(d, 0.5 / std::sqrt(2.0), 1e-14);
    CHECK_NEAR(dd, -0.25 / (2 * std::sqrt(2.0)), 1e-13);
}

TEST_CASE("an initial value has no derivative") {
    constexpr auto y = fixed_point([](auto v) { return c<0.5> * (v + a / v); }, exp(a)).last;
    CHECK_NEAR(function(inputs(a), grad(y, a))(2.0), 0.5 / std::sqrt(2.0), 1e-14);
}

TEST_CASE("a fixed point in a scan, a scan in a fixed point, and one in the other") {
    constexpr auto in_scan = scan(init(c<0.0>), over(x), [](auto s, auto e) {
        return step(s + fixed_point([=](auto v) { return c<0.5> * (v + e * a / v); }, c<1.0>).last);
    }).last;
    const auto [sum_of_roots, by_x, by_a] = function(inputs(x, a), value_and_grad(in_scan, wrt(x, a)))(line{1, 4, 9}, 4.0);
    CHECK_NEAR(sum_of_roots, 12, 1e-14);
    for (std::size_t i = 0; i < 3; ++i) CHECK_NEAR(by_x(i), 1.0 / (1.0 + static_cast<double>(i)), 1e-14);
    CHECK_NEAR(by_a, 6 / (2 * 2.0), 1e-14);

    // two of Newton's steps in one
    constexpr auto scanned = fixed_point([](auto v) { return scan(init(v), times(c<2>), [](auto s) { return step(c<0.5> * (s + a / s)); }).last; }, c<1.0>).last;
    constexpr auto by = grad(scanned, a);
    const auto [r, d, dd] = function(inputs(a), outputs(scanned, by, grad(by, a)))(2.0);
    CHECK_NEAR(r, std::sqrt(2.0), 1e-15);
    CHECK_NEAR(d, 0.5 / std::sqrt(2.0), 1e-14);
    CHECK_NEAR(dd, -0.25 / (2 * std::sqrt(2.0)), 1e-13);

    // x = (x + y) / 4 + a / 2 with y = (y + x) / 3, so that y = x / 2 and x = 4 a / 5
    constexpr auto nested = fixed_point([](auto v) {
        auto y = fixed_point([=](auto u) { return (u + v) / c<3.0>; }, c<1.0>).last;
        return (v + y) / c<4.0> + a / c<2.0>;
    }, c<1.0>).last;
    const auto [n, dn] = function(inputs(a), value_and_grad(nested, a))(3.0);
    CHECK_NEAR(n, 2.4, 1e-13);
    CHECK_NEAR(dn, 0.8, 1e-13);
}

TEST_CASE("tolerances and bounds of the steps") {
    constexpr auto half = [](auto v) { return c<0.5> * v + a; };  // its fixed point is 2 a
    constexpr auto loose = fixed_point(half, c<0.0>, tolerance<1e-3>);
    constexpr auto bounded = fixed_point(half, c<0.0>, times(c<3>));
    const auto [v, steps, few, n] = function(inputs(a), outputs(loose.last, loose.steps, bounded.last, bounded.steps))(1.0);
    CHECK(steps == 10);  // a change of 2^-9, relative to nearly 2
    CHECK(v == 2 - std::ldexp(1, -9));
    CHECK(few == 1.75);
    CHECK(n == 3);
    CHECK(function(inputs(a), grad(bounded.last, a))(1.0) == 1.875);  // 1 + 1/2 + 1/4 + 1/8
}

TEST_CASE("single precision, zero, and NaN come to an end") {
    constexpr auto single = fixed_point([](auto v) { return cos(f32 * v); }, f32).last;
    const auto [v, d] = function(inputs(f32), value_and_grad(single, f32))(1.0F);
    CHECK_NEAR(v, 0.7390851332151606, 1e-5);
    CHECK_NEAR(d, -0.29747434150983226, 1e-5);
    constexpr auto none = fixed_point([](auto v) { return c<0.5> * v; }, a);
    CHECK(function(inputs(a), none.last)(1.0) == 0);
    const auto [bad, steps] = function(inputs(a), outputs(root.last, root.steps))(table::qnan);
    CHECK(bad != bad);
    CHECK(steps == 1);
}
