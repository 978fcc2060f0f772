#pragma once

#include <cotan/op/operations.hpp>

// The forms of the operations' functions that name axes, types or positions, on nodes of a graph: what a user's own derivative rules are written with.

namespace cotan {

#define COTAN_DEFINE(f, op) \
    template <int... I> constexpr sym f(sym x, axis_t<I...>) { return bits::reduce_in_graph<bits::op>(x, &bits::axis_mask<I...>); } \
    template <int... I> constexpr sym f(sym x, axis_t<I...>, keepdims_t) { return bits::reduce_keep<bits::op, I...>(x); } \
    constexpr sym f(sym x, keepdims_t) { return bits::reduce_keep<bits::op>(x); }
COTAN_REDUCTIONS(COTAN_DEFINE)
#undef COTAN_DEFINE

/// The axes reversed, or in the order given.
template <int... Axes>
constexpr sym transpose(sym x) {
    return bits::apply_in_graph<bits::transpose_, Axes...>(x);
}
/// x with the element type T.
template <class T>
constexpr sym cast(sym x) {
    return {x.g, x.g->cast(x.id, bits::dtype_of<T>())};
}
/// x stretched to the shape of y.
constexpr sym broadcast_like(sym x, sym y) { return {x.g, bits::fitted(*x.g, x.id, x.g->with_dtype(x.g->nodes[y.id].ty, x.g->dtype_of(x.id)))}; }

/// Indexing, as on expressions; an ellipsis needs a rank that the compiler knows and is left out.
template <class... I>
constexpr auto sym::operator()(I... indices) const {
    static_assert((!std::is_same_v<I, bits::ellipsis_t> && ...), "cotan: an index in a rule has no ellipsis: write `all` for each axis");
    return bits::index_expression(*this, indices...);
}

}  // namespace cotan
