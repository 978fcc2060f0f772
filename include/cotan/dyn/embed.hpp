#pragma once

#include <cotan/dyn/compile.hpp>
#include <cotan/run/function.hpp>

namespace cotan::dyn {

/// A compiled typed function that takes expressions of the runtime graph: its graph stands in theirs, with the arguments in the places of the inputs.
template <class F>
class embedded {
public:
    /// The results, in the function's order. Throws where an argument has another dtype or number of axes than its input, or extents that do not fit.
    template <class... E>
        requires(sizeof...(E) == F::arity && (std::is_convertible_v<E, expr> && ...))
    std::vector<expr> operator()(const E&... arguments) const {
        using namespace bits;
        graph written;
        std::vector<int> in, asked;
        lower(written, in, asked, typename F::F::In{}, typename F::F::Out{});
        // derivatives are taken first: they are by the function's inputs, and not by what their arguments have in common
        open_rewriter from;
        from.types = written.types;
        from.extents = written.extents;
        const vec<int> out = expand_into(from, written, view<int>{asked.data(), static_cast<int>(asked.size())});
        for (int& i : in) {
            const int name = written.param(i, 0);
            i = from.raw(input_info, {}, view<int>{&name, 1}, written.nodes[i].ty);
        }
        const expr given[] = {expr(arguments)...};
        const expr* list[F::arity + 1] = {};
        for (std::size_t i = 0; i < F::arity; ++i) list[i] = &given[i];
        int ids[F::arity + 1] = {};
        const auto home = together(view<const expr*>{list, static_cast<int>(F::arity)}, ids);
        open_graph& g = home->g;
        std::vector<int> extent(static_cast<std::size_t>(from.extents.size()), -1), where(static_cast<std::size_t>(from.nodes.size()), -1);
        vec<open_graph::joint> joints;
        for (std::size_t i = 0; i < F::arity; ++i) {
            const type_data want = from.type_of(in[i]);
            if (is_weak(g.dtype_of(ids[i]))) ids[i] = g.cast(ids[i], want.dt);
            const type_data got = g.type_of(ids[i]);
            const auto refuse = [&] {
                g.pending.clear();
                throw shape_error("cotan: an embedded function: input " + std::string(from.extents[from.param(in[i], 0)].name) + ": expected " + words_of_type(from, from.nodes[in[i]].ty) + ", got " +
                                  words_of_node(g, ids[i]));
            };
            if (got.dt != want.dt || got.rank != want.rank) refuse();
            for (int k = 0; k < want.rank; ++k) {
                const auto e = static_cast<std::size_t>(want.ext[k]);
                if (extent[e] < 0 && from.extents[want.ext[k]].kind == extent_kind::named) extent[e] = got.ext[k];
                const int must = extent[e] >= 0 ? extent[e] : g.intern(from.extents[want.ext[k]]);
                if (must != got.ext[k] && !g.meets(must, got.ext[k])) refuse();
            }
            where[static_cast<std::size_t>(in[i])] = ids[i];
        }
        joints = g.pending;
        g.pending.clear();
        type_mover types(from, g);
        for (int e = 0; e < from.extents.size(); ++e) {
            const int x = extent[static_cast<std::size_t>(e)];
            if (x >= 0) types.extents.push(x);
            else (void)types.extent(e);
        }
        runtime_compiler::remake(from, g, reachable(from, view<int>{out.data(), out.size()}), where, types);
        std::vector<expr> r;
        for (int o : out) {
            g.pending = joints;
            g.join(where[static_cast<std::size_t>(o)], 0);
            r.emplace_back(home, where[static_cast<std::size_t>(o)]);
        }
        return r;
    }

private:
    template <class... I, class... O>
    static void lower(bits::graph& g, std::vector<int>& in, std::vector<int>& out, bits::type_list<I...>, bits::type_list<O...>) {
        bits::lowering l(g);
        (in.push_back(l.template operator()<I>()), ...);
        (out.push_back(l.template operator()<O>()), ...);
    }
};

/// A compiled typed function for use in runtime graphs: embed(f)(x, y) are its results as expressions.
template <class F>
embedded<F> embed(compiled_function<F>) {
    static_assert(F::shared::size == 0, "cotan: a function with shared variables cannot be embedded: they live in a prepared run");
    return {};
}

}  // namespace cotan::dyn
