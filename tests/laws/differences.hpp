#pragma once

#include "laws/evaluate.hpp"

#include <random>

// Derivatives of graphs that are made at run time, against finite differences of the reference evaluator.

namespace reference {

/// The way from a rewritten graph to what the plan is made of.
struct lowered {
    bits::rewriter low;
    bits::graph kernel;
    bits::vec<int> roots;
    lowered(const bits::graph& simple, bits::view<int> outputs) {
        low.types = simple.types;
        low.extents = simple.extents;
        const bits::vec<int> b = bits::expand_composites(low, simple, outputs);
        kernel.types = low.types;
        kernel.extents = low.extents;
        bits::binariser w{kernel, low, {}, {}};
        roots = w.run(bits::view<int>{b.data(), b.size()});
    }
    lowered(const lowered&) = delete;
};

inline int tensor_node(bits::graph& g, const std::string& name, int ty) {
    const int p = g.named(name);
    return g.raw(bits::input_info, {}, bits::view<int>{&p, 1}, ty);
}

inline array random_like(const array& a, std::mt19937& random) {
    array r = a;
    for (double& v : r.v) v = std::uniform_real_distribution<>(-1, 1)(random);
    return r;
}

inline double inner(const array& a, const array& b) {
    long double s = 0;
    places p(a.v.size() >= b.v.size() ? a.shape : b.shape);
    for (; p.more; p.next()) s += static_cast<long double>(stretched(a, p.at)) * stretched(b, p.at);
    return static_cast<double>(s);
}

/// The value of a node, as large as a shape: a derivative may be narrower than what it belongs to. Nothing at all is zero.
inline array value_or_zero(evaluator& value, int id, const std::vector<int>& shape) {
    array r = filled(shape, 0);
    if (id < 0) return r;
    const array& v = value(id);
    std::size_t i = 0;
    for (places p(shape); p.more; p.next()) r.v[i++] = stretched(v, p.at);
    return r;
}

/// d/dt f(x + t d) at 0, by the central formula of eighth order.
template <class F>
array difference(F f, double h) {
    const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    array r = f(0.0);
    for (double& v : r.v) v = 0;
    for (int k = 1; k <= 4; ++k) {
        const array up = f(k * h), down = f(-k * h);
        for (std::size_t i = 0; i < r.v.size(); ++i) r.v[i] += weight[k - 1] * (up.v[i] - down.v[i]) / h;
    }
    return r;
}

/// The largest difference, relative to the size of the values.
inline double distance(const array& a, const array& b) {
    double worst = a.v.size() == b.v.size() ? 0 : 1e300;
    double size = 1;
    for (double v : b.v) size = std::max(size, std::fabs(v));
    for (std::size_t i = 0; i < a.v.size() && i < b.v.size(); ++i) {
        const double d = std::fabs(a.v[i] - b.v[i]) / size;
        if (!(d <= worst)) worst = d == d ? d : 1e300;
    }
    return worst;
}

}  // namespace reference
