#pragma once

#include <cotan/plan/plan.hpp>

namespace cotan::bits {

/// Lets a stored value wait in the output that replaces it element by element: what softmax keeps of exp(x) stands where its result will. It takes the
/// place of a temporary array, and of its part of the first-level cache.
struct in_place {
    plan& p;
    vec<int> loop_of;   // of each step
    vec<int> position;  // in the order in which steps run

    constexpr explicit in_place(plan& p_) : p(p_), loop_of(p_.steps.size(), 0), position(p_.steps.size(), 0) {
        int next = 0;
        number(0, next);
    }
    constexpr void number(int loop, int& next) {
        const int first = p.loops[loop].first, last = first + p.loops[loop].count;
        for (int k = first; k < last; ++k) {
            loop_of[k] = loop;
            position[k] = next++;
            if (p.steps[k].kind == step_kind::loop) number(p.steps[k].loop, next);
        }
    }
    /// A step reaches each element once: the loops around it are the axes of its memory, in whole.
    constexpr bool covers(int step) const {
        const step_data& s = p.steps[step];
        unsigned long axes = 0, loops = 0;
        for (int k = 0; k < p.memories[s.memory].rank; ++k) {
            const axis_map& a = p.maps[s.map + k];
            if (a.step != 1 || a.start != 0 || a.from_end) return false;
            if (a.cls >= 0) axes |= 1ul << a.cls;
        }
        for (int l = loop_of[step]; l > 0; l = p.loops[l].parent) loops |= 1ul << p.loops[l].cls;
        return axes == loops;
    }
    constexpr bool same_place(int a, int b) const {
        const step_data &x = p.steps[a], &y = p.steps[b];
        for (int k = 0; k < p.memories[x.memory].rank; ++k)
            if (p.maps[x.map + k].cls != p.maps[y.map + k].cls) return false;
        return true;
    }
    constexpr bool same_shape(const memory_data& a, const memory_data& b) const {
        bool same = a.dt == b.dt && a.rank == b.rank;
        for (int k = 0; k < a.rank && same; ++k) same = a.ext[k] == b.ext[k];
        return same;
    }
    constexpr bool plain(int m) const {
        for (const memory_data& d : p.memories)
            if (d.alias == m || d.room == m || d.rows == m) return false;
        for (const call_operand& o : p.call_operands)
            if (o.memory == m) return false;
        if (p.call_results.contains(m)) return false;
        const memory_data& d = p.memories[m];
        return d.alias < 0 && d.room < 0 && d.ragged < 0 && !d.zeroed && !d.whole;
    }
    /// The only step that writes a memory, -1 if there are others.
    constexpr int writer(int m) const {
        int w = -1;
        for (int k = 0; k < p.steps.size(); ++k) {
            if (p.steps[k].memory != m || p.steps[k].kind == step_kind::load) continue;
            if (w >= 0 || p.steps[k].kind != step_kind::store) return -1;
            w = k;
        }
        return w;
    }
    /// Whether what is kept in t is read no more when out is written, element by element.
    constexpr bool ends_in(int t, int out) const {
        const int from = writer(t), to = writer(out);
        if (from < 0 || to < 0 || !covers(from) || !covers(to) || !same_place(from, to) || position[to] < position[from]) return false;
        for (int k = 0; k < p.steps.size(); ++k) {
            if (p.steps[k].kind != step_kind::load) continue;
            if (p.steps[k].memory == out) return false;
            if (p.steps[k].memory == t && (!covers(k) || !same_place(from, k) || position[k] > position[to])) return false;
        }
        return true;
    }
    constexpr void run() {
        for (int t = p.memories.size() - 1; t >= 0; --t) {
            if (p.memories[t].kind != memory_kind::temporary || !plain(t)) continue;
            for (int out = 0; out < p.memories.size(); ++out) {
                if (p.memories[out].kind != memory_kind::output || !plain(out) || !same_shape(p.memories[t], p.memories[out]) || !ends_in(t, out)) continue;
                for (step_data& s : p.steps)
                    if (s.memory == t) s.memory = out;
                for (step_data& s : p.steps) s.memory -= s.memory > t;
                for (memory_data& d : p.memories) {
                    d.alias -= d.alias > t;
                    d.room -= d.room > t;
                    d.rows -= d.rows > t;
                }
                for (loop_data& l : p.loops) l.rows -= l.rows > t;
                for (call_operand& o : p.call_operands) o.memory -= o.memory > t;
                for (int& r : p.call_results) r -= r > t;
                p.memories.erase(t);
                break;
            }
        }
    }
};

constexpr void write_in_place(plan& p) { in_place(p).run(); }

}  // namespace cotan::bits
