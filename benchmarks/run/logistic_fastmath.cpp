#include "logistic.hpp"

#include <cmath>

// g++ calls the vector log1p, which beats its vector log. clang knows no vector log1p.
static inline double log_of_one_and(double e) {
#ifdef __clang__
    return std::log(1 + e);
#else
    return std::log1p(e);
#endif
}

// In strips, so that the exponentials of a strip are one loop that the compiler can vectorise.
double bench::logistic::fastmath(const double* __restrict X, const double* __restrict y, const double* __restrict beta,
                                 std::size_t n, std::size_t k, double* __restrict gradient) {
    constexpr std::size_t strip = 64;
    double total = 0, eta[strip], residual[strip];
    for (std::size_t j = 0; j < k; ++j) gradient[j] = 0;
    for (std::size_t begin = 0; begin < n; begin += strip) {
        const std::size_t count = n - begin < strip ? n - begin : strip;
        for (std::size_t i = 0; i < count; ++i) {
            double dot = 0;
            for (std::size_t j = 0; j < k; ++j) dot += X[(begin + i) * k + j] * beta[j];
            eta[i] = dot;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const double e = std::exp(-std::fabs(eta[i])), quotient = 1 / (1 + e);
            total += (eta[i] > 0 ? eta[i] : 0.0) + log_of_one_and(e) - y[begin + i] * eta[i];
            residual[i] = (eta[i] > 0 ? quotient : e * quotient) - y[begin + i];
        }
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < k; ++j) gradient[j] += residual[i] * X[(begin + i) * k + j];
    }
    return total;
}
