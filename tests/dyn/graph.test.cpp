#include <catch2/catch.hpp>

#include <cotan/cotan.hpp>
#include <cotan/dyn.hpp>
#include <cotan/op/catalogue.hpp>

#include <functional>
#include <set>
#include <string>
#include <xtensor/xtensor.hpp>

using namespace cotan;
using dyn::expr;
using Catch::Contains;

namespace {

using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

/// The names of the operations that an expression is made of.
void names_in(const expr& e, std::set<std::string>& names) {
    const bits::graph& g = e.graph();
    const int id = e.id();
    const auto live = bits::reachable(g, bits::view<int>{&id, 1});
    for (int i = 0; i < live.size(); ++i)
        if (live[i]) names.insert(std::string(g.op(i).name));
}

}  // namespace

TEST_CASE("the runtime graph has every operation of the catalogue") {
    const expr x = dyn::tensor<double>("x", {3, 3}), y = dyn::tensor<double>("y", {3, 3}), v = dyn::tensor<double>("v", 1), b = x < y;
    std::vector<expr> all;
#define TAKE(f, op) all.push_back(f(x));
    COTAN_UNARY_FUNCTIONS(TAKE)
    COTAN_REDUCTIONS(TAKE)
#undef TAKE
#define TAKE(f, op) all.push_back(f(x, y));
    COTAN_BINARY_FUNCTIONS(TAKE)
#undef TAKE
    for (const expr& e : {x + y, x - y, x * y, x / y, -x, x < y, x <= y, x == y, x != y, b && b, b || !b, logical_xor(b, !b), where(b, x, y), clip(x, -1, y), any_of(b), all_of(b), var(x), stddev(x),
                          cumsum(x, 0), cumprod(x, -1), recurrence(x, y, 1), x(0, dyn::slice(1, end)), transpose(x), reshape(x, {9}), flatten(x), broadcast_to(x, {2, 3, 3}), cast<float>(x), betainc(x, y, x), grad_clip(x, -1, 1), grad_scale(x, 2)})
        all.push_back(e);
    std::set<std::string> names;
    for (const expr& e : all) names_in(e, names);
    // what is written with others when it is made: negation and subtraction are sums and products, dot a sum, the mean a quotient
    for (const char* written : {"neg", "sub", "dot", "mean", "stddev", "flatten"}) names.insert(written);
    []<class... Op>(bits::type_list<Op...>, const std::set<std::string>& made) {
        for (std::string_view name : {bits::op_data<Op>.name...}) {
            INFO(name);
            CHECK(made.count(std::string(name)) == 1);
        }
    }(bits::catalogue{}, names);
    // and each has kernels, or is expanded into what has
    std::vector<expr> results;
    for (const expr& e : all) results.push_back(e);
    const dyn::function f({x, y}, results);
    const rows m = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}, {0.7, 0.8, 0.9}};
    CHECK(f(m, m).size() == results.size());
}

TEST_CASE("dtypes are promoted as in typed graphs") {
    const auto dtypes = [](auto t) { return dyn::tensor<decltype(t)>("t", {2}); };
    constexpr auto typed = [](auto e) { return settled(type_of<decltype(e)>::dt); };
    const auto d = dtypes(1.0), f = dtypes(1.0f);
    const auto i = dyn::tensor<std::int32_t>("i", {2}), l = dyn::tensor<std::int64_t>("l", {2}), b = dyn::tensor<bool>("b", {2});
    constexpr auto ti = tensor<std::int32_t, "i", 2>;
    constexpr auto tl = tensor<std::int64_t, "l", 2>;
    constexpr auto tb = tensor<bool, "b", 2>;
    constexpr auto tf = tensor<float, "t", 2>;
    CHECK((i + l).dtype() == typed(ti + tl));
    CHECK((i * f).dtype() == typed(ti * tf));
    CHECK((b + b).dtype() == typed(tb + tb));
    CHECK((b * d).dtype() == dtype::float64);
    CHECK(sum(b).dtype() == typed(sum(tb)));
    CHECK(exp(i).dtype() == typed(exp(ti)));
    CHECK((0.5 * f).dtype() == typed(c<0.5> * tf));
    CHECK((0.5 * i).dtype() == typed(c<0.5> * ti));
    CHECK((2 * f).dtype() == typed(c<2> * tf));
    CHECK((i < l).dtype() == dtype::boolean);
}

TEST_CASE("errors are made where the graph is built, with names and shapes") {
    const auto x = dyn::tensor<double>("x", {3, "n"}), y = dyn::tensor<double>("y", {4, "n"}), z = dyn::tensor<double>("z", {3, "k"});
    const auto u = dyn::tensor<double>("u", 1);
    CHECK_THROWS_AS(x + y, shape_error);
    CHECK_THROWS_WITH(x * y, Contains("mul: the operands' extents differ") && Contains("x: double[3, n]") && Contains("y: double[4, n]"));
    CHECK_THROWS_WITH(x + z, Contains("double[3, k]"));
    CHECK_THROWS_WITH(dot(x, y), Contains("dot sums over the last extent"));
    CHECK_THROWS_WITH(dot(x, 2.0), Contains("use * to multiply by a scalar"));
    CHECK_THROWS_WITH(sum(x, 2), Contains("sum: no such axis"));
    CHECK_THROWS_WITH(sum(x, {0, -2}), Contains("an axis is named twice"));
    CHECK_THROWS_WITH(x(3, 0), Contains("index is outside"));
    CHECK_THROWS_WITH(x(0, 0, 0), Contains("more indices"));
    CHECK_THROWS_WITH(x(dyn::slice(0, 1, 0)), Contains("step of a slice is not 0"));
    CHECK_THROWS_WITH(transpose(x, {0, 0}), Contains("each axis of the operand once"));
    CHECK_THROWS_WITH(where(x, x, x), Contains("is not bool"));
    CHECK_THROWS_WITH(reshape(dyn::tensor<double>("q", {2, 3}), {4, 2}), Contains("keeps the number of elements"));
    CHECK_THROWS_WITH(broadcast_to(x, {3, 5, 6}), Contains("does not broadcast") && Contains("double[3, 5, 6]"));
    CHECK_THROWS_WITH(grad(x, u), Contains("grad takes the gradient of a scalar"));
    CHECK_THROWS_WITH(grad(sum(x), dyn::scalar<std::int64_t>("i")), Contains("integer or bool does not exist"));
    CHECK_THROWS_WITH(pullback(x, x, y), Contains("a tangent or cotangent has the extents") && Contains("double[3, n]"));
    CHECK_THROWS_WITH(pushforward(x, std::vector<expr>{x}, std::vector<expr>{}), Contains("expected 1, got 0"));
    CHECK_THROWS_WITH(dyn::tensor<double>("a name that is much too long", 1), Contains("name of an input"));
    CHECK_THROWS_WITH(dyn::tensor<double>("a", {"x.0"}), Contains("no '.'"));
    CHECK_THROWS_WITH(dyn::tensor<double>("a", {-1}), Contains("is not negative"));
    CHECK_THROWS_WITH(dyn::tensor<double>("a", 9), Contains("at most 8 axes"));
    CHECK_THROWS_WITH(dyn::function({x}, {x + u(newaxis, all)}), Contains("uses the input u") && Contains("add it to the list"));
    CHECK_THROWS_WITH(dyn::function({x, x}, {x}), Contains("listed twice"));
    CHECK_THROWS_WITH(dyn::function({x + 1}, {x}), Contains("inputs are made by dyn::tensor"));
    CHECK_THROWS_WITH(dyn::function({u}, {broadcast_to(sum(u), {"m"})}), Contains("the extent m is not known from any input"));
    // an extent that must be two sizes at once
    const auto three = dyn::tensor<double>("three", {3}), four = dyn::tensor<double>("four", {4});
    CHECK_THROWS_WITH(dyn::function({u, three, four}, {u + three, u + four}), Contains("axis 0 of u must be 3") && Contains("4"));
    CHECK_NOTHROW(dyn::function({u, three, four}, {u + three}));
}

TEST_CASE("extents that nobody named go together and are checked at the call") {
    const auto x = dyn::tensor<double>("x", 1), y = dyn::tensor<double>("y", 1), z = dyn::tensor<double>("z", {"n"});
    const line three = {1, 2, 3}, two = {1, 2};
    const dyn::function f({x, y, z}, {sum(x * y), sum(y + z)});
    CHECK(f(three, three, three)[0].scalar<double>() == 14);
    CHECK_THROWS_AS(f(three, two, three), shape_error);
    CHECK_THROWS_WITH(f(three, two, three), Contains("axis 0 of x (3)") && Contains("axis 0 of y (2)"));
    CHECK_THROWS_WITH(f(three, three, two), Contains("n (2)"));
    // what another expression joined does not matter to a function that has no part of it
    const dyn::function g({x, y}, {sum(x), sum(y)});
    CHECK(g(three, two)[1].scalar<double>() == 3);
    // a slice of one is as long as another
    const dyn::function h({x, y}, {x(dyn::slice(1, end)) * y, grad(sum(x(dyn::slice(1, end)) * y), x)});
    CHECK((h(three, two)[0].as<double, 1>() == line{2, 6}));
    CHECK((h(three, two)[1].as<double, 1>() == line{0, 1, 2}));
    CHECK_THROWS_WITH(h(three, three), Contains("axis 0 of y (3)"));
    CHECK_THROWS_WITH(dyn::function({x}, {x(5)})(three), Contains("expected at least 6, got 3"));
    CHECK_THROWS_WITH(dyn::function({x}, {reshape(x, {2, 2})})(three), Contains("reshape: expected 3 elements, got 4"));
    CHECK_THROWS_WITH(f(three, three), Contains("expected 3, got 2"));
    CHECK_THROWS_WITH(f(1.0, three, three), Contains("input x: expected 1 axes, got 0"));
    const dyn::function fixed({dyn::tensor<double>("w", {2})}, {dyn::tensor<double>("w", {2})});
    CHECK_THROWS_WITH(fixed(three), Contains("input w: axis 0") && Contains("expected 2, got 3"));
    // a call that throws changes nothing
    CHECK(f(three, three, three)[0].scalar<double>() == 14);
}

TEST_CASE("an axis stretches at the call where its user says so") {
    const auto x = dyn::tensor<double>("x", {dyn::broadcastable, "k"}), y = dyn::tensor<double>("y", {"n", "k"});
    const expr loss = sum(square(x - y));
    const dyn::function f({x, y}, {loss, grad(loss, x), x * y});
    const rows one = {{1, 2}}, many = {{1, 2}, {3, 4}, {5, 6}};
    const auto narrow = f(one, many);
    CHECK(narrow[0].scalar<double>() == 40);
    CHECK((narrow[1].as<double, 2>() == rows{{-12, -12}}));
    CHECK((narrow[2].as<double, 2>() == rows{{1, 4}, {3, 8}, {5, 12}}));
    const auto wide = f(many, many);
    CHECK(wide[0].scalar<double>() == 0);
    CHECK((wide[1].as<double, 2>() == rows{{0, 0}, {0, 0}, {0, 0}}));
    CHECK((wide[2].as<double, 2>() == rows{{1, 4}, {9, 16}, {25, 36}}));
    const rows two = {{1, 2}, {3, 4}};
    CHECK_THROWS_WITH(f(two, many), Contains("axis 0 of x (2)"));
    CHECK(f(one, many)[0].scalar<double>() == 40);
    // without the user's word an extent of 1 does not stretch
    const auto plain = dyn::tensor<double>("plain", {dyn::unknown, "k"});
    CHECK_THROWS_AS(dyn::function({plain, y}, {plain - y})(one, many), shape_error);
}

TEST_CASE("graphs that are combined become one, and handles follow") {
    const auto x = dyn::tensor<double>("x", 1);
    const expr copy = x;
    expr left = x * 2, right = dyn::tensor<double>("y", 1) + 1;
    for (int i = 0; i < 50; ++i) right = sin(right);  // the larger graph takes the smaller one in
    const expr both = left * right;
    CHECK(x.id() == copy.id());
    CHECK(x.home() == right.home());
    const dyn::function f({copy, dyn::tensor<double>("y", 1)}, {both, x});
    CHECK((f(line{1.0}, line{0.5})[1].as<double, 1>() == line{1.0}));
    // an input that is lifted twice is one input
    constexpr auto v = tensor<double, "v", "n">;
    const expr a = dyn::lift(v), loss = sum(dyn::lift(exp(v)) * dyn::lift(v));
    CHECK(dyn::function({a}, {grad(loss, a)})(line{0.0, 1.0})[0].as<double, 1>()(1) == Approx(2 * std::exp(1.0)));
}

TEST_CASE("what nobody asked for is not kept alive") {
    std::weak_ptr<bits::arena> gone;
    {
        expr h = dyn::tensor<double>("x", 1);
        for (int i = 0; i < 1000; ++i) h = tanh(h);
        gone = h.home();
    }
    CHECK(gone.expired());
}

namespace {

/// The work of compiling a function and its gradients, in nodes and operands handled.
std::int64_t work_of(const std::vector<expr>& in, const expr& loss) {
    std::vector<expr> out{loss};
    for (const expr& g : dyn::grad(loss, in)) out.push_back(g);
    return dyn::function(in, out).compiled().work;
}

}  // namespace

TEST_CASE("compiling takes steps in proportion to the size of the graph") {
    const auto chain = [](int n) {
        const auto x = dyn::tensor<double>("x", 1);
        expr h = x;
        for (int i = 0; i < n; ++i) h = tanh(0.9 * h + 0.1 * (i % 7 + 1));
        return work_of({x}, sum(square(h)));
    };
    const auto element_of_chain = [](int n) {
        const auto x = dyn::tensor<double>("x", 1);
        expr h = x;
        for (int i = 0; i < n; ++i) h = tanh(0.9 * h + 0.1 * (i % 7 + 1));
        return work_of({x}, h(0));
    };
    const auto doubling = [](int n) {
        const auto x = dyn::tensor<double>("x", 1);
        expr h = x;
        for (int i = 0; i < n; ++i) h = h * sin(h);
        return work_of({x}, h(0));
    };
    const auto many_inputs = [](int n) {
        std::vector<expr> in{dyn::tensor<double>("x", 1)};
        expr h = in[0];
        for (int i = 0; i < n; ++i) {
            in.push_back(dyn::tensor<double>("w" + std::to_string(i), 1));
            h = h + tanh(in.back());
        }
        return work_of(in, sum(h));
    };
    const auto sums = [](int n) {
        const auto x = dyn::tensor<double>("x", 1);
        expr h = x;
        for (int i = 0; i < n; ++i) h = sin(h) + sum(h) * 0.001;
        return work_of({x}, sum(square(h)));
    };
    const std::function<std::int64_t(int)> graphs[] = {chain, element_of_chain, doubling, many_inputs, sums};
    for (const auto& work : graphs) {
        const auto small = work(1000), large = work(4000);
        INFO(small << " " << large);
        CHECK(small > 3000);
        CHECK(static_cast<double>(large) < 4.4 * static_cast<double>(small));
    }
}

TEST_CASE("a deep graph needs no deep stack") {
    const auto x = dyn::tensor<double>("x", 1);
    expr h = x;
    for (int i = 0; i < 100000; ++i) h = 0.5 * h + 1;
    const dyn::function f({x}, {h, grad(sum(h), x), jacobian(h(0), x)});
    const auto out = f(line{0.0, 5.0});
    CHECK((out[0].as<double, 1>() == line{2.0, 2.0}));
    CHECK((out[1].as<double, 1>() == line{0.0, 0.0}));
}
