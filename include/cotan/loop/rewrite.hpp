#pragma once

#include <cotan/loop/differentiate.hpp>
#include <cotan/rewrite/rewriter.hpp>

// Rewrites of loops as wholes. Their bodies are parts of the graph and were rewritten with it: what does not depend on the loop stands outside of it
// by construction, and equal loops are one node.
namespace cotan::bits {

/// Which parts of a loop are needed.
struct loop_use {
    vec<unsigned char> last, emission, state, element, again;
};

/// Loops over the same steps that share states become one; states, sequences and emissions that nobody reads go.
struct loop_cleaner {
    rewriter& to;
    const graph& from;
    vec<int> at;
    vec<int> index;            // of a loop node into `parts`
    vec<loop_parts*> parts;
    vec<loop_use*> uses;
    vec<int> merged;           // the loop that a loop becomes a part of
    vec<int> node_of;          // loop node of each entry
    vec<int> made;             // in `to`

    constexpr loop_cleaner(rewriter& to_, const graph& from_) : to(to_), from(from_) {}
    constexpr loop_cleaner(const loop_cleaner&) = delete;
    constexpr ~loop_cleaner() {
        for (loop_parts* p : parts) delete p;
        for (loop_use* u : uses) delete u;
    }

    /// The states and elements that some nodes of a body depend on.
    constexpr void mark_bound(const loop_parts& l, const vec<int>& roots, loop_use& u) const {
        const vec<unsigned char> seen = reachable(from, view<int>{roots.data(), roots.size()});
        const auto mark = [&](const vec<int>& bound, vec<unsigned char>& used) constexpr {
            for (int i = 0; i < bound.size(); ++i)
                if (bound[i] < seen.size() && seen[bound[i]]) used[i] = 1;
        };
        mark(l.elements, u.element);
        mark(l.states, u.state);
        mark(l.again_states, u.again);
    }

    constexpr void analyse(view<int> roots) {
        const int n = from.nodes.size();
        vec<unsigned char> live(n, 0);
        index = vec<int>(n, -1);
        for (int r : roots) live[r] = 1;
        for (int id = n - 1; id >= 0; --id) {  // which projections there are, before the loops that they read
            if (!live[id]) continue;
            const op_info& op = from.op(id);
            if (op.cls == op_class::projection) {
                const int loop = from.arg(id, 0);
                if (index[loop] < 0) {
                    index[loop] = parts.push(new loop_parts(from, loop));
                    loop_use* u = new loop_use;
                    const loop_parts& l = *parts.back();
                    u->last.resize(l.states.size(), 0);
                    u->state.resize(l.states.size(), 0);
                    u->emission.resize(l.emissions.size(), 0);
                    u->element.resize(l.elements.size(), 0);
                    u->again.resize(l.again_states.size(), 0);
                    uses.push(u);
                    merged.push(index[loop]);
                    node_of.push(loop);
                    made.push(-1);
                }
                loop_use& u = *uses[index[loop]];
                if (from.is(id, info<loop_last_>)) u.last[from.param(id, 0)] = 1;
                else if (from.is(id, info<loop_trace_>)) u.emission[from.param(id, 0)] = 1;
                live[loop] = 1;
                continue;
            }
            if (op.cls == op_class::loop) {
                const loop_parts& l = *parts[index[id]];
                loop_use& u = *uses[index[id]];
                for (int k = 0; k < u.last.size(); ++k) u.state[k] = u.last[k];
                for (bool changed = true; changed;) {
                    vec<int> needed;
                    for (int k = 0; k < u.state.size(); ++k)
                        if (u.state[k]) needed.push(l.nexts[k]);
                    for (int j = 0; j < u.emission.size(); ++j)
                        if (u.emission[j]) needed.push(l.emissions[j]);
                    if (l.stop >= 0) needed.push(l.stop);
                    if (l.go >= 0) needed.push(l.go);
                    for (int k = 0; k < u.again.size(); ++k)
                        if (u.again[k]) needed.push(l.again_nexts[k]);
                    const loop_use before = u;
                    mark_bound(l, needed, u);
                    changed = false;
                    for (int k = 0; k < u.state.size(); ++k) changed = changed || u.state[k] != before.state[k];
                    for (int k = 0; k < u.again.size(); ++k) changed = changed || u.again[k] != before.again[k];
                    if (changed) continue;
                    for (int x : needed) live[x] = 1;
                }
                for (int k = 0; k < u.state.size(); ++k)
                    if (u.state[k]) live[l.inits[k]] = live[l.states[k]] = 1;
                for (int k = 0; k < u.again.size(); ++k)
                    if (u.again[k]) live[l.again_inits[k]] = live[l.again_states[k]] = 1;
                for (int i = 0; i < u.element.size(); ++i)
                    if (u.element[i]) live[l.sequences[i]] = live[l.elements[i]] = 1;
                if (l.count >= 0) live[l.count] = 1;
                // the steps are counted by the first sequence where nothing else counts them
                if ((l.flags & loop_until) && l.count < 0 && l.elements.size() > 0 && !u.element[0]) {
                    u.element[0] = 1;
                    live[l.sequences[0]] = live[l.elements[0]] = 1;
                }
                continue;
            }
            for (int a : from.args(id)) live[a] = 1;
        }
    }

    /// What must be there before a node: for a value of a loop, all parts of all loops that are one with it.
    constexpr void needs_of(int id, vec<int>& needs) const {
        needs.clear();
        if (from.op(id).cls == op_class::projection) {
            const int rep = merged[index[from.arg(id, 0)]];
            for (int o = 0; o < parts.size(); ++o)
                if (merged[o] == rep)
                    for (int a : from.args(node_of[o])) needs.push(a);
        } else
            for (int a : from.args(id)) needs.push(a);
    }
    constexpr bool acyclic(view<int> roots) const {
        vec<unsigned char> state(from.nodes.size(), 0);
        vec<int> stack, needs;
        for (int r : roots) stack.push(r);
        while (!stack.empty()) {
            const int id = stack.back();
            if (state[id] != 0) {
                state[id] = 2;
                (void)stack.pop();
                continue;
            }
            state[id] = 1;
            needs_of(id, needs);
            for (int a : needs) {
                if (state[a] == 1) return false;
                if (state[a] == 0) stack.push(a);
            }
        }
        return true;
    }
    /// Whether two loops run the same steps and carry the same values where they carry both.
    constexpr bool agree(int a, int b) const {
        const loop_parts &x = *parts[a], &y = *parts[b];
        if (x.height != y.height || x.flags != y.flags || x.option != y.option || x.cut != y.cut || x.limit != y.limit || x.count != y.count || x.stop != y.stop || x.go != y.go) return false;
        if (from.nodes[node_of[a]].ty != from.nodes[node_of[b]].ty || !x.again_states.empty() || !y.again_states.empty()) return false;
        int common = 0;
        for (int i = 0; i < x.states.size(); ++i)
            for (int j = 0; j < y.states.size(); ++j) {
                if (x.states[i] != y.states[j] || !uses[a]->state[i] || !uses[b]->state[j]) continue;
                if (x.inits[i] != y.inits[j] || x.nexts[i] != y.nexts[j]) return false;
                ++common;
            }
        for (int i = 0; i < x.elements.size(); ++i)
            for (int j = 0; j < y.elements.size(); ++j)
                if (x.elements[i] == y.elements[j] && x.sequences[i] != y.sequences[j] && uses[a]->element[i] && uses[b]->element[j]) return false;
        return common > 0 && same_surroundings(a, b);
    }
    /// Whether two loops stand in the body of the same loops: each reads all that the other reads of what these bind, and may take its place.
    constexpr bool same_surroundings(int a, int b) const {
        vec<unsigned char> in_a, in_b;
        for (int id = 0; id < from.nodes.size(); ++id) {
            if (!from.is(id, info<bound_>) || from.param(id, 0) <= parts[a]->height) continue;
            if (in_a.empty()) {
                in_a = reachable(from, view<int>{&node_of[a], 1});
                in_b = reachable(from, view<int>{&node_of[b], 1});
            }
            if ((id < in_a.size() && in_a[id]) != (id < in_b.size() && in_b[id])) return false;
        }
        return true;
    }
    constexpr void merge(view<int> roots) {
        for (int a = 0; a < parts.size(); ++a)
            for (int b = 0; b < a && merged[a] == a; ++b) {
                if (merged[b] != b) continue;
                bool all = true;
                for (int o = 0; o < parts.size(); ++o)
                    if (merged[o] == b) all = all && agree(a, o);
                if (!all) continue;
                merged[a] = b;
                if (acyclic(roots)) to.note("loops over the same steps are one");
                else merged[a] = a;
            }
    }

    constexpr int map_number(int loop, bool emission, int k) const {
        const loop_parts& all = *combined[merged[loop]];
        const vec<int>& of = emission ? all.emissions : all.states;
        const int want = emission ? parts[loop]->emissions[k] : parts[loop]->states[k];
        for (int i = 0; i < of.size(); ++i)
            if (of[i] == want) return i;
        return -1;
    }
    vec<loop_parts*> combined;  // of each representative, in nodes of `from`

    constexpr void combine() {
        for (int a = 0; a < parts.size(); ++a) combined.push(nullptr);
        for (int a = 0; a < parts.size(); ++a) {
            const int rep = merged[a];
            const loop_parts& l = *parts[a];
            const loop_use& u = *uses[a];
            if (!combined[rep]) {
                combined[rep] = new loop_parts;
                loop_parts& r = *combined[rep];
                r.height = l.height;
                r.flags = l.flags;
                r.option = l.option;
                r.cut = l.cut;
                r.limit = l.limit;
                r.count = l.count;
                r.stop = l.stop;
                r.go = l.go;
            }
            loop_parts& r = *combined[rep];
            for (int i = 0; i < l.elements.size(); ++i)
                if (u.element[i] && !r.elements.contains(l.elements[i])) {
                    r.elements.push(l.elements[i]);
                    r.sequences.push(l.sequences[i]);
                }
            for (int k = 0; k < l.states.size(); ++k)
                if (u.state[k] && !r.states.contains(l.states[k])) {
                    r.states.push(l.states[k]);
                    r.inits.push(l.inits[k]);
                    r.nexts.push(l.nexts[k]);
                }
            for (int k = 0; k < l.again_states.size(); ++k)
                if (u.again[k]) {
                    r.again_states.push(l.again_states[k]);
                    r.again_inits.push(l.again_inits[k]);
                    r.again_nexts.push(l.again_nexts[k]);
                }
            for (int j = 0; j < l.emissions.size(); ++j)
                if (u.emission[j] && !r.emissions.contains(l.emissions[j])) r.emissions.push(l.emissions[j]);
        }
    }

    /// Nodes in an order in which operands, and all parts of a merged loop, come first.
    constexpr int copy(int root) {
        vec<int> stack;
        stack.push(root);
        while (!stack.empty()) {
            const int id = stack.back();
            if (at[id] >= 0) {
                (void)stack.pop();
                continue;
            }
            const op_info& op = from.op(id);
            vec<int> needs;
            if (op.cls == op_class::projection) {
                loop_parts l = *combined[merged[index[from.arg(id, 0)]]];
                l.each([&](int& x) constexpr { needs.push(x); });
            } else
                for (int a : from.args(id)) needs.push(a);
            bool ready = true;
            for (int a : needs)
                if (at[a] < 0) {
                    stack.push(a);
                    ready = false;
                }
            if (!ready) continue;
            (void)stack.pop();
            at[id] = make(id);
        }
        return at[root];
    }
    constexpr int make(int id) {
        const op_info& op = from.op(id);
        const int ty = from.nodes[id].ty;
        if (op.cls == op_class::projection) {
            const int loop = index[from.arg(id, 0)], rep = merged[loop];
            if (made[rep] < 0) {
                const loop_parts& l = *combined[rep];
                loop_parts r = l;
                r.each([&](int& x) constexpr { x = at[x]; });
                made[rep] = r.make(to, from.nodes[node_of[rep]].ty);
            }
            if (&op == &info<loop_steps_>) return to.finish(op, view<int>{&made[rep], 1}, {}, ty);
            return project(to, op, made[rep], map_number(loop, &op == &info<loop_trace_>, from.param(id, 0)), ty);
        }
        return to.take_over(from, id, at);
    }
    constexpr vec<int> run(view<int> roots) {
        analyse(roots);
        merge(roots);
        combine();
        at = vec<int>(from.nodes.size(), -1);
        vec<int> r;
        for (int root : roots) r.push(copy(root));
        for (loop_parts* p : combined) delete p;
        combined.clear();
        return r;
    }
};

/// Moves work out of loops: what the next state does not need, and what does not need the states, is computed for all steps at once, from the sequences
/// and from traces of the states. A loop without states becomes plain values.
struct loop_lifter {
    rewriter& to;
    const graph& from;
    vec<int> at;
    /// What became of a loop's emissions: values of their own, or emissions of the new loop.
    struct fate {
        int loop = -1;  // node of `from`
        int made = -1;
        vec<int> value, number;
    };
    vec<fate*> fates;

    constexpr loop_lifter(rewriter& to_, const graph& from_) : to(to_), from(from_) {}
    constexpr loop_lifter(const loop_lifter&) = delete;
    constexpr ~loop_lifter() {
        for (fate* f : fates) delete f;
    }

    // --- one loop, in the nodes of `to` ----------------------------------------------------------------------------------------------
    loop_parts l;
    int steps = -1;
    vec<std::uint64_t> heights;
    vec<unsigned char> by_state, liftable_;
    vec<int> lifted_;

    constexpr bool inside(int id) const { return heights[id] >> l.height & 1u; }
    /// In the body of a loop in this one: of what that one binds.
    constexpr bool inner(int id) const { return heights[id] & ((std::uint64_t{1} << l.height) - 1); }
    constexpr bool liftable(int id) const { return !inner(id) && (!inside(id) || liftable_[id]); }

    constexpr void prepare(int top) {
        heights = free_heights(to, top);
        by_state = vec<unsigned char>(top + 1, 0);
        liftable_ = vec<unsigned char>(top + 1, 0);
        for (int s : l.states) by_state[s] = 1;
        for (int s : l.again_states) by_state[s] = 1;
        vec<unsigned char> bound(top + 1, 0);
        for (int s : l.states) bound[s] = 1;
        for (int i = 0; i < l.elements.size(); ++i)
            bound[l.elements[i]] = to.type_of(l.sequences[i]).ext[0] == steps;  // a longer sequence is not as long as a trace
        for (int id = 0; id <= top; ++id) {
            for (int a : to.args(id)) by_state[id] = by_state[id] | by_state[a];
            if (!inside(id)) continue;
            const op_info& op = to.op(id);
            if (op.cls == op_class::leaf) {
                liftable_[id] = bound[id];
                continue;
            }
            bool good = !inner(id) && to.rank(id) + 1 < max_rank && (op.cls == op_class::elementwise || op.lift || to.is(id, info<broadcast_>));
            for (int a : to.args(id)) good = good && liftable(a);
            liftable_[id] = good;
        }
    }
    /// A body's value for all steps, the steps as its first axis; what does not depend on the step stays as it is.
    constexpr int lift(int root) {
        for (int id = 0; id <= root; ++id) {
            if (!wanted[id] || lifted_[id] >= 0 || !inside(id)) continue;
            const op_info& op = to.op(id);
            const int ty = to.nodes[id].ty, rank = to.rank(id);
            vec<int> a;
            for (int x : rewriter::copy(to.args(id))) {
                const bool stretches = op.cls == op_class::elementwise || to.is(id, info<broadcast_>);
                a.push(!inside(x) ? x : stretches ? aligned(to, lifted_[x], rank, 1) : lifted_[x]);
            }
            const int full_ty = for_all_steps(ty);
            int v = -1;
            if (to.is(id, info<broadcast_>)) v = fitted(to, a[0], full_ty);
            else {
                vec<int> p;
                if (op.lift) op.lift(to, id, 1, p);
                else p = rewriter::copy(to.params(id));
                v = to.make(op, view<int>{a.data(), a.size()}, view<int>{p.data(), p.size()});
                v = fitted(to, v, full_ty);
            }
            if (lifted_.size() <= id) lifted_.resize(id + 1, -1);
            lifted_[id] = v;
        }
        return inside(root) ? lifted_[root] : root;
    }
    vec<unsigned char> wanted;
    constexpr void want(const vec<int>& roots, int top) {
        wanted = closure(roots, top);
    }
    constexpr vec<unsigned char> closure(const vec<int>& roots, int top) const {
        vec<unsigned char> seen(top + 1, 0);
        for (int r : roots) seen[r] = 1;
        for (int id = top; id >= 0; --id)
            if (seen[id] && inside(id))
                for (int a : to.args(id)) seen[a] = 1;
        return seen;
    }

    /// A state's next value as a sum of the states times factors that do not depend on states, and the rest.
    struct affine {
        int factor[8]{-1, -1, -1, -1, -1, -1, -1, -1};
        int rest = -1;
        bool good = true;
    };
    constexpr int plus(int a, int b) { return a < 0 ? b : b < 0 ? a : to.make(info<add_>, a, b); }
    constexpr affine affine_of(int id, const loop_parts& r, const vec<unsigned char>& carried, int depth) {
        affine x;
        if (id >= carried.size() || !carried[id]) {
            x.rest = id;
            return x;
        }
        for (int k = 0; k < r.states.size(); ++k)
            if (r.states[k] == id) {
                x.factor[k] = to.literal(1, to.dtype_of(id));
                return x;
            }
        const vec<int> args = rewriter::copy(to.args(id));
        x.good = depth < 6 && to.rank(id) == 0 && is_real(to.dtype_of(id)) && (to.is(id, info<add_>) || to.is(id, info<multiply_>));
        if (!x.good) return x;
        if (to.is(id, info<add_>)) {
            for (int a : args) {
                const affine y = affine_of(a, r, carried, depth + 1);
                x.good = x.good && y.good;
                for (int k = 0; k < 8; ++k)
                    if (y.factor[k] >= 0) x.factor[k] = plus(x.factor[k], y.factor[k]);
                x.rest = plus(x.rest, y.rest);
            }
            return x;
        }
        int others = -1;
        bool one = false;
        for (int a : args) {
            if (carried.size() > a && carried[a]) {
                x.good = x.good && !one;
                one = true;
                if (x.good) x = affine_of(a, r, carried, depth + 1);
            } else others = others < 0 ? a : to.make(info<multiply_>, others, a);
        }
        if (!x.good) return x;
        for (int k = 0; k < 8; ++k)
            if (x.factor[k] >= 0) x.factor[k] = to.make(info<multiply_>, x.factor[k], others);
        if (x.rest >= 0) x.rest = to.make(info<multiply_>, x.rest, others);
        return x;
    }
    /// The way from a state to its next value is what a loop's steps wait for. Where that value is a sum of states times factors it is written so: the
    /// factors and the rest do not wait, and one multiply-add is left.
    constexpr void shorten(loop_parts& r) {
        if (r.states.empty() || r.states.size() > 8) return;
        const int top = to.nodes.size() - 1;
        vec<unsigned char> carried(top + 1, 0);
        for (int s : r.states) carried[s] = 1;
        for (int id = 0; id <= top; ++id)
            for (int a : to.args(id)) carried[id] = carried[id] | carried[a];
        vec<int> longer;
        for (int k = 0; k < r.states.size(); ++k) {
            const int n = r.nexts[k];
            if (to.rank(n) != 0 || !carried[n] || !is_real(to.dtype_of(n))) continue;
            // a sum in a product in the way: it is worth it
            bool nested = false;
            const auto inner_sum = [&](int product) constexpr {
                for (int a : to.args(product)) nested = nested || (carried[a] && to.is(a, info<add_>));
            };
            if (to.is(n, info<multiply_>)) inner_sum(n);
            else if (to.is(n, info<add_>))
                for (int a : to.args(n))
                    if (carried[a] && to.is(a, info<multiply_>)) inner_sum(a);
            if (nested) longer.push(k);
        }
        for (int k : longer) {
            const affine x = affine_of(r.nexts[k], r, carried, 0);
            int terms = 0;
            for (int f : x.factor) terms += f >= 0;
            if (!x.good || terms > 2) continue;
            int sum = x.rest;
            for (int j = 0; j < r.states.size(); ++j)
                if (x.factor[j] >= 0) sum = plus(sum, to.make(info<multiply_>, x.factor[j], r.states[j]));
            to.note("a carried state's next value as one sum");
            const int before = r.nexts[k];
            r.nexts[k] = fitted(to, sum, to.nodes[before].ty);
            for (int& e : r.emissions)
                if (e == before) e = r.nexts[k];
        }
    }

    constexpr fate* process(const loop_parts& parts, int ty) {
        l = parts;
        steps = to.types[ty].ext[0];
        fate* f = new fate;
        if (l.option) forget_traces();
        const int ne = l.emissions.size(), top = to.nodes.size() - 1;
        f->value = vec<int>(ne, -1);
        f->number = vec<int>(ne, -1);
        prepare(top);
        lifted_ = vec<int>(top + 1, -1);
        for (int i = 0; i < l.elements.size(); ++i)
            if (to.type_of(l.sequences[i]).ext[0] == steps) lifted_[l.elements[i]] = l.sequences[i];

        // 1. values of the sequences alone that are dear: once for all steps
        vec<int> needed = l.nexts;
        if (l.stop >= 0) needed.push(l.stop);
        if (l.go >= 0) needed.push(l.go);
        needed.append(l.again_nexts.data(), l.again_nexts.size());
        const vec<unsigned char> serial = closure(needed, top);
        const bool open = l.flags & (loop_until | loop_while) || l.limit;
        vec<int> hoisted;
        if (!open)
            for (int id = 0; id <= top; ++id) {
                if (!serial[id] || !inside(id) || by_state[id] || !liftable_[id] || to.op(id).cls == op_class::leaf || !is_real(to.dtype_of(id))) continue;
                bool largest = false;  // something that depends on the states takes it
                for (int u = id + 1; u <= top && !largest; ++u)
                    if (serial[u] && inside(u) && (by_state[u] || !liftable_[u]))
                        for (int a : to.args(u)) largest = largest || a == id;
                for (int n : l.nexts) largest = largest || n == id;
                for (int n : l.again_nexts) largest = largest || n == id;
                if (!largest) continue;
                vec<int> one;
                one.push(id);
                const vec<unsigned char> own = closure(one, id);
                bool dear = false;
                for (int x = 0; x <= id; ++x) dear = dear || (own[x] && inside(x) && (to.op(x).cost >= 8 || to.op(x).cls == op_class::reduction));
                if (dear) hoisted.push(id);
            }

        // 2. emissions that can be had from traces
        vec<int> outside;  // emissions that leave the loop
        for (int j = 0; j < ne; ++j) {
            const int e = l.emissions[j];
            if (!inside(e) && !l.limit) {
                f->value[j] = fitted_trace(e, to.nodes[e].ty);
                continue;
            }
            if (!liftable_[e] || l.limit || to.op(e).cls == op_class::leaf) {
                if (!l.limit && to.op(e).cls == op_class::leaf && lifted_[e] >= 0) f->value[j] = lifted_[e];
                continue;
            }
            vec<int> one;
            one.push(e);
            const vec<unsigned char> own = closure(one, e);
            bool dear = false, states = false;
            int widest = 0;
            for (int x = 0; x <= e; ++x) {
                if (!own[x] || !inside(x)) continue;
                if (!serial[x]) dear = dear || to.op(x).cost >= 8 || to.op(x).cls == op_class::reduction;
                if (to.op(x).cls == op_class::leaf) {
                    states = states || by_state[x];
                    widest = to.rank(x) > widest ? to.rank(x) : widest;
                }
            }
            if (!states || dear || to.rank(e) > widest) outside.push(j);
        }
        if (outside.empty() && hoisted.empty()) {
            shorten(l);
            bool all = ne > 0;
            for (int j = 0; j < ne; ++j) all = all && f->value[j] >= 0;
            if (!all) {
                for (int j = 0, n = 0; j < ne; ++j)
                    if (f->value[j] < 0) f->number[j] = n++;
                loop_parts same = l;
                same.emissions.clear();
                for (int j = 0; j < ne; ++j)
                    if (f->value[j] < 0) same.emissions.push(l.emissions[j]);
                f->made = same.make(to, ty);
                return f;
            }
        }
        loop_parts r = l;
        if (!hoisted.empty()) {
            to.note("what does not depend on the states leaves the loop");
            want(hoisted, top);
            int number = next_bound(to, l.height);
            vec<int> elements;
            for (int id : hoisted) {
                r.sequences.push(lift(id));
                r.elements.push(elements[elements.push(make_bound(to, l.height, number++, to.nodes[id].ty))]);
            }
            // the body again, with the elements in their place
            vec<int> ends;
            for (int* x : {&r.stop, &r.go})
                if (*x >= 0) ends.push(*x);
            for (vec<int>* part : {&r.nexts, &r.emissions, &r.again_nexts, &ends})
                *part = substitute(to, view<int>{part->data(), part->size()}, view<int>{hoisted.data(), hoisted.size()}, view<int>{elements.data(), elements.size()});
            if (r.go >= 0) r.go = ends.pop();
            if (r.stop >= 0) r.stop = ends.pop();
        }
        shorten(r);
        // the loop that is left: its emissions, and the states that the others are computed from
        loop_parts rest = r;
        rest.emissions.clear();
        for (int j = 0; j < ne; ++j)
            if (f->value[j] < 0 && !outside.contains(j)) {
                f->number[j] = rest.emissions.size();
                rest.emissions.push(r.emissions[j]);
            }
        if (!outside.empty()) {
            to.note("what the next state does not need leaves the loop");
            vec<int> roots;
            for (int j : outside) roots.push(l.emissions[j]);
            want(roots, top);
            vec<int> traced;
            for (int k = 0; k < l.states.size(); ++k)
                if (wanted[l.states[k]]) {
                    traced.push(k);
                    rest.emissions.push(l.states[k]);
                }
            const int loop = l.states.size() || rest.emissions.size() ? rest.make(to, ty) : -1;
            f->made = loop;
            for (int i = 0; i < traced.size(); ++i)
                lifted_[l.states[traced[i]]] = trace_of(to, loop, rest.emissions.size() - traced.size() + i, to.nodes[l.states[traced[i]]].ty);
            for (int j : outside) f->value[j] = lift(l.emissions[j]);
        } else f->made = rest.make(to, ty);
        return f;
    }
    /// States that a reverse pass reads from a trace are computed again instead: the loop gets the way from each to the next.
    constexpr void forget_traces() {
        for (int i = 0; i < l.sequences.size(); ++i) {
            const int s = l.sequences[i];
            if (!to.is(s, info<loop_trace_>)) continue;
            const loop_parts f(to, to.arg(s, 0));
            const int e = f.emissions[to.param(s, 0)];
            if (f.height != l.height || e != l.elements[i] || !f.states.contains(e) || !((f.flags ^ l.flags) & loop_reversed)) continue;
            vec<int> wanted;
            wanted.push(e);
            for (int w = 0; w < wanted.size(); ++w) {  // with the states that these need
                int k = 0;
                while (f.states[k] != wanted[w]) ++k;
                if (!l.again_states.contains(wanted[w])) {
                    l.again_states.push(f.states[k]);
                    l.again_inits.push(f.inits[k]);
                    l.again_nexts.push(f.nexts[k]);
                }
                const vec<unsigned char> seen = reachable(to, view<int>{&f.nexts[k], 1});
                for (int j = 0; j < f.states.size(); ++j)
                    if (f.states[j] < seen.size() && seen[f.states[j]] && !wanted.contains(f.states[j])) wanted.push(f.states[j]);
                for (int j = 0; j < f.elements.size(); ++j)
                    if (f.elements[j] < seen.size() && seen[f.elements[j]] && !l.elements.contains(f.elements[j])) {
                        l.elements.push(f.elements[j]);
                        l.sequences.push(f.sequences[j]);
                    }
            }
            to.note("states are computed again from checkpoints");
        }
        for (int i = 0; i < l.elements.size();)
            if (l.again_states.contains(l.elements[i])) {
                l.elements.erase(i);
                l.sequences.erase(i);
            } else ++i;
    }
    constexpr int fitted_trace(int v, int each) {
        return fitted(to, v, for_all_steps(each));
    }
    constexpr int for_all_steps(int each) {
        type_data full, t = to.types[each];
        full.dt = t.dt;
        full.ext[full.rank++] = steps;
        for (int k = 0; k < t.rank; ++k) full.ext[full.rank++] = t.ext[k];
        return to.intern(full);
    }

    constexpr const fate* fate_of(int loop) const {
        for (const fate* f : fates)
            if (f->loop == loop) return f;
        return nullptr;
    }
    constexpr vec<int> run(view<int> roots) {
        const int n = from.nodes.size();
        at = vec<int>(n, -1);
        const vec<unsigned char> live = reachable(from, roots);
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id]) continue;
            const op_info& op = from.op(id);
            const int ty = from.nodes[id].ty;
            if (op.cls == op_class::loop) {
                loop_parts parts(from, id);
                parts.each([&](int& x) constexpr { x = at[x]; });
                fate* f = process(parts, ty);
                f->loop = id;
                fates.push(f);
                at[id] = f->made >= 0 ? f->made : 0;
                continue;
            }
            if (op.cls == op_class::projection) {
                const fate& f = *fate_of(from.arg(id, 0));
                const int k = from.nodes[id].nparams ? from.param(id, 0) : 0;
                if (&op == &info<loop_trace_>) {
                    if (f.value[k] >= 0 && to.same_shape(to.nodes[f.value[k]].ty, ty)) at[id] = f.value[k];
                    else if (f.value[k] >= 0) at[id] = padded(f.value[k], ty);
                    else at[id] = project(to, op, f.made, f.number[k], ty);
                } else {
                    const int p[] = {k};
                    at[id] = to.finish(op, view<int>{&f.made, 1}, view<int>{p, &op == &info<loop_steps_> ? 0 : 1}, ty);
                }
                continue;
            }
            at[id] = to.take_over(from, id, at);
        }
        vec<int> r;
        for (int root : roots) r.push(at[root]);
        return r;
    }
    /// A trace among zeros beyond the steps.
    constexpr int padded(int v, int ty) {
        const int one[] = {static_cast<int>(item::slice), slice_none, slice_none, 1};
        return to.finish(info<scatter_>, view<int>{&v, 1}, view<int>{one, 4}, ty);
    }
};

/// All rewrites of loops, of a graph and its roots. Loops are cleaned again when work has left them.
template <class Rewriter>
constexpr void rewrite_loops(Rewriter& simple, vec<int>& roots) {
    for (int pass = 0; pass < 3; ++pass) {
        Rewriter next;
        next.types = simple.types;
        next.extents = simple.extents;
        next.applied = simple.applied;
        const view<int> from{roots.data(), roots.size()};
        vec<int> made;
        if (pass == 1) {
            loop_lifter lifter(next, simple);
            made = lifter.run(from);
        } else {
            loop_cleaner cleaner(next, simple);
            made = cleaner.run(from);
        }
        roots = made;
        simple = next;
    }
}

}  // namespace cotan::bits
