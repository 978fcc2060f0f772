#include "op/table.hpp"

#include <cotan/random.hpp>

#include <cstring>
#include <random>

using namespace cotan;
namespace simd = cotan::bits::simd;

namespace {

/// The words of each kind of registers, block after block.
template <std::size_t Bytes>
std::vector<std::uint64_t> one_register(std::uint64_t key, std::uint64_t counter, std::uint64_t first) {
    using B = simd::blocks<Bytes>;
    const auto r = B::philox(key, counter, first);
    std::vector<std::uint64_t> w(static_cast<std::size_t>(B::size));
    std::memcpy(w.data(), &r, sizeof r);
    return w;
}
template <std::size_t Bytes>
std::vector<std::uint64_t> two_registers(std::uint64_t key, std::uint64_t counter, std::uint64_t first) {
    using B = simd::blocks<Bytes>;
    typename B::words s, t;
    B::philox(key, counter, first, s, t);
    const auto a = B::evens(B::as_reals(s), B::as_reals(t)), b = B::odds(B::as_reals(s), B::as_reals(t));
    std::vector<std::uint64_t> w(2 * static_cast<std::size_t>(B::size));
    std::memcpy(w.data(), &a, sizeof a);
    std::memcpy(w.data() + B::size, &b, sizeof b);
    return w;
}
template <std::size_t Bytes>
void check_words() {
    // Random123's known answers: counter and key of zeros, of ones, and digits of pi
    struct answer {
        std::uint64_t first, counter, key, low, high;
    };
    constexpr std::uint64_t ones = ~std::uint64_t{0};
    const answer answers[] = {{0, 0, 0, 0xe169c58d6627e8d5u, 0x9b00dbd8bc57ac4cu},
                              {ones, ones, ones, 0x41c83b0e408f276du, 0x6d5451fda20bc7c6u},
                              {0x85a308d3243f6a88u, 0x0370734413198a2eu, 0x299f31d0a4093822u, 0x94fdccebd16cfe09u, 0x24126ea15001e420u}};
    for (const answer& a : answers) {
        const auto w = one_register<Bytes>(a.key, a.counter, a.first), v = two_registers<Bytes>(a.key, a.counter, a.first);
        CHECK(w[0] == a.low);
        CHECK(w[1] == a.high);
        CHECK(v[0] == a.low);
        CHECK(v[1] == a.high);
    }
    std::mt19937_64 any(1);
    for (int turn = 0; turn < 1000; ++turn) {
        const std::uint64_t key = any(), counter = any(), first = any();
        const auto w = one_register<Bytes>(key, counter, first), v = two_registers<Bytes>(key, counter, first);
        for (std::size_t i = 0; i < v.size(); i += 2) {
            const auto want = simd::philox_block(key, counter, first + i / 2);
            const std::uint64_t low = want[0] | std::uint64_t{want[1]} << 32, high = want[2] | std::uint64_t{want[3]} << 32;
            REQUIRE(v[i] == low);
            REQUIRE(v[i + 1] == high);
            if (i < w.size()) REQUIRE(w[i] == low);
            if (i < w.size()) REQUIRE(w[i + 1] == high);
        }
    }
}

constexpr auto key = random::key<"key">;
constexpr auto x = tensor<double, "x", "n">;
using line = xt::xtensor<double, 1>;

double uniform_at(random::philox k, std::uint64_t i) {
    const auto c = simd::philox_block(static_cast<std::uint64_t>(k.key()), static_cast<std::uint64_t>(k.counter()), i / 2);
    const std::uint64_t w = i & 1 ? c[2] | std::uint64_t{c[3]} << 32 : c[0] | std::uint64_t{c[1]} << 32;
    return (static_cast<double>(w >> 12) + 0.5) * 0x1p-52;
}
long double normal_at(random::philox k, std::uint64_t i) {
    const auto c = simd::philox_block(static_cast<std::uint64_t>(k.key()), static_cast<std::uint64_t>(k.counter()), i / 2);
    const std::uint64_t a = c[0] | std::uint64_t{c[1]} << 32, b = c[2] | std::uint64_t{c[3]} << 32;
    const long double u = (static_cast<long double>(a << 2 >> 12) + 0.5L) * 0x1p-52L, r = std::sqrt(-2 * std::log(u));
    const long double angle = 1.57079632679489661923L * (static_cast<long double>(b << 2 >> 12) * 0x1p-52L - 0.5L + 0x1p-52L);
    const long double sine = std::sin(angle), cosine = (b >> 62 & 1 ? -1 : 1) * std::cos(angle);
    return r * ((i & 1) == (b >> 63) ? cosine : sine);
}

}  // namespace

TEST_CASE("Philox in every kind of registers is Random123's, bit by bit") {
    check_words<0>();
#ifdef __SSE2__
    check_words<16>();
#endif
#ifdef __AVX2__
    check_words<32>();
#endif
#ifdef __AVX512F__
    check_words<64>();
#endif
}

TEST_CASE("uniform and normal numbers are what Random123's bits say, wherever an element stands") {
    constexpr auto f = function(inputs(key, x), outputs(random::uniform(key, c<0.0>, c<1.0>, like(x)).value));
    constexpr auto g = function(inputs(key, x), outputs(random::normal(key, c<0.0>, c<1.0>, like(x)).value));
    const random::philox k(123456789012345, 77);
    line longest = g(k, xt::zeros<double>({200}));
    for (std::size_t n : std::initializer_list<std::size_t>{0, 1, 2, 3, 7, 8, 15, 16, 31, 100}) {
        const line u = f(k, line(xt::zeros<double>({n}))), z = g(k, line(xt::zeros<double>({n})));
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(u(i) == uniform_at(k, i));
            CHECK(std::fabs(z(i) - static_cast<double>(normal_at(k, i))) <= 1e-15 * (1 + std::fabs(z(i))));
            CHECK(z(i) == longest(i));
        }
    }
}

TEST_CASE("a number does not depend on the loop that computes it: scalars, rows, columns, transposed") {
    constexpr auto A = tensor<double, "A", "n", "k">;
    constexpr auto d = random::normal(key, c<0.0>, c<1.0>, like(A));
    constexpr auto f = function(inputs(key, A), outputs(d.value, transpose(d.value), sum(d.value, axis<0>), sum(d.value, axis<1>)));
    constexpr auto first = function(inputs(key), random::normal(key, c<0.0>, c<1.0>).value);
    const auto k = random::seed(5);
    const xt::xtensor<double, 2> a = xt::zeros<double>({19, 13});
    const auto [z, t, rows, columns] = f(k, a);
    line total = xt::zeros<double>({19});
    for (std::size_t i = 0; i < 19; ++i)
        for (std::size_t j = 0; j < 13; ++j) {
            CHECK(std::fabs(z(i, j) - static_cast<double>(normal_at(k, 14 * i + j))) < 1e-14);  // rows begin at even positions
            CHECK(t(j, i) == z(i, j));
            total(i) += z(i, j);
        }
    for (std::size_t i = 0; i < 19; ++i) CHECK(std::fabs(columns(i) - total(i)) < 1e-13);
    CHECK(first(k) == z(0, 0));
}

TEST_CASE("a key is a value: same key, same numbers, the next one, other numbers") {
    constexpr auto d = random::normal(key, c<0.0>, c<1.0>, like(x));
    constexpr auto f = function(inputs(key, x), outputs(d.value, d.next));
    const line v = xt::zeros<double>({100});
    const auto [a, next] = f(random::seed(1), v);
    const auto [b, next_b] = f(random::seed(1), v);
    const auto [c_, next_c] = f(next, v);
    const auto [e, next_e] = f(random::seed(2), v);
    CHECK((a == b));
    CHECK(next == next_b);
    CHECK(next != random::seed(1));
    for (std::size_t i = 0; i < 100; ++i) CHECK((a(i) != c_(i) && a(i) != e(i) && c_(i) != e(i)));
    static_assert(std::is_same_v<decltype(next), const random::philox>);
}

TEST_CASE("removing a draw that nobody reads changes no other") {
    constexpr auto u = random::normal(key, c<0.0>, c<1.0>, like(x));
    constexpr auto v = random::normal(u.next, c<0.0>, c<1.0>, like(x));
    constexpr auto both = function(inputs(key, x), outputs(u.value, v.value, v.next));
    constexpr auto one = function(inputs(key, x), outputs(v.value, v.next));
    const line at = xt::zeros<double>({33});
    const auto [a, b, n] = both(random::seed(9), at);
    const auto [b2, n2] = one(random::seed(9), at);
    CHECK((b == b2));
    CHECK(n == n2);
    CHECK(n == random::philox(9, 2));
}

TEST_CASE("keys are split, and folded with numbers, into independent ones") {
    constexpr auto keys = random::split<3>(key);
    constexpr auto i = scalar<std::int64_t, "i">;
    const auto draw = [](auto k) { return random::normal(k, c<0.0>, c<1.0>).value; };
    constexpr auto f = function(inputs(key, i), outputs(draw(std::get<0>(keys)), draw(std::get<1>(keys)), draw(std::get<2>(keys)), draw(key), draw(random::fold_in(key, i)),
                                                        std::get<0>(keys)));
    const auto [a, b, c_, own, folded, k0] = f(random::seed(3), 1);
    CHECK((a != b && b != c_ && a != c_ && a != own && b != own));
    CHECK(folded == b);  // split<3>(key) is fold_in of 0, 1, 2
    const auto w = simd::philox_block(3, 0, std::uint64_t{1} << 56);
    CHECK(k0 == random::philox(static_cast<std::int64_t>((w[0] | std::uint64_t{w[1]} << 32) >> 12), static_cast<std::int64_t>((w[2] | std::uint64_t{w[3]} << 32) >> 12)));
}

TEST_CASE("seeds: numbers, sequences, engines") {
    CHECK(random::seed(42) == random::philox(42, 0));
    CHECK(random::seed(-1) != random::seed((std::int64_t{1} << 53) - 1));
    std::seed_seq s{1, 2, 3}, same{1, 2, 3}, other{1, 2, 4};
    CHECK(random::seed(s) == random::seed(same));
    CHECK(random::seed(s) != random::seed(other));
    std::mt19937 small(1);
    std::minstd_rand least(1);
    std::mt19937_64 large(1);
    const auto a = random::seed(large);
    CHECK(random::seed(large) != a);  // the engine's own state moved on
    CHECK(random::seed(small) != random::seed(small));
    CHECK(random::seed(least) != random::seed(least));
}

TEST_CASE("a key is a shared variable that advances with each call") {
    constexpr auto k = shared<random::philox, "k">;
    constexpr auto d = random::normal(k, c<0.0>, c<1.0>, like(x));
    constexpr auto f = function(inputs(x), outputs(d.value), updates(update(k, d.next)));
    auto run = f.prepare();
    run.set(k, random::seed(4));
    const line at = xt::zeros<double>({10});
    const line first = run(at), second = run(at);
    CHECK(first(0) != second(0));
    CHECK(run.get(k) == random::philox(4, 2));
    run.set(k, random::seed(4));
    CHECK((line(run(at)) == first));
}
