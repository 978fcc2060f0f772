// Fits a model that is read from a file: this program knows neither its operations nor its parameters, only that inputs without data are parameters and
// that the result "loss" is to be small.
#include <cotan/dyn.hpp>
#include <cotan/dyn/json.hpp>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xtensor.hpp>

int main(int argc, char** argv) {
    namespace dyn = cotan::dyn;
    const std::string path = argc > 1 ? argv[1] : MODEL_FILE;
    try {
        const dyn::model model = dyn::load(path);
        // Galileo's inclined plane: heights and distances (S. Drake, Galileo at Work, 1978)
        const xt::xtensor<double, 1> height = {100, 200, 300, 450, 600, 800, 1000}, distance = {253, 337, 395, 451, 495, 534, 573};
        const std::map<std::string, const xt::xtensor<double, 1>*> data = {{"height", &height}, {"distance", &distance}};

        std::vector<dyn::expr> parameters;
        std::vector<std::string> names;
        for (const dyn::expr& input : model.inputs) {
            const std::string name = dyn::name_of_input(input);
            if (data.count(name)) continue;
            parameters.push_back(input);
            names.push_back(name);
        }
        const dyn::expr& loss = model["loss"];
        const std::size_t k = parameters.size();
        std::vector<dyn::expr> wanted = dyn::value_and_grad(loss, parameters);
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < k; ++j) wanted.push_back(dyn::grad(dyn::grad(loss, parameters[i]), parameters[j]));
        auto run = dyn::function(model.inputs, wanted).prepare();

        // Newton's method on the scalar parameters, by elimination
        std::vector<double> p(k, 0.0);
        for (int iteration = 0; iteration < 20; ++iteration) {
            std::vector<dyn::argument> arguments;
            std::size_t next = 0;
            for (const dyn::expr& input : model.inputs) {
                const auto known = data.find(dyn::name_of_input(input));
                if (known != data.end()) arguments.emplace_back(*known->second);
                else arguments.emplace_back(p[next++]);
            }
            const dyn::results& r = run(std::span<const dyn::argument>(arguments));
            std::vector<double> rows(k * (k + 1));
            const auto a = [&](std::size_t i, std::size_t j) -> double& { return rows[i * (k + 1) + j]; };
            for (std::size_t i = 0; i < k; ++i) {
                a(i, k) = -r[1 + i].scalar<double>();
                for (std::size_t j = 0; j < k; ++j) a(i, j) = r[1 + k + i * k + j].scalar<double>();
            }
            for (std::size_t c = 0; c < k; ++c)
                for (std::size_t i = 0; i < k; ++i)
                    if (i != c) {
                        const double f = a(i, c) / a(c, c);
                        for (std::size_t j = c; j <= k; ++j) a(i, j) -= f * a(c, j);
                    }
            double largest = 0;
            for (std::size_t i = 0; i < k; ++i) {
                const double change = a(i, k) / a(i, i);
                p[i] += change;
                largest = std::max(largest, std::fabs(change) / (1 + std::fabs(p[i])));
            }
            std::printf("%2d  loss %.6f\n", iteration, r[0].scalar<double>());
            if (largest < 1e-10) break;
        }
        for (std::size_t i = 0; i < k; ++i) std::printf("%s = %.6f\n", names[i].c_str(), p[i]);
    } catch (const cotan::error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
