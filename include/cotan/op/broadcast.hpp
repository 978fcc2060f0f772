#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/arithmetic.hpp>

namespace cotan {

namespace bits {

/// Adds one item of an index's parameters.
constexpr void push_item(vec<int>& to, int kind, int start = 0, int stop = 0, int step = 0) {
    to.push(kind);
    to.push(start);
    to.push(stop);
    to.push(step);
}

/// The index that inserts axes of 1, by its items.
constexpr int insert_axes(graph& g, int x, view<int> items);

// Several directions at once are `batch` axes in front of those of the value that they are directions of.

/// The type with the leading axes of v in front.
constexpr int with_batch(graph& g, int ty, int v, int batch) {
    if (batch == 0) return ty;
    const type_data t = g.types[ty], in = g.type_of(v);
    type_data full;
    full.dt = t.dt;
    for (int k = 0; k < batch; ++k) full.ext[full.rank++] = in.ext[k];
    for (int k = 0; k < t.rank; ++k) full.ext[full.rank++] = t.ext[k];
    return g.intern(full);
}
/// v, whose other axes are those of something of this rank or fewer (a fill), with axes of 1 where those are missing.
constexpr int aligned(graph& g, int v, int rank, int batch) {
    const int missing = rank + batch - g.rank(v);
    if (batch == 0 || missing <= 0 || g.rank(v) < batch) return v;
    vec<int> q;
    for (int k = 0; k < rank + batch; ++k) push_item(q, k >= batch && k < batch + missing ? 2 : 3);
    return insert_axes(g, v, view<int>{q.data(), q.size()});
}
/// The same stretched to a type that has the directions in front.
constexpr int widened(graph& g, int v, int batch, int ty) { return fitted(g, aligned(g, v, g.types[ty].rank - batch, batch), ty); }
/// The same as large as a type without them, in the dtype of v.
constexpr int stretched_out(graph& g, int v, int ty, int batch) { return widened(g, v, batch, g.with_dtype(with_batch(g, ty, v, batch), g.dtype_of(v))); }

/// broadcast_to<"n", 3>(x): x stretched to a shape. It is never stored: what uses it reads x.
struct broadcast_ {
    static constexpr auto name = "broadcast";
    static constexpr auto cls = op_class::view;
    static constexpr int arity = 1;
    static constexpr bool explicit_type = true;
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts; }
    static constexpr int build(graph& g, view<int> a, view<int>, int ty) { return fitted(g, a[0], ty); }
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.give(0, c.ct());  // the engine sums what was stretched
    }
    static constexpr void pushforward(push_context& c) {
        const int t = c.tangents[0];
        c.result = widened(*c.g, t, c.batch, with_batch(*c.g, c.g->nodes[c.node].ty, t, c.batch));
    }
};

constexpr int fitted(graph& g, int id, int ty) {
    if (id < 0 || g.untyped || g.nodes[id].ty == ty) return id;
    id = g.cast(id, g.types[ty].dt);
    if (g.nodes[id].ty == ty) return id;
    if (g.is(id, info<broadcast_>)) id = g.arg(id, 0);
    return g.finish(info<broadcast_>, view<int>{&id, 1}, {}, ty);
}

/// The size of an axis as a number of a graph. The parameter is the extent.
struct extent_ {
    static constexpr auto name = "extent";
    static constexpr auto cls = op_class::leaf;
    static constexpr int arity = 0;
    static constexpr int cost = 0;
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
};

constexpr int extent_value(graph& g, int ext, dtype d) {
    if (g.extents[ext].kind == extent_kind::fixed) return g.literal(static_cast<double>(g.extents[ext].value), d);
    return g.raw(info<extent_>, {}, view<int>{&ext, 1}, g.scalar_type(d));
}

/// Extents as a value: see shape and like.
template <class... E> struct shape_t {};
template <class Ty> struct shape_of_type;
template <dtype D, class... E> struct shape_of_type<ty<D, E...>> { using type = shape_t<E...>; };

template <class From, class To>
consteval bool broadcast_check_value() {
    graph g;
    const int tys[] = {From::lower(g), To::lower(g)};
    return g.same_shape(g.broadcast(info<broadcast_>, view<int>{tys, 2}, dtype::float64), tys[1]);
}

template <class From, class To>
struct broadcast_check {
    using checked = void;
    static constexpr bool fits = broadcast_check_value<From, To>();
    static_assert(fits, "cotan: the operand does not broadcast to the extents asked for; only a fixed extent of 1 and missing leading axes stretch");
};

}  // namespace bits

/// The extents of what is drawn: shape<"n", 3>.
template <bits::extent_arg... E> inline constexpr bits::shape_t<typename bits::extent_of_arg<E>::type...> shape{};
/// The extents of another expression.
template <expression X>
constexpr auto like(X) {
    return typename bits::shape_of_type<type_of<X>>::type{};
}
/// x stretched to the extents E: fixed extents of 1 and missing leading axes stretch.
template <bits::extent_arg... E, expression A>
constexpr auto broadcast_to(A) {
    using to = bits::ty<type_of<A>::dt, typename bits::extent_of_arg<E>::type...>;
    static_assert(std::is_void_v<typename bits::broadcast_check<type_of<A>, to>::checked>);
    return bits::handle<bits::node<bits::broadcast_, bits::params<>, to, node_of<A>>>{};
}
/// x stretched to the shape of y.
template <expression A, expression Y>
constexpr auto broadcast_like(A, Y) {
    return []<dtype D, class... E>(bits::ty<D, E...>) {
        using to = bits::ty<type_of<A>::dt, E...>;
        static_assert(std::is_void_v<typename bits::broadcast_check<type_of<A>, to>::checked>);
        return bits::handle<bits::node<bits::broadcast_, bits::params<>, to, node_of<A>>>{};
    }(type_of<Y>{});
}

}  // namespace cotan

#endif
