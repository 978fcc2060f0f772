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

/// L, which is linear in `variables`, with values put in their places: its pushforward along them. The values may have `batch` leading axes more.
constexpr int put_in(rewriter& g, int linear, view<int> variables, view<int> values, int batch) {
    if (linear < 0) return -1;
    const int r = push_forward(g, view<int>{&linear, 1}, variables, values, batch)[0];
    if (reaches(g, r, variables)) g.fail(fault::rule_not_linear, g.op(linear));
    return r;
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
        // a tangent may come as a fill: here it is as large as what it belongs to
        type_data full = g.types[ty];
        const type_data in = g.type_of(c.tangents[i]);
        int v = c.tangents[i];
        if (c.batch) {
            const int missing = full.rank + c.batch - in.rank;
            vec<int> q;
            for (int k = 0; k < full.rank + c.batch; ++k) {
                const int one[] = {static_cast<int>(k >= c.batch && k < c.batch + missing ? item::newaxis : item::all), 0, 0, 0};
                for (int x : one) q.push(x);
            }
            if (missing > 0) v = insert_axes(g, v, view<int>{q.data(), q.size()});
            for (int k = full.rank - 1; k >= 0; --k) full.ext[k + c.batch] = full.ext[k];
            for (int k = 0; k < c.batch; ++k) full.ext[k] = in.ext[k];
            full.rank += c.batch;
        }
        values.push(fitted(g, v, g.intern(full)));
    }
    if (ys.empty()) return;
    const int linear = pull_back(g, view<int>{ys.data(), ys.size()}, view<int>{variables.data(), variables.size()}, view<int>{&u, 1})[0];
    if (reaches(g, linear, view<int>{&u, 1})) g.fail(fault::rule_not_linear, op);
    c.result = put_in(g, linear, view<int>{variables.data(), variables.size()}, view<int>{values.data(), values.size()}, c.batch);
}

}  // namespace cotan::bits
