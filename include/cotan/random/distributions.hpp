#pragma once

#include <cotan/random/sampler.hpp>

// Distributions. Each is an object:
//     random::normal(key, mu, sigma, like(x))    a draw: .value and .next. The last argument is the shape; without it, what the parameters broadcast to
//     random::normal.log_density(x, mu, sigma)   the logarithm of its density, or of its probabilities; -infinity outside its support
//     random::normal.cdf(x, mu, sigma)           the distribution function, where it has a closed form
// All are expressions, with derivatives in the parameters and in x. A draw's derivative in its parameters is that of the transformation which makes it
// from numbers without parameters (for the shape of a gamma distribution, the implicit one). Discrete draws have none, and asking for one is refused.
namespace cotan::random {

namespace detail {

inline constexpr auto log_root_2pi = c<0.91893853320467274178>;
inline constexpr auto root_half = c<0.70710678118654752440>;

template <class T> inline constexpr bool is_shape = false;
template <class... E> inline constexpr bool is_shape<bits::shape_t<E...>> = true;

/// Key i of those that a draw uses inside. Numbers that users fold in are smaller.
template <int I, class K> constexpr auto inner_key(K key) { return fold_in(key, c<(1ll << 50) + I>); }
template <class K, class S> constexpr auto uniform_bits(K key, S s) { return bits::raw_draw<bits::random_uniform_>(key, s); }
template <class K, class S> constexpr auto normal_bits(K key, S s) { return bits::raw_draw<bits::random_normal_>(key, s); }

/// The logarithm of a gamma draw with rate 1: log of one with shape a + 1, and log(u) / a (Marsaglia and Tsang), which does not underflow for small a.
template <class K, class S, class A>
constexpr auto log_gamma_draw(K key, S s, A a) {
    return log(bits::apply<bits::random_gamma_>(a + c<1.0>, uniform_bits(inner_key<0>(key), s))) + log(uniform_bits(inner_key<1>(key), s)) / a;
}

template <class C, class V> constexpr auto in_support(C condition, V v) { return where(condition, v, -infinity); }
template <class X> constexpr auto is_whole(X x) { return floor(x) == x; }
template <class Z> constexpr auto normal_cdf(Z z) { return c<0.5> * erfc(-root_half * z); }

}  // namespace detail

/// The base of a distribution D, which gives draw(key, shape, parameters...) and log_density(x, parameters...).
template <class D, class Mark = bits::draw_>
struct distribution {
    template <class K, class... A>
    constexpr auto operator()(K key, A... a) const {
        static_assert(std::is_void_v<typename bits::key_check<K>::checked>);
        if constexpr (!bits::key_like<K>) return drawn<K, K>{};
        else return detail::drawn_from<Mark>(key, split_shape(key, std::tuple<A...>(a...), std::make_index_sequence<sizeof...(A)>{}));
    }

private:
    template <class K, class T, std::size_t... I>
    static constexpr auto split_shape(K key, T a, std::index_sequence<I...>) {
        constexpr std::size_t n = sizeof...(I);
        if constexpr (n > 0) {
            if constexpr (detail::is_shape<std::tuple_element_t<n - 1, T>>)
                return [&]<std::size_t... J>(std::index_sequence<J...>) { return D::draw(key, std::get<n - 1>(a), std::get<J>(a)...); }(std::make_index_sequence<n - 1>{});
            else return D::draw(key, D::default_shape(std::get<I>(a)...), std::get<I>(a)...);
        } else return D::draw(key, bits::shape_t<>{});
    }

public:
    template <class... P> static constexpr auto default_shape(P... p) { return detail::common_shape(p...); }
};

struct uniform_t : distribution<uniform_t> {
    template <class K, class S, class L, class H> static constexpr auto draw(K key, S s, L low, H high) { return low + (high - low) * detail::uniform_bits(key, s); }
    template <class X, class L, class H> static constexpr auto log_density(X x, L low, H high) {
        return detail::in_support(low <= x && x <= high, -log(high - low));
    }
    template <class X, class L, class H> static constexpr auto cdf(X x, L low, H high) { return clip((x - low) / (high - low), c<0.0>, c<1.0>); }
};
/// uniform(low, high). Density 1 / (high - low) in [low, high].
inline constexpr uniform_t uniform{};

struct normal_t : distribution<normal_t> {
    template <class K, class S, class M, class V> static constexpr auto draw(K key, S s, M mu, V sigma) { return mu + sigma * detail::normal_bits(key, s); }
    template <class X, class M, class S> static constexpr auto log_density(X x, M mu, S sigma) {
        return c<-0.5> * square((x - mu) / sigma) - log(sigma) - detail::log_root_2pi;
    }
    template <class X, class M, class S> static constexpr auto cdf(X x, M mu, S sigma) { return detail::normal_cdf((x - mu) / sigma); }
};
/// normal(mu, sigma), sigma the standard deviation.
inline constexpr normal_t normal{};

struct lognormal_t : distribution<lognormal_t> {
    template <class K, class S, class M, class V> static constexpr auto draw(K key, S s, M mu, V sigma) { return exp(normal_t::draw(key, s, mu, sigma)); }
    template <class X, class M, class S> static constexpr auto log_density(X x, M mu, S sigma) {
        return detail::in_support(x > c<0>, normal_t::log_density(log(x), mu, sigma) - log(x));
    }
    template <class X, class M, class S> static constexpr auto cdf(X x, M mu, S sigma) { return where(x > c<0>, normal_t::cdf(log(x), mu, sigma), c<0.0>); }
};
/// lognormal(mu, sigma): the exponential of a normal number.
inline constexpr lognormal_t lognormal{};

struct exponential_t : distribution<exponential_t> {
    template <class K, class S, class R> static constexpr auto draw(K key, S s, R rate) { return -log(detail::uniform_bits(key, s)) / rate; }
    template <class X, class R> static constexpr auto log_density(X x, R rate) { return detail::in_support(x >= c<0>, log(rate) - rate * x); }
    template <class X, class R> static constexpr auto cdf(X x, R rate) { return where(x > c<0>, -expm1(-rate * x), c<0.0>); }
};
/// exponential(rate).
inline constexpr exponential_t exponential{};

struct gamma_t : distribution<gamma_t> {
    template <class K, class S, class A, class R> static constexpr auto draw(K key, S s, A shape, R rate) { return exp(detail::log_gamma_draw(key, s, shape)) / rate; }
    template <class X, class A, class R> static constexpr auto log_density(X x, A shape, R rate) {
        return detail::in_support(x >= c<0>, shape * log(rate) + xlogy(shape - c<1>, x) - rate * x - lgamma(shape));
    }
    template <class X, class A, class R> static constexpr auto cdf(X x, A shape, R rate) { return where(x > c<0>, gammainc(shape, rate * x), c<0.0>); }
};
/// gamma(shape, rate).
inline constexpr gamma_t gamma{};

struct chi_square_t : distribution<chi_square_t> {
    template <class K, class S, class N> static constexpr auto draw(K key, S s, N nu) { return gamma_t::draw(key, s, c<0.5> * nu, c<0.5>); }
    template <class X, class N> static constexpr auto log_density(X x, N nu) { return gamma_t::log_density(x, c<0.5> * nu, c<0.5>); }
    template <class X, class N> static constexpr auto cdf(X x, N nu) { return gamma_t::cdf(x, c<0.5> * nu, c<0.5>); }
};
/// chi_square(nu), nu degrees of freedom.
inline constexpr chi_square_t chi_square{};

struct beta_t : distribution<beta_t> {
    template <class K, class S, class A, class B> static constexpr auto draw(K key, S s, A a, B b) {
        return sigmoid(detail::log_gamma_draw(detail::inner_key<2>(key), s, a) - detail::log_gamma_draw(detail::inner_key<3>(key), s, b));
    }
    template <class X, class A, class B> static constexpr auto log_density(X x, A a, B b) {
        return detail::in_support(c<0> <= x && x <= c<1>, xlogy(a - c<1>, x) + xlog1py(b - c<1>, -x) - lgamma(a) - lgamma(b) + lgamma(a + b));
    }
    template <class X, class A, class B> static constexpr auto cdf(X x, A a, B b) {
        return where(x <= c<0>, c<0.0>, where(x >= c<1>, c<1.0>, betainc(a, b, x)));
    }
};
/// beta(a, b), in [0, 1].
inline constexpr beta_t beta{};

struct student_t_t : distribution<student_t_t> {
    template <class K, class S, class N, class M, class V> static constexpr auto draw(K key, S s, N nu, M mu, V sigma) {
        return mu + sigma * detail::normal_bits(detail::inner_key<2>(key), s) * exp(c<-0.5> * (detail::log_gamma_draw(key, s, c<0.5> * nu) - log(c<0.5> * nu)));
    }
    template <class X, class N, class M, class S> static constexpr auto log_density(X x, N nu, M mu, S sigma) {
        const auto half = c<0.5> * (nu + c<1>);
        return lgamma(half) - lgamma(c<0.5> * nu) - c<0.5> * log(nu * pi) - log(sigma) - half * log1p(square((x - mu) / sigma) / nu);
    }
    template <class X, class N, class M, class S> static constexpr auto cdf(X x, N nu, M mu, S sigma) {
        const auto z = (x - mu) / sigma;
        const auto tail = c<0.5> * betainc(c<0.5> * nu, c<0.5>, nu / (nu + square(z)));
        return where(z < c<0>, tail, c<1.0> - tail);
    }
};
/// student_t(nu, mu, sigma): mu + sigma t, t with nu degrees of freedom.
inline constexpr student_t_t student_t{};

struct laplace_t : distribution<laplace_t> {
    template <class K, class S, class M, class B> static constexpr auto draw(K key, S s, M mu, B scale) {
        const auto v = detail::uniform_bits(key, s) - c<0.5>;
        return mu - scale * sign(v) * log1p(c<-2.0> * abs(v));
    }
    template <class X, class M, class B> static constexpr auto log_density(X x, M mu, B scale) { return -abs(x - mu) / scale - log(c<2> * scale); }
    template <class X, class M, class B> static constexpr auto cdf(X x, M mu, B scale) {
        const auto e = c<0.5> * exp(-abs(x - mu) / scale);
        return where(x < mu, e, c<1.0> - e);
    }
};
/// laplace(mu, scale).
inline constexpr laplace_t laplace{};

struct logistic_t : distribution<logistic_t> {
    template <class K, class S, class M, class B> static constexpr auto draw(K key, S s, M mu, B scale) { return mu + scale * logit(detail::uniform_bits(key, s)); }
    template <class X, class M, class B> static constexpr auto log_density(X x, M mu, B scale) {
        const auto z = (x - mu) / scale;
        return -z - c<2> * softplus(-z) - log(scale);
    }
    template <class X, class M, class B> static constexpr auto cdf(X x, M mu, B scale) { return sigmoid((x - mu) / scale); }
};
/// logistic(mu, scale).
inline constexpr logistic_t logistic{};

struct gumbel_t : distribution<gumbel_t> {
    template <class K, class S, class M, class B> static constexpr auto draw(K key, S s, M mu, B scale) { return mu - scale * log(-log(detail::uniform_bits(key, s))); }
    template <class X, class M, class B> static constexpr auto log_density(X x, M mu, B scale) {
        const auto z = (x - mu) / scale;
        return -z - exp(-z) - log(scale);
    }
    template <class X, class M, class B> static constexpr auto cdf(X x, M mu, B scale) { return exp(-exp(-(x - mu) / scale)); }
};
/// gumbel(mu, scale), of largest values.
inline constexpr gumbel_t gumbel{};

struct weibull_t : distribution<weibull_t> {
    template <class K, class S, class A, class B> static constexpr auto draw(K key, S s, A shape, B scale) { return scale * pow(-log(detail::uniform_bits(key, s)), c<1.0> / shape); }
    template <class X, class A, class B> static constexpr auto log_density(X x, A shape, B scale) {
        const auto r = x / scale;
        return detail::in_support(x >= c<0>, log(shape) - log(scale) + xlogy(shape - c<1>, r) - pow(r, shape));
    }
    template <class X, class A, class B> static constexpr auto cdf(X x, A shape, B scale) { return where(x > c<0>, -expm1(-pow(x / scale, shape)), c<0.0>); }
};
/// weibull(shape, scale).
inline constexpr weibull_t weibull{};

struct cauchy_t : distribution<cauchy_t> {
    template <class K, class S, class M, class B> static constexpr auto draw(K key, S s, M mu, B scale) { return mu + scale * tan(pi * (detail::uniform_bits(key, s) - c<0.5>)); }
    template <class X, class M, class B> static constexpr auto log_density(X x, M mu, B scale) { return -log(pi * scale) - log1p(square((x - mu) / scale)); }
    template <class X, class M, class B> static constexpr auto cdf(X x, M mu, B scale) { return c<0.5> + atan((x - mu) / scale) / pi; }
};
/// cauchy(mu, scale).
inline constexpr cauchy_t cauchy{};

struct half_normal_t : distribution<half_normal_t> {
    template <class K, class S, class V> static constexpr auto draw(K key, S s, V sigma) { return sigma * abs(detail::normal_bits(key, s)); }
    template <class X, class S> static constexpr auto log_density(X x, S sigma) {
        return detail::in_support(x >= c<0>, c<-0.5> * square(x / sigma) - log(sigma) - c<0.22579135264472743236>);  // log(pi / 2) / 2
    }
    template <class X, class S> static constexpr auto cdf(X x, S sigma) { return where(x > c<0>, erf(detail::root_half * x / sigma), c<0.0>); }
};
/// half_normal(sigma): the magnitude of a normal number with mean 0.
inline constexpr half_normal_t half_normal{};

struct truncated_normal_t : distribution<truncated_normal_t> {
    /// The bounds in units of sigma, mirrored where both are positive: the tail in question is then the small one, which loses nothing.
    template <class M, class S, class L, class H> static constexpr auto bounds(M mu, S sigma, L low, H high) {
        const auto a = (low - mu) / sigma;
        const auto b = (high - mu) / sigma;
        return std::tuple(a > c<0>, where(a > c<0>, -b, a), where(a > c<0>, -a, b));
    }
    template <class K, class S, class M, class V, class L, class H> static constexpr auto draw(K key, S s, M mu, V sigma, L low, H high) {
        const auto [mirrored, a, b] = bounds(mu, sigma, low, high);
        const auto p = detail::normal_cdf(a);
        const auto z = bits::apply<bits::normal_quantile_>(p + (detail::normal_cdf(b) - p) * detail::uniform_bits(key, s));
        return clip(mu + sigma * where(mirrored, -z, z), low, high);
    }
    template <class X, class M, class S, class L, class H> static constexpr auto log_density(X x, M mu, S sigma, L low, H high) {
        const auto [mirrored, a, b] = bounds(mu, sigma, low, high);
        return detail::in_support(low <= x && x <= high, normal_t::log_density(x, mu, sigma) - log(detail::normal_cdf(b) - detail::normal_cdf(a)));
    }
    template <class X, class M, class S, class L, class H> static constexpr auto cdf(X x, M mu, S sigma, L low, H high) {
        const auto [mirrored, a, b] = bounds(mu, sigma, low, high);
        const auto z = (clip(x, low, high) - mu) / sigma;
        const auto whole = detail::normal_cdf(b) - detail::normal_cdf(a);
        return where(mirrored, detail::normal_cdf(b) - detail::normal_cdf(-z), detail::normal_cdf(z) - detail::normal_cdf(a)) / whole;
    }
};
/// truncated_normal(mu, sigma, low, high): a normal number under the condition that it is between the bounds.
inline constexpr truncated_normal_t truncated_normal{};

// --- discrete: draws are int64 -----------------------------------------------------------------------------------------------------------

struct bernoulli_t : distribution<bernoulli_t, bits::discrete_draw_> {
    template <class K, class S, class P> static constexpr auto draw(K key, S s, P p) { return cast<std::int64_t>(detail::uniform_bits(key, s) < p); }
    template <class X, class P> static constexpr auto log_density(X x, P p) {
        return detail::in_support(x == c<0> || x == c<1>, xlogy(x, p) + xlog1py(c<1.0> - x, -p));
    }
    template <class X, class P> static constexpr auto cdf(X x, P p) { return where(x < c<0>, c<0.0>, where(x < c<1>, c<1.0> - p, c<1.0>)); }
};
/// bernoulli(p): 1 with probability p, else 0.
inline constexpr bernoulli_t bernoulli{};

struct geometric_t : distribution<geometric_t, bits::discrete_draw_> {
    template <class K, class S, class P> static constexpr auto draw(K key, S s, P p) { return cast<std::int64_t>(floor(log(detail::uniform_bits(key, s)) / log1p(-p))); }
    template <class X, class P> static constexpr auto log_density(X x, P p) {
        return detail::in_support(x >= c<0> && detail::is_whole(x * c<1.0>), log(p) + xlog1py(x, -p));
    }
    template <class X, class P> static constexpr auto cdf(X x, P p) { return where(x < c<0>, c<0.0>, -expm1((floor(x * c<1.0>) + c<1.0>) * log1p(-p))); }
};
/// geometric(p): failures before the first success.
inline constexpr geometric_t geometric{};

struct poisson_t : distribution<poisson_t, bits::discrete_draw_> {
    template <class K, class S, class R> static constexpr auto draw(K key, S s, R rate) {
        return cast<std::int64_t>(bits::apply<bits::random_poisson_>(rate, detail::uniform_bits(key, s)));
    }
    template <class X, class R> static constexpr auto log_density(X x, R rate) {
        return detail::in_support(x >= c<0> && detail::is_whole(x * c<1.0>), xlogy(x, rate) - rate - lgamma(x + c<1.0>));
    }
    template <class X, class R> static constexpr auto cdf(X x, R rate) { return where(x < c<0>, c<0.0>, gammaincc(floor(x * c<1.0>) + c<1.0>, rate)); }
};
/// poisson(rate).
inline constexpr poisson_t poisson{};

struct binomial_t : distribution<binomial_t, bits::discrete_draw_> {
    template <class K, class S, class N, class P> static constexpr auto draw(K key, S s, N n, P p) {
        return cast<std::int64_t>(bits::apply<bits::random_binomial_>(n, p, detail::uniform_bits(key, s)));
    }
    template <class X, class N, class P> static constexpr auto log_density(X x, N n, P p) {
        return detail::in_support(c<0> <= x && x <= n && detail::is_whole(x * c<1.0>),
                                  lgamma(n + c<1.0>) - lgamma(x + c<1.0>) - lgamma(n - x + c<1.0>) + xlogy(x, p) + xlog1py(n - x, -p));
    }
    template <class X, class N, class P> static constexpr auto cdf(X x, N n, P p) {
        const auto k = floor(x * c<1.0>);
        return where(k < c<0>, c<0.0>, where(k >= n, c<1.0>, betainc(n - k, k + c<1.0>, c<1.0> - p)));
    }
};
/// binomial(n, p): successes among n trials.
inline constexpr binomial_t binomial{};

struct negative_binomial_t : distribution<negative_binomial_t, bits::discrete_draw_> {
    template <class K, class S, class R, class P> static constexpr auto draw(K key, S s, R r, P p) {
        const auto rate = exp(detail::log_gamma_draw(key, s, r)) * (c<1.0> - p) / p;
        return cast<std::int64_t>(bits::apply<bits::random_poisson_>(rate, detail::uniform_bits(detail::inner_key<2>(key), s)));
    }
    template <class X, class R, class P> static constexpr auto log_density(X x, R r, P p) {
        return detail::in_support(x >= c<0> && detail::is_whole(x * c<1.0>), lgamma(x + r) - lgamma(x + c<1.0>) - lgamma(r) + r * log(p) + xlog1py(x, -p));
    }
    template <class X, class R, class P> static constexpr auto cdf(X x, R r, P p) { return where(x < c<0>, c<0.0>, betainc(r, floor(x * c<1.0>) + c<1.0>, p)); }
};
/// negative_binomial(r, p): failures before r successes; r need not be whole.
inline constexpr negative_binomial_t negative_binomial{};

}  // namespace cotan::random
