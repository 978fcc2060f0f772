// A test of its own: it counts what the whole program allocates.
#include "contract/allocations.hpp"
#include "op/table.hpp"

#include <cstdint>

using namespace cotan;
using table::x;

namespace {

constexpr auto a = scalar<double, "a">;
constexpr auto n = scalar<std::int64_t, "n">;
constexpr auto W = tensor<double, "W", "h", "h">;
constexpr auto h = tensor<double, "h", "h">;
using line = xt::xtensor<double, 1>;

template <class F, class... A>
std::size_t allocated_by_second_call(F f, const A&... arguments) {
    auto run = f.prepare();
    (void)run(arguments...);
    allocations::reset();
    (void)run(arguments...);
    return allocations::count;
}

const line data = xt::ones<double>({100}) * 0.5;

}  // namespace

TEST_CASE("a prepared run of a scan and its gradient allocates nothing from its second call on") {
    constexpr auto loop = scan(init(a), over(x), [](auto s, auto e) { return step(sin(s * e) + a).emit(s * s); });
    CHECK(allocated_by_second_call(function(inputs(x, a), outputs(loop.last, loop.trace, grad(sum(loop.trace), wrt(x, a)))), data, 0.7) == 0);
}
TEST_CASE("nor of one with vectors as states, and of a counted one") {
    constexpr auto states = scan(init(h), times(n), [](auto s) { return step(tanh(dot(W, s))); }).last;
    const xt::xtensor<double, 2> w = xt::ones<double>({3, 3}) * 0.1;
    CHECK(allocated_by_second_call(function(inputs(W, h, n), value_and_grad(sum(states), wrt(W, h))), w, line{1, 2, 3}, std::int64_t{7}) == 0);
}
TEST_CASE("nor of loops whose steps are not known before, with and without a trace") {
    constexpr auto loop = while_loop(init(a), [](auto s) { return s < c<1000.0>; }, [](auto s) { return step(s * s).emit(s); });
    CHECK(allocated_by_second_call(function(inputs(a), outputs(loop.last, loop.trace, grad(loop.last, a))), 1.5) == 0);
}
TEST_CASE("nor of loops in loops") {
    constexpr auto loop = scan(init(a), over(x), [](auto s, auto e) {
        auto inner = scan(init(s), over(x), [=](auto t, auto f) { return step(sin(t * e) + f); }).last;
        return step(inner);
    }).last;
    CHECK(allocated_by_second_call(function(inputs(x, a), value_and_grad(loop, wrt(x, a))), data, 0.7) == 0);
}
