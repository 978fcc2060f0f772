// The two modes agree: <w, J v> is <J' w, v> for each loop, and both what differences say.
#include "op/table.hpp"

using namespace cotan;
using table::x;

namespace {

constexpr auto p = tensor<double, "p", 2>;
constexpr auto u = tensor<double, "u", 2>;
using line = xt::xtensor<double, 1>;

template <class E>
void check(E, const char* what) {
    INFO(what);
    constexpr auto f = function(inputs(x, p), E{});
    constexpr auto modes = function(inputs(x, p, u), outputs(pushforward(E{}, p, u), grad(E{}, p)));
    const line data{0.3, -0.7, 1.1, 0.4}, at{0.6, -0.3}, direction{0.8, -1.7};
    const auto [forward, g] = modes(data, at, direction);
    const auto moved = [&](double t) { return f(data, line(at + t * direction)); };
    const double h = 1e-3, difference = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
    CHECK_NEAR(g(0) * direction(0) + g(1) * direction(1), forward, 1e-12);
    CHECK_NEAR(forward, difference, 1e-8);
}
constexpr auto q = p(c<0>);

}  // namespace

TEST_CASE("forward and reverse mode agree on a state, on a trace and in reverse") {
    check(scan(init(q), over(x), [](auto s, auto e) { return step(sin(s * e) + p(c<1>)); }).last, "a state");
    check(sum(exp(scan(init(q), over(x), [](auto s, auto e) { return step(s * e + p(c<1>)).emit(s * q); }).trace)), "a trace");
    check(scan(init(q), over(x), [](auto s, auto e) { return step(s * e + square(p(c<1>))); }, reversed).last, "in reverse");
}
TEST_CASE("forward and reverse mode agree with lags, and in loops in loops") {
    check(scan(init(taps<-2, -1>(p)), over(taps<-1, 0>(x)), [](auto s, auto t, auto d, auto e) { return step(s * d - sin(t) * e); }).last, "lags");
    check(scan(init(q), over(x), [](auto s, auto e) {
        auto inner = scan(init(s), over(p), [=](auto t, auto w) { return step(sin(t * w) + e); }).last;
        return step(s * inner + e);
    }).last, "a loop in a loop");
    check(sum(scan(init(p), over(x), [](auto v, auto e) { return step(sin(v) * e + sum(v) * p); }).last), "a vector as the state");
}
TEST_CASE("forward and reverse mode agree where a condition ends the loop or chooses in it") {
    check(while_loop(init(exp(q)), [](auto s) { return s < c<30.0>; }, [](auto s) { return step(s * s + p(c<1>) + c<1.5>); }).last, "while");
    check(scan(init(q), over(x), [](auto s, auto e) { return step(cond(e > c<0.0>, s * e, sin(s) - p(c<1>))); }).last, "a condition in a loop");
}
