#include "xent.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto Z = tensor<double, "Z", "m", "n">;
inline constexpr auto Y = tensor<double, "Y", "m", "n">;
inline constexpr auto f = function(inputs(Z, Y), value_and_grad(-sum(Y* log_softmax(Z, axis<1>)), Z));
}  // namespace model
#endif

static void variants(bench::rows& rows, bench::row& row, std::size_t m, std::size_t n) {
    const auto& Z = rows.keep(bench::make(m, n, bench::gaussian(2)));
    const auto& Y =
        rows.keep(bench::make(m, n, [u = bench::uniform(), n]() mutable { return 2 * u() / static_cast<double>(n); }));
    for (auto [label, loop] : bench::loops(bench::xent::plain, bench::xent::fastmath, bench::xent::hand))
        row.variant(
            label, bench::make(m, n),
            [&Z, &Y, m, n, loop = loop](auto& gradient) { return loop(Z.data(), Y.data(), m, n, gradient.data()); },
            [](auto& gradient) { return bench::joined(gradient); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&Z, &Y](auto& run) {
            auto&& [value, gradient] = run(Z, Y);
            bench::used(gradient);
            return value;
        },
        [&Z, &Y](auto& run) {
            auto&& [value, gradient] = run(Z, Y);
            return bench::joined(gradient);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    variants(rows, rows.checked("xent", 203), 5, 203);
    variants(rows, rows.timed("xent", 1000), 128, 1000);
    return rows.run();
}
