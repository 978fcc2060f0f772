#include "op/table.hpp"

#include <cotan/adapt/sparse.hpp>

using namespace cotan;

// Bundle adjustment: residuals of observations, each of one camera and one point. The Jacobian's blocks are found in the expression.

namespace {

struct observation {
    double camera[11], point[3], weight, feature[2], error[2], weight_error, jacobian[2][15], weight_jacobian;
};
#include "diff/data/bundle_adjustment.inc"

constexpr auto cam = tensor<double, "cam", "p", 11>;
constexpr auto point = tensor<double, "X", "p", 3>;
constexpr auto w = tensor<double, "w", "p">;
constexpr auto feat = tensor<double, "feat", "p", 2>;

// r1 r2 r3, C1 C2 C3, f, u0 v0, k1 k2
constexpr auto r0 = cam(all, c<0>);
constexpr auto r1 = cam(all, c<1>);
constexpr auto r2 = cam(all, c<2>);
constexpr auto y0 = point(all, c<0>) - cam(all, c<3>);
constexpr auto y1 = point(all, c<1>) - cam(all, c<4>);
constexpr auto y2 = point(all, c<2>) - cam(all, c<5>);
constexpr auto squares = r0 * r0 + r1 * r1 + r2 * r2;
constexpr auto theta = sqrt(squares);
constexpr auto sine = where(squares > c<0>, sin(theta) / theta, c<1.0>);
constexpr auto versine = where(squares > c<0>, (c<1> - cos(theta)) / squares, c<0.0>);  // the definition drops it at rotation 0
constexpr auto cosine = where(squares > c<0>, cos(theta), c<1.0>);
constexpr auto inner = r0 * y0 + r1 * y1 + r2 * y2;
constexpr auto p0 = y0 * cosine + (r1 * y2 - r2 * y1) * sine + r0 * inner * versine;
constexpr auto p1 = y1 * cosine + (r2 * y0 - r0 * y2) * sine + r1 * inner * versine;
constexpr auto p2 = y2 * cosine + (r0 * y1 - r1 * y0) * sine + r2 * inner * versine;
constexpr auto a = p0 / p2;
constexpr auto b = p1 / p2;
constexpr auto rho = a * a + b * b;
constexpr auto L = c<1> + cam(all, c<9>) * rho + cam(all, c<10>) * square(rho);
constexpr auto e0 = w * (a * L * cam(all, c<6>) + cam(all, c<7>) - feat(all, c<0>));
constexpr auto e1 = w * (b * L * cam(all, c<6>) + cam(all, c<8>) - feat(all, c<1>));
constexpr auto ew = c<1> - square(w);

constexpr std::size_t n = std::size(observations);

struct problem {
    xt::xtensor<double, 2> cameras = xt::zeros<double>({n, std::size_t(11)}), points = xt::zeros<double>({n, std::size_t(3)}), features = xt::zeros<double>({n, std::size_t(2)});
    xt::xtensor<double, 1> weights = xt::zeros<double>({n});
    problem() {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < 11; ++k) cameras(i, k) = observations[i].camera[k];
            for (std::size_t k = 0; k < 3; ++k) points(i, k) = observations[i].point[k];
            for (std::size_t k = 0; k < 2; ++k) features(i, k) = observations[i].feature[k];
            weights(i) = observations[i].weight;
        }
    }
};

}  // namespace

TEST_CASE("bundle adjustment: residuals and sparse Jacobian, also at a rotation of exactly zero") {
    const problem d;
    const auto [v0, v1, vw] = function(inputs(cam, point, w, feat), outputs(e0, e1, ew))(d.cameras, d.points, d.weights, d.features);
    constexpr auto jacobian = sparse_jacobian(inputs(cam, point, w, feat), outputs(e0, e1, ew), wrt(cam, point, w));
    STATIC_REQUIRE(jacobian.sweeps() == 11);
    const auto J = jacobian(d.cameras, d.points, d.weights, d.features);
    CHECK(J.rows() == 3 * int(n));
    CHECK(J.cols() == 15 * int(n));
    CHECK(J.nonZeros() == int(n) * (15 + 15 + 1));
    for (std::size_t i = 0; i < n; ++i) {
        const observation& o = observations[i];
        CHECK_NEAR(v0(i), o.error[0], 1e-12);
        CHECK_NEAR(v1(i), o.error[1], 1e-12);
        CHECK_NEAR(vw(i), o.weight_error, 1e-13);
        for (int row = 0; row < 2; ++row)
            for (int k = 0; k < 15; ++k) {
                const int column = k < 11 ? int(i) * 11 + k : k < 14 ? int(n) * 11 + int(i) * 3 + k - 11 : int(n) * 14 + int(i);
                INFO("observation " << i << ", row " << row << ", column " << k);
                const double got = J.coeff(row * int(n) + int(i), column), want = o.jacobian[row][k];
                CHECK(std::fabs(got - want) <= 2e-12 * std::max(1.0, std::fabs(want)));
            }
        CHECK_NEAR(J.coeff(2 * int(n) + int(i), 14 * int(n) + int(i)), o.weight_jacobian, 1e-15);
    }
}
