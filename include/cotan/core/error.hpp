#pragma once

#include <stdexcept>
#include <string>

namespace cotan {

/// The base of what cotan throws at run time.
struct error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// An array does not fit its declared extents. The message names the input, the axis, what was expected and what was given.
struct shape_error : error {
    using error::error;
};
/// A value is outside an operation's domain: a matrix that is not positive definite, say.
struct domain_error : error {
    using error::error;
};

}  // namespace cotan
