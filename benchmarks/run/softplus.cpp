#include "softplus.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto x = tensor<double, "x", "n">;
inline constexpr auto f = function(inputs(x), value_and_grad(sum(log(c<1.0> + exp(x))), x));
}  // namespace model
#endif

static void variants(bench::row& row, const bench::array<1>& x) {
    const std::size_t n = x.size();
    for (auto [label, loop] : bench::loops(bench::softplus::plain, bench::softplus::fastmath, bench::softplus::hand))
        row.variant(
            label, bench::make(n), [&x, n, loop = loop](auto& gradient) { return loop(x.data(), n, gradient.data()); },
            [](auto& gradient) { return bench::joined(gradient); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&x](auto& run) {
            auto&& [value, gradient] = run(x);
            bench::used(gradient);
            return value;
        },
        [&x](auto& run) {
            auto&& [value, gradient] = run(x);
            return bench::joined(gradient);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    auto data = [&](std::size_t n) -> auto& { return rows.keep(bench::make(n, bench::gaussian(3))); };
    variants(rows.checked("softplus", 1003), data(1003));
    variants(rows.timed("softplus", 1000), data(1000));
    variants(rows.timed("softplus", 100000), data(100000));
    return rows.run();
}
