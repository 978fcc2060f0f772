#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/kernel/lanes.hpp>
#include <cotan/op/max.hpp>
#include <cotan/op/sigmoid.hpp>

namespace cotan {

namespace bits {

/// x - m, and 0 where they are equal: the distance to a maximum, which may be infinite.
struct gap_ : elementwise<gap_, 2> {
    static constexpr auto name = "gap";
    template <class V> COTAN_FLAT static V kernel(V x, V m) { return unless(x == m, V(x - m)); }
    static constexpr auto partials(auto, auto, auto) { return list(c<1>, c<-1>); }
};

/// exp(gap(x, m)), where a whole vector of finite differences needs no look at what is equal.
struct exp_gap_ : elementwise<exp_gap_, 2> {
    static constexpr auto name = "exp_gap";
    static constexpr int cost = 16;
    template <class V> COTAN_FLAT static V kernel(V x, V m) {
        if constexpr (std::is_arithmetic_v<V>) return simd::exp(gap_::kernel(x, m));
        else {
            const V d = x - m;
            if (simd::exp_is_normal(d)) [[likely]] return simd::exp_normal(d);
            return simd::exp(unless(x == m, d));
        }
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative | is_positive; }
    static constexpr auto partials(auto y, auto, auto) { return list(y, -y); }
};

/// log(sum(exp(x))) over axes, shifted by the maximum so that it neither overflows nor underflows. Gradient: exp(x - result).
struct logsumexp_ : reduction<logsumexp_> {
    static constexpr auto name = "logsumexp";
    static constexpr auto cls = op_class::composite;
    static constexpr int cost = 20;
    static constexpr dtype result(dtype d) { return is_real(d) ? d : dtype::float64; }
    /// exp(x - result), the weights of the elements.
    static constexpr int weights(graph& g, int node) {
        const int x = g.arg(node, 0), mask = g.param(node, 0);
        const int shifted = g.make(info<subtract_>, x, against_operand(g, node, mask, g.rank(x)));
        return g.make(info<exp_>, shifted);
    }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        c.give(0, sym{&g, g.make(info<multiply_>, weights(g, c.node), against_operand(g, c.cotangent, c.param(0), g.rank(c.x(0).id)))});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int t = g.make(info<multiply_>, weights(g, c.node), c.tangents[0]), moved = c.param(0) << c.batch;
        c.give(sym{&g, g.make(info<sum_>, view<int>{&t, 1}, view<int>{&moved, 1})});
    }
    struct parts {
        int max = -1, exps = -1, sum = -1;
    };
    static constexpr parts split(graph& g, int node) {
        const int x = g.arg(node, 0), mask = g.param(node, 0), rank = g.rank(x);
        parts p;
        p.max = g.make(info<max_>, view<int>{&x, 1}, view<int>{&mask, 1});
        p.exps = g.make(info<exp_gap_>, x, against_operand(g, p.max, mask, rank));
        p.sum = g.make(info<sum_>, view<int>{&p.exps, 1}, view<int>{&mask, 1});
        return p;
    }
    static constexpr int expand(graph& g, int node) {
        if (folds_nothing(g, g.arg(node, 0), g.param(node, 0))) return g.literal(-__builtin_huge_val(), g.dtype_of(node));
        const parts p = split(g, node);
        return g.make(info<add_>, p.max, g.make(info<log_>, p.sum));
    }
};

/// The logsumexp under views, or -1.
constexpr int logsumexp_under(const graph& g, int id) {
    while (g.is(id, info<index_>) || g.is(id, info<transpose_>)) id = g.arg(id, 0);
    return g.is(id, info<logsumexp_>) ? id : -1;
}
/// v under the views that stand over `inner` in `outer`.
constexpr int under_views(graph& g, int outer, int inner, int v) {
    if (outer == inner) return v;
    const int below = under_views(g, g.arg(outer, 0), inner, v);
    vec<int> p;
    for (int x : g.params(outer)) p.push(x);
    return g.make(g.op(outer), view<int>{&below, 1}, view<int>{p.data(), p.size()});
}

/// exp(t - logsumexp(b)) is exp(t - max b) / sum(exp(b - max b)): the exponentials of the sum are the weights' own.
constexpr int expand_exp(graph& g, int node) {
    const int x = g.arg(node, 0);
    if (!g.is(x, info<add_>)) return node;
    for (int i = 0; i < g.nodes[x].nargs; ++i) {
        const int term = g.arg(x, i);
        if (!g.is(term, info<multiply_>) || g.nodes[term].nargs != 2 || !g.is(g.arg(term, 0), literal_info) || real_value(g, g.arg(term, 0)) != -1) continue;
        const int outer = g.arg(term, 1), lse = logsumexp_under(g, outer);
        if (lse < 0 || folds_nothing(g, g.arg(lse, 0), g.param(lse, 0))) continue;
        vec<int> rest;
        for (int j = 0; j < g.nodes[x].nargs; ++j)
            if (j != i) rest.push(g.arg(x, j));
        const int t = rest.size() == 1 ? rest[0] : g.make(info<add_>, view<int>{rest.data(), rest.size()});
        const logsumexp_::parts p = logsumexp_::split(g, lse);
        const int e = g.make(info<exp_gap_>, t, under_views(g, outer, lse, p.max));
        return g.make(info<multiply_>, e, under_views(g, outer, lse, g.make(info<reciprocal_>, p.sum)));
    }
    return node;
}

constexpr int quotient_of_exponentials(graph& g, int x, int y) {
    if (!g.is(x, info<exp_>) || g.is(y, info<sum_>)) return -1;  // without views it is a rule
    int inner = y;
    while (g.is(inner, info<index_>) || g.is(inner, info<transpose_>)) inner = g.arg(inner, 0);
    if (inner == y || !g.is(inner, info<sum_>) || !g.is(g.arg(inner, 0), info<exp_>)) return -1;
    const int exponent = g.arg(g.arg(inner, 0), 0), mask = g.param(inner, 0);
    const int lse = g.make(info<logsumexp_>, view<int>{&exponent, 1}, view<int>{&mask, 1});
    return g.make(info<exp_>, g.make(info<subtract_>, g.arg(x, 0), under_views(g, y, inner, lse)));
}

/// log(exp(x) + exp(y)). The partials are logistic functions of the difference, so that they add to 1; equal operands, infinite ones too, share.
struct pair_weight_ : elementwise<pair_weight_, 2> {
    static constexpr auto name = "pair_weight";
    static constexpr int cost = 20;
    template <class V> static V kernel(V x, V y) {
        if constexpr (std::is_arithmetic_v<V>) return x == y ? V(0.5) : simd::sigmoid(x - y);
        else return select(x == y, V(0.5), simd::sigmoid(x - y));
    }
    static constexpr auto partials(auto w, auto x, auto y) {
        const auto d = w * pair_weight(y, x);
        return list(d, -d);
    }
};
struct logaddexp_ : elementwise<logaddexp_, 2> {
    static constexpr auto name = "logaddexp";
    static constexpr int cost = 35;
    template <class V> static V kernel(V x, V y) {
        if constexpr (std::is_arithmetic_v<V>) return x == y ? x + V(static_cast<typename lane_of<V>::type>(0.69314718055994530942)) : (x > y ? x : y) + simd::softplus(-std::fabs(x - y));
        else return select(x == y, x + V(static_cast<typename lane_of<V>::type>(0.69314718055994530942)), max(x, y) + simd::softplus(-abs(x - y)));
    }
    static constexpr auto partials(auto, auto x, auto y) { return list(pair_weight(x, y), pair_weight(y, x)); }
};

/// log(1 - exp(x)) for x < 0, by the better of log(-expm1(x)) and log1p(-exp(x)) (M. Mächler, Accurately Computing log(1 - exp(-|a|)), 2012).
/// Derivative: -exp(x) / (1 - exp(x)), which is 1 - 1 / (1 - exp(x)) = -1 / expm1(-x).
struct log1mexp_ : elementwise<log1mexp_> {
    static constexpr auto name = "log1mexp";
    static constexpr int cost = 40;
    template <class V> static V kernel(V x) {
        const V ln2 = V(static_cast<typename lane_of<V>::type>(0.69314718055994530942));
        if constexpr (std::is_arithmetic_v<V>) return x > -ln2 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
        else return select(x > -ln2, simd::log(-simd::expm1(x)), simd::log1p(-simd::exp(x)));
    }
    static constexpr auto partials(auto, auto x) { return list(-reciprocal(expm1(-x))); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::stable, "log1mexp(log x) is log1p(-x), for x >= 0", log1mexp(log(x)), where(x >= c<0>, log1p(-x), c<__builtin_nan("")>));
        r(phase::stable, "log1mexp(log1mexp x) is x, for x <= 0", log1mexp(log1mexp(x)), where(x <= c<0>, x, c<__builtin_nan("")>));
    }
};

}  // namespace bits

/// log(sum(exp(x))) over all axes or axis<...>, without overflow.
COTAN_REDUCTION(logsumexp, bits::logsumexp_)
/// log(exp(x) + exp(y)) without overflow.
template <class A, class B> requires bits::operands<A, B> constexpr auto logaddexp(A x, B y) { return bits::apply<bits::logaddexp_>(x, y); }
template <class A, class B> requires bits::operands<A, B> constexpr auto pair_weight(A x, B y) { return bits::apply<bits::pair_weight_>(x, y); }
/// log(1 - exp(x)) for x <= 0, accurate at both ends.
template <operand A> constexpr auto log1mexp(A x) { return bits::apply<bits::log1mexp_>(x); }

}  // namespace cotan

#endif
