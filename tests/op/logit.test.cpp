#include "table.hpp"

using namespace cotan;
using table::row, table::row2, table::inf, table::qnan, table::x, table::y;

namespace {

constexpr row logit_rows[] = {
    {1e-20, -46.051701859880913735, 1.0000000000000000549e+20, -1.0000000000000001097e+40},
    {0.001, -6.9067547786485534977, 1001.0010010010009802, -999998.99799699595336},
    {0.2, -1.3862943611198905494, 6.2499999999999997398, -23.437499999999997181},
    {0.3, -0.84729786038720366658, 4.7619047619047620055, -9.0702947845804997533},
    {0.6, 0.40546510810816428946, 4.1666666666666665896, 3.4722222222222213227},
    {0.75, 1.0986122886681096914, 5.3333333333333333333, 14.222222222222222222},
    {0.999, 6.9067547786485526295, 1001.0010010010001128, 999998.99799699421864},
};

}  // namespace

TEST_CASE("logit") {
    table::check(logit(x), logit_rows);
    CHECK_NEAR(table::value(logit(x), 0.49999999), -3.9999999978945771421e-8, 1e-15);
    CHECK(table::value(logit(x), 0) == -inf);
    CHECK(table::value(logit(x), 1) == inf);
    CHECK(table::value(logit(x), 0.5) == 0);
    CHECK(std::isnan(table::value(logit(x), 1.5)));
}

TEST_CASE("logit and sigmoid are inverses") {
    CHECK(table::value(sigmoid(logit(x)), 1e-20) == 1e-20);
    CHECK(table::value(sigmoid(log(x / (c<1> - x))), 1e-20) == 1e-20);
    CHECK(std::isnan(table::value(sigmoid(logit(x)), 1.5)));
    CHECK(table::slope(sigmoid(logit(x)), 0.25) == 1);
    CHECK(table::value(logit(sigmoid(x)), 500) == 500);
    CHECK(table::value(log(x / (c<1> - x)), 0.5) == 0);
}

TEST_CASE("log_sigmoid and expit") {
    CHECK(table::value(log_sigmoid(x), -1000) == -1000);
    CHECK(table::slope(log_sigmoid(x), -1000) == 1);
    CHECK_NEAR(table::value(log(c<1> - expit(x)), 40), -40, 1e-15);
    CHECK_NEAR(table::value(c<1> - expit(x), 40), 4.248354255291589e-18, 1e-15);
    CHECK_NEAR(table::slope(expit(x), -40), 4.248354255291589e-18, 1e-15);
    CHECK(table::slope(expit(x), -800) == 0);
    CHECK_NEAR(table::value((c<1> - sigmoid(x)) / sigmoid(x), 40), 4.248354255291589e-18, 1e-15);
}
