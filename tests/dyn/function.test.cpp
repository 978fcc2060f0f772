// A test of its own: it counts what the whole program allocates.
#if defined(__GNUC__) && !defined(__clang__)
// g++ looks into the counting operators, and takes the library's own new[] for another allocator than theirs.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
#include "contract/allocations.hpp"

#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>
#include <cotan/dyn.hpp>

#include <array>
#include <cmath>
#include <span>
#include <thread>
#include <vector>
#include <xtensor/xrandom.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

using namespace cotan;
using dyn::expr;

namespace {

using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

void near(double got, double want, double tolerance = 1e-13) { CHECK(std::fabs(got - want) <= tolerance * std::max(1.0, std::fabs(want))); }

}  // namespace

TEST_CASE("arguments are numbers, xtensor containers, views and expressions, standard containers and arrays") {
    const auto x = dyn::tensor<double>("x", 1);
    const dyn::function f({x}, {sum(x), x});
    const line v = {1, 2, 3};
    const rows m = {{1, 9}, {2, 9}, {3, 9}};
    const double raw[] = {1, 2, 3};
    for (const dyn::results& r : {f(v), f({v}), f(xt::view(m, xt::all(), 0)), f(v + 0.0), f(std::vector<double>{1, 2, 3}), f(std::array<float, 3>{1, 2, 3}), f(raw),
                                  f(std::vector<int>{1, 2, 3}), f(f(v)[1]), f(std::span<const double>(raw))}) {
        CHECK(r[0].scalar<double>() == 6);
        CHECK((r[1].as<double, 1>() == v));
    }
    const dyn::function flags({dyn::tensor<bool>("b", 1)}, {any_of(dyn::tensor<bool>("b", 1))});
    CHECK(flags(std::vector<bool>{false, true})[0].scalar<bool>());
    const dyn::function whole({dyn::tensor<double>("m", {"n", "k"})}, {reshape(dyn::tensor<double>("m", {"n", "k"}), {"k", "n"})});
    CHECK((whole(xt::view(m, xt::range(0, 3, 2), xt::all()))[0].as<double, 2>() == rows{{1, 9}, {3, 9}}));
    CHECK_THROWS_WITH(f(v)[0].scalar<float>(), Catch::Contains("double, asked for as float"));
    CHECK_THROWS_WITH(f(v)[1].scalar<double>(), Catch::Contains("without axes"));
    CHECK_THROWS_WITH((f(v)[1].as<double, 2>()), Catch::Contains("2 axes, got 1"));
}

TEST_CASE("a prepared run allocates nothing from its second call with the same extents on") {
    const auto X = dyn::tensor<double>("X", {"n", "k"}), y = dyn::tensor<double>("y", {"n"}), beta = dyn::tensor<double>("beta", {"k"});
    const expr loss = sum(softplus(-y * dot(X, beta))) + 0.5 * sum(square(beta));
    const dyn::function f({X, y, beta}, dyn::value_and_grad(loss, std::vector<expr>{beta, X}));
    auto run = f.prepare();
    const rows Xd = xt::random::randn<double>({50, 7});
    const line yd = xt::ones<double>({50});
    line bd = xt::ones<double>({7});
    (void)run(Xd, yd, bd);
    allocations::reset();
    bd(3) = 2;
    const dyn::results& r = run(Xd, yd, bd);
    CHECK(allocations::count == 0);
    const auto fresh = f(Xd, yd, bd);
    CHECK(r[0].scalar<double>() == fresh[0].scalar<double>());
    CHECK((r[2].as<double, 2>() == fresh[2].as<double, 2>()));
}

TEST_CASE("a prepared run follows the extents and strides of its arguments") {
    const auto x = dyn::tensor<double>("x", 2);
    const dyn::function f({x}, {sum(x, 0), sum(x), x * sum(x, 1)(all, newaxis), cumsum(x, 1), max(x, 1)});
    auto run = f.prepare();
    for (std::size_t n : std::initializer_list<std::size_t>{3, 300, 1, 0, 40, 40})
        for (std::size_t k : std::initializer_list<std::size_t>{2, 1, 500, 17}) {
            rows wide = xt::random::randn<double>({n, 2 * k});
            const auto v = xt::view(wide, xt::all(), xt::range(0, static_cast<int>(2 * k), 2));
            const dyn::results& r = run(v);
            double total = 0, size = 1;
            for (std::size_t j = 0; j < k; ++j) {
                double column = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    column += v(i, j);
                    size += std::fabs(v(i, j));
                }
                total += column;
                near(r[0].data<double>()[j], column, 1e-12);
            }
            near(r[1].scalar<double>(), total, 1e-12 * size);
            if (n == 0) continue;
            double row = 0, largest = -1e300;
            for (std::size_t j = 0; j < k; ++j) {
                row += v(n - 1, j);
                largest = std::max(largest, static_cast<double>(v(n - 1, j)));
                near(r[3].data<double>()[(n - 1) * k + j], row, 1e-12);
            }
            near(r[2].data<double>()[(n - 1) * k], row * v(n - 1, 0), 1e-12);
            CHECK(r[4].data<double>()[n - 1] == largest);
        }
}

TEST_CASE("long arrays run in blocks, their ends too") {
    const auto x = dyn::tensor<double>("x", 1), y = dyn::tensor<float>("y", 1);
    const expr loss = sum(softplus(x) * x);
    const dyn::function f({x, y}, {loss, grad(loss, x), sum(square(y)), where(x > 0, x, -x)});
    for (std::size_t n : std::initializer_list<std::size_t>{1, 7, 8, 511, 512, 513, 1024, 1031, 5000, 20011}) {
        const line v = xt::random::randn<double>({n});
        const xt::xtensor<float, 1> w = xt::cast<float>(v);
        const auto r = f(v, w);
        double want = 0, squares = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const double e = std::log1p(std::exp(-std::fabs(v(i)))) + std::max(v(i), 0.0), s = 1 / (1 + std::exp(-v(i)));
            want += e * v(i);
            squares += static_cast<double>(w(i)) * static_cast<double>(w(i));
            REQUIRE(std::fabs(r[1].data<double>()[i] - (e + v(i) * s)) < 1e-13 * (1 + std::fabs(v(i))));
            REQUIRE(r[3].data<double>()[i] == std::fabs(v(i)));
        }
        near(r[0].scalar<double>(), want, 1e-12);
        near(static_cast<double>(r[2].scalar<float>()), squares, 1e-5);
    }
}

TEST_CASE("products of matrices, vectors and batches, and their derivatives") {
    const auto A = dyn::tensor<double>("A", 2), B = dyn::tensor<double>("B", 2), v = dyn::tensor<double>("v", 1);
    const expr C = dot(A, B), Av = dot(A, v), loss = sum(square(C)) + sum(square(Av));
    const dyn::function f({A, B, v}, {C, Av, grad(loss, A), dot(transpose(B), v), dot(B, A(all, dyn::slice(none, none, -1)))});
    const rows a = {{1, 2, 3}, {4, 5, 6}}, b = {{1, 0}, {2, -1}, {0, 3}};
    const auto r = f(a, b, line{1, 2, 3});
    CHECK((r[0].as<double, 2>() == rows{{5, 7}, {14, 13}}));
    CHECK((r[1].as<double, 1>() == line{14, 32}));
    // 2 C B' + 2 (A v) v'
    CHECK((r[2].as<double, 2>() == rows{{38, 62, 126}, {92, 158, 270}}));
    CHECK((r[3].as<double, 1>() == line{5, 7}));
    CHECK((r[4].as<double, 2>() == rows{{3, 2, 1}, {0, -1, -2}, {18, 15, 12}}));
    const auto P = dyn::tensor<float>("P", 3), Q = dyn::tensor<float>("Q", 3);
    const dyn::function batch({P, Q}, {dot(P, Q), dot(P, transpose(Q(0)))});
    const xt::xtensor<float, 3> p = {{{1, 2}, {3, 4}}, {{0, 1}, {1, 0}}}, q = {{{1, 1}, {2, 0}}, {{5, 6}, {7, 8}}};
    const auto s = batch(p, q);
    CHECK((s[0].as<float, 3>() == xt::xtensor<float, 3>{{{5, 1}, {11, 3}}, {{7, 8}, {5, 6}}}));
    CHECK((s[1].as<float, 3>() == xt::xtensor<float, 3>{{{3, 2}, {7, 6}}, {{1, 0}, {1, 2}}}));
    // empty sums
    CHECK((f(xt::zeros<double>({2, 0}), xt::zeros<double>({0, 2}), xt::zeros<double>({0}))[0].as<double, 2>() == rows{{0, 0}, {0, 0}}));
}

TEST_CASE("derivatives of every kind and order") {
    const auto x = dyn::tensor<double>("x", 1), t = dyn::tensor<double>("t", 1), s = dyn::scalar<double>("s");
    const expr y = sum(x * x * x);
    const dyn::function f({x, t}, {grad(y, x), hessian(y, x), hvp(y, x, t), jacobian(exp(x), x), pushforward(x * x, x, t), pullback(x * x, x, t)});
    const auto r = f(line{1, 2}, line{3, -1});
    CHECK((r[0].as<double, 1>() == line{3, 12}));
    CHECK((r[1].as<double, 2>() == rows{{6, 0}, {0, 12}}));
    CHECK((r[2].as<double, 1>() == line{18, -12}));
    near(r[3].as<double, 2>()(1, 1), std::exp(2.0));
    CHECK(r[3].as<double, 2>()(0, 1) == 0);
    CHECK((r[4].as<double, 1>() == line{6, -4}));
    CHECK((r[5].as<double, 1>() == line{6, -4}));
    expr d = exp(2.0 * s);  // 2^n exp(2 s)
    std::vector<expr> all;
    for (int n = 0; n < 6; ++n) all.push_back(d = grad(d, s));
    const auto ds = dyn::function({s}, all)(0.25);
    for (std::size_t n = 0; n < 6; ++n) near(ds[n].scalar<double>(), std::pow(2.0, static_cast<double>(n + 1)) * std::exp(0.5));
    // not a part of it: zero
    CHECK((dyn::function({x, t}, {grad(sum(x), t)})(line{1, 2}, line{3, 4})[0].as<double, 1>() == line{0, 0}));
}

TEST_CASE("a function can be called from several threads") {
    const auto x = dyn::tensor<double>("x", 1);
    const dyn::function f({x}, {sum(exp(x) * x), grad(sum(exp(x) * x), x)});
    std::vector<std::thread> threads;
    std::array<double, 4> got{};
    for (std::size_t k = 0; k < got.size(); ++k)
        threads.emplace_back([&, k] {
            const line v = xt::ones<double>({100 * (k + 1)});
            for (int i = 0; i < 50; ++i) got[k] = f(v)[0].scalar<double>();
        });
    for (auto& t : threads) t.join();
    for (std::size_t k = 0; k < got.size(); ++k) near(got[k], 100 * static_cast<double>(k + 1) * std::exp(1.0), 1e-13);
}
