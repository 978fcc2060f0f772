#include "op/table.hpp"
#include "plan/plan_of.hpp"

#include <cotan/adapt/sparse.hpp>

#include <xtensor/xrandom.hpp>

using namespace cotan;
using table::x, table::y;

// Which elements depend on which, and the sweeps that this saves.

namespace {

constexpr auto A = tensor<double, "A", "n", "k">;
constexpr auto B = tensor<double, "B", "n", 3>;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;

template <class In, class Y, class X>
consteval auto plan_of(In, Y, X) {
    return bits::sweeps_of<Y, X>::plan;
}

// An operation that counts how often it is computed, in elements, and so do its derivatives.
int count = 0;
template <int Order>
struct counted_ : elementwise<counted_<Order>> {
    static constexpr auto name = "counted";
    static constexpr int cost = 50;
    template <class V> static V kernel(V v) {
        if constexpr (std::is_arithmetic_v<V>) count += 1;
        else count += static_cast<int>(V::size);
        return v * v * v;
    }
    static constexpr auto partials(auto, auto v) {  // any derivative will do
        if constexpr (Order < 2) return list(bits::apply<counted_<Order + 1>>(v) * c<3.0>);
        else return list(c<1.0>);
    }
};
constexpr auto counted = operation<counted_<0>>;

}  // namespace

TEST_CASE("the structure is read from the expression") {
    constexpr auto diagonal = plan_of(inputs(x), exp(x) * x, x);
    STATIC_REQUIRE((diagonal.axes[0].banded && diagonal.axes[0].width == 1 && diagonal.axes[0].lo == 0));
    constexpr auto banded = plan_of(inputs(x), x(slice<2, end>) - c<2> * x(slice<1, -1>) + x(slice<0, -2>), x);
    STATIC_REQUIRE((banded.axes[0].banded && banded.axes[0].width == 3 && banded.axes[0].lo == 0));
    constexpr auto dense = plan_of(inputs(x), exp(x) * sum(x), x);
    STATIC_REQUIRE(!dense.axes[0].banded);
    constexpr auto blocks = plan_of(inputs(B), B * sum(square(B), axis<1>, keepdims), B);
    STATIC_REQUIRE((blocks.axes[0].banded && !blocks.axes[1].banded));
    constexpr auto across = plan_of(inputs(A), transpose(exp(A)), A);
    STATIC_REQUIRE((across.axes[0].banded && across.axes[0].axis == 1 && across.axes[1].banded && across.axes[1].axis == 0));
    constexpr auto none = plan_of(inputs(x, y), exp(y), x);
    STATIC_REQUIRE(none.empty);
}

TEST_CASE("a diagonal, a band and blocks, as sparse matrices") {
    constexpr auto d = sparse_jacobian(inputs(x, y), exp(x) * y, x);
    STATIC_REQUIRE(d.sweeps() == 1);
    const auto D = d(line{0, 1, 2}, line{2, 3, 4});
    CHECK(D.nonZeros() == 3);
    CHECK(D.rows() == 3);
    CHECK_NEAR(D.coeff(1, 1), 3 * std::exp(1.0), 1e-15);

    constexpr auto e = square(x(slice<1, end>)) * x(slice<0, -1>);
    constexpr auto b = sparse_jacobian(inputs(x), e, x);
    STATIC_REQUIRE(b.sweeps() == 2);
    const auto S = b(line{1, 2, 3, 4, 5});
    CHECK(S.rows() == 4);
    CHECK(S.cols() == 5);
    CHECK(S.nonZeros() == 8);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 5; ++j) CHECK(S.coeff(i, j) == (j == i ? (i + 2.0) * (i + 2) : j == i + 1 ? 2 * (i + 2.0) * (i + 1) : 0));

    constexpr auto blocks = sparse_jacobian(inputs(B), sum(square(B), axis<1>) * B(all, c<0>), B);
    STATIC_REQUIRE(blocks.sweeps() == 3);
    auto run = blocks.prepare();
    const rows bd{{1, 2, 3}, {4, 5, 6}};
    for (int again = 0; again < 2; ++again) {
        const auto& J = run(bd);
        CHECK(J.nonZeros() == 6);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 6; ++j) {
                const double s = i ? 77 : 14, v = bd(std::size_t(i), std::size_t(j % 3));
                CHECK(J.coeff(i, j) == (j / 3 == i ? 2 * v * bd(std::size_t(i), 0) + (j % 3 == 0 ? s : 0) : 0));
            }
    }
    CHECK(run(rows{{1, 2, 3}}).rows() == 1);  // another size, another pattern
}

TEST_CASE("a band's ends, and slices written back") {
    // second differences with the ends held: scatter and slices
    constexpr auto e = sum(square(x(slice<2, end>) - c<2> * x(slice<1, -1>) + x(slice<0, -2>))) + sum(exp(x));
    constexpr auto H = sparse_hessian(inputs(x), e, x);
    STATIC_REQUIRE(H.sweeps() == 5);
    const line at{0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.0};
    const Eigen::SparseMatrix<double> S = H(at);
    const auto D = function(inputs(x), hessian(e, x))(at);
    CHECK(S.nonZeros() == 7 * 5 - 2 * (2 + 1));
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 7; ++j) CHECK_NEAR(S.coeff(i, j) + 1, D(std::size_t(i), std::size_t(j)) + 1, 1e-14);
    CHECK_NEAR(S.coeff(3, 3), 12 + std::exp(0.4), 1e-15);  // 2 (1 + 4 + 1)
    CHECK(S.coeff(0, 1) == -4);
}

TEST_CASE("several results by several inputs are one matrix of blocks, what depends on nothing has no elements") {
    constexpr auto q = scalar<double, "q">;
    constexpr auto J = sparse_jacobian(inputs(x, y, q), outputs(x * y, sum(x), exp(y) * q), wrt(y, x, q));
    const auto S = J(line{1, 2}, line{3, 4}, 5.0);
    CHECK(S.rows() == 5);
    CHECK(S.cols() == 5);
    CHECK(S.nonZeros() == 4 + 2 + 4);
    CHECK(S.coeff(0, 0) == 1);
    CHECK(S.coeff(1, 3) == 4);
    CHECK(S.coeff(2, 2) == 1);
    CHECK_NEAR(S.coeff(3, 4), std::exp(3.0), 1e-15);
    CHECK_NEAR(S.coeff(4, 1), 5 * std::exp(4.0), 1e-15);
}

TEST_CASE("matrices of float, and transposed matrices") {
    constexpr auto s = tensor<float, "s", "n", "k">;
    constexpr auto J = sparse_jacobian(inputs(s), transpose(square(s)), s);
    STATIC_REQUIRE(std::is_same_v<decltype(J)::scalar, float>);
    const auto S = J(xt::xtensor<float, 2>{{1, 2, 3}, {4, 5, 6}});
    CHECK(S.nonZeros() == 6);
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k) CHECK(S.coeff(k * 2 + i, i * 3 + k) == 2.f * float(1 + 3 * i + k));
}

TEST_CASE("the diagonal part of a Hessian costs one sweep") {
    constexpr auto e = sum(counted(x)) + square(sum(x));
    auto whole = function(inputs(x), hessian(e, x)).prepare();
    auto diagonal = function(inputs(x), hessian_diagonal(e, x)).prepare();
    constexpr std::size_t n = 1000;
    line at = xt::ones<double>({n});
    count = 0;
    const auto& D = diagonal(at);
    CHECK(count >= int(n));
    CHECK(count <= int(n) + 64);  // a vector more
    CHECK(D(17) == 9 + 2);
    count = 0;
    const auto& H = whole(at);
    CHECK(count <= int(n) + 64);
    CHECK(H(3, 3) == 11);
    CHECK(H(3, 4) == 2);
    // the structured part alone, as a sparse matrix
    count = 0;
    const auto S = sparse_hessian(inputs(x), sum(counted(x)), x)(at);
    CHECK(S.nonZeros() == int(n));
    CHECK(count <= int(n) + 64);
}

TEST_CASE("diagonals") {
    constexpr auto e = sum(exp(x)) + square(sum(x));
    const auto [d, l, m] = function(inputs(x, A), outputs(hessian_diagonal(e, x), hessian_diagonal(logsumexp(x), x), jacobian_diagonal(transpose(transpose(A)) * sum(A), A)))(line{0, 1}, rows{{1, 2, 3}, {4, 5, 6}});
    CHECK_NEAR(d(0), 3.0, 1e-15);
    CHECK_NEAR(d(1), 2 + std::exp(1.0), 1e-15);
    const double p = 1 / (1 + std::exp(1.0));
    CHECK_NEAR(l(0), p * (1 - p), 1e-14);
    CHECK_NEAR(l(1), p * (1 - p), 1e-14);
    CHECK(m(1, 2) == 21 + 6);
}

TEST_CASE("a sum of what is masked to one place is that place's value, whatever the others are") {
    constexpr auto d = plan_of(inputs(x), outputs(hessian(square(sum(sin(x))), x)));
    constexpr int inner = [](const auto& plan) {
        int n = 0;
        for (int l = 1; l < plan.loop_count; ++l) n += plan.loops[l].depth == 2;
        return n;
    }(d);
    STATIC_REQUIRE(inner == 1);  // the matrix itself, and no pass over n^2 masks
    const auto H = function(inputs(x), hessian(square(sum(sin(x))), x))(line{0.5, 1});
    const double s = std::sin(0.5) + std::sin(1.0);
    CHECK_NEAR(H(0, 0), 2 * std::cos(0.5) * std::cos(0.5) - 2 * s * std::sin(0.5), 1e-14);
    CHECK_NEAR(H(0, 1), 2 * std::cos(0.5) * std::cos(1.0), 1e-14);
    // what is infinite elsewhere stays out of it
    const auto J = function(inputs(x), jacobian(sum(sqrt(x)) * c<1>, x))(line{0, 4});
    CHECK(J(1) == 0.25);
}
