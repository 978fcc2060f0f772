#include "op/table.hpp"

#include <cotan/random.hpp>

#include <array>

using namespace cotan;

// Densities were computed with SciPy 1.17 or are closed forms; keys are fixed, see distributions.test.cpp.
namespace {

constexpr auto key = random::key<"key">;
constexpr auto p = tensor<double, "p", "k">;
constexpr auto m = tensor<double, "m", "k">;
constexpr auto L = tensor<double, "L", "k", "k">;
constexpr auto X = tensor<double, "X", "n", "k">;
constexpr auto P = tensor<double, "P", "n", "k">;
using line = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
constexpr std::size_t many = 20000;

}  // namespace

TEST_CASE("categories are drawn in proportion to their probabilities") {
    constexpr auto f = function(inputs(key, p), random::categorical(key, p, shape<20000>).value);
    const line weights{0, 1, 2, 0, 5, 0};
    const auto v = f(random::seed(1), weights);
    std::array<double, 6> count{};
    for (std::int64_t k : v) ++count.at(static_cast<std::size_t>(k));
    double chi_square = 0;
    for (std::size_t k = 0; k < 6; ++k) {
        const double want = weights(k) / 8 * static_cast<double>(many);
        if (want > 0) chi_square += (count[k] - want) * (count[k] - want) / want;
        else CHECK(count[k] == 0);
    }
    CHECK(chi_square < 13.8);  // two degrees of freedom: above once in a thousand
}

TEST_CASE("a category for each row of probabilities") {
    constexpr auto f = function(inputs(key, P), random::categorical(key, P).value);
    const auto v = f(random::seed(1), matrix{{0, 0, 1}, {2, 0, 0}, {0, 3, 0}});
    CHECK((v == xt::xtensor<std::int64_t, 1>{2, 0, 1}));
}

TEST_CASE("log densities of categories") {
    constexpr auto k = tensor<std::int64_t, "k", "n">;
    constexpr auto f = function(inputs(k, p), outputs(random::categorical.log_density(k, p), grad(random::categorical.log_density(c<2>, p), p)));
    const auto [v, g] = f(xt::xtensor<std::int64_t, 1>{1, 2, 3, 4, -1}, line{0, 1, 2, 0});
    CHECK_NEAR(v(0), -1.0986122886681098, 1e-14);
    CHECK_NEAR(v(1), -0.40546510810816438, 1e-14);
    CHECK(v(2) == -table::inf);
    CHECK(v(3) == -table::inf);
    CHECK(v(4) == -table::inf);
    CHECK_NEAR(g(1), -1.0 / 3, 1e-14);  // log p_2 - log(sum p)
    CHECK_NEAR(g(2), 1.0 / 2 - 1.0 / 3, 1e-14);
}

TEST_CASE("Dirichlet") {
    constexpr auto f = function(inputs(p, m), outputs(random::dirichlet.log_density(m, p), grad(random::dirichlet.log_density(m, p), p)));
    const auto [v, g] = f(line{0.5, 1, 2}, line{0.25, 0.25, 0.5});
    CHECK_NEAR(v, 0.6286086594223743, 1e-14);
    CHECK_NEAR(g(1), 0.2940779444268854, 1e-13);  // log x - digamma(alpha) + digamma(sum alpha)
    CHECK(std::get<0>(f(line{0.5, 1, 2}, line{0.25, 0.25, 0.25})) == -table::inf);
    // means alpha / sum, variances mean (1 - mean) / (sum + 1)
    constexpr auto draws = function(inputs(key, p), random::dirichlet(key, p, shape<20000, "k">).value);
    const line alpha{0.5, 1, 2.5};
    const auto d = draws(random::seed(2), alpha);
    for (std::size_t k = 0; k < 3; ++k) {
        double mean = 0, square = 0;
        for (std::size_t i = 0; i < many; ++i) {
            mean += d(i, k) / many;
            square += d(i, k) * d(i, k) / many;
        }
        const double want = alpha(k) / 4, variance = want * (1 - want) / 5;
        CHECK(std::fabs(mean - want) < 3.3 * std::sqrt(variance / many));
        CHECK(std::fabs(square - mean * mean - variance) < 0.05 * variance);
    }
    for (std::size_t i = 0; i < 100; ++i) CHECK_NEAR(d(i, 0) + d(i, 1) + d(i, 2), 1, 1e-14);
}

TEST_CASE("multinomial counts") {
    constexpr auto f = function(inputs(p, m), random::multinomial.log_density(m, c<10.0>, p));
    CHECK_NEAR(f(line{0.5, 0, 1.5, 2}, line{2, 0, 3, 5}), -2.7350925646891096, 1e-13);
    CHECK(f(line{0.5, 0, 1.5, 2}, line{2, 0, 3, 4}) == -table::inf);   // not ten
    CHECK(f(line{0.5, 0, 1.5, 2}, line{2, 1, 3, 4}) == -table::inf);   // what cannot be
    CHECK(f(line{0.5, 0, 1.5, 2}, line{2, 0, 3.5, 4.5}) == -table::inf);
    constexpr auto draw = function(inputs(key, p), random::multinomial(key, c<1000.0>, p).value);
    double chi_square = 0;
    const line weights{1, 0, 3, 4, 0};
    for (std::int64_t seed = 0; seed < 20; ++seed) {
        const auto v = draw(random::seed(seed), weights);
        CHECK(v(0) + v(1) + v(2) + v(3) + v(4) == 1000);
        CHECK((v(1) == 0 && v(4) == 0));
        for (std::size_t k : {0u, 2u, 3u}) {
            const double want = weights(k) * 125, off = static_cast<double>(v(k)) - want;
            chi_square += off * off / want;
        }
    }
    CHECK(chi_square < 73.4);  // forty degrees of freedom: above once in a thousand
    CHECK(chi_square > 17.9);  // and below
}

TEST_CASE("multivariate normal") {
    constexpr auto density = random::multivariate_normal.log_density(X, m, L);
    constexpr auto f = function(inputs(m, L, X), outputs(density, grad(sum(density), wrt(m, L))));
    const line mu{1, 2, 3};
    const matrix factor{{1, 9, 9}, {0.5, 2, 9}, {-0.5, 0.25, 0.5}}, at{{2, 4, 6}, {1, 1, 1}};  // above the diagonal nothing is read
    const auto [v, gm, gl] = f(mu, factor, at);
    CHECK_NEAR(v(0), -25.4833781, 1e-7);
    CHECK_NEAR(v(1), -9.9130656, 1e-7);
    CHECK(gl(0, 1) == 0);
    CHECK(gl(1, 2) == 0);
    const auto value = [&](line a, matrix b) {
        const auto u = std::get<0>(f(a, b, at));
        return u(0) + u(1);
    };
    for (std::size_t i = 0; i < 3; ++i) {
        line up = mu, down = mu;
        up(i) += 1e-6;
        down(i) -= 1e-6;
        CHECK_NEAR(gm(i), (value(up, factor) - value(down, factor)) / 2e-6, 1e-6);
        for (std::size_t j = 0; j <= i; ++j) {
            matrix more = factor, less = factor;
            more(i, j) += 1e-6;
            less(i, j) -= 1e-6;
            CHECK_NEAR(gl(i, j), (value(mu, more) - value(mu, less)) / 2e-6, 1e-6);
        }
    }
    constexpr auto one = function(inputs(m, L, p), random::multivariate_normal.log_density(p, m, L));
    CHECK_NEAR(one(mu, factor, line{2, 4, 6}), -25.4833781, 1e-7);
    // covariances of draws: L L'
    constexpr auto draws = function(inputs(key, m, L), random::multivariate_normal(key, m, L, shape<20000, "k">).value);
    const auto d = draws(random::seed(3), mu, factor);
    const double want[3][3] = {{1, 0.5, -0.5}, {0.5, 4.25, 0.25}, {-0.5, 0.25, 0.5625}};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (std::size_t t = 0; t < many; ++t) sum += (d(t, i) - mu(i)) * (d(t, j) - mu(j)) / many;
            CHECK(std::fabs(sum - want[i][j]) < 3.3 * std::sqrt((want[i][i] * want[j][j] + want[i][j] * want[i][j]) / many));
        }
}
