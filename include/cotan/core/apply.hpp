#pragma once

#include <cotan/core/diagnostic.hpp>

namespace cotan::bits {

// A compiler keeps the name of every function and variable that is made for a node, in full, and a node's name is as long as its graph. So there are few
// of them: no std::is_same_v of an expression, for one.

template <class A> constexpr graph* graph_of(const A& a) {
    if constexpr (__is_same(A, sym)) return a.g;
    else return nullptr;
}

/// The operand's node in a graph: its own, or a typed expression's or a number's made there.
template <class A> constexpr int id_in(graph& g, const A& a) {
    if constexpr (__is_same(A, sym)) return a.lower ? a.lower(g) : a.id;
    else if constexpr (expression<A>) {
        lowering l(g);
        return l.template operator()<node_of<A>>();
    } else if constexpr (std::is_same_v<A, bool>) return g.literal(a ? 1 : 0, dtype::boolean);
    else if constexpr (std::is_integral_v<A>) return g.literal(static_cast<double>(a), dtype::weak_integer);
    else return g.literal(a, dtype::weak_real);
}

// Its result type is written down so that the body, and with it the operation's own rules, is not needed to know it.
template <class Op, int... P, class... A>
constexpr sym apply_in_graph(const A&... a) {
    graph* g = nullptr;
    ((g = graph_of(a) ? graph_of(a) : g), ...);
    const int ids[] = {id_in(*g, a)...};
    constexpr int p[] = {P..., 0};
    return sym{g, g->make(info<Op>, view<int>{ids, sizeof...(A)}, view<int>{p, sizeof...(P)})};
}

/// An operation on operands: a node in the operands' graph, or a typed node.
template <class Op, int... P, class... A>
constexpr auto apply(const A&... a) {
    if constexpr ((__is_same(A, sym) || ...)) {
        return apply_in_graph<Op, P...>(a...);
    } else {
        using result = typename result_of<Op, params<P...>, type_of<A>...>::type;
        using made = node<Op, params<P...>, result, node_of<A>...>;
        (void)&made::build;  // here, and not all at once when a deep graph is compiled: that would nest instantiations as deep
        return handle<made>{};
    }
}

}  // namespace cotan::bits
