#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/exp.hpp>

namespace cotan {

namespace bits {

/// The error function. Derivative: 2 / sqrt(pi) exp(-x^2).
struct erf_ : elementwise<erf_> {
    static constexpr auto name = "erf";
    static constexpr int cost = 30;
    template <class V> static V kernel(V x) { return simd::erf(x); }
    static constexpr auto partials(auto, auto x) { return list(c<1.12837916709551257390> * exp(-square(x))); }
};
/// 1 - erf(x), accurate where it is small. Derivative: -2 / sqrt(pi) exp(-x^2).
struct erfc_ : elementwise<erfc_> {
    static constexpr auto name = "erfc";
    static constexpr int cost = 35;
    template <class V> static V kernel(V x) { return simd::erfc(x); }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr auto partials(auto, auto x) { return list(c<-1.12837916709551257390> * exp(-square(x))); }
};
/// exp(x^2) erfc(x), the scaled complementary error function. Derivative: 2 x erfcx(x) - 2 / sqrt(pi).
struct erfcx_ : elementwise<erfcx_> {
    static constexpr auto name = "erfcx";
    static constexpr int cost = 40;
    template <class V> static V kernel(V x) { return simd::erfcx(x); }
    static constexpr unsigned facts(const graph&, view<int>) { return is_positive | is_nonnegative; }
    static constexpr auto partials(auto y, auto x) { return list(c<2> * x * y - c<1.12837916709551257390>); }
};
/// log(erfc(x)), which does not underflow: log(erfcx(x)) - x^2 for positive x. Derivative: -2 / sqrt(pi) / erfcx(x) there.
struct log_erfc_ : elementwise<log_erfc_> {
    static constexpr auto name = "log_erfc";
    static constexpr int cost = 60;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return x > V(0.5) ? simd::log(simd::erfcx(x)) - x * x : simd::log1p(-simd::erf(x));
        else return select(x > V(0.5), simd::log(simd::erfcx(x)) - x * x, simd::log1p(-simd::erf(x)));
    }
    static constexpr auto partials(auto, auto x) { return list(c<-1.12837916709551257390> * reciprocal(erfcx(x))); }
};

}  // namespace bits

/// The error function.
template <operand A> constexpr auto erf(A x) { return bits::apply<bits::erf_>(x); }
/// The complementary error function 1 - erf(x).
template <operand A> constexpr auto erfc(A x) { return bits::apply<bits::erfc_>(x); }
/// The scaled complementary error function exp(x^2) erfc(x).
template <operand A> constexpr auto erfcx(A x) { return bits::apply<bits::erfcx_>(x); }
/// log(erfc(x)) without underflow.
template <operand A> constexpr auto log_erfc(A x) { return bits::apply<bits::log_erfc_>(x); }

}  // namespace cotan

#endif
