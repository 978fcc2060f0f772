// The local level model: flow = level + error, the level's next value = level + step.
#pragma once
// snippet: model
#include <cotan/cotan.hpp>
using namespace cotan;

inline constexpr auto flow = tensor<double, "flow", "year">;
inline constexpr auto log_variance = tensor<double, "log_variance", 2>;  // of the error, and of the step

inline constexpr auto eps = exp(log_variance(c<0>));
inline constexpr auto eta = exp(log_variance(c<1>));

// The Kalman filter. The level after the first year is its flow; the states are what is expected of the next year.
inline constexpr auto filter = scan(init(flow(c<0>), eps + eta), over(flow(slice<1, end>)), [](auto level, auto variance, auto measured) {
    auto innovation = measured - level;
    auto total = variance + eps;
    auto gain = variance / total;
    auto known = variance * (c<1.0> - gain);  // the level's variance, this year's flow known
    auto next = level + gain * innovation;
    return step(next, known + eta).emit(log(total) + square(innovation) / total, next, known);
});
inline constexpr auto log_likelihood = c<-0.5> * sum(get<0>(filter.trace) + log(c<2.0> * pi));

inline constexpr auto fit = function(inputs(flow, log_variance), value_and_grad(-log_likelihood, log_variance));
inline constexpr auto curvature = function(inputs(flow, log_variance), hessian(-log_likelihood, log_variance));
// end

// snippet: smoother
// The smoother of Rauch, Tung and Striebel: from the last year to the first, what the later years say about a level.
inline constexpr auto smoothed = [](auto later, auto later_variance, auto level, auto known) {
    auto weight = known / (known + eta);
    return outputs(level + weight * (later - level), known + square(weight) * (later_variance - known - eta));
};
inline constexpr auto smoother = scan(init(get<0>(filter.last), get<1>(filter.last)), over(get<1>(filter.trace), get<2>(filter.trace)),
    [](auto later, auto later_variance, auto level, auto known) {
        auto now = smoothed(later, later_variance, level, known);
        return step(get<0>(now), get<1>(now)).emit(get<0>(now), get<1>(now));
    }, reversed);

inline constexpr auto first_year = smoothed(get<0>(smoother.last), get<1>(smoother.last), flow(c<0>), eps);
inline constexpr auto smooth = function(inputs(flow, log_variance), outputs(smoother.trace, first_year));
// end
