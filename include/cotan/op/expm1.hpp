#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/log1p.hpp>

namespace cotan {

namespace bits {

/// exp(x) - 1, accurate near 0. Derivative: exp(x).
struct expm1_ : elementwise<expm1_> {
    static constexpr auto name = "expm1";
    static constexpr int cost = 18;
    template <class V> static V kernel(V x) { return simd::expm1(x); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr auto partials(auto, auto x) { return list(exp(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::stable, "expm1(softplus x) is exp(x)", expm1(softplus(x)), exp(x));
        r(phase::stable, "expm1(log x) is x - 1, for x >= 0", expm1(log(x)), where(x >= c<0>, x + c<-1>, c<__builtin_nan("")>));
        r(phase::canonical, "expm1(log1p x) is x, for x >= -1", expm1(log1p(x)), where(x >= c<-1>, x, c<__builtin_nan("")>));
        r(phase::stable, "expm1(log1mexp x) is -exp(x), for x <= 0", expm1(log1mexp(x)), where(x <= c<0>, -exp(x), c<__builtin_nan("")>));
    }
};

}  // namespace bits

/// exp(x) - 1, accurate near 0.
template <operand A> constexpr auto expm1(A x) { return bits::apply<bits::expm1_>(x); }

}  // namespace cotan

#endif
