#pragma once

#include <cstddef>
#include <string_view>

namespace cotan {

/// A string that can be a template argument: tensor<double, "x", "n">.
template <std::size_t N>
struct fixed_string {
    char chars[N]{};
    consteval fixed_string(const char (&text)[N]) {
        for (std::size_t i = 0; i < N; ++i) chars[i] = text[i];
    }
    constexpr std::string_view view() const { return {chars, N - 1}; }
    friend constexpr bool operator==(const fixed_string&, const fixed_string&) = default;
};

}  // namespace cotan
