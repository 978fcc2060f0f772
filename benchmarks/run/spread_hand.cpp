#include "spread.hpp"

#include "hand.hpp"

namespace {
using namespace bench::simd;

// The sums of `rows` rows against all of v: one load of v_j serves them all, and each row has an accumulator of its
// own.
//
// The loop is bound by arithmetic: a difference, a sum, a square for each pair. Additions and fused multiply-adds have
// units of their own, so even rows make their differences as v_i / 2 - v_j * 1/2 in one fma, which rounds once as well,
// and odd rows subtract and halve at the end. That is a quarter faster than subtracting everywhere.
//
// Accumulators live in local arrays: behind a pointer they could overlap v, and would be stored in every step.
template <std::size_t rows>
void strip(const double* v, std::size_t n, std::size_t i, vec* row_sums, vec& total) {
    const vec one_half(0.5);
    vec own[rows], sums[rows], squares[4];
    for (vec& s : squares) s = vec(0.0);
    for (std::size_t r = 0; r < rows; ++r) {
        own[r] = vec(r % 2 ? v[i + r] : 0.5 * v[i + r]);
        sums[r] = vec(0.0);
    }
    const auto step = [&](vec other, std::size_t count) {
        for (std::size_t r = 0; r < rows; ++r) {
            vec d = r % 2 ? own[r] - other : fnma(other, one_half, own[r]);
            if (count < width) d = keep_first(d, count);
            sums[r] += d;
            squares[r % 4] = fma(d, d, squares[r % 4]);
        }
    };
    std::size_t j = 0;
    for (; j + width <= n; j += width) step(load(v + j), width);
    if (j < n) step(load_first(v + j, n - j), n - j);
    for (std::size_t r = 0; r < rows; ++r) row_sums[r] = r % 2 ? sums[r] : sums[r] + sums[r];
    total += (squares[0] + squares[2]) + vec(0.25) * (squares[1] + squares[3]);
}
}  // namespace

// Differences are antisymmetric: the gradient is twice one row sum, and no column is summed. The row sums of a strip
// are reduced together, one to a lane.
double bench::spread::hand(const double* v, std::size_t n, double* gradient) {
    vec total(0.0), sums[width];
    std::size_t i = 0;
    for (; i + width <= n; i += width) {
        strip<width>(v, n, i, sums, total);
        store(gradient + i, sum_each(sums));
    }
    for (; i < n; ++i) {
        strip<1>(v, n, i, sums, total);
        gradient[i] = sum_lanes(sums[0]);
    }
    return sum_lanes(total);
}
