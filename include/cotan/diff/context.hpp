#pragma once

#include <cotan/core/apply.hpp>

namespace cotan::bits {

/// What a pullback rule sees: the operation's operands and result, the result's cotangent, and which operands' cotangents are wanted.
struct pull_context {
    graph* g = nullptr;
    int node = -1;
    int cotangent = -1;
    view<bool> wants;
    vec<int> given;
    int primal = -1;

    constexpr int count() const { return g->nodes[node].nargs; }
    constexpr sym y() const { return {g, node}; }
    constexpr sym x(int i) const { return {g, g->arg(node, i)}; }
    constexpr sym ct() const { return {g, cotangent}; }
    constexpr bool wanted(int i) const { return wants[i]; }
    constexpr int param(int i) const { return g->param(node, i); }
    /// The cotangent of operand i. It may be narrower than the operand: a fill.
    constexpr void give(int i, const sym& v) { given[i] = v.id; }
    /// A better primal: it takes the place of the operation's result wherever that is used, because the rule needs it anyway. It does not use y().
    constexpr void replace_primal(const sym& v) { primal = v.id; }
};

/// What a pushforward rule sees: the operands' tangents, where there are any.
struct push_context {
    graph* g = nullptr;
    int node = -1;
    view<int> tangents;  // -1: structurally zero
    int batch = 0;       // leading axes of the tangents that the operands do not have: several directions at once
    int result = -1, primal = -1;

    constexpr int count() const { return g->nodes[node].nargs; }
    constexpr sym y() const { return {g, node}; }
    constexpr sym x(int i) const { return {g, g->arg(node, i)}; }
    constexpr sym t(int i) const { return {g, tangents[i]}; }
    constexpr bool has(int i) const { return tangents[i] >= 0; }
    constexpr int param(int i) const { return g->param(node, i); }
    constexpr void give(const sym& v) { result = v.id; }
    constexpr void replace_primal(const sym& v) { primal = v.id; }
};

struct rewriter;

/// What the derivative rule of an operation with a body of its own sees: the cotangents (or tangents) that nodes have so far. It reads those of its
/// results and gives those of the values that its body takes from outside.
struct region_context {
    rewriter* g = nullptr;
    int node = -1;
    view<int> roots;                  // what is differentiated
    const vec<unsigned char>* on = nullptr;  // which nodes depend on what is differentiated by
    vec<int>* values = nullptr;       // -1: structurally zero
    int batch = 0;                    // of tangents: leading axes that the values do not have
    const vec<unsigned char>* asked = nullptr;  // of a pullback: the nodes whose cotangents are asked for
    constexpr bool is_asked(int id) const { return asked && id < asked->size() && (*asked)[id]; }

    constexpr int value(int id) const { return id < values->size() ? (*values)[id] : -1; }
    constexpr bool active(int id) const { return id < on->size() && (*on)[id]; }
    constexpr void set(int id, int v) {
        if (id < values->size()) (*values)[id] = v;
    }
    /// Adds to the cotangent of a node.
    constexpr void give(int id, int cotangent);
};
/// Stands for a value that a derivation does not know yet: a tangent or a cotangent in which a rule is linear. None is left in what is derived.
inline constexpr op_info variable_info{.name = "variable", .hash = hash_text("variable"), .cls = op_class::leaf, .arity = 0, .cost = 0, .has_params = true};

constexpr int variable(graph& g, int role, int of, int ty) {
    const int p[] = {role, of};
    return g.raw(variable_info, {}, view<int>{p, 2}, ty);
}

}  // namespace cotan::bits
