// expect: shared variables
// expect: prepare
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto t = scalar<double, "t">;
constexpr auto w = shared<double, "w">;
constexpr auto f = function(inputs(t), outputs(w * t));
#ifdef COTAN_TWIN
double right() {
    auto run = f.prepare();
    run.set(w, 2.0);
    return run(3.0);
}
#else
double wrong() { return f(3.0); }
#endif
