#pragma once

#include <cotan/plan/plan.hpp>

namespace cotan::bits {

/// Lets a temporary take the place of another of the same shape that is read no more. When a memory is in use is counted in steps of the function's own
/// level: a loop there is one step, with all that is inside.
struct room_sharing {
    plan& p;
    struct span {
        int first = -1, last = -1;
    };
    vec<span> used;  // of each memory that has a place of its own

    constexpr explicit room_sharing(plan& p_) : p(p_), used(p_.memories.size()) {
        for (int k = 0; k < p.loops[0].count; ++k) note(p.loops[0].first + k, k);
    }
    constexpr int owner(int m) const {
        while (p.memories[m].alias >= 0) m = p.memories[m].alias;
        return m;
    }
    constexpr void note(int step, int at) {
        const step_data& s = p.steps[step];
        if (s.memory >= 0) {
            span& u = used[owner(s.memory)];
            if (u.first < 0) u.first = at;
            u.last = at;
        }
        if (s.kind == step_kind::loop)
            for (int k = 0; k < p.loops[s.loop].count; ++k) note(p.loops[s.loop].first + k, at);
    }
    constexpr bool same_room(const memory_data& a, const memory_data& b) const {
        bool same = a.dt == b.dt && a.rank == b.rank && a.shared == b.shared;
        for (int k = 0; k < a.rank && same; ++k) same = a.ext[k] == b.ext[k];
        return same;
    }
    constexpr void run() {
        if (!p.calls.empty()) return;  // a call's memory is read by plans of its own
        for (int m = 0; m < p.memories.size(); ++m) {
            memory_data& d = p.memories[m];
            if (d.kind != memory_kind::temporary || d.alias >= 0 || d.zeroed || used[m].first < 0) continue;
            for (int q = 0; q < m; ++q) {
                if (p.memories[q].kind != memory_kind::temporary || p.memories[q].alias >= 0 || p.memories[q].room >= 0) continue;
                if (used[q].first < 0 || used[q].last >= used[m].first || !same_room(d, p.memories[q])) continue;
                d.room = q;
                used[q].last = used[m].last;
                break;
            }
        }
    }
};

constexpr void share_rooms(plan& p) { room_sharing(p).run(); }

}  // namespace cotan::bits
