#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/kernel/simd_math.hpp>
#include <cotan/op/where.hpp>
#include <cotan/op/sum.hpp>

namespace cotan {

namespace bits {

constexpr int expand_exp(graph& g, int node);

/// exp(x). Derivative: the result itself.
struct exp_ : elementwise<exp_> {
    static constexpr auto name = "exp";
    static constexpr int cost = 15;
    template <class V> COTAN_FLAT static V kernel(V x) { return simd::exp(x); }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative | is_positive; }
    static constexpr auto partials(auto y, auto) { return list(y); }
    static constexpr int expand(graph& g, int node) { return expand_exp(g, node); }
    static constexpr int placeholders = 2;
    static constexpr void rewrites(auto r, auto x, auto y) {
        r.where(is_nonnegative, x, phase::canonical, "exp(log x) is x, for x >= 0", exp(log(x)), x);
        r(phase::stable, "exp(log x) is x, for x >= 0, else NaN", exp(log(x)), where(x >= c<0>, x, c<__builtin_nan("")>));
        r(phase::stable, "exp(log1mexp x) is 1 - exp(x), for x <= 0", exp(log1mexp(x)), where(x <= c<0>, -expm1(x), c<__builtin_nan("")>));
        r(phase::stable, "exp(softplus x) is 1 + exp(x)", exp(softplus(x)), c<1> + exp(x));
        r(phase::stable, "exp(log1p x) is 1 + x, for x > -1", exp(log1p(x)), where(x >= c<-1>, c<1> + x, c<__builtin_nan("")>));
        (void)y;
    }
};

}  // namespace bits

/// e to the power x. float and double; integers become double.
template <operand A> constexpr auto exp(A x) { return bits::apply<bits::exp_>(x); }

}  // namespace cotan

#endif
