#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/max.hpp>
#include <cotan/op/sqrt.hpp>

namespace cotan {

namespace bits {

/// The Euclidean norm over axes, scaled by the largest element where squares would over- or underflow. Gradient: x / norm, 0 at the origin.
struct norm_ : reduction<norm_> {
    static constexpr auto name = "norm";
    static constexpr auto cls = op_class::composite;
    static constexpr dtype result(dtype d) { return is_real(d) ? d : dtype::float64; }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr int direction(graph& g, int node) {
        const int x = g.arg(node, 0), rank = g.rank(x), mask = g.param(node, 0);
        const int n = against_operand(g, node, mask, rank), zero = g.literal(0, g.dtype_of(node));
        const int away = g.make(info<not_equal_>, n, zero);
        return g.make(info<masked_>, away, g.make(info<divide_>, x, n));
    }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        c.give(0, sym{&g, g.make(info<multiply_>, direction(g, c.node), against_operand(g, c.cotangent, c.param(0), g.rank(c.x(0).id)))});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int t = g.make(info<multiply_>, direction(g, c.node), c.tangents[0]), moved = c.param(0) << c.batch;
        c.give(sym{&g, g.make(info<sum_>, view<int>{&t, 1}, view<int>{&moved, 1})});
    }
    /// With m the largest magnitude rounded to 1 where squares are safe: m sqrt(sum((x / m)^2)).
    static constexpr int expand(graph& g, int node) {
        const int x = g.arg(node, 0), mask = g.param(node, 0), rank = g.rank(x);
        const dtype d = g.dtype_of(node);
        if (folds_nothing(g, x, mask)) return g.literal(0, d);
        const int size = g.make(info<abs_>, x);
        const int m = g.make(info<max_>, view<int>{&size, 1}, view<int>{&mask, 1});
        const double big = d == dtype::float32 ? 1e15 : 1e140, small = d == dtype::float32 ? 1e-15 : 1e-140;
        const int zero = g.literal(0, d), inf = g.literal(__builtin_huge_val(), d);
        const int extreme = g.make(info<logical_or_>, g.make(info<less_>, g.literal(big, d), m),
                                   g.make(info<logical_and_>, g.make(info<less_>, m, g.literal(small, d)), g.make(info<less_>, zero, m)));
        const int finite = g.make(info<logical_and_>, extreme, g.make(info<less_>, m, inf));
        const int choice[] = {finite, m, g.literal(1, d)};
        const int scale = g.make(info<where_>, view<int>{choice, 3});
        const int z = g.make(info<divide_>, x, against_operand(g, scale, mask, rank));
        const int sq = g.make(info<square_>, z);
        const int total = g.make(info<sum_>, view<int>{&sq, 1}, view<int>{&mask, 1});
        return g.make(info<multiply_>, scale, g.raw(info<sqrt_>, view<int>{&total, 1}, {}, g.nodes[total].ty));
    }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto, auto) {}
};

}  // namespace bits

/// The Euclidean norm, over all axes or axis<...>.
COTAN_REDUCTION(norm, bits::norm_)

}  // namespace cotan

#endif
