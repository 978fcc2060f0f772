#include "logistic.hpp"

#include "hand.hpp"

namespace {
using namespace bench::simd;

// The products of `width` rows with beta, one to a lane, in one accumulator a row: eight chains hide the latency of the
// fma. Only `count` rows are there; lanes behind them repeat the last one, so that one code serves both and `dots`
// stays in registers.
inline vec products(const double* X, const double* beta, std::size_t k, std::size_t count) {
    half dots[width];
    for (half& d : dots) d = half(0.0);
    const auto row = [&](std::size_t r) { return X + (r < count ? r : count - 1) * k; };
    const std::size_t full = k / half::size * half::size, rest = k - full;
    BENCH_ROLLED for (std::size_t j = 0; j < full; j += half::size) {
        const half b = load_half(beta + j);
        for (std::size_t r = 0; r < width; ++r) dots[r] = fma(load_half(row(r) + j), b, dots[r]);
    }
    if (rest) {
        const half b = load_half(beta + full, rest);
        for (std::size_t r = 0; r < width; ++r) dots[r] = fma(load_half(row(r) + full, rest), b, dots[r]);
    }
    return sum_each(dots);
}

// gradient += sum of weights[r] * row r. The gradient is loaded and stored once for all rows of the strip, and two
// chains run through them.
template <std::size_t rows>
inline void accumulate(const double* X, const double* weights, std::size_t k, double* gradient) {
    const std::size_t full = k / half::size * half::size, rest = k - full;
    BENCH_ROLLED for (std::size_t j = 0; j < full; j += half::size) {
        half even = load_half(gradient + j), odd(0.0);
        for (std::size_t r = 0; r < rows; r += 2) {
            even = fma(load_half(X + r * k + j), half(weights[r]), even);
            if (r + 1 < rows) odd = fma(load_half(X + (r + 1) * k + j), half(weights[r + 1]), odd);
        }
        store_half(gradient + j, even + odd);
    }
    if (rest) {
        half even = load_half(gradient + full, rest), odd(0.0);
        for (std::size_t r = 0; r < rows; r += 2) {
            even = fma(load_half(X + r * k + full, rest), half(weights[r]), even);
            if (r + 1 < rows) odd = fma(load_half(X + (r + 1) * k + full, rest), half(weights[r + 1]), odd);
        }
        store_half(gradient + full, even + odd, rest);
    }
}
}  // namespace

// Two strips of rows at a time: the long chain through the logistic function of the one runs beside the products of the
// other, and the gradient is touched half as often. The rows are still in the first-level cache when they are read
// again.
double bench::logistic::hand(const double* X, const double* y, const double* beta, std::size_t n, std::size_t k,
                             double* gradient) {
    constexpr std::size_t strips = 2;
    vec total(0.0);
    alignas(64) double residuals[strips * width];
    for (std::size_t j = 0; j < k; ++j) gradient[j] = 0;
    std::size_t i = 0;
    for (; i + strips * width <= n; i += strips * width) {
        for (std::size_t s = 0; s < strips; ++s) {
            const vec eta = products(X + (i + s * width) * k, beta, k, width), target = load(y + i + s * width);
            const auto [value, logistic] = softplus(eta);
            total += fnma(target, eta, value);
            store(residuals + s * width, logistic - target);
        }
        accumulate<strips * width>(X + i * k, residuals, k, gradient);
    }
    while (i < n) {
        const std::size_t count = n - i < width ? n - i : width;
        const vec eta = products(X + i * k, beta, k, count), target = load_first(y + i, count);
        const auto [value, logistic] = softplus(eta);
        total += keep_first(fnma(target, eta, value), count);
        store(residuals, logistic - target);
        for (std::size_t r = 0; r < count; ++r) accumulate<1>(X + (i + r) * k, residuals + r, k, gradient);
        i += count;
    }
    return sum_lanes(total);
}
