#pragma once

#include <catch2/catch.hpp>
#include <cotan/cotan.hpp>

#include <xtensor/xtensor.hpp>

#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

// Operations against tables of literals from 50 digits and more. Each row is computed by vector code and by the code for what is left over.

namespace table {

inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double qnan = std::numeric_limits<double>::quiet_NaN();

/// |got - want| <= tolerance * |want|; the same infinity; NaN for NaN.
inline bool near(double got, double want, double tolerance = 1e-14) {
    if (want != want) return got != got;
    if (std::isinf(want)) return got == want;
    return std::fabs(got - want) <= tolerance * std::fabs(want) + 5e-324;
}

/// A function of one number and its first two derivatives.
struct row {
    double x, value, first, second;
};
/// A function of two numbers and its partial derivatives.
struct row2 {
    double x, y, value, by_x, by_y;
};

inline constexpr auto x = cotan::tensor<double, "x", "n">;
inline constexpr auto y = cotan::tensor<double, "y", "n">;

inline constexpr std::size_t length = 37;  // some vectors, and a rest

#define CHECK_NEAR(got, want, tolerance) CHECK_NEAR_AT(got, want, tolerance, "")
#define CHECK_NEAR_AT(got, want, tolerance, where)                                     \
    do {                                                                               \
        const double g_ = (got), w_ = (want);                                          \
        INFO(where << " got " << Catch::StringMaker<double>::convert(g_) << ", want " << w_ << ", error " << (g_ - w_) / w_); \
        CHECK(table::near(g_, w_, tolerance));                                         \
    } while (false)

template <class E, std::size_t N>
void check(E, const row (&rows)[N], double tolerance = 1e-14) {
    constexpr auto first = cotan::grad(cotan::sum(E{}), x);
    constexpr auto f = cotan::function(cotan::inputs(x), cotan::outputs(E{}, first, cotan::grad(cotan::sum(first), x)));
    for (std::size_t turn = 0; turn < 2; ++turn) {
        xt::xtensor<double, 1> in = xt::zeros<double>({length});
        const auto at = [&](std::size_t i) { return (i + turn * (N / 2)) % N; };
        for (std::size_t i = 0; i < length; ++i) in(i) = rows[at(i)].x;
        const auto [v, d, dd] = f(in);
        for (std::size_t i = 0; i < length; ++i) {
            if (i >= N && i + 2 * N < length) continue;
            const row& r = rows[at(i)];
            CHECK_NEAR_AT(v(i), r.value, tolerance, "value at " << r.x);
            CHECK_NEAR_AT(d(i), r.first, tolerance, "derivative at " << r.x);
            CHECK_NEAR_AT(dd(i), r.second, 4 * tolerance, "second derivative at " << r.x);
        }
    }
}

template <class E, std::size_t N>
void check(E, const row2 (&rows)[N], double tolerance = 1e-14) {
    constexpr auto f = cotan::function(cotan::inputs(x, y), cotan::outputs(E{}, cotan::grad(cotan::sum(E{}), cotan::wrt(x, y))));
    xt::xtensor<double, 1> a = xt::zeros<double>({length}), b = a;
    for (std::size_t i = 0; i < length; ++i) {
        a(i) = rows[i % N].x;
        b(i) = rows[i % N].y;
    }
    const auto [v, da, db] = f(a, b);
    for (std::size_t i = 0; i < length; ++i) {
        if (i >= N && i + 2 * N < length) continue;
        const row2& r = rows[i % N];
        CHECK_NEAR_AT(v(i), r.value, tolerance, "value at " << r.x << ", " << r.y);
        CHECK_NEAR_AT(da(i), r.by_x, tolerance, "derivative by x at " << r.x << ", " << r.y);
        CHECK_NEAR_AT(db(i), r.by_y, tolerance, "derivative by y at " << r.x << ", " << r.y);
    }
}

/// One argument, one result: the values of f at some points, by vector code.
template <class E>
double value(E, double at) {
    constexpr auto f = cotan::function(cotan::inputs(x), E{});
    xt::xtensor<double, 1> in = xt::ones<double>({std::size_t{16}});
    in *= at;
    const auto v = f(in);
    return v(3);
}
template <class E>
double slope(E, double at) {
    return value(cotan::grad(cotan::sum(E{}), x), at);
}

/// An operation refuses an operand.
template <class F, class... A>
concept takes = requires(F f, A... a) { f(a...); };

}  // namespace table
