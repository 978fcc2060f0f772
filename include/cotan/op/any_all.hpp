#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/compare.hpp>
#include <cotan/op/reduction.hpp>

namespace cotan {

namespace bits {

constexpr dtype only_boolean(dtype d) { return d == dtype::boolean ? d : dtype::weak_real; }

/// Whether any element is true; of no elements none is.
struct any_ : reduction<any_> {
    static constexpr auto name = "any";
    static constexpr dtype result(dtype d) { return only_boolean(d); }
    template <class M> static M kernel(M x, M y) { return logical_or_::kernel(x, y); }
    template <class T> static constexpr T identity() { return T(false); }
};
/// Whether all elements are true; of no elements all are.
struct all_ : reduction<all_> {
    static constexpr auto name = "all";
    static constexpr dtype result(dtype d) { return only_boolean(d); }
    template <class M> static M kernel(M x, M y) { return logical_and_::kernel(x, y); }
    template <class T> static constexpr T identity() { return T(true); }
};

}  // namespace bits

/// Whether any of the elements, which are bool, is true, over all axes or axis<...>.
COTAN_REDUCTION(any_of, bits::any_)
/// Whether all of them are. (`all` alone is the index of a whole axis.)
COTAN_REDUCTION(all_of, bits::all_)

}  // namespace cotan

#endif
