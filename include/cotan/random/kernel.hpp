#pragma once

#include <cotan/op/kernel/simd_math.hpp>
#include <cotan/random/philox.hpp>
#include <cotan/run/simd.hpp>

#include <cmath>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

// Philox 4x32-10 in SIMD, and the transformations that need its bits. One block of Philox, 128 bits, serves two elements: the even one takes the first
// 64 bits and the odd one the rest. So vectors hold whole blocks, in the order of memory, and an element's value does not depend on the width of vectors.
//
// A position is an element's number in its draw; what Philox counts is
//     word 0, 1: position / 2, and a tag in the upper byte (see below)
//     word 2, 3: the key's counter
// and its key is the key's. Multiplications that are followed by an addition are fused by name, so that both compilers give the same bits.
namespace cotan::bits::simd {

/// What a block is for: streams with different tags have nothing in common.
enum class stream : std::uint64_t { draw = 0, fold = 1, inner = 2 };

constexpr std::uint64_t tagged(std::uint64_t block, stream s) { return block | static_cast<std::uint64_t>(s) << 56; }

inline r123::Philox4x32::ctr_type philox_block(std::uint64_t key, std::uint64_t counter, std::uint64_t block) {
    return r123::Philox4x32()({{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), static_cast<std::uint32_t>(counter),
                                static_cast<std::uint32_t>(counter >> 32)}},
                              {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
}

/// Registers of Bytes that hold blocks of Philox: philox(...) gives one register of them, or two with the first and the second half of each, so that
/// evens and odds of the two are in order. Bytes 0: two numbers in an array, for processors that have no code here.
template <std::size_t Bytes> struct blocks;

template <> struct blocks<0> {
    static constexpr int size = 2;
    struct words { std::uint64_t at[2]; };
    struct reals { double at[2]; };
    static words philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first) {
        const auto c = philox_block(key, counter, first);
        return {{c[0] | std::uint64_t{c[1]} << 32, c[2] | std::uint64_t{c[3]} << 32}};
    }
    template <class F> static words each(const words& a, const words& b, F f) { return {{f(a.at[0], b.at[0]), f(a.at[1], b.at[1])}}; }
    template <class F> static reals each(const reals& a, const reals& b, F f) { return {{f(a.at[0], b.at[0]), f(a.at[1], b.at[1])}}; }
    static words twin(std::uint64_t even, std::uint64_t odd) { return {{even, odd}}; }
    static words same(std::uint64_t w) { return {{w, w}}; }
    static reals same(double x) { return {{x, x}}; }
    template <int N> static words left(const words& a) { return {{a.at[0] << N, a.at[1] << N}}; }
    template <int N> static words right(const words& a) { return {{a.at[0] >> N, a.at[1] >> N}}; }
    static words both(const words& a, const words& b) { return each(a, b, [](auto x, auto y) { return x & y; }); }
    static words either(const words& a, const words& b) { return each(a, b, [](auto x, auto y) { return x | y; }); }
    static words plus(const words& a, const words& b) { return each(a, b, [](auto x, auto y) { return x + y; }); }
    static reals add(const reals& a, const reals& b) { return each(a, b, [](auto x, auto y) { return x + y; }); }
    static reals subtract(const reals& a, const reals& b) { return each(a, b, [](auto x, auto y) { return x - y; }); }
    static reals multiply(const reals& a, const reals& b) { return each(a, b, [](auto x, auto y) { return x * y; }); }
    static reals divide(const reals& a, const reals& b) { return each(a, b, [](auto x, auto y) { return x / y; }); }
    static reals fma(const reals& a, const reals& b, const reals& c) {
        return {{simd::fused(a.at[0], b.at[0], c.at[0]), simd::fused(a.at[1], b.at[1], c.at[1])}};
    }
    static reals root(const reals& a) { return {{std::sqrt(a.at[0]), std::sqrt(a.at[1])}}; }
    static reals flip(const reals& a, const words& sign) { return as_reals(each(as_words(a), sign, [](auto x, auto y) { return x ^ y; })); }
    static reals as_reals(const words& a) { return std::bit_cast<reals>(a); }
    static words as_words(const reals& a) { return std::bit_cast<words>(a); }
    static reals odds(const reals& a, const reals& b) { return {{a.at[1], b.at[1]}}; }
    static reals evens(const reals& a, const reals& b) { return {{a.at[0], b.at[0]}}; }
    static void philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first, words& s, words& t) {
        const words a = philox(key, counter, first), b = philox(key, counter, first + 1);
        s = {{a.at[0], b.at[0]}};
        t = {{a.at[1], b.at[1]}};
    }
    static reals choose_by_sign(const words& s, const reals& positive, const reals& negative) {
        return {{s.at[0] >> 63 ? negative.at[0] : positive.at[0], s.at[1] >> 63 ? negative.at[1] : positive.at[1]}};
    }
};

#ifdef __SSE2__
// One register of blocks, each in its two lanes: low words times constants; the products' words in reverse are where the next round wants them.
#define COTAN_PHILOX(words, mul, shuffle, srl, xor_, add)                                   \
    words k = twin(key & 0xffffffffu, key >> 32);                                           \
    const words step = twin(0x9E3779B9u, 0xBB67AE85u), m = twin(0xD2511F53u, 0xCD9E8D57u);  \
    for (int r = 0; r < 10; ++r) {                                                          \
        s = xor_(xor_(srl(s, 32), k), shuffle(mul(s, m), 0x1B));                            \
        k = add(k, step);                                                                   \
    }                                                                                       \
    return s
// A block a lane, its words in four registers. What stands in the upper halves of lanes is never multiplied, and goes at the end.
#define COTAN_PHILOX_APART(words, mul, srl, sll, xor_, and_, or_, add, order)                            \
    const words block = add(same(first), order), m0 = same(std::uint64_t{0xD2511F53u}), m1 = same(std::uint64_t{0xCD9E8D57u}); \
    words x0 = block, x1 = srl(block, 32), x2 = same(counter), x3 = same(counter >> 32);                 \
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);               \
    for (int r = 0; r < 10; ++r) {                                                                       \
        const words p0 = mul(x0, m0), p1 = mul(x2, m1);                                                  \
        x0 = xor_(xor_(srl(p1, 32), x1), same(std::uint64_t{k0}));                                       \
        x2 = xor_(xor_(srl(p0, 32), x3), same(std::uint64_t{k1}));                                       \
        x1 = p1;                                                                                         \
        x3 = p0;                                                                                         \
        k0 += 0x9E3779B9u;                                                                               \
        k1 += 0xBB67AE85u;                                                                               \
    }                                                                                                    \
    const words low = same(std::uint64_t{0xffffffffu});                                                  \
    s = or_(and_(x0, low), sll(x1, 32));                                                                 \
    t = or_(and_(x2, low), sll(x3, 32))

template <> struct blocks<16> {
    static constexpr int size = 2;
    using words = __m128i;
    using reals = __m128d;
    static words twin(std::uint64_t even, std::uint64_t odd) { return _mm_set_epi64x(static_cast<long long>(odd), static_cast<long long>(even)); }
    static words philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first) {
        words s = twin(first, counter);
        COTAN_PHILOX(words, _mm_mul_epu32, _mm_shuffle_epi32, _mm_srli_epi64, _mm_xor_si128, _mm_add_epi32);
    }
    COTAN_INLINE static void philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first, words& s, words& t) {
        COTAN_PHILOX_APART(words, _mm_mul_epu32, _mm_srli_epi64, _mm_slli_epi64, _mm_xor_si128, _mm_and_si128, _mm_or_si128, _mm_add_epi64, (_mm_set_epi64x(1, 0)));
    }
    static reals evens(reals a, reals b) { return _mm_unpacklo_pd(a, b); }
    static words same(std::uint64_t w) { return _mm_set1_epi64x(static_cast<long long>(w)); }
    static reals same(double x) { return _mm_set1_pd(x); }
    template <int N> static words left(words a) { return _mm_slli_epi64(a, N); }
    template <int N> static words right(words a) { return _mm_srli_epi64(a, N); }
    static words both(words a, words b) { return _mm_and_si128(a, b); }
    static words either(words a, words b) { return _mm_or_si128(a, b); }
    static words plus(words a, words b) { return _mm_add_epi64(a, b); }
    static reals add(reals a, reals b) { return _mm_add_pd(a, b); }
    static reals subtract(reals a, reals b) { return _mm_sub_pd(a, b); }
    static reals multiply(reals a, reals b) { return _mm_mul_pd(a, b); }
    static reals divide(reals a, reals b) { return _mm_div_pd(a, b); }
#ifdef __FMA__
    static reals fma(reals a, reals b, reals c) { return _mm_fmadd_pd(a, b, c); }
#else
    static reals fma(reals a, reals b, reals c) { return _mm_add_pd(_mm_mul_pd(a, b), c); }
#endif
    static reals root(reals a) { return _mm_sqrt_pd(a); }
    static reals flip(reals a, words sign) { return _mm_xor_pd(a, as_reals(sign)); }
    static reals as_reals(words a) { return _mm_castsi128_pd(a); }
    static words as_words(reals a) { return _mm_castpd_si128(a); }
    static reals odds(reals a, reals b) { return _mm_unpackhi_pd(a, b); }
    static reals choose_by_sign(words s, reals positive, reals negative) {
        const reals m = as_reals(_mm_shuffle_epi32(_mm_srai_epi32(s, 31), 0xF5));
        return _mm_or_pd(_mm_and_pd(m, negative), _mm_andnot_pd(m, positive));
    }
};
#endif

#ifdef __AVX2__
template <> struct blocks<32> {
    static constexpr int size = 4;
    using words = __m256i;
    using reals = __m256d;
    static words twin(std::uint64_t even, std::uint64_t odd) { return _mm256_broadcastsi128_si256(blocks<16>::twin(even, odd)); }
    static words philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first) {
        words s = _mm256_add_epi64(twin(first, counter), _mm256_set_epi64x(0, 1, 0, 0));
        COTAN_PHILOX(words, _mm256_mul_epu32, _mm256_shuffle_epi32, _mm256_srli_epi64, _mm256_xor_si256, _mm256_add_epi32);
    }
    COTAN_INLINE static void philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first, words& s, words& t) {
        COTAN_PHILOX_APART(words, _mm256_mul_epu32, _mm256_srli_epi64, _mm256_slli_epi64, _mm256_xor_si256, _mm256_and_si256, _mm256_or_si256, _mm256_add_epi64, (_mm256_set_epi64x(3, 1, 2, 0)));
    }
    static reals evens(reals a, reals b) { return _mm256_unpacklo_pd(a, b); }
    static words same(std::uint64_t w) { return _mm256_set1_epi64x(static_cast<long long>(w)); }
    static reals same(double x) { return _mm256_set1_pd(x); }
    template <int N> static words left(words a) { return _mm256_slli_epi64(a, N); }
    template <int N> static words right(words a) { return _mm256_srli_epi64(a, N); }
    static words both(words a, words b) { return _mm256_and_si256(a, b); }
    static words either(words a, words b) { return _mm256_or_si256(a, b); }
    static words plus(words a, words b) { return _mm256_add_epi64(a, b); }
    static reals add(reals a, reals b) { return _mm256_add_pd(a, b); }
    static reals subtract(reals a, reals b) { return _mm256_sub_pd(a, b); }
    static reals multiply(reals a, reals b) { return _mm256_mul_pd(a, b); }
    static reals divide(reals a, reals b) { return _mm256_div_pd(a, b); }
#ifdef __FMA__
    static reals fma(reals a, reals b, reals c) { return _mm256_fmadd_pd(a, b, c); }
#else
    static reals fma(reals a, reals b, reals c) { return _mm256_add_pd(_mm256_mul_pd(a, b), c); }
#endif
    static reals root(reals a) { return _mm256_sqrt_pd(a); }
    static reals flip(reals a, words sign) { return _mm256_xor_pd(a, as_reals(sign)); }
    static reals as_reals(words a) { return _mm256_castsi256_pd(a); }
    static words as_words(reals a) { return _mm256_castpd_si256(a); }
    static reals odds(reals a, reals b) { return _mm256_unpackhi_pd(a, b); }
    static reals choose_by_sign(words s, reals positive, reals negative) { return _mm256_blendv_pd(positive, negative, as_reals(s)); }
};
#endif

#ifdef __AVX512F__
template <> struct blocks<64> {
    static constexpr int size = 8;
    using words = __m512i;
    using reals = __m512d;
    static words twin(std::uint64_t even, std::uint64_t odd) {
        const auto e = static_cast<long long>(even), o = static_cast<long long>(odd);
        return _mm512_set_epi64(o, e, o, e, o, e, o, e);
    }
    static words shuffled(words a, int) { return _mm512_shuffle_epi32(a, _MM_PERM_ABCD); }
    static words philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first) {
        words s = _mm512_add_epi64(twin(first, counter), _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
        COTAN_PHILOX(words, _mm512_mul_epu32, shuffled, _mm512_srli_epi64, _mm512_xor_si512, _mm512_add_epi32);
    }
    COTAN_INLINE static void philox(std::uint64_t key, std::uint64_t counter, std::uint64_t first, words& s, words& t) {
        COTAN_PHILOX_APART(words, _mm512_mul_epu32, _mm512_srli_epi64, _mm512_slli_epi64, _mm512_xor_si512, _mm512_and_si512, _mm512_or_si512, _mm512_add_epi64, (_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0)));
    }
    static reals evens(reals a, reals b) { return _mm512_unpacklo_pd(a, b); }
    static words same(std::uint64_t w) { return _mm512_set1_epi64(static_cast<long long>(w)); }
    static reals same(double x) { return _mm512_set1_pd(x); }
    template <int N> static words left(words a) { return _mm512_slli_epi64(a, N); }
    template <int N> static words right(words a) { return _mm512_srli_epi64(a, N); }
    static words both(words a, words b) { return _mm512_and_si512(a, b); }
    static words either(words a, words b) { return _mm512_or_si512(a, b); }
    static words plus(words a, words b) { return _mm512_add_epi64(a, b); }
    static reals add(reals a, reals b) { return _mm512_add_pd(a, b); }
    static reals subtract(reals a, reals b) { return _mm512_sub_pd(a, b); }
    static reals multiply(reals a, reals b) { return _mm512_mul_pd(a, b); }
    static reals divide(reals a, reals b) { return _mm512_div_pd(a, b); }
    static reals fma(reals a, reals b, reals c) { return _mm512_fmadd_pd(a, b, c); }
    static reals root(reals a) { return _mm512_sqrt_pd(a); }
    static reals flip(reals a, words sign) { return as_reals(_mm512_xor_si512(as_words(a), sign)); }
    static reals as_reals(words a) { return _mm512_castsi512_pd(a); }
    static words as_words(reals a) { return _mm512_castpd_si512(a); }
    static reals odds(reals a, reals b) { return _mm512_unpackhi_pd(a, b); }
    static reals choose_by_sign(words s, reals positive, reals negative) {
        return _mm512_mask_blend_pd(_mm512_cmplt_epi64_mask(s, _mm512_setzero_si512()), positive, negative);
    }
};
#endif
#undef COTAN_PHILOX
#undef COTAN_PHILOX_APART

/// The widest blocks that fit into a batch.
template <std::size_t Bytes>
inline constexpr std::size_t block_bytes =
#ifdef __AVX512F__
    Bytes >= 64 ? 64 :
#endif
#ifdef __AVX2__
    Bytes >= 32 ? 32 :
#endif
#ifdef __SSE2__
    16;
#else
    0;
#endif

inline constexpr std::uint64_t one_bits = 0x3FF0000000000000u;

/// 52 bits of each word as a number in [1, 2).
template <class B> typename B::reals in_one_two(typename B::words w) { return B::as_reals(B::either(B::template right<12>(w), B::same(one_bits))); }

/// Uniform in (0, 1): (the upper 52 bits + 1/2) / 2^52. Neither end is ever drawn.
struct uniform_bits {
    static constexpr stream tag = stream::draw;
    template <class B> static typename B::reals from(typename B::words w) {
        constexpr double below_one = 0x1.fffffffffffffp-1;
        return B::subtract(in_one_two<B>(w), B::same(below_one));
    }
    template <class B> COTAN_INLINE static void pair(typename B::words v, typename B::words w, typename B::reals& first, typename B::reals& second) {
        const typename B::reals a = from<B>(v), b = from<B>(w);
        first = B::evens(a, b);
        second = B::odds(a, b);
    }
};
/// The upper 52 bits as a whole number.
struct whole_bits {
    static constexpr stream tag = stream::fold;
    template <class B> static typename B::reals from(typename B::words w) {
        constexpr std::uint64_t two52 = 0x4330000000000000u;
        return B::subtract(B::as_reals(B::either(B::template right<12>(w), B::same(two52))), B::same(0x1p52));
    }
    template <class B> COTAN_INLINE static void pair(typename B::words v, typename B::words w, typename B::reals& first, typename B::reals& second) {
        const typename B::reals a = from<B>(v), b = from<B>(w);
        first = B::evens(a, b);
        second = B::odds(a, b);
    }
};
/// The normal distribution by the method of Box and Muller (1958): a pair is sqrt(-2 log u) times the cosine and sine of a uniform angle. The angle is in
/// (-pi/4, pi/4), and two more bits turn and mirror it. The logarithm is that of fdlibm.
struct normal_bits {
    static constexpr stream tag = stream::draw;
    template <class B> static typename B::reals from(typename B::words w) {
        typename B::reals first, second;
        const typename B::reals r = B::as_reals(w);
        pair<B>(B::as_words(B::evens(r, r)), B::as_words(B::odds(r, r)), first, second);
        return first;
    }
    /// Two registers at once, the first and the second halves of blocks: all of one vector is the logarithm, all of another the angle, and nothing is computed that is not used.
    template <class B> COTAN_INLINE static void pair(typename B::words v, typename B::words w, typename B::reals& first, typename B::reals& second) {
        using reals = typename B::reals;
        using words = typename B::words;
        const reals u = B::subtract(in_one_two<B>(B::template left<2>(v)), B::same(0x1.fffffffffffffp-1));
        const reals x = B::subtract(in_one_two<B>(B::template left<2>(w)), B::same(0x1.7ffffffffffffp+0));  // the angle in quarter turns
        constexpr std::uint64_t root_half = 0x3FE6A09E667F3BCDu, mantissa = 0x000FFFFFFFFFFFFFu, two52 = 0x4330000000000000u;
        const words t = B::plus(B::as_words(u), B::same(one_bits - root_half));
        const reals k = B::subtract(B::as_reals(B::either(B::template right<52>(t), B::same(two52))), B::same(0x1p52 + 1023));
        const reals z = B::as_reals(B::plus(B::both(t, B::same(mantissa)), B::same(root_half)));
        const reals one = B::same(1.0);
        const reals a = B::divide(B::subtract(z, one), B::add(z, one)), aa = B::multiply(a, a), xx = B::multiply(x, x);
        reals p = B::same(logarithm[0]), q = B::same(sine[0]);
        reals r = B::fma(B::same(cosine[0]), xx, B::same(cosine[1]));
        for (int i = 1; i < 8; ++i) {
            p = B::fma(p, aa, B::same(logarithm[i]));
            q = B::fma(q, xx, B::same(sine[i]));
            r = B::fma(r, xx, B::same(cosine[i + 1]));
        }
        const reals s = B::multiply(x, q);
        const words sign = B::same(std::uint64_t{1} << 63);
        const reals radius = B::root(B::fma(k, B::same(-0x1.62e42fefa39efp+0), B::multiply(a, p)));
        const reals c = B::flip(r, B::both(B::template left<1>(w), sign));
        const reals even = B::multiply(radius, B::choose_by_sign(w, c, s)), odd = B::multiply(radius, B::choose_by_sign(w, s, c));
        first = B::evens(even, odd);
        second = B::odds(even, odd);
    }
    // -2 log(z) is an odd polynomial in (z - 1) / (z + 1), sin(pi/2 x) one in x, cos(pi/2 x) an even one
    static constexpr double logarithm[] = {-0x1.2f112df3e5244p-2, -0x1.39a09d078c69fp-2, -0x1.7466496cb03dep-2, -0x1.c71c51d8e78afp-2,
                                           -0x1.2492494229359p-1, -0x1.999999997fa04p-1, -0x1.5555555555593p+0, -4.0};
    static constexpr double sine[] = {-0x1.6fadb9f155744p-31, 0x1.e8f434d018d63p-25,  -0x1.e3074fde8871fp-19, 0x1.50783487ee782p-13,
                                      -0x1.32d2cce62bd86p-8,  0x1.466bc6775aae2p-4, -0x1.4abbce625be53p-1,  0x1.921fb54442d18p+0};
    static constexpr double cosine[] = {0x1.20c62c2f2d7f5p-34, -0x1.b6e24f44b128fp-28, 0x1.f9d38a3763cc3p-22, -0x1.a6d1f2a204a8cp-16, 0x1.e1f506891babbp-11, -0x1.55d3c7e3cbffap-6, 0x1.03c1f081b5ac4p-2, -0x1.3bd3cc9be45dep+0, 0x1.0000000000000p+0};
};

/// F of the bits at one position.
template <class F>
double draw_one(double key, double counter, double position) {
    using B = blocks<block_bytes<16>>;
    const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(position));
    const auto r = F::template from<B>(B::philox(static_cast<std::uint64_t>(static_cast<std::int64_t>(key)), static_cast<std::uint64_t>(static_cast<std::int64_t>(counter)),
                                                 tagged(at / 2, F::tag)));
    double two[2];
    std::memcpy(two, &r, sizeof two);
    return two[at & 1];
}
template <class F, class V>
[[gnu::noinline]] V draw_apart(V key, V counter, V position) {
    constexpr std::size_t n = V::size;
    alignas(64) double k[n], c[n], p[n];
    key.store_aligned(k);
    counter.store_aligned(c);
    position.store_aligned(p);
    for (std::size_t i = 0; i < n; ++i) p[i] = draw_one<F>(k[i], c[i], p[i]);
    return V::load_aligned(p);
}

/// F of the bits that belong to positions. Lanes with consecutive positions from an even one on, and the same key, are whole blocks; others take their
/// element out of a block each.
template <class F, class V>
COTAN_INLINE V draw(const V& key, const V& counter, const V& position) {
    if constexpr (std::is_arithmetic_v<V>) return static_cast<V>(draw_one<F>(static_cast<double>(key), static_cast<double>(counter), static_cast<double>(position)));
    else {
        static_assert(std::is_same_v<typename V::value_type, double>);
        constexpr int n = static_cast<int>(V::size);
        using B = blocks<block_bytes<sizeof(V)>>;
        const double k0 = key.get(0), c0 = counter.get(0), p0 = position.get(0);
        const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(p0));
        const auto same = (position == count_from<double>(0) + V(p0)) & (key == V(k0)) & (counter == V(c0));
        if (xsimd::all(same) && (at & 1) == 0) [[likely]] {
            const auto k = static_cast<std::uint64_t>(static_cast<std::int64_t>(k0)), c = static_cast<std::uint64_t>(static_cast<std::int64_t>(c0));
            if constexpr (B::size == n) return V(F::template from<B>(B::philox(k, c, tagged(at / 2, F::tag))));
            else {
                alignas(64) double all[static_cast<std::size_t>(n)];
                for (int i = 0; i < n; i += B::size) {
                    const auto r = F::template from<B>(B::philox(k, c, tagged((at + static_cast<std::uint64_t>(i)) / 2, F::tag)));
                    std::memcpy(all + i, &r, sizeof r);
                }
                return V::load_aligned(all);
            }
        }
        return draw_apart<F, V>(key, counter, position);
    }
}

/// The same for two vectors. Where the second goes on where the first ends, they are computed together.
template <class F, class V>
COTAN_INLINE void draw_pair(V& first, V& second, const V& key, const V& counter, const V& position, const V& key2, const V& counter2, const V& position2) {
    constexpr int n = static_cast<int>(V::size);
    using B = blocks<block_bytes<sizeof(V)>>;
    if constexpr (B::size == n) {
        const double k0 = key.get(0), c0 = counter.get(0), p0 = position.get(0);
        const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(p0));
        const auto one_key = (key == V(k0)) & (counter == V(c0)) & (key2 == V(k0)) & (counter2 == V(c0));
        const auto same = ((position == count_from<double>(0) + V(p0)) & (position2 == position + V(static_cast<double>(n)))) & one_key;
        if (xsimd::all(same) && (at & 1) == 0) [[likely]] {
            typename B::words v, w;
            typename B::reals a, b;
            B::philox(static_cast<std::uint64_t>(static_cast<std::int64_t>(k0)), static_cast<std::uint64_t>(static_cast<std::int64_t>(c0)), tagged(at / 2, F::tag), v, w);
            F::template pair<B>(v, w, a, b);
            first = V(a);
            second = V(b);
            return;
        }
    }
    first = draw_apart<F, V>(key, counter, position);
    second = draw_apart<F, V>(key2, counter2, position2);
}

}  // namespace cotan::bits::simd
