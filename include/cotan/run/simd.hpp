#pragma once

#include <cotan/core/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <xsimd/xsimd.hpp>

namespace cotan::bits {

template <class T> using vector_of = xsimd::batch<T>;
template <class T> using mask_of = typename xsimd::batch<T>::batch_bool_type;
template <class T> inline constexpr int lanes_of = static_cast<int>(xsimd::batch<T>::size);

#define COTAN_INLINE [[gnu::always_inline]] inline

/// Lanes 0 .. n-1.
template <class T>
COTAN_INLINE mask_of<T> first_lanes(int n) {
    using V = vector_of<T>;
    alignas(64) static constexpr auto index = [] {
        struct { T at[lanes_of<T>]; } r{};
        for (int i = 0; i < lanes_of<T>; ++i) r.at[i] = static_cast<T>(i);
        return r;
    }();
    return V::load_aligned(index.at) < V(static_cast<T>(n));
}

/// The first n elements at p, and 1 in the other lanes: reads nothing behind them.
template <class T>
COTAN_INLINE vector_of<T> load_first(const T* p, int n) {
    using V = vector_of<T>;
#ifdef __AVX512F__
    if constexpr (std::is_same_v<T, double> && lanes_of<T> == 8)
        return V(_mm512_mask_loadu_pd(_mm512_set1_pd(1), static_cast<__mmask8>((1u << n) - 1), p));
    else if constexpr (std::is_same_v<T, float> && lanes_of<T> == 16)
        return V(_mm512_mask_loadu_ps(_mm512_set1_ps(1), static_cast<__mmask16>((1u << n) - 1), p));
    else
#endif
    {
        alignas(64) T copy[lanes_of<T>];
        for (int i = 0; i < lanes_of<T>; ++i) copy[i] = i < n ? p[i] : T(1);
        return V::load_aligned(copy);
    }
}
template <class T>
COTAN_INLINE void store_first(T* p, const vector_of<T>& v, int n) {
#ifdef __AVX512F__
    if constexpr (std::is_same_v<T, double> && lanes_of<T> == 8) return _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), v);
    else if constexpr (std::is_same_v<T, float> && lanes_of<T> == 16) return _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), v);
    else
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

/// All lanes folded into one, by halves.
template <class Op, class T>
COTAN_INLINE T fold_lanes(const vector_of<T>& v) {
    if constexpr (requires { Op::template fold_vector<T>(v); }) return Op::template fold_vector<T>(v);
    else {
        alignas(64) T a[lanes_of<T>];
        v.store_aligned(a);
        for (int width = lanes_of<T> / 2; width > 0; width /= 2)
            for (int i = 0; i < width; ++i) a[i] = Op::template kernel<T>(a[i], a[i + width]);
        return a[0];
    }
}

}  // namespace cotan::bits
