#pragma once

// Minimising with NLopt (https://nlopt.readthedocs.io). Not part of cotan.hpp: include it where it is used, and link nlopt (Debian: libnlopt-dev,
// libnlopt-cxx-dev).
#include <nlopt.hpp>
#include <xtensor/xtensor.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cotan::adapt {

/// How to minimise. Vectors that are empty set no bounds.
struct nlopt_options {
    ::nlopt::algorithm algorithm = ::nlopt::LD_LBFGS;
    double relative_value = 1e-14;      // stops when a step changes the value by less than this part of it,
    double relative_argument = 1e-10;   // or every argument by less than this part of it,
    int evaluations = 1000;             // or after so many evaluations, when the line search is done
    std::vector<double> lower, upper;
};

struct nlopt_result {
    xt::xtensor<double, 1> argument;  // the best that was evaluated
    double value = std::numeric_limits<double>::infinity();
    xt::xtensor<double, 1> gradient;  // there
    int evaluations = 0;
    bool settled = false;  // false where the evaluations ran out
    std::string stopped;   // why it stopped, in words
};

/// Minimises a function of a vector. `objective(x)` takes an xt::xtensor<double, 1> and returns its value and gradient, as value_and_grad does:
/// a prepared function of one vector, or a lambda that adds the data. `watch(evaluation, x, value, gradient)` is called after each evaluation.
/// A value that is not finite counts as a step too far. Throws what the objective throws, and std::invalid_argument where the options make no sense.
template <class F, class Watch>
nlopt_result minimise(F&& objective, const xt::xtensor<double, 1>& start, const nlopt_options& options, Watch&& watch) {
    const std::size_t n = start.size();
    ::nlopt::opt opt(options.algorithm, static_cast<unsigned>(n));
    if (!options.lower.empty()) opt.set_lower_bounds(options.lower);
    if (!options.upper.empty()) opt.set_upper_bounds(options.upper);
    opt.set_ftol_rel(options.relative_value);
    opt.set_xtol_rel(options.relative_argument);
    opt.set_maxeval(options.evaluations);

    nlopt_result best;
    xt::xtensor<double, 1> x = start;
    std::exception_ptr thrown;
    const auto evaluate = [&](const std::vector<double>& at, std::vector<double>& gradient) -> double {
        std::copy(at.begin(), at.end(), x.begin());
        const auto& [value, slope] = objective(static_cast<const xt::xtensor<double, 1>&>(x));
        ++best.evaluations;
        if (!gradient.empty()) std::copy(slope.begin(), slope.end(), gradient.begin());
        if (value < best.value) {
            best.value = value;
            best.argument = x;
            best.gradient = slope;
        }
        watch(best.evaluations, std::as_const(x), static_cast<double>(value), slope);
        return std::isfinite(value) ? static_cast<double>(value) : std::numeric_limits<double>::max();
    };
    using closure = std::pair<decltype(evaluate)&, std::pair<std::exception_ptr&, ::nlopt::opt&>>;
    closure data{evaluate, {thrown, opt}};
    // NLopt is C inside: an exception waits here until it has returned
    opt.set_min_objective(
        [](const std::vector<double>& at, std::vector<double>& gradient, void* d) -> double {
            auto& [run, more] = *static_cast<closure*>(d);
            try {
                return run(at, gradient);
            } catch (...) {
                more.first = std::current_exception();
                more.second.force_stop();
                return std::numeric_limits<double>::max();
            }
        },
        &data);

    std::vector<double> at(start.begin(), start.end());
    double value = 0;
    try {
        const ::nlopt::result why = opt.optimize(at, value);
        best.settled = why != ::nlopt::MAXEVAL_REACHED && why != ::nlopt::MAXTIME_REACHED;
        best.stopped = why == ::nlopt::MAXEVAL_REACHED  ? "the evaluations ran out"
                       : why == ::nlopt::FTOL_REACHED   ? "the value does not change any more"
                       : why == ::nlopt::XTOL_REACHED   ? "the arguments do not change any more"
                                                        : "it settled";
    } catch (const ::nlopt::forced_stop&) {
        if (thrown) std::rethrow_exception(thrown);
        throw;
    } catch (const ::nlopt::roundoff_limited&) {
        best.settled = true;
        best.stopped = "rounding leaves nothing to gain";
    } catch (const std::invalid_argument&) {
        throw;
    } catch (const std::runtime_error&) {  // NLopt's "failure": a line search that finds nothing lower, mostly because there is nothing
        if (thrown) std::rethrow_exception(thrown);
        if (best.evaluations < 2) throw std::runtime_error("cotan: NLopt cannot make a first step: is the value finite at the start, and the gradient that of the value?");
        best.stopped = "no lower value was found along the last direction";
    }
    return best;
}
template <class F>
nlopt_result minimise(F&& objective, const xt::xtensor<double, 1>& start, const nlopt_options& options = {}) {
    return adapt::minimise(objective, start, options, [](const auto&...) {});
}

}  // namespace cotan::adapt
