#pragma once

#include <cotan/diff/grad.hpp>
#include <cotan/op/node_functions.hpp>
#include <cotan/op/operation.hpp>

namespace cotan {

namespace bits {

/// y with a user's own pullback. Operands: y, and the N expressions for which the rule gives cotangents. Gone when a function is compiled.
template <class Rule, int N>
struct own_pullback_ {
    static constexpr auto name = "with_pullback";
    static constexpr auto cls = op_class::composite;
    static constexpr int arity = -1;
    static constexpr int infer(graph& g, const op_info&, view<int> tys, view<int>) { return g.with_dtype(tys[0], settled(g.types[tys[0]].dt)); }
    static constexpr int expand(graph& g, int node) { return fitted(g, g.arg(node, 0), g.nodes[node].ty); }
    template <std::size_t... I>
    static constexpr void call(pull_context& c, std::index_sequence<I...>) {
        const auto given = Rule{}(c.ct(), c.y(), c.x(static_cast<int>(I) + 1)...);
        const auto take = [&c]<class R>(int i, const R& r) {
            if constexpr (!std::is_same_v<R, nothing_t>)
                if (c.wanted(i)) c.give(i, sym{c.g, id_in(*c.g, r)});
        };
        (take(static_cast<int>(I) + 1, std::get<I>(given)), ...);
    }
    static constexpr void pullback(pull_context& c) { call(c, std::make_index_sequence<static_cast<std::size_t>(N)>{}); }
};

/// y with a user's own pushforward. The rule is written for one direction; it is linear in the tangents, so that it is put together with variables and
/// these then replaced.
template <class Rule, int N>
struct own_pushforward_ {
    static constexpr auto name = "with_pushforward";
    static constexpr auto cls = op_class::composite;
    static constexpr int arity = -1;
    static constexpr int infer(graph& g, const op_info&, view<int> tys, view<int>) { return g.with_dtype(tys[0], settled(g.types[tys[0]].dt)); }
    static constexpr int expand(graph& g, int node) { return fitted(g, g.arg(node, 0), g.nodes[node].ty); }
    template <std::size_t... I>
    static constexpr void call(push_context& c, std::index_sequence<I...>) {
        graph& g = *c.g;
        vec<int> variables, values;
        sym t[N];
        for (int i = 0; i < N; ++i) {
            const int ty = g.nodes[c.x(i + 1).id].ty;
            if (c.has(i + 1)) {
                t[i] = sym{&g, variable(g, rule_variable, c.node * 64 + i, ty)};
                variables.push(t[i].id);
                values.push(c.tangents[i + 1]);
            } else t[i] = sym{&g, g.literal(0, g.types[ty].dt)};
        }
        const int linear = fitted(g, id_in(g, Rule{}(t[I]..., c.y(), c.x(static_cast<int>(I) + 1)...)), g.nodes[c.node].ty);
        c.result = put_in(static_cast<rewriter&>(g), linear, view<int>{variables.data(), variables.size()}, view<int>{values.data(), values.size()}, c.batch);
    }
    static constexpr void pushforward(push_context& c) { call(c, std::make_index_sequence<static_cast<std::size_t>(N)>{}); }
};

/// A graph of x... and y as inputs, to try a rule on: what is wrong with what it gives.
template <class Rule, class Y, class... X, std::size_t... I>
consteval rule_fault pullback_fault(type_list<X...>, std::index_sequence<I...>) {
    graph g;
    const int ty = type_of<Y>::lower(g), tys[] = {type_of<X>::lower(g)...};
    const auto given = Rule{}(made_input(g, 0, ty), made_input(g, 1, ty), made_input(g, 2 + static_cast<int>(I), tys[I])...);
    if constexpr (!requires { std::tuple_size<std::remove_cvref_t<decltype(given)>>::value; }) return rule_fault::count;
    else if constexpr (std::tuple_size_v<std::remove_cvref_t<decltype(given)>> != sizeof...(X)) return rule_fault::count;
    else {
        rule_fault worst = g.error != fault::none ? rule_fault::inside : rule_fault::none;
        const auto look = [&]<class R>(int i, const R& r) {
            if constexpr (!std::is_same_v<R, nothing_t>) {
                const rule_fault f = fits_as(g, id_in(g, r), tys[i]);
                if (worst == rule_fault::none) worst = f;
            }
        };
        (look(static_cast<int>(I), std::get<I>(given)), ...);
        return worst;
    }
}
template <class Rule, class Y, class... X, std::size_t... I>
consteval rule_fault pushforward_fault(type_list<X...>, std::index_sequence<I...>) {
    graph g;
    const int ty = type_of<Y>::lower(g), tys[] = {type_of<X>::lower(g)...};
    const auto given = Rule{}(made_input(g, 1 + static_cast<int>(I), tys[I])..., made_input(g, 0, ty), made_input(g, 1 + static_cast<int>(sizeof...(X) + I), tys[I])...);
    if constexpr (requires { std::tuple_size<std::remove_cvref_t<decltype(given)>>::value; }) return rule_fault::count;
    else return g.error != fault::none ? rule_fault::inside : fits_as(g, id_in(g, given), ty);
}

/// Whether Y depends on an input in another way than through X.
template <class Y, class... X>
consteval bool forgets() {
    graph source;
    lowering l(source);
    int k = 0;
    (l.store(visitor{node_of<X>::hash, &node_of<X>::build}, variable(source, cut_variable, k++, type_of<X>::lower(source))), ...);
    const int y = l.template operator()<node_of<Y>>();
    rewriter g;
    g.types = source.types;
    g.extents = source.extents;
    const int root = expand_into(g, source, view<int>{&y, 1})[0];
    if (!is_real(g.dtype_of(root))) return false;
    vec<int> leaves;
    const vec<unsigned char> live = reachable(g, view<int>{&root, 1});
    for (int id = 0; id < live.size(); ++id)
        if (live[id] && g.is(id, input_info) && is_real(g.dtype_of(id))) leaves.push(id);
    const int ct = variable(g, cotangent_variable, root, g.nodes[root].ty);
    for (int v : pull_back(g, root, ct, view<int>{leaves.data(), leaves.size()}))
        if (v >= 0) return true;
    return false;
}

template <class T> using always_sym = sym;

// Facts about a rule in one class and the assertions in another: compilers go on with a class whose assertion failed as if its values were not known.
template <class Rule, class Y, class... X>
struct pullback_rule {
    static constexpr bool empty = std::is_empty_v<Rule> && std::is_default_constructible_v<Rule>;
    static constexpr bool callable = std::is_invocable_v<Rule, sym, sym, always_sym<X>...>;
    static constexpr rule_fault wrong = [] {
        if constexpr (empty && callable) return pullback_fault<Rule, Y>(type_list<X...>{}, std::make_index_sequence<sizeof...(X)>{});
        else return rule_fault::none;
    }();
    static constexpr bool forgotten = [] {
        if constexpr (empty && callable && wrong == rule_fault::none) return forgets<Y, X...>();
        else return false;
    }();
    static constexpr bool ok = empty && callable && wrong == rule_fault::none && !forgotten;
};
template <class Rule, class Y, class... X>
struct pushforward_rule {
    static constexpr bool empty = std::is_empty_v<Rule> && std::is_default_constructible_v<Rule>;
    static constexpr bool callable = std::is_invocable_v<Rule, always_sym<X>..., sym, always_sym<X>...>;
    static constexpr rule_fault wrong = [] {
        if constexpr (empty && callable) return pushforward_fault<Rule, Y>(type_list<X...>{}, std::make_index_sequence<sizeof...(X)>{});
        else return rule_fault::none;
    }();
    static constexpr bool forgotten = [] {
        if constexpr (empty && callable && wrong == rule_fault::none) return forgets<Y, X...>();
        else return false;
    }();
    static constexpr bool ok = empty && callable && wrong == rule_fault::none && !forgotten;
};

template <class R>
struct pullback_rule_check {
    using checked = void;
    static_assert(R::empty, "cotan: a rule is a lambda without captures, or an empty struct: it may name expressions, which are constants, but hold no values");
    static_assert(!R::empty || R::callable,
                  "cotan: a pullback rule takes the result's cotangent, the result, and each expression in wrt(...): [](auto ct, auto y, auto x) { return list(...); }");
    static_assert(R::wrong != rule_fault::count, "cotan: a pullback rule returns list(...) with one cotangent for each expression in wrt(...); write `nothing` where there is none");
    static_assert(R::wrong != rule_fault::shape, "cotan: a pullback rule returns a cotangent with other extents than the expression in wrt(...) that it belongs to: sum over the "
                                                 "axes that are too many");
    static_assert(R::wrong != rule_fault::type, "cotan: a pullback rule returns a cotangent of another dtype than the expression in wrt(...) that it belongs to: cast it with "
                                                "cast<double>(v) or cast<float>(v)");
    static_assert(R::wrong != rule_fault::inside, "cotan: a pullback rule combines values whose extents or dtypes do not fit together");
    static_assert(!R::forgotten, "cotan: a pullback rule forgets an input: the expression depends on one that is not in wrt(...): add it there, or write stop_gradient(input)");
};
template <class R>
struct pushforward_rule_check {
    using checked = void;
    static_assert(R::empty, "cotan: a rule is a lambda without captures, or an empty struct: it may name expressions, which are constants, but hold no values");
    static_assert(!R::empty || R::callable,
                  "cotan: a pushforward rule takes the tangent of each expression in wrt(...), the result, and each of these expressions: [](auto t, auto y, auto x) { return "
                  "...; }");
    static_assert(R::wrong != rule_fault::count, "cotan: a pushforward rule returns one expression, the tangent of the result");
    static_assert(R::wrong != rule_fault::shape, "cotan: a pushforward rule returns a tangent with other extents than the expression whose rule it is");
    static_assert(R::wrong != rule_fault::type, "cotan: a pushforward rule returns a tangent of another dtype than the expression whose rule it is: cast it with cast<double>(v) "
                                                "or cast<float>(v)");
    static_assert(R::wrong != rule_fault::inside, "cotan: a pushforward rule combines values whose extents or dtypes do not fit together");
    static_assert(!R::forgotten, "cotan: a pushforward rule forgets an input: the expression depends on one that is not in wrt(...): add it there, or write stop_gradient(input)");
};

}  // namespace bits

/// y, with a pullback of the user's own: rule(cotangent, y, x...) returns list(...) with the cotangents of wrt(x...), each of its x's shape and dtype (or
/// narrower: a number is a fill), or `nothing`. y may depend on nothing but wrt(x...) in a way that has derivatives. The rule's result is
/// differentiated like any other expression, so that higher orders follow; forward mode is derived from it where it is linear in the cotangent.
template <expression Y, expression... X, class Rule>
constexpr auto with_pullback(Y y, bits::wrt_t<X...>, Rule) {
    static_assert((std::is_void_v<typename bits::wrt_check<X>::checked> && ...));
    using rule = bits::pullback_rule<Rule, Y, X...>;
    static_assert(std::is_void_v<typename bits::pullback_rule_check<rule>::checked>);
    if constexpr (rule::ok) return bits::apply<bits::own_pullback_<Rule, static_cast<int>(sizeof...(X))>>(y, X{}...);
    else return y;
}

/// y, with a pushforward of the user's own: rule(tangent of x..., y, x...) returns the tangent of y. It is linear in the tangents; reverse mode is its transpose.
template <expression Y, expression... X, class Rule>
constexpr auto with_pushforward(Y y, bits::wrt_t<X...>, Rule) {
    static_assert((std::is_void_v<typename bits::wrt_check<X>::checked> && ...));
    using rule = bits::pushforward_rule<Rule, Y, X...>;
    static_assert(std::is_void_v<typename bits::pushforward_rule_check<rule>::checked>);
    if constexpr (rule::ok) return bits::apply<bits::own_pushforward_<Rule, static_cast<int>(sizeof...(X))>>(y, X{}...);
    else return y;
}

}  // namespace cotan
