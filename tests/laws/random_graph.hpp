#pragma once

#include "laws/differences.hpp"

#include <optional>

// Graphs made by chance, with values that stay of moderate size.

namespace reference {

using bits::graph, bits::vec, bits::view, bits::type_data, bits::item;

/// A graph in words, to see what failed.
inline std::string text_of(const graph& g, view<int> roots, const environment& env, bool with_numbers = true) {
    std::string s;
    const auto live = bits::reachable(g, roots);
    for (int id = 0; id < live.size(); ++id) {
        if (!live[id]) continue;
        s += "  %" + std::to_string(id) + " = " + std::string(g.op(id).name);
        if (g.is(id, bits::input_info)) s += " " + std::string(g.extents[g.param(id, 0)].name);
        else if (g.is(id, bits::literal_info)) s += " " + std::to_string(bits::real_value(g, id));
        else {
            s += "(";
            for (int a : g.args(id)) s += " %" + std::to_string(a);
            s += " )";
            if (g.nodes[id].nparams) {
                s += " [";
                for (int q : g.params(id))
                    s += " " + (q == bits::slice_none ? std::string("none") : q == bits::slice_end ? std::string("end") : std::to_string(q));
                s += " ]";
            }
        }
        s += " : " + std::string(cotan::name_of(g.dtype_of(id)));
        for (int k = 0; k < g.rank(id); ++k) {
            const auto& e = g.extents[g.type_of(id).ext[k]];
            s += " " + (e.kind == bits::extent_kind::named ? std::string(e.name) + "=" : std::string()) + std::to_string(evaluator(g, env).size_of(g.type_of(id).ext[k]));
        }
        s += "\n";
    }
    for (const auto& [name, a] : env.inputs) {
        if (!with_numbers || a.v.size() > 12) continue;
        s += "  " + name + " =";
        for (double v : a.v) s += " " + std::to_string(v);
        s += "\n";
    }
    return s;
}

struct random_graph {
    graph g;
    environment env;
    std::mt19937 random;
    std::vector<int> inputs, reals, truths;
    std::map<int, array> values;
    bool smooth;  // no operation whose value may jump

    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
    template <class T> T pick(const std::vector<T>& v) { return v[static_cast<std::size_t>(below(static_cast<int>(v.size())))]; }

    random_graph(unsigned seed, int operations, std::vector<int> lengths = {0, 1, 2, 3, 5, 9}) : random(seed), smooth(seed % 2 == 0) {
        for (const char* e : {"n", "k", "m"}) env.sizes[e] = pick(lengths);
        const std::vector<std::vector<const char*>> shapes{{}, {"n"}, {"k"}, {"n", "k"}, {"k", "n"}, {"n", "n"}, {"n", "1"}, {"1", "k"}, {"3"}, {"m", "n", "k"}, {"3", "n"}, {"1"}};
        const int count = 1 + below(3);
        for (int i = 0; i < count; ++i) {
            type_data t;
            for (const char* e : pick(shapes)) t.ext[t.rank++] = std::isdigit(*e) ? g.fixed(*e - '0') : g.named(e);
            const std::string name(1, static_cast<char>('a' + i));
            const int id = tensor_node(g, name, g.intern(t));
            array a = filled(evaluator(g, env).shape_of(id), 0);
            for (double& v : a.v) v = std::uniform_real_distribution<>(-2, 2)(random);
            env.inputs[name] = a;
            inputs.push_back(id);
            keep(id);
        }
        for (int made = 0, tries = 0; made < operations && tries < 40 * operations; ++tries) {
            const std::size_t before = reals.size() + truths.size();
            g.error = bits::fault::none;
            keep(candidate());
            made += reals.size() + truths.size() > before;
        }
    }
    random_graph(const random_graph&) = delete;

    bool has_empty_axis() const {
        for (const auto& [name, n] : env.sizes)
            if (n == 0) return true;
        return false;
    }
    /// Takes a node among those to go on with, if its values are numbers of moderate size.
    void keep(int id) {
        if (id < 0 || values.count(id) || is_weak(g.dtype_of(id))) return;
        if (g.rank(id) > 4) return;
        array a = evaluator(g, env)(id);
        if (a.v.size() > 800) return;
        for (double v : a.v)
            if (!(std::fabs(v) < 300)) return;
        values[id] = a;
        (g.dtype_of(id) == dtype::boolean ? truths : reals).push_back(id);
    }
    /// Whether every value of a node is at least this.
    bool above(int id, double least) {
        for (double v : values.at(id).v)
            if (!(v > least)) return false;
        return true;
    }
    bool empty(int id) { return values.at(id).v.empty(); }
    template <class Op> int make(view<int> a, view<int> p = {}) { return g.make(bits::op_data<Op>, a, p); }
    template <class Op> int make(int a) { return g.make(bits::op_data<Op>, a); }
    template <class Op> int make(int a, int b) { return g.make(bits::op_data<Op>, a, b); }

    int literal() { return g.literal(pick(std::vector<double>{-1, 1, 2, 0.5, -0.25, 0, 3}), pick(std::vector<dtype>{dtype::weak_real, dtype::weak_integer, dtype::float64})); }
    int real() { return pick(reals); }
    int recent() { return reals[reals.size() - 1 - static_cast<std::size_t>(below(std::min<int>(3, static_cast<int>(reals.size()))))]; }

    int candidate() {
        using namespace bits;
        const int x = below(2) ? recent() : real(), y = below(5) ? real() : literal();
        switch (below(smooth ? 17 : 20)) {
            case 0: case 1: return unary(x);
            case 2: case 3: return make<add_>(x, y);
            case 4: return make<subtract_>(x, y);
            case 5: case 6: return make<multiply_>(x, y);
            case 7: return values.count(y) && (above(y, 0.2)) ? make<divide_>(x, y) : values.count(y) ? make<divide_>(x, make<softplus_>(y)) : -1;
            case 8: return binary(x, y);
            case 9: case 10: return reduce(x);
            case 11: return index(x);
            case 12: return transpose(x);
            case 13: return below(2) ? reshape(x) : stretch(x);
            case 14: return running(x, y);
            case 15: return values.count(y) ? make<dot_>(x, y) : -1;
            case 16: return logarithm(x, y);
            case 17: {
                if (!values.count(y)) return -1;
                return below(2) ? make<less_>(x, y) : make<less_equal_>(y, x);
            }
            case 18: {
                if (truths.empty()) return -1;
                const int three[] = {pick(truths), x, y};
                return make<where_>(view<int>{three, 3});
            }
            default: {
                if (truths.empty()) return -1;
                const int t = pick(truths), u = pick(truths);
                switch (below(5)) {
                    case 0: return make<logical_and_>(t, u);
                    case 1: return make<logical_or_>(t, u);
                    case 2: return make<logical_not_>(t);
                    case 3: return g.cast(t, dtype::float64);
                    default: return make<multiply_>(t, x);
                }
            }
        }
    }
    int unary(int x) {
        using namespace bits;
        switch (below(smooth ? 20 : 23)) {
            case 0: return make<tanh_>(x);
            case 1: return make<sin_>(x);
            case 2: return make<cos_>(x);
            case 3: case 4: return make<sigmoid_>(x);
            case 5: return make<softplus_>(x);
            case 6: case 7: return make<square_>(x);
            case 8: case 9: return make<exp_>(x);
            case 10: return above(x, 0.1) ? make<log_>(x) : -1;
            case 11: return above(x, 0.1) ? make<sqrt_>(x) : -1;
            case 12: return above(x, 0.1) ? make<reciprocal_>(x) : -1;
            case 13: return make<negate_>(x);
            case 14: return above(x, -0.9) ? make<log1p_>(x) : -1;
            case 15: return make<expm1_>(x);
            case 16: return make<erf_>(x);
            case 17: return make<atan_>(x);
            case 18: return make<asinh_>(x);
            case 19: return make<pow_>(x, g.literal(pick(std::vector<double>{2, 3, 4, 1, 0}), dtype::weak_integer));
            case 20: return make<abs_>(x);
            case 21: return make<floor_>(x);
            default: return make<sign_>(x);
        }
    }
    int binary(int x, int y) {
        using namespace bits;
        if (!values.count(y)) return -1;
        switch (below(smooth ? 3 : 7)) {
            case 0: return make<logaddexp_>(x, y);
            case 1: return above(x, 0.2) ? make<pow_>(x, y) : -1;
            case 2: return above(y, 0.2) ? make<xlogy_>(x, y) : -1;
            case 3: return make<maximum_>(x, y);
            case 4: return make<minimum_>(x, y);
            case 5: return make<hypot_>(x, y);
            default: {
                const int three[] = {x, g.literal(-1, dtype::weak_integer), g.literal(1, dtype::weak_integer)};
                return make<clip_>(view<int>{three, 3});
            }
        }
    }
    /// What the rules look for.
    int logarithm(int x, int y) {
        using namespace bits;
        const int one = g.literal(1, dtype::weak_integer), e = make<exp_>(x);
        switch (below(8)) {
            case 0: return make<log_>(make<add_>(one, e));
            case 1: return make<divide_>(one, make<add_>(one, make<exp_>(make<negate_>(x))));
            case 2: return make<log_>(reduced<sum_>(e));
            case 3: return empty(x) ? -1 : make<divide_>(e, kept(reduced<sum_>(e)));
            case 4: return empty(x) ? -1 : make<log_>(make<divide_>(e, kept(reduced<sum_>(e))));
            case 5: return values.count(y) ? make<log_>(make<add_>(e, make<exp_>(y))) : -1;
            case 6: return make<subtract_>(e, one);
            default: return make<sqrt_>(reduced<sum_>(make<add_>(make<square_>(x), g.literal(0.1, dtype::float64))));
        }
    }
    int last_mask = 0, last_rank = 0;
    template <class Op> int reduced(int x) {
        const int rank = g.rank(x);
        if constexpr (requires { Op::needs_elements; })  // a fixed extent of 0 has no maximum
            if (bits::folds_nothing(g, x, (1 << rank) - 1)) return -1;
        int mask = below(3) ? (1 << rank) - 1 : rank ? 1 << below(rank) : 0;
        if (below(6) == 0) mask = below(1 << rank);
        last_mask = mask;
        last_rank = rank;
        return make<Op>(view<int>{&x, 1}, view<int>{&mask, 1});
    }
    int kept(int r) { return r < 0 || last_mask == 0 ? r : bits::keep_axes(g, r, last_mask, last_rank); }
    int reduce(int x) {
        using namespace bits;
        int r = -1;
        switch (below(smooth ? 8 : 11)) {
            case 0: case 1: case 2: r = reduced<sum_>(x); break;
            case 3: r = reduced<mean_>(x); break;
            case 4: r = reduced<logsumexp_>(x); break;
            case 5: r = reduced<prod_>(x); break;
            case 6: r = reduced<var_<0>>(x); break;
            case 7: r = above(x, 0.1) || !smooth ? reduced<norm_>(x) : -1; break;
            case 8: r = reduced<max_>(x); break;
            case 9: r = reduced<min_>(x); break;
            default: r = truths.empty() ? -1 : reduced<sum_>(pick(truths));
        }
        return below(3) ? r : kept(r);
    }
    int index(int x) {
        using namespace bits;
        vec<int> p;
        const auto push = [&](item kind, int a, int b, int c) {
            p.push(static_cast<int>(kind));
            p.push(a);
            p.push(b);
            p.push(c);
        };
        const type_data t = g.type_of(x);
        for (int k = 0; k < t.rank; ++k) {
            const int n = evaluator(g, env).size_of(t.ext[k]);
            if (below(4) == 0) push(item::newaxis, 0, 0, 0);
            switch (below(6)) {
                case 0:
                    if (n == 0) push(item::all, 0, 0, 0);
                    else push(item::integer, below(2 * n) - n, 0, 0);
                    break;
                case 1: push(item::slice, below(3) ? below(n + 1) : slice_none, below(2) ? slice_end : slice_none, 1 + below(3)); break;
                case 2: push(item::slice, slice_none, slice_none, -1 - below(2)); break;
                case 3: {
                    if (n < 2) return -1;
                    const int a = below(n), b = below(n);
                    if (below(2)) push(item::slice, std::min(a, b), std::max(a, b), 1);
                    else push(item::slice, std::min(a, b) - n, std::max(a, b) - n, 1);
                    break;
                }
                case 4:
                    if (n < 2) return -1;
                    push(item::slice, 1, -1, 1);
                    break;
                default: push(item::all, 0, 0, 0);
            }
        }
        if (below(4) == 0) push(item::newaxis, 0, 0, 0);
        if (p.empty()) return -1;
        return make<index_>(view<int>{&x, 1}, view<int>{p.data(), p.size()});
    }
    int transpose(int x) {
        const int rank = g.rank(x);
        std::vector<int> p(static_cast<std::size_t>(rank));
        for (int k = 0; k < rank; ++k) p[static_cast<std::size_t>(k)] = k;
        std::shuffle(p.begin(), p.end(), random);
        return make<bits::transpose_>(view<int>{&x, 1}, view<int>{p.data(), below(2) ? rank : 0});
    }
    int reshape(int x) {
        const type_data t = g.type_of(x);
        if (below(2)) return make<bits::flatten_>(x);
        type_data to = t;
        for (int k = 0; k + 1 < t.rank; ++k) to.ext[k] = t.ext[k + 1];
        if (t.rank) to.ext[t.rank - 1] = t.ext[0];
        return bits::reshape_::to(g, x, g.intern(to));
    }
    int stretch(int x) {
        const int tys[] = {g.nodes[x].ty, g.nodes[real()].ty};
        const int ty = g.broadcast(bits::op_data<bits::add_>, view<int>{tys, 2}, g.dtype_of(x));
        return ty < 0 ? -1 : bits::fitted(g, x, ty);
    }
    int running(int x, int y) {
        const int rank = g.rank(x);
        if (rank == 0) return -1;
        const int p[] = {below(rank), below(2), below(2)};
        switch (below(3)) {
            case 0: return make<bits::cumsum_>(view<int>{&x, 1}, view<int>{p, 3});
            case 1: return make<bits::cumprod_>(view<int>{&x, 1}, view<int>{p, 3});
            default: {
                const int both[] = {x, y};
                return make<bits::recurrence_>(view<int>{both, 2}, view<int>{p, 3});
            }
        }
    }
};

}  // namespace reference
