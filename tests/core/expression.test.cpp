#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>
#include <xtensor/xtensor.hpp>

using namespace cotan;

namespace {

constexpr auto x = tensor<double, "x", "n">;

template <class E>
constexpr int lowered(E) {
    bits::graph g;
    bits::lower_node<node_of<E>>(g);
    return g.nodes.size();
}

/// f(f(...f(x))), each level using the one below twice.
template <int Depth, class E>
constexpr auto doubled(E e) {
    if constexpr (Depth == 0) return e;
    else return doubled<Depth - 1>(sin(e) * e);
}

}  // namespace

TEST_CASE("an expression is its type") {
    STATIC_REQUIRE(std::is_empty_v<std::remove_const_t<decltype(exp(x) + x)>>);
    STATIC_REQUIRE(std::is_same_v<decltype(exp(x) + x), decltype(exp(tensor<double, "x", "n">) + tensor<double, "x", "n">)>);
    STATIC_REQUIRE(!std::is_same_v<decltype(exp(x)), decltype(exp(tensor<double, "x", "k">))>);
    STATIC_REQUIRE(expression<decltype(x)>);
    STATIC_REQUIRE(!expression<double>);
    constexpr auto copy = exp(x);
    auto mutable_copy = copy;
    STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(copy)>, decltype(mutable_copy)>);
}

TEST_CASE("what is shared is lowered once") {
    STATIC_REQUIRE(lowered(exp(x) * exp(x)) == 3);
    STATIC_REQUIRE(lowered(doubled<40>(x)) == 81);  // 2^40 paths
}

TEST_CASE("expressions made in a function of their own") {
    constexpr auto model = [](auto a, auto b) { return sum(square(a - b)); };
    constexpr auto y = tensor<double, "y", "n">;
    CHECK(function(inputs(x, y), model(x, y))(xt::xtensor<double, 1>{1, 2}, xt::xtensor<double, 1>{3, 5}) == 13);
}
