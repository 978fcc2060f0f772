#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/expm1.hpp>

namespace cotan {

namespace bits {

/// exp(-|x|), which the logistic function and softplus share.
struct exp_minus_abs_ : elementwise<exp_minus_abs_> {
    static constexpr auto name = "exp_minus_abs";
    static constexpr int cost = 14;
    template <class V> COTAN_FLAT static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return std::exp(-std::fabs(x));
        else return simd::exp_minus_abs(x);
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        int x = a[0];
        if (g.is(x, info<multiply_>) && g.nodes[x].nargs == 2 && g.is(g.arg(x, 0), literal_info) && real_value(g, g.arg(x, 0)) == -1) x = g.arg(x, 1);
        return g.raw(op, view<int>{&x, 1}, {}, ty);
    }
};
/// 1 / (1 + e) for e = exp(-|x|).
struct larger_sigmoid_ : elementwise<larger_sigmoid_> {
    static constexpr auto name = "larger_sigmoid";
    static constexpr int cost = 5;
    template <class V> COTAN_FLAT static V kernel(V e) { return V(1) / (V(1) + e); }
};
/// sigmoid(x) from e = exp(-|x|) and r = 1 / (1 + e).
struct sigmoid_of_ : elementwise<sigmoid_of_, 3> {
    static constexpr auto name = "sigmoid_of";
    template <class V> COTAN_FLAT static V kernel(V x, V e, V r) {
        if constexpr (std::is_arithmetic_v<V>) return x < V(0) ? e * r : r;
        else return select(x < V(0), e * r, r);
    }
};
/// softplus(x) = max(x, 0) + log(1 + e) from e = exp(-|x|).
struct softplus_of_ : elementwise<softplus_of_, 2> {
    static constexpr auto name = "softplus_of";
    static constexpr int cost = 15;
    template <class V> COTAN_FLAT static V kernel(V x, V e) {
        if constexpr (std::is_arithmetic_v<V>) return x != x ? x : (x > V(0) ? x : V(0)) + simd::log1p_01(e);
        else return simd::max_of(x, V(0)) + simd::log1p_01(e);
    }
};

/// The logistic function 1 / (1 + exp(-x)). Derivative: sigmoid(x) sigmoid(-x), which neither overflows nor cancels.
struct sigmoid_ : elementwise<sigmoid_> {
    static constexpr auto name = "sigmoid";
    static constexpr int cost = 20;
    template <class V> static V kernel(V x) { return simd::sigmoid(x); }
    static constexpr unsigned facts(const graph&, view<int>) { return is_positive | is_nonnegative; }
    static constexpr auto partials(auto y, auto x) { return list(y * sigmoid(-x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::stable, "sigmoid(logit x) is x, for 0 <= x <= 1", sigmoid(logit(x)), where(x >= c<0> && x <= c<1>, x, c<__builtin_nan("")>));
    }
    static constexpr int expand(graph& g, int node) {
        const int e = g.make(info<exp_minus_abs_>, g.arg(node, 0));
        const int three[] = {g.arg(node, 0), e, g.make(info<larger_sigmoid_>, e)};
        return g.make(info<sigmoid_of_>, view<int>{three, 3});
    }
};

/// log(1 + exp(x)). Derivative: sigmoid(x).
struct softplus_ : elementwise<softplus_> {
    static constexpr auto name = "softplus";
    static constexpr int cost = 30;
    template <class V> static V kernel(V x) { return simd::softplus(x); }
    static constexpr unsigned facts(const graph&, view<int>) { return is_positive | is_nonnegative; }
    static constexpr auto partials(auto, auto x) { return list(sigmoid(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::stable, "softplus(log x) is log1p(x), for x >= 0", softplus(log(x)), where(x >= c<0>, log1p(x), c<__builtin_nan("")>));
    }
    static constexpr int expand(graph& g, int node) {
        return g.make(info<softplus_of_>, g.arg(node, 0), g.make(info<exp_minus_abs_>, g.arg(node, 0)));
    }
};

}  // namespace bits

/// The logistic function 1 / (1 + exp(-x)).
template <operand A> constexpr auto sigmoid(A x) { return bits::apply<bits::sigmoid_>(x); }
/// log(1 + exp(x)), which neither overflows nor loses small values.
template <operand A> constexpr auto softplus(A x) { return bits::apply<bits::softplus_>(x); }

}  // namespace cotan

#endif
