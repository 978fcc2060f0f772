// Writes the examples' files, and runs the programs that make drawings of them.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace draw {

inline void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

// Runs `program arguments` in `folder`; says what is missing, and how to get it, where the program is not there.
inline void run(const std::filesystem::path& folder, const std::string& program, const std::string& arguments, const std::string& result,
                const std::string& package) {
    if (std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) != 0) {
        std::printf("not drawn: %s (needs %s, in the package %s)\n", result.c_str(), program.c_str(), package.c_str());
        return;
    }
    std::string quoted = "'";
    for (const char letter : folder.string()) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    quoted += "'";
    if (std::system(("cd " + quoted + " && " + program + " " + arguments).c_str()) != 0)
        throw std::runtime_error(program + " could not draw " + result);
    std::printf("wrote %s\n", (folder / result).string().c_str());
}

// A number with all of its digits.
inline std::string number(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", v);
    return text;
}

}  // namespace draw
