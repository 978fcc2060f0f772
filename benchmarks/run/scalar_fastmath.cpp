#include "scalar.hpp"

#include <cmath>

// Value first, then each derivative, as the rules of calculus give them.
bench::scalar::result bench::scalar::fastmath(double x, double y) {
    const double value = std::log(2 + x * x) * std::exp(-y) + std::sin(x * y) / (1 + y * y) + std::sqrt(x * x + y * y);
    const double dx =
        2 * x / (2 + x * x) * std::exp(-y) + y * std::cos(x * y) / (1 + y * y) + x / std::sqrt(x * x + y * y);
    const double dy = -std::log(2 + x * x) * std::exp(-y) + x * std::cos(x * y) / (1 + y * y) -
                      2 * y * std::sin(x * y) / ((1 + y * y) * (1 + y * y)) + y / std::sqrt(x * x + y * y);
    return {value, dx, dy};
}
