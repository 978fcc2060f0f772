// expect: update
// expect: shared
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto t = scalar<double, "t">;
constexpr auto wrong = update(t, t + c<1>);
