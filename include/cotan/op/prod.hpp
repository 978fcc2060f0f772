#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/running.hpp>
#include <cotan/op/sum.hpp>

namespace cotan {

namespace bits {

/// prod(x, axis<...>). The derivative by an element is the product of the others, which is never made by division: products of what stands before
/// times products of what stands behind, along one axis after the other.
struct prod_ : reduction<prod_> {
    static constexpr auto name = "prod";
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) { r(phase::stable, "prod(exp x) is exp(sum x)", prod(exp(x)), exp(sum(x))); }
    template <class V> static V kernel(V a, V b) { return a * b; }
    template <class T> static constexpr T identity() { return T(1); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr int over(graph& g, int x, int mask) { return g.make(info<prod_>, view<int>{&x, 1}, view<int>{&mask, 1}); }
    /// For each element the product of the others that the mask folds with it.
    static constexpr int others(graph& g, int x, int mask) {
        const int rank = g.rank(x);
        int axis = rank - 1;
        while (!(mask >> axis & 1)) --axis;
        const int here = g.make(info<multiply_>, cumprod_::with(g, x, axis, 0, 1), cumprod_::with(g, x, axis, 1, 1));
        const int rest = mask & ~(1 << axis);
        if (!rest) return here;
        const int lines = over(g, x, 1 << axis);
        return g.make(info<multiply_>, here, keep_axes(g, others(g, lines, rest), 1 << axis, rank));
    }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        const int x = c.x(0).id;
        c.give(0, sym{&g, g.make(info<multiply_>, others(g, x, c.param(0)), against_operand(g, c.cotangent, c.param(0), g.rank(x)))});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int t = g.make(info<multiply_>, c.tangents[0], others(g, c.x(0).id, c.param(0))), moved = c.param(0) << c.batch;
        c.give(sym{&g, g.make(info<sum_>, view<int>{&t, 1}, view<int>{&moved, 1})});
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int> p, int ty) {
        const int x = a[0], mask = p[0];
        const dtype d = g.types[ty].dt;
        if (g.dtype_of(x) != d) return over(g, g.cast(x, d), mask);
        if (!mask) return fitted(g, x, ty);
        if (g.is(x, op)) {  // a product of a product
            const int inner = g.param(x, 0), before = g.rank(g.arg(x, 0));
            int joined = inner, at = 0;
            for (int k = 0; k < before; ++k)
                if (!(inner >> k & 1)) joined |= (mask >> at++ & 1) << k;
            return over(g, g.arg(x, 0), joined);
        }
        return g.raw(op, a, p, ty);
    }
};

}  // namespace bits

/// The product of the elements, over all axes or axis<...>.
COTAN_REDUCTION(prod, bits::prod_)

}  // namespace cotan

#endif
