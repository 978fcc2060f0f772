#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/hypot.hpp>

namespace cotan {

namespace bits {

/// sin(x). Derivative: cos(x).
struct sin_ : elementwise<sin_> {
    static constexpr auto name = "sin";
    static constexpr int cost = 20;
    template <class V> static V kernel(V x) { return simd::sin(x); }
    static constexpr auto partials(auto, auto x) { return list(cos(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "sin(-x) is -sin(x)", sin(-x), -sin(x));
        r(phase::canonical, "sin(asin x) is x, for -1 <= x <= 1", sin(asin(x)), where(abs(x) <= c<1>, x, c<__builtin_nan("")>));
    }
};

/// cos(x). Derivative: -sin(x).
struct cos_ : elementwise<cos_> {
    static constexpr auto name = "cos";
    static constexpr int cost = 20;
    template <class V> static V kernel(V x) { return simd::cos(x); }
    static constexpr auto partials(auto, auto x) { return list(-sin(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "cos(-x) is cos(x)", cos(-x), cos(x));
        r(phase::canonical, "cos(acos x) is x, for -1 <= x <= 1", cos(acos(x)), where(abs(x) <= c<1>, x, c<__builtin_nan("")>));
    }
};

/// tan(x). Derivative: 1 + tan(x)^2.
struct tan_ : elementwise<tan_> {
    static constexpr auto name = "tan";
    static constexpr int cost = 35;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return std::tan(x);
        else return simd::sin(x) / simd::cos(x);
    }
    static constexpr auto partials(auto y, auto) { return list(c<1> + square(y)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "tan(-x) is -tan(x)", tan(-x), -tan(x));
        r(phase::canonical, "tan(atan x) is x", tan(atan(x)), x);
    }
};

/// arcsin(x). Derivative: 1 / sqrt(1 - x^2), exact next to -1 and 1 too.
struct asin_ : elementwise<asin_> {
    static constexpr auto name = "asin";
    static constexpr int cost = 25;
    template <class V> static V kernel(V x) {
        using std::asin;
        return asin(x);
    }
    static constexpr auto partials(auto, auto x) { return list(reciprocal(sqrt(apply<one_minus_square_>(x)))); }
};

/// arccos(x). Derivative: -1 / sqrt(1 - x^2).
struct acos_ : elementwise<acos_> {
    static constexpr auto name = "acos";
    static constexpr int cost = 25;
    template <class V> static V kernel(V x) {
        using std::acos;
        return acos(x);
    }
    static constexpr auto partials(auto, auto x) { return list(-reciprocal(sqrt(apply<one_minus_square_>(x)))); }
};

/// arctan(x). Derivative: 1 / (1 + x^2).
struct atan_ : elementwise<atan_> {
    static constexpr auto name = "atan";
    static constexpr int cost = 25;
    template <class V> static V kernel(V x) {
        using std::atan;
        return atan(x);
    }
    static constexpr auto partials(auto, auto x) { return list(reciprocal(c<1> + square(x))); }
};

/// The angle of the point (x, y). Derivatives, with h = hypot(x, y): x / h / h by y and -y / h / h by x; 0 at the origin and at infinity.
struct atan2_ : elementwise<atan2_, 2> {
    static constexpr auto name = "atan2";
    static constexpr int cost = 35;
    template <class V> static V kernel(V y, V x) {
        if constexpr (std::is_arithmetic_v<V>) return std::atan2(y, x);
        else {  // 0/0 and infinity/infinity are angles too
            const V one(1);
            const auto infinite = (abs(x) == abs(y)) & (abs(x) == V(__builtin_huge_val()));
            const auto origin = (x == V(0)) & (y == V(0));
            return atan2(select(infinite, simd::signed_as(one, y), y), select(infinite | origin, simd::signed_as(one, x), x));
        }
    }
    static constexpr auto partials(auto, auto y, auto x) {
        const auto h = hypot(x, y);
        const auto away = h != c<0> && h != infinity;
        return list(apply<masked_>(away, x / h / h), apply<masked_>(away, -(y / h / h)));
    }
};

/// The n-th derivative of sinc, n > 0: its power series where pi |x| is small against n, and from there on the recurrence
/// x f_n = pi^(n - 1) cos(pi x + (n - 1) pi / 2) - n f_(n - 1).
inline double sinc_nth(int n, double x) {
    constexpr double pi = simd::pi;
    const double z = pi * x;
    if (!(std::fabs(z) > 2 && std::fabs(z) > n)) {
        // (-1)^k z^(2 k - n) / ((2 k + 1) (2 k - n)!), from the first 2 k >= n
        int k = (n + 1) / 2, m = 2 * k - n;
        double power = (k & 1 ? -1 : 1) * (m ? z : 1), sum = 0;
        for (; k < 60; ++k, m += 2) {
            const double next = power / (2 * k + 1);
            sum += next;
            if (std::fabs(next) < 1e-19 * std::fabs(sum)) break;
            power *= -z * z / ((m + 1) * (m + 2));
        }
        return std::pow(pi, n) * sum;
    }
    const double whole = std::round(x), r = pi * (x - whole), sign = std::fmod(whole, 2) == 0 ? 1 : -1;
    const double sine = sign * std::sin(r), cosine = sign * std::cos(r);
    const double circle[] = {cosine, -sine, -cosine, sine};
    double f = sine / z, scale = 1;
    for (int k = 1; k <= n; ++k, scale *= pi) f = (scale * circle[(k - 1) & 3] - k * f) / x;
    return f;
}

/// The n-th derivative of sinc(x); n is a whole number.
struct sinc_derivative_ : elementwise<sinc_derivative_, 2> {
    static constexpr auto name = "sinc_derivative";
    static constexpr int cost = 80;
    template <class V> static V kernel(V n, V x) {
        return each_lane([](auto k, auto v) { return sinc_nth(static_cast<int>(k), static_cast<double>(v)); }, n, x);
    }
    static constexpr auto partials(auto, auto n, auto x) { return list(nothing, apply<sinc_derivative_>(n + c<1>, x)); }
};

/// sin(pi x) / (pi x), and 1 at 0. Its derivatives are operations of their own, exact next to 0.
struct sinc_ : elementwise<sinc_> {
    static constexpr auto name = "sinc";
    static constexpr int cost = 30;
    template <class V> static V kernel(V x) {
        using std::floor, std::round;
        const V pi(static_cast<typename lane_of<V>::type>(simd::pi)), whole = round(x), half = whole * V(0.5);
        const V sine = simd::sin(pi * (x - whole));
        return choose(x == V(0), V(1), choose(half == floor(half), sine, V(-sine)) / (pi * x));
    }
    static constexpr auto partials(auto, auto x) { return list(apply<sinc_derivative_>(c<1>, x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) { r(phase::canonical, "sinc(-x) is sinc(x)", sinc(-x), sinc(x)); }
};

}  // namespace bits

/// The sine.
template <operand A> constexpr auto sin(A x) { return bits::apply<bits::sin_>(x); }
/// The cosine.
template <operand A> constexpr auto cos(A x) { return bits::apply<bits::cos_>(x); }
/// The tangent.
template <operand A> constexpr auto tan(A x) { return bits::apply<bits::tan_>(x); }
/// The inverse sine, in [-pi/2, pi/2].
template <operand A> constexpr auto asin(A x) { return bits::apply<bits::asin_>(x); }
/// The inverse cosine, in [0, pi].
template <operand A> constexpr auto acos(A x) { return bits::apply<bits::acos_>(x); }
/// The inverse tangent, in [-pi/2, pi/2].
template <operand A> constexpr auto atan(A x) { return bits::apply<bits::atan_>(x); }
/// The angle of the point (x, y), in [-pi, pi].
template <class A, class B> requires bits::operands<A, B> constexpr auto atan2(A y, B x) { return bits::apply<bits::atan2_>(y, x); }
/// sin(pi x) / (pi x).
template <operand A> constexpr auto sinc(A x) { return bits::apply<bits::sinc_>(x); }
/// Degrees in radians.
template <operand A> constexpr auto deg2rad(A x) { return c<0.017453292519943295769> * x; }
/// Radians in degrees.
template <operand A> constexpr auto rad2deg(A x) { return c<57.295779513082320877> * x; }

}  // namespace cotan

#endif
