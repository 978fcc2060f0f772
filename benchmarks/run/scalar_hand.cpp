#include "scalar.hpp"

#include <cmath>

// Each subexpression once, and as few divisions as possible: three quotients come from two divisions.
bench::scalar::result bench::scalar::hand(double x, double y) {
    const double x2 = x * x, y2 = y * y, a = 2 + x2, b = 1 + y2, angle = x * y;
    const double both = 1 / (a * b), inverse_a = b * both, inverse_b = a * both;
    const double e = std::exp(-y), radius = std::sqrt(x2 + y2);
    double s, c;
    ::sincos(angle, &s, &c);  // one call of glibc's for both: g++ makes it by itself, clang only with -ffast-math
    const double wave = s * inverse_b, slope = c * inverse_b, decay = std::log(a) * e, inverse = 1 / radius;
    return {decay + wave + radius, 2 * x * inverse_a * e + y * slope + x * inverse,
            x * slope - decay - 2 * y * wave * inverse_b + y * inverse};
}
