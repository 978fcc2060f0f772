// Row newton: the positive root r of r^3 + r = a by Newton's method from r = a until a step changes it by less than 1e-14 of itself, and its derivative in
// a through the steps: reverse mode, the iterates kept.
#pragma once
namespace bench::newton {
struct result {
    double value, gradient;
};
inline constexpr int most_steps = 64;
result hand(double a);
result fastmath(double a);
result plain(double a);
}  // namespace bench::newton
