#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/kernel/lanes.hpp>
#include <cotan/op/sum.hpp>
#include <cotan/op/where.hpp>

namespace cotan {

namespace bits {

/// The base of max and min: the cotangent is shared equally by the elements that tie. NaN elements make the result NaN.
template <class Op>
struct extremum : reduction<Op> {
    static constexpr bool needs_elements = true;
    static constexpr dtype result(dtype d) { return d == dtype::boolean ? dtype::int32 : d; }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts; }
    static constexpr int ties(graph& g, int node) {
        const int x = g.arg(node, 0), mask = g.param(node, 0), rank = g.rank(x);
        const int same = g.make(info<equal_>, x, against_operand(g, node, mask, rank));
        const int one = g.literal(1, g.dtype_of(node));
        return g.make(info<masked_>, same, one);
    }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        const int x = c.x(0).id, mask = c.param(0), rank = g.rank(x);
        const int chosen = ties(g, c.node), count = g.make(info<sum_>, view<int>{&chosen, 1}, view<int>{&mask, 1});
        const int share = g.make(info<divide_>, c.cotangent, count);
        c.give(0, sym{&g, g.make(info<multiply_>, chosen, against_operand(g, share, mask, rank))});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int mask = c.param(0), moved = mask << c.batch;
        const int chosen = ties(g, c.node), count = g.make(info<sum_>, view<int>{&chosen, 1}, view<int>{&mask, 1});
        const int t = g.make(info<multiply_>, chosen, c.tangents[0]);
        const int total = g.make(info<sum_>, view<int>{&t, 1}, view<int>{&moved, 1});
        c.give(sym{&g, g.make(info<divide_>, total, count)});
    }
};

struct max_ : extremum<max_> {
    static constexpr auto name = "max";
    template <class V> static V kernel(V a, V b) { return larger(a, b); }
    template <class T> static constexpr T identity() {
        if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
        else return std::numeric_limits<T>::lowest();
    }
};
struct min_ : extremum<min_> {
    static constexpr auto name = "min";
    template <class V> static V kernel(V a, V b) { return smaller(a, b); }
    template <class T> static constexpr T identity() {
        if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
        else return std::numeric_limits<T>::max();
    }
};

}  // namespace bits

/// The largest element, over all axes or axis<...>. An axis that turns out empty gives -infinity (a fixed extent of 0 is refused).
COTAN_REDUCTION(max, bits::max_)
/// The smallest element.
COTAN_REDUCTION(min, bits::min_)

}  // namespace cotan

#endif
