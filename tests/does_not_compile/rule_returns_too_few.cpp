// expect: one cotangent for each expression in wrt(...)
// expect: nothing
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto a = scalar<double, "a">;
constexpr auto b = scalar<double, "b">;
#ifdef COTAN_TWIN
constexpr auto right = with_pullback(a * b, wrt(a, b), [](auto ct, auto, auto, auto y) { return list(ct * y, nothing); });
#else
constexpr auto wrong = with_pullback(a * b, wrt(a, b), [](auto ct, auto, auto, auto y) { return list(ct * y); });
#endif
