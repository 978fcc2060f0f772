#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/kernel/lanes.hpp>
#include <cotan/op/log1p.hpp>

namespace cotan {

namespace bits {

/// x log(y), where 0 log 0 is 0. Derivatives: log(y), which is -infinity at 0; x / y, where 0 / 0 is 0.
struct xlogy_ : elementwise<xlogy_, 2> {
    static constexpr auto name = "xlogy";
    static constexpr int cost = 18;
    template <class V> static V kernel(V x, V y) { return choose((x == V(0)) & (y == y), V(0), x * simd::log(y)); }
    static constexpr auto partials(auto, auto x, auto y) { return list(log(y), apply<masked_>(x != c<0>, x / y)); }
};

/// x log(1 + y), likewise.
struct xlog1py_ : elementwise<xlog1py_, 2> {
    static constexpr auto name = "xlog1py";
    static constexpr int cost = 21;
    template <class V> static V kernel(V x, V y) { return choose((x == V(0)) & (y == y), V(0), x * simd::log1p(y)); }
    static constexpr auto partials(auto, auto x, auto y) { return list(log1p(y), apply<masked_>(x != c<0>, x / (c<1> + y))); }
};

}  // namespace bits

/// x log(y), and 0 where x is 0.
template <class A, class B> requires bits::operands<A, B> constexpr auto xlogy(A x, B y) { return bits::apply<bits::xlogy_>(x, y); }
/// x log(1 + y), and 0 where x is 0.
template <class A, class B> requires bits::operands<A, B> constexpr auto xlog1py(A x, B y) { return bits::apply<bits::xlog1py_>(x, y); }

}  // namespace cotan

#endif
