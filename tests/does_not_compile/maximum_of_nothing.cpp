// expect: extent 0
#include <cotan/cotan.hpp>
using namespace cotan;
#ifdef COTAN_TWIN
constexpr auto x = tensor<double, "x", 1>;
#else
constexpr auto x = tensor<double, "x", 0>;
#endif
constexpr auto m = max(x);
