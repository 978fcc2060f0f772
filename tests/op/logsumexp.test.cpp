#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

namespace {

constexpr auto A = tensor<double, "A", "n", "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

constexpr table::row2 rows_of_logaddexp[] = {
    {1.0, 2.0, 2.3132616875182228340, 0.26894142136999512075, 0.73105857863000487925},
    {-3.0, 0.5, 0.52975041827262056519, 0.029312230751356318865, 0.97068776924864368113},
    {1000.0, 1001.0, 1001.3132616875182228, 0.26894142136999512075, 0.73105857863000487925},
};
constexpr table::row log1mexp_rows[] = {
    {-1.0, -0.45867514538708189103, -0.58197670686932642439, 0.92067359420779231891},  // 1 / (1 - e), and its derivative
    {-40.0, -4.248354255291588995e-18, -4.248354255291589004e-18, -4.248354255291589e-18},
};

}  // namespace

TEST_CASE("logaddexp") { table::check(logaddexp(x, y), rows_of_logaddexp, 1e-14); }

TEST_CASE("log1mexp") {
    CHECK_NEAR(table::value(log1mexp(x), -1), log1mexp_rows[0].value, 1e-15);
    CHECK_NEAR(table::slope(log1mexp(x), -1), log1mexp_rows[0].first, 1e-15);
    CHECK_NEAR(table::value(log1mexp(x), -40), log1mexp_rows[1].value, 1e-15);
    CHECK_NEAR(table::slope(log1mexp(x), -40), log1mexp_rows[1].first, 1e-15);
    CHECK(table::value(log1mexp(x), 0) == -inf);
    CHECK(std::isnan(table::value(log1mexp(x), 1)));
}

TEST_CASE("logsumexp over axes, with gradient and tangent") {
    constexpr auto e = logsumexp(A, axis<0>);
    constexpr auto f = function(inputs(A), outputs(e, grad(sum(e), A), pushforward(e, A, A), logsumexp(A), logsumexp(A, axis<1>, keepdims)));
    const rows in{{1, 2, 1000}, {3, -1, 1001}};
    const auto [v, g, t, all_of_it, kept] = f(in);
    const double weight = 0.11920292202211755594, far = 0.047425873177566781, near = 0.26894142136999512075;
    CHECK_NEAR(v(0), 3.1269280110429726, 1e-15);
    CHECK_NEAR(v(1), 2.0485873515737421, 1e-15);
    CHECK_NEAR(v(2), 1001.3132616875182, 1e-15);
    CHECK_NEAR(g(0, 0), weight, 1e-14);
    CHECK_NEAR(g(1, 1), far, 1e-14);
    CHECK_NEAR(g(0, 2), near, 1e-13);
    for (std::size_t j = 0; j < 3; ++j) {
        CHECK_NEAR(g(0, j) + g(1, j), 1, 1e-13);
        CHECK_NEAR(t(j), g(0, j) * in(0, j) + g(1, j) * in(1, j), 1e-13);
    }
    CHECK_NEAR(all_of_it, 1001.3132616875182, 1e-15);
    CHECK_NEAR(kept(1, 0), 1001, 1e-15);
}

TEST_CASE("the gradient of a softmax of rows") {
    constexpr auto e = sum(softmax(A, axis<1>) * A);
    const auto g = function(inputs(A), grad(e, A))(rows{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}});
    for (std::size_t i = 0; i < 5; ++i) {
        const double z = static_cast<double>(i + 1), p = 1 / (1 + std::exp(-z));
        CHECK_NEAR(g(i, 1), p * (1 + z * (1 - p)), 1e-13);
        CHECK_NEAR(g(i, 0), (1 - p) * (1 - z * p), 1e-12);
    }
}

TEST_CASE("logsumexp of infinities and of nothing") {
    constexpr auto f = function(inputs(x), logsumexp(x));
    CHECK(f(line{-inf, -inf}) == -inf);
    CHECK(f(line{1, inf}) == inf);
    CHECK(std::isnan(f(line{1, qnan})));
    CHECK(f(line()) == -inf);
}
