#pragma once

#include <cotan/diff/differentiate.hpp>

namespace cotan::bits {

/// Puts what derivative rules compute anyway in the place of the primals for which they gave it (rewriter::better). A better primal stands above the
/// uses of the old one, so the users are made again, each after its operands.
constexpr vec<int> replace_primals(rewriter& g, view<int> roots) {
    const int count = g.nodes.size();
    vec<int> at(count, -1), other(count, -1), stack, result;
    vec<unsigned char> begun(count, 0);
    for (int i = 0; i < g.better.size(); i += 2)
        if (other[g.better[i]] < 0) other[g.better[i]] = g.better[i + 1];
    for (int r : roots) {
        stack.push(r);
        while (!stack.empty()) {
            const int id = stack.back();
            if (at[id] >= 0) {
                (void)stack.pop();
                continue;
            }
            if (other[id] >= 0) {
                const int b = other[id];
                if (at[b] < 0 && begun[id]) other[id] = -1;  // it is made of what it would replace
                else if (at[b] < 0) {
                    begun[id] = 1;
                    stack.push(b);
                } else {
                    at[id] = fitted(g, at[b], g.nodes[id].ty);
                    (void)stack.pop();
                }
                continue;
            }
            bool ready = true, same = true;
            const vec<int> args = rewriter::copy(g.args(id)), params = rewriter::copy(g.params(id));
            vec<int> a;
            for (int x : args) {
                if (at[x] < 0) {
                    stack.push(x);
                    ready = false;
                } else {
                    a.push(at[x]);
                    same = same && at[x] == x;
                }
            }
            if (!ready) continue;
            at[id] = same ? id : g.finish(g.op(id), view<int>{a.data(), a.size()}, view<int>{params.data(), params.size()}, g.nodes[id].ty);
            (void)stack.pop();
        }
        result.push(at[r]);
    }
    return result;
}

}  // namespace cotan::bits
