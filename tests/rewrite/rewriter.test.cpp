#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>

#include <string_view>

using namespace cotan;
using namespace cotan::bits;

// The structure of rewritten graphs. Most of it is done by the compiler and by the test, in the same words.

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto y = tensor<double, "y", "n">;
constexpr auto z = tensor<double, "z", "n">;
constexpr auto A = tensor<double, "A", "n", "k">;

/// Expressions in one rewriter.
struct simplified {
    graph source;
    rewriter g;
    vec<int> at;
    template <class... E>
    constexpr explicit simplified(E...) {
        lowering l(source);
        vec<int> roots;
        (roots.push(l.template operator()<node_of<E>>()), ...);
        g.types = source.types;
        g.extents = source.extents;
        at = expand_into(g, source, view<int>{roots.data(), roots.size()});
    }
    constexpr bool heads(int i, std::string_view op) const { return g.op(at[i]).name == op; }
    constexpr int times(std::string_view rule) const {
        for (const auto& a : g.applied)
            if (a.name == rule) return a.times;
        return 0;
    }
    constexpr int live() const {
        const auto l = reachable(g, view<int>{at.data(), at.size()});
        int n = 0;
        for (auto v : l) n += v;
        return n;
    }
};

/// Whether two expressions are the same once rewritten.
template <class A, class B>
constexpr bool same(A a, B b) {
    const simplified s(a, b);
    return s.at[0] == s.at[1];
}
template <class E>
constexpr bool becomes(E e, std::string_view op) {
    return simplified(e).heads(0, op);
}

}  // namespace

TEST_CASE("stable forms are recognised") {
    STATIC_REQUIRE(becomes(log(c<1> + exp(x)), "softplus"));
    STATIC_REQUIRE(same(log(exp(x) + c<1.0>), softplus(x)));
    STATIC_REQUIRE(same(c<1> / (c<1> + exp(-x)), sigmoid(x)));
    CHECK(same(exp(x) - c<1>, expm1(x)));
    CHECK(same(log(sum(exp(x))), logsumexp(x)));
    CHECK(becomes(log(exp(x) + exp(y)), "logaddexp"));
    CHECK(same(sqrt(sum(square(x))), norm(x)));
    CHECK(same(exp(x) / sum(exp(x)), softmax(x)));
    CHECK(same(exp(A) / sum(exp(A), axis<1>, keepdims), softmax(A, axis<1>)));
    CHECK(same(log(softmax(x)), log_softmax(x)));
    CHECK(same(log(transpose(softmax(A, axis<1>))), transpose(log_softmax(A, axis<1>))));
    CHECK(same(-log(c<1> / (c<1> + exp(-x))), softplus(-x)));
}

TEST_CASE("the order of operands does not matter") {
    STATIC_REQUIRE(same(x + y, y + x));
    STATIC_REQUIRE(same(x * y, y * x));
    CHECK(same((x + y) + z, x + (z + y)));
    CHECK(same((x * y) * z, z * (y * x)));
    CHECK(!same(x - y, y - x));
    CHECK(!same(x / y, y / x));
}

TEST_CASE("sums and products are collected") {
    CHECK(same(x + x, c<2> * x));
    CHECK(same(x + y + x + y, c<2> * x + c<2> * y));
    CHECK(same(c<3> * x - x, c<2> * x));
    CHECK(same(x * x, square(x)));
    CHECK(same(x * y * x, square(x) * y));
    CHECK(same(c<2> * (c<3> * x), c<6> * x));
    CHECK(same(x + c<1> + c<2>, x + c<3>));
    CHECK(same(x * c<1>, x));
    CHECK(same(x + c<0>, x));
    CHECK(same(-(-x), x));
    CHECK(same(x / c<2.0>, c<0.5> * x));
    const simplified s(x + y + z);
    CHECK(s.g.nodes[s.at[0]].nargs == 3);
}

TEST_CASE("what cancels keeps its NaN") {
    CHECK(!becomes(x - x, "literal"));
    CHECK(same(x - x, c<0.0> * x));
    CHECK(!becomes(c<0.0> * x, "literal"));
    CHECK(!becomes(x / x, "literal"));
    CHECK(!same(square(sqrt(x)), x));
    CHECK(!same(exp(log(x)), x));
    constexpr auto i = tensor<std::int32_t, "i", "n">;
    CHECK(same(i - i, c<0> * i));
    const simplified whole(i - i);  // integers have no NaN
    CHECK(reachable(whole.g, view<int>{whole.at.data(), 1}).size() > 0);
    bool reads = false;
    const auto live = reachable(whole.g, view<int>{whole.at.data(), 1});
    for (int id = 0; id < live.size(); ++id) reads = reads || (live[id] && whole.g.is(id, input_info));
    CHECK(!reads);
}

TEST_CASE("facts decide") {
    CHECK(same(exp(log(abs(x))), abs(x)));
    CHECK(same(abs(exp(x)), exp(x)));
    CHECK(same(log(pow(exp(x), y)), x * y));
    CHECK(same(floor(floor(x)), floor(x)));
    CHECK(!same(log(pow(x, y)), y * log(x)));
}

TEST_CASE("views move to where nothing is in their way") {
    CHECK(same(transpose(transpose(A)), A));
    CHECK(same(transpose(exp(A)), exp(transpose(A))));
    CHECK(same(exp(x)(c<0>), exp(x(c<0>))));
    CHECK(same((x + y)(slice<1, end>), x(slice<1, end>) + y(slice<1, end>)));
    CHECK(same(A(all, all), A));
    CHECK(same(sum(sum(A, axis<0>)), sum(A)));
    CHECK(same(sum(c<2> * x), c<2> * sum(x)));
}

TEST_CASE("rules are counted where they apply") {
    STATIC_REQUIRE(simplified(log(c<1> + exp(x))).times("log(1 + exp x) is softplus(x)") == 1);
    const simplified twice(log(c<1> + exp(x)) + log(c<1> + exp(y)) * log(c<1> + exp(x)));
    CHECK(twice.times("log(1 + exp x) is softplus(x)") == 2);  // once for each argument: what is shared is rewritten once
    CHECK(simplified(x + y).g.applied.empty());
}

TEST_CASE("the primal is rewritten before it is differentiated") {
    const simplified s(grad(sum(log(c<1> + exp(x))), x), sigmoid(x));
    CHECK(s.at[0] == s.at[1]);
    const simplified t(grad(log(sum(exp(x))), x), softmax(x));
    CHECK(t.at[0] == t.at[1]);
    CHECK(simplified(grad(sum(sqrt(square(x))), x), sign(x)).at[0] == simplified(grad(sum(sqrt(square(x))), x), sign(x)).at[1]);
}

namespace {

int nodes_made(int length, bool wide) {
    graph source;
    type_data t;
    t.rank = 1;
    t.ext[0] = source.named("n");
    const int p = source.named("x");
    const int in = source.raw(input_info, {}, view<int>{&p, 1}, source.intern(t));
    int e = in;
    for (int i = 0; i < length; ++i) {
        const int k = source.literal(1 + i % 7, dtype::weak_real);
        if (wide) e = source.make(info<add_>, source.make(info<sin_>, e), source.make(info<multiply_>, k, i % 3 ? in : e));
        else e = source.make(info<log_>, source.make(info<add_>, source.literal(1, dtype::weak_integer), source.make(info<exp_>, source.make(info<tanh_>, e))));
    }
    const int mask = 1, total = source.make(info<sum_>, view<int>{&e, 1}, view<int>{&mask, 1});
    const int three[] = {total, in, source.literal(1, dtype::float64)};
    const int roots[] = {total, source.raw(info<pull_>, view<int>{three, 3}, {}, source.nodes[in].ty)};
    rewriter g;
    g.types = source.types;
    g.extents = source.extents;
    expand_into(g, source, view<int>{roots, 2});
    return g.nodes.size();
}

}  // namespace

TEST_CASE("the work of rewriting and differentiating is linear") {
    for (bool wide : {false, true}) {
        const int a = nodes_made(100, wide), b = nodes_made(200, wide), d = nodes_made(400, wide);
        INFO(a << " " << b << " " << d);
        CHECK(b < 2.1 * a);
        CHECK(d < 2.1 * b);
        CHECK(a < 3000);
    }
}
