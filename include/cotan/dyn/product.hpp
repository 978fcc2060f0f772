#pragma once

#include <cotan/dyn/program.hpp>

#ifdef COTAN_DYN_EIGEN
#if COTAN_DYN_EIGEN == 1
#include <Eigen/Core>
#else
#include <eigen3/Eigen/Core>
#endif
#endif

namespace cotan::bits {

/// A matrix in memory: strides in elements.
struct matrix_view {
    const void* data;
    std::ptrdiff_t rows, columns, row_stride, column_stride;
};

#ifdef COTAN_DYN_EIGEN

template <class T> using eigen_rows = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
template <class T> using eigen_columns = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>, 0, Eigen::OuterStride<>>;
template <class T> using eigen_vector = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>;

/// f of the matrix as Eigen sees it; a copy is made where neither rows nor columns are contiguous.
template <class T, class F>
void with_matrix(const matrix_view& m, std::vector<T>& room, F f) {
    const T* p = static_cast<const T*>(m.data);
    if (m.column_stride == 1 && m.row_stride >= m.columns) return f(eigen_rows<T>(p, m.rows, m.columns, Eigen::OuterStride<>(m.row_stride)));
    if (m.row_stride == 1 && m.column_stride >= m.rows) return f(eigen_columns<T>(p, m.rows, m.columns, Eigen::OuterStride<>(m.column_stride)));
    room.resize(static_cast<std::size_t>(m.rows * m.columns));
    for (std::ptrdiff_t i = 0; i < m.rows; ++i)
        for (std::ptrdiff_t j = 0; j < m.columns; ++j) room[static_cast<std::size_t>(i * m.columns + j)] = p[i * m.row_stride + j * m.column_stride];
    f(eigen_rows<T>(room.data(), m.rows, m.columns, Eigen::OuterStride<>(m.columns)));
}

/// to = a b, to contiguous by rows.
template <class T>
void multiply_matrices(T* to, const matrix_view& a, const matrix_view& b, std::vector<T>& room_a, std::vector<T>& room_b) {
    if (a.rows == 0 || b.columns == 0) return;
    if (b.columns == 1) {
        const T* x = static_cast<const T*>(b.data);
        if (b.row_stride != 1) {
            room_b.resize(static_cast<std::size_t>(b.rows));
            for (std::ptrdiff_t i = 0; i < b.rows; ++i) room_b[static_cast<std::size_t>(i)] = x[i * b.row_stride];
            x = room_b.data();
        }
        Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> y(to, a.rows);
        with_matrix<T>(a, room_a, [&](const auto& m) { y.noalias() = m * eigen_vector<T>(x, b.rows); });
        return;
    }
    Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> y(to, a.rows, b.columns);
    with_matrix<T>(a, room_a, [&](const auto& m) { with_matrix<T>(b, room_b, [&](const auto& n) { y.noalias() = m * n; }); });
}

#endif

}  // namespace cotan::bits
