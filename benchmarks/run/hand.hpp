// What the hand-written loops share: vectors of doubles with explicit fused multiply-adds, partial loads, and the
// kernels in which the time goes. Everything is legal without -ffast-math.
//
// xsimd 8.1 has no fma for AVX-512: it multiplies and adds, which g++ fuses and clang does not. So fma is spelled out.
// Its exp and log1p divide, and cover all of the line; a loop that knows that its exponent is not positive needs
// neither.
#pragma once
#include <xsimd/xsimd.hpp>

#include <cstddef>
#include <cstdint>

// clang unrolls by four what is unrolled already; on a loop of five steps that costs 6 %.
#ifdef __clang__
#define BENCH_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define BENCH_ROLLED
#endif

namespace bench::simd {

using vec = xsimd::batch<double>;
using ints = xsimd::batch<std::int64_t>;
inline constexpr std::size_t width = vec::size;

inline vec load(const double* p) { return vec::load_unaligned(p); }
inline void store(double* p, vec v) { v.store_unaligned(p); }

#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline vec fma(vec a, vec b, vec c) { return _mm512_fmadd_pd(a, b, c); }
inline vec fnma(vec a, vec b, vec c) { return _mm512_fnmadd_pd(a, b, c); }

// The first `count` lanes, zeros behind them. A masked load does not touch what it leaves out.
inline __mmask8 first(std::size_t count) { return static_cast<__mmask8>((1u << count) - 1); }
inline vec load_first(const double* p, std::size_t count) { return _mm512_maskz_loadu_pd(first(count), p); }
inline void store_first(double* p, vec v, std::size_t count) { _mm512_mask_storeu_pd(p, first(count), v); }
inline vec keep_first(vec v, std::size_t count) { return _mm512_maskz_mov_pd(first(count), v); }

// Vector i of the result is the sum of the lanes of rows[i]: 7 additions instead of 8 times 3.
inline vec sum_each(const vec* rows) {
    auto pairs = [](__m512d a, __m512d b) { return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)); };
    const __m512d a = pairs(rows[0], rows[1]), b = pairs(rows[2], rows[3]);
    const __m512d c = pairs(rows[4], rows[5]), d = pairs(rows[6], rows[7]);
    auto halves = [](__m512d p, __m512d q) {  // 128-bit blocks: (p0+p1, p2+p3, q0+q1, q2+q3)
        return _mm512_add_pd(_mm512_shuffle_f64x2(p, q, 0x88), _mm512_shuffle_f64x2(p, q, 0xdd));
    };
    return halves(halves(a, b), halves(c, d));
}
inline double sum_lanes(vec v) { return _mm512_reduce_add_pd(v); }
inline double max_lanes(vec v) { return _mm512_reduce_max_pd(v); }

// Vectors of half the width, for rows that are short: 20 numbers are 5 of these, and 32 bytes never straddle two cache
// lines where the rows are aligned to 32 bytes.
using half = xsimd::batch<double, xsimd::fma3<xsimd::avx2>>;
inline half fma(half a, half b, half c) { return _mm256_fmadd_pd(a, b, c); }
inline half load_half(const double* p) { return half::load_unaligned(p); }
inline half load_half(const double* p, std::size_t count) { return _mm256_maskz_loadu_pd(first(count), p); }
inline void store_half(double* p, half v) { v.store_unaligned(p); }
inline void store_half(double* p, half v, std::size_t count) { _mm256_mask_storeu_pd(p, first(count), v); }
inline vec sum_each(const half* rows) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(xsimd::haddp(rows)), xsimd::haddp(rows + 4), 1);
}
#else
inline vec fma(vec a, vec b, vec c) { return xsimd::fma(a, b, c); }
inline vec fnma(vec a, vec b, vec c) { return xsimd::fnma(a, b, c); }
inline vec load_first(const double* p, std::size_t count) {
    alignas(64) double lanes[width] = {};
    for (std::size_t i = 0; i < count; ++i) lanes[i] = p[i];
    return vec::load_aligned(lanes);
}
inline void store_first(double* p, vec v, std::size_t count) {
    alignas(64) double lanes[width];
    v.store_aligned(lanes);
    for (std::size_t i = 0; i < count; ++i) p[i] = lanes[i];
}
inline vec keep_first(vec v, std::size_t count) {
    alignas(64) double lanes[width];
    v.store_aligned(lanes);
    return load_first(lanes, count);
}
inline vec sum_each(const vec* rows) { return xsimd::haddp(rows); }
inline double sum_lanes(vec v) { return xsimd::hadd(v); }
inline double max_lanes(vec v) {
    alignas(64) double lanes[width];
    v.store_aligned(lanes);
    double top = lanes[0];
    for (double lane : lanes) top = lane > top ? lane : top;
    return top;
}

using half = vec;
inline half load_half(const double* p) { return load(p); }
inline half load_half(const double* p, std::size_t count) { return load_first(p, count); }
inline void store_half(double* p, half v) { store(p, v); }
inline void store_half(double* p, half v, std::size_t count) { store_first(p, v, count); }
#endif

// exp(x) for x <= 0, good to 2 units in the last place; below -708 it stays at exp(-708), which no sum of ours sees.
// The integer part of x / log 2 is rounded by adding 1.5 * 2^52: its bits then stand at the low end of the double.
inline vec exp_nonpositive(vec x) {
    constexpr double round = 0x1.8p52, log2e = 0x1.71547652b82fep+0;
    constexpr double ln2_high = 0x1.62e42fefa3000p-1, ln2_low = 0x1.3de6af278ece6p-42;
    x = xsimd::max(x, vec(-708.0));
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    // 2^(j/16) comes from 16 entries in two registers, so that 6 terms of the series are enough, not 11.
    alignas(64) static constexpr double powers[16] = {
        0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
        0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
        0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
        0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
    const vec shifted = fma(x, vec(16 * log2e), vec(round));
    const vec n = shifted - vec(round);
    const vec r = fnma(n, vec(ln2_low / 16), fnma(n, vec(ln2_high / 16), x));
    const __m512i index = _mm512_castpd_si512(shifted);
    const __m512d power = _mm512_permutex2var_pd(_mm512_load_pd(powers), index, _mm512_load_pd(powers + 8));
    const __m512i exponent = _mm512_slli_epi64(_mm512_srli_epi64(index, 4), 52);
    const vec scale = _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(power), exponent));
    const vec r2 = r * r;
    const vec high = fma(r2, vec(0x1.6c17bbd1f560ap-10), fma(r, vec(0x1.11120b77051e7p-7), vec(0x1.55555555190f9p-5)));
    const vec low = fma(r, vec(0x1.55555554dcc9bp-3), vec(0.5));
    return fma(scale, fma(r2, fma(r2, high, low), r), scale);
#else
    const vec shifted = fma(x, vec(log2e), vec(round));
    const vec n = shifted - vec(round);
    const vec r = fnma(n, vec(ln2_low), fnma(n, vec(ln2_high), x));
    const vec r2 = r * r, r4 = r2 * r2;  // in pairs: shorter chains than Horner's
    const vec a = fma(r2, fma(r, vec(0x1.11111111109b3p-7), vec(0x1.5555555553d63p-5)),
                      fma(r, vec(0x1.5555555555556p-3), vec(0.5)));
    const vec b = fma(r2, fma(r, vec(0x1.71de0dae63bb3p-19), vec(0x1.a019b90d2ae7ap-16)),
                      fma(r, vec(0x1.a01a01a7c41d5p-13), vec(0x1.6c16c1788bd90p-10)));
    const vec c = fma(r, vec(0x1.af38a9b0ec855p-26), vec(0x1.289185613a3d6p-22));
    const vec y = fma(r2, fma(r4, fma(r4, c, b), a), r) + vec(1.0);
    return xsimd::bitwise_cast<vec>(xsimd::bitwise_cast<ints>(y) + (xsimd::bitwise_cast<ints>(shifted) << 52));
#endif
}

struct softplus_result {
    vec value, logistic;
};

// log(1 + exp x) and its derivative from one exp and one division.
inline softplus_result softplus(vec x) {
    const vec e = exp_nonpositive(-xsimd::abs(x));
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    // m = 1 + e lies in [1, 2]. Its first 4 bits choose c, close to 1 / m, and log c; then m * c - 1 <= 1 / 16, and 9
    // terms of log(1 + r) are enough. What 1 + e lost in rounding comes back through the quotient that the derivative
    // needs.
    alignas(64) static constexpr double inverses[16] = {
        0x1.0000000000000p+0, 0x1.e1e1e1e1e1e1ep-1, 0x1.c71c71c71c71cp-1, 0x1.af286bca1af28p-1,
        0x1.999999999999ap-1, 0x1.8618618618618p-1, 0x1.745d1745d1746p-1, 0x1.642c8590b2164p-1,
        0x1.5555555555555p-1, 0x1.47ae147ae147bp-1, 0x1.3b13b13b13b14p-1, 0x1.2f684bda12f68p-1,
        0x1.2492492492492p-1, 0x1.1a7b9611a7b96p-1, 0x1.1111111111111p-1, 0x1.0842108421084p-1};
    alignas(64) static constexpr double logs[16] = {0x0.0p+0,
                                                    0x1.f0a30c01162a8p-5,
                                                    0x1.e27076e2af2eap-4,
                                                    0x1.5ff3070a793d6p-3,
                                                    0x1.c8ff7c79a9a20p-3,
                                                    0x1.1675cababa60fp-2,
                                                    0x1.4618bc21c5ec2p-2,
                                                    0x1.739d7f6bbd007p-2,
                                                    0x1.9f323ecbf984dp-2,
                                                    0x1.c8ff7c79a9a21p-2,
                                                    0x1.f128f5faf06ecp-2,
                                                    0x1.0be72e4252a83p-1,
                                                    0x1.1e85f5e7040d1p-1,
                                                    0x1.307d7334f10bep-1,
                                                    0x1.41d8fe84672afp-1,
                                                    0x1.52a2d265bc5abp-1};
    const vec m = xsimd::min(e + vec(1.0), vec(0x1.fffffffffffffp+0));  // 2 itself would choose the first entry
    const vec lost = e - (m - vec(1.0));
    const vec quotient = vec(1.0) / m;
    const __m512i index = _mm512_srli_epi64(_mm512_castpd_si512(m), 48);
    const vec c = _mm512_permutex2var_pd(_mm512_load_pd(inverses), index, _mm512_load_pd(inverses + 8));
    const vec log_c = _mm512_permutex2var_pd(_mm512_load_pd(logs), index, _mm512_load_pd(logs + 8));
    const vec r = _mm512_fmsub_pd(m, c, vec(1.0));
    const vec r2 = r * r;
    const vec t0 = fma(r, vec(-0x1.fffffffdfb65ap-3), vec(0x1.55555555552b3p-2));
    const vec t2 = fma(r, vec(-0x1.555491e1d6c97p-3), vec(0x1.9999979376d3fp-3));
    const vec t4 = fma(r2, vec(0x1.775f1130fc3d4p-4), fma(r, vec(-0x1.f9694ceb39ac2p-4), vec(0x1.246f04cd79110p-3)));
    const vec series = fma(r2, fma(r, fma(r2, fma(r2, t4, t2), t0), vec(-0.5)), r);
    const vec log1p = series + fma(lost, quotient, log_c);
    const vec logistic = _mm512_mask_mul_pd(quotient, _mm512_movepi64_mask(_mm512_castpd_si512(x)), e, quotient);
    return {xsimd::max(x, vec(0.0)) + log1p, logistic};
#else
    // f = e, or (e - 1) / 2 where e > sqrt 2 - 1; s = f / (2 + f), and log(1 + f) is an odd series in s. The two
    // quotients 1 / (1 + f) and 1 / (2 + f) share a division.
    const auto large = e > vec(0.41421356);
    const vec f = xsimd::select(large, (e - vec(1.0)) * vec(0.5), e);
    const vec a = f + vec(1.0), b = f + vec(2.0), d = vec(1.0) / (a * b);
    const vec s = f * a * d, z = s * s, w = z * z;
    const vec even =
        fma(w, fma(w, fma(w, vec(0x1.2b58799877120p-3), vec(0x1.7462b4c86a645p-3)), vec(0x1.2492492df1995p-2)),
            vec(0x1.5555555555558p-1));
    const vec odd = fma(w, fma(w, vec(0x1.39fe5c9999dacp-3), vec(0x1.c71c62e51953ap-3)), vec(0x1.99999999952dfp-2));
    const vec log1p = fma(s * z, fma(z, odd, even), s + s) + xsimd::select(large, vec(0x1.62e42fefa39efp-1), vec(0.0));
    const vec quotient = xsimd::select(large, b * d * vec(0.5), b * d);
    return {xsimd::max(x, vec(0.0)) + log1p, xsimd::select(x < vec(0.0), e * quotient, quotient)};
#endif
}

}  // namespace bench::simd
