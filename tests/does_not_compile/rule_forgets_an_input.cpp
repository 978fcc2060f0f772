// expect: forgets an input
// expect: stop_gradient
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto a = scalar<double, "a">;
constexpr auto b = scalar<double, "b">;
#ifdef COTAN_TWIN
constexpr auto right = with_pullback(a * b, wrt(a, b), [](auto ct, auto, auto x, auto y) { return list(ct * y, ct * x); });
#else
constexpr auto wrong = with_pullback(a * b, wrt(a), [](auto ct, auto, auto) { return list(ct * b); });
#endif
