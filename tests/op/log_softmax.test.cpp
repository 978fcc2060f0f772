#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

TEST_CASE("softmax and log_softmax") {
    constexpr auto X = tensor<double, "X", "n", "k">;
    constexpr auto f = function(inputs(X), outputs(softmax(X, axis<1>), log_softmax(X, axis<1>), softmax(X), log(transpose(softmax(X, axis<1>))),
                                                   grad(log_softmax(X, axis<1>)(c<0>, c<0>), X)));
    const auto [s, l, all, turned, g] = f(xt::xtensor<double, 2>{{0, 700}, {300, 0}});
    CHECK(s(0, 1) == 1);
    CHECK((l == xt::xtensor<double, 2>{{-700, 0}, {0, -300}}));
    CHECK((turned == xt::xtensor<double, 2>{{-700, 0}, {0, -300}}));
    CHECK(all(0, 1) == 1);
    CHECK((g == xt::xtensor<double, 2>{{1, -1}, {0, 0}}));
}

TEST_CASE("the gradient of a cross-entropy") {
    constexpr auto e = -log(softmax(c<13> * x))(c<0>);
    constexpr auto f = function(inputs(x), value_and_grad(e, x));
    const auto [v, g] = f(xt::xtensor<double, 1>{1, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK_NEAR(v, 104.00000226033196, 1e-15);
    CHECK_NEAR(g(0), -13, 1e-15);
    CHECK_NEAR(g(7), 13 * 2.2603242978920263e-6, 1e-13);
    CHECK_NEAR(g(8), 13 * 0.99999773967059302, 1e-14);
}
