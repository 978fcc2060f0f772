// The runtime graph: the same operations and rules where the composition is only known when the program runs.
#include <cotan/cotan.hpp>
#include <cotan/dyn.hpp>
#include <xtensor/xtensor.hpp>
#include "check.hpp"

int main() {
    namespace dyn = cotan::dyn;
    // A network whose depth is a run-time number; numbers are plain numbers here.
    for (int depth : {1, 3, 20}) {
        auto x = dyn::tensor<double>("x", 1);  // one axis, its extent known at the call
        auto h = x;
        for (int layer = 0; layer < depth; ++layer) h = tanh(0.9 * h + 0.1 * (layer + 1));
        auto loss = sum(square(h));
        auto f = dyn::function({x}, {loss, dyn::grad(loss, x)});
        xt::xtensor<double, 1> xd = {0.3, -0.2, 1.5};
        auto out = f({xd});
        const double v = out[0].scalar<double>();
        const xt::xtensor<double, 1> g = out[1].as<double, 1>();
        // forward mode by hand
        double want = 0;
        for (int i = 0; i < 3; ++i) {
            double a = xd(i), d = 1;
            for (int layer = 0; layer < depth; ++layer) {
                a = std::tanh(0.9 * a + 0.1 * (layer + 1));
                d = (1 - a * a) * 0.9 * d;
            }
            want += a * a;
            check::near(g(i), 2 * a * d, "gradient", 1e-13);
        }
        check::near(v, want, "value", 1e-13);
    }
    {  // the same stabilising rewrites as in typed graphs
        auto x = dyn::scalar<double>("x");
        auto y = log(1.0 - exp(x));
        auto f = dyn::function({x}, {y, dyn::grad(y, x)});
        auto out = f({-1e-10});
        check::near(out[0].scalar<double>(), -23.025850929990457, "log(1 - exp(x))");
        check::near(out[1].scalar<double>(), -9999999999.4999996, "its derivative");
    }
    {  // a typed graph becomes a runtime graph and can be composed further
        using namespace cotan;
        constexpr auto v = tensor<double, "v", "n">;
        constexpr auto norm2 = sum(square(v));
        auto g = dyn::lift(norm2);
        auto twice = 2.0 * g;
        auto f = dyn::function({dyn::lift(v)}, {twice, dyn::grad(twice, dyn::lift(v))});
        xt::xtensor<double, 1> vd = {1.0, 2.0};
        auto out = f({vd});
        check::near(out[0].scalar<double>(), 10.0, "lifted");
        check::near((out[1].as<double, 1>())(1), 8.0, "lifted gradient");
    }
    {  // errors speak: extents that do not fit, an input that was not given
        auto x = dyn::tensor<double>("x", 1);
        auto y = dyn::tensor<double>("y", 1);
        auto f = dyn::function({x, y}, {sum(x * y)});
        xt::xtensor<double, 1> three = {1.0, 2.0, 3.0}, two = {1.0, 2.0};
        bool thrown = false;
        try {
            (void)f({three, two});
        } catch (const cotan::shape_error& e) {
            const std::string words = e.what();
            thrown = words.find("x") != std::string::npos && words.find("3") != std::string::npos &&
                     words.find("2") != std::string::npos;
        }
        check::that(thrown, "extents that differ are named");
    }
    return check::result();
}
