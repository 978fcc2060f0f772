#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cotan::bits {

/// The states of a loop in reverse order with few of them kept. Revolve, A. Griewank and A. Walther, "Algorithm 799: revolve", ACM TOMS 26 (2000): with
/// s kept at a time, the first counted as one, l states cost r l - C(s + r, r - 1) steps again, r the smallest number for which C(s + r, s) >= l; no
/// schedule needs fewer.
template <int Slots>
class revolve {
public:
    static std::ptrdiff_t rooms(std::ptrdiff_t) { return Slots; }
    /// Calls load(slot), step(from) and store(slot) until the state before step f is the present one. f falls by one from call to call.
    template <class Load, class Step, class Store>
    void provide(std::ptrdiff_t f, const Load& load, const Step& step, const Store& store) {
        while (kept_ > 1 && position_[kept_ - 1] > f) --kept_;
        std::ptrdiff_t at = position_[kept_ - 1];
        load(static_cast<std::ptrdiff_t>(kept_ - 1));
        while (at < f) {
            const std::size_t free = static_cast<std::size_t>(Slots) - kept_ + 1;
            const std::ptrdiff_t to = free == 1 ? f : at + split(f + 1 - at, static_cast<std::ptrdiff_t>(free));
            for (; at < to; ++at) step(at);
            if (free > 1) {
                position_[kept_] = at;
                store(static_cast<std::ptrdiff_t>(kept_++));
            }
        }
    }
    /// The first state is in slot 0.
    template <class Load, class Step, class Store>
    void begin(std::ptrdiff_t, const Load&, const Step&, const Store&) {}

private:
    static std::ptrdiff_t choose(std::ptrdiff_t s, std::ptrdiff_t r) {
        if (s < 0 || r < 0) return 0;
        std::ptrdiff_t n = 1;
        for (std::ptrdiff_t i = 1; i <= s; ++i) {
            n = n * (r + i) / i;
            if (n > PTRDIFF_MAX / 1048576) return PTRDIFF_MAX / 1048576;
        }
        return n;
    }
    /// How far to go before the next state is kept, of l states with s kept at most.
    static std::ptrdiff_t split(std::ptrdiff_t l, std::ptrdiff_t s) {
        std::ptrdiff_t r = 0;
        while (choose(s, r) < l) ++r;
        std::ptrdiff_t m = l - choose(s - 1, r - 1);
        const std::ptrdiff_t low = choose(s, r - 2), high = choose(s, r - 1);
        m = m > high ? high : m;
        m = m < low ? low : m;
        return m < 1 ? 1 : m > l - 1 ? l - 1 : m;
    }
    std::array<std::ptrdiff_t, static_cast<std::size_t>(Slots)> position_{};
    std::size_t kept_ = 1;
};

/// Every k-th state is kept, and those of one block of k: each step is taken twice at most.
template <int K>
class in_blocks {
public:
    static std::ptrdiff_t rooms(std::ptrdiff_t n) { return n / K + 1 + K; }
    template <class Load, class Step, class Store>
    void begin(std::ptrdiff_t n, const Load& load, const Step& step, const Store& store) {
        block_ = -1;
        first_ = n / K + 1;
        load(std::ptrdiff_t{0});
        const std::ptrdiff_t last = n > 0 ? (n - 1) / K * K : 0;
        for (std::ptrdiff_t f = 0; f < last;) {
            step(f);
            if (++f % K == 0) store(f / K);
        }
    }
    template <class Load, class Step, class Store>
    void provide(std::ptrdiff_t f, const Load& load, const Step& step, const Store& store) {
        if (f / K != block_) {
            block_ = f / K;
            load(block_);
            store(first_);
            for (std::ptrdiff_t j = block_ * K; j < f; ++j) {
                step(j);
                store(first_ + j + 1 - block_ * K);
            }
        }
        load(first_ + f % K);
    }

private:
    std::ptrdiff_t block_ = -1, first_ = 0;
};

}  // namespace cotan::bits
