// expect: does not use the shared variable
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto t = scalar<double, "t">;
constexpr auto w = shared<double, "w">;
constexpr auto v = shared<double, "v">;
constexpr auto f = function(inputs(t), outputs(w * t));
void wrong() {
    auto run = f.prepare();
#ifdef COTAN_TWIN
    run.set(w, 1.0);
#else
    run.set(v, 1.0);
#endif
}
