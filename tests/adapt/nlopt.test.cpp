#include "op/table.hpp"

#include <cotan/adapt/nlopt.hpp>

#include <stdexcept>

using namespace cotan;

namespace {

constexpr auto p = tensor<double, "p", 2>;
constexpr auto scale = scalar<double, "scale">;
// Rosenbrock's valley: 0 at (1, 1)
constexpr auto valley = square(c<1.0> - p(c<0>)) + scale * square(p(c<1>) - square(p(c<0>)));
constexpr auto f = function(inputs(p, scale), value_and_grad(valley, p));
using line = xt::xtensor<double, 1>;

}  // namespace

TEST_CASE("L-BFGS finds the end of Rosenbrock's valley") {
    auto run = f.prepare();
    int watched = 0;
    const auto r = adapt::minimise([&](const line& at) { return run(at, 100.0); }, line{-1.2, 1.0}, {}, [&](int evaluation, const line& at, double value, const auto& gradient) {
        CHECK(evaluation == ++watched);
        CHECK(at.size() == 2);
        CHECK(gradient.size() == 2);
        CHECK(value >= 0);
    });
    CHECK(std::fabs(r.argument(0) - 1) < 1e-6);
    CHECK(std::fabs(r.argument(1) - 1) < 1e-6);
    CHECK(r.value < 1e-12);
    CHECK(std::fabs(r.gradient(0)) < 1e-4);
    CHECK(r.evaluations == watched);
    CHECK(r.settled);
    CHECK(!r.stopped.empty());
}

TEST_CASE("bounds hold, and evaluations may run out") {
    adapt::nlopt_options bounded;
    bounded.upper = {0.5, 10};
    const auto r = adapt::minimise([&](const line& at) { return f(at, 100.0); }, line{-1.2, 1.0}, bounded);
    CHECK(std::fabs(r.argument(0) - 0.5) < 1e-6);  // (1 - 0.5)^2 is left
    CHECK(std::fabs(r.value - 0.25) < 1e-6);
    adapt::nlopt_options few;
    few.evaluations = 3;
    const auto stopped = adapt::minimise([&](const line& at) { return f(at, 100.0); }, line{-1.2, 1.0}, few);
    CHECK(!stopped.settled);
    CHECK(stopped.evaluations < 20);  // L-BFGS finishes its line search
}

TEST_CASE("what the objective throws comes out") {
    const auto throws = [](const line& at) -> std::tuple<double, line> {
        if (at(0) > -1.2) throw std::domain_error("no further");
        return f(at, 100.0);
    };
    CHECK_THROWS_WITH(adapt::minimise(throws, line{-1.2, 1.0}), "no further");
    adapt::nlopt_options wrong;
    wrong.lower = {0, 0, 0};
    CHECK_THROWS_AS(adapt::minimise([&](const line& at) { return f(at, 1.0); }, line{0, 0}, wrong), std::invalid_argument);
}
