#include "csr.hpp"

#include <algorithm>

// The product with four accumulators: a row's additions wait for each other less.
double bench::csr::hand(const matrix& s, const double* __restrict x, double* __restrict by_elements, double* __restrict by_x) {
    std::fill(by_x, by_x + s.columns, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < s.rows; ++i) {
        const int first = s.begin[i], last = s.begin[i + 1];
        double y0 = 0, y1 = 0, y2 = 0, y3 = 0;
        int k = first;
        for (; k + 4 <= last; k += 4) {
            y0 += s.value[k] * x[s.place[k]];
            y1 += s.value[k + 1] * x[s.place[k + 1]];
            y2 += s.value[k + 2] * x[s.place[k + 2]];
            y3 += s.value[k + 3] * x[s.place[k + 3]];
        }
        for (; k < last; ++k) y0 += s.value[k] * x[s.place[k]];
        const double y = (y0 + y1) + (y2 + y3), c = 2 * y;
        total += y * y;
        for (k = first; k < last; ++k) {
            const int j = s.place[k];
            by_elements[k] = c * x[j];
            by_x[j] += c * s.value[k];
        }
    }
    return total;
}
