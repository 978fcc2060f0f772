#pragma once

#include <cotan/diff/grad.hpp>
#include <cotan/loop/node.hpp>

namespace cotan::bits {

/// Expands composites and divides by reciprocals: what is left has kernels.
/// First what looks at composites (exp(t - logsumexp) shares the exponentials), then the composites themselves.
constexpr vec<int> expand_pass(rewriter& to, const graph& from, view<int> roots, bool composites) {
    const vec<unsigned char> live = reachable(from, roots);
    vec<int> at(live.size(), -1);
    to.phases = static_cast<unsigned>(phase::special);
    vec<int> uses(live.size(), 0);
    for (int id = 0; id < live.size(); ++id)
        if (live[id])
            for (int a : from.args(id)) ++uses[a];
    for (int id = 0; id < live.size(); ++id) {
        if (!live[id]) continue;
        int made = to.take_over(from, id, at);
        if (from.op(id).cls == op_class::leaf) {
            at[id] = made;
            continue;
        }
        for (int k = 0; k < 4 && to.op(made).expand && (composites || to.op(made).cls != op_class::composite); ++k) {
            const int next = to.op(made).expand(to, made);
            if (next == made) break;
            made = fitted(to, next, from.nodes[id].ty);
        }
        at[id] = made;
        if (uses[id] > 1) to.share(made);
    }
    vec<int> result;
    for (int r : roots) result.push(at[r]);
    return result;
}

constexpr vec<int> expand_composites(rewriter& to, const graph& from, view<int> roots) {
    bool any = false;
    for (int id = 0; id < from.nodes.size() && !any; ++id) any = from.op(id).cls == op_class::composite;
    if (!any) return expand_pass(to, from, roots, true);
    rewriter half;
    half.types = from.types;
    half.extents = from.extents;
    const vec<int> r = expand_pass(half, from, roots, false);
    to.types = half.types;
    to.extents = half.extents;
    return expand_pass(to, half, view<int>{r.data(), r.size()}, true);
}

/// Writes n-ary sums and products with two and three operands, so that what varies along fewer axes is combined first (and leaves the inner
/// loops), negation and subtraction come back, and products that are used once fuse with the sum that takes them.
struct binariser {
    graph& to;
    const graph& from;
    vec<int> at;
    vec<int> uses;
    vec<unsigned char> late{};  // of nodes of `to`, 1: depends on what a loop carries, 2: is it; these come into sums and products last
    vec<std::uint64_t> states{};  // which carried values a node depends on
    int state_count = 0;

    constexpr int is_late(int id) const { return id < late.size() ? late[id] : 0; }
    constexpr void make_late(int id, int how, std::uint64_t on) {
        late.resize(to.nodes.size(), 0);
        states.resize(to.nodes.size(), 0);
        late[id] = static_cast<unsigned char>(how);
        states[id] = on;
    }
    constexpr void mark(int id) {
        std::uint64_t on = is_late(id) ? states[id] : 0;
        for (int a : to.args(id))
            if (is_late(a)) on |= states[a];
        if (on) make_late(id, 1, on);
    }
    constexpr void mark_state(int id) { make_late(id, 2, std::uint64_t{1} << (state_count < 63 ? state_count++ : 63)); }
    /// Whether a comes into a sum before b. A carried value is the last, where it only waits for its own sum; what depends on it as well is later.
    constexpr bool is_earlier(int a, int b) const {
        const int la = is_late(a), lb = is_late(b);
        if (la && lb && la != lb && states[a] & states[b]) return la > lb;
        return la < lb;
    }
    constexpr int ty2(int a, int b, dtype d) {
        const int tys[] = {to.nodes[a].ty, to.nodes[b].ty};
        return tys[0] == tys[1] ? to.with_dtype(tys[0], d) : to.broadcast(info<add_>, view<int>{tys, 2}, d);
    }
    constexpr int binary(const op_info& op, int a, int b) {
        const int x[] = {a, b};
        const int r = to.raw(op, view<int>{x, 2}, {}, ty2(a, b, to.dtype_of(a)));
        mark(r);
        return r;
    }
    /// How many loops a value needs.
    constexpr int breadth(int id) const {
        int n = 0;
        for (int k = 0; k < to.rank(id); ++k) n += !to.is_one(to.type_of(id).ext[k]);
        return n;
    }

    /// Operands of equal types first, then by rank: two of the least rank each time.
    constexpr int combine(const op_info& op, vec<int>& v) {
        while (v.size() > 1) {
            int i = 0, j = -1;
            for (int k = 1; k < v.size(); ++k)
                if (is_late(v[k]) != is_late(v[i]) ? is_late(v[k]) < is_late(v[i]) : breadth(v[k]) < breadth(v[i])) i = k;
            for (int k = 0; k < v.size(); ++k) {
                if (k == i) continue;
                if (j < 0) j = k;
                else if (is_late(v[k]) != is_late(v[j])) j = is_late(v[k]) < is_late(v[j]) ? k : j;
                else if (to.nodes[v[k]].ty == to.nodes[v[i]].ty && to.nodes[v[j]].ty != to.nodes[v[i]].ty) j = k;
                else if (to.nodes[v[j]].ty != to.nodes[v[i]].ty && breadth(v[k]) < breadth(v[j])) j = k;
            }
            const int r = binary(op, v[i], v[j]);
            v[i < j ? i : j] = r;
            v.erase(i < j ? j : i);
        }
        return v[0];
    }
    constexpr int product(int id, bool& negative) {
        vec<int> v;
        negative = false;
        for (int a : from.args(id)) {
            if (from.is(a, literal_info) && is_real(from.dtype_of(a)) && real_value(from, a) < 0) {
                negative = !negative;
                const double k = -real_value(from, a);
                if (k != 1) v.push(to.literal(k, from.dtype_of(a)));
            } else if (from.is(a, literal_info) && real_value(from, a) == -1) negative = !negative;
            else v.push(at[a]);
        }
        if (negative && v.size() > 1) {  // the factor with the fewest axes takes the sign, outside the loops of the others
            int least = 0, most = 0;
            for (int k = 1; k < v.size(); ++k) {
                if (breadth(v[k]) < breadth(v[least])) least = k;
                if (breadth(v[k]) > breadth(v[most])) most = k;
            }
            if (breadth(v[least]) < breadth(v[most])) {
                v[least] = negate(v[least]);
                negative = false;
            }
        }
        return combine(info<multiply_>, v);
    }
    constexpr int negate(int x) {
        const int r = to.raw(info<negate_>, view<int>{&x, 1}, {}, to.nodes[x].ty);
        mark(r);
        return r;
    }

    constexpr int sum(int id) {
        struct part {
            int value;
            bool negative;
            bool fuse;  // a product of its own
        };
        vec<part> parts;
        for (int a : from.args(id)) {
            part p{at[a], false, false};
            if (from.is(a, literal_info) && is_real(from.dtype_of(a)) && real_value(from, a) < 0) {
                p.value = to.literal(-real_value(from, a), from.dtype_of(a));
                p.negative = true;
            } else if (from.is(a, info<multiply_>)) {
                p.value = product(a, p.negative);
                p.fuse = is_real(from.dtype_of(a)) && uses[a] == 1 && to.is(p.value, info<multiply_>);
            } else if (from.is(a, info<square_>)) p.fuse = is_real(from.dtype_of(a)) && uses[a] == 1;
            parts.push(p);
        }
        // least rank first, positive before negative, products last
        while (parts.size() > 1) {
            int i = -1, j = -1;
            const auto better = [&](const part& x, const part& y) constexpr {
                const int rx = breadth(x.value), ry = breadth(y.value);
                if (is_late(x.value) != is_late(y.value)) return is_earlier(x.value, y.value);
                if (rx != ry) return rx < ry;
                if (x.fuse != y.fuse) return !x.fuse;
                return !x.negative && y.negative;
            };
            for (int k = 0; k < parts.size(); ++k)
                if (i < 0 || better(parts[k], parts[i])) i = k;
            for (int k = 0; k < parts.size(); ++k)
                if (k != i && (j < 0 || better(parts[k], parts[j]))) j = k;
            const part x = parts[i], y = parts[j];
            part r{-1, false, false};
            if (y.fuse && breadth(y.value) >= breadth(x.value)) {
                const bool sq = to.is(y.value, info<square_>);
                const int p = to.arg(y.value, 0), q = sq ? p : to.arg(y.value, 1);
                const int three[] = {p, q, x.value};
                const int ty = ty2(y.value, x.value, to.dtype_of(x.value));
                const op_info& op = x.negative == y.negative ? op_data<multiply_add_> : y.negative ? op_data<subtract_product_> : op_data<product_minus_>;
                r.value = to.raw(op, view<int>{three, 3}, {}, ty);
                mark(r.value);
                r.negative = x.negative && y.negative;
            } else if (x.negative == y.negative) {
                r.value = binary(info<add_>, x.value, y.value);
                r.negative = x.negative;
            } else r.value = x.negative ? binary(info<subtract_>, y.value, x.value) : binary(info<subtract_>, x.value, y.value);
            parts[i < j ? i : j] = r;
            parts.erase(i < j ? j : i);
        }
        return parts[0].negative ? negate(parts[0].value) : parts[0].value;
    }

    constexpr vec<int> run(view<int> roots) {
        const vec<unsigned char> live = reachable(from, roots);
        uses.resize(live.size(), 0);
        for (int id = 0; id < live.size(); ++id)
            if (live[id])
                for (int a : from.args(id)) ++uses[a];
        for (int r : roots) uses[r] += 2;
        at.resize(live.size(), -1);
        vec<unsigned char> carried(live.size(), 0);
        for (int id = 0; id < live.size(); ++id)
            if (live[id] && from.is(id, info<loop_>))
                for (int x : loop_parts(from, id).states) carried[x] = 1;
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id]) continue;
            const op_info& op = from.op(id);
            const int ty = from.nodes[id].ty;
            if (&op == &info<add_>) at[id] = sum(id);
            else if (&op == &info<multiply_>) {
                bool negative = false;
                const int v = product(id, negative);
                at[id] = negative ? negate(v) : v;
            } else {
                vec<int> a;
                for (int x : from.args(id)) a.push(at[x]);
                at[id] = to.raw(op, view<int>{a.data(), a.size()}, from.params(id), ty, from.nodes[id].bits);
            }
            if (carried[id]) mark_state(at[id]);
            else mark(at[id]);
            if (to.nodes[at[id]].ty != ty && !to.same_shape(to.nodes[at[id]].ty, ty)) at[id] = to.raw(info<broadcast_>, view<int>{&at[id], 1}, {}, ty);
        }
        vec<int> result;
        for (int r : roots) result.push(at[r]);
        return result;
    }
};

}  // namespace cotan::bits
