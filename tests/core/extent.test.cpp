#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>

using namespace cotan;
using namespace cotan::bits;

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto w = tensor<double, "w", 6>;
constexpr auto A = tensor<double, "A", "n", 3>;
template <class E> using typed = type_of<E>;
template <class... E> using doubles = ty<dtype::float64, E...>;
using n = named_extent<"n">;
template <class A, class B> concept adds = requires(A a, B b) { a + b; };

}  // namespace

TEST_CASE("extents are names and sizes") {
    STATIC_REQUIRE(std::is_same_v<typed<decltype(A)>, doubles<n, fixed_extent<3>>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(transpose(A))>, doubles<fixed_extent<3>, n>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(A(all, newaxis))>, doubles<n, fixed_extent<1>, fixed_extent<3>>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(sum(A, axis<1>, keepdims))>, doubles<n, fixed_extent<1>>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(x(all, newaxis) + x(newaxis, all))>, doubles<n, n>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(x(all, newaxis) * A)>, doubles<n, fixed_extent<3>>>);
}

TEST_CASE("slices have extents of their own, and equal ones go together") {
    STATIC_REQUIRE(std::is_same_v<typed<decltype(x(slice<1, end>))>, typed<decltype(x(slice<0, -1>))>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(x(slice<2, end>))>, typed<decltype(x(slice<1, -1>))>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(x(slice<1, end>)(slice<1, end>))>, typed<decltype(x(slice<2, end>))>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(x(slice<none, none, -1>))>, typed<decltype(x)>>);
    STATIC_REQUIRE(!std::is_same_v<typed<decltype(x(slice<none, none, 2>))>, typed<decltype(x(slice<1, none, 2>))>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(x(slice<0, 3>))>, doubles<fixed_extent<3>>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(x(slice<-2, end>))>, doubles<fixed_extent<2>>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(w(slice<1, end, 2>))>, doubles<fixed_extent<3>>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(w(slice<-2, none, -1>))>, doubles<fixed_extent<5>>>);
    STATIC_REQUIRE(std::is_same_v<typed<decltype(w(slice<4, 100>))>, doubles<fixed_extent<2>>>);
}

TEST_CASE("differences of neighbours") {
    constexpr auto e = x(slice<1, end>) - x(slice<0, -1>);
    constexpr auto f = function(inputs(x), outputs(e, grad(sum(square(e)), x)));
    const auto [d, g] = f(xt::xtensor<double, 1>{1, 4, 9, 16});
    CHECK((d == xt::xtensor<double, 1>{3, 5, 7}));
    CHECK((g == xt::xtensor<double, 1>{-6, -4, -4, 14}));
    const auto [none, zero] = f(xt::xtensor<double, 1>{5});
    CHECK(none.size() == 0);
    CHECK((zero == xt::xtensor<double, 1>{0}));
    CHECK(std::get<0>(f(xt::xtensor<double, 1>())).size() == 0);
}

TEST_CASE("every second element, of even and odd lengths") {
    constexpr auto f = function(inputs(x), outputs(x(slice<none, none, 2>), x(slice<1, none, 2>), x(slice<none, none, -2>), x(slice<none, none, -1>)));
    for (std::size_t length : std::initializer_list<std::size_t>{0, 1, 2, 5, 6, 19}) {
        xt::xtensor<double, 1> v = xt::zeros<double>({length});
        for (std::size_t i = 0; i < length; ++i) v(i) = static_cast<double>(i);
        const auto [even, odd, down, turned] = f(v);
        INFO(length);
        REQUIRE(even.size() == (length + 1) / 2);
        REQUIRE(odd.size() == length / 2);
        REQUIRE(down.size() == (length + 1) / 2);
        REQUIRE(turned.size() == length);
        for (std::size_t i = 0; i < even.size(); ++i) CHECK(even(i) == 2.0 * static_cast<double>(i));
        for (std::size_t i = 0; i < odd.size(); ++i) CHECK(odd(i) == 2.0 * static_cast<double>(i) + 1);
        for (std::size_t i = 0; i < down.size(); ++i) CHECK(down(i) == static_cast<double>(length - 1 - 2 * i));
        for (std::size_t i = 0; i < length; ++i) CHECK(turned(i) == static_cast<double>(length - 1 - i));
    }
}

TEST_CASE("extents in a graph") {
    graph g;
    const int a = g.named("n"), k = g.named("k"), five = g.fixed(5);
    CHECK(g.named("n") == a);
    CHECK(g.fixed(5) == five);
    CHECK(g.linear(a, 0, 1) == a);
    CHECK(g.linear(g.linear(a, -1, 1), -1, 1) == g.linear(a, -2, 1));
    CHECK(g.linear(g.linear(a, -1, 1), 1, 1) == a);
    CHECK(g.linear(five, -1, 2) == g.fixed(2));
    CHECK(g.linear(five, -7, 1) == g.fixed(0));
    CHECK(g.product(a, k) == g.product(k, a));
    CHECK(g.product(a, g.fixed(1)) == a);
    CHECK(g.product(five, g.fixed(2)) == g.fixed(10));
}
