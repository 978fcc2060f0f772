// Row normal: the log-density of n independent normal values, and its gradient in the values, mu and sigma.
#pragma once
#include <cstddef>
namespace bench::normal {
struct scalars {
    double value, mu, sigma;
};
scalars hand(const double* x, std::size_t n, double mu, double sigma, double* gradient);
scalars fastmath(const double* x, std::size_t n, double mu, double sigma, double* gradient);
scalars plain(const double* x, std::size_t n, double mu, double sigma, double* gradient);
}  // namespace bench::normal
