#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/iota.hpp>
#include <cotan/op/logical.hpp>
#include <cotan/op/sum.hpp>

namespace cotan::bits {

/// Sums over an axis a of what is masked by "the position along a is that along b": one term is left, the one at that place. Such sums are what
/// derivatives along unit directions are full of.
struct one_hot {
    graph& g;
    int rank;    // of the summed shape
    int a, b;    // the axis that is summed, and the axis that says which of its places is meant

    /// The axis along which a value counts positions, in the summed shape; -1: none.
    static constexpr int counted(const graph& g, int v, int rank) {
        const int inner = g.is(v, info<index_>) && only_newaxes(g.params(v)) ? g.arg(v, 0) : v;
        if (!g.is(inner, info<iota_>)) return -1;
        const type_data& t = g.type_of(v);
        for (int k = 0; k < t.rank; ++k)
            if (!g.is_one(t.ext[k])) return rank - t.rank + k;
        return -1;
    }
    constexpr bool varies(int v, int axis) const {
        const type_data& t = g.type_of(v);
        const int k = axis - (rank - t.rank);
        return k >= 0 && !g.is_one(t.ext[k]);
    }
    constexpr int indexed(int v, int axis, item kind, int lead) const {
        vec<int> q;
        const int r = g.rank(v);
        for (int k = 0; k < lead; ++k) push_item(q, item::newaxis);
        for (int k = 0; k < r; ++k) push_item(q, k == axis ? kind : item::all);
        return g.make(info<index_>, view<int>{&v, 1}, view<int>{q.data(), q.size()});
    }
    /// v at the place that b says, without the axis a; -1 where that cannot be written without reading v at other places.
    constexpr int at_place(int v) const {
        const int r = g.rank(v), at = a - (rank - r);
        if (!varies(v, a)) return at < 0 ? v : indexed(v, at, item::integer, 0);
        if (!varies(v, b)) {  // b takes the axis over
            const int lead = rank - r > b ? rank - r - b : 0;
            const int whole = lead ? indexed(v, -1, item::all, lead) : v;
            const int n = g.rank(whole), from = a - (rank - n), to = b - (rank - n);
            vec<int> perm;
            for (int k = 0; k < n; ++k) perm.push(k == from ? to : k == to ? from : k);
            const int moved = g.make(info<transpose_>, view<int>{&whole, 1}, view<int>{perm.data(), perm.size()});
            return indexed(moved, from, item::integer, 0);
        }
        if (g.op(v).cls != op_class::elementwise) return -1;
        const vec<int> old = scatter_::copy_of(g.args(v));
        const op_info& op = g.op(v);
        if (&op == &info<equal_>) {
            const int p = counted(g, old[0], rank), q = counted(g, old[1], rank);
            if ((p == a && q == b) || (p == b && q == a)) return g.literal(1, dtype::boolean);
        }
        vec<int> moved;
        for (int o : old) {
            const int m = at_place(o);
            if (m < 0) return -1;
            moved.push(m);
        }
        if (&op == &info<cast_>) return g.cast(moved[0], g.dtype_of(v));
        return g.make(op, view<int>{moved.data(), moved.size()});
    }
};

/// The conjuncts of a condition.
constexpr void conjuncts(const graph& g, int condition, vec<int>& into) {
    if (!g.is(condition, info<logical_and_>)) {
        into.push(condition);
        return;
    }
    for (int x : g.args(condition)) conjuncts(g, x, into);
}

constexpr int sum_of_one_hot(graph& g, int x, int mask) {
    const type_data shape = g.type_of(x);
    vec<int> conditions;
    conjuncts(g, g.arg(x, 0), conditions);
    for (int i = 0; i < conditions.size(); ++i) {
        if (!g.is(conditions[i], info<equal_>)) continue;
        int a = one_hot::counted(g, g.arg(conditions[i], 0), shape.rank), b = one_hot::counted(g, g.arg(conditions[i], 1), shape.rank);
        if (a < 0 || b < 0 || a == b || shape.ext[a] != shape.ext[b]) continue;
        if (!(mask >> a & 1)) {
            const int t = a;
            a = b;
            b = t;
        }
        if (!(mask >> a & 1)) continue;
        const one_hot at{g, shape.rank, a, b};
        int v = at.at_place(g.arg(x, 1));
        if (v < 0) continue;
        int rest = -1;
        bool all = true;
        for (int j = 0; j < conditions.size() && all; ++j) {
            if (j == i) continue;
            const int m = at.at_place(conditions[j]);
            all = m >= 0;
            rest = rest < 0 ? m : all ? g.make(info<logical_and_>, rest, m) : -1;
        }
        if (!all) continue;
        if (rest >= 0) v = g.make(info<masked_>, rest, v);
        type_data t;
        t.dt = g.dtype_of(v);
        for (int k = 0; k < shape.rank; ++k)
            if (k != a) t.ext[t.rank++] = shape.ext[k];
        v = fitted(g, v, g.intern(t));
        const int left = (mask & ((1 << a) - 1)) | (mask >> (a + 1) << a);
        return left ? g.make(info<sum_>, view<int>{&v, 1}, view<int>{&left, 1}) : v;
    }
    return -1;
}

}  // namespace cotan::bits

#endif
