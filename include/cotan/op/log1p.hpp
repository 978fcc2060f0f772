#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/log.hpp>

namespace cotan {

namespace bits {

/// log(1 + x), accurate near 0. Derivative: 1 / (1 + x).
struct log1p_ : elementwise<log1p_> {
    static constexpr auto name = "log1p";
    static constexpr int cost = 18;
    template <class V> static V kernel(V x) { return simd::log1p(x); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr auto partials(auto, auto x) { return list(reciprocal(c<1> + x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::stable, "log1p(exp x) is softplus(x)", log1p(exp(x)), softplus(x));
        r(phase::stable, "log1p(-exp x) is log1mexp(x)", log1p(-exp(x)), log1mexp(x));
        r(phase::stable, "log1p(-sigmoid x) is -softplus(x)", log1p(-sigmoid(x)), -softplus(x));
        r(phase::canonical, "log1p(expm1 x) is x", log1p(expm1(x)), x);
    }
};

}  // namespace bits

/// log(1 + x), accurate near 0.
template <operand A> constexpr auto log1p(A x) { return bits::apply<bits::log1p_>(x); }

}  // namespace cotan

#endif
