#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/hypot.hpp>
#include <cotan/op/sigmoid.hpp>

namespace cotan {

namespace bits {

/// sinh(x). Derivative: cosh(x).
struct sinh_ : elementwise<sinh_> {
    static constexpr auto name = "sinh";
    static constexpr int cost = 25;
    template <class V> static V kernel(V x) {
        using std::sinh;
        return sinh(x);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr auto partials(auto, auto x) { return list(cosh(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "sinh(-x) is -sinh(x)", sinh(-x), -sinh(x));
        r(phase::canonical, "sinh(asinh x) is x", sinh(asinh(x)), x);
    }
};

/// cosh(x). Derivative: sinh(x).
struct cosh_ : elementwise<cosh_> {
    static constexpr auto name = "cosh";
    static constexpr int cost = 25;
    template <class V> static V kernel(V x) {
        using std::cosh;
        return cosh(x);
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_positive | is_nonnegative; }
    static constexpr auto partials(auto, auto x) { return list(sinh(x)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "cosh(-x) is cosh(x)", cosh(-x), cosh(x));
        r(phase::canonical, "cosh(acosh x) is x, for x >= 1", cosh(acosh(x)), where(x >= c<1>, x, c<__builtin_nan("")>));
    }
};

/// tanh(x). Derivative: 1 - tanh(x)^2.
struct tanh_ : elementwise<tanh_> {
    static constexpr auto name = "tanh";
    static constexpr int cost = 20;
    template <class V> COTAN_FLAT static V kernel(V x) { return simd::tanh(x); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr auto partials(auto y, auto) { return list(c<1> - square(y)); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "tanh(-x) is -tanh(x)", tanh(-x), -tanh(x));
        r(phase::canonical, "tanh(atanh x) is x, for -1 <= x <= 1", tanh(atanh(x)), where(abs(x) <= c<1>, x, c<__builtin_nan("")>));
    }
};

/// arsinh(x). Derivative: 1 / hypot(x, 1).
struct asinh_ : elementwise<asinh_> {
    static constexpr auto name = "asinh";
    static constexpr int cost = 30;
    template <class V> static V kernel(V x) {
        using std::asinh;
        return asinh(x);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr auto partials(auto, auto x) { return list(reciprocal(hypot(x, c<1>))); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "asinh(-x) is -asinh(x)", asinh(-x), -asinh(x));
        r(phase::stable, "asinh(sinh x) is x", asinh(sinh(x)), x);
    }
};

/// arcosh(x). Derivative: 1 / (sqrt(x - 1) sqrt(x + 1)).
struct acosh_ : elementwise<acosh_> {
    static constexpr auto name = "acosh";
    static constexpr int cost = 30;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return std::acosh(x);
        else return select(x < V(1), V(__builtin_nan("")), acosh(x));
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr auto partials(auto, auto x) { return list(reciprocal(sqrt(x - c<1>) * sqrt(x + c<1>))); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) { r(phase::stable, "acosh(cosh x) is abs(x)", acosh(cosh(x)), abs(x)); }
};

/// artanh(x). Derivative: 1 / (1 - x^2).
struct atanh_ : elementwise<atanh_> {
    static constexpr auto name = "atanh";
    static constexpr int cost = 30;
    template <class V> static V kernel(V x) {
        using std::atanh;
        return atanh(x);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr auto partials(auto, auto x) { return list(reciprocal(apply<one_minus_square_>(x))); }
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "atanh(-x) is -atanh(x)", atanh(-x), -atanh(x));
        r(phase::stable, "atanh(tanh x) is x", atanh(tanh(x)), x);
    }
};

}  // namespace bits

/// The hyperbolic sine.
template <operand A> constexpr auto sinh(A x) { return bits::apply<bits::sinh_>(x); }
/// The hyperbolic cosine.
template <operand A> constexpr auto cosh(A x) { return bits::apply<bits::cosh_>(x); }
/// The hyperbolic tangent.
template <operand A> constexpr auto tanh(A x) { return bits::apply<bits::tanh_>(x); }
/// The inverse hyperbolic sine.
template <operand A> constexpr auto asinh(A x) { return bits::apply<bits::asinh_>(x); }
/// The inverse hyperbolic cosine; NaN below 1.
template <operand A> constexpr auto acosh(A x) { return bits::apply<bits::acosh_>(x); }
/// The inverse hyperbolic tangent; NaN outside [-1, 1].
template <operand A> constexpr auto atanh(A x) { return bits::apply<bits::atanh_>(x); }

}  // namespace cotan

#endif
