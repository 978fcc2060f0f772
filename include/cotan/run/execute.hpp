#pragma once

#include <cotan/plan/plan.hpp>
#include <cotan/run/simd.hpp>

#include <utility>

// From a plan to code. A plan's steps become types that hold only an operation and small numbers, so that the symbols of what is generated are short
// whatever the graph; the driver below runs them over frames of registers. Every index is a constant and everything is inlined, so the registers
// are the machine's.
namespace cotan::bits {

#define COTAN_INLINE_LAMBDA __attribute__((always_inline))

/// What a run works on.
template <int Memories, int Extents, int Classes>
struct environment {
    void* data[Memories > 0 ? Memories : 1];
    std::ptrdiff_t stride[Memories > 0 ? Memories : 1][max_rank];
    std::ptrdiff_t size[Memories > 0 ? Memories : 1][max_rank];
    std::ptrdiff_t extent[Extents > 0 ? Extents : 1];  // of the graph
    std::ptrdiff_t length[Classes > 0 ? Classes : 1];  // of the loops
    void* state = nullptr;                             // what the plan's calls keep
};

template <int Depth, dtype D, int I>
struct at {
    static constexpr int depth = Depth, index = I;
    static constexpr dtype dt = D;
};

/// An axis of a memory as it is addressed: by the loop of a depth (0: at one place).
/// `Rows`: the memory that says where each of its parts begins among the elements of the axis behind it, -1 for axes of one length.
template <int Depth, int Step, int Start, bool FromEnd, bool Shared, int Rows = -1>
struct ax {
    static constexpr int depth = Depth, step = Step, start = Start, rows = Rows;
    static constexpr bool from_end = FromEnd, shared = Shared;
};

template <int Memory, dtype D, class... Axes>
struct place {
    static constexpr int memory = Memory, rank = sizeof...(Axes);
    static constexpr dtype dt = D;
    using T = scalar_t<D>;
    template <int Depth> static constexpr bool varies = ((Axes::depth == Depth) || ... || false);
    /// Whether neighbours in the loop of a depth are neighbours in memory.
    template <int Depth>
    static constexpr bool adjacent = [] {
        const int depths[] = {Axes::depth..., -1}, steps[] = {Axes::step..., 0};
        const bool shares[] = {Axes::shared..., false};
        constexpr int last = rank > 0 ? rank - 1 : 0;
        int uses = 0;
        for (int k = 0; k < rank; ++k) uses += depths[k] == Depth;
        return rank > 0 && uses == 1 && !shares[last] && depths[last] == Depth && steps[last] == 1;
    }();
    /// The address for the loops' indices, the loop of depth `Skip` at its start. Of the loop of depth `Rows` a vector runs several iterations at once: where
    /// only these are kept, `row` is one of them; of any other loop that is one.
    template <int Skip, int Rows, class Env>
    COTAN_INLINE static T* address(const Env& env, [[maybe_unused]] const std::ptrdiff_t* index, [[maybe_unused]] std::ptrdiff_t row) {
        std::ptrdiff_t offset = 0;
        int k = 0;
        ((offset += axis<Axes, Skip, Rows>(env, index, row, k), ++k), ...);
        return static_cast<T*>(env.data[Memory]) + offset;
    }
    template <class A, int Skip, int Rows, class Env>
    COTAN_INLINE static std::ptrdiff_t axis(const Env& env, const std::ptrdiff_t* index, std::ptrdiff_t row, int k) {
        std::ptrdiff_t at = A::start;
        if constexpr (A::from_end) at += env.size[Memory][k];
        if constexpr (A::shared) at += A::depth == Rows ? row : 0;
        else if constexpr (A::rows >= 0) {
            at = static_cast<const std::int32_t*>(env.data[A::rows])[index[A::depth]];
            ++k;
        } else if constexpr (A::depth > 0 && A::depth != Skip) at += A::step * index[A::depth];
        return k == rank - 1 ? at : at * env.stride[Memory][k];
    }
    /// What one iteration of the loop of a depth adds to the address.
    template <int Depth, class Env>
    COTAN_INLINE static std::ptrdiff_t stride(const Env& env) {
        std::ptrdiff_t s = 0;
        int k = 0;
        ((s += Axes::depth == Depth && !Axes::shared ? Axes::step * (k == rank - 1 ? 1 : env.stride[Memory][k]) : 0, ++k), ...);
        return s;
    }
    /// From one lane to the next: the same, and a row further where each lane has one.
    template <int Depth, class Env>
    COTAN_INLINE static std::ptrdiff_t lane_stride(const Env& env) {
        std::ptrdiff_t s = stride<Depth>(env);
        int k = 0;
        ((s += Axes::depth == Depth && Axes::shared ? (k == rank - 1 ? 1 : env.stride[Memory][k]) : 0, ++k), ...);
        return s;
    }
};

template <const op_info* Op, class To, class... From> struct compute_step {};
template <class To, class Place> struct load_step {};
template <class From, class Place> struct store_step {};
// Two operands: their product is what is folded.
template <const op_info* Op, int Slot, int SlotDepth, int Part, class... From> struct accumulate_step {};
template <const op_info* Op, class Place, class... From> struct accumulate_store_step {};
template <const op_info* Op, dtype D, int Slot> struct init_step {};
template <const op_info* Op, class To, int Slot, bool InLanes> struct finish_step {};
template <const op_info* Op, class Place> struct fill_step {};
template <const op_info* Op, int Slot, int SlotDepth, bool Exclusive, class Place, class... From> struct running_step {};
template <class To, std::uint64_t Bits> struct literal_step {};
template <class To, int Extent> struct extent_step {};
template <class To, int Depth> struct iota_step {};
template <class To, class Place, class Places, int Axis> struct gather_step {};
template <class From, class Place, class Places, int Axis> struct scatter_step {};
template <class Loop> struct loop_step {};
template <class Plan, int Call> struct call_step {};

/// How many vectors (or rows) a leaf loop keeps in flight, at most.
template <int K, class... I> consteval int pack_at(I... i) {
    const int all[] = {i...};
    return all[K] > 0 ? all[K] : 1;
}
template <int Depth, int Class, bool Leaf, bool Vector, int Strip, bool Adds, dtype Lanes, int Unroll, int Slots, int Parts, int Inner, int Rows, int RowDepth, int... Registers>
struct loop_head {
    static constexpr int rows = Rows, row_depth = RowDepth;
    static constexpr int depth = Depth, cls = Class, slots = Slots, unroll = Unroll, parts = Parts, inner = Inner;
    static constexpr bool leaf = Leaf, vector = Vector, adds = Adds;
    static constexpr int strip = Strip;  // vectors of rows that run together, 0: none
    template <int K> static constexpr int registers = pack_at<K>(Registers...);
    using T = scalar_t<Lanes>;
};
/// Some steps in a row. Compilers refuse fold expressions over more than a few hundred operands, so a body is made of these.
template <class... Steps> struct chunk {};
template <class Head, class... Chunks> struct loop_type {};

template <const op_info* P>
using op_of = typename decltype(op_type(op_tag<P>{}))::type;

// --- frames ---------------------------------------------------------------------------------------------------------------------
constexpr int at_least_one(int n) { return n > 0 ? n : 1; }

/// An accumulator: scalars and vectors are folded apart, and together when it is finished. In a strip each lane is one of its own.
template <class T, int Copies>
struct slot_data {
    vector_of<T> v[Copies];
    T s;
};
template <int Copies> struct slot_data<bool, Copies> { bool s; };
template <int Copies> struct slot_data<std::int32_t, Copies> { std::int32_t s; };
template <int Copies> struct slot_data<std::int64_t, Copies> { std::int64_t s; };

template <int Slots, int Copies = 1> struct slot_file {
    slot_data<double, Copies> f64[at_least_one(Slots)];
    slot_data<float, Copies> f32[at_least_one(Slots)];
    slot_data<std::int64_t, Copies> i64[at_least_one(Slots)];
    slot_data<std::int32_t, Copies> i32[at_least_one(Slots)];
    slot_data<bool, Copies> b[at_least_one(Slots)];
    template <class T> COTAN_INLINE auto& get(int i) {
        if constexpr (std::is_same_v<T, double>) return f64[i];
        else if constexpr (std::is_same_v<T, float>) return f32[i];
        else if constexpr (std::is_same_v<T, std::int64_t>) return i64[i];
        else if constexpr (std::is_same_v<T, std::int32_t>) return i32[i];
        else return b[i];
    }
};

/// Registers of a loop that runs one iteration at a time.
template <class Head>
struct scalar_frame {
    static constexpr int depth = Head::depth, copies = 1;
    static constexpr bool vector = false;
    bool b[Head::template registers<0>];
    std::int32_t i32[Head::template registers<1>];
    std::int64_t i64[Head::template registers<2>];
    float f32[Head::template registers<3>];
    double f64[Head::template registers<4>];
    slot_file<Head::slots> slots;
    template <dtype D> COTAN_INLINE auto& reg(int i, int = 0) {
        if constexpr (D == dtype::boolean) return b[i];
        else if constexpr (D == dtype::int32) return i32[i];
        else if constexpr (D == dtype::int64) return i64[i];
        else if constexpr (D == dtype::float32) return f32[i];
        else return f64[i];
    }
};

/// Registers of one of several iterations that run side by side in a loop over a row's elements: each folds for itself, so that additions do not wait for
/// each other.
template <class Head>
struct turn_frame : scalar_frame<Head> {
    static constexpr bool folds_alone = true;
    slot_file<Head::parts> partial;
};

/// Registers of a loop in SIMD: `copies` vectors each. In a strip the lanes are iterations of this loop, and loops inside see one iteration a copy.
template <class Head, int Copies>
struct vector_frame {
    using T = typename Head::T;
    static constexpr int depth = Head::depth, copies = Copies;
    static constexpr bool vector = true, adds = Head::adds;
    vector_of<T> v[at_least_one(Head::template registers<3> + Head::template registers<4>)][Copies];
    mask_of<T> m[Head::template registers<0>][Copies];
    vector_of<T> partial[at_least_one(Head::parts)][Copies];  // what this loop has folded so far
    slot_file<Head::slots, Copies> slots;
    template <dtype D> COTAN_INLINE auto& reg(int i, int copy = 0) {
        if constexpr (D == dtype::boolean) return m[i][copy];
        else return v[i][copy];
    }
};

template <class Frame, class Outer>
struct link {
    Frame& frame;
    Outer& outer;
};
struct no_link {};

template <int Depth, class Link>
COTAN_INLINE auto& frame_at(Link& l) {
    if constexpr (std::remove_reference_t<decltype(l.frame)>::depth == Depth) return l.frame;
    else return frame_at<Depth>(l.outer);
}

// --- operands -------------------------------------------------------------------------------------------------------------------
/// An operand as this frame's code takes it: its own register, or an outer one's value in all lanes. From a strip, copy q is lane q.
template <class Frame, class R, class Link>
COTAN_INLINE auto operand_value(Link& l, [[maybe_unused]] int copy) {
    auto& f = frame_at<R::depth>(l);
    using Source = std::remove_reference_t<decltype(f)>;
    if constexpr (R::depth == Frame::depth) return f.template reg<R::dt>(R::index, copy < Source::copies ? copy : 0);
    else if constexpr (!Frame::vector) {
        static_assert(!Source::vector);
        return f.template reg<R::dt>(R::index);
    } else if constexpr (!Source::vector) {
        if constexpr (R::dt == dtype::boolean) return mask_of<typename Frame::T>(f.template reg<R::dt>(R::index));
        else return vector_of<typename Frame::T>(static_cast<typename Frame::T>(f.template reg<R::dt>(R::index)));
    } else {
        using T = typename Frame::T;
        constexpr int W = lanes_of<T>;
        const auto& rows = f.template reg<R::dt>(R::index, copy / W);
        if constexpr (R::dt == dtype::boolean) return mask_of<T>(rows.get(static_cast<std::size_t>(copy % W)));
        else return vector_of<T>(rows.get(static_cast<std::size_t>(copy % W)));
    }
}

template <class To, class From>
COTAN_INLINE To convert(const From& x) {
    if constexpr (std::is_same_v<To, From>) return x;
    else if constexpr (std::is_arithmetic_v<From>) return static_cast<To>(x);
    else return xsimd::select(x, To(1), To(0));  // a mask as numbers
}

template <const op_info* Op, class To, class... V>
COTAN_INLINE To call_kernel(const V&... v) {
    using O = op_of<Op>;
    if constexpr (std::is_same_v<O, cast_>) return convert<To>(v...);
    else return O::kernel(v...);
}

// --- steps ----------------------------------------------------------------------------------------------------------------------
/// The state of a loop while it runs one block of iterations.
template <class Frame, bool Tail>
struct block {
    std::ptrdiff_t* index;  // of the loops, by depth
    int valid = 0;          // lanes in use in a tail
};

/// f of each copy of a frame's registers: its number as a constant. A loop would put the frame into memory.
template <class Frame, class F>
COTAN_INLINE void each_copy(F f) {
    [&]<int... C>(std::integer_sequence<int, C...>) COTAN_INLINE_LAMBDA { (f(std::integral_constant<int, C>{}), ...); }(std::make_integer_sequence<int, Frame::copies>{});
}

template <class Frame, const op_info* Op, class To, int C, class... From, class Link>
COTAN_INLINE void compute_copy(Link& l) {
    using R = std::remove_reference_t<decltype(l.frame.template reg<To::dt>(0))>;
    l.frame.template reg<To::dt>(To::index, C) = call_kernel<Op, R>(operand_value<Frame, From>(l, C)...);
}
template <class Frame, const op_info* Op, class To, int C, class... From, class Link>
COTAN_INLINE void compute_pair(Link& l) {
    op_of<Op>::kernel_pair(l.frame.template reg<To::dt>(To::index, C), l.frame.template reg<To::dt>(To::index, C + 1), operand_value<Frame, From>(l, C)...,
                           operand_value<Frame, From>(l, C + 1)...);
}
template <class Frame, const op_info* Op, class To, class... From, class Link, int... C>
COTAN_INLINE void compute_copies(Link& l, std::integer_sequence<int, C...>) {
    if constexpr (requires { op_of<Op>::in_pairs; } && Frame::copies % 2 == 0) {
        [&]<int... P>(std::integer_sequence<int, P...>) COTAN_INLINE_LAMBDA {
            (compute_pair<Frame, Op, To, 2 * P, From...>(l), ...);
        }(std::make_integer_sequence<int, Frame::copies / 2>{});
    } else (compute_copy<Frame, Op, To, C, From...>(l), ...);
}

template <class Frame, bool Tail, const op_info* Op, class To, class... From, class Env, class Link>
COTAN_INLINE void run_step(compute_step<Op, To, From...>, const Env&, Link& l, const block<Frame, Tail>& b) {
    auto& f = l.frame;
    if constexpr (!Frame::vector) {
        using R = scalar_t<To::dt>;
        using O = op_of<Op>;
        if constexpr (Frame::depth > 0 && op_data<O>.cost >= worth_storing && is_real(To::dt) && (is_real(From::dt) && ...) && sizeof...(From) <= 2)
            // dear operations run as they do in the lanes, so that a result does not depend on where its row stands
            f.template reg<To::dt>(To::index) = call_kernel<Op, vector_of<R>>(vector_of<R>(operand_value<Frame, From>(l, 0))...).get(0);
        else f.template reg<To::dt>(To::index) = call_kernel<Op, R>(operand_value<Frame, From>(l, 0)...);
    } else {
        compute_copies<Frame, Op, To, From...>(l, std::make_integer_sequence<int, Frame::copies>{});
    }
    (void)b;
}

/// The address of copy C of a place, at this loop's current index.
template <class Frame, class Place, int StripDepth, class Env, class B>
COTAN_INLINE auto* copy_address(const Env& env, const B& b, int copy) {
    if constexpr (!Frame::vector || StripDepth == 0) {
        std::ptrdiff_t row = 0;
        if constexpr (Frame::vector) row = copy * lanes_of<typename Frame::T>;
        auto* p = Place::template address<Frame::depth, Frame::depth>(env, b.index, row);
        const std::ptrdiff_t i = b.index[Frame::depth];
        if constexpr (Place::template adjacent<Frame::depth>) {
            if constexpr (Frame::vector) return p + i + copy * lanes_of<typename Frame::T>;
            else return p + i;
        } else {
            const std::ptrdiff_t s = Place::template stride<Frame::depth>(env);
            if constexpr (Frame::vector) return p + (i + copy * lanes_of<typename Frame::T>) * s;
            else return p + i * s;
        }
    } else {
        // copy `copy` is a row of the strip around
        auto* p = Place::template address<Frame::depth, StripDepth>(env, b.index, copy) + copy * Place::template stride<StripDepth>(env);
        const std::ptrdiff_t i = b.index[Frame::depth];
        if constexpr (Place::template adjacent<Frame::depth>) return p + i;
        else return p + i * Place::template stride<Frame::depth>(env);
    }
}

template <class Link>
COTAN_INLINE constexpr int strip_depth() {
    if constexpr (std::is_same_v<Link, no_link>) return 0;
    else {
        using F = std::remove_reference_t<decltype(std::declval<Link>().frame)>;
        return F::vector ? F::depth : 0;
    }
}
/// How many rows the strip around runs together, 0 if there is none.
template <class Link>
COTAN_INLINE constexpr int rows_of() {
    if constexpr (strip_depth<Link>() == 0) return 0;
    else {
        using F = std::remove_reference_t<decltype(std::declval<Link>().frame)>;
        return F::copies * lanes_of<typename F::T>;
    }
}
template <class Link>
inline constexpr int strip_around = strip_depth<std::remove_cvref_t<decltype(std::declval<Link>().outer)>>();

template <class Frame, bool Tail, class To, class Place, class Env, class Link>
COTAN_INLINE void run_step(load_step<To, Place>, const Env& env, Link& l, const block<Frame, Tail>& b) {
    auto& f = l.frame;
    if constexpr (!Frame::vector) {
        const auto* p = copy_address<Frame, Place, 0>(env, b, 0);
        f.template reg<To::dt>(To::index) = *p;
    } else {
        using T = typename Frame::T;
        constexpr int strip = strip_around<Link>;
        constexpr int n = strip > 0 && !Place::template varies<strip> ? 1 : Frame::copies;
        [&]<int... C>(std::integer_sequence<int, C...>) COTAN_INLINE_LAMBDA {
            (
                [&]() COTAN_INLINE_LAMBDA {
                    auto& r = f.template reg<To::dt>(To::index, C);
                    if constexpr (C >= n) {
                        r = f.template reg<To::dt>(To::index, 0);
                    } else {
                        const auto* p = copy_address<Frame, Place, strip>(env, b, C);
                        const int valid = Tail ? b.valid : lanes_of<T>;
                        if constexpr (To::dt == dtype::boolean) {
                            const std::ptrdiff_t s = Place::template lane_stride<Frame::depth>(env);
                            r = load_mask<T>(p, s, valid);
                        } else if constexpr (Place::template adjacent<Frame::depth>) {
                            if constexpr (Tail) r = load_first<T>(p, valid);
                            else r = vector_of<T>::load_unaligned(p);
                        } else if constexpr (!Place::template varies<Frame::depth>) r = vector_of<T>(*p);
                        else r = gather<T>(p, Place::template lane_stride<Frame::depth>(env), valid);
                    }
                }(),
                ...);
        }(std::make_integer_sequence<int, Frame::copies>{});
    }
}

template <class Frame, bool Tail, class From, class Place, class Env, class Link>
COTAN_INLINE void run_step(store_step<From, Place>, const Env& env, Link& l, const block<Frame, Tail>& b) {
    if constexpr (!Frame::vector) {
        auto* p = copy_address<Frame, Place, 0>(env, b, 0);
        *p = static_cast<typename Place::T>(operand_value<Frame, From>(l, 0));
    } else {
        using T = typename Frame::T;
        constexpr int strip = strip_around<Link>;
        constexpr int n = strip > 0 && !Place::template varies<strip> ? 1 : Frame::copies;
        [&]<int... C>(std::integer_sequence<int, C...>) COTAN_INLINE_LAMBDA {
            (
                [&]() COTAN_INLINE_LAMBDA {
                    if constexpr (C < n) {
                        auto* p = copy_address<Frame, Place, strip>(env, b, C);
                        const auto v = operand_value<Frame, From>(l, C);
                        const int valid = Tail ? b.valid : lanes_of<T>;
                        if constexpr (Place::dt == dtype::boolean) store_mask<T>(p, Place::template lane_stride<Frame::depth>(env), v, valid);
                        else if constexpr (Place::template adjacent<Frame::depth>) {
                            if constexpr (Tail) store_first<T>(p, v, valid);
                            else v.store_unaligned(p);
                        } else scatter<T>(p, Place::template lane_stride<Frame::depth>(env), v, valid);
                    }
                }(),
                ...);
        }(std::make_integer_sequence<int, Frame::copies>{});
    }
}

/// Elements at the places that a memory holds, along one axis.
template <class Place, int Axis, class Env>
COTAN_INLINE std::ptrdiff_t place_stride(const Env& env) { return Axis == Place::rank - 1 ? 1 : env.stride[Place::memory][Axis]; }

template <class Frame, bool Tail, class To, class Place, class Places, int Axis, class Env, class Link>
COTAN_INLINE void run_step(gather_step<To, Place, Places, Axis>, const Env& env, Link& l, const block<Frame, Tail>& b) {
    auto& f = l.frame;
    const std::ptrdiff_t step = place_stride<Place, Axis>(env);
    const auto* at = copy_address<Frame, Places, 0>(env, b, 0);
    if constexpr (!Frame::vector) f.template reg<To::dt>(To::index) = copy_address<Frame, Place, 0>(env, b, 0)[*at * step];
    else {
        using T = typename Frame::T;
        const int valid = Tail ? b.valid : lanes_of<T>;
        for (int c = 0; c < Frame::copies; ++c) {
            auto& r = f.template reg<To::dt>(To::index, c);
            const auto* p = copy_address<Frame, Place, 0>(env, b, c);
            if constexpr (Places::template varies<Frame::depth>) {
                const auto* places = copy_address<Frame, Places, 0>(env, b, c);
                alignas(64) T copy[lanes_of<T>];
                for (int i = 0; i < lanes_of<T>; ++i) copy[i] = i < valid ? p[places[i] * step] : T(1);
                r = vector_of<T>::load_aligned(copy);
            } else if constexpr (Place::template adjacent<Frame::depth>) {
                if constexpr (Tail) r = load_first<T>(p + *at * step, valid);
                else r = vector_of<T>::load_unaligned(p + *at * step);
            } else r = gather<T>(p + *at * step, Place::template stride<Frame::depth>(env), valid);
        }
    }
}
template <class Frame, bool Tail, class From, class Place, class Places, int Axis, class Env, class Link>
COTAN_INLINE void run_step(scatter_step<From, Place, Places, Axis>, const Env& env, Link& l, const block<Frame, Tail>& b) {
    const std::ptrdiff_t step = place_stride<Place, Axis>(env);
    const auto* at = copy_address<Frame, Places, 0>(env, b, 0);
    if constexpr (!Frame::vector) copy_address<Frame, Place, 0>(env, b, 0)[*at * step] += operand_value<Frame, From>(l, 0);
    else {
        using T = typename Frame::T;
        const int valid = Tail ? b.valid : lanes_of<T>;
        for (int c = 0; c < Frame::copies; ++c) {
            auto* p = copy_address<Frame, Place, 0>(env, b, c);
            const vector_of<T> v = operand_value<Frame, From>(l, c);
            if constexpr (Place::template adjacent<Frame::depth> && !Places::template varies<Frame::depth>) {
                p += *at * step;
                if constexpr (Tail) store_first<T>(p, load_first<T>(p, valid) + v, valid);
                else (vector_of<T>::load_unaligned(p) + v).store_unaligned(p);
            } else {  // one after the other: two elements of a row may have the same place
                const auto* places = copy_address<Frame, Places, 0>(env, b, c);
                const std::ptrdiff_t s = Place::template stride<Frame::depth>(env);
                alignas(64) T copy[lanes_of<T>];
                v.store_aligned(copy);
                for (int i = 0; i < valid; ++i) p[(Places::template varies<Frame::depth> ? places[i] : *at) * step + i * s] += copy[i];
            }
        }
    }
}

template <class O, class T> COTAN_INLINE T identity_of() { return O::template identity<T>(); }

/// How many partial results a loop keeps for an accumulator: one for each row of a strip, or a few that hide the latency.
template <class Frame, class Target>
inline constexpr int partials_kept = Target::vector ? Frame::copies : Frame::copies < 4 ? Frame::copies : 4;

/// acc folded with a value, or with a product.
template <class O, class V>
COTAN_INLINE V fold_in(const V& acc, const V& x) { return O::template kernel<V>(acc, x); }
template <class O, class V>
COTAN_INLINE V fold_in(const V& acc, const V& x, const V& y) {
    if constexpr (std::is_arithmetic_v<V>) return acc + x * y;
    else return simd::fused(x, y, acc);
}
template <class V> COTAN_INLINE V folded_value(const V& x) { return x; }
template <class V> COTAN_INLINE V folded_value(const V& x, const V& y) { return x * y; }

template <class Frame, bool Tail, class O, int SlotDepth, int Part, int C, class... From, class Link, class B>
COTAN_INLINE void accumulate_copy(Link& l, const B& b) {
    using T = typename Frame::T;
    using V = vector_of<T>;
    using Target = std::remove_reference_t<decltype(frame_at<SlotDepth>(l))>;
    V& a = l.frame.partial[Part][C % partials_kept<Frame, Target>];
    if constexpr (Tail) a = xsimd::select(first_lanes<T>(b.valid), fold_in<O, V>(a, operand_value<Frame, From>(l, C)...), a);
    else if constexpr (Frame::adds && C % 2 && sizeof...(From) == 1 && requires { O::template by_multiplier<V>(a, a); })
        a = O::template by_multiplier<V>(a, operand_value<Frame, From>(l, C)...);
    else a = fold_in<O, V>(a, operand_value<Frame, From>(l, C)...);
    (void)b;
}
template <class Frame, bool Tail, class O, int SlotDepth, int Part, class... From, class Link, class B, int... C>
COTAN_INLINE void accumulate_copies(Link& l, const B& b, std::integer_sequence<int, C...>) {
    (accumulate_copy<Frame, Tail, O, SlotDepth, Part, C, From...>(l, b), ...);
}

template <class Frame, bool Tail, const op_info* Op, int Slot, int SlotDepth, int Part, class... From, class Env, class Link>
COTAN_INLINE void run_step(accumulate_step<Op, Slot, SlotDepth, Part, From...>, const Env&, Link& l, const block<Frame, Tail>& b) {
    using O = op_of<Op>;
    auto& target = frame_at<SlotDepth>(l);
    if constexpr (!Frame::vector) {
        using T = std::common_type_t<scalar_t<From::dt>...>;
        auto& s = [&]() -> auto& {
            if constexpr (requires { Frame::folds_alone; }) return l.frame.partial.template get<T>(Part).s;
            else return target.slots.template get<T>(Slot).s;
        }();
        s = fold_in<O, T>(s, operand_value<Frame, From>(l, 0)...);
    } else {
        using T = typename Frame::T;
        using V = vector_of<T>;
        accumulate_copies<Frame, Tail, O, SlotDepth, Part, From...>(l, b, std::make_integer_sequence<int, Frame::copies>{});
        (void)sizeof(V);
    }
    (void)target;
}

/// Before the first and after the last iteration of a loop: its partial results begin at the identity, and go to their accumulators.
template <class Frame, class Step, class Link>
COTAN_INLINE void begin_step(Step, Link&) {}
template <class Frame, const op_info* Op, int Slot, int SlotDepth, int Part, class... From, class Link>
COTAN_INLINE void begin_step(accumulate_step<Op, Slot, SlotDepth, Part, From...>, Link& l) {
    if constexpr (Frame::vector) {
        using T = typename Frame::T;
        each_copy<Frame>([&](auto c) COTAN_INLINE_LAMBDA { l.frame.partial[Part][c] = vector_of<T>(identity_of<op_of<Op>, T>()); });
    } else if constexpr (requires { Frame::folds_alone; }) {
        using T = std::common_type_t<scalar_t<From::dt>...>;
        l.frame.partial.template get<T>(Part).s = identity_of<op_of<Op>, T>();
    }
}
template <class Frame, class Step, class Link>
COTAN_INLINE void end_step(Step, Link&) {}

/// The first N vectors folded into one, by halves.
template <class O, class T, int N, int M>
COTAN_INLINE vector_of<T> fold_partials(const vector_of<T> (&p)[M]) {
    using V = vector_of<T>;
    if constexpr (N == 1) return p[0];
    else
        return [&]<int... I>(std::integer_sequence<int, I...>) COTAN_INLINE_LAMBDA {
            const V half[] = {O::template kernel<V>(p[I], p[I + N / 2])...};
            return fold_partials<O, T, N / 2>(half);
        }(std::make_integer_sequence<int, N / 2>{});
}

template <class Frame, const op_info* Op, int Slot, int SlotDepth, int Part, class... From, class Link>
COTAN_INLINE void end_step(accumulate_step<Op, Slot, SlotDepth, Part, From...>, Link& l) {
    if constexpr (Frame::vector) {
        using O = op_of<Op>;
        using T = typename Frame::T;
        using V = vector_of<T>;
        auto& target = frame_at<SlotDepth>(l);
        using Target = std::remove_reference_t<decltype(target)>;
        auto& s = target.slots.template get<T>(Slot);
        auto& p = l.frame.partial[Part];
        if constexpr (Target::vector) {
            constexpr int W = lanes_of<T>;
            const auto fold = [&]<int First, int... I>(std::integral_constant<int, First>, std::integer_sequence<int, I...>) COTAN_INLINE_LAMBDA {
                const V rows[] = {p[First + I]...};
                return fold_rows<O, T>(rows);
            };
            [&]<int... C>(std::integer_sequence<int, C...>) COTAN_INLINE_LAMBDA {
                ((s.v[C] = O::template kernel<V>(s.v[C], fold(std::integral_constant<int, C * W>{}, std::make_integer_sequence<int, W>{}))), ...);
            }(std::make_integer_sequence<int, Target::copies>{});
        } else {
            s.v[0] = O::template kernel<V>(s.v[0], fold_partials<O, T, partials_kept<Frame, Target>>(p));
        }
    } else if constexpr (requires { Frame::folds_alone; }) {
        using T = std::common_type_t<scalar_t<From::dt>...>;
        auto& s = frame_at<SlotDepth>(l).slots.template get<T>(Slot).s;
        s = op_of<Op>::template kernel<T>(s, l.frame.partial.template get<T>(Part).s);
    }
}
/// What one turn folded, added to another's.
template <class Frame, class Step>
COTAN_INLINE void join_turns(Step, Frame&, Frame&) {}
template <class Frame, const op_info* Op, int Slot, int SlotDepth, int Part, class... From>
COTAN_INLINE void join_turns(accumulate_step<Op, Slot, SlotDepth, Part, From...>, Frame& a, Frame& b) {
    using T = std::common_type_t<scalar_t<From::dt>...>;
    auto& s = a.partial.template get<T>(Part).s;
    s = op_of<Op>::template kernel<T>(s, b.partial.template get<T>(Part).s);
}
template <class Frame, class... Steps>
COTAN_INLINE void join_turns(chunk<Steps...>, Frame& a, Frame& b) {
    (join_turns<Frame>(Steps{}, a, b), ...);
}

/// Hands what several vectors have folded to a frame that goes on with one.
template <class Frame, class Step, class Link, class One>
COTAN_INLINE void pass_step(Step, Link&, One&) {}
template <class Frame, const op_info* Op, int Slot, int SlotDepth, int Part, class... From, class Link, class One>
COTAN_INLINE void pass_step(accumulate_step<Op, Slot, SlotDepth, Part, From...>, Link& l, One& one) {
    using T = typename Frame::T;
    using Target = std::remove_reference_t<decltype(frame_at<SlotDepth>(l))>;
    one.partial[Part][0] = fold_partials<op_of<Op>, T, partials_kept<Frame, Target>>(l.frame.partial[Part]);
}

template <class Frame, bool Tail, class O, int C, class... From, class T, class Link, class B>
COTAN_INLINE void accumulate_lanes(T* p, Link& l, const B& b) {
    using V = vector_of<T>;
    V x = folded_value<V>(operand_value<Frame, From>(l, C)...);
    if constexpr (Tail) x = xsimd::select(first_lanes<T>(b.valid), x, V(identity_of<O, T>()));
    *p = O::template kernel<T>(*p, fold_lanes<O, T>(x));
}

template <class Frame, class O, int C, class... From, class V, class Link>
COTAN_INLINE V fold_copy(const V& a, Link& l) { return fold_in<O, V>(a, operand_value<Frame, From>(l, C)...); }

template <class Frame, bool Tail, const op_info* Op, class Place, class... From, class Env, class Link>
COTAN_INLINE void run_step(accumulate_store_step<Op, Place, From...>, const Env& env, Link& l, const block<Frame, Tail>& b) {
    using O = op_of<Op>;
    if constexpr (!Frame::vector) {
        using T = typename Place::T;
        auto* p = copy_address<Frame, Place, 0>(env, b, 0);
        *p = fold_in<O, T>(*p, operand_value<Frame, From>(l, 0)...);
    } else {
        using T = typename Frame::T;
        using V = vector_of<T>;
        constexpr int strip = strip_around<Link>;
        constexpr bool one = strip > 0 && !Place::template varies<strip>;
        const auto at = [&](auto copy) COTAN_INLINE_LAMBDA { return copy_address<Frame, Place, strip>(env, b, copy); };
        const auto read = [&](auto* p) COTAN_INLINE_LAMBDA {
            if constexpr (Place::template adjacent<Frame::depth>) {
                if constexpr (Tail) return load_first<T>(p, b.valid);
                else return V::load_unaligned(p);
            } else return gather<T>(p, Place::template stride<Frame::depth>(env), Tail ? b.valid : lanes_of<T>);
        };
        const auto write = [&](auto* p, const V& v) COTAN_INLINE_LAMBDA {
            if constexpr (Place::template adjacent<Frame::depth>) {
                if constexpr (Tail) store_first<T>(p, v, b.valid);
                else v.store_unaligned(p);
            } else scatter<T>(p, Place::template stride<Frame::depth>(env), v, Tail ? b.valid : lanes_of<T>);
        };
        if constexpr (!Place::template varies<Frame::depth>) {  // the lanes are folded too
            [&]<int... C>(std::integer_sequence<int, C...>) COTAN_INLINE_LAMBDA {
                (accumulate_lanes<Frame, Tail, O, C, From...>(at(C), l, b), ...);
            }(std::make_integer_sequence<int, Frame::copies>{});
        } else
        [&]<int... C>(std::integer_sequence<int, C...>) COTAN_INLINE_LAMBDA {
            if constexpr (one) {
                auto* p = at(0);
                V a[] = {read(p), V(identity_of<O, T>())};  // two chains: one would wait for itself
                ((a[C % 2] = fold_copy<Frame, O, C, From...>(a[C % 2], l)), ...);
                write(p, O::template kernel<V>(a[0], a[1]));
            } else ((write(at(C), fold_copy<Frame, O, C, From...>(V(read(at(C))), l))), ...);
        }(std::make_integer_sequence<int, Frame::copies>{});
    }
}

template <class Frame, bool Tail, const op_info* Op, dtype D, int Slot, class Env, class Link>
COTAN_INLINE void run_step(init_step<Op, D, Slot>, const Env&, Link& l, const block<Frame, Tail>&) {
    using O = op_of<Op>;
    using T = scalar_t<D>;
    auto& s = l.frame.slots.template get<T>(Slot);
    s.s = identity_of<O, T>();
    if constexpr (std::is_floating_point_v<T>)
        each_copy<Frame>([&](auto c) COTAN_INLINE_LAMBDA { s.v[c] = vector_of<T>(s.s); });
}

template <class Frame, bool Tail, const op_info* Op, class To, int Slot, bool InLanes, class Env, class Link>
COTAN_INLINE void run_step(finish_step<Op, To, Slot, InLanes>, const Env&, Link& l, const block<Frame, Tail>&) {
    using O = op_of<Op>;
    using T = scalar_t<To::dt>;
    auto& s = l.frame.slots.template get<T>(Slot);
    if constexpr (Frame::vector)
        each_copy<Frame>([&](auto c) COTAN_INLINE_LAMBDA { l.frame.template reg<To::dt>(To::index, c) = s.v[c]; });
    else if constexpr (InLanes && std::is_floating_point_v<T>) l.frame.template reg<To::dt>(To::index) = O::template kernel<T>(fold_lanes<O, T>(s.v[0]), s.s);
    else l.frame.template reg<To::dt>(To::index) = s.s;
}

/// Fills what the open loops do not fix: n elements at a stride along each axis. The environment itself must not be seen by what is not inlined, or
/// every store could change it.
struct fill_axis {
    std::ptrdiff_t n, stride;
};
template <class T>
inline void fill_axes(T* p, const fill_axis* axis, int count, T value) {
    if (count == 0) *p = value;
    else if (count == 1 && axis->stride == 1)
        for (std::ptrdiff_t i = 0; i < axis->n; ++i) p[i] = value;
    else
        for (std::ptrdiff_t i = 0; i < axis->n; ++i) fill_axes(p + i * axis->stride, axis + 1, count - 1, value);
}

template <const op_info* Op, int Memory, dtype D, class... A>
struct fill_of {
    using Place = place<Memory, D, A...>;
    template <class Frame, class Env, class B>
    COTAN_INLINE static void run(const Env& env, const B& b) {
        fill_axis axes[sizeof...(A) + 1];
        int count = 0, k = 0;
        ((A::shared || A::depth != 0 ? void() : void(axes[count++] = {env.size[Memory][k], k == Place::rank - 1 ? 1 : env.stride[Memory][k]}), ++k), ...);
        using T = scalar_t<D>;
        constexpr int rows = Frame::vector && (Place::template varies<Frame::depth> || (A::shared || ...)) ? static_cast<int>(vector_rows<Frame>()) : 1;
        for (int r = 0; r < rows; ++r) {
            auto* p = Place::template address<-1, Frame::depth>(env, b.index, r);
            if constexpr (Frame::depth > 0) p += r * Place::template stride<Frame::depth>(env);
            fill_axes<T>(p, axes, count, identity_of<op_of<Op>, T>());
        }
    }
    template <class Frame> static constexpr int vector_rows() {
        if constexpr (Frame::vector) return Frame::copies * lanes_of<typename Frame::T>;
        else return 1;
    }
};
template <class Frame, bool Tail, const op_info* Op, int Memory, dtype D, class... A, class Env, class Link>
COTAN_INLINE void run_step(fill_step<Op, place<Memory, D, A...>>, const Env& env, Link&, const block<Frame, Tail>& b) {
    fill_of<Op, Memory, D, A...>::template run<Frame>(env, b);
}

template <class Frame, bool Tail, const op_info* Op, int Slot, int SlotDepth, bool Exclusive, class Place, class... From, class Env, class Link>
COTAN_INLINE void run_step(running_step<Op, Slot, SlotDepth, Exclusive, Place, From...>, const Env& env, Link& l, const block<Frame, Tail>& b) {
    static_assert(!Frame::vector);
    using O = op_of<Op>;
    using T = typename Place::T;
    auto& s = frame_at<SlotDepth>(l).slots.template get<T>(Slot).s;
    auto* p = copy_address<Frame, Place, 0>(env, b, 0);
    const T before = s;
    s = O::template kernel<T>(s, operand_value<Frame, From>(l, 0)...);
    *p = Exclusive ? before : s;
}

template <class Frame, bool Tail, class To, std::uint64_t Bits, class Env, class Link>
COTAN_INLINE void run_step(literal_step<To, Bits>, const Env&, Link& l, const block<Frame, Tail>&) {
    using T = scalar_t<To::dt>;
    constexpr T value = [] {
        if constexpr (is_real(To::dt)) return static_cast<T>(std::bit_cast<double>(Bits));
        else return static_cast<T>(static_cast<std::int64_t>(Bits));
    }();
    if constexpr (Frame::vector) {
        using R = std::remove_reference_t<decltype(l.frame.template reg<To::dt>(0))>;
        each_copy<Frame>([&](auto c) COTAN_INLINE_LAMBDA { l.frame.template reg<To::dt>(To::index, c) = R(value); });
    } else l.frame.template reg<To::dt>(To::index) = value;
}
template <class Frame, bool Tail, class To, int Extent, class Env, class Link>
COTAN_INLINE void run_step(extent_step<To, Extent>, const Env& env, Link& l, const block<Frame, Tail>&) {
    using T = scalar_t<To::dt>;
    const T value = static_cast<T>(env.extent[Extent]);
    if constexpr (Frame::vector) {
        using R = std::remove_reference_t<decltype(l.frame.template reg<To::dt>(0))>;
        each_copy<Frame>([&](auto c) COTAN_INLINE_LAMBDA { l.frame.template reg<To::dt>(To::index, c) = R(value); });
    } else l.frame.template reg<To::dt>(To::index) = value;
}
template <class Frame, bool Tail, class To, int Depth, class Env, class Link>
COTAN_INLINE void run_step(iota_step<To, Depth>, const Env&, Link& l, const block<Frame, Tail>& b) {
    using T = scalar_t<To::dt>;
    if constexpr (!Frame::vector) l.frame.template reg<To::dt>(To::index) = static_cast<T>(b.index[Depth]);
    else {
        constexpr int strip = strip_around<Link>;
        each_copy<Frame>([&](auto c) COTAN_INLINE_LAMBDA {
            if constexpr (Depth == Frame::depth)
                l.frame.template reg<To::dt>(To::index, c) = count_from<T>(b.index[Depth] + (strip ? 0 : c * lanes_of<T>));
            else l.frame.template reg<To::dt>(To::index, c) = vector_of<T>(static_cast<T>(b.index[Depth] + (Depth == strip ? c : 0)));
        });
    }
}

template <class Frame, bool Tail, class... Steps, class Env, class Link>
COTAN_INLINE void run_step(chunk<Steps...>, const Env& env, Link& l, const block<Frame, Tail>& b) {
    (run_step<Frame, Tail>(Steps{}, env, l, b), ...);
}
template <class Frame, class... Steps, class Link>
COTAN_INLINE void begin_step(chunk<Steps...>, Link& l) {
    (begin_step<Frame>(Steps{}, l), ...);
}
template <class Frame, class... Steps, class Link>
COTAN_INLINE void end_step(chunk<Steps...>, Link& l) {
    (end_step<Frame>(Steps{}, l), ...);
}
template <class Frame, class... Steps, class Link, class One>
COTAN_INLINE void pass_step(chunk<Steps...>, Link& l, One& one) {
    (pass_step<Frame>(Steps{}, l, one), ...);
}

inline constexpr std::size_t long_body = 4;  // chunks

// --- loops ----------------------------------------------------------------------------------------------------------------------
template <class Head, class... Steps, class Env, class Outer>
COTAN_INLINE void run_loop(loop_type<Head, Steps...>, const Env& env, Outer& outer, std::ptrdiff_t* index);

/// Runs a call of a plan, see run/loop.hpp.
template <class Plan, int Call, class Env>
COTAN_INLINE void run_call(Env& env);
template <class Frame, bool Tail, class Plan, int Call, class Env, class Link>
COTAN_INLINE void run_step(call_step<Plan, Call>, const Env& env, Link&, const block<Frame, Tail>&) {
    run_call<Plan, Call>(const_cast<Env&>(env));
}

template <class Frame, bool Tail, class Loop, class Env, class Link>
COTAN_INLINE void run_step(loop_step<Loop>, const Env& env, Link& l, const block<Frame, Tail>& b) {
    run_loop(Loop{}, env, l, b.index);
}

template <class Head, class... Steps, class Env, class Outer>
COTAN_INLINE void run_loop(loop_type<Head, Steps...>, const Env& env, Outer& outer, std::ptrdiff_t* index) {
    const std::ptrdiff_t n = [&] {
        if constexpr (Head::rows < 0) return env.length[Head::cls];
        else {
            const auto* begin = static_cast<const std::int32_t*>(env.data[Head::rows]) + index[Head::row_depth];
            return static_cast<std::ptrdiff_t>(begin[1] - begin[0]);
        }
    }();
    std::ptrdiff_t& i = index[Head::depth];
    const auto scalars = [&]<class H>(std::type_identity<H>, std::ptrdiff_t from) COTAN_INLINE_LAMBDA {
        using Frame = scalar_frame<H>;
        Frame frame;
        link<Frame, Outer> l{frame, outer};
        block<Frame, false> b{index, 1};
        for (std::ptrdiff_t k = from; k < n; ++k) {
            i = k;
            (run_step<Frame, false>(Steps{}, env, l, b), ...);
        }
    };
    if constexpr (Head::rows >= 0 && Head::leaf && Head::parts > 0) {
        using Frame = turn_frame<Head>;
        Frame f0, f1, f2, f3;
        link<Frame, Outer> l0{f0, outer}, l1{f1, outer}, l2{f2, outer}, l3{f3, outer};
        block<Frame, false> b{index, 1};
        const auto turn = [&](auto& l) COTAN_INLINE_LAMBDA {
            (run_step<Frame, false>(Steps{}, env, l, b), ...);
            ++i;
        };
        (begin_step<Frame>(Steps{}, l0), ...);
        i = 0;
        if (n >= 4) {
            (begin_step<Frame>(Steps{}, l1), ...);
            (begin_step<Frame>(Steps{}, l2), ...);
            (begin_step<Frame>(Steps{}, l3), ...);
            while (i + 4 <= n) {
                turn(l0);
                turn(l1);
                turn(l2);
                turn(l3);
            }
            (join_turns<Frame>(Steps{}, f0, f1), ...);
            (join_turns<Frame>(Steps{}, f2, f3), ...);
            (join_turns<Frame>(Steps{}, f0, f2), ...);
        }
        while (i < n) turn(l0);
        (end_step<Frame>(Steps{}, l0), ...);
    } else if constexpr (Head::vector && Head::leaf) {
        using T = typename Head::T;
        constexpr int W = lanes_of<T>;
        constexpr int rows = rows_of<Outer>();
        constexpr bool in_strip = rows > 0;
        constexpr int U = in_strip ? rows : Head::unroll;
        constexpr std::ptrdiff_t step = in_strip ? W : U * W;
        using Frame = vector_frame<Head, U>;
        const auto vectors = [&](auto& l, std::ptrdiff_t from, std::ptrdiff_t by) COTAN_INLINE_LAMBDA {
            using F = std::remove_reference_t<decltype(l.frame)>;
            block<F, false> b{index, W};
            for (; from + by <= n; from += by) {
                i = from;
                (run_step<F, false>(Steps{}, env, l, b), ...);
            }
            return from;
        };
        const auto rest = [&](auto& l, std::ptrdiff_t from) COTAN_INLINE_LAMBDA {
            using F = std::remove_reference_t<decltype(l.frame)>;
            i = from;
            block<F, true> last{index, static_cast<int>(n - from)};
            if (from < n) (run_step<F, true>(Steps{}, env, l, last), ...);
            (end_step<F>(Steps{}, l), ...);
        };
        if constexpr (sizeof...(Steps) > long_body) {
            // a long body is generated once: all of it runs as the last, partial vector does
            static_assert(in_strip || U == 1);
            Frame frame;
            link<Frame, Outer> l{frame, outer};
            (begin_step<Frame>(Steps{}, l), ...);
            for (std::ptrdiff_t k = 0; k < n; k += step) {
                i = k;
                block<Frame, true> b{index, static_cast<int>(n - k < W ? n - k : W)};
                (run_step<Frame, true>(Steps{}, env, l, b), ...);
            }
            (end_step<Frame>(Steps{}, l), ...);
        } else if constexpr (in_strip || U == 1) {
            Frame frame;
            link<Frame, Outer> l{frame, outer};
            (begin_step<Frame>(Steps{}, l), ...);
            rest(l, vectors(l, 0, step));
        } else {
            // what several vectors at a time have folded goes on in one
            using One = vector_frame<Head, 1>;
            One frame;
            link<One, Outer> l{frame, outer};
            (begin_step<One>(Steps{}, l), ...);
            std::ptrdiff_t from = 0;
            if (n >= step) {
                Frame wide;
                link<Frame, Outer> many{wide, outer};
                (begin_step<Frame>(Steps{}, many), ...);
                from = vectors(many, 0, step);
                (pass_step<Frame>(Steps{}, many, frame), ...);
            }
            rest(l, vectors(l, from, W));
        }
    } else if constexpr (Head::strip > 0) {
        using T = typename Head::T;
        constexpr int W = lanes_of<T>;
        std::ptrdiff_t from = 0;
        const auto strips = [&]<int Copies>(std::integral_constant<int, Copies>) COTAN_INLINE_LAMBDA {
            constexpr std::ptrdiff_t rows = Copies * W;
            // rows that are read several times are read while they are in the first-level cache
            if (n - from < rows || (Head::inner >= 0 && env.length[Head::inner < 0 ? 0 : Head::inner] * rows * static_cast<std::ptrdiff_t>(sizeof(T)) > 12288)) return;
            using Frame = vector_frame<Head, Copies>;
            Frame frame;
            link<Frame, Outer> l{frame, outer};
            (begin_step<Frame>(Steps{}, l), ...);
            block<Frame, false> b{index, W};
            for (; from + rows <= n; from += rows) {
                i = from;
                (run_step<Frame, false>(Steps{}, env, l, b), ...);
            }
            (end_step<Frame>(Steps{}, l), ...);
        };
        if constexpr (Head::strip > 1) strips(std::integral_constant<int, Head::strip>{});
        strips(std::integral_constant<int, 1>{});
        if (from < n) scalars(std::type_identity<Head>{}, from);
    } else scalars(std::type_identity<Head>{}, 0);
}

/// Runs a whole function.
template <class Head, class... Steps, class Env>
COTAN_INLINE void execute(loop_type<Head, Steps...>, const Env& env) {
    std::ptrdiff_t index[max_rank * 2 + 2] = {};
    using Frame = scalar_frame<Head>;
    Frame frame;
    no_link none;
    link<Frame, no_link> l{frame, none};
    block<Frame, false> b{index, 1};
    (run_step<Frame, false>(Steps{}, env, l, b), ...);
}

}  // namespace cotan::bits
