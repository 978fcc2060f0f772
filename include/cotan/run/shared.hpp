#pragma once

#include <cotan/core/input.hpp>
#include <cotan/diff/grad.hpp>
#include <cotan/run/argument.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <tuple>
#include <utility>

// Shared variables: values that live in a prepared run and not in its arguments. In the value graph a shared variable is an input with a second
// parameter; a function finds those that its expressions use, and takes them as inputs behind the declared ones.
namespace cotan {

namespace bits {

/// Types of values with a type of their own outside number them, from 2 on, so that a type found in a graph is made again: see random::key.
template <class Ty> consteval int kind_of() {
    if constexpr (requires { Ty::kind; }) return Ty::kind;
    else return 1;
}
template <int Kind, class Plain> struct type_of_kind { using type = Plain; };

template <fixed_string Name, class Ty>
struct shared_node {
    using type = Ty;
    static constexpr auto name = Name;
    enum : unsigned { hash = mix(hash_text(Name.view()), 1005u + static_cast<unsigned>(Ty::dt) * 16u + static_cast<unsigned>(Ty::rank)) };
    enum : int { height = 0 };
    static constexpr int build(lowering& l) {
        const int p[] = {l.g->named(Name.view()), kind_of<Ty>()};
        const int t = Ty::lower(*l.g);
        return l.g->raw(input_info, {}, view<int>{p, 2}, t);
    }
};

/// The type of a shared variable's value; random.hpp adds keys.
template <class T, extent_arg... E>
struct shared_type { using type = ty<dtype_of<T>(), typename extent_of_arg<E>::type...>; };

template <class T, fixed_string Name, extent_arg... E>
consteval auto shared_type_of() {
    static_assert(sizeof...(E) <= max_rank, "cotan: a tensor has at most 8 axes");
    return std::type_identity<shared_node<Name, typename shared_type<T, E...>::type>>{};
}

template <class W, class Value>
struct update_t {
    using target = W;
    using value = Value;
};
template <class... U> struct updates_t {};

template <class W, class Y>
struct update_check {
    using checked = void;
    static constexpr bool fits = broadcast_check_value<type_of<Y>, type_of<W>>();
    static_assert(fits, "cotan: an update has the extents of its shared variable (or broadcasts to them)");
};
template <class N> inline constexpr bool is_shared_node = false;
template <fixed_string Name, class Ty> inline constexpr bool is_shared_node<shared_node<Name, Ty>> = true;

// --- which shared variables a function's expressions use --------------------------------------------------------------------------------
template <class List, class... E> struct updates_in { using type = List; };
template <class... U, class E, class... Rest> struct updates_in<type_list<U...>, E, Rest...> : updates_in<type_list<U...>, Rest...> {};
template <class... U, class... V, class... Rest>
struct updates_in<type_list<U...>, updates_t<V...>, Rest...> : updates_in<type_list<U..., V...>, Rest...> {};

struct found_shared {
    int count = 0;
    struct entry {
        char name[name_length]{};
        result_data type;
        int kind = 1;
    } at[16]{};
};
template <class... Out, class... U>
consteval found_shared find_shared(type_list<Out...>, type_list<U...>) {
    found_shared r;
    graph g;
    lowering l(g);
    ((void)l.template operator()<Out>(), ...);
    (((void)l.template operator()<typename U::value>(), (void)l.template operator()<typename U::target>()), ...);
    for (int id = 0; id < g.nodes.size(); ++id) {
        if (!g.is(id, input_info) || g.nodes[id].nparams < 2) continue;
        if (r.count < 16) {
            const extent_data name = g.extents[g.param(id, 0)];
            for (int i = 0; i < name_length; ++i) r.at[r.count].name[i] = name.name[i];
            r.at[r.count].type = result_in(g, g.nodes[id].ty);
            r.at[r.count].kind = g.param(id, 1);
        }
        ++r.count;
    }
    return r;
}
template <class Out, class Updates> inline constexpr found_shared found_in = find_shared(Out{}, Updates{});

template <class Out, class Updates, std::size_t I>
struct found_one {
    static constexpr auto value = found_in<Out, Updates>.at[I].type;
    static constexpr char chars(int i) { return found_in<Out, Updates>.at[I].name[i]; }
    using type = shared_node<string_from<found_one>(std::make_index_sequence<static_cast<std::size_t>(length_of(found_in<Out, Updates>.at[I].name))>{}),
                             typename type_of_kind<found_in<Out, Updates>.at[I].kind, type_of_result<found_one>>::type>;
};
template <class Out, class Updates>
struct shared_in {
    static_assert(found_in<Out, Updates>.count <= 16, "cotan: a function has at most 16 shared variables");
    template <std::size_t... I>
    static type_list<typename found_one<Out, Updates, I>::type...> list(std::index_sequence<I...>);
    using type = decltype(list(std::make_index_sequence<static_cast<std::size_t>(found_in<Out, Updates>.count)>{}));
};

// --- storage ------------------------------------------------------------------------------------------------------------------------------
/// One shared variable: the same container as a prepared run's result, so that an update is a swap.
template <class N>
struct slot_of_variable {
    using Ty = typename N::type;
    using T = scalar_t<Ty::dt>;
    static constexpr int rank = Ty::rank;
    static auto container() {
        if constexpr (requires { typename Ty::outside; }) return typename Ty::outside{};
        else if constexpr (rank == 0) return T{};
        else return xt::xtensor<T, rank, XTENSOR_DEFAULT_LAYOUT, xsimd::aligned_allocator<T, 64>>{};
    }
    decltype(container()) value{};
    bool known = false;

    template <class A>
    void set(const A& a) {
        argument_copy<T, rank> room;
        const argument_view<T, rank> v = view_argument<T, rank, true>(a, room, N::name.chars);
        if constexpr (requires { typename Ty::outside; }) {
            if (static_cast<std::size_t>(v.size[0]) != value.size()) fail<shape_error>("shared variable %s: a value of another kind", N::name.chars);
            std::copy(v.data, v.data + value.size(), value.data());
        } else if constexpr (rank == 0) value = *v.data;
        else {
            typename decltype(value)::shape_type shape;
            for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = static_cast<std::size_t>(v.size[k]);
            if (value.shape() != shape) value.resize(shape);
            std::copy(v.data, v.data + value.size(), value.data());
        }
        known = true;
    }
    const auto& get() const {
        if (!known) fail<error>("shared variable %s has no value yet: give it one with set(%s, ...)", N::name.chars, N::name.chars);
        return value;
    }
};

template <class N, class... M>
consteval std::size_t position_of() {
    std::size_t i = 0;
    bool found = false;
    ((found = found || std::is_same_v<N, M>, i += found ? 0 : 1), ...);
    return i;
}

}  // namespace bits

/// A variable of a prepared run: its type, its name, and an extent for each axis. An expression like an input, but no argument: its value is set with
/// run.set(w, ...), read with run.get(w), and written by a function's updates(...).
template <class T, fixed_string Name, bits::extent_arg... E>
inline constexpr bits::handle<typename decltype(bits::shared_type_of<T, Name, E...>())::type> shared{};

/// What a shared variable is after a call: an expression of its shape, which may read the variable. All updates of a call read the old values.
template <expression W, expression Y>
constexpr auto update(W, Y y) {
    static_assert(bits::is_shared_node<node_of<W>>, "cotan: update(w, ...) writes a shared variable: declare w with shared<...>");
    static_assert(std::is_void_v<typename bits::update_check<W, Y>::checked>);
    using to = type_of<W>;
    const auto v = [&] {
        if constexpr (type_of<Y>::dt == to::dt) return y;
        else return cast<bits::scalar_t<to::dt>>(y);
    }();
    using V = std::remove_const_t<decltype(v)>;
    return bits::update_t<node_of<W>, bits::node<bits::broadcast_, bits::params<>, to, node_of<V>>>{};
}
/// The updates of a function, an argument of function(...) beside its outputs. They happen together, after everything is computed; a call that throws
/// updates nothing.
template <class... U> constexpr auto updates(U...) { return bits::updates_t<U...>{}; }

/// A set of shared variables, for several runs: f.prepare(set), g.prepare(set). Copies are the same set.
template <expression... W>
class variables {
public:
    explicit variables(W...) : slots_(std::make_shared<bits::slot_of_variable<node_of<W>>>()...) {}
    template <class V, class A>
    void set(V, const A& value) const { slot<node_of<V>>()->set(value); }
    template <class V>
    decltype(auto) get(V) const { return (slot<node_of<V>>()->get()); }
    template <class N>
    const auto& slot() const {
        constexpr std::size_t at = bits::position_of<N, node_of<W>...>();
        static_assert(at < sizeof...(W), "cotan: this set of variables(...) lacks a shared variable that is used with it: add it to the set");
        return std::get<at>(slots_);
    }

private:
    std::tuple<std::shared_ptr<bits::slot_of_variable<node_of<W>>>...> slots_;
};

namespace bits {

/// The shared variables of one run.
template <class List> struct shared_slots;
template <class... N>
struct shared_slots<type_list<N...>> {
    std::tuple<std::shared_ptr<slot_of_variable<N>>...> slots;
    shared_slots() : slots(std::make_shared<slot_of_variable<N>>()...) {}
    template <class... W>
    explicit shared_slots(const variables<W...>& set) : slots(set.template slot<N>()...) {}

    template <class V> static constexpr bool has = [] {
        static_assert(position_of<V, N...>() < sizeof...(N), "cotan: this function does not use the shared variable: set and get those that its outputs and updates name");
        return position_of<V, N...>() < sizeof...(N);
    }();
    template <class V> const auto& slot() const { return std::get<position_of<V, N...>()>(slots); }
    template <class V, class A> void set(const A& value) {
        if constexpr (has<V>) slot<V>()->set(value);
    }
    template <class V> decltype(auto) get() const {
        if constexpr (!has<V>) return 0;
        else {
            using T = std::remove_cvref_t<decltype(slot<V>()->get())>;
            return static_cast<std::conditional_t<std::is_arithmetic_v<T>, T, const T&>>(slot<V>()->get());
        }
    }
    /// Calls f with all values.
    template <class F> void with(F f) const { f(slot<N>()->get()...); }
    template <class... U, class Result>
    void update(type_list<U...>, Result result) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            using std::swap;
            (swap(slot<typename U::target>()->value, result(std::integral_constant<std::size_t, I>{})), ...);
        }(std::make_index_sequence<sizeof...(U)>{});
    }
};

}  // namespace bits
}  // namespace cotan
