#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/index.hpp>

namespace cotan {

namespace bits {

/// The factors of a type's number of elements: a number, and the extents whose sizes are not known, sorted.
struct element_count {
    std::int64_t number = 1;
    vec<int> unknown;
    constexpr void take(const graph& g, int e) {
        const extent_data& x = g.extents[e];
        if (x.kind == extent_kind::fixed) number *= x.value;
        else if (x.kind == extent_kind::product) {
            take(g, x.a);
            take(g, x.b);
        } else insert_sorted(unknown, e);
    }
    constexpr element_count(const graph& g, const type_data& t) {
        for (int k = 0; k < t.rank; ++k) take(g, t.ext[k]);
    }
};

/// False where two shapes cannot have the same number of elements, whatever their named extents are.
constexpr bool may_hold_as_many(const graph& g, const type_data& a, const type_data& b) {
    element_count x(g, a), y(g, b);
    for (int i = 0; i < x.unknown.size();) {
        int j = 0;
        while (j < y.unknown.size() && y.unknown[j] != x.unknown[i]) ++j;
        if (j == y.unknown.size()) ++i;
        else {
            x.unknown.erase(i);
            y.unknown.erase(j);
        }
    }
    return !x.unknown.empty() || !y.unknown.empty() || x.number == y.number;
}

/// reshape<"n", 2>(x): the elements in the same order with other axes. A view. Its cotangent is reshaped back.
struct reshape_ {
    static constexpr auto name = "reshape";
    static constexpr auto cls = op_class::view;
    static constexpr int arity = 1;
    static constexpr bool explicit_type = true;
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts; }
    static constexpr int to(graph& g, int x, int ty) {
        if (g.same_shape(g.nodes[x].ty, ty)) return x;
        return g.finish(info<reshape_>, view<int>{&x, 1}, {}, g.with_dtype(ty, g.dtype_of(x)));
    }
    static constexpr int build(graph& g, view<int> a, view<int>, int ty) { return to(g, a[0], ty); }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        if (g.rank(c.cotangent) == 0) return c.give(0, c.ct());  // a fill stays one
        const int whole = fitted(g, c.cotangent, g.with_dtype(g.nodes[c.node].ty, g.dtype_of(c.cotangent)));
        c.give(0, sym{&g, to(g, whole, g.nodes[c.x(0).id].ty)});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const type_data in = g.type_of(c.tangents[0]), out = g.type_of(c.node), x = g.type_of(c.x(0).id);
        if (in.rank == 0) return c.give(c.t(0));
        type_data from, to_type;  // the directions stay in front
        from.dt = to_type.dt = in.dt;
        for (int k = 0; k < c.batch; ++k) from.ext[from.rank++] = to_type.ext[to_type.rank++] = in.ext[k];
        for (int k = 0; k < x.rank; ++k) from.ext[from.rank++] = x.ext[k];
        for (int k = 0; k < out.rank; ++k) to_type.ext[to_type.rank++] = out.ext[k];
        c.give(sym{&g, to(g, fitted(g, c.tangents[0], g.intern(from)), g.intern(to_type))});
    }
    /// Where only axes of 1 come and go it is an index. It passes through operations whose operands have the whole shape or none.
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        const int x = a[0];
        const type_data in = g.type_of(x), out = g.types[ty];
        if (g.same_shape(g.nodes[x].ty, ty)) return x;
        if (g.is(x, op)) return to(g, g.arg(x, 0), ty);
        if (g.is(x, info<broadcast_>) && g.rank(g.arg(x, 0)) == 0) return fitted(g, g.arg(x, 0), ty);
        vec<int> items;
        int i = 0, k = 0;
        const auto push = [&](item what) constexpr {
            push_item(items, what);
        };
        for (;;) {
            if (i < in.rank && k < out.rank && in.ext[i] == out.ext[k]) {
                push(item::all);
                ++i;
                ++k;
            } else if (i < in.rank && g.is_one(in.ext[i])) {
                push(item::integer);
                ++i;
            } else if (k < out.rank && g.is_one(out.ext[k])) {
                push(item::newaxis);
                ++k;
            } else break;
        }
        if (i == in.rank && k == out.rank) return g.make(info<index_>, view<int>{&x, 1}, view<int>{items.data(), items.size()});
        if (g.op(x).cls == op_class::elementwise) {
            bool whole = true;
            for (int o : g.args(x)) whole = whole && (g.rank(o) == 0 || g.same_shape(g.nodes[o].ty, g.nodes[x].ty));
            if (whole) {
                const op_info& f = g.op(x);
                vec<int> moved;
                const vec<int> old = scatter_::copy_of(g.args(x));
                for (int o : old) moved.push(g.rank(o) == 0 ? o : to(g, o, ty));
                if (&f == &info<cast_>) return fitted(g, g.cast(moved[0], out.dt), ty);
                return fitted(g, g.make(f, view<int>{moved.data(), moved.size()}), ty);
            }
        }
        return g.raw(op, a, {}, ty);
    }
};

/// All elements in one axis: a reshape whose type is inferred.
struct flatten_ {
    static constexpr auto name = "flatten";
    static constexpr auto cls = op_class::view;
    static constexpr int arity = 1;
    static constexpr int desugar(graph& g, view<int> a, view<int>) {
        if (g.untyped) return g.raw(info<flatten_>, a, {}, 0);
        const type_data in = g.type_of(a[0]);
        type_data t;
        t.dt = in.dt;
        t.rank = 1;
        t.ext[0] = g.fixed(1);
        for (int k = 0; k < in.rank; ++k) t.ext[0] = g.product(t.ext[0], in.ext[k]);
        return reshape_::to(g, a[0], g.intern(t));
    }
};

template <class From, class To>
consteval bool reshape_check_value() {
    graph g;
    const int from = From::lower(g), to = To::lower(g);
    return may_hold_as_many(g, g.types[from], g.types[to]);
}

template <class From, class To>
struct reshape_check {
    using checked = void;
    static constexpr bool fits = reshape_check_value<From, To>();
    static_assert(fits, "cotan: reshape keeps the number of elements, and the extents asked for do not multiply to it");
};

}  // namespace bits

/// The elements of x in the same order, with the extents E.
template <bits::extent_arg... E, expression A>
constexpr auto reshape(A) {
    static_assert(sizeof...(E) <= bits::max_rank, "cotan: a tensor has at most 8 axes");
    using to = bits::ty<type_of<A>::dt, typename bits::extent_of_arg<E>::type...>;
    static_assert(std::is_void_v<typename bits::reshape_check<type_of<A>, to>::checked>);
    return bits::handle<bits::node<bits::reshape_, bits::params<>, to, node_of<A>>>{};
}
/// The elements of x in one axis.
template <operand A> constexpr auto flatten(A x) { return bits::apply<bits::flatten_>(x); }

}  // namespace cotan

#endif
