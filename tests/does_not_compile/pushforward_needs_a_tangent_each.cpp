// expect: one tangent for each
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto s = scalar<double, "s">;
#ifdef COTAN_TWIN
constexpr auto right = pushforward(x * s, wrt(x, s), outputs(x, s));
#else
constexpr auto wrong = pushforward(x * s, wrt(x, s), outputs(x));
#endif
