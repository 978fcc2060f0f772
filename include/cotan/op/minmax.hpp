#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/grad_tools.hpp>
#include <cotan/op/kernel/lanes.hpp>
#include <cotan/op/where.hpp>

namespace cotan {

namespace bits {

/// A number of x's dtype.
constexpr sym number_like(const sym& x, double v) { return {x.g, x.g->literal(v, x.g->dtype_of(x.id))}; }
/// What two operands that may be equal get of a cotangent.
constexpr sym share_of(const sym& x, const sym& y) { return apply<where_>(x == y, number_like(x, 0.5), number_like(x, 1)); }

/// The larger operand; NaN if one is. The larger one gets the cotangent, and where both are equal each gets half of it.
struct maximum_ : elementwise<maximum_, 2> {
    static constexpr auto name = "maximum";
    static constexpr auto types = typing::arithmetic;
    template <class V> static V kernel(V x, V y) { return larger(x, y); }
    static constexpr unsigned facts(const graph& g, view<int> a) {
        const unsigned f = g.nodes[a[0]].facts, h = g.nodes[a[1]].facts;
        return ((f | h) & (is_positive | is_nonnegative)) | (f & h);
    }
    static constexpr auto partials(auto, auto x, auto y) {
        const auto share = share_of(x, y);
        return list(apply<masked_>(x >= y, share), apply<masked_>(y >= x, share));
    }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) { r(phase::canonical, "maximum(x, x) is x", maximum(x, x), x); }
};

/// The smaller operand, likewise.
struct minimum_ : elementwise<minimum_, 2> {
    static constexpr auto name = "minimum";
    static constexpr auto types = typing::arithmetic;
    template <class V> static V kernel(V x, V y) { return smaller(x, y); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & g.nodes[a[1]].facts; }
    static constexpr auto partials(auto, auto x, auto y) {
        const auto share = share_of(x, y);
        return list(apply<masked_>(x <= y, share), apply<masked_>(y <= x, share));
    }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) { r(phase::canonical, "minimum(x, x) is x", minimum(x, x), x); }
};

/// minimum(maximum(x, low), high), but the cotangent is x's at the bounds too, and a bound's only where x is outside.
struct clip_ : elementwise<clip_, 3> {
    static constexpr auto name = "clip";
    static constexpr auto types = typing::arithmetic;
    static constexpr int cost = 2;
    template <class V> static V kernel(V x, V low, V high) { return minimum_::kernel(maximum_::kernel(x, low), high); }
    static constexpr unsigned facts(const graph& g, view<int> a) {
        const auto f = [&](int i) constexpr { return g.nodes[a[i]].facts; };
        return (f(0) | f(1)) & f(2) & (is_positive | is_nonnegative);
    }
    static constexpr auto partials(auto, auto x, auto low, auto high) {
        const auto one = number_like(x, 1);
        return list(apply<masked_>(low <= x && x <= high, one), apply<masked_>(x < low && low <= high, one),
                    apply<masked_>(x > high || low > high, one));
    }
};

constexpr void grad_clip_::pullback(pull_context& c) {
    if (c.wanted(0)) c.give(0, clip(c.ct(), c.x(1), c.x(2)));
}

}  // namespace bits

/// The larger of two, element by element.
template <class A, class B> requires bits::operands<A, B> constexpr auto maximum(A x, B y) { return bits::apply<bits::maximum_>(x, y); }
/// The smaller of two, element by element.
template <class A, class B> requires bits::operands<A, B> constexpr auto minimum(A x, B y) { return bits::apply<bits::minimum_>(x, y); }
/// x, but at least `low` and at most `high`.
template <operand A, operand B, operand C> constexpr auto clip(A x, B low, C high) { return bits::apply<bits::clip_>(x, low, high); }

}  // namespace cotan

#endif
