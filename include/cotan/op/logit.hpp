#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/kernel/lanes.hpp>
#include <cotan/op/sigmoid.hpp>

namespace cotan {

namespace bits {

/// log(p / (1 - p)); next to p = 1/2, where that is small, log1p of what the quotient has above 1. Derivative: 1 / (p (1 - p)).
struct logit_ : elementwise<logit_> {
    static constexpr auto name = "logit";
    static constexpr int cost = 40;
    template <class V> static V kernel(V p) {
        const V q = V(1) - p;
        return choose((p > V(0.25)) & (p < V(0.75)), simd::log1p((p + p - V(1)) / q), simd::log(p / q));
    }
    static constexpr auto partials(auto, auto p) { return list(reciprocal(p * (c<1> - p))); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::stable, "logit(sigmoid x) is x", logit(sigmoid(x)), x);
    }
};

}  // namespace bits

/// The inverse of sigmoid: log(p / (1 - p)).
template <operand A> constexpr auto logit(A p) { return bits::apply<bits::logit_>(p); }
/// sigmoid(x).
template <operand A> constexpr auto expit(A x) { return sigmoid(x); }
/// log(sigmoid(x)), which is -softplus(-x).
template <operand A> constexpr auto log_sigmoid(A x) { return -softplus(-x); }

}  // namespace cotan

#endif
