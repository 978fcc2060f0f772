// expect: without captures
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto scaled(double k) {
    (void)k;
#ifdef COTAN_TWIN
    return with_pullback(square(x), wrt(x), [](auto ct, auto, auto v) { return list(ct * c<2> * v); });
#else
    return with_pullback(square(x), wrt(x), [k](auto ct, auto, auto v) { return list(ct * c<2> * v); });
#endif
}
constexpr auto made = scaled(2.0);
