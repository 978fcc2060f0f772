// expect: key
#include <cotan/random.hpp>
using namespace cotan;
constexpr auto mu = scalar<double, "mu">;
constexpr auto wrong = random::normal(mu, c<1.0>);
