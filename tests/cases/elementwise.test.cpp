#include "op/table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

// Users' problems with elementwise operations; the values are from 50 digits and more.

namespace {

constexpr auto p = scalar<double, "p">;
constexpr auto q = scalar<double, "q">;
using line = xt::xtensor<double, 1>;

}  // namespace

TEST_CASE("E02 atan2 at the origin under a mask") {
    constexpr auto m = tensor<bool, "m", "n">;
    constexpr auto e = sum(where(m, c<0.0>, atan2(x, x)));
    constexpr auto f = function(inputs(x, m), outputs(value_and_grad(e, x), pushforward(e, x, c<1>)));
    const auto [v, g, t] = f(line{3, 0, -5}, xt::xtensor<bool, 1>{false, true, false});
    CHECK_NEAR(v, -1.5707963267948966, 1e-15);
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::fabs(g(i)) < 1e-17);
    CHECK(std::fabs(t) < 1e-17);
}

TEST_CASE("E04 a branch that is never taken may be NaN") {
    const auto [v, g] = function(inputs(p), value_and_grad(where(c<false>, p * c<qnan>, c<1.0>), p))(2.3);
    CHECK(v == 1);
    CHECK(g == 0);
}

TEST_CASE("E05 a mask over a square root of zero") {
    constexpr auto u = tensor<double, "u", "n">;
    constexpr auto d = u * p;
    constexpr auto e = sum(where(d > c<0>, sqrt(d), c<0.0>));
    const auto [v, g, t] = function(inputs(u, p), outputs(value_and_grad(e, p), pushforward(e, p, c<1>)))(line{0, 1}, 1.0);
    CHECK(v == 1);
    CHECK(g == 0.5);
    CHECK(t == 0.5);
}

TEST_CASE("E09 softplus is smooth at 0") {
    constexpr auto d1 = grad(softplus(p), p);
    constexpr auto d2 = grad(d1, p);
    constexpr auto d3 = grad(d2, p);
    const auto [v, a, b, d] = function(inputs(p), outputs(softplus(p), d1, d2, d3))(0.0);
    CHECK_NEAR(v, 0.6931471805599453, 1e-15);
    CHECK(a == 0.5);
    CHECK(b == 0.25);
    CHECK(std::fabs(d) < 1e-17);
}

TEST_CASE("E11 the weights of equal operands add to 1, however large they are") {
    constexpr auto f = function(inputs(x, y), outputs(grad(sum(logaddexp(x, x)), x), grad(sum(logaddexp(x, y)), wrt(x, y))));
    const auto [both, gx, gy] = f(line{1e10, 1e14, 1e50}, line{1e10, 1e14, 1e50});
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(both(i) == 1);
        CHECK(gx(i) == 0.5);
        CHECK(gy(i) == 0.5);
    }
}

TEST_CASE("E13 log-sum-exp with infinities, nested and flat") {
    constexpr auto r = scalar<double, "r">;
    constexpr auto nested = logaddexp(logaddexp(p, q), r);
    constexpr auto f = function(inputs(p, q, r), value_and_grad(nested, wrt(p, q, r)));
    const auto [v, a, b, d] = f(-inf, -inf, 2.0);
    CHECK(v == 2);
    CHECK(a == 0);
    CHECK(b == 0);
    CHECK(d == 1);
    constexpr auto h = function(inputs(x), value_and_grad(logsumexp(x), x));
    const auto [w, g] = h(line{-inf, -inf, 2});
    CHECK(w == 2);
    CHECK((g == line{0, 0, 1}));
    const auto [top, gt] = h(line{3, inf});
    CHECK(top == inf);
    CHECK((gt == line{0, 1}));
}

TEST_CASE("E15 log(exp(a) - exp(b)) of equal operands") {
    constexpr auto f = function(inputs(x, y), log(exp(x) - exp(y)));
    const auto v = f(line{0, -inf, 2}, line{0, -inf, 1});
    CHECK(v(0) == -inf);
    CHECK(v(1) == -inf);
    CHECK_NEAR(v(2), 1.5413248546129181, 1e-15);
}

TEST_CASE("E16 1 / (1 + exp(-x)) where exp overflows") {
    constexpr auto e = sum(c<1> / (c<1> + exp(-x)));
    const auto g = function(inputs(x), grad(e, x))(line{-200, -400.0 / 3, -200.0 / 3, 0, -800});
    CHECK_NEAR(g(0), 1.3838965267367376e-87, 1e-13);
    CHECK_NEAR(g(1), 1.2418498224782119e-58, 1e-13);
    CHECK_NEAR(g(2), 1.1143831578403417e-29, 1e-13);
    CHECK(g(3) == 0.25);
    CHECK(g(4) == 0);
    constexpr auto s = tensor<float, "s", "n">;
    const auto h = function(inputs(s), grad(sum(c<1> / (c<1> + exp(-s))), s))(xt::xtensor<float, 1>{-200, 0});
    CHECK(h(0) == 0);
    CHECK(h(1) == 0.25f);
}

TEST_CASE("E17 the derivative of expm1 is exp") {
    CHECK_NEAR(table::slope(expm1(x), -40), 4.248354255291589e-18, 1e-14);
}

TEST_CASE("E18 E19 sinc next to 0, in both modes") {
    constexpr auto first = grad(sum(sinc(x)), x);
    constexpr auto f = function(inputs(x), outputs(first, pushforward(sinc(x), x, c<1>), grad(sum(first), x)));
    const auto [g, t, second] = f(line{1e-8, 1e-4, 1e-2, 0.5, 0});
    const double want[] = {-3.2898681336964525e-8, -3.289868101226756e-4, -0.032895434481712398, -1.2732395447351627, 0};
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK_NEAR(g(i), want[i], 1e-13);
        CHECK_NEAR(t(i), want[i], 1e-13);
    }
    CHECK_NEAR(second(4), -3.2898681336964529, 1e-14);
    constexpr auto chained = sinc(c<2> * p - c<1>);
    const auto [a, b] = function(inputs(p), outputs(pushforward(chained, p, c<1>), grad(chained, p)))(0.49999999999999994);
    CHECK(std::fabs(a - 7.3049747000207896e-16) < 1e-20);
    CHECK(std::fabs(b - 7.3049747000207896e-16) < 1e-20);
}

TEST_CASE("E20 sqrt(square(x - x))") {
    constexpr auto e = sqrt(square(p - p));
    const auto [v, g, t] = function(inputs(p), outputs(value_and_grad(e, p), pushforward(e, p, c<1>)))(-0.338);
    CHECK(v == 0);
    CHECK(g == 0);
    CHECK(t == 0);
}

TEST_CASE("E21 the square of a norm at the origin") {
    const auto [v, g] = function(inputs(x), value_and_grad(square(norm(x)), x))(line{0, 0});
    CHECK(v == 0);
    CHECK((g == line{0, 0}));
    CHECK(function(inputs(p), grad(square(sqrt(square(c<0.0> * p)) - c<1>), p))(1.0) == 0);
}

TEST_CASE("E23 an element of a square root, while others are square roots of 0") {
    constexpr auto X = tensor<double, "X", "r">;
    constexpr auto Y = tensor<double, "Y", "s">;
    constexpr auto T = square(X(all, newaxis)) + p * square(Y(newaxis, all));
    constexpr auto f = function(inputs(X, Y, p), outputs(grad(sqrt(T)(c<0>, c<0>), p), grad(sqrt(T(c<0>, c<0>)), p)));
    const auto [a, b] = f(line{-2, -1, 0, 1}, line{-3, -2, -1, 0, 1, 2}, 1.0);
    CHECK_NEAR(a, 1.2480754415067655, 1e-15);
    CHECK_NEAR(b, 1.2480754415067655, 1e-15);
}

TEST_CASE("E25 powers of 0 whose exponents are data") {
    constexpr auto e = sum(pow(p, x));
    constexpr auto f = function(inputs(p, x), outputs(value_and_grad(e, p), grad(grad(e, p), p), pushforward(e, p, c<1>)));
    const auto [v, g, second, t] = f(0.0, line{0, 1, 2});
    CHECK(v == 1);
    CHECK(g == 1);
    CHECK(second == 2);
    CHECK(t == 1);
}

TEST_CASE("E26 a power of 0 is 1") {
    const auto [v, g] = function(inputs(p), value_and_grad(pow(p - floor(p), c<0>), p))(1.0);
    CHECK(v == 1);
    CHECK(g == 0);
}

TEST_CASE("E29 the fifth derivative of a polynomial at 0") {
    constexpr auto fifth = [](auto e) {
        constexpr auto d = [](auto v) { return grad(v, p); };
        return d(d(d(d(d(e)))));
    };
    constexpr auto all_powers = p + pow(p, c<2>) + pow(p, c<3>) + pow(p, c<4>);
    constexpr auto f = function(inputs(p), outputs(fifth(pow(p, c<4>)), fifth(all_powers), grad(grad(grad(grad(all_powers, p), p), p), p)));
    const auto [a, b, fourth] = f(0.0);
    CHECK(a == 0);
    CHECK(b == 0);
    CHECK(fourth == 24);
}

TEST_CASE("E30 (a - b)^b at a = b") {
    constexpr auto e = pow(p - q, q);
    const auto [a, b] = function(inputs(p, q), pullback(e, wrt(p, q), c<123.0>))(1.0, 1.0);
    CHECK(a == 123);
    CHECK(b == -123);
}

TEST_CASE("E31 abs at 0 has derivative 0 in every mode and order") {
    constexpr auto f = function(inputs(p), outputs(grad(abs(p), p), pushforward(abs(p), p, c<1>), grad(grad(abs(p), p), p), pushforward(grad(abs(p), p), p, c<1>)));
    const auto [a, b, d, e] = f(0.0);
    CHECK(a == 0);
    CHECK(b == 0);
    CHECK(d == 0);
    CHECK(e == 0);
}

TEST_CASE("E32 entropy where a probability is 0") {
    constexpr auto e = sum(xlogy(x, x));
    const auto [v, g, t] = function(inputs(x), outputs(value_and_grad(e, x), pushforward(e, x, x)))(line{0, 0.3});
    CHECK_NEAR(v, -0.3611918412977808, 1e-15);
    CHECK(g(0) == -inf);
    CHECK_NEAR(g(1), -0.20397280432593599, 1e-14);
    CHECK_NEAR(function(inputs(p, q), grad(xlogy(p, q), q))(0.0, 0.0), 0.0, 0);
    (void)t;
}

TEST_CASE("E33 the infinity norm") {
    CHECK((function(inputs(x), grad(max(abs(x)), x))(line{1, 2, -3}) == line{0, 0, -1}));
}

TEST_CASE("E34 the logistic density with both exponentials out of range") {
    constexpr auto z = p - q;
    constexpr auto density = -z - c<2> * log(c<1> + exp(-z));
    constexpr auto apart = c<1> - c<2> * (exp(q) / (exp(q) + exp(p)));
    const auto [a, b] = function(inputs(p, q), outputs(grad(density, q), apart))(711.0, 710.0);
    CHECK_NEAR(a, 0.46211715726000976, 1e-15);
    CHECK_NEAR(b, 0.46211715726000976, 1e-14);
}

TEST_CASE("E35 E36 clip and its bounds") {
    const auto [v, g] = function(inputs(p), value_and_grad(clip(p, c<0>, p), p))(5.0);
    CHECK(v == 5);
    CHECK(g == 1);
    constexpr auto r = scalar<double, "r">;
    constexpr auto e = clip(p, q, r);
    constexpr auto f = function(inputs(p, q, r), outputs(grad(e, wrt(p, q, r)), pushforward(e, r, c<1>), pushforward(e, q, c<1>)));
    CHECK((f(20.0, 0.0, 10.0) == std::tuple{0.0, 0.0, 1.0, 1.0, 0.0}));
    CHECK((f(-1.0, 0.0, 10.0) == std::tuple{0.0, 1.0, 0.0, 0.0, 1.0}));
}

TEST_CASE("E37 tanh as a quotient of exponentials") {
    constexpr auto e = (exp(p) - exp(-p)) / (exp(p) + exp(-p));
    constexpr auto f = function(inputs(p), value_and_grad(e, p));
    CHECK((f(800.0) == std::tuple{1.0, 0.0}));
    CHECK((f(-800.0) == std::tuple{-1.0, 0.0}));
    CHECK((f(0.0) == std::tuple{0.0, 1.0}));
}

TEST_CASE("E39 large powers that cancel") {
    const auto [v, g] = function(inputs(p), value_and_grad(pow(p, c<15>) * pow(p, c<-15>) + p, p))(1.1);
    CHECK_NEAR(v, 2.1, 1e-14);
    CHECK_NEAR(g, 1.0, 1e-12);
}

TEST_CASE("E40 the derivative of sigmoid far out") {
    constexpr auto f = function(inputs(p), outputs(grad(sigmoid(p), p), pushforward(sigmoid(p), p, c<1>)));
    CHECK((f(-800.0) == std::tuple{0.0, 0.0}));
    const auto [a, b] = f(-40.0);
    CHECK_NEAR(a, 4.248354255291589e-18, 1e-14);
    CHECK_NEAR(b, 4.248354255291589e-18, 1e-14);
}
