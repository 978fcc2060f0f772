#include "rnn.hpp"

#include "side_by_side.hpp"

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/cotan.hpp>

namespace model {
using namespace cotan;
inline constexpr auto W = tensor<double, "W", "h", "h">;
inline constexpr auto U = tensor<double, "U", "h", "i">;
inline constexpr auto b = tensor<double, "b", "h">;
inline constexpr auto x = tensor<double, "x", "t", "i">;
inline constexpr auto hidden = scan(init(c<0.0> * b), over(x), [](auto h, auto x_t) {
    const auto next = tanh(dot(W, h) + dot(U, x_t) + b);
    return step(next).emit(next);
}).trace;
inline constexpr auto f = function(inputs(W, U, b, x), value_and_grad(c<0.5> * sum(square(hidden)), wrt(W, U, b)));
}  // namespace model
#endif

static void variants(bench::rows& rows, bench::row& row, std::size_t steps, std::size_t hidden, std::size_t inputs) {
    struct outputs {
        bench::array<2> h, delta, W, U;
        bench::array<1> b;
    };
    const auto& W = rows.keep(bench::make(hidden, hidden, bench::gaussian(0.15)));
    const auto& U = rows.keep(bench::make(hidden, inputs, bench::gaussian(0.3)));
    const auto& b = rows.keep(bench::make(hidden, bench::gaussian(0.1)));
    const auto& x = rows.keep(bench::make(steps, inputs, bench::gaussian()));
    for (auto [label, loop] : bench::loops(bench::rnn::plain, bench::rnn::fastmath, bench::rnn::hand))
        row.variant(
            label, outputs{bench::make(steps, hidden), bench::make(steps, hidden), bench::make(hidden, hidden), bench::make(hidden, inputs), bench::make(hidden)},
            [&W, &U, &b, &x, n = bench::rnn::sizes{steps, hidden, inputs}, loop = loop](auto& out) {
                return loop(W.data(), U.data(), b.data(), x.data(), n, out.h.data(), out.delta.data(), out.W.data(), out.U.data(), out.b.data());
            },
            [](auto& out) { return bench::joined(out.W, out.U, out.b); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", model::f.prepare(),
        [&W, &U, &b, &x](auto& run) {
            auto&& [value, by_W, by_U, by_b] = run(W, U, b, x);
            bench::used(by_W);
            bench::used(by_U);
            bench::used(by_b);
            return value;
        },
        [&W, &U, &b, &x](auto& run) {
            auto&& [value, by_W, by_U, by_b] = run(W, U, b, x);
            return bench::joined(by_W, by_U, by_b);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    variants(rows, rows.checked("rnn", 101), 101, 31, 7);
    variants(rows, rows.timed("rnn", 100), 100, 32, 8);
    return rows.run();
}
