#include "scalar.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto x = scalar<double, "x">;
inline constexpr auto y = scalar<double, "y">;
inline constexpr auto value = log(c<2.0> + x * x) * exp(-y) + sin(x * y) / (c<1.0> + y * y) + sqrt(x * x + y * y);
inline constexpr auto f = function(inputs(x, y), value_and_grad(value, wrt(x, y)));
}  // namespace model
#endif

// The inputs live in memory and change from call to call in no variant; the barrier after each call makes the next one
// read them again.
static void variants(bench::row& row, const std::pair<double, double>& in) {
    for (auto [label, loop] : bench::loops(bench::scalar::plain, bench::scalar::fastmath, bench::scalar::hand))
        row.variant(
            label, bench::scalar::result{},
            [&in, loop = loop](auto& out) {
                out = loop(in.first, in.second);
                return out.value;
            },
            [](auto& out) { return bench::joined(out.x, out.y); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&in](auto& run) {
            auto&& [value, by_x, by_y] = run(in.first, in.second);
            bench::used(by_x);
            bench::used(by_y);
            return value;
        },
        [&in](auto& run) {
            auto&& [value, by_x, by_y] = run(in.first, in.second);
            return bench::joined(by_x, by_y);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    variants(rows.timed("scalar"), rows.keep(std::pair(0.7, 1.3)));
    return rows.run();
}
