#pragma once

/// cotan: differentiable models as types. Everything but the optional parts (cotan/show.hpp, cotan/adapt/...).
#include <cotan/core/input.hpp>
#include <cotan/core/literal.hpp>
#include <cotan/diff/grad.hpp>
#include <cotan/diff/own_rule.hpp>
#include <cotan/op/operations.hpp>
#include <cotan/loop/fixed_point.hpp>
#include <cotan/run/checked.hpp>
#include <cotan/run/function.hpp>
#include <cotan/run/verify_grad.hpp>
