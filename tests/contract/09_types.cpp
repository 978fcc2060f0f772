// Exact types beyond dense arrays: random generators, sparse matrices, shared variables.
#include <cotan/cotan.hpp>
#include <cotan/random.hpp>
#include <random>
#include <xtensor/xtensor.hpp>
#include "check.hpp"
using namespace cotan;

inline constexpr auto x     = tensor<double, "x", "n">;
inline constexpr auto mu    = scalar<double, "mu">;
inline constexpr auto sigma = scalar<double, "sigma">;

// A generator goes in as a value and comes out as a value: the same key gives the same numbers, whoever calls.
inline constexpr auto key  = random::key<"key">;
inline constexpr auto draw = random::normal(key, mu, sigma, like(x));  // reparameterised: mu + sigma z
inline constexpr auto sample = function(inputs(key, mu, sigma, x), outputs(draw.value, draw.next, grad(sum(draw.value), wrt(mu, sigma))));

// Inside a scan the generator is one more state.
inline constexpr auto walk = scan(init(c<0.0>, key), times(c<100>), [](auto position, auto k) {
    auto d = random::normal(k, c<0.0>, c<1.0>);
    return step(position + d.value, d.next).emit(position + d.value);
});
inline constexpr auto f_walk = function(inputs(key), outputs(walk.trace, get<1>(walk.last)));

// A shared variable lives in the prepared run and is updated by it.
inline constexpr auto t = scalar<double, "t">;
inline constexpr auto w = shared<double, "w">;
inline constexpr auto loss = square(w - t);
inline constexpr auto train = function(inputs(t), outputs(loss), updates(update(w, w - c<0.25> * grad(loss, w))));

int main() {
    {
        xt::xtensor<double, 1> xd = xt::zeros<double>({100000});
        auto [z, next, gmu, gsigma] = sample(random::seed(42), 2.0, 3.0, xd);
        double mean = 0, var = 0, gs = 0;
        for (double e : z) mean += e / 1e5;
        for (double e : z) { var += (e - mean) * (e - mean) / 1e5; gs += (e - 2.0) / 3.0; }
        check::near(mean, 2.0, "mean", 0.05);
        check::near(var, 9.0, "variance", 0.02);
        check::near(gmu, 1e5, "d sum / d mu");
        check::near(gsigma, gs, "d sum / d sigma", 1e-9);
        auto [again, n2, a, b] = sample(random::seed(42), 2.0, 3.0, xd);
        check::that(again == z, "the same key, the same numbers");
        auto [other, n3, c3, d3] = sample(next, 2.0, 3.0, xd);
        check::that(other(0) != z(0), "the next key, other numbers");
        std::mt19937_64 engine(7);  // a standard engine seeds a key; its own state moves on
        auto [std_z, n4, c4, d4] = sample(random::seed(engine), 2.0, 3.0, xd);
        check::that(std_z(0) != z(0), "seeded by a standard engine");
    }
    {
        auto [trace, k] = f_walk(random::seed(1));
        check::that(trace.size() == 100 && trace(0) != trace(99), "a random walk");
        auto [trace2, k2] = f_walk(k);
        check::that(trace2(0) != trace(0), "goes on with other numbers");
    }
    {
        auto run = train.prepare();
        run.set(w, 0.0);
        double last = 0;
        for (int i = 0; i < 30; ++i) last = run(5.0);
        check::near(run.get(w), 5.0, "trained", 1e-6);
        check::near(last, 0.0, "loss", 1e-6);
    }
    return check::result();
}
