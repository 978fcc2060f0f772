#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/arithmetic.hpp>

namespace cotan {

namespace bits {

/// The base of the comparisons: operands of a common dtype, the result bool, no derivative.
template <class Op>
struct comparison : elementwise<Op, 2> {
    static constexpr auto types = typing::comparison;
    static constexpr auto partials(auto, auto, auto) { return list(nothing, nothing); }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        if (g.is(a[0], literal_info) && g.is(a[1], literal_info))
            return g.literal(Op::kernel(real_value(g, a[0]), real_value(g, a[1])), dtype::boolean);
        return g.raw(op, a, {}, ty);
    }
};
/// x, where the operands of `and` and `or` are the same, or one of them is a literal that leaves the other; a literal that decides.
constexpr int settled_logic(graph& g, const op_info& op, view<int> a, int ty, bool neutral) {
    if (a[0] == a[1]) return a[0];
    for (int i = 0; i < 2; ++i)
        if (g.is(a[i], literal_info)) return fitted(g, (g.nodes[a[i]].bits != 0) == neutral ? a[1 - i] : a[i], ty);
    return g.raw(op, a, {}, ty);
}
template <class Op, int Arity>
struct logical : elementwise<Op, Arity> {
    static constexpr auto types = typing::logic;
};

struct less_ : comparison<less_> {
    static constexpr auto name = "less";
    template <class V> static constexpr auto kernel(V x, V y) { return x < y; }
};
struct less_equal_ : comparison<less_equal_> {
    static constexpr auto name = "less_equal";
    template <class V> static constexpr auto kernel(V x, V y) { return x <= y; }
};
struct equal_ : comparison<equal_> {
    static constexpr auto name = "equal";
    template <class V> static constexpr auto kernel(V x, V y) { return x == y; }
};
struct not_equal_ : comparison<not_equal_> {
    static constexpr auto name = "not_equal";
    template <class V> static constexpr auto kernel(V x, V y) {
        if constexpr (std::is_arithmetic_v<V>) return x != y;
        else return ~(x == y);  // xsimd 8 says of NaN that it is not unequal
    }
};

struct logical_and_ : logical<logical_and_, 2> {
    static constexpr auto name = "and";
    template <class M> static M kernel(M x, M y) {
        if constexpr (std::is_same_v<M, bool>) return x && y;
        else return x & y;
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) { return settled_logic(g, op, a, ty, true); }
    static constexpr auto partials(auto, auto, auto) { return list(nothing, nothing); }
};
struct logical_or_ : logical<logical_or_, 2> {
    static constexpr auto name = "or";
    template <class M> static M kernel(M x, M y) {
        if constexpr (std::is_same_v<M, bool>) return x || y;
        else return x | y;
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) { return settled_logic(g, op, a, ty, false); }
    static constexpr auto partials(auto, auto, auto) { return list(nothing, nothing); }
};
struct logical_not_ : logical<logical_not_, 1> {
    static constexpr auto name = "not";
    template <class M> static M kernel(M x) {
        if constexpr (std::is_same_v<M, bool>) return !x;
        else return ~x;
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        if (g.is(a[0], literal_info)) return g.literal(!g.nodes[a[0]].bits, dtype::boolean);
        return g.is(a[0], op) ? g.arg(a[0], 0) : g.raw(op, a, {}, ty);
    }
    static constexpr auto partials(auto, auto) { return list(nothing); }
};

}  // namespace bits

}  // namespace cotan

#endif
