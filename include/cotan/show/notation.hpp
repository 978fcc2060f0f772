#pragma once

#include <cotan/diff/grad.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

// How numbers, types, operations and whole graphs are written for people. Nothing here is a template: it works on graphs as values.
namespace cotan::bits::notation {

/// The shortest decimal that reads back as the same double.
inline std::string number(double v) {
    char text[40];
    const auto r = std::to_chars(text, text + sizeof text, v);
    return {text, r.ptr};
}

inline std::string extent(const graph& g, int e) {
    const extent_data& x = g.extents[e];
    if (x.kind == extent_kind::fixed) return std::to_string(x.value);
    if (x.kind == extent_kind::named) return x.name;
    if (x.kind == extent_kind::ragged) return std::string("stored in a row of ") + x.name;
    if (x.kind == extent_kind::product) {
        const auto factor = [&](int of) {
            const bool sum = g.extents[of].kind == extent_kind::linear && g.extents[of].div == 1;
            return sum ? "(" + extent(g, of) + ")" : extent(g, of);
        };
        return factor(x.a) + " * " + factor(x.b);
    }
    std::string s = extent(g, x.a);
    if (x.value) s += (x.value < 0 ? " - " : " + ") + std::to_string(x.value < 0 ? -x.value : x.value);
    if (x.div == 1) return s;
    return "ceil(" + (x.value ? "(" + s + ")" : s) + " / " + std::to_string(x.div) + ")";
}

inline std::string extents(const graph& g, const type_data& t) {
    std::string s;
    for (int k = 0; k < t.rank; ++k) s += (k ? ", " : "") + extent(g, t.ext[k]);
    return s;
}

/// double[n, k]
inline std::string type(const graph& g, const type_data& t) {
    const std::string name = name_of(settled(t.dt));
    return t.rank ? name + "[" + extents(g, t) + "]" : name;
}

/// The items of an index in Python's notation.
inline std::string items(view<int> p) {
    std::string s;
    const auto bound = [](int v) { return v == slice_none || v == slice_end ? std::string() : std::to_string(v); };
    for (int i = 0; i < p.size(); i += item_size) {
        if (i) s += ", ";
        switch (static_cast<item>(p[i])) {
            case item::integer: s += std::to_string(p[i + 1]); break;
            case item::newaxis: s += "newaxis"; break;
            case item::all: s += ":"; break;
            case item::slice: s += bound(p[i + 1]) + ":" + bound(p[i + 2]) + (p[i + 3] == 1 ? "" : ":" + std::to_string(p[i + 3]));
        }
    }
    return s;
}

/// A written expression: how tightly it binds, and whether a minus stands before it (which the text leaves out).
struct piece {
    enum level_t { logic, comparison, sum, product, atom };
    std::string text;
    int level = atom;
    bool negative = false;

    std::string at(int least) const {
        const int own = negative ? product : level;
        const std::string s = negative ? "-" + (level < product ? "(" + text + ")" : text) : text;
        return own < least || (negative && least == product) ? "(" + s + ")" : s;
    }
    std::string str() const { return at(logic); }
};

inline piece literal(const graph& g, int id) {
    const dtype d = g.dtype_of(id);
    if (d == dtype::boolean) return {real_value(g, id) != 0 ? "true" : "false"};
    const double v = real_value(g, id);
    if (v < 0) return {number(-v), piece::atom, true};
    return {number(v)};
}

/// Whether an operation folds the axes of a mask, its one parameter.
inline bool folds_axes(const op_info& op, view<int> params) {
    return op.cls == op_class::reduction || (op.cls == op_class::composite && op.arity == 1 && params.size() == 1);
}

inline std::string list_of(const std::vector<std::string>& v, const char* between = ", ") {
    std::string s;
    for (std::size_t i = 0; i < v.size(); ++i) s += (i ? between : "") + v[i];
    return s;
}

/// An operation as it is written: of a graph's node, whose operands are written already.
inline piece apply(const graph& g, int id, const std::vector<piece>& a) {
    const op_info& op = g.op(id);
    const view<int> p = g.params(id);
    const std::string_view name = op.name;
    if (name == "input") return {g.extents[p[0]].name};
    if (&op == &literal_info) return literal(g, id);
    const auto infix = [&](const char* between, int level) {
        std::string s;
        for (std::size_t i = 0; i < a.size(); ++i) s += (i ? between : "") + a[i].at(level + 1);
        return piece{s, level};
    };
    if (name == "add" || name == "sub") {
        std::vector<piece> terms = a;
        if (name == "sub") {
            terms[1] = terms[1].negative || terms[1].level <= piece::sum ? piece{"(" + terms[1].str() + ")"} : terms[1];
            terms[1].negative = true;
        } else {  // what is added before what is subtracted
            terms.clear();
            for (const bool minus : {false, true})
                for (const piece& t : a)
                    if (t.negative == minus) terms.push_back(t);
        }
        std::string s;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (i == 0) s = terms[i].at(piece::sum);
            else s += (terms[i].negative ? " - " : " + ") + piece{terms[i].text, terms[i].level}.at(terms[i].negative ? piece::product : piece::sum);
        }
        return {s, piece::sum};
    }
    if (name == "mul") {
        std::string s;
        bool negative = false;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (i == 0 && a[i].negative) {
                negative = true;
                if (a[i].text != "1") s = piece{a[i].text, a[i].level}.at(piece::product);
            } else s += (s.empty() ? "" : " * ") + a[i].at(piece::product);
        }
        const bool alone = negative && a.size() == 2 && a[0].text == "1";
        return {alone && !a[1].negative ? a[1].text : s, alone ? (a[1].negative ? piece::atom : a[1].level) : piece::product, negative};
    }
    if (name == "neg") return a[0].negative ? piece{"(" + a[0].str() + ")", piece::atom, true} : piece{a[0].text, a[0].level, true};
    if (name == "div") return {piece{a[0].text, a[0].level}.at(piece::product) + " / " + a[1].at(piece::atom), piece::product, a[0].negative};
    if (name == "reciprocal") return {"1 / " + a[0].at(piece::atom), piece::product};
    if (name == "fma") return {a[0].at(piece::product) + " * " + a[1].at(piece::product) + " + " + a[2].at(piece::sum), piece::sum};
    if (name == "fms") return {a[0].at(piece::product) + " * " + a[1].at(piece::product) + " - " + a[2].at(piece::product), piece::sum};
    if (name == "fnma") return {a[2].at(piece::sum) + " - " + a[0].at(piece::product) + " * " + a[1].at(piece::product), piece::sum};
    if (name == "less") return infix(" < ", piece::comparison);
    if (name == "less_equal") return infix(" <= ", piece::comparison);
    if (name == "equal") return infix(" == ", piece::comparison);
    if (name == "not_equal") return infix(" != ", piece::comparison);
    if (name == "and") return infix(" && ", piece::logic);
    if (name == "or") return infix(" || ", piece::logic);
    if (name == "not") return {"!" + a[0].at(piece::atom)};
    if (name == "index") return {a[0].at(piece::atom) + "[" + items(p) + "]"};
    if (name == "extent" || name == "iota") return {name == "iota" ? "iota(" + extent(g, p[0]) + ")" : extent(g, p[0])};

    std::vector<std::string> args;
    for (const piece& x : a) args.push_back(x.str());
    std::string called(name);
    const type_data& t = g.type_of(id);
    if (name == "cast") called += "<" + std::string(name_of(settled(t.dt))) + ">";
    else if (name == "broadcast") called = "broadcast_to<" + extents(g, t) + ">";
    else if (name == "reshape") called += "<" + extents(g, t) + ">";
    else if (name == "scatter") {
        args.push_back("[" + items(p) + "]");
        args.push_back(type(g, t));
    } else if (folds_axes(op, p)) {
        const int rank = g.rank(g.arg(id, 0));
        std::vector<std::string> axes;
        for (int k = 0; k < rank; ++k)
            if (p[0] >> k & 1) axes.push_back(std::to_string(k));
        if (static_cast<int>(axes.size()) != rank) args.push_back("axis<" + list_of(axes) + ">");
    } else if (op.cls == op_class::running && p.size() == 3) {
        if (t.rank > 1) args.push_back("axis<" + std::to_string(p[0]) + ">");
        if (p[1]) args.push_back("reverse");
        if (p[2]) args.push_back("exclusive");
    } else if (name == "pullback") {
        if (g.is(g.arg(id, 2), literal_info) && real_value(g, g.arg(id, 2)) == 1 && g.rank(g.arg(id, 0)) == 0) {
            called = "grad";
            args.pop_back();
        }
    } else if (name == "pushforward" && args.size() > 3) {
        const auto half = args.begin() + 1 + static_cast<std::ptrdiff_t>(args.size() / 2);
        args = {args[0], "wrt(" + list_of({args.begin() + 1, half}) + ")", "outputs(" + list_of({half, args.end()}) + ")"};
    } else if (name == "transpose" && p.size()) {
        bool reversed = true;
        for (int k = 0; k < p.size(); ++k) reversed = reversed && p[k] == p.size() - 1 - k;
        std::vector<std::string> axes;
        for (int k : p) axes.push_back(std::to_string(k));
        if (!reversed) called += "<" + list_of(axes) + ">";
    } else if (p.size()) {
        std::vector<std::string> numbers;
        for (int k : p) numbers.push_back(std::to_string(k));
        called += "<" + list_of(numbers) + ">";
    }
    return {called + "(" + list_of(args) + ")"};
}

/// How often each node is used below the roots; a root counts as a use.
inline std::vector<int> uses_of(const graph& g, view<int> roots) {
    const vec<unsigned char> live = reachable(g, roots);
    std::vector<int> uses(static_cast<std::size_t>(live.size()), 0);
    for (int id = 0; id < live.size(); ++id)
        if (live[id])
            for (int x : g.args(id)) ++uses[static_cast<std::size_t>(x)];
    for (int r : roots) ++uses[static_cast<std::size_t>(r)];
    return uses;
}

/// A graph as lines: what is used more than once, or is long, is named by a line of its own.
struct formulas {
    const graph& g;
    std::vector<piece> pieces;
    std::vector<unsigned char> named;
    std::vector<std::string> lines;
    int count = 0;
    static constexpr std::size_t width = 88;

    explicit formulas(const graph& graph_) : g(graph_) {}

    piece& at(int id) { return pieces[static_cast<std::size_t>(id)]; }
    void name(int id) {
        const std::string n = "%" + std::to_string(++count);
        lines.push_back(n + ": " + type(g, g.type_of(id)) + " = " + at(id).str());
        at(id) = piece{n};
        named[static_cast<std::size_t>(id)] = 1;
    }
    bool inlined(int id) const { return !named[static_cast<std::size_t>(id)] && g.nodes[id].nargs > 0; }

    /// The lines, and the roots as expressions.
    std::vector<std::string> write(view<int> roots) {
        const std::vector<int> uses = uses_of(g, roots);
        pieces.resize(uses.size());
        named.assign(uses.size(), 0);
        for (int id = 0; id < static_cast<int>(uses.size()); ++id) {
            if (!uses[static_cast<std::size_t>(id)]) continue;
            for (;;) {
                std::vector<piece> a;
                for (int x : g.args(id)) a.push_back(at(x));
                at(id) = apply(g, id, a);
                if (at(id).text.size() <= width) break;
                int longest = -1;
                for (int x : g.args(id))
                    if (inlined(x) && (longest < 0 || at(x).text.size() > at(longest).text.size())) longest = x;
                if (longest < 0) break;
                name(longest);
            }
            const bool light = g.nodes[id].nargs == 0 || (g.nodes[id].nargs == 1 && g.nodes[g.arg(id, 0)].nargs == 0 && g.op(id).cls == op_class::view);
            if (uses[static_cast<std::size_t>(id)] > 1 && !light && !(at(id).negative && at(id).level == piece::atom && at(id).text.size() < 12)) name(id);
        }
        std::vector<std::string> results;
        for (int r : roots) results.push_back(at(r).str());
        return results;
    }
};

inline std::string counted(int n, const std::string& what, const char* plural = "s") { return std::to_string(n) + " " + what + (n == 1 ? "" : plural); }

/// What an output is a derivative by, where it is one: "gradient by beta".
inline std::string derivative(const graph& g, int root) {
    while (g.op(root).name == "cast") root = g.arg(root, 0);
    const op_info& op = g.op(root);
    if (op.cls != op_class::derivative) return {};
    const int y = g.arg(root, 0), x = g.arg(root, 1);
    const std::string by = g.is(x, input_info) ? " by " + std::string(g.extents[g.param(x, 0)].name) : std::string();
    const auto is_grad = [&](int id) { return g.op(id).name == "pullback" && g.is(g.arg(id, 2), literal_info) && g.rank(g.arg(id, 0)) == 0; };
    if (is_grad(root)) return "gradient" + by;
    if (op.name == "jacobian") return (is_grad(y) && g.arg(y, 1) == x ? "Hessian" : "Jacobian") + by;
    if (op.name == "pushforward") return is_grad(y) && g.nodes[root].nargs == 3 && g.arg(y, 1) == x ? "Hessian times a vector" + by : "pushforward";
    return std::string(op.name) + by;
}

}  // namespace cotan::bits::notation
