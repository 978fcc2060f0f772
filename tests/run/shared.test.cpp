#include "op/table.hpp"

using namespace cotan;

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto t = scalar<double, "t">;
constexpr auto w = shared<double, "w">;
constexpr auto a = shared<double, "a">;
constexpr auto b = shared<double, "b">;
constexpr auto v = shared<double, "v", "n">;
constexpr auto k = shared<std::int64_t, "k">;
using line = xt::xtensor<double, 1>;

}  // namespace

TEST_CASE("a shared variable is set, read, and updated by a call") {
    constexpr auto loss = square(w - t);
    constexpr auto f = function(inputs(t), outputs(loss), updates(update(w, w - c<0.25> * grad(loss, w))));
    auto run = f.prepare();
    run.set(w, 0.0);
    CHECK(run(4.0) == 16);  // reads the old value
    CHECK(run.get(w) == 2);  // w - (w - t) / 2
    CHECK(run(4.0) == 4);
    CHECK(run.get(w) == 3);
    run.set(w, 7);
    CHECK(run.get(w) == 7);
}

TEST_CASE("updates are simultaneous: all read the old values") {
    constexpr auto f = function(inputs(), outputs(a, b), updates(update(a, b), update(b, a + b)));
    auto run = f.prepare();
    run.set(a, 1.0);
    run.set(b, 1.0);
    for (int i = 0; i < 8; ++i) (void)run();
    CHECK(run.get(a) == 34);  // Fibonacci
    CHECK(run.get(b) == 55);
}

TEST_CASE("tensors and integers are shared too, extents are those of the model") {
    constexpr auto f = function(inputs(x), outputs(sum(v * x)), updates(update(v, v + x), update(k, k + c<1>)));
    auto run = f.prepare();
    run.set(v, std::vector<double>{1, 2, 3});
    run.set(k, 41);
    CHECK(run(line{1, 1, 2}) == 9);
    CHECK((run.get(v) == line{2, 3, 5}));
    CHECK(run.get(k) == 42);
}

TEST_CASE("a call that throws leaves every shared variable as it was") {
    constexpr auto f = function(inputs(x), outputs(sum(x)), updates(update(v, v * x), update(w, w + c<1>)));
    auto run = f.prepare();
    run.set(v, line{1, 2, 3});
    run.set(w, 5.0);
    CHECK_THROWS_AS(run(line{1, 2}), shape_error);
    CHECK((run.get(v) == line{1, 2, 3}));
    CHECK(run.get(w) == 5);
    CHECK_THROWS_AS(run.set(v, xt::xtensor<double, 2>{{1, 2}}), shape_error);
    CHECK((run.get(v) == line{1, 2, 3}));
}

TEST_CASE("a variable without a value is an error that names it") {
    constexpr auto f = function(inputs(t), outputs(w * t), updates(update(w, t)));
    auto run = f.prepare();
    CHECK_THROWS_WITH(run(1.0), Catch::Contains("w") && Catch::Contains("set"));
    CHECK_THROWS_AS(run.get(w), error);
}

TEST_CASE("several functions have one set of variables in common, and each reads the last write") {
    constexpr auto step = function(inputs(t), updates(update(w, w + t)));
    constexpr auto look = function(inputs(), outputs(c<10> * w));
    const variables set(w, a);
    auto stepping = step.prepare(set);
    auto looking = look.prepare(set);
    stepping.set(w, 1.0);
    CHECK(looking() == 10);
    stepping(2.0);
    CHECK(looking() == 30);
    looking.set(w, 0.5);
    stepping(1.0);
    CHECK(set.get(w) == 1.5);
    CHECK(looking() == 15);
}
