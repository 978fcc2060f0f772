// expect: one cotangent for each
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
#ifdef COTAN_TWIN
constexpr auto right = pullback(outputs(exp(x), sum(x)), x, outputs(x, c<1>));
#else
constexpr auto wrong = pullback(outputs(exp(x), sum(x)), x, outputs(x));
#endif
