#include "op/table.hpp"

#include <vector>

using namespace cotan;

// What is computed once for each row stands between the loops over its elements; rows run in strips of the width of vectors. All against plain loops.

namespace {

constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto b = tensor<double, "b", "k">;
constexpr auto y = tensor<double, "y", "n">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

double number(std::size_t i) { return std::sin(1.7 * static_cast<double>(i) + 0.3) * 2; }

struct data {
    rows a;
    line by_column, by_row;
    data(std::size_t n, std::size_t k) : a(rows::shape_type{n, k}), by_column(line::shape_type{k}), by_row(line::shape_type{n}) {
        for (std::size_t i = 0; i < n * k; ++i) a.data()[i] = number(i);
        for (std::size_t j = 0; j < k; ++j) by_column(j) = number(j + 1000);
        for (std::size_t i = 0; i < n; ++i) by_row(i) = number(i + 2000);
    }
};

template <class F>
void each_shape(F f) {
    for (std::size_t n : std::initializer_list<std::size_t>{1, 2, 3, 4, 5, 8, 9, 16, 17, 33})
        for (std::size_t k : std::initializer_list<std::size_t>{1, 2, 3, 4, 7, 8, 17}) {
            INFO(n << " by " << k);
            f(data(n, k), n, k);
        }
}

}  // namespace

TEST_CASE("softmax of rows, and its gradient") {
    constexpr auto e = softmax(A, axis<1>);
    constexpr auto f = function(inputs(A), outputs(e, grad(sum(e * A), A), sum(logsumexp(A, axis<1>))));
    each_shape([&](const data& d, std::size_t n, std::size_t k) {
        const auto [s, g, total] = f(d.a);
        double want_total = 0;
        bool right = true;
        for (std::size_t i = 0; i < n; ++i) {
            double z = 0, mean = 0;
            for (std::size_t j = 0; j < k; ++j) z += std::exp(d.a(i, j));
            for (std::size_t j = 0; j < k; ++j) mean += std::exp(d.a(i, j)) / z * d.a(i, j);
            for (std::size_t j = 0; j < k; ++j) {
                const double p = std::exp(d.a(i, j)) / z;
                right = right && table::near(s(i, j), p, 1e-13) && std::fabs(g(i, j) - p * (1 + d.a(i, j) - mean)) < 1e-13;
            }
            want_total += std::log(z);
        }
        CHECK(right);
        CHECK_NEAR(total, want_total, 1e-13);
    });
}

TEST_CASE("logistic regression") {
    constexpr auto eta = dot(A, b);
    constexpr auto loss = sum(softplus(eta) - y * eta);
    constexpr auto f = function(inputs(A, y, b), value_and_grad(loss, b));
    each_shape([&](const data& d, std::size_t n, std::size_t k) {
        const auto [v, g] = f(d.a, d.by_row, d.by_column);
        double want = 0;
        std::vector<double> gradient(k);
        for (std::size_t i = 0; i < n; ++i) {
            double z = 0;
            for (std::size_t j = 0; j < k; ++j) z += d.a(i, j) * d.by_column(j);
            want += std::log1p(std::exp(z)) - d.by_row(i) * z;
            for (std::size_t j = 0; j < k; ++j) gradient[j] += d.a(i, j) * (1 / (1 + std::exp(-z)) - d.by_row(i));
        }
        CHECK(std::fabs(v - want) < 1e-12);
        for (std::size_t j = 0; j < k; ++j) CHECK(std::fabs(g(j) - gradient[j]) < 1e-12);
    });
}

TEST_CASE("rows less their mean, over their norm") {
    constexpr auto centred = A - mean(A, axis<1>, keepdims);
    constexpr auto e = centred / (norm(centred, axis<1>, keepdims) + c<1>);
    constexpr auto f = function(inputs(A), outputs(e, max(e, axis<1>), sum(e, axis<0>)));
    each_shape([&](const data& d, std::size_t n, std::size_t k) {
        const auto [v, most, columns] = f(d.a);
        std::vector<double> total(k);
        bool right = true;
        for (std::size_t i = 0; i < n; ++i) {
            double m = 0, s = 0, top = -table::inf;
            for (std::size_t j = 0; j < k; ++j) m += d.a(i, j) / static_cast<double>(k);
            for (std::size_t j = 0; j < k; ++j) s += (d.a(i, j) - m) * (d.a(i, j) - m);
            for (std::size_t j = 0; j < k; ++j) {
                const double w = (d.a(i, j) - m) / (std::sqrt(s) + 1);
                total[j] += w;
                top = std::max(top, w);
                right = right && std::fabs(v(i, j) - w) < 1e-14;
            }
            right = right && std::fabs(most(i) - top) < 1e-14;
        }
        for (std::size_t j = 0; j < k; ++j) right = right && std::fabs(columns(j) - total[j]) < 1e-13;
        CHECK(right);
    });
}

TEST_CASE("pairs of elements") {
    constexpr auto v = tensor<double, "v", "n">;
    constexpr auto e = sum(exp(-square(v(all, newaxis) - v(newaxis, all))) * y(newaxis, all), axis<1>);
    constexpr auto f = function(inputs(v, y), outputs(e, grad(sum(e), v)));
    for (std::size_t n : std::initializer_list<std::size_t>{1, 2, 3, 7, 8, 9, 33}) {
        const data d(n, n);
        const line& u = d.by_column;
        const auto [values, g] = f(u, d.by_row);
        for (std::size_t i = 0; i < n; ++i) {
            double want = 0, slope = 0;
            for (std::size_t j = 0; j < n; ++j) {
                const double r = u(i) - u(j), w = std::exp(-r * r);
                want += w * d.by_row(j);
                slope -= 2 * r * w * (d.by_row(j) + d.by_row(i));
            }
            CHECK(std::fabs(values(i) - want) < 1e-12);
            CHECK(std::fabs(g(i) - slope) < 1e-12);
        }
    }
}

// The exponentials are dear, so a row of them is kept between its two loops; the second loop folds several vectors of that row at a time, also where the
// rows do not run in strips: the last of them, and rows too long for it.
TEST_CASE("a row that is kept is folded as a whole") {
    constexpr auto e = exp(A);
    constexpr auto f = function(inputs(A), sum(abs(e - mean(e, axis<1>, keepdims)), axis<1>));
    const auto check = [&](const data& d, std::size_t n, std::size_t k) {
        const line got = f(d.a);
        for (std::size_t i = 0; i < n; ++i) {
            double mean = 0, want = 0;
            for (std::size_t j = 0; j < k; ++j) mean += std::exp(d.a(i, j)) / static_cast<double>(k);
            for (std::size_t j = 0; j < k; ++j) want += std::fabs(std::exp(d.a(i, j)) - mean);
            CHECK_NEAR(got(i), want, 1e-12);
        }
    };
    each_shape(check);
    check(data(5, 2000), 5, 2000);
}
