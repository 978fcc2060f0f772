#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/norm.hpp>

namespace cotan {

/// What is taken from the number of elements that var and stddev divide by: var(x, ddof<1>).
template <int N> struct ddof_t {};
template <int N> inline constexpr ddof_t<N> ddof{};

namespace bits {

/// The base of the means: integers give double, and sums of float are accumulated in double.
template <class Op>
struct moment : reduction<Op> {
    static constexpr auto cls = op_class::composite;
    static constexpr dtype result(dtype d) { return is_real(d) ? d : dtype::float64; }
    /// The number of elements that a mask folds, less `but`.
    static constexpr int count(graph& g, const type_data t, int mask, int but = 0) {
        int n = g.literal(1, dtype::float64);
        for (int k = 0; k < t.rank; ++k)
            if (mask >> k & 1) n = g.make(info<multiply_>, n, extent_value(g, t.ext[k], dtype::float64));
        return but ? g.make(info<add_>, n, g.literal(-but, dtype::float64)) : n;
    }
    /// The mean in double, of x in double.
    static constexpr int mean_of(graph& g, int wide, int mask) {
        const int total = g.make(info<sum_>, view<int>{&wide, 1}, view<int>{&mask, 1});
        return g.make(info<divide_>, total, count(g, g.type_of(wide), mask));
    }
    /// x less its mean, in double.
    static constexpr int centred(graph& g, int x, int mask) {
        const int wide = g.cast(x, dtype::float64);
        return g.make(info<subtract_>, wide, against_operand(g, mean_of(g, wide, mask), mask, g.rank(x)));
    }
};

/// What is written with others: Op::written in double, cast to the result's dtype.
template <class Op>
struct written_moment : moment<Op> {
    static constexpr int desugar(graph& g, view<int> a, view<int> p) {
        if (g.untyped) return g.raw(info<Op>, a, p, 0);
        const int ty = reduction<Op>::infer(g, info<Op>, view<int>{&g.nodes[a[0]].ty, 1}, p);
        return ty < 0 ? -1 : g.cast(Op::written(g, a[0], p[0]), g.types[ty].dt);
    }
};

/// The sum divided by the number of elements.
struct mean_ : written_moment<mean_> {
    static constexpr auto name = "mean";
    static constexpr int written(graph& g, int x, int mask) { return mean_of(g, g.cast(x, dtype::float64), mask); }
};

/// The mean of the squared differences from the mean; D is taken from the number that divides. Derivative: 2 (x - mean) / (n - D), in which what
/// the mean itself contributes has cancelled.
template <int D>
struct var_ : moment<var_<D>> {
    using base = moment<var_<D>>;
    static constexpr auto name = "var";
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr int slope(graph& g, int node) {
        const int x = g.arg(node, 0), mask = g.param(node, 0);
        const int twice = g.make(info<divide_>, g.literal(2, dtype::float64), base::count(g, g.type_of(x), mask, D));
        return g.make(info<multiply_>, twice, base::centred(g, x, mask));
    }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        const int x = c.x(0).id, t = against_operand(g, g.cast(c.cotangent, dtype::float64), c.param(0), g.rank(x));
        c.give(0, sym{&g, g.cast(g.make(info<multiply_>, t, slope(g, c.node)), g.dtype_of(x))});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int t = g.make(info<multiply_>, g.cast(c.tangents[0], dtype::float64), slope(g, c.node)), moved = c.param(0) << c.batch;
        c.give(sym{&g, g.cast(g.make(info<sum_>, view<int>{&t, 1}, view<int>{&moved, 1}), g.dtype_of(c.node))});
    }
    static constexpr int expand(graph& g, int node) {
        const int x = g.arg(node, 0), mask = g.param(node, 0);
        const int squares = g.make(info<square_>, base::centred(g, x, mask));
        const int total = g.make(info<sum_>, view<int>{&squares, 1}, view<int>{&mask, 1});
        return g.cast(g.make(info<divide_>, total, base::count(g, g.type_of(x), mask, D)), g.dtype_of(node));
    }
};

/// The square root of the variance, as a norm: it neither overflows nor underflows, and its derivative is 0 where all elements are equal.
template <int D>
struct stddev_ : written_moment<stddev_<D>> {
    using base = moment<stddev_<D>>;
    static constexpr auto name = "stddev";
    static constexpr int written(graph& g, int x, int mask) {
        const int v = base::centred(g, x, mask), n = g.make(info<sqrt_>, base::count(g, g.type_of(x), mask, D));
        return g.make(info<divide_>, g.make(info<norm_>, view<int>{&v, 1}, view<int>{&mask, 1}), n);
    }
};

}  // namespace bits

/// The arithmetic mean, over all axes or axis<...>.
COTAN_REDUCTION(mean, bits::mean_)
/// The variance, over all axes or axis<...>: with ddof<1> last, the sum of squares is divided by one less than the number of elements.
COTAN_REDUCTION(var, bits::var_<0>)
template <operand A, int D> constexpr auto var(A x, ddof_t<D>) { return bits::reduce<bits::var_<D>>(x); }
template <operand A, int... I, int D> constexpr auto var(A x, axis_t<I...>, ddof_t<D>) { return bits::reduce<bits::var_<D>, I...>(x); }
template <operand A, int... I, int D> constexpr auto var(A x, axis_t<I...>, keepdims_t, ddof_t<D>) { return bits::reduce_keep<bits::var_<D>, I...>(x); }
/// The standard deviation: the square root of var. (A name that std:: leaves free.)
COTAN_REDUCTION(stddev, bits::stddev_<0>)
template <operand A, int D> constexpr auto stddev(A x, ddof_t<D>) { return bits::reduce<bits::stddev_<D>>(x); }
template <operand A, int... I, int D> constexpr auto stddev(A x, axis_t<I...>, ddof_t<D>) { return bits::reduce<bits::stddev_<D>, I...>(x); }
template <operand A, int... I, int D> constexpr auto stddev(A x, axis_t<I...>, keepdims_t, ddof_t<D>) {
    return bits::reduce_keep<bits::stddev_<D>, I...>(x);
}

}  // namespace cotan

#endif
