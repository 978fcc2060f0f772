#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/kernel/lanes.hpp>
#include <cotan/op/log.hpp>

namespace cotan {

namespace bits {

/// 2^x. Derivative: 2^x log 2.
struct exp2_ : elementwise<exp2_> {
    static constexpr auto name = "exp2";
    static constexpr int cost = 18;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return std::exp2(x);
        else {
            using T = typename V::value_type;
            constexpr bool wide = sizeof(T) == 8;
            // the whole part goes into the exponent, in two factors for results that are subnormal or near overflow
            const V bounded = simd::at_most(wide ? 1030 : 130, simd::at_least(wide ? -1080 : -155, x));
            const V whole = round(bounded);
            const V shift = V(static_cast<T>(wide ? simd::rounder + 1023 : simd::rounder_f + 127));
            const V half = simd::fused(whole, V(T(0.5)), shift), rest = (whole - (half - shift)) + shift;
            const V power = simd::exp((bounded - whole) * V(static_cast<T>(0x1.62e42fefa39efp-1)));
            return power * simd::exponent_from_low_bits(half) * simd::exponent_from_low_bits(rest);
        }
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_positive | is_nonnegative; }
    static constexpr auto partials(auto y, auto) { return list(c<0x1.62e42fefa39efp-1> * y); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r.where(is_nonnegative, x, phase::canonical, "exp2(log2 x) is x, for x >= 0", exp2(log2(x)), x);
        r(phase::stable, "exp2(log2 x) is x, for x >= 0, else NaN", exp2(log2(x)), where(x >= c<0>, x, c<__builtin_nan("")>));
    }
};

/// f(x) of a logarithm to another base, where f is wrong for subnormal numbers: those are scaled, and the logarithm of the scale taken off.
template <class V, class F>
V scaled_log(V x, double of_two, F f) {
    using T = typename lane_of<V>::type;
    const auto small = x < V(std::numeric_limits<T>::min());
    return f(choose(small, x * V(T(0x1p54)), x)) - choose(small, V(static_cast<T>(54 * of_two)), V(T(0)));
}

/// The logarithm to base 2. Derivative: 1 / (x log 2).
struct log2_ : elementwise<log2_> {
    static constexpr auto name = "log2";
    static constexpr int cost = 18;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return std::log2(x);
        else return scaled_log(x, 1, [](const V& v) { return log2(v); });
    }
    static constexpr auto partials(auto, auto x) { return list(c<0x1.71547652b82fep0> * reciprocal(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "log2(exp2 x) is x", log2(exp2(x)), x);
        r(phase::stable, "log2(1 / x) is -log2(x)", log2(reciprocal(x)), -log2(x));
    }
};

/// The logarithm to base 10. Derivative: 1 / (x log 10).
struct log10_ : elementwise<log10_> {
    static constexpr auto name = "log10";
    static constexpr int cost = 18;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return std::log10(x);
        else return scaled_log(x, 0x1.34413509f79ffp-2, [](const V& v) { return log10(v); });
    }
    static constexpr auto partials(auto, auto x) { return list(c<0x1.bcb7b1526e50ep-2> * reciprocal(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::stable, "log10(1 / x) is -log10(x)", log10(reciprocal(x)), -log10(x));
    }
};

}  // namespace bits

/// 2 to the power x.
template <operand A> constexpr auto exp2(A x) { return bits::apply<bits::exp2_>(x); }
/// The logarithm to base 2.
template <operand A> constexpr auto log2(A x) { return bits::apply<bits::log2_>(x); }
/// The logarithm to base 10.
template <operand A> constexpr auto log10(A x) { return bits::apply<bits::log10_>(x); }

}  // namespace cotan

#endif
