#pragma once

#include <catch2/catch.hpp>
#include <cotan/cotan.hpp>
#include <cotan/show.hpp>

#include <string>

namespace model {

inline constexpr auto X = cotan::tensor<double, "X", "n", "k">;
inline constexpr auto x = cotan::tensor<double, "x", "n">;
inline constexpr auto y = cotan::tensor<double, "y", "n">;
inline constexpr auto beta = cotan::tensor<double, "beta", "k">;
inline constexpr auto s = cotan::scalar<float, "s">;
inline constexpr auto loss = cotan::sum(cotan::log(cotan::c<1.0> + cotan::exp(x)));

inline bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }
inline int times(const std::string& text, const std::string& what) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
    return n;
}
#define CHECK_HAS(text, what)   \
    do {                        \
        INFO("in:\n" << (text)); \
        CHECK(model::has(text, what)); \
    } while (false)

}  // namespace model
