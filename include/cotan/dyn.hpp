#pragma once

// The runtime graph: the operations and rules of typed graphs for models that are only known when the program runs.

#include <cotan/dyn/embed.hpp>
#include <cotan/dyn/function.hpp>
#include <cotan/dyn/loop.hpp>
#include <cotan/dyn/operations.hpp>
