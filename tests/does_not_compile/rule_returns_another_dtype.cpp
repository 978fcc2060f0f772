// expect: another dtype
// expect: cast<float>
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<float, "x", "n">;
constexpr auto y = tensor<double, "y", "n">;
#ifdef COTAN_TWIN
constexpr auto right = with_pullback(x * y, wrt(x, y), [](auto ct, auto, auto a, auto b) { return list(cast<float>(ct * b), ct * a); });
#else
constexpr auto wrong = with_pullback(x * y, wrt(x, y), [](auto ct, auto, auto a, auto b) { return list(ct * b, ct * a); });
#endif
