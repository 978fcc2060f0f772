#include "csr.hpp"

#include "side_by_side.hpp"

#include <Eigen/SparseCore>
#include <memory>

#ifndef COTAN_BENCH_WITHOUT_COTAN
#include <cotan/sparse.hpp>

namespace model {
using namespace cotan;
inline constexpr auto S = sparse::matrix<sparse::csr, double, "S", "m", "n">;
inline constexpr auto x = tensor<double, "x", "n">;
inline constexpr auto q = sum(square(dot(S, x)));
inline constexpr auto f = function(inputs(S, x), outputs(q, grad(q, S), grad(q, x)));
}  // namespace model
#endif

using sparse_matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// `each` elements in a row, about.
static sparse_matrix make(int m, int n, int each) {
    bench::uniform u;
    std::vector<Eigen::Triplet<double>> elements;
    for (int i = 0; i < m; ++i) {
        const int count = static_cast<int>(2 * each * u());
        for (int k = 0; k < count; ++k) elements.emplace_back(i, static_cast<int>(n * u()), u() - 0.5);
    }
    sparse_matrix s(m, n);
    s.setFromTriplets(elements.begin(), elements.end());
    return s;
}

static void variants(bench::row& row, const sparse_matrix& s, const bench::array<1>& x) {
    struct outputs {
        bench::array<1> by_elements, by_x;
    };
    const bench::csr::matrix m{static_cast<std::size_t>(s.rows()), static_cast<std::size_t>(s.cols()), s.outerIndexPtr(), s.innerIndexPtr(), s.valuePtr()};
    for (auto [label, loop] : bench::loops(bench::csr::plain, bench::csr::fastmath, bench::csr::hand))
        row.variant(
            label, outputs{bench::make(static_cast<std::size_t>(s.nonZeros())), bench::make(x.size())},
            [&x, m, loop = loop](auto& out) { return loop(m, x.data(), out.by_elements.data(), out.by_x.data()); },
            [](auto& out) { return bench::joined(out.by_elements, out.by_x); });
#ifndef COTAN_BENCH_WITHOUT_COTAN
    row.variant(
        "cotan", std::make_shared<decltype(model::f.prepare())>(model::f.prepare()),
        [&s, &x](auto& run) {
            auto&& [value, by_s, by_x] = (*run)(s, x);
            bench::used(by_s);
            bench::used(by_x);
            return value;
        },
        [&s, &x](auto& run) {
            auto&& [value, by_s, by_x] = (*run)(s, x);
            return bench::joined(std::vector<double>(by_s.valuePtr(), by_s.valuePtr() + by_s.nonZeros()), by_x);
        });
#endif
}

int main(int argc, char** argv) {
    bench::rows rows(argc, argv);
    variants(rows.checked("csr", 37), rows.keep(make(37, 53, 5)), rows.keep(bench::make(53, bench::uniform())));
    for (const auto& [m, each] : {std::pair{1000, 10}, {1000, 50}, {100000, 20}})
        variants(rows.timed("csr " + std::to_string(m) + "x" + std::to_string(each)), rows.keep(make(m, m, each)), rows.keep(bench::make(static_cast<std::size_t>(m), bench::uniform())));
    return rows.run();
}
