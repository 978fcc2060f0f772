// Row spread: the sum of ((v_i - v_j) / 2)^2 over all pairs, and its gradient.
#pragma once
#include <cstddef>
namespace bench::spread {
double hand(const double* v, std::size_t n, double* gradient);
double fastmath(const double* v, std::size_t n, double* gradient);
double plain(const double* v, std::size_t n, double* gradient);
}  // namespace bench::spread
