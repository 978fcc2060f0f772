#include <cotan/cotan.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <xtensor/xtensor.hpp>

using namespace cotan;

namespace {

int evaluated = 0;

// The identity, which counts how often it is evaluated: once for each step of a loop.
struct counted_ : elementwise<counted_> {
    static constexpr auto name = "counted";
    template <class V> static V kernel(V x) {
        ++evaluated;
        return x;
    }
    static constexpr auto partials(auto, auto) { return list(c<1.0>); }
};
inline constexpr auto counted = operation<counted_>;

inline constexpr auto a = scalar<double, "a">;
inline constexpr auto x = tensor<double, "x", "t">;

// s' = r s (1 - s) + x s with r = 3.7: the derivative of a step depends on the state.
template <class... Options>
constexpr auto model(Options... options) {
    return scan(init(a), over(x), [](auto s, auto e) { return step(counted(c<3.7> * s * (c<1.0> - s)) + e * s); }, options...).last;
}
inline constexpr auto all_kept = function(inputs(a, x), value_and_grad(model(), wrt(a, x)));
inline constexpr auto blocks = function(inputs(a, x), value_and_grad(model(checkpoint<4>), wrt(a, x)));
inline constexpr auto three = function(inputs(a, x), value_and_grad(model(checkpoint<budget<3>>), wrt(a, x)));
inline constexpr auto five = function(inputs(a, x), value_and_grad(model(checkpoint<budget<5>>), wrt(a, x)));
inline constexpr auto ten = function(inputs(a, x), value_and_grad(model(checkpoint<budget<10>>), wrt(a, x)));
inline constexpr auto one = function(inputs(a, x), value_and_grad(model(checkpoint<budget<1>>), wrt(a, x)));

xt::xtensor<double, 1> sequence(std::size_t n) {
    xt::xtensor<double, 1> r = xt::zeros<double>({n});
    for (std::size_t i = 0; i < n; ++i) r(i) = 0.01 * std::sin(static_cast<double>(i));
    return r;
}

// The steps that a reverse pass takes again: all that were evaluated but the forward loop's.
template <class F>
int taken_again(const F& f, int steps) {
    evaluated = 0;
    (void)f(0.3, sequence(static_cast<std::size_t>(steps)));
    return evaluated - steps;
}

// Forward mode by hand: the value and its derivative by the initial state.
std::pair<double, double> by_hand(double s, const xt::xtensor<double, 1>& e) {
    double d = 1;
    for (double v : e) {
        d *= 3.7 * (1 - 2 * s) + v;
        s = 3.7 * s * (1 - s) + v * s;
    }
    return {s, d};
}

}  // namespace

TEST_CASE("Checkpoints change no derivative") {
    for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 9u, 13u}) {
        const auto e = sequence(n);
        const auto [value, slope] = by_hand(0.3, e);
        const auto check = [&](const auto& f) {
            const auto [v, da, dx] = f(0.3, e);
            CHECK(v == Approx(value).epsilon(1e-10));
            CHECK(da == Approx(slope).epsilon(1e-9));
            CHECK(dx(n - 1) == Approx(by_hand(0.3, n == 1 ? xt::xtensor<double, 1>(xt::zeros<double>({0})) : sequence(n - 1)).first).epsilon(1e-9));
        };
        check(all_kept);
        check(blocks);
        check(three);
        check(five);
        check(one);
    }
}

TEST_CASE("No step at all") {
    const auto [v, da, dx] = three(0.3, sequence(0));
    CHECK(v == 0.3);
    CHECK(da == 1);
    CHECK(dx.size() == 0);
}

// Griewank and Walther, ACM TOMS 26 (2000): l states with s kept at a time cost r l - C(s + r, r - 1) steps, no schedule fewer.
TEST_CASE("The binomial schedule takes the fewest steps again") {
    CHECK(taken_again(all_kept, 100) == 0);
    CHECK(taken_again(one, 10) == 45);
    CHECK(taken_again(three, 10) == 15);
    CHECK(taken_again(five, 100) == 316);
    CHECK(taken_again(ten, 1000) == 3636);
    CHECK(taken_again(ten, 10000) == 57624);
}

TEST_CASE("Blocks take each step again twice at most") {
    CHECK(taken_again(blocks, 100) <= 200);
    CHECK(taken_again(blocks, 100) > 0);
}

TEST_CASE("Second derivatives go through checkpoints") {
    static constexpr auto f = function(inputs(a, x), outputs(grad(grad(model(checkpoint<budget<3>>), a), a), grad(grad(model(), a), a)));
    const auto [checkpointed, kept] = f(0.3, sequence(9));
    // differences of the first derivative by hand, in long double
    const double h = 1e-5;
    const double want = (by_hand(0.3 + h, sequence(9)).second - by_hand(0.3 - h, sequence(9)).second) / (2 * h);
    CHECK(kept == Approx(want).epsilon(1e-5));
    CHECK(checkpointed == Approx(kept).epsilon(1e-10));
}

// s' = a s + x, cut after two steps: d/da of the last state is s3 + a s2 with older states as constants.
TEST_CASE("A truncated gradient takes older states as constants") {
    static constexpr auto last = scan(init(c<0.0>), over(x), [](auto s, auto e) { return step(a * s + e); }, truncated<2>).last;
    static constexpr auto f = function(inputs(a, x), value_and_grad(last, wrt(a, x)));
    const auto [v, da, dx] = f(0.5, xt::xtensor<double, 1>{1, 2, 3, 4});
    CHECK(v == 6.125);
    CHECK(da == 5.5);
    CHECK(dx(0) == 0);
    CHECK(dx(1) == 0);
    CHECK(dx(2) == 0.5);
    CHECK(dx(3) == 1);
}

TEST_CASE("associative_scan gives the running results") {
    static constexpr auto products = associative_scan([](auto p, auto q) { return p * q; }, x);
    static constexpr auto f = function(inputs(x), outputs(products, grad(sum(products), x)));
    const auto [y, g] = f(xt::xtensor<double, 1>{1, 2, 3, 4});
    CHECK(y(0) == 1);
    CHECK(y(3) == 24);
    CHECK(g(0) == 33);  // 1 + 2 + 6 + 24
    CHECK(g(1) == 16);
    CHECK(g(3) == 6);
}
