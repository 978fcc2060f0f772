#include "model.hpp"

using namespace cotan;
using namespace model;

TEST_CASE("graphviz: a function as compiled") {
    const std::string g = show::graphviz(function(inputs(x), value_and_grad(loss, x)));
    CHECK(g.starts_with("digraph"));
    CHECK(times(g, "{") == times(g, "}"));
    CHECK(times(g, "shape=ellipse") == 1);
    CHECK(times(g, ">softplus<") + times(g, "<softplus<") == 1);
    CHECK(times(g, "<sigmoid<") == 1);
    CHECK_HAS(g, "<sum over n>");
    CHECK_HAS(g, "output 2: gradient by x");
    CHECK_HAS(g, "runs as 1 kernel");
    CHECK(times(g, "->") == 5);  // two from x, one from each operation to what uses it
    CHECK(!has(g, "exp"));
}

TEST_CASE("graphviz: an expression as written") {
    const std::string g = show::graphviz(value_and_grad(loss, x));
    CHECK_HAS(g, "<1 + \u00b7<");
    CHECK_HAS(g, "<exp<");
    CHECK_HAS(g, "<grad<");
    CHECK_HAS(g, "\" of\"");
    CHECK(!has(g, "sigmoid"));
    CHECK_HAS(show::graphviz(loss), "label=<output<");
}

TEST_CASE("graphviz: numbers and signs stand in labels, and the order of operands is told") {
    const std::string g = show::graphviz(function(inputs(x, y), outputs(x - y, pow(x, y), maximum(x, c<0.5>), x < c<3>, -exp(x))));
    CHECK_HAS(g, "<a \u2212 b<");
    CHECK_HAS(g, "<pow(a, b)<");
    CHECK_HAS(g, "<maximum(\u00b7, 0.5)<");
    CHECK_HAS(g, "<\u00b7 &lt; 3<");
    CHECK_HAS(g, "<negate<");
    CHECK(times(g, "label=\" a\"") == 2);
    CHECK(times(g, "label=\" b\"") == 2);
}

TEST_CASE("graphviz: an input that is a result, and a number that is one") {
    const std::string g = show::graphviz(outputs(x, c<2>));
    CHECK_HAS(g, "label=<2>");
    CHECK(times(g, "-> out") == 2);
}
