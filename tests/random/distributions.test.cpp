#include "op/table.hpp"

#include <cotan/random.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

using namespace cotan;

// The numbers were computed with 30 digits (mpmath 1.3). Keys are fixed, so that nothing here depends on luck: a bound holds, or the code is wrong.
namespace {

constexpr auto key = random::key<"key">;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto a = scalar<double, "a">;
constexpr auto b = scalar<double, "b">;
using line = xt::xtensor<double, 1>;
constexpr std::size_t many = 20000;

template <class E> double at(E, double where) {
    constexpr auto f = function(inputs(x), E{});
    return f(line{where})(0);
}

/// The largest distance between the distribution function of numbers and a given one, times sqrt(n). Above 1.95 once in a thousand.
double kolmogorov(line v, const std::function<double(double)>& cdf) {
    std::sort(v.begin(), v.end());
    double most = 0;
    const double n = static_cast<double>(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double p = cdf(v(i));
        most = std::max({most, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
    }
    return most * std::sqrt(n);
}
template <class Draw> line numbers(Draw, std::int64_t seed) {
    constexpr auto f = function(inputs(key, x), Draw{});
    return f(random::seed(seed), line(xt::zeros<double>({many})));
}
#define SAMPLE(seed, ...) numbers(__VA_ARGS__.value, seed)

/// Frequencies of 0, 1, 2, ... against probabilities: chi-square over the degrees of freedom, for n draws.
template <class Draw> double chi_square_of_counts(Draw, std::int64_t seed, const std::function<double(int)>& probability, int cells) {
    constexpr auto f = function(inputs(key, x), Draw{});
    const auto v = f(random::seed(seed), line(xt::zeros<double>({many})));
    std::vector<double> count(static_cast<std::size_t>(cells) + 1, 0);
    for (std::int64_t k : v) ++count[static_cast<std::size_t>(std::min<std::int64_t>(std::max<std::int64_t>(k, 0), cells))];
    double sum = 0, left = 1, total = 0;
    for (int k = 0; k <= cells; ++k) {
        const double p = k < cells ? probability(k) : left, want = p * static_cast<double>(many);
        left -= p;
        total += count[static_cast<std::size_t>(k)];
        sum += (count[static_cast<std::size_t>(k)] - want) * (count[static_cast<std::size_t>(k)] - want) / want;
    }
    CHECK(total == static_cast<double>(many));
    return sum / cells;
}
double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

}  // namespace

TEST_CASE("log densities and distribution functions") {
    CHECK_NEAR(at(random::uniform.log_density(x, c<-1.0>, c<3.0>), 2.5), -1.38629436111989062, 1e-13);
    CHECK_NEAR(at(random::uniform.cdf(x, c<-1.0>, c<3.0>), 2.5), 0.875, 1e-13);
    CHECK_NEAR(at(random::normal.log_density(x, c<0.5>, c<2.0>), 3.25), -2.55739821376461805, 1e-13);
    CHECK_NEAR(at(random::normal.cdf(x, c<0.5>, c<2.0>), 3.25), 0.91543427764866428, 1e-13);
    CHECK_NEAR(at(random::lognormal.log_density(x, c<0.5>, c<2.0>), 3.25), -2.84831228561369913, 1e-13);
    CHECK_NEAR(at(random::lognormal.cdf(x, c<0.5>, c<2.0>), 3.25), 0.632818485173149862, 1e-13);
    CHECK_NEAR(at(random::exponential.log_density(x, c<0.25>), 3.25), -2.19879436111989062, 1e-13);
    CHECK_NEAR(at(random::exponential.cdf(x, c<0.25>), 3.25), 0.556252689918920128, 1e-13);
    CHECK_NEAR(at(random::gamma.log_density(x, c<2.5>, c<0.75>), 3.25), -1.6734055570899023, 1e-13);
    CHECK_NEAR(at(random::chi_square.log_density(x, c<3.0>), 3.25), -1.95461103503384968, 1e-13);
    CHECK_NEAR(at(random::beta.log_density(x, c<2.5>, c<0.75>), 0.375), -0.90590486300164464, 1e-13);
    CHECK_NEAR(at(random::student_t.log_density(x, c<2.5>, c<0.5>, c<2.0>), 3.25), -2.6953532686952533, 1e-13);
    CHECK_NEAR(at(random::laplace.log_density(x, c<0.5>, c<2.0>), 3.25), -2.76129436111989062, 1e-13);
    CHECK_NEAR(at(random::laplace.cdf(x, c<0.5>, c<2.0>), 3.25), 0.873580202097626761, 1e-13);
    CHECK_NEAR(at(random::logistic.log_density(x, c<0.5>, c<2.0>), 3.25), -2.51897248376324116, 1e-13);
    CHECK_NEAR(at(random::logistic.cdf(x, c<0.5>, c<2.0>), 3.25), 0.79818677773962117, 1e-13);
    CHECK_NEAR(at(random::gumbel.log_density(x, c<0.5>, c<2.0>), 3.25), -2.32098677636469179, 1e-13);
    CHECK_NEAR(at(random::gumbel.cdf(x, c<0.5>, c<2.0>), 3.25), 0.776592440519063544, 1e-13);
    CHECK_NEAR(at(random::weibull.log_density(x, c<1.5>, c<2.0>), 3.25), -2.11640484195799936, 1e-13);
    CHECK_NEAR(at(random::weibull.cdf(x, c<1.5>, c<2.0>), 3.25), 0.87400041647547933, 1e-13);
    CHECK_NEAR(at(random::cauchy.log_density(x, c<0.5>, c<2.0>), 3.25), -2.89934980812799845, 1e-13);
    CHECK_NEAR(at(random::cauchy.cdf(x, c<0.5>, c<2.0>), 3.25), 0.799847925638313296, 1e-13);
    CHECK_NEAR(at(random::half_normal.log_density(x, c<2.0>), 3.25), -2.23925103320467274, 1e-13);
    CHECK_NEAR(at(random::half_normal.cdf(x, c<2.0>), 3.25), 0.895837441169560905, 1e-13);
    CHECK_NEAR(at(random::truncated_normal.log_density(x, c<0.5>, c<2.0>, c<0.0>, c<5.0>), 3.25), -2.02378466126838852, 1e-13);
    CHECK_NEAR(at(random::truncated_normal.cdf(x, c<0.5>, c<2.0>, c<0.0>, c<5.0>), 3.25), 0.876652194227649528, 1e-13);
    CHECK_NEAR(at(random::truncated_normal.log_density(x, c<0.0>, c<1.0>, c<12.0>, c<20.0>), 12.25), -0.539515531635876803, 1e-13);
    CHECK_NEAR(at(random::truncated_normal.cdf(x, c<0.0>, c<1.0>, c<12.0>, c<20.0>), 12.25), 0.952716686497847913, 1e-13);
    CHECK_NEAR(at(random::bernoulli.log_density(x, c<0.25>), 1.0), -1.38629436111989062, 1e-13);
    CHECK_NEAR(at(random::bernoulli.cdf(x, c<0.25>), 1.0), 1.0, 1e-13);
    CHECK_NEAR(at(random::geometric.log_density(x, c<0.25>), 3.0), -2.2493405784752334, 1e-13);
    CHECK_NEAR(at(random::geometric.cdf(x, c<0.25>), 3.0), 0.68359375, 1e-13);
    CHECK_NEAR(at(random::poisson.log_density(x, c<2.5>), 3.0), -1.54288727360558981, 1e-13);
    CHECK_NEAR(at(random::binomial.log_density(x, c<7.0>, c<0.25>), 3.0), -1.75426331167738189, 1e-13);
    CHECK_NEAR(at(random::negative_binomial.log_density(x, c<2.5>, c<0.25>), 3.0), -2.4474104922373272, 1e-13);
    CHECK_NEAR(at(random::gamma.cdf(x, c<2.5>, c<0.75>), 3.25), 0.56867479317081002, 1e-13);
    CHECK_NEAR(at(random::chi_square.cdf(x, c<3.0>), 3.25), 0.645337440217511944, 1e-13);
    CHECK_NEAR(at(random::beta.cdf(x, c<2.5>, c<0.75>), 0.375), 0.0583788163609678885, 1e-13);
    CHECK_NEAR(at(random::student_t.cdf(x, c<2.5>, c<0.5>, c<2.0>), 3.25), 0.860311072130702496, 1e-13);
    CHECK_NEAR(at(random::student_t.cdf(x, c<2.5>, c<0.5>, c<2.0>), -2.25), 0.139688927869297503, 1e-13);
    CHECK_NEAR(at(random::poisson.cdf(x, c<2.5>), 3.0), 0.757576133133065964, 1e-13);
    CHECK_NEAR(at(random::binomial.cdf(x, c<7.0>, c<0.25>), 3.5), 0.929443359375, 1e-13);
    CHECK_NEAR(at(random::negative_binomial.cdf(x, c<2.5>, c<0.25>), 3.0), 0.253265380859375, 1e-13);
}

TEST_CASE("outside its support a density is zero, and has a gradient of zero") {
    const auto outside = [](auto density, double where) {
        CHECK(at(density, where) == -table::inf);
        CHECK(at(grad(sum(density), x), where) == 0);
    };
    outside(random::uniform.log_density(x, c<-1.0>, c<3.0>), 3.5);
    outside(random::lognormal.log_density(x, c<0.5>, c<2.0>), -1);
    outside(random::exponential.log_density(x, c<2.0>), -1);
    outside(random::gamma.log_density(x, c<2.5>, c<0.75>), -1);
    outside(random::beta.log_density(x, c<2.5>, c<0.75>), 1.5);
    outside(random::weibull.log_density(x, c<1.5>, c<2.0>), -1);
    outside(random::half_normal.log_density(x, c<2.0>), -1);
    outside(random::truncated_normal.log_density(x, c<0.0>, c<1.0>, c<-1.0>, c<2.0>), 2.5);
    outside(random::bernoulli.log_density(x, c<0.25>), 2);
    outside(random::poisson.log_density(x, c<2.5>), 1.5);
    outside(random::binomial.log_density(x, c<7.0>, c<0.25>), 8);
    CHECK(at(random::exponential.cdf(x, c<2.0>), -1) == 0);
    CHECK(at(random::weibull.cdf(x, c<1.5>, c<2.0>), -1) == 0);
    CHECK(at(random::uniform.cdf(x, c<-1.0>, c<3.0>), 4) == 1);
    CHECK(at(random::geometric.cdf(x, c<0.25>), -1) == 0);
    CHECK(at(random::gamma.cdf(x, c<2.5>, c<0.75>), -1) == 0);
    CHECK(at(random::beta.cdf(x, c<2.5>, c<0.75>), 2) == 1);
    CHECK(at(random::poisson.cdf(x, c<2.5>), -1) == 0);
    CHECK(at(random::binomial.cdf(x, c<7.0>, c<0.25>), 7) == 1);
}

TEST_CASE("gradients of log densities in the value and in parameters") {
    constexpr auto normal = random::normal.log_density(x, a, b);
    constexpr auto f = function(inputs(x, a, b), grad(sum(normal), wrt(x, a, b)));
    const auto [gx, ga, gb] = f(line{3.25}, 0.5, 2.0);
    CHECK_NEAR(gx(0), -0.6875, 1e-14);
    CHECK_NEAR(ga, 0.6875, 1e-14);
    CHECK_NEAR(gb, 0.4453125, 1e-14);  // z^2 / sigma - 1 / sigma
    constexpr auto gamma = random::gamma.log_density(x, a, b);
    constexpr auto g = function(inputs(x, a, b), grad(sum(gamma), wrt(x, a, b)));
    const auto [hx, ha, hb] = g(line{3.25}, 2.5, 0.75);
    CHECK_NEAR(hx(0), 1.5 / 3.25 - 0.75, 1e-14);
    CHECK_NEAR(ha, 0.187816283244622003, 1e-13);  // log(0.75) + log(3.25) - digamma(2.5)
    CHECK_NEAR(hb, 2.5 / 0.75 - 3.25, 1e-13);
}

TEST_CASE("draws against their distribution functions") {
    const double limit = 1.95;
    CHECK(kolmogorov(SAMPLE(1, random::uniform(key, c<-1.0>, c<3.0>, like(x))), [](double v) { return (v + 1) / 4; }) < limit);
    CHECK(kolmogorov(SAMPLE(2, random::normal(key, c<0.5>, c<2.0>, like(x))), [](double v) { return 0.5 * std::erfc(-(v - 0.5) / 2 / std::sqrt(2.0)); }) < limit);
    CHECK(kolmogorov(SAMPLE(3, random::lognormal(key, c<0.5>, c<2.0>, like(x))), [](double v) { return 0.5 * std::erfc(-(std::log(v) - 0.5) / 2 / std::sqrt(2.0)); }) < limit);
    CHECK(kolmogorov(SAMPLE(4, random::exponential(key, c<0.25>, like(x))), [](double v) { return 1 - std::exp(-v / 4); }) < limit);
    CHECK(kolmogorov(SAMPLE(5, random::laplace(key, c<0.5>, c<2.0>, like(x))),
                     [](double v) { return v < 0.5 ? 0.5 * std::exp((v - 0.5) / 2) : 1 - 0.5 * std::exp(-(v - 0.5) / 2); }) < limit);
    CHECK(kolmogorov(SAMPLE(6, random::logistic(key, c<0.5>, c<2.0>, like(x))), [](double v) { return 1 / (1 + std::exp(-(v - 0.5) / 2)); }) < limit);
    CHECK(kolmogorov(SAMPLE(7, random::gumbel(key, c<0.5>, c<2.0>, like(x))), [](double v) { return std::exp(-std::exp(-(v - 0.5) / 2)); }) < limit);
    CHECK(kolmogorov(SAMPLE(8, random::weibull(key, c<1.5>, c<2.0>, like(x))), [](double v) { return 1 - std::exp(-std::pow(v / 2, 1.5)); }) < limit);
    CHECK(kolmogorov(SAMPLE(9, random::cauchy(key, c<0.5>, c<2.0>, like(x))), [](double v) { return 0.5 + std::atan((v - 0.5) / 2) / 3.14159265358979323846; }) < limit);
    CHECK(kolmogorov(SAMPLE(10, random::half_normal(key, c<2.0>, like(x))), [](double v) { return std::erf(v / 2 / std::sqrt(2.0)); }) < limit);
    const auto tail = [](double v) { return 0.5 * std::erfc(v / std::sqrt(2.0)); };
    CHECK(kolmogorov(SAMPLE(11, random::truncated_normal(key, c<0.0>, c<1.0>, c<-1.0>, c<2.0>, like(x))), [&](double v) { return (tail(-1) - tail(v)) / (tail(-1) - tail(2)); }) <
          limit);
    CHECK(kolmogorov(SAMPLE(12, random::truncated_normal(key, c<0.0>, c<1.0>, c<12.0>, c<20.0>, like(x))),
                     [&](double v) { return (tail(12) - tail(v)) / (tail(12) - tail(20)); }) < limit);
}

TEST_CASE("draws that are found by trying, where their distribution functions are closed") {
    const double limit = 1.95;
    CHECK(kolmogorov(SAMPLE(1, random::gamma(key, c<2.0>, c<0.5>, like(x))), [](double v) { return 1 - std::exp(-v / 2) * (1 + v / 2); }) < limit);
    CHECK(kolmogorov(SAMPLE(2, random::gamma(key, c<0.5>, c<2.0>, like(x))), [](double v) { return std::erf(std::sqrt(2 * v)); }) < limit);
    CHECK(kolmogorov(SAMPLE(3, random::gamma(key, c<1.0>, c<2.0>, like(x))), [](double v) { return 1 - std::exp(-2 * v); }) < limit);
    CHECK(kolmogorov(SAMPLE(4, random::chi_square(key, c<4.0>, like(x))), [](double v) { return 1 - std::exp(-v / 2) * (1 + v / 2); }) < limit);
    CHECK(kolmogorov(SAMPLE(5, random::beta(key, c<2.0>, c<3.0>, like(x))), [](double v) { return v * v * (6 - 8 * v + 3 * v * v); }) < limit);
    CHECK(kolmogorov(SAMPLE(6, random::beta(key, c<0.5>, c<0.5>, like(x))), [](double v) { return 0.63661977236758134308 * std::asin(std::sqrt(v)); }) < limit);
    CHECK(kolmogorov(SAMPLE(7, random::student_t(key, c<2.0>, c<0.0>, c<1.0>, like(x))), [](double v) { return 0.5 + v / (2 * std::sqrt(2 + v * v)); }) < limit);
    CHECK(kolmogorov(SAMPLE(8, random::student_t(key, c<1.0>, c<0.0>, c<1.0>, like(x))), [](double v) { return 0.5 + std::atan(v) / 3.14159265358979323846; }) < limit);
    const line small = SAMPLE(9, random::beta(key, c<0.001>, c<0.001>, like(x)));  // nearly always next to 0 or 1, and never NaN
    for (double v : small) CHECK((v >= 0 && v <= 1));
}

TEST_CASE("discrete draws against their probabilities") {
    // chi-square over its degrees of freedom: 9 or more cells, above 3.3 once in a thousand or less
    const double limit = 3.3;
    CHECK(chi_square_of_counts(random::geometric(key, c<0.25>, like(x)).value, 1, [](int k) { return 0.25 * std::pow(0.75, k); }, 12) < limit);
    for (int turn = 0; turn < 2; ++turn) {
        const auto poisson = [](double rate) { return [rate](int k) { return std::exp(k * std::log(rate) - rate - std::lgamma(k + 1.0)); }; };
        CHECK(chi_square_of_counts(random::poisson(key, c<2.5>, like(x)).value, 2 + turn, poisson(2.5), 9) < limit);
        CHECK(chi_square_of_counts(random::poisson(key, c<12.5>, like(x)).value, 2 + turn, poisson(12.5), 25) < limit);
        const auto binomial = [](int n, double p) { return [n, p](int k) { return std::exp(log_choose(n, k) + k * std::log(p) + (n - k) * std::log1p(-p)); }; };
        CHECK(chi_square_of_counts(random::binomial(key, c<20.0>, c<0.25>, like(x)).value, 4 + turn, binomial(20, 0.25), 11) < limit);
        CHECK(chi_square_of_counts(random::binomial(key, c<50.0>, c<0.375>, like(x)).value, 4 + turn, binomial(50, 0.375), 30) < limit);
        CHECK(chi_square_of_counts(random::negative_binomial(key, c<2.5>, c<0.25>, like(x)).value, 6 + turn,
                                   [](int k) { return std::exp(std::lgamma(k + 2.5) - std::lgamma(k + 1.0) - std::lgamma(2.5) + 2.5 * std::log(0.25) + k * std::log(0.75)); }, 25) < limit);
    }
    constexpr auto f = function(inputs(key, x), outputs(random::bernoulli(key, c<0.25>, like(x)).value, random::binomial(random::fold_in(key, c<0>), c<7.0>, c<0.75>, like(x)).value));
    const auto [ones, large] = f(random::seed(8), line(xt::zeros<double>({many})));
    CHECK(std::fabs(static_cast<double>(std::accumulate(ones.begin(), ones.end(), std::int64_t{0})) / many - 0.25) < 3.3 * std::sqrt(0.25 * 0.75 / many));
    CHECK(std::fabs(static_cast<double>(std::accumulate(large.begin(), large.end(), std::int64_t{0})) / many - 5.25) < 3.3 * std::sqrt(7 * 0.25 * 0.75 / many));
}

TEST_CASE("moments of normal draws") {
    const line z = SAMPLE(3, random::normal(key, c<0.0>, c<1.0>, like(x)));
    double m[5]{}, lag = 0;
    for (std::size_t i = 0; i < many; ++i) {
        for (int k = 1; k < 5; ++k) m[k] += std::pow(z(i), k) / many;
        if (i) lag += z(i) * z(i - 1) / many;
    }
    const double error = 3.3 / std::sqrt(static_cast<double>(many));
    CHECK(std::fabs(m[1]) < error);
    CHECK(std::fabs(m[2] - 1) < error * std::sqrt(2.0));
    CHECK(std::fabs(m[3]) < error * std::sqrt(15.0));
    CHECK(std::fabs(m[4] - 3) < error * std::sqrt(96.0));
    CHECK(std::fabs(lag) < error);
}

TEST_CASE("the implicit derivative of a gamma quantile by the shape") {
    const double rows[][3] = {
        {1.0, 0.5, 0.80697911682531802},
        {1.0, 3.0, 1.937911693824961},
        {1.5, 0.01, 0.0355415253029075},
        {2.0, 2.0, 1.0862085766363285},
        {2.5, 12.0, 2.1104815201820002},
        {5.0, 1.0, 0.41468824768962706},
        {5.0, 5.0, 1.0339193521127074},
        {10.0, 3.0, 0.52421196060143801},
        {10.0, 25.0, 1.5522439909006024},
        {100.0, 80.0, 0.89406066835618287},
        {100.0, 130.0, 1.1388044458372277},
        {1000.0, 1010.0, 1.0051509296765343},
        {30000.0, 29800.0, 0.9966647714745783}};
    for (const auto& r : rows) CHECK_NEAR_AT(bits::gamma_shape_slope(r[0], r[1]), r[2], 1e-11, "shape " << r[0] << " at " << r[1]);
}

TEST_CASE("draws are differentiated by their parameters") {
    // E x = a / b and E x^2 = a (a + 1) / b^2 for a gamma distribution: derivatives of means over many draws
    constexpr auto g = random::gamma(key, a, b, like(x)).value;
    constexpr auto f = function(inputs(key, a, b, x), outputs(grad(mean(g), wrt(a, b)), grad(mean(square(g)), wrt(a, b))));
    const auto [ma, mb, sa, sb] = f(random::seed(1), 2.5, 2.0, line(xt::zeros<double>({many})));
    CHECK_NEAR(ma, 0.5, 0.02);
    CHECK_NEAR(mb, -0.625, 0.02);
    CHECK_NEAR(sa, 1.5, 0.05);
    CHECK_NEAR(sb, -2.1875, 0.05);
    // the others are transformations of numbers without parameters: their derivatives at one draw
    constexpr auto w = random::weibull(key, a, b, like(x)).value;
    constexpr auto h = function(inputs(key, a, b, x), outputs(w, grad(sum(w), wrt(a, b))));
    const auto [v, wa, wb] = h(random::seed(1), 1.5, 2.0, line{0});
    CHECK_NEAR(wb, v(0) / 2, 1e-14);
    CHECK_NEAR(wa, -v(0) * std::log(v(0) / 2) / 1.5, 1e-13);  // scale e^(1/shape)
    constexpr auto t = random::truncated_normal(key, a, b, c<-1.0>, c<2.0>, like(x)).value;
    constexpr auto k = function(inputs(key, a, b, x), outputs(t, grad(sum(t), wrt(a, b))));
    const auto value = [&](double mu, double sigma) { return std::get<0>(k(random::seed(1), mu, sigma, line{0}))(0); };
    const auto [t0, ta, tb] = k(random::seed(1), 0.5, 1.5, line{0});
    CHECK_NEAR(ta, (value(0.5 + 1e-6, 1.5) - value(0.5 - 1e-6, 1.5)) / 2e-6, 1e-7);
    CHECK_NEAR(tb, (value(0.5, 1.5 + 1e-6) - value(0.5, 1.5 - 1e-6)) / 2e-6, 1e-7);
}

TEST_CASE("the normal quantile inverts the distribution function") {
    for (double p : {1e-300, 1e-20, 1e-5, 0.01, 0.075, 0.3, 0.5, 0.7, 0.93, 0.999}) {
        const double z = bits::normal_quantile_number(p);
        CHECK_NEAR_AT(0.5 * std::erfc(-z * std::sqrt(0.5)), p, 2e-13, "at " << p);
    }
    CHECK(bits::normal_quantile_number(0) == -table::inf);
    CHECK(bits::normal_quantile_number(1) == table::inf);
}

TEST_CASE("the shape is that of the parameters where none is given") {
    constexpr auto f = function(inputs(key, x), outputs(random::normal(key, x, c<0.0>).value, random::exponential(random::fold_in(key, c<1>), c<2.0>).value,
                                                        random::uniform(random::fold_in(key, c<2>), c<0.0>, c<1.0>, shape<2, 3>).value));
    const auto [z, e, u] = f(random::seed(1), line{1, 2, 3});
    CHECK((z == line{1, 2, 3}));
    CHECK(e > 0);
    CHECK(u.shape()[0] == 2);
    CHECK(u.shape()[1] == 3);
}
