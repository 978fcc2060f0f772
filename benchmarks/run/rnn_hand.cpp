#include "rnn.hpp"

#include <Eigen/Core>

#include "hand.hpp"

// The loops carry only what depends on the state: the inputs' part is one product before them, and each weight's gradient one product after them.
double bench::rnn::hand(const double* W_, const double* U_, const double* b_, const double* x_, sizes n, double* h_, double* delta_, double* by_W, double* by_U,
                        double* by_b) {
    using namespace bench::simd;
    using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using column = Eigen::VectorXd;
    using index = Eigen::Index;
    const index T = static_cast<index>(n.steps), H = static_cast<index>(n.hidden), I = static_cast<index>(n.inputs);
    const Eigen::Map<const matrix> W(W_, H, H), U(U_, H, I), x(x_, T, I);
    const Eigen::Map<const column> b(b_, H);
    Eigen::Map<matrix> h(h_, T, H), delta(delta_, T, H);
    const Eigen::MatrixXd columns = W;  // a product by columns adds multiples of them: no sums across lanes
    h.noalias() = x * U.transpose();
    h.rowwise() += b.transpose();
    vec squares(0.0);
    double rest = 0;
    for (index t = 0; t < T; ++t) {
        double* row = h_ + t * H;
        if (t) h.row(t).transpose().noalias() += columns * h.row(t - 1).transpose();
        std::size_t i = 0;
        for (; i + width <= n.hidden; i += width) {
            const vec v = xsimd::tanh(load(row + i));
            store(row + i, v);
            squares = fma(v, v, squares);
        }
        for (; i < n.hidden; ++i) {
            row[i] = std::tanh(row[i]);
            rest += row[i] * row[i];
        }
    }
    for (index t = T; t-- > 0;) {
        delta.row(t) = h.row(t);
        if (t + 1 < T) delta.row(t).transpose().noalias() += W.transpose() * delta.row(t + 1).transpose();
        delta.row(t).array() *= 1 - h.row(t).array().square();
    }
    Eigen::Map<matrix>(by_W, H, H).noalias() = delta.bottomRows(T - 1).transpose() * h.topRows(T - 1);
    Eigen::Map<matrix>(by_U, H, I).noalias() = delta.transpose() * x;
    Eigen::Map<Eigen::RowVectorXd>(by_b, H) = delta.colwise().sum();
    return 0.5 * (sum_lanes(squares) + rest);
}
