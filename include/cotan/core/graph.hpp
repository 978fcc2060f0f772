#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include <cotan/core/dtype.hpp>
#include <cotan/core/vec.hpp>

namespace cotan {
struct sym;
}  // namespace cotan

namespace cotan::bits {

struct graph;
struct rewriter;
struct op_info;

inline constexpr int max_rank = 8;
inline constexpr int name_length = 24;

/// What is wrong with an operation's operands. The typed front end turns each into a sentence of the compiler, the runtime graph into an exception.
enum class fault : unsigned char {
    none,
    extents_differ,
    dot_extents,
    dot_ranks,
    no_such_axis,
    axis_twice,
    too_many_indices,
    index_out_of_range,
    slice_mixed,
    slice_step_zero,
    not_boolean,
    not_number,
    not_real,
    reshape_size,
    cannot_broadcast,
    rank_too_high,
    permutation,
    empty_reduction,
    arity,
    no_derivative,
    rule_not_linear,
};

enum class extent_kind : unsigned char { fixed, named, linear, product, ragged };

/// The length of an axis: a number, a name, ceil((base + add) / div), a product of two, or ragged: each row of the axis before has a length of its own, as the
/// stored elements of a sparse matrix's rows do; the name is the matrix's.
struct extent_data {
    extent_kind kind = extent_kind::fixed;
    std::int64_t value = 0;  // fixed: the size; linear: add
    std::int64_t div = 1;
    int a = -1, b = -1;  // linear: base; product: factors, a <= b
    char name[name_length]{};
    friend constexpr bool operator==(const extent_data&, const extent_data&) = default;
};

struct type_data {
    dtype dt = dtype::float64;
    int rank = 0;
    int ext[max_rank]{};
    friend constexpr bool operator==(const type_data&, const type_data&) = default;
};

/// What is known of every element of a value.
enum fact : unsigned { is_positive = 1, is_nonnegative = 2, is_integer_valued = 4 };

struct node_data {
    const op_info* op = nullptr;
    int args = 0, nargs = 0;      // into graph::pool
    int params = 0, nparams = 0;  // into graph::pool
    int ty = -1;
    unsigned facts = 0;
    std::uint64_t bits = 0;  // a literal's value: a double's bits, or an integer
    unsigned hash = 0;
};

/// How an operation is treated by the engines.
enum class op_class : unsigned char {
    leaf,         // input, literal, extent
    elementwise,  // one kernel, applied to broadcast operands
    reduction,    // folds axes
    running,      // a recurrence along one axis with a result at each position
    view,         // another arrangement of its operand's elements
    composite,    // expanded into others before planning
    derivative,   // grad, pullback, pushforward: expanded by diff/
    loop,         // owns a body: nodes that depend on what it binds
    cond,         // owns two branches: nodes that only one of them needs
    projection,   // one of the values of a loop
    placeholder,  // stands for any expression in a pattern
    gather,       // elements of the first operand, at the places that the second one holds
    scatter,      // the first operand's elements added up, at the places that the second one holds
};

/// How the dtypes of an elementwise operation's operands and result follow from each other.
enum class typing : unsigned char { arithmetic, real, comparison, logic, choose, keep };

/// Which part of an axis of an operand an element of the result reads: all of it, the place at `offset` from its own along an axis of the result, or the
/// place `offset`.
struct axis_read {
    enum read_kind : int { all, moving, fixed } kind = all;
    int axis = 0;
    int offset = 0;
    friend constexpr bool operator==(const axis_read&, const axis_read&) = default;
};

struct rule_store;
struct pull_context;
struct push_context;
struct region_context;

/// All that the engines know of an operation: one constant for each, made from its home file.
struct op_info {
    std::string_view name;
    unsigned hash = 0;
    op_class cls = op_class::leaf;
    typing types = typing::arithmetic;
    int arity = 1;  // -1: any number
    int cost = 1;   // of one element, in additions
    bool commutative = false;
    bool linear = false;     // its pushforward is itself
    bool has_params = false;
    bool in_pairs = false;  // has a kernel_pair(result, result, operands..., operands...), which computes two vectors at once
    bool uses_key = false;  // a draw: its last operand is a random key, which no other draw uses
    bool no_gradient = false;  // a derivative through it is asked for by mistake only: a discrete draw
    int (*infer)(graph&, const op_info&, view<int> types, view<int> params) = nullptr;
    unsigned (*facts)(const graph&, view<int> args) = nullptr;
    int (*desugar)(graph&, view<int> args, view<int> params) = nullptr;  // not an operation of its own: written with others
    int (*normalise)(graph&, const op_info&, view<int> args, view<int> params, int ty) = nullptr;
    void (*rules)(rule_store&) = nullptr;
    void (*partials)(const sym& y, int* to) = nullptr;  // of an elementwise operation: a node for each operand, -1 where there is none
    void (*pullback)(pull_context&) = nullptr;
    void (*pushforward)(push_context&) = nullptr;
    void (*pull_region)(region_context&) = nullptr;  // derivatives of an operation that owns a part of the graph
    void (*push_region)(region_context&) = nullptr;
    int (*expand)(graph&, int) = nullptr;
    int (*derivative)(rewriter&, int, int, view<int>) = nullptr;  // of operands y and x, what a derivative node stands for
    void (*lift)(const graph&, int, int, vec<int>&) = nullptr;  // the parameters for an operand with some leading axes more
    void (*reads)(const graph&, int, axis_read*) = nullptr;     // for each axis of the first operand, what an element reads; default: all
    double (*fold)(const double*) = nullptr;  // exact on literals, for constant folding
};

constexpr unsigned mix(unsigned h, std::uint64_t v) {
    const std::uint64_t x = (h ^ v) * 0x9E3779B97F4A7C15ull;
    return static_cast<unsigned>(x ^ (x >> 32));
}

constexpr unsigned hash_text(std::string_view s) {
    unsigned h = 2166136261u;
    for (char c : s) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return h;
}

/// Finds the index of what has a hash: open addressing, for arrays that only grow.
struct int_table {
    vec<int> slots;    // index + 1
    int known = 0;     // so many of the array are in the table

    template <class Hash>
    constexpr void take_in(int count, Hash hash) {
        if (known > count) {
            slots.clear();
            known = 0;
        }
        if (2 * (count + 1) > slots.size()) {
            int room = 128;
            while (room < 4 * count) room *= 2;
            slots = vec<int>(room, 0);
            known = 0;
        }
        const unsigned mask = static_cast<unsigned>(slots.size() - 1);
        for (; known < count; ++known) {
            unsigned at = hash(known) & mask;
            while (slots[static_cast<int>(at)]) at = (at + 1) & mask;
            slots[static_cast<int>(at)] = known + 1;
        }
    }
    template <class Same>
    constexpr int find(unsigned hash, Same same) const {
        const unsigned mask = static_cast<unsigned>(slots.size() - 1);
        for (unsigned at = hash & mask; slots[static_cast<int>(at)]; at = (at + 1) & mask)
            if (same(slots[static_cast<int>(at)] - 1)) return slots[static_cast<int>(at)] - 1;
        return -1;
    }
};

/// A directed acyclic graph of operations, equal nodes shared. Ids are in topological order: operands before what uses them, so passes are loops
/// and nothing recurses over the depth of a graph. The same class serves constant evaluation (typed graphs) and run time.
struct graph {
    vec<node_data> nodes;
    vec<int> pool;
    vec<type_data> types;
    vec<extent_data> extents;
    vec<int> table;  // open addressing, node id + 1
    vec<unsigned char> shared;  // nodes that are used more than once as they are: sums and products do not open them
    bool untyped = false;    // a graph of patterns: no types, no casts
    fault error = fault::none;
    const op_info* error_op = nullptr;

    constexpr graph() { table.resize(64, 0); }
    constexpr graph(const graph&) = default;
    constexpr graph& operator=(const graph&) = default;
    constexpr virtual ~graph() {}

    // --- extents and types -------------------------------------------------------------------------------------------------
    static constexpr int few = 24;  // so many extents or types are searched one by one, more through a table
    int_table extent_table, type_table;

    static constexpr bool same_extent(const extent_data& o, const extent_data& e) {
        if (o.kind != e.kind || o.value != e.value || o.a != e.a || o.b != e.b || o.div != e.div) return false;
        for (int k = 0; k < name_length; ++k) {
            if (o.name[k] != e.name[k]) return false;
            if (o.name[k] == 0) break;
        }
        return true;
    }
    static constexpr unsigned hash_of(const extent_data& e) {
        unsigned h = mix(static_cast<unsigned>(e.kind), static_cast<std::uint64_t>(e.value));
        h = mix(mix(mix(h, static_cast<std::uint64_t>(e.div)), static_cast<unsigned>(e.a)), static_cast<unsigned>(e.b));
        for (int k = 0; k < name_length && e.name[k]; ++k) h = (h ^ static_cast<unsigned char>(e.name[k])) * 16777619u;
        return h;
    }
    static constexpr unsigned hash_of(const type_data& t) {
        unsigned h = mix(static_cast<unsigned>(t.dt), static_cast<unsigned>(t.rank));
        for (int k = 0; k < t.rank; ++k) h = mix(h, static_cast<unsigned>(t.ext[k]) + 1u);
        return h;
    }
    constexpr int intern(const extent_data& e) {
        if (extents.size() > few) {
            extent_table.take_in(extents.size(), [&](int i) constexpr { return hash_of(extents[i]); });
            const int found = extent_table.find(hash_of(e), [&](int i) constexpr { return same_extent(extents[i], e); });
            return found >= 0 ? found : extents.push(e);
        }
        for (int i = 0; i < extents.size(); ++i)
            if (same_extent(extents[i], e)) return i;
        return extents.push(e);
    }
    constexpr int fixed(std::int64_t n) {
        extent_data e;
        e.value = n;
        return intern(e);
    }
    constexpr int named(std::string_view name) {
        extent_data e;
        e.kind = extent_kind::named;
        for (int i = 0; i < name_length - 1 && i < static_cast<int>(name.size()); ++i) e.name[i] = name[static_cast<unsigned>(i)];
        return intern(e);
    }
    constexpr int ragged(std::string_view name) {
        extent_data e = extents[named(name)];
        e.kind = extent_kind::ragged;
        return intern(e);
    }
    constexpr bool is_ragged(int e) const { return extents[e].kind == extent_kind::ragged; }
    /// ceil((base + add) / div), folded where the base is itself of this form.
    constexpr int linear(int base, std::int64_t add, std::int64_t div) {
        const extent_data b = extents[base];
        if (b.kind == extent_kind::fixed) {
            std::int64_t n = b.value + add;
            n = n <= 0 ? 0 : (n + div - 1) / div;
            return fixed(n);
        }
        if (add == 0 && div == 1) return base;
        extent_data e;
        e.kind = extent_kind::linear;
        e.a = base;
        e.value = add;
        e.div = div;
        if (b.kind == extent_kind::linear && b.div == 1 && div == 1) {
            e.a = b.a;
            e.value = b.value + add;
            if (e.value == 0) return b.a;
        }
        return intern(e);
    }
    constexpr int product(int a, int b) {
        const extent_data ea = extents[a], eb = extents[b];
        if (ea.kind == extent_kind::fixed && eb.kind == extent_kind::fixed) return fixed(ea.value * eb.value);
        if (ea.kind == extent_kind::fixed && ea.value == 1) return b;
        if (eb.kind == extent_kind::fixed && eb.value == 1) return a;
        extent_data e;
        e.kind = extent_kind::product;
        e.a = a < b ? a : b;
        e.b = a < b ? b : a;
        return intern(e);
    }
    constexpr bool is_one(int e) const { return extents[e].kind == extent_kind::fixed && extents[e].value == 1; }

    static constexpr bool same_type(const type_data& o, const type_data& t) {
        if (o.dt != t.dt || o.rank != t.rank) return false;
        for (int k = 0; k < t.rank; ++k)
            if (o.ext[k] != t.ext[k]) return false;
        return true;
    }
    constexpr int intern(const type_data& t) {
        if (types.size() > few) {
            type_table.take_in(types.size(), [&](int i) constexpr { return hash_of(types[i]); });
            const int found = type_table.find(hash_of(t), [&](int i) constexpr { return same_type(types[i], t); });
            return found >= 0 ? found : types.push(t);
        }
        for (int i = types.size() - 1; i >= 0; --i)
            if (same_type(types[i], t)) return i;
        return types.push(t);
    }
    constexpr int scalar_type(dtype d) {
        type_data t;
        t.dt = d;
        return intern(t);
    }
    constexpr int with_dtype(int ty, dtype d) {
        if (types[ty].dt == d) return ty;
        type_data t = types[ty];
        t.dt = d;
        return intern(t);
    }
    constexpr const type_data& type_of(int id) const { return types[nodes[id].ty]; }
    constexpr int rank(int id) const { return types[nodes[id].ty].rank; }
    constexpr dtype dtype_of(int id) const { return types[nodes[id].ty].dt; }
    constexpr bool same_shape(int ta, int tb) const {
        if (ta < 0 || tb < 0) return false;
        const type_data &a = types[ta], &b = types[tb];
        if (a.rank != b.rank) return false;
        for (int k = 0; k < a.rank; ++k)
            if (a.ext[k] != b.ext[k]) return false;
        return true;
    }

    constexpr int fail(fault f, const op_info& op) {
        if (error == fault::none) {
            error = f;
            error_op = &op;
        }
        return -1;
    }

    /// Whether two different extents may go together. In typed graphs they never do; the runtime graph notes that they must be equal at the call.
    constexpr virtual bool meets(int, int) { return false; }

    /// The common shape of broadcast operands: a fixed extent of 1 and a missing leading axis stretch, nothing else does.
    constexpr int broadcast(const op_info& op, view<int> tys, dtype dt) {
        type_data r;
        r.dt = dt;
        for (int t : tys)
            if (types[t].rank > r.rank) r.rank = types[t].rank;
        for (int k = 0; k < r.rank; ++k) {
            int ext = -1;
            for (int t : tys) {
                const type_data& o = types[t];
                const int at = k - (r.rank - o.rank);
                if (at < 0) continue;
                const int e = o.ext[at];
                if (ext < 0 || (is_one(ext) && e != ext)) ext = e;
                else if (e != ext && !is_one(e) && !meets(ext, e)) return fail(fault::extents_differ, op);
            }
            r.ext[k] = ext;
        }
        return intern(r);
    }

    // --- nodes -------------------------------------------------------------------------------------------------------------
    constexpr view<int> args(int id) const { return {pool.data() + nodes[id].args, nodes[id].nargs}; }
    constexpr int arg(int id, int i) const { return pool[nodes[id].args + i]; }
    constexpr view<int> params(int id) const { return {pool.data() + nodes[id].params, nodes[id].nparams}; }
    constexpr int param(int id, int i) const { return pool[nodes[id].params + i]; }
    constexpr const op_info& op(int id) const { return *nodes[id].op; }
    constexpr void share(int id) {
        if (shared.size() <= id) shared.resize(id + 1, 0);
        shared[id] = 1;
    }
    constexpr bool is_shared(int id) const { return id < shared.size() && shared[id]; }
    constexpr bool is(int id, const op_info& o) const { return nodes[id].op == &o; }

    constexpr void grow_table() {
        const int n = table.size() * 2;
        vec<int> bigger(n, 0);
        for (int id = 0; id < nodes.size(); ++id) {
            unsigned h = nodes[id].hash & static_cast<unsigned>(n - 1);
            while (bigger[static_cast<int>(h)]) h = (h + 1) & static_cast<unsigned>(n - 1);
            bigger[static_cast<int>(h)] = id + 1;
        }
        table = static_cast<vec<int>&&>(bigger);
    }

    /// The node with this content, made if it is not there. No check, no rewriting.
    constexpr int raw(const op_info& op, view<int> a, view<int> p, int ty, std::uint64_t value = 0) {
        if (2 * (nodes.size() + 1) > table.size()) grow_table();
        unsigned h = mix(op.hash, static_cast<std::uint64_t>(ty) + value);
        for (int x : a) h = mix(h, static_cast<std::uint64_t>(x) + 1);
        for (int x : p) h = mix(h, static_cast<std::uint64_t>(x) + 77);
        const unsigned mask = static_cast<unsigned>(table.size() - 1);
        unsigned at = h & mask;
        while (const int found = table[static_cast<int>(at)]) {
            const node_data& n = nodes[found - 1];
            if (n.hash == h && n.op == &op && n.ty == ty && n.bits == value && n.nargs == a.size() && n.nparams == p.size()) {
                bool same = true;
                for (int i = 0; i < n.nargs && same; ++i) same = pool[n.args + i] == a[i];
                for (int i = 0; i < n.nparams && same; ++i) same = pool[n.params + i] == p[i];
                if (same) return found - 1;
            }
            at = (at + 1) & mask;
        }
        node_data n;
        n.op = &op;
        n.nargs = a.size();
        n.args = pool.append(a.first, a.size());
        n.params = pool.append(p.first, p.size());
        n.nparams = p.size();
        n.ty = ty;
        n.bits = value;
        n.hash = h;
        n.facts = op.facts ? op.facts(*this, view<int>{pool.data() + n.args, n.nargs}) : 0u;
        const int id = nodes.push(n);
        table[static_cast<int>(at)] = id + 1;
        return id;
    }

    /// An operation on operands of any fitting types: dtypes are promoted, the result's type inferred. -1 and `error` set where they do not fit.
    constexpr int make(const op_info& op, view<int> args, view<int> params = {});

    /// What `make` ends with: a plain graph adds the node, a rewriting one simplifies it first. The types are right already.
    constexpr virtual int finish(const op_info& op, view<int> args, view<int> params, int ty) { return raw(op, args, params, ty); }

    constexpr int literal(double v, dtype d);
    constexpr int cast(int id, dtype d);
    constexpr int make(const op_info& op, int a);
    constexpr int make(const op_info& op, int a, int b);
};

// clang's evaluator refuses arithmetic that makes a NaN, at run time it is as good as any.
constexpr double product_of(double a, double b) {
    const double size_a = a < 0 ? -a : a, size_b = b < 0 ? -b : b, inf = __builtin_huge_val();
    if (a != a || b != b || (a == 0 && size_b == inf) || (b == 0 && size_a == inf)) return __builtin_nan("");
    return a * b;
}
constexpr double sum_of(double a, double b) {
    const double inf = __builtin_huge_val();
    if (a != a || b != b || (a == inf && b == -inf) || (a == -inf && b == inf)) return __builtin_nan("");
    return a + b;
}

constexpr double real_value(const graph& g, int id) {
    const dtype d = g.dtype_of(id);
    return is_real(d) ? std::bit_cast<double>(g.nodes[id].bits) : static_cast<double>(static_cast<std::int64_t>(g.nodes[id].bits));
}

}  // namespace cotan::bits
