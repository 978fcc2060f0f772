#include "softplus.hpp"

#include <cmath>

// One value after the other through the scalar C library.
double bench::softplus::plain(const double* __restrict x, std::size_t n, double* __restrict gradient) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double e = std::exp(-std::fabs(x[i]));
        const double quotient = 1 / (1 + e);
        total += (x[i] > 0 ? x[i] : 0.0) + std::log1p(e);
        gradient[i] = x[i] > 0 ? quotient : e * quotient;
    }
    return total;
}
