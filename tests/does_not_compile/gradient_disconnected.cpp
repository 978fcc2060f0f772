// expect: disconnected
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto y = tensor<double, "y", "n">;
#ifdef COTAN_TWIN
constexpr auto right = grad(sum(x * y), wrt(x, y), disconnected::refuse);
#else
constexpr auto wrong = grad(sum(x * stop_gradient(y)), wrt(x, y), disconnected::refuse);
#endif
