#pragma once

#include <cotan/dyn/operations.hpp>
#include <cotan/dyn/program.hpp>
#include <cotan/loop/differentiate.hpp>
#include <cotan/loop/rewrite.hpp>

namespace cotan::bits {

/// A rewriter of the runtime graph: extents that go together were checked when the graph was built, and are when it is called.
struct open_rewriter : rewriter {
    bool meets(int, int) override { return true; }
};

/// A function's inputs as the caller knows them.
struct runtime_input {
    std::string name;
    dtype dt;
    int rank = 0;
    int ext[max_rank]{};         // in the extents of `checks`
    bool stretches[max_rank]{};  // declared broadcastable
    bool whole = false;          // its elements must be contiguous
};

/// What a call checks, over extents as the graph was built with them.
struct runtime_checks {
    graph extents;
    struct source {
        int input = -1, axis = 0;
    };
    std::vector<source> sources;  // of a named extent's size
    struct equal {
        int a, b;
        std::string_view op;
    };
    std::vector<equal> equals;
    std::vector<std::pair<int, std::ptrdiff_t>> at_least;
    std::vector<std::pair<int, int>> as_many;  // types with equally many elements
};

/// A function of the runtime graph, ready to run.
struct runtime_function {
    std::vector<runtime_input> inputs;
    runtime_checks checks;
    std::shared_ptr<runtime_bodies> bodies;
    std::shared_ptr<const program> code;
    std::vector<char> sourced;  // of the program's extents: an input's
    std::vector<int> extent_of;  // of the program's named extents: the extent in `checks`, or -1
    int rewritten = 0, kernels = 0;
    std::int64_t work = 0;  // nodes and operands that compiling made
};

inline std::string place_of(const graph& g, int e) {
    const extent_data& x = g.extents[e];
    if (x.kind == extent_kind::linear || x.kind == extent_kind::product || !(is_open(x) || is_stretchable(x))) return words_of(g, e);
    const std::string name = x.name;
    const auto dot = name.rfind('.');
    return "axis " + name.substr(dot + 1) + " of " + name.substr(0, dot);
}

class runtime_compiler {
public:
    /// Makes a function of nodes of a graph. `stretched`: which of the broadcastable axes are longer than 1, one bit each in the order of the inputs.
    static runtime_function compile(const open_graph& from, const std::vector<int>& inputs, const std::vector<int>& asked, std::uint64_t stretched) {
        bool any = false;
        for (int i : inputs) {
            const type_data& t = from.type_of(i);
            for (int k = 0; k < t.rank; ++k) any = any || is_stretchable(from.extents[t.ext[k]]);
        }
        if (!any || !stretched) return compile_plain(from, inputs, asked);
        // built once more, with an extent of their own for the axes that do not stretch in this call
        open_graph again;
        std::vector<int> in = inputs, out = asked;
        rebuild(from, again, in, out, stretched);
        runtime_function f = compile_plain(again, in, out);
        for (std::size_t i = 0; i < inputs.size(); ++i)
            for (int k = 0; k < f.inputs[i].rank; ++k) f.inputs[i].stretches[k] = is_stretchable(from.extents[from.type_of(inputs[i]).ext[k]]);
        return f;
    }

    /// Makes live nodes of a graph again in another, where operands may have other types: `where` holds nodes that are there already.
    static void remake(const graph& from, open_graph& to, const vec<unsigned char>& live, std::vector<int>& where, type_mover& types) {
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id] || where[at(id)] >= 0) continue;
            const op_info& op = from.op(id);
            vec<int> a, p;
            for (int x : from.args(id)) a.push(where[at(x)]);
            for (int x : from.params(id)) p.push(x);
            const view<int> args{a.data(), a.size()};
            if (has_extent_param(op)) p[0] = types.extent(p[0]);
            const view<int> params{p.data(), p.size()};
            int r = -1;
            if (op.cls == op_class::leaf) {
                r = to.raw(op, {}, params, types.type(from.nodes[id].ty), from.nodes[id].bits);
                to.nodes[r].facts = from.nodes[id].facts;
            } else if (&op == &op_data<cast_>) r = to.cast(a[0], from.dtype_of(id));
            else if (&op == &op_data<reshape_>) r = reshape_::to(to, a[0], types.type(from.nodes[id].ty));
            else if (&op == &op_data<broadcast_>) {
                const int ty = types.type(from.nodes[id].ty), tys[] = {to.nodes[a[0]].ty, ty};
                (void)to.broadcast(op, view<int>{tys, 2}, to.types[ty].dt);
                r = fitted(to, a[0], ty);
            } else if (op.cls == op_class::derivative) {
                const int y = to.nodes[a[0]].ty;
                int ty = &op == &op_data<pull_> ? to.nodes[a[1]].ty : y;
                if (&op == &op_data<jacobian_>) {
                    type_data t = to.types[y];
                    const type_data by = to.type_of(a[1]);
                    t.dt = settled(t.dt);
                    for (int k = 0; k < by.rank; ++k) t.ext[t.rank++] = by.ext[k];
                    ty = to.intern(t);
                }
                r = to.raw(op, args, params, ty);
            } else if (op.cls != op_class::elementwise && !op.infer && !op.desugar) r = to.finish(op, args, params, types.type(from.nodes[id].ty));
            else r = to.make(op, args, params);
            if (r < 0) throw_fault(to, op.name, args, to.error);
            to.pending.clear();
            where[at(id)] = r;
        }
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    static void rebuild(const open_graph& from, open_graph& to, std::vector<int>& inputs, std::vector<int>& asked, std::uint64_t stretched) {
        // names of the axes that are longer than 1
        std::vector<std::string> longer;
        int bit = 0;
        for (int i : inputs) {
            const type_data& t = from.type_of(i);
            for (int k = 0; k < t.rank; ++k)
                if (is_stretchable(from.extents[t.ext[k]]) && (stretched >> bit++ & 1u)) longer.push_back(from.extents[t.ext[k]].name);
        }
        open_graph named = from;  // the same graph over other extents
        for (int e = 0; e < named.extents.size(); ++e) {
            extent_data& d = named.extents[e];
            if (is_stretchable(d) && std::find(longer.begin(), longer.end(), d.name) != longer.end()) {
                d.kind = extent_kind::named;
                d.value = 0;
            }
        }
        type_mover types(named, to);
        vec<int> wanted;
        for (int r : asked) wanted.push(r);
        for (int r : inputs) wanted.push(r);
        const vec<unsigned char> live = reachable(from, view<int>{wanted.data(), wanted.size()});
        std::vector<int> where(at(live.size()), -1);
        remake(from, to, live, where, types);
        for (int& r : inputs) r = where[at(r)];
        for (int& r : asked) r = where[at(r)];
    }

    static runtime_function compile_plain(const open_graph& from, const std::vector<int>& inputs, const std::vector<int>& asked) {
        runtime_function f;
        vec<int> wanted;
        for (int r : asked) wanted.push(r);
        vec<unsigned char> live = reachable(from, view<int>{wanted.data(), wanted.size()});
        for (int i : inputs)
            if (live.size() <= i) live.resize(i + 1, 0);
        for (int i : inputs) {
            if (!from.is(i, input_info)) throw error("cotan: a function's inputs are made by dyn::tensor, dyn::scalar or dyn::lift, got " + words_of_node(from, i));
            live[i] = 2;
        }
        for (std::size_t i = 0; i < inputs.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (inputs[i] == inputs[k]) throw error("cotan: the input " + words_of_node(from, inputs[i]) + " is listed twice among a function's inputs");
        for (int id = 0; id < live.size(); ++id)
            if (live[id] == 1 && from.is(id, input_info))
                throw error("cotan: an expression uses the input " + words_of_node(from, id) + ", which is not among the function's inputs: add it to the list");

        describe_inputs(f, from, inputs);
        const std::vector<int> to_source = unify(f, from, live, inputs);

        // the graph as written, over extents that are equal where they must be
        graph source;
        std::vector<int> node(at(live.size()), -1), extent(at(from.extents.size()), -1), type(at(from.types.size()), -1);
        for (int e = 0; e < from.extents.size(); ++e) {
            const int r = to_source[at(e)];
            const extent_data d = from.extents[r];
            if (d.kind == extent_kind::linear && r == e) extent[at(e)] = source.linear(extent[at(d.a)], d.value, d.div);
            else if (d.kind == extent_kind::product && r == e) extent[at(e)] = source.product(extent[at(d.a)], extent[at(d.b)]);
            else if (d.kind == extent_kind::linear || d.kind == extent_kind::product) extent[at(e)] = extent[at(r)];
            else extent[at(e)] = is_stretchable(d) ? source.fixed(1) : source.intern(d);
        }
        const auto type_in = [&](int t) {
            if (type[at(t)] < 0) {
                type_data d = from.types[t];
                for (int k = 0; k < d.rank; ++k) d.ext[k] = extent[at(d.ext[k])];
                type[at(t)] = source.intern(d);
            }
            return type[at(t)];
        };
        vec<int> a, p;
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id]) continue;
            const op_info& op = from.op(id);
            a.clear();
            p.clear();
            for (int x : from.args(id)) a.push(node[at(x)]);
            for (int x : from.params(id)) p.push(x);
            if (&op == &input_info) p[0] = source.named(from.extents[p[0]].name);
            else if (has_extent_param(op)) p[0] = extent[at(p[0])];
            const int ty = type_in(from.nodes[id].ty);
            if (&op == &op_data<broadcast_> && source.nodes[a[0]].ty == ty) {
                node[at(id)] = a[0];
                continue;
            }
            node[at(id)] = source.raw(op, view<int>{a.data(), a.size()}, view<int>{p.data(), p.size()}, ty, from.nodes[id].bits);
            source.nodes[node[at(id)]].facts = from.nodes[id].facts;
        }
        vec<int> roots;
        for (int r : asked) {
            const int id = node[at(r)];
            const dtype d = source.dtype_of(id);
            roots.push(is_weak(d) ? source.cast(id, settled(d)) : id);
        }
        finish(f, source, roots, [&] {
            std::vector<int> in;
            for (int i : inputs) in.push_back(node[at(i)]);
            return in;
        }());
        return f;
    }

    static void describe_inputs(runtime_function& f, const open_graph& from, const std::vector<int>& inputs) {
        type_mover mover(from, f.checks.extents);
        for (int i : inputs) {
            runtime_input in;
            in.name = from.extents[from.param(i, 0)].name;
            const type_data& t = from.type_of(i);
            in.dt = t.dt;
            in.rank = t.rank;
            for (int k = 0; k < t.rank; ++k) {
                in.ext[k] = mover.extent(t.ext[k]);
                in.stretches[k] = is_stretchable(from.extents[t.ext[k]]);
            }
            f.inputs.push_back(in);
        }
    }

    /// Which extents are one where a function is called: for each extent of the graph the one that stands for it. Notes what a call must check.
    static std::vector<int> unify(runtime_function& f, const open_graph& from, const vec<unsigned char>& live, const std::vector<int>& inputs) {
        const int n = from.extents.size();
        runtime_checks& c = f.checks;
        type_mover mover(from, c.extents);
        std::vector<int> parent(at(n));
        for (int e = 0; e < n; ++e) parent[at(e)] = e;
        const auto find = [&](int e) {
            while (parent[at(e)] != e) e = parent[at(e)] = parent[at(parent[at(e)])];
            return e;
        };
        std::vector<char> sourced(at(n), 0);
        for (int i : inputs)
            for (int k = 0; k < from.rank(i); ++k) sourced[at(from.type_of(i).ext[k])] = 1;
        const auto order = [&](int e) {  // the least stands for its class
            const extent_data& d = from.extents[e];
            if (d.kind == extent_kind::fixed) return 0;
            if (d.kind != extent_kind::named) return 3;
            return sourced[at(e)] ? (is_open(d) ? 2 : 1) : 4;
        };
        std::unordered_map<std::uint64_t, char> seen;
        for (const open_graph::joint& j : from.joints) {
            if (j.node >= live.size() || !live[j.node]) continue;
            const auto key = static_cast<std::uint64_t>(std::min(j.a, j.b)) << 32 | static_cast<std::uint32_t>(std::max(j.a, j.b));
            if (!seen.emplace(key, 1).second) continue;
            c.equals.push_back({mover.extent(j.a), mover.extent(j.b), from.op(j.node).name});
            const int a = find(j.a), b = find(j.b);
            if (a == b) continue;
            const extent_data &x = from.extents[a], &y = from.extents[b];
            if (x.kind == extent_kind::fixed && y.kind == extent_kind::fixed)
                throw shape_error("cotan: " + std::string(from.op(j.node).name) + ": " + place_of(from, j.a) + " must be " + words_of(from, a) + " and, as " + place_of(from, j.b) + ", " + words_of(from, b));
            const int oa = order(a), ob = order(b);
            if (oa < ob || (oa == ob && a < b)) parent[at(b)] = a;
            else parent[at(a)] = b;
        }
        // what slices and reshapes need of sizes
        std::unordered_map<int, std::ptrdiff_t> least;
        std::unordered_map<std::uint64_t, char> reshaped;
        graph scratch;
        scratch.extents = from.extents;
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id]) continue;
            if (from.is(id, info<reshape_>)) {
                const int x = from.nodes[from.arg(id, 0)].ty, y = from.nodes[id].ty;
                if (reshaped.emplace(static_cast<std::uint64_t>(x) << 32 | static_cast<std::uint32_t>(y), 1).second) c.as_many.emplace_back(mover.type(x), mover.type(y));
            }
            if (!from.is(id, info<index_>)) continue;
            const type_data t = from.type_of(from.arg(id, 0));
            const view<int> q = from.params(id);
            int axis = 0;
            for (int i = 0; i < q.size(); i += item_size) {
                const item kind = static_cast<item>(q[i]);
                if (kind == item::newaxis) continue;
                std::ptrdiff_t need = 0;
                if (kind == item::integer) need = q[i + 1] < 0 ? -static_cast<std::ptrdiff_t>(q[i + 1]) : static_cast<std::ptrdiff_t>(q[i + 1]) + 1;
                else if (kind == item::slice) need = resolve_slice(scratch, t.ext[axis], q[i + 1], q[i + 2], q[i + 3]).at_least;
                if (need > 0 && from.extents[t.ext[axis]].kind != extent_kind::fixed) {
                    std::ptrdiff_t& l = least[t.ext[axis]];
                    if (need > l) l = need;
                }
                ++axis;
            }
        }
        for (const auto& [e, need] : least) c.at_least.emplace_back(mover.extent(e), need);
        c.sources.resize(at(c.extents.extents.size()));
        for (std::size_t i = 0; i < f.inputs.size(); ++i)
            for (int k = 0; k < f.inputs[i].rank; ++k) {
                runtime_checks::source& s = c.sources[at(f.inputs[i].ext[k])];
                if (s.input < 0) s = {static_cast<int>(i), k};
            }
        std::vector<int> r(at(n));
        for (int e = 0; e < n; ++e) r[at(e)] = find(e);
        return r;
    }

    /// The bodies of loops and the branches of conditions become programs of their own.
    static void outline(runtime_bodies& to, graph& kernel, vec<int>& roots) {
        const graph whole = kernel;
        outliner o(whole);
        kernel = o.flat(roots);
        for (const call_info& c : o.calls) to.calls.push_back(c);
        for (outlined* b : o.bodies) {
            const std::vector<int> out(b->roots.begin(), b->roots.end()), in(b->inputs.begin(), b->inputs.end());
            to.programs.push_back(std::make_shared<const program>(b->g, out, in, &to));
        }
    }

    static void finish(runtime_function& f, const graph& source, const vec<int>& roots, const std::vector<int>& given) {
        open_rewriter simple, low;
        simple.types = source.types;
        simple.extents = source.extents;
        vec<int> first = expand_into(simple, source, view<int>{roots.data(), roots.size()});
        for (int i = 0; i < first.size(); ++i)
            if (first[i] < 0) throw error("cotan: result " + std::to_string(i) + " could not be rewritten; please report it");
        if (has_loops(simple)) rewrite_loops(simple, first);
        low.types = simple.types;
        low.extents = simple.extents;
        const vec<int> second = expand_composites(low, simple, view<int>{first.data(), first.size()});
        for (int i = 0; i < second.size(); ++i)
            if (second[i] < 0) throw error("cotan: result " + std::to_string(i) + " could not be expanded; please report it");
        f.rewritten = simple.nodes.size();
        graph kernel;
        kernel.types = low.types;
        kernel.extents = low.extents;
        binariser w{kernel, low, {}, {}, {}};
        vec<int> third = w.run(view<int>{second.data(), second.size()});
        f.bodies = std::make_shared<runtime_bodies>();
        if (has_loops(kernel)) outline(*f.bodies, kernel, third);
        // inputs by name and type
        std::unordered_map<std::uint64_t, int> input_at;
        for (int id = 0; id < kernel.nodes.size(); ++id)
            if (kernel.is(id, input_info)) input_at[static_cast<std::uint64_t>(kernel.param(id, 0)) << 32 | static_cast<std::uint32_t>(kernel.nodes[id].ty)] = id;
        std::vector<int> in, out;
        for (int node : given) {
            const auto found = input_at.find(static_cast<std::uint64_t>(source.param(node, 0)) << 32 | static_cast<std::uint32_t>(source.nodes[node].ty));
            in.push_back(found == input_at.end() ? -1 : found->second);
        }
        for (int r : third) out.push_back(r);
        f.kernels = kernel.nodes.size();
        f.code = std::make_shared<const program>(std::move(kernel), out, in, f.bodies.get());
        for (std::size_t i = 0; i < in.size(); ++i)
            if (in[i] >= 0) f.inputs[i].whole = f.code->whole[at(in[i])];
        const auto size = [](const graph& made) { return static_cast<std::int64_t>(made.nodes.size()) + made.pool.size() + made.types.size() + made.extents.size(); };
        f.work = size(source) + size(simple) + size(low) + size(f.code->g) + static_cast<std::int64_t>(f.code->code.size() + f.code->slots.size() + f.code->steps.size());
        // where the sizes of the program's extents come from
        const graph& g = f.code->g;
        f.extent_of.assign(at(g.extents.size()), -1);
        std::vector<char> known(at(g.extents.size()), 0);
        std::unordered_map<std::string, int> by_name;
        for (int e = 0; e < f.checks.extents.extents.size(); ++e)
            if (f.checks.extents.extents[e].kind == extent_kind::named) by_name[f.checks.extents.extents[e].name] = e;
        for (int e = 0; e < g.extents.size(); ++e) {
            const extent_data& d = g.extents[e];
            if (d.kind == extent_kind::fixed) known[at(e)] = 1;
            else if (d.kind == extent_kind::named) {
                const auto found = by_name.find(d.name);
                if (found != by_name.end() && f.checks.sources[at(found->second)].input >= 0) {
                    f.extent_of[at(e)] = found->second;
                    known[at(e)] = 1;
                }
            } else known[at(e)] = known[at(d.a)] && (d.b < 0 || known[at(d.b)]);
        }
        f.sourced = known;
        // how often a loop runs may be known from the run only
        for (const call_info& c : f.bodies->calls)
            if (!c.cond && c.steps >= 0 && c.steps < g.extents.size() && (c.flags & (loop_counted | loop_until | loop_while))) known[at(c.steps)] = 1;
        for (int e = 0; e < g.extents.size(); ++e) {
            const extent_data& d = g.extents[e];
            if (d.kind == extent_kind::linear || d.kind == extent_kind::product) known[at(e)] = known[at(d.a)] && (d.b < 0 || known[at(d.b)]);
        }
        for (int id = 0; id < g.nodes.size(); ++id) {
            if (f.code->base[at(id)] < 0) continue;
            const type_data& t = g.type_of(id);
            for (int k = 0; k < t.rank; ++k)
                if (!known[at(t.ext[k])])
                    throw error("cotan: the size of the extent " + words_of(g, t.ext[k]) + " is not known from any input: give reshape and broadcast_to extents that an input has, or a number");
        }
    }
};

}  // namespace cotan::bits
