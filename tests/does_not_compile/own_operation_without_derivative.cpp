// expect: no derivative
// expect: partials
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
struct cube_ : elementwise<cube_> {
    static constexpr auto name = "cube";
    template <class V> static V kernel(V a) { return a * a * a; }
#ifdef COTAN_TWIN
    static constexpr auto partials(auto, auto a) { return list(c<3> * square(a)); }
#endif
};
constexpr auto f = function(inputs(x), grad(sum(operation<cube_>(x)), x));
