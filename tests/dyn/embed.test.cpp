#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>
#include <cotan/dyn.hpp>

#include <xtensor/xtensor.hpp>

using namespace cotan;
using dyn::expr;

namespace {

constexpr auto a = tensor<double, "a", "n">;
constexpr auto b = tensor<double, "b", "n">;
constexpr auto W = tensor<double, "W", 2, "n">;
constexpr auto f = function(inputs(a, b, W), outputs(sum(a * b), dot(W, a) * c<2>, grad(sum(exp(a) * b), a)));

using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

}  // namespace

TEST_CASE("a typed function takes expressions of the runtime graph") {
    const expr x = dyn::tensor<double>("x", 1), m = dyn::tensor<double>("m", {2, "k"});
    const auto r = dyn::embed(f)(x, 2 * x, m);
    REQUIRE(r.size() == 3);
    const dyn::function g({x, m}, {r[0], r[1], r[2], grad(r[0], x), grad(sum(r[1]), m)});
    const auto out = g(line{1, 2}, rows{{1, 0}, {1, 1}});
    CHECK(out[0].scalar<double>() == 10);
    CHECK((out[1].as<double, 1>() == line{2, 6}));
    CHECK(out[2].data<double>()[1] == Approx(std::exp(2.0) * 4));
    CHECK((out[3].as<double, 1>() == line{4, 8}));
    CHECK((out[4].as<double, 2>() == rows{{2, 4}, {2, 4}}));
    // "n" is one size for all of its arguments
    CHECK_THROWS_WITH(g(line{1, 2, 3}, rows{{1, 0}, {1, 1}}), Catch::Contains("(3)") && Catch::Contains("(2)"));
    const expr y = dyn::tensor<double>("y", {"other"}), z = dyn::tensor<double>("z", {"another"});
    CHECK_THROWS_WITH(dyn::embed(f)(y, z, m), Catch::Contains("input b: expected double[n], got z: double[another]"));
    CHECK_THROWS_WITH(dyn::embed(f)(x, dyn::scalar<double>("s"), m), Catch::Contains("input b: expected double[n], got s: double"));
    CHECK_THROWS_WITH(dyn::embed(f)(x, x, dyn::tensor<double>("q", {3, "k"})), Catch::Contains("input W: expected double[2, n]"));
}
