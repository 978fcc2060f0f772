#pragma once

#include <cotan/core/expression.hpp>

namespace cotan {

namespace bits {
template <class T, fixed_string Name, extent_arg... E>
consteval auto input_type() {
    static_assert(sizeof...(E) <= max_rank, "cotan: a tensor has at most 8 axes");
    return std::type_identity<input_node<Name, ty<dtype_of<T>(), typename extent_of_arg<E>::type...>>>{};
}
}  // namespace bits

/// An input of a model: its dtype, its name, and an extent for each axis: a name, or a size. Equal names mean equal sizes.
template <class T, fixed_string Name, bits::extent_arg... E>
inline constexpr bits::handle<typename decltype(bits::input_type<T, Name, E...>())::type> tensor{};

/// An input without axes.
template <class T, fixed_string Name>
inline constexpr bits::handle<typename decltype(bits::input_type<T, Name>())::type> scalar{};

}  // namespace cotan
