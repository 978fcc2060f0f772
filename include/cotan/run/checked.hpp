#pragma once

#include <cotan/run/function.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace cotan {

namespace bits {

template <class... In, class... Out>
struct every<type_list<In...>, type_list<Out...>> {
    static constexpr int size = [] {
        stages s;
        s.lower(type_list<In...>{}, every{});
        s.rewrite();
        return s.roots.size();
    }();
};

// its results come out as they are computed
struct plain_result { using type = ty<dtype::float64>; };
template <class In, class Out> struct tuple_from<every<In, Out>> { using type = std::array<plain_result, static_cast<std::size_t>(every<In, Out>::size)>; };

template <class S>
struct checked_types : S {
    using outputs = every<typename S::inputs, typename S::outputs>;
};
template <class L>
struct checked_signature {
    constexpr auto operator()() const { return checked_types<signature_of<L>>{}; }
};

/// The elements of a value, as doubles.
struct seen_value {
    bool known = false;
    std::vector<std::size_t> shape;
    std::vector<double> v;
};

template <class R>
seen_value see(const R& r) {
    seen_value s;
    s.known = true;
    if constexpr (std::is_arithmetic_v<R>) s.v.push_back(static_cast<double>(r));
    else {
        s.shape.assign(r.shape().begin(), r.shape().end());
        for (std::size_t i = 0; i < r.size(); ++i) s.v.push_back(static_cast<double>(r.data()[i]));
    }
    return s;
}

/// Finds the first operation that made a NaN or an infinity from finite numbers on the way to a result. All values of the simplified graph are known; from
/// the results' bad elements it walks back along the elements that they were made of.
class blame {
public:
    blame(const stages& stages_, std::vector<seen_value> values_) : s(stages_), g(stages_.simple), values(std::move(values_)) {
        value_of.assign(static_cast<std::size_t>(g.nodes.size()), -1);
        for (int i = 0; i < s.watched.size(); ++i) value_of[at(s.watched[i])] = i;
        int k = s.watched.size();
        for (int i = 0; i < s.places.size(); ++i) place_value.push_back(s.places[i] >= 0 ? k++ : -1);
    }

    /// The message, empty where nothing is to blame: no result is bad, or the inputs were.
    std::string text() {
        trace();
        if (origin < 0) return {};
        const double made = values[at(value_of[at(origin)])].v[element];
        std::string t = "checked run: " + std::string(g.op(origin).name) + " made " + number(made) + " from finite numbers, at element " + place(origin, element) + " of " +
                        expression_of(origin, 3) + ", where " + operands();
        t += primal(origin) ? "; in the primal" : "; in the derivative, not in the primal";
        t += "; path: " + path();
        return t;
    }

private:
    const stages& s;
    const graph& g;
    std::vector<seen_value> values;
    std::vector<int> value_of;     // by node: its index among the values
    std::vector<int> place_value;  // by index: the value with the element numbers
    std::vector<std::vector<char>> bad;  // by index: elements that a bad result was made of
    int origin = -1, output = -1;
    std::size_t element = 0;

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    const seen_value* value(int node) const { return value_of[at(node)] < 0 ? nullptr : &values[at(value_of[at(node)])]; }
    static bool finite(double v) { return v - v == 0; }

    /// The element of an operand that is broadcast to a shape.
    static std::size_t stretched(const seen_value& x, const std::vector<std::size_t>& shape, std::size_t i) {
        std::size_t r = 0, stride = 1;
        for (std::size_t k = shape.size(); k-- > 0;) {
            const std::size_t p = i % shape[k];
            i /= shape[k];
            if (k + x.shape.size() < shape.size()) break;
            const std::size_t n = x.shape[k + x.shape.size() - shape.size()];
            r += (n == 1 ? 0 : p) * stride;
            stride *= n;
        }
        return r;
    }
    /// The elements of operand `which` that element i of a node is made of: given to f.
    template <class F>
    void sources(int node, int which, std::size_t i, F f) const {
        const op_info& op = g.op(node);
        const seen_value& y = *value(node);
        const seen_value* x = value(g.arg(node, which));
        if (!x) return;
        if (op.cls == op_class::elementwise) {
            if (op.types == typing::choose) {  // the operand that was not chosen had no part in it
                const seen_value* c = value(g.arg(node, 0));
                const bool chosen = c && c->v[stretched(*c, y.shape, i)] != 0;
                if (which > 0 && chosen != (which == 1)) return;
            }
            f(stretched(*x, y.shape, i));
            return;
        }
        if (op.cls == op_class::view && which == 0 && place_value[at(value_of[at(node)])] >= 0) {
            const double from = values[at(place_value[at(value_of[at(node)])])].v[i];
            if (from >= 1) f(static_cast<std::size_t>(from) - 1);
            return;
        }
        if (op.cls == op_class::reduction && which == 0) {
            const int mask = g.param(node, 0);
            for (std::size_t e = 0; e < x->v.size(); ++e) {
                std::size_t rest = e, to = 0, stride = 1;
                for (std::size_t k = x->shape.size(); k-- > 0;) {
                    const std::size_t p = rest % x->shape[k];
                    rest /= x->shape[k];
                    if (mask >> k & 1) continue;
                    to += p * stride;
                    stride *= x->shape[k];
                }
                if (to == i) f(e);
            }
            return;
        }
        for (std::size_t e = 0; e < x->v.size(); ++e) f(e);  // any of them
    }

    /// What a loop, which has no value of its own, takes from outside: all of it may be in its results.
    void behind(int node, bool& made) {
        vec<int> stack;
        stack.push(node);
        std::vector<char> seen(at(node + 1), 0);
        while (!stack.empty()) {
            const int id = stack.pop();
            for (int x : g.args(id)) {
                if (seen[at(x)]) continue;
                seen[at(x)] = 1;
                const seen_value* v = value(x);
                if (!v) {
                    stack.push(x);
                    continue;
                }
                for (std::size_t e = 0; e < v->v.size(); ++e) {
                    if (finite(v->v[e])) continue;
                    made = false;
                    bad[at(value_of[at(x)])][e] = 1;
                }
            }
        }
    }
    void trace() {
        bad.resize(at(s.watched.size()));
        for (std::size_t i = 0; i < bad.size(); ++i) bad[i].assign(values[i].v.size(), 0);
        for (int k = 0; k < s.simplified.size(); ++k) {
            const int root = s.simplified[k];
            const seen_value* v = value(root);
            if (!v) continue;
            for (std::size_t i = 0; i < v->v.size(); ++i)
                if (!finite(v->v[i])) {
                    bad[at(value_of[at(root)])][i] = 1;
                    if (output < 0) output = k;
                }
        }
        for (int w = s.watched.size() - 1; w >= 0; --w) {
            const int node = s.watched[w];
            if (g.nodes[node].nargs == 0) continue;
            for (std::size_t i = 0; i < bad[at(w)].size(); ++i) {
                if (!bad[at(w)][i]) continue;
                bool made = true;
                for (int a = 0; a < g.nodes[node].nargs; ++a) {
                    const int x = g.arg(node, a);
                    if (g.is(x, literal_info)) {
                        made = made && (!is_real(g.dtype_of(x)) || finite(real_value(g, x)));
                        continue;
                    }
                    if (!value(x)) {
                        behind(x, made);
                        continue;
                    }
                    sources(node, a, i, [&](std::size_t e) {
                        if (finite(value(x)->v[e])) return;
                        made = false;
                        bad[at(value_of[at(x)])][e] = 1;
                    });
                }
                if (made) {  // operands have smaller numbers: the last one found is the first one computed
                    if (origin != node) element = i;
                    origin = node;
                }
            }
        }
    }

    static std::string number(double v) {
        if (v != v) return "nan";
        if (v - v != 0) return v > 0 ? "inf" : "-inf";
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", v);
        return text;
    }
    std::string place(int node, std::size_t i) const {
        const seen_value& v = *value(node);
        std::string t;
        for (std::size_t k = v.shape.size(); k-- > 0; i /= v.shape[k]) t = std::to_string(i % v.shape[k]) + (t.empty() ? "" : ", ") + t;
        return "[" + t + "]";
    }
    std::string expression_of(int node, int depth) const {
        if (g.is(node, input_info)) return g.extents[g.param(node, 0)].name;
        if (g.is(node, literal_info)) return number(real_value(g, node));
        if (g.nodes[node].nargs == 0) return std::string(g.op(node).name);
        if (depth == 0) return "...";
        std::string t = std::string(g.op(node).name) + "(";
        for (int a = 0; a < g.nodes[node].nargs; ++a) t += (a ? ", " : "") + expression_of(g.arg(node, a), depth - 1);
        return t + ")";
    }
    /// The operands' values at the element.
    std::string operands() const {
        std::string t;
        for (int a = 0; a < g.nodes[origin].nargs; ++a) {
            const int x = g.arg(origin, a);
            if (!value(x)) continue;
            std::size_t count = 0, only = 0;
            double least = 0, most = 0;
            sources(origin, a, element, [&](std::size_t e) {
                const double v = value(x)->v[e];
                least = count ? std::min(least, v) : v;
                most = count ? std::max(most, v) : v;
                only = e;
                ++count;
            });
            if (count == 0) continue;
            t += (t.empty() ? "" : ", ") + expression_of(x, 1);
            if (count == 1) t += (value(x)->shape.empty() ? "" : place(x, only)) + " = " + number(least);
            else t += " has " + std::to_string(count) + " elements from " + number(least) + " to " + number(most);
        }
        return t.empty() ? "it has no operands that vary" : t;
    }

    // --- from the user's expression to the operation ---------------------------------------------------------------------------

    /// The simplified node of each node as written; -1 where it has none.
    std::vector<int> images() const {
        const vec<unsigned char> live = reachable(s.source, view<int>{s.asked.data(), s.asked.size()});
        vec<int> all;
        for (int id = 0; id < live.size(); ++id)
            if (live[id]) all.push(id);
        rewriter again;
        again.types = s.source.types;
        again.extents = s.source.extents;
        const vec<int> r = expand_into(again, s.source, view<int>{all.data(), all.size()});
        std::vector<int> image(at(s.source.nodes.size()), -1);
        for (int i = 0; i < all.size(); ++i)
            if (r[i] < g.nodes.size() && again.nodes[r[i]].op == g.nodes[r[i]].op) image[at(all[i])] = r[i];
        return image;
    }
    bool derived(int node) const {  // as written: it holds a derivative
        const vec<unsigned char> live = reachable(s.source, view<int>{&node, 1});
        for (int id = 0; id <= node; ++id)
            if (live[id] && s.source.op(id).cls == op_class::derivative) return true;
        return false;
    }
    bool primal(int node) const {
        const std::vector<int> image = images();
        vec<int> roots;
        for (int id = 0; id < s.source.nodes.size(); ++id)
            if (image[at(id)] >= 0 && !derived(id)) roots.push(image[at(id)]);
        if (roots.empty()) return false;
        const vec<unsigned char> live = reachable(g, view<int>{roots.data(), roots.size()});
        return node < live.size() && live[node];
    }
    /// The names along one way from a root down to a node.
    static std::vector<std::string> way(const graph& in, int root, int node) {
        std::vector<char> leads(at(root + 1), 0);
        for (int id = node; id <= root; ++id) {
            leads[at(id)] = id == node;
            for (int a : in.args(id)) leads[at(id)] |= a >= node && leads[at(a)];
        }
        std::vector<std::string> names;
        if (node > root || !leads[at(root)]) return names;
        for (int id = root;;) {
            names.emplace_back(in.op(id).name);
            if (id == node) return names;
            for (int a : in.args(id))
                if (a >= node && leads[at(a)]) {
                    id = a;
                    break;
                }
        }
    }
    static std::string joined(const std::vector<std::string>& names) {
        std::string t;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names.size() > 14 && i == 7) {
                t += " > ...";
                i = names.size() - 7;
            }
            t += " > " + names[i];
        }
        return t;
    }
    std::string path() const {
        const std::vector<int> image = images();
        const std::string start = "result " + std::to_string(output + 1);
        const graph& w = s.source;
        const int root = s.asked[output];
        for (int id = root; id >= 0; --id)  // the operation is in the program as written
            if (image[at(id)] == origin && w.op(id).cls != op_class::derivative) {
                const std::vector<std::string> names = way(w, root, id);
                if (!names.empty()) return start + joined(names);
            }
        std::string t = start;
        int top = s.simplified[output];
        const int seen = root;
        if (w.op(seen).cls == op_class::derivative) {
            const int x = w.arg(seen, 1);
            t += " (" + std::string(w.op(seen).name == "pullback" && w.rank(w.arg(seen, 0)) == 0 ? "gradient" : w.op(seen).name);
            if (w.nodes[seen].nargs > 1 && w.is(x, input_info)) t += " by " + std::string(w.extents[w.param(x, 0)].name);
            t += ", as rewritten)";
        } else t += " (as rewritten)";
        return t + joined(way(g, top, origin));
    }
};

}  // namespace bits

/// A run for debugging, from prepare(checked). It computes as a prepared run does. Where a result is NaN or infinite, it computes once more with every value
/// on the way stored, and throws a domain_error that names the first operation, of the primal or of the derivative, that made a NaN or an
/// infinity from finite numbers; the element, the values of its operands there, and the way to it from the result. A NaN that no result depends on
/// (in a branch that was not taken) is no error, and neither is one that came in with an argument.
template <class F>
class checked_function {
public:
    template <class... A>
    decltype(auto) operator()(const A&... a) {
        static_assert(F::shared::size == 0, "cotan: prepare(checked) is for functions without shared variables: declare them as inputs");
        decltype(auto) results = run_(a...);
        if (!finite(results)) find(a...);
        return results;
    }

private:
    prepared_function<F> run_;

    template <class R>
    static bool finite(const R& r) {
        if constexpr (std::is_arithmetic_v<R>) return !std::is_floating_point_v<R> || r - r == 0;
        else if constexpr (bits::xtensor_like<R>) return std::all_of(r.data(), r.data() + r.size(), [](auto v) { return finite(v); });
        else return std::apply([](const auto&... v) { return (finite(v) && ...); }, r);
    }
    template <class L, bool D>
    static auto watching(std::type_identity<bits::function_type<L, D>>) -> bits::function_type<bits::checked_signature<L>>;

    template <class... A>
    static void find(const A&... a) {
        using every = decltype(watching(std::type_identity<F>{}));
        if constexpr (every::F::ok) {
            typename every::state state;
            every::call(state, a...);
            std::vector<bits::seen_value> values;
            std::apply([&](const auto&... v) { (values.push_back(bits::see(v)), ...); }, state.results);
            bits::stages s;
            s.lower(typename every::F::In{}, typename every::F::Out{});
            s.rewrite();
            const std::string what = bits::blame(s, std::move(values)).text();
            if (!what.empty()) throw domain_error(what);
        }
    }
};

}  // namespace cotan
