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

// What every operation has a copy of is kept short: the compiler makes it for all operations that a program might come to.

constexpr sym operand_of(const sym& y, int i) { return {y.g, y.g->arg(y.id, i)}; }

template <class P> constexpr int partial_node(graph& g, const P& partial) {
    if constexpr (std::is_same_v<P, nothing_t>) return -1;
    else return id_in(g, partial);
}
template <class... P, std::size_t... I>
constexpr void partial_nodes(graph& g, const std::tuple<P...>& list, std::index_sequence<I...>, int* to) {
    ((to[I] = partial_node(g, std::get<I>(list))), ...);
}
template <std::size_t Arity, class... P>
constexpr void partial_nodes(graph& g, const std::tuple<P...>& list, int* to) {
    static_assert(sizeof...(P) == Arity, "cotan: partials(y, x...) returns a list with one derivative for each operand; write `nothing` where there is none");
    partial_nodes(g, list, std::index_sequence_for<P...>{}, to);
}

inline constexpr int max_operands = 3;

/// The partial derivatives at a node as nodes; -1 where there is none.
template <class Op> constexpr void partials_of(const sym& y, int* to) {
    if constexpr (Op::arity == 1) partial_nodes<1>(*y.g, Op::partials(y, operand_of(y, 0)), to);
    else if constexpr (Op::arity == 2) partial_nodes<2>(*y.g, Op::partials(y, operand_of(y, 0), operand_of(y, 1)), to);
    else partial_nodes<3>(*y.g, Op::partials(y, operand_of(y, 0), operand_of(y, 1), operand_of(y, 2)), to);
}

// Both multiply and add, so they are defined where products and sums are: op/arithmetic.hpp.
constexpr void elementwise_pullback(pull_context& c);
constexpr void elementwise_pushforward(push_context& c);

template <class Op, std::size_t... I>
constexpr void add_rules(rule_store& s, std::index_sequence<I...>) {
    Op::rewrites(rule_adder(s), s.placeholder(static_cast<int>(I))...);
}
template <class Op> constexpr void rules_of(rule_store& s) {
    if constexpr (Op::placeholders == 1) Op::rewrites(rule_adder(s), s.placeholder(0));
    else add_rules<Op>(s, std::make_index_sequence<static_cast<std::size_t>(Op::placeholders)>{});
}

template <class Op> consteval bool takes_partials() {
    if constexpr (!requires { Op::arity; }) return false;
    else if constexpr (Op::arity == 1) return requires(sym s) { Op::partials(s, s); };
    else if constexpr (Op::arity == 2) return requires(sym s) { Op::partials(s, s, s); };
    else if constexpr (Op::arity == 3) return requires(sym s) { Op::partials(s, s, s, s); };
    else return false;
}
template <class Op> inline constexpr bool has_partials = takes_partials<Op>();

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
    if constexpr (has_partials<Op>) o.partials = &partials_of<Op>;
    if constexpr (requires { Op::pullback; }) o.pullback = &Op::pullback;
    else if constexpr (has_partials<Op>) o.pullback = &elementwise_pullback;
    if constexpr (requires { Op::pushforward; }) o.pushforward = &Op::pushforward;
    else if constexpr (has_partials<Op>) o.pushforward = &elementwise_pushforward;
    if constexpr (requires { Op::pull_region; }) o.pull_region = &Op::pull_region;
    if constexpr (requires { Op::push_region; }) o.push_region = &Op::push_region;
    return o;
}

}  // namespace bits
}  // namespace cotan
