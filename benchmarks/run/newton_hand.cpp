#include "newton.hpp"

#include <cmath>

// One division a step in either direction.
bench::newton::result bench::newton::hand(double a) {
    double iterates[most_steps], r = a, before = 0;
    int n = 0;
    while (std::fabs(r - before) > 1e-14 * r && n < most_steps) {
        iterates[n++] = before = r;
        const double s = r * r;
        r = r - std::fma(r, s, r - a) / std::fma(3.0, s, 1.0);
    }
    double cotangent = 1, by_a = 0;
    while (n-- > 0) {
        const double v = iterates[n], s = v * v, inverse = 1 / std::fma(3.0, s, 1.0), part = cotangent * inverse;
        by_a += part;
        cotangent = part * (std::fma(v, s, v - a) * (6 * v)) * inverse;
    }
    return {r, by_a + cotangent};
}
