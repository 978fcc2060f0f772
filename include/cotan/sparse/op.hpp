#pragma once

#include <cotan/cotan.hpp>

// The two operations that know that a matrix is sparse. Its stored elements are a value with two axes, the rows and the elements of a row, of which the
// second has another length in each row; so products are ordinary products and sums over it, and loops over rows and elements fuse like any others.
// Parameters of both: the axis that places index, and 1 where the axis before it is the rows' own.
namespace cotan::bits {

struct sparse_scatter_;

constexpr int sparse_scatter(graph& g, int v, int places, view<int> p, int ty);

/// Elements at places: out(.., i, j, ..) is x(.., places(i, j), ..), or x(.., i, places(i, j), ..) where rows are aligned.
struct sparse_gather_ {
    static constexpr auto name = "sparse_gather";
    static constexpr auto cls = op_class::gather;
    static constexpr int arity = 2;
    static constexpr int cost = 2;
    static constexpr int infer(graph& g, const op_info&, view<int> tys, view<int> p) {
        const type_data x = g.types[tys[0]], at = g.types[tys[1]];
        const int first = p[0] - p[1];
        type_data r;
        r.dt = x.dt;
        for (int k = 0; k < first; ++k) r.ext[r.rank++] = x.ext[k];
        for (int k = 0; k < 2; ++k) r.ext[r.rank++] = at.ext[k];
        for (int k = p[0] + 1; k < x.rank; ++k) r.ext[r.rank++] = x.ext[k];
        return g.intern(r);
    }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts; }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        const int p[] = {c.param(0), c.param(1)};
        const int full = fitted(g, c.cotangent, g.with_dtype(g.nodes[c.node].ty, g.dtype_of(c.cotangent)));
        c.give(0, sym{c.g, sparse_scatter(g, full, c.x(1).id, view<int>{p, 2}, g.nodes[c.x(0).id].ty)});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int p[] = {c.param(0) + c.batch, c.param(1)};
        const int t = c.batch ? c.tangents[0] : fitted(g, c.tangents[0], g.nodes[c.x(0).id].ty), operands[] = {t, c.x(1).id};
        c.result = g.make(info<sparse_gather_>, view<int>{operands, 2}, view<int>{p, 2});
    }
};

/// Elements added up at places: the transpose of the gather.
struct sparse_scatter_ {
    static constexpr auto name = "sparse_scatter";
    static constexpr auto cls = op_class::scatter;
    static constexpr int arity = 2;
    static constexpr bool explicit_type = true;
    static constexpr int build(graph& g, view<int> a, view<int> p, int ty) { return g.finish(info<sparse_scatter_>, a, p, ty); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & is_nonnegative; }
    static constexpr void pullback(pull_context& c) {
        if (!c.wanted(0)) return;
        graph& g = *c.g;
        const int p[] = {c.param(0), c.param(1)};
        const int full = fitted(g, c.cotangent, g.with_dtype(g.nodes[c.node].ty, g.dtype_of(c.cotangent))), operands[] = {full, c.x(1).id};
        c.give(0, sym{c.g, g.make(info<sparse_gather_>, view<int>{operands, 2}, view<int>{p, 2})});
    }
    static constexpr void pushforward(push_context& c) {
        graph& g = *c.g;
        const int p[] = {c.param(0) + c.batch, c.param(1)};
        type_data t = g.type_of(c.node);
        if (c.batch) {
            const type_data in = g.type_of(c.tangents[0]);
            for (int k = t.rank - 1; k >= 0; --k) t.ext[k + c.batch] = t.ext[k];
            for (int k = 0; k < c.batch; ++k) t.ext[k] = in.ext[k];
            t.rank += c.batch;
        }
        const int v = c.batch ? c.tangents[0] : fitted(g, c.tangents[0], g.nodes[c.x(0).id].ty);
        c.result = sparse_scatter(g, v, c.x(1).id, view<int>{p, 2}, g.intern(t));
    }
};

constexpr int sparse_scatter(graph& g, int v, int places, view<int> p, int ty) {
    const int operands[] = {v, places};
    return g.finish(info<sparse_scatter_>, view<int>{operands, 2}, p, ty);
}

}  // namespace cotan::bits
