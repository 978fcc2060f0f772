#pragma once

#include <cotan/diff/derive.hpp>
#include <cotan/diff/replace.hpp>
#include <cotan/op/operations.hpp>
#include <cotan/core/input.hpp>
#include <cotan/core/type_list.hpp>

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
/// operands x, then ys and their cotangents in pairs, then nodes whose cotangents are known, in pairs: the cotangent of x. Parameter: how many ys.
struct pull_many_ : derivative_node {
    static constexpr auto name = "pullback";
    static constexpr int arity = -1;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return derivative_node::build(g, info<pull_many_>, a, p, ty); }
};
/// operands y, x1.., and as many tangents: the tangent of y.
struct push_ : derivative_node {
    static constexpr auto name = "pushforward";
    static constexpr int arity = -1;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return derivative_node::build(g, info<push_>, a, p, ty); }
};
/// Which sweeps make a Jacobian.
enum class sweeps : int { cheaper, forward, reverse };

/// operands y, x: the Jacobian, its axes those of y and then those of x. Parameter: the sweeps.
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

/// operands y, x of one shape: the elements of the Jacobian where the places are the same.
struct diagonal_ : derivative_node {
    static constexpr auto name = "diagonal of the jacobian";
    static constexpr int arity = 2;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return derivative_node::build(g, info<diagonal_>, a, p, ty); }
    static constexpr int expand_derivative(rewriter& g, int y, int x, view<int>);
};

/// The number of elements, -1 where it is only known at run time.
constexpr std::int64_t elements_of(const graph& g, const type_data& t) {
    std::int64_t n = 1;
    for (int k = 0; k < t.rank; ++k) {
        if (g.extents[t.ext[k]].kind != extent_kind::fixed) return -1;
        n *= g.extents[t.ext[k]].value;
    }
    return n;
}

/// Reverse sweeps where y is known to have fewer elements. A number that is only known at run time counts as larger than any other.
constexpr bool reverse_is_cheaper(const graph& g, int y, int x) {
    const std::int64_t ny = elements_of(g, g.type_of(y)), nx = elements_of(g, g.type_of(x));
    return ny >= 0 && (nx < 0 || ny < nx);
}

/// The Jacobian by one forward sweep along all unit directions of x at once.
constexpr int forward_jacobian(rewriter& g, int y, int x) {
    const int e = unit_tangents(g, x), rx = g.rank(x), ry = g.rank(y);
    const int r = push_forward(g, view<int>{&y, 1}, view<int>{&x, 1}, view<int>{&e, 1}, rx)[0];
    if (r < 0) return -1;
    vec<int> perm;
    for (int k = 0; k < ry; ++k) perm.push(rx + k);
    for (int k = 0; k < rx; ++k) perm.push(k);
    type_data full;  // the tangent may be narrower: a fill
    full.dt = g.dtype_of(r);
    const type_data tx = g.type_of(x), ty = g.type_of(y);
    for (int k = 0; k < rx; ++k) full.ext[full.rank++] = tx.ext[k];
    for (int k = 0; k < ry; ++k) full.ext[full.rank++] = ty.ext[k];
    const int whole = fitted(g, r, g.intern(full));
    return g.make(info<transpose_>, view<int>{&whole, 1}, view<int>{perm.data(), perm.size()});
}

/// The Jacobian by one reverse sweep with all unit cotangents of y at once: the pullback, which is linear in y's cotangent, at these.
constexpr int reverse_jacobian(rewriter& g, int y, int x) {
    const int u = variable(g, seed_variable, y, g.nodes[y].ty);
    const int ct = pull_back(g, y, u, view<int>{&x, 1})[0];
    if (ct < 0) return -1;
    const int e = unit_tangents(g, y);
    return put_in(g, fitted(g, ct, g.nodes[x].ty), view<int>{&u, 1}, view<int>{&e, 1}, g.rank(y));
}

constexpr int diagonal_::expand_derivative(rewriter& g, int y, int x, view<int>) {
    const int J = forward_jacobian(g, y, x), rank = g.rank(x);
    if (J < 0 || rank == 0) return J;
    const type_data t = g.type_of(J);
    int mask = -1;
    for (int k = 0; k < rank; ++k) {
        const int same = g.make(info<equal_>, positions(g, t.ext[k], t.dt, 2 * rank - 1 - k), positions(g, t.ext[rank + k], t.dt, rank - 1 - k));
        mask = mask < 0 ? same : g.make(info<logical_and_>, mask, same);
    }
    const int there = g.make(info<masked_>, mask, J), axes = ((1 << rank) - 1) << rank;
    return g.make(info<sum_>, view<int>{&there, 1}, view<int>{&axes, 1});
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

/// Copies a graph into a rewriter: each node simplified, each derivative expanded once its primal is.
struct expansion {
    rewriter& to;
    const graph& from;
    vec<int> uses;
    pull_families families;
    vec<int> answered;             // cotangents that one sweep found for several nodes; -2: none yet
    const vec<int>* whole = nullptr;  // where nodes stand outside of all functions of inner values

    constexpr expansion(rewriter& to_, const graph& from_, view<unsigned char> live) : to(to_), from(from_), uses(live.size(), 0) {
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id]) continue;
            for (int a : from.args(id)) ++uses[a];
            if (from.is(id, info<pull_>) && from.op(from.arg(id, 1)).cls == op_class::leaf) families.add(from, id);
        }
        answered.resize(live.size(), -2);
    }
    /// One sweep for all that ask for cotangents of the same pullback.
    constexpr int pulled(int id, const vec<int>& at) {
        if (answered[id] != -2) return answered[id];
        const int y = at[from.arg(id, 0)], ct = to.cast(at[from.arg(id, 2)], to.dtype_of(y));
        vec<int> by, who;
        for (int m : families.after(id))
            if (from.arg(m, 1) < id) {
                by.push(at[from.arg(m, 1)]);
                who.push(m);
            }
        const vec<int> found = pull_back(to, view<int>{&y, 1}, view<int>{&ct, 1}, view<int>{by.data(), by.size()});
        for (int i = 0; i < who.size(); ++i) answered[who[i]] = found[i];
        return answered[id];
    }

    /// `id` as a function of other nodes: they are cut off, so that no rewriting makes one value of them and what they are used in.
    constexpr int over(int id, view<int> cut, view<int> variables, const vec<int>& at) {
        vec<int> own = at;
        vec<unsigned char> on(id + 1, 0);
        for (int i = 0; i < cut.size(); ++i) {
            if (cut[i] > id) continue;
            on[cut[i]] = 1;
            own[cut[i]] = variables[i];
        }
        const vec<unsigned char> live = reachable(from, view<int>{&id, 1});
        for (int n = 0; n <= id; ++n) {
            if (!live[n] || on[n]) continue;
            for (int a : from.args(n))
                if (on[a]) on[n] = 2;
            if (on[n]) own[n] = make(n, own);
        }
        return own[id];
    }

    /// Operands `at` an index: which of them a derivative is taken by, as variables where they are values inside.
    struct inner {
        vec<int> cut, variables, values;
        constexpr int by(expansion& e, int x, const vec<int>& at) {
            if (e.from.op(x).cls == op_class::leaf) return at[x];
            for (int i = 0; i < cut.size(); ++i)
                if (cut[i] == x) return variables[i];
            cut.push(x);
            variables.push(variable(e.to, cut_variable, at[x], e.to.nodes[at[x]].ty));
            values.push(at[x]);
            return variables[variables.size() - 1];
        }
        constexpr int of(expansion& e, int y, const vec<int>& at) const {
            return cut.empty() ? at[y] : e.over(y, view<int>{cut.data(), cut.size()}, view<int>{variables.data(), variables.size()}, at);
        }
        constexpr int back(expansion& e, int r) const {
            return cut.empty() ? r : substitute(e.to, r, view<int>{variables.data(), variables.size()}, view<int>{values.data(), values.size()});
        }
    };

    constexpr int derivative(int id, const vec<int>& at) {
        const op_info& op = from.op(id);
        const int n = from.nodes[id].nargs, ty = from.nodes[id].ty;
        const auto a = [&](int i) constexpr { return from.arg(id, i); };
        inner in;
        int r = -1;
        if (&op == &info<pull_>) {
            if (&at == whole && from.op(a(1)).cls == op_class::leaf) r = pulled(id, at);
            else {
                const int x = in.by(*this, a(1), at), y = in.of(*this, a(0), at);
                r = pull_back(to, y, to.cast(at[a(2)], to.dtype_of(y)), view<int>{&x, 1})[0];
            }
        } else if (&op == &info<pull_many_>) {
            const int x = in.by(*this, a(0), at), k = from.param(id, 0);
            inner hidden = in;  // what has a known cotangent is cut off too, except in itself
            for (int i = 1 + 2 * k; i < n; i += 2) (void)hidden.by(*this, a(i), at);
            vec<int> y, ct;
            for (int i = 1; i < n; i += 2) {
                inner others = i < 1 + 2 * k ? hidden : in;
                for (int j = 1 + 2 * k; j < n && i >= 1 + 2 * k; j += 2)
                    if (a(j) != a(i)) (void)others.by(*this, a(j), at);
                y.push(others.of(*this, a(i), at));
                ct.push(fitted(to, at[a(i + 1)], to.nodes[y.back()].ty));
            }
            r = pull_back(to, view<int>{y.data(), y.size()}, view<int>{ct.data(), ct.size()}, view<int>{&x, 1})[0];
            in = hidden;
        } else if (&op == &info<push_>) {
            const int k = (n - 1) / 2;
            vec<int> x, t;
            for (int i = 0; i < k; ++i) {
                x.push(in.by(*this, a(1 + i), at));
                t.push(to.cast(at[a(1 + k + i)], to.dtype_of(x.back())));
            }
            const int y = in.of(*this, a(0), at);
            r = push_forward(to, view<int>{&y, 1}, view<int>{x.data(), k}, view<int>{t.data(), k}, 0)[0];
        } else if (op.derivative) {
            const int x = in.by(*this, a(1), at), y = in.of(*this, a(0), at);
            const vec<int> p = rewriter::copy(from.params(id));
            r = op.derivative(to, y, x, view<int>{p.data(), p.size()});
        } else {
            const int x = in.by(*this, a(1), at), y = in.of(*this, a(0), at);
            const sweeps how = from.nodes[id].nparams ? static_cast<sweeps>(from.param(id, 0)) : sweeps::cheaper;
            const bool reverse = how == sweeps::reverse || (how == sweeps::cheaper && reverse_is_cheaper(to, y, x));
            r = reverse ? reverse_jacobian(to, y, x) : forward_jacobian(to, y, x);
        }
        r = in.back(*this, r);
        return r < 0 ? zero_of(to, ty) : fitted(to, r, ty);
    }

    /// The node in the rewriter, from its operands there.
    constexpr int make(int id, const vec<int>& at) {
        const op_class cls = from.op(id).cls;
        if (cls == op_class::derivative) return derivative(id, at);
        const int made = to.take_over(from, id, at);
        if (cls != op_class::leaf && uses[id] > 1) to.share(made);
        return made;
    }
};

/// Copies what the roots reach into a rewriter, each node simplified, each derivative expanded once its primal is.
constexpr vec<int> expand_into(rewriter& to, const graph& from, view<int> roots) {
    const vec<unsigned char> live = reachable(from, roots);
    vec<int> at(live.size(), -1);
    expansion e(to, from, view<unsigned char>{live.data(), live.size()});
    e.whole = &at;
    for (int id = 0; id < live.size(); ++id)
        if (live[id]) at[id] = e.make(id, at);
    vec<int> result;
    for (int r : roots) result.push(at[r]);
    if (!to.better.empty()) return replace_primals(to, view<int>{result.data(), result.size()});
    return result;
}

/// Whether the pullback from Y to X is structurally zero.
template <class Y, class X>
consteval bool disconnected_by() {
    if (!is_real(type_of<Y>::dt) || !is_real(type_of<X>::dt)) return true;
    graph source;
    lowering l(source);
    const int x = variable(source, cut_variable, 0, type_of<X>::lower(source));
    l.store(visitor{node_of<X>::hash, &node_of<X>::build}, x);
    const int both[] = {l.template operator()<node_of<Y>>(), x};
    rewriter g;
    g.types = source.types;
    g.extents = source.extents;
    const vec<int> roots = expand_into(g, source, view<int>{both, 2});
    const int ct = variable(g, cotangent_variable, roots[0], g.nodes[roots[0]].ty);
    return pull_back(g, roots[0], ct, view<int>{&roots[1], 1})[0] < 0;
}

template <class Y, class List> struct connection_check;
template <class Y, class... X>
struct connection_check<Y, type_list<X...>> {
    using checked = void;
    static_assert((!disconnected_by<Y, X>() && ...), "cotan: the gradient is disconnected: the expression does not depend on what it is differentiated by in a way that has derivatives; "
                                            "without disconnected::refuse such a gradient is zero");
};

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

/// What derivatives are taken by: an expression, or packs of them.
template <class X> inline constexpr bool is_wrt = false;
template <class... X> inline constexpr bool is_wrt<wrt_t<X...>> = true;
template <class X> concept target = expression<X> || is_wrt<X> || is_pack<X>;
template <class X> concept target_pack = is_wrt<X> || is_pack<X>;

template <class... A> struct joined_lists;
template <> struct joined_lists<> { using type = type_list<>; };
template <class... A> struct joined_lists<type_list<A...>> { using type = type_list<A...>; };
template <class... A, class... B, class... Rest> struct joined_lists<type_list<A...>, type_list<B...>, Rest...> : joined_lists<type_list<A..., B...>, Rest...> {};
template <class X> struct leaves { using type = type_list<X>; };
template <class... X> struct leaves<wrt_t<X...>> : joined_lists<typename leaves<X>::type...> {};
template <class... X> struct leaves<pack<X...>> : joined_lists<typename leaves<X>::type...> {};
template <class X> using leaves_of = typename leaves<X>::type;

/// F at each leaf of a structure: the results in packs of the same structure.
template <class F, class X> struct over { using type = typename F::template at<X>; };
template <class F, class... X> struct over<F, wrt_t<X...>> { using type = pack<typename over<F, X>::type...>; };
template <class F, class... X> struct over<F, pack<X...>> { using type = pack<typename over<F, X>::type...>; };

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

template <class Y>
struct gradient_at {
    template <class X>
    static constexpr auto make() {
        static_assert(std::is_void_v<typename gradient_check<Y, X>::checked>);
        static_assert(std::is_void_v<typename wrt_check<X>::checked>);
        if constexpr (type_of<Y>::rank != 0) return X{};
        else return bits::pull_one(Y{}, X{}, c<1>);
    }
    template <class X> using at = decltype(make<X>());
};
template <class Y, class Ct>
struct pullback_at {
    template <class X>
    static constexpr auto make() {
        static_assert(std::is_void_v<typename wrt_check<X>::checked>);
        static_assert(std::is_void_v<typename tangent_check<Y, Ct, X>::checked>);
        return bits::pull_one(Y{}, X{}, Ct{});
    }
    template <class X> using at = decltype(make<X>());
};
/// Of several results: H are nodes and Hct their known cotangents.
template <class Ys, class Cts, class Hs, class Hcts> struct pullbacks_at;
template <class... Y, class... Ct, class... H, class... Hct>
struct pullbacks_at<type_list<Y...>, type_list<Ct...>, type_list<H...>, type_list<Hct...>> {
    template <class X, class List> struct made;
    template <class X, class... N> struct made<X, type_list<N...>> {
        using type = handle<node<pull_many_, params<static_cast<int>(sizeof...(Y))>, type_of<X>, node_of<X>, N...>>;
    };
    template <class X>
    static constexpr auto make() {
        static_assert(std::is_void_v<typename wrt_check<X>::checked>);
        static_assert((std::is_void_v<typename tangent_check<Y, Ct, X>::checked> && ...));
        static_assert((std::is_void_v<typename tangent_check<H, Hct, X>::checked> && ...));
        if constexpr (is_real(type_of<X>::dt))
            return typename made<X, typename joined_lists<type_list<node_of<Y>, node_of<Ct>>..., type_list<node_of<H>, node_of<Hct>>...>::type>::type{};
        else return X{};
    }
    template <class X> using at = decltype(make<X>());
};
template <class Xs, class Ts> struct pushforward_along;
template <class... X, class... T>
struct pushforward_along<type_list<X...>, type_list<T...>> {
    static_assert(sizeof...(X) == sizeof...(T), "cotan: pushforward takes one tangent for each expression in wrt(...), in outputs(...)");
    template <class Y>
    static constexpr auto make() {
        if constexpr (sizeof...(X) == sizeof...(T)) {
            static_assert((std::is_void_v<typename wrt_check<X>::checked> && ...));
            static_assert((std::is_void_v<typename tangent_check<X, T, Y>::checked> && ...));
            return handle<node<push_, params<>, type_of<Y>, node_of<Y>, node_of<X>..., node_of<T>...>>{};
        } else return Y{};
    }
    template <class Y> using at = decltype(make<Y>());
};
template <class Y, sweeps How>
struct jacobian_at {
    template <class X>
    static constexpr auto make() {
        static_assert(std::is_void_v<typename wrt_check<X>::checked>);
        using t = typename joined<void, type_of<Y>, type_of<X>>::type;
        using how = std::conditional_t<How == sweeps::cheaper, params<>, params<static_cast<int>(How)>>;
        return handle<node<jacobian_, how, t, node_of<Y>, node_of<X>>>{};
    }
    template <class X> using at = decltype(make<X>());
};
template <class X, sweeps How>
struct jacobian_of {
    template <class Y> using at = typename over<jacobian_at<Y, How>, X>::type;
};
template <class Y, class X>
struct hessian_at {
    template <class X1> using at = typename over<jacobian_at<typename gradient_at<Y>::template at<X1>, sweeps::cheaper>, X>::type;
};

template <class Y, class X>
struct diagonal_check {
    using checked = void;
    static constexpr bool same = [] {
        graph g;
        return g.same_shape(type_of<Y>::lower(g), type_of<X>::lower(g));
    }();
    static_assert(same, "cotan: a Jacobian has a diagonal where the result and what it is differentiated by have the same extents: write jacobian(y, x)");
};
template <class T> struct settled_like;
template <dtype D, class... E> struct settled_like<ty<D, E...>> { using type = ty<settled(D), E...>; };

/// A node and the cotangent that it is known to have.
template <class H, class Ct> struct known_t {};

}  // namespace bits

/// Names several expressions, or packs of them, to differentiate by; the result is a pack of the same structure.
template <bits::target... X> constexpr auto wrt(X...) { return bits::wrt_t<X...>{}; }
/// Several results of a function.
template <class... E> constexpr auto outputs(E...) { return pack<E...>{}; }

/// The cotangent of x for a cotangent of y: the transposed Jacobian times it. x may be any expression inside y, or wrt(...) of several. Zero where y does
/// not depend on x.
template <expression Y, bits::target X, expression Ct>
constexpr auto pullback(Y, X, Ct) {
    return typename bits::over<bits::pullback_at<Y, Ct>, X>::type{};
}
/// The same of several results, each with its cotangent: one reverse sweep. Results may be any expressions, so this is also how derivatives go on from
/// cotangents that are known at inner nodes.
template <bits::target_pack Ys, bits::target X, bits::target_pack Cts>
constexpr auto pullback(Ys, X, Cts) {
    using ys = bits::leaves_of<Ys>;
    using cts = bits::leaves_of<Cts>;
    static_assert(ys::size == cts::size, "cotan: pullback takes one cotangent for each result, in outputs(...)");
    if constexpr (ys::size == cts::size) return typename bits::over<bits::pullbacks_at<ys, cts, bits::type_list<>, bits::type_list<>>, X>::type{};
    else return X{};
}
/// The gradient of a scalar expression.
template <expression Y, bits::target X>
constexpr auto grad(Y, X) {
    return typename bits::over<bits::gradient_at<Y>, X>::type{};
}
/// The cotangent of the inner node h is ct, whatever stands above it: for grad(loss, x, known(h, ct)).
template <expression H, expression Ct>
constexpr auto known(H, Ct) {
    return bits::known_t<H, Ct>{};
}
template <expression Y, bits::target X, class... H, class... Ct>
    requires(sizeof...(H) > 0)
constexpr auto grad(Y, X, bits::known_t<H, Ct>...) {
    static_assert(std::is_void_v<typename bits::gradient_check<Y, X>::checked>);
    using one = std::remove_const_t<decltype(c<1>)>;
    if constexpr (type_of<Y>::rank == 0)
        return typename bits::over<bits::pullbacks_at<bits::type_list<Y>, bits::type_list<one>, bits::type_list<H...>, bits::type_list<Ct...>>, X>::type{};
    else return X{};
}
/// Whether y does not depend on x in a way that has derivatives: not at all, or only through stop_gradient, comparisons, integers, rounding. A question to
/// the compiler: static_assert(!is_disconnected(loss, w)).
template <expression Y, expression X>
consteval bool is_disconnected(Y, X) {
    return bits::disconnected_by<Y, X>();
}

/// What becomes of a gradient by something that the result does not depend on.
namespace disconnected {
struct zero_t {};
struct refuse_t {};
/// It is zero, which is what grad(y, x) says too.
inline constexpr zero_t zero{};
/// It is an error of the compiler.
inline constexpr refuse_t refuse{};
}  // namespace disconnected

template <expression Y, bits::target X>
constexpr auto grad(Y y, X x, disconnected::zero_t) {
    return cotan::grad(y, x);
}
template <expression Y, bits::target X>
constexpr auto grad(Y y, X x, disconnected::refuse_t) {
    static_assert(std::is_void_v<typename bits::connection_check<Y, bits::leaves_of<X>>::checked>);
    return cotan::grad(y, x);
}
/// The value and the gradient, in this order.
template <expression Y, bits::target X>
constexpr auto value_and_grad(Y, X) {
    return pack<Y, typename bits::over<bits::gradient_at<Y>, X>::type>{};
}
/// The tangent of y along a tangent of x: the Jacobian times it. y may be outputs(...) of several.
template <bits::target Y, expression X, expression T>
constexpr auto pushforward(Y, X, T) {
    return typename bits::over<bits::pushforward_along<bits::type_list<X>, bits::type_list<T>>, Y>::type{};
}
/// The tangent of y along tangents of several expressions: pushforward(y, wrt(x, w), outputs(tx, tw)).
template <bits::target Y, bits::target_pack X, bits::target_pack T>
constexpr auto pushforward(Y, X, T) {
    return typename bits::over<bits::pushforward_along<bits::leaves_of<X>, bits::leaves_of<T>>, Y>::type{};
}
/// The other names of pushforward and pullback: the Jacobian times a vector, and a vector times the Jacobian.
template <class Y, class X, class T> constexpr auto jvp(Y y, X x, T t) { return cotan::pushforward(y, x, t); }
template <class Y, class X, class Ct> constexpr auto vjp(Y y, X x, Ct ct) { return cotan::pullback(y, x, ct); }

namespace bits {
template <class Y, class X> struct transposed_map {
    template <class Ct> constexpr auto operator()(Ct ct) const { return cotan::pullback(Y{}, X{}, ct); }
};
template <class Y, class X> struct linear_map {
    template <class T> constexpr auto operator()(T t) const { return cotan::pushforward(Y{}, X{}, t); }
};
}  // namespace bits

/// The pushforward of y at x as a linear map: linearize(y, x)(t) is the tangent of y along t.
template <bits::target Y, bits::target X>
constexpr auto linearize(Y, X) {
    return bits::linear_map<Y, X>{};
}
/// The transpose of a linear map: transpose(linearize(y, x))(ct) is the cotangent of x. The transpose of that is the map again.
template <class Y, class X> constexpr auto transpose(bits::linear_map<Y, X>) { return bits::transposed_map<Y, X>{}; }
template <class Y, class X> constexpr auto transpose(bits::transposed_map<Y, X>) { return bits::linear_map<Y, X>{}; }

/// The Jacobian: the axes of y, then those of x. Forward or reverse sweeps, whichever are known to be fewer.
template <bits::target Y, bits::target X>
constexpr auto jacobian(Y, X) {
    return typename bits::over<bits::jacobian_of<X, bits::sweeps::cheaper>, Y>::type{};
}
/// The Jacobian by forward sweeps, one for each element of x.
template <bits::target Y, bits::target X>
constexpr auto jacfwd(Y, X) {
    return typename bits::over<bits::jacobian_of<X, bits::sweeps::forward>, Y>::type{};
}
/// The Jacobian by reverse sweeps, one for each element of y.
template <bits::target Y, bits::target X>
constexpr auto jacrev(Y, X) {
    return typename bits::over<bits::jacobian_of<X, bits::sweeps::reverse>, Y>::type{};
}
/// The diagonal of the Jacobian of y by x, which have one shape: as many elements as x has. Where the rest is structurally zero or does not mix with the
/// diagonal, it costs one sweep.
template <expression Y, expression X>
constexpr auto jacobian_diagonal(Y, X) {
    static_assert(std::is_void_v<typename bits::wrt_check<X>::checked>);
    static_assert(std::is_void_v<typename bits::diagonal_check<Y, X>::checked>);
    return bits::handle<bits::node<bits::diagonal_, bits::params<>, typename bits::settled_like<type_of<Y>>::type, node_of<Y>, node_of<X>>>{};
}
/// The Hessian of a scalar: the axes of x twice. By wrt(...) it is a pack of packs, the blocks of its rows.
template <expression Y, bits::target X>
constexpr auto hessian(Y, X) {
    return typename bits::over<bits::hessian_at<Y, X>, X>::type{};
}
/// The diagonal of the Hessian.
template <expression Y, expression X>
constexpr auto hessian_diagonal(Y y, X x) {
    return cotan::jacobian_diagonal(cotan::grad(y, x), x);
}
/// The Hessian of a scalar times a vector of x's shape; by wrt(...), times outputs(...).
template <expression Y, bits::target X, class V>
constexpr auto hvp(Y y, X x, V v) {
    return cotan::pushforward(cotan::grad(y, x), x, v);
}

}  // namespace cotan
