#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/core/literal.hpp>
#include <cotan/op/cast.hpp>
#include <cotan/op/kernel/lanes.hpp>

#include <limits>

namespace cotan {

namespace bits {

struct add_;
struct multiply_;
struct negate_;
struct subtract_;
struct divide_;
struct square_;
struct reciprocal_;
struct less_;
struct less_equal_;
struct equal_;
struct not_equal_;
struct logical_and_;
struct logical_or_;
struct logical_not_;

/// A plain number beside an expression: refused, with what to write instead.
template <class T>
struct number_in_graph {
    using checked = void;
    static_assert(!sizeof(T), "cotan: a number in a graph must be part of its type: write c<0.5> or 0.5_c for a constant, or declare an input such as "
                              "scalar<double, \"k\"> for a number that is known only when the program runs");
};

template <class A, class B>
concept number_beside = (expression<A> && !expression<B> && std::is_arithmetic_v<std::remove_cvref_t<B>>) || (expression<B> && !expression<A> && std::is_arithmetic_v<std::remove_cvref_t<A>>);

/// Operands of a binary operation.
template <class A, class B>
concept operands = expression<A> && expression<B>;

}  // namespace bits

template <class A, class B> requires bits::operands<A, B> constexpr auto operator+(A a, B b) { return bits::apply<bits::add_>(a, b); }
template <class A, class B> requires bits::operands<A, B> constexpr auto operator-(A a, B b) { return bits::apply<bits::subtract_>(a, b); }
template <class A, class B> requires bits::operands<A, B> constexpr auto operator*(A a, B b) { return bits::apply<bits::multiply_>(a, b); }
template <class A, class B> requires bits::operands<A, B> constexpr auto operator/(A a, B b) { return bits::apply<bits::divide_>(a, b); }
template <operand A> constexpr auto operator-(A a) { return bits::apply<bits::negate_>(a); }
template <operand A> constexpr auto operator+(A a) { return a; }
/// x * x.
template <operand A> constexpr auto square(A a) { return bits::apply<bits::square_>(a); }
/// 1 / x.
template <operand A> constexpr auto reciprocal(A a) { return bits::apply<bits::reciprocal_>(a); }

template <class A, class B> requires bits::operands<A, B> constexpr auto operator<(A a, B b) { return bits::apply<bits::less_>(a, b); }
template <class A, class B> requires bits::operands<A, B> constexpr auto operator>(A a, B b) { return bits::apply<bits::less_>(b, a); }
template <class A, class B> requires bits::operands<A, B> constexpr auto operator<=(A a, B b) { return bits::apply<bits::less_equal_>(a, b); }
template <class A, class B> requires bits::operands<A, B> constexpr auto operator>=(A a, B b) { return bits::apply<bits::less_equal_>(b, a); }
template <class A, class B> requires bits::operands<A, B> constexpr auto operator==(A a, B b) { return bits::apply<bits::equal_>(a, b); }
template <class A, class B> requires bits::operands<A, B> constexpr auto operator!=(A a, B b) { return bits::apply<bits::not_equal_>(a, b); }
/// Logic on bool operands; both sides are always computed.
template <operand A, operand B> constexpr auto operator&&(A a, B b) { return bits::apply<bits::logical_and_>(a, b); }
template <operand A, operand B> constexpr auto operator||(A a, B b) { return bits::apply<bits::logical_or_>(a, b); }
template <operand A> constexpr auto operator!(A a) { return bits::apply<bits::logical_not_>(a); }

#define COTAN_REFUSE_NUMBER(op)                                             \
    template <class A, class B>                                             \
        requires bits::number_beside<A, B>                                  \
    constexpr auto operator op(A a, B) {                                    \
        static_assert(std::is_void_v<typename bits::number_in_graph<B>::checked>);                             \
        if constexpr (expression<A>) return a;                              \
        else return B{};                                                    \
    }
COTAN_REFUSE_NUMBER(+)
COTAN_REFUSE_NUMBER(-)
COTAN_REFUSE_NUMBER(*)
COTAN_REFUSE_NUMBER(/)
COTAN_REFUSE_NUMBER(<)
COTAN_REFUSE_NUMBER(>)
COTAN_REFUSE_NUMBER(<=)
COTAN_REFUSE_NUMBER(>=)
COTAN_REFUSE_NUMBER(==)
COTAN_REFUSE_NUMBER(!=)
#undef COTAN_REFUSE_NUMBER

namespace bits {

inline constexpr int widest_sum = 12;  // operands of one n-ary node: bounds the work where sums share prefixes

/// One term of a sum: a coefficient and what it multiplies.
struct term {
    double coefficient = 1;
    int base = -1;  // -1: the constant term
};

/// The number a literal of a dtype can hold that is nearest to v.
constexpr double held(double v, dtype d) { return d == dtype::float32 ? static_cast<double>(static_cast<float>(v)) : v; }

/// The constant coefficient of a product, and the rest of it.
constexpr term split_coefficient(graph& g, int id, const op_info& mul) {
    if (g.is(id, literal_info)) return {real_value(g, id), -1};
    if (!g.is(id, mul) || !g.is(g.arg(id, 0), literal_info)) return {1, id};
    const double k = real_value(g, g.arg(id, 0));
    const int n = g.nodes[id].nargs;
    if (n == 2) return {k, g.nodes[g.arg(id, 1)].ty == g.nodes[id].ty ? g.arg(id, 1) : id};
    vec<int> rest;
    for (int i = 1; i < n; ++i) rest.push(g.arg(id, i));
    return {k, g.raw(mul, view<int>{rest.data(), rest.size()}, {}, g.nodes[id].ty)};
}

constexpr void insert_sorted(vec<int>& v, int x) {
    int at = v.size();
    while (at > 0 && v[at - 1] > x) --at;
    v.insert(at, x);
}

/// x + y: n-ary and sorted once rewritten; equal terms are collected. A term whose coefficients cancel stays as 0 * x, so that infinities and NaNs
/// give what IEEE arithmetic says.
struct add_ : elementwise<add_, -1> {
    static constexpr auto name = "add";
    static constexpr auto types = typing::arithmetic;
    static constexpr bool commutative = true;
    template <class V> static V kernel(V x, V y) { return x + y; }
    static constexpr double fold(const double* x) { return x[0] + x[1]; }
    static constexpr unsigned facts(const graph& g, view<int> a) {
        unsigned all = is_nonnegative, any = 0;
        for (int i : a) {
            all &= g.nodes[i].facts;
            any |= g.nodes[i].facts & is_positive;
        }
        return all ? all | any : 0u;
    }
    static constexpr void pullback(pull_context& c) {
        for (int i = 0; i < c.count(); ++i)
            if (c.wanted(i)) c.give(i, c.ct());
    }
    static constexpr void pushforward(push_context& c);
    static constexpr int normalise(graph& g, const op_info& op, view<int> args, view<int>, int ty);
    static constexpr int placeholders = 2;
    static constexpr void rewrites(auto r, auto x, auto y) {
        r(phase::stable, "exp(x) - 1 is expm1(x)", exp(x) + c<-1>, expm1(x));
        r(phase::stable, "1 - exp(x) is -expm1(x)", c<1> - exp(x), -expm1(x));
        r(phase::stable, "2 sigmoid(x) - 1 is tanh(x / 2)", c<2> * sigmoid(x) + c<-1>, tanh(c<0.5> * x));
        r(phase::stable, "1 - sigmoid(x) is sigmoid(-x)", c<1> - sigmoid(x), sigmoid(-x));
        r(phase::stable, "1 - erf(x) is erfc(x)", c<1> - erf(x), erfc(x));
        r(phase::stable, "1 + erf(x) is erfc(-x)", c<1> + erf(x), erfc(-x));
        r(phase::stable, "erf(x) - 1 is -erfc(x)", erf(x) + c<-1>, -erfc(x));
        r(phase::stable, "1 - erfc(x) is erf(x)", c<1> - erfc(x), erf(x));
        (void)y;
    }
};

/// x * y: n-ary and sorted once rewritten, constants first; equal factors become powers. 0 * x keeps its IEEE value.
struct multiply_ : elementwise<multiply_, -1> {
    static constexpr auto name = "mul";
    static constexpr auto types = typing::arithmetic;
    static constexpr bool commutative = true;
    template <class V> static V kernel(V x, V y) { return x * y; }
    static constexpr double fold(const double* x) { return x[0] * x[1]; }
    static constexpr unsigned facts(const graph& g, view<int> a) {
        unsigned all = is_positive | is_nonnegative;
        for (int i : a) all &= g.nodes[i].facts;
        return all;
    }
    static constexpr int others(graph& g, int node, int but);
    static constexpr void pullback(pull_context& c);
    static constexpr void pushforward(push_context& c);
    static constexpr int normalise(graph& g, const op_info& op, view<int> args, view<int>, int ty);
    static constexpr int placeholders = 3;
    static constexpr void rewrites(auto r, auto x, auto y, auto z) {
        r(phase::stable, "exp(x) * sigmoid(-x) is sigmoid(x)", exp(x) * sigmoid(-x), sigmoid(x));
        r(phase::stable, "exp(-x) * sigmoid(x) is sigmoid(-x)", exp(-x) * sigmoid(x), sigmoid(-x));
        r(phase::stable, "exp(x) * exp(y) is exp(x + y)", exp(x) * exp(y), exp(x + y));
        r.where(is_positive, x, phase::canonical, "x^y * x^z is x^(y + z), for x > 0", pow(x, y) * pow(x, z), pow(x, y + z));
    }
};

/// -x. In a graph it is -1 * x; the plan makes a negation of it again.
struct negate_ : elementwise<negate_> {
    static constexpr auto name = "neg";
    static constexpr auto types = typing::arithmetic;
    template <class V> static V kernel(V x) {
        if constexpr (std::is_arithmetic_v<V>) return -x;
        else return simd::negated(x);
    }
    static constexpr int desugar(graph& g, view<int> a, view<int>);
};

/// x - y. In a graph it is x + -1 * y; the plan makes a subtraction of it again.
struct subtract_ : elementwise<subtract_, 2> {
    static constexpr auto name = "sub";
    static constexpr auto types = typing::arithmetic;
    template <class V> static V kernel(V x, V y) { return x - y; }
    static constexpr int desugar(graph& g, view<int> a, view<int>);
};

/// x * y + z in one instruction where the machine has it: made by the plan, never by a user.
struct multiply_add_ : elementwise<multiply_add_, 3> {
    static constexpr auto name = "fma";
    template <class V> static V kernel(V x, V y, V z) {
        if constexpr (std::is_arithmetic_v<V>) return x * y + z;
        else return simd::fused(x, y, z);
    }
};
/// z - x * y, likewise.
struct subtract_product_ : elementwise<subtract_product_, 3> {
    static constexpr auto name = "fnma";
    template <class V> static V kernel(V x, V y, V z) {
        if constexpr (std::is_arithmetic_v<V>) return z - x * y;
        else return simd::fused(simd::negated(x), y, z);
    }
};
/// x * y - z, likewise.
struct product_minus_ : elementwise<product_minus_, 3> {
    static constexpr auto name = "fms";
    template <class V> static V kernel(V x, V y, V z) {
        if constexpr (std::is_arithmetic_v<V>) return x * y - z;
        else return simd::fused(x, y, simd::negated(z));
    }
};

/// x * x, kept apart from products: squares are never negative, and squaring a product is not the product of squares where those overflow.
struct square_ : elementwise<square_> {
    static constexpr auto name = "square";
    static constexpr auto types = typing::arithmetic;
    template <class V> static V kernel(V x) { return x * x; }
    static constexpr double fold(const double* x) { return x[0] * x[0]; }
    static constexpr auto partials(auto, auto x) { return list(c<2> * x); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return is_nonnegative | (g.nodes[a[0]].facts & is_positive); }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty);
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "sqrt(x)^2 is x, for x >= 0", square(sqrt(x)), where(x >= c<0>, x, c<__builtin_nan("")>));
        r(phase::canonical, "|x|^2 is x^2", square(abs(x)), square(x));
    }
};

/// x / y; integers divide as in C++. A constant divisor becomes a factor, as does one with fewer axes: its reciprocal is computed once.
struct divide_ : elementwise<divide_, 2> {
    static constexpr auto name = "div";
    static constexpr auto types = typing::arithmetic;
    static constexpr int cost = 4;
    template <class V> static V kernel(V x, V y) { return x / y; }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & g.nodes[a[1]].facts & (is_positive | is_nonnegative); }
    static constexpr auto partials(auto y, auto, auto b) {
        const auto inverse = reciprocal(b);
        return list(inverse, -(y * inverse));
    }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty);
    static constexpr int expand(graph& g, int node);
    static constexpr int placeholders = 2;
    static constexpr void rewrites(auto r, auto x, auto y) {
        r(phase::canonical, "x / (1 / y) is x * y", x / reciprocal(y), x * y);
        r(phase::stable, "(exp(x) - exp(-x)) / (exp(x) + exp(-x)) is tanh(x)", (exp(x) - exp(-x)) / (exp(x) + exp(-x)), tanh(x));
        r(phase::stable, "(exp(x) - 1) / (1 + exp(x)) is tanh(x / 2)", expm1(x) / (c<1> + exp(x)), tanh(c<0.5> * x));
        r(phase::stable, "exp(x) / (1 + exp(x)) is sigmoid(x)", exp(x) / (c<1> + exp(x)), sigmoid(x));
        r(phase::stable, "exp(x) / (exp(x) + exp(y)) is sigmoid(x - y)", exp(x) / (exp(x) + exp(y)), sigmoid(x - y));
        r(phase::stable, "exp(x) / exp(y) is exp(x - y)", exp(x) / exp(y), exp(x - y));
        r(phase::stable, "exp(x) / sum(exp(y)) is exp(x - logsumexp(y))", exp(x) / sum(exp(y)), exp(x - logsumexp(y)));
        r(phase::stable, "x / exp(y) is x * exp(-y)", x / exp(y), x * exp(-y));
        r(phase::stable, "x / (1 + exp(y)) is x * sigmoid(-y)", x / (c<1> + exp(y)), x * sigmoid(-y));
        r(phase::stable, "sigmoid(x) / (1 - sigmoid(x)) is exp(x)", sigmoid(x) / sigmoid(-x), exp(x));
        r(phase::stable, "(1 - sigmoid(x)) / sigmoid(x) is exp(-x)", sigmoid(-x) / sigmoid(x), exp(-x));
    }
};

/// 1 / x.
struct reciprocal_ : elementwise<reciprocal_> {
    static constexpr auto name = "reciprocal";
    static constexpr int cost = 4;
    template <class V> static V kernel(V x) { return V(1) / x; }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[0]].facts & (is_positive | is_nonnegative); }
    static constexpr auto partials(auto y, auto) { return list(-square(y)); }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty);
    static constexpr int placeholders = 1;
    static constexpr void rewrites(auto r, auto x) {
        r(phase::canonical, "1 / (1 / x) is x", reciprocal(reciprocal(x)), x);
        r(phase::stable, "1 / (1 + exp(-x)) is sigmoid(x)", reciprocal(c<1> + exp(-x)), sigmoid(x));
        r(phase::stable, "1 / (1 + exp(x)) is sigmoid(-x)", reciprocal(c<1> + exp(x)), sigmoid(-x));
        r(phase::stable, "1 / exp(x) is exp(-x)", reciprocal(exp(x)), exp(-x));
        r(phase::stable, "1 / sigmoid(x) is 1 + exp(-x)", reciprocal(sigmoid(x)), c<1> + exp(-x));
    }
};

/// v where the condition holds, and structurally zero elsewhere: the cotangent of a masked value. What multiplies it is masked with it, so
/// that an infinite partial of an element that was not chosen makes no NaN.
struct masked_ : elementwise<masked_, 2> {
    static constexpr auto name = "masked";
    static constexpr auto types = typing::choose;
    template <class M, class V> static V kernel(M c, V v) { return kept(c, v); }
    static constexpr unsigned facts(const graph& g, view<int> a) { return g.nodes[a[1]].facts & is_nonnegative; }
    static constexpr int normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty);
    static constexpr void pullback(pull_context& c);
    static constexpr void pushforward(push_context& c);
};

constexpr int multiply_nodes(graph& g, int a, int b) { return g.make(info<multiply_>, a, b); }
constexpr int add_nodes(graph& g, int a, int b) { return g.make(info<add_>, a, b); }

constexpr void elementwise_pullback(pull_context& c) {
    int partials[max_operands];
    c.g->op(c.node).partials(c.y(), partials);
    for (int i = 0; i < c.count(); ++i)
        if (partials[i] >= 0 && c.wanted(i)) c.give(i, sym{c.g, multiply_nodes(*c.g, c.cotangent, partials[i])});
}
constexpr void elementwise_pushforward(push_context& c) {
    int partials[max_operands];
    c.g->op(c.node).partials(c.y(), partials);
    for (int i = 0; i < c.count(); ++i) {
        if (partials[i] < 0 || !c.has(i)) continue;
        const int t = multiply_nodes(*c.g, c.tangents[i], partials[i]);
        c.result = c.result < 0 ? t : add_nodes(*c.g, c.result, t);
    }
}

constexpr void add_::pushforward(push_context& c) {
    vec<int> t;
    for (int i = 0; i < c.count(); ++i)
        if (c.has(i)) t.push(c.t(i).id);
    c.result = t.size() == 1 ? t[0] : c.g->make(info<add_>, view<int>{t.data(), t.size()});
}

constexpr int multiply_::others(graph& g, int node, int but) {
    vec<int> rest;
    for (int i = 0; i < g.nodes[node].nargs; ++i)
        if (i != but) rest.push(g.arg(node, i));
    return rest.size() == 1 ? rest[0] : g.make(info<multiply_>, view<int>{rest.data(), rest.size()});
}

constexpr void multiply_::pullback(pull_context& c) {
    for (int i = 0; i < c.count(); ++i)
        if (c.wanted(i)) c.give(i, sym{c.g, c.g->make(info<multiply_>, c.cotangent, others(*c.g, c.node, i))});
}

constexpr void multiply_::pushforward(push_context& c) {
    vec<int> t;
    for (int i = 0; i < c.count(); ++i)
        if (c.has(i)) t.push(c.g->make(info<multiply_>, c.tangents[i], others(*c.g, c.node, i)));
    c.result = t.size() == 1 ? t[0] : c.g->make(info<add_>, view<int>{t.data(), t.size()});
}

constexpr int negate_::desugar(graph& g, view<int> a, view<int>) {
    return g.make(info<multiply_>, g.literal(-1, dtype::weak_integer), a[0]);
}

constexpr int subtract_::desugar(graph& g, view<int> a, view<int>) {
    return g.make(info<add_>, a[0], g.make(info<multiply_>, g.literal(-1, dtype::weak_integer), a[1]));
}

constexpr void masked_::pullback(pull_context& c) {
    if (c.wanted(1)) c.give(1, apply<masked_>(c.x(0), c.ct()));
}

constexpr void masked_::pushforward(push_context& c) {
    if (c.has(1)) c.give(apply<masked_>(c.x(0), c.t(1)));
}

/// The graph's own test that a node is broadcast to a type: only then it may stand for it.
constexpr int fitted(graph& g, int id, int ty);

constexpr int masked_::normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
    if (g.is(a[0], literal_info) && g.nodes[a[0]].bits) return fitted(g, a[1], ty);
    if (g.is(a[1], op) && g.arg(a[1], 0) == a[0]) return fitted(g, a[1], ty);
    return g.raw(op, a, {}, ty);
}

/// Whether an operand of a sum (product) that is one itself gives its terms. One that is used elsewhere too stays: its terms would be added again.
constexpr bool opens(const graph& g, int a, const op_info& op);

/// Whether an operand is an integer that a double cannot hold: it is not collected with others.
constexpr bool holds_wide_integer(const graph& g, view<int> args) {
    for (int a : args)
        if (g.is(a, literal_info)) {
            const std::int64_t v = static_cast<std::int64_t>(g.nodes[a].bits);
            if (v > (1ll << 53) || v < -(1ll << 53)) return true;
        }
    return false;
}

/// Whether an operand's own operands take its place. One that has other users stays as it is, but a sign moves: x * -y is -(x * y), whoever needs -y.
constexpr bool opens(const graph& g, int a, const op_info& op) {
    if (!g.is(a, op)) return false;
    const bool sign = &op == &info<multiply_> && g.nodes[a].nargs == 2 && g.is(g.arg(a, 0), literal_info) && real_value(g, g.arg(a, 0)) == -1;
    return sign || !g.is_shared(a);
}

constexpr int add_::normalise(graph& g, const op_info& op, view<int> args, view<int>, int ty) {
    const op_info& mul = info<multiply_>;
    const dtype d = g.types[ty].dt;
    if (!is_real(d) && holds_wide_integer(g, args)) return g.raw(op, args, {}, ty);
    double constant = 0;
    vec<term> terms;
    const auto take = [&](int id) constexpr {
        const term t = split_coefficient(g, id, mul);
        if (t.base < 0) {
            constant = held(sum_of(constant, t.coefficient), d);
            return;
        }
        for (int i = 0; i < terms.size(); ++i)
            if (terms[i].base == t.base) {
                terms[i].coefficient = held(sum_of(terms[i].coefficient, t.coefficient), d);
                return;
            }
        terms.push(t);
    };
    int width = 0;
    for (int a : args) width += opens(g, a, op) ? g.nodes[a].nargs : 1;
    for (int a : args) {
        if (opens(g, a, op) && width <= widest_sum)
            for (int i = 0; i < g.nodes[a].nargs; ++i) take(g.arg(a, i));
        else take(a);
    }
    vec<int> out;
    for (int i = 0; i < terms.size(); ++i) {
        const term t = terms[i];
        if (t.coefficient == 1) insert_sorted(out, t.base);
        else if (t.coefficient == 0 && !is_real(d)) continue;
        else insert_sorted(out, g.make(mul, g.literal(t.coefficient, d), t.base));
    }
    if (out.empty()) return fitted(g, g.literal(constant, d), ty);
    if (constant != 0) out.insert(0, g.literal(constant, d));
    if (out.size() == 1) return fitted(g, out[0], ty);
    return g.raw(op, view<int>{out.data(), out.size()}, {}, ty);
}

/// A factor of a product: a base and how often it stands there.
struct factor {
    int base = -1;
    int exponent = 1;
};

constexpr factor split_power(const graph& g, int id) {
    factor f{id, 1};
    while (g.is(f.base, info<square_>)) {
        f.base = g.arg(f.base, 0);
        f.exponent *= 2;
    }
    return f;
}

constexpr int multiply_::normalise(graph& g, const op_info& op, view<int> args, view<int>, int ty) {
    const dtype d = g.types[ty].dt;
    if (!is_real(d) && holds_wide_integer(g, args)) return g.raw(op, args, {}, ty);
    double constant = 1;
    vec<factor> factors;
    int mask = -1, width = 0;  // so many factors, where operands that are products are opened
    const auto take = [&](auto& self, int id) constexpr -> void {
        if (g.is(id, literal_info)) {
            constant = held(product_of(constant, real_value(g, id)), d);
            return;
        }
        if (g.is(id, info<masked_>) && mask < 0) {
            mask = g.arg(id, 0);
            const int inner = g.arg(id, 1);
            if (g.is(inner, op) && width <= widest_sum)
                for (int i = 0; i < g.nodes[inner].nargs; ++i) self(self, g.arg(inner, i));
            else self(self, inner);
            return;
        }
        const factor f = split_power(g, id);
        for (int i = 0; i < factors.size(); ++i)
            if (factors[i].base == f.base) {
                factors[i].exponent += f.exponent;
                return;
            }
        factors.push(f);
    };
    for (int a : args) {
        const int inner = g.is(a, info<masked_>) ? g.arg(a, 1) : -1;
        width += opens(g, a, op) ? g.nodes[a].nargs : inner >= 0 && g.is(inner, op) ? g.nodes[inner].nargs : 1;
    }
    int masks = 0;
    for (int a : args) masks += g.is(a, info<masked_>) ? 1 : 0;
    if (masks > 1) {  // one mask around all the rest
        vec<int> rest;
        int outer = -1;
        for (int a : args) {
            if (outer < 0 && g.is(a, info<masked_>)) {
                outer = g.arg(a, 0);
                rest.push(g.arg(a, 1));
            } else rest.push(a);
        }
        return fitted(g, g.make(info<masked_>, outer, g.make(op, view<int>{rest.data(), rest.size()})), ty);
    }
    for (int a : args) {
        if (opens(g, a, op) && width <= widest_sum)
            for (int i = 0; i < g.nodes[a].nargs; ++i) take(take, g.arg(a, i));
        else take(take, a);
    }
    vec<int> out;
    for (const factor& f : factors) {
        int power = f.base;
        for (int e = f.exponent; e; e >>= 1) {
            if (e & 1) insert_sorted(out, power);
            if (e > 1) power = g.make(info<square_>, power);
        }
    }
    const bool integer_zero = constant == 0 && !is_real(d);
    int result = -1;
    if (out.empty() || integer_zero) result = g.literal(constant, d);
    else {
        if (constant != 1) out.insert(0, g.literal(constant, d));
        if (out.size() == 1) result = out[0];
        else if (mask < 0) return g.raw(op, view<int>{out.data(), out.size()}, {}, ty);
        else {
            vec<int> tys;
            for (int o : out) tys.push(g.nodes[o].ty);
            result = g.raw(op, view<int>{out.data(), out.size()}, {}, g.broadcast(op, view<int>{tys.data(), tys.size()}, d));
        }
    }
    if (mask >= 0) result = g.make(info<masked_>, mask, result);
    return fitted(g, result, ty);
}

constexpr int square_::normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
    const int x = a[0];
    if (g.is(x, info<multiply_>) && g.is(g.arg(x, 0), literal_info)) {
        const double k = real_value(g, g.arg(x, 0)), size = k < 0 ? -k : k;
        if (size > 1e-6 && size < 1e6) {
            const term t = split_coefficient(g, x, info<multiply_>);
            if (t.base != x) return g.make(info<multiply_>, g.literal(k * k, g.types[ty].dt), g.make(op, t.base));
        }
    }
    if (g.is(x, literal_info)) {
        const double k = real_value(g, x);
        return g.literal(product_of(k, k), g.types[ty].dt);
    }
    return g.raw(op, a, {}, ty);
}

/// exp(x) / sum(exp(y)), the sum under views, as exp(x - logsumexp(y)); -1 for anything else.
constexpr int quotient_of_exponentials(graph& g, int x, int y);

constexpr int divide_::normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
    const dtype d = g.types[ty].dt;
    if (is_real(d)) {
        if (g.is(a[1], literal_info)) {
            const double k = real_value(g, a[1]), size = k < 0 ? -k : k;
            if (size > 1e-300 && size < 1e300) return fitted(g, g.make(info<multiply_>, g.literal(1 / k, d), a[0]), ty);
        }
        if (g.is(a[0], literal_info) && real_value(g, a[0]) == 1) return g.make(info<reciprocal_>, a[1]);
        if (g.is(a[0], info<multiply_>) && g.is(g.arg(a[0], 0), literal_info)) {  // constants to the front
            const term t = split_coefficient(g, a[0], info<multiply_>);
            if (t.base != a[0]) return g.make(info<multiply_>, g.literal(t.coefficient, d), g.make(op, t.base, a[1]));
        }
        if (const int q = quotient_of_exponentials(g, a[0], a[1]); q >= 0) return fitted(g, q, ty);
        if (g.is(a[0], info<masked_>)) return fitted(g, g.make(info<masked_>, g.arg(a[0], 0), g.make(op, g.arg(a[0], 1), a[1])), ty);
    }
    return g.raw(op, a, {}, ty);
}

/// A divisor with fewer axes than the dividend is inverted once, outside the loop.
constexpr int divide_::expand(graph& g, int node) {
    const int x = g.arg(node, 0), y = g.arg(node, 1);
    if (!is_real(g.dtype_of(node)) || g.nodes[x].ty == g.nodes[y].ty || g.nodes[y].ty == g.nodes[node].ty) return node;
    return g.make(info<multiply_>, x, g.make(info<reciprocal_>, y));
}

constexpr int reciprocal_::normalise(graph& g, const op_info& op, view<int> a, view<int>, int ty) {
    if (g.is(a[0], literal_info)) {
        const double k = real_value(g, a[0]);
        if (k != 0) return g.literal(1 / k, g.types[ty].dt);
    }
    return g.raw(op, a, {}, ty);
}


}  // namespace bits
}  // namespace cotan

#endif
