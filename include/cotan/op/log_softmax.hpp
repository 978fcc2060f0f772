#ifndef COTAN_OPERATIONS
#include <cotan/op/operations.hpp>  // operations name each other in their rules: they are read together
#else
#pragma once

#include <cotan/op/logsumexp.hpp>

namespace cotan {

/// x - logsumexp(x), over all axes or axis<...>.
template <operand A> constexpr auto log_softmax(A x) { return x - logsumexp(x); }
template <operand A, int... I> constexpr auto log_softmax(A x, axis_t<I...> over) { return x - logsumexp(x, over, keepdims); }

/// exp(x) / sum(exp(x)), over all axes or axis<...>. A softmax written by hand is rewritten to this.
template <operand A> constexpr auto softmax(A x) { return exp(log_softmax(x)); }
template <operand A, int... I> constexpr auto softmax(A x, axis_t<I...> over) { return exp(log_softmax(x, over)); }

}  // namespace cotan

#endif
