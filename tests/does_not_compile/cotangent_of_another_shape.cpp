// expect: has the extents of what it belongs to
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto w = tensor<double, "w", "m">;
constexpr auto wrong = pullback(exp(x), x, w);
