// The code of docs/how_to_guides/use_the_runtime_graph.md.
#include <cotan/cotan.hpp>
#include <cotan/dyn.hpp>

#include <cmath>
#include <cstdio>
#include <vector>
#include <xtensor/xtensor.hpp>

namespace {

double network(int depth) {
    // snippet: build
    namespace dyn = cotan::dyn;
    auto x = dyn::tensor<double>("x", 1);           // one axis, its extent known at the call
    auto W = dyn::tensor<double>("W", {"h", "h"});  // extents with names: equal names are equal sizes
    auto h = x;
    for (int layer = 0; layer < depth; ++layer) h = tanh(dot(W, h) + 0.1 * layer);
    auto loss = sum(square(h));
    dyn::function f({x, W}, {loss, dyn::grad(loss, W)});
    // end

    // snippet: call
    const xt::xtensor<double, 1> xd = {0.5, -0.25};
    const xt::xtensor<double, 2> Wd = {{0.1, 0.2}, {0.3, 0.4}};
    auto out = f({xd, Wd});  // or f(xd, Wd)
    const double value = out[0].scalar<double>();
    const xt::xtensor<double, 2> gradient = out[1].as<double, 2>();

    auto run = f.prepare();            // owns its buffers
    const auto& again = run(xd, Wd);  // from the second call with the same extents on nothing is allocated
    // end
    return value + gradient(0, 0) - again[0].scalar<double>() - again[1].data<double>()[0];
}

double lifted() {
    // snippet: lift
    using namespace cotan;
    constexpr auto v = tensor<double, "v", "n">;
    constexpr auto norm2 = sum(square(v));  // a typed graph
    auto twice = 2.0 * dyn::lift(norm2);    // goes on as a runtime one; `2.0 * dyn::expr(norm2)` is the same
    dyn::function f({dyn::lift(v)}, {twice, dyn::grad(twice, dyn::lift(v))});
    // end
    return f(std::vector<double>{1, 2})[0].scalar<double>();
}

double loop() {
    namespace dyn = cotan::dyn;
    // snippet: loop
    auto a = dyn::scalar<double>("a");
    auto n = dyn::scalar<std::int64_t>("n");
    auto power = dyn::scan({.init = {1.0}, .times = n}, [&](auto state, auto) {
                     return dyn::step{state[0] * a};
                 }).last[0];
    dyn::function f({a, n}, {power, dyn::grad(power, a)});
    // end
    return f(1.1, std::int64_t{10})[0].scalar<double>();
}

double stretched() {
    namespace dyn = cotan::dyn;
    // snippet: broadcastable
    auto x = dyn::tensor<double>("x", {dyn::broadcastable, "k"});
    auto y = dyn::tensor<double>("y", {"n", "k"});
    dyn::function f({x, y}, {sum(x * y)});
    // end
    const xt::xtensor<double, 2> one = {{1, 2}}, two = {{1, 2}, {3, 4}};
    return f(one, two)[0].scalar<double>();
}

}  // namespace

int main() {
    const double zero = network(3), ten = lifted(), power = loop(), sum = stretched();
    std::printf("%g %g %.10f %g\n", zero, ten, power, sum);
    return zero == 0 && ten == 10 && std::fabs(power - 2.5937424601) < 1e-12 && sum == 16 ? 0 : 1;
}
