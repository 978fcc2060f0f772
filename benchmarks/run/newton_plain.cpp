#include "newton.hpp"

#include <cmath>

bench::newton::result bench::newton::plain(double a) {
    double iterates[most_steps], r = a, before = 0;
    int n = 0;
    while (std::fabs(r - before) > 1e-14 * r && n < most_steps) {
        iterates[n++] = before = r;
        r = r - (r * r * r + r - a) / (3 * r * r + 1);
    }
    double cotangent = 1, by_a = 0;
    while (n-- > 0) {
        const double v = iterates[n], slope = 3 * v * v + 1;
        by_a += cotangent / slope;
        cotangent *= (v * v * v + v - a) * 6 * v / (slope * slope);
    }
    return {r, by_a + cotangent};
}
