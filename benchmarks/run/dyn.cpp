// The runtime graph against typed functions: the same model in both, called in turn in one process. Of each the least time of several windows counts.
#include "side_by_side.hpp"

#include <cotan/cotan.hpp>
#include <cotan/dyn.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace {

using namespace cotan;

constexpr auto x = tensor<double, "x", "n">;
constexpr auto mu = scalar<double, "mu">;
constexpr auto scale = scalar<double, "scale">;
constexpr auto X = tensor<double, "X", "n", "k">;
constexpr auto y = tensor<double, "y", "n">;
constexpr auto beta = tensor<double, "beta", "k">;

constexpr auto softplus_sum = sum(log(c<1> + exp(x)));
constexpr auto normal = sum(c<-0.5> * square((x - mu) * exp(-scale)) - scale);
constexpr auto layers = tanh(c<0.9> * tanh(c<0.9> * tanh(c<0.9> * x + c<0.1>) + c<0.1>) + c<0.1>);
constexpr auto deep = sum(square(layers));
constexpr auto logistic = sum(softplus(-y * dot(X, beta))) + c<0.5> * sum(square(beta));
constexpr auto entropy = -mean(logsumexp(X * beta(newaxis, all), axis<1>) - X(all, c<0>));

constexpr auto softplus_typed = function(inputs(x), value_and_grad(softplus_sum, x));
constexpr auto normal_typed = function(inputs(x, mu, scale), value_and_grad(normal, wrt(x, mu, scale)));
constexpr auto deep_typed = function(inputs(x), value_and_grad(deep, x));
constexpr auto logistic_typed = function(inputs(X, y, beta), value_and_grad(logistic, beta));
constexpr auto entropy_typed = function(inputs(X, beta), value_and_grad(entropy, X));

template <class Y, class... In, class By>
dyn::function runtime(Y value, By by, In... in) {
    return dyn::function({dyn::lift(in)...}, dyn::value_and_grad(dyn::lift(value), by));
}

/// Nanoseconds of a call, over a window.
template <class F>
double nanoseconds(F f) {
    const auto begin = std::chrono::steady_clock::now();
    long calls = 0;
    double seconds = 0;
    do {
        for (int i = 0; i < 10; ++i) f();
        calls += 10;
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    } while (seconds < 0.02);
    return 1e9 * seconds / static_cast<double>(calls);
}

int wrong = 0;

template <class Typed, class... A>
void compare(const char* name, std::size_t n, const Typed& typed, const dyn::function& runtime, const A&... arguments) {
    auto one = typed.prepare();
    auto other = runtime.prepare();
    const auto a = [&] { bench::used(one(arguments...)); };
    const auto b = [&] { bench::used(other(arguments...)); };
    a();
    const double want = std::get<0>(one(arguments...)), got = other(arguments...)[0].template scalar<double>();
    if (!(std::fabs(got - want) <= 1e-9 * std::fabs(want))) {
        std::printf("%s/%zu: the runtime graph computes %.17g, not %.17g\n", name, n, got, want);
        ++wrong;
    }
    double ta = 1e300, tb = 1e300;
    for (int window = 0; window < 9; ++window) {
        ta = std::fmin(ta, nanoseconds(a));
        tb = std::fmin(tb, nanoseconds(b));
    }
    const int nodes = runtime.compiled().kernels;
    std::printf("%-10s %7zu %12.1f %12.1f %8.2f %10.1f\n", name, n, ta, tb, tb / ta, (tb - ta) / nodes);
    std::fflush(stdout);
}

}  // namespace

int main() {
    std::printf("%-10s %7s %12s %12s %8s %10s\n", "ns", "n", "typed", "runtime", "ratio", "more/node");
    const auto vx = dyn::lift(x), vX = dyn::lift(X), vb = dyn::lift(beta);
    const dyn::function softplus_runtime = runtime(softplus_sum, vx, x), deep_runtime = runtime(deep, vx, x), entropy_runtime = runtime(entropy, vX, X, beta),
                        normal_runtime = runtime(normal, std::vector<dyn::expr>{vx, dyn::lift(mu), dyn::lift(scale)}, x, mu, scale), logistic_runtime = runtime(logistic, vb, X, y, beta);
    for (std::size_t n : {1u, 10u, 1000u, 10000u, 100000u}) {
        const auto data = bench::make(n, bench::gaussian(3));
        compare("softplus", n, softplus_typed, softplus_runtime, data);
        compare("tanh", n, deep_typed, deep_runtime, data);
        compare("normal", n, normal_typed, normal_runtime, data, 0.1, 0.2);
    }
    for (std::size_t n : {10u, 100u, 1000u, 10000u}) {
        const auto rows = bench::make(n, 20, bench::gaussian());
        const auto weights = bench::make(20, bench::gaussian()), labels = bench::make(n, [i = 0]() mutable { return i++ % 3 ? 1.0 : -1.0; });
        compare("logistic", n, logistic_typed, logistic_runtime, rows, labels, weights);
        compare("xent", n, entropy_typed, entropy_runtime, rows, weights);
    }
    return wrong != 0;
}
