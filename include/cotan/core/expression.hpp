#pragma once

#include <cotan/core/graph.hpp>
#include <cotan/core/name.hpp>
#include <cotan/core/op.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cotan {

namespace bits {

// --- extents and types as types ----------------------------------------------------------------------------------------------
template <std::int64_t N> struct fixed_extent {
    static constexpr int lower(graph& g) { return g.fixed(N); }
};
template <fixed_string Name> struct named_extent {
    static constexpr int lower(graph& g) { return g.named(Name.view()); }
};
template <fixed_string Name> struct ragged_extent {
    static constexpr int lower(graph& g) { return g.ragged(Name.view()); }
};
template <class Base, std::int64_t Add, std::int64_t Div> struct linear_extent {
    static constexpr int lower(graph& g) { return g.linear(Base::lower(g), Add, Div); }
};
template <class A, class B> struct product_extent {
    static constexpr int lower(graph& g) { return g.product(A::lower(g), B::lower(g)); }
};

/// The type of a value: its dtype and extents.
template <dtype D, class... E> struct ty {
    static constexpr dtype dt = D;
    static constexpr int rank = sizeof...(E);
    static constexpr int lower(graph& g) {
        type_data t;
        t.dt = D;
        int k = 0;
        ((k < max_rank ? void(t.ext[k++] = E::lower(g)) : void()), ...);
        t.rank = k;
        return g.intern(t);
    }
};

/// What a user may give as an extent: a name or a size.
struct extent_arg {
    char name[name_length]{};
    std::int64_t size = -1;
    template <std::size_t N>
    consteval extent_arg(const char (&text)[N]) {
        static_assert(N <= name_length, "cotan: the name of an extent has at most 23 characters");
        for (std::size_t i = 0; i < N; ++i) name[i] = text[i];
    }
    consteval extent_arg(long long n) : size(n) {}
    consteval extent_arg(int n) : size(n) {}
    consteval extent_arg(long n) : size(n) {}
    consteval extent_arg(unsigned long n) : size(static_cast<std::int64_t>(n)) {}
    friend constexpr bool operator==(const extent_arg&, const extent_arg&) = default;
};

consteval int length_of(const char* s) {
    int n = 0;
    while (s[n]) ++n;
    return n;
}

/// T::chars as a fixed_string.
template <class T, std::size_t... I>
consteval auto string_from(std::index_sequence<I...>) {
    const char text[sizeof...(I) + 1] = {T::chars(static_cast<int>(I))..., 0};
    return fixed_string<sizeof...(I) + 1>(text);
}

template <extent_arg A>
struct extent_of_arg {
    static constexpr char chars(int i) { return A.name[i]; }
    static consteval auto make() {
        if constexpr (A.size >= 0) return std::type_identity<fixed_extent<A.size>>{};
        else return std::type_identity<named_extent<string_from<extent_of_arg>(std::make_index_sequence<length_of(A.name)>{})>>{};
    }
    using type = typename decltype(make())::type;
};

// --- nodes -----------------------------------------------------------------------------------------------------------------
template <int... P> struct params {
    static constexpr int size = sizeof...(P);
    static constexpr int values[sizeof...(P) + 1] = {P..., 0};
    static constexpr unsigned hash = [] {
        unsigned h = 17;
        for (int v : values) h = mix(h, static_cast<unsigned>(v));
        return h;
    }();
};

struct lowering;

/// What is needed of a node (a type) while it is lowered. Its `build` returns the node in the graph, or -2 where it has put operands on the stack that
/// come first.
struct visitor {
    unsigned hash = 0;
    int (*build)(lowering&) = nullptr;
};

/// Turns nodes (types) into a graph (a value). Iterative: the depth of a graph costs no depth of the evaluator. A node is known by the address of
/// its `build`, found by its hash.
struct lowering {
    struct entry {
        visitor of;
        int id = -1;
    };
    graph* g = nullptr;
    vec<visitor> stack;
    vec<entry> table;
    int used = 0;

    constexpr explicit lowering(graph& graph_) : g(&graph_) { table.resize(64); }
    constexpr int find(const visitor& v) const {
        const unsigned mask = static_cast<unsigned>(table.size() - 1);
        for (unsigned at = v.hash & mask; table[static_cast<int>(at)].of.build; at = (at + 1) & mask) {
            const entry& e = table[static_cast<int>(at)];
            if (e.of.hash == v.hash && e.of.build == v.build) return e.id;
        }
        return -1;
    }
    constexpr void place(vec<entry>& t, const entry& e) const {
        const unsigned mask = static_cast<unsigned>(t.size() - 1);
        unsigned at = e.of.hash & mask;
        while (t[static_cast<int>(at)].of.build) at = (at + 1) & mask;
        t[static_cast<int>(at)] = e;
    }
    constexpr void store(const visitor& v, int id) {
        if (2 * ++used > table.size()) {
            vec<entry> bigger(2 * table.size());
            for (const entry& e : table)
                if (e.of.build) place(bigger, e);
            table = static_cast<vec<entry>&&>(bigger);
        }
        place(table, entry{v, id});
    }
    constexpr int operator()(const visitor& root) {
        stack.push(root);
        while (!stack.empty()) {
            const visitor v = stack.back();
            if (find(v) < 0) {
                const int id = v.build(*this);
                if (id == -2) continue;  // operands first; they are on the stack now
                store(v, id);
            }
            (void)stack.pop();
        }
        return find(root);
    }
    template <class N> constexpr int operator()() { return (*this)(visitor{N::hash, &N::build}); }
};

template <class N> constexpr int lower_node(graph& g) {
    lowering l(g);
    return l.template operator()<N>();
}

inline constexpr op_info input_info{.name = "input", .hash = hash_text("input"), .cls = op_class::leaf, .arity = 0, .cost = 0, .has_params = true};
constexpr unsigned literal_facts(double v) {
    return (v > 0 ? is_positive | is_nonnegative : 0u) | (v == 0 ? is_nonnegative : 0u);
}
inline constexpr op_info literal_info{.name = "literal", .hash = hash_text("literal"), .cls = op_class::leaf, .arity = 0, .cost = 0};

/// An operation applied to operands.
template <class Op, class P, class Ty, class... K>
struct node {
    using op = Op;
    using type = Ty;
    enum : bool { commutes = requires { requires Op::commutative; } && sizeof...(K) == 2 };
    enum : unsigned {
        hash = [] {
            unsigned h = mix(hash_text(Op::name), P::hash);
            if constexpr (commutes) {
                const unsigned k[] = {static_cast<unsigned>(K::hash)...};
                h = mix(mix(h, k[0] < k[1] ? k[0] : k[1]), k[0] < k[1] ? k[1] : k[0]);
            } else ((h = mix(h, static_cast<unsigned>(K::hash))), ...);
            return h;
        }()
    };
    /// How many loops stand in each other here.
    enum : int {
        height = [] {
            int h = 0;
            ((h = static_cast<int>(K::height) > h ? static_cast<int>(K::height) : h), ...);
            if constexpr (requires { Op::binds; }) ++h;
            return h;
        }()
    };
    static constexpr int build(lowering& l) {
        constexpr int count = sizeof...(K);
        const int ids[] = {l.find(visitor{K::hash, &K::build})..., 0};
        bool missing = false;
        for (int i = 0; i < count; ++i) missing = missing || ids[i] < 0;
        if (missing) {
            // what x + y adds is made in the same order as for y + x: they are one function
            const visitor k[] = {visitor{K::hash, &K::build}..., visitor{}, visitor{}};
            const bool turned = commutes && k[0].hash > k[1].hash;
            for (int i = 0; i < count; ++i)
                if (const int at = turned ? count - 1 - i : i; ids[at] < 0) l.stack.push(k[at]);
            return -2;
        }
        const view<int> a{ids, count}, p{P::values, P::size};
        if constexpr (requires { Op::explicit_type; }) return Op::build(*l.g, a, p, Ty::lower(*l.g));
        else return l.g->make(info<Op>, a, p);
    }
};

template <fixed_string Name, class Ty>
struct input_node {
    using type = Ty;
    static constexpr auto name = Name;
    enum : int { height = 0 };
    enum : unsigned { hash = mix(hash_text(Name.view()), 5u + static_cast<unsigned>(Ty::dt) * 16u + static_cast<unsigned>(Ty::rank)) };
    static constexpr int build(lowering& l) {
        const int p = l.g->named(Name.view());
        const int t = Ty::lower(*l.g);
        return l.g->raw(input_info, {}, view<int>{&p, 1}, t);
    }
};

template <dtype D, std::uint64_t Bits>
struct literal_node {
    static constexpr int constant = static_cast<int>(static_cast<std::int64_t>(Bits));
    using type = ty<D>;
    enum : int { height = 0 };
    enum : unsigned { hash = mix(static_cast<unsigned>(D) + 99u, Bits) };
    static constexpr int build(lowering& l) { return l.g->raw(literal_info, {}, {}, l.g->scalar_type(D), Bits); }
};

}  // namespace bits

/// A user's handle. It is nested so that argument-dependent lookup does not walk the whole graph for every operator: compilers do not look into the
/// arguments of an enclosing class.
template <class N>
struct wrap {
    struct type {
        using cotan_node = N;
        /// Indexing: integers c<0>, slices, `all`, `newaxis` and `ellipsis`, in the manner of xtensor.
        template <class... I>
        constexpr auto operator()(I... indices) const;
    };
};

/// An expression as a value: a node of a graph. Rules are written on these, and the runtime graph is made of them.
struct sym {
    bits::graph* g = nullptr;
    int id = -1;
    int (*lower)(bits::graph&) = nullptr;  // a typed expression (a literal in a rule) whose graph is not known yet
    constexpr sym() = default;
    constexpr sym(bits::graph* graph_, int node) : g(graph_), id(node) {}
    template <class E>
        requires requires { typename E::cotan_node; }
    constexpr sym(E) : lower(&bits::lower_node<typename E::cotan_node>) {}
    template <class... I>
    constexpr auto operator()(I... indices) const;
};

namespace bits {
template <class N> using handle = typename wrap<N>::type;
}  // namespace bits

/// A typed expression.
template <class E>
concept expression = requires { typename std::remove_cvref_t<E>::cotan_node; };

/// What an operation's function template takes. Nodes of a graph (sym) have functions of their own, see op/functions.hpp.
template <class E>
concept operand = expression<E>;

template <class E> using node_of = typename std::remove_cvref_t<E>::cotan_node;
template <class E> using type_of = typename node_of<E>::type;

namespace bits {

constexpr int graph::literal(double v, dtype d) {
    const std::uint64_t b = is_real(d) ? std::bit_cast<std::uint64_t>(d == dtype::float32 ? static_cast<double>(static_cast<float>(v)) : v)
                                       : static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    const int id = raw(literal_info, {}, {}, scalar_type(d), b);
    if (d != dtype::boolean) nodes[id].facts = literal_facts(v);
    return id;
}

// --- the result type of an operation, once for each combination of types -----------------------------------------------------------
struct result_data {
    fault error = fault::none;
    type_data type;
    extent_data extents[2 * max_rank + 4]{};
    int count = 0;
};

constexpr int copy_extent(const graph& g, int e, result_data& r) {
    extent_data d = g.extents[e];
    if (d.kind == extent_kind::linear) d.a = copy_extent(g, d.a, r);
    if (d.kind == extent_kind::product) {
        d.a = copy_extent(g, d.a, r);
        d.b = copy_extent(g, d.b, r);
    }
    if (r.count == 2 * max_rank + 4) return 0;
    r.extents[r.count] = d;
    return r.count++;
}

constexpr result_data result_in(const graph& g, int ty) {
    result_data r;
    if (g.error != fault::none || ty < 0) {
        r.error = g.error == fault::none ? fault::arity : g.error;
        return r;
    }
    r.type = g.types[ty];
    for (int k = 0; k < r.type.rank; ++k) r.type.ext[k] = copy_extent(g, r.type.ext[k], r);
    return r;
}

template <class R, int I>
struct extent_type {
    static constexpr extent_data data = R::value.extents[I];
    static constexpr char chars(int i) { return data.name[i]; }
    static consteval auto make() {
        if constexpr (data.kind == extent_kind::fixed) return std::type_identity<fixed_extent<data.value>>{};
        else if constexpr (data.kind == extent_kind::named)
            return std::type_identity<named_extent<string_from<extent_type>(std::make_index_sequence<length_of(data.name)>{})>>{};
        else if constexpr (data.kind == extent_kind::ragged)
            return std::type_identity<ragged_extent<string_from<extent_type>(std::make_index_sequence<length_of(data.name)>{})>>{};
        else if constexpr (data.kind == extent_kind::linear)
            return std::type_identity<linear_extent<typename extent_type<R, data.a>::type, data.value, data.div>>{};
        else return std::type_identity<product_extent<typename extent_type<R, data.a>::type, typename extent_type<R, data.b>::type>>{};
    }
    using type = typename decltype(make())::type;
};

template <class R, class Seq> struct type_from;
template <class R, std::size_t... I>
struct type_from<R, std::index_sequence<I...>> {
    using type = ty<R::value.type.dt, typename extent_type<R, R::value.type.ext[I]>::type...>;
};
template <class R>
using type_of_result = typename type_from<R, std::make_index_sequence<static_cast<std::size_t>(R::value.type.rank)>>::type;

template <class Op, class P, class... T>
consteval result_data infer() {
    graph g;
    const int tys[] = {T::lower(g)..., 0};
    int ids[sizeof...(T) + 1]{};
    for (int i = 0; i < static_cast<int>(sizeof...(T)); ++i) {
        const int p = i;
        ids[i] = g.raw(input_info, {}, view<int>{&p, 1}, tys[i]);
    }
    const int id = g.make(info<Op>, view<int>{ids, sizeof...(T)}, view<int>{P::values, P::size});
    return result_in(g, id < 0 ? -1 : g.nodes[id].ty);
}

}  // namespace bits
}  // namespace cotan
