#include "op/table.hpp"

#include <cstdint>

using namespace cotan;
using table::x;

namespace {

constexpr auto s0 = tensor<double, "s0", "k">;
constexpr auto a = scalar<double, "a">;
constexpr auto b = scalar<double, "b">;
constexpr auto n = scalar<std::int64_t, "n">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

}  // namespace

TEST_CASE("a loop of no step gives its initial state, and an empty trace") {
    constexpr auto loop = scan(init(s0), times(n), [](auto s) { return step(c<2.0> * s).emit(sum(s)); });
    constexpr auto f = function(inputs(s0, n), outputs(loop.last, loop.trace, loop.steps, grad(sum(loop.last), s0)));
    for (const std::int64_t steps : {std::int64_t{0}, std::int64_t{-3}}) {
        const auto [last, trace, taken, g] = f(line{1, 1, 1}, steps);
        CHECK((last == line{1, 1, 1}));
        CHECK(trace.size() == 0);
        CHECK(taken == 0);
        CHECK((g == line{1, 1, 1}));
    }
    const auto [last, trace, taken, g] = f(line{1, 2, 3}, std::int64_t{4});
    CHECK((last == line{16, 32, 48}));
    CHECK((trace == line{6, 12, 24, 48}));
    CHECK(taken == 4);
    CHECK((g == line{16, 16, 16}));
}

TEST_CASE("like loops with different initial states keep their states apart") {
    constexpr auto body = [](auto y, auto lag, auto now) {
        auto mean = a + b * lag + c<0.1> * y;
        return step(mean, now).emit(mean);
    };
    constexpr auto one = scan(init(c<1.0>, c<0.0>), over(x), body).trace;
    constexpr auto two = scan(init(c<-4.0>, c<0.0>), over(x), body).trace;
    const auto [A, B] = function(inputs(x, a, b), outputs(one, two))(line{1, 2, 3}, 0.5, 2.0);
    const double want[] = {0.6, 2.56, 4.756}, want_other[] = {0.1, 2.51, 4.751};
    for (std::size_t t = 0; t < 3; ++t) {
        CHECK_NEAR(A(t), want[t], 1e-14);
        CHECK_NEAR(B(t), want_other[t], 1e-14);
    }
}

TEST_CASE("an integer state beside real ones") {
    constexpr auto loop = scan(init(c<0> + n, a, a), times(c<10>), [](auto i, auto now, auto) { return step(i + c<1>, now - c<1.0>, now); });
    const auto [i, now, before, g] = function(inputs(n, a), outputs(loop.last, grad(get<1>(loop.last), a)))(std::int64_t{0}, 0.0);
    static_assert(std::is_same_v<decltype(i), const std::int64_t>);
    CHECK(i == 10);
    CHECK(now == -10);
    CHECK(before == -9);
    CHECK(g == 1);
}

TEST_CASE("lagged states from initial rows that are constant, and sequences read before and behind") {
    constexpr auto fibonacci = scan(init(taps<-2, -1>(stack(c<0.0>, c<0.0>))), over(x), [](auto before, auto last, auto u) {
        return step(before + last + u).emit(before + last + u);
    });
    constexpr auto neighbours = scan(over(taps<-1, 0, 2>(x)), [](auto before, auto now, auto after) { return step().emit(before + c<10.0> * now + c<100.0> * after); });
    const auto [f, m, g] = function(inputs(x), outputs(fibonacci.trace, neighbours.trace, grad(sum(neighbours.trace), x)))(line{1, 0, 0, 0, 2});
    CHECK((f == line{1, 1, 2, 3, 7}));
    CHECK((m == line{1, 200}));
    CHECK((g == line{1, 11, 10, 100, 100}));
}

TEST_CASE("a loop over what another loop gave, and its gradient") {
    constexpr auto W = tensor<double, "W", "i", "j">;
    constexpr auto X = tensor<double, "X", "t", "j">;
    constexpr auto z = scan(over(X), [=](auto v) { return step().emit(softmax(dot(W, v))); }).trace;
    constexpr auto loss = scan(init(c<0.0>), over(z), [](auto total, auto p) {
        auto l = -log(p(c<0>));
        return step(total + l).emit(l);
    });
    const rows w{{1, 0}, {0, 1}}, data{{0, 0}, {1, 0}};
    const line l = function(inputs(W, X), loss.trace)(w, data);
    const rows g = function(inputs(W, X), grad(loss.last, W))(w, data);
    CHECK_NEAR(l(0), 0.6931471805599453, 1e-15);
    CHECK_NEAR(l(1), 0.3132616875182228, 1e-14);
    CHECK_NEAR(g(0, 0), -0.26894142136999512, 1e-14);
    CHECK_NEAR(g(1, 0), 0.26894142136999512, 1e-14);
    CHECK(g(0, 1) == 0);
    CHECK(g(1, 1) == 0);
}
