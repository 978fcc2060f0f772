#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>

using namespace cotan;

namespace {

constexpr auto s = tensor<float, "s", "n">;
constexpr auto d = tensor<double, "d", "n">;
constexpr auto i = tensor<std::int32_t, "i", "n">;
constexpr auto l = tensor<std::int64_t, "l", "n">;
constexpr auto m = tensor<bool, "m", "n">;
template <class E> constexpr dtype of = type_of<E>::dt;

}  // namespace

TEST_CASE("a literal takes the dtype of what it meets") {
    STATIC_REQUIRE(of<decltype(s * c<0.1>)> == dtype::float32);
    STATIC_REQUIRE(of<decltype(s + c<1>)> == dtype::float32);
    STATIC_REQUIRE(of<decltype(d + c<1>)> == dtype::float64);
    STATIC_REQUIRE(of<decltype(i + c<1>)> == dtype::int32);
    STATIC_REQUIRE(of<decltype(l + c<1>)> == dtype::int64);
    STATIC_REQUIRE(of<decltype(i * c<0.5>)> == dtype::float64);
    STATIC_REQUIRE(of<decltype(m + c<1>)> == dtype::int32);
    STATIC_REQUIRE(of<decltype((c<1> + c<0.5>) * s)> == dtype::float32);  // still weak
    STATIC_REQUIRE(of<decltype(exp(c<1>) * s)> == dtype::float32);
    STATIC_REQUIRE(of<decltype(where(m, s, c<0.0>))> == dtype::float32);
    STATIC_REQUIRE(of<decltype(maximum(s, c<0.5>))> == dtype::float32);
    STATIC_REQUIRE(of<decltype(pow(s, c<2.5>))> == dtype::float32);
}

TEST_CASE("equal numbers are one literal") {
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(c<0.5>)>, std::remove_const_t<decltype(0.5_c)>>);
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(c<3>)>, std::remove_const_t<decltype(3_c)>>);
    STATIC_REQUIRE(!std::is_same_v<std::remove_const_t<decltype(c<1>)>, std::remove_const_t<decltype(c<1.0>)>>);
    STATIC_REQUIRE(!std::is_same_v<std::remove_const_t<decltype(c<0.0>)>, std::remove_const_t<decltype(c<-0.0>)>>);
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(c<0.1>)>, std::remove_const_t<decltype(1e-1_c)>>);
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(c<0x1p-52>)>, std::remove_const_t<decltype(0x1p-52_c)>>);
}

TEST_CASE("literals alone, and what float makes of them") {
    const auto [real, whole, truth] = function(inputs(), outputs(c<0.5>, c<3>, c<true>))();
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(real)>, double>);
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(whole)>, std::int64_t>);
    STATIC_REQUIRE(std::is_same_v<std::decay_t<decltype(truth)>, bool>);
    CHECK(real == 0.5);
    CHECK(whole == 3);
    CHECK(truth);
    // 0.1 is the float nearest to it: 0.1 + 0.2 in floats
    const auto v = function(inputs(s), outputs(s + c<0.1>, s + c<0.1> + c<0.2>))(xt::xtensor<float, 1>{0.2f});
    CHECK(std::get<0>(v)(0) == 0.1f + 0.2f);
    CHECK(function(inputs(l), l + c<9007199254740993>)(xt::xtensor<std::int64_t, 1>{0})(0) == 9007199254740993);  // more digits than a double has
    CHECK(function(inputs(), pi)() == 3.141592653589793);
}
