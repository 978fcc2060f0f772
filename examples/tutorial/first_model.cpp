// The program of docs/tutorials/first_model.md, which shows its snippets in order.
// snippet: includes
#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>
// end
#include <cmath>
#include <cstdio>

// snippet: inputs
using namespace cotan;

inline constexpr auto x = tensor<double, "x", "n">;
inline constexpr auto y = tensor<double, "y", "n">;
inline constexpr auto slope = scalar<double, "slope">;
inline constexpr auto intercept = scalar<double, "intercept">;
// end

// snippet: loss
inline constexpr auto residual = y - (intercept + slope * x);
inline constexpr auto loss = c<0.5> * sum(square(residual));
// end

// snippet: function
inline constexpr auto f = function(inputs(x, y, slope, intercept), value_and_grad(loss, wrt(slope, intercept)));
// end

int main() {
    // snippet: data
    const xt::xtensor<double, 1> xs = {0.0, 1.0, 2.0, 3.0};
    const xt::xtensor<double, 1> ys = {1.0, 3.0, 5.0, 7.0};
    // end

    // snippet: call
    auto [value, d_slope, d_intercept] = f(xs, ys, 0.0, 0.0);
    std::printf("loss %g, by slope %g, by intercept %g\n", value, d_slope, d_intercept);
    // end
    if (value != 42.0 || d_slope != -34.0 || d_intercept != -16.0) return 1;

    // snippet: descent
    auto run = f.prepare();  // owns its buffers
    double a = 0.0, b = 0.0;
    for (int step = 0; step < 500; ++step) {
        auto [l, da, db] = run(xs, ys, a, b);
        a -= 0.1 * da;
        b -= 0.1 * db;
    }
    std::printf("slope %.3f, intercept %.3f\n", a, b);
    // end
    return std::fabs(a - 2.0) < 1e-6 && std::fabs(b - 1.0) < 1e-6 ? 0 : 1;
}
