// Reads a table of numbers: a header line with the columns' names, then rows of numbers with commas between them.
// Empty lines and lines that start with # are skipped. Whatever else does not fit is an error that names file and line.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace csv {

struct table {
    std::string path;
    std::vector<std::string> names;
    std::vector<std::vector<double>> columns;

    const std::vector<double>& operator[](std::string_view name) const {
        const auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end()) throw std::runtime_error(path + ": no column '" + std::string(name) + "'");
        return columns[static_cast<std::size_t>(at - names.begin())];
    }
};

inline std::vector<std::string_view> fields(std::string_view line) {
    constexpr std::string_view blank = " \t\r";
    std::vector<std::string_view> out;
    for (bool more = true; more;) {
        const auto comma = line.find(',');
        more = comma != line.npos;
        std::string_view field = line.substr(0, comma);
        field.remove_prefix(std::min(field.find_first_not_of(blank), field.size()));
        field = field.substr(0, field.find_last_not_of(blank) + 1);
        out.push_back(field);
        if (more) line.remove_prefix(comma + 1);
    }
    return out;
}

inline table read(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");

    table t{path, {}, {}};
    std::size_t number = 0;
    const auto refuse = [&](const std::string& why) {
        throw std::runtime_error(path + ":" + std::to_string(number) + ": " + why);
    };
    for (std::string line; std::getline(file, line);) {
        ++number;
        const auto row = fields(line);
        if (row.front().starts_with('#') || (row.size() == 1 && row.front().empty())) continue;
        if (t.names.empty()) {
            t.names.assign(row.begin(), row.end());
            t.columns.resize(row.size());
            continue;
        }
        if (row.size() != t.names.size())
            refuse(std::to_string(t.names.size()) + " fields expected, got " + std::to_string(row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            double value = 0;
            const char* const end = row[i].data() + row[i].size();
            const auto [stop, error] = std::from_chars(row[i].data(), end, value);
            if (error != std::errc{} || stop != end)
                refuse("column '" + t.names[i] + "': '" + std::string(row[i]) + "' is not a number");
            t.columns[i].push_back(value);
        }
    }
    if (t.names.empty() || t.columns.front().empty()) throw std::runtime_error(path + ": holds no rows");
    return t;
}

}  // namespace csv
