#include "spread.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto v = tensor<double, "v", "n">;
inline constexpr auto f =
    function(inputs(v), value_and_grad(sum(square((v(all, newaxis) - v(newaxis, all)) / c<2.0>)), v));
}  // namespace model
#endif

static void variants(bench::row& row, const bench::array<1>& v) {
    const std::size_t n = v.size();
    for (auto [label, loop] : bench::loops(bench::spread::plain, bench::spread::fastmath, bench::spread::hand))
        row.variant(
            label, bench::make(n), [&v, n, loop = loop](auto& gradient) { return loop(v.data(), n, gradient.data()); },
            [](auto& gradient) { return bench::joined(gradient); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&v](auto& run) {
            auto&& [value, gradient] = run(v);
            bench::used(gradient);
            return value;
        },
        [&v](auto& run) {
            auto&& [value, gradient] = run(v);
            return bench::joined(gradient);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    variants(rows.checked("spread", 203), rows.keep(bench::make(203, bench::gaussian())));
    variants(rows.timed("spread", 1000), rows.keep(bench::make(1000, bench::gaussian())));
    return rows.run();
}
