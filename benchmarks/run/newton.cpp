#include "newton.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto a = scalar<double, "a">;
inline constexpr auto root = get<0>(while_loop(
    init(a, c<0.0>), [](auto r, auto before) { return abs(r - before) > c<1e-14> * r; },
    [](auto r, auto) { return step(r - (r * r * r + r - a) / (c<3.0> * r * r + c<1.0>), r); }).last);
inline constexpr auto f = function(inputs(a), value_and_grad(root, a));
}  // namespace model
#endif

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    bench::row& row = rows.timed("newton");
    const auto& a = rows.keep(30.0);
    for (auto [label, loop] : bench::loops(bench::newton::plain, bench::newton::fastmath, bench::newton::hand))
        row.variant(
            label, bench::newton::result{},
            [&a, loop = loop](auto& out) {
                out = loop(a);
                return out.value;
            },
            [](auto& out) { return bench::joined(out.gradient); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&a](auto& run) {
            auto&& [value, gradient] = run(a);
            bench::used(gradient);
            return value;
        },
        [&a](auto& run) {
            auto&& [value, gradient] = run(a);
            return bench::joined(gradient);
        });
#endif
    return rows.run();
}
