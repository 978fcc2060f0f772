#pragma once

#include <cstdint>
#include <type_traits>

namespace cotan {

/// The element types of tensors, in the order of their arithmetic conversions. The two weak ones belong to literals, which take the dtype of what
/// they meet.
enum class dtype : unsigned char { boolean, int32, int64, float32, float64, weak_integer, weak_real };

constexpr bool is_weak(dtype d) { return d >= dtype::weak_integer; }
constexpr bool is_real(dtype d) { return d == dtype::float32 || d == dtype::float64 || d == dtype::weak_real; }
constexpr bool is_integral(dtype d) { return !is_real(d) && d != dtype::boolean; }

/// The dtype that a literal has where nothing decides it.
constexpr dtype settled(dtype d) {
    return d == dtype::weak_integer ? dtype::int64 : d == dtype::weak_real ? dtype::float64 : d;
}

/// The common dtype of two operands: C++'s usual arithmetic conversions; a literal takes the other's dtype, except that a real literal makes an
/// integer operand a double. Arithmetic on two booleans is done by the caller's rule (int32, as C++ promotes).
constexpr dtype promote(dtype a, dtype b) {
    if (a == b) return a;
    if (is_weak(a) && is_weak(b)) return dtype::weak_real;
    if (is_weak(b)) {
        const dtype t = a;
        a = b;
        b = t;
    }
    if (is_weak(a)) {
        if (a == dtype::weak_real) return is_real(b) ? b : dtype::float64;
        return b == dtype::boolean ? dtype::int32 : b;
    }
    if (a > b) {
        const dtype t = a;
        a = b;
        b = t;
    }
    // an int64 meets a float: C++ converts to the floating type
    return b;
}

constexpr const char* name_of(dtype d) {
    constexpr const char* names[] = {"bool", "int32", "int64", "float", "double", "integer literal", "real literal"};
    return names[static_cast<int>(d)];
}

namespace bits {

template <class T>
consteval dtype dtype_of() {
    if constexpr (std::is_same_v<T, bool>) return dtype::boolean;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 4) return dtype::int32;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return dtype::int64;
    else if constexpr (std::is_same_v<T, float>) return dtype::float32;
    else if constexpr (std::is_same_v<T, double>) return dtype::float64;
    else static_assert(!sizeof(T), "cotan: an element type is one of bool, std::int32_t, std::int64_t, float and double");
}

template <dtype D> struct scalar_of { using type = double; };
template <> struct scalar_of<dtype::boolean> { using type = bool; };
template <> struct scalar_of<dtype::int32> { using type = std::int32_t; };
template <> struct scalar_of<dtype::int64> { using type = std::int64_t; };
template <> struct scalar_of<dtype::weak_integer> { using type = std::int64_t; };
template <> struct scalar_of<dtype::float32> { using type = float; };
template <dtype D> using scalar_t = typename scalar_of<D>::type;

constexpr std::int64_t size_of(dtype d) {
    switch (d) {
        case dtype::boolean: return 1;
        case dtype::int32: case dtype::float32: return 4;
        default: return 8;
    }
}

}  // namespace bits
}  // namespace cotan
