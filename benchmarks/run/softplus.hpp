// Row softplus: sum(log(1 + exp x)) and its gradient. Each variant returns the value and fills the gradient.
#pragma once
#include <cstddef>
namespace bench::softplus {
double hand(const double* x, std::size_t n, double* gradient);
double fastmath(const double* x, std::size_t n, double* gradient);
double plain(const double* x, std::size_t n, double* gradient);
}  // namespace bench::softplus
