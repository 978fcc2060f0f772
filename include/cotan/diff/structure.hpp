#pragma once

#include <cotan/diff/grad.hpp>

namespace cotan::bits {

/// One way in which an element of a value depends on x: for each axis of x, which places.
struct access {
    axis_read of[max_rank];
    friend constexpr bool operator==(const access&, const access&) = default;
};

/// Which elements of x the elements of y depend on, from the graph: a superset, as few ways as are told apart. No value is looked at.
constexpr vec<access> dependence_structure(const graph& g, int y, int x) {
    const vec<unsigned char> on = dependence(g, y, view<int>{&x, 1});
    const vec<unsigned char> live = reachable(g, view<int>{&y, 1});
    const int rx = g.rank(x);
    vec<access> all;
    vec<int> first(y + 1, 0), count(y + 1, 0);
    for (int id = 0; id <= y; ++id) {
        if (!on[id] || !live[id]) continue;
        first[id] = all.size();
        if (id == x) {
            access a;
            for (int k = 0; k < rx; ++k) a.of[k] = {axis_read::moving, k, 0};
            all.push(a);
            count[id] = 1;
            continue;
        }
        const op_info& op = g.op(id);
        const type_data out = g.type_of(id);
        for (int i = 0; i < g.nodes[id].nargs; ++i) {
            const int o = g.arg(id, i);
            if (!on[o]) continue;
            const type_data in = g.type_of(o);
            axis_read r[max_rank];
            const int lead = out.rank - in.rank;
            if (op.reads && i == 0) op.reads(g, id, r);
            else if (op.cls == op_class::elementwise || g.is(id, info<broadcast_>)) {
                for (int k = 0; k < in.rank; ++k) {
                    const bool stretched = g.is_one(in.ext[k]) && !g.is_one(out.ext[k + lead]);
                    r[k] = stretched ? axis_read{axis_read::fixed, 0, 0} : axis_read{axis_read::moving, k + lead, 0};
                }
            } else if (op.cls == op_class::running && in.rank == out.rank) {
                for (int k = 0; k < in.rank; ++k)
                    if (k != g.param(id, 0)) r[k] = {axis_read::moving, k, 0};
            } else if (op.cls == op_class::reduction) {
                int to = 0;
                for (int k = 0; k < in.rank; ++k)
                    if (!(g.param(id, 0) >> k & 1)) r[k] = {axis_read::moving, to++, 0};
            }
            for (int n = first[o]; n < first[o] + count[o]; ++n) {
                access a;
                for (int k = 0; k < rx; ++k) {
                    const axis_read inner = all[n].of[k];
                    a.of[k] = inner;
                    if (inner.kind != axis_read::moving) continue;
                    a.of[k] = r[inner.axis];
                    if (r[inner.axis].kind != axis_read::all) a.of[k].offset += inner.offset;
                }
                bool there = false;
                for (int m = first[id]; m < all.size() && !there; ++m) there = all[m] == a;
                if (!there) all.push(a);
            }
        }
        count[id] = all.size() - first[id];
    }
    vec<access> result;
    for (int n = 0; n < count[y]; ++n) result.push(all[first[y] + n]);
    return result;
}

/// How an axis of x is swept over: in each direction of a batch axis, one place (dense), or every width-th place (banded), of which an element of y sees
/// one, within [lo, lo + width) of its own place along y's axis.
struct swept_axis {
    bool banded = false;
    int axis = 0, lo = 0, width = 0;
};
struct sweep_plan {
    int rank = 0;          // of x
    bool empty = true;     // y does not depend on x
    swept_axis axes[max_rank];
};

inline constexpr int widest_band = 32;

constexpr sweep_plan plan_sweeps(const graph& g, const vec<access>& ways, int x) {
    sweep_plan p;
    p.rank = g.rank(x);
    p.empty = ways.empty();
    for (int k = 0; k < p.rank; ++k) {
        swept_axis& s = p.axes[k];
        s.banded = !ways.empty();
        int hi = 0;
        for (int n = 0; n < ways.size() && s.banded; ++n) {
            const axis_read r = ways[n].of[k];
            if (r.kind != axis_read::moving || (n > 0 && r.axis != s.axis)) {
                s.banded = false;
                break;
            }
            s.axis = r.axis;
            s.lo = n == 0 || r.offset < s.lo ? r.offset : s.lo;
            hi = n == 0 || r.offset > hi ? r.offset : hi;
        }
        s.width = hi - s.lo + 1;
        const extent_data& e = g.extents[g.type_of(x).ext[k]];
        if (s.width > widest_band || (e.kind == extent_kind::fixed && e.value <= s.width)) s.banded = false;
    }
    return p;
}

/// The Jacobian as its few nonzero elements: the axes of the sweeps (one for each dense axis of x, and for each band wider than 1), then those of y.
struct compressed_ : derivative_node {
    static constexpr auto name = "compressed jacobian";
    static constexpr int arity = 2;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return derivative_node::build(g, info<compressed_>, a, p, ty); }
    /// The directions of the sweeps. Parameters: for each axis of x whether it is banded, and the width.
    static constexpr int expand_derivative(rewriter& g, int y, int x, view<int> p) {
        const type_data t = g.type_of(x);
        int batch = 0, mask = -1, axis = 0;
        for (int k = 0; k < t.rank; ++k) batch += !p[2 * k] || p[2 * k + 1] > 1;
        type_data seeds;
        seeds.dt = t.dt;
        seeds.rank = batch + t.rank;
        for (int k = 0; k < t.rank; ++k) {
            seeds.ext[batch + k] = t.ext[k];
            const int w = p[2 * k + 1];
            if (p[2 * k] && w == 1) continue;
            seeds.ext[axis] = p[2 * k] ? g.fixed(w) : t.ext[k];
            const int direction = positions(g, seeds.ext[axis], t.dt, seeds.rank - 1 - axis);
            int place = positions(g, t.ext[k], t.dt, t.rank - 1 - k);
            if (p[2 * k]) {  // the place modulo the width
                const int turns = g.make(info<floor_>, g.make(info<divide_>, g.make(info<add_>, place, g.literal(0.5, t.dt)), g.literal(w, t.dt)));
                place = g.make(info<subtract_>, place, g.make(info<multiply_>, g.literal(w, t.dt), turns));
            }
            const int here = g.make(info<equal_>, direction, place);
            mask = mask < 0 ? here : g.make(info<logical_and_>, mask, here);
            ++axis;
        }
        const int one = g.literal(1, t.dt);
        const int seed = fitted(g, mask < 0 ? one : g.make(info<masked_>, mask, one), g.intern(seeds));
        const int r = push_forward(g, view<int>{&y, 1}, view<int>{&x, 1}, view<int>{&seed, 1}, batch)[0];
        if (r < 0) return -1;
        type_data full = g.type_of(y);
        full.dt = g.dtype_of(r);
        for (int k = full.rank - 1; k >= 0; --k) full.ext[k + batch] = full.ext[k];
        for (int k = 0; k < batch; ++k) full.ext[k] = seeds.ext[k];
        full.rank += batch;
        return fitted(g, r, g.intern(full));
    }
};

/// What is known when compiling about a Jacobian's sweeps and the type of what they give.
template <class Y, class X>
struct sweeps_of {
    struct known {
        sweep_plan plan;
        result_data type;
        bool too_many = false;
    };
    static constexpr known found = [] {
        known r;
        graph source;
        lowering l(source);
        const int v = variable(source, cut_variable, 0, type_of<X>::lower(source));
        l.store(node_of<X>::hash, &visit<node_of<X>>, v);
        const int both[] = {l.template operator()<node_of<Y>>(), v};
        rewriter g;
        g.types = source.types;
        g.extents = source.extents;
        const vec<int> roots = expand_into(g, source, view<int>{both, 2});
        const int y = roots[0], x = roots[1];
        r.plan = plan_sweeps(g, dependence_structure(g, y, x), x);
        type_data t;
        t.dt = settled(g.dtype_of(y));
        const type_data tx = g.type_of(x), ty = g.type_of(y);
        for (int k = 0; k < tx.rank && t.rank < max_rank; ++k) {
            if (r.plan.axes[k].banded && r.plan.axes[k].width == 1) continue;
            t.ext[t.rank++] = r.plan.axes[k].banded ? g.fixed(r.plan.axes[k].width) : tx.ext[k];
        }
        r.too_many = t.rank + ty.rank > max_rank;
        for (int k = 0; k < ty.rank && t.rank < max_rank; ++k) t.ext[t.rank++] = ty.ext[k];
        r.type = result_in(g, g.intern(t));
        return r;
    }();
    static constexpr result_data value = found.type;
    static constexpr sweep_plan plan = found.plan;
    using type = type_of_result<sweeps_of>;

    template <std::size_t... K>
    static constexpr auto node_from(std::index_sequence<K...>) {
        return handle<node<compressed_, params<(K % 2 ? plan.axes[K / 2].width : int(plan.axes[K / 2].banded))...>, type, node_of<Y>, node_of<X>>>{};
    }
    using compressed = decltype(node_from(std::make_index_sequence<2 * static_cast<std::size_t>(plan.rank)>{}));
};

}  // namespace cotan::bits
