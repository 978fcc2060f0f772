#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>
#include <cotan/dyn.hpp>

#include <cmath>
#include <vector>
#include <xtensor/xtensor.hpp>

using namespace cotan;
using dyn::expr;

namespace {

using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;
using exprs = std::vector<expr>;

void near(double got, double want, double tolerance = 1e-13) { CHECK(std::fabs(got - want) <= tolerance * std::max(1.0, std::fabs(want))); }

}  // namespace

TEST_CASE("a scan carries states over sequences, with traces and captured values") {
    // s <- a s + x, kept at each step
    const expr x = dyn::tensor<double>("x", {"n"}), a = dyn::scalar<double>("a");
    const auto r = dyn::scan({.init = {0.0}, .over = {x}}, [&](exprs s, exprs e) { return dyn::step{a * s[0] + e[0]}.emit({square(s[0])}); });
    const expr loss = sum(r.trace[0]) + r.last[0];
    const dyn::function f({x, a}, {r.last[0], r.trace[0], grad(loss, a), grad(loss, x), r.steps, pushforward(loss, a, 1.0), grad(grad(loss, a), a)});
    const line v = {1, 2, 3};
    const auto out = f(v, 0.5);
    // states 0, 1, 2.5, 4.25; loss 0 + 1 + (a + 2)^2 + a (a + 2) + 3
    near(out[0].scalar<double>(), 4.25);
    CHECK((out[1].as<double, 1>() == line{0, 1, 6.25}));
    near(out[2].scalar<double>(), 2 * 2.5 + 2 * 0.5 + 2);
    CHECK((out[3].as<double, 1>() == line{2 + 2 * 2.5 * 0.5 + 0.25, 2 * 2.5 + 0.5, 1}));
    CHECK(out[4].scalar<std::int64_t>() == 3);
    near(out[5].scalar<double>(), 8);
    near(out[6].scalar<double>(), 4);
    CHECK(f(line{}, 0.5)[4].scalar<std::int64_t>() == 0);
    CHECK(f(line{}, 0.5)[0].scalar<double>() == 0);
}

TEST_CASE("a scan over states with axes, in reverse, is a typed scan") {
    const expr W = dyn::tensor<double>("W", {"h", "h"}), X = dyn::tensor<double>("X", {"t", "h"}), h0 = dyn::tensor<double>("h0", {"h"});
    const auto r = dyn::scan({.init = {h0}, .over = {X}, .reversed = true}, [&](exprs s, exprs e) {
        const expr h = tanh(dot(W, s[0]) + e[0]);
        return dyn::step{h}.emit({h});
    });
    const expr loss = sum(square(r.trace[0])) + sum(r.last[0]);
    const dyn::function f({W, X, h0}, {loss, grad(loss, W), r.trace[0]});
    const rows w = {{0.1, -0.2}, {0.3, 0.4}}, x = {{0.5, 0.1}, {-0.3, 0.2}, {0.7, -0.6}};
    const line h = {0.2, -0.1};
    const auto loss_at = [&](const rows& m) {
        double s[2] = {h(0), h(1)}, total = 0;
        for (int t = 2; t >= 0; --t) {
            const double u = std::tanh(m(0, 0) * s[0] + m(0, 1) * s[1] + x(t, 0)), v = std::tanh(m(1, 0) * s[0] + m(1, 1) * s[1] + x(t, 1));
            s[0] = u;
            s[1] = v;
            total += u * u + v * v;
        }
        return total + s[0] + s[1];
    };
    const auto out = f(w, x, h);
    near(out[0].scalar<double>(), loss_at(w));
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
            rows up = w, down = w;
            up(i, j) += 1e-5;
            down(i, j) -= 1e-5;
            near(out[1].data<double>()[2 * i + j], (loss_at(up) - loss_at(down)) / 2e-5, 1e-8);
        }
    // and typed, lifted
    static constexpr auto tW = tensor<double, "W", "h", "h">;
    static constexpr auto tX = tensor<double, "X", "t", "h">;
    static constexpr auto th = tensor<double, "h0", "h">;
    constexpr auto typed = cotan::scan(init(th), over(tX), [](auto s, auto e) {
        constexpr auto n = tanh(dot(tW, s) + e);
        return step(n).emit(n);
    }, reversed);
    constexpr auto typed_loss = sum(square(typed.trace)) + sum(typed.last);
    const expr lifted = dyn::lift(typed_loss);
    const auto again = dyn::function({W, X, h0}, {lifted, grad(lifted, W)})(w, x, h);
    near(again[0].scalar<double>(), out[0].scalar<double>());
    near(again[1].data<double>()[2], out[1].data<double>()[2]);
}

TEST_CASE("loops whose number of steps only the run knows") {
    const expr a = dyn::scalar<double>("a"), n = dyn::scalar<std::int64_t>("n");
    // Newton's iteration for the square root, until it stands still
    const auto root = dyn::while_loop({a, 0.0}, [&](exprs s) { return abs(s[0] - s[1]) > 1e-12; }, [&](exprs s) { return dyn::step{0.5 * (s[0] + a / s[0]), s[0]}; });
    const dyn::function f({a}, {root.last[0], root.steps, grad(root.last[0], a)});
    for (double v : {2.0, 100.0, 0.25, 2.0}) {
        const auto out = f(v);
        near(out[0].scalar<double>(), std::sqrt(v), 1e-12);
        near(out[2].scalar<double>(), 0.5 / std::sqrt(v), 1e-10);
        CHECK(out[1].scalar<std::int64_t>() > 3);
    }
    // a trace as long as the loop ran
    const auto powers = dyn::scan({.init = {1.0}, .times = n}, [&](exprs s, exprs) { return dyn::step{s[0] * a}.emit({s[0] * a}); });
    const dyn::function g({a, n}, {powers.trace[0], sum(powers.trace[0]), grad(sum(powers.trace[0]), a), powers.last[0]});
    auto run = g.prepare();
    for (std::int64_t k : {3, 5, 0, 5, -2, 1}) {
        const dyn::results& out = run(2.0, k);
        const auto m = static_cast<std::size_t>(k < 0 ? 0 : k);
        REQUIRE(out[0].size() == m);
        double total = 0, slope = 0;
        for (std::size_t i = 0; i < m; ++i) {
            CHECK(out[0].data<double>()[i] == std::pow(2.0, static_cast<double>(i + 1)));
            total += std::pow(2.0, static_cast<double>(i + 1));
            slope += static_cast<double>(i + 1) * std::pow(2.0, static_cast<double>(i));
        }
        near(out[1].scalar<double>(), total);
        near(out[2].scalar<double>(), slope);
    }
    // until: the step that ends it counts
    const auto halved = dyn::scan({.init = {a}, .times = 100}, [](exprs s, exprs) { return dyn::step{0.5 * s[0]}.until(s[0] < 1); });
    const auto h = dyn::function({a}, {halved.last[0], halved.steps})(5.0);
    CHECK(h[0].scalar<double>() == 5.0 / 16);
    CHECK(h[1].scalar<std::int64_t>() == 4);
}

TEST_CASE("loops in loops, conditions, maps") {
    const expr x = dyn::tensor<double>("x", {"n"}), a = dyn::scalar<double>("a");
    const auto outer = dyn::scan({.init = {0.0}, .over = {x}}, [&](exprs s, exprs e) {
        const auto inner = dyn::scan({.init = {e[0]}, .times = 3}, [&](exprs t, exprs) { return dyn::step{t[0] * a + s[0]}; });
        return dyn::step{s[0] + inner.last[0]};
    });
    const dyn::function f({x, a}, {outer.last[0], grad(outer.last[0], a)});
    const auto value = [](double b) {
        double s = 0;
        for (double e : {1.0, -2.0, 0.5}) {
            double t = e;
            for (int i = 0; i < 3; ++i) t = t * b + s;
            s += t;
        }
        return s;
    };
    const auto out = f(line{1, -2, 0.5}, 0.7);
    near(out[0].scalar<double>(), value(0.7));
    near(out[1].scalar<double>(), (value(0.7 + 1e-5) - value(0.7 - 1e-5)) / 2e-5, 1e-8);
    const expr c = dyn::cond(a > 0, sum(sqrt(a) * x), sum(x * x));
    const dyn::function g({x, a}, {c, grad(c, a), grad(c, x)});
    near(g(line{1, 2}, 4.0)[0].scalar<double>(), 6);
    near(g(line{1, 2}, 4.0)[1].scalar<double>(), 0.75);
    near(g(line{1, 2}, -4.0)[0].scalar<double>(), 5);
    CHECK(g(line{1, 2}, -4.0)[1].scalar<double>() == 0);
    CHECK((g(line{1, 2}, -4.0)[2].as<double, 1>() == line{2, 4}));
    const auto squares = dyn::map({x}, [&](exprs e) { return exprs{e[0] * e[0] + a}; });
    CHECK((dyn::function({x, a}, {squares[0]})(line{1, 2, 3}, 1.0)[0].as<double, 1>() == line{2, 5, 10}));
}

TEST_CASE("a lifted loop that computes states again has the gradient of one that keeps them") {
    static constexpr auto ta = scalar<double, "a">;
    static constexpr auto tx = tensor<double, "x", "n">;
    static constexpr auto body = [](auto s, auto e) { return cotan::step(sin(ta * s) + e); };
    constexpr auto kept = cotan::scan(init(c<0.5> * ta), over(tx), body).last;
    constexpr auto again = cotan::scan(init(c<0.5> * ta), over(tx), body, checkpoint<2>).last;
    const expr x = dyn::lift(tx), a = dyn::lift(ta);
    const line v = {0.1, -0.4, 0.3, 0.8, -0.2};
    const auto one = dyn::function({x, a}, {dyn::lift(kept), grad(dyn::lift(kept), a), grad(dyn::lift(kept), x)})(v, 1.3);
    const auto two = dyn::function({x, a}, {dyn::lift(again), grad(dyn::lift(again), a), grad(dyn::lift(again), x)})(v, 1.3);
    near(two[0].scalar<double>(), one[0].scalar<double>());
    near(two[1].scalar<double>(), one[1].scalar<double>());
    for (std::size_t i = 0; i < 5; ++i) near(two[2].data<double>()[i], one[2].data<double>()[i]);
}

TEST_CASE("what is wrong with a loop is said when it is built") {
    using Catch::Contains;
    const expr x = dyn::tensor<double>("x", {"n"}), y = dyn::tensor<double>("y", {"k"}), a = dyn::scalar<double>("a");
    const auto same = [](exprs s, exprs) { return dyn::step(s); };
    CHECK_THROWS_WITH(dyn::scan({.init = {a}}, same), Contains("scan: how many steps?"));
    CHECK_THROWS_WITH(dyn::scan({.init = {a}, .over = {a}}, same), Contains("a sequence has at least one axis") && Contains("a: double"));
    CHECK_THROWS_WITH(dyn::scan({.init = {a}, .over = {x, y}}, same), Contains("different extents") && Contains("double[k]"));
    CHECK_THROWS_WITH(dyn::scan({.init = {a}, .times = 2.5}, same), Contains("a number of steps is one integer"));
    CHECK_THROWS_WITH(dyn::scan({.init = {a}, .times = 2}, [](exprs, exprs) { return dyn::step{}; }), Contains("expected 1, got 0"));
    CHECK_THROWS_WITH(dyn::scan({.init = {a}, .times = 2}, [&](exprs s, exprs) { return dyn::step{s[0] * x}; }), Contains("next state 0 has another type") && Contains("expected double, got"));
    CHECK_THROWS_WITH(dyn::while_loop({a}, [](exprs s) { return s[0]; }, [](exprs s) { return dyn::step(s); }), Contains("a condition is one bool"));
    CHECK_THROWS_WITH(dyn::cond(x > 0, a, a), Contains("cond: a condition is one bool"));
}
