// The program of docs/how_to_guides/look_at_a_model.md: a model as written, as compiled, and as the loops that run.
// snippet: includes
#include <cotan/cotan.hpp>
#include <cotan/show.hpp>
// end
#include <cstdio>
#include <fstream>

// snippet: model
using namespace cotan;

inline constexpr auto x = tensor<double, "x", "n">;
inline constexpr auto y = tensor<double, "y", "n">;
inline constexpr auto slope = scalar<double, "slope">;
inline constexpr auto eta = slope * x;
inline constexpr auto loss = sum(log(c<1.0> + exp(eta)) - y * eta);
inline constexpr auto f = function(inputs(x, y, slope), value_and_grad(loss, slope));
// end

int main() {
    // snippet: text
    std::puts(show::text(value_and_grad(loss, slope)).c_str());
    // end
    // snippet: explain
    std::puts(show::explain(f).c_str());
    // end
    // snippet: graphviz
    std::ofstream("graph.dot") << show::graphviz(f);
    // end
}
