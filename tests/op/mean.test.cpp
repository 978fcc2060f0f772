#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

TEST_CASE("mean") {
    constexpr auto X = tensor<double, "X", "n", "k">;
    constexpr auto f = function(inputs(X), outputs(mean(X), mean(X, axis<0>), mean(X, axis<1>, keepdims), grad(mean(square(X)), X), mean(X > c<2>)));
    const auto [all, columns, rows, g, share] = f(xt::xtensor<double, 2>{{1, 2}, {3, 6}});
    CHECK(all == 3);
    CHECK((columns == xt::xtensor<double, 1>{2, 4}));
    CHECK((rows == xt::xtensor<double, 2>{{1.5}, {4.5}}));
    CHECK((g == xt::xtensor<double, 2>{{0.5, 1}, {1.5, 3}}));
    CHECK(share == 0.5);
}

TEST_CASE("the mean of float is accumulated in double") {
    constexpr auto a = tensor<float, "a", "n">;
    constexpr auto f = function(inputs(a), outputs(mean(a), grad(mean(a), a)));
    const auto [m, g] = f(xt::xtensor<float, 1>{3e38f, 3e38f, 3e38f});
    static_assert(std::is_same_v<std::decay_t<decltype(m)>, float>);
    CHECK(m == 3e38f);
    CHECK(g(1) == float(1.0 / 3));
    constexpr auto i = tensor<std::int32_t, "i", 4>;
    CHECK(function(inputs(i), mean(i))(xt::xtensor<std::int32_t, 1>{1, 2, 3, 4}) == 2.5);
}

TEST_CASE("var and stddev") {
    constexpr auto f = function(inputs(x), outputs(var(x), var(x, ddof<1>), stddev(x, ddof<1>), grad(var(x), x), grad(stddev(x), x), hessian(var(x, ddof<1>), x),
                                                   pushforward(var(x), x, x)));
    const auto [v, v1, s, g, gs, H, t] = f(xt::xtensor<double, 1>{1, 2, 4});
    CHECK_NEAR(v, 1.5555555555555556, 1e-15);
    CHECK_NEAR(v1, 2.3333333333333333, 1e-15);
    CHECK_NEAR(s, 1.5275252316519467, 1e-15);
    const double want[] = {-0.88888888888888889, -0.22222222222222222, 1.1111111111111111}, wants[] = {-0.35634832254989917, -0.089087080637474793, 0.44543540318737397};
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK_NEAR(g(k), want[k], 1e-14);
        CHECK_NEAR(gs(k), wants[k], 1e-14);
        for (std::size_t j = 0; j < 3; ++j) CHECK_NEAR(H(k, j), k == j ? 2.0 / 3 : -1.0 / 3, 1e-14);
    }
    CHECK_NEAR(t, 3.1111111111111111, 1e-14);
    const auto same = f(xt::xtensor<double, 1>{5, 5, 5});
    CHECK(std::get<0>(same) == 0);
    CHECK(std::get<2>(same) == 0);
    CHECK(std::get<4>(same)(1) == 0);
    const auto huge = f(xt::xtensor<double, 1>{1e200, 2e200, 4e200});
    CHECK_NEAR(std::get<2>(huge), 1.5275252316519467e200, 1e-14);
}

TEST_CASE("var along an axis, of float") {
    constexpr auto a = tensor<float, "a", "n", 3>;
    constexpr auto f = function(inputs(a), outputs(var(a, axis<1>), stddev(a, axis<1>, keepdims, ddof<1>)));
    const auto [v, s] = f(xt::xtensor<float, 2>{{10001, 10002, 10004}, {1, 1, 1}});
    CHECK(v(0) == float(1.5555555555555556));
    CHECK(v(1) == 0);
    CHECK(s(0, 0) == float(1.5275252316519467));
}
