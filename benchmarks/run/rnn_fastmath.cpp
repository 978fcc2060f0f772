#include "rnn.hpp"

#include <cmath>

double bench::rnn::fastmath(const double* __restrict W, const double* __restrict U, const double* __restrict b, const double* __restrict x, sizes n, double* __restrict h,
                            double* __restrict delta, double* __restrict by_W, double* __restrict by_U, double* __restrict by_b) {
    double value = 0;
    for (std::size_t t = 0; t < n.steps; ++t)
        for (std::size_t i = 0; i < n.hidden; ++i) {
            double s = b[i];
            for (std::size_t k = 0; k < n.inputs; ++k) s += U[i * n.inputs + k] * x[t * n.inputs + k];
            for (std::size_t j = 0; j < n.hidden && t; ++j) s += W[i * n.hidden + j] * h[(t - 1) * n.hidden + j];
            h[t * n.hidden + i] = s = std::tanh(s);
            value += 0.5 * s * s;
        }
    for (std::size_t i = 0; i < n.hidden * n.hidden; ++i) by_W[i] = 0;
    for (std::size_t i = 0; i < n.hidden * n.inputs; ++i) by_U[i] = 0;
    for (std::size_t i = 0; i < n.hidden; ++i) by_b[i] = 0;
    for (std::size_t t = n.steps; t-- > 0;) {
        double* __restrict d = delta + t * n.hidden;
        const double* __restrict now = h + t * n.hidden;
        for (std::size_t j = 0; j < n.hidden; ++j) d[j] = now[j];
        for (std::size_t i = 0; i < n.hidden && t + 1 < n.steps; ++i)
            for (std::size_t j = 0; j < n.hidden; ++j) d[j] += W[i * n.hidden + j] * delta[(t + 1) * n.hidden + i];
        for (std::size_t i = 0; i < n.hidden; ++i) {
            d[i] *= 1 - now[i] * now[i];
            by_b[i] += d[i];
            for (std::size_t j = 0; j < n.hidden && t; ++j) by_W[i * n.hidden + j] += d[i] * h[(t - 1) * n.hidden + j];
            for (std::size_t k = 0; k < n.inputs; ++k) by_U[i * n.inputs + k] += d[i] * x[t * n.inputs + k];
        }
    }
    return value;
}
