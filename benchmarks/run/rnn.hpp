// Row rnn: a recurrent layer h[t] = tanh(W h[t-1] + U x[t] + b) from h[-1] = 0, half of the sum of all squares of h, and its gradient in W, U and b. All
// matrices are stored by rows.
#pragma once
#include <cstddef>
namespace bench::rnn {
struct sizes {
    std::size_t steps, hidden, inputs;
};
// W: hidden x hidden, U: hidden x inputs, b: hidden, x: steps x inputs. h and delta: room for steps x hidden numbers each.
double hand(const double* W, const double* U, const double* b, const double* x, sizes n, double* h, double* delta, double* by_W, double* by_U, double* by_b);
double fastmath(const double* W, const double* U, const double* b, const double* x, sizes n, double* h, double* delta, double* by_W, double* by_U, double* by_b);
double plain(const double* W, const double* U, const double* b, const double* x, sizes n, double* h, double* delta, double* by_W, double* by_U, double* by_b);
}  // namespace bench::rnn
