#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/index.hpp>

namespace cotan {

namespace bits {

/// transpose(x), transpose<1, 0, 2>(x): the axes in another order. A view.
struct transpose_ {
    static constexpr auto name = "transpose";
    static constexpr auto cls = op_class::view;
    static constexpr int arity = 1;
    static constexpr bool linear = true;
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts; }
    static constexpr int infer(graph& g, const op_info& op, view<int> tys, view<int> p) {
        const type_data t = g.types[tys[0]];
        type_data r = t;
        if (p.size() == 0) {  // all axes reversed
            for (int k = 0; k < t.rank; ++k) r.ext[k] = t.ext[t.rank - 1 - k];
            return g.intern(r);
        }
        if (p.size() != t.rank) return g.fail(fault::permutation, op);
        unsigned seen = 0;
        for (int k = 0; k < t.rank; ++k) {
            if (p[k] < 0 || p[k] >= t.rank || (seen >> p[k] & 1u)) return g.fail(fault::permutation, op);
            seen |= 1u << p[k];
            r.ext[k] = t.ext[p[k]];
        }
        return g.intern(r);
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int> p, int ty) {
        const int x = a[0], rank = g.rank(x);
        if (rank < 2) return x;
        vec<int> perm;
        for (int k = 0; k < rank; ++k) perm.push(p.size() ? p[k] : rank - 1 - k);
        bool same = true;
        for (int k = 0; k < rank; ++k) same = same && perm[k] == k;
        if (same) return x;
        if (g.is(x, op)) {
            vec<int> joined;
            for (int k = 0; k < rank; ++k) joined.push(g.param(x, perm[k]));
            return g.make(op, view<int>{g.args(x).first, 1}, view<int>{joined.data(), joined.size()});
        }
        if (g.is(x, info<index_>) && only_newaxes(g.params(x)) && g.rank(g.arg(x, 0)) == 1) {  // one axis among inserted ones
            vec<int> items;
            for (int k = 0; k < rank; ++k) {
                const bool given = perm[k] * item_size < g.nodes[x].nparams;
                push_item(items, given ? g.param(x, perm[k] * item_size) : static_cast<int>(item::all));
            }
            while (items.size() > item_size && items[items.size() - item_size] == static_cast<int>(item::all)) items.resize(items.size() - item_size);
            const int inner = g.arg(x, 0);
            return g.make(info<index_>, view<int>{&inner, 1}, view<int>{items.data(), items.size()});
        }
        const bool through = g.op(x).cls == op_class::elementwise || g.is(x, info<broadcast_>);
        if (!through) return g.raw(op, a, view<int>{perm.data(), perm.size()}, ty);
        const op_info& f = g.op(x);
        const vec<int> old = scatter_::copy_of(g.args(x));
        vec<int> moved;
        for (int o : old) {
            const int r = g.rank(o);
            if (r == 0) {
                moved.push(o);
                continue;
            }
            int full = o;
            if (r < rank) {  // missing leading axes become axes of 1
                vec<int> q;
                for (int k = r; k < rank; ++k) push_item(q, item::newaxis);
                full = g.make(info<index_>, view<int>{&o, 1}, view<int>{q.data(), q.size()});
            }
            moved.push(g.make(op, view<int>{&full, 1}, view<int>{perm.data(), perm.size()}));
        }
        if (&f == &info<broadcast_>) return fitted(g, moved[0], ty);
        if (&f == &info<cast_>) return fitted(g, g.cast(moved[0], g.types[ty].dt), ty);
        return fitted(g, g.make(f, view<int>{moved.data(), moved.size()}), ty);
    }
    static constexpr void lift(const graph& g, int id, int batch, vec<int>& p) {
        const int rank = g.rank(id);
        for (int k = 0; k < batch; ++k) p.push(k);
        for (int k = 0; k < rank; ++k) p.push(batch + (g.nodes[id].nparams ? g.param(id, k) : rank - 1 - k));
    }
    static constexpr void reads(const graph& g, int id, axis_read* r) {
        const int rank = g.rank(id);
        for (int k = 0; k < rank; ++k) r[g.nodes[id].nparams ? g.param(id, k) : rank - 1 - k] = {axis_read::moving, k, 0};
    }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        const view<int> p = c.g->params(c.node);
        const int rank = c.g->rank(c.node), r = c.g->rank(c.cotangent);
        vec<int> inverse(rank, 0);
        for (int k = 0; k < rank; ++k) inverse[p.size() ? p[k] : rank - 1 - k] = k;
        int ct = c.cotangent;
        if (r == 0) {
            c.give(0, c.ct());
            return;
        }
        vec<int> q;
        for (int k = r; k < rank; ++k) push_item(q, item::newaxis);
        if (!q.empty()) ct = c.g->make(info<index_>, view<int>{&ct, 1}, view<int>{q.data(), q.size()});
        c.give(0, sym{c.g, c.g->make(info<transpose_>, view<int>{&ct, 1}, view<int>{inverse.data(), inverse.size()})});
    }
};

}  // namespace bits

/// The axes reversed, or in the order given: result axis k is axis Axes[k] of x.
template <int... Axes, operand A>
constexpr auto transpose(A x) {
    return bits::apply<bits::transpose_, Axes...>(x);
}

}  // namespace cotan

#endif
