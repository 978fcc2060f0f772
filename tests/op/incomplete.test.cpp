#include "table.hpp"

using namespace cotan;
using table::x, table::inf;

// The tables come from tools/oracles/incomplete.py.
namespace {

constexpr auto a = tensor<double, "a", "n">;
constexpr auto b = tensor<double, "b", "n">;
using line = xt::xtensor<double, 1>;

struct gamma_row {
    double a, x, p, q, by_a, by_aa, by_ax, by_x, by_xx;
};
struct beta_row {
    double a, b, x, value, by_a, by_b, by_aa, by_ab, by_bb, by_x, by_xx, by_ax, by_bx;
};

#include "data/incomplete.inc"

template <class Row, std::size_t N>
line column(const Row (&rows)[N], double Row::*member) {
    line r = xt::zeros<double>({N});
    for (std::size_t i = 0; i < N; ++i) r(i) = rows[i].*member;
    return r;
}

}  // namespace

TEST_CASE("the incomplete gamma functions and their derivatives") {
    constexpr auto p = gammainc(a, x);
    constexpr auto q = gammaincc(a, x);
    constexpr auto f = function(inputs(a, x), outputs(p, q, grad(sum(p), wrt(a, x)), grad(sum(q), a)));
    const auto [lower, upper, by_a, by_x, upper_by_a] = f(column(gamma_rows, &gamma_row::a), column(gamma_rows, &gamma_row::x));
    std::size_t i = 0;
    for (const gamma_row& r : gamma_rows) {
        INFO("a " << r.a << ", x " << r.x);
        CHECK_NEAR(lower(i), r.p, 1e-13);
        CHECK_NEAR(upper(i), r.q, 1e-13);
        CHECK_NEAR(by_a(i), r.by_a, 1e-13);
        CHECK_NEAR(upper_by_a(i), -r.by_a, 1e-13);
        CHECK_NEAR(by_x(i), r.by_x, 1e-13);
        ++i;
    }
}

TEST_CASE("second derivatives of the incomplete gamma function") {
    constexpr auto p = sum(gammainc(a, x));
    constexpr auto by_a = grad(p, a);
    constexpr auto by_x = grad(p, x);
    constexpr auto f = function(inputs(a, x), outputs(grad(sum(by_a), a), grad(sum(by_a), x), grad(sum(by_x), x)));
    const auto [aa, ax, xx] = f(column(gamma_rows, &gamma_row::a), column(gamma_rows, &gamma_row::x));
    std::size_t i = 0;
    for (const gamma_row& r : gamma_rows) {
        INFO("a " << r.a << ", x " << r.x);
        // where a second derivative passes through 0 its digits are those of what cancels
        const double scale = std::fabs(r.by_a) / std::sqrt(r.a < 1 ? 1 : r.a);
        CHECK(std::fabs(aa(i) - r.by_aa) <= 1e-12 * (std::fabs(r.by_aa) + scale));
        CHECK(std::fabs(ax(i) - r.by_ax) <= 1e-12 * (std::fabs(r.by_ax) + r.by_x));
        CHECK(std::fabs(xx(i) - r.by_xx) <= 1e-12 * (std::fabs(r.by_xx) + r.by_x));
        ++i;
    }
}

TEST_CASE("the derivatives of the incomplete gamma function at its edges") {
    const auto at = [](double shape, double where) { return function(inputs(a, x), grad(sum(gammainc(a, x)), x))(line{shape}, line{where})(0); };
    CHECK(at(1, 0) == 1);
    CHECK(at(2, 0) == 0);
    CHECK(at(0.5, 0) == inf);
    constexpr auto f = function(inputs(a, x), outputs(gammainc(a, x), gammaincc(a, x)));
    const auto [p, q] = f(line{2, 2, -1, 2}, line{0, inf, 1, -1});
    CHECK(p(0) == 0);
    CHECK(q(0) == 1);
    CHECK(p(1) == 1);
    CHECK(q(1) == 0);
    for (std::size_t i = 2; i < 4; ++i) CHECK((std::isnan(p(i)) && std::isnan(q(i))));
}

TEST_CASE("the derivative of the incomplete gamma function by its shape, where others are known to go wrong") {
    constexpr auto f = function(inputs(a, x), grad(sum(gammainc(a, x)), a));
    const line got = f(line{0.5, 3, 0.001, 1, 2, 10, 100, 1e4}, line{10, 36, 0.5, 1, 0.5, 10, 110, 1e4});
    const double want[] = {-3.3719847396287287e-5, -4.272863169109225e-13, -0.56035940010800309, -0.4317297106348987, -0.15103423690917051, -0.12721482320991924, -0.023808656854890386,
                           -0.0039894560494536686};
    for (std::size_t i = 0; i < 8; ++i) CHECK_NEAR(got(i), want[i], 1e-12);
}

TEST_CASE("the implicit derivative of a gamma draw by its shape") {
    constexpr auto p = sum(gammainc(a, x));
    const line d = function(inputs(a, x), -grad(p, a) / grad(p, x))(line{1, 2.5}, line{1, 1.7});
    CHECK_NEAR(d(0), 1.1735630272247269, 1e-13);
    CHECK_NEAR(d(1), 0.87504438142040392, 1e-13);
}

TEST_CASE("the incomplete beta function and its derivatives") {
    constexpr auto f = function(inputs(a, b, x), outputs(betainc(a, b, x), grad(sum(betainc(a, b, x)), wrt(a, b, x))));
    const auto [value, by_a, by_b, by_x] = f(column(beta_rows, &beta_row::a), column(beta_rows, &beta_row::b), column(beta_rows, &beta_row::x));
    std::size_t i = 0;
    for (const beta_row& r : beta_rows) {
        INFO("a " << r.a << ", b " << r.b << ", x " << r.x);
        CHECK_NEAR(value(i), r.value, 1e-12);
        CHECK_NEAR(by_a(i), r.by_a, 1e-12);
        CHECK_NEAR(by_b(i), r.by_b, 1e-12);
        CHECK_NEAR(by_x(i), r.by_x, 1e-12);
        ++i;
    }
    // published cases
    const auto [v, da, db, dx] = f(line{2, 0.5, 5, 100}, line{3, 0.5, 0.5, 50}, line{0.4, 0.001, 0.99, 0.7});
    const double want[][3] = {{-0.24086937608755658, 0.15634433641359877, 1.728}, {-0.15144045259989143, 0.027906380086556372, 10.070879119947094},
                              {-0.02468920638554879, 0.74027661412445721, 11.819833716796875}, {-0.015262447328577913, 0.033010790416850242, 7.41892655444759}};
    for (std::size_t k = 0; k < 4; ++k) {
        CHECK_NEAR(da(k), want[k][0], 1e-12);
        CHECK_NEAR(db(k), want[k][1], 1e-12);
        CHECK_NEAR(dx(k), want[k][2], 1e-12);
    }
}

TEST_CASE("second derivatives of the incomplete beta function") {
    constexpr auto v = sum(betainc(a, b, x));
    constexpr auto by_a = sum(grad(v, a));
    constexpr auto by_b = sum(grad(v, b));
    constexpr auto by_x = sum(grad(v, x));
    constexpr auto f = function(inputs(a, b, x), outputs(grad(by_a, wrt(a, b)), grad(by_b, b), grad(by_x, wrt(x, a, b))));
    const auto [aa, ab, bb, xx, ax, bx] = f(column(beta_rows, &beta_row::a), column(beta_rows, &beta_row::b), column(beta_rows, &beta_row::x));
    std::size_t i = 0;
    for (const beta_row& r : beta_rows) {
        INFO("a " << r.a << ", b " << r.b << ", x " << r.x);
        const double scale = std::fabs(r.by_a) / std::sqrt(r.a < 1 ? 1 : r.a) + std::fabs(r.by_b) / std::sqrt(r.b < 1 ? 1 : r.b);
        CHECK(std::fabs(aa(i) - r.by_aa) <= 1e-11 * (std::fabs(r.by_aa) + scale));
        CHECK(std::fabs(ab(i) - r.by_ab) <= 1e-11 * (std::fabs(r.by_ab) + scale));
        CHECK(std::fabs(bb(i) - r.by_bb) <= 1e-11 * (std::fabs(r.by_bb) + scale));
        CHECK(std::fabs(xx(i) - r.by_xx) <= 1e-11 * (std::fabs(r.by_xx) + r.by_x * (1 / r.x + 1 / (1 - r.x))));
        CHECK(std::fabs(ax(i) - r.by_ax) <= 1e-11 * (std::fabs(r.by_ax) + r.by_x));
        CHECK(std::fabs(bx(i) - r.by_bx) <= 1e-11 * (std::fabs(r.by_bx) + r.by_x));
        ++i;
    }
}

TEST_CASE("the incomplete beta function at its edges") {
    constexpr auto f = function(inputs(a, b, x), outputs(betainc(a, b, x), grad(sum(betainc(a, b, x)), x)));
    const auto [v, d] = f(line{2, 2, 1, 3, 0.5, -1, 2}, line{3, 3, 4, 1, 2, 1, 2}, line{0, 1, 0, 1, 0, 0.5, 1.5});
    CHECK(v(0) == 0);
    CHECK(v(1) == 1);
    CHECK(d(0) == 0);
    CHECK(d(1) == 0);
    CHECK(d(2) == 4);
    CHECK(d(3) == 3);
    CHECK(d(4) == inf);
    CHECK((std::isnan(v(5)) && std::isnan(v(6))));
}
