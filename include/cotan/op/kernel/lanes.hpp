#pragma once

#include <cotan/op/kernel/simd_math.hpp>

#include <utility>

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

/// The number type of a kernel's argument.
template <class V> struct lane_of { using type = typename V::value_type; };
template <class V> requires std::is_arithmetic_v<V> struct lane_of<V> { using type = V; };

}  // namespace cotan::bits
