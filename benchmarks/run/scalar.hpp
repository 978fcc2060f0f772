// Row scalar: log(2 + x^2) exp(-y) + sin(x y) / (1 + y^2) + sqrt(x^2 + y^2), and both derivatives.
#pragma once
namespace bench::scalar {
struct result {
    double value, x, y;
};
result hand(double x, double y);
result fastmath(double x, double y);
result plain(double x, double y);
}  // namespace bench::scalar
