// expect: no derivative
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto a = scalar<double, "a">;
constexpr auto second = grad(grad(gammainc(a, c<2.0>), a), a);
#ifdef COTAN_TWIN
constexpr auto f = function(inputs(a), second);
#else
constexpr auto f = function(inputs(a), grad(second, a));
#endif
