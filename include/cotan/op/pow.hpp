#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/exp2.hpp>
#include <cotan/op/kernel/lanes.hpp>
#include <cotan/op/sqrt.hpp>
#include <cotan/op/xlogy.hpp>

#include <cmath>

namespace cotan {

namespace bits {

/// x to the power of a whole number n > 0, by squaring.
constexpr int whole_power(graph& g, int x, int n) {
    int result = -1;
    for (;; x = g.make(info<square_>, x)) {
        if (n & 1) result = result < 0 ? x : g.make(info<multiply_>, result, x);
        if (!(n >>= 1)) return result;
    }
}

/// pow(x, y). Small whole exponents are squares and products, 0.5 and -0.5 square roots, and x^0 is 1 for every x.
/// Derivatives: y pow(x, y - 1), which is 0 for y = 0 at any x; pow(x, y) log(x), where 0 log 0 is 0. As for the square root, an infinite
/// derivative times a cotangent of 0 is 0.
struct pow_ : elementwise<pow_, 2> {
    static constexpr auto name = "pow";
    static constexpr int cost = 80;
    static constexpr int widest = 32;  // above it, pow is more exact than squaring
    template <class V> static V kernel(V x, V y) {
        return each_lane([](auto a, auto b) { return std::pow(a, b); }, x, y);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    /// t y pow(x, y - 1)
    static constexpr sym along_base(const sym& t, const sym& x, const sym& y) {
        const graph& g = *t.g;
        const sym slope = t * (y * pow(x, y - c<1>));
        if (g.is(y.id, literal_info)) return real_value(g, y.id) >= 1 ? slope : apply<masked_>(t != c<0>, slope);
        return apply<masked_>(t != c<0> && y != c<0>, slope);
    }
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.give(0, along_base(c.ct(), c.x(0), c.x(1)));
        if (c.wanted(1)) c.give(1, c.ct() * xlogy(c.y(), c.x(0)));
    }
    static constexpr void pushforward(push_context& c) {
        if (c.has(0)) c.give(along_base(c.t(0), c.x(0), c.x(1)));
        if (c.has(1)) {
            const sym t = c.t(1) * xlogy(c.y(), c.x(0));
            c.give(c.has(0) ? sym{c.g, c.result} + t : t);
        }
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        const int x = a[0], y = a[1];
        const dtype d = g.types[ty].dt;
        if (g.is(y, literal_info)) {
            const double k = real_value(g, y), size = k < 0 ? -k : k;
            if (k == 0) return fitted(g, g.literal(1, d), ty);
            if (size == 0.5 || (size <= widest && size == static_cast<int>(size))) {
                const int p = size == 0.5 ? g.make(info<sqrt_>, x) : whole_power(g, x, static_cast<int>(size));
                return fitted(g, k < 0 ? g.make(info<reciprocal_>, p) : p, ty);
            }
            if (g.is(x, info<exp_>) && size <= 1e300) return fitted(g, g.make(info<exp_>, g.make(info<multiply_>, y, g.arg(x, 0))), ty);
        }
        if (g.is(x, literal_info)) {
            if (real_value(g, x) == 1) return fitted(g, x, ty);
            if (real_value(g, x) == 2) return fitted(g, g.make(info<exp2_>, y), ty);
        }
        return g.raw(op, a, {}, ty);
    }
    static constexpr int placeholders = 3;
    static constexpr void rewrites(auto r, auto x, auto y, auto z) {
        r.where(is_positive, x, phase::canonical, "(x^y)^z is x^(y z), for x > 0", pow(pow(x, y), z), pow(x, y * z));
    }
};

}  // namespace bits

/// x to the power y. float and double; integers become double.
template <class A, class B> requires bits::operands<A, B> constexpr auto pow(A x, B y) { return bits::apply<bits::pow_>(x, y); }
template <class A, class B> requires bits::number_beside<A, B> constexpr auto pow(A x, B) {
    static_assert(std::is_void_v<typename bits::number_in_graph<std::conditional_t<expression<A>, B, A>>::checked>);
    return x;
}

}  // namespace cotan

#endif
