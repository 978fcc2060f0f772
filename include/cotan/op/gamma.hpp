#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/arithmetic.hpp>
#include <cotan/op/kernel/lanes.hpp>

namespace cotan {

namespace bits {

/// The sum of (x + k)^-s over k = 0, 1, ..., for x > 0 and s > 1: some terms, and the Euler-Maclaurin formula for the rest.
inline double hurwitz_zeta(int s, double x) {
    constexpr double bernoulli[] = {1.0 / 6,       -1.0 / 30,          1.0 / 42,         -1.0 / 30,         5.0 / 66,         -691.0 / 2730,
                                    7.0 / 6,       -3617.0 / 510,      43867.0 / 798,    -174611.0 / 330,   854513.0 / 138,   -236364091.0 / 2730};
    double sum = 0;
    for (; x < s + 12; x += 1) sum += std::pow(x, -s);
    const double power = std::pow(x, -s);
    sum += power * (x / (s - 1) + 0.5);
    double t = power * s / x / 2;  // s (s + 1) ... (s + 2 k - 2) / (2 k)! x^(1 - s - 2 k)
    int k = 1;
    for (double b : bernoulli) {
        sum += b * t;
        t *= (s + 2.0 * k - 1) * (s + 2.0 * k) / ((2.0 * k + 1) * (2.0 * k + 2)) / (x * x);
        ++k;
    }
    return sum;
}

/// (-1)^(n + 1) n! times the sum of (x + k)^-(n + 1), n > 1. Below 0 that sum is split at its largest terms.
inline double polygamma_number(int n, double x) {
    if (n < 2) return n == 0 ? simd::digamma(x) : simd::trigamma(x);
    const double scale = (n & 1 ? 1 : -1) * std::tgamma(n + 1.0);
    if (x > 0) return scale * hurwitz_zeta(n + 1, x);
    if (x == 0) return n & 1 ? simd::infinite<double> : -std::copysign(simd::infinite<double>, x);
    const double above = x - std::floor(x), below = std::ceil(x) - x;
    if (above == 0) return n & 1 ? simd::infinite<double> : simd::undefined<double>;
    if (!(above > 0)) return simd::undefined<double>;
    const double rest = hurwitz_zeta(n + 1, below) - hurwitz_zeta(n + 1, 1 - x);
    return scale * (hurwitz_zeta(n + 1, above) + (n & 1 ? rest : -rest));
}

/// The n-th derivative of digamma; n is a whole number. Derivative: polygamma(n + 1, x).
struct polygamma_ : elementwise<polygamma_, 2> {
    static constexpr auto name = "polygamma";
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "polygamma(0, x) is digamma(x)", apply<polygamma_>(c<0>, x), digamma(x));
        r(phase::canonical, "polygamma(1, x) is trigamma(x)", apply<polygamma_>(c<1>, x), trigamma(x));
    }
    static constexpr int cost = 300;
    template <class V> static V kernel(V n, V x) {
        return each_lane([](auto k, auto v) { return polygamma_number(static_cast<int>(k), static_cast<double>(v)); }, n, x);
    }
    static constexpr auto partials(auto, auto n, auto x) { return list(nothing, apply<polygamma_>(n + c<1>, x)); }
};

/// The derivative of digamma. Derivative: polygamma(2, x).
struct trigamma_ : elementwise<trigamma_> {
    static constexpr auto name = "trigamma";
    static constexpr int cost = 100;
    template <class V> static V kernel(V x) { return simd::trigamma(x); }
    static constexpr unsigned facts(const graph&, view<int>) { return is_positive | is_nonnegative; }
    static constexpr auto partials(auto, auto x) { return list(apply<polygamma_>(c<2>, x)); }
};

/// The derivative of lgamma. Derivative: trigamma(x).
struct digamma_ : elementwise<digamma_> {
    static constexpr auto name = "digamma";
    static constexpr int cost = 100;
    template <class V> static V kernel(V x) { return simd::digamma(x); }
    static constexpr auto partials(auto, auto x) { return list(trigamma(x)); }
};

/// log|gamma(x)|. Derivative: digamma(x).
struct lgamma_ : elementwise<lgamma_> {
    static constexpr auto name = "lgamma";
    static constexpr int cost = 150;
    template <class V> static V kernel(V x) { return simd::lgamma(x); }
    static constexpr auto partials(auto, auto x) { return list(digamma(x)); }
};

}  // namespace bits

/// The logarithm of the gamma function's magnitude.
template <operand A> constexpr auto lgamma(A x) { return bits::apply<bits::lgamma_>(x); }
/// The derivative of lgamma.
template <operand A> constexpr auto digamma(A x) { return bits::apply<bits::digamma_>(x); }
/// The second derivative of lgamma.
template <operand A> constexpr auto trigamma(A x) { return bits::apply<bits::trigamma_>(x); }
/// The n-th derivative of digamma, n = 0, 1, 2, ...
template <class A, class B> requires bits::operands<A, B> constexpr auto polygamma(A n, B x) { return bits::apply<bits::polygamma_>(n, x); }

}  // namespace cotan

#endif
