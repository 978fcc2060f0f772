#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/compare.hpp>

namespace cotan {

namespace bits {

/// where(c, x, y): x where the condition holds, y elsewhere. The branch that was not chosen gets no cotangent at all, so that nothing infinite in
/// it makes a NaN.
struct where_ : elementwise<where_, 3> {
    static constexpr auto name = "where";
    static constexpr auto types = typing::choose;
    template <class M, class V> static V kernel(M c, V x, V y) {
        if constexpr (std::is_same_v<M, bool>) return c ? x : y;
        else if constexpr (std::is_same_v<M, V>) return (c & x) | (~c & y);
        else return select(c, x, y);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[1]].facts & g.nodes[a[2]].facts; }
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(1)) c.give(1, apply<masked_>(c.x(0), c.ct()));
        if (c.wanted(2)) c.give(2, apply<masked_>(!c.x(0), c.ct()));
    }
    static constexpr void pushforward(push_context& c) {
        if (c.has(1) && c.has(2)) c.give(apply<where_>(c.x(0), c.t(1), c.t(2)));
        else if (c.has(1)) c.give(apply<masked_>(c.x(0), c.t(1)));
        else c.give(apply<masked_>(!c.x(0), c.t(2)));
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        if (g.is(a[0], literal_info)) return fitted(g, g.nodes[a[0]].bits ? a[1] : a[2], ty);
        if (a[1] == a[2]) return fitted(g, a[1], ty);
        return g.raw(op, a, {}, ty);
    }
};

}  // namespace bits

/// x where the condition holds, y elsewhere, element by element.
template <operand C, operand A, operand B> constexpr auto where(C c, A x, B y) { return bits::apply<bits::where_>(c, x, y); }

}  // namespace cotan

#endif
