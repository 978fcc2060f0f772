#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>

using namespace cotan;

namespace {

using enum dtype;
constexpr auto s = tensor<float, "s", "n">;
constexpr auto d = tensor<double, "d", "n">;
constexpr auto i = tensor<std::int32_t, "i", "n">;
constexpr auto l = tensor<std::int64_t, "l", "n">;
constexpr auto m = tensor<bool, "m", "n">;
template <class E> constexpr dtype of = type_of<E>::dt;

template <class T> dtype of_type() { return bits::dtype_of<T>(); }
template <class A, class B> bool as_in_cpp() { return promote(of_type<A>(), of_type<B>()) == of_type<decltype(A{} + B{})>(); }

}  // namespace

TEST_CASE("promotion is that of C++") {
    CHECK(as_in_cpp<std::int32_t, std::int64_t>());
    CHECK(as_in_cpp<std::int32_t, float>());
    CHECK(as_in_cpp<std::int64_t, float>());
    CHECK(as_in_cpp<std::int64_t, double>());
    CHECK(as_in_cpp<float, double>());
    CHECK(as_in_cpp<bool, std::int32_t>());
    CHECK(as_in_cpp<bool, float>());
    for (dtype a : {boolean, int32, int64, float32, float64, weak_integer, weak_real})
        for (dtype b : {boolean, int32, int64, float32, float64, weak_integer, weak_real}) {
            CHECK(promote(a, b) == promote(b, a));
            CHECK(promote(a, a) == a);
        }
}

TEST_CASE("dtypes of results") {
    STATIC_REQUIRE(of<decltype(s + d)> == float64);
    STATIC_REQUIRE(of<decltype(i + l)> == int64);
    STATIC_REQUIRE(of<decltype(i + s)> == float32);
    STATIC_REQUIRE(of<decltype(m + m)> == int32);
    STATIC_REQUIRE(of<decltype(m * s)> == float32);
    STATIC_REQUIRE(of<decltype(i / i)> == int32);
    STATIC_REQUIRE(of<decltype(exp(i))> == float64);
    STATIC_REQUIRE(of<decltype(exp(s))> == float32);
    STATIC_REQUIRE(of<decltype(sum(m))> == int64);
    STATIC_REQUIRE(of<decltype(sum(i))> == int32);
    STATIC_REQUIRE(of<decltype(mean(i))> == float64);
    STATIC_REQUIRE(of<decltype(s < d)> == boolean);
    STATIC_REQUIRE(of<decltype(where(m, s, d))> == float64);
    STATIC_REQUIRE(of<decltype(cast<float>(d))> == float32);
    STATIC_REQUIRE(of<decltype(dot(s, d))> == float64);
}

TEST_CASE("mixed operands are computed in the wider type") {
    const auto [a, b, q, e] = function(inputs(s, d, i, m), outputs(s + d, i * s, i / c<2>, m + m))(
        xt::xtensor<float, 1>{0.1f}, xt::xtensor<double, 1>{0.2}, xt::xtensor<std::int32_t, 1>{-7}, xt::xtensor<bool, 1>{true});
    CHECK(a(0) == static_cast<double>(0.1f) + 0.2);
    CHECK(b(0) == -7 * 0.1f);
    CHECK(q(0) == -3);  // integers divide as in C++
    CHECK(e(0) == 2);
}

TEST_CASE("casts convert as static_cast does") {
    const auto [whole, narrow, truth, back, wide] = function(inputs(d), outputs(cast<std::int32_t>(d), cast<float>(d), cast<bool>(d), cast<double>(cast<float>(d)), cast<std::int64_t>(d)))(
        xt::xtensor<double, 1>{-2.7, 0.1, 0, 1e10, 3, 4, 5, 6.9, -0.5});
    CHECK(whole(0) == -2);
    CHECK(whole(7) == 6);
    CHECK(whole(8) == 0);
    CHECK(narrow(1) == 0.1f);
    CHECK(truth(0));
    CHECK(!truth(2));
    CHECK(truth(8));
    CHECK(back(1) == static_cast<double>(0.1f));  // what a float cannot hold is lost
    CHECK(wide(3) == 10000000000);
}
