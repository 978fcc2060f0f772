// expect: one derivative for each operand
// expect: nothing
#include <cotan/cotan.hpp>
using namespace cotan;
struct weigh_ : elementwise<weigh_, 2> {
    static constexpr auto name = "weigh";
    template <class V> static V kernel(V a, V b) { return a * a * b; }
#ifdef COTAN_TWIN
    static constexpr auto partials(auto, auto a, auto b) { return list(c<2> * a * b, square(a)); }
#else
    static constexpr auto partials(auto, auto a, auto b) { return list(c<2> * a * b); }
#endif
};
constexpr auto x = tensor<double, "x", "n">;
constexpr auto made = operation<weigh_>(x, x);
