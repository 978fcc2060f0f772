// expect: a pullback rule takes
// expect: auto ct, auto y, auto x
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
#ifdef COTAN_TWIN
constexpr auto right = with_pullback(square(x), wrt(x), [](auto ct, auto, auto v) { return list(ct * c<2> * v); });
#else
constexpr auto wrong = with_pullback(square(x), wrt(x), [](auto ct, auto v) { return list(ct * c<2> * v); });
#endif
