#include "op/table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

// Users' problems with rewriting: what must be recognised, and what must not be changed.

namespace {

constexpr auto p = scalar<double, "p">;
constexpr auto q = scalar<double, "q">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

const line nine{13, 26, 39, 52, 65, 78, 91, 104, 117};

}  // namespace

TEST_CASE("P01 square and square root in both orders") {
    constexpr auto f = function(inputs(p), outputs(sqrt(square(p)), square(sqrt(p)), grad(sqrt(square(p)), p), pushforward(sqrt(square(p)), p, c<1>)));
    const auto [a, b, d, t] = f(-2.0);
    CHECK(a == 2);
    CHECK(std::isnan(b));
    CHECK(d == -1);
    CHECK(t == -1);
    CHECK(std::get<2>(f(0.0)) == 0);
    CHECK(std::get<3>(f(0.0)) == 0);
}

TEST_CASE("P02 the logarithm of a softmax written by hand") {
    constexpr auto loss = -log(exp(x) / sum(exp(x)))(c<0>);
    constexpr auto later = -log((exp(x) / sum(exp(x)))(c<0>));
    const auto [v, g, w] = function(inputs(x), outputs(value_and_grad(loss, x), later))(nine);
    CHECK_NEAR(v, 104.00000226033196, 1e-15);
    CHECK_NEAR(w, 104.00000226033196, 1e-15);
    CHECK(g(0) == -1);
    CHECK_NEAR(g(7), 2.2603242978920263e-6, 1e-13);
    CHECK_NEAR(g(8), 0.99999773967059302, 1e-14);
}

TEST_CASE("P03 a transpose between log and softmax") {
    constexpr auto X = tensor<double, "X", "n", "k">;
    constexpr auto by_hand = exp(X) / sum(exp(X), axis<1>, keepdims);
    const auto [v, w] = function(inputs(X), outputs(log(transpose(softmax(X, axis<1>))), log(transpose(by_hand))))(rows{{0, 700}, {300, 0}});
    CHECK((v == rows{{-700, 0}, {0, -300}}));
    CHECK((w == rows{{-700, 0}, {0, -300}}));
}

TEST_CASE("P02 P03 a softmax of rows written by hand does not overflow") {
    constexpr auto X = tensor<double, "X", "n", "k">;
    constexpr auto by_hand = exp(X) / sum(exp(X), axis<1>, keepdims);
    const auto [v, w] = function(inputs(X), outputs(by_hand, by_hand / c<2>))(rows{{1000, 1000}, {0, -1000}});
    CHECK((v == rows{{0.5, 0.5}, {1, 0}}));
    CHECK((w == rows{{0.25, 0.25}, {0.5, 0}}));
}

TEST_CASE("P08 inverse pairs keep their domains") {
    constexpr auto f = function(inputs(p), outputs(exp(log(p)), log(exp(p)), exp(log1p(p)), log1p(expm1(p)), expm1(softplus(p))));
    CHECK(std::isnan(std::get<0>(f(-1.0))));
    CHECK(std::get<1>(f(800.0)) == 800);
    CHECK(std::isnan(std::get<2>(f(-2.0))));
    CHECK(std::get<3>(f(800.0)) == 800);
    CHECK_NEAR(std::get<4>(f(-40.0)), 4.248354255291589e-18, 1e-14);
}

TEST_CASE("P09 products and quotients of exponentials") {
    const auto [a, b] = function(inputs(p, q), outputs(exp(p) * exp(-q), exp(p) / exp(q)))(1000.0, 999.0);
    CHECK_NEAR(a, 2.7182818284590452, 1e-15);
    CHECK_NEAR(b, 2.7182818284590452, 1e-15);
}

TEST_CASE("P10 log-sum-exp written by hand") {
    const auto [v, gp, gq] = function(inputs(p, q), value_and_grad(log(exp(p) + exp(q)), wrt(p, q)))(1000.0, 1001.0);
    CHECK_NEAR(v, 1001.3132616875182, 1e-15);
    CHECK_NEAR(gp, 0.26894142136999512, 1e-14);
    CHECK_NEAR(gq, 0.73105857863000488, 1e-14);
    CHECK(function(inputs(x), log(sum(exp(x))))(line{1000, 0}) == 1000);
}

TEST_CASE("P11 the logistic loss written by hand") {
    constexpr auto f = function(inputs(p), outputs(value_and_grad(log(sigmoid(p)), p), value_and_grad(log(c<1> - sigmoid(p)), p), c<1> - sigmoid(p), log1p(-sigmoid(p))));
    CHECK(std::get<0>(f(-1000.0)) == -1000);
    CHECK(std::get<1>(f(-1000.0)) == 1);
    CHECK_NEAR(std::get<2>(f(40.0)), -40, 1e-15);
    CHECK_NEAR(std::get<3>(f(40.0)), -1, 1e-15);
    CHECK_NEAR(std::get<4>(f(40.0)), 4.248354255291589e-18, 1e-14);
    CHECK_NEAR(std::get<5>(f(50.0)), -50, 1e-15);
    CHECK_NEAR(function(inputs(p), sigmoid(log(p / (c<1> - p))))(1e-20), 1e-20, 1e-15);
}

TEST_CASE("P12 the logarithm of a difference of exponentials") {
    constexpr auto f = function(inputs(p, q), log(exp(p) - exp(q)));
    CHECK_NEAR(f(1000.0, 999.0), 999.54132485461292, 1e-15);
    CHECK(f(0.0, -inf) == 0);
}

TEST_CASE("P13 the logarithm of a product of positive numbers") {
    line logs = xt::ones<double>({std::size_t{400}});
    logs *= std::log(1e-3);
    const auto [v, g] = function(inputs(x), value_and_grad(log(prod(exp(x))), x))(logs);
    CHECK_NEAR(v, -2763.1021115928548, 1e-14);
    for (double e : g) CHECK(e == 1);
}

TEST_CASE("P14 P17 what a user computes keeps its IEEE value") {
    constexpr auto f = function(inputs(p), outputs(p / p, c<0.0> * p, p - p, c<0.0> / p, c<2> * p - p - p));
    const auto at_zero = f(0.0), at_inf = f(inf), at_nan = f(qnan), at_two = f(2.0);
    CHECK(std::isnan(std::get<0>(at_zero)));
    CHECK(std::get<1>(at_zero) == 0);
    CHECK(std::get<2>(at_zero) == 0);
    CHECK(std::isnan(std::get<3>(at_zero)));
    CHECK(std::isnan(std::get<0>(at_inf)));
    CHECK(std::isnan(std::get<1>(at_inf)));
    CHECK(std::isnan(std::get<2>(at_inf)));
    CHECK(std::isnan(std::get<4>(at_inf)));
    CHECK(std::isnan(std::get<0>(at_nan)));
    CHECK(std::isnan(std::get<1>(at_nan)));
    CHECK(std::isnan(std::get<2>(at_nan)));
    CHECK(std::isnan(std::get<3>(at_nan)));
    CHECK((at_two == std::tuple{1.0, 0.0, 0.0, 0.0, 0.0}));
}

TEST_CASE("P17 a branch that was not chosen has a structural zero as its derivative") {
    constexpr auto chosen = scalar<bool, "chosen">;
    constexpr auto u = where(chosen, log(p), c<0.0>) * q;
    constexpr auto f = function(inputs(p, q, chosen), outputs(value_and_grad(u, wrt(p, q)), pushforward(u, p, c<1>)));
    const auto [v, gp, gq, t] = f(-1.0, 3.0, false);
    CHECK(v == 0);
    CHECK(gp == 0);
    CHECK(gq == 0);
    CHECK(t == 0);
    CHECK(std::get<1>(f(0.0, 3.0, false)) == 0);
    CHECK(std::get<1>(f(2.0, 3.0, true)) == 1.5);
}

TEST_CASE("P16 a reshape between log and softmax") {
    constexpr auto z = tensor<double, "z", 9>;
    const auto v = function(inputs(z), -log(reshape<3, 3>(exp(z) / sum(exp(z)))))(nine);
    CHECK_NEAR(v(0, 0), 104.00000226033196, 1e-15);
    CHECK_NEAR(v(2, 2), 2.2603319615294178e-6, 1e-8);
}

TEST_CASE("P19 powers of one base are merged only where that is right") {
    constexpr auto f = function(inputs(p), outputs(pow(p, c<0.5>) * pow(p, c<0.5>), square(p) / square(p)));
    CHECK(std::isnan(std::get<0>(f(-2.0))));
    CHECK(std::isnan(std::get<1>(f(0.0))));
    CHECK_NEAR(std::get<0>(f(3.0)), 3, 1e-15);
    CHECK(std::get<1>(f(3.0)) == 1);
    const auto g = function(inputs(p, q), pow(p, q) * pow(p, q));
    CHECK(std::isnan(g(-2.0, 0.5)));
    CHECK_NEAR(g(3.0, 0.5), 3, 1e-15);
}
