#pragma once

#include <cotan/diff/context.hpp>
#include <cotan/op/operations.hpp>
#include <cotan/rewrite/rewriter.hpp>

namespace cotan::bits {

/// Which nodes among the first `count` depend on the given ones (through operations that pass derivatives on: real values only).
constexpr vec<unsigned char> dependence(const graph& g, int upto, view<int> on) {
    vec<unsigned char> d(upto + 1, 0);
    for (int x : on)
        if (x <= upto) d[x] = 1;
    for (int id = 0; id <= upto; ++id) {
        if (d[id] || !is_real(g.dtype_of(id))) continue;
        for (int a : g.args(id))
            if (d[a]) {
                d[id] = 1;
                break;
            }
    }
    return d;
}

constexpr vec<unsigned char> reachable(const graph& g, view<int> roots) {
    int top = -1;
    for (int r : roots) top = r > top ? r : top;
    vec<unsigned char> live(top + 1, 0);
    for (int r : roots) live[r] = 1;
    for (int id = top; id >= 0; --id)
        if (live[id])
            for (int a : g.args(id)) live[a] = 1;
    return live;
}

/// A rule for one mode made from the rule for the other, for operations that have only one. See diff/derive.hpp.
constexpr void derive_pullback(rewriter& g, pull_context& c);
constexpr void derive_pushforward(rewriter& g, push_context& c);

constexpr void region_context::give(int id, int cotangent) {
    const int narrow = g->cast(cotangent, g->dtype_of(id));
    const int v = value(id);
    set(id, v < 0 ? narrow : g->make(info<add_>, v, narrow));
}

/// The pullback of ys at cotangents: the cotangents of `wrt`, -1 where no y depends on one. One reverse sweep; a node's rule is asked only for the
/// cotangents that lead to `wrt`. With `leaves` the nodes of `wrt` are taken as independent of each other.
constexpr vec<int> pull_back(rewriter& g, view<int> ys, view<int> cotangents, view<int> wrt, bool leaves = false) {
    int top = 0;
    for (int y : ys) top = y > top ? y : top;
    const vec<unsigned char> on = dependence(g, top, wrt);
    const vec<unsigned char> live = reachable(g, ys);
    vec<int> ct(top + 1, -1);
    vec<unsigned char> ends(top + 1, 0), asked(top + 1, 0);
    for (int x : wrt)
        if (x <= top) asked[x] = 1;
    if (leaves)
        for (int x : wrt)
            if (x <= top) ends[x] = 1;
    for (int i = 0; i < ys.size(); ++i)
        if (on[ys[i]] && cotangents[i] >= 0) ct[ys[i]] = ct[ys[i]] < 0 ? cotangents[i] : g.make(info<add_>, ct[ys[i]], cotangents[i]);
    for (int id = top; id >= 0; --id) {
        if (!on[id] || !live[id] || ends[id]) continue;
        const op_info& op = g.op(id);
        if (op.pull_region) {
            region_context c{&g, id, ys, &on, &ct, 0, &asked};
            op.pull_region(c);
            continue;
        }
        if (ct[id] < 0) continue;
        const int n = g.nodes[id].nargs;
        if (n == 0) continue;
        bool stop = true;  // a wanted node's own cotangent may still go on to other wanted ones below it
        vec<bool> wants;
        for (int i = 0; i < n; ++i) {
            wants.push(on[g.arg(id, i)] != 0);
            stop = stop && !wants[i];
        }
        if (stop) continue;
        if (!op.pullback && !op.pushforward) {
            if (!op.linear) g.fail(fault::no_derivative, op);
            continue;
        }
        int wanted = 0;
        for (int i = 0; i < n; ++i) wanted += wants[i];
        if (wanted > 1) g.share(ct[id]);
        pull_context c;
        c.g = &g;
        c.node = id;
        c.cotangent = ct[id];
        c.wants = view<bool>{wants.data(), n};
        c.given.resize(n, -1);
        if (op.pullback) op.pullback(c);
        else derive_pullback(g, c);
        if (c.primal >= 0) {
            g.better.push(id);
            g.better.push(c.primal);
        }
        for (int i = 0; i < n; ++i) {
            const int v = c.given[i], x = g.arg(id, i);
            if (v < 0 || !wants[i]) continue;
            const bool broadcasts = op.cls == op_class::elementwise || g.is(id, info<broadcast_>);
            const int narrow = broadcasts ? sum_to(g, v, g.nodes[id].ty, g.nodes[x].ty) : v;
            const int cast = g.cast(narrow, g.dtype_of(x));
            ct[x] = ct[x] < 0 ? cast : g.make(info<add_>, ct[x], cast);
        }
    }
    vec<int> result;
    for (int x : wrt) result.push(x <= top && live[x] ? ct[x] : -1);
    return result;
}
constexpr vec<int> pull_back(rewriter& g, int y, int cotangent, view<int> wrt) { return pull_back(g, view<int>{&y, 1}, view<int>{&cotangent, 1}, wrt); }

/// A linear operation applied to a tangent that has `batch` leading axes more than the operand.
constexpr int push_linear(rewriter& g, int id, int tangent, int batch) {
    const op_info& op = g.op(id);
    vec<int> p;
    if (op.lift) op.lift(g, id, batch, p);
    return g.make(op, view<int>{&tangent, 1}, view<int>{p.data(), p.size()});
}

/// The pushforward of y along tangents of `wrt`: y's tangent, -1 where it is structurally zero. Tangents may have `batch` leading axes more than
/// what they are tangents of: several directions at once.
constexpr vec<int> push_forward(rewriter& g, view<int> ys, view<int> wrt, view<int> tangents, int batch) {
    int top = 0;
    for (int y : ys) top = y > top ? y : top;
    const vec<unsigned char> on = dependence(g, top, wrt);
    const vec<unsigned char> live = reachable(g, ys);
    vec<int> t(top + 1, -1);
    for (int i = 0; i < wrt.size(); ++i)
        if (wrt[i] <= top) t[wrt[i]] = tangents[i];
    for (int id = 0; id <= top; ++id) {
        if (!on[id] || !live[id] || t[id] >= 0) continue;
        const op_info& op = g.op(id);
        if (op.push_region) {
            region_context c{&g, id, ys, &on, &t, batch};
            op.push_region(c);
            continue;
        }
        const int n = g.nodes[id].nargs, rank = g.rank(id);
        vec<int> of;
        bool any = false;
        for (int i = 0; i < n; ++i) {
            int v = on[g.arg(id, i)] ? t[g.arg(id, i)] : -1;
            if (v >= 0 && op.cls == op_class::elementwise) v = aligned(g, v, rank, batch);  // keep the directions in front of the result's axes
            of.push(v);
            any = any || v >= 0;
        }
        if (!any) continue;
        if (op.linear) {
            // the tangent as large as what it is a tangent of: it may have come as a fill
            t[id] = push_linear(g, id, stretched_out(g, of[0], g.nodes[g.arg(id, 0)].ty, batch), batch);
            continue;
        }
        if (!op.pullback && !op.pushforward) {
            g.fail(fault::no_derivative, op);
            continue;
        }
        push_context c;
        c.g = &g;
        c.node = id;
        c.tangents = view<int>{of.data(), n};
        c.batch = batch;
        if (op.pushforward) op.pushforward(c);
        else derive_pushforward(g, c);
        if (c.primal >= 0) {
            g.better.push(id);
            g.better.push(c.primal);
        }
        t[id] = c.result;
    }
    vec<int> result;
    for (int y : ys) result.push(on[y] ? t[y] : -1);
    return result;
}

}  // namespace cotan::bits

#include <cotan/diff/derive.hpp>  // what it declares above
