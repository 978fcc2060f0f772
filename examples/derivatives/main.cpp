// The code of docs/reference/derivatives.md.
#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>

#include <cmath>
#include <cstdio>

using namespace cotan;

inline constexpr auto x = tensor<double, "x", "n">;
inline constexpr auto y = tensor<double, "y", "n">;

// snippet: own_operation
struct cube_ : elementwise<cube_> {
    static constexpr auto name = "cube";
    template <class V> static V kernel(V v) { return v * v * v; }  // V: a number or a SIMD batch
    static constexpr auto partials(auto /*y*/, auto v) { return list(c<3.0> * square(v)); }
};
inline constexpr auto cube = operation<cube_>;
// end

// snippet: own_rule
inline constexpr auto bounded = with_pullback(square(x), wrt(x), [](auto ct, auto /*y*/, auto v) {
    return list(clip(ct * c<2.0> * v, c<-1.0>, c<1.0>));
});
// end

int main() {
    const xt::xtensor<double, 1> at = {0.3, -5.0, 5.0}, w = {1.0, 2.0, 3.0};
    bool right = true;

    // snippet: forms
    constexpr auto energy = sum(exp(x) * y);
    constexpr auto f = function(inputs(x, y), outputs(value_and_grad(energy, wrt(x, y)),  // a number and two vectors
                                                      hvp(energy, x, y),                  // the Hessian by x times y
                                                      hessian_diagonal(energy, x)));
    const auto [value, by_x, by_y, product, diagonal] = f(at, w);
    // end
    right = right && std::fabs(by_x(0) - std::exp(0.3)) < 1e-15 && std::fabs(diagonal(2) - 3 * std::exp(5.0)) < 1e-12 && std::fabs(value - xt::sum(by_x)()) < 1e-10 &&
            std::fabs(by_y(0) - std::exp(0.3)) < 1e-15 && std::fabs(product(1) - 4 * std::exp(-5.0)) < 1e-15;

    const auto [gradient, own] = function(inputs(x), outputs(grad(sum(bounded), x), grad(sum(cube(x)), x)))(at);
    right = right && gradient(1) == -1 && gradient(0) == 0.6 && own(1) == 75;

    // snippet: verify
    constexpr auto model = function(inputs(x, y), energy);
    const double worst = verify_grad(model, at, w);             // 1e-9 or so
    const derivative_report report = verify_derivatives(model, at, w);
    std::puts(report.text().c_str());                           // the worst input and element, both modes, second order, Taylor slopes
    // end
    right = right && worst < 1e-6 && report.worst < 1e-4;

    // snippet: checked
    auto run = function(inputs(x), sum(sqrt(x))).prepare(checked);
    try {
        run(xt::xtensor<double, 1>{1.0, -1.0});
    } catch (const domain_error& e) {
        std::puts(e.what());
    }
    // end
    return right ? 0 : 1;
}
