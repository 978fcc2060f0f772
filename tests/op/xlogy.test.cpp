#include "table.hpp"

using namespace cotan;
using table::row, table::row2, table::inf, table::qnan, table::x, table::y;

namespace {

constexpr row2 xlogy_rows[] = {
    {2.0, 3.0, 2.1972245773362193828, 1.0986122886681096914, 0.66666666666666666667},
    {0.5, 1e-10, -11.512925464970228402, -23.025850929940456804, 4999999999.9999998178},
    {-1.0, 0.3, 1.2039728043259360296, -1.2039728043259360296, -3.3333333333333334567},
};

constexpr row2 xlog1py_rows[] = {
    {2.0, 3.0, 2.7725887222397812377, 1.3862943611198906188, 0.5},
    {0.5, 1e-10, 4.9999999997500001822e-11, 9.9999999995000003644e-11, 0.49999999995},
    {-1.0, -0.3, 0.35667494393873236305, -0.35667494393873236305, -1.4285714285714285488},
};

}  // namespace

TEST_CASE("xlogy and xlog1py") {
    table::check(xlogy(x, y), xlogy_rows);
    table::check(xlog1py(x, y), xlog1py_rows);
}

TEST_CASE("0 log 0 is 0") {
    constexpr auto entropy = sum(xlogy(x, x));
    constexpr auto f = function(inputs(x), value_and_grad(entropy, x));
    const auto [v, g] = f(xt::xtensor<double, 1>{0, 0.3});
    CHECK_NEAR(v, -0.3611918412977808, 1e-15);
    CHECK(g(0) == -inf);
    CHECK_NEAR(g(1), -0.20397280432593599, 1e-14);
    constexpr auto h = function(inputs(x, y), outputs(xlogy(x, y), grad(sum(xlogy(x, y)), y), xlog1py(x, y), grad(sum(xlog1py(x, y)), y),
                                                      pushforward(xlogy(x, y), y, c<1>)));
    const auto [a, da, b, db, t] = h(xt::xtensor<double, 1>{0, 0, 0}, xt::xtensor<double, 1>{0, -1, qnan});
    CHECK(a(0) == 0);
    CHECK(da(0) == 0);
    CHECK(t(0) == 0);
    CHECK(b(1) == 0);
    CHECK(db(1) == 0);
    CHECK(std::isnan(a(2)));
    CHECK(std::isnan(b(2)));
}
