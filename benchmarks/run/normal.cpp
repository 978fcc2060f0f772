#include "normal.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto x = tensor<double, "x", "n">;
inline constexpr auto mu = scalar<double, "mu">;
inline constexpr auto sigma = scalar<double, "sigma">;
inline constexpr auto density = sum(c<-0.5> * square((x - mu) / sigma) - log(sigma) - c<0.91893853320467274178>);
inline constexpr auto f = function(inputs(x, mu, sigma), value_and_grad(density, wrt(x, mu, sigma)));
}  // namespace model
#endif

static void variants(bench::row& row, const bench::array<1>& x) {
    struct outputs {
        bench::normal::scalars scalars;
        bench::array<1> x;
    };
    const std::size_t n = x.size();
    const double mu = 0.3, sigma = 1.7;
    for (auto [label, loop] : bench::loops(bench::normal::plain, bench::normal::fastmath, bench::normal::hand))
        row.variant(
            label, outputs{{}, bench::make(n)},
            [&x, n, mu, sigma, loop = loop](auto& out) {
                out.scalars = loop(x.data(), n, mu, sigma, out.x.data());
                return out.scalars.value;
            },
            [](auto& out) { return bench::joined(out.x, out.scalars.mu, out.scalars.sigma); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&x, mu, sigma](auto& run) {
            auto&& [value, by_x, by_mu, by_sigma] = run(x, mu, sigma);
            bench::used(by_x);
            bench::used(by_mu);
            bench::used(by_sigma);
            return value;
        },
        [&x, mu, sigma](auto& run) {
            auto&& [value, by_x, by_mu, by_sigma] = run(x, mu, sigma);
            return bench::joined(by_x, by_mu, by_sigma);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    variants(rows.checked("normal", 1003), rows.keep(bench::make(1003, bench::gaussian(2))));
    variants(rows.timed("normal", 1000), rows.keep(bench::make(1000, bench::gaussian(2))));
    return rows.run();
}
