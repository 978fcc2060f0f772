// A test of its own: it counts what the whole program allocates.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // GCC 12 inlines a replaced delete, and then takes its free for that of a new which it did not inline
#endif
#include "contract/allocations.hpp"
#include "op/table.hpp"

#include <xtensor/xview.hpp>

using namespace cotan;

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto A = tensor<double, "A", "n", "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

}  // namespace

TEST_CASE("a prepared run allocates nothing from its second call on") {
    constexpr auto f = function(inputs(x), value_and_grad(sum(softplus(x)), x));
    auto run = f.prepare();
    line v = xt::ones<double>({100});
    (void)run(v);
    allocations::reset();
    v(3) = 2;
    const auto [value, gradient] = run(v);
    CHECK(allocations::count == 0);
    CHECK_NEAR(gradient(3), 0.88079707797788244, 1e-15);
    CHECK_NEAR(gradient(4), 0.73105857863000488, 1e-15);
    CHECK_NEAR(value, 99 * 1.3132616875182228 + 2.1269280110429727, 1e-14);
}

TEST_CASE("temporaries, copies of arguments and results of every rank are kept") {
    constexpr auto e = softmax(A, axis<1>);
    constexpr auto f = function(inputs(A, x), outputs(e, grad(sum(e * A * x(all, newaxis)), A), cumsum(x), sum(A)));
    auto run = f.prepare();
    rows wide = xt::ones<double>({10, 9});
    for (std::size_t i = 0; i < 10; ++i) wide(i, 0) = 0.5 * static_cast<double>(i);
    const line v = xt::ones<double>({10});
    const xt::xtensor<int, 1> whole = xt::ones<int>({10});
    const auto columns = xt::view(wide, xt::all(), xt::range(0, 9, 2));  // must be copied
    (void)run(columns, whole);
    allocations::reset();
    const auto [s, g, sums, total] = run(columns, whole);
    CHECK(allocations::count == 0);
    CHECK(s.shape()[1] == 5);
    CHECK_NEAR(s(2, 4), 0.2, 1e-15);
    CHECK(sums(9) == 10);
    CHECK(total == 62.5);
    const auto [s2, g2, sums2, total2] = f(columns, v);
    CHECK((s == s2));
    CHECK((g == g2));
}

TEST_CASE("a prepared run follows the extents of its arguments") {
    constexpr auto f = function(inputs(x), outputs(sum(x), exp(x), cumsum(x)));
    auto run = f.prepare();
    for (std::size_t n : std::initializer_list<std::size_t>{5, 50, 3, 0, 17}) {
        const line v = xt::ones<double>({n});
        const auto [s, e, t] = run(v);
        CHECK(s == static_cast<double>(n));
        CHECK(e.size() == n);
        CHECK(t.size() == n);
        if (n) CHECK(t(n - 1) == static_cast<double>(n));
    }
}

TEST_CASE("an unprepared call allocates its results and one workspace") {
    constexpr auto f = function(inputs(x), value_and_grad(sum(softplus(x)), x));
    const line v = xt::ones<double>({1000});
    allocations::reset();
    const auto [value, gradient] = f(v);
    CHECK(allocations::count <= 1);
    CHECK(allocations::bytes < 1000 * sizeof(double) + 200);
    CHECK(gradient.size() == 1000);
    CHECK(value > 0);
}

TEST_CASE("a deferred fill is never stored") {
    constexpr auto f = function(inputs(x), grad(sum((c<1> - x) / c<2>), x));
    const line v = xt::ones<double>({1000});
    allocations::reset();
    const auto g = f.deferred(v);
    CHECK(allocations::count == 0);
    CHECK(g.shape()[0] == 1000);
    CHECK(g(999) == -0.5);
    line w = v - 0.5 * g;
    CHECK(w(0) == 1.25);
    CHECK((f(v) == line(g)));
}

TEST_CASE("a call that throws changes nothing") {
    constexpr auto y = tensor<double, "y", "n">;
    constexpr auto f = function(inputs(x, y), outputs(x + y, sum(x * y)));
    auto run = f.prepare();
    const auto [before, inner] = run(line{1, 2}, line{3, 4});
    CHECK_THROWS_AS(run(line{1, 2, 3}, line{1, 2}), shape_error);
    CHECK((before == line{4, 6}));  // what the run gave to look at is still there
    CHECK(inner == 11);
}

TEST_CASE("a training loop over shared variables allocates nothing") {
    constexpr auto v = shared<double, "v", "n">;
    constexpr auto y = tensor<double, "y", "n">;
    constexpr auto bias = shared<double, "bias">;
    constexpr auto loss = mean(square(v * x + bias - y));
    constexpr auto f = function(inputs(x, y), outputs(loss), updates(update(v, v - c<0.1> * grad(loss, v)), update(bias, bias - c<0.1> * grad(loss, bias))));
    auto run = f.prepare();
    const line data = xt::ones<double>({100}), target = 3 * xt::ones<double>({100});
    run.set(v, xt::zeros<double>({100}));
    run.set(bias, 0.0);
    const double first = run(data, target);
    (void)run(data, target);  // the second buffers are there now
    allocations::reset();
    double last = 0;
    for (int i = 0; i < 100; ++i) last = run(data, target);
    CHECK(allocations::count == 0);
    CHECK(last < 1e-9 * first);
}
