#pragma once

#include <cotan/diff/differentiate.hpp>
#include <cotan/loop/node.hpp>

// Derivatives of loops and conditions. The reverse of a loop is a loop over the same steps in the other direction: its states are the cotangents of the
// carried states, its sequences the states that the original had, and what its body needs else is computed again. The tangent of a loop is one
// loop that carries primal and tangent together. Both are loops like any other, so that derivatives of any order and nesting follow.
namespace cotan::bits {

/// A number for a new bound value of a height.
constexpr int next_bound(const graph& g, int height) {
    int n = 0;
    for (int id = 0; id < g.nodes.size(); ++id)
        if (g.is(id, info<bound_>) && g.param(id, 0) == height && g.param(id, 1) >= n) n = g.param(id, 1) + 1;
    return n;
}
constexpr int make_bound(graph& g, int height, int number, int ty) {
    const int p[] = {height, number};
    return g.raw(info<bound_>, {}, view<int>{p, 2}, ty);
}

/// Moves axis `from` to `to`.
constexpr int move_axis(graph& g, int v, int from, int to) {
    if (from == to) return v;
    vec<int> p;
    for (int k = 0; k < g.rank(v); ++k)
        if (k != from) p.push(k);
    p.insert(to, from);
    return g.make(info<transpose_>, view<int>{&v, 1}, view<int>{p.data(), p.size()});
}

/// Which states and elements of a loop depend on what is differentiated by.
struct loop_activity {
    vec<unsigned char> states, elements;
    vec<int> captured;  // active values from outside
    vec<unsigned char> depends;  // of the body's nodes

    constexpr loop_activity(const region_context& c, const loop_parts& l, bool tangents) {
        const graph& g = *c.g;
        const auto on = [&](int id) constexpr { return is_real(g.dtype_of(id)) && c.active(id) && (!tangents || c.value(id) >= 0); };
        states.resize(l.states.size(), 0);
        elements.resize(l.elements.size(), 0);
        const vec<std::uint64_t> heights = free_heights(g, c.node);
        for (int x : captures(g, l, heights))
            if (on(x)) captured.push(x);
        for (int i = 0; i < l.elements.size(); ++i) elements[i] = on(l.sequences[i]);
        for (int k = 0; k < l.states.size(); ++k) states[k] = on(l.inits[k]);
        for (bool changed = true; changed;) {
            changed = false;
            vec<int> from = captured;
            for (int i = 0; i < l.elements.size(); ++i)
                if (elements[i]) from.push(l.elements[i]);
            for (int k = 0; k < l.states.size(); ++k)
                if (states[k]) from.push(l.states[k]);
            depends = dependence(g, c.node, view<int>{from.data(), from.size()});
            for (int k = 0; k < l.states.size(); ++k)
                if (!states[k] && is_real(g.dtype_of(l.states[k])) && depends[l.nexts[k]]) states[k] = changed = true;
        }
    }
};

/// Whether it is dearer to compute a value again than to keep it: something transcendental or a sum is on the way from the bound values.
constexpr bool is_dear(const graph& g, int root, std::uint64_t own, const vec<std::uint64_t>& heights) {
    vec<unsigned char> seen(root + 1, 0);
    seen[root] = 1;
    for (int id = root; id >= 0; --id) {
        if (!seen[id] || !(heights[id] & own)) continue;
        if (g.op(id).cost >= 8 || g.op(id).cls == op_class::reduction || g.op(id).cls == op_class::composite || g.op(id).cls == op_class::projection) return true;
        for (int a : g.args(id)) seen[a] = 1;
    }
    return false;
}

/// The derivatives of a fixed point x = f(x, p) are fixed points of linear maps, by the implicit function theorem: its cotangent w gives those of p through
/// f from u = w + J'u, J the Jacobian of f in x at x, and tangents of p give t = r + J t with r what they give through f at a constant x. The
/// initial value has no derivative.
struct fixed_point_context {
    region_context& c;
    rewriter& g;
    loop_parts l;
    int last = -1;  // the projection that reads the fixed point
    vec<int> captured;

    constexpr fixed_point_context(region_context& c_, const loop_parts& l_, bool tangents) : c(c_), g(*c_.g), l(l_) {
        for (int id = c.node + 1; id < c.values->size() && last < 0; ++id)
            if (g.is(id, info<loop_last_>) && g.arg(id, 0) == c.node) last = id;
        captured = loop_activity(c, l, tangents).captured;
    }
    /// Values of the body at the fixed point.
    constexpr vec<int> at_solution(vec<int> of) const {
        for (int& v : of) v = substitute(g, v, view<int>{&l.states[0], 1}, view<int>{&last, 1});
        return of;
    }
    constexpr int unknown(int ty) const { return make_bound(g, l.height, next_bound(g, l.height), ty); }
    /// The solution of v = rest + linear(v), by iteration from the rest.
    constexpr int solve(int v, int rest, int linear) const {
        if (linear < 0) return rest;
        const int ty = g.nodes[v].ty;
        loop_parts solver;
        solver.height = l.height;
        solver.flags = l.flags;
        solver.count = l.count;
        solver.states.push(v);
        solver.inits.push(rest);
        solver.nexts.push(fitted(g, g.make(info<add_>, rest, linear), ty));
        solver.stop = at_rest_everywhere(solver.nexts[0], v);
        type_data steps;
        steps.dt = g.type_of(c.node).dt;
        steps.rank = 1;
        steps.ext[0] = other_steps();
        return last_of(g, solver.make(g, g.intern(steps)), 0, ty);
    }
    constexpr int at_rest_everywhere(int next, int before) const {
        const double tolerance = [this] {
            double t = 1;
            for (int k = l.flags >> loop_digits_from; k > 0; --k) t /= 2;
            return t;
        }();
        const int all = (1 << g.rank(next)) - 1;
        const auto size = [&](int v) constexpr {
            v = g.make(info<abs_>, v);
            return sym{&g, all ? g.make(info<max_>, view<int>{&v, 1}, view<int>{&all, 1}) : v};
        };
        return at_rest(size((sym{&g, next} - sym{&g, before}).id), size(next), sym{&g, g.literal(tolerance, g.dtype_of(next))}).id;
    }
    /// An iteration of its own takes as many steps as it needs.
    constexpr int other_steps() const {
        extent_data e = g.extents[g.type_of(c.node).ext[0]];
        int n = 0;
        while (n < name_length - 2 && e.name[n]) ++n;
        e.name[n] = '\'';
        return g.intern(e);
    }

    constexpr void pull() const {
        if (last < 0 || c.value(last) < 0) return;
        const int ty = g.nodes[l.states[0]].ty, w = fitted(g, c.value(last), ty), u = unknown(ty);
        vec<int> wrt;
        wrt.push(l.states[0]);
        wrt.append(captured.data(), captured.size());
        const vec<int> given = at_solution(pull_back(g, view<int>{&l.nexts[0], 1}, view<int>{&u, 1}, view<int>{wrt.data(), wrt.size()}, true));
        const int solution = solve(u, w, given[0]);
        for (int i = 0; i < captured.size(); ++i)
            if (given[i + 1] >= 0) c.give(captured[i], substitute(g, given[i + 1], view<int>{&u, 1}, view<int>{&solution, 1}));
    }
    constexpr void push() const {
        if (last < 0 || captured.empty()) return;
        vec<int> tangents;
        for (int x : captured) tangents.push(c.value(x));
        const int ty = with_batch(g, g.nodes[l.states[0]].ty, tangents[0], c.batch);
        const vec<int> rest = at_solution(push_forward(g, view<int>{&l.nexts[0], 1}, view<int>{captured.data(), captured.size()}, view<int>{tangents.data(), tangents.size()}, c.batch));
        if (rest[0] < 0) return;
        const int t = unknown(ty);
        const vec<int> linear = at_solution(push_forward(g, view<int>{&l.nexts[0], 1}, view<int>{&l.states[0], 1}, view<int>{&t, 1}, c.batch));
        c.set(last, solve(t, widened(g, rest[0], c.batch, ty), linear[0] < 0 ? -1 : widened(g, linear[0], c.batch, ty)));
    }
};

constexpr void loop_::pull_region(region_context& c) {
    rewriter& g = *c.g;
    const loop_parts l(g, c.node);
    if (l.flags & loop_fixed) return fixed_point_context(c, l, false).pull();
    const int ns = l.states.size(), loop_ty = g.nodes[c.node].ty;
    vec<int> last(ns, -1);
    vec<int> traced, trace_cotangents, trace_nodes;
    bool any = false;
    for (int id = c.node + 1; id < c.values->size(); ++id) {
        if (g.op(id).cls != op_class::projection || g.arg(id, 0) != c.node || c.value(id) < 0) continue;
        any = true;
        if (g.is(id, info<loop_last_>)) last[g.param(id, 0)] = c.value(id);
        else if (g.is(id, info<loop_trace_>)) {
            traced.push(g.param(id, 0));
            trace_cotangents.push(c.value(id));
            trace_nodes.push(id);
        }
    }
    if (!any) return;
    if (l.limit) {
        (void)g.fail(fault::no_derivative, info<loop_>);
        return;
    }
    const loop_activity active(c, l, false);

    // the states that a cotangent comes to
    vec<unsigned char> carried(ns, 0);
    vec<int> reach(ns * (ns + traced.size()), 0);  // result r depends on state k
    for (int k = 0; k < ns; ++k) {
        if (!active.states[k]) continue;
        const vec<unsigned char> d = dependence(g, c.node, view<int>{&l.states[k], 1});
        for (int r = 0; r < ns; ++r) reach[r * ns + k] = d[l.nexts[r]];
        for (int r = 0; r < traced.size(); ++r) reach[(ns + r) * ns + k] = d[l.emissions[traced[r]]];
    }
    for (int k = 0; k < ns; ++k) {
        if (!active.states[k]) continue;
        carried[k] = last[k] >= 0;
        for (int r = 0; r < traced.size(); ++r) carried[k] = carried[k] || reach[(ns + r) * ns + k];
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int r = 0; r < ns; ++r)
            for (int k = 0; k < ns && carried[r]; ++k)
                if (!carried[k] && active.states[k] && reach[r * ns + k]) carried[k] = changed = true;
    }

    loop_parts back;
    back.height = l.height;
    back.limit = l.cut;
    back.flags = (l.flags & loop_reversed) ^ loop_reversed;
    int number = next_bound(g, l.height);
    vec<int> ys, cts, wrt;
    vec<int> state_at(ns, -1);
    for (int k = 0; k < ns; ++k) {
        if (!carried[k]) continue;
        const int ty = g.nodes[l.states[k]].ty;
        state_at[k] = back.states.push(make_bound(g, l.height, number++, ty));
        back.inits.push(fitted(g, last[k] >= 0 ? last[k] : g.literal(0, g.types[ty].dt), ty));
        ys.push(l.nexts[k]);
        cts.push(back.states[state_at[k]]);
        wrt.push(l.states[k]);
    }
    for (int r = 0; r < traced.size(); ++r) {
        const int e = l.emissions[traced[r]];
        if (!active.depends[e]) continue;
        int v = trace_cotangents[r];
        if (g.is(v, info<broadcast_>)) v = g.arg(v, 0);
        const int ty = g.nodes[e].ty;
        ys.push(e);
        if (g.rank(v) <= g.types[ty].rank) cts.push(fitted(g, v, ty));  // the same at each step
        else {
            back.sequences.push(fitted(g, v, g.nodes[trace_nodes[r]].ty));
            cts.push(back.elements[back.elements.push(make_bound(g, l.height, number++, ty))]);
        }
    }
    const int carried_count = wrt.size();
    vec<int> element_of;
    for (int i = 0; i < l.elements.size(); ++i)
        if (active.elements[i]) {
            wrt.push(l.elements[i]);
            element_of.push(i);
        }
    for (int x : active.captured) wrt.push(x);
    const vec<int> given = pull_back(g, view<int>{ys.data(), ys.size()}, view<int>{cts.data(), cts.size()}, view<int>{wrt.data(), wrt.size()}, true);

    for (int i = 0; i < carried_count; ++i) {
        const int ty = g.nodes[back.states[i]].ty;
        back.nexts.push(fitted(g, given[i] >= 0 ? given[i] : g.literal(0, g.types[ty].dt), ty));
    }
    struct result {
        int of = -1, emission = -1, state = -1;
    };
    vec<result> results;
    for (int i = 0; i < element_of.size(); ++i) {
        const int v = given[carried_count + i];
        if (v < 0) continue;
        results.push({l.sequences[element_of[i]], back.emissions.push(fitted(g, v, g.nodes[l.elements[element_of[i]]].ty)), -1});
    }
    const int captured_at = carried_count + element_of.size();
    for (int i = 0; i < active.captured.size(); ++i) {
        const int v = given[captured_at + i], x = active.captured[i];
        if (v < 0) continue;
        if (g.rank(x) == 0 && carried_count > 0) {  // added up in a register; where nothing else is carried there is no loop at all, and a plain sum
            const int ty = g.nodes[x].ty, sum = make_bound(g, l.height, number++, ty);
            results.push({x, -1, back.states.push(sum)});
            back.inits.push(g.literal(0, g.types[ty].dt));
            back.nexts.push(fitted(g, g.make(info<add_>, sum, v), ty));
        } else results.push({x, back.emissions.push(fitted(g, v, g.nodes[x].ty)), -1});
    }
    loop_parts more = l;
    vec<int> after;
    const int after_at = back.sequences.size();
    back.option = l.option;
    // a next state that the body reads is known as well: where it is dear it comes from a trace
    {
        const vec<std::uint64_t> heights = free_heights(g, c.node);
        for (int k = 0; k < ns; ++k) {
            const int n = l.nexts[k];
            if (l.option || g.op(n).cls == op_class::leaf || !is_dear(g, n, std::uint64_t{1} << l.height, heights)) continue;
            const vec<int> roots = back.results();
            const vec<unsigned char> live = reachable(g, view<int>{roots.data(), roots.size()});
            if (n >= live.size() || !live[n]) continue;
            const int ty = g.nodes[l.states[k]].ty, element = make_bound(g, l.height, number++, ty);
            for (vec<int>* part : {&back.nexts, &back.emissions})
                *part = substitute(g, view<int>{part->data(), part->size()}, view<int>{&n, 1}, view<int>{&element, 1});
            back.elements.push(element);
            after.push(more.emissions.push(fitted(g, n, ty)));
        }
    }
    // what the body reads of the original: its sequences, and its states from a trace
    const vec<int> roots = back.results();
    const vec<unsigned char> live = reachable(g, view<int>{roots.data(), roots.size()});
    const auto reads = [&](int id) constexpr { return id < live.size() && live[id]; };
    for (int i = 0; i < l.elements.size(); ++i)
        if (reads(l.elements[i])) {
            back.sequences.push(l.sequences[i]);
            back.elements.push(l.elements[i]);
        }
    vec<int> kept;
    for (int k = 0; k < ns; ++k)
        if (reads(l.states[k])) {
            kept.push(k);
            more.emissions.push(l.states[k]);
        }
    if (!kept.empty() || !after.empty()) {
        const int augmented = more.make(g, loop_ty);
        // in the order of the elements: those of the next states stand before the original's sequences
        vec<int> before;
        for (int e : after) before.push(trace_of(g, augmented, e, g.nodes[more.emissions[e]].ty));
        for (int i = 0; i < before.size(); ++i) back.sequences.insert(after_at + i, before[i]);
        for (int i = 0; i < kept.size(); ++i) {
            back.sequences.push(trace_of(g, augmented, more.emissions.size() - kept.size() + i, g.nodes[l.states[kept[i]]].ty));
            back.elements.push(l.states[kept[i]]);
        }
    }
    const int reverse = back.make(g, loop_ty);
    for (int k = 0; k < ns; ++k)
        if (state_at[k] >= 0 && c.active(l.inits[k])) c.give(l.inits[k], last_of(g, reverse, state_at[k], g.nodes[l.states[k]].ty));
    for (const result& r : results) {
        if (r.state >= 0) c.give(r.of, last_of(g, reverse, r.state, g.nodes[r.of].ty));
        else {
            const int each = g.nodes[back.emissions[r.emission]].ty;
            if (g.rank(r.of) > g.types[each].rank) c.give(r.of, trace_of(g, reverse, r.emission, each, g.type_of(r.of).ext[0]));
            else {
                const int trace = trace_of(g, reverse, r.emission, each), first = 1;
                c.give(r.of, g.make(info<sum_>, view<int>{&trace, 1}, view<int>{&first, 1}));
            }
        }
    }
}

constexpr void loop_::push_region(region_context& c) {
    rewriter& g = *c.g;
    const loop_parts l(g, c.node);
    if (l.flags & loop_fixed) return fixed_point_context(c, l, true).push();
    const int ns = l.states.size(), loop_ty = g.nodes[c.node].ty;
    const loop_activity active(c, l, true);
    int some = -1;  // a tangent, for its leading axes
    loop_parts both = l;
    int number = next_bound(g, l.height);
    vec<int> wrt, tangents;
    for (int i = 0; i < l.elements.size(); ++i) {
        if (!active.elements[i]) continue;
        const int t = c.value(l.sequences[i]), ty = g.nodes[l.elements[i]].ty;
        some = t;
        const int full = widened(g, t, c.batch, with_batch(g, g.nodes[l.sequences[i]].ty, t, c.batch));
        both.sequences.push(move_axis(g, full, c.batch, 0));
        both.elements.push(make_bound(g, l.height, number++, with_batch(g, ty, t, c.batch)));
        wrt.push(l.elements[i]);
        tangents.push(both.elements.back());
    }
    for (int x : active.captured) {
        wrt.push(x);
        tangents.push(some = c.value(x));
    }
    for (int k = 0; k < ns; ++k)
        if (active.states[k] && c.value(l.inits[k]) >= 0) some = c.value(l.inits[k]);
    if (some < 0) return;
    vec<int> tangent_of(ns, -1);
    for (int k = 0; k < ns; ++k) {
        if (!active.states[k]) continue;
        const int ty = with_batch(g, g.nodes[l.states[k]].ty, some, c.batch), t = c.value(l.inits[k]);
        tangent_of[k] = both.states.push(make_bound(g, l.height, number++, ty));
        both.inits.push(t >= 0 ? widened(g, t, c.batch, ty) : fitted(g, g.literal(0, g.types[ty].dt), ty));
        wrt.push(l.states[k]);
        tangents.push(both.states.back());
    }
    const vec<int> ys = l.results();
    const vec<int> t = push_forward(g, view<int>{ys.data(), ns + l.emissions.size()}, view<int>{wrt.data(), wrt.size()},
                                    view<int>{tangents.data(), tangents.size()}, c.batch);
    for (int k = 0; k < ns; ++k) {
        if (tangent_of[k] < 0) continue;
        const int ty = g.nodes[both.states[tangent_of[k]]].ty;
        both.nexts.push(t[k] >= 0 ? widened(g, t[k], c.batch, ty) : fitted(g, g.literal(0, g.types[ty].dt), ty));
    }
    vec<int> emission_of(l.emissions.size(), -1);
    for (int j = 0; j < l.emissions.size(); ++j)
        if (t[ns + j] >= 0)
            emission_of[j] = both.emissions.push(widened(g, t[ns + j], c.batch, with_batch(g, g.nodes[l.emissions[j]].ty, some, c.batch)));
    const int loop = both.make(g, loop_ty);
    (*c.values)[c.node] = loop;
    for (int id = c.node + 1; id < c.values->size(); ++id) {
        if (g.op(id).cls != op_class::projection || g.arg(id, 0) != c.node) continue;
        if (g.is(id, info<loop_last_>) && tangent_of[g.param(id, 0)] >= 0) {
            const int k = tangent_of[g.param(id, 0)];
            c.set(id, last_of(g, loop, k, g.nodes[both.states[k]].ty));
        } else if (g.is(id, info<loop_trace_>) && emission_of[g.param(id, 0)] >= 0) {
            const int j = emission_of[g.param(id, 0)];
            c.set(id, move_axis(g, trace_of(g, loop, j, g.nodes[both.emissions[j]].ty, g.type_of(id).ext[0]), 0, c.batch));
        }
    }
}

/// What roots reach without going into the branches of conditions.
constexpr vec<unsigned char> reachable_outside(const graph& g, view<int> roots, int upto) {
    vec<unsigned char> live(upto + 1, 0);
    for (int r : roots) live[r] = 1;
    for (int id = upto; id >= 0; --id) {
        if (!live[id]) continue;
        const int n = g.op(id).cls == op_class::cond ? 1 : g.nodes[id].nargs;
        for (int i = 0; i < n; ++i) live[g.arg(id, i)] = 1;
    }
    return live;
}

/// A branch is differentiated as far as it is its own: up to values that are needed outside of it too, or asked for. Each derivative is a condition again.
constexpr void cond_::pull_region(region_context& c) {
    rewriter& g = *c.g;
    const int ct = c.value(c.node);
    if (ct < 0) return;
    const int p = g.arg(c.node, 0), branch[] = {g.arg(c.node, 1), g.arg(c.node, 2)};
    const vec<unsigned char> outside = reachable_outside(g, c.roots, c.values->size() - 1);
    vec<int> frontier;
    vec<unsigned char> seen(c.node + 1, 0);
    seen[branch[0]] = seen[branch[1]] = 1;
    for (int id = c.node - 1; id >= 0; --id) {
        if (!seen[id]) continue;
        if (outside[id] || g.nodes[id].nargs == 0 || c.is_asked(id)) {
            if (c.active(id) && is_real(g.dtype_of(id))) frontier.push(id);
        } else
            for (int a : g.args(id)) seen[a] = 1;
    }
    vec<int> part[2];
    for (int b = 0; b < 2; ++b) part[b] = pull_back(g, view<int>{&branch[b], 1}, view<int>{&ct, 1}, view<int>{frontier.data(), frontier.size()}, true);
    for (int i = 0; i < frontier.size(); ++i) {
        if (part[0][i] < 0 && part[1][i] < 0) continue;
        const int ty = g.nodes[frontier[i]].ty;
        const int x = fitted(g, part[0][i] >= 0 ? part[0][i] : g.literal(0, g.types[ty].dt), ty);
        const int y = fitted(g, part[1][i] >= 0 ? part[1][i] : g.literal(0, g.types[ty].dt), ty);
        c.give(frontier[i], make(g, p, x, y));
    }
}

}  // namespace cotan::bits
