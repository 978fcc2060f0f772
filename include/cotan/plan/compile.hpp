#pragma once

#include <cotan/core/type_list.hpp>
#include <cotan/plan/liveness.hpp>

namespace cotan::bits {

struct output_data {
    dtype dt = dtype::float64;
    int rank = 0;
    int ext[max_rank]{};
    bool fill = false;    // the same number everywhere
    bool scalar = false;  // and asked for as that number
};

/// Where the size of an extent is known from: an axis of an input.
struct extent_source {
    int input = -1, axis = 0;
};

/// A plan's steps in a few words each: g++ looks at the whole of a constant whenever a part of it is read, so the constant must be small.
template <int N>
struct packed_steps {
    std::uint64_t words[N][4]{};
    const op_info* ops[N]{};

    static constexpr std::uint64_t pack(const reg& r) {
        return static_cast<std::uint64_t>(r.depth + 1) | static_cast<std::uint64_t>(r.dt) << 5 | static_cast<std::uint64_t>(r.index) << 8;
    }
    static constexpr reg unpack(std::uint64_t w) {
        return {static_cast<int>(w & 31u) - 1, static_cast<dtype>(w >> 5 & 7u), static_cast<int>(w >> 8 & 0x1fffu)};
    }
    constexpr void set(int i, const step_data& s) {
        ops[i] = s.op;
        words[i][0] = static_cast<std::uint64_t>(s.kind) | static_cast<std::uint64_t>(s.count) << 4 | static_cast<std::uint64_t>(s.memory + 1) << 8 |
                      static_cast<std::uint64_t>(s.map + 1) << 22 | static_cast<std::uint64_t>(s.loop + 1) << 40 | static_cast<std::uint64_t>(s.slot_depth) << 54;
        words[i][1] = pack(s.to) | pack(s.from[0]) << 21 | pack(s.from[1]) << 42;
        words[i][2] = pack(s.from[2]) | static_cast<std::uint64_t>(s.slot + 1) << 21 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(s.param) & 0xffffu) << 40;
        words[i][3] = s.bits;
    }
    template <int Half> constexpr packed_steps<N / 2> half() const {
        packed_steps<N / 2> r;
        for (int i = 0; i < N / 2; ++i) {
            for (int k = 0; k < 4; ++k) r.words[i][k] = words[Half * (N / 2) + i][k];
            r.ops[i] = ops[Half * (N / 2) + i];
        }
        return r;
    }
    constexpr step_kind kind(int i) const { return static_cast<step_kind>(words[i][0] & 15u); }
    constexpr step_data operator[](int i) const {
        const std::uint64_t a = words[i][0], b = words[i][1], c = words[i][2];
        step_data s;
        s.kind = kind(i);
        s.op = ops[i];
        s.count = static_cast<int>(a >> 4 & 15u);
        s.memory = static_cast<int>(a >> 8 & 0x3fffu) - 1;
        s.map = static_cast<int>(a >> 22 & 0x3ffffu) - 1;
        s.loop = static_cast<int>(a >> 40 & 0x3fffu) - 1;
        s.slot_depth = static_cast<int>(a >> 54 & 31u);
        s.to = unpack(b & 0x1fffffu);
        s.from[0] = unpack(b >> 21 & 0x1fffffu);
        s.from[1] = unpack(b >> 42 & 0x1fffffu);
        s.from[2] = unpack(c & 0x1fffffu);
        s.slot = static_cast<int>(c >> 21 & 0x3ffffu) - 1;
        s.param = static_cast<int>(c >> 40 & 0xffffu);
        s.bits = words[i][3];
        return s;
    }
};

/// The axis maps, likewise.
template <int N>
struct packed_maps {
    std::uint64_t words[N]{};
    constexpr void set(int i, const axis_map& m) {
        words[i] = static_cast<std::uint64_t>(m.cls + 1) | static_cast<std::uint64_t>(m.from_end) << 8 | (static_cast<std::uint64_t>(m.step) & 0xffffffu) << 9 |
                   static_cast<std::uint64_t>(static_cast<std::uint32_t>(m.start) & 0x7fffffffu) << 33;
    }
    template <int Half> constexpr packed_maps<N / 2> half() const {
        packed_maps<N / 2> r;
        for (int i = 0; i < N / 2; ++i) r.words[i] = words[Half * (N / 2) + i];
        return r;
    }
    constexpr axis_map operator[](int i) const {
        const std::uint64_t w = words[i];
        axis_map m;
        m.cls = static_cast<int>(w & 0xffu) - 1;
        m.from_end = (w >> 8 & 1u) != 0;
        m.step = static_cast<int>(w >> 9 & 0xffffffu) << 8 >> 8;
        m.start = static_cast<int>(static_cast<std::uint32_t>(w >> 33 & 0x7fffffffu) << 1) >> 1;
        return m;
    }
};

template <int Cap> inline constexpr int few_of = Cap / 8 < 16 ? 16 : Cap / 8;

/// What the code of a compiled function is generated from. Nothing here is read while a program runs: a constant that names the operations and is read then
/// would bring all their rules into the program, as machine code.
template <int Cap>
struct compiled_code {
    static constexpr int capacity = Cap;
    loop_data loops[few_of<Cap>]{};
    packed_steps<Cap * 2> steps{};
    packed_maps<Cap * 2> maps{};
    int loop_count = 0, step_count = 0;
};

/// What a call of a compiled function needs.
template <int Cap>
struct compiled_data {
    static constexpr int few = few_of<Cap>;
    bool overflow = false, unsourced = false, undeclared = false, failed = false;
    bool key_twice = false, discrete = false;  // see key_used_twice, derivative_of_discrete
    call_data calls[few / 4]{};
    call_operand call_operands[few]{};
    int call_results[few]{};
    bool changes[few]{};  // extents that are known only when a call has run
    int call_count = 0, common_extents = 0;
    fault derivative = fault::none;  // what is wrong with a derivative that was asked for
    memory_data memories[few]{};
    int class_extent[max_classes]{};
    extent_data extents[few]{};
    extent_source sources[few]{};
    int at_least[few]{};  // what slices require of an extent
    output_data outputs[Cap / 4]{};
    type_data reshapes[Cap / 4][2]{};  // shapes that must have as many elements
    int reshape_count = 0;
    int memory_count = 0, class_count = 0, extent_count = 0, output_count = 0, kernels = 0;
};

template <int Cap>
constexpr void freeze(compiled_data<Cap>& r, compiled_code<Cap>& code, const planner& pl, const graph& g, const vec<int>& shapes) {
    const plan& p = pl.p;
    code.loop_count = p.loops.size();
    code.step_count = p.steps.size();
    r.memory_count = p.memories.size();
    r.class_count = p.class_extent.size();
    r.extent_count = g.extents.size();
    r.output_count = pl.roots.size();
    r.kernels = p.kernels;
    if (p.loops.size() > r.few || p.steps.size() > 2 * Cap || p.maps.size() > 2 * Cap || r.memory_count > r.few || r.extent_count > r.few || r.output_count > Cap / 4 ||
        r.class_count > max_classes || p.calls.size() > r.few / 4 || p.call_operands.size() > r.few || p.call_results.size() > r.few) {
        r.overflow = true;
        return;
    }
    for (int i = 0; i < p.loops.size(); ++i) code.loops[i] = p.loops[i];
    for (int i = 0; i < p.steps.size(); ++i) code.steps.set(i, p.steps[i]);
    for (int i = 0; i < p.maps.size(); ++i) code.maps.set(i, p.maps[i]);
    for (int i = 0; i < r.memory_count; ++i) r.memories[i] = p.memories[i];
    for (int i = 0; i < r.class_count; ++i) r.class_extent[i] = p.class_extent[i];
    for (int i = 0; i < r.extent_count; ++i) r.extents[i] = g.extents[i];
    r.call_count = p.calls.size();
    for (int i = 0; i < r.call_count; ++i) {
        r.calls[i] = p.calls[i];
        ++r.calls[i].what.body;  // plan 0 is the function's own
        if (r.calls[i].what.second >= 0) ++r.calls[i].what.second;
        if (r.calls[i].what.third >= 0) ++r.calls[i].what.third;
        const call_info& c = p.calls[i].what;
        if (!c.cond && (c.flags & (loop_until | loop_while | loop_counted))) r.changes[c.steps] = true;
    }
    for (int i = 0; i < r.extent_count; ++i)
        if ((r.extents[i].a >= 0 && r.changes[r.extents[i].a]) || (r.extents[i].b >= 0 && r.changes[r.extents[i].b])) r.changes[i] = true;
    for (int i = 0; i < p.call_operands.size(); ++i) r.call_operands[i] = p.call_operands[i];
    for (int i = 0; i < p.call_results.size(); ++i) r.call_results[i] = p.call_results[i];
    for (int i = 0; i < r.output_count; ++i) {
        const type_data& t = g.types[shapes[i]];
        r.outputs[i].dt = settled(t.dt);
        r.outputs[i].rank = t.rank;
        for (int k = 0; k < t.rank; ++k) r.outputs[i].ext[k] = t.ext[k];
        r.outputs[i].fill = t.rank > 0 && pl.dep[pl.roots[i]] == 0;
        r.outputs[i].scalar = t.rank > 0 && g.rank(pl.roots[i]) == 0;
    }
}

/// The plans of a function: its own, and those that its calls run.
template <int Cap, int Plans>
struct compiled_plans {
    compiled_data<Cap> plan[Plans]{};
    compiled_code<Cap> code[Plans]{};
    int needed = 1;
};

/// Graphs with the bodies of loops taken out.
struct outlined_list {
    vec<outlined*> list;
    constexpr outlined_list() = default;
    constexpr outlined_list(outlined_list&& o) noexcept : list(static_cast<vec<outlined*>&&>(o.list)) {}
    constexpr outlined_list& operator=(outlined_list&&) = delete;
    constexpr ~outlined_list() {
        for (outlined* b : list) delete b;
    }
};
/// What a checked run asks for: the results' lists, and with them the value of every node on the way. See run/checked.hpp.
template <class In, class Out> struct every;

/// The graphs on the way from typed expressions to a plan, each with its roots.
struct stages {
    graph source;         // as written
    vec<int> given;       // the inputs in it, in the order of the function's arguments
    vec<int> asked;       // the results
    rewriter simple;      // rewritten and differentiated
    vec<int> simplified;
    rewriter low;         // composites expanded
    graph kernel;         // as it is planned
    vec<int> roots;
    vec<int> inputs;      // -1 where one is not used
    vec<int> shapes;      // types of the results
    outlined_list bodies; // of its loops and conditions
    vec<call_info> calls;
    int common_extents = 0;
    bool watching = false;
    vec<int> watched;     // if so: the nodes of `simple` that become results,
    vec<int> places;      // and for views the same view of the operand's element numbers, from 1; else -1

    template <class... In, class... Out>
    constexpr void lower(type_list<In...>, type_list<Out...>) {
        lowering l(source);
        (given.push(l.template operator()<In>()), ...);
        (asked.push(l.template operator()<Out>()), ...);
        for (int& root : asked) {
            const dtype d = source.dtype_of(root);
            if (is_weak(d)) root = source.cast(root, settled(d));
        }
    }
    constexpr void outline() {
        const graph whole = kernel;
        outliner o(whole);
        kernel = o.flat(roots);
        bodies.list = static_cast<vec<outlined*>&&>(o.bodies);
        calls = o.calls;
    }
    template <class In, class Out>
    constexpr void lower(In in, every<In, Out>) {
        lower(in, Out{});
        watching = true;
    }
    /// Every value of the simplified graph, operands first.
    constexpr void watch() {
        const vec<unsigned char> live = reachable(simple, view<int>{simplified.data(), simplified.size()});
        const vec<std::uint64_t> bound = free_heights(simple, live.size() - 1);
        for (int id = 0; id < live.size(); ++id) {
            const op_class c = simple.op(id).cls;
            const bool number = is_real(simple.dtype_of(id)) || is_integral(simple.dtype_of(id)) || simple.dtype_of(id) == dtype::boolean;
            // what stands in a loop's body has a value for each step, and a loop is seen by its results
            if (live[id] && !simple.is(id, literal_info) && !is_weak(simple.dtype_of(id)) && number && !bound[id] && c != op_class::loop && c != op_class::cond) watched.push(id);
        }
        for (int id : watched) places.push(place_numbers(id));
    }
    constexpr int place_numbers(int id) {
        const op_info& op = simple.op(id);
        if (op.cls != op_class::view || simple.nodes[id].nargs != 1) return -1;
        type_data t = simple.type_of(simple.arg(id, 0));
        t.dt = dtype::float64;
        int n = simple.literal(1, t.dt), stride = n;
        for (int k = t.rank - 1; k >= 0; --k) {
            n = simple.make(info<add_>, n, simple.make(info<multiply_>, stride, positions(simple, t.ext[k], t.dt, t.rank - 1 - k)));
            stride = simple.make(info<multiply_>, stride, extent_value(simple, t.ext[k], t.dt));
        }
        n = fitted(simple, n, simple.intern(t));
        const vec<int> p = rewriter::copy(simple.params(id));
        return fitted(simple, simple.finish(op, view<int>{&n, 1}, view<int>{p.data(), p.size()}, simple.with_dtype(simple.nodes[id].ty, t.dt)),
                      simple.with_dtype(simple.nodes[id].ty, t.dt));
    }

    /// Deferred: a result that is one number everywhere is computed as that number.
    constexpr void rewrite(bool deferred = false) {
        simple.types = source.types;
        simple.extents = source.extents;
        simplified = expand_into(simple, source, view<int>{asked.data(), asked.size()});
        if (has_loops(simple)) rewrite_loops(simple, simplified);
        vec<int> wanted = simplified;
        if (watching) {
            watch();
            wanted.clear();
            for (int id : watched) wanted.push(id);
            for (int id : places)
                if (id >= 0) wanted.push(id);
        }
        low.types = simple.types;
        low.extents = simple.extents;
        const vec<int> b = expand_composites(low, simple, view<int>{wanted.data(), wanted.size()});
        kernel.types = low.types;
        kernel.extents = low.extents;
        binariser w{kernel, low, {}, {}, {}};
        roots = w.run(view<int>{b.data(), b.size()});
        if (has_loops(kernel)) outline();
        common_extents = kernel.extents.size();
        for (int& root : roots) {
            shapes.push(kernel.nodes[root].ty);
            if (deferred && kernel.is(root, info<broadcast_>) && kernel.rank(kernel.arg(root, 0)) == 0) root = kernel.arg(root, 0);
        }
        for (int node : given) {
            const int name = source.param(node, 0);
            int at = -1;
            for (int id = 0; id < kernel.nodes.size(); ++id)
                if (kernel.is(id, input_info) && kernel.param(id, 0) == name && kernel.nodes[id].ty == source.nodes[node].ty) at = id;
            inputs.push(at);
        }
    }
};

/// Whether a random key is used by two draws. (A draw's last operand is its key.)
constexpr bool key_used_twice(const graph& g, const vec<unsigned char>& used) {
    vec<unsigned char> taken(used.size(), 0);
    for (int id = 0; id < used.size(); ++id) {
        if (!used[id] || !g.op(id).uses_key) continue;
        const int key = g.arg(id, g.nodes[id].nargs - 1);
        if (taken[key]) return true;
        taken[key] = 1;
    }
    return false;
}
/// Whether a derivative is asked for that goes through an operation which has none and says that asking is a mistake.
constexpr bool derivative_of_discrete(const graph& g, const vec<unsigned char>& used) {
    bool any = false;
    for (int id = 0; id < used.size() && !any; ++id) any = used[id] && g.op(id).no_gradient;
    if (!any) return false;
    for (int id = 0; id < used.size(); ++id) {
        if (!used[id] || g.op(id).cls != op_class::derivative) continue;
        const int y = g.arg(id, 0), n = g.nodes[id].nargs, count = n <= 3 ? 1 : (n - 1) / 2;
        vec<unsigned char> on(y + 1, 0);  // 1: depends on what is differentiated by, 2: through such an operation
        for (int k = 1; k <= count; ++k)
            if (g.arg(id, k) <= y) on[g.arg(id, k)] = 1;
        for (int v = 0; v <= y; ++v) {
            if (on[v] || g.is(v, info<stop_gradient_>)) continue;
            for (int a : g.args(v)) on[v] = on[a] > on[v] ? on[a] : on[v];
            if (on[v] && g.op(v).no_gradient) on[v] = 2;
        }
        if (on[y] == 2) return true;
    }
    return false;
}

/// The whole way from typed expressions to a plan.
template <int Cap, int Plans, bool Deferred, class... In, class Out>
consteval compiled_plans<Cap, Plans> compile(type_list<In...> in, Out out) {
    compiled_plans<Cap, Plans> all;
    compiled_data<Cap>& r = all.plan[0];
    constexpr int count = sizeof...(In);
    stages s;
    s.lower(in, out);
    graph& source = s.source;
    const vec<int>& given = s.given;
    const vec<unsigned char> used = reachable(source, view<int>{s.asked.data(), s.asked.size()});
    for (int id = 0; id < used.size(); ++id) {
        if (!used[id] || !source.is(id, input_info)) continue;
        bool declared = false;
        for (int i = 0; i < count; ++i) declared = declared || given[i] == id;
        if (!declared) {
            r.undeclared = true;
            return all;
        }
    }
    r.key_twice = key_used_twice(source, used);
    r.discrete = derivative_of_discrete(source, used);
    if (r.key_twice || r.discrete) return all;
    s.rewrite(Deferred);
    if (s.simple.error == fault::no_derivative || s.simple.error == fault::rule_not_linear) {
        r.derivative = s.simple.error;
        return all;
    }
    planner pl(s.kernel, s.inputs, s.roots, &s.calls);
    for (int i = 0; i + 2 < count; ++i) {  // a sparse matrix's inputs stand together: elements, their columns, where rows begin
        const type_data t = source.types[source.nodes[given[i]].ty];
        if (t.rank != 2 || !source.is_ragged(t.ext[1])) continue;
        pl.rows_of.resize(s.kernel.extents.size(), -1);
        if (pl.rows_of[t.ext[1]] < 0) pl.rows_of[t.ext[1]] = i + 2;
    }
    if (!pl.run()) {
        r.failed = true;
        return all;
    }
    share_rooms(pl.p);
    freeze(r, all.code[0], pl, s.kernel, s.shapes);
    all.needed = 1 + s.bodies.list.size();
    if (r.overflow || all.needed > Plans) {
        r.overflow = true;
        return all;
    }
    r.common_extents = s.common_extents;
    for (int b = 0; b < s.bodies.list.size(); ++b) {
        outlined& body = *s.bodies.list[b];
        vec<int> shapes;
        for (int root : body.roots) shapes.push(body.g.nodes[root].ty);
        planner own(body.g, body.inputs, body.roots, &s.calls);
        if (!own.run()) {
            r.failed = true;
            return all;
        }
        freeze(all.plan[1 + b], all.code[1 + b], own, body.g, shapes);
        all.plan[1 + b].common_extents = s.common_extents;
        if (all.plan[1 + b].overflow) {
            r.overflow = true;
            return all;
        }
    }
    // every input gives its extents, whether it is read or not
    for (int i = 0; i < count; ++i) {
        const type_data t = source.types[source.nodes[given[i]].ty];
        for (int k = 0; k < t.rank; ++k)
            if (r.sources[t.ext[k]].input < 0) r.sources[t.ext[k]] = {i, k};
    }
    for (int i = 0; i < r.class_count; ++i) {  // a loop's length must be known from the inputs
        int todo[64]{r.class_extent[i]}, n = 1;
        while (n > 0) {
            const int e = todo[--n];
            if (r.extents[e].kind == extent_kind::named && r.sources[e].input < 0 && !r.changes[e]) r.unsourced = true;
            if (r.extents[e].a >= 0) todo[n++] = r.extents[e].a;
            if (r.extents[e].b >= 0) todo[n++] = r.extents[e].b;
        }
    }
    for (int id = 0; id < used.size(); ++id) {
        if (!used[id] || !source.is(id, info<reshape_>)) continue;
        if (r.reshape_count == Cap / 4) {
            r.overflow = true;
            return all;
        }
        r.reshapes[r.reshape_count][0] = source.type_of(source.arg(id, 0));
        r.reshapes[r.reshape_count++][1] = source.type_of(id);
    }
    // what the slices of the program as written need
    for (int id = 0; id < used.size(); ++id) {
        if (!used[id] || !source.is(id, info<index_>)) continue;
        const type_data t = source.type_of(source.arg(id, 0));
        const view<int> q = source.params(id);
        int axis = 0;
        for (int i = 0; i < q.size(); i += item_size) {
            const item kind = static_cast<item>(q[i]);
            if (kind == item::newaxis) continue;
            int need = 0;
            if (kind == item::integer) need = q[i + 1] < 0 ? -q[i + 1] : q[i + 1] + 1;
            else if (kind == item::slice) need = resolve_slice(source, t.ext[axis], q[i + 1], q[i + 2], q[i + 3]).at_least;
            if (need > r.at_least[t.ext[axis]]) r.at_least[t.ext[axis]] = need;
            ++axis;
        }
    }
    return all;
}

}  // namespace cotan::bits
