#pragma once

#include <cotan/run/checkpoint.hpp>
#include <cotan/run/generate.hpp>

#include <cstring>
#include <memory>

// Runs what a plan calls: loops and conditions. Their bodies are plans, and run on the same memory.
namespace cotan::bits {

/// Storage that grows and is kept: the workspace of a run.
struct workspace {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
    std::byte* at_least(std::size_t n) {
        if (n > size) [[unlikely]] allocate(n);
        return aligned();
    }
    [[gnu::noinline]] void allocate(std::size_t n) {
        memory = std::make_unique_for_overwrite<std::byte[]>(n + 64);
        size = n;
    }
    /// At least n bytes that begin with the `used` bytes that were there.
    std::byte* grown(std::size_t n, std::size_t used) {
        if (n > size) {
            n = n < 2 * size ? 2 * size : n;
            workspace bigger;
            std::byte* to = bigger.at_least(n);
            if (used) std::memcpy(to, aligned(), used);
            *this = std::move(bigger);
        }
        return aligned();
    }
    std::byte* aligned() const {
        const auto address = reinterpret_cast<std::uintptr_t>(memory.get());
        return memory.get() + ((64 - address % 64) % 64);
    }
};

/// Plan number I of a function.
template <class Root, int I>
struct sub_plan {
    using root = Root;
    static constexpr auto data = Root::plans.plan[I];
    static constexpr auto code = Root::plans.code[I];
    using environment_type = environment<data.memory_count, data.extent_count, data.class_count>;
};

template <class D>
constexpr bool memory_changes(const D& d, int m) {
    for (int k = 0; k < d.memories[m].rank; ++k)
        if (d.changes[d.memories[m].ext[k]]) return true;
    return false;
}

/// A temporary and its place among the memories.
struct room_data {
    memory_data memory;
    int index = 0;
};
template <class P, bool Changing>
struct rooms_of {
    static constexpr auto& d = P::data;
    static constexpr bool is_one(int m) { return d.memories[m].kind == memory_kind::temporary && memory_changes(d, m) == Changing; }
    static constexpr int count = [] {
        int n = 0;
        for (int m = 0; m < d.memory_count; ++m) n += is_one(m);
        return n;
    }();
    static constexpr auto value = [] {
        std::array<room_data, count + 1> r{};
        std::size_t n = 0;
        for (int m = 0; m < d.memory_count; ++m)
            if (is_one(m)) r[n++] = room_data{d.memories[m], m};
        return r;
    }();
};

template <class P, int I> struct child_state;
template <class P, class Seq> struct child_states;
template <class P, int... I>
struct child_states<P, std::integer_sequence<int, I...>> {
    using type = std::tuple<child_state<P, I>...>;
};

/// What a plan's run keeps between calls: its workspace, memories whose size is known late, and the same of what it calls.
template <class P>
struct plan_state {
    workspace work;
    workspace late[rooms_of<P, true>::count + 1];
    void* owner = nullptr;
    void (*results_changed)(void*, void*) = nullptr;
    typename child_states<P, std::make_integer_sequence<int, P::data.call_count>>::type children;
};
template <class P, int Plan> struct state_of_plan { using type = plan_state<sub_plan<typename P::root, Plan>>; };
template <class P> struct state_of_plan<P, -1> { struct type {}; };
template <class P, int I>
struct child_state {
    workspace states, again, snapshots;
    typename state_of_plan<P, P::data.calls[I].what.third>::type third;
    typename state_of_plan<P, P::data.calls[I].what.body>::type body;
    typename state_of_plan<P, P::data.calls[I].what.second>::type second;
};

COTAN_INLINE void clear(void* at, std::ptrdiff_t bytes) {
    if (bytes > 0) std::memset(at, 0, static_cast<std::size_t>(bytes));
}

/// The elements of a temporary, and the sizes and strides of its axes.
template <class P, bool Changing, std::size_t T, class Env>
COTAN_INLINE std::ptrdiff_t lay_out(Env& env) {
    constexpr memory_data memory = rooms_of<P, Changing>::value[T].memory;
    constexpr int m = rooms_of<P, Changing>::value[T].index;
    std::ptrdiff_t elements = 1;
    [&]<int... K>(std::integer_sequence<int, K...>) {
        [[maybe_unused]] const auto one = [&]<int A>(std::integral_constant<int, A>) COTAN_INLINE_LAMBDA {
            const std::ptrdiff_t n = memory.ragged == A + 1 ? 1 : env.extent[memory.ext[A]];  // the elements of all rows are counted by the axis behind
            env.size[m][A] = n;
            env.stride[m][A] = elements;
            if constexpr (memory.shared >> A & 1u) elements *= rows_at_once(memory.dt);
            else elements *= n;
        };
        (one(std::integral_constant<int, memory.rank - 1 - K>{}), ...);
    }(std::make_integer_sequence<int, memory.rank>{});
    return elements;
}
template <class P, bool Changing, std::size_t T, class Env>
COTAN_INLINE void clear_room(Env& env) {
    constexpr memory_data memory = rooms_of<P, Changing>::value[T].memory;
    constexpr int m = rooms_of<P, Changing>::value[T].index;
    if constexpr (memory.zeroed) {
        std::ptrdiff_t bytes = size_of(memory.dt);
        for (int k = 0; k < memory.rank; ++k) bytes *= env.size[m][k];
        clear(env.data[m], bytes);
    }
}

/// Gives each temporary its place.
template <class P, class Env, class State>
COTAN_INLINE void make_room(Env& env, State& s) {
    using rooms = rooms_of<P, false>;
    if constexpr (rooms::count > 0) {
        [&]<std::size_t... T>(std::index_sequence<T...>) {
            std::ptrdiff_t total = 0;
            std::ptrdiff_t offset[rooms::count];
            const auto measure = [&]<std::size_t R>(std::integral_constant<std::size_t, R>) COTAN_INLINE_LAMBDA {
                constexpr memory_data memory = rooms::value[R].memory;
                const std::ptrdiff_t elements = lay_out<P, false, R>(env);
                offset[R] = total;
                if constexpr (memory.alias < 0 && memory.room < 0) total += (elements * static_cast<std::ptrdiff_t>(size_of(memory.dt)) + 63) / 64 * 64;
            };
            (measure(std::integral_constant<std::size_t, T>{}), ...);
            std::byte* base = s.work.at_least(static_cast<std::size_t>(total));
            const auto place_one = [&]<std::size_t R>(std::integral_constant<std::size_t, R>) COTAN_INLINE_LAMBDA {
                constexpr memory_data memory = rooms::value[R].memory;
                constexpr int m = rooms::value[R].index;
                if constexpr (memory.alias >= 0) env.data[m] = env.data[memory.alias];
                else if constexpr (memory.room >= 0) env.data[m] = env.data[memory.room];
                else env.data[m] = base + offset[R];
                clear_room<P, false, R>(env);
            };
            (place_one(std::integral_constant<std::size_t, T>{}), ...);
        }(std::make_index_sequence<static_cast<std::size_t>(rooms::count)>{});
    }
}

/// Extents that follow from others.
template <class P, class Env>
COTAN_INLINE void derive_extents(Env& env) {
    constexpr auto& d = P::data;
    [&]<int... E>(std::integer_sequence<int, E...>) {
        const auto one = [&]<int I>(std::integral_constant<int, I>) COTAN_INLINE_LAMBDA {
            constexpr extent_data e = d.extents[I];
            if constexpr (e.kind == extent_kind::fixed) env.extent[I] = e.value;
            else if constexpr (e.kind == extent_kind::linear) {
                const std::ptrdiff_t n = env.extent[e.a] + e.value;
                env.extent[I] = n <= 0 ? 0 : (n + e.div - 1) / e.div;
            } else if constexpr (e.kind == extent_kind::product) env.extent[I] = env.extent[e.a] * env.extent[e.b];
        };
        (one(std::integral_constant<int, E>{}), ...);
    }(std::make_integer_sequence<int, d.extent_count>{});
    [&]<int... C>(std::integer_sequence<int, C...>) { ((env.length[C] = env.extent[d.class_extent[C]]), ...); }(std::make_integer_sequence<int, d.class_count>{});
}

/// Whether anything of a plan has a size that a call decides.
template <class P>
inline constexpr bool has_late_sizes = [] {
    constexpr auto& d = P::data;
    for (int m = 0; m < d.memory_count; ++m)
        if (memory_changes(d, m)) return true;
    for (int c = 0; c < d.class_count; ++c)
        if (d.changes[d.class_extent[c]]) return true;
    for (int e = 0; e < d.extent_count; ++e)
        if (d.changes[e] && d.extents[e].kind != extent_kind::named) return true;
    return false;
}();

/// A number of steps is known now: what has it among its extents gets its size, and its place.
template <class P, class Env, class State>
void rebind(Env& env, State& s) {
    derive_extents<P>(env);
    using rooms = rooms_of<P, true>;
    [&]<std::size_t... T>(std::index_sequence<T...>) {
        [[maybe_unused]] const auto one = [&]<std::size_t R>(std::integral_constant<std::size_t, R>) {
            constexpr memory_data memory = rooms::value[R].memory;
            constexpr int m = rooms::value[R].index;
            const std::size_t bytes = static_cast<std::size_t>(lay_out<P, true, R>(env) * static_cast<std::ptrdiff_t>(size_of(memory.dt)));
            if constexpr (memory.alias >= 0) env.data[m] = env.data[memory.alias];
            else env.data[m] = s.late[R].at_least(bytes);
            clear_room<P, true, R>(env);
        };
        (one(std::integral_constant<std::size_t, T>{}), ...);
    }(std::make_index_sequence<static_cast<std::size_t>(rooms::count)>{});
    if (s.results_changed) s.results_changed(s.owner, &env);
}

template <class P> consteval int output_memory(int root) {
    for (int m = 0; m < P::data.memory_count; ++m)
        if (P::data.memories[m].kind == memory_kind::output && P::data.memories[m].index == root) return m;
    return -1;
}
template <class P> consteval int late_room(int memory) {
    for (int t = 0; t < rooms_of<P, true>::count; ++t)
        if (rooms_of<P, true>::value[static_cast<std::size_t>(t)].index == memory) return t;
    return -1;
}

/// An operand of a call in the memory of the plan that calls.
template <class P, int Operand>
struct call_argument {
    static constexpr call_operand o = P::data.call_operands[Operand];
    static constexpr memory_data memory = P::data.memories[o.memory];
    template <int J> static constexpr axis_map map = generate<P>::template map_one<o.map + J>::map;

    template <class Env> COTAN_INLINE static std::ptrdiff_t memory_stride(const Env& env, int axis) {
        return axis == memory.rank - 1 ? std::ptrdiff_t{1} : env.stride[o.memory][axis];
    }
    /// In elements, along an axis of the operand; 0 where it is the same everywhere.
    template <int A, class Env> COTAN_INLINE static std::ptrdiff_t stride(const Env& env) {
        if constexpr (o.axis[A] < 0) return 0;
        else return memory_stride(env, o.axis[A]) * map<o.axis[A]>.step;
    }
    template <class Env> COTAN_INLINE static auto* begin(const Env& env) {
        std::ptrdiff_t offset = 0;
        [&]<int... J>(std::integer_sequence<int, J...>) {
            [[maybe_unused]] const auto one = [&]<int K>(std::integral_constant<int, K>) COTAN_INLINE_LAMBDA {
                std::ptrdiff_t at = map<K>.start;
                if constexpr (map<K>.from_end) at += env.size[o.memory][K];
                if (at) offset += at * memory_stride(env, K);
            };
            (one(std::integral_constant<int, J>{}), ...);
        }(std::make_integer_sequence<int, memory.rank>{});
        return static_cast<scalar_t<memory.dt>*>(env.data[o.memory]) + offset;
    }
};

/// An operand of a call as the memory M of what it runs; of a sequence its axes but the first. Gives the stride of the first axis.
template <class P, int Operand, class B, int M, bool Sequence, class Env, class Inner>
COTAN_INLINE std::ptrdiff_t bind_operand(const Env& env, Inner& inner) {
    using argument = call_argument<P, Operand>;
    constexpr memory_data to = B::data.memories[M];
    constexpr int skipped = Sequence ? 1 : 0;
    inner.data[M] = argument::begin(env);
    if constexpr (to.rank > 0)
        [&]<int... K>(std::integer_sequence<int, K...>) {
            ((inner.stride[M][K] = argument::template stride<K + skipped>(env), inner.size[M][K] = inner.extent[to.ext[K]]), ...);
        }(std::make_integer_sequence<int, argument::o.rank - skipped>{});
    if constexpr (Sequence) return argument::template stride<0>(env) * static_cast<std::ptrdiff_t>(size_of(argument::memory.dt));
    else return 0;
}

/// The states of a loop that have no axes.
template <int N>
struct scalar_states {
    double f64[at_least_one(N)];
    float f32[at_least_one(N)];
    std::int64_t i64[at_least_one(N)];
    std::int32_t i32[at_least_one(N)];
    bool b[at_least_one(N)];
    template <dtype D> COTAN_INLINE auto& get(int k) {
        if constexpr (D == dtype::float64) return f64[k];
        else if constexpr (D == dtype::float32) return f32[k];
        else if constexpr (D == dtype::int64) return i64[k];
        else if constexpr (D == dtype::int32) return i32[k];
        else return b[k];
    }
};

/// States that go from step to step: numbers stand here, arrays in two buffers each that change places. Their initial values are operands of the call,
/// from First on; their present values are the inputs of the body from Input on, and the next ones its first results.
template <class P, class B, int First, int Input, int N>
struct carried_states {
    scalar_states<N> now, next;
    std::ptrdiff_t bytes[N + 1];

    template <int K> static constexpr memory_data memory = B::data.memories[output_memory<B>(K)];
    template <class F> COTAN_INLINE static void each(const F& f) {
        [&]<int... K>(std::integer_sequence<int, K...>) { (f(std::integral_constant<int, K>{}), ...); }(std::make_integer_sequence<int, N>{});
    }
    static std::ptrdiff_t rounded(std::ptrdiff_t n) { return (n + 63) / 64 * 64; }

    template <class Inner>
    COTAN_INLINE std::ptrdiff_t measure(const Inner& body) {
        std::ptrdiff_t total = 0;
        each([&]<int K>(std::integral_constant<int, K>) COTAN_INLINE_LAMBDA {
            constexpr memory_data m = memory<K>;
            bytes[K] = static_cast<std::ptrdiff_t>(size_of(m.dt));
            for (int k = 0; k < m.rank; ++k) bytes[K] *= body.extent[m.ext[k]];
            if constexpr (m.rank > 0) total += 2 * rounded(bytes[K]);
        });
        return total;
    }
    template <int K, class Env, class Inner>
    COTAN_INLINE void begin_one(const Env& env, Inner& body, [[maybe_unused]] std::byte*& at) {
        constexpr int out = output_memory<B>(K), in = Input + K;
        constexpr memory_data m = memory<K>;
        using argument = call_argument<P, First + K>;
        using T = scalar_t<m.dt>;
        static_assert(argument::memory.dt == m.dt);
        const T* from = argument::begin(env);
        if constexpr (m.rank == 0) {
            now.template get<m.dt>(K) = *from;
            body.data[in] = &now.template get<m.dt>(K);
            body.data[out] = &next.template get<m.dt>(K);
        } else {
            std::ptrdiff_t strides[max_rank] = {}, index[max_rank] = {}, elements = 1;
            for (int k = m.rank - 1; k >= 0; --k) {
                body.size[in][k] = body.size[out][k] = body.extent[m.ext[k]];
                body.stride[in][k] = body.stride[out][k] = elements;
                elements *= body.extent[m.ext[k]];
            }
            [&]<int... A>(std::integer_sequence<int, A...>) { ((strides[A] = argument::template stride<A>(env)), ...); }(std::make_integer_sequence<int, m.rank>{});
            T* to = reinterpret_cast<T*>(at);
            for (std::ptrdiff_t e = 0; e < elements; ++e) {
                std::ptrdiff_t source_at = 0;
                for (int k = 0; k < m.rank; ++k) source_at += index[k] * strides[k];
                to[e] = from[source_at];
                for (int k = m.rank - 1; k >= 0 && ++index[k] == body.extent[m.ext[k]]; --k) index[k] = 0;
            }
            body.data[in] = at;
            body.data[out] = at + rounded(bytes[K]);
            at += 2 * rounded(bytes[K]);
        }
    }
    template <class Env, class Inner>
    COTAN_INLINE void begin(const Env& env, Inner& body, std::byte* at) {
        each([&]<int K>(std::integral_constant<int, K>) COTAN_INLINE_LAMBDA { begin_one<K>(env, body, at); });
    }
    /// The next values become the present ones.
    template <class Inner>
    COTAN_INLINE void advance(Inner& body) {
        each([&]<int K>(std::integral_constant<int, K>) COTAN_INLINE_LAMBDA {
            if constexpr (memory<K>.rank == 0) now.template get<memory<K>.dt>(K) = next.template get<memory<K>.dt>(K);
            else {
                void* old = body.data[Input + K];
                body.data[Input + K] = body.data[output_memory<B>(K)];
                body.data[output_memory<B>(K)] = old;
            }
        });
    }
    /// The present values to and from `at`, one after the other.
    template <class Inner>
    COTAN_INLINE void save(const Inner& body, std::byte* at) const {
        each([&]<int K>(std::integral_constant<int, K>) COTAN_INLINE_LAMBDA {
            std::memcpy(at, body.data[Input + K], static_cast<std::size_t>(bytes[K]));
            at += rounded(bytes[K]);
        });
    }
    template <class Inner>
    COTAN_INLINE void restore(const Inner& body, const std::byte* at) const {
        each([&]<int K>(std::integral_constant<int, K>) COTAN_INLINE_LAMBDA {
            std::memcpy(body.data[Input + K], at, static_cast<std::size_t>(bytes[K]));
            at += rounded(bytes[K]);
        });
    }
    COTAN_INLINE std::ptrdiff_t snapshot() const {
        std::ptrdiff_t n = 0;
        each([&]<int K>(std::integral_constant<int, K>) COTAN_INLINE_LAMBDA { n += rounded(bytes[K]); });
        return n;
    }
};

template <class B, class Env, class Inner>
COTAN_INLINE void enter(const Env& env, Inner& inner) {
    // extents of the function are the same in all of its plans
    for (int e = 0; e < B::data.common_extents; ++e) inner.extent[e] = env.extent[e];
    derive_extents<B>(inner);
}

template <class P, int C, class B, class Env, class State>
COTAN_INLINE void run_branch(Env& env, State& state) {
    constexpr call_data c = P::data.calls[C];
    typename B::environment_type inner;
    enter<B>(env, inner);
    [&]<int... I>(std::integer_sequence<int, I...>) {
        [[maybe_unused]] const auto one = [&]<int A>(std::integral_constant<int, A>) COTAN_INLINE_LAMBDA {
            if constexpr (P::data.call_operands[c.operands + 1 + A].memory >= 0) (void)bind_operand<P, c.operands + 1 + A, B, A, false>(env, inner);
        };
        (one(std::integral_constant<int, I>{}), ...);
    }(std::make_integer_sequence<int, c.what.captured>{});
    inner.state = &state;
    make_room<B>(inner, state);
    constexpr int out = output_memory<B>(0), to = P::data.call_results[c.results];
    inner.data[out] = env.data[to];
    for (int k = 0; k < B::data.memories[out].rank; ++k) {
        inner.size[out][k] = env.size[to][k];
        inner.stride[out][k] = env.stride[to][k];
    }
    execute(typename generate<B>::program{}, inner);
}

/// The plan of a step of what is computed again; where nothing is, the body's in its place.
template <class P, int C>
using recomputed_plan = sub_plan<typename P::root, (P::data.calls[C].what.third >= 0 ? P::data.calls[C].what.third : P::data.calls[C].what.body)>;

template <class P, int C, class Env>
COTAN_INLINE void run_loop_call(Env& env) {
    constexpr auto& d = P::data;
    constexpr call_data c = d.calls[C];
    constexpr call_info what = c.what;
    constexpr int counted = what.flags & loop_counted ? 1 : 0, nq = what.sequences, ns = what.states, ne = what.emissions, na = what.again;
    constexpr bool reversed = what.flags & loop_reversed, until = what.flags & loop_until, guarded = what.flags & loop_while, open = until || guarded;
    constexpr int first = c.operands + counted;
    using B = sub_plan<typename P::root, what.body>;
    auto& kept = std::get<static_cast<std::size_t>(C)>(static_cast<plan_state<P>*>(env.state)->children);
    typename B::environment_type body;
    enter<B>(env, body);

    std::ptrdiff_t n = env.extent[what.steps];
    if constexpr (counted) {
        const std::int64_t asked = *static_cast<const std::int64_t*>(env.data[d.call_operands[c.operands].memory]);
        n = asked > 0 ? static_cast<std::ptrdiff_t>(asked) : 0;
        if constexpr (!open) {
            env.extent[what.steps] = n;
            if constexpr (has_late_sizes<P>) rebind<P>(env, *static_cast<plan_state<P>*>(env.state));
        }
    } else if constexpr (open && nq > 0) {
        constexpr call_operand o = d.call_operands[first];
        constexpr axis_map m = generate<P>::template map_one<o.map + (o.axis[0] < 0 ? 0 : o.axis[0])>::map;
        static_assert(o.axis[0] >= 0 && m.step == 1 && m.start == 0);
        n = env.size[o.memory][o.axis[0]];
    } else if constexpr (open) n = PTRDIFF_MAX;

    // sequences and captures
    std::byte* sequence[nq + 1];
    std::ptrdiff_t sequence_stride[nq + 1];
    [&]<int... I>(std::integer_sequence<int, I...>) {
        ((sequence_stride[I] = bind_operand<P, first + I, B, I, true>(env, body), sequence[I] = static_cast<std::byte*>(body.data[I])), ...);
    }(std::make_integer_sequence<int, nq>{});
    [&]<int... I>(std::integer_sequence<int, I...>) { ((void)bind_operand<P, first + nq + ns + na + I, B, nq + ns + na + I, false>(env, body), ...); }
    (std::make_integer_sequence<int, what.captured>{});

    carried_states<P, B, first + nq, nq, ns> states;
    {
        const std::ptrdiff_t room = states.measure(body);
        states.begin(env, body, room ? kept.states.at_least(static_cast<std::size_t>(room)) : nullptr);
    }

    // emissions go to their traces
    std::byte* trace[ne + 1];
    std::ptrdiff_t trace_bytes[ne + 1] = {};
    [[maybe_unused]] const auto begin_trace = [&]<int J>(std::integral_constant<int, J>) COTAN_INLINE_LAMBDA {
        constexpr int out = output_memory<B>(ns + J), to = d.call_results[c.results + ns + J];
        static_assert(to >= 0);
        constexpr memory_data m = B::data.memories[out];
        std::ptrdiff_t elements = 1;
        for (int k = m.rank - 1; k >= 0; --k) {
            body.size[out][k] = body.extent[m.ext[k]];
            body.stride[out][k] = elements;
            elements *= body.extent[m.ext[k]];
        }
        trace_bytes[J] = elements * static_cast<std::ptrdiff_t>(size_of(m.dt));
        if constexpr (open && memory_changes(d, to)) trace[J] = nullptr;
        else {
            trace[J] = static_cast<std::byte*>(env.data[to]);
            constexpr int whole = d.memories[to].ext[0];
            if constexpr (whole != what.steps || open || what.limit > 0) clear(trace[J], trace_bytes[J] * env.extent[whole]);
        }
    };
    [&]<int... J>(std::integer_sequence<int, J...>) { (begin_trace(std::integral_constant<int, J>{}), ...); }(std::make_integer_sequence<int, ne>{});

    [[maybe_unused]] bool stop = false;
    if constexpr (until) body.data[output_memory<B>(ns + ne)] = &stop;
    body.state = &kept.body;
    make_room<B>(body, kept.body);

    // states that are computed again
    using R = recomputed_plan<P, C>;
    [[maybe_unused]] typename R::environment_type redo;
    [[maybe_unused]] carried_states<P, R, first + nq + ns, nq + ns, na> again;
    [[maybe_unused]] std::ptrdiff_t snapshot = 0;
    [[maybe_unused]] std::byte* snapshots = nullptr;
    [[maybe_unused]] std::conditional_t<(what.option < 0), revolve<(what.option < 0 ? -what.option : 1)>, in_blocks<(what.option > 0 ? what.option : 1)>> schedule;
    [[maybe_unused]] const auto load = [&](std::ptrdiff_t slot) COTAN_INLINE_LAMBDA { again.restore(redo, snapshots + slot * snapshot); };
    [[maybe_unused]] const auto store = [&](std::ptrdiff_t slot) COTAN_INLINE_LAMBDA { again.save(redo, snapshots + slot * snapshot); };
    [[maybe_unused]] const auto forward = [&](std::ptrdiff_t f) {
        const std::ptrdiff_t i = reversed ? f : n - 1 - f;
        [&]<int... I>(std::integer_sequence<int, I...>) { ((redo.data[I] = sequence[I] + i * sequence_stride[I]), ...); }(std::make_integer_sequence<int, nq>{});
        execute(typename generate<R>::program{}, redo);
        again.advance(redo);
    };
    if constexpr (na > 0) {
        enter<R>(env, redo);
        [&]<int... I>(std::integer_sequence<int, I...>) { ((void)bind_operand<P, first + I, R, I, true>(env, redo), ...); }(std::make_integer_sequence<int, nq>{});
        [&]<int... I>(std::integer_sequence<int, I...>) { ((void)bind_operand<P, first + nq + ns + na + I, R, nq + ns + na + I, false>(env, redo), ...); }
        (std::make_integer_sequence<int, what.captured>{});
        redo.state = &kept.third;
        make_room<R>(redo, kept.third);
        const std::ptrdiff_t room = again.measure(redo);
        again.begin(env, redo, room ? kept.again.at_least(static_cast<std::size_t>(room)) : nullptr);
        snapshot = again.snapshot();
        snapshots = kept.snapshots.at_least(static_cast<std::size_t>(schedule.rooms(n) * snapshot));
        store(0);
        schedule.begin(n, load, forward, store);
        [&]<int... K>(std::integer_sequence<int, K...>) {
            const auto same_shape = [&]<int A>(std::integral_constant<int, A>) COTAN_INLINE_LAMBDA {
                for (int k = 0; k < B::data.memories[nq + ns + A].rank; ++k) {
                    body.size[nq + ns + A][k] = redo.size[nq + ns + A][k];
                    body.stride[nq + ns + A][k] = redo.stride[nq + ns + A][k];
                }
            };
            (same_shape(std::integral_constant<int, K>{}), ...);
        }(std::make_integer_sequence<int, na>{});
    }

    std::ptrdiff_t t = 0;
    const std::ptrdiff_t steps = what.limit > 0 && what.limit < n ? what.limit : n;
    for (; t < steps; ++t) {
        if constexpr (na > 0) {
            schedule.provide(n - 1 - t, load, forward, store);
            for (int k = 0; k < na; ++k) body.data[nq + ns + k] = redo.data[nq + ns + k];
        }
        if constexpr (guarded) {
            using G = sub_plan<typename P::root, what.second>;
            typename G::environment_type guard;
            enter<G>(env, guard);
            bool go = false;
            [&]<int... I>(std::integer_sequence<int, I...>) {
                [[maybe_unused]] const auto one = [&]<int A>(std::integral_constant<int, A>) COTAN_INLINE_LAMBDA {
                    guard.data[A] = body.data[A];
                    for (int k = 0; k < G::data.memories[A].rank; ++k) {
                        guard.size[A][k] = body.size[A][k];
                        guard.stride[A][k] = body.stride[A][k];
                    }
                };
                (one(std::integral_constant<int, I>{}), ...);
            }(std::make_integer_sequence<int, nq + ns + na + what.captured>{});
            guard.data[output_memory<G>(0)] = &go;
            guard.state = &kept.second;
            make_room<G>(guard, kept.second);
            execute(typename generate<G>::program{}, guard);
            if (!go) break;
        }
        const std::ptrdiff_t i = reversed ? n - 1 - t : t;
        [&]<int... I>(std::integer_sequence<int, I...>) { ((body.data[I] = sequence[I] + i * sequence_stride[I]), ...); }(std::make_integer_sequence<int, nq>{});
        [[maybe_unused]] const auto next_trace = [&]<int J>(std::integral_constant<int, J>) COTAN_INLINE_LAMBDA {
            constexpr int out = output_memory<B>(ns + J), to = d.call_results[c.results + ns + J];
            if constexpr (open && memory_changes(d, to)) {
                auto& late = static_cast<plan_state<P>*>(env.state)->late[late_room<P>(to)];
                trace[J] = late.grown(static_cast<std::size_t>((t + 1) * trace_bytes[J]), static_cast<std::size_t>(t * trace_bytes[J]));
            }
            body.data[out] = trace[J] + i * trace_bytes[J];
        };
        [&]<int... J>(std::integer_sequence<int, J...>) { (next_trace(std::integral_constant<int, J>{}), ...); }(std::make_integer_sequence<int, ne>{});
        execute(typename generate<B>::program{}, body);
        states.advance(body);
        if constexpr (until)
            if (stop) {
                ++t;
                break;
            }
    }
    if constexpr (open) {
        env.extent[what.steps] = t;
        if constexpr (has_late_sizes<P>) rebind<P>(env, *static_cast<plan_state<P>*>(env.state));
    }
    [[maybe_unused]] const auto finish = [&]<int K>(std::integral_constant<int, K>) COTAN_INLINE_LAMBDA {
        constexpr int to = d.call_results[c.results + K];
        constexpr memory_data m = B::data.memories[output_memory<B>(K)];
        if constexpr (to >= 0) {
            if constexpr (m.rank == 0) *static_cast<scalar_t<m.dt>*>(env.data[to]) = states.now.template get<m.dt>(K);
            else std::memcpy(env.data[to], body.data[nq + K], static_cast<std::size_t>(states.bytes[K]));
        }
    };
    [&]<int... K>(std::integer_sequence<int, K...>) { (finish(std::integral_constant<int, K>{}), ...); }(std::make_integer_sequence<int, ns>{});
    if constexpr (d.call_results[c.results + ns + ne] >= 0) *static_cast<std::int64_t*>(env.data[d.call_results[c.results + ns + ne]]) = t;
}

template <class P, int C, class Env>
COTAN_INLINE void run_call(Env& env) {
    constexpr call_data c = P::data.calls[C];
    if constexpr (!c.what.cond) run_loop_call<P, C>(env);
    else {
        auto& kept = std::get<static_cast<std::size_t>(C)>(static_cast<plan_state<P>*>(env.state)->children);
        if (*static_cast<const bool*>(env.data[P::data.call_operands[c.operands].memory])) run_branch<P, C, sub_plan<typename P::root, c.what.body>>(env, kept.body);
        else run_branch<P, C, sub_plan<typename P::root, c.what.second>>(env, kept.second);
    }
}

}  // namespace cotan::bits
