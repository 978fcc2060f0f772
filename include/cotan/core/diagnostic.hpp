#pragma once

#include <cotan/core/expression.hpp>

namespace cotan::bits {

/// The type of an operation's result, worked out once for each combination of operand types. What does not fit stops here, in one sentence; the
/// operation and its operands' types stand in the compiler's line about this struct.
template <class Op, class P, class... T>
struct result_of {
    static constexpr result_data value = infer<Op, P, T...>();
    static constexpr fault error = value.error;

    static_assert(error != fault::extents_differ,
                  "cotan: the operands' extents differ; only equal names, equal sizes and a fixed extent of 1 go together: rename an extent, or insert an "
                  "axis with x(all, newaxis)");
    static_assert(error != fault::dot_extents,
                  "cotan: dot sums over the last extent of its first operand and the first (of a matrix: last but one) extent of its second, and these "
                  "extents differ: give them one name, or transpose an operand");
    static_assert(error != fault::dot_ranks, "cotan: dot takes operands with at least one axis: use * to multiply by a scalar");
    static_assert(error != fault::no_such_axis, "cotan: no such axis: axis<...> counts from 0, or from the end with negative numbers, within the operand's rank");
    static_assert(error != fault::axis_twice, "cotan: an axis is named twice in axis<...>: name each axis once");
    static_assert(error != fault::too_many_indices, "cotan: more indices than the operand has axes: leave some out, or insert axes with newaxis");
    static_assert(error != fault::index_out_of_range, "cotan: an index is outside the operand's fixed extent: count from 0, or from the end with negative numbers");
    static_assert(error != fault::slice_mixed, "cotan: a slice that starts near the end and stops near the start has no length known here: write slice<start, stop, step> with "
                                               "start before stop");
    static_assert(error != fault::slice_step_zero, "cotan: the step of a slice is not 0");
    static_assert(error != fault::not_boolean, "cotan: the condition, or an operand of a logical operation, is not bool: write a comparison such as x > c<0>");
    static_assert(error != fault::not_number, "cotan: this operation takes numbers, not bool: use where(condition, c<1>, c<0>) to count");
    static_assert(error != fault::not_real, "cotan: this operation takes float or double: cast the operand with cast<double>(x)");
    static_assert(error != fault::reshape_size, "cotan: reshape keeps the number of elements, and the extents asked for do not multiply to it");
    static_assert(error != fault::cannot_broadcast, "cotan: the operand does not broadcast to the extents asked for; only a fixed extent of 1 and missing leading axes stretch");
    static_assert(error != fault::rank_too_high, "cotan: a tensor has at most 8 axes");
    static_assert(error != fault::permutation, "cotan: transpose takes each axis of the operand once");
    static_assert(error != fault::empty_reduction, "cotan: min and max of an axis of extent 0 have no value: reduce another axis");
    static_assert(error != fault::arity, "cotan: this operation takes another number of operands");

    template <class First, class...> struct first_of { using type = First; };
    static consteval auto pick() {
        if constexpr (error == fault::none) return std::type_identity<type_of_result<result_of>>{};
        else if constexpr (sizeof...(T) == 0) return std::type_identity<ty<dtype::float64>>{};
        else return std::type_identity<typename first_of<T...>::type>{};  // harmless, so that nothing follows the one message
    }
    using type = typename decltype(pick())::type;
};

}  // namespace cotan::bits
