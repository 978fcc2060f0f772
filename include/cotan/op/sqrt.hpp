#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/arithmetic.hpp>
#include <cotan/op/where.hpp>
#include <cotan/op/kernel/simd_math.hpp>

namespace cotan {

namespace bits {

/// The square root. Derivative: 1 / (2 sqrt(x)); at 0 it is infinite where it is multiplied by a nonzero cotangent, and nothing where by zero.
struct sqrt_ : elementwise<sqrt_> {
    static constexpr auto name = "sqrt";
    static constexpr int cost = 6;
    template <class V> static V kernel(V x) {
        using std::sqrt;
        return sqrt(x);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return is_nonnegative | (g.nodes[a[0]].facts & is_positive); }
    static constexpr sym scaled(const sym& t, const sym& y) { return apply<masked_>(t != c<0>, t * (c<0.5> / y)); }
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.give(0, scaled(c.ct(), c.y()));
    }
    static constexpr void pushforward(push_context& c) { c.give(scaled(c.t(0), c.y())); }
    static constexpr int placeholders = 2;
    static constexpr void rewrites(auto r, auto x, auto y) {
        r(phase::canonical, "sqrt(square x) is abs(x)", sqrt(square(x)), abs(x));
        r(phase::stable, "sqrt(sum(square x)) is norm(x)", sqrt(sum(square(x))), norm(x));
        r(phase::stable, "sqrt(x^2 + y^2) is hypot(x, y)", sqrt(square(x) + square(y)), hypot(x, y));
    }
};

/// |x|. Derivative: the sign, 0 at 0.
struct abs_ : elementwise<abs_> {
    static constexpr auto name = "abs";
    static constexpr auto types = typing::arithmetic;
    template <class V> static V kernel(V x) {
        using std::abs;
        return abs(x);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return is_nonnegative | (g.nodes[a[0]].facts & is_positive); }
    static constexpr auto partials(auto, auto x) { return list(sign(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r.where(is_nonnegative, x, phase::canonical, "abs(x) is x, for x >= 0", abs(x), x);
        r(phase::canonical, "abs(-x) is abs(x)", abs(-x), abs(x));
    }
};
/// -1, 0 or 1. Constant almost everywhere.
struct sign_ : elementwise<sign_> {
    static constexpr auto name = "sign";
    static constexpr auto types = typing::arithmetic;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return x > V(0) ? V(1) : x < V(0) ? V(-1) : x;
        else return select(x > V(0), V(1), select(x < V(0), V(-1), x));
    }
    static constexpr auto partials(auto, auto) { return list(nothing); }
};

}  // namespace bits

/// The square root; NaN for negative numbers.
template <operand A> constexpr auto sqrt(A x) { return bits::apply<bits::sqrt_>(x); }
/// The absolute value.
template <operand A> constexpr auto abs(A x) { return bits::apply<bits::abs_>(x); }
/// -1 for negative, 1 for positive numbers, x itself for zeros and NaN.
template <operand A> constexpr auto sign(A x) { return bits::apply<bits::sign_>(x); }

}  // namespace cotan

#endif
