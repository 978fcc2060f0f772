#pragma once

#include <cotan/show/stages.hpp>

namespace cotan {

namespace bits::notation {

/// Its inputs, what is named, and its results, a line each.
inline std::string whole(const graph& g, view<int> roots) {
    std::string s;
    const vec<unsigned char> live = reachable(g, roots);
    for (int id = 0; id < live.size(); ++id)
        if (live[id] && g.is(id, input_info)) s += g.extents[g.param(id, 0)].name + (": " + type(g, g.type_of(id))) + "\n";
    if (!s.empty()) s += "\n";
    formulas f(g);
    const std::vector<std::string> results = f.write(roots);
    for (const std::string& line : f.lines) s += line + "\n";
    for (int i = 0; i < roots.size(); ++i)
        s += (roots.size() == 1 ? "result" : "result " + std::to_string(i + 1)) + ": " + type(g, g.type_of(roots[i])) + " = " + results[static_cast<std::size_t>(i)] + "\n";
    return s;
}

}  // namespace bits::notation

namespace show {

/// An expression, or a pack of them, as it was written: its inputs with their extents, then what it computes. What is used more than once has a name.
template <expression E>
std::string text(E) {
    const bits::written_graph w = bits::write_down(bits::type_list<node_of<E>>{});
    return bits::notation::whole(w.g, {w.roots.data(), w.roots.size()});
}
template <class... E>
std::string text(pack<E...>) {
    const bits::written_graph w = bits::write_down(typename bits::flat<pack<E...>>::type{});
    return bits::notation::whole(w.g, {w.roots.data(), w.roots.size()});
}

}  // namespace show
}  // namespace cotan
