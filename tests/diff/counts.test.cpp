#include "op/table.hpp"
#include "plan/plan_of.hpp"

using namespace cotan;
using table::x, table::y;

// What derivatives cost, in kernels, passes over the data, and weighed operations of the loops.

namespace {

constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto b = tensor<double, "b", "k">;
constexpr auto u = tensor<double, "u", "n">;
constexpr auto v = tensor<double, "v", "k">;

struct cost {
    int kernels = 0, work = 0, passes = 0;
};
/// In loops: the operations' costs, and reads and writes; what stands outside is done once.
constexpr cost cost_of(const auto& d) {
    cost r;
    r.kernels = d.kernels;
    for (int l = 1; l < d.loop_count; ++l) {
        for (int k = d.loops[l].first; k < d.loops[l].first + d.loops[l].count; ++k) {
            const bits::step_data s = d.steps[k];
            const bool memory = s.kind == bits::step_kind::load || s.kind == bits::step_kind::store || s.kind == bits::step_kind::accumulate_store;
            if (s.kind == bits::step_kind::compute) r.work += s.op->cost;
            else r.work += memory || s.kind == bits::step_kind::accumulate;
            r.passes += memory && d.loops[l].depth == 1;
        }
    }
    return r;
}

}  // namespace

TEST_CASE("elementwise models: a gradient at most 2 times the value, a Hessian-vector product at most 4 times") {
    constexpr auto e = sum(softplus(x) * y + exp(-square(x)));
    constexpr cost value = cost_of(plan_of(inputs(x, y), outputs(e)));
    constexpr cost gradient = cost_of(plan_of(inputs(x, y), outputs(value_and_grad(e, x))));
    constexpr cost second = cost_of(plan_of(inputs(x, y, u), outputs(hvp(e, x, u))));
    STATIC_REQUIRE(value.kernels == 1);
    STATIC_REQUIRE(gradient.kernels == 1);
    STATIC_REQUIRE(second.kernels == 1);
    STATIC_REQUIRE(gradient.work <= 2 * value.work);
    STATIC_REQUIRE(second.work <= 4 * value.work);
    STATIC_REQUIRE(gradient.passes == value.passes + 1);  // the gradient is written
    STATIC_REQUIRE(second.passes == value.passes + 2);    // the direction is read, the product written
}

TEST_CASE("a deep elementwise chain") {
    constexpr auto e = sum(tanh(sin(exp(x * c<0.1>)) + log1p(square(x))));
    constexpr cost value = cost_of(plan_of(inputs(x), outputs(e)));
    constexpr cost gradient = cost_of(plan_of(inputs(x), outputs(value_and_grad(e, x))));
    constexpr cost second = cost_of(plan_of(inputs(x, u), outputs(hvp(e, x, u))));
    STATIC_REQUIRE(gradient.kernels == 1);
    STATIC_REQUIRE(second.kernels == 1);
    STATIC_REQUIRE(gradient.work <= 2 * value.work);
    STATIC_REQUIRE(second.work <= 4 * value.work);
}

TEST_CASE("products: a gradient at most 3 times the value") {
    constexpr auto e = sum(softplus(-y * dot(A, b)));
    constexpr cost value = cost_of(plan_of(inputs(A, y, b), outputs(e)));
    constexpr cost gradient = cost_of(plan_of(inputs(A, y, b), outputs(value_and_grad(e, b))));
    constexpr cost second = cost_of(plan_of(inputs(A, y, b, v), outputs(hvp(e, b, v))));
    STATIC_REQUIRE(gradient.kernels <= value.kernels);  // each row is read once, and used twice while it is in cache
    STATIC_REQUIRE(gradient.work <= 3 * value.work);
    STATIC_REQUIRE(second.work <= 4 * value.work);
}
