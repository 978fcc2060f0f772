// expect: fixed_point
// expect: another type
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
#ifdef COTAN_TWIN
constexpr auto fine = fixed_point([](auto s) { return c<0.5> * s + x; }, x).last;
#else
constexpr auto wrong = fixed_point([](auto s) { return c<0.5> * s + x; }, c<0.0>).last;
#endif
