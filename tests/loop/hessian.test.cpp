// The Hessian of a likelihood with a Kalman filter in it, by forward over reverse mode.
#include "op/table.hpp"

using namespace cotan;

namespace {

constexpr auto flow = tensor<double, "flow", "t">;
constexpr auto v = tensor<double, "v", 2>;  // logarithms of the variances
constexpr auto eps = exp(v(c<0>));
constexpr auto eta = exp(v(c<1>));
constexpr auto filter = scan(init(flow(c<0>), eps + eta), over(flow(slice<1, end>)), [](auto level, auto variance, auto measured) {
    auto innovation = measured - level;
    auto total = variance + eps;
    auto gain = variance / total;
    return step(level + gain * innovation, variance * (c<1.0> - gain) + eta).emit(log(total) + square(innovation) / total);
});
constexpr auto loss = c<0.5> * sum(filter.trace + log(c<2.0> * pi));
using line = xt::xtensor<double, 1>;

// The Nile's flow, 1871 to 1970.
const line nile{1120, 1160, 963,  1210, 1160, 1160, 813,  1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799,  958, 1140, 1100, 1210, 1150, 1250, 1260,
                1220, 1030, 1100, 774,  840,  874,  694,  940,  833,  701,  916, 692, 1020, 1050, 969, 831, 726,  456,  824, 702,  1120, 1100, 832,  764,  821,
                768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,  781, 865, 845,  944, 984,  897, 822,  1010, 771, 676,  649,  846,  812,  742,  801,
                1040, 860,  874,  848,  890,  744,  749,  838,  1050, 918,  986, 797, 923,  975, 815,  1020, 906, 901,  1170, 912, 746,  919,  718,  714,  740};

}  // namespace

TEST_CASE("the Hessian of the Nile's likelihood") {  // tools/oracles/nile.py
    const auto h = function(inputs(flow, v), hessian(loss, v))(nile, line{std::log(15000.0), std::log(1500.0)});
    CHECK_NEAR(h(0, 0), 36.657633530439233, 1e-11);
    CHECK_NEAR(h(0, 1), 5.4180753807358047, 1e-11);
    CHECK_NEAR(h(1, 0), 5.4180753807358047, 1e-11);
    CHECK_NEAR(h(1, 1), 2.1259271156995675, 1e-11);
}

TEST_CASE("the Hessian is what differences of the gradient say") {
    constexpr auto g = function(inputs(flow, v), grad(loss, v));
    const line at{9.0, 8.0};
    const auto h = function(inputs(flow, v), hessian(loss, v))(nile, at);
    for (std::size_t k = 0; k < 2; ++k) {
        const auto moved = [&](double t) {
            line there = at;
            there(k) += t;
            return line(g(nile, there));
        };
        const double t = 1e-3;
        const line d = (8.0 * (moved(t) - moved(-t)) - (moved(2 * t) - moved(-2 * t))) / (12 * t);
        CHECK_NEAR(h(0, k), d(0), 1e-9);
        CHECK_NEAR(h(1, k), d(1), 1e-9);
    }
}
