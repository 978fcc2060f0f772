#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/where.hpp>
#include <cotan/op/index.hpp>

namespace cotan::bits {

/// 0, 1, 2, ... along an axis; the parameter is the extent.
struct iota_ {
    static constexpr auto name = "iota";
    static constexpr auto cls = op_class::leaf;
    static constexpr int arity = 0;
    static constexpr int cost = 0;
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
};

/// The positions along axis k of a type of rank r, as a value that broadcasts against it.
constexpr int positions(graph& g, int ext, dtype d, int after) {
    type_data line;
    line.dt = d;
    line.rank = 1;
    line.ext[0] = ext;
    const int p[] = {ext, after};  // positions along different axes are different values, which different loops count
    const int n = g.raw(info<iota_>, {}, view<int>{p, 2}, g.intern(line));
    if (after == 0) return n;
    vec<int> q;
    for (int k = 0; k <= after; ++k) push_item(q, k ? item::newaxis : item::all);
    return insert_axes(g, n, view<int>{q.data(), q.size()});
}

constexpr int single_position(graph& g, int x, view<int> items, int ty) {
    if (!g.is(x, info<iota_>) || items.size() != item_size || items[0] != static_cast<int>(item::integer)) return -1;
    const int at = items[1];
    if (at >= 0) return g.literal(at, g.types[ty].dt);
    return g.make(info<add_>, extent_value(g, g.type_of(x).ext[0], g.types[ty].dt), g.literal(at, g.types[ty].dt));
}

constexpr int scatter_::expand(graph& g, int node) {
    const type_data t = g.type_of(node);
    const vec<int> p = copy_of(g.params(node));
    int v = g.arg(node, 0), mask = -1, axis = 0;
    vec<int> q;
    for (int i = 0; i < p.size(); i += item_size) {
        const item kind = static_cast<item>(p[i]);
        if (kind == item::slice) return node;
        if (kind == item::newaxis) {
            push_item(q, item::integer);
            continue;
        }
        push_item(q, kind == item::all ? item::all : item::newaxis);
        if (kind == item::integer) {
            const int at = p[i + 1];
            const int where = at >= 0 ? g.literal(at, t.dt) : g.make(info<add_>, extent_value(g, t.ext[axis], t.dt), g.literal(at, t.dt));
            const int here = g.make(info<equal_>, positions(g, t.ext[axis], t.dt, t.rank - 1 - axis), where);
            mask = mask < 0 ? here : g.make(info<logical_and_>, mask, here);
        }
        ++axis;
    }
    v = insert_axes(g, v, view<int>{q.data(), q.size()});
    if (mask < 0) return fitted(g, v, g.nodes[node].ty);
    return fitted(g, g.make(info<masked_>, mask, v), g.nodes[node].ty);
}

}  // namespace cotan::bits

#endif
