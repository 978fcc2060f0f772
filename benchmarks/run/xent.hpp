// Row xent: softmax cross-entropy -sum(Y * log_softmax(Z, axis 1)) of m x n logits Z, and its gradient in Z.
#pragma once
#include <cstddef>
namespace bench::xent {
double hand(const double* Z, const double* Y, std::size_t m, std::size_t n, double* gradient);
double fastmath(const double* Z, const double* Y, std::size_t m, std::size_t n, double* gradient);
double plain(const double* Z, const double* Y, std::size_t m, std::size_t n, double* gradient);
}  // namespace bench::xent
