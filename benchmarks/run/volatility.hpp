// Row volatility: the log-density of a stochastic volatility model, h[t] = mu + phi (h[t-1] - mu) + sigma z[t] from h[-1] = mu, y[t] normal with variance
// exp(h[t]), z[t] standard normal (constants left out), and its gradient in mu, phi, sigma and all of z.
#pragma once
#include <cstddef>
namespace bench::volatility {
struct parameters {
    double mu, phi, sigma;
};
struct scalars {
    double value, mu, phi, sigma;
};
// h: room for n numbers.
scalars hand(const double* y, const double* z, std::size_t n, parameters p, double* h, double* gradient);
scalars fastmath(const double* y, const double* z, std::size_t n, parameters p, double* h, double* gradient);
scalars plain(const double* y, const double* z, std::size_t n, parameters p, double* h, double* gradient);
}  // namespace bench::volatility
