#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/core/literal.hpp>
#include <cotan/op/broadcast.hpp>

#include <climits>

namespace cotan {

namespace bits {

inline constexpr int slice_none = INT_MIN;
inline constexpr int slice_end = INT_MAX;

/// One item of an index: what it does to the next axis of the operand.
enum class item : int { integer = 0, slice = 1, newaxis = 2, all = 3 };
inline constexpr int item_size = 4;  // kind, start, stop, step
constexpr void push_item(vec<int>& to, item kind, int start = 0, int stop = 0, int step = 0) { push_item(to, static_cast<int>(kind), start, stop, step); }

struct end_t { constexpr operator int() const { return slice_end; } };
struct none_t { constexpr operator int() const { return slice_none; } };
struct all_t {};
struct newaxis_t {};
struct ellipsis_t {};
template <int Start, int Stop, int Step> struct slice_t {};

/// A slice of an axis resolved: the first element counted from the start or the end, the step, and the length.
struct slice_data {
    bool from_end = false;  // start is relative to the end of the axis
    int start = 0;
    int step = 1;
    int extent = -1;    // of the result
    int at_least = 0;   // what the axis must have at run time
    fault error = fault::none;
};

constexpr slice_data resolve_slice(graph& g, int ext, int start, int stop, int step) {
    slice_data s;
    s.step = step;
    if (step == 0) {
        s.error = fault::slice_step_zero;
        return s;
    }
    const bool fixed = g.extents[ext].kind == extent_kind::fixed;
    const int n = fixed ? static_cast<int>(g.extents[ext].value) : 0;
    if (start == slice_none) start = step > 0 ? 0 : -1;
    if (start == slice_end) start = fixed ? n : INT_MAX;
    const bool to_edge = stop == slice_none || (step > 0 && stop == slice_end);
    if (fixed) {  // as Python has it: clamped
        long b = start < 0 ? start + n : start, e = to_edge ? (step > 0 ? n : -1) : (stop == slice_end ? n : stop < 0 ? stop + n : stop);
        if (step > 0) {
            b = b < 0 ? 0 : b > n ? n : b;
            e = e < 0 ? 0 : e > n ? n : e;
        } else {
            b = b < -1 ? -1 : b >= n ? n - 1 : b;
            e = e < -1 ? -1 : e >= n ? n - 1 : e;
        }
        long count = step > 0 ? (e - b + step - 1) / step : (b - e - step - 1) / -step;
        if (count < 0) count = 0;
        s.start = static_cast<int>(b);
        s.extent = g.fixed(count);
        return s;
    }
    s.from_end = start < 0;
    s.start = start;
    if (step > 0) {
        if (to_edge || (stop < 0 && start >= 0)) {
            if (start < 0) {  // the last elements
                s.extent = g.fixed((-start + step - 1) / step);
                s.at_least = -start;
            } else s.extent = g.linear(ext, (to_edge ? 0 : stop) - start, step);
        } else if ((start < 0) == (stop < 0)) {
            const int count = stop > start ? (stop - start + step - 1) / step : 0;
            s.extent = g.fixed(count);
            s.at_least = count == 0 ? 0 : start < 0 ? -start : stop;
        } else s.error = fault::slice_mixed;
    } else {
        if (to_edge) {
            if (start < 0) s.extent = g.linear(ext, start + 1, -step);
            else {
                s.extent = g.fixed((start + 1 - step - 1) / -step);
                s.at_least = start + 1;
            }
        } else if ((start < 0) == (stop < 0)) {
            const int count = start > stop ? (start - stop - step - 1) / -step : 0;
            s.extent = g.fixed(count);
            s.at_least = count == 0 ? 0 : start < 0 ? -stop - 1 : start + 1;
        } else if (start < 0) s.extent = g.linear(ext, start + 1 - (stop + 1), -step);  // from the end down to after `stop`
        else s.error = fault::slice_mixed;
    }
    return s;
}

/// x(c<0>, slice<1, end>, newaxis): parts of a tensor. It is a view: what uses it reads the operand in place.
struct index_ {
    static constexpr auto name = "index";
    static constexpr auto cls = op_class::view;
    static constexpr int arity = 1;
    static constexpr bool linear = true;
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts; }
    static constexpr int infer(graph& g, const op_info& op, view<int> tys, view<int> p) {
        const type_data t = g.types[tys[0]];
        type_data r;
        r.dt = t.dt;
        int from = 0;
        for (int i = 0; i < p.size(); i += item_size) {
            const item kind = static_cast<item>(p[i]);
            if (r.rank == max_rank) return g.fail(fault::rank_too_high, op);
            if (kind == item::newaxis) {
                r.ext[r.rank++] = g.fixed(1);
                continue;
            }
            if (from >= t.rank) return g.fail(fault::too_many_indices, op);
            const int ext = t.ext[from++];
            if (kind == item::all) r.ext[r.rank++] = ext;
            else if (kind == item::integer) {
                const extent_data& e = g.extents[ext];
                const std::int64_t at = p[i + 1];
                if (e.kind == extent_kind::fixed && (at >= e.value || at < -e.value)) return g.fail(fault::index_out_of_range, op);
            } else {
                const slice_data s = resolve_slice(g, ext, p[i + 1], p[i + 2], p[i + 3]);
                if (s.error != fault::none) return g.fail(s.error, op);
                r.ext[r.rank++] = s.extent;
            }
        }
        while (from < t.rank) {
            if (r.rank == max_rank) return g.fail(fault::rank_too_high, op);
            r.ext[r.rank++] = t.ext[from++];
        }
        return g.intern(r);
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int> p, int ty);
    static constexpr void reads(const graph& g, int id, axis_read* r) {
        const view<int> p = g.params(id);
        int from = 0, to = 0;
        for (int i = 0; i < p.size(); i += item_size) {
            const item kind = static_cast<item>(p[i]);
            if (kind == item::newaxis) ++to;
            else if (kind == item::all) r[from++] = {axis_read::moving, to++, 0};
            else if (kind == item::integer) {
                if (p[i + 1] >= 0) r[from] = {axis_read::fixed, 0, p[i + 1]};
                ++from;
            } else {
                const int start = p[i + 1] == slice_none ? 0 : p[i + 1];
                if (p[i + 3] == 1 && start >= 0 && start != slice_end) r[from] = {axis_read::moving, to, start};
                ++from;
                ++to;
            }
        }
        for (const int rank = g.rank(g.arg(id, 0)); from < rank;) r[from++] = {axis_read::moving, to++, 0};
    }
    static constexpr void pullback(pull_context& c);
    static constexpr void lift(const graph& g, int id, int batch, vec<int>& p) {
        for (int k = 0; k < batch; ++k) push_item(p, item::all);
        for (int v : g.params(id)) p.push(v);
    }
};

constexpr int insert_axes(graph& g, int x, view<int> items) { return g.make(info<index_>, view<int>{&x, 1}, items); }

/// The cotangent of an index: v written into zeros at the indexed places. Structural: nothing is multiplied by the zeros.
struct scatter_ {
    static constexpr auto name = "scatter";
    static constexpr auto cls = op_class::view;
    static constexpr int arity = 1;
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & is_nonnegative; }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        const vec<int> p = copy_of(c.g->params(c.node));
        const int ct = fitted(*c.g, c.cotangent, c.g->with_dtype(c.g->nodes[c.node].ty, c.g->dtype_of(c.cotangent)));  // it may have come as a fill
        c.give(0, sym{c.g, c.g->make(info<index_>, view<int>{&ct, 1}, view<int>{p.data(), p.size()})});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int t = stretched_out(g, c.tangents[0], g.nodes[c.x(0).id].ty, c.batch);
        vec<int> items;
        for (int k = 0; k < c.batch; ++k) push_item(items, item::all);
        for (int x : g.params(c.node)) items.push(x);
        const int full = g.with_dtype(with_batch(g, g.nodes[c.node].ty, t, c.batch), g.dtype_of(t));
        c.result = g.finish(info<scatter_>, view<int>{&t, 1}, view<int>{items.data(), items.size()}, full);
    }
    static constexpr void reads(const graph& g, int id, axis_read* r) {
        const view<int> p = g.params(id);
        int from = 0, to = 0;
        for (int i = 0; i < p.size(); i += item_size) {
            const item kind = static_cast<item>(p[i]);
            if (kind == item::newaxis) r[from++] = {axis_read::fixed, 0, 0};
            else if (kind == item::all) r[from++] = {axis_read::moving, to++, 0};
            else if (kind == item::integer) ++to;
            else {
                const int start = p[i + 1] == slice_none ? 0 : p[i + 1];
                if (p[i + 3] == 1 && start >= 0 && start != slice_end) r[from] = {axis_read::moving, to, -start};
                ++from;
                ++to;
            }
        }
        for (const int rank = g.rank(g.arg(id, 0)); from < rank;) r[from++] = {axis_read::moving, to++, 0};
    }
    /// Written at single places it is a mask over the positions, and no memory at all.
    static constexpr int expand(graph& g, int node);
    static constexpr vec<int> copy_of(view<int> v) {
        vec<int> r;
        for (int x : v) r.push(x);
        return r;
    }
};

constexpr bool only_newaxes(view<int> p) {
    for (int i = 0; i < p.size(); i += item_size)
        if (p[i] != static_cast<int>(item::newaxis) && p[i] != static_cast<int>(item::all)) return false;
    return true;
}

constexpr void index_::pullback(pull_context& c) {
    if (!c.wanted(0)) return;
    const int x = c.x(0).id, tx = c.g->nodes[x].ty;
    const vec<int> p = scatter_::copy_of(c.g->params(c.node));
    const view<int> items{p.data(), p.size()};
    if (only_newaxes(items)) {  // take the inserted axes out again
        const type_data ct = c.g->type_of(c.cotangent), out = c.g->type_of(c.node);
        vec<int> q;
        // the cotangent may lack leading axes: it is a fill there
        int axis = 0, skipped = out.rank - ct.rank;
        for (int i = 0; axis < out.rank; i += item_size, ++axis) {
            const bool inserted = i < items.size() && items[i] == static_cast<int>(item::newaxis);
            if (axis < skipped) continue;
            const int kind = static_cast<int>(inserted ? item::integer : item::all);
            push_item(q, kind);
        }
        c.give(0, sym{c.g, c.g->make(info<index_>, view<int>{&c.cotangent, 1}, view<int>{q.data(), q.size()})});
        return;
    }
    const int full = fitted(*c.g, c.cotangent, c.g->with_dtype(c.g->nodes[c.node].ty, c.g->dtype_of(c.cotangent)));
    c.give(0, sym{c.g, c.g->finish(info<scatter_>, view<int>{&full, 1}, items, tx)});
}

/// The items that index an operand which is broadcast to the indexed shape.
constexpr vec<int> items_for(const graph& g, view<int> p, const type_data& out, const type_data& in) {
    vec<int> r;
    const int lead = out.rank - in.rank;
    int axis = 0;
    const auto push = [&](int a, int b, int c, int d) constexpr {
        r.push(a);
        r.push(b);
        r.push(c);
        r.push(d);
    };
    for (int i = 0; i < p.size(); i += item_size) {
        if (p[i] == static_cast<int>(item::newaxis)) {
            if (axis > lead) push(p[i], 0, 0, 0);
            else if (axis == lead && in.rank > 0 && !r.empty()) push(p[i], 0, 0, 0);
            else if (axis == lead && in.rank > 0) push(p[i], 0, 0, 0);
            continue;
        }
        const int at = axis++ - lead;
        if (at < 0) continue;
        const bool stretched = g.is_one(in.ext[at]) && !g.is_one(out.ext[axis - 1]);
        if (!stretched) push(p[i], p[i + 1], p[i + 2], p[i + 3]);
        else if (p[i] == static_cast<int>(item::integer)) push(p[i], 0, 0, 0);
        else push(static_cast<int>(item::all), 0, 0, 0);
    }
    return r;
}

/// One position of an iota as a number, -1 where that is not what is indexed.
constexpr int single_position(graph& g, int x, view<int> items, int ty);

constexpr int index_::normalise(graph& g, const op_info& op, view<int> a, view<int> p, int ty) {
    const int x = a[0];
    if (const int number = single_position(g, x, p, ty); number >= 0) return number;
    bool all = true;
    for (int i = 0; i < p.size() && all; i += item_size) all = p[i] == static_cast<int>(item::all);
    if (all) return x;
    vec<int> own = scatter_::copy_of(p);
    while (own.size() > item_size && own[own.size() - item_size] == static_cast<int>(item::all)) own.resize(own.size() - item_size);
    const view<int> items{own.data(), own.size()};
    // inserted axes stay outside: the operation below is then the same node with and without them
    if (g.op(x).cls == op_class::elementwise && !only_newaxes(items)) {  // the operands are indexed instead
        const type_data out = g.type_of(x);
        const vec<int> old = scatter_::copy_of(g.args(x));
        const op_info& f = g.op(x);
        vec<int> moved;
        for (int o : old) {
            const type_data in = g.type_of(o);
            if (in.rank == 0) {
                moved.push(o);
                continue;
            }
            const vec<int> q = items_for(g, items, out, in);
            moved.push(q.empty() ? o : g.make(op, view<int>{&o, 1}, view<int>{q.data(), q.size()}));
        }
        if (&f == &info<cast_>) return fitted(g, g.cast(moved[0], g.types[ty].dt), ty);
        return fitted(g, g.make(f, view<int>{moved.data(), moved.size()}), ty);
    }
    if (g.is(x, info<broadcast_>)) {
        const int o = g.arg(x, 0);
        const type_data in = g.type_of(o);
        if (in.rank == 0) return fitted(g, o, ty);
        const vec<int> q = items_for(g, items, g.type_of(x), in);
        return fitted(g, q.empty() ? o : g.make(op, view<int>{&o, 1}, view<int>{q.data(), q.size()}), ty);
    }
    if (g.is(x, op) && g.nodes[x].nparams == items.size()) {  // reversed twice
        bool flips = true;
        for (int i = 0; i < items.size() && flips; i += item_size) {
            const bool all_of_it = items[i] == static_cast<int>(item::all);
            const bool flip = items[i] == static_cast<int>(item::slice) && items[i + 1] == slice_none && items[i + 2] == slice_none && items[i + 3] == -1;
            flips = all_of_it || flip;
            for (int k = 0; k < item_size; ++k) flips = flips && g.param(x, i + k) == items[i + k];
        }
        if (flips) return g.arg(x, 0);
    }
    if (g.is(x, op) && only_newaxes(g.params(x))) {  // an index of inserted axes: undo the insertion where that is all
        const view<int> inner = g.params(x);
        bool undone = true;
        int outer_at = 0, inner_at = 0;
        const int rank = g.rank(x);
        for (int axis = 0; axis < rank && undone; ++axis) {
            const bool inserted = inner_at < inner.size() && inner[inner_at] == static_cast<int>(item::newaxis);
            const int kind = outer_at < items.size() ? items[outer_at] : static_cast<int>(item::all);
            undone = kind == static_cast<int>(inserted ? item::integer : item::all);
            outer_at += item_size;
            inner_at += item_size;
        }
        if (undone && outer_at >= items.size()) return g.arg(x, 0);
    }
    return g.raw(op, a, items, ty);
}

template <class I>
consteval int items_of() {
    if constexpr (std::is_same_v<I, ellipsis_t>) return 0;
    else return 1;
}

template <class I> struct index_item {
    static_assert(expression<I>, "cotan: an index is c<i>, slice<...>, all, newaxis or ellipsis");
    static constexpr int values[item_size] = {0, node_of<I>::constant, 0, 0};
    static constexpr bool consumes = true;
};
template <> struct index_item<all_t> { static constexpr int values[item_size] = {3, 0, 0, 0}; static constexpr bool consumes = true; };
template <> struct index_item<newaxis_t> { static constexpr int values[item_size] = {2, 0, 0, 0}; static constexpr bool consumes = false; };
template <int B, int E, int S> struct index_item<slice_t<B, E, S>> { static constexpr int values[item_size] = {1, B, E, S}; static constexpr bool consumes = true; };
template <> struct index_item<ellipsis_t> { static constexpr int values[item_size] = {-1, 0, 0, 0}; static constexpr bool consumes = false; };

struct item_list {
    int values[4 * 2 * max_rank]{};
    int size = 0;
};

template <class... I>
consteval item_list items_list(int rank) {
    item_list r;
    const int table[][item_size] = {{index_item<I>::values[0], index_item<I>::values[1], index_item<I>::values[2], index_item<I>::values[3]}...};
    const int consumed = (0 + ... + (index_item<I>::consumes ? 1 : 0));
    for (auto& row : table) {
        if (row[0] == -1) {
            for (int k = consumed; k < rank && r.size < 2 * max_rank * 4; ++k) {
                r.values[r.size] = 3;
                r.size += 4;
            }
            continue;
        }
        for (int v : row) r.values[r.size++] = v;
    }
    return r;
}

template <int Rank, class... I>
struct index_items {
    static constexpr item_list value = items_list<I...>(Rank);
};
template <class Items, class E, std::size_t... K>
constexpr auto index_typed(E x, std::index_sequence<K...>) {
    return apply<index_, Items::value.values[K]...>(x);
}

template <class E, class... I>
constexpr auto index_expression(E e, I...) {
    static_assert(sizeof...(I) <= max_rank, "cotan: a tensor has at most 8 axes");
    if constexpr (expression<E>) {
        using items = index_items<type_of<E>::rank, I...>;
        return index_typed<items>(e, std::make_index_sequence<static_cast<std::size_t>(items::value.size)>{});
    } else {
        const item_list items = items_list<I...>(0);
        return sym{e.g, e.g->make(info<index_>, view<int>{&e.id, 1}, view<int>{items.values, items.size})};
    }
}

}  // namespace bits

/// Part of an axis: slice<start, stop, step>, as Python's start:stop:step. Negative numbers count from the end; `end` is the end, `none` leaves a bound out.
template <auto Start = bits::none_t{}, auto Stop = bits::none_t{}, auto Step = 1>
inline constexpr bits::slice_t<static_cast<int>(Start), static_cast<int>(Stop), static_cast<int>(Step)> slice{};
inline constexpr bits::end_t end{};
inline constexpr bits::none_t none{};
inline constexpr bits::all_t all{};
inline constexpr bits::newaxis_t newaxis{};
inline constexpr bits::ellipsis_t ellipsis{};

template <class N>
template <class... I>
constexpr auto wrap<N>::type::operator()(I... indices) const {
    return bits::index_expression(*this, indices...);
}

}  // namespace cotan

#endif
