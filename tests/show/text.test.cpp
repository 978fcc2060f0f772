#include "model.hpp"

using namespace cotan;
using namespace model;

namespace {

/// What stands behind `result: <type> = `.
template <class E> std::string written(E e) {
    const std::string t = show::text(e);
    const std::size_t at = t.rfind(" = ") + 3;
    return t.substr(at, t.size() - at - 1);
}

}  // namespace

TEST_CASE("text: a graph as written, with its inputs") {
    CHECK(show::text(loss) == "x: double[n]\n\nresult: double = sum(log(1 + exp(x)))\n");
    CHECK(show::text(cast<double>(s) * x) == "s: float\nx: double[n]\n\nresult: double[n] = cast<double>(s) * x\n");
}

TEST_CASE("text: what is used twice is named once") {
    constexpr auto eta = dot(X, beta);
    CHECK(show::text(value_and_grad(sum(exp(eta) - y * eta), beta)) ==
          "X: double[n, k]\nbeta: double[k]\ny: double[n]\n\n"
          "%1: double[n] = dot(X, beta)\n"
          "%2: double = sum(exp(%1) - y * %1)\n"
          "result 1: double = %2\n"
          "result 2: double[k] = grad(%2, beta)\n");
}

TEST_CASE("text: operators keep their meaning") {
    CHECK(written(x - (y - x)) == "x - (y - x)");
    CHECK(written((x - y) - x) == "x - y - x");
    CHECK(written(x / (y * x)) == "x / (y * x)");
    CHECK(written((x + y) * x) == "(x + y) * x");
    CHECK(written(-(x + y) * x) == "-(x + y) * x");
    CHECK(written(x - (-y)) == "x - (-y)");
    CHECK(written(x + c<-2>) == "x - 2");
    CHECK(written(x * (-y)) == "x * (-y)");
    CHECK(written(where(x < y && !(x == y), x, c<0.1>)) == "where(x < y && !(x == y), x, 0.1)");
}

TEST_CASE("text: axes, slices and shapes") {
    CHECK(written(X(c<-1>, slice<1, end, 2>)) == "X[-1, 1::2]");
    CHECK(written(x(slice<none, none, -1>, newaxis)) == "x[::-1, newaxis]");
    CHECK(written(sum(X, axis<1>)) == "sum(X, axis<1>)");
    CHECK(written(logsumexp(X)) == "logsumexp(X)");
    CHECK(written(cumsum(X, axis<0>, reverse, exclusive)) == "cumsum(X, axis<0>, reverse, exclusive)");
    CHECK(written(transpose(X)) == "transpose(X)");
    CHECK(written(transpose<0, 2, 1>(X(newaxis))) == "transpose<0, 2, 1>(X[newaxis])");
    CHECK(written(broadcast_to<"n", "k">(beta)) == "broadcast_to<n, k>(beta)");
    CHECK_HAS(show::text(x(slice<1, end>) - x(slice<0, -1>)), "double[n - 1]");
    CHECK_HAS(show::text(x(slice<none, none, 2>)), "double[ceil(n / 2)]");
    CHECK_HAS(show::text(flatten(X)), "double[n * k]");
}

TEST_CASE("text: derivatives are nodes") {
    CHECK(written(hessian(loss, x)) == "jacobian(grad(sum(log(1 + exp(x))), x), x)");
    CHECK(written(pullback(exp(x), x, y)) == "pullback(exp(x), x, y)");
    CHECK(written(pushforward(exp(x * y), wrt(x, y), outputs(y, x))) == "pushforward(exp(x * y), wrt(x, y), outputs(y, x))");
}

TEST_CASE("text: long formulas are divided") {
    constexpr auto once = logaddexp(square(sin(x)) + square(cos(y)), tanh(x) / (c<1> + exp(y)));
    constexpr auto twice = logaddexp(once, sqrt(c<2> + square(x)) - log1p(square(y)));
    const std::string t = show::text(twice);
    for (std::size_t at = 0; at < t.size();) {
        const std::size_t end_of_line = t.find('\n', at);
        CHECK(end_of_line - at < 120);
        at = end_of_line + 1;
    }
    CHECK(times(t, "tanh") == 1);
}
