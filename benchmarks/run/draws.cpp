#include "draws.hpp"

#include "side_by_side.hpp"

#include <random>

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/random.hpp>

namespace model {
using namespace cotan;
inline constexpr auto x = tensor<double, "x", "n">;
inline constexpr auto key = random::key<"key">;
inline constexpr auto mu = scalar<double, "mu">;
inline constexpr auto sigma = scalar<double, "sigma">;
inline constexpr auto f = function(inputs(key, mu, sigma, x), random::normal(key, mu, sigma, like(x)).value);
}  // namespace model
#endif

static constexpr std::int64_t key = 42, counter = 7;

static void variants(bench::row& row, const bench::array<1>& x) {
    const std::size_t n = x.size();
    const double mu = 0.3, sigma = 1.7;
    for (auto [label, loop] : bench::loops(bench::draws::plain, bench::draws::fastmath, bench::draws::hand))
        row.variant(
            label, bench::make(n), [n, mu, sigma, loop = loop](auto& out) { return loop(key, counter, n, mu, sigma, out.data()); },
            [](auto& out) { return bench::joined(out); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&x, mu, sigma](auto& run) {
            auto&& z = run(cotan::random::philox(key, counter), mu, sigma, x);
            bench::used(z);
            return z(z.size() - 1);
        },
        [&x, mu, sigma](auto& run) { return bench::joined(run(cotan::random::philox(key, counter), mu, sigma, x)); });
#endif
}

// What a program without a library does: its numbers are others, so it has a line of its own.
static void standard(bench::row& row, std::size_t n) {
    row.variant(
        "plain", bench::make(n),
        [engine = std::make_shared<std::mt19937_64>(42), n](auto& out) {
            std::normal_distribution<double> normal(0.3, 1.7);
            for (double& z : out) z = normal(*engine);
            return out(n - 1);
        },
        [](auto& out) { return bench::joined(out); });
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    variants(rows.checked("draws", 1003), rows.keep(bench::make(1003)));
    variants(rows.timed("draws", 1000), rows.keep(bench::make(1000)));
    variants(rows.timed("draws", 100000), rows.keep(bench::make(100000)));
    standard(rows.timed("std::normal", 1000), 1000);
    standard(rows.timed("std::normal", 100000), 100000);
    return rows.run();
}
