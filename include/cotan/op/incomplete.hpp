#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/gamma.hpp>
#include <cotan/op/kernel/lanes.hpp>

namespace cotan {

namespace bits {

// The regularised incomplete gamma and beta functions. Their derivatives by the shapes have no closed form: the series and continued fractions are
// run on numbers that carry their derivatives along. Where the function is small its own expansion is used and not one minus the other's, and in each
// expansion a derivative's terms have one sign, so that small derivatives keep their digits as well.

/// A number and its derivatives by `Variables` variables: up to the first or second order.
template <int Variables, int Order>
struct taylor {
    static constexpr int first = Order > 0 ? Variables : 0, second = Order > 1 ? Variables * (Variables + 1) / 2 : 0;
    double d[1 + first + second] = {};

    taylor() = default;
    taylor(double value) { d[0] = value; }
    /// The variable k itself.
    static taylor variable(int k, double value) {
        taylor r(value);
        if constexpr (Order > 0) r.d[1 + k] = 1;
        return r;
    }
    static constexpr int at(int i, int j) { return 1 + first + i * Variables - i * (i + 1) / 2 + j; }  // i <= j
    static constexpr int at(int i) { return 1 + i; }

    friend taylor operator+(taylor x, const taylor& y) {
        for (int k = 0; k < 1 + first + second; ++k) x.d[k] += y.d[k];
        return x;
    }
    friend taylor operator-(taylor x, const taylor& y) {
        for (int k = 0; k < 1 + first + second; ++k) x.d[k] -= y.d[k];
        return x;
    }
    friend taylor operator*(const taylor& x, const taylor& y) {
        taylor r(x.d[0] * y.d[0]);
        if constexpr (Order > 0)
            for (int i = 0; i < Variables; ++i) r.d[at(i)] = x.d[0] * y.d[at(i)] + x.d[at(i)] * y.d[0];
        if constexpr (Order > 1)
            for (int i = 0; i < Variables; ++i)
                for (int j = i; j < Variables; ++j)
                    r.d[at(i, j)] = x.d[0] * y.d[at(i, j)] + x.d[at(i, j)] * y.d[0] + x.d[at(i)] * y.d[at(j)] + x.d[at(j)] * y.d[at(i)];
        return r;
    }
    friend taylor inverse(const taylor& x) {
        const double y = 1 / x.d[0];
        taylor r(y);
        if constexpr (Order > 0)
            for (int i = 0; i < Variables; ++i) r.d[at(i)] = -y * y * x.d[at(i)];
        if constexpr (Order > 1)
            for (int i = 0; i < Variables; ++i)
                for (int j = i; j < Variables; ++j) r.d[at(i, j)] = y * y * (2 * y * x.d[at(i)] * x.d[at(j)] - x.d[at(i, j)]);
        return r;
    }
    friend taylor operator/(const taylor& x, const taylor& y) { return x * inverse(y); }
    /// exp(l) for a logarithm l with these derivatives, the value known apart.
    static taylor exponential(double value, const taylor& l) {
        taylor r(value);
        if constexpr (Order > 0)
            for (int i = 0; i < Variables; ++i) r.d[at(i)] = value * l.d[at(i)];
        if constexpr (Order > 1)
            for (int i = 0; i < Variables; ++i)
                for (int j = i; j < Variables; ++j) r.d[at(i, j)] = value * (l.d[at(i)] * l.d[at(j)] + l.d[at(i, j)]);
        return r;
    }
    static taylor all(double value) {
        taylor r;
        for (double& v : r.d) v = value;
        return r;
    }
    /// Whether a last step was no more than a part of each.
    bool settled(const taylor& step, double part) const {
        for (int k = 0; k < 1 + first + second; ++k)
            if (std::fabs(step.d[k]) > part * std::fabs(d[k])) return false;
        return true;
    }
};

/// More terms than any expansion below needs: where a derivative is near 0 its last digits may never settle.
inline int most_terms(double shape) { return 400 + static_cast<int>(12 * std::sqrt(shape < 1e12 ? shape : 1e12)); }

/// log(1 + t) - t.
inline double log1p_less(double t) {
    if (std::fabs(t) > 0.5) return std::log1p(t) - t;
    const double z = t / (2 + t), w = z * z;  // log(1 + t) = 2 artanh(z)
    double s = 0;
    for (int k = 35; k > 1; k -= 2) s = s * w + 1.0 / k;
    return 2 * z * w * s - t * z;
}
/// log gamma(a) without Stirling's (a - 1/2) log a - a + log(2 pi) / 2.
inline double stirling_rest(double a) {
    if (a < 10) return simd::lgamma(a) - (a - 0.5) * std::log(a) + a - 0.91893853320467274178;
    const double y = 1 / a, z = y * y;
    return y * (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * (691.0 / 360360 - z / 156))))));
}
/// log a - digamma(a).
inline double log_less_digamma(double a) {
    if (a < 12) return std::log(a) - simd::digamma(a);
    const double y = 1 / a, z = y * y;
    return y / 2 + z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
}

/// log gamma(1 + a) for 0 <= a <= 1/2, with its own digits near 0: a (1 - Euler's constant) - log(1 + a) + (zeta(2) - 1) a^2 / 2 - (zeta(3) - 1) a^3 / 3 + ...
inline double log_gamma_above_one(double a) {
    constexpr double zeta[] = {6.4493406684822643647e-1, 2.0205690315959428540e-1, 8.2323233711138191516e-2, 3.6927755143369926331e-2, 1.7343061984449139714e-2,
                               8.3492773819228268398e-3, 4.0773561979443393787e-3, 2.0083928260822144179e-3, 9.9457512781808533715e-4, 4.9418860411946455870e-4,
                               2.4608655330804829863e-4, 1.2271334757848914675e-4, 6.1248135058704829259e-5, 3.0588236307020493552e-5, 1.5282259408651871733e-5,
                               7.6371976378997622737e-6, 3.8172932649998398565e-6, 1.9082127165539389257e-6, 9.5396203387279611315e-7, 4.7693298678780646312e-7,
                               2.3845050272773299000e-7, 1.1921992596531107307e-7, 5.9608189051259479612e-8, 2.9803503514652280186e-8};
    double s = 0;
    for (int k = 25; k >= 2; --k) s = (k & 1 ? -1 : 1) * zeta[k - 2] / k + a * s;
    return a * (0.42278433509846713939 + a * s) - std::log1p(a);
}

/// x^a e^-x / gamma(a + 1) and its derivatives by a.
template <int Order>
taylor<1, Order> gamma_weight(double a, double x) {
    double value;
    taylor<1, Order> l;
    const double m = (x - a) / a;
    if (a < 10) value = std::exp(a * std::log(x) - x - (a <= 0.5 ? log_gamma_above_one(a) : simd::lgamma(a + 1)));
    else value = std::exp(a * log1p_less(m) - stirling_rest(a)) / std::sqrt(6.2831853071795864769 * a);
    if constexpr (Order > 0) l.d[1] = a < 12 ? std::log(x) - simd::digamma(a + 1) : std::log1p(m) + log_less_digamma(a) - 1 / a;
    if constexpr (Order > 1) l.d[2] = -simd::trigamma(a + 1);
    return taylor<1, Order>::exponential(value, l);
}

/// P(a, x), or Q(a, x) = 1 - P(a, x) with `upper`, and its derivatives by a. Series: DLMF 8.7.3 and 8.7.1; continued fraction: 8.9.2, by
/// Lentz's method. The number of terms is some multiple of sqrt(a) where x is near a.
template <int Order>
taylor<1, Order> incomplete_gamma(double a, double x, bool upper) {
    using number = taylor<1, Order>;
    if (!(a >= 0) || !(x >= 0) || (std::isinf(a) && std::isinf(x))) return number::all(simd::undefined<double>);
    if (x == 0 || std::isinf(a)) return upper ? 1 : 0;
    if (std::isinf(x)) return upper ? 0 : 1;
    const number A = number::variable(0, a);
    if (x >= 1 && x > a) {
        number b = number(x + 1) - A, c(1e300), d = inverse(b), h = d;
        bool before = false;
        for (int i = 1; i < most_terms(a); ++i) {
            const number an = number(i) * (A - number(i));
            b = b + number(2);
            d = inverse(an * d + b);
            c = b + an / c;
            const number next = h * (d * c), step = next - h;
            h = next;
            const bool now = h.settled(step, 1e-15);
            if (now && before) break;  // at a whole a the value alone is there early
            before = now;
        }
        const number q = gamma_weight<Order>(a, x) * A * h;
        return upper ? q : number(1) - q;
    }
    if (upper && x < 1 && a < 0.5) {  // 1 - x^a / gamma(1 + a), and the rest of an alternating series
        const double log_value = a * std::log(x) - log_gamma_above_one(a);
        number l;
        if constexpr (Order > 0) l.d[1] = std::log(x) - simd::digamma(a + 1);
        if constexpr (Order > 1) l.d[2] = -simd::trigamma(a + 1);
        const number power = number::exponential(std::exp(log_value), l);
        number sum;
        double t = 1;
        for (int n = 1; n < 60; ++n) {
            t *= -x / n;
            sum = sum + number(t) * inverse(A + number(n));
        }
        number less = number(0) - power;
        less.d[0] = -std::expm1(log_value);
        return less - power * A * sum;
    }
    number t(1), sum(1);
    for (int n = 1; n < most_terms(a); ++n) {
        t = t * number(x) * inverse(A + number(n));
        sum = sum + t;
        if (sum.settled(t, 1e-17)) break;
    }
    const number p = gamma_weight<Order>(a, x) * sum;
    return upper ? number(1) - p : p;
}

/// The density of the gamma distribution, x^(a - 1) e^-x / gamma(a); it continues to a <= 0.
inline double gamma_density_number(double a, double x) {
    if (!(x >= 0) || a != a) return simd::undefined<double>;
    if (std::isinf(x)) return 0;
    const bool pole = a <= 0 && a == std::floor(a);
    if (pole) return 0;
    if (x == 0) return a > 1 ? 0 : a == 1 ? 1 : std::copysign(simd::infinite<double>, std::tgamma(a));
    if (a > 0) return gamma_weight<0>(a, x).d[0] * (a / x);
    return std::pow(x, a - 1) * std::exp(-x) / std::tgamma(a);
}

/// x^a y^b / B(a, b), y = 1 - x, and its derivatives by a and b.
template <int Order>
taylor<2, Order> beta_weight(double a, double b, double x, double y, double log_x, double log_y) {
    const double total = a + b, delta = x * b - y * a, s = delta / a, t = -delta / b;
    const double exponent = std::fabs(s) < 0.5 && std::fabs(t) < 0.5 ? a * log1p_less(s) + b * log1p_less(t)
                                                                     : a * (log_x - std::log(a / total)) + b * (log_y - std::log(b / total));
    const double value = std::exp(exponent + stirling_rest(total) - stirling_rest(a) - stirling_rest(b)) * std::sqrt(a / total * b / 6.2831853071795864769);
    taylor<2, Order> l;
    if constexpr (Order > 0) {
        const double rest = log_less_digamma(total);
        l.d[1] = (std::fabs(s) < 0.5 ? std::log1p(s) : log_x - std::log(a / total)) + log_less_digamma(a) - rest;
        l.d[2] = (std::fabs(t) < 0.5 ? std::log1p(t) : log_y - std::log(b / total)) + log_less_digamma(b) - rest;
    }
    if constexpr (Order > 1) {
        const double both = simd::trigamma(total);
        l.d[3] = both - simd::trigamma(a);
        l.d[4] = both;
        l.d[5] = both - simd::trigamma(b);
    }
    return taylor<2, Order>::exponential(value, l);
}

/// I_x(a, b) and its derivatives by a and b. Continued fraction: DLMF 8.17.22, by Lentz's method.
template <int Order>
taylor<2, Order> incomplete_beta(double a, double b, double x) {
    using number = taylor<2, Order>;
    if (!(a > 0) || !(b > 0) || std::isinf(a) || std::isinf(b) || !(x >= 0) || !(x <= 1)) return number::all(simd::undefined<double>);
    if (x == 0 || x == 1) return x;
    const bool swapped = x > (a + 1) / (a + b + 2);
    const double y = 1 - x, log_x = std::log(x), log_y = std::log1p(-x);
    const number A = number::variable(swapped ? 1 : 0, swapped ? b : a), B = number::variable(swapped ? 0 : 1, swapped ? a : b), total = A + B;
    const number X(swapped ? y : x);
    number c(1), d = inverse(number(1) - total * X / (A + number(1))), h = d;
    bool before = false;
    for (int m = 1; m < most_terms(a > b ? a : b); ++m) {
        const number n(m), twice = A + number(2.0 * m);
        const number even = n * (B - n) * X / ((twice - number(1)) * twice);
        d = inverse(number(1) + even * d);
        c = number(1) + even / c;
        number next = h * (d * c);
        const number odd = number(0) - (A + n) * (total + n) * X / (twice * (twice + number(1)));
        d = inverse(number(1) + odd * d);
        c = number(1) + odd / c;
        next = next * (d * c);
        const bool now = next.settled(next - h, 1e-15);
        h = next;
        if (now && before) break;
        before = now;
    }
    const number r = beta_weight<Order>(a, b, x, y, log_x, log_y) * h / A;
    return swapped ? number(1) - r : r;
}

/// The density of the beta distribution, x^(a - 1) (1 - x)^(b - 1) / B(a, b).
inline double beta_density_number(double a, double b, double x) {
    if (!(a > 0) || !(b > 0) || std::isinf(a) || std::isinf(b) || !(x >= 0) || !(x <= 1)) return simd::undefined<double>;
    if (x == 0) return a > 1 ? 0 : a == 1 ? b : simd::infinite<double>;
    if (x == 1) return b > 1 ? 0 : b == 1 ? a : simd::infinite<double>;
    return beta_weight<0>(a, b, x, 1 - x, std::log(x), std::log1p(-x)).d[0] / x / (1 - x);
}

/// The density of the gamma distribution. Derivatives: by a the density times log x - digamma(a); by x the density times (a - 1) / x - 1, which at 0 is the
/// density for a - 1 less that for a.
struct gamma_density_ : elementwise<gamma_density_, 2> {
    static constexpr auto name = "gamma_density";
    static constexpr int cost = 150;
    template <class V> static V kernel(V a, V x) {
        return each_lane([](auto k, auto v) { return gamma_density_number(static_cast<double>(k), static_cast<double>(v)); }, a, x);
    }
    static constexpr auto partials(auto p, auto a, auto x) {
        return list(xlogy(p, x) - p * digamma(a), where(x != c<0>, p * ((a - c<1>) / x - c<1>), apply<gamma_density_>(a - c<1>, x) - p));
    }
};

/// The second derivative of P(a, x) by a. A third is refused. By x: the density's second derivative by a.
struct gammainc_aa_ : elementwise<gammainc_aa_, 2> {
    static constexpr auto name = "gammainc_aa";
    static constexpr int cost = 3000;
    template <class V> static V kernel(V a, V x) {
        return each_lane([](auto k, auto v) { return incomplete_gamma<2>(static_cast<double>(k), static_cast<double>(v), false).d[2]; }, a, x);
    }
    static constexpr sym by_x(sym a, sym x) { return apply_in_graph<gamma_density_>(a, x) * (square(log(x) - digamma(a)) - trigamma(a)); }
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0)) c.g->fail(fault::no_derivative, info<gammainc_aa_>);
        if (c.wanted(1)) c.give(1, c.ct() * by_x(c.x(0), c.x(1)));
    }
    static constexpr void pushforward(push_context& c) {
        if (c.has(0)) c.g->fail(fault::no_derivative, info<gammainc_aa_>);
        if (c.has(1)) c.give(c.t(1) * by_x(c.x(0), c.x(1)));
    }
};
/// The derivative of P(a, x) by a.
struct gammainc_a_ : elementwise<gammainc_a_, 2> {
    static constexpr auto name = "gammainc_a";
    static constexpr int cost = 1500;
    template <class V> static V kernel(V a, V x) {
        return each_lane([](auto k, auto v) { return incomplete_gamma<1>(static_cast<double>(k), static_cast<double>(v), false).d[1]; }, a, x);
    }
    static constexpr auto partials(auto, auto a, auto x) {
        const auto p = apply<gamma_density_>(a, x);
        return list(apply<gammainc_aa_>(a, x), xlogy(p, x) - p * digamma(a));
    }
};

/// P(a, x). Derivatives: by a its own expansion's; by x the density.
struct gammainc_ : elementwise<gammainc_, 2> {
    static constexpr auto name = "gammainc";
    static constexpr int cost = 800;
    template <class V> static V kernel(V a, V x) {
        return each_lane([](auto k, auto v) { return incomplete_gamma<0>(static_cast<double>(k), static_cast<double>(v), false).d[0]; }, a, x);
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr auto partials(auto, auto a, auto x) { return list(apply<gammainc_a_>(a, x), apply<gamma_density_>(a, x)); }
};
/// Q(a, x) = 1 - P(a, x).
struct gammaincc_ : elementwise<gammaincc_, 2> {
    static constexpr auto name = "gammaincc";
    static constexpr int cost = 800;
    template <class V> static V kernel(V a, V x) {
        return each_lane([](auto k, auto v) { return incomplete_gamma<0>(static_cast<double>(k), static_cast<double>(v), true).d[0]; }, a, x);
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr auto partials(auto, auto a, auto x) { return list(-apply<gammainc_a_>(a, x), -apply<gamma_density_>(a, x)); }
};

/// The density of the beta distribution. Derivatives: the density times log x - digamma(a) + digamma(a + b), the same of b and 1 - x, and
/// (a - 1) / x - (b - 1) / (1 - x).
struct beta_density_ : elementwise<beta_density_, 3> {
    static constexpr auto name = "beta_density";
    static constexpr int cost = 250;
    template <class V> static V kernel(V a, V b, V x) {
        return each_lane([](auto k, auto l, auto v) { return beta_density_number(static_cast<double>(k), static_cast<double>(l), static_cast<double>(v)); }, a, b, x);
    }
    static constexpr auto partials(auto p, auto a, auto b, auto x) {
        const auto both = digamma(a + b);
        return list(xlogy(p, x) + p * (both - digamma(a)), xlog1py(p, -x) + p * (both - digamma(b)),
                    p * (apply<masked_>(a != c<1>, (a - c<1>) / x) - apply<masked_>(b != c<1>, (b - c<1>) / (c<1> - x))));
    }
};

/// What the derivatives of I_x(a, b) by a and b have in common. M: the order by a, N: by b.
template <int M, int N>
struct betainc_kernel {
    static constexpr auto name = M == 2 ? "betainc_aa" : N == 2 ? "betainc_bb" : M && N ? "betainc_ab" : M ? "betainc_a" : "betainc_b";
    static constexpr int cost = 2000 * (M + N);
    static constexpr int entry = M + N == 1 ? (M ? 1 : 2) : M == 2 ? 3 : N == 2 ? 5 : 4;
    template <class V> static V kernel(V a, V b, V x) {
        return each_lane([](auto k, auto l, auto v) { return incomplete_beta<M + N>(static_cast<double>(k), static_cast<double>(l), static_cast<double>(v)).d[entry]; }, a, b, x);
    }
    /// The density's derivative by a and b.
    static constexpr sym by_x(sym a, sym b, sym x) {
        const sym p = apply_in_graph<beta_density_>(a, b, x), both = digamma(a + b);
        const sym by_a = log(x) + both - digamma(a), by_b = log1p(-x) + both - digamma(b);
        if constexpr (M + N == 1) return M ? p * by_a : p * by_b;
        else if constexpr (M == 1) return p * (by_a * by_b + trigamma(a + b));
        else return M ? p * (square(by_a) + trigamma(a + b) - trigamma(a)) : p * (square(by_b) + trigamma(a + b) - trigamma(b));
    }
};
/// A second derivative of I_x(a, b) by a and b. Third ones are refused.
template <int M, int N>
struct betainc_second_ : elementwise<betainc_second_<M, N>, 3>, betainc_kernel<M, N> {
    static constexpr void pullback(pull_context& c) {
        if (c.wanted(0) || c.wanted(1)) c.g->fail(fault::no_derivative, info<betainc_second_>);
        if (c.wanted(2)) c.give(2, c.ct() * betainc_second_::by_x(c.x(0), c.x(1), c.x(2)));
    }
    static constexpr void pushforward(push_context& c) {
        if (c.has(0) || c.has(1)) c.g->fail(fault::no_derivative, info<betainc_second_>);
        if (c.has(2)) c.give(c.t(2) * betainc_second_::by_x(c.x(0), c.x(1), c.x(2)));
    }
};
/// A first derivative of I_x(a, b) by a or b.
template <int M, int N>
struct betainc_first_ : elementwise<betainc_first_<M, N>, 3>, betainc_kernel<M, N> {
    static constexpr auto partials(auto, auto a, auto b, auto x) {
        return list(apply<betainc_second_<M + 1, N>>(a, b, x), apply<betainc_second_<M, N + 1>>(a, b, x), betainc_first_::by_x(a, b, x));
    }
};

/// I_x(a, b). Derivatives: by a and b its own expansion's; by x the density.
struct betainc_ : elementwise<betainc_, 3> {
    static constexpr auto name = "betainc";
    static constexpr int cost = 1000;
    template <class V> static V kernel(V a, V b, V x) {
        return each_lane([](auto k, auto l, auto v) { return incomplete_beta<0>(static_cast<double>(k), static_cast<double>(l), static_cast<double>(v)).d[0]; }, a, b, x);
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr auto partials(auto, auto a, auto b, auto x) {
        return list(apply<betainc_first_<1, 0>>(a, b, x), apply<betainc_first_<0, 1>>(a, b, x), apply<beta_density_>(a, b, x));
    }
};

}  // namespace bits

/// The regularised lower incomplete gamma function P(a, x), the gamma distribution's share below x: a >= 0, x >= 0, NaN elsewhere. Up to two
/// derivatives by a, a third is refused; any number by x.
template <class A, class B> requires bits::operands<A, B> constexpr auto gammainc(A a, B x) { return bits::apply<bits::gammainc_>(a, x); }
/// The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x), with digits of its own where it is small.
template <class A, class B> requires bits::operands<A, B> constexpr auto gammaincc(A a, B x) { return bits::apply<bits::gammaincc_>(a, x); }
/// The regularised incomplete beta function I_x(a, b), the beta distribution's share below x: a > 0, b > 0, 0 <= x <= 1, NaN elsewhere. Up to two
/// derivatives by a and b together, a third is refused; any number by x.
template <operand A, operand B, operand C> constexpr auto betainc(A a, B b, C x) { return bits::apply<bits::betainc_>(a, b, x); }

}  // namespace cotan

#endif
