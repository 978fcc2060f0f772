#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

TEST_CASE("roundings") {
    constexpr auto f = function(inputs(x), outputs(floor(x), ceil(x), trunc(x), round(x), rint(x), grad(sum(x * floor(x)), x), grad(sum(rint(x)), x)));
    const double at[] = {-2.5, -0.5, 0.5, 1.5, 2.5, 0.49999999999999994, 4503599627370495.5, 1e300, inf, -inf, qnan, -0.2, 7, -7, 3.7, -3.2, 0};
    xt::xtensor<double, 1> in = xt::zeros<double>({std::size(at)});
    for (std::size_t i = 0; i < in.size(); ++i) in(i) = at[i];
    const auto [down, up, cut, near, even, g, zero] = f(in);
    for (std::size_t i = 0; i < in.size(); ++i) {
        INFO(in(i));
        CHECK(table::near(down(i), std::floor(in(i)), 0));
        CHECK(table::near(up(i), std::ceil(in(i)), 0));
        CHECK(table::near(cut(i), std::trunc(in(i)), 0));
        CHECK(table::near(near(i), std::round(in(i)), 0));
        CHECK(table::near(even(i), std::rint(in(i)), 0));
        CHECK(table::near(g(i), std::floor(in(i)), 0));
        CHECK(zero(i) == 0);
    }
    static_assert(type_of<decltype(floor(scalar<std::int32_t, "i">))>::dt == dtype::float64);
    CHECK(table::value(floor(round(x)), 2.5) == 3);
}
