#include "laws/differences.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <set>

using namespace cotan;
using namespace cotan::bits;
using reference::array, reference::evaluator;

// Laws of derivatives, for each operation of the catalogue: the pushforward is what finite differences say, the pullback is its transpose, and the
// pushforward of the gradient is what finite differences of the gradient say.

namespace {

struct operand_row {
    std::vector<std::string> extents;  // a name or a number
    double low = -2, high = 2;
    dtype type = dtype::float64;
};
/// One operation: how it is applied, and where.
struct row {
    const op_info* op;
    std::vector<operand_row> operands;
    std::vector<int> params;
    double tolerance = 1e-9;
    std::function<int(graph&, view<int>)> build;  // where the operation's function is not make(op, operands, params)
};

const std::map<std::string, int> sizes{{"n", 5}, {"k", 3}, {"m", 2}};

int type_of(graph& g, const operand_row& o) {
    type_data t;
    t.dt = o.type;
    for (const std::string& e : o.extents) t.ext[t.rank++] = std::isdigit(e[0]) ? g.fixed(std::stoi(e)) : g.named(e);
    return g.intern(t);
}

template <class Op> row on(double low, double high, double tolerance = 1e-9) {
    return {&op_data<Op>, std::vector<operand_row>(Op::arity < 0 ? 3u : static_cast<unsigned>(Op::arity), operand_row{{"n"}, low, high}), {}, tolerance, {}};
}
template <class Op> row with(std::vector<operand_row> operands, std::vector<int> params = {}, double tolerance = 1e-9) {
    return {&op_data<Op>, std::move(operands), std::move(params), tolerance, {}};
}
operand_row matrix(double low = -2, double high = 2) { return {{"n", "k"}, low, high}; }
operand_row integers(double low, double high) { return {{"n"}, low, high, dtype::int64}; }
operand_row truth() { return {{"n"}, 0, 2, dtype::boolean}; }

std::vector<row> table() {
    const auto I = [](item i) { return static_cast<int>(i); };
    return {
        on<add_>(-2, 2),
        with<add_>({{{"n", "k"}}, {{"k"}}, {{"n", "1"}}, {{}}}),
        on<subtract_>(-2, 2),
        on<multiply_>(-2, 2),
        with<multiply_>({{{"n", "k"}}, {{"k"}}, {{"n", "1"}}, {{}}}),
        on<divide_>(0.5, 3),
        with<divide_>({{{"n", "k"}}, {{"k"}, 0.5, 2}}),
        on<negate_>(-2, 2),
        on<square_>(-2, 2),
        on<reciprocal_>(0.5, 3),
        on<sqrt_>(0.5, 4),
        on<cbrt_>(0.5, 4),
        on<hypot_>(-2, -0.5),
        on<pow_>(0.5, 3),
        on<abs_>(-3, 3),
        on<sign_>(-3, 3),
        on<exp_>(-3, 3),
        on<exp2_>(-3, 3),
        on<expm1_>(-3, 3),
        on<log_>(0.5, 5),
        on<log2_>(0.5, 5),
        on<log10_>(0.5, 5),
        on<log1p_>(-0.5, 5),
        on<xlogy_>(0.5, 3),
        on<xlog1py_>(0.5, 3),
        on<sigmoid_>(-4, 4),
        on<softplus_>(-4, 4),
        on<logit_>(0.2, 0.8),
        on<logaddexp_>(-3, 3),
        on<log1mexp_>(-4, -0.5),
        on<sin_>(-4, 4),
        on<cos_>(-4, 4),
        on<tan_>(-1, 1),
        on<asin_>(-0.8, 0.8),
        on<acos_>(-0.8, 0.8),
        on<atan_>(-3, 3),
        on<atan2_>(0.5, 3),
        on<sinc_>(-1.7, 1.7),
        on<sinh_>(-2, 2),
        on<cosh_>(-2, 2),
        on<tanh_>(-2, 2),
        on<asinh_>(-3, 3),
        on<acosh_>(1.5, 4),
        on<atanh_>(-0.8, 0.8),
        on<erf_>(-2, 2),
        on<erfc_>(-2, 3),
        on<erfcx_>(-1, 3),
        on<log_erfc_>(-2, 4),
        on<lgamma_>(0.6, 5),
        on<digamma_>(0.6, 5),
        on<trigamma_>(0.6, 5),
        with<polygamma_>({integers(0, 4), {{"n"}, 0.7, 5}}),
        with<gammainc_>({{{"n"}, 0.7, 5}, {{"n"}, 0.7, 6}}),
        with<gammaincc_>({{{"n"}, 0.7, 5}, {{"n"}, 0.7, 6}}),
        with<betainc_>({{{"n"}, 1.2, 4}, {{"n"}, 1.2, 4}, {{"n"}, 0.15, 0.85}}),
        on<floor_>(-3, 3),
        on<ceil_>(-3, 3),
        on<trunc_>(-3, 3),
        on<round_>(-3, 3),
        on<rint_>(-3, 3),
        on<maximum_>(-3, 3),
        on<minimum_>(-3, 3),
        on<clip_>(-3, 3),
        on<less_>(-3, 3),
        on<less_equal_>(-3, 3),
        on<equal_>(-3, 3),
        on<not_equal_>(-3, 3),
        on<isnan_>(-3, 3),
        on<isinf_>(-3, 3),
        on<isfinite_>(-3, 3),
        with<logical_and_>({truth(), truth()}),
        with<logical_or_>({truth(), truth()}),
        with<logical_xor_>({truth(), truth()}),
        with<logical_not_>({truth()}),
        with<where_>({truth(), {{"n"}}, {{"n"}}}),
        with<where_>({{{"k"}, 0, 2, dtype::boolean}, {{"n", "1"}}, {{}}}),
        {&op_data<cast_>, {{{"n"}}}, {}, 1e-9, [](graph& g, view<int> x) { return g.cast(g.make(info<square_>, g.cast(g.make(info<exp_>, x[0]), dtype::float64)), dtype::float64); }},
        on<stop_gradient_>(-3, 3),
        on<zero_gradient_>(-3, 3),
        with<grad_clip_>({matrix(), {{"k"}, -200, -100}, {{}, 100, 200}}),  // where nothing is clipped and nothing scaled, they are the identity
        {&op_data<grad_scale_>, {matrix()}, {}, 1e-9, [](graph& g, view<int> x) { return g.make(info<grad_scale_>, x[0], g.literal(1, g.dtype_of(x[0]))); }},
        with<sum_>({matrix()}, {3}),
        with<sum_>({matrix()}, {1}),
        with<sum_>({matrix()}, {2}),
        with<prod_>({matrix(-1.5, 1.5)}, {3}),
        with<prod_>({matrix(-1.5, 1.5)}, {1}),
        with<max_>({matrix()}, {3}),
        with<max_>({matrix()}, {2}),
        with<min_>({matrix()}, {1}),
        with<mean_>({matrix()}, {2}),
        with<var_<0>>({matrix()}, {1}),
        with<var_<0>>({matrix()}, {3}),
        with<stddev_<0>>({matrix()}, {1}),
        with<norm_>({matrix()}, {3}),
        with<norm_>({matrix()}, {2}),
        with<logsumexp_>({matrix()}, {3}),
        with<logsumexp_>({matrix()}, {1}),
        with<any_>({truth()}, {1}),
        with<all_>({truth()}, {1}),
        with<dot_>({{{"n"}}, {{"n"}}}),
        with<dot_>({{{"m", "n"}}, {{"n"}}}),
        with<dot_>({{{"n"}}, {{"n", "k"}}}),
        with<dot_>({{{"m", "n"}}, {{"n", "k"}}}),
        with<dot_>({{{"4", "m", "n"}}, {{"n", "k"}}}),
        with<dot_>({{{"4", "m", "n"}}, {{"1", "n", "k"}}}),
        with<dot_>({{{"m", "n"}}, {{"4", "n", "k"}}}),
        with<dot_>({{{"4", "m", "n"}}, {{"n"}}}),
        with<dot_>({{{"n"}}, {{"4", "n", "k"}}}),
        with<cumsum_>({matrix()}, {0, 0, 0}),
        with<cumsum_>({matrix()}, {1, 1, 1}),
        with<cumprod_>({matrix(-1.5, 1.5)}, {0, 0, 0}),
        with<cumprod_>({matrix(-1.5, 1.5)}, {0, 1, 0}),
        with<cumprod_>({matrix(-1.5, 1.5)}, {1, 0, 1}),
        with<recurrence_>({matrix(), matrix()}, {0, 0, 0}),
        with<recurrence_>({matrix(), matrix()}, {1, 1, 0}),
        with<recurrence_>({matrix(), {{"k"}}}, {0, 0, 1}),
        {&op_data<broadcast_>, {{{"k"}}}, {}, 1e-9, [](graph& g, view<int> x) { return fitted(g, x[0], type_of(g, {{"n", "k"}})); }},
        {&op_data<broadcast_>, {{{"1", "k"}}}, {}, 1e-9, [](graph& g, view<int> x) { return fitted(g, x[0], type_of(g, {{"m", "n", "k"}})); }},
        with<index_>({matrix()}, {I(item::integer), 1, 0, 0}),
        with<index_>({matrix()}, {I(item::all), 0, 0, 0, I(item::newaxis), 0, 0, 0, I(item::integer), -1, 0, 0}),
        with<index_>({matrix()}, {I(item::slice), 1, slice_end, 1}),
        with<index_>({matrix()}, {I(item::slice), slice_none, slice_none, -2, I(item::slice), 0, -1, 1}),
        with<index_>({{{"7"}}}, {I(item::slice), -2, 0, -3}),
        with<transpose_>({matrix()}),
        with<transpose_>({{{"m", "n", "k"}}}, {1, 2, 0}),
        {&op_data<reshape_>, {{{"4", "3"}}}, {}, 1e-9, [](graph& g, view<int> x) { return reshape_::to(g, x[0], type_of(g, {{"2", "6"}})); }},
        with<flatten_>({matrix()}),
    };
}

constexpr char name_of(int i) { return static_cast<char>('a' + i); }

/// An operation in a rewriter, with its operands as inputs of fitting values.
struct example {
    rewriter g;
    reference::environment env;
    vec<int> x;       // the operands
    vec<int> by;      // the real ones among them
    std::vector<std::string> names;  // of those
    int y = -1;

    example(const row& r, std::mt19937& random) {
        env.sizes = sizes;
        for (std::size_t i = 0; i < r.operands.size(); ++i) {
            const operand_row& o = r.operands[i];
            const std::string name(1, name_of(static_cast<int>(i)));
            x.push(reference::tensor_node(g, name, type_of(g, o)));
            if (is_real(o.type)) {
                by.push(x.back());
                names.push_back(name);
            }
            array a = reference::filled(evaluator(g, env).shape_of(x.back()), 0);
            // values that differ from each other and from whole numbers by more than finite differences move them
            std::vector<double> v;
            const int n = static_cast<int>(a.v.size());
            for (int k = 0; k < n; ++k) {
                double e = o.low + (o.high - o.low) * (k + std::uniform_real_distribution<>(0.35, 0.65)(random)) / n;
                if (o.type != dtype::float64) e = std::floor(e);
                else if (std::fabs(e - std::round(e)) < 0.04 || std::fabs(std::fabs(e - std::round(e)) - 0.5) < 0.02) e += 0.07;
                v.push_back(e);
            }
            std::shuffle(v.begin(), v.end(), random);
            a.v = v;
            env.inputs[name] = a;
        }
        y = r.build ? r.build(g, view<int>{x.data(), x.size()}) : g.make(*r.op, view<int>{x.data(), x.size()}, view<int>{r.params.data(), static_cast<int>(r.params.size())});
    }
    example(const example&) = delete;

    /// The value of a node, of a graph with the same inputs, where they are moved by t along their directions.
    array moved(const graph& in, int id, const std::map<std::string, array>& directions, double t) {
        reference::environment there = env;
        for (const auto& [name, d] : directions)
            for (std::size_t i = 0; i < d.v.size(); ++i) there.inputs[name].v[i] += t * d.v[i];
        evaluator value(in, there);
        return value(id);
    }
};

void check_laws(const row& r, std::mt19937& random) {
    example e(r, random);
    rewriter& g = e.g;
    REQUIRE(e.y >= 0);
    REQUIRE(g.error == fault::none);
    evaluator before(g, e.env);
    const array y = before(e.y);
    for (double v : y.v) REQUIRE(std::isfinite(v));

    // tangents, a cotangent, and directions for the second derivative, as inputs
    vec<int> t;
    std::map<std::string, array> directions, seconds;
    const auto add_input = [&](const std::string& name, int ty, const array& like) {
        e.env.inputs[name] = reference::random_like(like, random);
        return reference::tensor_node(g, name, ty);
    };
    for (int i = 0; i < e.by.size(); ++i) {
        const std::string name = e.names[static_cast<std::size_t>(i)];
        t.push(add_input("t" + name, g.nodes[e.by[i]].ty, e.env.inputs[name]));
        directions[name] = e.env.inputs["t" + name];
    }
    const bool real = is_real(g.dtype_of(e.y));
    const int w = add_input("w", g.with_dtype(g.nodes[e.y].ty, dtype::float64), y);
    const view<int> by{e.by.data(), e.by.size()};

    const int Jv = push_forward(g, view<int>{&e.y, 1}, by, view<int>{t.data(), t.size()}, 0)[0];
    const vec<int> Jw = pull_back(g, e.y, w, by);
    if (!real) {
        CHECK(Jv < 0);
        for (int v : Jw) CHECK(v < 0);
        return;
    }

    evaluator value(g, e.env);
    const array forward = reference::value_or_zero(value, Jv, y.shape);
    if (r.op != &op_data<stop_gradient_> && r.op != &op_data<zero_gradient_>) {
        const array want = reference::difference([&](double h) { return e.moved(g, e.y, directions, h); }, 1e-3);
        INFO("pushforward against differences: " << reference::distance(forward, want));
        CHECK(reference::distance(forward, want) < r.tolerance);
    } else for (double v : forward.v) CHECK(v == 0);

    double left = reference::inner(e.env.inputs["w"], forward), right = 0, size = 1;
    vec<int> roots;
    for (int i = 0; i < by.size(); ++i) {
        const std::string name = e.names[static_cast<std::size_t>(i)];
        const array c = reference::value_or_zero(value, Jw[i], e.env.inputs[name].shape);
        right += reference::inner(c, directions[name]);
        for (double v : c.v) size = std::max(size, std::fabs(v));
        if (Jw[i] >= 0) roots.push(Jw[i]);
    }
    INFO("<w, J v> " << left << ", <J' w, v> " << right);
    CHECK(std::fabs(left - right) <= 1e-12 * size * static_cast<double>(y.v.size() + 1));

    // several directions at once, as for a Jacobian: each is what it is alone
    {
        const int batch_extent = g.fixed(2);
        vec<int> many;
        std::vector<std::map<std::string, array>> alone(2);
        for (int i = 0; i < by.size(); ++i) {
            const std::string name = e.names[static_cast<std::size_t>(i)];
            type_data wide = g.type_of(by[i]);
            for (int k = wide.rank++; k > 0; --k) wide.ext[k] = wide.ext[k - 1];
            wide.ext[0] = batch_extent;
            std::vector<int> shape = e.env.inputs[name].shape;
            const std::size_t one = e.env.inputs[name].v.size();
            shape.insert(shape.begin(), 2);
            many.push(add_input("T" + name, g.intern(wide), reference::filled(shape, 0)));
            for (std::size_t b = 0; b < 2; ++b) {
                array part = e.env.inputs[name];
                for (std::size_t k = 0; k < one; ++k) part.v[k] = e.env.inputs["T" + name].v[b * one + k];
                alone[b]["t" + name] = part;
            }
        }
        const int both = push_forward(g, view<int>{&e.y, 1}, by, view<int>{many.data(), many.size()}, 1)[0];
        CHECK((both < 0) == (Jv < 0));
        if (both >= 0) {
            std::vector<int> shape = y.shape;
            shape.insert(shape.begin(), 2);
            evaluator wide(g, e.env);
            const array got = reference::value_or_zero(wide, both, shape);
            for (std::size_t b = 0; b < 2; ++b) {
                reference::environment there = e.env;
                for (const auto& [name, a] : alone[b]) there.inputs[name] = a;
                evaluator single(g, there);
                const array want = reference::value_or_zero(single, Jv, y.shape);
                array part = want;
                for (std::size_t k = 0; k < part.v.size(); ++k) part.v[k] = got.v[b * part.v.size() + k];
                INFO("direction " << b << " of two: " << reference::distance(part, want));
                CHECK(reference::distance(part, want) < 1e-12);
            }
        }
    }

    // what the plan is made of has the same values
    if (Jv >= 0) roots.push(Jv);
    roots.push(e.y);
    {
        reference::lowered low(g, view<int>{roots.data(), roots.size()});
        evaluator after(low.kernel, e.env);
        for (int i = 0; i < roots.size(); ++i) {
            const double d = reference::distance(after(low.roots[i]), value(roots[i]));
            INFO("lowered, root " << i << ": " << d);
            CHECK(d < 1e-12);
        }
    }

    // second derivatives: the directional derivative of each gradient
    for (int i = 0; i < by.size(); ++i) {
        if (Jw[i] < 0) continue;
        const int gradient = Jw[i];
        const int second = push_forward(g, view<int>{&gradient, 1}, by, view<int>{t.data(), t.size()}, 0)[0];
        evaluator again(g, e.env);
        const array got = reference::value_or_zero(again, second, evaluator(g, e.env).shape_of(gradient));
        if (r.op == &op_data<stop_gradient_> || r.op == &op_data<zero_gradient_>) continue;
        const array want = reference::difference([&](double h) { return e.moved(g, gradient, directions, h); }, 1e-3);
        INFO("second derivative by operand " << i << ": " << reference::distance(got, want));
        CHECK(reference::distance(got, want) < 4 * r.tolerance);
    }
}

}  // namespace

TEST_CASE("laws of derivatives hold for each operation") {
    std::mt19937 random(20240229);
    int number = 0;
    for (const row& r : table()) {
        INFO("row " << number++ << ": " << r.op->name);
        for (int turn = 0; turn < 3; ++turn) check_laws(r, random);
    }
}

TEST_CASE("each operation of the catalogue has a row") {
    std::set<const op_info*> there;
    for (const row& r : table()) there.insert(r.op);
    [&]<class... Op>(type_list<Op...>) {
        for (const op_info* op : {&op_data<Op>...}) {
            INFO(op->name);
            CHECK(there.count(op) == 1);
        }
    }(catalogue{});
}
