#pragma once

#include <cotan/core/error.hpp>
#include <cotan/diff/grad.hpp>

#include <charconv>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The runtime graph is the same bits::graph that typed expressions are lowered to. Expressions that were never combined stand in graphs of their own;
// combining two moves the smaller graph into the larger.

namespace cotan {

namespace bits {

/// An axis whose extent nobody named has one of its own, called "<input>.<axis>".
constexpr bool is_open(const extent_data& e) {
    if (e.kind != extent_kind::named) return false;
    for (int k = 0; k < name_length && e.name[k]; ++k)
        if (e.name[k] == '.') return true;
    return false;
}
/// The extent of an axis that stretches where it turns out to be 1: in the graph it is 1, under a name.
constexpr bool is_stretchable(const extent_data& e) { return e.kind == extent_kind::fixed && e.name[0]; }

/// A graph in which extents that are not known to differ go together; they must be equal when a function is called.
struct open_graph : graph {
    struct joint {
        int node, a, b;
    };
    vec<joint> joints;  // at this node, these extents must be equal
    vec<joint> pending;

    bool meets(int a, int b) override {
        const extent_data &x = extents[a], &y = extents[b];
        if (x.kind == extent_kind::fixed && y.kind == extent_kind::fixed) return false;
        for (int e = open.size(); e < extents.size(); ++e) {
            const extent_data& d = extents[e];
            open.push(is_open(d) || (d.a >= 0 && open[d.a]) || (d.b >= 0 && open[d.b]));
        }
        if (!open[a] && !open[b]) return false;  // named, or fixed, as in typed graphs
        pending.push({-1, a, b});
        return true;
    }
    vec<unsigned char> open;  // extents that are made of one that nobody named
    int finish(const op_info& op, view<int> a, view<int> p, int ty) override {
        const int before = nodes.size();
        const int id = raw(op, a, p, ty);
        // an axis inserted on the way has nothing to do with what its operand will meet
        if (op.cls != op_class::view || &op == &op_data<broadcast_>) join(id, before);
        pending.clear();
        return id;
    }
    void join(int id, int before) {
        if (id >= before)
            for (const joint& j : pending) joints.push({id, j.a, j.b});
        pending.clear();
    }
};

/// Which operations have an extent as their first parameter.
inline bool has_extent_param(const op_info& op) { return &op == &input_info || &op == &op_data<extent_> || &op == &op_data<iota_>; }

/// Moves extents and types of one graph into another; each is looked at once.
struct type_mover {
    const graph& from;
    graph& to;
    vec<int> extents, types;

    type_mover(const graph& f, graph& t) : from(f), to(t) {}
    int extent(int e) {
        // what an extent is made of was interned before it
        for (int i = extents.size(); i <= e; ++i) {
            extent_data d = from.extents[i];
            if (d.kind == extent_kind::linear) extents.push(to.linear(extents[d.a], d.value, d.div));
            else if (d.kind == extent_kind::product) extents.push(to.product(extents[d.a], extents[d.b]));
            else extents.push(to.intern(d));
        }
        return extents[e];
    }
    int type(int t) {
        if (t < 0) return t;
        if (types.size() <= t) types.resize(from.types.size(), -1);
        if (types[t] < 0) {
            type_data d = from.types[t];
            for (int k = 0; k < d.rank; ++k) d.ext[k] = extent(d.ext[k]);
            types[t] = to.intern(d);
        }
        return types[t];
    }
};

/// A graph that expressions share.
struct arena {
    open_graph g;
    std::shared_ptr<arena> into;  // where its nodes went
    std::vector<int> moved;

    void absorb(const std::shared_ptr<arena>& self, arena& small) {
        type_mover types(small.g, g);
        std::vector<int> at;
        at.reserve(static_cast<std::size_t>(small.g.nodes.size()));
        const int before = g.nodes.size();
        vec<int> a, p;
        for (int id = 0; id < small.g.nodes.size(); ++id) {
            a.clear();
            p.clear();
            for (int x : small.g.args(id)) a.push(at[static_cast<std::size_t>(x)]);
            for (int x : small.g.params(id)) p.push(x);
            if (has_extent_param(small.g.op(id))) p[0] = types.extent(p[0]);
            const int made = g.raw(small.g.op(id), view<int>{a.data(), a.size()}, view<int>{p.data(), p.size()}, types.type(small.g.nodes[id].ty), small.g.nodes[id].bits);
            g.nodes[made].facts = small.g.nodes[id].facts;
            at.push_back(made);
        }
        for (const open_graph::joint& j : small.g.joints)
            if (at[static_cast<std::size_t>(j.node)] >= before) g.joints.push({at[static_cast<std::size_t>(j.node)], types.extent(j.a), types.extent(j.b)});
        small.moved = std::move(at);
        small.g = open_graph();
        small.into = self;
    }
};

inline std::string words_of(const graph& g, int extent) {
    const extent_data& e = g.extents[extent];
    switch (e.kind) {
        case extent_kind::fixed: return e.name[0] ? "1 or more" : std::to_string(e.value);
        case extent_kind::named: return is_open(e) ? "?" : std::string(e.name);
        case extent_kind::linear: {
            std::string s = words_of(g, e.a);
            if (e.value) s += (e.value < 0 ? " - " : " + ") + std::to_string(e.value < 0 ? -e.value : e.value);
            return e.div == 1 ? s : "(" + s + ") / " + std::to_string(e.div);
        }
        default: return words_of(g, e.a) + " * " + words_of(g, e.b);
    }
}
inline std::string words_of_type(const graph& g, int ty) {
    const type_data& t = g.types[ty];
    std::string s = name_of(t.dt);
    if (t.rank == 0) return s;
    s += "[";
    for (int k = 0; k < t.rank; ++k) s += (k ? ", " : "") + words_of(g, t.ext[k]);
    return s + "]";
}
inline std::string number_text(double v) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, v).ptr;
    return std::string(text, end);
}
/// An operand in a message: an input by its name, a number, or the operation that made it.
inline std::string words_of_node(const graph& g, int id) {
    std::string s;
    if (g.is(id, input_info)) s = std::string(g.extents[g.param(id, 0)].name);
    else if (g.is(id, literal_info)) return number_text(real_value(g, id));
    else {
        s = std::string(g.op(id).name) + "(";
        int k = 0;
        for (int a : g.args(id)) {
            s += k++ ? ", " : "";
            s += g.is(a, input_info) ? std::string(g.extents[g.param(a, 0)].name) : g.is(a, literal_info) ? number_text(real_value(g, a)) : "...";
        }
        s += ")";
    }
    return s + ": " + words_of_type(g, g.nodes[id].ty);
}

/// A fault as a sentence, for the runtime graph's syntax.
inline const char* sentence(fault f) {
    switch (f) {
        case fault::extents_differ:
            return "the operands' extents differ; only equal names, equal sizes, extents that nobody named and a fixed extent of 1 go together: rename an extent, insert an axis with "
                   "x(all, newaxis), or declare it dyn::broadcastable";
        case fault::dot_extents:
            return "dot sums over the last extent of its first operand and the first (of a matrix: last but one) extent of its second, and these extents differ: give them one "
                   "name, or transpose an operand";
        case fault::dot_ranks: return "dot takes operands with at least one axis: use * to multiply by a scalar";
        case fault::no_such_axis: return "no such axis: axes count from 0, or from the end with negative numbers, within the operand's rank";
        case fault::axis_twice: return "an axis is named twice: name each axis once";
        case fault::too_many_indices: return "more indices than the operand has axes: leave some out, or insert axes with newaxis";
        case fault::index_out_of_range: return "an index is outside the operand's fixed extent: count from 0, or from the end with negative numbers";
        case fault::slice_mixed:
            return "a slice that starts near the end and stops near the start has no length known here: write dyn::slice(start, stop, step) with start before stop";
        case fault::slice_step_zero: return "the step of a slice is not 0";
        case fault::not_boolean: return "the condition, or an operand of a logical operation, is not bool: write a comparison such as x > 0";
        case fault::not_number: return "this operation takes numbers, not bool: use where(condition, 1, 0) to count";
        case fault::not_real: return "this operation takes float or double: cast the operand with cast<double>(x)";
        case fault::reshape_size: return "reshape keeps the number of elements, and the extents asked for do not multiply to it";
        case fault::cannot_broadcast: return "the operand does not broadcast to the extents asked for; only a fixed extent of 1 and missing leading axes stretch";
        case fault::rank_too_high: return "a tensor has at most 8 axes";
        case fault::permutation: return "transpose takes each axis of the operand once";
        case fault::empty_reduction: return "min and max of an axis of extent 0 have no value: reduce another axis";
        case fault::arity: return "this operation takes another number of operands";
        default: return "the operation does not fit its operands";
    }
}

}  // namespace bits

namespace dyn {

/// Where the user knows no size and gives no name: each such axis has an extent of its own, known at the call.
struct unknown_t {};
inline constexpr unknown_t unknown{};
/// An axis whose extent is known at the call, and which stretches to the others' where it is 1 then.
struct broadcastable_t {};
inline constexpr broadcastable_t broadcastable{};

/// The extent of an axis: a size, a name (equal names mean equal sizes), dyn::unknown or dyn::broadcastable.
struct extent {
    std::int64_t size = -1;
    std::string name;
    bool stretches = false;
    extent(unknown_t) {}
    extent(broadcastable_t) : stretches(true) {}
    template <class T>
        requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
    extent(T n) : size(static_cast<std::int64_t>(n)) {
        if (size < 0) throw error("cotan: an extent is not negative, got " + std::to_string(size));
    }
    extent(const char* text) : extent(std::string(text)) {}
    extent(std::string text) : name(std::move(text)) {
        if (name.empty() || name.size() >= bits::name_length)
            throw error("cotan: the name of an extent has 1 to " + std::to_string(bits::name_length - 1) + " characters, got \"" + name + "\"");
        if (name.find('.') != std::string::npos) throw error("cotan: the name of an extent has no '.', got \"" + name + "\"");
    }
};

class index_item;

/// An expression of the runtime graph: a handle to a node that is shared and never changes. Numbers are expressions too, and typed expressions become
/// runtime ones where they meet one. Expressions that were combined with each other are not used from two threads at once; functions made of them are
/// independent of them.
class expr {
public:
    /// A number. It takes the dtype of what it meets.
    template <class T>
        requires std::is_arithmetic_v<T>
    expr(T v) {
        if constexpr (std::is_same_v<T, bool>) number_ = {dtype::boolean, v ? 1u : 0u};
        else if constexpr (std::is_integral_v<T>) number_ = {dtype::weak_integer, static_cast<std::uint64_t>(static_cast<std::int64_t>(v))};
        else number_ = {dtype::weak_real, std::bit_cast<std::uint64_t>(static_cast<double>(v))};
    }
    /// A typed expression as a runtime one.
    template <cotan::expression E>
    expr(E) : home_(std::make_shared<bits::arena>()) {
        bits::lowering l(home_->g);
        id_ = l.template operator()<node_of<E>>();
    }
    expr(std::shared_ptr<bits::arena> home, int id) : home_(std::move(home)), id_(id) {}

    cotan::dtype dtype() const { return home_ ? graph().dtype_of(id()) : number_.dt; }
    int rank() const { return home_ ? graph().rank(id()) : 0; }
    /// What it is, in words: the operation, its operands and its type.
    std::string text() const {
        const expr e = placed();
        return bits::words_of_node(e.graph(), e.id());
    }
    /// Indexing with integers, dyn::slice(...), all, newaxis and ellipsis.
    template <class... I>
        requires(std::is_convertible_v<I, index_item> && ...)
    expr operator()(I... indices) const;

    // For the engines.
    bits::open_graph& graph() const {
        follow();
        return home_->g;
    }
    int id() const {
        follow();
        return id_;
    }
    const std::shared_ptr<bits::arena>& home() const {
        follow();
        return home_;
    }
    bool is_number() const { return !home_; }
    int id_in(const std::shared_ptr<bits::arena>& there) const {
        if (home_) return id();
        return make_number(there->g);
    }
    /// The same in a graph: a number gets one of its own.
    expr placed() const {
        if (home_) return *this;
        auto own = std::make_shared<bits::arena>();
        const int node = make_number(own->g);
        return {std::move(own), node};
    }

private:
    struct number {
        cotan::dtype dt;
        std::uint64_t bits;
    };
    int make_number(bits::graph& g) const {
        if (number_.dt == dtype::weak_real) return g.literal(std::bit_cast<double>(number_.bits), number_.dt);
        return g.raw(bits::literal_info, {}, {}, g.scalar_type(number_.dt), number_.bits);
    }
    void follow() const {
        while (home_->into) {
            id_ = home_->moved[static_cast<std::size_t>(id_)];
            home_ = std::shared_ptr<bits::arena>(home_->into);
        }
    }
    mutable std::shared_ptr<bits::arena> home_;
    mutable int id_ = -1;
    number number_{dtype::weak_real, 0};
};

}  // namespace dyn

namespace bits {

/// Brings expressions into one graph: the largest of theirs. Their ids there are written to `ids`.
inline std::shared_ptr<arena> together(view<const dyn::expr*> e, int* ids) {
    std::shared_ptr<arena> home;
    for (const dyn::expr* x : e)
        if (!x->is_number() && (!home || x->home()->g.nodes.size() > home->g.nodes.size())) home = x->home();
    if (!home) home = std::make_shared<arena>();
    for (int i = 0; i < e.size(); ++i) {
        if (!e[i]->is_number() && e[i]->home() != home) home->absorb(home, *e[i]->home());
        ids[i] = e[i]->id_in(home);
    }
    return home;
}

[[noreturn]] inline void throw_fault(open_graph& g, std::string_view op, view<int> ids, fault f, const std::string& more = {}) {
    g.error = fault::none;
    g.pending.clear();
    std::string s = "cotan: " + std::string(op) + ": " + sentence(f) + more + " (got ";
    for (int i = 0; i < ids.size(); ++i) s += (i ? "; " : "") + words_of_node(g, ids[i]);
    throw shape_error(s + ")");
}

/// An operation on expressions.
inline dyn::expr make_expr(const op_info& op, view<const dyn::expr*> e, view<int> params = {}) {
    int few[8];
    std::vector<int> many;
    int* ids = few;
    if (e.size() > 8) {
        many.resize(static_cast<std::size_t>(e.size()));
        ids = many.data();
    }
    std::shared_ptr<arena> home = together(e, ids);
    open_graph& g = home->g;
    const int id = g.make(op, view<int>{ids, e.size()}, params);
    if (id < 0) throw_fault(g, op.name, view<int>{ids, e.size()}, g.error);
    g.pending.clear();
    return {std::move(home), id};
}
template <class... E>
dyn::expr make_expr_of(const op_info& op, view<int> params, const E&... e) {
    const dyn::expr* list[] = {&e...};
    return make_expr(op, view<const dyn::expr*>{list, sizeof...(E)}, params);
}

inline int extent_in(graph& g, const dyn::extent& e, const std::string& input, int axis) {
    if (e.size >= 0) return g.fixed(e.size);
    if (!e.name.empty()) return g.named(e.name);
    const std::string own = input + "." + std::to_string(axis);
    if (!e.stretches) return g.named(own);
    extent_data d;
    d.value = 1;
    for (std::size_t i = 0; i < own.size(); ++i) d.name[i] = own[i];
    return g.intern(d);
}

template <class T>
dyn::expr make_input(const std::string& name, const std::vector<dyn::extent>& extents) {
    constexpr int longest = name_length - 3;
    if (name.empty() || static_cast<int>(name.size()) > longest)
        throw error("cotan: the name of an input has 1 to " + std::to_string(longest) + " characters, got \"" + name + "\"");
    if (extents.size() > max_rank) throw error("cotan: a tensor has at most 8 axes, input " + name + " was given " + std::to_string(extents.size()));
    auto home = std::make_shared<arena>();
    graph& g = home->g;
    type_data t;
    t.dt = dtype_of<T>();
    for (const dyn::extent& e : extents) {
        t.ext[t.rank] = extent_in(g, e, name, t.rank);
        ++t.rank;
    }
    const int p = g.named(name);
    const int id = g.raw(input_info, {}, view<int>{&p, 1}, g.intern(t));
    return {std::move(home), id};
}

}  // namespace bits

namespace dyn {

/// An input of so many axes, each with an extent of its own that is known at the call.
template <class T, std::same_as<int> Rank>  // deduced, so that a list of one size is a list
expr tensor(const std::string& name, Rank rank) {
    if (rank < 0) throw error("cotan: input " + name + ": a number of axes is not negative");
    return bits::make_input<T>(name, std::vector<extent>(static_cast<std::size_t>(rank), extent(unknown)));
}
/// An input with these extents: names, sizes, dyn::unknown, dyn::broadcastable.
template <class T>
expr tensor(const std::string& name, std::initializer_list<extent> extents) {
    return bits::make_input<T>(name, std::vector<extent>(extents));
}
template <class T>
expr tensor(const std::string& name, const std::vector<extent>& extents) {
    return bits::make_input<T>(name, extents);
}
/// An input without axes.
template <class T>
expr scalar(const std::string& name) {
    return bits::make_input<T>(name, {});
}
/// The name of an input.
inline std::string name_of_input(const expr& e) {
    if (e.is_number() || !e.graph().is(e.id(), bits::input_info)) throw error("cotan: an input was expected, got " + e.text());
    return e.graph().extents[e.graph().param(e.id(), 0)].name;
}
/// A number as an expression. Plain numbers are ones too where they meet an expression.
template <class T>
    requires std::is_arithmetic_v<T>
expr constant(T v) {
    return expr(v);
}
/// A typed expression as a runtime one. Inputs keep their names, so that an input lifted twice is the same input.
template <cotan::expression E>
expr lift(E e) {
    return expr(e);
}

}  // namespace dyn
}  // namespace cotan
