#include "softplus.hpp"

#include "hand.hpp"

// The chain through exp, the division and the series is long and its steps are independent from vector to vector: the
// processor overlaps them by itself, and unrolling only spills registers. One accumulator is enough.
double bench::softplus::hand(const double* x, std::size_t n, double* gradient) {
    using namespace bench::simd;
    vec total(0.0);
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
        const auto [value, logistic] = simd::softplus(load(x + i));
        total += value;
        store(gradient + i, logistic);
    }
    if (i < n) {
        const auto [value, logistic] = simd::softplus(load_first(x + i, n - i));
        total += keep_first(value, n - i);
        store_first(gradient + i, logistic, n - i);
    }
    return sum_lanes(total);
}
