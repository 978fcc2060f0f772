#include "draws.hpp"

#include "hand.hpp"

#include <immintrin.h>

#include <cstring>

// Each lane runs a block of its own: two products a round make four words, which are two numbers of the normal distribution. So a step makes two vectors,
// one logarithm, one root, one sine and one cosine for both.
namespace {

using bench::simd::vec;
using bench::simd::width;
using words = xsimd::batch<std::uint64_t>;

#ifdef __AVX512F__
words product(words a, words b) { return _mm512_mul_epu32(a, b); }
words bits(vec a) { return _mm512_castpd_si512(a); }
vec reals(words a) { return _mm512_castsi512_pd(a); }
vec evens_of(vec a, vec b) { return _mm512_unpacklo_pd(a, b); }
vec odds_of(vec a, vec b) { return _mm512_unpackhi_pd(a, b); }
vec choose(words sign, vec yes, vec no) { return _mm512_mask_blend_pd(_mm512_cmplt_epi64_mask(sign, _mm512_setzero_si512()), no, yes); }
#else
words product(words a, words b) { return _mm256_mul_epu32(a, b); }
words bits(vec a) { return _mm256_castpd_si256(a); }
vec reals(words a) { return _mm256_castsi256_pd(a); }
vec evens_of(vec a, vec b) { return _mm256_unpacklo_pd(a, b); }
vec odds_of(vec a, vec b) { return _mm256_unpackhi_pd(a, b); }
vec choose(words sign, vec yes, vec no) { return _mm256_blendv_pd(no, yes, reals(sign)); }
#endif

// Number 2 i of the two vectors comes from lane i's first number: lanes count so that unpacking puts them in order.
[[gnu::always_inline]] inline void normals(std::uint64_t key, std::uint64_t counter, words block, vec& first, vec& second) {
    const words low(0xffffffffu), m0(0xD2511F53u), m1(0xCD9E8D57u);
    words x0 = block, x1 = block >> 32, x2(counter), x3(counter >> 32);
    std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int r = 0; r < 10; ++r) {
        const words p0 = product(x0, m0), p1 = product(x2, m1);
        x0 = (p1 >> 32) ^ x1 ^ words(k0);
        x2 = (p0 >> 32) ^ x3 ^ words(k1);
        x1 = p1;  // what stands in the upper halves is never multiplied, and goes at the end
        x3 = p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    using bench::simd::fma;
    const words one(0x3FF0000000000000u), a = (x0 & low) | x1 << 32, b = (x2 & low) | x3 << 32;
    const vec u = reals(a << 2 >> 12 | one) - vec(0x1.fffffffffffffp-1), x = reals(b << 2 >> 12 | one) - vec(0x1.7ffffffffffffp+0);
    // log u, as fdlibm does it
    const words half(0x3FE6A09E667F3BCDu), t = bits(u) + (one - half);
    const vec k = reals(t >> 52 | words(0x4330000000000000u)) - vec(0x1p52 + 1023), z = reals((t & words(0x000FFFFFFFFFFFFFu)) + half);
    const vec s = (z - vec(1)) / (z + vec(1)), ss = s * s;
    vec p(-0x1.2f112df3e5244p-2);
    for (double c : {-0x1.39a09d078c69fp-2, -0x1.7466496cb03dep-2, -0x1.c71c51d8e78afp-2, -0x1.2492494229359p-1, -0x1.999999997fa04p-1, -0x1.5555555555593p+0, -4.0})
        p = fma(p, ss, vec(c));
    const vec r = sqrt(fma(k, vec(-0x1.62e42fefa39efp+0), s * p));
    const vec xx = x * x;
    vec q(-0x1.6fadb9f155744p-31);
    for (double c : {0x1.e8f434d018d63p-25, -0x1.e3074fde8871fp-19, 0x1.50783487ee782p-13, -0x1.32d2cce62bd86p-8, 0x1.466bc6775aae2p-4, -0x1.4abbce625be53p-1,
                     0x1.921fb54442d18p+0})
        q = fma(q, xx, vec(c));
    const vec sine = x * q;
    vec cosine(0x1.20c62c2f2d7f5p-34);
    for (double c : {-0x1.b6e24f44b128fp-28, 0x1.f9d38a3763cc3p-22, -0x1.a6d1f2a204a8cp-16, 0x1.e1f506891babbp-11, -0x1.55d3c7e3cbffap-6, 0x1.03c1f081b5ac4p-2, -0x1.3bd3cc9be45dep+0, 0x1.0000000000000p+0})
        cosine = fma(cosine, xx, vec(c));
    const vec c = reals(bits(cosine) ^ (b << 1 & words(0x8000000000000000u)));
    const vec even = r * choose(b, sine, c), odd = r * choose(b, c, sine);
    first = evens_of(even, odd);
    second = odds_of(even, odd);
}

}  // namespace

double bench::draws::hand(std::uint64_t key, std::uint64_t counter, std::size_t n, double mu, double sigma, double* out) {
    // lanes in the order that unpacking undoes: with 4 lanes the pairs (0, 1), (2, 3) | (4, 5), (6, 7) come from lanes 0, 2 | 1, 3
    alignas(64) std::uint64_t order[width];
    for (std::size_t l = 0; l < width; ++l) order[l] = l / 2 + (l & 1) * (width / 2);
    const words lanes = words::load_aligned(order);
    const vec m(mu), s(sigma);
    std::size_t i = 0;
    for (; i < n; i += 2 * width) {
        vec first, second;
        normals(key, counter, words(i / 2) + lanes, first, second);
        first = bench::simd::fma(s, first, m);
        second = bench::simd::fma(s, second, m);
        if (i + 2 * width <= n) {
            bench::simd::store(out + i, first);
            bench::simd::store(out + i + width, second);
        } else {
            double rest[2 * width];
            bench::simd::store(rest, first);
            bench::simd::store(rest + width, second);
            std::memcpy(out + i, rest, (n - i) * sizeof(double));
        }
    }
    return n ? out[n - 1] : 0;
}
