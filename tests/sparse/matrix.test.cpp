#include "op/table.hpp"

#include <cotan/sparse.hpp>

#include <Eigen/Dense>
#include <random>

using namespace cotan;

namespace {

constexpr auto S = sparse::matrix<sparse::csr, double, "S", "m", "n">;
constexpr auto x = tensor<double, "x", "n">;
constexpr auto y = tensor<double, "y", "m">;
constexpr auto B = tensor<double, "B", "n", "k">;
constexpr auto D = tensor<double, "D", "m", "n">;
using line = xt::xtensor<double, 1>;
using rows = xt::xtensor<double, 2>;
using csr = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// Some rows are empty, some long; the largest is longer than a vector and not a multiple of one.
csr example(int m, int n, unsigned seed, double density = 0.4) {
    std::mt19937 any(seed);
    std::uniform_real_distribution<double> u(-1, 1);
    csr r(m, n);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
            if (i % 5 != 3 && std::fabs(u(any)) < (i % 5 == 0 ? 0.9 : density)) r.insert(i, j) = u(any);
    r.makeCompressed();
    return r;
}
line vector_of(std::size_t n, unsigned seed) {
    std::mt19937 any(seed);
    std::uniform_real_distribution<double> u(-1, 1);
    line v = xt::zeros<double>({n});
    for (double& e : v) e = u(any);
    return v;
}
rows matrix_of(std::size_t n, std::size_t k, unsigned seed) {
    rows r = xt::zeros<double>({n, k});
    const line v = vector_of(n * k, seed);
    std::copy(v.begin(), v.end(), r.begin());
    return r;
}
using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Eigen::Map<const row_major> seen(const rows& r) { return {r.data(), static_cast<Eigen::Index>(r.shape()[0]), static_cast<Eigen::Index>(r.shape()[1])}; }
Eigen::Map<const Eigen::VectorXd> seen(const line& v) { return {v.data(), static_cast<Eigen::Index>(v.size())}; }

template <class A, class E> bool agrees(const A& a, const E& e, double tolerance = 1e-13) {
    return seen(a).rows() == e.rows() && seen(a).cols() == e.cols() && (seen(a) - e).cwiseAbs().maxCoeff() <= tolerance * (1 + e.cwiseAbs().maxCoeff());
}
bool agrees(const csr& a, const row_major& dense, const csr& pattern) {  // the dense gradient, at the pattern's places
    if (a.nonZeros() != pattern.nonZeros()) return false;
    for (int i = 0; i < pattern.outerSize(); ++i) {
        csr::InnerIterator p(a, i);
        for (csr::InnerIterator q(pattern, i); q; ++q, ++p)
            if (p.col() != q.col() || std::fabs(p.value() - dense(i, q.col())) > 1e-12) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("products with vectors and matrices, from both sides, transposed") {
    constexpr auto C = tensor<double, "C", "k", "m">;
    constexpr auto Y = tensor<double, "Y", "m", "k">;
    constexpr auto f = function(inputs(S, x, y, B, Y, C), outputs(dot(S, x), dot(y, S), dot(transpose(S), y), dot(S, B), dot(transpose(S), Y), dot(C, S), dot(x, transpose(S))));
    for (const auto& [m, n, k] : {std::array<int, 3>{13, 37, 5}, {1, 3, 9}, {20, 1, 1}, {6, 50, 8}}) {
        const csr s = example(m, n, 1);
        const auto um = static_cast<std::size_t>(m), un = static_cast<std::size_t>(n), uk = static_cast<std::size_t>(k);
        const line xd = vector_of(un, 2), yd = vector_of(um, 3);
        const rows bd = matrix_of(un, uk, 4), Yd = matrix_of(um, uk, 5), cd = matrix_of(uk, um, 6);
        const row_major d(s);
        const auto [sx, ys, sy, sb, sY, cs, xs] = f(s, xd, yd, bd, Yd, cd);
        CHECK(agrees(sx, d * seen(xd)));
        CHECK(agrees(ys, d.transpose() * seen(yd)));
        CHECK((ys == sy));
        CHECK((xs == sx));
        CHECK(agrees(sb, row_major(d * seen(bd))));
        CHECK(agrees(sY, row_major(d.transpose() * seen(Yd))));
        CHECK(agrees(cs, row_major(seen(cd) * d)));
    }
}

TEST_CASE("gradients of products: by the matrix with its pattern, by what it is multiplied with") {
    constexpr auto q = sum(square(dot(S, x)));
    constexpr auto r = sum(square(dot(y, S)));
    constexpr auto p = sum(square(dot(S, B)));
    constexpr auto f = function(inputs(S, x, y, B), outputs(q, grad(q, wrt(S, x)), grad(r, S), grad(r, y), grad(p, S), grad(p, B)));
    const csr s = example(13, 37, 1);
    const row_major d(s);
    const line xd = vector_of(37, 2), yd = vector_of(13, 3);
    const rows bd = matrix_of(37, 5, 4);
    const auto [value, qS, qx, rS, ry, pS, pB] = f(s, xd, yd, bd);
    const Eigen::VectorXd v = d * seen(xd), w = d.transpose() * seen(yd);
    CHECK_NEAR(value, v.squaredNorm(), 1e-13);
    CHECK(agrees(qS, row_major(2 * v * seen(xd).transpose()), s));
    CHECK(agrees(qx, 2 * d.transpose() * v));
    CHECK(agrees(rS, row_major(2 * seen(yd) * w.transpose()), s));
    CHECK(agrees(ry, 2 * d * w));
    const row_major z = d * seen(bd);
    CHECK(agrees(pS, row_major(2 * z * seen(bd).transpose()), s));
    CHECK(agrees(pB, row_major(2 * d.transpose() * z)));
}

TEST_CASE("sums, scaling, elements of one pattern, dense matrices at its places") {
    constexpr auto t = scalar<double, "t">;
    constexpr auto f = function(inputs(S, x, y, D, t), outputs(sum(S), sum(S, axis<0>), sum(S, axis<1>), t * S, S + S * S, sparse::scale_rows(S, y), sparse::scale_columns(S, x),
                                                               sparse::multiply(S, D), todense(S), todense(transpose(S))));
    const csr s = example(13, 37, 1);
    const row_major d(s);
    const line xd = vector_of(37, 2), yd = vector_of(13, 3);
    const rows dd = matrix_of(13, 37, 4);
    const auto [total, columns, of_rows, scaled, both, by_rows, by_columns, places, dense, turned] = f(s, xd, yd, dd, 2.5);
    CHECK_NEAR(total, d.sum(), 1e-13);
    CHECK(agrees(columns, Eigen::VectorXd(d.colwise().sum())));
    CHECK(agrees(of_rows, Eigen::VectorXd(d.rowwise().sum())));
    CHECK(agrees(scaled, row_major(2.5 * d), s));
    CHECK(agrees(both, row_major(d + d.cwiseProduct(d)), s));
    CHECK(agrees(by_rows, row_major(seen(yd).asDiagonal() * d), s));
    CHECK(agrees(by_columns, row_major(d * seen(xd).asDiagonal()), s));
    CHECK(agrees(places, row_major(d.cwiseProduct(seen(dd))), s));
    CHECK(agrees(dense, d));
    CHECK(agrees(turned, row_major(d.transpose())));
}

TEST_CASE("structured functions leave what is not stored alone, true ones do not") {
    constexpr auto e = [](auto v) { return exp(v); };
    constexpr auto structured = sum(sparse::structured(S, e));
    constexpr auto all_of_it = sum(exp(todense(S)));
    constexpr auto f = function(inputs(S, x), outputs(structured, all_of_it, grad(structured, S), grad(all_of_it, S), grad(all_of_it, todense(S)), sum(x)));
    csr s(2, 2);
    s.insert(0, 0) = 1;
    s.makeCompressed();
    const auto [a, b, ga, gb, gd, sx] = f(s, line{0, 0});
    CHECK_NEAR(a, 2.718281828459045, 1e-15);
    CHECK_NEAR(b, 5.718281828459045, 1e-15);
    CHECK(ga.nonZeros() == 1);
    CHECK_NEAR(ga.coeff(0, 0), 2.718281828459045, 1e-15);
    CHECK(gb.nonZeros() == 1);
    CHECK_NEAR(gb.coeff(0, 0), 2.718281828459045, 1e-15);
    CHECK(gd(1, 1) == 1);  // by the dense matrix: everywhere
}

TEST_CASE("second order: the gradient of a gradient, and a pushforward") {
    constexpr auto q = sum(square(dot(S, x)));
    constexpr auto h = sum(square(grad(q, x)));
    constexpr auto v = tensor<double, "v", "n">;
    constexpr auto f = function(inputs(S, x, v), outputs(grad(h, x), hvp(q, x, v), grad(h, S)));
    const csr s = example(7, 11, 1);
    const row_major d(s);
    const line xd = vector_of(11, 2), vd = vector_of(11, 3);
    const auto [gx, hv, gS] = f(s, xd, vd);
    const row_major g = d.transpose() * d;
    CHECK(agrees(gx, 8 * (g * (g * seen(xd)))));
    CHECK(agrees(hv, 2 * (g * seen(vd))));
    // h = 4 x' G G x with G = S'S: dh = 8 S (u x' + x u'), u = G x
    const Eigen::VectorXd u = g * seen(xd);
    CHECK(agrees(gS, row_major(8 * d * (u * seen(xd).transpose() + seen(xd) * u.transpose())), s));
}

TEST_CASE("a sum that counts stored elements") {
    static constexpr auto t = scalar<double, "t">;
    constexpr auto q = sum(sparse::structured(S, [](auto v) { return square(v + t); }));
    constexpr auto f = function(inputs(S, t, x), outputs(grad(q, t), sum(sparse::structured(S, [](auto v) { return v * c<0.0> + c<1.0>; })), sum(x)));
    const csr s = example(13, 37, 1);
    const auto [gt, count, sx] = f(s, 0.5, line(xt::zeros<double>({37})));
    CHECK_NEAR(gt, 2 * (row_major(s).sum() + 0.5 * static_cast<double>(s.nonZeros())), 1e-12);
    CHECK(count == static_cast<double>(s.nonZeros()));
}

TEST_CASE("extents are checked between a matrix and the rest") {
    constexpr auto f = function(inputs(S, x), outputs(dot(S, x)));
    const csr s = example(4, 6, 1);
    CHECK_THROWS_WITH(f(s, line(xt::zeros<double>({7}))), Catch::Contains("extent n"));
    const csr empty(3, 6), nothing(0, 6);
    CHECK((f(empty, line(xt::ones<double>({6}))) == line{0, 0, 0}));
    CHECK(f(nothing, line(xt::ones<double>({6}))).size() == 0);
}

TEST_CASE("other formats are converted at the call, and say so once, duplicates are added up") {
    constexpr auto Sc = sparse::matrix<sparse::coo, double, "S", "m", "n">;
    constexpr auto f = function(inputs(Sc, x), outputs(dot(Sc, x)));
    std::vector<std::string> told;
    on_conversion([&](const conversion& e) { told.push_back(e.input + " " + e.from + " " + e.to); });
    sparse::coordinates<double> a{2, 3, {{0, 0, 1.0}, {1, 2, 2.0}, {0, 0, 3.0}}};
    CHECK((f(a, line{1, 10, 100}) == line{4, 200}));
    CHECK((f(a, line{1, 10, 100}) == line{4, 200}));
    CHECK(told == std::vector<std::string>{"S coo csr"});
    csr open(2, 3);
    open.reserve(Eigen::VectorXi::Constant(2, 3));
    open.insert(1, 1) = 5;
    REQUIRE(!open.isCompressed());
    CHECK((f(open, line{1, 10, 100}) == line{0, 50}));
    CHECK(told.size() == 2);
    on_conversion({});
}

TEST_CASE("a matrix is mapped and not copied, a prepared run allocates nothing") {
    constexpr auto q = sum(square(dot(S, x)));
    constexpr auto f = function(inputs(S, x), value_and_grad(q, wrt(S, x)));
    csr s = example(13, 37, 1);
    const line xd = vector_of(37, 2);
    auto run = f.prepare();
    const auto [v, gS, gx] = run(s, xd);
    const double* where = gS.valuePtr();
    s.valuePtr()[0] += 1;
    const auto [v2, gS2, gx2] = run(s, xd);
    CHECK(v2 != v);
    CHECK(gS2.valuePtr() == where);
}

TEST_CASE("published problems with sparse matrices") {
    csr a(2, 3), b(3, 4);
    for (const auto& [i, j, v] : {std::tuple<int, int, double>{0, 1, -2}, {0, 2, 1}, {1, 0, 2}, {1, 1, -1}, {1, 2, .5}}) a.insert(i, j) = v;
    for (const auto& [i, j, v] : {std::tuple<int, int, double>{0, 0, -500}, {0, 2, 10}, {0, 3, 1000}, {1, 0, -50}, {1, 3, -5}, {2, 1, 100}}) b.insert(i, j) = v;
    a.makeCompressed();
    b.makeCompressed();
    constexpr auto A = sparse::matrix<sparse::csr, double, "A", "m", "n">;
    constexpr auto Bs = sparse::matrix<sparse::csr, double, "B", "n", "k">;
    constexpr auto W = tensor<double, "W", "m", "k">;
    constexpr auto C = dot(A, Bs);
    SECTION("K02: the derivative of a product of two sparse matrices") {
        constexpr auto f = function(inputs(A, Bs, W), outputs(C, grad(sum(W * C), Bs)));
        const auto want = [&](int i, int j) {  // d C(i, j) / d B
            rows w = xt::zeros<double>({2, 4});
            w(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = 1;
            return std::get<1>(f(a, b, w));
        };
        const auto [value, g] = f(a, b, rows(xt::ones<double>({2, 4})));
        CHECK((value == rows{{100, 100, 0, 10}, {-950, 50, 20, 2005}}));
        const auto column = [&](int i, int j, int bi, int bj) { return want(i, j).coeff(bi, bj); };
        CHECK(column(1, 2, 0, 2) == 2);
        CHECK(column(0, 2, 0, 2) == 0);
        CHECK(column(0, 1, 2, 1) == 1);
        CHECK(column(1, 1, 2, 1) == .5);
        CHECK(column(1, 3, 0, 3) == 2);
        CHECK(column(0, 3, 0, 3) == 0);
        CHECK(column(0, 3, 1, 3) == -2);
        CHECK(column(1, 3, 1, 3) == -1);
        CHECK(column(0, 0, 1, 0) == -2);
        CHECK(column(1, 0, 1, 0) == -1);
        CHECK(column(1, 0, 0, 0) == 2);
        CHECK(column(0, 0, 0, 0) == 0);
        CHECK(column(0, 1, 0, 0) == 0);
    }
    SECTION("K03: structured and true gradients of a product with zeros") {
        csr s(2, 4);
        s.insert(0, 3) = 1;
        s.insert(1, 2) = 1;
        s.makeCompressed();
        constexpr auto E = tensor<double, "E", "n", 1>;
        constexpr auto structured = sum(dot(S, E));
        constexpr auto all_of_it = sum(dot(todense(S), E));
        constexpr auto f = function(inputs(S, E), outputs(grad(structured, E), grad(structured, S), grad(all_of_it, todense(S))));
        const auto [gE, gS, gD] = f(s, rows{{1}, {2}, {3}, {4}});
        CHECK((gE == rows{{0}, {0}, {1}, {1}}));
        CHECK(gS.nonZeros() == 2);
        CHECK(gS.coeff(0, 3) == 4);
        CHECK(gS.coeff(1, 2) == 3);
        CHECK((gD == rows{{1, 2, 3, 4}, {1, 2, 3, 4}}));  // ones times E transposed
    }
    SECTION("K04: a sparse matrix times a vector") {
        csr s(2, 2);
        s.insert(0, 0) = 1;
        s.insert(1, 1) = 2;
        s.makeCompressed();
        constexpr auto total = sum(dot(S, x));
        constexpr auto f = function(inputs(S, x), value_and_grad(total, wrt(S, x)));
        const auto [v, gS, gx] = f(s, line{3, 4});
        CHECK(v == 11);
        CHECK(gS.nonZeros() == 2);
        CHECK(gS.coeff(0, 0) == 3);
        CHECK(gS.coeff(1, 1) == 4);
        CHECK((gx == line{1, 2}));
    }
    SECTION("K05: a transposed matrix, several times") {
        csr s(4, 4);
        s.setIdentity();
        constexpr auto Q = tensor<double, "Q", "m", "k">;
        constexpr auto step = sum(dot(transpose(S), Q));
        constexpr auto f = function(inputs(S, Q, x), outputs(step + step + step + step, grad(step + step + step + step, Q), sum(x)));
        rows eye = xt::zeros<double>({4, 4});
        for (std::size_t i = 0; i < 4; ++i) eye(i, i) = 1;
        const auto [v, g, sx] = f(s, eye, line{0, 0, 0, 0});
        CHECK(v == 16);
        CHECK((g == rows(4 * xt::ones<double>({4, 4}))));
    }
    SECTION("K06: rows of a matrix given as coordinates") {
        constexpr auto Sc = sparse::matrix<sparse::coo, double, "S", "m", "n">;
        constexpr auto f = function(inputs(Sc, x), outputs(todense(Sc)(c<1>), todense(Sc)(c<-1>), sum(x)));
        on_conversion({});
        const sparse::coordinates<double> s{4, 2, {{0, 0, 1.0}, {0, 1, 2.0}, {1, 1, 3.0}, {2, 0, 4.0}, {3, 0, 5.0}, {3, 1, 6.0}}};
        const auto [second, last, sx] = f(s, line{0, 0});
        CHECK((second == line{0, 3}));
        CHECK((last == line{5, 6}));
    }
    SECTION("K07: a vector times a matrix, in both spellings") {
        constexpr auto f = function(inputs(A, tensor<double, "y", "m">, x), outputs(dot(tensor<double, "y", "m">, A), dot(transpose(A), tensor<double, "y", "m">), sum(x)));
        const auto [left, turned, sx] = f(a, line{1, 2}, line{0, 0, 0});
        CHECK((left == turned));
        CHECK((left == line{4, -4, 2}));
    }
}
