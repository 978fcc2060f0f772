#include "volatility.hpp"

#include <cmath>

#include "hand.hpp"

// Only the two recurrences are serial, each one multiply-add a step: what does not depend on the state is computed beside them. The exponential and
// the sums run in vectors over the whole series.
bench::volatility::scalars bench::volatility::hand(const double* y, const double* z, std::size_t n, parameters p, double* h, double* gradient) {
    using namespace bench::simd;
    const double rest = p.mu - p.phi * p.mu;
    double level = p.mu;
    for (std::size_t t = 0; t < n; ++t) h[t] = level = std::fma(p.phi, level, std::fma(p.sigma, z[t], rest));
    vec first(0.0), second(0.0);
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
        const vec v = load(h + i), u = load(y + i), w = load(z + i);
        const vec e = u * u * xsimd::exp(-v);
        first += v + e;
        second = fma(w, w, second);
        store(gradient + i, fma(e, vec(0.5), vec(-0.5)));
    }
    double value = sum_lanes(first + second);
    for (; i < n; ++i) {
        const double e = y[i] * y[i] * std::exp(-h[i]);
        value += h[i] + e + z[i] * z[i];
        gradient[i] = 0.5 * e - 0.5;
    }
    double cotangent = 0, by_mu = 0, by_phi = 0, by_sigma = 0;
    for (std::size_t t = n; t-- > 1;) {
        cotangent = std::fma(p.phi, cotangent, gradient[t]);
        by_sigma = std::fma(cotangent, z[t], by_sigma);
        by_phi = std::fma(cotangent, h[t - 1] - p.mu, by_phi);
        by_mu += cotangent;
        gradient[t] = std::fma(cotangent, p.sigma, -z[t]);
    }
    if (n) {  // before the first step the state is mu
        cotangent = std::fma(p.phi, cotangent, gradient[0]);
        by_sigma = std::fma(cotangent, z[0], by_sigma);
        by_mu += cotangent;
        gradient[0] = std::fma(cotangent, p.sigma, -z[0]);
    }
    return {-0.5 * value, std::fma(by_mu, 1 - p.phi, p.phi * cotangent), by_phi, by_sigma};
}
