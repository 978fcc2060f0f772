// The program of docs/how_to_guides/draw_random_numbers.md, use_sparse_matrices.md and keep_variables_between_calls.md.
// snippet: includes
#include <cotan/cotan.hpp>
#include <cotan/random.hpp>
#include <cotan/sparse.hpp>
// end
#include <cmath>
#include <cstdio>

using namespace cotan;

// snippet: draw
inline constexpr auto key = random::key<"key">;
inline constexpr auto mu = scalar<double, "mu">;
inline constexpr auto sigma = scalar<double, "sigma">;

inline constexpr auto draw = random::normal(key, mu, sigma, shape<1000>);
inline constexpr auto f = function(inputs(key, mu, sigma), outputs(draw.value, draw.next, grad(mean(square(draw.value)), wrt(mu, sigma))));
// end

// snippet: chain
inline constexpr auto first = random::gamma(key, c<2.0>, c<1.0>, shape<3>);
inline constexpr auto second = random::poisson(first.next, c<4.0>, shape<3>);  // another key: its numbers have nothing to do with the first
inline constexpr auto g = function(inputs(key), outputs(first.value, second.value, second.next));
// end

// snippet: density
inline constexpr auto x = tensor<double, "x", "n">;
inline constexpr auto likelihood = sum(random::student_t.log_density(x, c<4.0>, mu, sigma));
inline constexpr auto fit = function(inputs(x, mu, sigma), value_and_grad(likelihood, wrt(mu, sigma)));
// end

// snippet: sparse
inline constexpr auto S = sparse::matrix<sparse::csr, double, "S", "m", "n">;
inline constexpr auto w = tensor<double, "w", "n">;
inline constexpr auto energy = sum(square(dot(S, w)));
inline constexpr auto h = function(inputs(S, w), value_and_grad(energy, wrt(S, w)));
// end

// snippet: structured
inline constexpr auto stored = sum(sparse::structured(S, [](auto v) { return exp(v); }));  // of the stored elements
inline constexpr auto everywhere = sum(exp(todense(S)));                                   // of the zeros too
inline constexpr auto sums = function(inputs(S, w), outputs(stored, everywhere, sum(w)));
// end

// snippet: shared
inline constexpr auto target = scalar<double, "target">;
inline constexpr auto weight = shared<double, "weight">;
inline constexpr auto loss = square(weight - target);
inline constexpr auto train = function(inputs(target), outputs(loss), updates(update(weight, weight - c<0.25> * grad(loss, weight))));
// end

// snippet: several
inline constexpr auto predict = function(inputs(), outputs(c<2> * weight));
// end

int main() {
    bool right = true;
    const auto check = [&](bool ok, const char* what) {
        if (!ok) std::printf("wrong: %s\n", what);
        right = right && ok;
    };
    {
        // snippet: call
        auto [z, next, by_mu, by_sigma] = f(random::seed(42), 1.0, 2.0);
        auto [more, after, m, s] = f(next, 1.0, 2.0);  // goes on with other numbers
        // end
        check(z(0) != more(0) && std::fabs(by_mu - 2) < 0.3 && std::fabs(by_sigma - 4) < 0.5 && after != next && m != by_mu && s != by_sigma, "draws");
        const auto [a, b, last] = g(random::seed(1));
        check(a(0) > 0 && b(0) >= 0 && last.counter() == 2, "chained draws");
        const auto [value, d_mu, d_sigma] = fit(xt::xtensor<double, 1>{0.5, 1.5}, 1.0, 2.0);
        check(value < 0 && std::fabs(d_mu) < 1e-12 && d_sigma < 0, "log density");
    }
    {
        // snippet: sparse_call
        Eigen::SparseMatrix<double, Eigen::RowMajor> matrix(2, 3);
        matrix.insert(0, 0) = 1.0;
        matrix.insert(0, 2) = 2.0;
        matrix.insert(1, 1) = -3.0;
        matrix.makeCompressed();
        auto [value, by_matrix, by_vector] = h(matrix, xt::xtensor<double, 1>{1.0, 2.0, 3.0});  // by_matrix: a sparse matrix with the same pattern
        // end
        check(value == 85 && by_matrix.nonZeros() == 3 && by_vector(0) == 14, "sparse");
        const auto [few, all_of_them, sum_w] = sums(matrix, xt::xtensor<double, 1>{1.0, 2.0, 3.0});
        check(std::fabs(all_of_them - few - 3) < 1e-12 && sum_w == 6, "structured");
    }
    {
        // snippet: shared_call
        auto run = train.prepare();
        run.set(weight, 0.0);
        for (int i = 0; i < 30; ++i) run(5.0);  // the loss before each update
        std::printf("weight %.3f\n", run.get(weight));
        // end
        check(std::fabs(run.get(weight) - 5) < 1e-6, "shared");
        // snippet: several_call
        const variables set(weight);
        auto training = train.prepare(set);
        auto predicting = predict.prepare(set);
        set.set(weight, 1.0);
        training(5.0);
        std::printf("prediction %.3f\n", predicting());
        // end
        check(predicting() == 6, "several functions");
    }
    return right ? 0 : 1;
}
