#pragma once

#include <cotan/show/stages.hpp>

#include <map>
#include <tuple>

namespace cotan {

namespace bits::notation {

/// Writes a plan as loops in pseudo code.
struct loop_writer {
    const looked_at& f;
    const graph& g;
    const plan& p;
    std::string out;
    std::vector<std::string> index_name;  // by class
    struct register_key {
        int depth, dt, index;
        auto operator<=>(const register_key&) const = default;
    };
    static register_key key(const reg& r) { return {r.depth, static_cast<int>(r.dt), r.index}; }

    struct definition {
        int step = -1, loop = -1;
    };
    std::vector<int> uses;                  // of what a step gives
    std::vector<unsigned char> used_apart;  // in another loop than its own
    std::map<register_key, definition> defined;
    std::map<register_key, piece> values;
    std::map<std::pair<int, int>, std::string> slots;
    int count = 0;

    /// How an input is read.
    struct reading {
        int loads = 0;
        std::vector<int> kernels, again;  // the outermost loops around; classes that repeat it
    };
    std::vector<reading> readings;

    explicit loop_writer(const looked_at& looked) : f(looked), g(looked.s.kernel), p(looked.p.p), readings(static_cast<std::size_t>(looked.s.given.size())) {
        name_indices();
        uses.assign(static_cast<std::size_t>(p.steps.size()), 0);
        used_apart.assign(uses.size(), 0);
        count_uses(0);
    }

    std::string memory_name(int m) const {
        const memory_data& d = p.memories[m];
        if (d.kind == memory_kind::input) return f.input(d.index);
        if (d.kind == memory_kind::output) return f.s.asked.size() == 1 ? "output" : "output" + std::to_string(d.index + 1);
        if (d.alias >= 0) return "reshape(" + memory_name(d.alias) + ")";
        int n = 1;
        for (int i = 0; i < m; ++i) n += p.memories[i].kind == memory_kind::temporary && p.memories[i].alias < 0;
        return "buffer" + std::to_string(n);
    }
    /// Letters that are no extent's and no input's name.
    void name_indices() {
        const std::string letters = "ijlmpqrsuvwxyzabcdefghknot";
        std::size_t next = 0;
        const auto taken = [&](const std::string& s) {
            for (const extent_data& e : g.extents)
                if (s == e.name) return true;
            return false;
        };
        index_name.resize(static_cast<std::size_t>(p.class_extent.size()));
        for (int l = 1; l < p.loops.size(); ++l) {
            std::string& name = index_name[static_cast<std::size_t>(p.loops[l].cls)];
            while (name.empty()) {
                const std::string s = next < letters.size() ? std::string(1, letters[next]) : "i" + std::to_string(next);
                ++next;
                if (!taken(s)) name = s;
            }
        }
    }
    const std::string& index(int cls) const { return index_name[static_cast<std::size_t>(cls)]; }

    bool defines(const step_data& s) const {
        return s.kind == step_kind::compute || s.kind == step_kind::load || s.kind == step_kind::literal || s.kind == step_kind::extent || s.kind == step_kind::iota ||
               s.kind == step_kind::finish;
    }
    void count_uses(int loop) {
        const loop_data& l = p.loops[loop];
        for (int k = l.first; k < l.first + l.count; ++k) {
            const step_data& s = p.steps[k];
            if (s.kind == step_kind::loop) {
                count_uses(s.loop);
                continue;
            }
            for (int i = 0; i < s.count; ++i) {
                const definition d = defined[key(s.from[i])];
                if (d.step < 0) continue;
                ++uses[static_cast<std::size_t>(d.step)];
                used_apart[static_cast<std::size_t>(d.step)] |= d.loop != loop;
            }
            if (defines(s)) defined[key(s.to)] = {k, loop};
        }
    }

    std::string place(const step_data& s) const {
        const memory_data& m = p.memories[s.memory];
        std::string text;
        for (int k = 0; k < m.rank; ++k) {
            const axis_map& a = p.maps[s.map + k];
            std::string at;
            int start = a.start;
            if (a.from_end) at = extent(g, m.ext[k]);
            if (a.cls >= 0 && a.step != 0) {
                const int step = a.step < 0 ? -a.step : a.step;
                const std::string moved = step == 1 ? index(a.cls) : std::to_string(step) + " * " + index(a.cls);
                if (a.step < 0) {
                    if (start != 0 || at.empty()) at += at.empty() ? std::to_string(start) : (start < 0 ? " - " : " + ") + std::to_string(start < 0 ? -start : start);
                    start = 0;
                    at += " - " + moved;
                } else at += (at.empty() ? "" : " + ") + moved;
            }
            if (at.empty()) at = std::to_string(start);
            else if (start) at += (start < 0 ? " - " : " + ") + std::to_string(start < 0 ? -start : start);
            text += (k ? ", " : "") + at;
        }
        return memory_name(s.memory) + (m.rank ? "[" + text + "]" : "");
    }

    void line(int depth, const std::string& text) { out += std::string(static_cast<std::size_t>(4 + 4 * depth), ' ') + text + "\n"; }
    static std::string identity(const op_info& op) {
        const std::string_view n = op.name;
        if (n == "sum" || n == "cumsum" || n == "recurrence") return "0";
        if (n == "prod" || n == "cumprod") return "1";
        if (n == "max") return "-inf";
        if (n == "min") return "inf";
        if (n == "any") return "false";
        if (n == "all") return "true";
        return "start of " + std::string(n);
    }
    static std::string fold(const op_info& op, const std::string& into, const std::vector<piece>& x) {
        const std::string_view n = op.name;
        if (n == "sum" && x.size() == 2) return into + " += " + x[0].at(piece::product) + " * " + x[1].at(piece::product);
        if (n == "sum" || n == "cumsum") return into + " += " + x[0].str();
        if (n == "prod" || n == "cumprod") return into + " *= " + x[0].str();
        if (n == "recurrence") return into + " = " + x[0].at(piece::product) + " * " + into + " + " + x[1].at(piece::sum);
        std::string s = into + " = " + std::string(n) + "(" + into;
        for (const piece& a : x) s += ", " + a.str();
        return s + ")";
    }
    std::string fresh() { return "%" + std::to_string(++count); }

    void note_reading(const step_data& s, int loop) {
        int m = s.memory;
        while (p.memories[m].alias >= 0) m = p.memories[m].alias;
        if (p.memories[m].kind != memory_kind::input) return;
        reading& r = readings[static_cast<std::size_t>(p.memories[m].index)];
        ++r.loads;
        int outermost = 0;
        for (int l = loop; l > 0; l = p.loops[l].parent) {
            outermost = l;
            bool varies = false;
            for (int k = 0; k < p.memories[s.memory].rank; ++k) varies = varies || p.maps[s.map + k].cls == p.loops[l].cls;
            if (!varies && std::find(r.again.begin(), r.again.end(), p.loops[l].cls) == r.again.end()) r.again.push_back(p.loops[l].cls);
        }
        if (std::find(r.kernels.begin(), r.kernels.end(), outermost) == r.kernels.end()) r.kernels.push_back(outermost);
    }
    /// In vectors: a loop without others inside, or one around such loops.
    bool in_simd(int loop) const {
        const loop_data& l = p.loops[loop];
        bool simd = loop > 0 && l.vector;
        for (int i = 1; i < p.loops.size(); ++i)
            if (p.loops[i].parent == loop) simd = simd && p.loops[i].leaf && p.loops[i].vector && p.loops[i].lanes == l.lanes;
        return simd;
    }

    /// What a loop or condition is given, what it computes in each step, and where its values go.
    void write_call(const call_data& c, int depth) {
        const call_info& w = c.what;
        const auto operand = [&](int k) { return memory_name(p.call_operands[c.operands + k].memory); };
        for (int k = 0; k < c.operand_count; ++k) {
            int m = p.call_operands[c.operands + k].memory;
            while (p.memories[m].alias >= 0) m = p.memories[m].alias;
            if (p.memories[m].kind != memory_kind::input) continue;
            reading& r = readings[static_cast<std::size_t>(p.memories[m].index)];
            ++r.loads;
            if (std::find(r.kernels.begin(), r.kernels.end(), -1 - c.operands) == r.kernels.end()) r.kernels.push_back(-1 - c.operands);
        }
        const auto body = [&](int number, int inner) {
            const outlined& b = *f.s.bodies.list[number];
            formulas written(b.g);
            const std::vector<std::string> results = written.write({b.roots.data(), b.roots.size()});
            for (const std::string& text : written.lines) line(inner, text);
            return results;
        };
        const auto captures = [&](int from) {
            for (int k = 0; k < w.captured; ++k) line(depth + 1, "c" + std::to_string(k + 1) + " is " + operand(from + k));
        };
        const auto into = [&](int k) {
            const int m = p.call_results[c.results + k];
            return m < 0 ? std::string() : memory_name(m);
        };
        if (w.cond) {
            line(depth, "if " + operand(0) + ":");
            captures(1);
            line(depth + 1, into(0) + " = " + body(w.body, depth + 1)[0]);
            line(depth, "else:");
            line(depth + 1, into(0) + " = " + body(w.second, depth + 1)[0]);
            return;
        }
        const int counted = w.flags & loop_counted ? 1 : 0;
        std::string head = w.flags & loop_reversed ? "loop in reverse" : "loop";
        if (counted) head += " of " + operand(0) + " steps";
        else if (!(w.flags & (loop_until | loop_while))) head += " of " + extent(g, w.steps) + " steps";
        line(depth, head + ":");
        for (int k = 0; k < w.sequences; ++k) line(depth + 1, "e" + std::to_string(k + 1) + " goes along " + operand(counted + k));
        for (int k = 0; k < w.states; ++k) line(depth + 1, "s" + std::to_string(k + 1) + " begins as " + operand(counted + w.sequences + k));
        for (int k = 0; k < w.again; ++k) line(depth + 1, "r" + std::to_string(k + 1) + " is computed again from " + operand(counted + w.sequences + w.states + k));
        captures(counted + w.sequences + w.states + w.again);
        if (w.flags & loop_while) line(depth + 1, "while " + body(w.second, depth + 1)[0]);
        const std::vector<std::string> results = body(w.body, depth + 1);
        for (int k = 0; k < w.states; ++k) line(depth + 1, "next s" + std::to_string(k + 1) + " = " + results[static_cast<std::size_t>(k)]);
        for (int k = 0; k < w.emissions; ++k) line(depth + 1, into(w.states + k) + " takes " + results[static_cast<std::size_t>(w.states + k)]);
        if (w.flags & loop_until) line(depth + 1, "until " + results.back());
        for (int k = 0; k < w.states; ++k)
            if (!into(k).empty()) line(depth, into(k) + " = s" + std::to_string(k + 1));
        if (!into(w.states + w.emissions).empty()) line(depth, into(w.states + w.emissions) + " = the number of steps");
    }

    void write(int loop, int depth, int& kernel) {
        const loop_data& l = p.loops[loop];
        for (int k = l.first; k < l.first + l.count; ++k) {
            const step_data& s = p.steps[k];
            if (s.kind == step_kind::loop) {
                int inner = depth;
                if (loop == 0) {
                    line(depth, "kernel " + std::to_string(++kernel));
                    ++inner;
                }
                const loop_data& next = p.loops[s.loop];
                line(inner, "for " + index(next.cls) + " < " + extent(g, p.class_extent[next.cls]) + (in_simd(s.loop) ? " (SIMD):" : ":"));
                write(s.loop, inner + 1, kernel);
                continue;
            }
            std::vector<piece> from;
            for (int i = 0; i < s.count; ++i) from.push_back(values[key(s.from[i])]);
            const std::pair<int, int> slot{s.slot_depth, s.slot};
            piece made;
            switch (s.kind) {
                case step_kind::compute: made = apply(g, s.node, from); break;
                case step_kind::load:
                    made = piece{place(s)};
                    note_reading(s, loop);
                    break;
                case step_kind::literal: made = s.op && s.op->name == "iota" ? piece{"0"} : literal(g, s.node); break;
                case step_kind::extent: made = piece{extent(g, s.param)}; break;
                case step_kind::iota: made = piece{index(s.param)}; break;
                case step_kind::finish: values[key(s.to)] = piece{slots[slot]}; continue;
                case step_kind::init:
                    slots[slot] = fresh();
                    line(depth, slots[slot] + " = " + identity(*s.op));
                    continue;
                case step_kind::fill: line(depth, memory_name(s.memory) + " = " + identity(*s.op) + " everywhere"); continue;
                case step_kind::accumulate: line(depth, fold(*s.op, slots[slot], from)); continue;
                case step_kind::accumulate_store: line(depth, fold(*s.op, place(s), from)); continue;
                case step_kind::store: line(depth, place(s) + " = " + from[0].str()); continue;
                case step_kind::running: {
                    if (s.slot < 0) slots[slot] = identity(*s.op);
                    if (s.param) line(depth, place(s) + " = " + slots[slot]);
                    line(depth, fold(*s.op, slots[slot], from));
                    if (!s.param) line(depth, place(s) + " = " + slots[slot]);
                    continue;
                }
                case step_kind::call: write_call(p.calls[s.param], depth); continue;
                default: line(depth, "..."); continue;
            }
            const std::size_t at = static_cast<std::size_t>(k);
            const bool number = s.kind != step_kind::compute && s.kind != step_kind::load;
            if (uses[at] == 0) continue;
            if (!number && (uses[at] > 1 || used_apart[at] || made.text.size() > 72)) {
                const std::string name = fresh();
                line(depth, name + " = " + made.str());
                made = piece{name};
            }
            values[key(s.to)] = made;
        }
    }
};

/// Bytes as a sum of products of extents: 8 n k + 64.
struct byte_count {
    std::int64_t fixed = 0;
    std::vector<std::pair<std::string, std::int64_t>> symbolic;
    void add(const std::string& what, std::int64_t bytes) {
        if (what.empty()) {
            fixed += bytes;
            return;
        }
        for (auto& [name, n] : symbolic)
            if (name == what) {
                n += bytes;
                return;
            }
        symbolic.push_back({what, bytes});
    }
    void add(const byte_count& o) {
        add("", o.fixed);
        for (const auto& [name, n] : o.symbolic) add(name, n);
    }
    std::string str() const {
        std::string s;
        for (const auto& [name, n] : symbolic) s += (s.empty() ? "" : " + ") + std::to_string(n) + " * " + name;
        if (fixed || s.empty()) s += (s.empty() ? "" : " + ") + std::to_string(fixed);
        return s + " bytes";
    }
};
inline byte_count bytes_of(const graph& g, const memory_data& m) {
    byte_count b;
    std::int64_t n = size_of(m.dt);
    std::string what;
    for (int k = 0; k < m.rank; ++k) {
        const extent_data& e = g.extents[m.ext[k]];
        if (m.shared >> k & 1u) n *= rows_at_once(m.dt);
        else if (e.kind == extent_kind::fixed) n *= e.value;
        else {
            const bool sum = e.kind == extent_kind::linear && e.div == 1;
            what += (what.empty() ? "" : " * ") + (sum ? "(" + extent(g, m.ext[k]) + ")" : extent(g, m.ext[k]));
        }
    }
    b.add(what, n);
    return b;
}

inline std::string explanation(const looked_at& f) {
    const stages& s = f.s;
    const plan& p = f.p.p;
    std::string out = "inputs\n";
    for (int i = 0; i < s.given.size(); ++i) out += "    " + f.input(i) + ": " + type(s.source, s.source.type_of(s.given[i])) + "\n";
    out += "outputs\n";
    for (int i = 0; i < s.asked.size(); ++i) {
        const std::string what = derivative(s.source, s.asked[i]);
        out += "    " + std::to_string(i + 1) + ": " + type(s.source, s.source.type_of(s.asked[i])) + (what.empty() ? "" : ", the " + what) + "\n";
    }

    std::vector<rule_application> rules;
    for (const rewriter* r : {&s.simple, &s.low})
        for (const rule_application& a : r->applied) {
            const auto same = std::find_if(rules.begin(), rules.end(), [&](const rule_application& b) { return a.name == b.name; });
            if (same == rules.end()) rules.push_back(a);
            else same->times += a.times;
        }
    out += "rewrites\n";
    for (const rule_application& a : rules) out += "    " + std::string(a.name) + (a.times == 1 ? "" : " (" + std::to_string(a.times) + " times)") + "\n";
    if (rules.empty()) out += "    none\n";

    out += "rewritten and differentiated\n";
    formulas written(s.simple);
    const std::vector<std::string> results = written.write({s.simplified.data(), s.simplified.size()});
    for (const std::string& line : written.lines) out += "    " + line + "\n";
    for (int i = 0; i < s.asked.size(); ++i)
        out += "    " + (s.asked.size() == 1 ? std::string("output") : "output" + std::to_string(i + 1)) + " = " + results[static_cast<std::size_t>(i)] + "\n";

    out += "plan: " + counted(p.kernels, "kernel") + "\n";
    loop_writer w(f);
    int kernel = 0;
    w.write(0, 0, kernel);
    out += w.out;

    byte_count total;
    std::string buffers;
    for (int m = 0; m < p.memories.size(); ++m) {
        const memory_data& d = p.memories[m];
        if (d.kind != memory_kind::temporary || d.alias >= 0) continue;
        const byte_count b = bytes_of(s.kernel, d);
        type_data t;
        t.dt = d.dt;
        t.rank = d.rank;
        for (int k = 0; k < d.rank; ++k) t.ext[k] = d.ext[k];
        buffers += "    " + w.memory_name(m) + ": " + type(s.kernel, t) + (d.shared ? ", the part of a strip of iterations" : "") +
                   (d.room >= 0 ? ", in the place of " + w.memory_name(d.room) : ", " + b.str()) + "\n";
        if (d.room < 0) total.add(b);
    }
    out += "temporaries: " + total.str() + "\n" + buffers;

    out += "reading\n";
    for (int i = 0; i < s.given.size(); ++i) {
        const loop_writer::reading& r = w.readings[static_cast<std::size_t>(i)];
        out += "    " + f.input(i) + ": ";
        if (r.loads == 0) out += "never\n";
        else if (s.source.rank(s.given[i]) == 0) out += "once\n";
        else {
            out += counted(static_cast<int>(r.kernels.size()), "pass", "es");
            if (r.loads > static_cast<int>(r.kernels.size())) out += ", " + std::to_string(r.loads) + " loads";
            std::vector<std::string> again;
            for (int c : r.again) again.push_back(w.index(c));
            if (!again.empty()) out += ", again for each " + list_of(again);
            out += "\n";
        }
    }
    return out;
}

}  // namespace bits::notation

namespace show {

/// What a function was compiled to: its inputs and outputs, the rewrites that were applied, the formulas after them, its loops in pseudo code, the
/// buffers that it needs, and how often it reads each input.
template <class L, bool Deferred>
std::string explain(compiled_function<bits::function_type<L, Deferred>>) {
    return bits::notation::explanation(bits::looked_at(typename bits::signature_of<L>::inputs{}, typename bits::signature_of<L>::outputs{}));
}

}  // namespace show
}  // namespace cotan
