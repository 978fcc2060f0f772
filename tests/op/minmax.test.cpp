#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

TEST_CASE("maximum and minimum") {
    constexpr auto hi = maximum(x, y);
    constexpr auto lo = minimum(x, y);
    constexpr auto f = function(inputs(x, y), outputs(hi, grad(sum(hi), wrt(x, y)), lo, grad(sum(lo), wrt(x, y))));
    const auto [a, ax, ay, b, bx, by] = f(xt::xtensor<double, 1>{1, 2, 3, qnan, 1, inf}, xt::xtensor<double, 1>{2, 1, 3, 1, qnan, 0});
    CHECK(a(0) == 2);
    CHECK(a(1) == 2);
    CHECK(a(2) == 3);
    CHECK(a(5) == inf);
    for (std::size_t i : std::initializer_list<std::size_t>{3, 4}) {
        CHECK(std::isnan(a(i)));
        CHECK(std::isnan(b(i)));
    }
    const double share[][4] = {{0, 1, 1, 0}, {1, 0, 0, 1}, {0.5, 0.5, 0.5, 0.5}};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(ax(i) == share[i][0]);
        CHECK(ay(i) == share[i][1]);
        CHECK(bx(i) == share[i][2]);
        CHECK(by(i) == share[i][3]);
    }
    CHECK(b(0) == 1);
    CHECK(b(5) == 0);
    CHECK(table::slope(maximum(x, x), 3) == 1);
}

TEST_CASE("what is not chosen makes no NaN") {
    // log(x) is not chosen at 0, where its derivative is infinite
    constexpr auto e = maximum(log(x), c<-1>);
    CHECK(table::value(e, 0) == -1);
    CHECK(table::slope(e, 0) == 0);
    CHECK(table::slope(clip(log(x), c<-1>, c<1>), 0) == 0);
}

namespace {
template <class A, class B>
concept has_minimum = requires(A a, B b) { minimum(a, b); };
template <class A, class B, class C>
concept clips = requires(A a, B b, C d) { clip(a, b, d); };
}  // namespace

TEST_CASE("numbers of the program are refused") {
    STATIC_REQUIRE(has_minimum<decltype(x), decltype(c<1>)>);
    STATIC_REQUIRE(!has_minimum<decltype(x), int>);
    STATIC_REQUIRE(!clips<decltype(x), double, double>);
}

TEST_CASE("clip") {
    constexpr auto lo = scalar<double, "lo">;
    constexpr auto hi = scalar<double, "hi">;
    constexpr auto p = scalar<double, "p">;
    constexpr auto e = clip(p, lo, hi);
    constexpr auto f = function(inputs(p, lo, hi), outputs(e, grad(e, wrt(p, lo, hi))));
    const double rows[][7] = {{20, 0, 10, 10, 0, 0, 1}, {-1, 0, 10, 0, 0, 1, 0}, {0, 0, 10, 0, 1, 0, 0}, {10, 0, 10, 10, 1, 0, 0}, {5, 0, 10, 5, 1, 0, 0}, {5, 8, 2, 2, 0, 0, 1}};
    for (auto& r : rows) {
        const auto [v, gp, gl, gh] = f(r[0], r[1], r[2]);
        CHECK(v == r[3]);
        CHECK(gp == r[4]);
        CHECK(gl == r[5]);
        CHECK(gh == r[6]);
    }
    const auto [v, a, b, d] = f(qnan, 0.0, 1.0);
    CHECK(std::isnan(v));
    constexpr auto self = clip(p, c<0>, p);
    const auto [five, one] = function(inputs(p), value_and_grad(self, p))(5.0);
    CHECK(five == 5);
    CHECK(one == 1);
}

TEST_CASE("minmax of float and of integers") {
    constexpr auto a = tensor<float, "a", "n">;
    constexpr auto f = function(inputs(a), outputs(maximum(a, c<0.5>), grad(sum(maximum(a, c<0.5>)), a)));
    const auto [v, g] = f(xt::xtensor<float, 1>{0, 0.5, 2});
    CHECK((v == xt::xtensor<float, 1>{0.5, 0.5, 2}));
    CHECK((g == xt::xtensor<float, 1>{0, 0.5, 1}));
    constexpr auto i = tensor<std::int64_t, "i", "n">;
    CHECK((function(inputs(i), clip(i, c<0>, c<3>))(xt::xtensor<std::int64_t, 1>{-5, 2, 9}) == xt::xtensor<std::int64_t, 1>{0, 2, 3}));
}
