// expect: one scalar result
// expect: sum(y * w)
#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
#ifdef COTAN_TWIN
constexpr auto f = function(inputs(x), sum(exp(x)));
#else
constexpr auto f = function(inputs(x), exp(x));
#endif
auto wrong() { return verify_grad(f, xt::xtensor<double, 1>{1.0}); }
