#pragma once

#include <cotan/core/type_list.hpp>
#include <cotan/plan/plan.hpp>

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

/// A compiled function as data: what the code is generated from, and what a call needs.
template <int Cap>
struct compiled_data {
    static constexpr int capacity = Cap;
    bool overflow = false, unsourced = false, undeclared = false, failed = false;
    loop_data loops[Cap]{};
    step_data steps[Cap * 2]{};
    axis_map maps[Cap * 2]{};
    memory_data memories[Cap]{};
    int class_extent[max_classes]{};
    extent_data extents[Cap]{};
    extent_source sources[Cap]{};
    int at_least[Cap]{};  // what slices require of an extent
    output_data outputs[Cap / 4]{};
    type_data reshapes[Cap / 4][2]{};  // shapes that must have as many elements
    int reshape_count = 0;
    int loop_count = 0, step_count = 0, map_count = 0, memory_count = 0, class_count = 0, extent_count = 0, output_count = 0, kernels = 0;
};

template <int Cap>
constexpr void freeze(compiled_data<Cap>& r, const planner& pl, const graph& g, const vec<int>& shapes) {
    const plan& p = pl.p;
    r.loop_count = p.loops.size();
    r.step_count = p.steps.size();
    r.map_count = p.maps.size();
    r.memory_count = p.memories.size();
    r.class_count = p.class_extent.size();
    r.extent_count = g.extents.size();
    r.output_count = pl.roots.size();
    r.kernels = p.kernels;
    if (r.loop_count > Cap || r.step_count > 2 * Cap || r.map_count > 2 * Cap || r.memory_count > Cap || r.extent_count > Cap || r.output_count > Cap / 4 ||
        r.class_count > max_classes) {
        r.overflow = true;
        return;
    }
    for (int i = 0; i < r.loop_count; ++i) r.loops[i] = p.loops[i];
    for (int i = 0; i < r.step_count; ++i) r.steps[i] = p.steps[i];
    for (int i = 0; i < r.map_count; ++i) r.maps[i] = p.maps[i];
    for (int i = 0; i < r.memory_count; ++i) r.memories[i] = p.memories[i];
    for (int i = 0; i < r.class_count; ++i) r.class_extent[i] = p.class_extent[i];
    for (int i = 0; i < r.extent_count; ++i) r.extents[i] = g.extents[i];
    for (int i = 0; i < r.output_count; ++i) {
        const type_data& t = g.types[shapes[i]];
        r.outputs[i].dt = settled(t.dt);
        r.outputs[i].rank = t.rank;
        for (int k = 0; k < t.rank; ++k) r.outputs[i].ext[k] = t.ext[k];
        r.outputs[i].fill = t.rank > 0 && pl.dep[pl.roots[i]] == 0;
        r.outputs[i].scalar = t.rank > 0 && g.rank(pl.roots[i]) == 0;
    }
}

/// The whole way from typed expressions to a plan. Deferred: a result that is one number everywhere is computed as that number.
template <int Cap, bool Deferred, class... In, class... Out>
consteval compiled_data<Cap> compile(type_list<In...>, type_list<Out...>) {
    compiled_data<Cap> r;
    graph source;
    lowering l(source);
    const int given[] = {l.template operator()<In>()..., 0};
    constexpr int count = sizeof...(In);
    vec<int> roots;
    (roots.push(l.template operator()<Out>()), ...);
    for (int& root : roots) {
        const dtype d = source.dtype_of(root);
        if (is_weak(d)) root = source.cast(root, settled(d));
    }
    const view<int> outs{roots.data(), roots.size()};
    const vec<unsigned char> used = reachable(source, outs);
    for (int id = 0; id < used.size(); ++id) {
        if (!used[id] || !source.is(id, input_info)) continue;
        bool declared = false;
        for (int i = 0; i < count; ++i) declared = declared || given[i] == id;
        if (!declared) {
            r.undeclared = true;
            return r;
        }
    }
    rewriter simple;
    simple.types = source.types;
    simple.extents = source.extents;
    const vec<int> a = expand_into(simple, source, outs);
    rewriter low;
    low.types = simple.types;
    low.extents = simple.extents;
    const vec<int> b = expand_composites(low, simple, view<int>{a.data(), a.size()});
    graph kernel;
    kernel.types = low.types;
    kernel.extents = low.extents;
    binariser w{kernel, low, {}, {}};
    vec<int> c = w.run(view<int>{b.data(), b.size()});
    vec<int> shapes;
    for (int& root : c) {
        shapes.push(kernel.nodes[root].ty);
        if constexpr (Deferred)
            if (kernel.is(root, info<broadcast_>) && kernel.rank(kernel.arg(root, 0)) == 0) root = kernel.arg(root, 0);
    }
    vec<int> in;
    for (int i = 0; i < count; ++i) {
        const int name = source.param(given[i], 0);
        int at = -1;
        for (int id = 0; id < kernel.nodes.size(); ++id)
            if (kernel.is(id, input_info) && kernel.param(id, 0) == name && kernel.nodes[id].ty == source.nodes[given[i]].ty) at = id;
        in.push(at);
    }
    planner pl(kernel, in, c);
    if (!pl.run()) {
        r.failed = true;
        return r;
    }
    freeze(r, pl, kernel, shapes);
    if (r.overflow) return r;
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
            if (r.extents[e].kind == extent_kind::named && r.sources[e].input < 0) r.unsourced = true;
            if (r.extents[e].a >= 0) todo[n++] = r.extents[e].a;
            if (r.extents[e].b >= 0) todo[n++] = r.extents[e].b;
        }
    }
    for (int id = 0; id < used.size(); ++id) {
        if (!used[id] || !source.is(id, info<reshape_>)) continue;
        if (r.reshape_count == Cap / 4) {
            r.overflow = true;
            return r;
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
    return r;
}

}  // namespace cotan::bits
