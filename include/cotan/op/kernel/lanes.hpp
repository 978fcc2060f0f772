#pragma once

#include <cotan/op/kernel/simd_math.hpp>

#include <utility>

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 mistakes the undefined pass-through operands inside its own AVX-512 intrinsics for bugs of their callers.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace cotan::bits {

/// f of numbers, or of each lane of batches: for functions that have no vector code.
template <class F, class V, class... W>
V each_lane(F f, const V& x, const W&... more) {
    if constexpr (std::is_arithmetic_v<V>) return static_cast<V>(f(x, more...));
    else {
        using T = typename V::value_type;
        constexpr std::size_t n = V::size;
        alignas(64) T lanes[1 + sizeof...(W)][n];
        x.store_unaligned(lanes[0]);
        [[maybe_unused]] int k = 0;
        (more.store_unaligned(lanes[++k]), ...);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            for (std::size_t i = 0; i < n; ++i) lanes[0][i] = static_cast<T>(f(lanes[I][i]...));
        }(std::make_index_sequence<1 + sizeof...(W)>{});
        return V::load_unaligned(lanes[0]);
    }
}

/// x where the condition holds, y elsewhere.
template <class M, class V>
V choose(const M& condition, const V& x, const V& y) {
    if constexpr (std::is_arithmetic_v<V>) return condition ? x : y;
    else return select(condition, x, y);
}

/// x != y. (xsimd 8 says of NaN that it is not unequal.)
template <class V>
auto differs(const V& x, const V& y) {
    if constexpr (std::is_arithmetic_v<V>) return x != y;
    else return ~(x == y);
}

/// 0 where the condition holds, x elsewhere.
template <class M, class V>
V unless(const M& condition, const V& x) {
    if constexpr (std::is_arithmetic_v<V>) return condition ? V(0) : x;
    else if constexpr (sizeof(condition) == sizeof(x) && requires { V(condition.data); }) return x & ~V(condition.data);  // a blend costs more
    else return select(condition, V(0), x);
}
/// x where the condition holds, 0 elsewhere.
template <class M, class V>
V kept(const M& condition, const V& x) {
    if constexpr (std::is_arithmetic_v<V>) return condition ? x : V(0);
    else if constexpr (sizeof(condition) == sizeof(x) && requires { V(condition.data); }) return x & V(condition.data);
    else return select(condition, x, V(0));
}

/// The larger of two, y where they are equal, and NaN if either is.
template <class V>
V larger(const V& x, const V& y) {
    if constexpr (std::is_arithmetic_v<V>) return x > y || x != x ? x : y;
    else if constexpr (std::is_floating_point_v<typename V::value_type>) return select(x == x, simd::max_of(x, y), x);
    else return xsimd::max(x, y);
}
/// The smaller of two, likewise.
template <class V>
V smaller(const V& x, const V& y) {
    if constexpr (std::is_arithmetic_v<V>) return x < y || x != x ? x : y;
    else if constexpr (std::is_floating_point_v<typename V::value_type>) return select(x == x, simd::min_of(x, y), x);
    else return xsimd::min(x, y);
}

/// The number type of a kernel's argument.
template <class V> struct lane_of { using type = typename V::value_type; };
template <class V> requires std::is_arithmetic_v<V> struct lane_of<V> { using type = V; };

}  // namespace cotan::bits

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
