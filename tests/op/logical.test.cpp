#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

TEST_CASE("questions about one number") {
    constexpr auto f = function(inputs(x), outputs(isnan(x), isinf(x), isfinite(x)));
    xt::xtensor<double, 1> in = {0, inf, -inf, qnan, 1e308, 1, 2, 3, 4, qnan, inf};
    const auto [n, i, finite] = f(in);
    for (std::size_t k = 0; k < in.size(); ++k) {
        CHECK(n(k) == std::isnan(in(k)));
        CHECK(i(k) == std::isinf(in(k)));
        CHECK(finite(k) == std::isfinite(in(k)));
    }
}

TEST_CASE("logic by name") {
    constexpr auto f = function(inputs(x, y), outputs(logical_xor(x > c<0>, y > c<0>), logical_and(x > c<0>, y > c<0>), logical_or(x > c<0>, y > c<0>), logical_not(x > c<0>),
                                                      where(logical_xor(x > c<0>, y > c<0>), x, y)));
    const auto [a, b, d, e, w] = f(xt::xtensor<double, 1>{1, 1, -1, -1}, xt::xtensor<double, 1>{1, -1, 1, -1});
    const bool want[][4] = {{0, 1, 1, 0}, {1, 1, 0, 0}, {1, 0, 0, 0}, {1, 0, 1, 1}};
    for (std::size_t k = 0; k < 4; ++k) {
        CHECK(a(k) == (k == 1 || k == 2));
        CHECK(b(k) == (k == 0));
        CHECK(d(k) == (k != 3));
        CHECK(e(k) == (k > 1));
    }
    CHECK((w == xt::xtensor<double, 1>{1, 1, -1, -1}));
    (void)want;
}
