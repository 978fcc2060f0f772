#pragma once

#include <cotan/core/dtype.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <xsimd/xsimd.hpp>

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 mistakes the undefined pass-through operands inside its own AVX-512 intrinsics for bugs of their callers.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace cotan::bits {

template <class T> using vector_of = xsimd::batch<T>;
template <class T> using mask_of = typename xsimd::batch<T>::batch_bool_type;
template <class T> inline constexpr int lanes_of = static_cast<int>(xsimd::batch<T>::size);

/// How many iterations of a loop run together at most, in strips: what is shared between iterations has a place for each.
constexpr int rows_at_once(dtype d) { return 2 * (d == dtype::float32 ? lanes_of<float> : lanes_of<double>); }

/// How many registers hold vectors.
#if defined(__AVX512F__) || defined(__ARM_NEON)
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_registers = 16;
#endif

#define COTAN_INLINE [[gnu::always_inline]] inline

/// Lanes 0 .. n-1.
template <class T>
COTAN_INLINE mask_of<T> first_lanes(int n) {
    using V = vector_of<T>;
    if constexpr (sizeof(mask_of<T>) < sizeof(V)) return mask_of<T>(static_cast<typename mask_of<T>::register_type>((1u << n) - 1));
    else {
        // a window on a row of ones and zeros
        using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        alignas(64) static constexpr auto row = [] {
            struct { T at[2 * lanes_of<T>]; } r{};
            for (int i = 0; i < 2 * lanes_of<T>; ++i) r.at[i] = i < lanes_of<T> ? std::bit_cast<T>(~bits(0)) : T(0);
            return r;
        }();
        const V window = V::load_unaligned(row.at + lanes_of<T> - n);
        if constexpr (requires { mask_of<T>(window.data); }) return mask_of<T>(window.data);
        else return ~(window == V(T(0)));
    }
}

/// The first n elements at p, and 1 in the other lanes: reads nothing behind them.
template <class T>
COTAN_INLINE vector_of<T> load_first(const T* p, int n) {
    using V = vector_of<T>;
    [[maybe_unused]] constexpr bool is_double = std::is_same_v<T, double>;
    [[maybe_unused]] constexpr bool is_float = std::is_same_v<T, float>;
#ifdef __AVX512F__
    if constexpr (is_double && lanes_of<T> == 8) return V(_mm512_mask_loadu_pd(_mm512_set1_pd(1), static_cast<__mmask8>((1u << n) - 1), p));
    else if constexpr (is_float && lanes_of<T> == 16) return V(_mm512_mask_loadu_ps(_mm512_set1_ps(1), static_cast<__mmask16>((1u << n) - 1), p));
    else
#endif
#ifdef __AVX__
    if constexpr (is_double && lanes_of<T> == 4) {
        const auto mask = first_lanes<T>(n);
        return xsimd::select(mask, V(_mm256_maskload_pd(p, _mm256_castpd_si256(mask))), V(1));
    } else if constexpr (is_float && lanes_of<T> == 8) {
        const auto mask = first_lanes<T>(n);
        return xsimd::select(mask, V(_mm256_maskload_ps(p, _mm256_castps_si256(mask))), V(1));
    } else
#endif
    {
        alignas(64) T copy[lanes_of<T>];
        for (int i = 0; i < lanes_of<T>; ++i) copy[i] = i < n ? p[i] : T(1);
        return V::load_aligned(copy);
    }
}
template <class T>
COTAN_INLINE void store_first(T* p, const vector_of<T>& v, int n) {
    [[maybe_unused]] constexpr bool is_double = std::is_same_v<T, double>;
    [[maybe_unused]] constexpr bool is_float = std::is_same_v<T, float>;
#ifdef __AVX512F__
    if constexpr (is_double && lanes_of<T> == 8) return _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), v);
    else if constexpr (is_float && lanes_of<T> == 16) return _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), v);
    else
#endif
#ifdef __AVX__
    // in halves: some processors take long for masked stores
    if constexpr (is_double && lanes_of<T> == 4) {
        if (n == 4) return v.store_unaligned(p);
        __m128d rest = _mm256_castpd256_pd128(v);
        if (n & 2) {
            _mm_storeu_pd(p, rest);
            p += 2;
            rest = _mm256_extractf128_pd(v, 1);
        }
        if (n & 1) _mm_store_sd(p, rest);
    } else if constexpr (is_float && lanes_of<T> == 8) {
        if (n == 8) return v.store_unaligned(p);
        __m128 rest = _mm256_castps256_ps128(v);
        if (n & 4) {
            _mm_storeu_ps(p, rest);
            p += 4;
            rest = _mm256_extractf128_ps(v, 1);
        }
        if (n & 2) {
            _mm_storel_pi(reinterpret_cast<__m64*>(p), rest);
            p += 2;
            rest = _mm_movehl_ps(rest, rest);
        }
        if (n & 1) _mm_store_ss(p, rest);
    } else
#endif
    {
        alignas(64) T copy[lanes_of<T>];
        v.store_aligned(copy);
        for (int i = 0; i < n; ++i) p[i] = copy[i];
    }
}
/// n elements at a stride; the other lanes hold 1.
template <class T>
COTAN_INLINE vector_of<T> gather(const T* p, std::ptrdiff_t stride, int n) {
    alignas(64) T copy[lanes_of<T>];
    for (int i = 0; i < lanes_of<T>; ++i) copy[i] = i < n ? p[i * stride] : T(1);
    return vector_of<T>::load_aligned(copy);
}
template <class T>
COTAN_INLINE void scatter(T* p, std::ptrdiff_t stride, const vector_of<T>& v, int n) {
    alignas(64) T copy[lanes_of<T>];
    v.store_aligned(copy);
    for (int i = 0; i < n; ++i) p[i * stride] = copy[i];
}

template <class T>
COTAN_INLINE mask_of<T> load_mask(const bool* p, std::ptrdiff_t stride, int n) {
    alignas(64) T copy[lanes_of<T>];
    for (int i = 0; i < lanes_of<T>; ++i) copy[i] = i < n && p[i * stride] ? T(1) : T(0);
    return vector_of<T>::load_aligned(copy) != vector_of<T>(T(0));
}
template <class T>
COTAN_INLINE void store_mask(bool* p, std::ptrdiff_t stride, const mask_of<T>& m, int n) {
    alignas(64) T copy[lanes_of<T>];
    xsimd::select(m, vector_of<T>(T(1)), vector_of<T>(T(0))).store_aligned(copy);
    for (int i = 0; i < n; ++i) p[i * stride] = copy[i] != T(0);
}

/// first, first + step, ...
template <class T>
COTAN_INLINE vector_of<T> count_from(std::ptrdiff_t first, int step = 1) {
    alignas(64) static constexpr auto ramp = [] {
        struct { T at[lanes_of<T>]; } r{};
        for (int i = 0; i < lanes_of<T>; ++i) r.at[i] = static_cast<T>(i);
        return r;
    }();
    const auto counted = vector_of<T>::load_aligned(ramp.at);
    return vector_of<T>(static_cast<T>(first)) + (step == 1 ? counted : counted * vector_of<T>(static_cast<T>(step)));
}

// --- folding lanes ----------------------------------------------------------------------------------------------------------------
// Neighbours first: (x0 + x1) + (x2 + x3), whether one vector is folded or one for each lane of the result.

/// Whether split_lanes and swap_lanes are there for vectors of T.
#if defined(__SSE2__)
template <class T> inline constexpr bool can_shuffle = std::is_floating_point_v<T>;

/// What the lanes of two vectors are folded with at a level: `first` and `second` hold the elements with that bit of their place unset and set, those of
/// a before those of b.
template <int Level, class T>
COTAN_INLINE void split_lanes(const vector_of<T>& a, const vector_of<T>& b, vector_of<T>& first, vector_of<T>& second) {
    constexpr std::size_t size = sizeof(vector_of<T>);
    constexpr int inside = sizeof(T) == 8 ? 1 : 2;  // levels within 16 bytes
#ifdef __AVX512F__
    if constexpr (size == 64) {
        if constexpr (Level >= inside) {
            if constexpr (sizeof(T) == 8) {
                first = _mm512_shuffle_f64x2(a, b, 0x88);
                second = _mm512_shuffle_f64x2(a, b, 0xdd);
            } else {
                first = _mm512_shuffle_f32x4(a, b, 0x88);
                second = _mm512_shuffle_f32x4(a, b, 0xdd);
            }
        } else if constexpr (sizeof(T) == 8) {
            first = _mm512_unpacklo_pd(a, b);
            second = _mm512_unpackhi_pd(a, b);
        } else {
            first = _mm512_shuffle_ps(a, b, 0x88);
            second = _mm512_shuffle_ps(a, b, 0xdd);
        }
    } else
#endif
#ifdef __AVX__
    if constexpr (size == 32) {
        if constexpr (Level >= inside) {
            if constexpr (sizeof(T) == 8) {
                first = _mm256_permute2f128_pd(a, b, 0x20);
                second = _mm256_permute2f128_pd(a, b, 0x31);
            } else {
                first = _mm256_permute2f128_ps(a, b, 0x20);
                second = _mm256_permute2f128_ps(a, b, 0x31);
            }
        } else if constexpr (sizeof(T) == 8) {
            first = _mm256_unpacklo_pd(a, b);
            second = _mm256_unpackhi_pd(a, b);
        } else {
            first = _mm256_shuffle_ps(a, b, 0x88);
            second = _mm256_shuffle_ps(a, b, 0xdd);
        }
    } else
#endif
    if constexpr (sizeof(T) == 8) {
        first = _mm_unpacklo_pd(a, b);
        second = _mm_unpackhi_pd(a, b);
    } else {
        first = _mm_shuffle_ps(a, b, 0x88);
        second = _mm_shuffle_ps(a, b, 0xdd);
    }
    (void)size;
    (void)inside;
}
#else
template <class T> inline constexpr bool can_shuffle = false;
#endif

constexpr int log2_of(int n) { return n > 1 ? 1 + log2_of(n / 2) : 0; }

/// Each vector folded into one lane of the result.
template <class Op, class T, int Level = 0, int N>
COTAN_INLINE vector_of<T> fold_rows(const vector_of<T> (&rows)[N]) {
    using V = vector_of<T>;
    if constexpr (can_shuffle<T>) {
        static_assert(N << Level == lanes_of<T>);
        if constexpr (N == 1) return rows[0];
        else {
            V half[N / 2];
            [&]<int... I>(std::integer_sequence<int, I...>) {
                const auto fold = [&](const V& a, const V& b) {
                    V first, second;
                    split_lanes<Level, T>(a, b, first, second);
                    return Op::template kernel<V>(first, second);
                };
                ((half[I] = fold(rows[2 * I], rows[2 * I + 1])), ...);
            }(std::make_integer_sequence<int, N / 2>{});
            return fold_rows<Op, T, Level + 1>(half);
        }
    } else {
        alignas(64) T a[N][N];
        alignas(64) T r[N];
        for (int i = 0; i < N; ++i) {
            rows[i].store_aligned(a[i]);
            for (int n = N / 2; n > 0; n /= 2)
                for (int k = 0; k < n; ++k) a[i][k] = Op::template kernel<T>(a[i][2 * k], a[i][2 * k + 1]);
            r[i] = a[i][0];
        }
        return V::load_aligned(r);
    }
}
/// All lanes folded into one.
template <class Op, class T, int Level = 0>
COTAN_INLINE T fold_lanes(const vector_of<T>& v) {
    using V = vector_of<T>;
    if constexpr (can_shuffle<T>) {
        if constexpr (1 << Level == lanes_of<T>) return static_cast<T>(v.data[0]);
        else {
            V first, second;
            split_lanes<Level, T>(v, v, first, second);
            return fold_lanes<Op, T, Level + 1>(Op::template kernel<V>(first, second));
        }
    } else {
        alignas(64) T a[lanes_of<T>];
        v.store_aligned(a);
        for (int n = lanes_of<T> / 2; n > 0; n /= 2)
            for (int k = 0; k < n; ++k) a[k] = Op::template kernel<T>(a[2 * k], a[2 * k + 1]);
        return a[0];
    }
}

}  // namespace cotan::bits

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
