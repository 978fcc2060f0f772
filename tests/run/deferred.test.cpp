#include "op/table.hpp"

using namespace cotan;

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto A = tensor<double, "A", "n", "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

}  // namespace

TEST_CASE("a deferred fill may depend on the input") {
    constexpr auto f = function(inputs(A), grad(square(sum(A)), A));
    const auto g = f.deferred(rows{{1, 2}, {3, 4}});
    CHECK(g.shape()[1] == 2);
    CHECK(g(1, 0) == 20);
}

TEST_CASE("what is no fill is deferred as an array") {
    constexpr auto f = function(inputs(x), outputs(c<2> * x, grad(sum(x), x), sum(x)));
    const auto [twice, ones, total] = f.deferred(line{1, 2, 3});
    CHECK((twice == line{2, 4, 6}));
    CHECK((line(ones) == line{1, 1, 1}));
    CHECK(total == 6);
}
