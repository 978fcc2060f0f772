#pragma once

#include <cotan/run/function.hpp>
#include <cotan/show/notation.hpp>

namespace cotan::bits {

/// A node lowered as it was written: a difference stays one, a product of matrices too.
template <class N>
struct as_written {
    enum : unsigned { hash = N::hash };
    static constexpr int build(lowering& l) { return N::build(l); }
};
template <class Op, class P, class Ty, class... K>
struct as_written<node<Op, P, Ty, K...>> {
    enum : unsigned { hash = node<Op, P, Ty, K...>::hash };
    static int build(lowering& l) {
        const int ids[] = {l.find(visitor{as_written<K>::hash, &as_written<K>::build})..., 0};
        const visitor operands[] = {visitor{as_written<K>::hash, &as_written<K>::build}..., visitor{}};
        bool missing = false;
        for (std::size_t i = sizeof...(K); i-- > 0;) {  // the first operand is visited first
            if (ids[i] >= 0) continue;
            missing = true;
            l.stack.push(operands[i]);
        }
        if (missing) return -2;
        return l.g->raw(info<Op>, view<int>{ids, sizeof...(K)}, view<int>{P::values, P::size}, Ty::lower(*l.g));
    }
};

/// A graph as written, and its roots.
struct written_graph {
    graph g;
    vec<int> roots;
};
template <class... N>
written_graph write_down(type_list<N...>) {
    written_graph w;
    lowering l(w.g);
    (w.roots.push(l.template operator()<as_written<N>>()), ...);
    return w;
}

/// A function compiled once more, at run time, to be looked at.
struct looked_at {
    stages s;
    planner p;
    template <class... In, class... Out>
    looked_at(type_list<In...> in, type_list<Out...> out) : s(stages_of(in, out)), p(s.kernel, s.inputs, s.roots, &s.calls) {
        (void)p.run();
        share_rooms(p.p);
    }
    looked_at(const looked_at&) = delete;
    template <class... In, class... Out>
    static stages stages_of(type_list<In...> in, type_list<Out...> out) {
        stages s;
        s.lower(in, out);
        s.rewrite();
        return s;
    }
    std::string input(int i) const { return s.source.extents[s.source.param(s.given[i], 0)].name; }
};

}  // namespace cotan::bits
