#include "spread.hpp"

// The difference is antisymmetric: what flows back along the columns is what flows back along the rows, and the
// gradient is twice one row sum. (Halved and squared, the two factors of two cancel.)
double bench::spread::fastmath(const double* __restrict v, std::size_t n, double* __restrict gradient) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double sum = 0, square = 0;
        for (std::size_t j = 0; j < n; ++j) {
            const double half = (v[i] - v[j]) / 2;
            sum += half;
            square += half * half;
        }
        gradient[i] = 2 * sum;
        total += square;
    }
    return total;
}
