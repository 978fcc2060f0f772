#include "xent.hpp"

#include <cmath>

// Three passes over a row, which stays in the first-level cache; exp waits in the output row.
double bench::xent::plain(const double* Z, const double* Y, std::size_t m, std::size_t n, double* gradient) {
    double loss = 0;
    for (std::size_t i = 0; i < m; ++i) {
        const double* __restrict z = Z + i * n;
        const double* __restrict y = Y + i * n;
        double* __restrict g = gradient + i * n;
        double top = z[0];
        for (std::size_t j = 1; j < n; ++j) top = z[j] > top ? z[j] : top;
        double sum = 0, weight = 0, dot = 0;
        for (std::size_t j = 0; j < n; ++j) {
            const double d = z[j] - top, e = std::exp(d);
            g[j] = e;
            sum += e;
            weight += y[j];
            dot += y[j] * d;
        }
        loss += weight * std::log(sum) - dot;
        const double factor = weight / sum;
        for (std::size_t j = 0; j < n; ++j) g[j] = factor * g[j] - y[j];
    }
    return loss;
}
