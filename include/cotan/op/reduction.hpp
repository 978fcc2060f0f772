#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/transpose.hpp>

namespace cotan {

/// Names the axes of a reduction: sum(x, axis<0>), sum(x, axis<-1>). Negative numbers count from the end.
template <int... A> struct axis_t {};
template <int... A> inline constexpr axis_t<A...> axis{};
/// Keeps each reduced axis with extent 1: sum(x, axis<1>, keepdims).
struct keepdims_t {};
inline constexpr keepdims_t keepdims{};

namespace bits {

inline constexpr int bad_axis = 1 << 29, double_axis = 1 << 30;

/// The axes as a mask; a bit of its own for what does not fit.
template <int... A>
constexpr int axis_mask(int rank) {
    if constexpr (sizeof...(A) == 0) return (1 << rank) - 1;
    else {
        int mask = 0;
        const int list[] = {A...};
        for (int a : list) {
            const int at = a < 0 ? a + rank : a;
            if (at < 0 || at >= rank) return bad_axis;
            if (mask >> at & 1) return double_axis;
            mask |= 1 << at;
        }
        return mask;
    }
}

/// The base of a reduction: it folds the axes of a mask (its one parameter) by an associative `kernel` from `identity`.
template <class Op>
struct reduction {
    static constexpr auto cls = op_class::reduction;
    static constexpr int arity = 1;
    static constexpr void lift(const graph& g, int id, int batch, vec<int>& p) { p.push(g.param(id, 0) << batch); }
    static constexpr int infer(graph& g, const op_info& op, view<int> tys, view<int> p) {
        const type_data t = g.types[tys[0]];
        const int mask = p[0];
        if (mask == bad_axis) return g.fail(fault::no_such_axis, op);
        if (mask == double_axis) return g.fail(fault::axis_twice, op);
        if (mask >> t.rank) return g.fail(fault::no_such_axis, op);
        type_data r;
        r.dt = settled(t.dt);
        if constexpr (requires { Op::result(t.dt); }) {
            r.dt = Op::result(r.dt);
            if (r.dt == dtype::weak_real) return g.fail(fault::not_boolean, op);
        } else if (r.dt == dtype::boolean) r.dt = dtype::int64;  // booleans are counted
        for (int k = 0; k < t.rank; ++k) {
            if (!(mask >> k & 1)) r.ext[r.rank++] = t.ext[k];
            else if constexpr (requires { Op::needs_elements; })
                if (g.extents[t.ext[k]].kind == extent_kind::fixed && g.extents[t.ext[k]].value == 0) return g.fail(fault::empty_reduction, op);
        }
        return g.intern(r);
    }
};

/// Whether a mask folds an axis that has no elements for sure.
constexpr bool folds_nothing(const graph& g, int x, int mask) {
    const type_data& t = g.type_of(x);
    for (int k = 0; k < t.rank; ++k)
        if ((mask >> k & 1) && g.extents[t.ext[k]].kind == extent_kind::fixed && g.extents[t.ext[k]].value == 0) return true;
    return false;
}

/// x with axes of extent 1 inserted where a mask of a rank says so.
constexpr int keep_axes(graph& g, int x, int mask, int rank) {
    vec<int> q;
    for (int k = 0; k < rank; ++k) push_item(q, mask >> k & 1 ? item::newaxis : item::all);
    return insert_axes(g, x, view<int>{q.data(), q.size()});
}

/// A value of the reduction's result shape (or narrower) as one that broadcasts against its operand.
constexpr int against_operand(graph& g, int v, int mask, int rank) {
    const int r = g.rank(v);
    if (r == 0) return v;
    // missing leading axes of v stay missing: only the last r kept axes are there
    int from = rank, found = 0;
    while (from > 0 && found < r) {
        --from;
        if (!(mask >> from & 1)) ++found;
    }
    return mask >> from ? keep_axes(g, v, mask >> from, rank - from) : v;
}

/// The mask's bits that stand over axes of a broadcast operand.
constexpr int mask_for(int mask, int out_rank, int in_rank) { return mask >> (out_rank - in_rank); }

template <class Op>
constexpr sym reduce_in_graph(sym x, int (*mask_of)(int)) {
    if (x.g->untyped) return sym{x.g, x.g->make(info<Op>, view<int>{&x.id, 1})};  // in a pattern: over any axes
    const int mask = mask_of(x.g->rank(x.id));
    return sym{x.g, x.g->make(info<Op>, view<int>{&x.id, 1}, view<int>{&mask, 1})};
}

template <class Op, int... A, class E>
constexpr auto reduce(E x) {
    if constexpr (expression<E>) return apply<Op, axis_mask<A...>(type_of<E>::rank)>(x);
    else return reduce_in_graph<Op>(x, &axis_mask<A...>);
}
template <class Op, int... A, class E>
constexpr auto reduce_keep(E x) {
    const auto r = reduce<Op, A...>(x);
    if constexpr (expression<E>) {
        constexpr int rank = type_of<E>::rank, mask = axis_mask<A...>(rank);
        if constexpr (mask >= bad_axis || mask == 0) return r;
        else return []<std::size_t... K>(auto v, std::index_sequence<K...>) {
            return apply<index_, (K % 4 == 0 ? (mask >> (K / 4) & 1 ? 2 : 3) : 0)...>(v);
        }(r, std::make_index_sequence<4 * static_cast<std::size_t>(rank)>{});
    } else {
        const int rank = x.g->rank(x.id), mask = axis_mask<A...>(rank);
        return mask == 0 ? r : sym{x.g, keep_axes(*x.g, r.id, mask, rank)};
    }
}

}  // namespace bits
}  // namespace cotan

/// The three forms of a reduction: over all axes, over some, and over some with their axes kept.
#define COTAN_REDUCTION(function, op)                                                                                        \
    template <::cotan::operand A> constexpr auto function(A x) { return ::cotan::bits::reduce<op>(x); }                        \
    template <::cotan::operand A, int... I> constexpr auto function(A x, ::cotan::axis_t<I...>) { return ::cotan::bits::reduce<op, I...>(x); } \
    template <::cotan::operand A, int... I> constexpr auto function(A x, ::cotan::axis_t<I...>, ::cotan::keepdims_t) {         \
        return ::cotan::bits::reduce_keep<op, I...>(x);                                                                        \
    }                                                                                                                        \
    template <::cotan::operand A> constexpr auto function(A x, ::cotan::keepdims_t) { return ::cotan::bits::reduce_keep<op>(x); }

#endif
