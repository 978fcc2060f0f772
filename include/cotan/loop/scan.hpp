#pragma once

#include <cotan/loop/differentiate.hpp>
#include <cotan/diff/grad.hpp>

namespace cotan {

namespace bits {

template <int H, int I, class Ty>
struct bound_node {
    using type = Ty;
    enum : unsigned { hash = mix(mix(hash_text("bound"), static_cast<unsigned>(H) * 64u + static_cast<unsigned>(I)), static_cast<unsigned>(Ty::dt) * 16u + static_cast<unsigned>(Ty::rank)) };
    enum : int { height = 0 };
    static constexpr int build(lowering& l) {
        const int p[] = {H, I};
        const int t = Ty::lower(*l.g);
        return l.g->raw(info<bound_>, {}, view<int>{p, 2}, t);
    }
};

template <class Ty> struct settled_type;
template <dtype D, class... E> struct settled_type<ty<D, E...>> { using type = ty<settled(D), E...>; };
template <class Ty> struct element_type { using extent = fixed_extent<1>; using type = Ty; };
template <dtype D, class First, class... E> struct element_type<ty<D, First, E...>> {
    using extent = First;
    using type = ty<settled(D), E...>;
};
template <class Ty, class Steps> struct trace_type;
template <dtype D, class... E, class Steps> struct trace_type<ty<D, E...>, Steps> { using type = ty<settled(D), Steps, E...>; };

template <class E, int... T> struct tapped { using expression = E; };
template <int... T> struct taps_t {
    template <expression E>
    constexpr auto operator()(E) const { return tapped<E, T...>{}; }
};
template <class... S> struct init_t {};
template <class... S> struct over_t {};
template <class E> struct times_t {};
struct reversed_t {};
struct budget_t { int slots = 0; };
template <int Every, int Slots> struct checkpoint_t {};
template <int K> struct truncated_t {};

/// What a body returns: the next states, what is emitted, and when to stop.
template <class Next, class Emitted = pack<>, class Stop = void>
struct step_t {
    /// Values of this step that are kept in traces.
    template <expression... E> constexpr auto emit(E...) const { return step_t<Next, pack<E...>, Stop>{}; }
    /// Stops after this step where the condition holds.
    template <expression C> constexpr auto until(C) const { return step_t<Next, Emitted, C>{}; }
};

template <class... N> struct nodes {};

/// States as the loop carries them: one for each lag of a tapped one.
template <class Item> struct state_item {
    static constexpr int count = 1;
    using type = typename settled_type<type_of<Item>>::type;
    template <int> using init = Item;
    template <int H, int First> static constexpr auto arguments() { return pack<handle<bound_node<H, First, type>>>{}; }
};
template <class E, int... T> struct state_item<tapped<E, T...>> {
    static constexpr int count = [] {
        int n = 0;
        for (int t : {T...}) n = -t > n ? -t : n;
        return n;
    }();
    static_assert(((T < 0) && ...), "cotan: taps on a state are negative: taps<-2, -1>(x0) gives the states of two steps ago and of the last step");
    using type = typename element_type<type_of<E>>::type;
    template <int K> using init = decltype(E{}(c<K>));
    template <int H, int First> static constexpr auto arguments() { return pack<handle<bound_node<H, First + count + T, type>>...>{}; }
};
/// Sequences as the loop reads them: one for each tap.
template <class Item> struct sequence_item {
    static constexpr int count = 1;
    static_assert(type_of<Item>::rank > 0, "cotan: scan: a sequence has at least one axis, over which the steps go: pass a scalar to the body as it is");
    using element = typename element_type<type_of<Item>>::type;
    using extent = typename element_type<type_of<Item>>::extent;
    template <int> using sequence = Item;
};
template <class E, int... T> struct sequence_item<tapped<E, T...>> {
    static constexpr int count = sizeof...(T);
    static constexpr int low = [] {
        int n = 0;
        for (int t : {T...}) n = t < n ? t : n;
        return n;
    }();
    static constexpr int high = [] {
        int n = 0;
        for (int t : {T...}) n = t > n ? t : n;
        return n;
    }();
    static constexpr int tap(int k) {
        const int all[] = {T...};
        return all[k];
    }
    template <int K>
    static constexpr auto shifted() {
        constexpr int from = tap(K) - low, to = tap(K) - high;
        if constexpr (to == 0) return E{}(slice<from, cotan::end>);
        else return E{}(slice<from, to>);
    }
    template <int K> using sequence = decltype(shifted<K>());
    using element = typename element_type<type_of<E>>::type;
    using extent = typename element_type<type_of<sequence<0>>>::extent;
};

/// The parts of a loop among the arguments of scan, in any order.
template <class T> inline constexpr int argument_kind = 0;
template <class... S> inline constexpr int argument_kind<init_t<S...>> = 1;
template <class... S> inline constexpr int argument_kind<over_t<S...>> = 2;
template <class E> inline constexpr int argument_kind<times_t<E>> = 3;
template <> inline constexpr int argument_kind<reversed_t> = 4;
template <int K, int S> inline constexpr int argument_kind<checkpoint_t<K, S>> = 5;
template <int K> inline constexpr int argument_kind<truncated_t<K>> = 6;

template <int Kind, class Default, class... A> struct pick { using type = Default; };
template <int Kind, class Default, class First, class... A> struct pick<Kind, Default, First, A...> {
    static consteval auto get() {
        if constexpr (argument_kind<First> == Kind) return std::type_identity<First>{};
        else return std::type_identity<typename pick<Kind, Default, A...>::type>{};
    }
    using type = typename decltype(get())::type;
};
template <int Kind, class First, class... A>
constexpr auto pick_value(First first, A... rest) {
    if constexpr (argument_kind<First> == Kind) return first;
    else return pick_value<Kind>(rest...);
}

template <class State, class Next>
inline constexpr bool keeps_type = std::is_same_v<State, typename settled_type<Next>::type> || (Next::rank == State::rank && Next::rank == 0 && is_weak(Next::dt) && is_real(State::dt) >= is_real(Next::dt));

template <bool Ok>
struct state_check {
    using checked = void;
    static_assert(Ok, "cotan: scan: the body's next state has another type than the state: give it the extents and the dtype of its initial value "
                      "(or give the initial value those of the next state)");
};
template <bool Ok>
struct state_count_check {
    using checked = void;
    static_assert(Ok, "cotan: scan: the body returns step(...) with one next state for each state in init(...)");
};
template <bool Ok>
struct sequence_check {
    using checked = void;
    static_assert(Ok, "cotan: scan: the sequences in over(...) have different extents along their first axis: give them one name");
};
template <bool Ok>
struct condition_check {
    using checked = void;
    static_assert(Ok, "cotan: the condition of a loop or of cond is not one bool: write a comparison such as a > c<0>, and any_of or all_of for arrays");
};

/// The name of a number of steps that nobody knows before the loop has run.
template <unsigned Hash>
struct unknown_extent {
    static constexpr char chars(int i) { return i == 0 ? '#' : "0123456789abcdef"[Hash >> (28 - 4 * (i - 1)) & 15u]; }
    using type = named_extent<string_from<unknown_extent>(std::make_index_sequence<9>{})>;
};

template <class R> struct as_step { using type = step_t<pack<R>>; };
template <class N, class E, class S> struct as_step<step_t<N, E, S>> { using type = step_t<N, E, S>; };
template <class... E> struct as_step<pack<E...>> { using type = step_t<pack<>, pack<E...>>; };

template <class... A> struct joined_packs;
template <> struct joined_packs<> { using type = pack<>; };
template <class... A> struct joined_packs<pack<A...>> { using type = pack<A...>; };
template <class... A, class... B, class... Rest> struct joined_packs<pack<A...>, pack<B...>, Rest...> : joined_packs<pack<A..., B...>, Rest...> {};

template <class... E>
constexpr auto one_or_pack(pack<E...> p) {
    if constexpr (sizeof...(E) == 1) return std::tuple_element_t<0, std::tuple<E...>>{};
    else return p;
}

/// A loop's results.
template <class Last, class Trace, class Steps>
struct loop_result {
    /// The states after the last step: one as itself, several as a pack for get<k>(...).
    Last last{};
    /// What was emitted, the steps as the first axis: without the initial state.
    Trace trace{};
    /// How many steps were taken, an int64.
    Steps steps{};
};

template <int... N> struct state_offsets {
    static constexpr int at(int item) {
        const int counts[] = {N..., 0};
        int n = 0;
        for (int i = 0; i < item; ++i) n += counts[i];
        return n;
    }
};

/// How many loops stand in each other in some nodes.
template <class... N> inline constexpr int height_of = [] {
    int h = 0;
    ((h = static_cast<int>(N::height) > h ? static_cast<int>(N::height) : h), ...);
    return h;
}();
template <class S> struct step_height;
template <class... N, class... E, class S> struct step_height<step_t<pack<N...>, pack<E...>, S>> {
    static constexpr int value = [] {
        if constexpr (std::is_void_v<S>) return height_of<node_of<N>..., node_of<E>...>;
        else return height_of<node_of<N>..., node_of<E>..., node_of<S>>;
    }();
};

template <class Init, class Over, class Times, int Flags, int Option, int Cut = 0> struct loop_builder;
template <class... I, class... Q, class Times, int Flags, int Option, int Cut>
struct loop_builder<init_t<I...>, over_t<Q...>, Times, Flags, Option, Cut> {
    static constexpr int states = (0 + ... + state_item<I>::count), sequences = (0 + ... + sequence_item<Q>::count);
    using state_at = state_offsets<state_item<I>::count...>;
    using sequence_at = state_offsets<sequence_item<Q>::count...>;
    using items = std::tuple<I...>;
    using sequence_items = std::tuple<Q...>;

    template <int H, std::size_t... A>
    static constexpr auto state_arguments(std::index_sequence<A...>) {
        return typename joined_packs<decltype(state_item<I>::template arguments<H, state_at::at(static_cast<int>(A))>())...>::type{};
    }
    template <int H, class Item, int At, std::size_t... K>
    static constexpr auto elements_of(std::index_sequence<K...>) {
        return pack<handle<bound_node<H, states + At + static_cast<int>(K), typename sequence_item<Item>::element>>...>{};
    }
    template <int H, std::size_t... A>
    static constexpr auto element_arguments(std::index_sequence<A...>) {
        return typename joined_packs<decltype(elements_of<H, Q, sequence_at::at(static_cast<int>(A))>(std::make_index_sequence<static_cast<std::size_t>(sequence_item<Q>::count)>{}))...>::type{};
    }
    template <int H> using state_pack = decltype(state_arguments<H>(std::index_sequence_for<I...>{}));
    template <int H> using element_pack = decltype(element_arguments<H>(std::index_sequence_for<Q...>{}));
    template <class F, class... A> static constexpr auto call(const F& f, pack<A...>) { return f(A{}...); }
    template <int H, class F> static constexpr auto body(const F& f) {
        return typename as_step<decltype(call(f, typename joined_packs<state_pack<H>, element_pack<H>>::type{}))>::type{};
    }

    // the lists of a loop's operands
    template <class Item, std::size_t... K>
    static constexpr auto inits_of(std::index_sequence<K...>) { return nodes<node_of<typename state_item<Item>::template init<static_cast<int>(K)>>...>{}; }
    template <int H, class Item, int At, std::size_t... K>
    static constexpr auto bounds_of(std::index_sequence<K...>) { return nodes<bound_node<H, At + static_cast<int>(K), typename state_item<Item>::type>...>{}; }
    template <int H, class Item, int At, class Next, std::size_t... K>
    static constexpr auto nexts_of(std::index_sequence<K...>) { return nodes<bound_node<H, At + 1 + static_cast<int>(K), typename state_item<Item>::type>..., node_of<Next>>{}; }
    template <class Item, std::size_t... K>
    static constexpr auto sequences_of(std::index_sequence<K...>) { return nodes<node_of<typename sequence_item<Item>::template sequence<static_cast<int>(K)>>...>{}; }

    template <class... L> struct join;
    template <class... A> struct join<nodes<A...>> { using type = nodes<A...>; };
    template <class... A, class... B, class... Rest> struct join<nodes<A...>, nodes<B...>, Rest...> : join<nodes<A..., B...>, Rest...> {};

    template <class E> static constexpr bool one_bool() {
        return type_of<E>::rank == 0 && type_of<E>::dt == dtype::boolean;
    }

    template <int H, class S, class Go> struct assembled;
    template <int H, class... N, class... E, class Stop, class Go>
    struct assembled<H, step_t<pack<N...>, pack<E...>, Stop>, Go> {
        static constexpr bool counted = sizeof...(N) == sizeof...(I);
        static_assert(std::is_void_v<typename state_count_check<counted>::checked>);
        template <class... T> static constexpr bool same_types(pack<T...>) { return (keeps_type<typename state_item<I>::type, type_of<T>> && ... && true); }
        static constexpr bool typed = [] {
            if constexpr (counted) return same_types(pack<N...>{});
            else return true;
        }();
        static_assert(std::is_void_v<typename state_check<typed>::checked>);
        static constexpr bool until = !std::is_void_v<Stop>, guarded = !std::is_void_v<Go>;
        static constexpr bool conditions = [] {
            bool ok = true;
            if constexpr (until) ok = ok && one_bool<Stop>();
            if constexpr (guarded) ok = ok && one_bool<Go>();
            return ok;
        }();
        static_assert(std::is_void_v<typename condition_check<conditions>::checked>);
        static_assert(!(until && (Flags & loop_reversed)), "cotan: scan: a loop with until(...) goes forward: reverse its sequence with x(slice<none, none, -1>)");

        static constexpr auto extent_of_steps() {
            constexpr bool literal_count = [] {
                if constexpr (requires { Times::constant; }) return true;
                else return false;
            }();
            constexpr bool open = until || guarded;
            if constexpr (sizeof...(Q) > 0 && !open) return std::type_identity<typename sequence_item<std::tuple_element_t<0, sequence_items>>::extent>{};
            else if constexpr (literal_count && !open) return std::type_identity<fixed_extent<(Times::constant > 0 ? Times::constant : 0)>>{};
            else {
                constexpr unsigned hash = [] {
                    unsigned h = 7u + static_cast<unsigned>(Flags);
                    ((h = mix(h, static_cast<unsigned>(node_of<N>::hash))), ...);
                    if constexpr (until) h = mix(h, static_cast<unsigned>(node_of<Stop>::hash));
                    if constexpr (guarded) h = mix(h, static_cast<unsigned>(node_of<Go>::hash));
                    if constexpr (!std::is_void_v<Times>) h = mix(h, static_cast<unsigned>(Times::hash));
                    return h;
                }();
                return std::type_identity<typename unknown_extent<hash>::type>{};
            }
        }
        using steps = typename decltype(extent_of_steps())::type;
        static constexpr bool has_count = [] {
            if constexpr (std::is_void_v<Times>) return false;
            else if constexpr (sizeof...(Q) == 0 && !until && !guarded && requires { Times::constant; }) return false;
            else return true;
        }();
        static constexpr auto count_list() {
            if constexpr (has_count) return nodes<Times>{};
            else return nodes<>{};
        }
        static constexpr auto stop_list() {
            if constexpr (until) return nodes<node_of<Stop>>{};
            else return nodes<>{};
        }
        static constexpr auto go_list() {
            if constexpr (guarded) return nodes<node_of<Go>>{};
            else return nodes<>{};
        }
        template <std::size_t... A, std::size_t... B>
        static constexpr auto all(std::index_sequence<A...>, std::index_sequence<B...>) {
            return typename join<decltype(count_list()),
                                 decltype(sequences_of<Q>(std::make_index_sequence<static_cast<std::size_t>(sequence_item<Q>::count)>{}))...,
                                 decltype(element_nodes(element_pack<H>{})),
                                 decltype(inits_of<I>(std::make_index_sequence<static_cast<std::size_t>(state_item<I>::count)>{}))...,
                                 decltype(bounds_of<H, I, state_at::at(static_cast<int>(A))>(std::make_index_sequence<static_cast<std::size_t>(state_item<I>::count)>{}))...,
                                 decltype(nexts_of<H, I, state_at::at(static_cast<int>(A)), N>(std::make_index_sequence<static_cast<std::size_t>(state_item<I>::count - 1)>{}))...,
                                 nodes<node_of<E>...>, decltype(stop_list()), decltype(go_list())>::type{};
        }
        template <class... B> static constexpr auto element_nodes(pack<B...>) { return nodes<node_of<B>...>{}; }
        static constexpr int flags = Flags | (until ? loop_until : 0) | (guarded ? loop_while : 0) | (has_count ? loop_counted : 0);
        template <class... K> static constexpr auto loop_of(nodes<K...>) {
            return std::type_identity<node<loop_, params<H, sequences, states, static_cast<int>(sizeof...(E)), flags, Option, 0, Cut, 0>, ty<dtype::float64, steps>, K...>>{};
        }
        using loop_node = typename decltype(loop_of(all(std::index_sequence_for<I...>{}, std::index_sequence_for<Q...>{})))::type;

        template <std::size_t... A, std::size_t... J>
        static constexpr auto result(std::index_sequence<A...>, std::index_sequence<J...>) {
            const auto last = one_or_pack(pack<handle<node<loop_last_, params<state_at::at(static_cast<int>(A)) + state_item<I>::count - 1>, typename state_item<I>::type, loop_node>>...>{});
            const auto trace = one_or_pack(pack<handle<node<loop_trace_, params<static_cast<int>(J)>, typename trace_type<type_of<E>, steps>::type, loop_node>>...>{});
            using counter = handle<node<loop_steps_, params<>, ty<dtype::int64>, loop_node>>;
            return loop_result<std::remove_const_t<decltype(last)>, std::remove_const_t<decltype(trace)>, counter>{};
        }
    };

    template <class F, class G>
    static constexpr auto build(const F& f, const G& guard) {
        using first = decltype(body<0>(f));
        constexpr int height = step_height<first>::value;
        using made = decltype(body<height>(f));
        constexpr bool same = [] {
            bool ok = true;
            if constexpr (sizeof...(Q) > 0) {
                using lead = typename sequence_item<std::tuple_element_t<0, sequence_items>>::extent;
                ok = (std::is_same_v<lead, typename sequence_item<Q>::extent> && ...);
            }
            return ok;
        }();
        static_assert(std::is_void_v<typename sequence_check<same>::checked>);
        if constexpr (std::is_same_v<G, std::nullptr_t>) {
            using a = assembled<height, made, void>;
            return finish<a>(made{});
        } else {
            using a = assembled<height, made, decltype(call(guard, state_pack<height>{}))>;
            return finish<a>(made{});
        }
    }
    template <class A, class... N, class... E, class S>
    static constexpr auto finish(step_t<pack<N...>, pack<E...>, S>) {
        return A::result(std::index_sequence_for<I...>{}, std::index_sequence_for<E...>{});
    }
};

template <class T> struct times_node { using type = void; };
template <class E> struct times_node<times_t<E>> { using type = node_of<E>; };
template <class T> inline constexpr int option_of = 0;
template <int K, int S> inline constexpr int option_of<checkpoint_t<K, S>> = S > 0 ? -S : K;
template <class T> inline constexpr int cut_of = 0;
template <int K> inline constexpr int cut_of<truncated_t<K>> = K;

template <class F>
concept body_function = argument_kind<std::remove_cvref_t<F>> == 0;

}  // namespace bits

/// The initial states of a loop: expressions, or taps<-3, -1>(x0) for states of several steps ago (x0 holds as many rows as the longest lag, the oldest first).
template <class... S> constexpr auto init(S...) { return bits::init_t<S...>{}; }
/// The sequences of a loop, sliced along their first axes; taps<-1, 0, 1>(x) gives neighbours. Steps are taken where all taps exist.
template <class... S> constexpr auto over(S...) { return bits::over_t<S...>{}; }
/// A number of steps: a literal or an int64 expression. Below zero it is none.
template <expression E> constexpr auto times(E) {
    static_assert(type_of<E>::rank == 0 && is_integral(type_of<E>::dt), "cotan: times(...) takes an integer: a literal such as c<10>, or an int64 expression without axes");
    if constexpr (requires { node_of<E>::constant; }) return bits::times_t<E>{};
    else return bits::times_t<decltype(cotan::cast<std::int64_t>(E{}))>{};
}
/// The steps at which a state or a sequence is read, relative to the present one.
template <int... T> inline constexpr bits::taps_t<T...> taps{};
/// How a reverse pass keeps the states of a loop: every K-th only, checkpoint<K>, or at most so many at a time, checkpoint<budget<slots>>. Others are
/// computed again.
template <int Slots> inline constexpr bits::budget_t budget{Slots};
template <auto K> inline constexpr auto checkpoint = [] {
    if constexpr (requires { K.slots; }) return bits::checkpoint_t<0, K.slots>{};
    else return bits::checkpoint_t<static_cast<int>(K), 0>{};
}();
/// The reverse pass goes back over the last K steps only: states before them are taken as constants. Its result has no derivative.
template <int K> inline constexpr bits::truncated_t<K> truncated{};
/// What a body returns: the next states, in the order of init(...). .emit(...) adds to the traces, .until(condition) stops after the step.
template <expression... N> constexpr auto step(N...) { return bits::step_t<pack<N...>>{}; }
/// From the last element of the sequences to the first. Traces stand as the sequences do.
inline constexpr bits::reversed_t reversed{};

/// Element k of a pack.
template <std::size_t K, class... E> constexpr auto get(pack<E...>) { return std::tuple_element_t<K, std::tuple<E...>>{}; }

/// scan(init(...), over(...) or times(n), body, options...): a loop that carries states. The body takes the states, then an element of each sequence,
/// and may use any expression of the graph around it; it returns step(next states...).emit(...).until(...). Results: .last, .trace, .steps.
/// Options: reversed; checkpoint<k>, checkpoint<budget<slots>> and truncated<k> for the reverse pass.
template <class... A>
constexpr auto scan(A... a) {
    using init = typename bits::pick<1, bits::init_t<>, A...>::type;
    using over = typename bits::pick<2, bits::over_t<>, A...>::type;
    using times = typename bits::times_node<typename bits::pick<3, void, A...>::type>::type;
    constexpr int flags = std::is_void_v<typename bits::pick<4, void, A...>::type> ? 0 : bits::loop_reversed;
    constexpr int option = bits::option_of<typename bits::pick<5, void, A...>::type>;
    constexpr int cut = bits::cut_of<typename bits::pick<6, void, A...>::type>;
    return bits::loop_builder<init, over, times, flags, option, cut>::build(bits::pick_value<0>(a...), nullptr);
}

/// while_loop(init(...), condition, body): steps as long as the condition holds for the states. Results: .last, .trace, .steps.
template <class... S, class C, class F>
constexpr auto while_loop(bits::init_t<S...>, C condition, F body) {
    return bits::loop_builder<bits::init_t<S...>, bits::over_t<>, void, 0, 0>::build(body, condition);
}

/// The last states of a scan.
template <class... A>
constexpr auto fold(A... a) { return cotan::scan(a...).last; }

/// cond(p, x, y): x where the scalar condition p holds, else y. Only what the branch taken needs is computed, and differentiated.
template <expression P, expression X, expression Y>
constexpr auto cond(P, X, Y) {
    constexpr bool fits = type_of<P>::rank == 0 && type_of<P>::dt == bits::dtype_of<bool>();
    static_assert(std::is_void_v<typename bits::condition_check<fits>::checked>);
    if constexpr (!fits) return X{};
    else {
        using joint = typename bits::settled_type<typename bits::result_of<bits::where_, bits::params<>, type_of<P>, type_of<X>, type_of<Y>>::type>::type;
        return bits::handle<bits::node<bits::cond_, bits::params<>, joint, node_of<P>, node_of<X>, node_of<Y>>>{};
    }
}

/// The running results of an associative f along the first axis of x: x[0], f(x[0], x[1]), f(f(x[0], x[1]), x[2]), ...
template <class F, expression X>
constexpr auto associative_scan(F f, X x) {
    return cotan::scan(init(x(c<0>), c<0>), over(x), [f](auto before, auto count, auto element) {
        const auto now = cotan::cond(count == c<0>, element, f(before, element));
        return step(now, count + c<1>).emit(now);
    }).trace;
}

/// map(over(x...), f): f of each element, the results along a first axis. It is no loop: it fuses with what is around it.
template <class... S, class F>
constexpr auto map(bits::over_t<S...>, F f) {
    const auto emitting = [f](auto... e) {
        const auto r = f(e...);
        if constexpr (bits::is_pack<std::remove_const_t<decltype(r)>>) return r;
        else return pack<std::remove_const_t<decltype(r)>>{};
    };
    return bits::loop_builder<bits::init_t<>, bits::over_t<S...>, void, 0, 0>::build(emitting, nullptr).trace;
}

}  // namespace cotan
