#pragma once

#include <cotan/show/stages.hpp>

namespace cotan {

namespace bits::notation {

/// Text as it stands in an HTML-like label.
inline std::string html(std::string_view text) {
    std::string s;
    for (char ch : text) {
        if (ch == '&') s += "&amp;";
        else if (ch == '<') s += "&lt;";
        else if (ch == '>') s += "&gt;";
        else if (ch == '"') s += "&quot;";
        else s += ch;
    }
    return s;
}

/// Writes a graph in Graphviz's language. Numbers, sizes and minus signs stand in the labels of what uses them.
struct drawing {
    const graph& g;
    view<int> roots;
    std::vector<int> uses;
    std::vector<unsigned char> sign_moved;  // -1 * x * ...: its users show the minus
    std::string out;

    drawing(const graph& graph_, view<int> roots_) : g(graph_), roots(roots_), uses(uses_of(graph_, roots_)), sign_moved(uses.size(), 0) {
        for (int id = 0; id < size(); ++id) {
            if (!used(id) || !negated(id)) continue;
            bool all = true;
            for (int r : roots) all = all && r != id;
            for (int u = id + 1; u < size(); ++u)
                if (used(u))
                    for (int x : g.args(u)) all = all && (x != id || g.op(u).name == "add");
            sign_moved[static_cast<std::size_t>(id)] = all;
        }
    }
    int size() const { return static_cast<int>(uses.size()); }
    bool used(int id) const { return uses[static_cast<std::size_t>(id)] > 0; }
    bool moved(int id) const { return sign_moved[static_cast<std::size_t>(id)] != 0; }
    bool negated(int id) const {
        return g.op(id).name == "mul" && g.nodes[id].nargs > 1 && g.is(g.arg(id, 0), literal_info) && real_value(g, g.arg(id, 0)) == -1;
    }
    bool folded(int id) const { return g.is(id, literal_info) || g.op(id).name == "extent"; }
    /// -1 * x whose sign is shown by its users is no node of its own.
    int shown(int id) const { return moved(id) && g.nodes[id].nargs == 2 ? g.arg(id, 1) : id; }
    std::string name(int id) const { return "n" + std::to_string(shown(id)); }

    struct label_data {
        std::string text;
        std::vector<std::string> ends;  // what its incoming edges are called; none where their order does not matter
    };
    label_data label(int id) const {
        const op_info& op = g.op(id);
        const std::string_view op_name = op.name;
        const int n = g.nodes[id].nargs;
        if (op_name == "pullback" && notation::derivative(g, id).starts_with("gradient")) return {"grad", {"of", "by", ""}};
        if (op_name == "pullback") return {"pullback", {"of", "by", "cotangent"}};
        if (op_name == "jacobian") return {"jacobian", {"of", "by"}};
        if (op_name == "pushforward") {
            label_data d{"pushforward", {"of"}};
            for (int i = 1; i < n; ++i) d.ends.push_back(i <= n / 2 ? "by" : "along");
            return d;
        }
        const int first = op_name == "mul" && moved(id) ? 1 : 0;
        int edges = 0;
        bool plain = true, minus = false;
        for (int i = first; i < n; ++i) {
            edges += !folded(g.arg(id, i));
            plain = plain && !folded(g.arg(id, i));
            minus = minus || moved(g.arg(id, i));
        }
        const bool symmetric = (op.commutative || op_name == "and" || op_name == "or" || op_name == "equal" || op_name == "not_equal") && !minus;
        if (plain && symmetric && op_name == "add") return {"+", {}};
        if (plain && symmetric && op_name == "mul") return {"\u00d7", {}};
        if (folds_axes(op, g.params(id))) {
            const type_data& t = g.type_of(g.arg(id, 0));
            std::string over;
            for (int k = 0; k < t.rank; ++k)
                if (g.param(id, 0) >> k & 1) over += (over.empty() ? " over " : ", ") + extent(g, t.ext[k]);
            return {std::string(op_name) + over, {}};
        }
        if (plain && n == 1 && (op.cls == op_class::view ? op_name == "transpose" : g.nodes[id].nparams == 0) && op_name != "neg" && op_name != "reciprocal")
            return {op_name == "cast" ? "cast to " + std::string(name_of(settled(g.dtype_of(id)))) : std::string(op_name), {}};
        if (op_name == "broadcast") return {"broadcast", {}};
        if (op_name == "neg" || (negated(id) && edges == 1 && n == 2)) return {"negate", {}};
        if (op_name == "index") return {"[" + items(g.params(id)) + "]", {}};
        label_data d{"", std::vector<std::string>(static_cast<std::size_t>(n))};
        std::vector<piece> a(static_cast<std::size_t>(n));
        char letter = 'a';
        for (const bool subtracted : {false, true})  // letters in the order in which they are read
            for (int i = 0; i < n; ++i) {
                const int x = g.arg(id, i);
                if (moved(x) != subtracted) continue;
                piece& p = a[static_cast<std::size_t>(i)];
                p = folded(x) ? apply(g, x, {}) : piece{"\u00b7"};
                if (!folded(x) && edges > 1 && !symmetric) d.ends[static_cast<std::size_t>(i)] = p.text = std::string(1, letter++);
                p.negative = p.negative || subtracted;
            }
        if (first) a[0] = piece{"1"};
        piece whole = apply(g, id, a);
        if (first) {  // without the sign
            std::vector<piece> rest(a.begin() + 1, a.end());
            whole.text = "";
            for (const piece& p : rest) whole.text += (whole.text.empty() ? "" : " * ") + p.str();
        }
        d.text = whole.str();
        for (std::size_t at; (at = d.text.find(" * ")) != std::string::npos;) d.text.replace(at, 3, " \u00d7 ");
        for (std::size_t at; (at = d.text.find(" - ")) != std::string::npos;) d.text.replace(at, 3, " \u2212 ");
        if (first && plain && symmetric) return {"\u00d7", {}};
        return d;
    }

    static std::string small(const std::string& text) { return "<br/><font point-size=\"9\" color=\"#6b7280\">" + html(text) + "</font>"; }
    void node(const std::string& id, const std::string& text, const std::string& type, const char* style) {
        out += "    " + id + " [label=<" + html(text) + (type.empty() ? "" : small(type)) + ">, " + style + "];\n";
    }
    static const char* style_of(op_class c) {
        switch (c) {
            case op_class::reduction:
            case op_class::running: return "fillcolor=\"#fdebd3\", color=\"#d08a3c\"";
            case op_class::view: return "fillcolor=\"#ffffff\", color=\"#9aa1ab\", style=\"filled,rounded,dashed\"";
            case op_class::derivative: return "fillcolor=\"#eee6f8\", color=\"#8a6bbd\"";
            case op_class::composite: return "fillcolor=\"#fdf3e3\", color=\"#d0a25c\"";
            default: return "fillcolor=\"#f5f6f8\", color=\"#b4bac3\"";
        }
    }

    std::string draw(const std::vector<std::string>& results, const std::string& caption) {
        out = "digraph cotan {\n"
              "    graph [rankdir=TB, bgcolor=\"white\", nodesep=0.35, ranksep=0.38, pad=0.2, fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, fontcolor=\"#4b5563\"";
        if (!caption.empty()) out += ", labelloc=b, label=\"" + caption + "\"";
        out += "];\n"
               "    node [shape=box, style=\"filled,rounded\", penwidth=1.1, margin=\"0.14,0.06\", height=0.3, fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, "
               "fontcolor=\"#1f2937\"];\n"
               "    edge [color=\"#8b93a0\", arrowsize=0.6, fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, fontcolor=\"#6b7280\"];\n\n";
        std::string sources, sinks;
        for (int id = 0; id < size(); ++id) {
            if (!used(id) || shown(id) != id) continue;
            if (g.is(id, input_info)) {
                node(name(id), g.extents[g.param(id, 0)].name, type(g, g.type_of(id)), "shape=ellipse, style=filled, fillcolor=\"#dceafb\", color=\"#4a86c5\"");
                sources += name(id) + "; ";
                continue;
            }
            bool alone = folded(id);
            for (int r : roots) alone = alone && r != id;
            if (alone) continue;
            const label_data l = folded(id) ? label_data{apply(g, id, {}).str(), {}} : label(id);
            node(name(id), l.text, g.rank(id) ? type(g, g.type_of(id)) : std::string(), style_of(g.op(id).cls));
            for (int i = 0; i < g.nodes[id].nargs; ++i) {
                const int x = g.arg(id, i);
                if (folded(x)) continue;
                out += "    " + name(x) + " -> " + name(id);
                if (static_cast<std::size_t>(i) < l.ends.size() && !l.ends[static_cast<std::size_t>(i)].empty()) out += " [label=\" " + l.ends[static_cast<std::size_t>(i)] + "\"]";
                out += ";\n";
            }
        }
        for (int i = 0; i < roots.size(); ++i) {
            const std::string id = "out" + std::to_string(i + 1), what = results.empty() ? "" : results[static_cast<std::size_t>(i)];
            const std::string title = roots.size() == 1 ? "output" : "output " + std::to_string(i + 1);
            node(id, what.empty() ? title : title + ": " + what, type(g, g.type_of(roots[i])), "fillcolor=\"#dcf2e0\", color=\"#46975a\", penwidth=1.8");
            out += "    " + name(roots[i]) + " -> " + id + ";\n";
            sinks += id + "; ";
        }
        if (!sources.empty()) out += "\n    { rank=source; " + sources + "}\n";
        if (roots.size() > 1) out += "    { rank=sink; " + sinks + "}\n";
        return out + "}\n";
    }
};

inline std::string draw(const looked_at& f) {
    std::vector<std::string> results;
    for (int root : f.s.asked) results.push_back(derivative(f.s.source, root));
    return drawing(f.s.simple, {f.s.simplified.data(), f.s.simplified.size()}).draw(results, "runs as " + counted(f.p.p.kernels, "kernel"));
}
inline std::string draw(const written_graph& w) {
    std::vector<std::string> results;
    for (int root : w.roots) results.push_back(derivative(w.g, root));
    return drawing(w.g, {w.roots.data(), w.roots.size()}).draw(results, "");
}

}  // namespace bits::notation

namespace show {

/// A function as compiled, for Graphviz (`dot -Tsvg`): rewritten and differentiated, before its operations are expanded into loops.
template <class L, bool Deferred>
std::string graphviz(compiled_function<bits::function_type<L, Deferred>>) {
    return bits::notation::draw(bits::looked_at(typename bits::signature_of<L>::inputs{}, typename bits::signature_of<L>::outputs{}));
}
/// An expression, or a pack of them, as it was written.
template <expression E>
std::string graphviz(E) {
    return bits::notation::draw(bits::write_down(bits::type_list<node_of<E>>{}));
}
template <class... E>
std::string graphviz(pack<E...>) {
    return bits::notation::draw(bits::write_down(typename bits::flat<pack<E...>>::type{}));
}

}  // namespace show
}  // namespace cotan
