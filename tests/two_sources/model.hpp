#pragma once
#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>

namespace model {
inline constexpr auto x = cotan::tensor<double, "x", "n">;
inline constexpr auto f = cotan::function(cotan::inputs(x), cotan::value_and_grad(cotan::sum(cotan::square(x)), x));
}  // namespace model

using result = decltype(model::f(xt::xtensor<double, 1>{}));

result from_b(const xt::xtensor<double, 1>& x);
const void* address_in_b();
