#pragma once

#include <functional>
#include <iostream>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace cotan {

/// An argument that had to be brought into another representation before a function could work on it.
struct conversion {
    std::string input;     // the name of the input
    std::string from, to;  // representations: "csc", "csr", ...
};

namespace bits {

struct conversion_log {
    std::mutex guard;
    std::set<std::tuple<std::string, std::string, std::string>> told;
    std::function<void(const conversion&)> handler = [](const conversion& c) {
        std::cerr << "cotan: input " << c.input << " is converted from " << c.from << " to " << c.to << " at each call; this is said once\n";
    };
    static conversion_log& get() {
        static conversion_log log;
        return log;
    }
    void note(conversion c) {
        const std::lock_guard lock(guard);
        if (told.emplace(c.input, c.from, c.to).second && handler) handler(c);
    }
};

}  // namespace bits

/// What is called, once for each input and pair of representations, when a call converts an argument. Without it a line goes to std::cerr; an empty
/// function keeps quiet.
inline void on_conversion(std::function<void(const conversion&)> handler) {
    auto& log = bits::conversion_log::get();
    const std::lock_guard lock(log.guard);
    log.handler = std::move(handler);
    log.told.clear();
}

}  // namespace cotan
