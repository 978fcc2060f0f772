#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>

#include <xtensor/xtensor.hpp>

using namespace cotan;

// Temporaries that stand in each other's place.

TEST_CASE("values that follow each other in one place") {
    constexpr auto x = tensor<double, "x", "n">;
    constexpr auto back = slice<none, none, -1>;
    auto f = function(inputs(x), cumsum(cumsum(cumsum(cumsum(x)(back))(back))(back))).prepare();
    using line = xt::xtensor<double, 1>;
    CHECK((f(line{1, 2, 3}) == line{25, 44, 54}));
    CHECK((f(line{0, 0, 1, 0}) == line{7, 13, 17, 19}));
    CHECK((f(line{1, 2, 3}) == line{25, 44, 54}));
}
