#include "op/table.hpp"
#include "plan/plan_of.hpp"

using namespace cotan;
using table::x, table::y;

// Users' own operations and own derivative rules.

namespace {

constexpr auto p = scalar<double, "p">;
constexpr auto q = scalar<double, "q">;
constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto b = tensor<double, "b", "k">;
constexpr auto u = tensor<double, "u", "k">;
constexpr auto w = tensor<double, "w", "n">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

struct cube_ : elementwise<cube_> {
    static constexpr auto name = "cube";
    template <class V> static V kernel(V v) { return v * v * v; }
    static constexpr auto partials(auto, auto v) { return list(c<3.0> * square(v)); }
};
constexpr auto cube = operation<cube_>;

// a^2 b, with a derivative by a only
struct weigh_ : elementwise<weigh_, 2> {
    static constexpr auto name = "weigh";
    template <class V> static V kernel(V a, V b) { return a * a * b; }
    static constexpr auto partials(auto, auto a, auto b) { return list(c<2> * a * b, nothing); }
};
constexpr auto weigh = operation<weigh_>;

}  // namespace

TEST_CASE("an own operation fuses, broadcasts, promotes and has derivatives of all orders") {
    STATIC_REQUIRE(plan_of(inputs(x), outputs(value_and_grad(sum(cube(x)), x))).kernels == 1);
    const auto [v, g, H] = function(inputs(x), outputs(sum(cube(x)), grad(sum(cube(x)), x), hessian(sum(cube(x)), x)))(line{0.3, -0.2, 0.5});
    CHECK_NEAR(v, 0.027 - 0.008 + 0.125, 1e-15);
    CHECK_NEAR(g(2), 0.75, 1e-15);
    CHECK_NEAR(H(1, 1), -1.2, 1e-15);
    CHECK(H(0, 1) == 0);
    constexpr auto third = grad(grad(grad(cube(p), p), p), p);
    CHECK(function(inputs(p), third)(2.0) == 6);
    constexpr auto s = tensor<float, "s", "n">;
    const auto f = function(inputs(s), grad(sum(cube(s)), s))(xt::xtensor<float, 1>{2});
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(f(0))>, float>);
    CHECK(f(0) == 12.f);
    CHECK((function(inputs(x), cube(c<2>) + x)(line{1, 2}) == line{9, 10}));
}

TEST_CASE("nothing for an operand is a structural zero") {
    const auto [ga, gb] = function(inputs(x, y), grad(sum(weigh(x, y)), wrt(x, y)))(line{1, 2}, line{3, std::numeric_limits<double>::infinity()});
    CHECK(ga(0) == 6);
    CHECK((gb == line{0, 0}));
    const auto t = function(inputs(x, y), pushforward(weigh(x, y), wrt(x, y), outputs(c<1>, c<1>)))(line{1, 2}, line{3, 4});
    CHECK((t == line{6, 16}));
}

TEST_CASE("an own pullback: the value is unchanged, the cotangent is the rule's, and it is differentiated again") {
    constexpr auto clipped = with_pullback(square(x), wrt(x), [](auto ct, auto, auto v) { return list(clip(ct * c<2.0> * v, c<-1.0>, c<1.0>)); });
    const auto [v, g, H] = function(inputs(x), outputs(sum(clipped), grad(sum(clipped), x), hessian(sum(clipped), x)))(line{0.3, -5.0, 5.0});
    CHECK_NEAR(v, 50.09, 1e-15);
    CHECK((g == line{0.6, -1, 1}));
    // d/dx clip(2 x, -1, 1)
    CHECK(H(0, 0) == 2);
    CHECK(H(1, 1) == 0);
    CHECK(H(0, 1) == 0);
}

TEST_CASE("an own pullback of several inputs and any shape") {
    // the wrong derivative on purpose, so that it can be told from the right one: three times the true cotangents
    constexpr auto e = with_pullback(dot(A, b), wrt(A, b), [](auto ct, auto, auto m, auto v) {
        return list(c<3> * ct(all, newaxis) * v(newaxis, all), c<3> * sum(m * ct(all, newaxis), axis<0>));
    });
    const auto [gA, gb] = function(inputs(A, b, w), pullback(e, wrt(A, b), w))(rows{{1, 2, 3}, {4, 5, 6}}, line{1, -1, 2}, line{2, 3});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) CHECK(gA(i, j) == 3 * (i ? 3 : 2) * (j == 0 ? 1 : j == 1 ? -1 : 2));
    CHECK((gb == line{42, 57, 72}));
    // forward mode follows from the rule: 3 (T b + A u), T = A
    const auto t = function(inputs(A, b, u), pushforward(e, wrt(A, b), outputs(A, u)))(rows{{1, 2, 3}, {4, 5, 6}}, line{1, -1, 2}, line{1, 0, -1});
    CHECK((t == line{3 * (5 - 2), 3 * (11 - 2)}));
    // and so do Jacobians, along all directions at once
    const auto J = function(inputs(A, b), jacobian(e, b))(rows{{1, 2, 3}, {4, 5, 6}}, line{1, -1, 2});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) CHECK(J(i, j) == 3 * double(1 + 3 * i + j));
}

TEST_CASE("an own pushforward, and reverse mode as its transpose") {
    constexpr auto e = with_pushforward(exp(x) * p, wrt(x, p), [](auto tx, auto tp, auto r, auto, auto s) { return c<2> * r * tx + c<5> * r / s * tp; });
    const auto [t, gx, gp] = function(inputs(x, p, y), outputs(pushforward(e, wrt(x, p), outputs(y, c<1>)), pullback(e, wrt(x, p), y)))(line{0, 1}, 2.0, line{1, 10});
    const double e1 = std::exp(1.0);
    CHECK_NEAR(t(0), 4 + 5, 1e-15);
    CHECK_NEAR(t(1), 40 * e1 + 5 * e1, 1e-15);
    CHECK_NEAR(gx(0), 4, 1e-15);
    CHECK_NEAR(gx(1), 40 * e1, 1e-15);
    CHECK_NEAR(gp, 5 + 50 * e1, 1e-15);
    // once more: by the rule, d/dx of 2 e is 2 (2 e)
    const auto H = function(inputs(x, p), hessian(sum(e), x))(line{0, 1}, 2.0);
    CHECK_NEAR(H(1, 1), 8 * e1, 1e-15);
    CHECK(H(0, 1) == 0);
    const auto J = function(inputs(x, p), jacobian(e, x))(line{0, 1}, 2.0);
    CHECK_NEAR(J(1, 1), 4 * e1, 1e-15);
    CHECK(J(1, 0) == 0);
}

TEST_CASE("a rule is asked only for what leads to the result") {
    // the cotangent of q would be infinite; nobody asks
    constexpr auto e = with_pullback(p * q, wrt(p, q), [](auto ct, auto, auto a, auto b) { return list(ct * b, ct * a / c<0.0>); });
    CHECK(function(inputs(p, q), grad(e, p))(2.0, 3.0) == 3);
    CHECK(function(inputs(p, q), grad(e * c<0> + p, p))(2.0, 3.0) == 1);
}

TEST_CASE("a straight-through estimate") {
    constexpr auto e = with_pullback(round(x), wrt(x), [](auto ct, auto, auto) { return list(ct); });
    const auto [v, g] = function(inputs(x), value_and_grad(sum(e * e), x))(line{0.4, 1.7});
    CHECK(v == 4);
    CHECK((g == line{0, 4}));
}

namespace {

// A rule that knows a better primal: value 2 x as written, computed in the pullback as x + x + 0 * ..., here told apart by an offset of 1.
struct twice_ {
    static constexpr auto name = "twice";
    static constexpr auto cls = bits::op_class::composite;
    static constexpr int arity = 1;
    static constexpr int infer(bits::graph&, const bits::op_info&, bits::view<int> t, bits::view<int>) { return t[0]; }
    static constexpr int expand(bits::graph& g, int n) { return g.make(bits::info<bits::multiply_>, g.literal(2, g.dtype_of(n)), g.arg(n, 0)); }
    static constexpr void pullback(bits::pull_context& c) {
        c.replace_primal(c.x(0) + c.x(0) + cotan::c<1>);
        c.give(0, cotan::c<2> * c.ct());
    }
};

}  // namespace

TEST_CASE("a pullback may return a better primal, which takes the place of the old one everywhere") {
    constexpr auto e = bits::apply<twice_>(x);
    CHECK((function(inputs(x), exp(log(e)))(line{1, 2}) == line{2, 4}));
    const auto [v, again, g] = function(inputs(x), outputs(e, square(e), grad(sum(square(e)), x)))(line{1, 2});
    CHECK((v == line{3, 5}));
    CHECK((again == line{9, 25}));
    CHECK((g == line{12, 20}));  // 2 * 2 e
}
