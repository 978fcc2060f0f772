// Row csr: sum of squares of a sparse matrix (rows first) times a vector, and its gradients in the vector and in the stored elements.
#pragma once
#include <cstddef>
namespace bench::csr {
struct matrix {
    std::size_t rows, columns;
    const int *begin, *place;
    const double* value;
};
double hand(const matrix& s, const double* x, double* by_elements, double* by_x);
double fastmath(const matrix& s, const double* x, double* by_elements, double* by_x);
double plain(const matrix& s, const double* x, double* by_elements, double* by_x);
}  // namespace bench::csr
