#include "op/table.hpp"

#include <vector>
#include <xtensor/xadapt.hpp>

using namespace cotan;

// Lengths around the width of vectors, and inputs that are not aligned: every element is there, and is the same wherever it lies.

namespace {

constexpr auto x = tensor<double, "x", "n">;
constexpr auto y = tensor<double, "y", "n">;
constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto s = tensor<float, "s", "n">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

/// Lengths from nothing to three vectors and one more.
constexpr std::size_t longest = 3 * xsimd::batch<double>::size + 1;
constexpr std::size_t longest_float = 3 * xsimd::batch<float>::size + 1;

double number(std::size_t i) { return std::sin(1.7 * static_cast<double>(i) + 0.3) * 2; }

/// Memory in which an array can start at any element.
template <class T>
struct somewhere {
    std::vector<T> memory;
    T* start;
    somewhere(std::size_t n, std::size_t offset) : memory(n + 80, T(12345)) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
        start = memory.data() + (64 - address % 64) / sizeof(T) % (64 / sizeof(T)) + offset;
        for (std::size_t i = 0; i < n; ++i) start[i] = static_cast<T>(number(i));
    }
};

template <class T, std::size_t N>
auto adapted(T* p, std::array<std::size_t, N> shape) {
    std::size_t n = 1;
    for (std::size_t k : shape) n *= k;
    return xt::adapt(p, n, xt::no_ownership(), shape);
}

}  // namespace

TEST_CASE("elementwise operations of every length") {
    constexpr auto f = function(inputs(x, y), outputs(x * y + c<1>, exp(x), where(x > y, x, -y), x > y, cast<std::int32_t>(c<100> * x)));
    for (std::size_t n = 0; n <= longest; ++n) {
        line a = xt::zeros<double>({n}), b = xt::zeros<double>({n});
        for (std::size_t i = 0; i < n; ++i) {
            a(i) = number(i);
            b(i) = number(i + 7);
        }
        const auto [p, e, w, t, whole] = f(a, b);
        REQUIRE(p.size() == n);
        REQUIRE(e.size() == n);
        INFO("length " << n);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK_NEAR(p(i), a(i) * b(i) + 1, 1e-15 * 4 / std::fabs(a(i) * b(i) + 1) + 1e-15);
            CHECK_NEAR(e(i), std::exp(a(i)), 1e-15);
            CHECK(w(i) == (a(i) > b(i) ? a(i) : -b(i)));
            CHECK(t(i) == (a(i) > b(i)));
            CHECK(whole(i) == static_cast<std::int32_t>(100 * a(i)));
        }
    }
}

TEST_CASE("reductions of every length") {
    constexpr auto big = sum(x > c<0>);
    constexpr auto f = function(inputs(x), outputs(sum(x), max(x), min(x), prod(x), big, norm(x), any_of(x > c<1.5>), all_of(x > c<-1.9>)));
    for (std::size_t n = 0; n <= longest; ++n) {
        line a = xt::zeros<double>({n});
        double total = 0, most = -table::inf, least = table::inf, product = 1, squares = 0;
        std::int64_t positive = 0;
        bool any = false, all = true;
        for (std::size_t i = 0; i < n; ++i) {
            const double v = a(i) = number(i);
            total += v;
            most = std::max(most, v);
            least = std::min(least, v);
            product *= v;
            squares += v * v;
            positive += v > 0;
            any = any || v > 1.5;
            all = all && v > -1.9;
        }
        INFO("length " << n);
        const auto [s_, ma, mi, p, b, no, an, al] = f(a);
        CHECK(std::fabs(s_ - total) < 1e-14);
        CHECK(ma == most);
        CHECK(mi == least);
        CHECK_NEAR(p, product, 1e-14);
        CHECK(b == positive);
        CHECK_NEAR(no, std::sqrt(squares), 1e-15);
        CHECK(an == any);
        CHECK(al == all);
    }
}

TEST_CASE("floats of every length") {
    constexpr auto f = function(inputs(s), outputs(c<2> * s, sum(s), exp(s), max(s)));
    for (std::size_t n = 0; n <= longest_float; ++n) {
        xt::xtensor<float, 1> a = xt::zeros<float>({n});
        double total = 0;
        float most = -std::numeric_limits<float>::infinity();
        for (std::size_t i = 0; i < n; ++i) {
            a(i) = static_cast<float>(number(i));
            total += a(i);
            most = std::max(most, a(i));
        }
        const auto [twice, s_, e, m] = f(a);
        INFO("length " << n);
        CHECK(std::fabs(s_ - total) < 1e-5);
        CHECK(m == most);
        REQUIRE(twice.size() == n);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(twice(i) == 2 * a(i));
            CHECK(std::fabs(e(i) / std::exp(a(i)) - 1) < 1e-6f);
        }
    }
}

TEST_CASE("matrices of every shape") {
    constexpr auto f = function(inputs(A, x), outputs(sum(A), sum(A, axis<0>), sum(A, axis<1>), max(A, axis<0>), transpose(A) + c<1>, A * x(all, newaxis), dot(transpose(A), x)));
    for (std::size_t n = 0; n <= longest; n += n < 4 ? 1 : 3)
        for (std::size_t k = 0; k <= longest; k += k < 4 ? 1 : 3) {
            rows a = xt::zeros<double>({n, k});
            line b = xt::zeros<double>({n});
            std::vector<double> by_column(k), by_row(n), most(k, -table::inf), weighted(k);
            double total = 0;
            for (std::size_t i = 0; i < n; ++i) {
                b(i) = number(i + 3);
                for (std::size_t j = 0; j < k; ++j) {
                    const double v = a(i, j) = number(i * 31 + j);
                    total += v;
                    by_column[j] += v;
                    by_row[i] += v;
                    most[j] = std::max(most[j], v);
                    weighted[j] += v * b(i);
                }
            }
            INFO(n << " by " << k);
            const auto [t, columns, across, ma, turned, scaled, product] = f(a, b);
            CHECK(std::fabs(t - total) < 1e-13);
            REQUIRE(columns.size() == k);
            REQUIRE(across.size() == n);
            REQUIRE(product.size() == k);
            REQUIRE(turned.shape()[0] == k);
            bool same = true;
            for (std::size_t j = 0; j < k; ++j) {
                same = same && std::fabs(columns(j) - by_column[j]) < 1e-13 && ma(j) == most[j] && std::fabs(product(j) - weighted[j]) < 1e-13;
                for (std::size_t i = 0; i < n; ++i) same = same && turned(j, i) == a(i, j) + 1 && scaled(i, j) == a(i, j) * b(i);
            }
            for (std::size_t i = 0; i < n; ++i) same = same && std::fabs(across(i) - by_row[i]) < 1e-13;
            CHECK(same);
        }
}

TEST_CASE("results do not depend on where the input lies") {
    constexpr auto f = function(inputs(x), outputs(sum(x), sum(exp(x) * x), softplus(x), norm(x), grad(sum(softplus(x)) * sum(x), x)));
    for (std::size_t n : std::initializer_list<std::size_t>{1, 7, 64, 101}) {
        const somewhere<double> first(n, 0);
        const auto want = f(adapted(first.start, std::array{n}));
        for (std::size_t offset = 1; offset < 8; ++offset) {
            const somewhere<double> other(n, offset);
            INFO("length " << n << ", offset " << offset);
            CHECK((f(adapted(other.start, std::array{n})) == want));
        }
    }
}

TEST_CASE("matrix results do not depend on where the input lies") {
    constexpr auto f = function(inputs(A), outputs(sum(A), sum(A, axis<0>), sum(exp(A), axis<1>), logsumexp(A, axis<1>)));
    for (std::size_t n : std::initializer_list<std::size_t>{1, 5, 9})
        for (std::size_t k : std::initializer_list<std::size_t>{3, 8, 17}) {
            const somewhere<double> first(n * k, 0);
            const auto want = f(adapted(first.start, std::array{n, k}));
            for (std::size_t offset : std::initializer_list<std::size_t>{1, 3, 4}) {
                const somewhere<double> other(n * k, offset);
                INFO(n << " by " << k << ", offset " << offset);
                CHECK((f(adapted(other.start, std::array{n, k})) == want));
            }
        }
}
