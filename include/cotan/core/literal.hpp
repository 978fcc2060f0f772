#pragma once

#include <cotan/core/expression.hpp>
#if __has_include(<cotan/core/decimal.hpp>)
#include <cotan/core/decimal.hpp>
#endif

namespace cotan {

namespace bits {

// The bits of a number and not the number are the template argument: g++ 12 fails when it matches a double in a partial specialisation.
template <auto V>
consteval auto literal_type() {
    using T = std::remove_const_t<decltype(V)>;
    if constexpr (std::is_same_v<T, bool>) return std::type_identity<literal_node<dtype::boolean, V ? 1u : 0u>>{};
    else if constexpr (std::is_integral_v<T>)
        return std::type_identity<literal_node<dtype::weak_integer, static_cast<std::uint64_t>(static_cast<std::int64_t>(V))>>{};
    else {
        static_assert(std::is_floating_point_v<T>, "cotan: c<...> takes a number or a bool");
        return std::type_identity<literal_node<dtype::weak_real, std::bit_cast<std::uint64_t>(static_cast<double>(V))>>{};
    }
}

}  // namespace bits

/// A number in a graph: c<0.5>, c<3>, c<true>. It takes the dtype of what it meets; alone a real one is a double and an integer an int64.
template <auto V>
inline constexpr bits::handle<typename decltype(bits::literal_type<V>())::type> c{};

inline constexpr auto pi = c<3.14159265358979323846>;
inline constexpr auto infinity = c<__builtin_huge_val()>;

#if __has_include(<cotan/core/decimal.hpp>)
inline namespace literals {
/// A number in a graph written as a literal: 0.5_c, 1e-3_c, 0x1p-52_c; correctly rounded. An integer without point or exponent is an integer literal.
template <char... C>
consteval auto operator""_c() {
    constexpr char text[] = {C...};
    if constexpr (bits::is_integer_literal(text, sizeof...(C))) {
        constexpr std::int64_t v = bits::parse_integer(text, sizeof...(C));
        return bits::handle<bits::literal_node<dtype::weak_integer, static_cast<std::uint64_t>(v)>>{};
    } else {
        constexpr double v = bits::parse_double(text, sizeof...(C));
        return bits::handle<bits::literal_node<dtype::weak_real, std::bit_cast<std::uint64_t>(v)>>{};
    }
}
}  // namespace literals
#endif

}  // namespace cotan
