#include "logistic.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto X = tensor<double, "X", "n", "k">;
inline constexpr auto y = tensor<double, "y", "n">;
inline constexpr auto beta = tensor<double, "beta", "k">;
inline constexpr auto eta = dot(X, beta);
inline constexpr auto f = function(inputs(X, y, beta), value_and_grad(sum(log(c<1.0> + exp(eta)) - y * eta), beta));
}  // namespace model
#endif

static void variants(bench::rows& rows, bench::row& row, std::size_t n, std::size_t k) {
    const auto& X = rows.keep(bench::make(n, k, bench::gaussian()));
    const auto& y = rows.keep(bench::make(n, [u = bench::uniform()]() mutable { return u() < 0.4 ? 1.0 : 0.0; }));
    const auto& beta = rows.keep(bench::make(k, bench::gaussian(0.4)));
    for (auto [label, loop] : bench::loops(bench::logistic::plain, bench::logistic::fastmath, bench::logistic::hand))
        row.variant(
            label, bench::make(k),
            [&X, &y, &beta, n, k, loop = loop](auto& gradient) {
                return loop(X.data(), y.data(), beta.data(), n, k, gradient.data());
            },
            [](auto& gradient) { return bench::joined(gradient); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&X, &y, &beta](auto& run) {
            auto&& [value, gradient] = run(X, y, beta);
            bench::used(gradient);
            return value;
        },
        [&X, &y, &beta](auto& run) {
            auto&& [value, gradient] = run(X, y, beta);
            return bench::joined(gradient);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    variants(rows, rows.checked("logistic", 1003), 1003, 23);
    variants(rows, rows.timed("logistic", 1000), 1000, 20);
    variants(rows, rows.timed("logistic", 100000), 100000, 20);
    return rows.run();
}
