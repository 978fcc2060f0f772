// Did cold break the O-rings? Logistic regression of O-ring distress on temperature over the 23 launches before the
// last of Challenger, fitted by Newton's method with the library's own gradient and Hessian.
//
//     challenger [output folder] [data file]
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <cotan/cotan.hpp>
#include <cotan/show.hpp>
#include <xtensor/xtensor.hpp>

#include "../csv.hpp"
#include "../draw.hpp"

using namespace cotan;
namespace fs = std::filesystem;

// --- The model -------------------------------------------------------------------------------------------------------

inline constexpr auto X = tensor<double, "X", "n", "k">;
inline constexpr auto y = tensor<double, "y", "n">;
inline constexpr auto beta = tensor<double, "beta", "k">;

// Minus the log-likelihood, as a textbook writes it. It is log(1 + exp(eta)) that is computed without overflow.
inline constexpr auto eta = dot(X, beta);
inline constexpr auto loss = sum(log(c<1.0> + exp(eta)) - y * eta);

inline constexpr auto fit = function(inputs(X, y, beta), value_and_grad(loss, beta));
inline constexpr auto curvature = function(inputs(X, y, beta), hessian(loss, beta));

// --- The fit ---------------------------------------------------------------------------------------------------------

struct estimate {
    double intercept, slope;
    double var_intercept, var_slope, covariance;  // the inverse of the Hessian
    double deviance;
    int steps;
};

estimate newton(const xt::xtensor<double, 2>& design, const xt::xtensor<double, 1>& distress) {
    xt::xtensor<double, 1> b = {0.0, 0.0};
    for (int step = 1; step <= 50; ++step) {
        const auto [value, g] = fit(design, distress, b);
        const xt::xtensor<double, 2> h = curvature(design, distress, b);
        const double det = h(0, 0) * h(1, 1) - h(0, 1) * h(1, 0);
        const double v00 = h(1, 1) / det, v11 = h(0, 0) / det, v01 = -h(0, 1) / det;
        const double d0 = v00 * g(0) + v01 * g(1);
        const double d1 = v01 * g(0) + v11 * g(1);
        // g' H^-1 g estimates twice the distance of the loss from its minimum.
        if (std::isfinite(value) && g(0) * d0 + g(1) * d1 < 1e-16) return {b(0), b(1), v00, v11, v01, 2 * value, step};
        b(0) -= d0;
        b(1) -= d1;
    }
    throw std::runtime_error("Newton's method does not settle: are the two outcomes separated by temperature?");
}

void print(const estimate& e, std::size_t launches) {
    std::printf("O-ring distress against temperature (degrees F): logistic regression, %zu launches\n\n", launches);
    std::printf("%-12s %10s %10s %12s %10s\n", "", "estimate", "std.error", "published", "std.error");
    std::printf("%-12s %10.4f %10.4f %12.4f %10.4f\n", "intercept", e.intercept, std::sqrt(e.var_intercept), 15.0429,
                7.3786);
    std::printf("%-12s %10.4f %10.4f %12.4f %10.4f\n\n", "temperature", e.slope, std::sqrt(e.var_slope), -0.2322,
                0.1082);
    std::printf("residual deviance %.3f (published 20.315), Newton's method settled after %d steps\n", e.deviance,
                e.steps);
}

// --- The drawings ----------------------------------------------------------------------------------------------------

std::string gnuplot_script(const estimate& e, const std::vector<double>& temperature,
                           const std::vector<double>& distress) {
    // Launches at the same temperature with the same outcome are one point, with an area that tells how many they are.
    std::map<double, int> with, without;
    for (std::size_t i = 0; i < temperature.size(); ++i) ++(distress[i] > 0 ? with : without)[temperature[i]];

    std::string s;
    const auto block = [&](const char* name, const std::map<double, int>& launches, int outcome) {
        s += std::string("$") + name + " << END\n";
        for (const auto& [degrees, count] : launches)
            s += std::to_string(degrees) + " " + std::to_string(outcome) + " " + std::to_string(count) + "\n";
        s += "END\n";
    };
    block("with", with, 1);
    block("without", without, 0);
    s += "b0 = " + draw::number(e.intercept) + "; b1 = " + draw::number(e.slope) + "\n";
    s += "v00 = " + draw::number(e.var_intercept) + "; v11 = " + draw::number(e.var_slope) + "; v01 = " + draw::number(e.covariance) + "\n";
    s += R"(eta(t) = b0 + b1 * t
half(t) = 1.959964 * sqrt(v00 + 2 * t * v01 + t * t * v11)
p(x) = 1 / (1 + exp(-x))
set terminal svg enhanced size 860,600 font 'Helvetica,15' background rgb 'white'
set output 'challenger.svg'
set title "O-ring distress in the launches before the last of Challenger\n" . \
    "{/*0.8 a point's area tells how many launches it stands for}" font ',16'
set xlabel 'Temperature at launch (degrees Fahrenheit)' offset 0,0.4
set ylabel 'Probability of O-ring distress'
set xrange [30:85]
set yrange [-0.06:1.06]
set xtics 30, 5 nomirror
set ytics 0, 0.2 nomirror format '%.1f'
set border 3 linecolor rgb '#555555'
set grid ytics linecolor rgb '#dddddd' linetype 1
set key below center horizontal Left reverse samplen 2 width 1 height 0.6 maxrows 2 font ',13'
set samples 221
set label '31 degrees: forecast for the last launch' at 31.6, 0.06 front textcolor rgb '#555555' font ',13'
set arrow from 31, -0.06 to 31, 1.06 nohead front dashtype 2 linecolor rgb '#555555'
plot '+' using 1:(p(eta($1) - half($1))):(p(eta($1) + half($1))) with filledcurves \
         fillcolor rgb '#cfe1f2' title '95 % band, pointwise', \
     p(eta(x)) with lines linewidth 2.5 linecolor rgb '#1f5f9f' title 'fitted probability', \
     $with using 1:2:(0.7 * sqrt($3)) with points pointtype 7 pointsize variable linecolor rgb '#c03a2b' \
         title 'launch with distress', \
     $without using 1:2:(0.7 * sqrt($3)) with points pointtype 6 linewidth 2 pointsize variable \
         linecolor rgb '#333333' title 'launch without distress'
)";
    return s;
}

int main(int argc, char** argv) try {
    const fs::path folder = argc > 1 ? argv[1] : "challenger-out";
    const csv::table data = csv::read(argc > 2 ? argv[2] : CHALLENGER_DATA);
    const std::vector<double>& temperature = data["temperature"];
    const std::vector<double>& distress = data["distress"];

    const std::size_t n = temperature.size();
    xt::xtensor<double, 2> design(std::array<std::size_t, 2>{n, 2});
    xt::xtensor<double, 1> outcome(std::array<std::size_t, 1>{n});
    for (std::size_t i = 0; i < n; ++i) {
        design(i, 0) = 1.0;
        design(i, 1) = temperature[i];
        outcome(i) = distress[i];
    }
    const estimate e = newton(design, outcome);
    print(e, n);

    fs::create_directories(folder);
    draw::write(folder / "challenger.gp", gnuplot_script(e, temperature, distress));
    draw::write(folder / "graph.dot", show::graphviz(fit));
    draw::run(folder, "gnuplot", "challenger.gp", "challenger.svg", "gnuplot-nox");
    draw::run(folder, "dot", "-Tsvg graph.dot -o graph.svg", "graph.svg", "graphviz");
    return EXIT_SUCCESS;
} catch (const std::exception& error) {
    std::fprintf(stderr, "challenger: %s\n", error.what());
    return EXIT_FAILURE;
}
