#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/arithmetic.hpp>
#include <cotan/op/kernel/simd_math.hpp>

namespace cotan {

namespace bits {

/// The base of the roundings: constant almost everywhere, no derivative. NaN and infinities stay what they are.
template <class Op>
struct rounding : elementwise<Op> {
    static constexpr int cost = 1;
    static constexpr unsigned facts(const graph& g, view<int> a) { return is_integer_valued | (g.nodes[a[0]].facts & is_nonnegative); }
    static constexpr auto partials(auto, auto) { return list(nothing); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r.where(is_integer_valued, x, phase::canonical, "a rounded x is x, for a whole x", apply<Op>(x), x);
    }
};

struct floor_ : rounding<floor_> {
    static constexpr auto name = "floor";
    template <class V> static V kernel(V x) {
        using std::floor;
        return floor(x);
    }
};
struct ceil_ : rounding<ceil_> {
    static constexpr auto name = "ceil";
    template <class V> static V kernel(V x) {
        using std::ceil;
        return ceil(x);
    }
};
struct trunc_ : rounding<trunc_> {
    static constexpr auto name = "trunc";
    template <class V> static V kernel(V x) {
        using std::trunc;
        return trunc(x);
    }
};
struct round_ : rounding<round_> {
    static constexpr auto name = "round";
    template <class V> static V kernel(V x) {
        using std::round;
        return round(x);
    }
};
struct rint_ : rounding<rint_> {
    static constexpr auto name = "rint";
    template <class V> static V kernel(V x) {
        using std::rint;
        return rint(x);
    }
};

}  // namespace bits

/// The largest whole number that is not above x.
template <operand A> constexpr auto floor(A x) { return bits::apply<bits::floor_>(x); }
/// The smallest whole number that is not below x.
template <operand A> constexpr auto ceil(A x) { return bits::apply<bits::ceil_>(x); }
/// x without its fraction.
template <operand A> constexpr auto trunc(A x) { return bits::apply<bits::trunc_>(x); }
/// The nearest whole number; halves are rounded away from 0.
template <operand A> constexpr auto round(A x) { return bits::apply<bits::round_>(x); }
/// The nearest whole number; halves are rounded to the even one.
template <operand A> constexpr auto rint(A x) { return bits::apply<bits::rint_>(x); }

}  // namespace cotan

#endif
