#include "draws.hpp"

#include <Random123/philox.h>

#include <bit>
#include <cmath>

// What the bits mean: 52 bits for u in (0, 1); 52 bits for an angle in (-pi/4, pi/4), one bit that mirrors it and one that turns it.
double bench::draws::plain(std::uint64_t key, std::uint64_t counter, std::size_t n, double mu, double sigma, double* __restrict out) {
    const auto in_one_two = [](std::uint64_t bits) { return std::bit_cast<double>(bits << 2 >> 12 | 0x3FF0000000000000u); };
    double pair[2]{};
    for (std::size_t i = 0; i < n; i += 2) {
        const auto c = r123::Philox4x32()({{static_cast<std::uint32_t>(i / 2), static_cast<std::uint32_t>(i / 2 >> 32), static_cast<std::uint32_t>(counter),
                                            static_cast<std::uint32_t>(counter >> 32)}},
                                          {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
        const std::uint64_t first = c[0] | std::uint64_t{c[1]} << 32, second = c[2] | std::uint64_t{c[3]} << 32;
        const double r = std::sqrt(-2 * std::log(in_one_two(first) - 0x1.fffffffffffffp-1));
        const double angle = 1.57079632679489661923 * (in_one_two(second) - 0x1.7ffffffffffffp+0);
        const double sine = std::sin(angle), cosine = std::copysign(std::cos(angle), second >> 62 & 1 ? -1.0 : 1.0);
        pair[0] = mu + sigma * (r * (second >> 63 ? sine : cosine));
        pair[1] = mu + sigma * (r * (second >> 63 ? cosine : sine));
        out[i] = pair[0];
        if (i + 1 < n) out[i + 1] = pair[1];
    }
    return n ? out[n - 1] : 0;
}
