#include <catch2/catch.hpp>
#include <cotan/cotan.hpp>

#include <cmath>
#include <xtensor/xtensor.hpp>

using namespace cotan;

// Verifying derivatives: right ones pass, wrong ones are found and named.

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto A = tensor<double, "A", "m", "n">;
constexpr auto s = scalar<double, "s">;
constexpr auto i = tensor<std::int64_t, "i", "n">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

constexpr auto model = sum(tanh(dot(A, x)) * s) + sum(exp(x) * i);

}  // namespace

TEST_CASE("right derivatives pass in both modes and both orders, whatever the inputs' sizes") {
    constexpr auto f = function(inputs(A, x, i, s), model);
    const rows a{{1e-3, -5e-4}, {1e-4, 2e-4}};  // small, and multiplied by what is large
    const line at{300, -200};
    const xt::xtensor<std::int64_t, 1> k{0, 0};
    CHECK(verify_grad(f, a, at, k, 2.0) < 1e-6);
    const derivative_report r = verify_derivatives(f, a, at, k, 2.0);
    INFO(r.text());
    CHECK(r.reverse < 1e-6);
    CHECK(r.forward < 1e-6);
    CHECK(r.second < 1e-5);
    CHECK(r.first_slope == Approx(2).margin(0.2));
    CHECK(r.second_slope == Approx(3).margin(0.3));
    const derivative_report e = verify_derivatives(f, a, line{0.5, -1}, xt::xtensor<std::int64_t, 1>{1, 2}, 2.0);
    INFO(e.text());
    CHECK(e.worst < 1e-5);
}

TEST_CASE("an affine function has nothing but rounding behind its derivatives") {
    const derivative_report r = verify_derivatives(function(inputs(x), sum(c<3> * x) - c<1>), line{1, 2, 3});
    INFO(r.text());
    CHECK(r.worst < 1e-6);
    CHECK(std::isinf(r.first_slope));
}

TEST_CASE("float inputs are verified as well as floats can be") {
    constexpr auto t = tensor<float, "t", "n">;
    const derivative_report r = verify_derivatives(function(inputs(t), sum(sin(t) * t)), xt::xtensor<float, 1>{0.5f, 1.f, -2.f});
    INFO(r.text());
    CHECK(r.reverse < 2e-2);
    CHECK(r.forward < 2e-2);
}

TEST_CASE("a wrong rule is found, and its input and element named") {
    // wrong by a factor where x > 1
    constexpr auto wrong = with_pullback(square(x), wrt(x), [](auto ct, auto, auto v) { return list(ct * where(v > c<1>, c<3> * v, c<2> * v)); });
    constexpr auto f = function(inputs(s, x), sum(wrong) * s);
    CHECK(verify_grad(f, 2.0, line{0.5, 0.25}) < 1e-6);
    CHECK(verify_grad(f, 2.0, line{0.5, 4, 0.25}) == Approx(1.0 / 3).epsilon(1e-3));
    const derivative_report r = verify_derivatives(f, 2.0, line{0.5, 4, 0.25});
    INFO(r.text());
    CHECK(r.worst > 0.3);
    CHECK(r.first_slope < 1.5);  // the remainder vanishes as h only
    const std::string t = verify_derivatives(function(inputs(s, x), sum(wrong) * s), 2.0, line{0.5, 4, 0.25}).text();
    CHECK(t.find("input x") != std::string::npos);
    CHECK(t.find("[1]") != std::string::npos);
}

TEST_CASE("a wrong second derivative is found where the first is right") {
    // the rule's own derivative is stopped: gradient right, Hessian 0
    constexpr auto e = with_pullback(square(x), wrt(x), [](auto ct, auto, auto v) { return list(ct * c<2> * stop_gradient(v)); });
    const derivative_report r = verify_derivatives(function(inputs(x), sum(e)), line{0.5, 4});
    INFO(r.text());
    CHECK(r.reverse < 1e-6);
    CHECK(r.second > 0.5);
    CHECK(r.first_slope == Approx(2).margin(0.1));
    CHECK(r.second_slope < 2.5);
}
