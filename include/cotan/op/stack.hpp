#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/iota.hpp>
#include <cotan/op/where.hpp>

namespace cotan {

namespace bits {

/// stack(x, y, ...): expressions of one shape along a new first axis. It is written with where over the positions of that axis: nothing is copied.
struct stack_ {
    static constexpr auto name = "stack";
    static constexpr auto cls = op_class::composite;
    static constexpr int arity = -1;
    static constexpr int desugar(graph& g, view<int> a, view<int>) {
        int rank = 0;
        for (int x : a) rank = g.rank(x) > rank ? g.rank(x) : rank;
        const int count = a.size();
        const vec<int> items = scatter_::copy_of(a);
        const int place = positions(g, g.fixed(count), dtype::int64, rank);
        int r = -1;
        for (int k = count - 1; k >= 0; --k) {
            vec<int> q;
            for (int i = 0; i < rank + 1; ++i) push_item(q, i < rank + 1 - g.rank(items[k]) ? item::newaxis : item::all);
            const int x = insert_axes(g, items[k], view<int>{q.data(), q.size()});
            if (r < 0) {
                r = x;
                if (count == 1) return r;
                continue;
            }
            const int three[] = {g.make(info<equal_>, place, g.literal(k, dtype::int64)), x, r};
            r = g.make(info<where_>, view<int>{three, 3});
        }
        return r;
    }
};

}  // namespace bits

/// x, y, ... along a new first axis. They have one shape; dtypes are promoted.
template <operand... A> constexpr auto stack(A... x) { return bits::apply<bits::stack_>(x...); }

}  // namespace cotan

#endif
