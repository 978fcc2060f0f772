#pragma once

#include <Random123/philox.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>

namespace cotan::random {

/// The state of a generator: what a function takes for a random::key and gives back for it. It is Philox 4x32-10 of Random123 under a key of 53 bits,
/// and a counter of 53 bits that tells draws with the same key apart; a draw's elements count through the rest of Philox's counter.
class philox {
public:
    constexpr philox() = default;
    constexpr philox(std::int64_t key, std::int64_t counter) : words_{key & mask, counter & mask} {}
    constexpr std::int64_t key() const { return words_[0]; }
    constexpr std::int64_t counter() const { return words_[1]; }

    constexpr std::int64_t* data() { return words_.data(); }
    constexpr const std::int64_t* data() const { return words_.data(); }
    static constexpr std::size_t size() { return 2; }
    friend constexpr bool operator==(const philox&, const philox&) = default;

    static constexpr std::int64_t mask = (std::int64_t{1} << 53) - 1;

private:
    std::array<std::int64_t, 2> words_{};
};

/// A key from a number: different numbers are different keys.
template <std::integral T>
constexpr philox seed(T n) {
    const auto bits = static_cast<std::uint64_t>(n);
    return philox(static_cast<std::int64_t>(bits & static_cast<std::uint64_t>(philox::mask)), static_cast<std::int64_t>(bits >> 53) << 42);
}

/// A key from a seed sequence.
inline philox seed(std::seed_seq& sequence) {
    std::uint32_t w[4];
    sequence.generate(w, w + 4);
    return philox(static_cast<std::int64_t>(w[0] | std::uint64_t{w[1]} << 32), static_cast<std::int64_t>(w[2] | std::uint64_t{w[3]} << 32));
}

/// A key from a generator of the standard library (or any other of its kind), whose state moves on.
template <std::uniform_random_bit_generator G>
philox seed(G& generator) {
    // 128 bits and more of what it gives, whatever its range, hashed by Philox itself
    constexpr auto range = static_cast<std::uint64_t>(G::max() - G::min());
    r123::Philox4x32::ctr_type c{{}};
    r123::Philox4x32::key_type k{{}};
    constexpr int bits = std::bit_width(range) > 1 ? std::bit_width(range) - 1 : 1;
    for (int have = 0; have < 160; have += bits) {
        const std::uint64_t v = static_cast<std::uint64_t>(generator() - G::min());
        c[0] ^= static_cast<std::uint32_t>(v);
        c[1] ^= static_cast<std::uint32_t>(v >> 32);
        c = r123::Philox4x32()(c, k);
    }
    return philox(static_cast<std::int64_t>(c[0] | std::uint64_t{c[1]} << 32), static_cast<std::int64_t>(c[2] | std::uint64_t{c[3]} << 32));
}

}  // namespace cotan::random
