#include "volatility.hpp"

#include <cmath>

bench::volatility::scalars bench::volatility::plain(const double* __restrict y, const double* __restrict z, std::size_t n, parameters p,
                                                    double* __restrict h, double* __restrict gradient) {
    double level = p.mu, value = 0;
    for (std::size_t t = 0; t < n; ++t) h[t] = level = p.mu + p.phi * (level - p.mu) + p.sigma * z[t];
    for (std::size_t t = 0; t < n; ++t) {
        const double e = y[t] * y[t] * std::exp(-h[t]);
        value += h[t] + e + z[t] * z[t];
        gradient[t] = 0.5 * e - 0.5;
    }
    double cotangent = 0, by_mu = 0, by_phi = 0, by_sigma = 0;
    for (std::size_t t = n; t-- > 0;) {
        cotangent = gradient[t] + p.phi * cotangent;
        by_sigma += cotangent * z[t];
        by_phi += cotangent * ((t ? h[t - 1] : p.mu) - p.mu);
        by_mu += cotangent;
        gradient[t] = cotangent * p.sigma - z[t];
    }
    return {-0.5 * value, by_mu * (1 - p.phi) + p.phi * cotangent, by_phi, by_sigma};
}
