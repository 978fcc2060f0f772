#include "op/table.hpp"
#include "plan/plan_of.hpp"

using namespace cotan;
using table::x, table::y;

// The derivative functions in all their forms: several results and inputs, inner nodes, packs, modes, policies.

namespace {

constexpr auto p = scalar<double, "p">;
constexpr auto q = scalar<double, "q">;
constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto b = tensor<double, "b", "k">;
constexpr auto u = tensor<double, "u", "k">;
constexpr auto w = tensor<double, "w", "n">;
constexpr auto F = tensor<double, "F", 2, "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

constexpr int loads_of(const auto& d, int input) {
    int n = 0;
    for (int i = 0; i < d.step_count; ++i) {
        const bits::step_data s = d.steps[i];
        if (s.kind == bits::step_kind::load) n += d.memories[s.memory].kind == bits::memory_kind::input && d.memories[s.memory].index == input;
    }
    return n;
}

}  // namespace

TEST_CASE("the gradient by a pack is a pack of its structure") {
    constexpr auto e = sum(x * y) * p * q;
    using by = decltype(grad(e, wrt(p, outputs(x, y), wrt(q))));
    STATIC_REQUIRE(std::is_same_v<by, pack<decltype(grad(e, p)), pack<decltype(grad(e, x)), decltype(grad(e, y))>, pack<decltype(grad(e, q))>>>);
    const auto [gp, gx, gy, gq] = function(inputs(x, y, p, q), by{})(line{1, 2}, line{3, 4}, 2.0, 5.0);
    CHECK(gp == 55);
    CHECK((gx == line{30, 40}));
    CHECK((gy == line{10, 20}));
    CHECK(gq == 22);
    using J = decltype(jacobian(outputs(x * y, p), wrt(x, p)));
    STATIC_REQUIRE(J::size == 2);
    using H = decltype(hessian(e, wrt(p, x)));
    const auto [pp, px, xp, xx] = function(inputs(x, y, p, q), H{})(line{1, 2}, line{3, 4}, 2.0, 5.0);
    CHECK(pp == 0);
    CHECK((px == line{15, 20}));
    CHECK((xp == line{15, 20}));
    CHECK(xx(0, 1) == 0);
    const auto [hp, hx] = function(inputs(x, y, p, q), hvp(e, wrt(p, x), outputs(c<1>, y)))(line{1, 2}, line{3, 4}, 2.0, 5.0);
    CHECK(hp == 125);
    CHECK((hx == line{15, 20}));
}

TEST_CASE("pullbacks of several results are one reverse sweep") {
    constexpr auto h = tanh(dot(A, b));
    constexpr auto f = function(inputs(A, b, w), pullback(outputs(h, sum(square(h))), wrt(A, b), outputs(w, c<2>)));
    const rows a{{1, -0.5, 0.25}, {0.1, 0.2, 0.3}};
    const line bd{0.3, -0.2, 0.5}, wd{2, -3};
    const auto [gA, gb] = f(a, bd, wd);
    for (std::size_t j = 0; j < 3; ++j) {
        double want = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            const double hi = std::tanh(a(i, 0) * bd(0) + a(i, 1) * bd(1) + a(i, 2) * bd(2)), slope = (wd(i) + 4 * hi) * (1 - hi * hi);
            want += slope * a(i, j);
            CHECK_NEAR(gA(i, j), slope * bd(j), 1e-14);
        }
        CHECK_NEAR(gb(j), want, 1e-14);
    }
    // the sweeps are joined: A is read as often as for one of the two results
    constexpr auto one = plan_of(inputs(A, b, w), outputs(pullback(h, b, w)));
    constexpr auto two = plan_of(inputs(A, b, w), outputs(pullback(outputs(h, sum(square(h))), b, outputs(w, c<2>))));
    STATIC_REQUIRE(loads_of(one, 0) == loads_of(two, 0));
    STATIC_REQUIRE(one.kernels == two.kernels);
    // pushforwards of several results along several inputs
    const auto [t, s] = function(inputs(A, b, u), pushforward(outputs(dot(A, b), sum(b)), wrt(A, b), outputs(A, u)))(a, bd, line{1, 1, 1});
    CHECK_NEAR(t(0), 0.525 + 0.75, 1e-15);
    CHECK(s == 3);
}

TEST_CASE("cotangents that are known at inner nodes") {
    constexpr auto h = exp(x);
    constexpr auto e = sum(square(h)) + sum(x);
    // as if the cotangent of h were y: by hand, grad x = y exp(x) + 1
    const auto g = function(inputs(x, y), grad(e, x, known(h, y)))(line{0, 1}, line{3, 5});
    CHECK_NEAR(g(0), 4, 1e-15);
    CHECK_NEAR(g(1), 5 * std::exp(1.0) + 1, 1e-15);
    // only from inner nodes on
    const auto only = function(inputs(x, y), pullback(outputs(h, sin(x)), x, outputs(y, c<2>)))(line{0, 1}, line{3, 5});
    CHECK_NEAR(only(0), 5, 1e-15);
    CHECK_NEAR(only(1), 5 * std::exp(1.0) + 2 * std::cos(1.0), 1e-15);
    // a result that stands inside another gets both
    const auto nested = function(inputs(x), pullback(outputs(square(h), h), x, outputs(c<1>, c<10>)))(line{0, 0});
    CHECK((nested == line{12, 12}));
}

TEST_CASE("jvp, vjp, linearize and transpose are pushforward and pullback") {
    constexpr auto e = sin(x) * p;
    STATIC_REQUIRE(std::is_same_v<decltype(jvp(e, x, y)), decltype(pushforward(e, x, y))>);
    STATIC_REQUIRE(std::is_same_v<decltype(vjp(e, wrt(x, p), y)), decltype(pullback(e, wrt(x, p), y))>);
    STATIC_REQUIRE(std::is_same_v<decltype(linearize(e, x)(y)), decltype(pushforward(e, x, y))>);
    STATIC_REQUIRE(std::is_same_v<decltype(transpose(linearize(e, x))(y)), decltype(pullback(e, x, y))>);
    STATIC_REQUIRE(std::is_same_v<decltype(transpose(transpose(linearize(e, wrt(x, p))))(outputs(y, q))), decltype(pushforward(e, wrt(x, p), outputs(y, q)))>);
}

TEST_CASE("a jacobian by forward, by reverse, and by the fewer sweeps") {
    constexpr auto e = dot(F, b * b);  // two results, k inputs
    constexpr auto f = function(inputs(F, b), outputs(jacobian(e, b), jacfwd(e, b), jacrev(e, b), jacfwd(e, F), jacrev(e, F)));
    const rows a{{1, 2, 3}, {4, 5, 6}};
    const auto [J, J1, J2, K1, K2] = f(a, line{1, -1, 2});
    const double bv[] = {1, -1, 2};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            CHECK(J(i, j) == 2 * a(i, j) * bv[j]);
            CHECK(J1(i, j) == J(i, j));
            CHECK(J2(i, j) == J(i, j));
            for (std::size_t l = 0; l < 2; ++l) {
                CHECK(K1(i, l, j) == (i == l ? bv[j] * bv[j] : 0));
                CHECK(K2(i, l, j) == K1(i, l, j));
            }
        }
    // two reverse sweeps are known to be fewer than k forward ones
    STATIC_REQUIRE(plan_of(inputs(F, b), outputs(jacobian(tanh(e), b))).step_count == plan_of(inputs(F, b), outputs(jacrev(tanh(e), b))).step_count);
    const auto g = function(inputs(b), outputs(jacobian(sum(exp(b)), b), jacrev(b, b)))(line{0, 1});
    CHECK_NEAR(std::get<0>(g)(1), std::exp(1.0), 1e-15);
    CHECK((std::get<1>(g) == rows{{1, 0}, {0, 1}}));
}

TEST_CASE("reverse jacobians of fills, matrices and broadcasts") {
    const auto [a, e, m] = function(inputs(A), outputs(jacrev(sum(A, axis<1>), A), jacrev(transpose(A) * c<2>, A), jacrev(sum(A), A)))(rows{{1, 2, 3}, {4, 5, 6}});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 2; ++k)
            for (std::size_t l = 0; l < 3; ++l) {
                CHECK(a(i, k, l) == (i == k ? 1.0 : 0.0));
                CHECK(m(k, l) == 1);
                for (std::size_t j = 0; j < 3; ++j) CHECK(e(j, i, k, l) == (i == k && j == l ? 2.0 : 0.0));
            }
}

TEST_CASE("grad_clip and grad_scale leave the value and change derivatives") {
    constexpr auto e = sum(square(grad_clip(x, c<-1.0>, p)));
    const auto [v, g, t] = function(inputs(x, p), outputs(e, grad(e, x), pushforward(e, x, c<1>)))(line{0.25, -3, 4}, 2.0);
    CHECK(v == 25.0625);
    CHECK((g == line{0.5, -1, 2}));
    CHECK(t == 2 * (0.25 - 3 + 4));
    constexpr auto r = sum(exp(grad_scale(x, c<-2.0>)) * x);
    const auto [gr, tr, H] = function(inputs(x), outputs(grad(r, x), pushforward(r, x, c<1>), hessian(r, x)))(line{0, 0});
    CHECK((gr == line{1, 1}));  // exp(x) - 2 x exp(x)
    CHECK(tr == 2);
    CHECK(H(0, 0) == -2 - 2 + 0);  // each of two derivatives that goes through the scaled x is multiplied by -2: 2 * (-2), and 4 x exp(x)
    CHECK(function(inputs(x, p), grad(sum(grad_scale(x, p)), p))(line{1}, 3.0) == 0);
}

TEST_CASE("what is disconnected is known to the compiler, and is zero or refused") {
    STATIC_REQUIRE(is_disconnected(sum(x), y));
    STATIC_REQUIRE(!is_disconnected(sum(x * y), y));
    STATIC_REQUIRE(is_disconnected(sum(x * stop_gradient(y)), y));
    STATIC_REQUIRE(is_disconnected(sum(x * floor(y)), y));
    STATIC_REQUIRE(is_disconnected(sum(where(y > c<0>, x, c<0>)), y));
    STATIC_REQUIRE(!is_disconnected(sum(x * zero_gradient(y)), y));
    STATIC_REQUIRE(!is_disconnected(square(exp(x)), exp(x)));
    const auto [z, g] = function(inputs(x, y), outputs(grad(sum(x), y, disconnected::zero), grad(sum(x * y), wrt(x), disconnected::refuse)))(line{1, 2}, line{3, 4});
    CHECK((z == line{0, 0}));
    CHECK((g == line{3, 4}));
}

TEST_CASE("G01 nested differentiation does not confuse its levels") {
    constexpr auto d = grad(p * grad(p + q, q), p);
    CHECK(function(inputs(p, q), d)(5.0, 5.0) == 1);
    const auto t = function(inputs(x, y), pushforward(grad(sum(square(x)), x), x, y))(line{1, 2, 3}, line{1, 0, 0});
    CHECK((t == line{2, 0, 0}));
}

TEST_CASE("G02 a stopped outer tangent, in all four compositions") {
    // h = g^2 / 2 with g = x^2 / 2: h' = g g', and with g' taken as a constant h'' = g'^2 = x^2
    constexpr auto g = square(p) / c<2.0>;
    constexpr auto slope = grad(g, p);
    const auto at = [&](auto e) { return function(inputs(p), e)(3.0); };
    constexpr auto hh = square(g) / c<2.0>;
    CHECK(at(grad(hh, p)) == 4.5 * 3);
    CHECK(at(grad(grad(hh, g) * stop_gradient(slope), p)) == 9);
    CHECK(at(pushforward(grad(hh, g) * stop_gradient(slope), p, c<1>)) == 9);
    constexpr auto fslope = pushforward(g, p, c<1>);
    CHECK(at(grad(pushforward(hh, g, c<1>) * stop_gradient(fslope), p)) == 9);
    CHECK(at(pushforward(pushforward(hh, g, c<1>) * stop_gradient(fslope), p, c<1>)) == 9);
}

TEST_CASE("G06 an integer literal is a number like others") {
    CHECK(function(inputs(p), grad(p * p * p, p))(5) == 75);
    CHECK(function(inputs(p), grad(pow(p, c<3>), p))(5) == 75);
}

TEST_CASE("G07 a compiled gradient has no memory") {
    auto run = function(inputs(p), grad(p * p * p, p)).prepare();
    CHECK(run(1.0) == 3);
    CHECK(run(2.0) == 12);
}

TEST_CASE("G08 equal parts that were given two names") {
    constexpr auto s = c<100> * p;
    constexpr auto first = s * exp(s);
    constexpr auto second = s - s * exp(s);
    const auto [v, g] = function(inputs(p), value_and_grad(first + second, p))(0.5);
    CHECK(v == 50);
    CHECK(g == 100);
}

TEST_CASE("G09 one input in both places") {
    constexpr auto f = [](auto a, auto e) { return a * square(e); };
    CHECK(function(inputs(p), grad(f(p, p), p))(3.0) == 27);
}

TEST_CASE("G11 a jacobian with a stopped and a disconnected part") {
    const auto [a, d] = function(inputs(p, q), jacobian(outputs(p * stop_gradient(p), q), p))(3.0, 7.0);
    CHECK(a == 3);
    CHECK(d == 0);
}

TEST_CASE("G14 forward and reverse agree at a mask") {
    // sum over i != j of q_i q_j / |r_i - r_j|
    constexpr auto r = tensor<double, "r", "n", 2>;
    constexpr auto apart = r(all, newaxis) - r(newaxis, all);
    constexpr auto squares = sum(square(apart), axis<2>);
    constexpr auto different = squares > c<0>;
    constexpr auto e = sum(where(different, x(all, newaxis) * x(newaxis, all) / sqrt(squares), c<0.0>));
    const auto [v, g, J, R] = function(inputs(x, r), outputs(e, grad(e, r), jacfwd(e, r), jacrev(e, r)))(line{1, 2}, rows{{0, 0}, {3, 4}});
    CHECK_NEAR(v, 0.8, 1e-15);
    for (std::size_t k = 0; k < 2; ++k) {
        const double want = k ? 0.128 : 0.096;
        CHECK_NEAR(g(0, k), want, 1e-15);
        CHECK_NEAR(g(1, k), -want, 1e-15);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK_NEAR(J(i, k), g(i, k), 1e-15);
            CHECK_NEAR(R(i, k), g(i, k), 1e-15);
        }
    }
}

TEST_CASE("G15 the Jacobian of an outer product, in both modes") {
    constexpr auto e = x(all, newaxis) * x(newaxis, all);
    const auto [J, R] = function(inputs(x), outputs(jacfwd(e, x), jacrev(e, x)))(line{0, 1, 2});
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k) {
                CHECK(J(i, j, k) == (i == k ? double(j) : 0.0) + (j == k ? double(i) : 0.0));
                CHECK(R(i, j, k) == J(i, j, k));
            }
}
