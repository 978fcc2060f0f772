#pragma once

/// Looking at graphs and plans: show::text, show::graphviz, show::explain.
#include <cotan/show/explain.hpp>
#include <cotan/show/graphviz.hpp>
#include <cotan/show/text.hpp>
