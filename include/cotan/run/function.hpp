#pragma once

#include <cotan/run/argument.hpp>
#include <cotan/run/loop.hpp>
#include <cotan/run/shared.hpp>

#include <concepts>
#include <memory>
#include <tuple>

namespace cotan {

/// The declared inputs of a function, in the order of its arguments.
template <class... I> struct input_list {};
namespace bits {
/// An input that is several arrays, see sparse.hpp: it names them in `cotan_inputs`.
template <class I>
concept compound_input = requires { typename I::cotan_inputs; };
}  // namespace bits
template <class... I>
    requires((expression<I> || bits::compound_input<I>) && ...)
constexpr auto inputs(I...) { return input_list<I...>{}; }

namespace bits {

// --- packs in packs, flattened once ------------------------------------------------------------------------------------------------
template <class E> struct flat { using type = type_list<node_of<E>>; };
template <class... A> struct concat;
template <> struct concat<> { using type = type_list<>; };
template <class... A> struct concat<type_list<A...>> { using type = type_list<A...>; };
template <class... A, class... B, class... Rest> struct concat<type_list<A...>, type_list<B...>, Rest...> : concat<type_list<A..., B...>, Rest...> {};
template <class... E> struct flat<pack<E...>> : concat<typename flat<E>::type...> {};
template <class... U> struct flat<updates_t<U...>> { using type = type_list<>; };  // their values are outputs that nobody sees

template <class N> inline constexpr bool is_input_node = false;
template <fixed_string Name, class Ty> inline constexpr bool is_input_node<input_node<Name, Ty>> = true;

template <class I> struct input_nodes { using type = type_list<node_of<I>>; };
template <compound_input I> struct input_nodes<I> { using type = typename I::cotan_inputs; };
template <class I> inline constexpr bool is_declared_input = is_input_node<node_of<I>>;
template <compound_input I> inline constexpr bool is_declared_input<I> = true;

/// Room for the plans, guessed from the graph as written: what is too small is tried again from the beginning.
struct plan_room {
    int capacity = 32, plans = 1;
};
template <class... In, class... Out>
consteval plan_room starting_room(type_list<In...>, type_list<Out...>) {
    graph g;
    lowering l(g);
    ((void)l.template operator()<In>(), ...);
    ((void)l.template operator()<Out>(), ...);
    plan_room room;
    while (room.capacity < 2 * g.nodes.size() || room.capacity < 4 * static_cast<int>(sizeof...(Out))) room.capacity *= 2;
    for (int id = 0; id < g.nodes.size(); ++id) room.plans += g.op(id).cls == op_class::loop || g.op(id).cls == op_class::cond ? 3 : 0;
    return room;
}

template <class In, class Out>
consteval plan_room starting_room(In, every<In, Out>) {
    plan_room room;
    while (room.capacity < 16 * every<In, Out>::size) room.capacity *= 2;
    return room;
}

/// What a function is made of: L is a closure that returns it. A closure's type has a short name, whatever the graph is; compilers write the names of
/// types with storage into their output, in full, and the name of a graph that uses its nodes twice doubles with each level.
template <class L> using signature_of = decltype(L{}());
/// Shared variables are inputs behind the declared ones, updates are outputs behind the asked ones.
template <class In, class Out, class Shared, class Updates, class Given> struct signature;
template <class... In, class... Out, class... S, class... U, class Given>
struct signature<type_list<In...>, type_list<Out...>, type_list<S...>, type_list<U...>, Given> {
    using given = Given;  // the declared inputs, compound ones as one
    using inputs = type_list<In..., S...>;
    using outputs = type_list<Out..., typename U::value...>;
    using shared = type_list<S...>;
    using updates = type_list<U...>;
};

/// A function's plans in a given room.
template <class L, bool Deferred, int Cap, int Plans>
struct planned {
    static constexpr auto plans = bits::compile<Cap, Plans, Deferred>(typename signature_of<L>::inputs{}, typename signature_of<L>::outputs{});
    static constexpr bool more_plans = plans.needed > Plans, more_room = !more_plans && Cap < 16384 && plans.plan[0].overflow;
};
/// The room is made larger until the plans fit. (Types, and no recursive function: a compiler may work out a function's constants each time it is called.)
template <class P, bool MorePlans = P::more_plans, bool MoreRoom = P::more_room> struct fitting { using type = P; };
template <class L, bool Deferred, int Cap, int Plans>
struct fitting<planned<L, Deferred, Cap, Plans>, true, false> : fitting<planned<L, Deferred, Cap, planned<L, Deferred, Cap, Plans>::plans.needed>> {};
template <class L, bool Deferred, int Cap, int Plans>
struct fitting<planned<L, Deferred, Cap, Plans>, false, true> : fitting<planned<L, Deferred, 4 * Cap, Plans>> {};

template <class L, bool Deferred>
struct compiled {
    using checked = void;
    using In = typename signature_of<L>::inputs;
    using Out = typename signature_of<L>::outputs;
    using root = compiled;
    static constexpr auto room = bits::starting_room(In{}, Out{});
    static constexpr auto& plans = fitting<planned<L, Deferred, room.capacity, room.plans>>::type::plans;
    static constexpr auto data = plans.plan[0];
    static constexpr auto code = plans.code[0];
    static_assert(!data.undeclared, "cotan: an expression uses an input that is not among those of function(inputs(...), ...): add it to inputs(...)");
    static_assert(!data.unsourced, "cotan: the size of an extent is not known from any input: give reshape and broadcast_to extents that an input has, or a number");
    static_assert(!data.key_twice, "cotan: a random key is used by two draws, which would be the same numbers: give the second draw the first one's .next, or make several "
                                   "keys with random::split");
    static_assert(!data.discrete, "cotan: a derivative goes through a draw of a discrete distribution, which has no derivative with respect to its parameters: differentiate "
                                  "log_density(...) instead, or write stop_gradient around the parameter");
    static_assert(!data.failed, "cotan: this graph could not be planned; please report it");
    static_assert(data.derivative != fault::no_derivative,
                  "cotan: a derivative is asked for of an operation that has no derivative: give it `partials` (or a pullback), or stop there with stop_gradient(x)");
    static_assert(data.derivative != fault::rule_not_linear,
                  "cotan: a derivative in one mode is asked for of a rule that was given for the other mode, and the rule is not linear in its tangents or cotangents: the "
                  "one does not follow from the other; write a rule for this mode, with_pullback or with_pushforward");
    static constexpr bool ok = !data.undeclared && !data.failed && !data.unsourced && data.derivative == fault::none && !data.key_twice && !data.discrete;
    static constexpr int arity = In::size, results = Out::size;

    static constexpr int temporaries = [] {
        int n = 0;
        for (int i = 0; i < data.memory_count; ++i) n += data.memories[i].kind == memory_kind::temporary;
        return n;
    }();
    using environment_type = environment<data.memory_count, data.extent_count, data.class_count>;
};

/// What comes back for a result whose type says so: a random generator's state for a key.
template <class Ty, class Plain> struct result_outside { using type = Plain; };
template <class Ty, class Plain> requires requires { typename Ty::outside; } struct result_outside<Ty, Plain> { using type = typename Ty::outside; };

template <dtype D, int Rank, bool Aligned> struct result_of_rank { using type = xt::xtensor<scalar_t<D>, Rank>; };
// what a prepared run owns begins at a cache line: a store that crosses one costs twice
template <dtype D, int Rank> struct result_of_rank<D, Rank, true> {
    using type = xt::xtensor<scalar_t<D>, Rank, XTENSOR_DEFAULT_LAYOUT, xsimd::aligned_allocator<scalar_t<D>, 64>>;
};
template <dtype D> struct result_of_rank<D, 0, false> { using type = scalar_t<D>; };
template <dtype D> struct result_of_rank<D, 0, true> { using type = scalar_t<D>; };

[[noreturn]] inline void throw_extent(const char* input, int axis, const char* extent, std::ptrdiff_t expected, std::ptrdiff_t got) {
    fail<shape_error>("input %s, axis %d (extent %s): expected %td, got %td", input, axis, extent, expected, got);
}
[[noreturn]] inline void throw_short(const char* extent, std::ptrdiff_t expected, std::ptrdiff_t got) {
    fail<shape_error>("extent %s: a slice or an index needs at least %td, got %td", extent, expected, got);
}

template <auto V> inline constexpr auto constant_of = V;

/// Everything that is done for a call apart from running the loops.
template <class F, class Inputs> struct binder;
template <class F, class... In>
struct binder<F, type_list<In...>> {
    static constexpr auto& d = F::data;
    using env_type = typename F::environment_type;

    template <std::size_t I> using input = std::tuple_element_t<I, std::tuple<In...>>;
    static constexpr const char* names[] = {In::name.chars..., ""};

    /// The extents of the graph from the arrays' sizes; throws where arrays do not fit.
    template <int E>
    COTAN_INLINE static void bind_extent(env_type& env, const std::ptrdiff_t (&sizes)[sizeof...(In) + 1][max_rank]) {
        constexpr extent_data e = d.extents[E];
        if constexpr (e.kind == extent_kind::fixed) env.extent[E] = e.value;
        else if constexpr (e.kind == extent_kind::named || e.kind == extent_kind::ragged) {
            if constexpr ((d.sources[E].input) < 0) env.extent[E] = 0;  // a number of steps: known when its loop has run
            else env.extent[E] = sizes[d.sources[E].input][d.sources[E].axis];
        } else if constexpr (e.kind == extent_kind::linear) {
            const std::ptrdiff_t n = env.extent[e.a] + e.value;
            env.extent[E] = n <= 0 ? 0 : (n + e.div - 1) / e.div;
        } else env.extent[E] = env.extent[e.a] * env.extent[e.b];
        if constexpr (d.at_least[E] > 0)
            if (env.extent[E] < d.at_least[E]) throw_short(d.extents[E].name, d.at_least[E], env.extent[E]);
    }
    template <int I, int K, int E>
    COTAN_INLINE static void check_axis(const env_type& env, const std::ptrdiff_t (&sizes)[sizeof...(In) + 1][max_rank]) {
        if constexpr (d.extents[E].kind == extent_kind::fixed || d.sources[E].input != I || d.sources[E].axis != K)
            if (sizes[I][K] != env.extent[E]) [[unlikely]]
                throw_extent(names[I], K, d.extents[E].kind == extent_kind::named ? d.extents[E].name : "fixed", env.extent[E], sizes[I][K]);
    }
};

/// One argument as the arrays of its declared input: itself.
template <class I, class A>
struct argument_arrays {
    const A& argument;
    explicit argument_arrays(const A& a) : argument(a) {}
    std::tuple<const A&> all() const { return {argument}; }
};
template <class... I> inline constexpr bool has_compound = (compound_input<I> || ...);
template <class List> inline constexpr bool one_array_each = true;
template <class... I> inline constexpr bool one_array_each<type_list<I...>> = !has_compound<I...>;
/// Calls f with all arrays of the arguments.
template <class F, class... I, class... A>
COTAN_INLINE void with_arrays(type_list<I...>, F f, const A&... a) {
    if constexpr (!has_compound<I...> || sizeof...(I) != sizeof...(A)) f(a...);
    else {
        const std::tuple<argument_arrays<I, A>...> given(a...);
        std::apply([&](const auto&... g) { std::apply(f, std::tuple_cat(g.all()...)); }, given);
    }
}

template <class List> struct tuple_from;
template <class... T> struct tuple_from<type_list<T...>> { using type = std::tuple<T...>; };
/// Output O as a node; one without a type of its own where outputs are not nodes.
template <class Out, std::size_t O> struct node_at {
    struct none { using type = ty<dtype::float64>; };
    using type = none;
};
template <class... N, std::size_t O> struct node_at<type_list<N...>, O> { using type = std::tuple_element_t<O, std::tuple<N...>>; };

template <class L, bool Deferred = false>
struct function_type {
    using F = compiled<L, Deferred>;
    using deferred = function_type<L, true>;
    static constexpr auto& data = F::data;
    static constexpr std::size_t arity = static_cast<std::size_t>(F::arity), count = static_cast<std::size_t>(F::results);
    using given = typename signature_of<L>::given;
    using shared = typename signature_of<L>::shared;
    using updates = typename signature_of<L>::updates;
    static constexpr std::size_t asked = count - static_cast<std::size_t>(updates::size);  // results that the caller sees
    using env_type = typename F::environment_type;
    template <std::size_t I> using input = std::tuple_element_t<I, typename tuple_from<typename F::In>::type>;

    template <std::size_t O> using output_node = typename node_at<typename F::Out, O>::type;
    template <class N, class... M> static constexpr std::size_t position_in(type_list<M...>) { return position_of<N, M...>(); }

    template <std::size_t O, bool Aligned = false>
    using result = typename result_outside<typename output_node<O>::type,
                                           typename result_of_rank<data.outputs[O].dt, data.outputs[O].scalar ? 0 : data.outputs[O].rank, Aligned>::type>::type;

    template <bool Aligned, std::size_t... O>
    static auto results_of(std::index_sequence<O...>) -> std::tuple<result<O, Aligned>...>;
    template <bool Aligned> using result_tuple = decltype(results_of<Aligned>(std::make_index_sequence<F::ok ? count : 0>{}));
    template <class Seq> struct rooms;
    template <std::size_t... I> struct rooms<std::index_sequence<I...>> {
        using type = std::tuple<argument_copy<scalar_t<input<I>::type::dt>, input<I>::type::rank>...>;
    };
    using room_tuple = typename rooms<std::make_index_sequence<arity>>::type;

    /// What a run owns: the workspace, room for arguments that must be copied, the results.
    template <bool Aligned>
    struct state_of {
        plan_state<F> work;
        room_tuple room;
        result_tuple<Aligned> results;
        std::array<std::array<std::size_t, max_rank>, Deferred ? count : 1> fill_shapes;
    };

    using state = state_of<false>;

    template <std::size_t O>
    static auto defer(state& s) {
        auto& r = std::get<O>(s.results);
        if constexpr (data.outputs[O].scalar) {
            std::array<std::size_t, static_cast<std::size_t>(data.outputs[O].rank)> shape;
            for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = s.fill_shapes[O][k];
            return xt::broadcast(xt::xscalar<result<O>>(r), shape);
        } else return std::move(r);
    }
    template <std::size_t... O>
    static auto defer_all(state& s, std::index_sequence<O...>) {
        if constexpr (sizeof...(O) == 1) return defer<0>(s);
        else return std::make_tuple(defer<O>(s)...);
    }

    /// Input I's extents as ids of the compiled graph: the axes were declared in this order, and each named or fixed extent is found by its name.
    template <std::size_t I>
    static constexpr std::array<int, max_rank> extent_ids() {
        std::array<int, max_rank> r{};
        graph g;
        const int t = input<I>::type::lower(g);
        for (int k = 0; k < g.types[t].rank; ++k) {
            const extent_data want = g.extents[g.types[t].ext[k]];
            for (int e = 0; e < data.extent_count; ++e)
                if (data.extents[e] == want) r[static_cast<std::size_t>(k)] = e;
        }
        return r;
    }

    template <std::size_t I, class A>
    COTAN_INLINE static void take(env_type& env, std::ptrdiff_t (&sizes)[arity + 1][max_rank], auto& s, const A& a) {
        using T = scalar_t<input<I>::type::dt>;
        constexpr int rank = input<I>::type::rank;
        if constexpr (rank == 0 && std::is_same_v<A, T>) env.data[I] = const_cast<void*>(static_cast<const void*>(&a));
        else {
            const argument_view<T, rank> v = view_argument<T, rank, data.memories[I].whole>(a, std::get<I>(s.room), input<I>::name.chars);
            env.data[I] = const_cast<void*>(static_cast<const void*>(v.data));
            for (std::size_t k = 0; k < static_cast<std::size_t>(rank); ++k) {
                sizes[I][k] = v.size[k];
                if constexpr (data.memories[I].rank > 0) {
                    env.size[I][k] = v.size[k];
                    env.stride[I][k] = v.stride[k];
                }
            }
        }
    }
    template <std::size_t I, std::size_t... K>
    COTAN_INLINE static void check_input(const env_type& env, const std::ptrdiff_t (&sizes)[arity + 1][max_rank], std::index_sequence<K...>) {
        [[maybe_unused]] constexpr auto ids = extent_ids<I>();
        (binder<F, typename F::In>::template check_axis<static_cast<int>(I), static_cast<int>(K), ids[K]>(env, sizes), ...);
    }

    template <std::size_t O>
    COTAN_INLINE static void give(env_type& env, int memory, auto& s) {
        auto& r = std::get<O>(s.results);
        constexpr int rank = data.outputs[O].rank;
        if constexpr (rank == 0 || data.outputs[O].scalar) {
            env.data[memory] = &r;
            if constexpr (data.outputs[O].scalar)
                for (int k = 0; k < rank; ++k) s.fill_shapes[O][static_cast<std::size_t>(k)] = static_cast<std::size_t>(env.extent[data.outputs[O].ext[k]]);
        } else if constexpr (requires { output_node<O>::type::pattern; }) {
            // a sparse matrix has the pattern of the input that its type names
            constexpr std::size_t first = position_in<typename output_node<O>::type::input>(typename F::In{});
            const std::ptrdiff_t rows = env.extent[data.outputs[O].ext[0]], stored = env.extent[data.outputs[O].ext[1]], columns = env.extent[extent_ids<first + 2>()[0]];
            env.data[memory] = output_node<O>::type::prepare(r, rows, columns, stored, env.data[first + 2], env.data[first + 1]);
            env.size[memory][0] = rows;
            env.size[memory][1] = stored;
            env.stride[memory][0] = env.stride[memory][1] = 1;
        } else if constexpr (!xtensor_like<std::remove_cvref_t<decltype(r)>>) {  // of a fixed size, which its type knows
            static_assert(rank == 1);
            env.data[memory] = r.data();
            env.size[memory][0] = static_cast<std::ptrdiff_t>(r.size());
            env.stride[memory][0] = 1;
        } else {
            typename std::remove_reference_t<decltype(r)>::shape_type shape;
            std::ptrdiff_t stride = 1;
            for (int k = rank - 1; k >= 0; --k) {
                const std::ptrdiff_t n = env.extent[data.outputs[O].ext[k]];
                shape[static_cast<std::size_t>(k)] = static_cast<std::size_t>(n);
                env.size[memory][k] = n;
                env.stride[memory][k] = stride;
                stride *= n;
            }
            bool same = true;
            for (std::size_t k = 0; k < shape.size(); ++k) same &= r.shape()[k] == shape[k];
            if (!same || r.size() == 0) r.resize(shape);
            env.data[memory] = r.data();
        }
    }
    template <std::size_t... O>
    COTAN_INLINE static void give_all(env_type& env, auto& s, std::index_sequence<O...>) {
        constexpr auto memory_of = [] {
            std::array<int, count + 1> at{};
            for (int m = 0; m < data.memory_count; ++m)
                if (data.memories[m].kind == memory_kind::output) at[static_cast<std::size_t>(data.memories[m].index)] = m;
            return at;
        }();
        (give<O>(env, memory_of[O], s), ...);
    }
    static constexpr bool has_changing_results = [] {
        for (int o = 0; o < data.output_count; ++o)
            for (int k = 0; k < data.outputs[o].rank; ++k)
                if (data.changes[data.outputs[o].ext[k]]) return true;
        return false;
    }();

    template <std::size_t... I, std::size_t... E, std::size_t... C, class... A>
    COTAN_INLINE static void run(auto& s, std::index_sequence<I...>, std::index_sequence<E...>, std::index_sequence<C...>, const A&... a) {
        env_type env;
        [[maybe_unused]] std::ptrdiff_t sizes[arity + 1][max_rank];
        (take<I>(env, sizes, s, a), ...);
        (binder<F, typename F::In>::template bind_extent<static_cast<int>(E)>(env, sizes), ...);
        (check_input<I>(env, sizes, std::make_index_sequence<static_cast<std::size_t>(input<I>::type::rank)>{}), ...);
        check_reshapes(env, std::make_index_sequence<static_cast<std::size_t>(data.reshape_count)>{});
        ((env.length[C] = env.extent[data.class_extent[C]]), ...);
        give_all(env, s, std::make_index_sequence<count>{});
        env.state = &s.work;
        make_room<F>(env, s.work);
        if constexpr (has_changing_results) {
            s.work.owner = &s;
            s.work.results_changed = [](void* owner, void* e) {
                give_all(*static_cast<env_type*>(e), *static_cast<std::remove_reference_t<decltype(s)>*>(owner), std::make_index_sequence<count>{});
            };
        }
        execute(typename generate<F>::program{}, env);
    }

    template <std::size_t... R>
    COTAN_INLINE static void check_reshapes(const env_type& env, std::index_sequence<R...>) {
        [[maybe_unused]] const auto elements = [&](const type_data& t) {
            std::ptrdiff_t n = 1;
            for (int k = 0; k < t.rank; ++k) n *= env.extent[t.ext[k]];
            return n;
        };
        [[maybe_unused]] const auto check = [&](std::ptrdiff_t expected, std::ptrdiff_t got) {
            if (expected != got) fail<shape_error>("reshape: expected %td elements, got %td", expected, got);
        };
        (check(elements(constant_of<data.reshapes[R][0]>), elements(constant_of<data.reshapes[R][1]>)), ...);
    }

    template <class... A>
    static constexpr bool right_count = [] {
        static_assert(sizeof...(A) >= arity, "cotan: too few arguments: a function takes one argument for each of its inputs(...), in their order");
        static_assert(sizeof...(A) <= arity, "cotan: too many arguments: a function takes one argument for each of its inputs(...), in their order");
        return sizeof...(A) == arity;
    }();

    template <class... A>
    COTAN_INLINE static void call(auto& s, const A&... a) {
        if constexpr (right_count<A...> && F::ok)
            run(s, std::make_index_sequence<arity>{}, std::make_index_sequence<static_cast<std::size_t>(data.extent_count)>{},
                std::make_index_sequence<static_cast<std::size_t>(data.class_count)>{}, a...);
    }

    // a prepared run gives its own results to look at, and numbers as they are
    template <class R> using seen = std::conditional_t<std::is_arithmetic_v<R>, R, const R&>;
    template <std::size_t... O>
    COTAN_INLINE static auto look(const state_of<true>& s, std::index_sequence<O...>) {
        return std::tuple<seen<result<O, true>>...>(std::get<O>(s.results)...);
    }
};

}  // namespace bits

/// A function that owns its buffers: from the second call with the same extents on it allocates nothing. Arrays come back as references to what the run
/// owns, valid until its next call.
///
/// Shared variables live in the run, or in a set of `variables` that several runs have in common: see prepare().
template <class F>
class prepared_function {
public:
    prepared_function() = default;
    template <class... W>
    explicit prepared_function(const variables<W...>& set) : shared_(set) {}

    template <class... A>
    decltype(auto) operator()(const A&... a) {
        if constexpr (F::shared::size == 0) bits::with_arrays(typename F::given{}, [&](const auto&... v) COTAN_INLINE_LAMBDA { F::call(state_, v...); }, a...);
        else {
            shared_.with([&](const auto&... s) {
                bits::with_arrays(typename F::given{}, [&](const auto&... v) COTAN_INLINE_LAMBDA { F::call(state_, v..., s...); }, a...);
            });
            shared_.update(typename F::updates{}, [&]<std::size_t U>(std::integral_constant<std::size_t, U>) -> auto& { return std::get<F::asked + U>(state_.results); });
        }
        if constexpr (F::asked == 0) return;
        else if constexpr (F::asked == 1) {
            using R = typename F::template result<0, true>;
            return static_cast<typename F::template seen<R>>(std::get<0>(state_.results));
        } else return F::look(state_, std::make_index_sequence<F::asked>{});
    }
    /// Gives a shared variable its value: anything that an input takes.
    template <class W, class A>
    void set(W, const A& value) { shared_.template set<node_of<W>>(value); }
    /// A shared variable's value: the last one that was set or that an update wrote. Throws where there is none yet.
    template <class W>
    decltype(auto) get(W) const { return shared_.template get<node_of<W>>(); }

private:
    typename F::template state_of<true> state_;
    bits::shared_slots<typename F::shared> shared_;
};

/// The argument of prepare that makes a run which says where a NaN or an infinity comes from.
struct checked_t {};
inline constexpr checked_t checked{};
template <class F> class checked_function;

/// A compiled function: call it with one argument for each input. One result comes back as itself, several as a std::tuple: numbers, and
/// xt::xtensor for what has axes.
template <class F>
struct compiled_function {
    /// Throws shape_error where arrays do not fit the declared extents.
    template <class... A>
    auto operator()(const A&... a) const {
        static_assert(F::shared::size == 0, "cotan: this function has shared variables, which live in a prepared run: write auto run = f.prepare(); run.set(w, ...); run(...)");
        typename F::state s;
        if constexpr (F::shared::size == 0) bits::with_arrays(typename F::given{}, [&](const auto&... v) COTAN_INLINE_LAMBDA { F::call(s, v...); }, a...);
        if constexpr (F::count == 1) return std::get<0>(std::move(s.results));
        else return std::move(s.results);
    }
    /// The results as xtensor expressions that the caller's own assignment evaluates. One that is the same number everywhere is never stored.
    template <class... A>
    auto deferred(const A&... a) const {
        using D = typename F::deferred;
        static_assert(F::shared::size == 0, "cotan: this function has shared variables, which live in a prepared run: write auto run = f.prepare()");
        typename D::state s;
        if constexpr (F::shared::size == 0) bits::with_arrays(typename F::given{}, [&](const auto&... v) COTAN_INLINE_LAMBDA { D::call(s, v...); }, a...);
        return D::defer_all(s, std::make_index_sequence<D::count>{});
    }
    /// The function with buffers of its own.
    auto prepare() const { return prepared_function<F>{}; }
    /// A slow one for debugging: where a result is NaN or infinite, it throws a domain_error that names the first operation which made that from finite
    /// numbers. See checked_function.
    template <std::same_as<checked_t> C>
    auto prepare(C) const {
        static_assert(F::shared::size == 0 && bits::one_array_each<typename F::given>, "cotan: a checked run has neither shared variables nor sparse matrices: check a function "
                                                                                       "that takes them as tensors");
        return checked_function<F>{};
    }
    /// The same over a set of shared variables that several runs have in common: each reads what the last one wrote.
    template <class... W>
    auto prepare(const variables<W...>& set) const { return prepared_function<F>(set); }
};

/// Compiles expressions (or packs of them) over declared inputs.
template <class... I, class... E>
constexpr auto function(input_list<I...>, E...) {
    static_assert((bits::is_declared_input<I> && ...), "cotan: inputs(...) takes tensors and scalars declared with tensor<...> and scalar<...>");
    constexpr auto made_of = [] {
        using out = typename bits::flat<pack<E...>>::type;
        using updated = typename bits::updates_in<bits::type_list<>, E...>::type;
        return bits::signature<typename bits::concat<typename bits::input_nodes<I>::type...>::type, out, typename bits::shared_in<out, updated>::type, updated, bits::type_list<I...>>{};
    };
    using closure = std::remove_const_t<decltype(made_of)>;
    static_assert(std::is_void_v<typename bits::compiled<closure, false>::checked>);
    return compiled_function<bits::function_type<closure>>{};
}

}  // namespace cotan
