#pragma once

#include <cotan/loop/scan.hpp>

namespace cotan {

namespace bits {

template <auto V> struct tolerance_t {
    static_assert(V > 0 && V < 1, "cotan: fixed_point: a tolerance is a number between 0 and 1: the last change relative to the value, such as tolerance<1e-10>");
    static constexpr int digits = [] {
        int n = 0;
        for (double t = 1; t > V && n < 1000; t /= 2) ++n;
        return n;
    }();
};
template <auto V> inline constexpr int argument_kind<tolerance_t<V>> = 7;

template <class X> struct default_tolerance { using type = tolerance_t<0x1p-48>; };  // 16 times the distance of 1 to the next number
template <class X> requires(type_of<X>::dt == dtype::float32) struct default_tolerance<X> { using type = tolerance_t<0x1p-19>; };
template <auto V> constexpr auto value_of(tolerance_t<V>) { return c<V>; }

template <class X0, class F>
struct fixed_point_facts {
    using state = typename settled_type<type_of<X0>>::type;
    using argument = handle<bound_node<0, 0, state>>;
    static constexpr bool real = is_real(state::dt);
    static constexpr bool callable = std::is_invocable_v<F, argument>;
    static constexpr bool typed = [] {
        if constexpr (!callable) return true;
        else if constexpr (!expression<std::invoke_result_t<F, argument>>) return false;
        else return keeps_type<state, type_of<std::invoke_result_t<F, argument>>>;
    }();
    static constexpr bool ok = real && callable && typed;
};
template <class Facts>
struct fixed_point_check {
    using checked = void;
    static_assert(Facts::real, "cotan: fixed_point: the initial value is not of a floating-point dtype: write c<1.0>, or cast<double>(x0)");
    static_assert(Facts::callable, "cotan: fixed_point: the function takes one expression, the present value: [](auto x) { return ...; }");
    static_assert(Facts::typed, "cotan: fixed_point: the function's result has another type than the initial value: give both the same extents and dtype");
};

template <class E>
constexpr auto largest(E e) {
    if constexpr (type_of<E>::rank == 0) return abs(e);
    else return max(abs(e));
}

}  // namespace bits

/// To which relative change an iteration settles.
template <auto V> inline constexpr bits::tolerance_t<V> tolerance{};

/// fixed_point(f, x0, options...): the x with x = f(x), found by repeating f from x0 until the largest change of an element is at most a tolerance times the
/// largest element. f may use any expression around it. Results: .last and .steps. Options: tolerance<1e-10> (otherwise 16 times the dtype's
/// epsilon), times(n) for at most so many steps. It is differentiated at the solution, by iterations of the same kind, of any order; x0 has no derivative.
template <class F, expression X0, class... A>
constexpr auto fixed_point(F f, X0, A...) {
    using facts = bits::fixed_point_facts<X0, F>;
    static_assert(std::is_void_v<typename bits::fixed_point_check<facts>::checked>);
    using tolerance = typename bits::pick<7, typename bits::default_tolerance<X0>::type, A...>::type;
    using times = typename bits::times_node<typename bits::pick<3, void, A...>::type>::type;
    if constexpr (!facts::ok) return bits::loop_result<X0, pack<>, decltype(c<0>)>{};
    else {
        const auto body = [f](auto x) {
            const auto next = f(x);
            return step(next).until(bits::at_rest(bits::largest(next - x), bits::largest(next), bits::value_of(tolerance{})));
        };
        return bits::loop_builder<bits::init_t<X0>, bits::over_t<>, times, bits::loop_fixed | tolerance::digits << bits::loop_digits_from, 0>::build(body, nullptr);
    }
}

}  // namespace cotan
