#pragma once

#include <cotan/diff/differentiate.hpp>
#include <cotan/op/operations.hpp>
#include <cotan/core/input.hpp>

namespace cotan {

/// Several expressions that are asked for together; packs in packs are flattened by function(...).
template <class... E>
struct pack {
    static constexpr std::size_t size = sizeof...(E);
};

namespace bits {

template <class T> inline constexpr bool is_pack = false;
template <class... E> inline constexpr bool is_pack<pack<E...>> = true;

/// Names what is differentiated by.
template <class... X> struct wrt_t {};

/// The nodes that the typed graph holds for derivatives. They are expanded when a function is compiled, after the primal was rewritten.
struct derivative_node {
    static constexpr auto cls = op_class::derivative;
    static constexpr bool explicit_type = true;
    static constexpr int build(graph& g, const op_info& op, view<int> a, view<int> p, int ty) { return g.raw(op, a, p, ty); }
};
/// operands y, x, cotangent of y: the cotangent of x.
struct pull_ : derivative_node {
    static constexpr auto name = "pullback";
    static constexpr int arity = 3;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return derivative_node::build(g, info<pull_>, a, p, ty); }
};
/// operands y, x1.., and as many tangents: the tangent of y.
struct push_ : derivative_node {
    static constexpr auto name = "pushforward";
    static constexpr int arity = -1;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return derivative_node::build(g, info<push_>, a, p, ty); }
};
/// operands y, x: the Jacobian, its axes those of y and then those of x.
struct jacobian_ : derivative_node {
    static constexpr auto name = "jacobian";
    static constexpr int arity = 2;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return derivative_node::build(g, info<jacobian_>, a, p, ty); }
};

/// The unit directions of x: a tangent with x's axes twice, the first as the directions.
constexpr int unit_tangents(rewriter& g, int x) {
    const type_data t = g.type_of(x);
    int mask = -1;
    for (int k = 0; k < t.rank; ++k) {
        const auto at = [&](int axis) constexpr { return positions(g, t.ext[k], t.dt, 2 * t.rank - 1 - axis); };
        const int same = g.make(info<equal_>, at(k), at(t.rank + k));
        mask = mask < 0 ? same : g.make(info<logical_and_>, mask, same);
    }
    const int one = g.literal(1, t.dt);
    return mask < 0 ? one : g.make(info<masked_>, mask, one);
}

constexpr int zero_of(graph& g, int ty) { return fitted(g, g.literal(0, g.types[ty].dt), ty); }

/// The pullbacks of a graph, those of the same value at the same cotangent in chains.
struct pull_families {
    struct member {
        int node, next;
    };
    vec<member> members;
    int_table table;  // of the first members
    vec<int> heads, heads_hash, last;

    constexpr void add(const graph& g, int id) {
        const int y = g.arg(id, 0), ct = g.arg(id, 2);
        const unsigned h = mix(static_cast<unsigned>(y), static_cast<unsigned>(ct));
        const int at = members.push({id, -1});
        table.take_in(heads.size(), [&](int i) constexpr { return static_cast<unsigned>(heads_hash[i]); });
        const int found = table.find(h, [&](int i) constexpr { return g.arg(members[heads[i]].node, 0) == y && g.arg(members[heads[i]].node, 2) == ct; });
        if (found < 0) {
            heads.push(at);
            heads_hash.push(static_cast<int>(h));
            last.push(at);
        } else {
            members[last[found]].next = at;
            last[found] = at;
        }
    }
    /// The members of a node's family from it on. Its nodes were added in the order of their ids.
    constexpr vec<int> after(int id) const {
        int low = 0, high = members.size();
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (members[middle].node <= id) low = middle;
            else high = middle;
        }
        vec<int> r;
        for (int m = low; m >= 0; m = members[m].next) r.push(members[m].node);
        return r;
    }
};

/// Copies what the roots reach into a rewriter, each node simplified, each derivative expanded once its primal is.
constexpr vec<int> expand_into(rewriter& to, const graph& from, view<int> roots) {
    const vec<unsigned char> live = reachable(from, roots);
    vec<int> at(live.size(), -1);
    vec<int> uses(live.size(), 0);
    pull_families families;
    for (int id = 0; id < live.size(); ++id) {
        if (!live[id]) continue;
        for (int a : from.args(id)) ++uses[a];
        if (from.is(id, info<pull_>)) families.add(from, id);
    }
    vec<int> answered;  // cotangents that one sweep found for several nodes
    for (int id = 0; id < live.size(); ++id) {
        if (!live[id]) continue;
        const op_info& op = from.op(id);
        const int n = from.nodes[id].nargs, ty = from.nodes[id].ty;
        vec<int> a;
        for (int i = 0; i < n; ++i) a.push(at[from.arg(id, i)]);
        if (op.cls == op_class::derivative) {
            int r = -1;
            if (&op == &info<pull_>) {
                if (answered.empty()) answered.resize(live.size(), -2);
                if (answered[id] == -2) {  // one sweep for all that ask for cotangents of the same pullback
                    const int ct = to.cast(a[2], to.dtype_of(a[0]));
                    const vec<int> members = families.after(id);
                    vec<int> by, who;
                    for (int m : members)
                        if (from.arg(m, 1) < id) {
                            by.push(at[from.arg(m, 1)]);
                            who.push(m);
                        }
                    const vec<int> found = pull_back(to, a[0], ct, view<int>{by.data(), by.size()});
                    for (int i = 0; i < who.size(); ++i) answered[who[i]] = found[i];
                }
                r = answered[id];
            } else if (&op == &info<push_>) {
                const int k = (n - 1) / 2;
                vec<int> x, t;
                for (int i = 0; i < k; ++i) {
                    x.push(a[1 + i]);
                    t.push(to.cast(a[1 + k + i], to.dtype_of(a[1 + i])));
                }
                r = push_forward(to, view<int>{&a[0], 1}, view<int>{x.data(), k}, view<int>{t.data(), k}, 0)[0];
            } else {
                const int e = unit_tangents(to, a[1]), rx = to.rank(a[1]), ry = to.rank(a[0]);
                r = push_forward(to, view<int>{&a[0], 1}, view<int>{&a[1], 1}, view<int>{&e, 1}, rx)[0];
                if (r >= 0) {
                    vec<int> perm;
                    for (int k = 0; k < ry; ++k) perm.push(rx + k);
                    for (int k = 0; k < rx; ++k) perm.push(k);
                    type_data full;  // the tangent may be narrower: a fill
                    full.dt = to.dtype_of(r);
                    const type_data tx = to.type_of(a[1]), tyy = to.type_of(a[0]);
                    for (int k = 0; k < rx; ++k) full.ext[full.rank++] = tx.ext[k];
                    for (int k = 0; k < ry; ++k) full.ext[full.rank++] = tyy.ext[k];
                    r = fitted(to, r, to.intern(full));
                    r = to.make(info<transpose_>, view<int>{&r, 1}, view<int>{perm.data(), perm.size()});
                }
            }
            at[id] = r < 0 ? zero_of(to, ty) : fitted(to, r, ty);
            continue;
        }
        if (op.cls == op_class::leaf) {
            const vec<int> p = rewriter::copy(from.params(id));
            at[id] = to.raw(op, {}, view<int>{p.data(), p.size()}, ty, from.nodes[id].bits);
            if (&op == &literal_info) to.nodes[at[id]].facts = from.nodes[id].facts;
        } else {
            const vec<int> p = rewriter::copy(from.params(id));
            at[id] = to.finish(op, view<int>{a.data(), n}, view<int>{p.data(), p.size()}, ty);
            if (uses[id] > 1) to.share(at[id]);
        }
    }
    vec<int> result;
    for (int r : roots) result.push(at[r]);
    return result;
}

template <class Y, class X>
struct gradient_check {
    using checked = void;
    static_assert(type_of<Y>::rank == 0, "cotan: grad takes the gradient of a scalar, and this expression has axes: write jacobian(y, x), pullback(y, x, cotangent), or "
                                         "grad(sum(y), x)");
    static_assert(type_of<Y>::rank != 0 || is_real(type_of<Y>::dt), "cotan: grad takes the gradient of a float or double, and this expression is an integer or bool");
};
template <class X>
struct wrt_check {
    using checked = void;
    static_assert(is_real(type_of<X>::dt), "cotan: a gradient with respect to an integer or bool does not exist: declare the input as float or double");
};
template <class Y, class V, class Where>
struct tangent_check {
    using checked = void;
    static constexpr bool fits = broadcast_check_value<type_of<V>, type_of<Y>>();
    static_assert(fits, "cotan: a tangent or cotangent has the extents of what it belongs to (or broadcasts to them)");
};

template <class Y, class X, class Ct>
constexpr auto pull_one(Y, X, Ct) {
    if constexpr (is_real(type_of<X>::dt)) return handle<node<pull_, params<>, type_of<X>, node_of<Y>, node_of<X>, node_of<Ct>>>{};
    else return X{};
}

template <class D, class A, class B> struct joined;
template <dtype DA, class... A, dtype DB, class... B>
struct joined<void, ty<DA, A...>, ty<DB, B...>> {
    using type = ty<settled(DA), A..., B...>;
};

}  // namespace bits

/// Names several expressions to differentiate by; the result is a pack in the same order.
template <expression... X> constexpr auto wrt(X...) { return bits::wrt_t<X...>{}; }
/// Several results of a function.
template <class... E> constexpr auto outputs(E...) { return pack<E...>{}; }

/// The cotangent of x for a cotangent of y: the transposed Jacobian times it. x may be any expression inside y. Zero where y does not depend on x.
template <expression Y, expression X, expression Ct>
constexpr auto pullback(Y y, X x, Ct ct) {
    static_assert(std::is_void_v<typename bits::wrt_check<X>::checked>);
    static_assert(std::is_void_v<typename bits::tangent_check<Y, Ct, X>::checked>);
    return bits::pull_one(y, x, ct);
}
template <expression Y, expression... X, expression Ct>
constexpr auto pullback(Y y, bits::wrt_t<X...>, Ct ct) {
    return pack<decltype(cotan::pullback(y, X{}, ct))...>{};
}
/// The gradient of a scalar expression.
template <expression Y, expression X>
constexpr auto grad(Y y, X x) {
    static_assert(std::is_void_v<typename bits::gradient_check<Y, X>::checked>);
    static_assert(std::is_void_v<typename bits::wrt_check<X>::checked>);
    if constexpr (type_of<Y>::rank != 0) return x;
    else return bits::pull_one(y, x, c<1>);
}
template <expression Y, expression... X>
constexpr auto grad(Y, bits::wrt_t<X...>) {
    return pack<decltype(cotan::grad(Y{}, X{}))...>{};
}
/// The value and the gradient, in this order.
template <expression Y, expression X>
constexpr auto value_and_grad(Y y, X x) {
    return pack<Y, decltype(cotan::grad(y, x))>{};
}
template <expression Y, expression... X>
constexpr auto value_and_grad(Y, bits::wrt_t<X...>) {
    return pack<Y, decltype(cotan::grad(Y{}, X{}))...>{};
}
/// The tangent of y along a tangent of x: the Jacobian times it.
template <expression Y, expression X, expression T>
constexpr auto pushforward(Y, X, T) {
    static_assert(std::is_void_v<typename bits::wrt_check<X>::checked>);
    static_assert(std::is_void_v<typename bits::tangent_check<X, T, Y>::checked>);
    return bits::handle<bits::node<bits::push_, bits::params<>, type_of<Y>, node_of<Y>, node_of<X>, node_of<T>>>{};
}
/// The tangent of y along tangents of several expressions: pushforward(y, wrt(x, w), outputs(tx, tw)).
template <expression Y, expression... X, expression... T>
constexpr auto pushforward(Y, bits::wrt_t<X...>, pack<T...>) {
    static_assert(sizeof...(X) == sizeof...(T), "cotan: pushforward takes one tangent for each expression in wrt(...)");
    return bits::handle<bits::node<bits::push_, bits::params<>, type_of<Y>, node_of<Y>, node_of<X>..., node_of<T>...>>{};
}
/// The Jacobian: the axes of y, then those of x.
template <expression Y, expression X>
constexpr auto jacobian(Y, X) {
    static_assert(std::is_void_v<typename bits::wrt_check<X>::checked>);
    using t = typename bits::joined<void, type_of<Y>, type_of<X>>::type;
    return bits::handle<bits::node<bits::jacobian_, bits::params<>, t, node_of<Y>, node_of<X>>>{};
}
/// The Hessian of a scalar: the axes of x twice.
template <expression Y, expression X>
constexpr auto hessian(Y y, X x) {
    return jacobian(cotan::grad(y, x), x);
}
/// The Hessian of a scalar times a vector of x's shape.
template <expression Y, expression X, expression V>
constexpr auto hvp(Y y, X x, V v) {
    return pushforward(cotan::grad(y, x), x, v);
}

}  // namespace cotan
