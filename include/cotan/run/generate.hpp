#pragma once

#include <cotan/plan/compile.hpp>
#include <cotan/run/execute.hpp>

namespace cotan::bits {

/// Turns a compiled function's data (F::data) into the types that execute() runs.
template <class F>
struct generate {
    static constexpr auto& d = F::data;

    static constexpr int depth_of(int loop, int cls) {
        for (int l = loop; l > 0; l = d.loops[l].parent)
            if (d.loops[l].cls == cls) return d.loops[l].depth;
        return 0;
    }
    /// A loop whose iterations run in the lanes of one vector: its inner loops are leaves and all of it is SIMD.
    static constexpr bool is_strip(int loop) {
        const loop_data& l = d.loops[loop];
        if (loop == 0 || l.leaf || !l.vector) return false;
        for (int i = 1; i < d.loop_count; ++i)
            if (d.loops[i].parent == loop && (!d.loops[i].leaf || !d.loops[i].vector || d.loops[i].lanes != l.lanes)) return false;
        return true;
    }
    static constexpr int children(int loop) {
        int n = 0;
        for (int i = 1; i < d.loop_count; ++i) n += d.loops[i].parent == loop;
        return n;
    }
    /// The loop whose length decides whether a strip's rows stay in cache; -1: it always pays.
    static constexpr int inner_of(int loop) {
        if (!is_strip(loop) || children(loop) < 2) return -1;
        for (int i = 1; i < d.loop_count; ++i)
            if (d.loops[i].parent == loop) return d.loops[i].cls;
        return -1;
    }
    static constexpr int unroll_of(int loop) {
        const loop_data& l = d.loops[loop];
        int cost = 0, folds = 0;
        bool pairs = false;
        for (int k = l.first; k < l.first + l.count; ++k) {
            if (d.steps.kind(k) == step_kind::compute) {
                cost += d.steps[k].op->cost;
                pairs = pairs || d.steps[k].op->in_pairs;
            }
            folds += d.steps.kind(k) == step_kind::accumulate;
        }
        if (pairs && l.count <= 128) return 2;
        if (folds == 0 || cost > 10 || l.count > 128) return 1;
        return cost > 1 ? 2 : 4;
    }
    static constexpr int part_of(int step, int loop) {
        int n = 0;
        for (int k = d.loops[loop].first; k < step; ++k) n += d.steps.kind(k) == step_kind::accumulate;
        return n;
    }
    static constexpr int parts(int loop) { return part_of(d.loops[loop].first + d.loops[loop].count, loop); }
    /// Whether an accumulator is folded in lanes anywhere.
    static constexpr bool in_lanes(int slot, int slot_depth, int loop) {
        for (int l = 1; l < d.loop_count; ++l) {
            int up = l;
            while (up > 0 && up != loop) up = d.loops[up].parent;
            if (up != loop) continue;
            for (int k = d.loops[l].first; k < d.loops[l].first + d.loops[l].count; ++k)
                if (d.steps.kind(k) == step_kind::accumulate && d.steps[k].slot == slot && d.steps[k].slot_depth == slot_depth &&
                    ((d.loops[l].leaf && d.loops[l].vector) || is_strip(l)))
                    return true;
        }
        return false;
    }

    // Single steps are read from small pieces, each half of a larger one: reading one costs what is read as a whole.
    static constexpr int all_steps = 2 * std::remove_cvref_t<decltype(d)>::capacity;
    template <int Size, int Index>
    static consteval auto steps_piece() {
        if constexpr (2 * Size >= all_steps) return F::data.steps.template half<Index>();
        else return steps_piece_of<2 * Size, Index / 2>::value.template half<Index % 2>();
    }
    template <int Size, int Index> struct steps_piece_of { static constexpr auto value = steps_piece<Size, Index>(); };
    template <int Size, int Index>
    static consteval auto maps_piece() {
        if constexpr (2 * Size >= all_steps) return F::data.maps.template half<Index>();
        else return maps_piece_of<2 * Size, Index / 2>::value.template half<Index % 2>();
    }
    template <int Size, int Index> struct maps_piece_of { static constexpr auto value = maps_piece<Size, Index>(); };
    template <int S> struct one { static constexpr step_data step = steps_piece_of<16, S / 16>::value[S % 16]; };
    template <int M> struct map_one { static constexpr axis_map map = maps_piece_of<16, M / 16>::value[M % 16]; };

    template <int M, class Seq, int Map, int Loop> struct place_at;
    template <int M, std::size_t... K, int Map, int Loop>
    struct place_at<M, std::index_sequence<K...>, Map, Loop> {
        template <class A, std::size_t I>
        using axis = ax<A::map.cls < 0 ? 0 : depth_of(Loop, A::map.cls), A::map.step, A::map.start, A::map.from_end, (d.memories[M].shared >> I & 1u) != 0>;
        using type = place<M, d.memories[M].dt, axis<map_one<Map + static_cast<int>(K)>, K>...>;
    };
    template <int S, int Loop>
    using place_of = typename place_at<one<S>::step.memory, std::make_index_sequence<static_cast<std::size_t>(d.memories[one<S>::step.memory].rank)>, one<S>::step.map, Loop>::type;

    template <int S> using to = at<one<S>::step.to.depth, one<S>::step.to.dt, one<S>::step.to.index>;
    template <int S, int I> using from = at<one<S>::step.from[I].depth, one<S>::step.from[I].dt, one<S>::step.from[I].index>;

    template <int S, int Loop>
    static consteval auto step_of() {
        constexpr step_data s = one<S>::step;
        if constexpr (s.kind == step_kind::compute) {
            if constexpr (s.count == 1) return std::type_identity<compute_step<s.op, to<S>, from<S, 0>>>{};
            else if constexpr (s.count == 2) return std::type_identity<compute_step<s.op, to<S>, from<S, 0>, from<S, 1>>>{};
            else return std::type_identity<compute_step<s.op, to<S>, from<S, 0>, from<S, 1>, from<S, 2>>>{};
        } else if constexpr (s.kind == step_kind::load) return std::type_identity<load_step<to<S>, place_of<S, Loop>>>{};
        else if constexpr (s.kind == step_kind::store) return std::type_identity<store_step<from<S, 0>, place_of<S, Loop>>>{};
        else if constexpr (s.kind == step_kind::accumulate)
        {
            if constexpr (s.count == 2) return std::type_identity<accumulate_step<s.op, s.slot, s.slot_depth, part_of(S, Loop), from<S, 0>, from<S, 1>>>{};
            else return std::type_identity<accumulate_step<s.op, s.slot, s.slot_depth, part_of(S, Loop), from<S, 0>>>{};
        } else if constexpr (s.kind == step_kind::accumulate_store) {
            if constexpr (s.count == 2) return std::type_identity<accumulate_store_step<s.op, place_of<S, Loop>, from<S, 0>, from<S, 1>>>{};
            else return std::type_identity<accumulate_store_step<s.op, place_of<S, Loop>, from<S, 0>>>{};
        }
        else if constexpr (s.kind == step_kind::init) return std::type_identity<init_step<s.op, s.to.dt, s.slot>>{};
        else if constexpr (s.kind == step_kind::finish) return std::type_identity<finish_step<s.op, to<S>, s.slot, in_lanes(s.slot, s.slot_depth, Loop)>>{};
        else if constexpr (s.kind == step_kind::fill) return std::type_identity<fill_step<s.op, place_of<S, Loop>>>{};
        else if constexpr (s.kind == step_kind::running) {
            if constexpr (s.count == 1) return std::type_identity<running_step<s.op, s.slot, s.slot_depth, s.param != 0, place_of<S, Loop>, from<S, 0>>>{};
            else return std::type_identity<running_step<s.op, s.slot, s.slot_depth, s.param != 0, place_of<S, Loop>, from<S, 0>, from<S, 1>>>{};
        } else if constexpr (s.kind == step_kind::literal) return std::type_identity<literal_step<to<S>, s.bits>>{};
        else if constexpr (s.kind == step_kind::extent) return std::type_identity<extent_step<to<S>, s.param>>{};
        else if constexpr (s.kind == step_kind::iota) return std::type_identity<iota_step<to<S>, depth_of(Loop, s.param)>>{};
        else if constexpr (s.kind == step_kind::call) return std::type_identity<call_step<F, s.param>>{};
        else return std::type_identity<loop_step<typename loop_of<s.loop>::type>>{};
    }

    static constexpr int chunk_size = 64;
    template <int L, int First, class Seq> struct chunk_of;
    template <int L, int First, std::size_t... I>
    struct chunk_of<L, First, std::index_sequence<I...>> {
        using type = chunk<typename decltype(step_of<First + static_cast<int>(I), L>())::type...>;
    };
    template <int L, class Seq> struct loop_steps;
    template <int L, std::size_t... C>
    struct loop_steps<L, std::index_sequence<C...>> {
        static constexpr auto& l = d.loops[L];
        using head = loop_head<l.depth, l.cls < 0 ? 0 : l.cls, l.leaf, l.vector && L != 0, is_strip(L), l.lanes, unroll_of(L), l.accumulators, parts(L), inner_of(L),
                               l.registers[0], l.registers[1], l.registers[2], l.registers[3], l.registers[4]>;
        static constexpr int size_of_chunk(int c) { return l.count - c * chunk_size < chunk_size ? l.count - c * chunk_size : chunk_size; }
        using type = loop_type<head, typename chunk_of<L, l.first + static_cast<int>(C) * chunk_size,
                                                       std::make_index_sequence<static_cast<std::size_t>(size_of_chunk(static_cast<int>(C)))>>::type...>;
    };
    template <int L>
    struct loop_of {
        using type = typename loop_steps<L, std::make_index_sequence<static_cast<std::size_t>((d.loops[L].count + chunk_size - 1) / chunk_size)>>::type;
    };
    using program = typename loop_of<0>::type;
};

}  // namespace cotan::bits
