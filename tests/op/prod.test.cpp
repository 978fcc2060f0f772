#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

TEST_CASE("prod and its gradient at zeros") {
    constexpr auto f = function(inputs(x), outputs(prod(x), grad(prod(x), x), hessian(prod(x), x)));
    const auto [p, g, H] = f(xt::xtensor<double, 1>{2, 3, 4});
    CHECK(p == 24);
    CHECK((g == xt::xtensor<double, 1>{12, 8, 6}));
    CHECK((H == xt::xtensor<double, 2>{{0, 4, 3}, {4, 0, 2}, {3, 2, 0}}));
    CHECK((std::get<1>(f(xt::xtensor<double, 1>{2, 0, 4})) == xt::xtensor<double, 1>{0, 8, 0}));
    CHECK((std::get<1>(f(xt::xtensor<double, 1>{0, 0, 4})) == xt::xtensor<double, 1>{0, 0, 0}));
    CHECK((std::get<2>(f(xt::xtensor<double, 1>{0, 0, 4})) == xt::xtensor<double, 2>{{0, 4, 0}, {4, 0, 0}, {0, 0, 0}}));
}

TEST_CASE("prod over axes") {
    constexpr auto X = tensor<double, "X", "n", "k">;
    constexpr auto f = function(inputs(X), outputs(prod(X), prod(X, axis<0>), prod(X, axis<1>, keepdims), grad(prod(X), X), grad(sum(prod(X, axis<0>)), X),
                                                   pushforward(prod(X), X, X)));
    const auto [all, columns, rows, g, gc, t] = f(xt::xtensor<double, 2>{{1, 2}, {3, 0}, {5, 4}});
    CHECK(all == 0);
    CHECK((columns == xt::xtensor<double, 1>{15, 0}));
    CHECK((rows == xt::xtensor<double, 2>{{2}, {0}, {20}}));
    CHECK((g == xt::xtensor<double, 2>{{0, 0}, {0, 120}, {0, 0}}));
    CHECK((gc == xt::xtensor<double, 2>{{15, 0}, {5, 8}, {3, 0}}));
    CHECK(t == 0);
}

TEST_CASE("the logarithm of a product does not underflow") {
    constexpr auto e = log(prod(exp(x)));
    constexpr auto f = function(inputs(x), value_and_grad(e, x));
    xt::xtensor<double, 1> in = xt::ones<double>({std::size_t{400}});
    in *= std::log(1e-3);
    const auto [v, g] = f(in);
    CHECK_NEAR(v, -2763.1021115928548, 1e-13);
    CHECK(g(399) == 1);
    constexpr auto s = log(prod(square(sigmoid(x)) + c<1>));  // positive
    const auto [w, h] = function(inputs(x), value_and_grad(s, x))(in);
    CHECK(std::isfinite(w));
    CHECK(std::isfinite(h(0)));
    constexpr auto i = tensor<std::int32_t, "i", "n">;
    CHECK(function(inputs(i), prod(i))(xt::xtensor<std::int32_t, 1>{2, 3, 7}) == 42);
}
