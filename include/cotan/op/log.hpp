#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/exp.hpp>

namespace cotan {

namespace bits {

/// log(x). Derivative: 1 / x.
struct log_ : elementwise<log_> {
    static constexpr auto name = "log";
    static constexpr int cost = 15;
    template <class V> COTAN_FLAT static V kernel(V x) { return simd::log(x); }
    static constexpr auto partials(auto, auto x) { return list(reciprocal(x)); }
    static constexpr int placeholders = 3;
    static constexpr void rewrites(auto r, auto x, auto y, auto z) {
        r(phase::canonical, "log(exp x) is x", log(exp(x)), x);
        r(phase::stable, "log(sum(exp x)) is logsumexp(x)", log(sum(exp(x))), logsumexp(x));
        r(phase::stable, "log(exp x + exp y) is logaddexp(x, y)", log(exp(x) + exp(y)), logaddexp(x, y));
        r(phase::stable, "log(exp x - exp y) is x + log1mexp(gap(y, x))", log(exp(x) - exp(y)), x + log1mexp(gap(y, x)));
        r(phase::stable, "log(1 + exp x) is softplus(x)", log(c<1> + exp(x)), softplus(x));
        r(phase::stable, "log(1 - exp x) is log1mexp(x)", log(-expm1(x)), log1mexp(x));
        r(phase::stable, "log(1 + x) is log1p(x)", log(c<1> + x), log1p(x));
        r(phase::stable, "log(sigmoid x) is -softplus(-x)", log(sigmoid(x)), -softplus(-x));
        r(phase::stable, "log(x / (1 - x)) is logit(x)", log(x / (c<1> - x)), logit(x));
        r(phase::stable, "log(sqrt x) is log(x) / 2", log(sqrt(x)), c<0.5> * log(x));
        r(phase::stable, "log(x^2) is 2 log|x|", log(square(x)), c<2> * log(abs(x)));
        r.where(is_positive, x, phase::stable, "log(x^y) is y log(x), for x > 0", log(pow(x, y)), y * log(x));
        r.where(is_positive, x, phase::stable, "log(prod x) is sum(log x), for x > 0", log(prod(x)), sum(log(x)));
        r(phase::stable, "log(exp2 x) is x log(2)", log(exp2(x)), c<0.69314718055994530942> * x);
        r(phase::stable, "log(exp(x) / y) is x - log(y)", log(exp(x) / y), x - log(y));
        r(phase::stable, "log(erfc x) is log_erfc(x)", log(erfc(x)), log_erfc(x));
        r(phase::stable, "log(1 / x) is -log(x)", log(reciprocal(x)), -log(x));
        r(phase::stable, "log(exp(x) * y) is x + log(y)", log(exp(x) * y), x + log(y));
        (void)z;
    }
};

}  // namespace bits

/// The natural logarithm. float and double; integers become double.
template <operand A> constexpr auto log(A x) { return bits::apply<bits::log_>(x); }

}  // namespace cotan

#endif
