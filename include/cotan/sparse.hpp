#pragma once

/// Sparse matrices. Needs Eigen's headers.
#include <cotan/sparse/conversion.hpp>
#include <cotan/sparse/matrix.hpp>
