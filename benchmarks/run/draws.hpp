// Row draws: n numbers from the normal distribution, mu + sigma z, with a counter-based generator (Philox 4x32-10) and the transformation of Box and
// Muller. All variants draw the same numbers. The loops return the last one.
#pragma once
#include <cstddef>
#include <cstdint>
namespace bench::draws {
double hand(std::uint64_t key, std::uint64_t counter, std::size_t n, double mu, double sigma, double* out);
double fastmath(std::uint64_t key, std::uint64_t counter, std::size_t n, double mu, double sigma, double* out);
double plain(std::uint64_t key, std::uint64_t counter, std::size_t n, double mu, double sigma, double* out);
}  // namespace bench::draws
