#pragma once

#include <cotan/op/kernel/lanes.hpp>
#include <cotan/random/draw.hpp>

#include <bit>
#include <cmath>

// Distributions whose numbers are found by trying: operations on an element's parameters and on one uniform number, whose bits are the key of a stream of
// the element's own. How many tries one element takes changes no other.
namespace cotan::bits {

/// Uniform numbers in (0, 1), as many as are asked for.
class inner_stream {
public:
    explicit inner_stream(double u) : key_(std::bit_cast<std::uint64_t>(u)) {}
    double operator()() {
        if (!(next_ & 1)) block_ = simd::philox_block(key_, 0, simd::tagged(next_ / 2, simd::stream::inner));
        const std::uint64_t w = next_ & 1 ? block_[2] | std::uint64_t{block_[3]} << 32 : block_[0] | std::uint64_t{block_[1]} << 32;
        ++next_;
        return std::bit_cast<double>(w >> 12 | simd::one_bits) - 0x1.fffffffffffffp-1;
    }
    double normal() {
        const double radius = std::sqrt(-2 * std::log((*this)()));
        return radius * std::cos(6.28318530717958647693 * (*this)());
    }

private:
    std::uint64_t key_, next_ = 0;
    r123::Philox4x32::ctr_type block_{{}};
};

/// Gamma with rate 1 and shape a >= 1: Marsaglia and Tsang, ACM TOMS 26 (2000) 363.
inline double sample_gamma(double a, double u) {
    if (!(a >= 1) || !(a < 1e300)) return simd::undefined<double>;
    inner_stream uniform(u);
    const double d = a - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = uniform.normal(), t = 1 + c * x;
        if (!(t > 0)) continue;
        const double v = t * t * t;
        if (std::log(uniform()) < 0.5 * x * x + d * (1 - v + std::log(v))) return d * v;
    }
}

/// dx/da of the gamma quantile x at a fixed probability, for a >= 1: minus the derivative of the distribution function by a, over the density. Both are
/// integrals over one side of x, and on the side that does not hold exp(digamma(a)) the integrand (log t - digamma(a)) density(t) has one sign, so that
/// nothing cancels.
inline double gamma_shape_slope(double a, double x) {
    if (!(a >= 1) || !(x > 0) || std::isinf(x) || std::isinf(a)) return x == 0 ? 0 : simd::undefined<double>;
    const double centre = simd::digamma(a);
    const bool below = std::log(x) < centre;
    // t = x exp(-s) below and x exp(s) above; density(t) t / density(x) = exp(a (log t - log x) - (t - x))
    const auto exponent = [&](double s) { return below ? -a * s - x * std::expm1(-s) : a * s - x * std::expm1(s); };
    double end = 1e-3;  // past the end the integrand is below exp(-50)
    while (exponent(end) > -50 && end < 1e6) end *= 1.25;
    // Gauss-Legendre with 20 points on pieces
    static constexpr double at[] = {0.0765265211334973338, 0.2277858511416450781, 0.3737060887154195607, 0.5108670019508270980, 0.6360536807265150254,
                                    0.7463319064601507926, 0.8391169718222188234, 0.9122344282513259059, 0.9639719272779137912, 0.9931285991850949248};
    static constexpr double weight[] = {0.1527533871307258507, 0.1491729864726037467, 0.1420961093183820513, 0.1316886384491766269, 0.1181945319615184174,
                                        0.1019301198172404351, 0.0832767415767047487, 0.0626720483341090636, 0.0406014298003869413, 0.0176140071391521183};
    constexpr int pieces = 12;
    double sum = 0;
    for (int p = 0; p < pieces; ++p) {
        const double half = end / (2 * pieces), middle = (2 * p + 1) * half;
        for (int i = 0; i < 10; ++i)
            for (double side : {-1.0, 1.0}) {
                const double s = middle + side * half * at[i], log_t = std::log(x) + (below ? -s : s);
                sum += half * weight[i] * std::fabs(log_t - centre) * std::exp(exponent(s));
            }
    }
    return x * sum;
}

/// Poisson: products of uniform numbers for small rates, and for others the transformed rejection PTRS of Hoermann, Insurance: Mathematics and Economics
/// 12 (1993) 39.
inline double sample_poisson(double rate, double u) {
    if (!(rate >= 0) || std::isinf(rate)) return simd::undefined<double>;
    inner_stream uniform(u);
    if (rate < 10) {
        const double end = std::exp(-rate);
        double k = 0;
        for (double product = uniform(); product > end; product *= uniform()) ++k;
        return k;
    }
    const double log_rate = std::log(rate), b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4);
    const double most = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double v = uniform() - 0.5, w = uniform(), us = 0.5 - std::fabs(v);
        const double k = std::floor((2 * a / us + b) * v + rate + 0.43);
        if (us >= 0.07 && w <= most) return k;
        if (k < 0 || (us < 0.013 && w > us)) continue;
        if (std::log(w * inverse / (a / (us * us) + b)) <= k * log_rate - rate - std::lgamma(k + 1)) return k;
    }
}

/// Binomial: waiting times for small means, and for others the transformed rejection BTRS of Hoermann, Journal of Statistical Computation and Simulation
/// 46 (1993) 101.
inline double sample_binomial(double n, double p, double u) {
    if (!(n >= 0) || !(p >= 0) || !(p <= 1) || n != std::floor(n) || std::isinf(n)) return simd::undefined<double>;
    if (p > 0.5) return n - sample_binomial(n, 1 - p, u);
    if (p == 0 || n == 0) return 0;
    inner_stream uniform(u);
    if (n * p < 10) {
        const double scale = std::log1p(-p);
        double trials = 0, k = 0;
        for (;; ++k) {
            trials += std::floor(std::log(uniform()) / scale) + 1;
            if (trials > n) return k;
        }
    }
    const double spread = std::sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5, most = 0.92 - 4.2 / b;
    const double alpha = (2.83 + 5.1 / b) * spread, odds = std::log(p / (1 - p)), m = std::floor((n + 1) * p), h = std::lgamma(m + 1) + std::lgamma(n - m + 1);
    for (;;) {
        const double v = uniform() - 0.5, w = uniform(), us = 0.5 - std::fabs(v), k = std::floor((2 * a / us + b) * v + c);
        if (us >= 0.07 && w <= most) return k;
        if (k < 0 || k > n) continue;
        if (std::log(w * alpha / (a / (us * us) + b)) <= h - std::lgamma(k + 1) - std::lgamma(n - k + 1) + (k - m) * odds) return k;
    }
}

/// The quantile of the standard normal distribution: Wichura, algorithm AS 241, Applied Statistics 37 (1988) 477, to about 1e-16.
inline double normal_quantile_number(double p) {
    if (!(p > 0) || !(p < 1)) return p == 0 ? -simd::infinite<double> : p == 1 ? simd::infinite<double> : simd::undefined<double>;
    const auto ratio = [](double r, const double (&a)[8], const double (&b)[8]) {
        double x = a[7], y = b[7];
        for (int i = 6; i >= 0; --i) {
            x = x * r + a[i];
            y = y * r + b[i];
        }
        return x / y;
    };
    static constexpr double a[] = {3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
                                   45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727};
    static constexpr double b[] = {1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077, 21213.794301586595867, 39307.895800092710610,
                                   28729.085735721942674, 5226.4952788528545610};
    static constexpr double c[] = {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
                                   1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4};
    static constexpr double d[] = {1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550, 0.148103976427480074590, 0.0151986665636164571966,
                                   5.47593808499534494600e-4, 1.05075007164441684324e-9};
    static constexpr double e[] = {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230,
                                   0.0265321895265761230930, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static constexpr double f[] = {1, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
                                   1.42151175831644588870e-7, 2.04426310338993978564e-15};
    const double q = p - 0.5;
    if (std::fabs(q) <= 0.425) return q * ratio(0.180625 - q * q, a, b);
    const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p)), z = r <= 5 ? ratio(r - 1.6, c, d) : ratio(r - 5, e, f);
    return q < 0 ? -z : z;
}

/// Gamma with shape a >= 1 and rate 1, from a uniform number. Derivative by the shape: implicit, see gamma_shape_slope.
struct random_gamma_ : elementwise<random_gamma_, 2> {
    static constexpr auto name = "random_gamma";
    static constexpr int cost = 400;
    template <class V> static V kernel(V a, V u) {
        return each_lane([](auto s, auto v) { return sample_gamma(static_cast<double>(s), static_cast<double>(v)); }, a, u);
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_positive | is_nonnegative; }
    static constexpr auto partials(auto y, auto a, auto);
};
/// The derivative of a gamma quantile by the shape. It has no derivative of its own: higher orders are refused.
struct gamma_shape_slope_ : elementwise<gamma_shape_slope_, 2> {
    static constexpr auto name = "gamma_shape_slope";
    static constexpr int cost = 5000;
    template <class V> static V kernel(V a, V x) {
        return each_lane([](auto s, auto v) { return gamma_shape_slope(static_cast<double>(s), static_cast<double>(v)); }, a, x);
    }
    static constexpr bool no_gradient = true;
    static constexpr auto partials(auto, auto, auto) { return list(nothing, nothing); }
};
constexpr auto random_gamma_::partials(auto y, auto a, auto) { return list(apply<gamma_shape_slope_>(a, y), nothing); }

struct random_poisson_ : elementwise<random_poisson_, 2> {
    static constexpr auto name = "random_poisson";
    static constexpr int cost = 300;
    template <class V> static V kernel(V rate, V u) {
        return each_lane([](auto r, auto v) { return sample_poisson(static_cast<double>(r), static_cast<double>(v)); }, rate, u);
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr auto partials(auto, auto, auto) { return list(nothing, nothing); }
};
struct random_binomial_ : elementwise<random_binomial_, 3> {
    static constexpr auto name = "random_binomial";
    static constexpr int cost = 300;
    template <class V> static V kernel(V n, V p, V u) {
        return each_lane([](auto m, auto q, auto v) { return sample_binomial(static_cast<double>(m), static_cast<double>(q), static_cast<double>(v)); }, n, p, u);
    }
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
    static constexpr auto partials(auto, auto, auto, auto) { return list(nothing, nothing, nothing); }
};
/// Derivative: sqrt(2 pi) exp(z^2 / 2).
struct normal_quantile_ : elementwise<normal_quantile_> {
    static constexpr auto name = "normal_quantile";
    static constexpr int cost = 50;
    template <class V> static V kernel(V p) {
        return each_lane([](auto v) { return normal_quantile_number(static_cast<double>(v)); }, p);
    }
    static constexpr auto partials(auto y, auto) { return list(c<2.50662827463100050242> * exp(c<0.5> * square(y))); }
};

}  // namespace cotan::bits
