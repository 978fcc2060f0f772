#pragma once

#include <cotan/op/operations.hpp>

namespace cotan::bits {

/// A value that a loop binds anew in each step: an element of a sequence, or a carried state. The parameters are the height of the binder (one more than
/// that of any loop in its body, so that an inner loop cannot capture it) and a number.
struct bound_ {
    static constexpr auto name = "bound";
    static constexpr auto cls = op_class::leaf;
    static constexpr int arity = 0;
    static constexpr int cost = 0;
};

enum loop_flag : int {
    loop_reversed = 1,  // from the last element of the sequences to the first; traces stand as the sequences do
    loop_until = 2,     // stops after the step whose last result is true
    loop_while = 4,     // stops before the step for whose states the last operand is false
    loop_counted = 8,   // the first operand is the number of steps
    loop_fixed = 16,    // repeats a map until its only state settles: differentiated at the fixed point, not through the steps
};
/// Of such a loop the flags also hold to how many binary digits the state settles, for its derivatives, which settle as well.
inline constexpr int loop_digits_from = 8;

/// Whether an iteration rests, by the largest elements of its last change and of its state. With NaN in them it does.
constexpr auto at_rest(auto change, auto size, auto tolerance) { return !(change > tolerance * size); }

/// A loop. Its body stands in the graph around it: the nodes that depend on its bound values. Operands:
///   [number of steps] sequences, their bound elements, initial states, their bound values, next states, emissions, [stop] [go on],
///   and of states that a reverse pass computes again where it needs them: initial values, bound values, next values
/// Its own value has the number of steps as its extent; what it computes is read by the projections below.
struct loop_ {
    static constexpr auto name = "loop";
    static constexpr auto cls = op_class::loop;
    static constexpr bool binds = true;
    static constexpr int arity = -1;
    static constexpr bool explicit_type = true;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return g.finish(info<loop_>, a, p, ty); }
    /// What rewriting made narrower is as wide as its state again.
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int> p, int ty) {
        vec<int> fit;
        fit.append(a.first, a.size());
        const int states = (p[4] & loop_counted ? 1 : 0) + 2 * p[1] + p[2], n = p[2];
        for (int k = 0; k < n; ++k) {
            const int t = g.nodes[fit[states + k]].ty;
            fit[states - n + k] = fitted(g, fit[states - n + k], t);
            fit[states + n + k] = fitted(g, fit[states + n + k], t);
        }
        const vec<int> q = scatter_::copy_of(p);
        return g.raw(op, view<int>{fit.data(), fit.size()}, view<int>{q.data(), q.size()}, ty);
    }
    static constexpr void pull_region(region_context& c);
    static constexpr void push_region(region_context& c);
};

struct projection {
    static constexpr auto cls = op_class::projection;
    static constexpr int arity = 1;
    static constexpr bool explicit_type = true;
};
/// The state k after the last step.
struct loop_last_ : projection {
    static constexpr auto name = "last";
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return g.finish(info<loop_last_>, a, p, ty); }
};
/// The emission k of all steps.
struct loop_trace_ : projection {
    static constexpr auto name = "trace";
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return g.finish(info<loop_trace_>, a, p, ty); }
};
/// The number of steps that were taken.
struct loop_steps_ : projection {
    static constexpr auto name = "steps";
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return g.finish(info<loop_steps_>, a, p, ty); }
};

/// cond(p, x, y): x where the scalar p holds, else y; what only the branch not taken needs is not computed.
struct cond_ {
    static constexpr auto name = "cond";
    static constexpr auto cls = op_class::cond;
    static constexpr int arity = 3;
    static constexpr bool explicit_type = true;
    static constexpr int infer(graph&, const op_info&, view<int> tys, view<int>) { return tys[1]; }
    static constexpr int build(graph& g, view<int> a, view<int>, int ty) { return make(g, a[0], fitted(g, a[1], ty), fitted(g, a[2], ty)); }
    static constexpr int make(graph& g, int p, int x, int y) {
        const int a[] = {p, x, y};
        return g.finish(info<cond_>, view<int>{a, 3}, {}, g.nodes[x].ty);
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        if (g.is(a[0], literal_info)) return fitted(g, g.nodes[a[0]].bits ? a[1] : a[2], ty);
        if (a[1] == a[2]) return a[1];
        const int fit[] = {a[0], fitted(g, a[1], ty), fitted(g, a[2], ty)};
        return g.raw(op, view<int>{fit, 3}, {}, ty);
    }
    static constexpr void pull_region(region_context& c);
    static constexpr void pushforward(push_context& c) {
        const int ty = with_batch(*c.g, c.g->nodes[c.node].ty, c.tangents[c.has(1) ? 1 : 2], c.batch);
        const auto branch = [&](int i) constexpr { return widened(*c.g, c.has(i) ? c.tangents[i] : c.g->literal(0, c.g->types[ty].dt), c.batch, ty); };
        const int x = branch(1), y = branch(2);
        c.result = make(*c.g, c.x(0).id, x, y);
    }
};

/// A loop's operands by their parts.
struct loop_parts {
    int height = 0, flags = 0;
    vec<int> sequences, elements, inits, states, nexts, emissions;
    vec<int> again_inits, again_states, again_nexts;
    int count = -1, stop = -1, go = -1;
    int option = 0;  // how the reverse pass keeps the states: 0 all, k every k-th, -s at most s at a time
    int cut = 0;     // the reverse pass goes back so many steps only; 0: all
    int limit = 0;   // of a loop that was cut: it takes so many steps at most; 0: all

    constexpr loop_parts() = default;
    constexpr loop_parts(const graph& g, int id) {
        const view<int> p = g.params(id), a = g.args(id);
        height = p[0];
        flags = p[4];
        option = p[5];
        cut = p[7];
        limit = p[8];
        int at = 0;
        if (flags & loop_counted) count = a[at++];
        const auto take = [&](vec<int>& to, int n) constexpr {
            for (int i = 0; i < n; ++i) to.push(a[at++]);
        };
        take(sequences, p[1]);
        take(elements, p[1]);
        take(inits, p[2]);
        take(states, p[2]);
        take(nexts, p[2]);
        take(emissions, p[3]);
        if (flags & loop_until) stop = a[at++];
        if (flags & loop_while) go = a[at++];
        take(again_inits, p[6]);
        take(again_states, p[6]);
        take(again_nexts, p[6]);
    }
    /// What stands for operands.
    constexpr void each(auto f) {
        for (vec<int>* part : {&sequences, &elements, &inits, &states, &nexts, &emissions, &again_inits, &again_states, &again_nexts})
            for (int& x : *part) f(x);
        for (int* x : {&count, &stop, &go})
            if (*x >= 0) f(*x);
    }
    constexpr int make(graph& g, int ty) const {
        vec<int> a;
        if (flags & loop_counted) a.push(count);
        for (const vec<int>* part : {&sequences, &elements, &inits, &states, &nexts, &emissions}) a.append(part->data(), part->size());
        if (flags & loop_until) a.push(stop);
        if (flags & loop_while) a.push(go);
        for (const vec<int>* part : {&again_inits, &again_states, &again_nexts}) a.append(part->data(), part->size());
        const int p[] = {height, sequences.size(), states.size(), emissions.size(), flags, option, again_states.size(), cut, limit};
        return g.finish(info<loop_>, view<int>{a.data(), a.size()}, view<int>{p, 9}, ty);
    }
    /// The nodes that the body gives: in this order a step computes them.
    constexpr vec<int> results() const {
        vec<int> r;
        r.append(nexts.data(), nexts.size());
        r.append(emissions.data(), emissions.size());
        if (stop >= 0) r.push(stop);
        if (go >= 0) r.push(go);
        return r;
    }
    /// With what is computed again.
    constexpr vec<int> all_results() const {
        vec<int> r = results();
        r.append(again_nexts.data(), again_nexts.size());
        return r;
    }
};

constexpr int project(graph& g, const op_info& what, int loop, int k, int ty) { return g.finish(what, view<int>{&loop, 1}, view<int>{&k, 1}, ty); }
constexpr int last_of(graph& g, int loop, int k, int ty) { return project(g, info<loop_last_>, loop, k, ty); }
/// The trace of an emission of type `each` over the loop's steps, or over a longer extent: it is zero beyond the steps.
constexpr int trace_of(graph& g, int loop, int k, int each, int ext = -1) {
    const type_data t = g.types[each];
    type_data full;
    full.dt = t.dt;
    full.rank = t.rank + 1;
    full.ext[0] = ext >= 0 ? ext : g.type_of(loop).ext[0];
    for (int i = 0; i < t.rank; ++i) full.ext[i + 1] = t.ext[i];
    return project(g, info<loop_trace_>, loop, k, g.intern(full));
}

/// For each node the heights of the binders whose values it depends on and that are not bound below it.
constexpr vec<std::uint64_t> free_heights(const graph& g, int upto) {
    vec<std::uint64_t> r(upto + 1, 0);
    for (int id = 0; id <= upto; ++id) {
        if (g.is(id, info<bound_>)) r[id] = std::uint64_t{1} << g.param(id, 0);
        for (int a : g.args(id)) r[id] |= r[a];
        if (g.is(id, info<loop_>)) r[id] &= ~(std::uint64_t{1} << g.param(id, 0));
    }
    return r;
}

constexpr bool has_loops(const graph& g) {
    for (int id = 0; id < g.nodes.size(); ++id)
        if (g.op(id).cls == op_class::loop || g.op(id).cls == op_class::cond) return true;
    return false;
}

constexpr vec<int> captures(const graph& g, const loop_parts& l, const vec<std::uint64_t>& heights);

/// What a node takes from its own level: of a loop not its body, but what the body captures.
constexpr vec<int> operands_outside(const graph& g, int id, const vec<std::uint64_t>& heights) {
    vec<int> r;
    if (!g.is(id, info<loop_>)) {
        r.append(g.args(id).first, g.nodes[id].nargs);
        return r;
    }
    const loop_parts l(g, id);
    if (l.count >= 0) r.push(l.count);
    r.append(l.sequences.data(), l.sequences.size());
    r.append(l.inits.data(), l.inits.size());
    r.append(l.again_inits.data(), l.again_inits.size());
    const vec<int> c = captures(g, l, heights);
    r.append(c.data(), c.size());
    return r;
}

/// What a loop's body takes from outside: the largest values that do not depend on what the loop binds. Numbers are no captures.
constexpr vec<int> captures(const graph& g, const loop_parts& l, const vec<std::uint64_t>& heights) {
    const std::uint64_t own = std::uint64_t{1} << l.height;
    const vec<int> roots = l.all_results();
    int top = 0;
    for (int r : roots) top = r > top ? r : top;
    vec<unsigned char> seen(top + 1, 0);
    for (int r : roots) seen[r] = 1;
    vec<int> found;
    for (int id = top; id >= 0; --id) {
        if (!seen[id]) continue;
        if (!(heights[id] & own)) {
            if (!(g.op(id).cls == op_class::leaf && !g.is(id, input_info) && !g.is(id, info<bound_>) && !g.is(id, variable_info))) found.push(id);
        } else if (g.is(id, info<loop_>)) {
            for (int a : operands_outside(g, id, heights)) seen[a] = 1;
        } else
            for (int a : g.args(id)) seen[a] = 1;
    }
    return found;
}

}  // namespace cotan::bits

#include <cotan/loop/differentiate.hpp>  // the derivatives that it declares above
