#include "table.hpp"

using namespace cotan;
using table::row, table::row2, table::inf, table::qnan, table::x, table::y;

namespace {

constexpr row2 pow_rows[] = {
    {2.5, 3.7, 29.674132536420859311, 43.917716153902873888, 27.190132619527746563},
    {0.3, -1.5, 6.0858061945018460429, -30.429030972509231341, -7.3271451505785404716},
    {1.0001, 10000.5, 2.7182818307237542296, 27181.459302222682205, 0.00027181459256921786159},
    {10000000000.0, 30.25, 3.162277660168379332e+302, 9.5658899220093474793e+293, 7.2814134002118009194e+303},
    {7.0, 0.1, 1.2148140440390669525, 0.017354486343415243142, 2.3639189775105487153},
    {1e-05, 2.5, 3.1622776601683799787e-13, 7.9056941504209493001e-8, -3.6407067001059011784e-12},
};

}  // namespace

TEST_CASE("pow") {
    table::check(pow(x, y), pow_rows);
}

TEST_CASE("pow meets square, sqrt and reciprocal") {
    for (double at : {0.7, 3.0, -2.0}) {
        CHECK(table::value(pow(x, c<2>), at) == at * at);
        CHECK(table::value(pow(x, c<1>), at) == at);
        CHECK(table::value(pow(x, c<0>), at) == 1);
        CHECK(table::slope(pow(x, c<0>), at) == 0);
        CHECK(table::value(pow(x, c<-1>), at) == 1 / at);
        CHECK(table::value(pow(x, c<3>), at) == at * at * at);
        CHECK_NEAR(table::value(pow(x, c<-15>), at), std::pow(at, -15), 1e-14);
        CHECK_NEAR(table::slope(pow(x, c<5>), at), 5 * std::pow(at, 4), 1e-15);
    }
    CHECK(table::value(pow(x, c<0.5>), 2) == std::sqrt(2.0));
    CHECK(table::value(pow(x, c<-0.5>), 4) == 0.5);
    CHECK(table::slope(pow(x, c<0.5>), 0) == inf);
    CHECK(table::value(grad(sum(c<0> * pow(x, c<0.5>)), x), 0) == 0);
    CHECK(table::value(grad(sum(c<0> * pow(x, c<0.25>)), x), 0) == 0);
    CHECK(table::value(pow(c<2>, x), 10) == 1024);
    CHECK(table::value(pow(c<1>, x), qnan) == 1);
    CHECK(table::value(pow(x, c<0>), qnan) == 1);
    CHECK(std::isnan(table::value(pow(x, c<0.5>) * pow(x, c<0.5>), -2)));
    CHECK(table::value(pow(x, c<0.5>) * pow(x, c<0.5>), 3) == 3);
    CHECK_NEAR(table::value(pow(x, c<1000>), 0.999), std::pow(0.999, 1000), 1e-15);
}

TEST_CASE("exponents that are inputs, at 0") {
    constexpr auto s = sum(pow(x(newaxis, all), y(all, newaxis)));
    constexpr auto t = tensor<double, "e", 3>;
    constexpr auto p = scalar<double, "p">;
    constexpr auto e = sum(pow(p, t));
    constexpr auto f = function(inputs(p, t), outputs(e, grad(e, p), grad(grad(e, p), p), pushforward(e, p, c<1>)));
    const auto [v, g, gg, forward] = f(0.0, xt::xtensor<double, 1>{0, 1, 2});
    CHECK(v == 1);
    CHECK(g == 1);
    CHECK(gg == 2);
    CHECK(forward == 1);
    (void)s;
}

TEST_CASE("the exponent's derivative") {
    constexpr auto a = scalar<double, "a">;
    constexpr auto b = scalar<double, "b">;
    constexpr auto e = pow(a - b, b);
    constexpr auto f = function(inputs(a, b), outputs(pullback(e, wrt(a, b), c<123>)));
    const auto [ga, gb] = f(1.0, 1.0);
    CHECK(ga == 123);
    CHECK(gb == -123);
}

TEST_CASE("higher derivatives of whole powers") {
    constexpr auto p = scalar<double, "p">;
    constexpr auto d = [](auto e) { return grad(e, scalar<double, "p">); };
    constexpr auto f = function(inputs(p), outputs(d(d(d(d(d(pow(p, c<4>)))))), d(d(d(d(d(p + square(p) + pow(p, c<3>) + pow(p, c<4>))))))));
    const auto [fifth, of_sum] = f(0.0);
    CHECK(fifth == 0);
    CHECK(of_sum == 0);
    constexpr auto chain = pow(p, c<15>) * pow(p, c<-15>) + p;
    constexpr auto g = function(inputs(p), value_and_grad(chain, p));
    const auto [v, slope] = g(1.1);
    CHECK_NEAR(v, 2.1, 1e-14);
    CHECK_NEAR(slope, 1, 1e-12);
    constexpr auto h = function(inputs(p), value_and_grad(pow(p - floor(p), c<0>), p));
    const auto [one, zero] = h(1.0);
    CHECK(one == 1);
    CHECK(zero == 0);
}

TEST_CASE("pow of integers is double") {
    constexpr auto n = scalar<std::int32_t, "n">;
    static_assert(type_of<decltype(pow(n, c<3>))>::dt == dtype::float64);
    CHECK(function(inputs(n), pow(n, c<3>))(5) == 125.0);
    constexpr auto a = tensor<float, "a", 1>;
    constexpr auto f = function(inputs(a), outputs(pow(a, c<3>), grad(sum(pow(a, c<3>)), a)));
    const auto [v, g] = f(xt::xtensor<float, 1>{2});
    CHECK(v(0) == 8);
    CHECK(g(0) == 12);
}

TEST_CASE("logarithms of powers") {
    CHECK_NEAR(table::value(log(pow(exp(x), c<2.5>)), 1000), 2500, 1e-15);
    CHECK_NEAR(table::value(log(x * x), 1e200), 921.03403719761827361, 1e-15);
    CHECK_NEAR(table::value(log(sqrt(x)), 1e-300), -345.38776394910685260, 1e-15);
}
