#include "table.hpp"

using namespace cotan;

namespace {

constexpr auto f = tensor<float, "f", "n">;
constexpr auto d = tensor<double, "d", "n">;

/// The same operations on float and on double.
template <class A, class B>
void agree(A, B, double from, double to) {
    xt::xtensor<float, 1> in = xt::zeros<float>({std::size_t{39}});
    xt::xtensor<double, 1> wide = xt::zeros<double>({std::size_t{39}});
    for (std::size_t i = 0; i < in.size(); ++i) wide(i) = in(i) = static_cast<float>(from + (to - from) * static_cast<double>(i) / 38);
    const auto narrow = function(inputs(f), A{})(in);
    const auto want = function(inputs(d), B{})(wide);
    static_assert(std::is_same_v<std::decay_t<decltype(std::get<0>(narrow)(0))>, float>);
    const auto same = [&](const auto& a, const auto& b, int k) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            INFO("result " << k << " at " << in(i));
            CHECK(std::fabs(a(i) - b(i)) <= 1e-6 * std::fabs(b(i)) + 1e-7);
        }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) { (same(std::get<I>(narrow), std::get<I>(want), int(I)), ...); }(std::make_index_sequence<std::tuple_size_v<std::decay_t<decltype(narrow)>>>{});
}

#define BOTH(from, to, ...) agree([](auto v) { return outputs(__VA_ARGS__); }(f), [](auto v) { return outputs(__VA_ARGS__); }(d), from, to)

}  // namespace

TEST_CASE("float agrees with double") {
    BOTH(-3.0, 3.0, exp2(v), sin(v), cos(v), tan(c<0.3> * v), atan(v), sinh(v), cosh(v), tanh(v), asinh(v), sinc(v), cbrt(v));
    BOTH(0.01, 0.99, log2(v), log10(v), asin(v), acos(v), atanh(v), logit(v), lgamma(v), digamma(v), trigamma(v), polygamma(c<2>, v), acosh(v + c<1>));
    BOTH(-2.9, 2.9, floor(v), ceil(v), trunc(v), round(v), rint(v), maximum(v, c<0.5>), minimum(v, c<0.5>), clip(v, c<-1>, c<1>), hypot(v, c<1.5>), atan2(v, c<-1.5>));
    BOTH(0.1, 2.0, pow(v, v), pow(v, c<2.5>), xlogy(v, v), xlog1py(v, v), stop_gradient(v));
    BOTH(0.1, 0.9, grad(sum(sinc(v)), v), grad(sum(pow(v, v)), v), grad(sum(asin(v)), v), grad(sum(trigamma(v)), v), grad(sum(hypot(v, v * v)), v));
}
