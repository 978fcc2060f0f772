// expect: discrete
// expect: log_density
#include <cotan/random.hpp>
using namespace cotan;
constexpr auto key = random::key<"key">;
constexpr auto rate = scalar<double, "rate">;
constexpr auto x = tensor<double, "x", "n">;
#ifdef COTAN_TWIN
constexpr auto draw = random::poisson(key, stop_gradient(rate), like(x));
constexpr auto y = sum(x * random::poisson.log_density(draw.value, rate));
#else
constexpr auto draw = random::poisson(key, rate, like(x));
constexpr auto y = sum(x * cast<double>(draw.value));
#endif
constexpr auto f = function(inputs(key, rate, x), grad(y, rate));
