#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/exp.hpp>
#include <cotan/op/iota.hpp>
#include <cotan/op/reduction.hpp>

namespace cotan {

/// Options of the running operations: from the last element to the first; each result without its own element.
struct reverse_t {};
inline constexpr reverse_t reverse{};
struct exclusive_t {};
inline constexpr exclusive_t exclusive{};

namespace bits {

/// The base of the running operations. From state = identity, along an axis: state = kernel(state, operands[t]...), and the result at t is the state
/// after this step, or before it if exclusive. Parameters: axis, reverse, exclusive.
template <class Op, int Arity = 1>
struct running {
    static constexpr auto cls = op_class::running;
    static constexpr int arity = Arity;
    static constexpr int infer(graph& g, const op_info& op, view<int> tys, view<int> p) {
        type_data t = g.types[tys[0]];
        t.dt = t.dt == dtype::boolean ? dtype::int64 : settled(t.dt);  // booleans are counted
        return p[0] < 0 || p[0] >= t.rank ? g.fail(fault::no_such_axis, op) : g.intern(t);
    }
    /// From the last to the first is the running operation of the reversed operands, reversed.
    static constexpr int expand(graph& g, int node) {
        if (!g.param(node, 1)) return node;
        const int rank = g.rank(node), axis = g.param(node, 0);
        vec<int> q;
        for (int k = 0; k < rank; ++k) push_item(q, k == axis ? item::slice : item::all, slice_none, slice_none, -1);
        const view<int> flip{q.data(), q.size()};
        const vec<int> old = scatter_::copy_of(g.args(node));
        const int p[] = {axis, 0, g.param(node, 2)};
        vec<int> x;
        for (int o : old) x.push(g.make(info<index_>, view<int>{&o, 1}, flip));
        const int forward = g.finish(info<Op>, view<int>{x.data(), x.size()}, view<int>{p, 3}, g.nodes[node].ty);
        return g.make(info<index_>, view<int>{&forward, 1}, flip);
    }
    static constexpr int with(graph& g, int x, int axis, int reverse, int exclusive) {
        const int p[] = {axis, reverse, exclusive};
        return g.make(info<Op>, view<int>{&x, 1}, view<int>{p, 3});
    }
    /// The cotangent as long as the result: it may have come as a fill.
    static constexpr int whole(pull_context& c) { return fitted(*c.g, c.cotangent, c.g->nodes[c.node].ty); }
};

/// y[t] = a[t] y[t - 1] + b[t], y[-1] = 0: what derivatives of running operations are made of, without a division.
/// Derivatives, with r the recurrence of the same a in the other direction: a result that has its own step gives b the cotangent u + r(a u) before
/// the step, one that has not gives it r(u) before the step; a gets the same times y[t - 1].
struct recurrence_ : running<recurrence_, 2> {
    static constexpr auto name = "recurrence";
    static constexpr int cost = 4;
    template <class V> static V kernel(V state, V a, V b) { return a * state + b; }
    template <class T> static constexpr T identity() { return T(0); }
    static constexpr int with(graph& g, int a, int b, int axis, int reverse, int exclusive) {
        const int x[] = {a, b}, p[] = {axis, reverse, exclusive};
        return g.make(info<recurrence_>, view<int>{x, 2}, view<int>{p, 3});
    }
    /// The operands get the result's shape and dtype; the axis is counted in that shape.
    static constexpr int desugar(graph& g, view<int> x, view<int> p) {
        if (g.untyped) return g.raw(info<recurrence_>, x, p, 0);
        const int tys[] = {g.nodes[x[0]].ty, g.nodes[x[1]].ty};
        const dtype d = settled(promote(g.types[tys[0]].dt, g.types[tys[1]].dt));
        if (d == dtype::boolean) return g.fail(fault::not_number, info<recurrence_>);
        int ty = g.broadcast(info<recurrence_>, view<int>{tys, 2}, d);
        if (ty < 0) return -1;
        ty = infer(g, info<recurrence_>, view<int>{&ty, 1}, p);
        if (ty < 0) return -1;
        const int both[] = {fitted(g, x[0], ty), fitted(g, x[1], ty)};
        return g.finish(info<recurrence_>, view<int>{both, 2}, p, ty);
    }
    static constexpr void pullback(pull_context& c) {
        graph& g = *c.g;
        const int a = c.x(0).id, b = c.x(1).id, axis = c.param(0), reverse = c.param(1), u = whole(c);
        int before = u;  // the cotangent of the state after each step
        if (c.param(2)) before = with(g, a, u, axis, !reverse, 1);
        else before = g.make(info<add_>, u, with(g, a, g.make(info<multiply_>, a, u), axis, !reverse, 1));
        c.give(1, sym{&g, before});
        if (c.wanted(0)) c.give(0, sym{&g, g.make(info<multiply_>, before, with(g, a, b, axis, reverse, 1))});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int a = c.x(0).id, axis = c.param(0), reverse = c.param(1);
        int t = c.has(1) ? c.tangents[1] : -1;
        if (c.has(0)) {
            const int moved = g.make(info<multiply_>, c.tangents[0], with(g, a, c.x(1).id, axis, reverse, 1));
            t = t < 0 ? moved : g.make(info<add_>, t, moved);
        }
        c.give(sym{&g, with(g, a, t, axis + c.batch, reverse, c.param(2))});
    }
};

/// The sums of the elements up to each. Its cotangent is the running sum in the other direction.
struct cumsum_ : running<cumsum_> {
    static constexpr auto name = "cumsum";
    static constexpr bool linear = true;
    template <class V> static V kernel(V state, V x) { return state + x; }
    template <class T> static constexpr T identity() { return T(0); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & is_nonnegative; }
    static constexpr void lift(const graph& g, int id, int batch, vec<int>& p) {
        p.push(g.param(id, 0) + batch);
        p.push(g.param(id, 1));
        p.push(g.param(id, 2));
    }
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.give(0, sym{c.g, with(*c.g, whole(c), c.param(0), !c.param(1), c.param(2))});
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int> p, int ty) {
        const int x = a[0], axis = p[0], reverse = p[1], exclusive = p[2];
        const type_data t = g.types[ty];
        if (g.dtype_of(x) != t.dt) return with(g, g.cast(x, t.dt), axis, reverse, exclusive);
        if (g.is_one(t.ext[axis])) return exclusive ? fitted(g, g.literal(0, t.dt), ty) : x;
        if (g.is(x, info<broadcast_>) && g.is(g.arg(x, 0), literal_info)) {  // a number times how many there are
            const int v = g.arg(x, 0), at = positions(g, t.ext[axis], t.dt, t.rank - 1 - axis);
            if (const double k = real_value(g, v); k - k == 0) {
                const int one = g.literal(!exclusive, t.dt);
                const int upto = g.make(info<add_>, at, one), last = g.make(info<add_>, extent_value(g, t.ext[axis], t.dt), g.literal(-exclusive, t.dt));
                return fitted(g, g.make(info<multiply_>, v, reverse ? g.make(info<subtract_>, last, at) : upto), ty);
            }
        }
        return g.raw(op, a, p, ty);
    }
};

/// The products of the elements up to each. Its derivatives are recurrences, and never divide by an element.
struct cumprod_ : running<cumprod_> {
    static constexpr auto name = "cumprod";
    template <class V> static V kernel(V state, V x) { return state * x; }
    template <class T> static constexpr T identity() { return T(1); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    /// The products before each element.
    static constexpr int earlier(graph& g, int node) {
        return g.param(node, 2) ? node : with(g, g.arg(node, 0), g.param(node, 0), g.param(node, 1), 1);
    }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        const int x = c.x(0).id, axis = c.param(0), back = !c.param(1), u = whole(c);
        int before = -1;  // the cotangent of the product after each step
        if (c.param(2)) before = recurrence_::with(g, x, u, axis, back, 1);
        else before = g.make(info<add_>, u, recurrence_::with(g, x, g.make(info<multiply_>, x, u), axis, back, 1));
        c.give(0, sym{&g, g.make(info<multiply_>, before, earlier(g, c.node))});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int t = g.make(info<multiply_>, c.tangents[0], earlier(g, c.node));
        c.give(sym{&g, recurrence_::with(g, c.x(0).id, t, c.param(0) + c.batch, c.param(1), c.param(2))});
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int> p, int ty) {
        const int x = a[0];
        const dtype d = g.types[ty].dt;
        if (g.dtype_of(x) != d) return with(g, g.cast(x, d), p[0], p[1], p[2]);
        if (g.is_one(g.types[ty].ext[p[0]])) return p[2] ? fitted(g, g.literal(1, d), ty) : x;
        if (g.is(x, info<exp_>)) return g.make(info<exp_>, cumsum_::with(g, g.arg(x, 0), p[0], p[1], p[2]));
        return g.raw(op, a, p, ty);
    }
};

template <class... O> inline constexpr int is_reverse = (0 | ... | int(std::is_same_v<O, reverse_t>));
template <class... O> inline constexpr int is_exclusive = (0 | ... | int(std::is_same_v<O, exclusive_t>));

template <class O>
concept running_option = std::is_same_v<O, reverse_t> || std::is_same_v<O, exclusive_t>;

constexpr int axis_from(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

template <class Op, int Axis, class... O, class... A>
constexpr auto run_along(A... x) {
    constexpr int ranks[] = {type_of<A>::rank...};
    constexpr int rank = ranks[0] > ranks[sizeof...(A) - 1] ? ranks[0] : ranks[sizeof...(A) - 1];
    return apply<Op, axis_from(Axis, rank), is_reverse<O...>, is_exclusive<O...>>(x...);
}

}  // namespace bits

/// The sums of the elements along an axis up to each. cumsum(x, axis<0>, reverse, exclusive): from the end, and without the element itself.
template <operand A, int K, bits::running_option... O> constexpr auto cumsum(A x, axis_t<K>, O...) { return bits::run_along<bits::cumsum_, K, O...>(x); }
/// The products of the elements along an axis up to each.
template <operand A, int K, bits::running_option... O> constexpr auto cumprod(A x, axis_t<K>, O...) { return bits::run_along<bits::cumprod_, K, O...>(x); }
/// y[t] = a[t] y[t - 1] + b[t] along an axis of the operands' common shape, from y = 0 before the first.
template <operand A, operand B, int K, bits::running_option... O>
constexpr auto recurrence(A a, B b, axis_t<K>, O...) {
    return bits::run_along<bits::recurrence_, K, O...>(a, b);
}
/// Of a vector, its one axis.
template <operand A, bits::running_option... O> constexpr auto cumsum(A x, O... o) { return cotan::cumsum(x, axis<0>, o...); }
template <operand A, bits::running_option... O> constexpr auto cumprod(A x, O... o) { return cotan::cumprod(x, axis<0>, o...); }

}  // namespace cotan

#endif
