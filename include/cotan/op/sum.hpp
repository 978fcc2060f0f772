#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/compare.hpp>
#include <cotan/op/reduction.hpp>

namespace cotan {

namespace bits {

/// The sum over a mask's axes of a masked value, where the mask leaves one place of an axis; else -1.
constexpr int sum_of_one_hot(graph& g, int x, int mask);

/// sum(x, axis<...>): several accumulators, combined pairwise. Factors and terms that do not vary along the summed axes leave the sum; a term only
/// where the others carry a rounding error of their own, because a difference such as x - mu must be taken before it is summed.
struct sum_ : reduction<sum_> {
    static constexpr auto name = "sum";
    static constexpr bool linear = true;
    template <class V> static V kernel(V a, V b) { return a + b; }
    /// The same for loops that add more than they multiply.
    template <class V> static V by_multiplier(V a, V b) { return simd::added_by_multiplier(b, a); }
    template <class T> static constexpr T identity() { return T(0); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & is_nonnegative; }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        const int x = c.x(0).id;
        if (!is_real(c.g->dtype_of(x))) return;
        c.give(0, sym{c.g, against_operand(*c.g, c.cotangent, c.param(0), c.g->rank(x))});
    }
    static constexpr bool surely_finite(const graph& g, int v) {
        if (g.is(v, info<multiply_>)) {
            for (int a : g.args(v))
                if (!surely_finite(g, a)) return false;
            return true;
        }
        if (g.is(v, literal_info)) return real_value(g, v) - real_value(g, v) == 0;
        return g.is(v, info<extent_>) || !is_real(g.dtype_of(v));
    }
    /// v, and 0 where an axis of the mask has no elements: what stands outside a sum of nothing may be infinite, and must not meet its 0.
    static constexpr int unless_empty(graph& g, int v, const type_data& shape, int mask) {
        int any = -1;
        for (int k = 0; k < shape.rank; ++k) {
            const extent_data e = g.extents[shape.ext[k]];
            if (!(mask >> k & 1) || (e.kind == extent_kind::fixed && e.value > 0)) continue;
            if (e.kind == extent_kind::fixed) return g.literal(0, g.dtype_of(v));
            const int some = g.make(info<less_>, g.literal(0, dtype::float64), extent_value(g, shape.ext[k], dtype::float64));
            any = any < 0 ? some : g.make(info<logical_and_>, any, some);
        }
        return any < 0 ? v : g.make(info<masked_>, any, v);
    }
    /// The sum over the masked axes of v, which broadcasts to a shape: v is multiplied by the extents along which it does not vary.
    static constexpr int over(graph& g, int v, const type_data& shape, int mask) {
        const type_data t = g.type_of(v);
        const int lead = shape.rank - t.rank;
        if (ragged(g, shape, mask)) {  // rows have lengths of their own: what does not vary is still added for each element
            type_data full = shape;
            full.dt = t.dt;
            const int f = fitted(g, v, g.intern(full));
            return g.make(info<sum_>, view<int>{&f, 1}, view<int>{&mask, 1});
        }
        int inner = 0, drop = 0, times = -1, stretches = 0;
        for (int k = 0; k < shape.rank; ++k) {
            if (!(mask >> k & 1)) continue;
            const bool stretched = k < lead || (g.is_one(t.ext[k - lead]) && t.ext[k - lead] != shape.ext[k]);
            if (!stretched) inner |= 1 << (k - lead);
            else {
                stretches |= 1 << k;
                const int n = extent_value(g, shape.ext[k], t.dt);
                times = times < 0 ? n : g.make(info<multiply_>, times, n);
                if (k >= lead) drop |= 1 << (k - lead);
            }
        }
        int r = v;
        if (inner | drop) {
            const int m = inner | drop;  // summing an axis of extent 1 takes it away
            r = g.make(info<sum_>, view<int>{&v, 1}, view<int>{&m, 1});
        }
        if (times < 0) return r;
        const int all = g.make(info<multiply_>, times, r);
        return surely_finite(g, r) ? all : unless_empty(g, all, shape, stretches);
    }
    static constexpr bool ragged(const graph& g, const type_data& shape, int mask) {
        for (int k = 0; k < shape.rank; ++k)
            if ((mask >> k & 1) && g.is_ragged(shape.ext[k])) return true;
        return false;
    }
    static constexpr bool varies(const graph& g, int v, const type_data& shape, int mask) {
        const type_data& t = g.type_of(v);
        const int lead = shape.rank - t.rank;
        for (int k = lead < 0 ? 0 : lead; k < shape.rank; ++k)
            if ((mask >> k & 1) && !(g.is_one(t.ext[k - lead]) && !g.is_one(shape.ext[k]))) return true;
        return false;
    }
    static constexpr bool rounded(const graph& g, int v) {
        if (g.is(v, info<multiply_>) && g.nodes[v].nargs == 2 && g.is(g.arg(v, 0), literal_info)) v = g.arg(v, 1);
        return g.op(v).cls != op_class::leaf && g.op(v).cls != op_class::view && g.op(v).cls != op_class::placeholder;
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int> p, int ty) {
        const int x = a[0], mask = p[0];
        const type_data shape = g.type_of(x);
        if (mask == 0) return fitted(g, x, ty);
        int ones = 0;  // an axis of extent 1 is summed by an index
        for (int k = 0; k < shape.rank; ++k)
            if ((mask >> k & 1) && g.is_one(shape.ext[k])) ones |= 1 << k;
        if (ones && is_real(shape.dt)) {
            vec<int> q;
            int rest = 0, at = 0;
            for (int k = 0; k < shape.rank; ++k) {
                const bool one = ones >> k & 1;
                push_item(q, one ? item::integer : item::all);
                if (!one) rest |= (mask >> k & 1) << at++;
            }
            const int v = g.make(info<index_>, view<int>{&x, 1}, view<int>{q.data(), q.size()});
            return rest ? g.make(op, view<int>{&v, 1}, view<int>{&rest, 1}) : fitted(g, v, ty);
        }
        if (!is_real(shape.dt)) {
            if (shape.dt != g.types[ty].dt) {
                const int v = g.cast(x, g.types[ty].dt);
                return g.make(op, view<int>{&v, 1}, view<int>{&mask, 1});
            }
            return g.raw(op, a, p, ty);
        }
        if (ragged(g, shape, mask)) return g.raw(op, a, p, ty);
        if (g.is(x, op)) {  // a sum of a sum
            const int inner = g.param(x, 0), before = g.rank(g.arg(x, 0));
            int joined = inner, at = 0;
            for (int k = 0; k < before; ++k)
                if (!(inner >> k & 1)) joined |= (mask >> at++ & 1) << k;
            return g.make(op, g.args(x), view<int>{&joined, 1});
        }
        if (g.is(x, info<broadcast_>)) return fitted(g, over(g, g.arg(x, 0), shape, mask), ty);
        if (g.is(x, literal_info)) return fitted(g, over(g, x, shape, mask), ty);
        if (g.is(x, info<masked_>))
            if (const int one = sum_of_one_hot(g, x, mask); one >= 0) return fitted(g, one, ty);
        if (g.is(x, info<masked_>) && g.rank(g.arg(x, 0)) == 0) {
            const int chosen = g.arg(x, 0);
            return fitted(g, g.make(info<masked_>, chosen, over(g, g.arg(x, 1), shape, mask)), ty);
        }
        if (g.is(x, info<multiply_>)) {
            vec<int> in, out;
            const vec<int> factors = scatter_::copy_of(g.args(x));
            for (int f : factors) (varies(g, f, shape, mask) ? in : out).push(f);
            if (!out.empty()) {
                // a factor that stands outside must not keep an axis alive that only it had: the sum of the rest is over its own shape
                const int rest = in.empty() ? g.literal(1, shape.dt) : in.size() == 1 ? in[0] : g.make(info<multiply_>, view<int>{in.data(), in.size()});
                int total = over(g, rest, shape, mask);
                bool finite = true;
                for (int f : out) {
                    finite = finite && surely_finite(g, f);
                    const int rank = g.rank(f), m = mask_for(mask, shape.rank, rank);
                    const int narrow = m ? g.make(op, view<int>{&f, 1}, view<int>{&m, 1}) : f;
                    total = g.make(info<multiply_>, total, narrow);
                }
                return fitted(g, finite ? total : unless_empty(g, total, shape, mask), ty);
            }
        }
        if (g.is(x, info<add_>)) {
            vec<int> in, out;
            const vec<int> terms = scatter_::copy_of(g.args(x));
            bool safe = true;
            for (int t : terms) {
                const bool v = varies(g, t, shape, mask);
                (v ? in : out).push(t);
                safe = safe && (!v || rounded(g, t));
            }
            if (!out.empty() && safe) {
                int total = -1;
                for (int t : out) {
                    const int s = over(g, t, shape, mask);
                    total = total < 0 ? s : g.make(info<add_>, total, s);
                }
                if (!in.empty()) {
                    const int rest = in.size() == 1 ? in[0] : g.make(info<add_>, view<int>{in.data(), in.size()});
                    total = g.make(info<add_>, total, over(g, rest, shape, mask));
                }
                return fitted(g, total, ty);
            }
        }
        if (mask == 1 && shape.rank == 2 && shape.ext[0] == shape.ext[1]) {
            const int s = mirrored(g, x);
            if (s) {
                const int rows = 2, total = g.raw(op, a, view<int>{&rows, 1}, ty);
                return s > 0 ? total : g.make(info<multiply_>, g.literal(-1, shape.dt), total);
            }
        }
        return g.raw(op, a, p, ty);
    }
    /// 1 where a matrix is its own transpose, -1 where it is the transpose's negative (v_i - v_j, say), 0 where neither is seen. The column sums
    /// are then the row sums.
    static constexpr int mirrored(graph& g, int x) {
        const int t = g.make(info<transpose_>, x);
        if (t == x) return 1;
        if (!g.is(x, info<add_>)) return 0;
        vec<int> terms;
        const vec<int> old = scatter_::copy_of(g.args(x));
        for (int o : old) terms.push(g.make(info<multiply_>, g.literal(-1, g.dtype_of(x)), o));
        return g.make(info<add_>, view<int>{terms.data(), terms.size()}) == t ? -1 : 0;
    }
};

/// What v, which broadcasts to the shape `from`, is as the cotangent of an operand of the shape `to` that was broadcast to it.
constexpr int sum_to(graph& g, int v, int from, int to) {
    const type_data f = g.types[from], t = g.types[to];
    int mask = 0, keep = 0;
    const int lead = f.rank - t.rank;
    for (int k = 0; k < f.rank; ++k) {
        if (k < lead) mask |= 1 << k;
        else if (g.is_one(t.ext[k - lead]) && !g.is_one(f.ext[k])) {
            mask |= 1 << k;
            keep |= 1 << (k - lead);
        }
    }
    if (!mask) return v;
    const int r = sum_::over(g, v, f, mask);
    return keep ? against_operand(g, r, keep, t.rank) : r;
}

}  // namespace bits

/// The sum of the elements, over all axes or over axis<...>.
COTAN_REDUCTION(sum, bits::sum_)

}  // namespace cotan

#endif
