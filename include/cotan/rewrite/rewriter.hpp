#pragma once

#include <cotan/op/operations.hpp>
#include <cotan/rewrite/rule.hpp>

namespace cotan::bits {

struct rule_application {
    std::string_view name;
    int times = 0;
};

/// A graph that simplifies each node as it is made: the operation's normal form first, then its rules, in order, the first that matches. Operands
/// are always simplified already, so one pass in topological order reaches the fixed point and the work is linear in the size of the graph.
struct rewriter : graph {
    struct loaded {
        const op_info* op = nullptr;
        int first = -1;
    };
    rule_store store;
    vec<loaded> loaded_ops = vec<loaded>(128);
    unsigned phases = static_cast<unsigned>(phase::canonical) | static_cast<unsigned>(phase::stable);
    vec<rule_application> applied;
    int depth = 0;
    vec<int> better;  // pairs: a node, and what a derivative rule computes in its place

    constexpr rewriter() = default;
    constexpr rewriter(const rewriter&) = default;
    constexpr ~rewriter() override {}

    struct bindings {
        int to[max_placeholders]{-1, -1, -1, -1, -1, -1, -1, -1};
        int axes_of = -1;  // the node whose parameters the pattern's reductions stand for
    };

    constexpr int rules_for(const op_info& op) {
        if (!op.rules) return -1;
        unsigned at = op.hash & 127u;
        while (loaded_ops[static_cast<int>(at)].op) {
            if (loaded_ops[static_cast<int>(at)].op == &op) return loaded_ops[static_cast<int>(at)].first;
            at = (at + 1) & 127u;
        }
        store.first = store.last = -1;
        op.rules(store);
        loaded_ops[static_cast<int>(at)] = {&op, store.first};
        return store.first;
    }

    constexpr bool match(int p, int s, bindings& b, bool root, vec<int>* rest) {
        const graph& pg = store.patterns;
        const op_info& op = pg.op(p);
        if (&op == &placeholder_info) {
            const int k = pg.param(p, 0);
            if (b.to[k] >= 0) return b.to[k] == s;
            b.to[k] = s;
            return true;
        }
        if (&op == &literal_info) return is(s, literal_info) && dtype_of(s) != dtype::boolean && real_value(pg, p) == real_value(*this, s);
        if (&this->op(s) != &op) return false;
        const int k = pg.nodes[p].nargs, n = nodes[s].nargs;
        if (op.cls == op_class::reduction) {
            if (b.axes_of < 0) b.axes_of = s;
            else if (param(b.axes_of, 0) != param(s, 0) || rank(arg(b.axes_of, 0)) != rank(arg(s, 0))) return false;
        } else if (pg.nodes[p].nparams != nodes[s].nparams) return false;
        else
            for (int i = 0; i < nodes[s].nparams; ++i)
                if (pg.param(p, i) != param(s, i)) return false;
        if (op.commutative) {
            if (n < k) return false;
            return match_some(p, s, 0, 0u, b, root, rest);
        }
        if (k != n) return false;
        for (int i = 0; i < k; ++i)
            if (!match(pg.arg(p, i), arg(s, i), b, false, nullptr)) return false;
        return true;
    }

    /// Assigns the operands of a commutative pattern, from the i-th on, to operands of the subject that are not used yet. What is left over goes to
    /// `rest` at the root of a pattern, and elsewhere to a placeholder that is the pattern's last operand.
    constexpr bool match_some(int p, int s, int i, unsigned used, bindings& b, bool root, vec<int>* rest) {
        const graph& pg = store.patterns;
        const int k = pg.nodes[p].nargs, n = nodes[s].nargs;
        if (i == k) {
            int count = 0;
            for (int j = 0; j < n; ++j) count += !(used >> j & 1u);
            if (count && !root) return false;
            if (rest)
                for (int j = 0; j < n; ++j)
                    if (!(used >> j & 1u)) rest->push(arg(s, j));
            return true;
        }
        // what is most specific first: placeholders last
        int order[16]{};
        int m = 0;
        for (int pass = 0; pass < 2; ++pass)
            for (int j = 0; j < k; ++j)
                if ((&pg.op(pg.arg(p, j)) == &placeholder_info) == (pass == 1)) order[m++] = j;
        const int q = pg.arg(p, order[i]);
        if (!root && i == k - 1 && &pg.op(q) == &placeholder_info && b.to[pg.param(q, 0)] < 0 && n > k) {
            vec<int> left;
            for (int j = 0; j < n; ++j)
                if (!(used >> j & 1u)) left.push(arg(s, j));
            b.to[pg.param(q, 0)] = make(op(s), view<int>{left.data(), left.size()});
            return true;
        }
        for (int j = 0; j < n && j < 32; ++j) {
            if (used >> j & 1u) continue;
            bindings trial = b;
            if (!match(q, arg(s, j), trial, false, nullptr)) continue;
            if (match_some(p, s, i + 1, used | 1u << j, trial, root, rest)) {
                b = trial;
                return true;
            }
        }
        return false;
    }

    constexpr int build(int p, const bindings& b) {
        const graph& pg = store.patterns;
        const op_info& op = pg.op(p);
        if (&op == &placeholder_info) return b.to[pg.param(p, 0)];
        if (&op == &literal_info) return raw(literal_info, {}, {}, scalar_type(pg_dtype(p)), pg.nodes[p].bits);
        int a[16]{};
        const int n = pg.nodes[p].nargs;
        for (int i = 0; i < n; ++i) a[i] = build(store.patterns.arg(p, i), b);
        int params[4 * max_rank]{};
        int np = store.patterns.nodes[p].nparams;
        for (int i = 0; i < np; ++i) params[i] = store.patterns.param(p, i);
        if ((op.cls == op_class::reduction || op.cls == op_class::composite) && np == 0 && b.axes_of >= 0) {
            np = 1;
            params[0] = param(b.axes_of, 0);
        }
        return make(op, view<int>{a, n}, view<int>{params, np});
    }
    constexpr dtype pg_dtype(int p) const {
        const dtype d = store.patterns.dtype_of(p);
        return d == dtype::boolean ? dtype::boolean : d;
    }

    constexpr void note(std::string_view name) {
        for (rule_application& a : applied)
            if (a.name == name) {
                ++a.times;
                return;
            }
        applied.push({name, 1});
    }

    constexpr int apply_rules(int id) {
        if (depth > 24) return id;
        const op_info& o = op(id);
        for (int r = rules_for(o); r >= 0; r = store.rules[r].next) {
            const rule_data rule = store.rules[r];
            if (!(phases & static_cast<unsigned>(rule.when))) continue;
            bindings b;
            vec<int> rest;
            if (!match(rule.from, id, b, true, &rest)) continue;
            if (rule.guard_placeholder >= 0) {
                const int of = b.to[store.patterns.param(rule.guard_placeholder, 0)];
                if ((nodes[of].facts & rule.guard_facts) != rule.guard_facts) continue;
            }
            note(rule.name);
            ++depth;
            const int ty = nodes[id].ty;
            int result = build(rule.to, b);
            if (!rest.empty()) {
                rest.push(result);
                result = make(o, view<int>{rest.data(), rest.size()});
            }
            result = fitted(*this, result, ty);
            --depth;
            return result;
        }
        return id;
    }

    // A view or a reduction moves to the operands of what it is of, and from there on: each request is answered once, and a graph is not followed deeper
    // than this.
    static constexpr int deepest = 200;
    struct request {
        const op_info* op = nullptr;
        unsigned hash = 0;
        int first = 0, count = 0, ty = -1, reply = -1;
    };
    vec<request> requests;
    vec<int> request_words;
    int_table request_table;
    int nesting = 0;

    /// A node of another graph with the same types and extents, simplified; `at` tells where its operands are.
    constexpr int take_over(const graph& from, int id, const vec<int>& at) {
        const op_info& o = from.op(id);
        const vec<int> p = copy(from.params(id));
        const view<int> params{p.data(), p.size()};
        const int ty = from.nodes[id].ty;
        if (o.cls == op_class::leaf) {
            const int made = raw(o, {}, params, ty, from.nodes[id].bits);
            nodes[made].facts = from.nodes[id].facts;
            return made;
        }
        vec<int> a;
        for (int x : from.args(id)) a.push(at[x]);
        return finish(o, view<int>{a.data(), a.size()}, params, ty);
    }

    constexpr int finish(const op_info& o, view<int> args, view<int> params, int ty) override {
        if (o.cls != op_class::view && o.cls != op_class::reduction) return simplified(o, args, params, ty);
        unsigned h = mix(o.hash, static_cast<unsigned>(ty));
        const int n = args.size();
        const auto word = [&](int i) constexpr { return i < n ? args[i] : params[i - n]; };
        for (int i = 0; i < n + params.size(); ++i) h = mix(h, static_cast<unsigned>(word(i)) + 1u);
        request_table.take_in(requests.size(), [&](int i) constexpr { return requests[i].hash; });
        const int found = request_table.find(h, [&](int i) constexpr {
            const request& r = requests[i];
            if (r.hash != h || r.op != &o || r.ty != ty || r.count != n + params.size()) return false;
            for (int k = 0; k < r.count; ++k)
                if (request_words[r.first + k] != word(k)) return false;
            return true;
        });
        if (found >= 0 && requests[found].reply >= 0) return requests[found].reply;
        if (nesting >= deepest) return raw(o, args, params, ty);
        request r;
        r.op = &o;
        r.hash = h;
        r.first = request_words.size();
        r.count = n + params.size();
        r.ty = ty;
        for (int i = 0; i < r.count; ++i) request_words.push(word(i));
        const int at = found >= 0 ? found : requests.push(r);
        ++nesting;
        const int reply = simplified(o, args, params, ty);
        --nesting;
        requests[at].reply = reply;
        return reply;
    }

    constexpr int simplified(const op_info& o, view<int> args, view<int> params, int ty) {
        if (o.cls == op_class::elementwise && args.size() == 1 && is(args[0], info<index_>) && only_newaxes(this->params(args[0])) && &o != &op_data<cast_>) {
            // inserted axes go outside, so that the operation is the same node with and without them
            const int view_node = args[0];
            const vec<int> items = copy(this->params(view_node)), p = copy(params);
            const int x = arg(view_node, 0);
            const int inside = finish(o, view<int>{&x, 1}, view<int>{p.data(), p.size()}, with_dtype(nodes[x].ty, types[ty].dt));
            return fitted(*this, make(info<index_>, view<int>{&inside, 1}, view<int>{items.data(), items.size()}), ty);
        }
        if (o.cls == op_class::elementwise) {
            bool stretched = false;
            for (int a : args) stretched = stretched || is(a, info<broadcast_>);
            if (stretched) {  // a broadcast operand is used as it is; the result is broadcast if nothing else gives it its shape
                vec<int> a, tys;
                for (int x : args) {
                    a.push(is(x, info<broadcast_>) ? arg(x, 0) : x);
                    tys.push(nodes[a.back()].ty);
                }
                const int narrow = broadcast(o, view<int>{tys.data(), tys.size()}, types[ty].dt);
                const vec<int> p = copy(params);
                return fitted(*this, finish(o, view<int>{a.data(), a.size()}, view<int>{p.data(), p.size()}, narrow), ty);
            }
        }
        const int before = nodes.size();
        const int id = o.normalise ? o.normalise(*this, o, args, params, ty) : raw(o, args, params, ty);
        if (id < before && id < outcome.size() && outcome[id] >= 0) return outcome[id];
        if (&op(id) != &o && o.normalise) return id;  // another operation's node: it went through here itself
        const int result = apply_rules(id);
        remember(id, result);
        return result;
    }

    // the outcome of an earlier visit of the same node, so that shared work is done once
    vec<int> outcome;
    constexpr void remember(int id, int result) {
        if (outcome.size() <= id) outcome.resize(id + 1, -1);
        outcome[id] = result;
    }
    static constexpr vec<int> copy(view<int> v) {
        vec<int> r;
        for (int x : v) r.push(x);
        return r;
    }
};

}  // namespace cotan::bits
