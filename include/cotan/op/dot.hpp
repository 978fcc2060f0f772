#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/sum.hpp>

namespace cotan {

namespace bits {

/// dot(a, b): sums over the last axis of a and the first of b (the last but one where b has more axes). Leading axes of operands with more than two
/// are batches, as in matmul. The plan runs it as a fused sum of products.
struct dot_ {
    static constexpr auto name = "dot";
    static constexpr auto cls = op_class::composite;
    static constexpr int arity = 2;
    static constexpr int infer(graph& g, const op_info& op, view<int> tys, view<int>) {
        const type_data a = g.types[tys[0]], b = g.types[tys[1]];
        if (a.rank == 0 || b.rank == 0) return g.fail(fault::dot_ranks, op);
        const int inner_a = a.ext[a.rank - 1], inner_b = b.ext[b.rank == 1 ? 0 : b.rank - 2];
        if (inner_a != inner_b && !g.meets(inner_a, inner_b)) return g.fail(fault::dot_extents, op);
        dtype d = settled(promote(a.dt, b.dt));
        if (d == dtype::boolean) return g.fail(fault::not_number, op);
        type_data r;
        r.dt = d;
        const int batch_a = a.rank > 2 ? a.rank - 2 : 0, batch_b = b.rank > 2 ? b.rank - 2 : 0;
        const int batch = batch_a > batch_b ? batch_a : batch_b;
        for (int k = 0; k < batch; ++k) {
            const int ka = k - (batch - batch_a), kb = k - (batch - batch_b);
            const int ea = ka >= 0 ? a.ext[ka] : -1, eb = kb >= 0 ? b.ext[kb] : -1;
            int e = ea < 0 ? eb : ea;
            if (ea >= 0 && eb >= 0 && ea != eb) {
                if (g.is_one(ea)) e = eb;
                else if (!g.is_one(eb) && !g.meets(ea, eb)) return g.fail(fault::extents_differ, op);
            }
            r.ext[r.rank++] = e;
        }
        if (a.rank >= 2) r.ext[r.rank++] = a.ext[a.rank - 2];
        if (b.rank >= 2) r.ext[r.rank++] = b.ext[b.rank - 1];
        return g.intern(r);
    }
    /// The product as a sum: a(..., i, k, 1) * b(..., 1, k, j) over k.
    static constexpr int desugar(graph& g, view<int> x, view<int>) {
        if (g.untyped) return g.raw(info<dot_>, x, {}, 0);
        const int tys[] = {g.nodes[x[0]].ty, g.nodes[x[1]].ty};
        const int ty = infer(g, info<dot_>, view<int>{tys, 2}, {});
        if (ty < 0) return -1;
        const int ra = g.rank(x[0]), rb = g.rank(x[1]);
        int a = x[0], b = x[1];
        if (rb >= 2) a = keep_axes(g, a, 1 << ra, ra + 1);                      // (..., i, k, 1)
        if (ra >= 2 && rb >= 2) b = keep_axes(g, b, 1 << (rb - 2), rb + 1);     // (..., 1, k, j)
        const int product = g.make(info<multiply_>, a, b);
        const int rank = g.rank(product), over = rb >= 2 ? rank - 2 : rank - 1;
        const int mask = 1 << over;
        return fitted(g, g.make(info<sum_>, view<int>{&product, 1}, view<int>{&mask, 1}), ty);
    }
};

}  // namespace bits

/// The product of vectors, matrices, and batches of them.
template <operand A, operand B> constexpr auto dot(A a, B b) { return bits::apply<bits::dot_>(a, b); }

}  // namespace cotan

#endif
