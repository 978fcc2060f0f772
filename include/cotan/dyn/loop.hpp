#pragma once

#include <cotan/dyn/operations.hpp>
#include <cotan/loop/node.hpp>

#include <atomic>
#include <functional>
#include <optional>

// Loops and conditions of the runtime graph. They make the nodes that the typed ones make; bodies are functions that build expressions.

namespace cotan::dyn {

/// What a body returns: the next states, what is emitted, and when to stop.
struct step {
    std::vector<expr> next, emitted;
    std::optional<expr> stop;
    step(std::initializer_list<expr> states) : next(states) {}
    explicit step(std::vector<expr> states) : next(std::move(states)) {}
    /// Values of this step that are kept in traces.
    step& emit(std::vector<expr> e) & {
        emitted = std::move(e);
        return *this;
    }
    step&& emit(std::vector<expr> e) && { return std::move(emit(std::move(e))); }
    /// Stops after this step where the condition holds.
    step& until(const expr& condition) & {
        stop = condition;
        return *this;
    }
    step&& until(const expr& condition) && { return std::move(until(condition)); }
};

/// The parts of a scan: initial states, sequences that are sliced along their first axes, or a number of steps.
struct scan_options {
    std::vector<expr> init{};
    std::vector<expr> over{};
    std::optional<expr> times{};
    bool reversed = false;
};

/// A loop's results: the states after the last step, what was emitted with the steps as the first axis, the number of steps.
struct loop_results {
    std::vector<expr> last, trace;
    expr steps;
};

using states = std::vector<expr>;
using body_function = std::function<step(std::vector<expr>, std::vector<expr>)>;
using condition_function = std::function<expr(std::vector<expr>)>;

}  // namespace cotan::dyn

namespace cotan::bits {

/// How deep the bodies stand in each other that are being built. A binder's height is one more than those of the loops in its body.
struct body_depth {
    static int& now() {
        thread_local int depth = 0;
        return depth;
    }
    body_depth() {
        if (++now() > 60) {
            --now();
            throw error("cotan: at most 60 loops stand in each other");
        }
    }
    ~body_depth() { --now(); }
    body_depth(const body_depth&) = delete;
    static int height() { return 61 - now(); }
};

inline int unknown_steps(graph& g) {
    static std::atomic<unsigned> count{0};
    return g.named("#" + std::to_string(count++) + ".0");
}

inline dyn::loop_results make_loop(const char* what, const dyn::scan_options& o, const dyn::body_function& body, const dyn::condition_function* go_on) {
    const body_depth depth;
    const int height = body_depth::height();
    // everything in one graph: initial states, sequences, the number of steps
    std::vector<const dyn::expr*> given;
    for (const auto& e : o.init) given.push_back(&e);
    for (const auto& e : o.over) given.push_back(&e);
    if (o.times) given.push_back(&*o.times);
    std::vector<int> ids(given.size());
    std::shared_ptr<arena> home = together(view<const dyn::expr*>{given.data(), static_cast<int>(given.size())}, ids.data());
    open_graph& g0 = home->g;
    const std::size_t ns = o.init.size(), nq = o.over.size();
    std::vector<dyn::expr> inits, sequences, states, elements;
    const auto bound = [&](int number, type_data t) {
        t.dt = settled(t.dt);
        const int p[] = {height, number};
        return dyn::expr(home, g0.raw(op_data<bound_>, {}, view<int>{p, 2}, g0.intern(t)));
    };
    for (std::size_t k = 0; k < ns; ++k) {
        const dtype d = settled(g0.dtype_of(ids[k]));
        inits.emplace_back(home, g0.cast(ids[k], d));
        states.push_back(bound(static_cast<int>(k), g0.type_of(ids[k])));
    }
    int lead = -1;
    for (std::size_t k = 0; k < nq; ++k) {
        const int id = ids[ns + k];
        type_data t = g0.type_of(id);
        if (t.rank == 0) throw shape_error(std::string("cotan: ") + what + ": a sequence has at least one axis, over which the steps go (got " + words_of_node(g0, id) + ")");
        if (lead < 0) lead = t.ext[0];
        else if (lead != t.ext[0] && !g0.meets(lead, t.ext[0]))
            throw shape_error(std::string("cotan: ") + what + ": the sequences have different extents along their first axis (got " + words_of_node(g0, ids[ns]) + "; " + words_of_node(g0, id) + ")");
        sequences.emplace_back(home, g0.cast(id, settled(t.dt)));
        --t.rank;
        for (int i = 0; i < t.rank; ++i) t.ext[i] = t.ext[i + 1];
        elements.push_back(bound(static_cast<int>(ns + k), t));
    }
    g0.pending.clear();
    std::optional<dyn::expr> times;
    if (o.times) {
        const int id = ids.back();
        if (g0.rank(id) != 0 || !is_integral(g0.dtype_of(id))) throw error(std::string("cotan: ") + what + ": a number of steps is one integer (got " + words_of_node(g0, id) + ")");
        if (nq) throw error(std::string("cotan: ") + what + ": give sequences or a number of steps, not both");
        times = dyn::expr(home, g0.cast(id, dtype::int64));
    }
    dyn::step made = body(states, elements);
    std::optional<dyn::expr> go;
    if (go_on) go = (*go_on)(states);
    if (made.next.size() != ns)
        throw error(std::string("cotan: ") + what + ": the body returns step(...) with one next state for each initial state: expected " + std::to_string(ns) + ", got " + std::to_string(made.next.size()));
    if (made.stop && o.reversed) throw error(std::string("cotan: ") + what + ": a loop with until(...) goes forward: reverse its sequence with x(dyn::slice(none, none, -1))");
    // into the graph that all of it is in now
    std::vector<const dyn::expr*> all;
    for (auto* part : {&inits, &sequences, &states, &elements, &made.next, &made.emitted})
        for (const auto& e : *part) all.push_back(&e);
    for (auto* one : {&times, &made.stop, &go})
        if (*one) all.push_back(&**one);
    std::vector<int> at(all.size());
    home = together(view<const dyn::expr*>{all.data(), static_cast<int>(all.size())}, at.data());
    open_graph& g = home->g;
    std::size_t next = 0;
    const auto take = [&](vec<int>& to, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) to.push(at[next++]);
    };
    loop_parts l;
    l.height = height;
    take(l.inits, ns);
    take(l.sequences, nq);
    take(l.states, ns);
    take(l.elements, nq);
    take(l.nexts, ns);
    take(l.emissions, made.emitted.size());
    if (times) l.count = at[next++];
    if (made.stop) l.stop = at[next++];
    if (go) l.go = at[next++];
    g.pending = vec<open_graph::joint>();
    for (int k = 0; k < l.states.size(); ++k) {
        const type_data t = g.type_of(l.states[k]);
        const int one = g.is(l.nexts[k], literal_info) || is_weak(g.dtype_of(l.nexts[k])) ? g.cast(l.nexts[k], t.dt) : l.nexts[k];
        const type_data n = g.type_of(one);
        bool same = n.dt == t.dt && n.rank == t.rank;
        for (int i = 0; same && i < t.rank; ++i) same = n.ext[i] == t.ext[i] || g.meets(t.ext[i], n.ext[i]);
        if (!same)
            throw shape_error(std::string("cotan: ") + what + ": the body's next state " + std::to_string(k) + " has another type than the state: expected " + words_of_type(g, g.nodes[l.states[k]].ty) + ", got " +
                              words_of_node(g, l.nexts[k]));
        l.nexts[k] = one;
    }
    for (int& e : l.emissions) e = g.cast(e, settled(g.dtype_of(e)));
    for (int x : {l.stop, l.go})
        if (x >= 0 && (g.rank(x) != 0 || g.dtype_of(x) != dtype::boolean))
            throw error(std::string("cotan: ") + what + ": a condition is one bool: write a comparison such as a > 0, and any_of or all_of for arrays (got " + words_of_node(g, x) + ")");
    const bool open = l.stop >= 0 || l.go >= 0;
    if (!open && l.count < 0 && nq == 0) throw error(std::string("cotan: ") + what + ": how many steps? give sequences or a number of steps");
    l.flags = (o.reversed ? loop_reversed : 0) | (l.stop >= 0 ? loop_until : 0) | (l.go >= 0 ? loop_while : 0) | (l.count >= 0 ? loop_counted : 0);
    int steps = -1;
    if (nq && !open) steps = g.type_of(l.sequences[0]).ext[0];
    else if (l.count >= 0 && !open && g.is(l.count, literal_info)) {
        const auto n = static_cast<std::int64_t>(g.nodes[l.count].bits);
        steps = g.fixed(n > 0 ? n : 0);
    } else steps = unknown_steps(g);
    type_data t;
    t.dt = dtype::float64;
    t.rank = 1;
    t.ext[0] = steps;
    for (int k = 1; k < l.sequences.size(); ++k)
        if (const int a = g.type_of(l.sequences[0]).ext[0], b = g.type_of(l.sequences[k]).ext[0]; a != b) (void)g.meets(a, b);
    const auto joints = g.pending;
    g.pending.clear();
    const int before = g.nodes.size(), loop = l.make(g, g.intern(t));
    g.pending = joints;
    g.join(loop, before);
    dyn::loop_results r{{}, {}, dyn::expr(0)};
    for (int k = 0; k < l.states.size(); ++k) r.last.emplace_back(home, last_of(g, loop, k, g.nodes[l.states[k]].ty));
    for (int k = 0; k < l.emissions.size(); ++k) {
        if (g.rank(l.emissions[k]) == max_rank) throw_fault(g, what, view<int>{&l.emissions[k], 1}, fault::rank_too_high);
        r.trace.emplace_back(home, trace_of(g, loop, k, g.nodes[l.emissions[k]].ty));
    }
    r.steps = dyn::expr(home, g.finish(op_data<loop_steps_>, view<int>{&loop, 1}, {}, g.scalar_type(dtype::int64)));
    return r;
}

}  // namespace cotan::bits

namespace cotan::dyn {

/// A loop that carries states. The body is called once, with the states and an element of each sequence; it may use any expression around it.
inline loop_results scan(const scan_options& options, const body_function& body) { return bits::make_loop("scan", options, body, nullptr); }
/// Steps as long as the condition holds for the states.
inline loop_results while_loop(const std::vector<expr>& init, const condition_function& condition, const std::function<step(std::vector<expr>)>& body) {
    scan_options o;
    o.init = init;
    return bits::make_loop("while_loop", o, [&](std::vector<expr> s, const std::vector<expr>&) { return body(std::move(s)); }, &condition);
}
/// f of each element of the sequences, the results along a first axis.
inline std::vector<expr> map(const std::vector<expr>& over, const std::function<std::vector<expr>(std::vector<expr>)>& f) {
    scan_options o;
    o.over = over;
    return bits::make_loop("map", o, [&](const std::vector<expr>&, std::vector<expr> e) { return step(std::vector<expr>{}).emit(f(std::move(e))); }, nullptr).trace;
}
/// x where the scalar condition p holds, else y. Only what the branch taken needs is computed, and differentiated.
inline expr cond(const expr& p, const expr& x, const expr& y) {
    const expr* all[] = {&p, &x, &y};
    int ids[3];
    const auto home = bits::together(bits::view<const expr*>{all, 3}, ids);
    bits::open_graph& g = home->g;
    if (g.rank(ids[0]) != 0 || g.dtype_of(ids[0]) != dtype::boolean)
        throw error("cotan: cond: a condition is one bool: write a comparison such as a > 0, and any_of or all_of for arrays (got " + bits::words_of_node(g, ids[0]) + ")");
    const dtype d = settled(promote(g.dtype_of(ids[1]), g.dtype_of(ids[2])));
    const int a = g.cast(ids[1], d), b = g.cast(ids[2], d), tys[] = {g.nodes[a].ty, g.nodes[b].ty};
    const int ty = g.broadcast(bits::op_data<bits::cond_>, bits::view<int>{tys, 2}, d);
    if (ty < 0) bits::throw_fault(g, "cond", bits::view<int>{ids, 3}, g.error);
    const auto joints = g.pending;
    const int v = bits::fitted(g, a, ty), w = bits::fitted(g, b, ty), three[] = {ids[0], v, w}, before = g.nodes.size();
    const int id = g.raw(bits::op_data<bits::cond_>, bits::view<int>{three, 3}, {}, ty);
    g.pending = joints;
    g.join(id, before);
    return {home, id};
}

}  // namespace cotan::dyn
