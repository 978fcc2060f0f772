#include "volatility.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto y = tensor<double, "y", "t">;
inline constexpr auto z = tensor<double, "z", "t">;
inline constexpr auto mu = scalar<double, "mu">;
inline constexpr auto phi = scalar<double, "phi">;
inline constexpr auto sigma = scalar<double, "sigma">;
inline constexpr auto path = scan(init(mu), over(z), [](auto h, auto step_of) {
    const auto next = mu + phi * (h - mu) + sigma * step_of;
    return step(next).emit(next);
}).trace;
inline constexpr auto density = c<-0.5> * (sum(path + square(y) * exp(-path)) + sum(square(z)));
inline constexpr auto f = function(inputs(y, z, mu, phi, sigma), value_and_grad(density, wrt(z, mu, phi, sigma)));
}  // namespace model
#endif

static void variants(bench::row& row, const bench::array<1>& y, const bench::array<1>& z) {
    struct outputs {
        bench::volatility::scalars scalars;
        bench::array<1> h, z;
    };
    const std::size_t n = y.size();
    const bench::volatility::parameters p{-0.4, 0.95, 0.3};
    for (auto [label, loop] : bench::loops(bench::volatility::plain, bench::volatility::fastmath, bench::volatility::hand))
        row.variant(
            label, outputs{{}, bench::make(n), bench::make(n)},
            [&y, &z, n, p, loop = loop](auto& out) {
                out.scalars = loop(y.data(), z.data(), n, p, out.h.data(), out.z.data());
                return out.scalars.value;
            },
            [](auto& out) { return bench::joined(out.z, out.scalars.mu, out.scalars.phi, out.scalars.sigma); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&y, &z, p](auto& run) {
            auto&& [value, by_z, by_mu, by_phi, by_sigma] = run(y, z, p.mu, p.phi, p.sigma);
            bench::used(by_z);
            bench::used(by_mu);
            bench::used(by_phi);
            bench::used(by_sigma);
            return value;
        },
        [&y, &z, p](auto& run) {
            auto&& [value, by_z, by_mu, by_phi, by_sigma] = run(y, z, p.mu, p.phi, p.sigma);
            return bench::joined(by_z, by_mu, by_phi, by_sigma);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    const auto data = [&](std::size_t n) -> const bench::array<1>& { return rows.keep(bench::make(n, bench::gaussian(1))); };
    variants(rows.checked("volatility", 1003), data(1003), data(1003));
    variants(rows.timed("volatility", 1000), data(1000), data(1000));
    variants(rows.timed("volatility", 100000), data(100000), data(100000));
    return rows.run();
}
