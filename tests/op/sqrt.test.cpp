#include "table.hpp"

using namespace cotan;
using table::row, table::inf, table::qnan, table::x;

namespace {

constexpr row sqrt_rows[] = {
    {1e-100, 1.00000000000000001e-50, 4.99999999999999995e+49, -2.499999999999999925e+149},
    {1e-05, 0.0031622776601683794613, 158.11388300841896013, -7905694.1504209473599},
    {0.3, 0.54772255750516610332, 0.91287092917527687265, -1.5214515486254615107},
    {2.0, 1.4142135623730950488, 0.3535533905932737622, -0.08838834764831844055},
    {9.0, 3.0, 0.16666666666666666667, -0.0092592592592592592593},
    {1e+100, 1.000000000000000008e+50, 4.9999999999999999602e-51, -2.4999999999999999404e-151},
};

constexpr row reciprocal_rows[] = {
    {-10000000000.0, -1.0e-10, -1.0e-20, -2.0e-30},
    {-0.3, -3.3333333333333334567, -11.111111111111111933, -74.074074074074082298},
    {1e-05, 99999.99999999999182, -9999999999.9999983639, 1999999999999999.5092},
    {3.0, 0.33333333333333333333, -0.11111111111111111111, 0.074074074074074074074},
    {1e+100, 9.999999999999999841e-101, -9.9999999999999996819e-201, 1.9999999999999999046e-300},
};

constexpr row square_rows[] = {
    {-1e+100, 1.0000000000000000318e+200, -2.0000000000000000318e+100, 2.0},
    {-0.3, 0.089999999999999993339, -0.5999999999999999778, 2.0},
    {1e-05, 1.0000000000000001636e-10, 0.000020000000000000001636, 2.0},
    {3.0, 9.0, 6.0, 2.0},
};

}  // namespace

TEST_CASE("sqrt") { table::check(sqrt(x), sqrt_rows); }
TEST_CASE("reciprocal") { table::check(reciprocal(x), reciprocal_rows); }
TEST_CASE("square") { table::check(square(x), square_rows); }

TEST_CASE("sqrt at 0 is infinitely steep when asked with a cotangent, and not with none") {
    CHECK(table::slope(sqrt(x), 0) == inf);
    CHECK(table::slope(c<0.0> * sqrt(x), 0) == 0);
    CHECK(std::isnan(table::value(sqrt(x), -1)));
    CHECK(table::value(sign(x), -2) == -1);
    CHECK(std::isnan(table::value(sign(x), qnan)));
    CHECK(table::value(abs(x), -2) == 2);
}
