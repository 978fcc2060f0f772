#include "table.hpp"

using namespace cotan;

namespace {

constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto x = tensor<double, "x", "k">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;
const rows a{{1, 2, 3}, {4, 5, 6}};

}  // namespace

TEST_CASE("running sums along one axis, and then the other") {
    constexpr auto both = cumsum(cumsum(A, axis<1>), axis<0>);
    constexpr auto exclusive_first = cumsum(cumsum(A, axis<1>, exclusive), axis<0>, exclusive);
    constexpr auto f = function(inputs(A), outputs(both, exclusive_first, grad(sum(both * A), A)));
    const auto [v, w, g] = f(a);
    CHECK((v == rows{{1, 3, 6}, {5, 12, 21}}));
    CHECK((w == rows{{0, 0, 0}, {0, 1, 3}}));
    // d/dA of sum(both * A): the running sums themselves, and what stands after each element
    const double after[2][3] = {{21, 16, 9}, {15, 11, 6}};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j) CHECK(g(i, j) == v(i, j) + after[i][j]);
}

TEST_CASE("running operations of running operations along one axis") {
    constexpr auto f = function(inputs(x), outputs(cumsum(cumsum(x)), cumsum(cumsum(x, reverse)), cumprod(cumsum(x), reverse), grad(sum(cumsum(cumsum(x))), x)));
    const auto [v, w, p, g] = f(line{1, 2, 3});
    CHECK((v == line{1, 4, 10}));
    CHECK((w == line{6, 11, 14}));
    CHECK((p == line{18, 18, 6}));
    CHECK((g == line{6, 3, 1}));
}
