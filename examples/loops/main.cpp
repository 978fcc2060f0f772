// The how-to guide about loops as a program.
#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>

#include <cmath>
#include <cstdio>

using namespace cotan;

inline constexpr auto x = tensor<double, "x", "t">;
inline constexpr auto a = scalar<double, "a">;
inline constexpr auto mean_anomaly = scalar<double, "mean_anomaly">;
inline constexpr auto eccentricity = scalar<double, "eccentricity">;

// snippet: scan
// A moving average with a weight that is an input: s <- s + a (x_t - s).
inline constexpr auto average = scan(init(x(c<0>)), over(x(slice<1, end>)), [](auto s, auto x_t) {
    auto next = s + a * (x_t - s);
    return step(next).emit(square(x_t - s));
});
inline constexpr auto errors = sum(average.trace);
inline constexpr auto f = function(inputs(x, a), outputs(average.last, value_and_grad(errors, a)));
// end

// snippet: taps
inline constexpr auto fibonacci = scan(init(taps<-2, -1>(stack(c<1.0>, c<1.0>))), times(c<8>), [](auto before, auto last) {
    return step(before + last).emit(before + last);
}).trace;
inline constexpr auto second_difference = scan(over(taps<-1, 0, 1>(x)), [](auto before, auto now, auto after) {
    return step().emit(before - c<2.0> * now + after);
}).trace;
// end

// snippet: until
inline constexpr auto doubling = scan(init(a), times(c<1000>), [](auto s) {
    auto next = c<2.0> * s;
    return step(next).emit(next).until(next >= c<100.0>);
});
// end

// snippet: while
inline constexpr auto root = while_loop(
    init(a, c<0.0>),
    [](auto r, auto before) { return abs(r - before) > c<1e-14> * r; },
    [](auto r, auto) { return step(c<0.5> * (r + a / r), r); });
inline constexpr auto g = function(inputs(a), outputs(get<0>(root.last), root.steps, grad(get<0>(root.last), a)));
// end

// snippet: fixed_point
// Kepler's equation: the eccentric anomaly from the mean anomaly and the eccentricity.
inline constexpr auto anomaly = fixed_point([](auto e) { return mean_anomaly + eccentricity * sin(e); }, mean_anomaly);
inline constexpr auto k = function(inputs(mean_anomaly, eccentricity), outputs(anomaly.steps, value_and_grad(anomaly.last, wrt(mean_anomaly, eccentricity))));
// end

// snippet: cond
inline constexpr auto safe_log = cond(a > c<0.0>, log(a), -square(a));
// end

// snippet: map
inline constexpr auto energy = sum(map(over(x), [](auto x_t) { return exp(x_t) * a; }));
// end

inline constexpr auto rest = function(inputs(x, a), outputs(fibonacci, second_difference, doubling.steps, value_and_grad(safe_log, a), value_and_grad(energy, a)));

int main() {
    int wrong = 0;
    const auto near = [&](double got, double want, const char* what) {
        if (std::fabs(got - want) <= 1e-13 * std::fabs(want)) return;
        std::printf("%s: %.17g, not %.17g\n", what, got, want);
        ++wrong;
    };
    const xt::xtensor<double, 1> data = {1.0, 2.0, 4.0};
    // snippet: call
    auto [last, value, by_a] = f(data, 0.5);
    // end
    near(last, 2.75, "average");                // 1, 1.5, 2.75
    near(value, 1.0 + 2.5 * 2.5, "errors");     // 1 and (3 - a)^2
    near(by_a, -2 * 2.5, "their derivative");
    const auto [r, steps, by_input] = g(2.0);
    near(r, std::sqrt(2.0), "root");
    near(by_input, 0.5 / std::sqrt(2.0), "its derivative");
    const auto [repeated, e_of_mean, by_mean, by_eccentricity] = k(1.0, 0.5);
    wrong += repeated > 60;
    near(e_of_mean, 1.4987011335178483, "Kepler's equation");
    near(by_mean, 1.0373620218936459, "its derivative by the mean anomaly");
    near(by_eccentricity, 1.0346672323734564, "and by the eccentricity");
    const auto [numbers, second, taken, l, dl, e, de] = rest(data, 3.0);
    near(numbers(7), 55, "Fibonacci's number");
    near(second(0), 1, "second difference");
    near(static_cast<double>(taken), 6, "steps");
    near(l, std::log(3.0), "log");
    near(dl, 1 / 3.0, "its derivative");
    near(e, 3 * de, "energy");
    return wrong != 0;
}
