#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/elementwise.hpp>

namespace cotan {

namespace bits {

/// x without a derivative: the result does not depend on x for the engines that differentiate. Gone when a function is compiled.
template <class Op>
struct identity : elementwise<Op> {
    static constexpr auto types = typing::keep;
    static constexpr int cost = 0;
    template <class V> static V kernel(V x) { return x; }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts; }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        return g.is(a[0], literal_info) || g.is(a[0], op) ? a[0] : g.raw(op, a, {}, ty);
    }
    static constexpr int expand(graph& g, int node) { return g.arg(node, 0); }
};
struct stop_gradient_ : identity<stop_gradient_> {
    static constexpr auto name = "stop_gradient";
    static constexpr auto partials(auto, auto) { return list(nothing); }
};
/// x with a derivative that is zero: the result still depends on x.
struct zero_gradient_ : identity<zero_gradient_> {
    static constexpr auto name = "zero_gradient";
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.give(0, sym{c.g, c.g->literal(0, c.g->dtype_of(c.node))});
    }
    static constexpr void pushforward(push_context& c) { c.give(sym{c.g, c.g->literal(0, c.g->dtype_of(c.node))}); }
};

}  // namespace bits

/// x, taken as a constant by derivatives.
template <operand A> constexpr auto stop_gradient(A x) { return bits::apply<bits::stop_gradient_>(x); }
/// x, with a derivative of zero.
template <operand A> constexpr auto zero_gradient(A x) { return bits::apply<bits::zero_gradient_>(x); }

}  // namespace cotan

#endif
