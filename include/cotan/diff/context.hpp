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

    constexpr int count() const { return g->nodes[node].nargs; }
    constexpr sym y() const { return {g, node}; }
    constexpr sym x(int i) const { return {g, g->arg(node, i)}; }
    constexpr sym ct() const { return {g, cotangent}; }
    constexpr bool wanted(int i) const { return wants[i]; }
    constexpr int param(int i) const { return g->param(node, i); }
    /// The cotangent of operand i. It may be narrower than the operand: a fill.
    constexpr void give(int i, const sym& v) { given[i] = v.id; }
};

/// What a pushforward rule sees: the operands' tangents, where there are any.
struct push_context {
    graph* g = nullptr;
    int node = -1;
    view<int> tangents;  // -1: structurally zero
    int batch = 0;       // leading axes of the tangents that the operands do not have: several directions at once
    int result = -1;

    constexpr int count() const { return g->nodes[node].nargs; }
    constexpr sym y() const { return {g, node}; }
    constexpr sym x(int i) const { return {g, g->arg(node, i)}; }
    constexpr sym t(int i) const { return {g, tangents[i]}; }
    constexpr bool has(int i) const { return tangents[i] >= 0; }
    constexpr int param(int i) const { return g->param(node, i); }
    constexpr void give(const sym& v) { result = v.id; }
};

}  // namespace cotan::bits
