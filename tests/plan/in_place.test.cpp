#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>

#include <cmath>
#include <xtensor/xtensor.hpp>

using namespace cotan;

// A value that is kept for later may wait in an output. Softmax of the logarithms of whole numbers has rational results.

namespace {
constexpr auto X = tensor<double, "X", "n", "k">;

template <class F>
int kept(compiled_function<F>) {
    int n = 0;
    for (int i = 0; i < F::data.memory_count; ++i) n += F::data.memories[i].kind == bits::memory_kind::temporary;
    return n;
}

double weight(std::size_t i, std::size_t j) { return static_cast<double>(1 + (3 * i + 5 * j) % 7); }
xt::xtensor<double, 2> logarithms(std::size_t n, std::size_t k) {
    xt::xtensor<double, 2> x = xt::zeros<double>({n, k});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < k; ++j) x(i, j) = std::log(weight(i, j));
    return x;
}
double share(std::size_t i, std::size_t j, std::size_t k) {
    double all = 0;
    for (std::size_t l = 0; l < k; ++l) all += weight(i, l);
    return weight(i, j) / all;
}
}  // namespace

TEST_CASE("exponentials wait in the result") {
    constexpr auto f = function(inputs(X), softmax(X, axis<1>));
    CHECK(kept(f) == 0);
    for (std::size_t k : {1u, 3u, 4u, 9u, 700u}) {
        const std::size_t n = 9;
        const auto s = f(logarithms(n, k));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < k; ++j) CHECK(s(i, j) == Approx(share(i, j, k)).epsilon(1e-14));
    }
}

TEST_CASE("a value that is read after the result is written does not wait there") {
    // the exponentials are needed again for the second result, whose factor is complete only after the first one
    constexpr auto e = exp(X);
    constexpr auto s = e / sum(e, axis<1>)(all, newaxis);
    constexpr auto f = function(inputs(X), outputs(s, e * sum(s, axis<0>)));
    const std::size_t n = 6, k = 11;
    const auto [by_row, scaled] = f(logarithms(n, k));
    for (std::size_t j = 0; j < k; ++j) {
        double column = 0;
        for (std::size_t i = 0; i < n; ++i) column += share(i, j, k);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(by_row(i, j) == Approx(share(i, j, k)).epsilon(1e-14));
            CHECK(scaled(i, j) == Approx(weight(i, j) * column).epsilon(1e-14));
        }
    }
}

TEST_CASE("two values that end in results of one shape have places of their own") {
    constexpr auto a = softmax(X, axis<1>);
    constexpr auto b = softmax(-X, axis<1>);
    constexpr auto f = function(inputs(X), outputs(a, b));
    CHECK(kept(f) == 0);
    const std::size_t n = 5, k = 6;
    const auto [up, down] = f(logarithms(n, k));
    for (std::size_t i = 0; i < n; ++i) {
        double inverse = 0;
        for (std::size_t j = 0; j < k; ++j) inverse += 1 / weight(i, j);
        for (std::size_t j = 0; j < k; ++j) {
            CHECK(up(i, j) == Approx(share(i, j, k)).epsilon(1e-14));
            CHECK(down(i, j) == Approx(1 / (weight(i, j) * inverse)).epsilon(1e-14));
        }
    }
}
