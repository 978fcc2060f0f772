#include "table.hpp"

using namespace cotan;
using table::inf, table::qnan, table::x, table::y;

TEST_CASE("any_of and all_of") {
    constexpr auto X = tensor<double, "X", "n", "k">;
    constexpr auto b = X > c<0>;
    constexpr auto f = function(inputs(X), outputs(any_of(b), all_of(b), any_of(b, axis<0>), all_of(b, axis<1>), sum(b), sum(b, axis<1>)));
    const auto [any, all, columns, rows, count, each] = f(xt::xtensor<double, 2>{{1, -1, 2}, {-1, -1, -1}, {1, 1, 1}});
    CHECK(any);
    CHECK(!all);
    CHECK((columns == xt::xtensor<bool, 1>{true, true, true}));
    CHECK((rows == xt::xtensor<bool, 1>{false, false, true}));
    static_assert(std::is_same_v<std::decay_t<decltype(count)>, std::int64_t>);
    CHECK(count == 5);
    CHECK((each == xt::xtensor<std::int64_t, 1>{2, 0, 3}));
    const auto [none, every, c0, r0, zero, e0] = f(xt::xtensor<double, 2>{{-1, -1}});
    CHECK(!none);
    CHECK(!every);
    CHECK(zero == 0);
}
