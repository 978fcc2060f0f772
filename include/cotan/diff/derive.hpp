#pragma once

#include <cotan/diff/differentiate.hpp>

namespace cotan::bits {

/// Roles of variables.
enum variable_role : int { tangent_variable, cotangent_variable, rule_variable, cut_variable, seed_variable };

constexpr bool reaches(const graph& g, int root, view<int> leaves) {
    if (root < 0) return false;
    const vec<unsigned char> live = reachable(g, view<int>{&root, 1});
    for (int x : leaves)
        if (x <= root && live[x]) return true;
    return false;
}

/// Nodes with values in the places of variables: what depends on a variable is made again.
constexpr vec<int> substitute(rewriter& g, view<int> roots, view<int> variables, view<int> values) {
    const vec<unsigned char> live = reachable(g, roots);
    vec<int> at(live.size(), -1);
    for (int i = 0; i < variables.size(); ++i)
        if (variables[i] < live.size()) at[variables[i]] = values[i];
    for (int id = 0; id < live.size(); ++id) {
        if (!live[id] || at[id] >= 0) continue;
        bool same = true;
        vec<int> a;
        for (int x : g.args(id)) {
            a.push(at[x]);
            same = same && at[x] == x;
        }
        if (same) {
            at[id] = id;
            continue;
        }
        const vec<int> p = rewriter::copy(g.params(id));
        const int ty = g.nodes[id].ty;
        at[id] = fitted(g, g.finish(g.op(id), view<int>{a.data(), a.size()}, view<int>{p.data(), p.size()}, ty), ty);
    }
    vec<int> result;
    for (int r : roots) result.push(at[r]);
    return result;
}
constexpr int substitute(rewriter& g, int r, view<int> variables, view<int> values) {
    return r < 0 ? r : substitute(g, view<int>{&r, 1}, variables, values)[0];
}

/// L, which is linear in `variables`, with values in their places. These have `batch` leading axes more, several directions at once: elementwise operations are
/// made again on them, others are linear and push them on.
constexpr int put_in(rewriter& g, int linear, view<int> variables, view<int> values, int batch) {
    if (linear < 0) return -1;
    vec<int> full;
    for (int i = 0; i < variables.size(); ++i) full.push(stretched_out(g, values[i], g.nodes[variables[i]].ty, batch));
    if (!batch) return substitute(g, linear, variables, view<int>{full.data(), full.size()});
    const vec<unsigned char> live = reachable(g, view<int>{&linear, 1}), on = dependence(g, linear, variables);
    vec<int> at(linear + 1, -1);
    for (int i = 0; i < variables.size(); ++i)
        if (variables[i] <= linear) at[variables[i]] = full[i];
    for (int id = 0; id <= linear; ++id) {
        if (!live[id] || at[id] >= 0) continue;
        if (on[id] && g.op(id).push_region) {
            region_context c{&g, id, view<int>{&linear, 1}, &on, &at, batch};
            g.op(id).push_region(c);
            continue;
        }
        const int n = g.nodes[id].nargs, rank = g.rank(id);
        const vec<int> old = rewriter::copy(g.args(id));
        bool any = false;
        for (int a : old) any = any || at[a] >= 0;
        if (!any) continue;
        const op_info& op = g.op(id);
        if (op.cls == op_class::elementwise) {
            vec<int> a;
            for (int x : old) a.push(at[x] < 0 ? x : aligned(g, at[x], rank, batch));
            at[id] = g.is(id, info<cast_>) ? g.cast(a[0], g.dtype_of(id)) : g.make(op, view<int>{a.data(), n});
        } else if (op.linear) at[id] = push_linear(g, id, stretched_out(g, at[old[0]], g.nodes[old[0]].ty, batch), batch);
        else {
            vec<int> t;
            for (int x : old) t.push(at[x] < 0 ? -1 : stretched_out(g, at[x], g.nodes[x].ty, batch));
            push_context c;
            c.g = &g;
            c.node = id;
            c.tangents = view<int>{t.data(), n};
            c.batch = batch;
            if (op.pushforward) op.pushforward(c);
            else derive_pushforward(g, c);
            at[id] = c.result;
        }
        if (at[id] < 0) return -1;
    }
    return at[linear];
}

/// The cotangents of an operation that only has a pushforward: the tangent of the result is linear in the operands' tangents, and its own pullback
/// by them transposes it.
constexpr void derive_pullback(rewriter& g, pull_context& c) {
    const op_info& op = g.op(c.node);
    const int n = c.count();
    vec<int> t(n, -1), variables;
    for (int i = 0; i < n; ++i) {
        if (!c.wanted(i)) continue;
        t[i] = variable(g, tangent_variable, c.node * 64 + i, g.nodes[g.arg(c.node, i)].ty);
        variables.push(t[i]);
    }
    push_context p;
    p.g = &g;
    p.node = c.node;
    p.tangents = view<int>{t.data(), n};
    op.pushforward(p);
    if (p.result < 0) return;
    const vec<int> cts = pull_back(g, p.result, c.cotangent, view<int>{variables.data(), variables.size()});
    int k = 0;
    for (int i = 0; i < n; ++i) {
        if (!c.wanted(i)) continue;
        if (reaches(g, cts[k], view<int>{variables.data(), variables.size()})) g.fail(fault::rule_not_linear, op);
        c.given[i] = cts[k++];
    }
}

/// The tangent of an operation that only has a pullback (J. Townsend, A new trick for calculating Jacobian vector products, 2017): its cotangents are
/// linear in the result's cotangent, and their own pullback by it, at the operands' tangents, is the tangent.
constexpr void derive_pushforward(rewriter& g, push_context& c) {
    const op_info& op = g.op(c.node);
    const int n = c.count(), u = variable(g, cotangent_variable, c.node, g.nodes[c.node].ty);
    vec<bool> wants;
    for (int i = 0; i < n; ++i) wants.push(c.has(i));
    pull_context p;
    p.g = &g;
    p.node = c.node;
    p.cotangent = u;
    p.wants = view<bool>{wants.data(), n};
    p.given.resize(n, -1);
    op.pullback(p);
    vec<int> ys, variables, values;
    for (int i = 0; i < n; ++i) {
        if (!c.has(i) || p.given[i] < 0) continue;
        const int ty = g.nodes[g.arg(c.node, i)].ty;
        const bool broadcasts = op.cls == op_class::elementwise;
        const int narrow = broadcasts ? sum_to(g, p.given[i], g.nodes[c.node].ty, ty) : p.given[i];
        ys.push(fitted(g, narrow, ty));
        variables.push(variable(g, tangent_variable, c.node * 64 + i, ty));
        values.push(c.tangents[i]);
    }
    if (ys.empty()) return;
    const int linear = pull_back(g, view<int>{ys.data(), ys.size()}, view<int>{variables.data(), variables.size()}, view<int>{&u, 1})[0];
    if (reaches(g, linear, view<int>{&u, 1})) g.fail(fault::rule_not_linear, op);
    c.result = put_in(g, linear, view<int>{variables.data(), variables.size()}, view<int>{values.data(), values.size()}, c.batch);
}

}  // namespace cotan::bits
