#include "normal.hpp"

#include <cmath>

#include "hand.hpp"

// Everything but x - mu is taken out of the loop. Both sums use two accumulators: an addition takes three or four
// cycles and the store of a vector two, so that one accumulator waits and three gain nothing.
bench::normal::scalars bench::normal::hand(const double* x, std::size_t n, double mu, double sigma, double* gradient) {
    using namespace bench::simd;
    constexpr std::size_t unroll = 2;
    const double precision = 1 / (sigma * sigma);
    const vec mean(mu), factor(-precision);
    vec sums[unroll], squares[unroll];
    for (std::size_t u = 0; u < unroll; ++u) sums[u] = squares[u] = vec(0.0);
    std::size_t i = 0;
    for (; i + unroll * width <= n; i += unroll * width)
        for (std::size_t u = 0; u < unroll; ++u) {
            const vec d = load(x + i + u * width) - mean;
            store(gradient + i + u * width, d * factor);
            sums[u] += d;
            squares[u] = fma(d, d, squares[u]);
        }
    for (; i < n; i += width) {
        const std::size_t count = n - i < width ? n - i : width;
        const vec d = keep_first(load_first(x + i, count) - mean, count);
        store_first(gradient + i, d * factor, count);
        sums[0] += d;
        squares[0] = fma(d, d, squares[0]);
    }
    const double sum = sum_lanes(sums[0] + sums[1]);
    const double square = sum_lanes(squares[0] + squares[1]) * precision;
    const double count = static_cast<double>(n);
    return {-0.5 * square - count * (std::log(sigma) + 0.91893853320467274178), sum * precision,
            (square - count) / sigma};
}
