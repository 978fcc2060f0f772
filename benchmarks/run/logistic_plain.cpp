#include "logistic.hpp"

#include <cmath>

// Row by row: each row of X is read once and used twice.
double bench::logistic::plain(const double* __restrict X, const double* __restrict y, const double* __restrict beta,
                              std::size_t n, std::size_t k, double* __restrict gradient) {
    double total = 0;
    for (std::size_t j = 0; j < k; ++j) gradient[j] = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double eta = 0;
        for (std::size_t j = 0; j < k; ++j) eta += X[i * k + j] * beta[j];
        const double e = std::exp(-std::fabs(eta)), quotient = 1 / (1 + e);
        total += (eta > 0 ? eta : 0.0) + std::log1p(e) - y[i] * eta;
        const double residual = (eta > 0 ? quotient : e * quotient) - y[i];
        for (std::size_t j = 0; j < k; ++j) gradient[j] += residual * X[i * k + j];
    }
    return total;
}
