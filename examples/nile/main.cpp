// How did the level of the Nile change? The local level model of its yearly flow at Aswan, 1871 to 1970 (the first example of Durbin and Koopman, Time
// Series Analysis by State Space Methods): what is measured is a level and an error, and the level is a random walk. Its two variances are fitted by maximum
// likelihood: a Kalman filter, written as a scan, and its gradient, given to L-BFGS.
//
//     nile [output folder] [data file]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <cotan/adapt/nlopt.hpp>
#include <xtensor/xadapt.hpp>

#include "../csv.hpp"
#include "../draw.hpp"
#include "model.hpp"

namespace fs = std::filesystem;

// --- The fit ---------------------------------------------------------------------------------------------------------

struct estimate {
    double eps, eta;                // variances: of the error of a measurement, and of the level's step in a year
    double error_eps, error_eta;    // their standard errors
    double log_likelihood;
    int evaluations;
};

estimate maximum_likelihood(const std::vector<double>& flow_data, const xt::xtensor<double, 1>& start) {
    auto run = fit.prepare();
    const auto objective = [&](const xt::xtensor<double, 1>& v) { return run(flow_data, v); };
    const auto progress = [](int evaluation, const auto& v, double value, const auto&) {
        std::fprintf(stderr, "\rfitting: evaluation %3d, log-likelihood %.6f, variances %.1f and %.1f   ", evaluation, -value, std::exp(v(0)), std::exp(v(1)));
    };
    const adapt::nlopt_result r = adapt::minimise(objective, start, {}, progress);
    std::fprintf(stderr, "\n");

    // The inverse of the Hessian is the covariance of the estimated logarithms; the error of exp(v) is exp(v) times that of v.
    const xt::xtensor<double, 2> h = curvature(flow_data, r.argument);
    const double det = h(0, 0) * h(1, 1) - h(0, 1) * h(1, 0);
    if (!r.settled || !(det > 0) || !(h(0, 0) > 0)) throw std::runtime_error("the likelihood has no maximum that L-BFGS finds: " + r.stopped);
    const double eps = std::exp(r.argument(0)), eta = std::exp(r.argument(1));
    return {eps, eta, eps * std::sqrt(h(1, 1) / det), eta * std::sqrt(h(0, 0) / det), -r.value, r.evaluations};
}

void print(const estimate& e, std::size_t years) {
    std::printf("The Nile's flow at Aswan: local level model, %zu years\n\n", years);
    std::printf("%-22s %10s %10s %12s\n", "", "estimate", "std.error", "published");
    std::printf("%-22s %10.1f %10.1f %12.1f\n", "variance of the error", e.eps, e.error_eps, 15099.0);
    std::printf("%-22s %10.1f %10.1f %12.1f\n", "variance of the step", e.eta, e.error_eta, 1469.1);
    std::printf("%-22s %10.3f %10s %12.2f\n\n", "log-likelihood", e.log_likelihood, "", -632.54);
    std::printf("L-BFGS settled after %d evaluations of the likelihood and its gradient\n", e.evaluations);
}

// --- The drawing -----------------------------------------------------------------------------------------------------

std::string gnuplot_script(const std::vector<double>& year, const std::vector<double>& flow_data, const std::vector<double>& level,
                           const std::vector<double>& variance) {
    std::string s = "$nile << END\n";
    for (std::size_t t = 0; t < year.size(); ++t)
        s += draw::number(year[t]) + " " + draw::number(flow_data[t]) + " " + draw::number(level[t]) + " " + draw::number(1.644854 * std::sqrt(variance[t])) + "\n";
    s += R"(END
set terminal svg enhanced size 860,560 font 'Helvetica,15' background rgb 'white'
set output 'nile.svg'
set title 'The flow of the Nile at Aswan, and its level' font ',16'
set xlabel 'Year' offset 0,0.4
set ylabel 'Flow in a year (10^8 m^3)'
set xrange [1868:1973]
set yrange [400:1450]
set xtics 1870, 10 nomirror
set ytics 400, 200 nomirror
set border 3 linecolor rgb '#555555'
set grid ytics linecolor rgb '#dddddd' linetype 1
set key below center horizontal Left reverse samplen 2 width 1 height 0.6 maxrows 1 font ',13'
set label 'the old dam is built: 1899-1902' at 1903, 1350 front textcolor rgb '#555555' font ',13'
set arrow from 1899, 400 to 1899, 1450 nohead front dashtype 2 linecolor rgb '#555555'
set arrow from 1902, 400 to 1902, 1450 nohead front dashtype 2 linecolor rgb '#555555'
plot $nile using 1:($3 - $4):($3 + $4) with filledcurves fillcolor rgb '#cfe1f2' title '90 % band of the level', \
     $nile using 1:2 with linespoints pointtype 7 pointsize 0.45 linewidth 0.8 linecolor rgb '#999999' title 'measured flow', \
     $nile using 1:3 with lines linewidth 2.5 linecolor rgb '#1f5f9f' title 'smoothed level'
)";
    return s;
}

int main(int argc, char** argv) try {
    const fs::path folder = argc > 1 ? argv[1] : "nile-out";
    const csv::table data = csv::read(argc > 2 ? argv[2] : NILE_DATA);
    const std::vector<double>& year = data["year"];
    const std::vector<double>& flow_data = data["flow"];
    if (year.size() < 3) throw std::runtime_error(data.path + ": holds less than three years");

    // The fit starts where error and step share the variance of the flow.
    double mean = 0, spread = 0;
    for (const double v : flow_data) mean += v / static_cast<double>(flow_data.size());
    for (const double v : flow_data) spread += (v - mean) * (v - mean) / static_cast<double>(flow_data.size());
    const estimate e = maximum_likelihood(flow_data, {std::log(spread / 2), std::log(spread / 2)});
    print(e, year.size());

    const auto [level, variance, first_level, first_variance] = smooth(flow_data, xt::xtensor<double, 1>{std::log(e.eps), std::log(e.eta)});
    std::vector<double> levels = {first_level}, variances = {first_variance};
    levels.insert(levels.end(), level.begin(), level.end());
    variances.insert(variances.end(), variance.begin(), variance.end());
    std::printf("the smoothed level: %.1f in %.0f, %.1f in %.0f\n\n", levels.front(), year.front(), levels.back(), year.back());

    fs::create_directories(folder);
    draw::write(folder / "nile.gp", gnuplot_script(year, flow_data, levels, variances));
    draw::run(folder, "gnuplot", "nile.gp", "nile.svg", "gnuplot-nox");
    return EXIT_SUCCESS;
} catch (const std::exception& error) {
    std::fprintf(stderr, "nile: %s\n", error.what());
    return EXIT_FAILURE;
}
