#include <catch2/catch.hpp>
#include <cotan/cotan.hpp>

#include <xtensor/xtensor.hpp>

#include <limits>
#include <string>

using namespace cotan;

// Checked runs: what is blamed for a NaN or an infinity, and what is not.

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto y = tensor<double, "y", "n">;
constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto s = scalar<double, "s">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;
constexpr double inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class F, class... A>
std::string blamed(const F& f, const A&... a) {
    try {
        (void)f.prepare(checked)(a...);
    } catch (const domain_error& e) {
        return e.what();
    }
    return "";
}
bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }
void check_has(const std::string& text, const char* words) {
    INFO(text);
    CHECK(has(text, words));
}

}  // namespace

TEST_CASE("a checked run computes what a run computes") {
    auto f = function(inputs(x, y), outputs(sum(x * y), grad(sum(exp(x) * y), x))).prepare(checked);
    const auto [v, g] = f(line{0, 1}, line{2, 3});
    CHECK(v == 3);
    CHECK(g(0) == 2);
    CHECK(g(1) == Approx(3 * std::exp(1.0)).epsilon(1e-15));
    auto one = function(inputs(x), sum(x)).prepare(checked);
    CHECK(one(line{1, 2}) == 3);
}

TEST_CASE("the operation, the element, its operands and the way to it") {
    const std::string t = blamed(function(inputs(x, y), outputs(sum(y), sum(sqrt(x - y) * y))), line{4, 1, 9}, line{1, 3, 5});
    check_has(t, "sqrt made nan");
    check_has(t, "element [1]");
    check_has(t, "= -2");
    check_has(t, "in the primal");
    check_has(t, "result 2 > sum > mul > sqrt");
}

TEST_CASE("an infinity is named where it is made, not where it becomes a NaN") {
    const std::string t = blamed(function(inputs(x), sum(log(x) * x)), line{1, 0, 2});
    check_has(t, "log made -inf");
    check_has(t, "element [1]");
    check_has(t, "x[1] = 0");
}

TEST_CASE("the derivative may be what fails") {
    const auto f = function(inputs(x), outputs(sum(sqrt(x)), grad(sum(sqrt(x)), x)));
    const std::string t = blamed(f, line{4, 1, 0});
    check_has(t, "in the derivative, not in the primal");
    check_has(t, "[2]");
    check_has(t, "result 2 (gradient by x");
    CHECK(blamed(f, line{4, 1, 1}).empty());
}

TEST_CASE("views lead back to the right element") {
    constexpr auto e = sum(log(A(slice<1, end>, c<1>)) + transpose(A)(c<0>, slice<1, end>));
    const std::string t = blamed(function(inputs(A), e), rows{{1, 0, 1}, {1, 2, 1}, {3, -4, 1}});
    check_has(t, "log made nan");
    check_has(t, "= -4");
    // the log is of a whole matrix, and only a part of it is used
    const auto part = function(inputs(A), sum(log(A)(slice<1, end>, c<1>)));
    CHECK(blamed(part, rows{{-1, -1}, {-1, 2}, {-1, 3}}).empty());
    check_has(blamed(part, rows{{-1, -1}, {-1, 2}, {-1, -7}}), "= -7");
}

TEST_CASE("a sum that overflows, and a quotient of zeros") {
    const std::string t = blamed(function(inputs(A), sum(A, axis<1>)), rows{{1, 2}, {1.5e308, 1e308}});
    check_has(t, "sum made inf");
    check_has(t, "element [1]");
    check_has(t, "2 elements from 1e+308 to 1.5e+308");
    const std::string q = blamed(function(inputs(x, s), x / s * s), line{0, 1}, 0.0);
    check_has(q, "s = 0");
    CHECK(blamed(function(inputs(x), logsumexp(x)), line{800, 900}).empty());
}

TEST_CASE("what no result depends on is no error") {
    const auto f = function(inputs(x), sum(where(x > c<0>, log(x), x)));
    CHECK(blamed(f, line{-1, 2}).empty());
    const auto g = function(inputs(x), grad(sum(where(x > c<0>, sqrt(x), x)), x));
    CHECK(blamed(g, line{-1, 2, 0}).empty());
    // 1 / (1 + inf) is 0, as it should be
    CHECK(blamed(function(inputs(x), c<1> / (c<1> + exp(x))), line{800}).empty());
}

TEST_CASE("what came in with an argument is not blamed on an operation") {
    const auto f = function(inputs(x), outputs(sum(exp(x)), x * c<2>));
    CHECK(blamed(f, line{1, not_a_number}).empty());
    CHECK(blamed(f, line{1, inf}).empty());
    check_has(blamed(f, line{inf, 1000}), "exp made inf");
    auto run = f.prepare(checked);
    const auto [v, twice] = run(line{1, inf});
    CHECK(v == inf);
    CHECK(twice(0) == 2);
}

TEST_CASE("loops are seen by what they take and give") {
    constexpr auto total = scan([](auto e, auto state) { return state + e; }, over(log(x)), from(c<0.0>)).last;
    const std::string t = blamed(function(inputs(x), total), line{1, -2});
    check_has(t, "log made nan");
    check_has(t, "element [1]");
}

TEST_CASE("it is an error of the library's") {
    bool caught = false;
    try {
        (void)function(inputs(s), log(s)).prepare(checked)(-1.0);
    } catch (const error&) {
        caught = true;
    }
    CHECK(caught);
}

TEST_CASE("a second derivative, with an own operation's name") {
    const std::string t = blamed(function(inputs(s), grad(grad(cbrt(s) * s, s), s)), 0.0);
    CHECK(!t.empty());
    check_has(t, "in the derivative");
}
