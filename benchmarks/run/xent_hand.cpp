#include "xent.hpp"

#include <cmath>
#include <limits>

#include "hand.hpp"

// Three passes over a row, which stays in the first-level cache: its maximum; exp, kept in the output row, with the
// three sums; the gradient from what was kept. The passes of neighbouring rows overlap, so that accumulators beyond
// one gain nothing.
double bench::xent::hand(const double* Z, const double* Y, std::size_t m, std::size_t n, double* gradient) {
    using namespace bench::simd;
    double loss = 0;
    for (std::size_t i = 0; i < m; ++i) {
        const double* z = Z + i * n;
        const double* y = Y + i * n;
        double* g = gradient + i * n;
        const std::size_t full = n / width * width, rest = n - full;

        vec tops(-std::numeric_limits<double>::infinity());
        for (std::size_t j = 0; j < full; j += width) tops = xsimd::max(tops, load(z + j));
        double highest = max_lanes(tops);
        for (std::size_t j = full; j < n; ++j) highest = z[j] > highest ? z[j] : highest;
        const vec top(highest);

        vec sums(0.0), weights(0.0), dots(0.0);
        for (std::size_t j = 0; j < full; j += width) {
            const vec d = load(z + j) - top, w = load(y + j), e = exp_nonpositive(d);
            store(g + j, e);
            sums += e;
            weights += w;
            dots = fma(w, d, dots);
        }
        if (rest) {
            const vec d = keep_first(load_first(z + full, rest) - top, rest), w = load_first(y + full, rest);
            const vec e = keep_first(exp_nonpositive(d), rest);
            store_first(g + full, e, rest);
            sums += e;
            weights += w;
            dots = fma(w, d, dots);
        }
        const double sum = sum_lanes(sums), weight = sum_lanes(weights);
        loss += weight * std::log(sum) - sum_lanes(dots);

        const vec factor(weight / sum);
        for (std::size_t j = 0; j < full; j += width) store(g + j, fma(load(g + j), factor, -load(y + j)));
        if (rest) store_first(g + full, fma(load_first(g + full, rest), factor, -load_first(y + full, rest)), rest);
    }
    return loss;
}
