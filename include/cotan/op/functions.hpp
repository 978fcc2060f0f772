#pragma once

#include <cotan/core/apply.hpp>

// The operations' functions on nodes of a graph, declared before any operation: rules and derivatives of one name the others. One line for each
// function and its operation; operations.hpp defines them when all operations are known.

#define COTAN_UNARY_FUNCTIONS(X) \
    X(exp, exp_) X(log, log_) X(log1p, log1p_) X(expm1, expm1_) X(sigmoid, sigmoid_) X(softplus, softplus_) X(log1mexp, log1mexp_) X(exp_minus_abs, exp_minus_abs_) \
    X(square, square_) X(reciprocal, reciprocal_) X(sqrt, sqrt_) X(abs, abs_) X(sign, sign_) X(cbrt, cbrt_) \
    X(erf, erf_) X(erfc, erfc_) X(erfcx, erfcx_) X(log_erfc, log_erfc_) X(lgamma, lgamma_) X(digamma, digamma_) X(trigamma, trigamma_) \
    X(exp2, exp2_) X(log2, log2_) X(log10, log10_) X(logit, logit_) \
    X(sin, sin_) X(cos, cos_) X(tan, tan_) X(asin, asin_) X(acos, acos_) X(atan, atan_) X(sinc, sinc_) X(sinh, sinh_) X(cosh, cosh_) X(tanh, tanh_) X(asinh, asinh_) X(acosh, acosh_) X(atanh, atanh_) \
    X(floor, floor_) X(ceil, ceil_) X(trunc, trunc_) X(round, round_) X(rint, rint_) \
    X(isnan, isnan_) X(isinf, isinf_) X(isfinite, isfinite_) X(stop_gradient, stop_gradient_) X(zero_gradient, zero_gradient_)
#define COTAN_BINARY_FUNCTIONS(X) \
    X(logaddexp, logaddexp_) X(pair_weight, pair_weight_) X(gap, gap_) X(dot, dot_) X(polygamma, polygamma_) X(gammainc, gammainc_) X(gammaincc, gammaincc_) X(pow, pow_) X(atan2, atan2_) X(hypot, hypot_) X(xlogy, xlogy_) X(xlog1py, xlog1py_) X(maximum, maximum_) X(minimum, minimum_)
#define COTAN_OPERATORS(X) \
    X(+, add_) X(-, subtract_) X(*, multiply_) X(/, divide_) X(<, less_) X(<=, less_equal_) X(==, equal_) X(!=, not_equal_) \
    X(&&, logical_and_) X(||, logical_or_)
#define COTAN_TERNARY_FUNCTIONS(X) X(where, where_) X(clip, clip_) X(betainc, betainc_)
#define COTAN_REDUCTIONS(X) X(sum, sum_) X(max, max_) X(min, min_) X(prod, prod_) X(logsumexp, logsumexp_) X(norm, norm_) X(mean, mean_)

namespace cotan {

#define COTAN_DECLARE(f, op) constexpr sym f(sym x);
COTAN_UNARY_FUNCTIONS(COTAN_DECLARE)
COTAN_REDUCTIONS(COTAN_DECLARE)
#undef COTAN_DECLARE
#define COTAN_DECLARE(f, op) constexpr sym f(sym x, sym y);
COTAN_BINARY_FUNCTIONS(COTAN_DECLARE)
#undef COTAN_DECLARE
#define COTAN_DECLARE(f, op) constexpr sym operator f(sym x, sym y);
COTAN_OPERATORS(COTAN_DECLARE)
#undef COTAN_DECLARE
constexpr sym operator>(sym x, sym y);
constexpr sym operator>=(sym x, sym y);
constexpr sym operator-(sym x);
constexpr sym operator!(sym x);
#define COTAN_DECLARE(f, op) constexpr sym f(sym x, sym y, sym z);
COTAN_TERNARY_FUNCTIONS(COTAN_DECLARE)
#undef COTAN_DECLARE

}  // namespace cotan
