// Runs the variants of a row side by side: in one process, in many short repetitions in random order, so that what else
// the machine does hits all of them alike. Before anything is timed, all variants must agree on the value and on every
// element of the gradient. After the last repetition a table shows the minimum and the median of each, and what the
// row is about: the time of cotan as a multiple of the best hand-written loop and of the plain loop.
//
//     int main(int argc, char** argv) {
//         bench::rows rows(argc, argv);
//         const auto& x = rows.keep(bench::make(n, [u = bench::uniform()]() mutable { return u(); }));
//         rows.timed("softplus", n).variant("plain", bench::make(n),
//             [&](auto& gradient) { return plain(x.data(), n, gradient.data()); },
//             [](auto& gradient) { return bench::joined(gradient); });
//         return rows.run();
//     }
//
// All flags of Google Benchmark work; --benchmark_repetitions and --benchmark_min_time change how long it takes.
#pragma once
#include <benchmark/benchmark.h>
#include <xsimd/xsimd.hpp>
#include <xtensor/xtensor.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// Data that every variant reads in place. Aligned to a cache line: where an array begins must not decide a comparison.
template <std::size_t N>
using array = xt::xtensor<double, N, xt::layout_type::row_major, xsimd::aligned_allocator<double, 64>>;

inline array<1> make(std::size_t n) { return xt::zeros<double>({n}); }
inline array<2> make(std::size_t m, std::size_t n) { return xt::zeros<double>({m, n}); }
template <class Draw>
array<1> make(std::size_t n, Draw draw) {
    auto a = make(n);
    std::generate(a.begin(), a.end(), draw);
    return a;
}
template <class Draw>
array<2> make(std::size_t m, std::size_t n, Draw draw) {
    auto a = make(m, n);
    std::generate(a.begin(), a.end(), draw);
    return a;
}

// Values in (0, 1) that look random and are the same everywhere.
class uniform {
  public:
    double operator()() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (static_cast<double>(state_ >> 12) + 0.5) * 0x1p-52;
    }

  private:
    std::uint64_t state_ = 2024;
};
// Nearly normal values: sums of 12 uniform ones.
class gaussian {
  public:
    explicit gaussian(double scale = 1) : scale_(scale) {}
    double operator()() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += uniform_();
        return scale_ * sum;
    }

  private:
    double scale_;
    uniform uniform_;
};

// Numbers and arrays of any shape as one list.
inline void append(std::vector<double>& all, double x) { all.push_back(x); }
template <class A>
requires requires(const A& a) { a.begin(); }
void append(std::vector<double>& all, const A& a) {
    for (auto it = a.begin(); it != a.end(); ++it) all.push_back(*it);
}
template <class... A>
std::vector<double> joined(const A&... parts) {
    std::vector<double> all;
    (append(all, parts), ...);
    return all;
}

// What the compiler must really make, of any type: benchmark::DoNotOptimize wants to put it into a register.
template <class T>
void used(const T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

// The loops of a row with their labels. The plain one comes first: the others are checked against it.
template <class F>
std::array<std::pair<const char*, F*>, 3> loops(F* plain, F* fastmath, F* hand) {
    return {{{"plain", plain}, {"fastmath", fastmath}, {"hand", hand}}};
}

class row {
  public:
    row(std::string name, bool timed) : name_(std::move(name)), timed_(timed) {}

    // `state` is what the variant writes to: its output array, or a prepared run with the buffers that it owns.
    // compute(state) is what is timed; it returns the value and leaves the gradient in the state. gradients(state)
    // lists it. The loop is inside this template, so that a small function is not called through a pointer.
    template <class State, class Compute, class Gradients>
    void variant(const std::string& label, State state, Compute compute, Gradients gradients) {
        auto kept = std::make_shared<State>(std::move(state));
        std::vector<double> got{static_cast<double>(compute(*kept))};
        for (double g : gradients(*kept)) got.push_back(g);
        check(label, got);
        if (!timed_) return;
        benchmark::RegisterBenchmark((name_ + "/" + label).c_str(), [kept, compute](benchmark::State& loop) {
            for (auto _ : loop) {
                benchmark::DoNotOptimize(compute(*kept));
                benchmark::ClobberMemory();
            }
        })->Unit(benchmark::kNanosecond);
    }
    bool agrees() const { return agrees_; }
    const std::string& name() const { return name_; }

  private:
    // Relative to the element, or, where elements cancel, to the largest of the list.
    void check(const std::string& label, const std::vector<double>& got) {
        if (want_.empty()) {
            want_ = got;
            return;
        }
        if (got.size() != want_.size()) {
            std::printf("%s: %s has %zu results, not %zu\n", name_.c_str(), label.c_str(), got.size(), want_.size());
            agrees_ = false;
            return;
        }
        double largest = 0;
        for (std::size_t i = 1; i < want_.size(); ++i) largest = std::max(largest, std::fabs(want_[i]));
        for (std::size_t i = 0; i < want_.size(); ++i) {
            const double scale = i == 0 ? std::fabs(want_[i]) : std::max(std::fabs(want_[i]), 1e-3 * largest);
            if (!(std::fabs(got[i] - want_[i]) <= 1e-9 * scale)) {
                std::printf("%s: %s disagrees at result %zu: %.17g, not %.17g\n", name_.c_str(), label.c_str(), i,
                            got[i], want_[i]);
                agrees_ = false;
                return;
            }
        }
    }
    std::string name_;
    bool timed_, agrees_ = true;
    std::vector<double> want_;
};

// Keeps every repetition and prints one line a row.
class table : public benchmark::BenchmarkReporter {
  public:
    explicit table(std::vector<std::string> names) : names_(std::move(names)) {}  // the lines, in order
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
            const std::string full = run.run_name.function_name;
            const std::size_t slash = full.rfind('/');
            const std::string name = full.substr(0, slash), label = full.substr(slash + 1);
            times_[name][label].push_back(run.GetAdjustedRealTime());
        }
    }
    void Finalize() override {
        if (times_.empty()) return;
        std::printf("%-18s", "ns: min (median)");
        for (const char* label : labels) std::printf("%21s", label);
        std::printf("%12s%12s\n", "cotan/best", "cotan/plain");
        for (const std::string& name : names_) {
            if (!times_.contains(name)) continue;
            auto& times = times_[name];
            auto least = [&](const char* label) {
                const auto& t = times[label];
                return t.empty() ? std::nan("") : *std::min_element(t.begin(), t.end());
            };
            std::printf("%-18s", name.c_str());
            for (const char* label : labels) {
                auto t = times[label];
                if (t.empty()) {
                    std::printf("%21s", "-");
                    continue;
                }
                std::sort(t.begin(), t.end());
                char cell[64];
                std::snprintf(cell, sizeof cell, "%.*f (%.*f)", t.front() < 1000, t.front(), t.front() < 1000,
                              t[t.size() / 2]);
                std::printf("%21s", cell);
            }
            const double best = std::fmin(least("hand"), least("fastmath"));  // fmin passes over what is not there
            for (double ratio : {least("cotan") / best, least("cotan") / least("plain")})
                std::isnan(ratio) ? std::printf("%12s", "-") : std::printf("%12.2f", ratio);
            std::printf("\n");
        }
        std::fflush(stdout);
    }

  private:
    static constexpr std::initializer_list<const char*> labels{"cotan", "hand", "fastmath", "plain"};
    std::vector<std::string> names_;
    std::map<std::string, std::map<std::string, std::vector<double>>> times_;
};

class rows {
  public:
    // What the user asks for comes last and wins.
    rows(int argc, char** argv)
        : flags_{argv[0], "--benchmark_enable_random_interleaving=true", "--benchmark_repetitions=40",
                 "--benchmark_min_time=0.005"} {
        flags_.insert(flags_.end(), argv + 1, argv + argc);
        std::vector<char*> pointers;
        for (std::string& flag : flags_) pointers.push_back(flag.data());
        int count = static_cast<int>(pointers.size());
        pointers.push_back(nullptr);
        benchmark::Initialize(&count, pointers.data());
        bad_flags_ = benchmark::ReportUnrecognizedArguments(count, pointers.data());
    }
    row& timed(const std::string& name, std::size_t n) { return add(name + "/" + std::to_string(n), true); }
    row& timed(const std::string& name) { return add(name, true); }
    // A size that is only checked: one that leaves something over, to reach the ends of the loops.
    row& checked(const std::string& name, std::size_t n) { return add(name + "/" + std::to_string(n), false); }

    // Data that lives as long as the benchmarks.
    template <class A>
    const A& keep(A data) {
        auto kept = std::make_shared<A>(std::move(data));
        kept_.push_back(kept);
        return *kept;
    }

    int run() {
        if (bad_flags_) return 1;
        std::vector<std::string> names;
        for (const row& r : rows_) {
            if (!r.agrees()) return 1;
            names.push_back(r.name());
        }
        table report(std::move(names));
        benchmark::RunSpecifiedBenchmarks(&report);
        benchmark::Shutdown();
        return 0;
    }

  private:
    row& add(std::string name, bool timed) { return rows_.emplace_back(std::move(name), timed); }

    std::vector<std::string> flags_;
    std::deque<row> rows_;  // a deque: references to its elements stay valid
    std::vector<std::shared_ptr<const void>> kept_;
    bool bad_flags_ = false;
};

}  // namespace bench
