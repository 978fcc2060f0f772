#pragma once

#include <cotan/diff/context.hpp>
#include <cotan/op/functions.hpp>
#include <cotan/rewrite/rule.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace cotan {

/// A partial derivative that is zero wherever it exists: floor, sign, a comparison. Nothing is multiplied by it.
struct nothing_t {};
inline constexpr nothing_t nothing{};

/// The partial derivatives of an operation, one for each operand.
template <class... A>
constexpr auto list(A... a) {
    return std::tuple<A...>(a...);
}

/// The base of an elementwise operation `Op`. Op gives
///   static constexpr auto name = "...";
///   template <class V> static V kernel(V x, ...);        V: a scalar or an xsimd batch
///   static constexpr auto partials(auto y, auto x, ...); the result and the operands as expressions: a list with one derivative for each operand
/// and may give `cost`, `types`, `facts`, `rewrites`, `fold`, `commutative`.
template <class Op, int Arity = 1>
struct elementwise {
    static constexpr auto cls = bits::op_class::elementwise;
    static constexpr int arity = Arity;
};

namespace bits {

template <class Op, std::size_t... I>
constexpr auto partials_of(const sym& y, const graph& g, std::index_sequence<I...>) {
    return Op::partials(y, sym{y.g, g.arg(y.id, static_cast<int>(I))}...);
}

constexpr int multiply_nodes(graph& g, int a, int b);
constexpr int add_nodes(graph& g, int a, int b);

template <class Op, std::size_t... I>
constexpr void give_partials(pull_context& c, std::index_sequence<I...> seq) {
    auto p = partials_of<Op>(c.y(), *c.g, seq);
    using list_type = decltype(p);
    static_assert(std::tuple_size_v<list_type> == sizeof...(I),
                  "cotan: partials(y, x...) returns a list with one derivative for each operand; write `nothing` where there is none");
    const auto give = [&c]<class P>(int i, const P& partial) {
        if constexpr (!std::is_same_v<P, nothing_t>)
            if (c.wanted(i)) c.give(i, sym{c.g, multiply_nodes(*c.g, c.cotangent, id_in(*c.g, partial))});
    };
    (give(static_cast<int>(I), std::get<I>(p)), ...);
}

template <class Op>
constexpr void elementwise_pullback(pull_context& c) {
    give_partials<Op>(c, std::make_index_sequence<static_cast<std::size_t>(Op::arity)>{});
}

template <class Op, std::size_t... I>
constexpr void push_partials(push_context& c, std::index_sequence<I...> seq) {
    auto p = partials_of<Op>(c.y(), *c.g, seq);
    int total = -1;
    const auto take = [&]<class P>(int i, const P& partial) {
        if constexpr (!std::is_same_v<P, nothing_t>)
            if (c.has(i)) {
                const int t = multiply_nodes(*c.g, c.tangents[i], id_in(*c.g, partial));
                total = total < 0 ? t : add_nodes(*c.g, total, t);
            }
    };
    (take(static_cast<int>(I), std::get<I>(p)), ...);
    c.result = total;
}

template <class Op>
constexpr void elementwise_pushforward(push_context& c) {
    push_partials<Op>(c, std::make_index_sequence<static_cast<std::size_t>(Op::arity)>{});
}

template <class Op, std::size_t... I>
constexpr void add_rules(rule_store& s, std::index_sequence<I...>) {
    Op::rewrites(rule_adder(s), s.placeholder(static_cast<int>(I))...);
}

template <class Op> constexpr void rules_of(rule_store& s) {
    add_rules<Op>(s, std::make_index_sequence<static_cast<std::size_t>(Op::placeholders)>{});
}

template <class Op>
consteval op_info describe() {
    (void)sizeof(op_registration<Op>);
    op_info o;
    o.name = Op::name;
    o.hash = hash_text(Op::name);
    o.cls = Op::cls;
    if constexpr (requires { Op::arity; }) o.arity = Op::arity;
    if constexpr (requires { Op::cost; }) o.cost = Op::cost;
    if constexpr (requires { Op::types; }) o.types = Op::types;
    else if constexpr (Op::cls == op_class::elementwise) o.types = typing::real;
    if constexpr (requires { Op::commutative; }) o.commutative = true;
    if constexpr (requires { Op::linear; }) o.linear = true;
    if constexpr (requires { Op::in_pairs; }) o.in_pairs = true;
    if constexpr (requires { Op::uses_key; }) o.uses_key = true;
    if constexpr (requires { Op::no_gradient; }) o.no_gradient = true;
    if constexpr (requires { Op::infer; }) o.infer = &Op::infer;
    if constexpr (requires { Op::facts; }) o.facts = &Op::facts;
    if constexpr (requires { Op::desugar; }) o.desugar = &Op::desugar;
    if constexpr (requires { Op::normalise; }) o.normalise = &Op::normalise;
    if constexpr (requires { Op::expand; }) o.expand = &Op::expand;
    if constexpr (requires { Op::lift; }) o.lift = &Op::lift;
    if constexpr (requires { Op::expand_derivative; }) o.derivative = &Op::expand_derivative;
    if constexpr (requires { Op::reads; }) o.reads = &Op::reads;
    if constexpr (requires { Op::fold; }) o.fold = &Op::fold;
    if constexpr (requires { Op::placeholders; }) o.rules = &rules_of<Op>;
    if constexpr (requires { Op::pullback; }) o.pullback = &Op::pullback;
    else if constexpr (requires(sym s) { Op::partials(s, s); } || requires(sym s) { Op::partials(s, s, s); } ||
                       requires(sym s) { Op::partials(s, s, s, s); })
        o.pullback = &elementwise_pullback<Op>;
    if constexpr (requires { Op::pushforward; }) o.pushforward = &Op::pushforward;
    else if constexpr (requires(sym s) { Op::partials(s, s); } || requires(sym s) { Op::partials(s, s, s); } ||
                       requires(sym s) { Op::partials(s, s, s, s); })
        o.pushforward = &elementwise_pushforward<Op>;
    if constexpr (requires { Op::pull_region; }) o.pull_region = &Op::pull_region;
    if constexpr (requires { Op::push_region; }) o.push_region = &Op::push_region;
    return o;
}

}  // namespace bits
}  // namespace cotan
