#include "op/table.hpp"

using namespace cotan;
using table::x;

// Users' problems with broadcasting; the values are exact.

namespace {

using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

}  // namespace

TEST_CASE("B01 the gradient with respect to a stretched operand has its shape") {
    constexpr auto a = tensor<double, "a", 1, "k">;
    constexpr auto b = tensor<double, "b", "n", "k">;
    const auto g = function(inputs(a, b), grad(sum(a + b), a))(rows{{1, 2, 3, 4, 5}}, rows(xt::ones<double>({5, 5})));
    CHECK((g == rows{{5, 5, 5, 5, 5}}));
}

TEST_CASE("B02 multiplying by ones keeps their shape") {
    constexpr auto a = tensor<double, "a", 1, 2>;
    const auto v = function(inputs(a), broadcast_to<3, 2>(c<1.0>) * a)(rows{{1, 2}});
    CHECK((v == rows{{1, 2}, {1, 2}, {1, 2}}));
}

TEST_CASE("B05 a boolean operand of a difference") {
    const auto [v, g] = function(inputs(x), value_and_grad(sum(x - (x > c<2>)), x))(line{1, 2, 3});
    CHECK(v == 5);
    CHECK((g == line{1, 1, 1}));
}

TEST_CASE("B06 the gradient of a stretched value") {
    constexpr auto s = scalar<double, "s">;
    constexpr auto v = tensor<double, "v", 1, 4>;
    constexpr auto f = function(inputs(s, v), outputs(grad(sum(broadcast_to<3, 4>(s)), s), grad(sum(broadcast_to<3, 4>(v)), v), sum(broadcast_to<3, 4>(s))));
    const auto [gs, gv, total] = f(1.0, rows{{1, 2, 3, 4}});
    CHECK(gs == 12);
    CHECK((gv == rows{{3, 3, 3, 3}}));
    CHECK(total == 12);
}

TEST_CASE("B07 a contraction of the last axes") {
    constexpr auto a = tensor<double, "a", 2>;
    constexpr auto b = tensor<double, "b", 7, 3, 2>;
    constexpr auto e = dot(b, a);
    const auto [v, g] = function(inputs(a, b), outputs(e, grad(sum(e), a)))(line{1, 1}, xt::xtensor<double, 3>(xt::ones<double>({7, 3, 2})));
    CHECK(v.shape()[0] == 7);
    CHECK(v.shape()[1] == 3);
    for (double w : v) CHECK(w == 2);
    CHECK((g == line{21, 21}));
}

TEST_CASE("B08 an outer product with fixed extents") {
    constexpr auto a = tensor<double, "a", 3>;
    const auto v = function(inputs(a), a * a(all, newaxis))(line{0.125, 1, -0.125});
    CHECK((v == rows{{1.0 / 64, 0.125, -1.0 / 64}, {0.125, 1, -0.125}, {-1.0 / 64, -0.125, 1.0 / 64}}));
}

TEST_CASE("B11 a column of a matrix") {
    constexpr auto a = tensor<double, "a", "n", 3>;
    constexpr auto f = function(inputs(a), outputs(c<2> * a(all, slice<0, 1>), c<2> * a(all, c<0>)));
    const auto [v, w] = f(rows{{9, 6, 3}, {8, 5, 2}, {7, 4, 1}});
    CHECK((v == rows{{18}, {16}, {14}}));
    CHECK((w == line{18, 16, 14}));
    rows tall(rows::shape_type{37, 3});
    for (std::size_t i = 0; i < 37; ++i) tall(i, 0) = static_cast<double>(i);
    const auto [many, flat] = f(tall);
    for (std::size_t i = 0; i < 37; ++i) {
        CHECK(many(i, 0) == 2.0 * static_cast<double>(i));
        CHECK(flat(i) == 2.0 * static_cast<double>(i));
    }
}

TEST_CASE("B13 a power keeps a fixed shape") {
    constexpr auto a = tensor<double, "a", 1>;
    constexpr auto e = pow(a, c<3>);
    const auto [v, g] = function(inputs(a), outputs(e, grad(sum(e), a)))(line{2});
    CHECK((v == line{8}));
    CHECK((g == line{12}));
    STATIC_REQUIRE(std::is_same_v<type_of<decltype(e)>, type_of<decltype(a)>>);
}
