#include "csr.hpp"

#include <algorithm>

// One pass: a row is used for the product, and for both gradients while it is in cache.
double bench::csr::plain(const matrix& s, const double* __restrict x, double* __restrict by_elements, double* __restrict by_x) {
    std::fill(by_x, by_x + s.columns, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < s.rows; ++i) {
        double y = 0;
        for (int k = s.begin[i]; k < s.begin[i + 1]; ++k) y += s.value[k] * x[s.place[k]];
        total += y * y;
        const double c = 2 * y;
        for (int k = s.begin[i]; k < s.begin[i + 1]; ++k) {
            by_elements[k] = c * x[s.place[k]];
            by_x[s.place[k]] += c * s.value[k];
        }
    }
    return total;
}
