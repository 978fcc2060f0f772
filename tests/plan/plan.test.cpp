#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>

#include "plan/plan_of.hpp"

#include <string_view>

using namespace cotan;
using namespace cotan::bits;

// What a plan does with memory: how many loops, what is read how often, what is stored. Read from the plan's data, nothing is run.

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto v = tensor<double, "v", "n">;
constexpr auto X = tensor<double, "X", "n", "k">;
constexpr auto y = tensor<double, "y", "n">;
constexpr auto beta = tensor<double, "beta", "k">;

/// The steps of a kind, counted with the loops that run them.
template <class D>
constexpr int steps(const D& d, step_kind kind, std::string_view op = {}) {
    int n = 0;
    for (int i = 0; i < d.step_count; ++i)
        if (d.steps[i].kind == kind && (op.empty() || (d.steps[i].op && d.steps[i].op->name == op))) ++n;
    return n;
}
template <class D>
constexpr int loads_of_input(const D& d, int input) {
    int n = 0;
    for (int i = 0; i < d.step_count; ++i)
        if (d.steps[i].kind == step_kind::load && d.memories[d.steps[i].memory].kind == memory_kind::input && d.memories[d.steps[i].memory].index == input) ++n;
    return n;
}
template <class D>
constexpr int temporaries(const D& d, int of_rank = -1) {
    int n = 0;
    for (int i = 0; i < d.memory_count; ++i)
        if (d.memories[i].kind == memory_kind::temporary && (of_rank < 0 || d.memories[i].rank == of_rank)) ++n;
    return n;
}
/// Temporaries that hold a whole matrix: of rank 2, and with no axis of which only a part is kept.
template <class D>
constexpr int matrices(const D& d) {
    int n = 0;
    for (int i = 0; i < d.memory_count; ++i)
        if (d.memories[i].kind == memory_kind::temporary && d.memories[i].rank >= 2 && d.memories[i].shared == 0 && d.memories[i].alias < 0) ++n;
    return n;
}
}  // namespace

TEST_CASE("value and gradient of a sum are one pass") {
    constexpr auto d = plan_of<false>(inputs(x), outputs(value_and_grad(sum(softplus(x)), x)));
    STATIC_REQUIRE(!d.overflow);
    STATIC_REQUIRE(!d.failed);
    CHECK(d.kernels == 1);
    CHECK(d.loop_count == 2);  // the function's own level and one loop
    CHECK(loads_of_input(d, 0) == 1);
    CHECK(temporaries(d) == 0);
    // the exponential is shared by the value and the derivative
    CHECK(steps(d, step_kind::compute, "exp_minus_abs") == 1);
    CHECK(steps(d, step_kind::compute, "exp") == 0);
}

TEST_CASE("what is written by hand is planned as what it is") {
    constexpr auto by_hand = plan_of<false>(inputs(x), outputs(value_and_grad(sum(log(c<1> + exp(x))), x)));
    CHECK(by_hand.kernels == 1);
    CHECK(steps(by_hand, step_kind::compute, "softplus_of") == 1);
    CHECK(steps(by_hand, step_kind::compute, "log") == 0);
}

TEST_CASE("logistic regression reads the matrix in one kernel") {
    constexpr auto eta = dot(X, beta);
    constexpr auto d = plan_of<false>(inputs(X, y, beta), outputs(value_and_grad(sum(softplus(eta) - y * eta), beta)));
    STATIC_REQUIRE(!d.failed);
    CHECK(loads_of_input(d, 0) == 2);  // once for the product, once for the gradient, in one pass over the rows
    int outer = -1;
    for (int l = 1; l < d.loop_count; ++l)
        for (int i = d.loops[l].first; i < d.loops[l].first + d.loops[l].count; ++i)
            if (d.steps[i].kind == step_kind::load && d.steps[i].memory == 0) {
                int top = l;
                while (d.loops[top].parent != 0) top = d.loops[top].parent;
                CHECK((outer < 0 || outer == top));
                outer = top;
            }
    CHECK(matrices(d) == 0);
    // the value and the derivative of a row share the exponential
    CHECK(steps(d, step_kind::compute, "exp_minus_abs") == 1);
}

TEST_CASE("the spread of a vector holds no matrix") {
    constexpr auto spread = sum(square((v(all, newaxis) - v(newaxis, all)) / c<2.0>));
    constexpr auto d = plan_of<false>(inputs(v), outputs(value_and_grad(spread, v)));
    STATIC_REQUIRE(!d.failed);
    CHECK(temporaries(d, 2) == 0);
    CHECK(matrices(d) == 0);
}

TEST_CASE("the gradient of a sum is a fill") {
    constexpr auto deferred = plan_of<true>(inputs(x), outputs(grad(sum(x), x)));
    CHECK(deferred.kernels == 0);
    CHECK(temporaries(deferred) == 0);
    CHECK(deferred.outputs[0].fill);
    CHECK(deferred.outputs[0].scalar);
    CHECK(loads_of_input(deferred, 0) == 0);
    constexpr auto stored = plan_of<false>(inputs(x), outputs(grad(sum(x), x)));
    CHECK(stored.outputs[0].fill);
    CHECK(!stored.outputs[0].scalar);
    CHECK(stored.kernels == 1);
    CHECK(loads_of_input(stored, 0) == 0);
    constexpr auto affine = plan_of<true>(inputs(x), outputs(grad(sum((c<1.0> - x) / c<2.0>), x)));
    CHECK(affine.kernels == 0);
    CHECK(affine.outputs[0].scalar);
}

TEST_CASE("a softmax of rows keeps its exponentials where the result will stand") {
    constexpr auto d = plan_of<false>(inputs(X), outputs(softmax(X, axis<1>)));
    STATIC_REQUIRE(!d.failed);
    CHECK(d.kernels == 1);
    CHECK(temporaries(d) == 0);
    CHECK(steps(d, step_kind::compute, "exp_gap") == 1);  // the exponentials of the sum are the result's
}

TEST_CASE("what does not vary in a loop is computed outside it") {
    constexpr auto s = scalar<double, "s">;
    constexpr auto d = plan_of<false>(inputs(x, s), outputs(x * exp(s)));
    for (int i = 0; i < d.step_count; ++i)
        if (d.steps[i].kind == step_kind::compute && d.steps[i].op->name == "exp") CHECK(d.steps[i].to.depth == 0);
    CHECK(steps(d, step_kind::compute, "exp") == 1);
    constexpr auto e = plan_of<false>(inputs(X, y), outputs(X * exp(y)(all, newaxis)));
    int depth = -1;
    for (int i = 0; i < e.step_count; ++i)
        if (e.steps[i].kind == step_kind::compute && e.steps[i].op->name == "exp") depth = e.steps[i].to.depth;
    CHECK(depth == 1);
}

TEST_CASE("a normal log-density and its gradients fold two sums in one pass") {
    constexpr auto mu = scalar<double, "mu">;
    constexpr auto sigma = scalar<double, "sigma">;
    constexpr auto density = sum(c<-0.5> * square((x - mu) / sigma) - log(sigma));
    constexpr auto d = plan_of<false>(inputs(x, mu, sigma), outputs(value_and_grad(density, wrt(x, mu, sigma))));
    CHECK(d.kernels == 1);
    CHECK(loads_of_input(d, 0) == 1);
    CHECK(temporaries(d) == 0);
    CHECK(steps(d, step_kind::accumulate) == 2);  // of the residuals and their squares: a sum of x * -x is the sum of squares
    for (int i = 0; i < d.step_count; ++i)
        if (d.steps[i].kind == step_kind::compute && d.steps[i].op->name == std::string_view("neg")) CHECK(d.steps[i].to.depth == 0);
}

TEST_CASE("several results over the same elements share one pass") {
    constexpr auto d = plan_of<false>(inputs(x), outputs(sum(x), max(x), sum(square(x)), exp(x), c<2> * x));
    CHECK(d.kernels == 1);
    CHECK(loads_of_input(d, 0) == 1);
    CHECK(temporaries(d) == 0);
}

TEST_CASE("an expression that is asked for twice is computed once") {
    constexpr auto d = plan_of<false>(inputs(x), outputs(exp(x), sum(exp(x)), exp(x) + c<1>));
    CHECK(steps(d, step_kind::compute, "exp") == 1);
}

TEST_CASE("what a mean needs again is read again, and not stored") {
    constexpr auto d = plan_of<false>(inputs(x), outputs(sum(square(x - mean(x)))));
    CHECK(d.kernels == 2);
    CHECK(temporaries(d) == 0);
    CHECK(loads_of_input(d, 0) == 2);
}

TEST_CASE("what is dear and needed again is stored") {
    constexpr auto d = plan_of<false>(inputs(x), outputs(exp(sin(x)) / sum(exp(sin(x)))));
    CHECK(steps(d, step_kind::compute, "sin") == 1);
}

TEST_CASE("inputs that nothing reads are not read") {
    constexpr auto d = plan_of<false>(inputs(x, y), outputs(sum(y), grad(sum(x * y), x)));
    CHECK(loads_of_input(d, 0) == 0);
    CHECK(loads_of_input(d, 1) <= 2);
}

TEST_CASE("indices and transposes are no copies") {
    constexpr auto d = plan_of<false>(inputs(X), outputs(transpose(X)(c<0>), sum(X(slice<1, end>) - X(slice<0, -1>)), X(all, c<1>)));
    CHECK(temporaries(d) == 0);
    CHECK(matrices(d) == 0);
}

TEST_CASE("a temporary takes the place of one that is read no more") {
    constexpr auto back = slice<none, none, -1>;
    constexpr auto d = plan_of<false>(inputs(x), outputs(cumsum(cumsum(cumsum(cumsum(cumsum(x)(back))(back))(back))(back))));
    STATIC_REQUIRE(!d.failed);
    int own = 0, taken = 0;
    for (int m = 0; m < d.memory_count; ++m)
        if (d.memories[m].kind == memory_kind::temporary) (d.memories[m].room < 0 ? own : taken) += 1;
    CHECK(own == 2);
    CHECK(taken == 3);
}

TEST_CASE("the order in which operands of sums and products are written makes no other function") {
    constexpr auto a = exp(x) * v;
    constexpr auto b = sin(v) + x;
    constexpr auto one = plan_of<false>(inputs(x, v), outputs(value_and_grad(sum(tanh(a + b) * log1p(square(a))), x)));
    constexpr auto c = v * exp(x);
    constexpr auto d = x + sin(v);
    constexpr auto other = plan_of<false>(inputs(x, v), outputs(value_and_grad(sum(log1p(square(c)) * tanh(d + c)), x)));
    REQUIRE(one.step_count == other.step_count);
    CHECK(one.step_count > 15);
    for (int i = 0; i < one.step_count; ++i) {
        CHECK(one.steps.ops[i] == other.steps.ops[i]);
        for (int k = 0; k < 4; ++k) CHECK(one.steps.words[i][k] == other.steps.words[i][k]);
    }
}
