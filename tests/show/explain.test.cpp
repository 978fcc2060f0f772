#include "model.hpp"

using namespace cotan;
using namespace model;

TEST_CASE("explain: value and gradient in one pass, without a buffer") {
    const std::string e = show::explain(function(inputs(x), value_and_grad(loss, x)));
    CHECK_HAS(e, "x: double[n]\n");
    CHECK_HAS(e, "2: double[n], the gradient by x");
    CHECK_HAS(e, "log(1 + exp x) is softplus(x)\n");
    CHECK_HAS(e, "output1 = sum(softplus(x))");
    CHECK_HAS(e, "output2 = sigmoid(x)");
    CHECK_HAS(e, "plan: 1 kernel\n");
    CHECK_HAS(e, "temporaries: 0 bytes");
    CHECK_HAS(e, "for i < n");
    CHECK_HAS(e, "output1 = %1");
    CHECK_HAS(e, "x: 1 pass\n");
}

TEST_CASE("explain: loops, accumulators and places") {
    const std::string e = show::explain(function(inputs(X, y), outputs(sum(X, axis<1>), y(slice<1, end>) * y(slice<0, -1>), y(slice<none, none, -1>))));
    CHECK_HAS(e, "%1 = 0\n");
    CHECK_HAS(e, "%1 += X[i, j]");
    CHECK_HAS(e, "output1[i] = %1");
    CHECK_HAS(e, " + 1]");
    CHECK_HAS(e, "y[n - 1 - ");
    CHECK_HAS(e, "< n - 1");
    CHECK_HAS(e, "rewrites\n    none\n");
}

TEST_CASE("explain: buffers in symbols and bytes, and what reads an input") {
    const std::string e = show::explain(function(inputs(X, y, s), outputs(cumsum(exp(y), reverse), square(s))));
    CHECK_HAS(e, "buffer1: double[n], 8 * n bytes");
    CHECK_HAS(e, "temporaries: ");
    CHECK_HAS(e, "buffer1[");
    CHECK_HAS(e, "X: never\n");
    CHECK_HAS(e, "y: 1 pass\n");
    CHECK_HAS(e, "s: once\n");
    CHECK_HAS(e, "kernels\n");
}

TEST_CASE("explain: a row that is read for each of another") {
    const std::string e = show::explain(function(inputs(x), sum(abs(x(all, newaxis) - x(newaxis, all)))));
    CHECK_HAS(e, "again for each");
    CHECK_HAS(e, "x: 1 pass, 2 loads");
}

TEST_CASE("explain: no loop at all") {
    const std::string e = show::explain(function(inputs(s), s * c<2>));
    CHECK_HAS(e, "0 kernels");
    CHECK_HAS(e, "output = ");
}
