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

/// The base of what passes its first operand on and only changes cotangents. The others broadcast to it.
template <class Op, int Arity>
struct passing : elementwise<Op, Arity> {
    static constexpr auto types = typing::arithmetic;
    static constexpr int cost = 0;
    template <class V, class... Rest> static V kernel(V x, Rest...) { return x; }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts; }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) { return g.raw(op, a, {}, ty); }
    static constexpr int expand(graph& g, int node) { return fitted(g, g.arg(node, 0), g.nodes[node].ty); }
};
/// x, whose cotangent is clipped to bounds. Forward mode does not see it: a clipped tangent would not be linear in the tangent.
struct grad_clip_ : passing<grad_clip_, 3> {
    static constexpr auto name = "grad_clip";
    static constexpr void pullback(pull_context& c);
    static constexpr void pushforward(push_context& c) {
        if (c.has(0)) c.give(c.t(0));
    }
};
/// x, whose cotangents and tangents are multiplied by a factor.
struct grad_scale_ : passing<grad_scale_, 2> {
    static constexpr auto name = "grad_scale";
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.give(0, sym{c.g, multiply_nodes(*c.g, c.cotangent, c.x(1).id)});
    }
    static constexpr void pushforward(push_context& c) {
        if (c.has(0)) c.give(sym{c.g, multiply_nodes(*c.g, c.tangents[0], c.x(1).id)});
    }
};

template <class X, class B>
struct bound_check {
    using checked = void;
    static constexpr bool fits = broadcast_check_value<type_of<B>, type_of<X>>();
    static_assert(fits, "cotan: the bounds of grad_clip and the factor of grad_scale have the extents of x (or broadcast to them)");
};

}  // namespace bits

/// x; its cotangent is clipped to [low, high] on its way back. Second derivatives are those of the clipped gradient; forward mode passes tangents on
/// unclipped.
template <operand A, operand L, operand H>
constexpr auto grad_clip(A x, L low, H high) {
    static_assert(std::is_void_v<typename bits::bound_check<A, L>::checked> && std::is_void_v<typename bits::bound_check<A, H>::checked>);
    return bits::apply<bits::grad_clip_>(x, low, high);
}
/// x; its derivatives are multiplied by k, in both modes. k itself is a constant there: grad_scale(x, c<-1.0>) reverses a gradient.
template <operand A, operand K>
constexpr auto grad_scale(A x, K k) {
    static_assert(std::is_void_v<typename bits::bound_check<A, K>::checked>);
    return bits::apply<bits::grad_scale_>(x, k);
}
/// x, taken as a constant by derivatives.
template <operand A> constexpr auto stop_gradient(A x) { return bits::apply<bits::stop_gradient_>(x); }
/// x, with a derivative of zero.
template <operand A> constexpr auto zero_gradient(A x) { return bits::apply<bits::zero_gradient_>(x); }

}  // namespace cotan

#endif
