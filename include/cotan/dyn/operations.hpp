#pragma once

#include <cotan/dyn/graph.hpp>
#include <cotan/dyn/kernels.hpp>

// The operations on expressions of the runtime graph: the lists of op/functions.hpp once more, with axes, indices and shapes as run-time values.

namespace cotan::dyn {

#define COTAN_DYN(f, op) \
    inline expr f(const expr& x) { return bits::make_expr_of(bits::op_data<bits::op>, {}, x); }
COTAN_UNARY_FUNCTIONS(COTAN_DYN)
#undef COTAN_DYN
#define COTAN_DYN(f, op) \
    inline expr f(const expr& x, const expr& y) { return bits::make_expr_of(bits::op_data<bits::op>, {}, x, y); }
COTAN_BINARY_FUNCTIONS(COTAN_DYN)
#undef COTAN_DYN
#define COTAN_DYN(f, op) \
    inline expr operator f(const expr& x, const expr& y) { return bits::make_expr_of(bits::op_data<bits::op>, {}, x, y); }
COTAN_OPERATORS(COTAN_DYN)
#undef COTAN_DYN
#define COTAN_DYN(f, op) \
    inline expr f(const expr& x, const expr& y, const expr& z) { return bits::make_expr_of(bits::op_data<bits::op>, {}, x, y, z); }
COTAN_TERNARY_FUNCTIONS(COTAN_DYN)
#undef COTAN_DYN

inline expr operator>(const expr& x, const expr& y) { return y < x; }
inline expr operator>=(const expr& x, const expr& y) { return y <= x; }
inline expr operator-(const expr& x) { return bits::make_expr_of(bits::op_data<bits::negate_>, {}, x); }
inline expr operator+(const expr& x) { return x; }
inline expr operator!(const expr& x) { return bits::make_expr_of(bits::op_data<bits::logical_not_>, {}, x); }
inline expr& operator+=(expr& x, const expr& y) { return x = x + y; }
inline expr& operator-=(expr& x, const expr& y) { return x = x - y; }
inline expr& operator*=(expr& x, const expr& y) { return x = x * y; }
inline expr& operator/=(expr& x, const expr& y) { return x = x / y; }
inline expr logical_and(const expr& x, const expr& y) { return x && y; }
inline expr logical_or(const expr& x, const expr& y) { return x || y; }
inline expr logical_xor(const expr& x, const expr& y) { return bits::make_expr_of(bits::op_data<bits::logical_xor_>, {}, x, y); }
inline expr logical_not(const expr& x) { return !x; }
inline expr expit(const expr& x) { return sigmoid(x); }
inline expr log_sigmoid(const expr& x) { return -softplus(-x); }
inline expr deg2rad(const expr& x) { return 0.017453292519943295769 * x; }
inline expr rad2deg(const expr& x) { return 57.295779513082320877 * x; }

/// x; its cotangent is clipped to [low, high] on its way back.
inline expr grad_clip(const expr& x, const expr& low, const expr& high) { return bits::make_expr_of(bits::op_data<bits::grad_clip_>, {}, x, low, high); }
/// x; its derivatives are multiplied by k.
inline expr grad_scale(const expr& x, const expr& k) { return bits::make_expr_of(bits::op_data<bits::grad_scale_>, {}, x, k); }

/// An operation of the user's own on expressions.
template <class Op, class... E>
expr apply(const E&... e) {
    bits::kernel_registry::instance().add<Op>();
    return bits::make_expr_of(bits::op_data<Op>, {}, expr(e)...);
}

// --- reductions -----------------------------------------------------------------------------------------------------------------

/// The axes of a reduction: one, a list, or axis<...>. Negative numbers count from the end.
struct axes {
    std::vector<int> list;
    axes(int one) : list{one} {}
    axes(std::initializer_list<int> l) : list(l) {}
    axes(std::vector<int> l) : list(std::move(l)) {}
    template <int... A> axes(axis_t<A...>) : list{A...} {}
};

}  // namespace cotan::dyn

namespace cotan::bits {

/// The axes as a reduction's mask.
inline int mask_of_axes(int rank, const dyn::axes* over) {
    if (!over) return (1 << rank) - 1;
    int mask = 0;
    for (int a : over->list) {
        const int at = a < 0 ? a + rank : a;
        if (at < 0 || at >= rank) return bad_axis;
        if (mask >> at & 1) return double_axis;
        mask |= 1 << at;
    }
    return mask;
}
inline dyn::expr reduce_expr(const op_info& op, const dyn::expr& e, const dyn::axes* over, bool keep) {
    const dyn::expr x = e.placed();
    const int rank = x.rank(), mask = mask_of_axes(rank, over);
    const dyn::expr r = make_expr_of(op, view<int>{&mask, 1}, x);
    if (!keep || mask == 0) return r;
    return {r.home(), keep_axes(r.graph(), r.id(), mask, rank)};
}

}  // namespace cotan::bits

/// The forms of a reduction on runtime expressions: over all axes, over some, and with the reduced axes kept.
#define COTAN_DYN_REDUCTION(f, op)                                                                                                                            \
    inline expr f(const expr& x) { return bits::reduce_expr(bits::op_data<op>, x, nullptr, false); }                                                          \
    inline expr f(const expr& x, const axes& over) { return bits::reduce_expr(bits::op_data<op>, x, &over, false); }                                          \
    inline expr f(const expr& x, const axes& over, keepdims_t) { return bits::reduce_expr(bits::op_data<op>, x, &over, true); }                               \
    inline expr f(const expr& x, keepdims_t) { return bits::reduce_expr(bits::op_data<op>, x, nullptr, true); }

namespace cotan::dyn {

#define COTAN_DYN(f, op) COTAN_DYN_REDUCTION(f, bits::op)
COTAN_REDUCTIONS(COTAN_DYN)
#undef COTAN_DYN
COTAN_DYN_REDUCTION(any_of, bits::any_)
COTAN_DYN_REDUCTION(all_of, bits::all_)
COTAN_DYN_REDUCTION(var, bits::var_<0>)
COTAN_DYN_REDUCTION(stddev, bits::stddev_<0>)
template <int D> expr var(const expr& x, ddof_t<D>) { return bits::reduce_expr(bits::op_data<bits::var_<D>>, x, nullptr, false); }
template <int D> expr var(const expr& x, const axes& over, ddof_t<D>) { return bits::reduce_expr(bits::op_data<bits::var_<D>>, x, &over, false); }
template <int D> expr var(const expr& x, const axes& over, keepdims_t, ddof_t<D>) { return bits::reduce_expr(bits::op_data<bits::var_<D>>, x, &over, true); }
template <int D> expr stddev(const expr& x, ddof_t<D>) { return bits::reduce_expr(bits::op_data<bits::stddev_<D>>, x, nullptr, false); }
template <int D> expr stddev(const expr& x, const axes& over, ddof_t<D>) { return bits::reduce_expr(bits::op_data<bits::stddev_<D>>, x, &over, false); }
template <int D> expr stddev(const expr& x, const axes& over, keepdims_t, ddof_t<D>) { return bits::reduce_expr(bits::op_data<bits::stddev_<D>>, x, &over, true); }
inline expr log_softmax(const expr& x) { return x - logsumexp(x); }
inline expr log_softmax(const expr& x, const axes& over) { return x - logsumexp(x, over, keepdims); }
inline expr softmax(const expr& x) { return exp(log_softmax(x)); }
inline expr softmax(const expr& x, const axes& over) { return exp(log_softmax(x, over)); }

// --- running operations ---------------------------------------------------------------------------------------------------------

}  // namespace cotan::dyn

namespace cotan::bits {

template <class Op, class... O, class... E>
dyn::expr run_expr(int axis, const E&... e) {
    int rank = 0;
    ((rank = e.rank() > rank ? e.rank() : rank), ...);
    const int p[] = {axis_from(axis, rank), is_reverse<O...>, is_exclusive<O...>};
    return make_expr_of(op_data<Op>, view<int>{p, 3}, e...);
}

}  // namespace cotan::bits

namespace cotan::dyn {

/// The sums (products) of the elements along an axis up to each; options `reverse` and `exclusive`.
template <bits::running_option... O> expr cumsum(const expr& x, int axis, O...) { return bits::run_expr<bits::cumsum_, O...>(axis, x); }
template <bits::running_option... O> expr cumprod(const expr& x, int axis, O...) { return bits::run_expr<bits::cumprod_, O...>(axis, x); }
template <bits::running_option... O> expr cumsum(const expr& x, O...) { return bits::run_expr<bits::cumsum_, O...>(0, x); }
template <bits::running_option... O> expr cumprod(const expr& x, O...) { return bits::run_expr<bits::cumprod_, O...>(0, x); }
template <int K, bits::running_option... O> expr cumsum(const expr& x, axis_t<K>, O... o) { return cumsum(x, K, o...); }
template <int K, bits::running_option... O> expr cumprod(const expr& x, axis_t<K>, O... o) { return cumprod(x, K, o...); }
/// y[t] = a[t] y[t - 1] + b[t] along an axis of the operands' common shape, from y = 0 before the first.
template <bits::running_option... O> expr recurrence(const expr& a, const expr& b, int axis, O...) { return bits::run_expr<bits::recurrence_, O...>(axis, a, b); }
template <int K, bits::running_option... O> expr recurrence(const expr& a, const expr& b, axis_t<K>, O... o) { return recurrence(a, b, K, o...); }

// --- parts and shapes -----------------------------------------------------------------------------------------------------------

/// Part of an axis, as Python's start:stop:step; `end` is the end, `none` leaves a bound out.
struct slice {
    int start, stop, step;
    slice(int start_ = bits::slice_none, int stop_ = bits::slice_none, int step_ = 1) : start(start_), stop(stop_), step(step_) {}
};

/// One index: an integer, a slice, all, newaxis or ellipsis.
class index_item {
public:
    index_item(int i) : v{static_cast<int>(bits::item::integer), i, 0, 0} {}
    index_item(slice s) : v{static_cast<int>(bits::item::slice), s.start, s.stop, s.step} {}
    template <int B, int E, int S> index_item(bits::slice_t<B, E, S>) : v{static_cast<int>(bits::item::slice), B, E, S} {}
    index_item(bits::all_t) : v{static_cast<int>(bits::item::all), 0, 0, 0} {}
    index_item(bits::newaxis_t) : v{static_cast<int>(bits::item::newaxis), 0, 0, 0} {}
    index_item(bits::ellipsis_t) : v{-1, 0, 0, 0} {}
    template <cotan::expression E>
    index_item(E) : v{static_cast<int>(bits::item::integer), node_of<E>::constant, 0, 0} {}
    int v[bits::item_size];
    bool consumes() const { return v[0] >= 0 && v[0] != static_cast<int>(bits::item::newaxis); }
};

template <class... I>
    requires(std::is_convertible_v<I, index_item> && ...)
expr expr::operator()(I... indices) const {
    const std::initializer_list<index_item> list{index_item(indices)...};
    int consumed = 0;
    for (const index_item& i : list) consumed += i.consumes();
    std::vector<int> items;
    for (const index_item& i : list) {
        if (i.v[0] == -1)
            for (int k = consumed; k < rank(); ++k) items.insert(items.end(), {static_cast<int>(bits::item::all), 0, 0, 0});
        else items.insert(items.end(), i.v, i.v + bits::item_size);
    }
    return bits::make_expr_of(bits::op_data<bits::index_>, bits::view<int>{items.data(), static_cast<int>(items.size())}, *this);
}

/// The axes reversed, or in the order given.
inline expr transpose(const expr& x) { return bits::make_expr_of(bits::op_data<bits::transpose_>, {}, x); }
inline expr transpose(const expr& x, const std::vector<int>& order) {
    return bits::make_expr_of(bits::op_data<bits::transpose_>, bits::view<int>{order.data(), static_cast<int>(order.size())}, x);
}
/// x with the element type T, converted as static_cast does.
template <class T>
expr cast(const expr& e) {
    const expr x = e.placed();
    return {x.home(), x.graph().cast(x.id(), bits::dtype_of<T>())};
}

}  // namespace cotan::dyn

namespace cotan::bits {

inline int type_with(graph& g, dtype d, const std::vector<dyn::extent>& extents) {
    type_data t;
    t.dt = d;
    for (const dyn::extent& e : extents) {
        if (e.size < 0 && e.name.empty()) throw error("cotan: reshape and broadcast_to take sizes and names of extents");
        t.ext[t.rank++] = extent_in(g, e, "", 0);
    }
    return g.intern(t);
}
inline dyn::expr broadcast_expr(const dyn::expr& x, int ty) {
    open_graph& g = x.graph();
    const int id = x.id(), tys[] = {g.nodes[id].ty, ty};
    const int common = g.broadcast(op_data<broadcast_>, view<int>{tys, 2}, g.types[ty].dt);
    bool fits = common >= 0 && g.types[common].rank == g.types[ty].rank;
    for (int k = 0; fits && k < g.types[ty].rank; ++k)  // nothing of the target stretches
        fits = !g.is_one(g.types[ty].ext[k]) || g.is_one(g.types[common].ext[k]);
    if (!fits) throw_fault(g, "broadcast_to", view<int>{&id, 1}, fault::cannot_broadcast, ", which are " + words_of_type(g, ty));
    const auto joints = g.pending;
    const int before = g.nodes.size(), r = fitted(g, id, ty);
    g.pending = joints;
    g.join(r, before);
    return {x.home(), r};
}

}  // namespace cotan::bits

namespace cotan::dyn {

/// The elements of x in the same order, with other extents.
inline expr reshape(const expr& e, const std::vector<extent>& extents) {
    const expr x = e.placed();
    bits::open_graph& g = x.graph();
    const int id = x.id();
    if (extents.size() > bits::max_rank) bits::throw_fault(g, "reshape", bits::view<int>{&id, 1}, bits::fault::rank_too_high);
    const int ty = bits::type_with(g, g.dtype_of(id), extents);
    if (!bits::may_hold_as_many(g, g.type_of(id), g.types[ty]))
        bits::throw_fault(g, "reshape", bits::view<int>{&id, 1}, bits::fault::reshape_size, ", " + bits::words_of_type(g, ty));
    return {x.home(), bits::reshape_::to(g, id, ty)};
}
/// The elements of x in one axis.
inline expr flatten(const expr& x) { return bits::make_expr_of(bits::op_data<bits::flatten_>, {}, x); }
/// x stretched to extents: fixed extents of 1 and missing leading axes stretch.
inline expr broadcast_to(const expr& e, const std::vector<extent>& extents) {
    const expr x = e.placed();
    if (extents.size() > bits::max_rank) throw error("cotan: a tensor has at most 8 axes");
    return bits::broadcast_expr(x, bits::type_with(x.graph(), x.dtype(), extents));
}
/// x stretched to the shape of y.
inline expr broadcast_like(const expr& x, const expr& y) {
    const expr* both[] = {&x, &y};
    int ids[2];
    const auto home = bits::together(bits::view<const expr*>{both, 2}, ids);
    const int ty = home->g.with_dtype(home->g.nodes[ids[1]].ty, home->g.dtype_of(ids[0]));
    return bits::broadcast_expr(expr(home, ids[0]), ty);
}

// --- derivatives ----------------------------------------------------------------------------------------------------------------

/// Lazy, as in typed graphs: nodes that are expanded when a function is made, after what they differentiate was rewritten.

/// Names several expressions to differentiate by.
inline std::vector<expr> wrt(std::vector<expr> x) { return x; }
template <class... X>
    requires(std::is_convertible_v<X, expr> && ...)
std::vector<expr> wrt(const X&... x) {
    return {expr(x)...};
}

}  // namespace cotan::dyn

namespace cotan::bits {

inline void check_real(const graph& g, const char* what, int x) {
    if (!is_real(g.dtype_of(x)))
        throw error(std::string("cotan: ") + what + ": a derivative with respect to an integer or bool does not exist: declare the input as float or double (got " + words_of_node(g, x) + ")");
}
/// What a tangent or cotangent must broadcast to. The extents that meet here are joined at the node.
inline void check_tangent(open_graph& g, const char* what, int t, int of) {
    const int tys[] = {g.nodes[t].ty, g.nodes[of].ty};
    const int common = g.broadcast(op_data<broadcast_>, view<int>{tys, 2}, g.dtype_of(of));
    bool fits = common >= 0 && g.types[common].rank == g.types[tys[1]].rank;
    for (int k = 0; fits && k < g.types[common].rank; ++k) fits = !g.is_one(g.types[tys[1]].ext[k]) || g.is_one(g.types[common].ext[k]);
    g.error = fault::none;
    if (fits) return;
    g.pending.clear();
    throw shape_error(std::string("cotan: ") + what + ": a tangent or cotangent has the extents of what it belongs to, or broadcasts to them (expected " +
                      words_of_type(g, tys[1]) + ", got " + words_of_node(g, t) + ")");
}
inline dyn::expr derivative_expr(const std::shared_ptr<arena>& home, const op_info& op, view<int> a, int ty, view<int> params = {}) {
    const int before = home->g.nodes.size();
    const auto joints = home->g.pending;
    const int id = home->g.raw(op, a, params, ty);
    home->g.pending = joints;
    home->g.join(id, before);
    return {home, id};
}

}  // namespace cotan::bits

namespace cotan::dyn {

/// The cotangent of x for a cotangent of y. x may be any expression inside y. Zero where y does not depend on x.
inline expr pullback(const expr& y, const expr& x, const expr& cotangent) {
    const expr* all[] = {&y, &x, &cotangent};
    int ids[3];
    const auto home = bits::together(bits::view<const expr*>{all, 3}, ids);
    bits::check_real(home->g, "pullback", ids[1]);
    bits::check_tangent(home->g, "pullback", ids[2], ids[0]);
    return bits::derivative_expr(home, bits::op_data<bits::pull_>, bits::view<int>{ids, 3}, home->g.nodes[ids[1]].ty);
}
inline std::vector<expr> pullback(const expr& y, const std::vector<expr>& x, const expr& cotangent) {
    std::vector<expr> r;
    for (const expr& one : x) r.push_back(pullback(y, one, cotangent));
    return r;
}
/// The gradient of a scalar expression.
inline expr grad(const expr& y, const expr& x) {
    const expr v = y.placed();
    if (v.rank() != 0)
        throw shape_error("cotan: grad takes the gradient of a scalar, and this expression has axes: write jacobian(y, x), pullback(y, x, cotangent), or grad(sum(y), x) (got " + v.text() + ")");
    if (!is_real(v.dtype())) throw error("cotan: grad takes the gradient of a float or double, and this expression is an integer or bool (got " + v.text() + ")");
    return pullback(v, x, expr(1));
}
inline std::vector<expr> grad(const expr& y, const std::vector<expr>& x) {
    std::vector<expr> r;
    for (const expr& one : x) r.push_back(grad(y, one));
    return r;
}
/// The value and the gradients, in this order.
inline std::vector<expr> value_and_grad(const expr& y, const expr& x) { return {y, grad(y, x)}; }
inline std::vector<expr> value_and_grad(const expr& y, const std::vector<expr>& x) {
    std::vector<expr> r{y};
    for (expr& g : grad(y, x)) r.push_back(std::move(g));
    return r;
}
/// The tangent of y along tangents of several expressions.
inline expr pushforward(const expr& y, const std::vector<expr>& x, const std::vector<expr>& tangents) {
    if (x.size() != tangents.size())
        throw error("cotan: pushforward takes one tangent for each expression: expected " + std::to_string(x.size()) + ", got " + std::to_string(tangents.size()));
    std::vector<const expr*> all{&y};
    for (const expr& e : x) all.push_back(&e);
    for (const expr& e : tangents) all.push_back(&e);
    std::vector<int> ids(all.size());
    const auto home = bits::together(bits::view<const expr*>{all.data(), static_cast<int>(all.size())}, ids.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
        bits::check_real(home->g, "pushforward", ids[1 + i]);
        bits::check_tangent(home->g, "pushforward", ids[1 + x.size() + i], ids[1 + i]);
    }
    return bits::derivative_expr(home, bits::op_data<bits::push_>, bits::view<int>{ids.data(), static_cast<int>(ids.size())}, home->g.nodes[ids[0]].ty);
}
inline expr pushforward(const expr& y, const expr& x, const expr& tangent) { return pushforward(y, std::vector<expr>{x}, std::vector<expr>{tangent}); }
}  // namespace cotan::dyn

namespace cotan::bits {

inline dyn::expr jacobian_expr(const dyn::expr& y, const dyn::expr& x, sweeps how) {
    const dyn::expr* all[] = {&y, &x};
    int ids[2];
    const auto home = together(view<const dyn::expr*>{all, 2}, ids);
    open_graph& g = home->g;
    check_real(g, "jacobian", ids[1]);
    type_data t = g.type_of(ids[0]);
    const type_data by = g.type_of(ids[1]);
    t.dt = settled(t.dt);
    if (t.rank + by.rank > max_rank) throw_fault(g, "jacobian", view<int>{ids, 2}, fault::rank_too_high);
    for (int k = 0; k < by.rank; ++k) t.ext[t.rank++] = by.ext[k];
    const int p = static_cast<int>(how);
    return derivative_expr(home, op_data<jacobian_>, view<int>{ids, 2}, g.intern(t), view<int>{&p, 1});
}

}  // namespace cotan::bits

namespace cotan::dyn {

/// The Jacobian: the axes of y, then those of x.
inline expr jacobian(const expr& y, const expr& x) { return bits::jacobian_expr(y, x, bits::sweeps::cheaper); }
/// The same by forward (reverse) sweeps.
inline expr jacfwd(const expr& y, const expr& x) { return bits::jacobian_expr(y, x, bits::sweeps::forward); }
inline expr jacrev(const expr& y, const expr& x) { return bits::jacobian_expr(y, x, bits::sweeps::reverse); }
/// The Hessian of a scalar: the axes of x twice.
inline expr hessian(const expr& y, const expr& x) { return jacobian(grad(y, x), x); }
/// The Hessian of a scalar times a vector of x's shape.
inline expr hvp(const expr& y, const expr& x, const expr& v) { return pushforward(grad(y, x), x, v); }

}  // namespace cotan::dyn
