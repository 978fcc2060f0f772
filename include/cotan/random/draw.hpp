#pragma once

#include <cotan/cotan.hpp>
#include <cotan/random/kernel.hpp>

// Draws as expressions. A key is an int64 vector of two elements, Philox's key and counter. A draw is an elementwise operation on those two and on each
// element's position, so it fuses with what uses it, and its distribution's parameters come in by composition.
namespace cotan {

namespace bits {

/// The type of a key. What goes in and comes out for it is a random::philox.
struct key_type : ty<dtype::int64, fixed_extent<2>> {
    using outside = random::philox;
    static constexpr int kind = 2;
};
template <> struct settled_type<key_type> { using type = key_type; };  // as a loop's state
template <class Plain> struct type_of_kind<2, Plain> { using type = key_type; };
template <> struct shared_type<random::philox> { using type = key_type; };

/// F of the bits at a position, see kernel.hpp.
template <class Op, class F>
struct draw_of_bits : elementwise<Op, 3> {
    static constexpr int cost = 60;
    static constexpr bool in_pairs = true;
    template <class V> static V kernel(V key, V counter, V position) { return simd::draw<F>(key, counter, position); }
    template <class V, class... A> COTAN_INLINE static void kernel_pair(V& first, V& second, const A&... operands) {
        simd::draw_pair<F, V>(first, second, operands...);
    }
    static constexpr auto partials(auto, auto, auto, auto) { return list(nothing, nothing, nothing); }
};
/// Uniform in (0, 1).
struct random_uniform_ : draw_of_bits<random_uniform_, simd::uniform_bits> {
    static constexpr auto name = "random_uniform";
    static constexpr unsigned facts(const graph&, view<int>) { return is_positive | is_nonnegative; }
};
/// Normal with mean 0 and variance 1.
struct random_normal_ : draw_of_bits<random_normal_, simd::normal_bits> {
    static constexpr auto name = "random_normal";
};
/// A whole number below 2^52, for keys made from keys.
struct random_fold_ : draw_of_bits<random_fold_, simd::whole_bits> {
    static constexpr auto name = "random_fold";
    static constexpr unsigned facts(const graph&, view<int>) { return is_nonnegative; }
};

/// What a draw is to the user: operands the value and the key. It stands in the graph as written, so that a key which is used twice is seen there, and
/// is its value from then on.
struct draw_ {
    static constexpr auto name = "draw";
    static constexpr auto cls = op_class::composite;
    static constexpr int arity = 2;
    static constexpr bool explicit_type = true;
    static constexpr bool uses_key = true;
    static constexpr int build(graph& g, view<int> a, view<int>, int ty) { return g.finish(info<draw_>, a, {}, ty); }
    static constexpr int normalise(graph& g, const op_info&, view<int> a, view<int>, int ty) { return fitted(g, a[0], ty); }
    static constexpr int expand(graph& g, int node) { return g.arg(node, 0); }
};
/// The same for draws that no derivative goes through.
struct discrete_draw_ : draw_ {
    static constexpr auto name = "discrete_draw";
    static constexpr bool no_gradient = true;
    static constexpr int build(graph& g, view<int> a, view<int>, int ty) { return g.finish(info<discrete_draw_>, a, {}, ty); }
};

/// The number of each element of a shape, in rows of even length: blocks of random bits begin with rows.
struct position_ {
    static constexpr auto name = "position";
    static constexpr auto cls = op_class::composite;
    static constexpr int arity = 0;
    static constexpr bool explicit_type = true;
    static constexpr int build(graph& g, view<int>, view<int>, int ty) {
        const type_data t = g.types[ty];
        if (t.rank == 0) return g.literal(0, dtype::float64);
        int row = -1;
        for (int k = 0; k + 1 < t.rank; ++k) {
            const int here = positions(g, t.ext[k], dtype::float64, t.rank - 1 - k);
            row = row < 0 ? here : g.make(info<add_>, g.make(info<multiply_>, row, extent_value(g, t.ext[k], dtype::float64)), here);
        }
        const int column = positions(g, t.ext[t.rank - 1], dtype::float64, 0);
        if (row < 0) return column;
        const int blocks = extent_value(g, g.linear(t.ext[t.rank - 1], 0, 2), dtype::float64);
        const int length = g.make(info<multiply_>, blocks, g.literal(2, dtype::float64));
        return g.make(info<add_>, g.make(info<multiply_>, row, length), column);
    }
};

/// key + (0, 1): the key for the next draw.
struct next_key_ {
    static constexpr auto name = "next_key";
    static constexpr auto cls = op_class::composite;
    static constexpr int arity = 1;
    static constexpr bool explicit_type = true;
    static constexpr int build(graph& g, view<int> a, view<int>, int) { return g.make(info<add_>, a[0], positions(g, g.fixed(2), dtype::int64, 0)); }
};
/// A key made from a key and a number.
struct fold_key_ {
    static constexpr auto name = "fold_key";
    static constexpr auto cls = op_class::composite;
    static constexpr int arity = 2;
    static constexpr bool explicit_type = true;
    static constexpr int build(graph& g, view<int> a, view<int>, int ty) {
        const int twice = g.make(info<multiply_>, g.cast(a[1], dtype::float64), g.literal(2, dtype::float64));
        const int position = g.make(info<add_>, twice, positions(g, g.fixed(2), dtype::float64, 0));
        int operands[3] = {0, 0, position};
        for (int i = 0; i < 2; ++i) {
            const int p[] = {static_cast<int>(item::integer), i, 0, 0};
            operands[i] = g.cast(g.make(info<index_>, view<int>{a.first, 1}, view<int>{p, 4}), dtype::float64);
        }
        return fitted(g, g.cast(g.make(info<random_fold_>, view<int>{operands, 3}), dtype::int64), ty);
    }
};

/// An expression that can be used as a key: an int64 vector of two elements.
template <class K>
concept key_like = expression<K> && std::is_base_of_v<ty<dtype::int64, fixed_extent<2>>, type_of<K>>;

template <class K>
struct key_check {
    using checked = void;
    static_assert(key_like<K>, "cotan: a draw takes a key first: random::key<\"key\"> as an input of the function, or another draw's .next");
};

template <class Ty> using positions_of = handle<node<position_, params<>, Ty>>;
template <class... E> constexpr positions_of<ty<dtype::float64, E...>> positions_in(shape_t<E...>) { return {}; }

/// Random numbers of a shape: Op on the key and the positions.
template <class Op, class K, class... E>
constexpr auto raw_draw(K key, shape_t<E...> s) {
    return apply<Op>(key(c<0>), key(c<1>), positions_in(s));
}

}  // namespace bits

namespace random {

/// The key of a random generator, an input of a function. Its argument, and what comes back for a draw's .next, is a random::philox: see random::seed.
/// A key is used by one draw; .next is the key for the next one, split makes several.
template <fixed_string Name>
inline constexpr bits::handle<bits::input_node<Name, bits::key_type>> key{};

/// What a draw gives: the random numbers, and the key for the next draw.
template <class Value, class Next>
struct drawn {
    Value value{};
    Next next{};
};

namespace detail {

template <class K> constexpr auto next_key(K) { return bits::handle<bits::node<bits::next_key_, bits::params<>, bits::key_type, node_of<K>>>{}; }

/// A draw for the user: marked by the key that it uses.
template <class Mark = bits::draw_, class K, class V>
constexpr auto drawn_from(K key, V) {
    using value = bits::handle<bits::node<Mark, bits::params<>, type_of<V>, node_of<V>, node_of<K>>>;
    return drawn<value, decltype(next_key(key))>{};
}

/// The shape that parameters broadcast to.
template <class... P>
constexpr auto common_shape(P...) {
    if constexpr (sizeof...(P) == 0) return bits::shape_t<>{};
    else return like((bits::apply<bits::multiply_>(c<1.0>, P{}) + ...));
}

}  // namespace detail

/// A key that depends on a key and a number (an int64 expression, a loop's counter, say): other numbers are other, independent keys.
template <class K, expression N>
constexpr auto fold_in(K, N) {
    static_assert(std::is_void_v<typename bits::key_check<K>::checked>);
    static_assert(type_of<N>::rank == 0 && is_integral(type_of<N>::dt), "cotan: fold_in takes a whole number: c<3>, or an int64 scalar");
    return bits::handle<bits::node<bits::fold_key_, bits::params<>, bits::key_type, node_of<K>, node_of<N>>>{};
}

/// Several independent keys from one: get<0>(keys), get<1>(keys), ..., or auto [a, b] = random::split<2>(key).
template <int N, class K>
constexpr auto split(K key) {
    static_assert(N > 0, "cotan: split<n> makes n keys, and n is at least 1");
    return []<int... I>(K k, std::integer_sequence<int, I...>) { return std::tuple(fold_in(k, c<I>)...); }(key, std::make_integer_sequence<int, N>{});
}

}  // namespace random
}  // namespace cotan
