#pragma once

#include <cstdarg>
#include <cstdio>
#include <stdexcept>

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

namespace bits {

/// Throws an Error whose message is put together as by std::printf: putting strings together would be compiled into every program.
template <class Error>
[[noreturn, gnu::cold, gnu::noinline, gnu::format(printf, 1, 2)]] void fail(const char* format, ...) {
    char message[512];
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(message, sizeof message, format, values);
    va_end(values);
    throw Error(message);
}

}  // namespace bits
}  // namespace cotan
