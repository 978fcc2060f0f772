#pragma once

#ifndef COTAN_OPERATIONS
#define COTAN_OPERATIONS
#endif

#include <cotan/op/functions.hpp>

#include <cotan/op/any_all.hpp>
#include <cotan/op/arithmetic.hpp>
#include <cotan/op/broadcast.hpp>
#include <cotan/op/cast.hpp>
#include <cotan/op/compare.hpp>
#include <cotan/op/dot.hpp>
#include <cotan/op/erf.hpp>
#include <cotan/op/exp.hpp>
#include <cotan/op/exp2.hpp>
#include <cotan/op/expm1.hpp>
#include <cotan/op/gamma.hpp>
#include <cotan/op/grad_tools.hpp>
#include <cotan/op/hyperbolic.hpp>
#include <cotan/op/hypot.hpp>
#include <cotan/op/incomplete.hpp>
#include <cotan/op/index.hpp>
#include <cotan/op/iota.hpp>
#include <cotan/op/log.hpp>
#include <cotan/op/log1p.hpp>
#include <cotan/op/log_softmax.hpp>
#include <cotan/op/logical.hpp>
#include <cotan/op/logit.hpp>
#include <cotan/op/logsumexp.hpp>
#include <cotan/op/max.hpp>
#include <cotan/op/mean.hpp>
#include <cotan/op/minmax.hpp>
#include <cotan/op/norm.hpp>
#include <cotan/op/one_hot.hpp>
#include <cotan/op/pow.hpp>
#include <cotan/op/prod.hpp>
#include <cotan/op/reshape.hpp>
#include <cotan/op/rounding.hpp>
#include <cotan/op/running.hpp>
#include <cotan/op/sigmoid.hpp>
#include <cotan/op/sqrt.hpp>
#include <cotan/op/stack.hpp>
#include <cotan/op/sum.hpp>
#include <cotan/op/transpose.hpp>
#include <cotan/op/trigonometric.hpp>
#include <cotan/op/where.hpp>
#include <cotan/op/xlogy.hpp>

namespace cotan {

#define COTAN_DEFINE(f, op) constexpr sym f(sym x) { return bits::apply_in_graph<bits::op>(x); }
COTAN_UNARY_FUNCTIONS(COTAN_DEFINE)
#undef COTAN_DEFINE
#define COTAN_DEFINE(f, op) constexpr sym f(sym x) { return bits::reduce_in_graph<bits::op>(x, &bits::axis_mask<>); }
COTAN_REDUCTIONS(COTAN_DEFINE)
#undef COTAN_DEFINE
#define COTAN_DEFINE(f, op) constexpr sym f(sym x, sym y) { return bits::apply_in_graph<bits::op>(x, y); }
COTAN_BINARY_FUNCTIONS(COTAN_DEFINE)
#undef COTAN_DEFINE
#define COTAN_DEFINE(f, op) constexpr sym operator f(sym x, sym y) { return bits::apply_in_graph<bits::op>(x, y); }
COTAN_OPERATORS(COTAN_DEFINE)
#undef COTAN_DEFINE
constexpr sym operator>(sym x, sym y) { return y < x; }
constexpr sym operator>=(sym x, sym y) { return y <= x; }
constexpr sym operator-(sym x) { return bits::apply_in_graph<bits::negate_>(x); }
constexpr sym operator!(sym x) { return bits::apply_in_graph<bits::logical_not_>(x); }
#define COTAN_DEFINE(f, op) constexpr sym f(sym x, sym y, sym z) { return bits::apply_in_graph<bits::op>(x, y, z); }
COTAN_TERNARY_FUNCTIONS(COTAN_DEFINE)
#undef COTAN_DEFINE

}  // namespace cotan
