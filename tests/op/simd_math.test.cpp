#include <catch2/catch.hpp>
#include <cotan/op/kernel/simd_math.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

namespace simd = cotan::bits::simd;

struct row {
    double x, value, rest;
};
#include "data/simd_math.inc"

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// The unit in the last place of the numbers of T next to x.
template <class T>
double unit(double x) {
    int e = 0;
    std::frexp(x, &e);
    return std::ldexp(1.0, std::max(e, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits);
}

template <class T>
double error(T got, const row& r) {
    const double value = static_cast<double>(static_cast<T>(r.value));
    if (!std::isfinite(value) || !std::isfinite(got)) return static_cast<double>(got) == value ? 0.0 : inf;
    return std::fabs((static_cast<double>(got) - r.value) - r.rest) / unit<T>(r.value);
}

/// A function under test, of any of the argument types.
#define FUNCTION(name)                                                \
    struct name##_function {                                          \
        template <class V>                                            \
        V operator()(const V& x) const { return simd::name(x); }      \
    }
FUNCTION(exp);
FUNCTION(expm1);
FUNCTION(log);
FUNCTION(log1p);
FUNCTION(log1p_01);
FUNCTION(sigmoid);
FUNCTION(softplus);
FUNCTION(tanh);
FUNCTION(sin);
FUNCTION(cos);
FUNCTION(erf);
FUNCTION(erfc);
FUNCTION(erfcx);
FUNCTION(lgamma);
FUNCTION(digamma);
FUNCTION(trigamma);

struct softplus_of_pair {
    template <class V>
    V operator()(const V& x) const {
        V value{}, derivative{};
        simd::softplus_sigmoid(x, value, derivative);
        return value;
    }
};
struct sigmoid_of_pair {
    template <class V>
    V operator()(const V& x) const {
        V value{}, derivative{};
        simd::softplus_sigmoid(x, value, derivative);
        return derivative;
    }
};

template <class T>
bool same(T a, T b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// f of every argument, as the first lane of a batch of equals has it. Every lane has to give the same whatever is in
/// the others.
template <class T, class A, class F>
std::vector<T> in_batches(F f, const std::vector<T>& xs) {
    using batch = xsimd::batch<T, A>;
    constexpr std::size_t n = batch::size;
    std::vector<T> alone;
    alignas(A::alignment()) T lanes[n];
    for (const T x : xs) {
        f(batch(x)).store_aligned(lanes);
        alone.push_back(lanes[0]);
    }
    std::size_t differences = 0;
    for (std::size_t shift = 0; shift < n; ++shift) {
        for (std::size_t i = 0; i < xs.size(); ++i) {
            for (std::size_t k = 0; k < n; ++k) lanes[k] = xs[(i + (k + shift) * 37) % xs.size()];
            lanes[shift] = xs[i];
            f(batch::load_aligned(lanes)).store_aligned(lanes);
            if (!same(lanes[shift], alone[i]) && differences++ == 0)
                UNSCOPED_INFO("lane " << shift << " at " << xs[i] << ": " << lanes[shift] << " and " << alone[i]);
        }
    }
    CHECK(differences == 0);
    return alone;
}

template <class T, class F>
std::vector<T> one_by_one(F f, const std::vector<T>& xs) {
    std::vector<T> result;
    for (const T x : xs) result.push_back(f(x));
    return result;
}

/// Calls visit with the name and the results of f: on single numbers and on each kind of batch that the target has.
template <class T, class F, class Visit>
void everywhere(F f, const std::vector<T>& xs, Visit visit) {
    visit("scalar", one_by_one(f, xs));
#if XSIMD_WITH_SSE2
    visit("sse2", in_batches<T, xsimd::sse2>(f, xs));
#endif
#if XSIMD_WITH_AVX
    visit("avx", in_batches<T, xsimd::avx>(f, xs));
#endif
#if XSIMD_WITH_AVX2
    visit("avx2", in_batches<T, xsimd::avx2>(f, xs));
#endif
    visit(xsimd::default_arch::name(), in_batches<T, xsimd::default_arch>(f, xs));
}

/// The errors over a table stay within so many units; a third of the arguments are floats, for the float version.
template <class F, std::size_t N>
void accurate(F f, const row (&rows)[N], double limit, double float_limit = 1.5) {
    std::vector<double> xs;
    std::vector<float> fs;
    std::vector<row> float_rows;
    for (const row& r : rows) {
        xs.push_back(r.x);
        const float x = static_cast<float>(r.x);
        if (static_cast<double>(x) == r.x) {
            fs.push_back(x);
            float_rows.push_back(r);
        }
    }
    REQUIRE(fs.size() > 10);
    everywhere(f, xs, [&](const char* name, const std::vector<double>& results) {
        double worst = 0.0, at = 0.0;
        for (std::size_t i = 0; i < N; ++i) {
            const double e = error(results[i], rows[i]);
            if (!(e <= worst)) worst = e, at = rows[i].x;
        }
        INFO(name << ", double: worst at " << at);
        CHECK(worst <= limit);
    });
    everywhere(f, fs, [&](const char* name, const std::vector<float>& results) {
        double worst = 0.0, at = 0.0;
        for (std::size_t i = 0; i < fs.size(); ++i) {
            const double e = error(results[i], float_rows[i]);
            if (!(e <= worst)) worst = e, at = float_rows[i].x;
        }
        INFO(name << ", float: worst at " << at);
        CHECK(worst <= float_limit);
    });
}

struct special {
    double x, value;
};

/// Results that have to be met exactly, signs of zeros included, by double and float alike.
template <class F>
void exact(F f, const std::vector<special>& cases) {
    const auto check = [&]<class T>(T) {
        std::vector<T> xs;
        for (const special& s : cases) xs.push_back(static_cast<T>(s.x));
        everywhere(f, xs, [&](const char* name, const std::vector<T>& results) {
            for (std::size_t i = 0; i < xs.size(); ++i) {
                INFO(name << " of " << 8 * sizeof(T) << " bits at " << xs[i] << ": " << results[i]);
                CHECK(same(results[i], static_cast<T>(cases[i].value)));
            }
        });
    };
    check(double{});
    check(float{});
}

}  // namespace

TEST_CASE("simd_math: exp", "[op]") {
    accurate(exp_function{}, exp_rows, 1.2);
    exact(exp_function{}, {{0.0, 1.0}, {-0.0, 1.0}, {inf, inf}, {-inf, 0.0}, {none, none}, {709.9, inf}, {1e5, inf},
                           {1e300, inf}, {-746.0, 0.0}, {-1e5, 0.0}, {-1e300, 0.0}});
}

TEST_CASE("simd_math: expm1", "[op]") {
    accurate(expm1_function{}, expm1_rows, 1.8);
    exact(expm1_function{},
          {{0.0, 0.0}, {-0.0, -0.0}, {inf, inf}, {-inf, -1.0}, {none, none}, {709.9, inf}, {1e300, inf},
           {-50.0, -1.0}, {-1e300, -1.0}, {0x1p-140, 0x1p-140}, {-0x1p-100, -0x1p-100}});
}

TEST_CASE("simd_math: log", "[op]") {
    accurate(log_function{}, log_rows, 1.6);
    exact(log_function{}, {{1.0, 0.0}, {0.0, -inf}, {-0.0, -inf}, {inf, inf}, {-inf, none}, {none, none}, {-1.0, none},
                           {-0x1p-149, none}});
}

TEST_CASE("simd_math: log1p", "[op]") {
    accurate(log1p_function{}, log1p_rows, 1.6);
    exact(log1p_function{},
          {{0.0, 0.0}, {-0.0, -0.0}, {-1.0, -inf}, {inf, inf}, {-inf, none}, {none, none}, {-1.5, none},
           {-1e30, none}, {0x1p-140, 0x1p-140}, {-0x1p-100, -0x1p-100}});
}

TEST_CASE("simd_math: log1p_01", "[op]") {
    accurate(log1p_01_function{}, log1p_01_rows, 1.2);
    exact(log1p_01_function{}, {{0.0, 0.0}, {none, none}, {0x1p-140, 0x1p-140}});
}

TEST_CASE("simd_math: sigmoid", "[op]") {
    accurate(sigmoid_function{}, sigmoid_rows, 3.0, 2.5);
    exact(sigmoid_function{},
          {{0.0, 0.5}, {-0.0, 0.5}, {inf, 1.0}, {-inf, 0.0}, {none, none}, {1e4, 1.0}, {-1e4, 0.0}});
}

TEST_CASE("simd_math: softplus, and together with the sigmoid", "[op]") {
    accurate(softplus_function{}, softplus_rows, 2.5, 2.0);
    exact(softplus_function{}, {{inf, inf}, {-inf, 0.0}, {none, none}, {1e4, 1e4}, {-1e4, 0.0}});
    accurate(softplus_of_pair{}, softplus_rows, 2.5, 2.0);
    accurate(sigmoid_of_pair{}, sigmoid_rows, 3.0, 2.5);
    exact(sigmoid_of_pair{}, {{0.0, 0.5}, {inf, 1.0}, {-inf, 0.0}, {none, none}});
}

TEST_CASE("simd_math: tanh", "[op]") {
    accurate(tanh_function{}, tanh_rows, 1.6);
    exact(tanh_function{},
          {{0.0, 0.0}, {-0.0, -0.0}, {inf, 1.0}, {-inf, -1.0}, {none, none}, {40.0, 1.0}, {-1e30, -1.0},
           {0x1p-140, 0x1p-140}, {-0x1p-100, -0x1p-100}});
}

TEST_CASE("simd_math: sin and cos", "[op]") {
    accurate(sin_function{}, sin_rows, 1.6);
    accurate(cos_function{}, cos_rows, 1.6);
    exact(sin_function{}, {{0.0, 0.0}, {-0.0, -0.0}, {inf, none}, {-inf, none}, {none, none}, {0x1p-140, 0x1p-140}});
    exact(cos_function{}, {{0.0, 1.0}, {-0.0, 1.0}, {inf, none}, {-inf, none}, {none, none}, {0x1p-140, 1.0}});
}

TEST_CASE("simd_math: erf, erfc and erfcx", "[op]") {
    accurate(erf_function{}, erf_rows, 2.5);
    accurate(erfc_function{}, erfc_rows, 10.0);
    accurate(erfcx_function{}, erfcx_rows, 10.0);
    exact(erf_function{},
          {{0.0, 0.0}, {-0.0, -0.0}, {inf, 1.0}, {-inf, -1.0}, {none, none}, {7.0, 1.0}, {-1e30, -1.0}});
    exact(erfc_function{},
          {{inf, 0.0}, {-inf, 2.0}, {none, none}, {28.0, 0.0}, {1e30, 0.0}, {-7.0, 2.0}, {-1e30, 2.0}});
    exact(erfcx_function{}, {{inf, 0.0}, {-inf, inf}, {none, none}, {-27.0, inf}, {-1e30, inf}});
}

TEST_CASE("simd_math: lgamma, digamma and trigamma", "[op]") {
    accurate(lgamma_function{}, lgamma_rows, 4.0);
    accurate(digamma_function{}, digamma_rows, 4.0);
    accurate(trigamma_function{}, trigamma_rows, 5.0);
    exact(lgamma_function{}, {{1.0, 0.0}, {2.0, 0.0}, {0.0, inf}, {-0.0, inf}, {-3.0, inf}, {inf, inf}, {none, none}});
    exact(digamma_function{}, {{0.0, -inf}, {-0.0, inf}, {-1.0, none}, {-17.0, none}, {-1e20, none}, {inf, inf},
                               {-inf, none}, {none, none}});
    exact(trigamma_function{}, {{0.0, inf}, {-0.0, inf}, {-1.0, inf}, {-1e20, inf}, {inf, 0.0}, {none, none}});
    // digamma has roots between its negative poles, next to which only the absolute error is small
    for (const row& r : digamma_negative_rows) {
        INFO(r.x);
        const double scale = (1.0 + std::fabs(r.value)) * (1.0 + std::fabs(r.x) / 10);
        CHECK(std::fabs(simd::digamma(r.x) - r.value) <= 2e-15 * scale);
    }
}
