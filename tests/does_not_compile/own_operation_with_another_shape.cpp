// expect: other extents than the operands
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto w = tensor<double, "w", "m">;
struct cube_ : elementwise<cube_> {
    static constexpr auto name = "cube";
    template <class V> static V kernel(V a) { return a * a * a; }
#ifdef COTAN_TWIN
    static constexpr auto partials(auto, auto a) { return list(c<3> * square(a)); }
#else
    static constexpr auto partials(auto, auto a) { return list(square(a)(all, newaxis)); }
#endif
};
constexpr auto made = operation<cube_>(x);
