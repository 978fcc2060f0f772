#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/kernel/lanes.hpp>
#include <cotan/op/sqrt.hpp>

namespace cotan {

namespace bits {

/// sqrt(x^2 + y^2), scaled so that it neither overflows nor underflows; NaN operands give NaN. Derivatives: x / h and y / h, 0 at the origin.
struct hypot_ : elementwise<hypot_, 2> {
    static constexpr auto name = "hypot";
    static constexpr int cost = 14;
    template <class V> static V kernel(V x, V y) {
        using std::abs, std::sqrt;
        const V a = abs(x), b = abs(y);
        const auto first = a > b;
        const V big = choose(first, a, b), small = choose(first, b, a);
        const V ratio = choose(small == big, V(1), V(small / big));
        return big * sqrt(V(1) + ratio * ratio);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) {
        return is_nonnegative | ((g.nodes[a[0]].facts | g.nodes[a[1]].facts) & is_positive);
    }
    static constexpr auto partials(auto h, auto x, auto y) {
        const auto away = h != c<0>;
        return list(apply<masked_>(away, x / h), apply<masked_>(away, y / h));
    }
};

/// 1 - x^2, exact next to -1 and 1, for the derivatives of inverse functions. Derivative: -2 x, exact next to 0.
struct one_minus_square_ : elementwise<one_minus_square_> {
    static constexpr auto name = "one_minus_square";
    static constexpr int cost = 2;
    template <class V> static V kernel(V x) { return (V(1) - x) * (V(1) + x); }
    static constexpr auto partials(auto, auto x) { return list(c<-2> * x); }
};

/// The cube root. Derivative: 1 / (3 cbrt(x)^2); at 0 as the square root's.
struct cbrt_ : elementwise<cbrt_> {
    static constexpr auto name = "cbrt";
    static constexpr int cost = 20;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return std::cbrt(x);
        else {
            using T = typename V::value_type;
            const auto small = abs(x) < V(std::numeric_limits<T>::min());
            return cbrt(select(small, x * V(T(0x1p54)), x)) * select(small, V(T(0x1p-18)), V(T(1)));
        }
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr sym scaled(const sym& t, const sym& y) { return apply<masked_>(t != c<0>, t * reciprocal(c<3> * square(y))); }
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.give(0, scaled(c.ct(), c.y()));
    }
    static constexpr void pushforward(push_context& c) { c.give(scaled(c.t(0), c.y())); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) { r(phase::canonical, "cbrt(-x) is -cbrt(x)", cbrt(-x), -cbrt(x)); }
};

}  // namespace bits

/// sqrt(x^2 + y^2) without overflow.
template <class A, class B> requires bits::operands<A, B> constexpr auto hypot(A x, B y) { return bits::apply<bits::hypot_>(x, y); }
/// The cube root, of negative numbers too.
template <operand A> constexpr auto cbrt(A x) { return bits::apply<bits::cbrt_>(x); }

}  // namespace cotan

#endif
