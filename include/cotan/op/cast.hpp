#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/elementwise.hpp>

namespace cotan {

namespace bits {

/// cast<T>(x): the same values with another element type, converted as static_cast does. A cast to an integer or bool has no derivative.
struct cast_ : elementwise<cast_> {
    static constexpr auto name = "cast";
    static constexpr auto types = typing::keep;
    static constexpr bool explicit_type = true;
    static constexpr int build(graph& g, view<int> a, view<int>, int ty) { return g.cast(a[0], g.types[ty].dt); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    /// Literals are converted here and now; a wider type that goes back to the narrower leaves what there was.
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
        const dtype d = g.types[ty].dt, from = g.dtype_of(a[0]);
        if (g.is(a[0], literal_info) && d != dtype::boolean && !(is_integral(d) && is_real(from))) return g.cast(a[0], d);
        if (g.is(a[0], op)) {
            const int x = g.arg(a[0], 0);
            const dtype own = g.dtype_of(x);
            if (own == d && own < from && !(own == dtype::int64 && is_real(from)) && !(own == dtype::int32 && from == dtype::float32)) return x;
        }
        return g.raw(op, a, {}, ty);
    }
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.give(0, sym{c.g, c.g->cast(c.cotangent, c.g->dtype_of(c.x(0).id))});
    }
    static constexpr void pushforward(push_context& c) {
        const dtype d = c.g->dtype_of(c.y().id);
        if (is_real(d)) c.give(sym{c.g, c.g->cast(c.t(0).id, d)});
    }
};

constexpr int graph::cast(int id, dtype d) {
    if (id < 0) return -1;
    if (untyped || dtype_of(id) == d) return id;
    if (is(id, literal_info) && d != dtype::boolean && !(is_integral(d) && is_real(dtype_of(id)))) {
        if (is_integral(d)) return raw(literal_info, {}, {}, scalar_type(d), nodes[id].bits);
        return literal(real_value(*this, id), d);
    }
    return finish(info<cast_>, view<int>{&id, 1}, {}, with_dtype(nodes[id].ty, d));
}

// Operands are promoted by casts, so making a node is defined where casts are.
constexpr int graph::make(const op_info& op, view<int> operands, view<int> params) {
    for (int a : operands)
        if (a < 0) return -1;
    if (op.desugar) return op.desugar(*this, operands, params);
    if (untyped) return raw(op, operands, params, 0);
    if (op.cls != op_class::elementwise) {
        int tys[16]{};
        vec<int> many;
        const int n = operands.size();
        if (n <= 16) {
            for (int i = 0; i < n; ++i) tys[i] = nodes[operands[i]].ty;
        } else {
            for (int i = 0; i < n; ++i) many.push(nodes[operands[i]].ty);
        }
        const int ty = op.infer(*this, op, view<int>{n <= 16 ? tys : many.data(), n}, params);
        return ty < 0 ? -1 : finish(op, operands, params, ty);
    }
    const int first = op.types == typing::choose ? 1 : 0;
    if (first == 1 && dtype_of(operands[0]) != dtype::boolean) return fail(fault::not_boolean, op);
    bool equal = true;
    for (int i = first + 1; i < operands.size() && equal; ++i) equal = nodes[operands[i]].ty == nodes[operands[first]].ty;
    dtype dt = dtype_of(operands[first]);
    if (!equal)
        for (int a : view<int>{operands.first + first, operands.size() - first}) dt = promote(dt, dtype_of(a));
    if (op.types == typing::logic) {
        if (dt != dtype::boolean) return fail(fault::not_boolean, op);
    } else if (op.types == typing::real) {
        if (dt == dtype::weak_integer) dt = dtype::weak_real;
        else if (!is_real(dt)) dt = dtype::float64;
    } else if (op.types == typing::arithmetic && dt == dtype::boolean) {
        dt = dtype::int32;
    }
    if (op.types == typing::comparison && is_weak(dt)) dt = settled(dt);
    vec<int> a;
    vec<int> tys;
    for (int i = 0; i < operands.size(); ++i) {
        a.push(i < first ? operands[i] : cast(operands[i], dt));
        tys.push(nodes[a.back()].ty);
    }
    const dtype result = op.types == typing::comparison ? dtype::boolean : dt;
    const int ty = equal && first == 0 ? with_dtype(tys[0], result) : broadcast(op, view<int>{tys.data(), tys.size()}, result);
    return ty < 0 ? -1 : finish(op, view<int>{a.data(), a.size()}, params, ty);
}

constexpr int graph::make(const op_info& op, int a) { return make(op, view<int>{&a, 1}); }
constexpr int graph::make(const op_info& op, int a, int b) {
    const int x[] = {a, b};
    return make(op, view<int>{x, 2});
}

template <class T, class Ty> struct cast_type;
template <class T, dtype D, class... E> struct cast_type<T, ty<D, E...>> { using type = ty<dtype_of<T>(), E...>; };

}  // namespace bits

/// x with the element type T (bool, std::int32_t, std::int64_t, float, double), converted as static_cast does.
template <class T, operand A>
constexpr auto cast(A x) {
    if constexpr (expression<A>)
        return bits::handle<bits::node<bits::cast_, bits::params<>, typename bits::cast_type<T, type_of<A>>::type, node_of<A>>>{};
    else return sym{x.g, x.g->cast(x.id, bits::dtype_of<T>())};
}

}  // namespace cotan

#endif
