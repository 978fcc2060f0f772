#include "table.hpp"

using namespace cotan;
using table::inf, table::x;

TEST_CASE("inverse pairs keep their domains") {
    CHECK(std::isnan(table::value(exp(log(x)), -1)));
    CHECK(table::value(exp(log(x)), 0) == 0);
    CHECK(table::value(exp(log(abs(x))), -3) == 3);
    CHECK(table::value(log(exp(x)), 800) == 800);
    CHECK(std::isnan(table::value(exp(log1p(x)), -2)));
    CHECK(table::value(log1p(expm1(x)), 800) == 800);
    CHECK_NEAR(table::value(expm1(softplus(x)), -40), 4.248354255291589e-18, 1e-15);
    CHECK_NEAR(table::value(expm1(log(x)), 1.5), 0.5, 1e-15);
    CHECK(std::isnan(table::value(expm1(log(x)), -1)));
    CHECK(table::value(expm1(log1p(x)), 1e-30) == 1e-30);
    CHECK(std::isnan(table::value(expm1(log1p(x)), -2)));
    CHECK_NEAR(table::value(exp(log1mexp(x)), -1e-20), 1e-20, 1e-15);
    CHECK(std::isnan(table::value(exp(log1mexp(x)), 1)));
    CHECK_NEAR(table::value(expm1(log1mexp(x)), -40), -4.248354255291589e-18, 1e-15);
    CHECK_NEAR(table::value(softplus(log(x)), 1e-20), 1e-20, 1e-15);
    CHECK(std::isnan(table::value(softplus(log(x)), -0.5)));
    CHECK_NEAR(table::value(log1mexp(log(x)), 1e-20), -1e-20, 1e-15);
    CHECK(table::value(log1mexp(log1mexp(x)), -1e-3) == -1e-3);
    CHECK(std::isnan(table::value(log1mexp(log1mexp(x)), 0.5)));
}

TEST_CASE("squares and square roots") {
    CHECK(table::value(sqrt(square(x)), -2) == 2);
    CHECK(table::slope(sqrt(square(x)), -2) == -1);
    CHECK(table::slope(sqrt(square(x)), 0) == 0);
    CHECK(std::isnan(table::value(square(sqrt(x)), -2)));
    CHECK(table::value(square(sqrt(x)), 3) == 3);
    CHECK(table::slope(square(sqrt(x)), 0) == 1);
    CHECK(table::value(square(abs(x)), -3) == 9);
    CHECK(table::value(abs(-x), -3) == 3);
    CHECK(table::value(sqrt(square(x - x)), -0.338) == 0);
    CHECK(table::slope(sqrt(square(x - x)), -0.338) == 0);
}

TEST_CASE("integer literals are literals of the dtype that they meet") {
    // exp(x) - 1 and 1 - exp(x) are recognised however the number is written
    CHECK_NEAR(table::value(exp(x) - c<1>, 1e-20), 1e-20, 1e-15);
    CHECK_NEAR(table::value(exp(x) - c<1.0>, 1e-20), 1e-20, 1e-15);
    CHECK_NEAR(table::value(c<1> - exp(x), 1e-20), -1e-20, 1e-15);
}
