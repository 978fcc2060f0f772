// expect: other extents
// expect: sum over the axes
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto s = scalar<double, "s">;
#ifdef COTAN_TWIN
constexpr auto right = with_pullback(s * x, wrt(s, x), [](auto ct, auto, auto a, auto v) { return list(sum(ct * v), ct * a); });
#else
constexpr auto wrong = with_pullback(s * x, wrt(s, x), [](auto ct, auto, auto a, auto v) { return list(ct * v, ct * a); });
#endif
