#pragma once

#include <cotan/op/operations.hpp>

namespace cotan {

namespace bits {

/// What may be wrong with the rule of a user's operation.
enum class rule_fault : unsigned char { none, count, shape, type, inside };

/// Whether v can be the cotangent (or a factor of it) of something of the type `ty`: it broadcasts to its shape, and it is real.
constexpr rule_fault fits_as(graph& g, int v, int ty) {
    if (v < 0 || g.error != fault::none) return rule_fault::inside;
    const dtype d = g.dtype_of(v);
    if (d != g.types[ty].dt && !is_weak(d)) return rule_fault::type;
    const int tys[] = {g.nodes[v].ty, ty};
    const int both = g.broadcast(info<broadcast_>, view<int>{tys, 2}, g.types[ty].dt);
    g.error = fault::none;
    return both >= 0 && g.same_shape(both, ty) ? rule_fault::none : rule_fault::shape;
}

constexpr sym made_input(graph& g, int which, int ty) {
    const int p[] = {which};
    return sym{&g, g.raw(input_info, {}, view<int>{p, 1}, ty)};
}

template <class Op, std::size_t... I>
consteval rule_fault partials_fault(std::index_sequence<I...>) {
    graph g;
    type_data t;
    t.rank = 1;
    t.ext[0] = g.named("n");
    const int ty = g.intern(t);
    auto p = Op::partials(made_input(g, 0, ty), made_input(g, static_cast<int>(I) + 1, ty)...);
    if constexpr (std::tuple_size_v<decltype(p)> != sizeof...(I)) return rule_fault::count;
    else {
        rule_fault worst = rule_fault::none;
        const auto look = [&]<class P>(const P& partial) {
            if constexpr (!std::is_same_v<P, nothing_t>) {
                const rule_fault f = fits_as(g, id_in(g, partial), ty);
                if (worst == rule_fault::none) worst = f;
            }
        };
        (look(std::get<I>(p)), ...);
        return worst;
    }
}

// Facts about an operation in one class and the assertions in another: compilers go on with a class whose assertion failed as if its values were not known.
template <class Op, class Seq = std::make_index_sequence<static_cast<std::size_t>(Op::arity)>> struct operation_facts;
template <class Op, std::size_t... I>
struct operation_facts<Op, std::index_sequence<I...>> {
    template <std::size_t> using same = sym;
    template <std::size_t> using number = double;
    static constexpr bool has_partials = requires { Op::partials(sym{}, same<I>{}...); };
    static constexpr bool other_partials = requires { Op::partials(sym{}, sym{}); } || requires { Op::partials(sym{}, sym{}, sym{}); } ||
                                           requires { Op::partials(sym{}, sym{}, sym{}, sym{}); };
    static constexpr rule_fault wrong = [] {
        if constexpr (has_partials) return partials_fault<Op>(std::index_sequence<I...>{});
        else return other_partials ? rule_fault::count : rule_fault::none;
    }();
    static constexpr bool computes = requires { { Op::kernel(number<I>{}...) } -> std::convertible_to<double>; };
    static constexpr bool ok = computes && wrong == rule_fault::none;
};
template <class F>
struct operation_check {
    using checked = void;
    static_assert(F::computes, "cotan: an operation has `template <class V> static V kernel(V x, ...)`, with one argument for each operand of elementwise<Op, number of operands>");
    static_assert(F::wrong != rule_fault::count, "cotan: partials(y, x...) takes the result and each operand, and returns list(...) with one derivative for each operand; write "
                                                 "`nothing` where there is none");
    static_assert(F::wrong != rule_fault::shape, "cotan: a derivative in partials(y, x...) has other extents than the operands: it is made of the result, the operands and numbers "
                                                 "only");
    static_assert(F::wrong != rule_fault::type, "cotan: a derivative in partials(y, x...) is not of the operands' dtype: write where(condition, c<1>, c<0>) for a condition");
    static_assert(F::wrong != rule_fault::inside, "cotan: partials(y, x...) combines operands that do not fit together");
};

template <class Op>
struct operation_t {
    template <class... A>
        requires(expression<A> && ...) || (std::is_same_v<A, sym> || ...)
    constexpr auto operator()(const A&... x) const {
        static_assert(sizeof...(A) == static_cast<std::size_t>(Op::arity), "cotan: this operation takes another number of operands: see its elementwise<Op, number of operands>");
        static_assert(std::is_void_v<typename operation_check<operation_facts<Op>>::checked>);
        if constexpr (!operation_facts<Op>::ok || sizeof...(A) != static_cast<std::size_t>(Op::arity)) return c<0>;  // nothing follows the one message
        else return apply<Op>(x...);
    }
};

}  // namespace bits

/// A user's own operation as a function on expressions: `inline constexpr auto cube = operation<cube_>;`. Op derives from elementwise<Op, number of
/// operands> and gives `name`, `kernel` (on scalars and on SIMD batches) and `partials`; see op/elementwise.hpp. An operation without `partials` computes, and
/// its derivative is refused by the compiler.
template <class Op>
inline constexpr bits::operation_t<Op> operation{};

}  // namespace cotan
