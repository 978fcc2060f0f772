#include <catch2/catch.hpp>
#include <cotan/core/decimal.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace {

template <std::size_t N>
consteval double value(const char (&text)[N]) {
    return cotan::bits::parse_double(text, N - 1);
}
template <std::size_t N>
consteval std::int64_t integer(const char (&text)[N]) {
    return cotan::bits::parse_integer(text, N - 1);
}
template <std::size_t N>
consteval bool is_integer(const char (&text)[N]) {
    return cotan::bits::is_integer_literal(text, N - 1);
}

constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

// the compiler's own reading of a literal against ours
#define SAME(literal) static_assert(bits_of(value(#literal)) == bits_of(double(literal)))

constexpr double infinity = std::numeric_limits<double>::infinity();

// ordinary literals
SAME(0);
SAME(0.0);
SAME(.0e10);
SAME(0e0);
SAME(1);
SAME(42);
SAME(1'000'000);
SAME(1.);
SAME(.5);
SAME(0.1);
SAME(0.3e1);
SAME(1e-3);
SAME(2.5E+7);
SAME(3.141592653589793);
SAME(3.14159265358979323846264338327950288419716939937510582097494459);
SAME(6.02214076e23);
SAME(1'0.2'5e1'0);
static_assert(value("123456789012345678901234567890") == 123456789012345678901234567890.0);
SAME(1e22);
SAME(1e23);
SAME(9e-23);
SAME(0.000000000000000000000000000000000000000000123456789);
SAME(00.5);
SAME(08.25);
SAME(09e1);
// ties and their neighbours
SAME(9007199254740992.0);
SAME(9007199254740993.0);
SAME(9007199254740994.0);
SAME(9007199254740995.0);
SAME(9007199254740993.00000000000000000000000000000000000001);
SAME(9007199254740992.99999999999999999999999999999999999999);
SAME(1.00000000000000011102230246251565404236316680908203125);
SAME(1.00000000000000011102230246251565404236316680908203124);
SAME(1.00000000000000011102230246251565404236316680908203126);
SAME(1.000000000000000111022302462515654042363166809082031250000000000000000000000000000000000000000000000000001);
static_assert(value("1.00000000000000011102230246251565404236316680908203125") == 1.0);
static_assert(value("1.00000000000000011102230246251565404236316680908203126") == 1.0000000000000002);
static_assert(value("9007199254740993") == 9007199254740992.0);
static_assert(value("9007199254740995") == 9007199254740996.0);
SAME(8.41e21);
SAME(2.2250738585072011e-308);
SAME(2.2250738585072012e-308);
SAME(2.2250738585072014e-308);
SAME(6929495644600919.5);
SAME(3.08984926168550152811e-32);
SAME(0.500000000000000166533453693773481063544750213623046875);
SAME(7.2057594037927933e16);
// the ends of the range
SAME(1.7976931348623157e308);
SAME(1.7976931348623158e308);
static_assert(value("1.7976931348623159e308") == infinity);
static_assert(value("17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758"
                    "72070963302864166928879109465555478519404026306574886715058206819089020007083836762738548458177"
                    "11531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508"
                    "093042880177904174497792") == infinity);
static_assert(value("17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758"
                    "72070963302864166928879109465555478519404026306574886715058206819089020007083836762738548458177"
                    "11531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508"
                    "093042880177904174497791") ==
              std::numeric_limits<double>::max());
static_assert(value("1e309") == infinity);
static_assert(value("1e999999999999") == infinity);
static_assert(value("1e-999999999999") == 0.0);
static_assert(value("0e999999999999") == 0.0);
static_assert(value("4.9406564584124654e-324") == std::numeric_limits<double>::denorm_min());
static_assert(value("2.4703282292062328e-324") == std::numeric_limits<double>::denorm_min());
static_assert(value("2.4703282292062327e-324") == 0.0);
static_assert(value("1e-324") == 0.0);
static_assert(value("7.410984687618698162648531893023320585475897039214871466383785237510132609053131277979497545424"
                    "53988569694847043168576596389985065533909694598162194016172817189451069785467106791768725751773"
                    "47315553307795408549809608457500958111373034747658096871009590975442271004757307809711118935784"
                    "83867565399878350301522805593404659373979179073872386829939581848166016912201945649993128979841"
                    "13620624844986787135721803522090170239032857917325202205289740208029068540216066123755499834026"
                    "71300035812486479041385743401875520901590172592547146296175134159774938718574737870961645638908"
                    "71811984127167305601704549300470526959016576377688490826798697257336652176556794107250876433756"
                    "0846003984904972149117463085539556354188641513168478436313080237596295773983001708984375e-324") ==
              2 * std::numeric_limits<double>::denorm_min());
static_assert(value("7.410984687618698162648531893023320585475897039214871466383785237510132609053131277979497545424"
                    "53988569694847043168576596389985065533909694598162194016172817189451069785467106791768725751773"
                    "47315553307795408549809608457500958111373034747658096871009590975442271004757307809711118935784"
                    "83867565399878350301522805593404659373979179073872386829939581848166016912201945649993128979841"
                    "13620624844986787135721803522090170239032857917325202205289740208029068540216066123755499834026"
                    "71300035812486479041385743401875520901590172592547146296175134159774938718574737870961645638908"
                    "71811984127167305601704549300470526959016576377688490826798697257336652176556794107250876433756"
                    "0846003984904972149117463085539556354188641513168478436313080237596295773983001708984374e-324") ==
              std::numeric_limits<double>::denorm_min());
// other bases
SAME(0x10);
SAME(0xfE'dC);
SAME(0x1p0);
SAME(0x1.8p1);
SAME(0X.8P-3);
SAME(0x1.fffffffffffff8p0);
SAME(0x1.00000000000008p0);
SAME(0x1.000000000000080000000000000000000000001p0);
SAME(0x1.00000000000018p0);
SAME(0x1.921fb54442d18469898cc51701b839p+1);
SAME(0x0.0000000000001p-1022);
SAME(0x0.00000000000018p-1022);
static_assert(value("0x0.00000000000008p-1022") == 0.0);
SAME(0x1.fffffffffffffp1023);
static_assert(value("0x1.fffffffffffff8p1023") == infinity);
static_assert(value("0x0.00000000000007ffp-1022") == 0.0);
SAME(0b1011);
SAME(0b1'0);
SAME(017);
SAME(00);
SAME(0xffffffffffffffff);
static_assert(value("0x10000000000000800000000000000000000001") == 0x1.0000000000001p148);

static_assert(integer("0") == 0 && integer("7") == 7 && integer("1'234'567") == 1234567);
static_assert(integer("0x1F") == 31 && integer("0b1'01") == 5 && integer("0'17") == 15 && integer("00") == 0);
static_assert(integer("9223372036854775807") == 9223372036854775807);
static_assert(integer("9223372036854775808") == 9223372036854775807);
static_assert(integer("0xffffffffffffffff") == 9223372036854775807);
static_assert(is_integer("0") && is_integer("12'3") && is_integer("0xE") && is_integer("0b1") && is_integer("017"));
static_assert(!is_integer("1.") && !is_integer("1e3") && !is_integer("1E3") && !is_integer("0x1p3") &&
              !is_integer("0x.8P1"));

/// m 2^e in all its decimal digits.
std::string exactly(std::uint64_t m, int e) {
    std::vector<std::uint32_t> limbs;  // in base 10^9, lowest first
    for (; m != 0; m /= 1000000000u) limbs.push_back(static_cast<std::uint32_t>(m % 1000000000u));
    const std::uint32_t prime = e < 0 ? 5 : 2;
    int left = std::abs(e);
    while (left > 0) {
        std::uint64_t factor = 1, carry = 0;
        for (; left > 0 && factor * prime < 1000000000u; --left) factor *= prime;
        for (std::uint32_t& limb : limbs) {
            carry += limb * factor;
            limb = static_cast<std::uint32_t>(carry % 1000000000u);
            carry /= 1000000000u;
        }
        if (carry != 0) limbs.push_back(static_cast<std::uint32_t>(carry));
    }
    std::string digits;
    for (std::size_t i = limbs.size(); i-- > 0;) {
        char text[16];
        std::snprintf(text, sizeof text, i + 1 == limbs.size() ? "%u" : "%09u", limbs[i]);
        digits += text;
    }
    return digits + (e < 0 ? "e-" + std::to_string(-e) : std::string());
}

int differences = 0;

void compare(const std::string& text) {
    const double ours = cotan::bits::parse_double(text.data(), text.size());
    const double theirs = std::strtod(text.c_str(), nullptr);
    if (bits_of(ours) != bits_of(theirs) && ++differences < 10)
        UNSCOPED_INFO(text << ": " << ours << " instead of " << theirs);
}

}  // namespace

TEST_CASE("decimal: random literals have strtod's values", "[core]") {
    std::mt19937_64 random(20240229);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    differences = 0;
    for (int trial = 0; trial < 40000; ++trial) {
        std::string text;
        const int digits = 1 + below(trial % 10 == 0 ? 900 : 25), point = below(digits + 1);
        for (int i = 0; i < digits; ++i) {
            if (i == point) text += '.';
            text += static_cast<char>('0' + below(10));
        }
        const int range = trial % 2 == 0 ? 30 : 360;
        text += "e" + std::to_string(below(2 * range) - range);
        compare(text);
    }
    // doubles as they are usually printed
    for (int trial = 0; trial < 20000; ++trial) {
        const double x = std::fabs(std::bit_cast<double>(random()));
        if (!std::isfinite(x)) continue;
        char text[40];
        for (int precision : {15, 16, 17, 18}) {
            std::snprintf(text, sizeof text, "%.*e", precision - 1, x);
            compare(text);
        }
        std::snprintf(text, sizeof text, "%a", x);
        compare(text);
    }
    CHECK(differences == 0);
}

TEST_CASE("decimal: halfway cases and what is next to them", "[core]") {
    std::mt19937_64 random(7);
    differences = 0;
    for (int trial = 0; trial < 6000; ++trial) {
        // an odd multiple of half a unit in the last place, of a normal or a subnormal number
        const bool subnormal = trial % 4 == 0;
        std::uint64_t m = random() >> (subnormal ? 11 + random() % 50 : 11);
        if (!subnormal) m |= std::uint64_t{1} << 52;
        const int e = subnormal ? -1074 : static_cast<int>(random() % 2040) - 1074;
        const std::string text = exactly(2 * m + 1, e - 1);
        compare(text);
        const std::size_t end = text.find('e') == std::string::npos ? text.size() : text.find('e');
        const std::string digits = text.substr(0, end), exponent = text.substr(end);
        const int moved = (exponent.empty() ? 0 : std::atoi(exponent.c_str() + 1)) - 30;
        compare(digits + "000000000000000000000000000001e" + std::to_string(moved));
        // one less in the last place, with a tail of nines; the last digit is not zero but for integers
        std::string less = digits;
        std::size_t i = less.size();
        while (less[--i] == '0') less[i] = '9';
        --less[i];
        compare(less + "999999999999999999999999999999e" + std::to_string(moved));
        compare(digits.substr(0, 17 + random() % 10) + "e" + std::to_string(-static_cast<int>(random() % 300)));
    }
    CHECK(differences == 0);
}
