#pragma once

#include <cotan/core/graph.hpp>

#include <type_traits>

namespace cotan {

namespace bits {

/// Finds an operation's type from the address of its op_info: the friend is defined where the op_info is made.
template <const op_info* P>
struct op_tag {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
    friend constexpr auto op_type(op_tag<P>);
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
};

template <class Op>
consteval op_info describe();

template <class Op>
inline constexpr op_info op_data = describe<Op>();

/// An operation's op_info, worked out when it is first read and not when it is first named: by then every operation's file has been seen.
template <class Op>
struct op_handle {
    constexpr operator const op_info&() const { return op_data<Op>; }
    constexpr const op_info* operator&() const { return &op_data<Op>; }
};
template <class Op>
inline constexpr op_handle<Op> info{};

template <class Op>
struct op_registration {
    friend constexpr auto op_type(op_tag<&op_data<Op>>) { return std::type_identity<Op>{}; }
};

}  // namespace bits
}  // namespace cotan
