#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

// The values of numeric literals in constant evaluation, which has no strtod. The text is that of a C++ literal
// without suffix, as a literal operator template gets it: decimal or hexadecimal with optional fraction and exponent,
// or an octal or binary integer, with digit separators anywhere the language has them. The compiler's lexer has
// checked it already, so nothing here diagnoses.

namespace cotan::bits {

/// A natural number of fixed capacity, in limbs of 32 bits from the lowest up: just what a correct conversion needs.
/// The largest here have some 2,700 bits: the numerator 5^1100 and the digits of the smallest halfway cases.
class natural {
public:
    constexpr natural() = default;
    constexpr explicit natural(std::uint64_t x) {
        for (; x != 0; x >>= 32) limbs_[size_++] = static_cast<std::uint32_t>(x);
    }

    constexpr int bit_size() const {
        return size_ == 0 ? 0 : 32 * size_ - std::countl_zero(limbs_[size_ - 1]);
    }
    constexpr bool is_zero() const { return size_ == 0; }

    /// x factor + term
    constexpr void multiply_add(std::uint32_t factor, std::uint32_t term) {
        std::uint64_t carry = term;
        for (int i = 0; i < size_; ++i) {
            carry += std::uint64_t{limbs_[i]} * factor;
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
    }
    constexpr void multiply_by_power_of_5(int n) {
        for (; n >= 13; n -= 13) multiply_add(1220703125u, 0);
        std::uint32_t rest = 1;
        for (; n > 0; --n) rest *= 5;
        multiply_add(rest, 0);
    }
    constexpr void shift_left(int n) {
        if (size_ == 0 || n == 0) return;
        const int whole = n / 32, part = n % 32;
        limbs_[size_ + whole] = 0;
        for (int i = size_ - 1; i >= 0; --i) {
            const std::uint64_t wide = std::uint64_t{limbs_[i]} << part;
            limbs_[i + whole + 1] |= static_cast<std::uint32_t>(wide >> 32);
            limbs_[i + whole] = static_cast<std::uint32_t>(wide);
        }
        for (int i = 0; i < whole; ++i) limbs_[i] = 0;
        size_ += whole + 1;
        trim();
    }

    /// The 64 bits from the bit n up.
    constexpr std::uint64_t bits_from(int n) const {
        const int whole = n / 32, part = n % 32;
        const auto limb = [this](int i) { return i < size_ ? std::uint64_t{limbs_[i]} : 0; };
        const std::uint64_t low = limb(whole) | limb(whole + 1) << 32;
        return part == 0 ? low : low >> part | limb(whole + 2) << (64 - part);
    }
    constexpr bool any_below(int n) const {
        const int whole = n / 32, part = n % 32;
        for (int i = 0; i < whole && i < size_; ++i)
            if (limbs_[i] != 0) return true;
        return whole < size_ && (limbs_[whole] & ((std::uint32_t{1} << part) - 1)) != 0;
    }

    /// The quotient by a divisor, which has to be below 2^64; the remainder stays behind. Knuth's algorithm D.
    constexpr std::uint64_t divide(natural divisor) {
        const int align = std::countl_zero(divisor.limbs_[divisor.size_ - 1]);
        divisor.shift_left(align);
        shift_left(align);
        const int n = divisor.size_;
        const std::uint64_t top = divisor.limbs_[n - 1], second = n > 1 ? divisor.limbs_[n - 2] : 0;
        constexpr std::uint64_t base = std::uint64_t{1} << 32;
        std::uint64_t quotient = 0;
        for (int j = size_ - n; j >= 0; --j) {
            // the limbs at and above size_ are zero
            const std::uint64_t head = std::uint64_t{limbs_[j + n]} << 32 | limbs_[j + n - 1];
            const std::uint64_t next = n > 1 ? limbs_[j + n - 2] : 0;
            std::uint64_t digit = head / top, rest = head % top;
            while (digit >= base || digit * second > (rest << 32 | next)) {
                --digit;
                rest += top;
                if (rest >= base) break;
            }
            std::uint64_t carry = 0, borrow = 0;
            for (int i = 0; i <= n; ++i) {
                if (i < n) carry += digit * divisor.limbs_[i];
                const std::uint64_t less = (carry & (base - 1)) + borrow;
                const std::uint64_t old = limbs_[i + j];
                limbs_[i + j] = static_cast<std::uint32_t>(old - less);
                borrow = old < less ? 1 : 0;
                carry >>= 32;
            }
            if (borrow != 0) {
                --digit;
                carry = 0;
                for (int i = 0; i <= n; ++i) {
                    carry += std::uint64_t{limbs_[i + j]} + (i < n ? divisor.limbs_[i] : 0);
                    limbs_[i + j] = static_cast<std::uint32_t>(carry);
                    carry >>= 32;
                }
            }
            quotient = quotient << 32 | digit;
        }
        trim();
        return quotient;
    }

private:
    constexpr void trim() {
        while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
    }

    std::uint32_t limbs_[112]{};
    int size_ = 0;
};

/// The double nearest to m 2^e, or to a number above it by less than 2^e (more), ties to even.
constexpr double nearest_double(std::uint64_t m, int e, bool more) {
    if (m == 0) return 0.0;
    const int zeros = std::countl_zero(m);
    m <<= zeros;
    e -= zeros;
    const int exponent = e + 63;
    if (exponent > 1023) return std::bit_cast<double>(std::uint64_t{0x7ff} << 52);
    const int kept = exponent >= -1022 ? 53 : 53 - (-1022 - exponent);
    if (kept < 0) return 0.0;
    const int dropped = 64 - kept;
    std::uint64_t q = kept == 0 ? 0 : m >> dropped;
    const std::uint64_t rest = kept == 0 ? m : m & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    if (rest > half || (rest == half && (more || (q & 1) != 0))) ++q;
    // a carry out of the fraction runs into the exponent as it should
    if (exponent >= -1022) q += static_cast<std::uint64_t>(exponent + 1022) << 52;
    return std::bit_cast<double>(q);
}

/// The double nearest to m 10^e of at most 19 digits, where that takes one rounding of exact operands; else false.
constexpr bool easy_decimal(std::uint64_t m, int e, double& result) {
    constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (m >> 53 != 0 || e > 22 || e < -22) return false;
    result = e < 0 ? static_cast<double>(m) / powers[-e] : static_cast<double>(m) * powers[e];
    return true;
}

/// The value of a digit in any base up to 16, or -1.
constexpr int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Whether the literal is an integer: it has neither point nor exponent.
constexpr bool is_integer_literal(const char* text, std::size_t n) {
    const bool hexadecimal = n > 1 && (text[1] == 'x' || text[1] == 'X');
    for (std::size_t i = 0; i < n; ++i) {
        const char c = text[i];
        if (c == '.' || c == 'p' || c == 'P' || (!hexadecimal && (c == 'e' || c == 'E'))) return false;
    }
    return true;
}

/// The bits that a digit of the literal has (4, 3, 1), or 0 of a decimal one, and where its digits begin.
constexpr int bits_per_digit(const char* text, std::size_t n, std::size_t& first) {
    first = 0;
    if (n < 2 || text[0] != '0') return 0;
    first = 2;
    if (text[1] == 'x' || text[1] == 'X') return 4;
    if (text[1] == 'b' || text[1] == 'B') return 1;
    first = 0;
    return is_integer_literal(text, n) ? 3 : 0;
}

/// The value of an integer literal; the largest integer where that is too small.
constexpr std::int64_t parse_integer(const char* text, std::size_t n) {
    std::size_t i = 0;
    const int bits = bits_per_digit(text, n, i);
    const std::uint64_t base = bits == 0 ? 10 : std::uint64_t{1} << bits;
    constexpr std::uint64_t largest = ~std::uint64_t{0} >> 1;
    std::uint64_t value = 0;
    for (; i < n; ++i) {
        const int d = digit_value(text[i]);
        if (d < 0) continue;
        if (value > (largest - static_cast<std::uint64_t>(d)) / base) return static_cast<std::int64_t>(largest);
        value = value * base + static_cast<std::uint64_t>(d);
    }
    return static_cast<std::int64_t>(value);
}

/// The exponent's value from the text after its letter on, held within +-100,000,000.
constexpr int parse_exponent(const char* text, std::size_t i, std::size_t n) {
    const bool negative = i < n && text[i] == '-';
    int e = 0;
    for (; i < n; ++i)
        if (text[i] >= '0' && text[i] <= '9' && e < 10000000) e = 10 * e + (text[i] - '0');
    return negative ? -e : e;
}

/// The double nearest to a numeric literal, ties to even; infinity where it is too large. Exact in all cases: the
/// comparison with the halfway points is in integers of any length.
constexpr double parse_double(const char* text, std::size_t n) {
    std::size_t i = 0;
    const int bits = bits_per_digit(text, n, i);
    std::uint64_t m = 0;
    int e = 0;
    bool fraction = false, more = false;
    if (bits != 0) {
        for (; i < n; ++i) {
            const char c = text[i];
            if (c == '.') fraction = true;
            else if (c == 'p' || c == 'P') break;
            else if (const int d = digit_value(c); d >= 0) {
                if (m >> 60 == 0) m = m << bits | static_cast<std::uint64_t>(d);
                else {
                    more = more || d != 0;
                    e += bits;
                }
                if (fraction) e -= bits;
            }
        }
        return nearest_double(m, e + (i < n ? parse_exponent(text, i + 1, n) : 0), more);
    }

    // the first 19 significant digits, and where further ones begin
    int digits = 0;
    std::size_t further = n;
    for (; i < n; ++i) {
        const char c = text[i];
        if (c == '.') fraction = true;
        else if (c == 'e' || c == 'E') break;
        else if (c != '\'') {
            if (digits < 19) {
                m = 10 * m + static_cast<std::uint64_t>(c - '0');
                if (m != 0) ++digits;
            } else {
                if (digits++ == 19) further = i;
                ++e;
            }
            if (fraction) --e;
        }
    }
    const std::size_t end = i;
    if (i < n) e += parse_exponent(text, i + 1, n);
    if (m == 0) return 0.0;
    double easy = 0.0;
    if (digits <= 19 && easy_decimal(m, e, easy)) return easy;

    // beyond the ends the sizes below would not suffice
    const int significant = digits < 19 ? digits : 19;
    if (significant + e > 310) return nearest_double(1, 2000, false);
    if (significant + e < -326) return 0.0;

    natural value(m);
    // No halfway point has more than 767 digits: from 780 on it is only of interest whether a digit is not zero.
    int taken = 0;
    std::uint32_t group = 0, scale = 1;
    for (i = further; i < end; ++i) {
        const char c = text[i];
        if (c < '0' || c > '9') continue;
        if (taken < 780) {
            ++taken;
            --e;
            group = 10 * group + static_cast<std::uint32_t>(c - '0');
            scale *= 10;
            if (scale == 1000000000u) {
                value.multiply_add(scale, group);
                group = 0;
                scale = 1;
            }
        } else more = more || c != '0';
    }
    value.multiply_add(scale, group);
    if (more) {
        value.multiply_add(10, 1);
        --e;
    }

    if (e >= 0) {
        value.multiply_by_power_of_5(e);
        const int size = value.bit_size(), cut = size > 64 ? size - 64 : 0;
        return nearest_double(value.bits_from(cut), e + cut, value.any_below(cut));
    }
    natural divisor(1);
    divisor.multiply_by_power_of_5(-e);
    // a quotient of 63 or 64 bits
    const int shift = 63 - (value.bit_size() - divisor.bit_size());
    if (shift > 0) value.shift_left(shift);
    else divisor.shift_left(-shift);
    const std::uint64_t q = value.divide(divisor);
    return nearest_double(q, e - shift, !value.is_zero());
}

}  // namespace cotan::bits
