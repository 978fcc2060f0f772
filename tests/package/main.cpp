#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>

inline constexpr auto x = cotan::tensor<double, "x", "n">;
inline constexpr auto f = cotan::function(cotan::inputs(x), cotan::value_and_grad(cotan::sum(cotan::square(x)), x));

int main() {
    const auto [value, gradient] = f(xt::xtensor<double, 1>{3.0, 4.0});
    return value == 25.0 && gradient(1) == 8.0 ? 0 : 1;
}
