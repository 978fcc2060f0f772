#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

TEST_CASE("stop_gradient and zero_gradient") {
    constexpr auto e = sum(x * stop_gradient(square(x)));
    constexpr auto z = sum(x * zero_gradient(square(x)));
    constexpr auto f = function(inputs(x), outputs(e, grad(e, x), grad(z, x), pushforward(e, x, c<1>), grad(sum(stop_gradient(x)), x), jacobian(x * stop_gradient(x), x)));
    const auto [v, g, gz, t, zero, J] = f(xt::xtensor<double, 1>{3});
    CHECK(v == 27);
    CHECK(g(0) == 9);
    CHECK(gz(0) == 9);
    CHECK(t == 9);
    CHECK(zero(0) == 0);
    CHECK(J(0, 0) == 3);
}

TEST_CASE("a second derivative stopped") {
    constexpr auto p = scalar<double, "p">;
    constexpr auto g = p * square(p) * c<0.5>;
    constexpr auto d = grad(square(g) * c<0.5>, p);
    const auto [a, b] = function(inputs(p), outputs(d, grad(stop_gradient(g) * g, p)))(2.0);
    CHECK(a == b);
}
