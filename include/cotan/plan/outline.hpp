#pragma once

#include <cotan/loop/rewrite.hpp>
#include <cotan/plan/lower.hpp>

namespace cotan::bits {

/// A loop or condition as a plan sees it: something that is run on arrays, and that runs plans of its own. Operands of a loop: [number of steps],
/// sequences, initial states, captures; of a condition: the condition, captures. Its values are read by projections.
struct call_ {
    static constexpr auto name = "call";
    static constexpr auto cls = op_class::loop;
    static constexpr int arity = -1;
};

struct call_info {
    bool cond = false;
    int flags = 0, option = 0, limit = 0;
    int sequences = 0, states = 0, emissions = 0, again = 0, captured = 0;
    int body = -1, second = -1, third = -1;  // plans: of a step, of what goes on and of a step of what is computed again; or of the branches
    int steps = -1;              // the extent that is the number of steps
};

/// A graph to be planned on its own: its inputs are what the call gives it.
struct outlined {
    graph g;
    vec<int> inputs, roots;
};

/// Takes the bodies of loops and the branches of conditions out of a graph, each as a graph of its own.
struct outliner {
    const graph& from;
    vec<std::uint64_t> heights;
    vec<outlined*> bodies;
    vec<call_info> calls;

    constexpr explicit outliner(const graph& g) : from(g), heights(free_heights(g, g.nodes.size() - 1)) {}
    constexpr outliner(const outliner&) = delete;
    constexpr ~outliner() {
        for (outlined* b : bodies) delete b;
    }

    constexpr vec<int> operands(int id) const { return operands_outside(from, id, heights); }
    constexpr bool is_number(int id) const { return from.op(id).cls == op_class::leaf && !from.is(id, input_info) && !from.is(id, info<bound_>); }

    constexpr int copy_leaf(graph& to, int id) const {
        const int n = to.raw(from.op(id), {}, from.params(id), from.nodes[id].ty, from.nodes[id].bits);
        to.nodes[n].facts = from.nodes[id].facts;
        return n;
    }

    /// `kinds` tells what each input is: e an element of a sequence, s a state, r one that is computed again, c a capture.
    constexpr int outline(const vec<int>& given, const vec<int>& roots, const vec<char>& kinds) {
        outlined* b = new outlined;
        const int number = bodies.push(b);
        b->g.types = from.types;
        b->g.extents = from.extents;
        vec<int> at(from.nodes.size(), -1);
        for (int i = 0; i < given.size(); ++i) {
            int count = 1;
            for (int k = 0; k < i; ++k) count += kinds[k] == kinds[i];
            const char text[] = {kinds[i], static_cast<char>(count >= 10 ? '0' + count / 10 % 10 : '0' + count), static_cast<char>('0' + count % 10)};
            const int name = b->g.named(std::string_view(text, count >= 10 ? 3 : 2));
            const int p[] = {name, i};
            at[given[i]] = b->g.raw(input_info, {}, view<int>{p, 2}, from.nodes[given[i]].ty);
            b->inputs.push(at[given[i]]);
        }
        b->roots = translate(b->g, at, roots);
        return number;
    }

    /// The graph itself with calls in the places of what was taken out, and the roots there.
    constexpr graph flat(vec<int>& roots) {
        graph to;
        to.types = from.types;
        to.extents = from.extents;
        vec<int> at(from.nodes.size(), -1);
        roots = translate(to, at, roots);
        return to;
    }
    constexpr vec<int> translate(graph& to, vec<int>& at, const vec<int>& roots) {
        int top = 0;
        for (int r : roots) top = r > top ? r : top;
        vec<unsigned char> needed(top + 1, 0);
        for (int r : roots) needed[r] = 1;
        vec<int> conditions;
        for (int id = top; id >= 0; --id) {
            if (!needed[id] || at[id] >= 0) continue;
            if (from.op(id).cls == op_class::cond) {
                needed[from.arg(id, 0)] = 1;
                conditions.push(id);
            } else
                for (int a : operands(id)) needed[a] = 1;
        }
        vec<vec<int>*> taken;  // by the branches of each condition
        for (int c : conditions) {
            vec<int>* caught = new vec<int>;
            vec<unsigned char> seen(c + 1, 0);
            seen[from.arg(c, 1)] = seen[from.arg(c, 2)] = 1;
            for (int id = c; id >= 0; --id) {
                if (!seen[id]) continue;
                const bool leaf = from.nodes[id].nargs == 0;
                if (is_number(id)) continue;
                if (needed[id] || at[id] >= 0 || leaf) caught->push(id);
                else
                    for (int a : operands(id)) seen[a] = 1;
            }
            for (int id : *caught) needed[id] = 1;
            taken.push(caught);
        }
        for (int id = 0; id <= top; ++id) {
            if (!needed[id] || at[id] >= 0) continue;
            const op_info& op = from.op(id);
            const int ty = from.nodes[id].ty;
            if (op.cls == op_class::leaf) {
                at[id] = copy_leaf(to, id);
            } else if (op.cls == op_class::loop) {
                const loop_parts l(from, id);
                const vec<int> caught = captures(from, l, heights);
                // a loop that other bodies run too may emit what nobody reads here
                vec<int> emitted;
                for (int j = 0; j < l.emissions.size(); ++j)
                    for (int n = id + 1; n <= top; ++n)
                        if (needed[n] && from.is(n, info<loop_trace_>) && from.arg(n, 0) == id && from.param(n, 0) == j) {
                            emitted.push(l.emissions[j]);
                            break;
                        }
                call_info c;
                c.flags = l.flags;
                c.option = l.option;
                c.limit = l.limit;
                c.sequences = l.sequences.size();
                c.states = l.states.size();
                c.emissions = emitted.size();
                c.captured = caught.size();
                c.again = l.again_states.size();
                c.steps = from.types[ty].ext[0];
                vec<int> given = l.elements;
                given.append(l.states.data(), l.states.size());
                given.append(l.again_states.data(), l.again_states.size());
                given.append(caught.data(), caught.size());
                vec<char> kinds;
                for (int k = 0; k < given.size(); ++k)
                    kinds.push(k < c.sequences ? 'e' : k < c.sequences + c.states ? 's' : k < c.sequences + c.states + c.again ? 'r' : 'c');
                vec<int> results = l.nexts;
                results.append(emitted.data(), emitted.size());
                if (l.stop >= 0) results.push(l.stop);
                c.body = outline(given, results, kinds);
                if (l.go >= 0) {
                    vec<int> go;
                    go.push(l.go);
                    c.second = outline(given, go, kinds);
                }
                if (c.again) c.third = outline(given, l.again_nexts, kinds);
                vec<int> a;
                for (int x : operands(id)) a.push(at[x]);
                const int p = calls.push(c);
                at[id] = to.raw(info<call_>, view<int>{a.data(), a.size()}, view<int>{&p, 1}, to.scalar_type(dtype::int64));
            } else if (op.cls == op_class::cond) {
                int k = 0;
                while (conditions[k] != id) ++k;
                call_info c;
                c.cond = true;
                c.states = 1;
                c.captured = taken[k]->size();
                vec<int> one, other;
                one.push(from.arg(id, 1));
                other.push(from.arg(id, 2));
                const vec<char> kinds(taken[k]->size(), 'c');
                c.body = outline(*taken[k], one, kinds);
                c.second = outline(*taken[k], other, kinds);
                vec<int> a;
                a.push(at[from.arg(id, 0)]);
                for (int x : *taken[k]) a.push(at[x]);
                const int p = calls.push(c), first = 0;
                const int call = to.raw(info<call_>, view<int>{a.data(), a.size()}, view<int>{&p, 1}, to.scalar_type(dtype::int64));
                at[id] = to.raw(info<loop_last_>, view<int>{&call, 1}, view<int>{&first, 1}, ty);
            } else if (&op == &info<loop_trace_>) {
                const loop_parts l(from, from.arg(id, 0));
                int number = 0;
                for (int j = 0; j < from.param(id, 0); ++j)
                    for (int n = from.arg(id, 0) + 1; n <= top; ++n)
                        if (needed[n] && from.is(n, info<loop_trace_>) && from.arg(n, 0) == from.arg(id, 0) && from.param(n, 0) == j) {
                            ++number;
                            break;
                        }
                at[id] = to.raw(op, view<int>{&at[from.arg(id, 0)], 1}, view<int>{&number, 1}, ty);
            } else {
                vec<int> a;
                for (int x : from.args(id)) a.push(at[x]);
                at[id] = to.raw(op, view<int>{a.data(), a.size()}, from.params(id), ty, from.nodes[id].bits);
            }
        }
        for (vec<int>* t : taken) delete t;
        vec<int> r;
        for (int root : roots) {
            if (at[root] < 0) at[root] = copy_leaf(to, root);
            r.push(at[root]);
        }
        return r;
    }
};

}  // namespace cotan::bits
