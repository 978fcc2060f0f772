#include "op/table.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>
#include <xtensor/xadapt.hpp>
// xtensor 0.24's containers and views with a dynamic number of axes do not compile with clang 19
#ifndef __clang__
#include <xtensor/xarray.hpp>
#endif
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

using namespace cotan;

// What a function takes as an argument, and what it says of what does not fit.

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto p = scalar<double, "p">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

constexpr auto f1 = function(inputs(x), outputs(sum(square(x)), c<2> * x));
constexpr auto f2 = function(inputs(A), outputs(sum(square(A), axis<0>), c<2> * A));

template <class V>
void vector_works(const V& v) {
    const auto [s, twice] = f1(v);
    CHECK(s == 14);
    CHECK((twice == line{2, 4, 6}));
}
template <class M>
void matrix_works(const M& m) {
    const auto [s, twice] = f2(m);
    CHECK((s == line{17, 29, 45}));
    CHECK((twice == rows{{2, 4, 6}, {8, 10, 12}}));
}

template <class F, class... V>
std::string refusal(F f, const V&... v) {
    try {
        (void)f(v...);
    } catch (const shape_error& e) {
        return e.what();
    }
    return "";
}
bool has(const std::string& text, std::initializer_list<const char*> words) {
    for (const char* w : words)
        if (text.find(w) == std::string::npos) return false;
    return true;
}

}  // namespace

TEST_CASE("vectors of every kind") {
    vector_works(line{1, 2, 3});
#ifndef __clang__
    vector_works(xt::xarray<double>{1, 2, 3});
#endif
    vector_works(xt::xtensor_fixed<double, xt::xshape<3>>{1, 2, 3});
    const std::vector<double> v{1, 2, 3};
    vector_works(v);
    vector_works(std::array<double, 3>{1, 2, 3});
    vector_works(std::span<const double>(v));
    vector_works(xt::adapt(v));
    const double plain[] = {1, 2, 3};
    vector_works(plain);
}

TEST_CASE("vectors that are not the input's as they lie") {
    const std::vector<int> whole{1, 2, 3};
    vector_works(whole);
    vector_works(std::vector<float>{1, 2, 3});
    const int plain[] = {1, 2, 3};
    vector_works(plain);
    vector_works(xt::xtensor<std::int64_t, 1>{1, 2, 3});
    const line steps{1, 0, 2, 0, 3, 0};
    vector_works(xt::view(steps, xt::range(0, 6, 2)));
    const line turned{3, 2, 1};
    vector_works(xt::view(turned, xt::range(2, xt::placeholders::_, -1)));
    vector_works(line{0, 1, 2} + 1.0);
    vector_works(xt::arange<double>(1, 4));
    const rows m{{9, 1}, {9, 2}, {9, 3}};
    vector_works(xt::col(m, 1));
#ifndef __clang__
    vector_works(xt::strided_view(m, {xt::all(), 1}));
#endif
}

TEST_CASE("matrices of every kind") {
    matrix_works(rows{{1, 2, 3}, {4, 5, 6}});
#ifndef __clang__
    matrix_works(xt::xarray<double>{{1, 2, 3}, {4, 5, 6}});
#endif
    const double plain[2][3] = {{1, 2, 3}, {4, 5, 6}};
    matrix_works(plain);
    const std::vector<double> v{1, 2, 3, 4, 5, 6};
    matrix_works(xt::adapt(v, std::array<std::size_t, 2>{2, 3}));
}

TEST_CASE("matrices that are not the input's as they lie") {
    const xt::xtensor<double, 2, xt::layout_type::column_major> columns{{1, 2, 3}, {4, 5, 6}};
    matrix_works(columns);
    const rows wide{{9, 9, 9, 9, 9}, {9, 1, 2, 3, 9}, {9, 4, 5, 6, 9}};
    matrix_works(xt::view(wide, xt::range(1, 3), xt::range(1, 4)));
    const rows turned{{1, 4}, {2, 5}, {3, 6}};
#ifndef __clang__
    matrix_works(xt::transpose(turned));
#endif
    const int plain[2][3] = {{1, 2, 3}, {4, 5, 6}};
    matrix_works(plain);
    matrix_works(rows{{0, 1, 2}, {3, 4, 5}} + 1);
    matrix_works(xt::broadcast(line{0, 0, 0}, {2, 3}) + rows{{1, 2, 3}, {4, 5, 6}});
}

TEST_CASE("numbers") {
    constexpr auto f = function(inputs(p), outputs(c<2> * p));
    CHECK(f(1.5) == 3);
    CHECK(f(2) == 4);
    CHECK(f(1.5f) == 3);
    constexpr auto i = scalar<std::int32_t, "i">;
    CHECK(function(inputs(i), i + c<1>)(3) == 4);
}

TEST_CASE("booleans") {
    constexpr auto m = tensor<bool, "m", "n">;
    constexpr auto f = function(inputs(m), sum(m));
    CHECK(f(std::vector<bool>{true, false, true}) == 2);
    CHECK(f(xt::xtensor<bool, 1>{true, false, true}) == 2);
    const bool plain[] = {true, false, true};
    CHECK(f(plain) == 2);
    CHECK(f(line{1, 0, 3} > 0.5) == 2);
}

TEST_CASE("the arguments are not changed, and may be the same object") {
    constexpr auto y = tensor<double, "y", "n">;
    const line v{1, 2, 3};
    CHECK((function(inputs(x, y), x * y)(v, v) == line{1, 4, 9}));
    CHECK((v == line{1, 2, 3}));
}

TEST_CASE("what does not fit is named") {
    constexpr auto y = tensor<double, "y", "n">;
    constexpr auto B = tensor<double, "B", "k", 3>;
    constexpr auto f = function(inputs(A, y, B), outputs(sum(A) + sum(y) + sum(B)));
    const rows a = xt::ones<double>({2, 4}), b = xt::ones<double>({4, 3});
    const line v{1, 2};
    CHECK(f(a, v, b) == 23);
    CHECK(has(refusal(f, a, line{1, 2, 3}, b), {"y", "axis 0", "n", "2", "3", "expected 2", "got 3"}));
    CHECK(has(refusal(f, a, v, rows(xt::ones<double>({5, 3}))), {"B", "axis 0", "k", "expected 4", "got 5"}));
    CHECK(has(refusal(f, a, v, rows(xt::ones<double>({4, 2}))), {"B", "axis 1", "expected 3", "got 2"}));
#ifndef __clang__
    CHECK(has(refusal(f, xt::xarray<double>(xt::ones<double>({2, 4, 1})), v, b), {"A", "expected 2 axes", "got 3"}));
#endif
}

TEST_CASE("what an index needs is named") {
    constexpr auto f = function(inputs(x), outputs(x(c<3>), x(slice<-2, end>)));
    CHECK(std::get<0>(f(line{1, 2, 3, 4})) == 4);
    CHECK(has(refusal(f, line{1, 2, 3}), {"n", "4", "3"}));
    constexpr auto g = function(inputs(x), x(slice<-2, end>));
    CHECK(has(refusal(g, line{1}), {"n", "2", "1"}));
    CHECK((g(line{1, 2, 3}) == line{2, 3}));
}
