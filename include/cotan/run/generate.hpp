#pragma once

#include <cotan/plan/compile.hpp>
#include <cotan/run/execute.hpp>

namespace cotan::bits {

/// Turns a compiled function's code (F::code) into the types that execute() runs.
template <class F>
struct generate {
    static constexpr auto& d = F::data;
    static constexpr auto& code = F::code;

    static constexpr int depth_of(int loop, int cls) {
        for (int l = loop; l > 0; l = code.loops[l].parent)
            if (code.loops[l].cls == cls) return code.loops[l].depth;
        return 0;
    }
    /// A loop whose iterations run in the lanes of one vector: its inner loops are leaves and all of it is SIMD.
    static constexpr bool is_strip(int loop) {
        const loop_data& l = code.loops[loop];
        if (loop == 0 || l.leaf || !l.vector) return false;
        for (int o = loop; o > 0; o = code.loops[o].parent)
            if (code.loops[o].rows >= 0) return false;  // what is read at places has no strips
        for (int i = 1; i < code.loop_count; ++i)
            if (code.loops[i].parent == loop && (code.loops[i].rows >= 0 || !code.loops[i].leaf || !code.loops[i].vector || code.loops[i].lanes != l.lanes)) return false;
        return true;
    }
    /// How many vectors of rows a strip runs together: two where what each row keeps in a register leaves room for it, none without a strip.
    static constexpr int strips_of(int loop) {
        if (!is_strip(loop)) return 0;
        const loop_data& outer = code.loops[loop];
        int steps = outer.count, rows = 0, others = 0;
        for (int i = 1; i < code.loop_count; ++i) {
            const loop_data& l = code.loops[i];
            if (l.parent != loop) continue;
            steps += l.count;
            bool used[64] = {};
            int own = 0, more = 3;
            for (int k = l.first; k < l.first + l.count; ++k) {
                const step_data s = code.steps[k];
                if (s.kind == step_kind::accumulate) (s.slot_depth == outer.depth ? own : more) += s.slot_depth == outer.depth ? 1 : 4;
                for (int a = 0; a < s.count; ++a)
                    if (s.from[a].depth == outer.depth && !used[s.from[a].index & 63]) {
                        used[s.from[a].index & 63] = true;
                        ++own;
                    }
            }
            rows = own > rows ? own : rows;
            others = more > others ? more : others;
        }
        const int lanes = outer.lanes == dtype::float32 ? lanes_of<float> : lanes_of<double>;
        return rows * 2 * lanes + others <= vector_registers && steps <= 48 ? 2 : 1;
    }
    static constexpr int children(int loop) {
        int n = 0;
        for (int i = 1; i < code.loop_count; ++i) n += code.loops[i].parent == loop;
        return n;
    }
    /// The loop whose length decides whether a strip's rows stay in cache; -1: it always pays.
    static constexpr int inner_of(int loop) {
        if (!is_strip(loop) || children(loop) < 2) return -1;
        for (int i = 1; i < code.loop_count; ++i)
            if (code.loops[i].parent == loop) return code.loops[i].cls;
        return -1;
    }
    static constexpr int unroll_of(int loop) {
        const loop_data& l = code.loops[loop];
        if (l.rows >= 0) return 1;  // rows are short
        int cost = 0, folds = 0;
        bool pairs = false;
        for (int k = l.first; k < l.first + l.count; ++k) {
            if (code.steps.kind(k) == step_kind::compute) {
                cost += code.steps[k].op->cost;
                pairs = pairs || code.steps[k].op->in_pairs;
            }
            folds += code.steps.kind(k) == step_kind::accumulate;
        }
        if (pairs && l.count <= 128) return 2;
        if (folds == 0 || cost > 10 || l.count > 128) return 1;
        return cost > 1 ? 2 : 4;
    }
    /// Whether a loop keeps the processor's adders busier than its multipliers.
    static constexpr bool adds(int loop) {
        const loop_data& l = code.loops[loop];
        int sums = 0, products = 0;
        for (int k = l.first; k < l.first + l.count; ++k) {
            const step_kind kind = code.steps.kind(k);
            if (kind == step_kind::accumulate) (code.steps[k].count == 2 ? products : sums) += 1;
            else if (kind == step_kind::compute) {
                const op_info* op = code.steps[k].op;
                if (op == &op_data<add_> || op == &op_data<subtract_>) ++sums;
                else products += op->cost;
            }
        }
        return sums > products;
    }
    static constexpr int part_of(int step, int loop) {
        int n = 0;
        for (int k = code.loops[loop].first; k < step; ++k) n += code.steps.kind(k) == step_kind::accumulate;
        return n;
    }
    static constexpr int parts(int loop) { return part_of(code.loops[loop].first + code.loops[loop].count, loop); }
    /// Whether an accumulator is folded in lanes anywhere.
    static constexpr bool in_lanes(int slot, int slot_depth, int loop) {
        for (int l = 1; l < code.loop_count; ++l) {
            int up = l;
            while (up > 0 && up != loop) up = code.loops[up].parent;
            if (up != loop) continue;
            for (int k = code.loops[l].first; k < code.loops[l].first + code.loops[l].count; ++k)
                if (code.steps.kind(k) == step_kind::accumulate && code.steps[k].slot == slot && code.steps[k].slot_depth == slot_depth &&
                    ((code.loops[l].leaf && code.loops[l].vector) || is_strip(l)))
                    return true;
        }
        return false;
    }

    // Single steps are read from small pieces, each half of a larger one: reading one costs what is read as a whole.
    static constexpr int all_steps = 2 * std::remove_cvref_t<decltype(code)>::capacity;
    template <int Size, int Index>
    static consteval auto steps_piece() {
        if constexpr (2 * Size >= all_steps) return F::code.steps.template half<Index>();
        else return steps_piece_of<2 * Size, Index / 2>::value.template half<Index % 2>();
    }
    template <int Size, int Index> struct steps_piece_of { static constexpr auto value = steps_piece<Size, Index>(); };
    template <int Size, int Index>
    static consteval auto maps_piece() {
        if constexpr (2 * Size >= all_steps) return F::code.maps.template half<Index>();
        else return maps_piece_of<2 * Size, Index / 2>::value.template half<Index % 2>();
    }
    template <int Size, int Index> struct maps_piece_of { static constexpr auto value = maps_piece<Size, Index>(); };
    template <int M> struct map_one { static constexpr axis_map map = maps_piece_of<16, M / 16>::value[M % 16]; };
    // A constant for each step would have a name with the whole graph in it: some share one. For the same reason what is made of a step is a type
    // and no function's result.
    template <int Piece> struct some_steps {
        static constexpr auto at = [] {
            std::array<step_data, 16> r{};
            for (int i = 0; i < 16; ++i) r[static_cast<std::size_t>(i)] = steps_piece_of<16, Piece>::value[i];
            return r;
        }();
    };

    template <int M, class Seq, int Map, int Loop> struct place_at;
    template <int M, std::size_t... K, int Map, int Loop>
    struct place_at<M, std::index_sequence<K...>, Map, Loop> {
        template <class A, std::size_t I>
        using axis = ax<A::map.cls < 0 ? 0 : depth_of(Loop, A::map.cls), A::map.step, A::map.start, A::map.from_end, (d.memories[M].shared >> I & 1u) != 0,
                        d.memories[M].ragged == static_cast<int>(I) + 1 ? d.memories[M].rows : -1>;
        using type = place<M, d.memories[M].dt, axis<map_one<Map + static_cast<int>(K)>, K>...>;
    };
#define COTAN_STEP(S) some_steps<(S) / 16>::at[(S) % 16]
    /// The places of a gather or scatter.
    template <int S, int Loop>
    using places_of = typename place_at<static_cast<int>(COTAN_STEP(S).bits >> 32), std::make_index_sequence<2>, static_cast<int>(COTAN_STEP(S).bits & 0xffffffffu), Loop>::type;
    template <int S, int Loop>
    using place_of = typename place_at<COTAN_STEP(S).memory, std::make_index_sequence<static_cast<std::size_t>(d.memories[COTAN_STEP(S).memory].rank)>, COTAN_STEP(S).map, Loop>::type;

    template <int S> using to = at<COTAN_STEP(S).to.depth, COTAN_STEP(S).to.dt, COTAN_STEP(S).to.index>;
    template <int S, int I> using from = at<COTAN_STEP(S).from[I].depth, COTAN_STEP(S).from[I].dt, COTAN_STEP(S).from[I].index>;

    template <int L> struct loop_of;
    template <int S, int Loop, step_kind K, int Count> struct step_of;
    template <int S, int Loop> struct step_of<S, Loop, step_kind::compute, 1> { using type = compute_step<COTAN_STEP(S).op, to<S>, from<S, 0>>; };
    template <int S, int Loop> struct step_of<S, Loop, step_kind::compute, 2> { using type = compute_step<COTAN_STEP(S).op, to<S>, from<S, 0>, from<S, 1>>; };
    template <int S, int Loop> struct step_of<S, Loop, step_kind::compute, 3> {
        using type = compute_step<COTAN_STEP(S).op, to<S>, from<S, 0>, from<S, 1>, from<S, 2>>;
    };
    template <int S, int Loop, bool Gathers> struct load_of { using type = load_step<to<S>, place_of<S, Loop>>; };
    template <int S, int Loop> struct load_of<S, Loop, true> { using type = gather_step<to<S>, place_of<S, Loop>, places_of<S, Loop>, COTAN_STEP(S).param>; };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::load, Count> : load_of<S, Loop, COTAN_STEP(S).op->cls == op_class::gather> {};
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::store, Count> { using type = store_step<from<S, 0>, place_of<S, Loop>>; };
    template <int S, int Loop> struct step_of<S, Loop, step_kind::accumulate, 1> {
        using type = accumulate_step<COTAN_STEP(S).op, COTAN_STEP(S).slot, COTAN_STEP(S).slot_depth, part_of(S, Loop), from<S, 0>>;
    };
    template <int S, int Loop> struct step_of<S, Loop, step_kind::accumulate, 2> {
        using type = accumulate_step<COTAN_STEP(S).op, COTAN_STEP(S).slot, COTAN_STEP(S).slot_depth, part_of(S, Loop), from<S, 0>, from<S, 1>>;
    };
    template <int S, int Loop, bool Scatters> struct add_to { using type = accumulate_store_step<COTAN_STEP(S).op, place_of<S, Loop>, from<S, 0>>; };
    template <int S, int Loop> struct add_to<S, Loop, true> { using type = scatter_step<from<S, 0>, place_of<S, Loop>, places_of<S, Loop>, COTAN_STEP(S).param - 1>; };
    template <int S, int Loop> struct step_of<S, Loop, step_kind::accumulate_store, 1> : add_to<S, Loop, (COTAN_STEP(S).param > 0)> {};
    template <int S, int Loop> struct step_of<S, Loop, step_kind::accumulate_store, 2> {
        using type = accumulate_store_step<COTAN_STEP(S).op, place_of<S, Loop>, from<S, 0>, from<S, 1>>;
    };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::init, Count> {
        using type = init_step<COTAN_STEP(S).op, COTAN_STEP(S).to.dt, COTAN_STEP(S).slot>;
    };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::finish, Count> {
        using type = finish_step<COTAN_STEP(S).op, to<S>, COTAN_STEP(S).slot, in_lanes(COTAN_STEP(S).slot, COTAN_STEP(S).slot_depth, Loop)>;
    };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::fill, Count> { using type = fill_step<COTAN_STEP(S).op, place_of<S, Loop>>; };
    template <int S, int Loop> struct step_of<S, Loop, step_kind::running, 1> {
        using type = running_step<COTAN_STEP(S).op, COTAN_STEP(S).slot, COTAN_STEP(S).slot_depth, COTAN_STEP(S).param != 0, place_of<S, Loop>, from<S, 0>>;
    };
    template <int S, int Loop> struct step_of<S, Loop, step_kind::running, 2> {
        using type = running_step<COTAN_STEP(S).op, COTAN_STEP(S).slot, COTAN_STEP(S).slot_depth, COTAN_STEP(S).param != 0, place_of<S, Loop>, from<S, 0>, from<S, 1>>;
    };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::literal, Count> { using type = literal_step<to<S>, COTAN_STEP(S).bits>; };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::extent, Count> { using type = extent_step<to<S>, COTAN_STEP(S).param>; };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::iota, Count> { using type = iota_step<to<S>, depth_of(Loop, COTAN_STEP(S).param)>; };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::call, Count> { using type = call_step<F, COTAN_STEP(S).param>; };
    template <int S, int Loop, int Count> struct step_of<S, Loop, step_kind::loop, Count> { using type = loop_step<typename loop_of<COTAN_STEP(S).loop>::type>; };
    template <int S, int Loop> using step_at = typename step_of<S, Loop, COTAN_STEP(S).kind, COTAN_STEP(S).count>::type;
#undef COTAN_STEP

    static constexpr int chunk_size = 32;
    template <int L, int First, class Seq> struct chunk_of;
    template <int L, int First, std::size_t... I>
    struct chunk_of<L, First, std::index_sequence<I...>> {
        using type = chunk<step_at<First + static_cast<int>(I), L>...>;
    };
    template <int L, class Seq> struct loop_steps;
    template <int L, std::size_t... C>
    struct loop_steps<L, std::index_sequence<C...>> {
        static constexpr auto& l = code.loops[L];
        using head = loop_head<l.depth, l.cls < 0 ? 0 : l.cls, l.leaf, l.vector && L != 0, strips_of(L), adds(L), l.lanes, unroll_of(L), l.accumulators, parts(L), inner_of(L), l.rows, l.rows < 0 ? 0 : depth_of(L, l.row_cls),
                               l.registers[0], l.registers[1], l.registers[2], l.registers[3], l.registers[4]>;
        static constexpr int size_of_chunk(int c) { return l.count - c * chunk_size < chunk_size ? l.count - c * chunk_size : chunk_size; }
        using type = loop_type<head, typename chunk_of<L, l.first + static_cast<int>(C) * chunk_size,
                                                       std::make_index_sequence<static_cast<std::size_t>(size_of_chunk(static_cast<int>(C)))>>::type...>;
    };
    template <int L>
    struct loop_of {
        using type = typename loop_steps<L, std::make_index_sequence<static_cast<std::size_t>((code.loops[L].count + chunk_size - 1) / chunk_size)>>::type;
    };
    using program = typename loop_of<0>::type;
};

}  // namespace cotan::bits
