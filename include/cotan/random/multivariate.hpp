#pragma once

#include <cotan/random/distributions.hpp>

// Distributions of vectors, and of one of several categories. Their last axis is the vector's, or that of the categories; axes before it are independent.
namespace cotan::random {

namespace detail {

template <class Ty> struct vector_shape;
template <dtype D, class... E> struct vector_shape<bits::ty<D, E...>> {
    static constexpr std::size_t before = sizeof...(E) - 1;
    using all = std::tuple<E...>;
    using extent = std::tuple_element_t<before, all>;
    using leading = decltype([]<std::size_t... I>(std::index_sequence<I...>) { return bits::shape_t<std::tuple_element_t<I, all>...>{}; }(std::make_index_sequence<before>{}));
};

template <class X>
struct vector_check {
    using checked = void;
    static_assert(type_of<X>::rank > 0, "cotan: a distribution of vectors or categories takes them along the last axis of its parameter, which is a tensor of rank 1 or more");
};
template <class X> using vector_checked = typename vector_check<X>::checked;

/// 0, 1, 2, ... along the last axis of x.
template <class X> constexpr auto places_along(X) { return bits::positions_in(bits::shape_t<typename vector_shape<type_of<X>>::extent>{}); }

}  // namespace detail

struct categorical_t : distribution<categorical_t, bits::discrete_draw_> {
    template <class P> static constexpr auto default_shape(P) {
        static_assert(std::is_void_v<detail::vector_checked<P>>);
        return typename detail::vector_shape<type_of<P>>::leading{};
    }
    // the number of categories whose cumulative sum is below a uniform number: one number for a draw, where the largest of Gumbel numbers takes one for each category
    template <class K, class S, class P> static constexpr auto draw(K key, S s, P p) {
        static_assert(std::is_void_v<detail::vector_checked<P>>);
        const auto up_to = cumsum(c<1.0> * p, axis<type_of<P>::rank - 1>);
        const auto u = detail::uniform_bits(key, s);
        return cast<std::int64_t>(sum(cast<double>(up_to < u(ellipsis, newaxis) * up_to(ellipsis, slice<-1, end>)), axis<-1>));
    }
    template <class X, class P> static constexpr auto log_density(X x, P p) {
        static_assert(std::is_void_v<detail::vector_checked<P>>);
        const auto k = c<1.0> * x;
        const auto places = detail::places_along(p);
        const auto chosen = sum(where(k(ellipsis, newaxis) == places, log(p), c<0.0>), axis<-1>);
        return detail::in_support(sum(cast<double>(k(ellipsis, newaxis) == places), axis<-1>) > c<0>, chosen - log(sum(p, axis<-1>)));
    }
};
/// categorical(p): the number of a category, from 0 on; p along its last axis, in proportion to the probabilities. For logits: softmax(logits, axis<-1>).
inline constexpr categorical_t categorical{};

struct dirichlet_t : distribution<dirichlet_t> {
    template <class K, class S, class A> static constexpr auto draw(K key, S s, A alpha) {
        static_assert(std::is_void_v<detail::vector_checked<A>>);
        return softmax(detail::log_gamma_draw(key, s, alpha), axis<-1>);  // of logarithms, which do not underflow for small alpha
    }
    template <class X, class A> static constexpr auto log_density(X x, A alpha) {
        static_assert(std::is_void_v<detail::vector_checked<A>>);
        const auto inside = all_of(c<0> <= x, axis<-1>) && abs(sum(x, axis<-1>) - c<1.0>) <= c<1e-8>;
        return detail::in_support(inside, sum(xlogy(alpha - c<1>, x), axis<-1>) - sum(lgamma(alpha), axis<-1>) + lgamma(sum(alpha, axis<-1>)));
    }
};
/// dirichlet(alpha): shares that add up to 1. Density with respect to all but the last of them.
inline constexpr dirichlet_t dirichlet{};

struct multinomial_t : distribution<multinomial_t, bits::discrete_draw_> {
    // each category's count is binomial among what the categories before it left
    template <class K, class S, class N, class P> static constexpr auto draw(K key, S, N n, P p) {
        static_assert(type_of<P>::rank == 1 && type_of<N>::rank == 0, "cotan: a multinomial draw takes a number n and a vector p; map over the rows of others");
        static_assert(std::is_same_v<S, decltype(like(p))>, "cotan: a multinomial draw has the shape of p; map over keys for several");
        const auto counts = scan(init(c<1.0> * n, sum(c<1.0> * p)), over(c<1.0> * p, detail::places_along(p)), [key](auto left, auto rest, auto share, auto i) {
            const auto part = where(rest > share, share / rest, c<1.0>);  // 1 for the last category, whatever sums were rounded to
            const auto k = cast<double>(binomial_t::draw(fold_in(key, cast<std::int64_t>(i)), bits::shape_t<>{}, left, part));
            return step(left - k, rest - share).emit(cast<std::int64_t>(k));
        });
        return counts.trace;
    }
    template <class N, class P> static constexpr auto default_shape(N, P p) { return like(p); }
    template <class X, class N, class P> static constexpr auto log_density(X x, N n, P p) {
        static_assert(std::is_void_v<detail::vector_checked<P>>);
        const auto k = c<1.0> * x;
        const auto share = p / sum(p, axis<-1>, keepdims);
        return detail::in_support(all_of(k >= c<0> && detail::is_whole(k), axis<-1>) && sum(k, axis<-1>) == n,
                                  lgamma(n + c<1.0>) + sum(xlogy(k, share) - lgamma(k + c<1.0>), axis<-1>));
    }
};
/// multinomial(n, p): how many of n fall into each category; p in proportion to the probabilities.
inline constexpr multinomial_t multinomial{};

struct multivariate_normal_t : distribution<multivariate_normal_t> {
    /// L below and on its diagonal: what stands above is not read.
    template <class L> static constexpr auto lower(L l) {
        const auto places = detail::places_along(l);
        return where(places(all, newaxis) >= places, l, c<0.0>);
    }
    template <class M, class L> static constexpr void check(M, L) {
        static_assert(type_of<M>::rank == 1 && type_of<L>::rank == 2, "cotan: multivariate_normal takes a vector mu and a matrix L, the lower Cholesky factor of the covariance");
    }
    template <class M, class L> static constexpr auto default_shape(M mu, L) { return like(mu); }
    template <class K, class S, class M, class L> static constexpr auto draw(K key, S s, M mu, L l) {
        check(mu, l);
        return mu + dot(detail::normal_bits(key, s), transpose(lower(l)));
    }
    /// Forward substitution column by column, so that all that a reverse pass needs of it is the result: columns of z and of L.
    template <class X, class M, class L> static constexpr auto log_density(X x, M mu, L l) {
        check(mu, l);
        const auto places = detail::places_along(l);
        const auto distance = transpose(x - mu);
        const auto solved = scan(init(distance), over(transpose(l), places), [places](auto rest, auto column, auto i) {
            const auto spread = [](auto v) {
                if constexpr (type_of<decltype(rest)>::rank == 1) return v;
                else return v(all, newaxis);
            };
            const auto z = sum(where(spread(places) == i, rest, c<0.0>), axis<0>) / sum(where(places == i, column, c<0.0>));
            return step(rest - where(spread(places) > i, spread(column) * z, c<0.0>)).emit(z);
        });
        const auto diagonal = sum(where(places(all, newaxis) == places, l, c<0.0>), axis<-1>);
        return c<-0.5> * sum(square(solved.trace), axis<0>) - sum(log(diagonal) + detail::log_root_2pi);
    }
};
/// multivariate_normal(mu, L): mu + L z, with z independent normal numbers. L is lower triangular with a positive diagonal: the Cholesky factor of the covariance.
inline constexpr multivariate_normal_t multivariate_normal{};

}  // namespace cotan::random
