#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <xsimd/xsimd.hpp>

// The elementary and special functions of the kernels, on batches and on single numbers. The polynomials and tables
// come from tools/oracles/simd_math_fits.py. An accuracy quoted below is the largest error of the batches' double
// version that was seen, in units of the last place (ulp), over the regimes of tests/op/simd_math.test.cpp and millions
// of random arguments, with AVX-512, AVX2 and SSE2; float versions that compute in double are correct to 0.501 ulp.
// Every lane's result is independent of the other lanes. On single numbers the standard library's functions serve
// where there are such. -ffast-math would undo the reductions: they depend on the order of operations.

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 mistakes the undefined pass-through operands inside its own AVX-512 intrinsics for bugs of their callers.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace cotan::bits::simd {

template <class T, class A> using batch = xsimd::batch<T, A>;

/// Functions whose loops must hold all of them: a call would take every vector register.
#define COTAN_FLAT [[gnu::always_inline]] inline

template <class T> inline constexpr T infinite = std::numeric_limits<T>::infinity();
template <class T> inline constexpr T undefined = std::numeric_limits<T>::quiet_NaN();

// ---- tools ----------------------------------------------------------------------------------------------------

/// Whether A's batches are AVX-512 registers, whose permutes serve as tables and whose scalef serves as ldexp.
#ifdef __AVX512F__
template <class A> inline constexpr bool wide = sizeof(batch<double, A>) == 64;
#else
template <class A> inline constexpr bool wide = false;
#endif

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr bool has_fma = true;
#else
inline constexpr bool has_fma = false;
#endif

/// x y + z, fused where the target can: xsimd 8 multiplies, rounds and adds for AVX-512 and for tags without FMA.
template <class T, class A>
inline batch<T, A> fused(const batch<T, A>& x, const batch<T, A>& y, const batch<T, A>& z) {
    [[maybe_unused]] constexpr bool is_double = std::is_same_v<T, double>;
    [[maybe_unused]] constexpr std::size_t size = sizeof(x);
#ifdef __AVX512F__
    if constexpr (size == 64 && is_double) return _mm512_fmadd_pd(x.data, y.data, z.data);
    else if constexpr (size == 64) return _mm512_fmadd_ps(x.data, y.data, z.data);
    else
#endif
#ifdef __FMA__
    if constexpr (size == 32 && is_double) return _mm256_fmadd_pd(x.data, y.data, z.data);
    else if constexpr (size == 32) return _mm256_fmadd_ps(x.data, y.data, z.data);
    else if constexpr (size == 16 && is_double) return _mm_fmadd_pd(x.data, y.data, z.data);
    else if constexpr (size == 16) return _mm_fmadd_ps(x.data, y.data, z.data);
    else
#endif
        return xsimd::fma(x, y, z);
}
inline double fused(double x, double y, double z) {
    if constexpr (has_fma) return std::fma(x, y, z);
    else return x * y + z;
}

/// x + y as x * 1 + y, the same number: processors whose adders are other units than their multipliers have both add. Compilers must not see the 1.
template <class T, class A>
COTAN_FLAT batch<T, A> added_by_multiplier(const batch<T, A>& x, const batch<T, A>& y) {
#if defined(__FMA__)
    batch<T, A> one(T(1));
#if defined(__AVX512F__)
    asm("" : "+v"(one.data));
#else
    asm("" : "+x"(one.data));
#endif
    return fused(x, one, y);
#else
    return x + y;
#endif
}

/// -x as compilers see it: they put the sign into the operation that takes it.
template <class T, class A>
inline batch<T, A> negated(const batch<T, A>& x) {
    return batch<T, A>(-x.data);
}

/// A constant in all lanes.
template <class V>
inline V constant(double c) {
    if constexpr (std::is_same_v<V, double>) return c;
    else return V(static_cast<typename V::value_type>(c));
}

/// The polynomial in x with the coefficients from the highest power down.
template <class V, class... C>
inline V poly(const V& x, double first, C... rest) {
    V r = constant<V>(first);
    ((r = fused(r, x, constant<V>(rest))), ...);
    return r;
}

/// The same in two independent chains, of even and of odd powers, which halves the latency.
template <class V, class... C>
inline V poly2(const V& x, const V& xx, double first, double second, C... rest) {
    V older = constant<V>(first), newer = constant<V>(second), next = newer;
    ((next = fused(older, xx, constant<V>(rest)), older = newer, newer = next), ...);
    return fused(older, x, newer);
}

inline double pick(bool condition, double x, double y) { return condition ? x : y; }
template <class T, class A>
inline batch<T, A> pick(const xsimd::batch_bool<T, A>& condition, const batch<T, A>& x, const batch<T, A>& y) {
    return xsimd::select(condition, x, y);
}

/// The larger (smaller) of two, as the processor has it: y where either is NaN on x86.
template <class T, class A>
inline batch<T, A> max_of(const batch<T, A>& x, const batch<T, A>& y) {
#ifdef __AVX512F__
    if constexpr (wide<A> && sizeof(T) == 8) return _mm512_maskz_max_pd(0xff, x.data, y.data);
    else if constexpr (wide<A>) return _mm512_maskz_max_ps(0xffff, x.data, y.data);
    else
#endif
        return xsimd::max(x, y);
}
template <class T, class A>
inline batch<T, A> min_of(const batch<T, A>& x, const batch<T, A>& y) {
#ifdef __AVX512F__
    if constexpr (wide<A> && sizeof(T) == 8) return _mm512_maskz_min_pd(0xff, x.data, y.data);
    else if constexpr (wide<A>) return _mm512_maskz_min_ps(0xffff, x.data, y.data);
    else
#endif
        return xsimd::min(x, y);
}

/// The larger (smaller) of a bound and x; x where that is NaN.
template <class T, class A>
inline batch<T, A> at_least(double bound, const batch<T, A>& x) {
    return max_of(constant<batch<T, A>>(bound), x);
}
template <class T, class A>
inline batch<T, A> at_most(double bound, const batch<T, A>& x) {
    return min_of(constant<batch<T, A>>(bound), x);
}
inline double at_least(double bound, double x) { return x < bound ? bound : x; }
inline double at_most(double bound, double x) { return x > bound ? bound : x; }

inline double magnitude(double x) { return std::fabs(x); }
template <class T, class A> inline batch<T, A> magnitude(const batch<T, A>& x) { return xsimd::abs(x); }

/// A result that has the sign of x everywhere but perhaps at zero, corrected there.
inline double signed_as(double r, double x) { return std::copysign(r, x); }
template <class T, class A>
inline batch<T, A> signed_as(const batch<T, A>& r, const batch<T, A>& x) {
    return r | xsimd::bitofsign(x);
}

/// -|x|
template <class T, class A>
inline batch<T, A> minus_abs(const batch<T, A>& x) {
    return x | constant<batch<T, A>>(-0.0);
}

/// f of each lane.
template <class T, class A, class F>
inline batch<T, A> lanewise(const batch<T, A>& x, F f) {
    constexpr std::size_t n = batch<T, A>::size;
    alignas(A::alignment()) T buffer[n];
    x.store_aligned(buffer);
    for (std::size_t i = 0; i < n; ++i) buffer[i] = f(buffer[i]);
    return batch<T, A>::load_aligned(buffer);
}

/// f of a float batch computed in two double batches.
template <class A, class F>
inline batch<float, A> in_double(const batch<float, A>& x, F f) {
    typedef batch<double, A> d;
#ifdef __AVX512F__
    if constexpr (wide<A>) {
        const d high(_mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x.data), 1))));
        const d low(_mm512_cvtps_pd(_mm512_castps512_ps256(x.data)));
        const __m256 l = _mm512_cvtpd_ps(f(low).data), h = _mm512_cvtpd_ps(f(high).data);
        return _mm512_castpd_ps(
            _mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(l)), _mm256_castps_pd(h), 1));
    } else
#endif
    {
        constexpr std::size_t n = batch<float, A>::size, half = n / 2;
        alignas(A::alignment()) float narrow[n];
        alignas(A::alignment()) double full[n];
        x.store_aligned(narrow);
        for (std::size_t i = 0; i < n; ++i) full[i] = static_cast<double>(narrow[i]);
        f(d::load_aligned(full)).store_aligned(full);
        f(d::load_aligned(full + half)).store_aligned(full + half);
        for (std::size_t i = 0; i < n; ++i) narrow[i] = static_cast<float>(full[i]);
        return batch<float, A>::load_aligned(narrow);
    }
}

/// 1.5 * 2^52: adding it to a small number rounds that to an integer, in the low bits of the sum.
inline constexpr double rounder = 0x1.8p52;
inline constexpr float rounder_f = 0x1.8p23f;
inline constexpr double log2_e = 0x1.71547652b82fep0;
/// log 2 in two parts, the first short enough that its products with exponents are exact.
inline constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
inline constexpr float ln2_high_f = 0x1.62e4p-1f, ln2_low_f = 0x1.7f7d1cp-20f;

/// 2^k of the exponent k + 1023 in the low bits of a double: what is left when these become the exponent's bits.
template <class A>
inline batch<double, A> exponent_from_low_bits(const batch<double, A>& t) {
    typedef batch<std::uint64_t, A> bits;
    return xsimd::bitwise_cast<batch<double, A>>(xsimd::bitwise_cast<bits>(t) << 52);
}
template <class A>
inline batch<float, A> exponent_from_low_bits(const batch<float, A>& t) {
    typedef batch<std::uint32_t, A> bits;
    return xsimd::bitwise_cast<batch<float, A>>(xsimd::bitwise_cast<bits>(t) << 23);
}

#ifdef __AVX512F__
/// 2^(i/16), and what these doubles lack of it.
alignas(64) inline constexpr double exp_table[16] = {
    0x1p0, 0x1.0b5586cf9890fp0, 0x1.172b83c7d517bp0, 0x1.2387a6e756238p0, 0x1.306fe0a31b715p0,
    0x1.3dea64c123422p0, 0x1.4bfdad5362a27p0, 0x1.5ab07dd485429p0, 0x1.6a09e667f3bcdp0, 0x1.7a11473eb0187p0,
    0x1.8ace5422aa0dbp0, 0x1.9c49182a3f09p0, 0x1.ae89f995ad3adp0, 0x1.c199bdd85529cp0, 0x1.d5818dcfba487p0,
    0x1.ea4afa2a490dap0};
alignas(64) inline constexpr double exp_table_low[16] = {
    0.0, 0x1.8a62e4adc610bp-54, -0x1.19041b9d78a76p-55, 0x1.9b07eb6c70573p-54, 0x1.6f46ad23182e4p-55,
    0x1.ada0911f09ebcp-55, 0x1.d4397afec42e2p-56, 0x1.6324c054647adp-54, -0x1.bdd3413b26456p-54,
    -0x1.41577ee04992fp-55, 0x1.6e9f156864b27p-54, 0x1.c7c46b071f2bep-56, 0x1.7a1cd345dcc81p-54,
    0x1.11065895048ddp-55, 0x1.2ed02d75b3707p-55, -0x1.e9c23179c2893p-54};

/// Numbers c near 15/(15 + i), chosen so that -log(c) is a double to 2^-66, and those logarithms.
alignas(64) inline constexpr double inverse_15[16] = {
    0x1p0, 0x1.e005fcdca1ba3p-1, 0x1.c3cc3ad7cd1e8p-1, 0x1.aaa452c02577p-1, 0x1.942cb5e7d0308p-1,
    0x1.7ffe3abe53dd8p-1, 0x1.6daf37664ff18p-1, 0x1.5d20821400b47p-1, 0x1.4debfca05e2c5p-1,
    0x1.400917e5aa1fp-1, 0x1.332a81ee2c94p-1, 0x1.27633b789cc61p-1, 0x1.1c769475e5c27p-1,
    0x1.1250ad6fa228fp-1, 0x1.08d69adee3abfp-1, 0x1.0006bb1348561p-1};
alignas(64) inline constexpr double log_15[16] = {
    0.0, 0x1.0826733fae63ep-4, 0x1.002f28f2b0123p-3, 0x1.7583742454a77p-3, 0x1.e44e55b94e3e2p-3,
    0x1.269ad9c5376ep-2, 0x1.58a192abf13c2p-2, 0x1.8814082a5e272p-2, 0x1.b5acfdb1b0257p-2,
    0x1.e12b88c6f45bap-2, 0x1.05996ca4eb508p-1, 0x1.199e5664e3f63p-1, 0x1.2ce9baec0594ap-1,
    0x1.3f8316f79610cp-1, 0x1.5183571a6bf7ap-1, 0x1.62d6b9f65fc42p-1};

/// The same near 20/j, j = 15 ... 30, at the index j mod 16.
alignas(64) inline constexpr double inverse_20[16] = {
    0x1.3ffdb95c54b07p0, 0x1.2d2d6d438896dp0, 0x1.1c73846ea222fp0, 0x1.0d75872d407e7p0, 0x1p0,
    0x1.e7987b755ea7dp-1, 0x1.d1811857d3dcfp-1, 0x1.bd41f86af07bfp-1, 0x1.aaa7860d4fac3p-1,
    0x1.99924c3a693bep-1, 0x1.89d6a99074e81p-1, 0x1.7b484a91a5a9ep-1, 0x1.6dc1fb44d158fp-1,
    0x1.61199176f1595p-1, 0x1.555d1748bedap-1, 0x1.555cf473b7ef5p0};
alignas(64) inline constexpr double log_20[16] = {
    -0x1.c8f0eb881e7edp-3, -0x1.4cd86d447021bp-3, -0x1.afa78e9c8d966p-4, -0x1.a3c048b95a5acp-5, 0.0,
    0x1.9015174034c26p-5, 0x1.85f3efb0b6d22p-4, 0x1.1e0c0c31e27f8p-3, 0x1.7574175304b27p-3,
    0x1.c923ffa8ed804p-3, 0x1.0cae4bb024c7bp-2, 0x1.333ea1de8306p-2, 0x1.586d081693e3dp-2,
    0x1.7c7dcf21cc0d6p-2, 0x1.9f1af9356ff8fp-2, -0x1.26acfe2d1d1dfp-2};

/// The table's entries at the low four bits of each lane.
inline __m512d lookup(const double (&table)[16], __m512d index) {
    return _mm512_permutex2var_pd(_mm512_load_pd(table), _mm512_castpd_si512(index), _mm512_load_pd(table + 8));
}

/// (log(1 + r) - r)/r^2 on |r| <= 1/30
template <class A>
inline batch<double, A> log_tail(const batch<double, A>& r, const batch<double, A>& rr) {
    return poly2(r, rr, 0x1.c8404d3d63a96p-4, -0x1.00842a58911f9p-3, 0x1.249220face266p-3,
                        -0x1.5555390cbc9a4p-3, 0x1.9999999e13cd4p-3, -0x1.000000011c43bp-2,
                        0x1.555555555540ap-2, -0x1.fffffffffffa2p-2);
}
#endif

// ---- exponentials ---------------------------------------------------------------------------------------------

/// e^r - 1 on |r| <= (log 2)/2
template <class A>
COTAN_FLAT batch<double, A> exp_tail(const batch<double, A>& r) {
    const batch<double, A> rr = r * r;
    return fused(rr, poly2(r, rr, 0x1.af76b36d6495bp-26, 0x1.28a28dc20daap-22, 0x1.71dde9fea19e3p-19,
                                  0x1.a019a6a855794p-16, 0x1.a01a01b5dc61ep-13, 0x1.6c16c17f29b4ap-10,
                                  0x1.111111110e6c4p-7, 0x1.5555555552139p-5, 0x1.555555555555cp-3,
                                  0x1.0000000000005p-1), r);
}
template <class A>
COTAN_FLAT batch<float, A> exp_tail(const batch<float, A>& r) {
    return fused(r * r, poly(r, 0x1.6dab2ap-10, 0x1.123608p-7, 0x1.55546cp-5, 0x1.555498p-3, 0x1p-1), r);
}

/// e^x for -1000 < x < 1000 or NaN, in place of exp(x) where the argument is known to be so bounded.
template <class A>
COTAN_FLAT batch<double, A> exp_bounded(const batch<double, A>& x) {
    typedef batch<double, A> d;
#ifdef __AVX512F__
    if constexpr (wide<A>) {
        // x = k log 2 + r with k a multiple of 1/16
        const d t = fused(x, d(log2_e), d(rounder / 16));
        const d k = t - d(rounder / 16);
        const d r = fused(k, d(-ln2_low), fused(k, d(-ln2_high), x));
        const d rr = r * r;
        const d p = fused(rr, poly2(r, rr, 0x1.6c1842a42e57fp-10, 0x1.111225f059f73p-7, 0x1.5555555487cd8p-5,
                                           0x1.55555554b24dbp-3, 0x1.0000000000003p-1), r);
        const d s(lookup(exp_table, t.data));
        return _mm512_maskz_scalef_pd(0xff, fused(s, p, s).data, k.data);
    } else
#endif
    {
        const d t = fused(x, d(log2_e), d(rounder));
        const d k = t - d(rounder);
        const d r = fused(k, d(-ln2_low), fused(k, d(-ln2_high), x));
        const d p = exp_tail(r);
        // in two factors, for results that are subnormal or near overflow
        const d t1 = fused(k, d(0.5), d(rounder + 1023));
        const d t2 = (k - (t1 - d(rounder + 1023))) + d(rounder + 1023);
        return (p + d(1.0)) * exponent_from_low_bits(t1) * exponent_from_low_bits(t2);
    }
}

/// e^x for -100 < x < 100 or NaN.
template <class A>
COTAN_FLAT batch<float, A> exp_bounded(const batch<float, A>& x) {
    typedef batch<float, A> f;
    const f t = fused(x, f(static_cast<float>(log2_e)), f(rounder_f));
    const f k = t - f(rounder_f);
    const f r = fused(k, f(-ln2_low_f), fused(k, f(-ln2_high_f), x));
    const f p = exp_tail(r);
#ifdef __AVX512F__
    if constexpr (wide<A>) return _mm512_maskz_scalef_ps(0xffff, (p + f(1.0f)).data, k.data);
    else
#endif
    {
        const f t1 = fused(k, f(0.5f), f(rounder_f + 127));
        const f t2 = (k - (t1 - f(rounder_f + 127))) + f(rounder_f + 127);
        return (p + f(1.0f)) * exponent_from_low_bits(t1) * exponent_from_low_bits(t2);
    }
}

/// e^x where the result is a normal number: for -708 <= x <= 708, or NaN. The same values as of exp_bounded, whose scaling
/// in two factors is exact there.
template <class A>
COTAN_FLAT batch<double, A> exp_normal(const batch<double, A>& x) {
    if constexpr (wide<A>) return exp_bounded(x);
    else {
        typedef batch<double, A> d;
        const d t = fused(x, d(log2_e), d(rounder + 1023));
        const d k = t - d(rounder + 1023);
        const d r = fused(k, d(-ln2_low), fused(k, d(-ln2_high), x));
        const d p = exp_tail(r), s = exponent_from_low_bits(t);
        return fused(p, s, s);
    }
}
/// The same for -87 <= x <= 87.
template <class A>
COTAN_FLAT batch<float, A> exp_normal(const batch<float, A>& x) {
    if constexpr (wide<A>) return exp_bounded(x);
    else {
        typedef batch<float, A> f;
        const f t = fused(x, f(static_cast<float>(log2_e)), f(rounder_f + 127));
        const f k = t - f(rounder_f + 127);
        const f r = fused(k, f(-ln2_low_f), fused(k, f(-ln2_high_f), x));
        const f p = exp_tail(r), s = exponent_from_low_bits(t);
        return fused(p, s, s);
    }
}
/// Where exp_normal serves, and up to where the results of exp change.
template <class T> inline constexpr double normal_exponent = sizeof(T) == 8 ? 708 : 87;
template <class T> inline constexpr double least_exponent = sizeof(T) == 8 ? -750 : -104;
template <class T> inline constexpr double most_exponent = sizeof(T) == 8 ? 710 : 89;

/// Whether exp_normal serves for every lane. Never with AVX-512, where it would cost more than it saves.
template <class T, class A>
COTAN_FLAT bool exp_is_normal(const batch<T, A>& x) {
    if constexpr (wide<A>) return false;
    else return xsimd::all(xsimd::abs(x) <= constant<batch<T, A>>(normal_exponent<T>));
}

/// e^x for all x, subnormal results included: 1.14 ulp (float: 1.03). Cody and Waite's reduction to (log 2)/2, or to
/// (log 2)/32 with a table of 2^(i/16) where that is a pair of registers.
template <class T, class A>
COTAN_FLAT batch<T, A> exp(const batch<T, A>& x) {
    if (exp_is_normal(x)) [[likely]] return exp_normal(x);
    return exp_bounded(at_most(most_exponent<T>, at_least(least_exponent<T>, x)));
}
inline double exp(double x) { return std::exp(x); }
inline float exp(float x) { return std::exp(x); }

/// e^-|x|, as exp
template <class T, class A>
COTAN_FLAT batch<T, A> exp_minus_abs(const batch<T, A>& x) {
    typedef batch<T, A> v;
    const v y = minus_abs(x);
    if constexpr (!wide<A>)
        if (xsimd::all(y >= constant<v>(-normal_exponent<T>))) [[likely]] return exp_normal(y);
    return exp_bounded(at_least(least_exponent<T>, y));
}

/// e^x - 1 for all x: 1.8 ulp. As exp, with what the reduction's rounding lost and with s - 2^-k exact near zero.
template <class A>
inline batch<double, A> expm1(const batch<double, A>& argument) {
    typedef batch<double, A> d;
    // below -40 the result is -1 to half a unit
    const d x = at_most(710.0, at_least(-40.0, argument));
#ifdef __AVX512F__
    if constexpr (wide<A>) {
        const d t = fused(x, d(log2_e), d(rounder / 16));
        const d k = t - d(rounder / 16);
        const d r1 = fused(k, d(-ln2_high), x);
        const d r = fused(k, d(-ln2_low), r1), lost = fused(k, d(-ln2_low), r1 - r);
        const d rr = r * r;
        const d p = r + fused(rr, poly2(r, rr, 0x1.a01b858403d15p-13, 0x1.6c181b67d1a9ep-10,
                                               0x1.1111111092628p-7, 0x1.55555554b2603p-5,
                                               0x1.5555555555558p-3, 0x1.0000000000002p-1), lost);
        const d s(lookup(exp_table, t.data)), s_low(lookup(exp_table_low, t.data));
        const d whole(_mm512_maskz_roundscale_pd(0xff, k.data, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
        const d unit(_mm512_maskz_scalef_pd(0xff, d(1.0).data, (-whole).data));
        // s - 2^-k is exact where it matters, next to k = 0
        const d sum = (s - unit) + fused(s, p, s_low);
        return signed_as(d(_mm512_maskz_scalef_pd(0xff, sum.data, whole.data)), argument);
    } else
#endif
    {
        const d t = fused(x, d(log2_e), d(rounder));
        const d k = t - d(rounder);
        const d r1 = fused(k, d(-ln2_high), x);
        const d r = fused(k, d(-ln2_low), r1), lost = fused(k, d(-ln2_low), r1 - r);
        const d rr = r * r;
        const d p = r + fused(rr, poly2(r, rr, 0x1.1f956918fa881p-29, 0x1.af5ea7a915befp-26,
                                               0x1.27e4c59c86276p-22, 0x1.71ddf8621d2ebp-19,
                                               0x1.a01a01b0b9e6dp-16, 0x1.a01a01afded7ep-13,
                                               0x1.6c16c16c1444p-10, 0x1.111111110f6cp-7,
                                               0x1.555555555555ap-5, 0x1.5555555555559p-3, 0x1p-1), lost);
        const d unit = exponent_from_low_bits(d(rounder + 1023) - at_most(1000.0, k));
        const d sum = (d(1.0) - unit) + p;
        const d t1 = fused(k, d(0.5), d(rounder + 1023));
        const d t2 = (k - (t1 - d(rounder + 1023))) + d(rounder + 1023);
        return signed_as(sum * exponent_from_low_bits(t1) * exponent_from_low_bits(t2), argument);
    }
}
template <class A>
inline batch<float, A> expm1(const batch<float, A>& x) {
    return in_double(x, [](const auto& v) { return simd::expm1(v); });
}
inline double expm1(double x) { return std::expm1(x); }
inline float expm1(float x) { return std::expm1(x); }

// ---- logarithms -----------------------------------------------------------------------------------------------

/// log(x), NaN below zero, -infinity at both zeros: 1.6 ulp (float: 0.92). With m in [sqrt(1/2), sqrt(2)], log m is
/// f - s (f - R(s^2)), f = m - 1 and s = f/(2 + f), as fdlibm has it; with tables, log m = log(c m) - log(c).
template <class A>
COTAN_FLAT batch<double, A> log(const batch<double, A>& x) {
    typedef batch<double, A> d;
#ifdef __AVX512F__
    if constexpr (wide<A>) {
        // x = 2^k m with 3/4 <= m < 3/2; these two instructions also see to zeros, subnormals, infinities and NaN
        const d m(_mm512_maskz_getmant_pd(0xff, x.data, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan));
        const __m512d e = _mm512_maskz_getexp_pd(0xff, x.data);
        const __mmask8 below = _mm512_cmp_pd_mask(m.data, d(1.0).data, _CMP_LT_OQ);
        const d k(_mm512_mask_add_pd(e, below, e, d(1.0).data));
        const __m512d index = fused(m, d(20.0), d(rounder)).data;
        const d r = fused(m, d(lookup(inverse_20, index)), d(-1.0));
        const d rr = r * r;
        const d tail = fused(k, d(ln2_low), fused(rr, log_tail(r, rr), r));
        return fused(k, d(ln2_high), d(lookup(log_20, index))) + tail;
    } else
#endif
    {
        typedef batch<std::uint64_t, A> bits;
        const auto small = x < d(std::numeric_limits<double>::min());
        const d scaled = xsimd::select(small, x * d(0x1p54), x);
        // x = 2^k m with sqrt(1/2) <= m < sqrt(2)
        const bits raised = xsimd::bitwise_cast<bits>(scaled) + bits(0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
        const d biased = xsimd::bitwise_cast<d>((raised >> 52) | bits(0x4330000000000000u));
        const d k = biased - xsimd::select(small, d(0x1p52 + 1023 + 54), d(0x1p52 + 1023));
        const d m = xsimd::bitwise_cast<d>((raised & bits(0x000fffffffffffffu)) + bits(0x3fe6a09e667f3bcdu));
        const d f = m - d(1.0);
        const d s = f / (m + d(1.0));
        const d z = s * s;
        const d rest = fused(z, poly2(z, z * z, 0x1.2e46449d25b11p-3, 0x1.39b628f72fd9fp-3,
                                                0x1.7465623f4d15cp-3, 0x1.c71c56ad29292p-3,
                                                0x1.2492493b81538p-2, 0x1.999999998852fp-2,
                                                0x1.5555555555573p-1), -f);
        const d r = fused(k, d(ln2_high), fused(s, rest, k * d(ln2_low)) + f);
        const d special = xsimd::select(x == d(0.0), d(-infinite<double>), d(undefined<double>));
        return xsimd::select(x > d(0.0), xsimd::select(x == d(infinite<double>), x, r), special);
    }
}
template <class A>
COTAN_FLAT batch<float, A> log(const batch<float, A>& x) {
    typedef batch<float, A> v;
    const v one(1.0f);
    v k, m;
#ifdef __AVX512F__
    if constexpr (wide<A>) {
        m = v(_mm512_maskz_getmant_ps(0xffff, x.data, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan));
        const __m512 e = _mm512_maskz_getexp_ps(0xffff, x.data);
        k = v(_mm512_mask_add_ps(e, _mm512_cmp_ps_mask(m.data, one.data, _CMP_LT_OQ), e, one.data));
    } else
#endif
    {
        typedef batch<std::uint32_t, A> bits;
        const auto small = x < v(std::numeric_limits<float>::min());
        const v scaled = xsimd::select(small, x * v(0x1p25f), x);
        const bits raised = xsimd::bitwise_cast<bits>(scaled) + bits(0x3f800000u - 0x3f3504f3u);
        k = xsimd::bitwise_cast<v>((raised >> 23) | bits(0x4b000000u)) -
            xsimd::select(small, v(0x1p23f + 127 + 25), v(0x1p23f + 127));
        m = xsimd::bitwise_cast<v>((raised & bits(0x007fffffu)) + bits(0x3f3504f3u));
    }
    const v f = m - one;
    const v s = f / (m + one);
    const v z = s * s;
    const v rest = fused(z, poly(z, 0x1.ecf498p-3, 0x1.23efecp-2, 0x1.999bb2p-2, 0x1.555554p-1), -f);
    const v r = fused(k, v(ln2_high_f), fused(s, rest, k * v(ln2_low_f)) + f);
    if constexpr (wide<A>) return r;
    const v special = xsimd::select(x == v(0.0f), v(-infinite<float>), v(undefined<float>));
    return xsimd::select(x > v(0.0f), xsimd::select(x == v(infinite<float>), x, r), special);
}
inline double log(double x) { return std::log(x); }
inline float log(float x) { return std::log(x); }

/// log(1 + x), NaN below -1, -infinity there: 1.6 ulp. The logarithm of the rounded sum and what the sum lost.
template <class A>
inline batch<double, A> log1p(const batch<double, A>& x) {
    typedef batch<double, A> d;
    const d one(1.0);
    const d u = x + one;
    // what the sum lost
    const d v = u - one;
    const d lost = (one - (u - v)) + (x - v);
#ifdef __AVX512F__
    if constexpr (wide<A>) {
        const d m(_mm512_maskz_getmant_pd(0xff, u.data, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan));
        const __m512d e = _mm512_maskz_getexp_pd(0xff, u.data);
        const __mmask8 below = _mm512_cmp_pd_mask(m.data, one.data, _CMP_LT_OQ);
        const d k(_mm512_mask_add_pd(e, below, e, one.data));
        const __m512d index = fused(m, d(20.0), d(rounder)).data;
        const d c(lookup(inverse_20, index));
        const __m512d scaled = _mm512_maskz_scalef_pd(0xff, lost.data, (-k).data);
        // NaN at u = 0 and u = infinity, where nothing was lost
        const d small(_mm512_maskz_mov_pd(_mm512_cmp_pd_mask(scaled, scaled, _CMP_ORD_Q), scaled));
        const d r = fused(c, small, fused(m, c, d(-1.0)));
        const d rr = r * r;
        const d tail = fused(k, d(ln2_low), fused(rr, log_tail(r, rr), r));
        return signed_as(fused(k, d(ln2_high), d(lookup(log_20, index))) + tail, x);
    } else
#endif
    {
        typedef batch<std::uint64_t, A> bits;
        const bits raised = xsimd::bitwise_cast<bits>(u) + bits(0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
        const bits exponent = raised >> 52;
        const d k = xsimd::bitwise_cast<d>(exponent | bits(0x4330000000000000u)) - d(0x1p52 + 1023);
        const d m = xsimd::bitwise_cast<d>((raised & bits(0x000fffffffffffffu)) + bits(0x3fe6a09e667f3bcdu));
        const d f = fused(lost, xsimd::bitwise_cast<d>((bits(2046u) - exponent) << 52), m - one);
        const d s = f / (d(2.0) + f);
        const d z = s * s;
        const d rest = fused(z, poly2(z, z * z, 0x1.2e46449d25b11p-3, 0x1.39b628f72fd9fp-3,
                                                0x1.7465623f4d15cp-3, 0x1.c71c56ad29292p-3,
                                                0x1.2492493b81538p-2, 0x1.999999998852fp-2,
                                                0x1.5555555555573p-1), -f);
        const d r = signed_as(fused(k, d(ln2_high), fused(s, rest, k * d(ln2_low)) + f), x);
        const d special = xsimd::select(x == d(-1.0), d(-infinite<double>), d(undefined<double>));
        return xsimd::select(x > d(-1.0), xsimd::select(x == d(infinite<double>), x, r), special);
    }
}
template <class A>
inline batch<float, A> log1p(const batch<float, A>& x) {
    return in_double(x, [](const auto& v) { return simd::log1p(v); });
}
inline double log1p(double x) { return std::log1p(x); }
inline float log1p(float x) { return std::log1p(x); }

/// log(1 + e) for 0 <= e <= 1 or NaN: 1.08 ulp (float: 0.91). As log, without its exponents.
template <class A>
COTAN_FLAT batch<double, A> log1p_01(const batch<double, A>& e) {
    typedef batch<double, A> d;
#ifdef __AVX512F__
    if constexpr (wide<A>) {
        // 1 + e = (1 + r)/c with c = 1 for small e, so that r is e itself there
        const __m512d index = fused(e, d(15.0), d(rounder)).data;
        const d c(lookup(inverse_15, index));
        const d r = fused(e, c, c - d(1.0));
        const d rr = r * r;
        return d(lookup(log_15, index)) + fused(rr, log_tail(r, rr), r);
    } else
#endif
    {
        // 1 + e = 1 + f or 2 (1 + f)
        const auto upper = e > d(0.5);
        const d f = xsimd::select(upper, fused(e, d(0.5), d(-0.5)), e);
        const d s = f / (f + d(2.0));
        const d z = s * s;
        const d rest = fused(z, poly2(z, z * z, 0x1.39f408f1f666fp-3, 0x1.38703dfb5796cp-3,
                                                0x1.7473323d542eep-3, 0x1.c71c0dcadfa7ep-3,
                                                0x1.2492499aa1b91p-2, 0x1.999999991b217p-2,
                                                0x1.555555555569ep-1), -f);
        const d zero(0.0);
        return xsimd::select(upper, d(ln2_high), zero) + (fused(s, rest, xsimd::select(upper, d(ln2_low), zero)) + f);
    }
}
template <class A>
COTAN_FLAT batch<float, A> log1p_01(const batch<float, A>& e) {
    typedef batch<float, A> v;
    const auto upper = e > v(0.5f);
    const v f = xsimd::select(upper, fused(e, v(0.5f), v(-0.5f)), e);
    const v s = f / (f + v(2.0f));
    const v z = s * s;
    const v rest = fused(z, poly(z, 0x1.ecf498p-3, 0x1.23efecp-2, 0x1.999bb2p-2, 0x1.555554p-1), -f);
    const v zero(0.0f);
    return xsimd::select(upper, v(ln2_high_f), zero) + (fused(s, rest, xsimd::select(upper, v(ln2_low_f), zero)) + f);
}
inline double log1p_01(double e) { return std::log1p(e); }
inline float log1p_01(float e) { return std::log1p(e); }

// ---- sigmoids -------------------------------------------------------------------------------------------------

/// 1/(1 + e^-x) for all x: 3.0 ulp (float: 2.3).
template <class T, class A>
inline batch<T, A> sigmoid(const batch<T, A>& x) {
    typedef batch<T, A> v;
    const v one(T(1));
    const v e = exp_minus_abs(x);
    return xsimd::select(x < v(T(0)), e, one) / (one + e);
}
inline double sigmoid(double x) {
    const double e = std::exp(-std::fabs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}
inline float sigmoid(float x) {
    const float e = std::exp(-std::fabs(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

/// log(1 + e^x) for all x: 2.3 ulp (float: 1.5).
template <class T, class A>
inline batch<T, A> softplus(const batch<T, A>& x) {
    return xsimd::max(batch<T, A>(T(0)), x) + log1p_01(exp_minus_abs(x));
}
inline double softplus(double x) { return (x > 0.0 ? x : 0.0) + std::log1p(std::exp(-std::fabs(x))); }
inline float softplus(float x) { return (x > 0.0f ? x : 0.0f) + std::log1p(std::exp(-std::fabs(x))); }

/// log(1 + e^x) and its derivative, the sigmoid, of one exponential: the same values as of the two functions.
template <class T, class A>
inline void softplus_sigmoid(const batch<T, A>& x, batch<T, A>& value, batch<T, A>& derivative) {
    typedef batch<T, A> v;
    const v one(T(1)), zero(T(0));
    const v e = exp_minus_abs(x);
    derivative = xsimd::select(x < zero, e, one) / (one + e);
    value = xsimd::max(zero, x) + log1p_01(e);
}
template <class T>
    requires std::is_floating_point_v<T>
inline void softplus_sigmoid(T x, T& value, T& derivative) {
    const T e = std::exp(-std::fabs(x));
    derivative = (x < T(0) ? e : T(1)) / (T(1) + e);
    value = (x > T(0) ? x : T(0)) + std::log1p(e);
}

/// tanh(x): 1.5 ulp. Lambert's continued fraction, to 15, within 5/8, and 1 - 2/(e^(2x) + 1) outside, in one division.
template <class A>
COTAN_FLAT batch<double, A> tanh(const batch<double, A>& x) {
    typedef batch<double, A> d;
    const d one(1.0);
    const d a = at_most(30.0, xsimd::abs(x));
    const auto low = a < d(0.625);
    const d z = a * a;
    const d n = a * z * poly(z, 1.0, 594.0, 45045.0, 675675.0);
    const d m = poly(z, 1.0, 630.0, 51975.0, 945945.0, 2027025.0);
    const d q = xsimd::select(low, n, d(2.0)) / xsimd::select(low, m, exp_normal(a + a) + one);
    return signed_as(xsimd::select(low, a, one) - q, x);
}
template <class A>
COTAN_FLAT batch<float, A> tanh(const batch<float, A>& x) {
    return in_double(x, [](const auto& v) { return simd::tanh(v); });
}
inline double tanh(double x) { return std::tanh(x); }
inline float tanh(float x) { return std::tanh(x); }

// ---- circular functions ---------------------------------------------------------------------------------------

/// Up to here the multiples of pi/2 are exact in the parts below.
inline constexpr double reducible = 0x1p20;

/// sin(x) for Shift = 0 and cos(x) for Shift = 1: sin(x + Shift pi/2). Large arguments
/// go to the standard library lane by lane.
template <int Shift, class A>
inline batch<double, A> circular(const batch<double, A>& x) {
    typedef batch<double, A> d;
    typedef batch<std::uint64_t, A> bits;
    const d t = fused(x, d(0x1.45f306dc9c883p-1), d(rounder));
    const d k = t - d(rounder);
    const d r0 = fused(k, d(-0x1.921fb544p0), x);
    const d w = k * d(0x1.0b4611a6p-34);
    const d r1 = r0 - w;
    const d r = r1 - fused(k, d(0x1.3198a2e037073p-69), w - (r0 - r1));
    const d z = r * r, zz = z * z;
    const d sine = fused(r * z, poly2(z, zz, 0x1.5d940c831c5ddp-33, -0x1.ae5e6a41a4976p-26,
                                             0x1.71de357d944p-19, -0x1.a01a019c198a8p-13,
                                             0x1.111111110f8c8p-7, -0x1.5555555555549p-3), r);
    const d half = z * d(0.5), above = d(1.0) - half;
    const d fourth = poly2(z, zz, -0x1.8fbc9e2456558p-37, 0x1.1eea0959b629cp-29, -0x1.27e4f839ad9b5p-22,
                                  0x1.a01a019cfbd22p-16, -0x1.6c16c16c154e5p-10, 0x1.555555555554ep-5);
    const d cosine = above + fused(zz, fourth, (d(1.0) - above) - half);
    const bits quadrant = xsimd::bitwise_cast<bits>(t) + bits(std::uint64_t{Shift});
    const auto odd = (xsimd::bitwise_cast<d>(quadrant << 63) | d(1.0)) < d(0.0);
    const d sign = xsimd::bitwise_cast<d>(quadrant << 62) & d(-0.0);
    const d result = xsimd::select(odd, cosine, sine) ^ sign;
    const auto large = xsimd::abs(x) > d(reducible);
    if (!xsimd::any(large)) return result;
    const auto exact = [](double v) {
        if (!(std::fabs(v) > reducible)) return 0.0;
        return Shift == 0 ? std::sin(v) : std::cos(v);
    };
    return xsimd::select(large, lanewise(x, exact), result);
}

/// sin(x): 1.5 ulp. Three parts of pi/2 up to 2^20, NaN at infinity.
template <class A>
inline batch<double, A> sin(const batch<double, A>& x) {
    return xsimd::select(x == batch<double, A>(0.0), x, circular<0>(x));
}
template <class A>
inline batch<float, A> sin(const batch<float, A>& x) {
    return in_double(x, [](const auto& v) { return simd::sin(v); });
}

/// cos(x), as sin
template <class A>
inline batch<double, A> cos(const batch<double, A>& x) {
    return circular<1>(x);
}
template <class A>
inline batch<float, A> cos(const batch<float, A>& x) {
    return in_double(x, [](const auto& v) { return simd::cos(v); });
}
inline double sin(double x) { return std::sin(x); }
inline float sin(float x) { return std::sin(x); }
inline double cos(double x) { return std::cos(x); }
inline float cos(float x) { return std::cos(x); }

// ---- error functions ------------------------------------------------------------------------------------------

/// What the rounded product x x lacks of the square.
template <class V>
inline V square_rest(const V& x, const V& square) {
    if constexpr (has_fma) return fused(x, x, -square);
    else {
        // Veltkamp's and Dekker's way; |x| is below 2^10 here
        const V big = x * constant<V>(0x1p27 + 1);
        const V high = big - (big - x), low = x - high;
        return ((high * high - square) + high * low + low * high) + low * low;
    }
}

/// erfcx(x) = e^(x^2) erfc(x) for x >= 0: a polynomial in q = (x - 3.5)/(x + 3.5), which is 1 - 7/(x + 3.5), over
/// x + 3.5.
template <class V>
inline V erfcx_positive(const V& x) {
    const V w = constant<V>(1.0) / (x + constant<V>(3.5));
    const V q = fused(constant<V>(-7.0), w, constant<V>(1.0));
    return w * poly2(q, V(q * q), -0x1.fae6619a7c684p-33, -0x1.14f7116cd1f2dp-30, 0x1.7ee037a2eabc1p-29,
                                  0x1.99b16f06c3533p-27, -0x1.411c50366b16bp-26, -0x1.754396a209241p-24,
                                  0x1.dd6ba4e00cc26p-24, 0x1.28aef98da787ap-21, -0x1.a9463c21c0cdap-21,
                                  -0x1.c75c4f2dacd48p-19, 0x1.e5fffe5442e1cp-18, 0x1.38d96aa97d574p-16,
                                  -0x1.39a28233ece89p-14, -0x1.60d7c6e28f1bep-15, 0x1.769ecc876ad5bp-11,
                                  -0x1.5630def5f5f9bp-10, -0x1.a06c1e789ff16p-9, 0x1.b27b27485d139p-6,
                                  -0x1.7a232e1d3c794p-4, 0x1.ce500ceb5b335p-3, -0x1.bdb3c1808b00cp-2,
                                  0x1.6362dd280196ap-1, -0x1.e02749166d573p-1, 0x1.1649466cd0bf1p0);
}

/// erfc(x) to its subnormal tail: 9 ulp, a relative error of 1e-15. e^(-x^2), the square in two parts, times erfcx.
template <class A>
inline batch<double, A> erfc(const batch<double, A>& x) {
    typedef batch<double, A> d;
    const d a = at_most(30.0, xsimd::abs(x));
    const d square = a * a;
    const d rest = square_rest(a, square);
    const d p = erfcx_positive(a);
    const d tail = exp_bounded(-at_most(750.0, square)) * fused(-rest, p, p);
    return xsimd::select(x < d(0.0), d(2.0) - tail, tail);
}
template <class A>
inline batch<float, A> erfc(const batch<float, A>& x) {
    return in_double(x, [](const auto& v) { return simd::erfc(v); });
}
inline double erfc(double x) { return std::erfc(x); }
inline float erfc(float x) { return std::erfc(x); }

/// erf(x): 2.5 ulp. An odd polynomial within 1, and outside 1 - e^g with a polynomial for g = log erfc.
template <class A>
inline batch<double, A> erf(const batch<double, A>& x) {
    typedef batch<double, A> d;
    const d a = xsimd::abs(x);
    const auto inside = a <= d(1.0);
    const d z = at_most(1.0, a) * at_most(1.0, a);
    const d inner = x * poly2(z, z * z, -0x1.ab7c8b85b87c4p-31, 0x1.d70a9ee2a94d5p-27,
                                        -0x1.5c04cf49c4608p-23, 0x1.b97f736ebfb46p-20, -0x1.f4ca43d34494p-17,
                                        0x1.f9a2ba0bcf605p-14, -0x1.c02db037678b2p-11, 0x1.565bccf9013e8p-8,
                                        -0x1.b82ce311f9562p-6, 0x1.ce2f21a040cc9p-4, -0x1.812746b0379bcp-2,
                                        0x1.20dd750429b6dp0);
    if (xsimd::all(inside)) return inner;
    const d b = at_most(5.95, at_least(1.0, a));
    const d outer = d(1.0) - exp_normal(poly2(b, b * b, 0x1.32159640f4e6cp-36, -0x1.605932d9b1ad2p-31,
                                                         0x1.7077d94eee097p-27, -0x1.c905e6d2730c9p-24,
                                                         0x1.6a802c9e83375p-21, -0x1.5e4a9b52e140bp-19,
                                                         0x1.c49c171c5d2bcp-19, 0x1.e158ac2d2c83ep-16,
                                                         -0x1.e6f7ee06ae5c3p-13, 0x1.e3be5e6cb5861p-11,
                                                         -0x1.139366b99f1f3p-9, 0x1.343e387d46e4cp-11,
                                                         0x1.350a6c06b219cp-6, -0x1.a4658df3f2952p-4,
                                                         -0x1.45f961e1bb40ep-1, -0x1.20dcc2da1bc4dp0,
                                                         -0x1.226d52d136736p-20));
    return xsimd::select(inside, inner, signed_as(outer, x));
}
template <class A>
inline batch<float, A> erf(const batch<float, A>& x) {
    return in_double(x, [](const auto& v) { return simd::erf(v); });
}
inline double erf(double x) { return std::erf(x); }
inline float erf(float x) { return std::erf(x); }

/// erfcx(x) = e^(x^2) erfc(x), infinite from -27 down: 9 ulp. Below zero, 2 e^(x^2) - erfcx(-x).
template <class A>
inline batch<double, A> erfcx(const batch<double, A>& x) {
    typedef batch<double, A> d;
    const d a = xsimd::abs(x);
    const d p = erfcx_positive(a);
    const auto negative = x < d(0.0);
    if (!xsimd::any(negative)) return p;
    const d b = at_most(30.0, a);
    const d square = b * b;
    const d e = exp_bounded(at_most(750.0, square));
    return xsimd::select(negative, d(2.0) * e * (square_rest(b, square) + d(1.0)) - p, p);
}
template <class A>
inline batch<float, A> erfcx(const batch<float, A>& x) {
    return in_double(x, [](const auto& v) { return simd::erfcx(v); });
}
inline double erfcx(double x) {
    const double a = std::fabs(x);
    const double p = erfcx_positive(a);
    if (!(x < 0.0)) return p;
    const double b = at_most(30.0, a);
    const double square = b * b;
    return 2.0 * std::exp(square) * (square_rest(b, square) + 1.0) - p;
}
inline float erfcx(float x) { return static_cast<float>(simd::erfcx(static_cast<double>(x))); }

// ---- gamma functions ------------------------------------------------------------------------------------------
inline constexpr double pi = 0x1.921fb54442d18p1;

/// log |gamma(x)|, +infinity at the poles: the C library's, without the global variable that lgamma writes; 1.6 ulp for
/// x > 0.
inline double lgamma(double x) {
#ifdef __GLIBC__
    int sign;
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}
inline float lgamma(float x) { return static_cast<float>(simd::lgamma(static_cast<double>(x))); }

/// The derivative of log gamma, -infinity at 0, +infinity at -0, NaN at the other poles: 2.1 ulp for x > 0, an absolute
/// error of some 1e-15 next to the roots below. Recurrences lead to [1, 2], where the root is split off; from 12 on the
/// asymptotic series serves, and below zero the reflection.
inline double digamma(double x) {
    if (x == 0.0) return -std::copysign(infinite<double>, x);
    if (x < 0.0) {
        const double f = x - std::round(x);
        if (f == 0.0) return undefined<double>;
        return simd::digamma(1.0 - x) - pi / std::tan(pi * f);
    }
    if (x < 12.0) {
        double r = 0.0;
        if (x < 1.0) {
            r = -1.0 / x;
            x += 1.0;
        }
        for (; x > 2.0; r += 1.0 / x) x -= 1.0;
        const double t = x - 1.5;
        const double p = poly2(t, t * t, 0x1.0dc9dba10614ap-12, -0x1.8d0783b3b123ap-12,
                                         0x1.e2d0365d1af5fp-13, -0x1.73b0cfcc75bcbp-12,
                                         0x1.7a664604158c1p-11, -0x1.1a8c1593f635ep-10,
                                         0x1.982f12b8b042dp-10, -0x1.3261eab6e641dp-9, 0x1.cd3b7bf9efbe4p-9,
                                         -0x1.5a16f5ad98e12p-8, 0x1.03c01b8763e4ep-7, -0x1.8634c48ecbe8ep-7,
                                         0x1.2564753e92005p-6, -0x1.b9f8b4c433c78p-6, 0x1.4de9aa0908dcap-5,
                                         -0x1.fb44201e54b4bp-5, 0x1.8512e5905513ep-4, -0x1.2feeeb98b04b7p-3,
                                         0x1.eca189b8e6e1ep-3, -0x1.b1cb63005ee5bp-2, 0x1.e6f0cbb873616p-1);
        return r + ((x - 0x1.762d86356be3fp0) - 0x1.b86a722197829p-54) * p;
    }
    const double z = 1.0 / (x * x);
    return std::log(x) - 0.5 / x -
           z * poly(z, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12);
}
inline float digamma(float x) { return static_cast<float>(simd::digamma(static_cast<double>(x))); }

/// The second derivative of log gamma, +infinity at its poles: 3 ulp. The recurrence to 12 and the asymptotic series,
/// and below zero the reflection.
inline double trigamma(double x) {
    if (x <= 0.0) {
        const double f = x - std::round(x), s = pi / std::sin(pi * f);
        return f == 0.0 ? infinite<double> : s * s - simd::trigamma(1.0 - x);
    }
    double r = 0.0;
    for (; x < 12.0; x += 1.0) r += 1.0 / (x * x);
    const double y = 1.0 / x, z = y * y;
    return r + (y + z * (0.5 + y * poly(z, 7.0 / 6, -691.0 / 2730, 5.0 / 66, -1.0 / 30, 1.0 / 42, -1.0 / 30, 1.0 / 6)));
}
inline float trigamma(float x) { return static_cast<float>(simd::trigamma(static_cast<double>(x))); }

template <class T, class A>
inline batch<T, A> lgamma(const batch<T, A>& x) {
    return lanewise(x, [](T v) { return simd::lgamma(v); });
}
template <class T, class A>
inline batch<T, A> digamma(const batch<T, A>& x) {
    return lanewise(x, [](T v) { return simd::digamma(v); });
}
template <class T, class A>
inline batch<T, A> trigamma(const batch<T, A>& x) {
    return lanewise(x, [](T v) { return simd::trigamma(v); });
}
}  // namespace cotan::bits::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
