// The README's example as a program.
// snippet: readme
#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>
using namespace cotan;

inline constexpr auto X = tensor<double, "X", "n", "k">;  // extents have names, or fixed sizes
inline constexpr auto y = tensor<double, "y", "n">;
inline constexpr auto beta = tensor<double, "beta", "k">;

inline constexpr auto eta = dot(X, beta);
inline constexpr auto loss = sum(log(c<1.0> + exp(eta)) - y * eta);  // logistic regression, as a textbook writes it

inline constexpr auto f = function(inputs(X, y, beta), value_and_grad(loss, beta));
// end

#include <cmath>
#include <cstdio>

int main() {
    const xt::xtensor<double, 2> X_data = {{1.0, 66.0}, {1.0, 70.0}, {1.0, 53.0}};
    const xt::xtensor<double, 1> y_data = {0.0, 1.0, 1.0};
    const xt::xtensor<double, 1> beta_data = {0.0, 0.0};
    // snippet: call
    auto [value, gradient] = f(X_data, y_data, beta_data);
    // end
    std::printf("%.4f (%.1f, %.1f)\n", value, gradient(0), gradient(1));
    return std::fabs(value - 3 * std::log(2.0)) < 1e-12 && std::fabs(gradient(0) + 0.5) < 1e-12 ? 0 : 1;
}
