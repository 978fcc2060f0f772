#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/compare.hpp>
#include <cotan/op/kernel/lanes.hpp>

namespace cotan {

namespace bits {

struct logical_xor_ : logical<logical_xor_, 2> {
    static constexpr auto name = "xor";
    template <class M> static M kernel(M x, M y) {
        if constexpr (std::is_same_v<M, bool>) return x != y;
        else return (x | y) & ~(x & y);
    }
    static constexpr auto partials(auto, auto, auto) { return list(nothing, nothing); }
};

/// The base of the questions about one number: the result is bool, no derivative.
template <class Op>
struct question : elementwise<Op> {
    static constexpr auto types = typing::comparison;
    static constexpr auto partials(auto, auto) { return list(nothing); }
};
struct isnan_ : question<isnan_> {
    static constexpr auto name = "isnan";
    template <class V> static auto kernel(V x) { return differs(x, x); }
};
/// Numbers that are not floating-point are finite; a difference of infinities is NaN.
struct isfinite_ : question<isfinite_> {
    static constexpr auto name = "isfinite";
    template <class V> static auto kernel(V x) { return x - x == V(0); }
};
struct isinf_ : question<isinf_> {
    static constexpr auto name = "isinf";
    template <class V> static auto kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return x == x && x - x != V(0);
        else return (x == x) & differs(V(x - x), V(0));
    }
};

}  // namespace bits

/// Logic on bool operands, by name.
template <operand A, operand B> constexpr auto logical_and(A x, B y) { return x && y; }
template <operand A, operand B> constexpr auto logical_or(A x, B y) { return x || y; }
template <operand A, operand B> constexpr auto logical_xor(A x, B y) { return bits::apply<bits::logical_xor_>(x, y); }
template <operand A> constexpr auto logical_not(A x) { return !x; }
/// Whether an element is NaN, infinite, or neither.
template <operand A> constexpr auto isnan(A x) { return bits::apply<bits::isnan_>(x); }
template <operand A> constexpr auto isinf(A x) { return bits::apply<bits::isinf_>(x); }
template <operand A> constexpr auto isfinite(A x) { return bits::apply<bits::isfinite_>(x); }

}  // namespace cotan

#endif
