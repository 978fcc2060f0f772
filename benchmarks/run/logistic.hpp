// Row logistic: logistic regression, sum(log(1 + exp eta) - y * eta) with eta = X beta, and its gradient in beta.
// X is row-major, n x k; neither is known when compiling.
#pragma once
#include <cstddef>
namespace bench::logistic {
double hand(const double* X, const double* y, const double* beta, std::size_t n, std::size_t k, double* gradient);
double fastmath(const double* X, const double* y, const double* beta, std::size_t n, std::size_t k, double* gradient);
double plain(const double* X, const double* y, const double* beta, std::size_t n, std::size_t k, double* gradient);
}  // namespace bench::logistic
