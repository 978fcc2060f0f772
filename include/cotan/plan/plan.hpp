#pragma once

#include <cotan/plan/outline.hpp>

namespace cotan::bits {

inline constexpr int max_classes = 64;
inline constexpr int worth_storing = 8;  // an operation dearer than this is stored rather than computed twice

/// Where an axis of a memory is read: by which loop, from where, in which steps.
struct axis_map {
    int cls = -1;  // -1: at one place only
    int step = 1;
    int start = 0;
    bool from_end = false;  // start counts from the end of the axis
};

/// Arrays that a plan reads and writes. Inputs and outputs are the caller's; temporaries live in the workspace.
enum class memory_kind : unsigned char { input, output, temporary };
struct memory_data {
    memory_kind kind = memory_kind::input;
    int index = 0;  // of the input or output
    dtype dt = dtype::float64;
    int rank = 0;
    int ext[max_rank]{};  // extents of the graph
    bool zeroed = false;  // filled with zeros before the first write
    int alias = -1;       // another memory, seen with these axes
    int room = -1;        // another memory, whose place it takes when that is read no more
    bool whole = false;   // must be contiguous as a whole
    unsigned shared = 0;  // axes of which one iteration's part is kept only
    int ragged = -1;      // the axis that has another length in each row of the axis before it
    int rows = -1;        // the memory that says where the rows begin
};

enum class step_kind : unsigned char { compute, load, store, loop, accumulate, accumulate_store, fill, running, literal, extent, iota, finish, init, call };

struct reg {
    int depth = 0;  // of the loop in whose frame it lives; 0 is outside all loops
    dtype dt = dtype::float64;
    int index = 0;
};

/// One step of a loop's body.
struct step_data {
    step_kind kind = step_kind::compute;
    const op_info* op = nullptr;
    reg to;
    reg from[3];
    int count = 0;          // of `from`
    int memory = -1;
    int map = -1;           // first axis_map, one for each axis of the memory
    int loop = -1;          // the loop that is run
    int slot = -1;          // of an accumulator, in the frame where it is initialised
    int slot_depth = 0;
    int node = -1;
    std::uint64_t bits = 0;
    int param = 0;
};

struct loop_data {
    int cls = -1;
    int depth = 0;  // 1 outermost
    int parent = -1;
    int first = 0, count = 0;  // steps, consecutive
    bool leaf = true;          // has no loop inside
    bool vector = false;       // can run in SIMD
    dtype lanes = dtype::float64;
    int registers[7]{};        // by dtype
    int rows = -1, row_cls = -1;  // ragged: the memory of where rows begin, and the class that counts them
    int accumulators = 0;
};

/// An operand of a call: a memory as its axes are seen.
struct call_operand {
    int memory = -1, map = -1;  // where in the memory: one axis_map for each of its axes
    int rank = 0;
    int axis[max_rank]{};       // of the memory, for each axis of the operand; -1: the same everywhere
};

/// A call in a plan: its operands and the memories of its values, one after the other.
struct call_data {
    call_info what;
    int operands = 0, operand_count = 0;
    int results = 0;  // last states, traces, number of steps: memories, -1 where nobody reads one
};

/// The loops of a function, as built. `steps` of one loop stand together.
struct plan {
    vec<loop_data> loops;  // 0: the function's own level
    vec<step_data> steps;
    vec<axis_map> maps;
    vec<memory_data> memories;
    vec<int> class_extent;  // the extent of each class
    vec<call_data> calls;
    vec<call_operand> call_operands;
    vec<int> call_results;
    int kernels = 0;
};

constexpr void write_in_place(plan& p);  // in_place.hpp

/// What is computed by loops of its own: a store of a node, or a reduction.
struct task {
    enum kind_t : unsigned char { store, reduce, running, call } kind = store;
    int node = -1;
    int memory = -1;     // store: where; reduce: the array it accumulates in, or -1
    int map = -1;        // store: where in the memory
    unsigned long nest = 0;      // classes of its loops
    unsigned long reduced = 0;   // reduce: the classes folded
    int scatter = -1;            // store: the node that says at which places elements are added up
};

struct planner {
    graph& g;
    vec<int> inputs;  // node of each declared input, -1 where unused
    vec<int> roots;
    plan p;

    vec<unsigned char> live;
    vec<int> first_axis;       // of a node, into axis_class
    vec<int> axis_class;       // -1: extent 1
    vec<int> parent_class;     // union-find
    vec<unsigned long> apart;  // classes that stand together on one value: a row of bits for each
    int apart_words = 1;       // of a row
    vec<unsigned long> dep;    // classes that a node varies with
    vec<unsigned char> stored; // kept in memory for later use
    vec<int> memory_of;        // of inputs and stored nodes
    vec<int> order;            // position of a class, outermost first
    vec<task> tasks;
    vec<int> task_of;          // the reduction or store of a node
    vec<int> rows_of;          // of a ragged extent: the memory of where its rows begin
    vec<int> row_class;        // of a ragged class: the class that counts its rows

    const vec<call_info>* calls = nullptr;

    constexpr planner(graph& g_, const vec<int>& in, const vec<int>& out, const vec<call_info>* calls_ = nullptr) : g(g_), inputs(in), roots(out), calls(calls_) {}

    // --- axes ------------------------------------------------------------------------------------------------------------
    constexpr int find(int c) {
        while (c >= 0 && parent_class[c] != c) c = parent_class[c];
        return c;
    }
    constexpr int new_class(int ext) {
        parent_class.push(parent_class.size());
        for (int i = 0; i < apart_words; ++i) apart.push(0);
        p.class_extent.push(ext);
        return parent_class.size() - 1;
    }
    constexpr bool are_apart(int a, int b) const { return apart[a * apart_words + b / 64] >> b % 64 & 1ul; }
    constexpr void keep_apart(int a, int b) { apart[a * apart_words + b / 64] |= 1ul << b % 64; }
    constexpr int cls(int node, int axis) { return find(axis_class[first_axis[node] + axis]); }
    constexpr bool unite(int a, int b) {
        a = find(a);
        b = find(b);
        if (a == b || a < 0 || b < 0) return true;
        if (are_apart(a, b)) return false;
        // a value that has either together with c keeps both apart from it
        if (a > b) {
            const int t = a;
            a = b;
            b = t;
        }
        parent_class[b] = a;
        for (int i = 0; i < apart_words; ++i) apart[a * apart_words + i] |= apart[b * apart_words + i];
        for (int c = 0; c < parent_class.size(); ++c)
            if (are_apart(c, b)) keep_apart(c, a);
        return true;
    }
    constexpr int breadth_of(int node) {
        int n = 0;
        for (int k = 0; k < g.rank(node); ++k) n += cls(node, k) >= 0;
        return n;
    }
    constexpr void stand_together(int node) {
        const int r = g.rank(node);
        for (int i = 0; i < r; ++i)
            for (int j = 0; j < r; ++j) {
                const int a = cls(node, i), b = cls(node, j);
                if (i != j && a >= 0 && b >= 0) keep_apart(a, b);
            }
    }
    constexpr bool relabels(int id) const {
        if (g.is(id, info<transpose_>) || g.is(id, info<broadcast_>)) return true;
        if (!g.is(id, info<index_>)) return false;
        const view<int> q = g.params(id);
        const type_data& t = g.type_of(g.arg(id, 0));
        int axis = 0;
        for (int i = 0; i < q.size(); i += item_size) {
            if (q[i] == static_cast<int>(item::newaxis)) continue;
            if (q[i] == static_cast<int>(item::slice)) return false;
            if (q[i] == static_cast<int>(item::integer) && !g.is_one(t.ext[axis])) return false;
            ++axis;
        }
        return true;
    }
    constexpr bool is_view(int id) const { return g.op(id).cls == op_class::view && !in_memory(id); }
    /// Views that are memory of their own, or another memory's elements with other axes.
    constexpr bool in_memory(int id) const { return g.is(id, info<scatter_>) || g.is(id, info<reshape_>) || scatters(id) || g.op(id).cls == op_class::projection; }
    constexpr bool scatters(int id) const { return g.op(id).cls == op_class::scatter; }
    constexpr bool gathers(int id) const { return g.op(id).cls == op_class::gather; }
    /// The first of the two axes of places in a gather's result or a scatter's operand: parameters are the axis that places index, and whether the axis
    /// before it is the rows' own.
    constexpr int places_axis(int id) const { return g.param(id, 0) - g.param(id, 1); }
    constexpr bool is_call(int id) const { return g.op(id).cls == op_class::loop; }
    constexpr bool is_memory(int id) const { return g.is(id, input_info) || stored[id]; }

    /// Which axis of a relabelling view's operand each axis of the view is, -1 for none.
    constexpr void sources(int id, int* from) {
        const int x = g.arg(id, 0), rank = g.rank(id), rx = g.rank(x);
        if (g.is(id, info<transpose_>)) {
            for (int k = 0; k < rank; ++k) from[k] = g.nodes[id].nparams ? g.param(id, k) : rank - 1 - k;
        } else if (g.is(id, info<broadcast_>)) {
            for (int k = 0; k < rank; ++k) {
                const int at = k - (rank - rx);
                from[k] = at >= 0 && !(g.is_one(g.type_of(x).ext[at]) && !g.is_one(g.type_of(id).ext[k])) ? at : -1;
            }
        } else {
            const view<int> q = g.params(id);
            int axis = 0, out = 0;
            for (int i = 0; i < q.size(); i += item_size) {
                if (q[i] == static_cast<int>(item::newaxis)) from[out++] = -1;
                else if (q[i] == static_cast<int>(item::integer)) ++axis;
                else from[out++] = axis++;
            }
            while (axis < rx) from[out++] = axis++;
        }
    }

    constexpr void store_node(int id) {
        stored[id] = 1;
    }

    /// Gives each axis of each node a class; equal classes run in one loop. Where two axes of one value would fall together, an operand is stored and
    /// read through axes of its own.
    constexpr void assign_axes() {
        const int n = live.size();
        first_axis = vec<int>(n, 0);
        axis_class.clear();
        parent_class.clear();
        class_level.clear();
        apart.clear();
        p.class_extent.clear();
        dep = vec<unsigned long>(n, 0);
        int most = 0;  // classes, before some are united
        for (int id = 0; id < n; ++id)
            if (live[id]) most += g.op(id).cls == op_class::elementwise || g.op(id).cls == op_class::reduction ? 0 : g.rank(id);
        apart_words = most / 64 + 1;
        for (int id = 0; id < n; ++id) {
            if (!live[id]) continue;
            const type_data t = g.type_of(id);
            first_axis[id] = axis_class.size();
            for (int k = 0; k < t.rank; ++k) axis_class.push(-1);
            const op_info& op = g.op(id);
            const auto set = [&](int axis, int c) constexpr { axis_class[first_axis[id] + axis] = c; };
            if (alone && !(is_view(id) && relabels(id)) && op.cls != op_class::reduction) {
                const int user = slice_user.size() > id ? slice_user[id] : -1;
                const int shift = user >= 0 && g.op(user).cls == op_class::elementwise ? g.rank(user) - t.rank : 0;
                const int inner = user >= 0 ? running_axis(user) : running_axis(id);
                for (int k = 0; k < t.rank; ++k) {
                    const int at = k + shift;
                    if (!g.is_one(t.ext[k])) set(k, level_class(inner < 0 || at < inner ? at : at == inner ? t.rank - 1 : at - 1, t.ext[k]));
                }
            } else if (op.cls == op_class::leaf || (is_view(id) && !relabels(id))) {
                for (int k = 0; k < t.rank; ++k)
                    if (!g.is_one(t.ext[k])) set(k, new_class(t.ext[k]));
            } else if (is_view(id)) {
                int from[max_rank]{};
                sources(id, from);
                const int x = g.arg(id, 0);
                for (int k = 0; k < t.rank; ++k)
                    if (from[k] >= 0 && cls(x, from[k]) >= 0) set(k, cls(x, from[k]));
                for (int k = 0; k < t.rank; ++k)
                    if (!g.is_one(t.ext[k]) && cls(id, k) < 0) set(k, alone ? unused_class(id, t.ext[k]) : new_class(t.ext[k]));
            } else if (gathers(id)) {  // (.., rows, elements of a row, ..): the places' axes instead of the gathered one
                const int x = g.arg(id, 0), places = g.arg(id, 1), first = places_axis(id), longer = t.rank - g.rank(x);
                for (int k = 0; k < t.rank; ++k) {
                    if (g.is_one(t.ext[k])) continue;
                    set(k, k < first ? cls(x, k) : k < first + 2 ? cls(places, k - first) : cls(x, k - longer));
                }
            } else if (scatters(id)) {
                const int x = g.arg(id, 0), axis = g.param(id, 0), first = places_axis(id), longer = g.rank(x) - t.rank;
                for (int k = 0; k < 2; ++k)
                    if (cls(x, first + k) >= 0 && !unite(cls(x, first + k), cls(g.arg(id, 1), k))) conflict_at(id, x);
                for (int k = 0; k < t.rank; ++k)
                    if (!g.is_one(t.ext[k])) set(k, k < axis ? cls(x, k) : k == axis ? new_class(t.ext[k]) : cls(x, k + longer));
            } else if (op.cls == op_class::elementwise) {
                int brought[max_rank]{};  // by which operand an axis got its class
                for (int a : g.args(id)) {
                    const type_data ta = g.type_of(a);
                    for (int k = 0; k < ta.rank; ++k) {
                        const int c = cls(a, k), at = t.rank - ta.rank + k;
                        if (c < 0) continue;
                        const int have = axis_class[first_axis[id] + at];
                        if (have < 0) {
                            for (int j = 0; j < t.rank; ++j)  // of two operands that run along one class on different axes, the one on the inner axis is read by itself
                                if (j != at && axis_class[first_axis[id] + j] >= 0 && find(axis_class[first_axis[id] + j]) == c) conflict_at(id, at > j ? a : brought[j]);
                            set(at, c);
                            brought[at] = a;
                        } else if (!unite(have, c)) conflict_at(id, breadth_of(brought[at]) < breadth_of(a) ? brought[at] : a);  // the smaller one goes through memory
                    }
                }
            } else if (op.cls == op_class::reduction) {
                const int x = g.arg(id, 0), mask = g.param(id, 0);
                int at = 0;
                for (int k = 0; k < g.rank(x); ++k)
                    if (!(mask >> k & 1)) set(at++, cls(x, k));
            } else if (t.rank > 0) {  // running, scatter, reshape, what a call gives: as their operand, or new
                const int x = g.arg(id, 0);
                for (int k = 0; k < t.rank; ++k) {
                    if (g.is_one(t.ext[k])) continue;
                    set(k, op.cls == op_class::running && cls(x, k) >= 0 ? cls(x, k) : new_class(t.ext[k]));
                }
                if (op.cls == op_class::running)
                    for (int i = 1; i < g.nodes[id].nargs; ++i)
                        for (int k = 0; k < t.rank; ++k)
                            if (cls(g.arg(id, i), k) >= 0 && !unite(cls(id, k), cls(g.arg(id, i), k))) conflict_at(id, g.arg(id, i));
            }
            stand_together(id);
            for (int k = 0; k < t.rank; ++k)  // two axes of one value that fell together
                for (int j = 0; j < k; ++j)
                    if (cls(id, k) >= 0 && cls(id, k) == cls(id, j) && conflict < 0 && g.nodes[id].nargs) conflict_at(id, g.arg(id, g.nodes[id].nargs - 1));
            if (conflict >= 0) return;
        }
        number_classes();
        if (p.class_extent.size() > max_classes) return;
        for (int id = 0; id < n; ++id) {
            if (!live[id]) continue;
            const op_info& op = g.op(id);
            unsigned long d = 0;
            if (op.cls == op_class::leaf || (is_view(id) && !relabels(id)) || op.cls == op_class::running || op.cls == op_class::reduction || in_memory(id) || gathers(id) || stored[id]) {
                // a value that has memory is read along all of its axes, whether it varies or not
                for (int k = 0; k < g.rank(id); ++k)
                    if (cls(id, k) >= 0) d |= 1ul << cls(id, k);
            } else if (!is_call(id))
                for (int a : g.args(id)) d |= dep[a];
            dep[id] = d;
        }
    }
    /// Numbers the classes that are left, in the order in which they were made.
    constexpr void number_classes() {
        vec<int> number(parent_class.size(), -1), ext, levels;
        for (int& c : axis_class) {
            c = find(c);
            if (c < 0) continue;
            if (number[c] < 0) {
                number[c] = ext.push(p.class_extent[c]);
                if (alone) levels.push(class_level[c]);
            }
            c = number[c];
        }
        p.class_extent = ext;
        class_level = levels;
        parent_class.clear();
        for (int c = 0; c < ext.size(); ++c) parent_class.push(c);
    }

    // Where sharing loops leads nowhere, every value is in memory, and read through axes of its user's own. Then a class is a depth and an extent, so
    // that no order of loops is asked for twice.
    bool alone = false;
    vec<int> slice_user;   // the one that reads each slice
    vec<int> class_level;  // the depth of each class
    constexpr int level_class(int level, int ext) {
        for (int c = 0; c < class_level.size(); ++c)
            if (class_level[c] == level && p.class_extent[c] == ext) return c;
        class_level.push(level);
        return new_class(ext);
    }
    constexpr int unused_class(int id, int ext) {
        for (int level = 0;; ++level) {
            const int c = level_class(level, ext);
            bool used = false;
            for (int k = 0; k < g.rank(id); ++k) used = used || cls(id, k) == c;
            if (!used) return c;
        }
    }
    constexpr int running_axis(int id) const { return g.op(id).cls == op_class::running ? g.param(id, 0) : -1; }
    constexpr void give_up_sharing() {
        separate(-1, vec<int>{});
        start();
        alone = true;
        slice_user = vec<int>(live.size(), -1);
        for (int id = 0; id < live.size(); ++id)
            if (live[id] && !is_view(id))
                for (int a : g.args(id)) slice_user[a] = id;
    }
    int conflict = -1, conflict_user = -1;
    constexpr void conflict_at(int user, int operand) {
        if (conflict >= 0) return;
        conflict = operand;
        conflict_user = user;
    }

    constexpr unsigned long reduced_by(int id) {
        unsigned long r = 0;
        const int x = g.arg(id, 0), mask = g.param(id, 0);
        for (int k = 0; k < g.rank(x); ++k)
            if ((mask >> k & 1) && cls(x, k) >= 0) r |= 1ul << cls(x, k);
        return r;
    }

    /// Makes one user read operands through axes of its own, a slice of everything, from memory; and all users of `result` likewise.
    /// All users and operands (`user` -1): every value in memory and in loops of its own, which always has a plan.
    constexpr void separate(int user, const vec<int>& operands, int result = -1) {
        graph h;
        h.types = g.types;
        h.extents = g.extents;
        vec<int> at(live.size(), -1);
        const auto slice_of = [&](int x) constexpr {
            vec<int> q;
            for (int k = 0; k < g.rank(x); ++k) push_item(q, item::slice, slice_none, slice_none, 1);
            return h.raw(info<index_>, view<int>{&at[x], 1}, view<int>{q.data(), q.size()}, g.nodes[x].ty, slices);  // another node for each user
        };
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id]) continue;
            ++slices;
            vec<int> a;
            for (int x : g.args(id)) {
                const bool cut = user < 0 ? !is_view(id) : x == result || (id == user && operands.contains(x));
                a.push(cut && g.rank(x) > 0 ? slice_of(x) : at[x]);
            }
            at[id] = h.raw(g.op(id), view<int>{a.data(), a.size()}, g.params(id), g.nodes[id].ty, g.nodes[id].bits);
        }
        for (int& root : roots) {
            ++slices;
            root = user < 0 && g.rank(root) > 0 ? slice_of(root) : at[root];
        }
        for (int i = 0; i < inputs.size(); ++i) inputs[i] = inputs[i] >= 0 && inputs[i] < at.size() ? at[inputs[i]] : -1;
        g = static_cast<graph&&>(h);
    }
    std::uint64_t slices = 0;

    // --- the order of loops ----------------------------------------------------------------------------------------------
    constexpr void order_classes() {
        const int n = parent_class.size();
        row_class = vec<int>(n, -1);
        for (int id = 0; id < live.size(); ++id)
            for (int k = 1; live[id] && k < g.rank(id); ++k)
                if (g.is_ragged(g.type_of(id).ext[k]) && cls(id, k) >= 0) row_class[cls(id, k)] = cls(id, k - 1);
        if (alone) {
            order = vec<int>(n, 0);
            int placed = 0;
            for (int level = 0; placed < n; ++level)
                for (int c = 0; c < n; ++c)
                    if (class_level[c] == level) order[c] = placed++;
            return;
        }
        vec<int> weight(n * n, 0);
        for (int c = 0; c < n; ++c)
            if (row_class[c] >= 0) weight[row_class[c] * n + c] += 100000;
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id]) continue;
            // rows before columns, in memory order
            int chain = id, heavy = 1;
            if (g.is(id, input_info)) heavy = 4;
            else if (is_view(id) && g.is(g.arg(id, 0), input_info)) heavy = 2;
            (void)chain;
            const int r = g.rank(id);
            if (g.is(id, info<transpose_>)) continue;  // its operand has the order
            if (g.op(id).cls == op_class::running)  // the recurrence runs innermost
                for (int i = 0; i < r; ++i) {
                    const int a = cls(id, i), b = cls(id, g.param(id, 0));
                    if (a >= 0 && b >= 0 && a != b) weight[a * n + b] += 100000;
                }
            for (int i = 0; i < r; ++i)
                for (int j = i + 1; j < r; ++j) {
                    const int a = cls(id, i), b = cls(id, j);
                    if (a >= 0 && b >= 0 && a != b) weight[a * n + b] += heavy;
                }
        }
        order = vec<int>(n, -1);
        int placed = 0;
        vec<unsigned char> done(n, 0);
        for (int round = 0; round < n; ++round) {
            int best = -1, best_score = 0;
            for (int c = 0; c < n; ++c) {
                if (done[c]) continue;
                int score = 0;  // how much wants to stand before c
                for (int o = 0; o < n; ++o)
                    if (!done[o] && o != c) {
                        const int w = weight[o * n + c] - weight[c * n + o];
                        if (w > 0) score += w;
                    }
                if (best < 0 || score < best_score) {
                    best = c;
                    best_score = score;
                }
            }
            if (best < 0) break;
            done[best] = 1;
            order[best] = placed++;
        }
    }
    /// The next loop of a nest inside the open ones, -1 if all are open.
    constexpr int next_class(unsigned long nest, unsigned long open) {
        int best = -1;
        for (int c = 0; c < parent_class.size() && c < 64; ++c)
            if ((nest & ~open) >> c & 1ul)
                if (best < 0 || order[c] < order[best]) best = c;
        return best;
    }

    // --- tasks -----------------------------------------------------------------------------------------------------------
    constexpr int new_memory(int node, memory_kind kind, int index) {
        const type_data t = g.type_of(node);
        memory_data m;
        m.kind = kind;
        m.index = index;
        m.dt = settled(t.dt);
        m.rank = t.rank;
        for (int k = 0; k < t.rank; ++k) {
            m.ext[k] = t.ext[k];
            if (!g.is_ragged(t.ext[k])) continue;
            m.ragged = k;
            m.rows = t.ext[k] < rows_of.size() ? rows_of[t.ext[k]] : -1;
        }
        return p.memories.push(m);
    }
    constexpr int plain_map(int node) {
        const int at = p.maps.size();
        for (int k = 0; k < g.rank(node); ++k) p.maps.push(axis_map{cls(node, k), 1, 0, false});
        return at;
    }
    /// Reduced classes that come before a kept one in loop order make the accumulator an array over the kept ones inside.
    constexpr unsigned long array_classes(const task& t) {
        unsigned long kept = t.nest & ~t.reduced, result = 0;
        int outermost = 1 << 30;
        for (int c = 0; c < 64 && c < order.size(); ++c)
            if (t.reduced >> c & 1ul) outermost = order[c] < outermost ? order[c] : outermost;
        for (int c = 0; c < 64 && c < order.size(); ++c)
            if ((kept >> c & 1ul) && order[c] > outermost) result |= 1ul << c;
        return result;
    }

    constexpr void make_tasks() {
        tasks.clear();
        p.maps.clear();
        p.memories.clear();
        const int n = live.size();
        task_of = vec<int>(n, -1);
        memory_of = vec<int>(n, -1);
        for (int i = 0; i < inputs.size(); ++i)
            if (inputs[i] >= 0) memory_of[inputs[i]] = new_memory(inputs[i], memory_kind::input, i);
            else {
                memory_data none;
                none.index = i;
                p.memories.push(none);
            }
        for (int id = 0; id < n; ++id) {
            if (!live[id]) continue;
            const op_info& op = g.op(id);
            if (op.cls == op_class::reduction) {
                task t;
                t.kind = task::reduce;
                t.node = id;
                t.reduced = reduced_by(id);
                t.nest = dep[g.arg(id, 0)] | t.reduced | dep[id];
                if (array_classes(t)) {
                    t.memory = new_memory(id, memory_kind::temporary, 0);
                    memory_of[id] = t.memory;
                    t.map = plain_map(id);
                }
                task_of[id] = tasks.push(t);
                if (!array_classes(t) && stored[id]) add_store(id);
            } else if (op.cls == op_class::running) {
                task t;
                t.kind = task::running;
                t.node = id;
                t.nest = dep[id];
                t.reduced = cls(id, g.param(id, 0)) >= 0 ? 1ul << cls(id, g.param(id, 0)) : 0ul;
                t.memory = memory_of[id] = new_memory(id, memory_kind::temporary, 0);
                t.map = plain_map(id);
                task_of[id] = tasks.push(t);
            } else if (is_call(id)) {
                task t;
                t.kind = task::call;
                t.node = id;
                task_of[id] = tasks.push(t);
                for (int a : g.args(id)) {
                    while (is_view(a) && !stored[a]) a = g.arg(a, 0);
                    if (memory_of[a] >= 0 && p.memories[memory_of[a]].kind == memory_kind::temporary) p.memories[memory_of[a]].whole = true;
                }
            } else if (op.cls == op_class::projection) {
                memory_of[id] = new_memory(id, memory_kind::temporary, 0);
                p.memories[memory_of[id]].whole = true;
                task_of[id] = task_of[g.arg(id, 0)];
            } else if (g.is(id, info<reshape_>)) {
                memory_of[id] = new_memory(id, memory_kind::temporary, 0);
                p.memories[memory_of[id]].alias = memory_of[g.arg(id, 0)];
                p.memories[p.memories[memory_of[id]].alias].whole = true;
            } else if (scatters(id)) {
                const int x = g.arg(id, 0), axis = g.param(id, 0);
                task t;
                t.kind = task::store;
                t.node = x;
                t.scatter = id;
                t.memory = memory_of[id] = new_memory(id, memory_kind::temporary, 0);
                p.memories[t.memory].zeroed = true;
                t.nest = dep[x];
                for (int k = 0; k < g.rank(x); ++k)
                    if (cls(x, k) >= 0) t.nest |= 1ul << cls(x, k);
                t.map = p.maps.size();
                for (int k = 0; k < g.rank(id); ++k) p.maps.push(axis_map{k == axis ? -1 : cls(id, k), 1, 0, false});
                task_of[id] = tasks.push(t);
            } else if (g.is(id, info<scatter_>)) {
                const int x = g.arg(id, 0);
                task t;
                t.kind = task::store;
                t.node = x;
                t.memory = memory_of[id] = new_memory(id, memory_kind::temporary, 0);
                p.memories[t.memory].zeroed = true;
                t.nest = dep[x];
                t.map = p.maps.size();
                const type_data tt = g.type_of(id);
                const view<int> q = g.params(id);
                int out = 0, axis = 0;
                for (int i = 0; axis < tt.rank; i += item_size) {
                    const bool given = i < q.size();
                    const item kind = given ? static_cast<item>(q[i]) : item::all;
                    if (kind == item::newaxis) {
                        ++out;
                        continue;
                    }
                    axis_map m;
                    if (kind == item::all) m.cls = cls(x, out);
                    else if (kind == item::integer) {
                        m.start = q[i + 1];
                        m.from_end = m.start < 0;
                    } else {
                        const slice_data s = resolve_slice(g, tt.ext[axis], q[i + 1], q[i + 2], q[i + 3]);
                        m.cls = cls(x, out);
                        m.start = s.start;
                        m.from_end = s.from_end;
                        m.step = s.step;
                    }
                    if (kind == item::all || kind == item::slice) {
                        if (m.cls >= 0) t.nest |= 1ul << m.cls;
                        ++out;
                    }
                    p.maps.push(m);
                    ++axis;
                }
                task_of[id] = tasks.push(t);
            } else if (stored[id] && !g.is(id, input_info)) add_store(id);
        }
        for (int i = 0; i < roots.size(); ++i) {
            const int id = roots[i];
            if (const int own = task_of[id]; own >= 0 && g.op(id).cls == op_class::reduction && tasks[own].memory >= 0 &&
                                             p.memories[tasks[own].memory].kind == memory_kind::temporary && !p.memories[tasks[own].memory].whole) {
                p.memories[tasks[own].memory].kind = memory_kind::output;  // accumulated where it is asked for
                p.memories[tasks[own].memory].index = i;
                continue;
            }
            task t;
            t.kind = task::store;
            t.node = id;
            t.memory = new_memory(id, memory_kind::output, i);
            t.map = plain_map(id);
            t.nest = dep[id];
            for (int k = 0; k < g.rank(id); ++k)
                if (cls(id, k) >= 0) t.nest |= 1ul << cls(id, k);
            tasks.push(t);
        }
    }
    constexpr void add_store(int id) {
        task t;
        t.kind = task::store;
        t.node = id;
        t.memory = memory_of[id] = new_memory(id, memory_kind::temporary, 0);
        t.map = plain_map(id);
        t.nest = dep[id];
        for (int k = 0; k < g.rank(id); ++k)
            if (cls(id, k) >= 0) t.nest |= 1ul << cls(id, k);
        const int at = tasks.push(t);
        if (g.op(id).cls != op_class::reduction) task_of[id] = at;
        else store_task.resize(live.size(), -1), store_task[id] = at;
    }
    vec<int> store_task;  // the store of a reduction's result

    // --- stages ----------------------------------------------------------------------------------------------------------
    /// For the level where `open` loops run: the stage from which each node's value can be used inside a next loop over class a (column a + 1), or at
    /// the level itself (column 0).
    struct stages {
        int columns = 0;
        vec<int> at;
        vec<int> computable;  // when it can be computed; `at` is when what was stored can be used
        vec<int> class_of_column;
        constexpr int get(int node, int column) const { return at[node * columns + column]; }
    };
    constexpr int task_stage(const stages& s, const task& t, unsigned long open) {
        if (t.kind == task::call) {
            int r = 0;
            for (int a : g.args(t.node)) r = s.get(a, 0) > r ? s.get(a, 0) : r;
            return r;
        }
        const int next = next_class(t.nest, open);
        const int source = t.kind == task::store ? t.node : g.arg(t.node, 0);
        const bool fold = g.op(source).cls == op_class::reduction || g.op(source).cls == op_class::running || in_memory(source);
        int r = t.kind == task::store && !fold ? s.computable[source * s.columns + column(s, next)] : s.get(source, column(s, next));
        if (t.kind == task::running)
            for (int i = 1; i < g.nodes[t.node].nargs; ++i) {
                const int other = s.get(g.arg(t.node, i), column(s, next));
                r = other > r ? other : r;
            }
        return r;
    }
    constexpr int column(const stages& s, int c) const {
        for (int i = 0; i < s.columns; ++i)
            if (s.class_of_column[i] == c) return i;
        return 0;
    }
    /// Whether a task runs inside the level of the open loops (and is not finished before it).
    constexpr bool inside(const task& t, unsigned long open) const { return (t.nest & open) == open; }

    constexpr stages stage_level(unsigned long open, const vec<int>& here) {
        stages s;
        s.class_of_column.push(-1);
        for (int i : here) {
            const int c = next_class(tasks[i].nest, open);
            if (c >= 0 && !s.class_of_column.contains(c)) s.class_of_column.push(c);
        }
        s.columns = s.class_of_column.size();
        const int n = live.size();
        s.at = vec<int>(n * s.columns, 0);
        s.computable = vec<int>(n * s.columns, 0);
        vec<unsigned char> is_here(tasks.size(), 0);
        for (int i : here) is_here[i] = 1;
        for (int id = 0; id < n; ++id) {
            if (!live[id]) continue;
            for (int k = 0; k < s.columns; ++k) {
                int raw = 0;
                if (gathers(id) || (is_view(id) && !relabels(id))) {
                    const int task_id = writer_of(gathers(id) ? g.arg(id, 0) : memory_under(id));
                    if (task_id >= 0 && is_here[task_id]) raw = task_stage(s, tasks[task_id], open) + 1;
                } else
                    for (int a : g.args(id)) {
                        const int x = s.get(a, k);
                        raw = x > raw ? x : raw;
                    }
                s.computable[id * s.columns + k] = raw;
            }
            for (int k = 0; k < s.columns; ++k) {
                int v = 0;
                const int own = task_of[id];
                const bool reduces = g.op(id).cls == op_class::reduction || g.op(id).cls == op_class::running;
                if (own >= 0 && is_here[own] && (reduces || stored[id] || g.is(id, info<scatter_>) || scatters(id) || g.op(id).cls == op_class::projection)) {
                    const task& t = tasks[own];
                    const int c = next_class(t.nest, open);
                    v = task_stage(s, t, open);
                    const bool same_loop = c >= 0 && c == s.class_of_column[k];
                    const bool complete_inside = same_loop && !(t.reduced >> c & 1ul) && !g.is(id, info<scatter_>) && !scatters(id);
                    if (c >= 0 && !complete_inside) ++v;
                    if (c < 0 && in_memory(id)) ++v;
                } else if (own >= 0) v = 0;  // finished before
                else if (g.is(id, info<reshape_>)) {
                    const int t = writer_of(g.arg(id, 0));
                    if (t >= 0 && is_here[t]) v = task_stage(s, tasks[t], open) + 1;
                }
                else v = s.computable[id * s.columns + k];
                s.at[id * s.columns + k] = v;
            }
        }
        return s;
    }
    constexpr int store_of(int id) const { return id < store_task.size() ? store_task[id] : -1; }
    /// The task that writes what is read at a node in memory, -1 for an input.
    constexpr int writer_of(int m) const {
        while (g.is(m, info<reshape_>)) m = is_view(g.arg(m, 0)) && !stored[g.arg(m, 0)] ? memory_under(g.arg(m, 0)) : g.arg(m, 0);
        return store_of(m) >= 0 ? store_of(m) : task_of[m];
    }
    constexpr int memory_under(int id) const {
        do id = g.arg(id, 0);
        while (is_view(id) && !stored[id]);
        return id;
    }

    // --- emission --------------------------------------------------------------------------------------------------------
    struct frame {
        int loop = -1;
        vec<int> nodes;
        vec<reg> hidden;  // what the nodes' registers were outside
        vec<step_data> body;
    };
    vec<frame*> frames;
    int again = -1;  // a node to be stored before planning once more

    vec<reg> register_of;  // of each node, in the innermost open frame that has it; depth -1: none
    constexpr reg find_register(int node) const { return register_of[node]; }
    constexpr void name_register(int node, const reg& r) {
        frame& f = *frames[frames.size() - 1];
        f.nodes.push(node);
        f.hidden.push(register_of[node]);
        register_of[node] = r;
    }
    constexpr void close_frame() {
        frame& f = *frames[frames.size() - 1];
        for (int i = f.nodes.size() - 1; i >= 0; --i) register_of[f.nodes[i]] = f.hidden[i];
        (void)frames.pop();
    }
    constexpr reg new_register(int node) {
        frame& f = *frames[frames.size() - 1];
        reg r;
        r.depth = frames.size() - 1;
        r.dt = settled(g.dtype_of(node));
        r.index = p.loops[f.loop].registers[static_cast<int>(r.dt)]++;
        name_register(node, r);
        return r;
    }
    constexpr int load_map(int node, int memory_node) {
        // compose the views between the node and the memory
        const int rank = g.rank(memory_node);
        axis_map m[max_rank];
        // walk from the memory to the node, keeping for each memory axis which axis of the current view reads it
        vec<int> chain;
        for (int v = node; v != memory_node; v = g.arg(v, 0)) chain.push(v);
        int axis_at[max_rank];
        for (int k = 0; k < rank; ++k) axis_at[k] = k;
        for (int i = chain.size() - 1; i >= 0; --i) {
            const int v = chain[i];
            if (g.is(v, info<transpose_>) || g.is(v, info<broadcast_>)) {
                int from[max_rank]{};
                sources(v, from);
                for (int k = 0; k < rank; ++k) {
                    if (axis_at[k] < 0) continue;
                    int now = -1;
                    for (int j = 0; j < g.rank(v); ++j)
                        if (from[j] == axis_at[k]) now = j;
                    axis_at[k] = now;
                }
            } else {
                const view<int> q = g.params(v);
                const type_data t = g.type_of(g.arg(v, 0));
                int moved[max_rank];
                axis_map change[max_rank];
                int axis = 0, out = 0;
                for (int j = 0; j < q.size(); j += item_size) {
                    const item kind = static_cast<item>(q[j]);
                    if (kind == item::newaxis) {
                        ++out;
                        continue;
                    }
                    axis_map c;
                    if (kind == item::integer) {
                        c.start = q[j + 1];
                        c.from_end = c.start < 0;
                        moved[axis] = -1;
                    } else if (kind == item::slice) {
                        const slice_data sl = resolve_slice(g, t.ext[axis], q[j + 1], q[j + 2], q[j + 3]);
                        c.start = sl.start;
                        c.from_end = sl.from_end;
                        c.step = sl.step;
                        moved[axis] = out++;
                    } else moved[axis] = out++;
                    change[axis++] = c;
                }
                while (axis < t.rank) {
                    change[axis] = axis_map{};
                    moved[axis++] = out++;
                }
                for (int k = 0; k < rank; ++k) {
                    if (axis_at[k] < 0) continue;
                    const axis_map c = change[axis_at[k]];
                    if (c.from_end) {
                        // the view's length is the memory's n and a constant: n may cancel
                        const int length = t.ext[axis_at[k]], n = g.type_of(memory_node).ext[k];
                        std::int64_t more = 0;
                        bool known = length == n;
                        if (g.extents[length].kind == extent_kind::linear && g.extents[length].a == n && g.extents[length].div == 1) {
                            known = true;
                            more = g.extents[length].value;
                        }
                        const int ends = (m[k].from_end ? 1 : 0) + m[k].step;
                        if (!known || ends < 0 || ends > 1) {
                            again = g.arg(v, 0);
                            return p.maps.size();
                        }
                        m[k].from_end = ends == 1;
                        m[k].start += m[k].step * (c.start + static_cast<int>(more));
                    } else m[k].start += m[k].step * c.start;
                    m[k].step *= c.step;
                    axis_at[k] = moved[axis_at[k]];
                }
            }
        }
        const int at = p.maps.size();
        for (int k = 0; k < rank; ++k) {
            m[k].cls = axis_at[k] < 0 ? -1 : cls(node, axis_at[k]);
            if (g.is_one(g.type_of(memory_node).ext[k])) m[k].cls = -1;
            p.maps.push(m[k]);
        }
        return at;
    }
    /// A register that holds the node's value at the level that is being emitted.
    constexpr reg emit(int id, const vec<int>& open) {
        const reg known = find_register(id);
        if (known.depth >= 0) return known;
        frame& f = *frames[frames.size() - 1];
        const op_info& op = g.op(id);
        step_data s;
        s.node = id;
        s.op = &op;
        const auto read = [&](int memory, int map) constexpr {
            s.kind = step_kind::load;
            s.memory = memory;
            s.map = map;
            s.to = new_register(id);
            f.body.push(s);
            return s.to;
        };
        if (g.is(id, input_info)) return read(memory_of[id], plain_map(id));
        if (g.is(id, literal_info) || &op == &info<extent_> || &op == &info<iota_>) {
            s.kind = g.is(id, literal_info) ? step_kind::literal : &op == &info<extent_> ? step_kind::extent : step_kind::iota;
            s.bits = g.nodes[id].bits;
            s.param = &op == &info<iota_> ? cls(id, 0) : g.nodes[id].nparams ? g.param(id, 0) : 0;
            if (&op == &info<iota_> && s.param < 0) {
                s.kind = step_kind::literal;
                s.bits = 0;
            }
            s.to = new_register(id);
            f.body.push(s);
            return s.to;
        }
        if (is_view(id) && stored[id] && storing != id) return read(memory_of[id], plain_map(id));
        if (is_view(id)) {
            const int x = memory_under(id);
            if (!relabels(id) || (g.is(x, input_info) && !stored[x])) {
                return read(memory_of[x], load_map(id, x));
            }
            const reg r = emit(g.arg(id, 0), open);
            name_register(id, r);
            return r;
        }
        if (is_call(id)) return new_register(id);
        if (gathers(id) && (!stored[id] || storing == id)) {
            const int x = g.arg(id, 0), places = g.arg(id, 1), axis = g.param(id, 0), at = p.maps.size();
            for (int k = 0; k < g.rank(x); ++k) p.maps.push(axis_map{k == axis ? -1 : cls(id, k < axis ? k : k + g.rank(id) - g.rank(x)), 1, 0, false});
            s.bits = places_of(id, places, places_axis(id));
            s.param = axis;
            return read(memory_of[x], at);
        }
        if (op.cls == op_class::reduction) {
            const task& t = tasks[task_of[id]];
            if (t.memory >= 0 && store_of(id) < 0) return read(t.memory, plain_map(id));
            if (stored[id] && store_of(id) >= 0) return read(memory_of[id], plain_map(id));
            again = id;  // its value is needed in a later loop than where it is computed
            return new_register(id);
        }
        // what is being stored is computed here
        if (op.cls == op_class::running || in_memory(id) || (stored[id] && storing != id)) return read(memory_of[id], plain_map(id));
        s.kind = step_kind::compute;
        const vec<int> a = rewriter::copy(g.args(id));
        for (int x : a) s.from[s.count++] = emit(x, open);
        frame& now = *frames[frames.size() - 1];
        s.to = new_register(id);
        now.body.push(s);
        if (op.cost >= worth_storing && again < 0 && dep[id] && !stored[id]) demand(id);
        return s.to;
    }
    int storing = -1;
    /// Where a step finds the places of a gather or scatter: their memory and its map, for the axes of a node that has theirs from `axis` on.
    constexpr std::uint64_t places_of(int node, int places, int axis) {
        const int map = p.maps.size();
        for (int k = 0; k < 2; ++k) p.maps.push(axis_map{cls(node, axis + k), 1, 0, false});
        return static_cast<std::uint64_t>(map) | static_cast<std::uint64_t>(memory_of[places]) << 32;
    }

    /// Notes in which loop an expensive value is computed: twice is once too often.
    vec<int> demanded_in;
    constexpr void demand(int id) {
        const int loop = frames[frames.size() - 1]->loop;
        if (demanded_in[id] >= 0 && demanded_in[id] != loop) {
            again = id;
            return;
        }
        // an outer loop that it does not vary with repeats it
        unsigned long outside = 0;
        for (int i = 1; i < frames.size(); ++i) outside |= 1ul << p.loops[frames[i]->loop].cls;
        if (outside & ~dep[id]) {
            again = id;
            return;
        }
        demanded_in[id] = loop;
    }

    /// What a task needs at a level that is outside its loops, transitively: nodes whose value can be had there.
    constexpr void hoist(int id, unsigned long open_mask, const vec<int>& open, vec<unsigned char>& seen) {
        if (seen[id]) return;
        seen[id] = 1;
        const op_info& op = g.op(id);
        if (!(dep[id] & ~open_mask)) {
            if (find_register(id).depth < 0 && !(op.cls == op_class::leaf && g.rank(id) == 0 && g.is(id, literal_info))) emit(id, open);
            return;
        }
        if (op.cls == op_class::reduction || op.cls == op_class::running || in_memory(id) || (stored[id] && storing != id)) return;
        if (gathers(id) || (is_view(id) && !relabels(id))) return;
        for (int a : rewriter::copy(g.args(id))) hoist(a, open_mask, open, seen);
    }

    constexpr void build_level(int loop, unsigned long open_mask, vec<int>& open, const vec<int>& here) {
        frame f;
        f.loop = loop;
        frames.push(&f);
        const stages s = stage_level(open_mask, here);
        // a reduction's result that is stored: its store follows where the result is complete
        vec<int> stage_of(here.size(), 0), next(here.size(), -1);
        int last = 0;
        for (int i = 0; i < here.size(); ++i) {
            const task& t = tasks[here[i]];
            next[i] = next_class(t.nest, open_mask);
            stage_of[i] = task_stage(s, t, open_mask);
            last = stage_of[i] > last ? stage_of[i] : last;
        }
        vec<unsigned char> done(here.size(), 0);
        for (int stage = 0; stage <= last && again < 0; ++stage) {
            // what has no loops left stands before the loops, which may read it
            for (int i = 0; i < here.size() && again < 0; ++i)
                if (stage_of[i] == stage && next[i] < 0) {
                    emit_task(here[i], open);
                    done[i] = 1;
                }
            for (int i = 0; i < here.size() && again < 0; ++i) {
                if (done[i] || stage_of[i] != stage) continue;
                const int c = next[i];
                // everything of this stage over this class shares one loop
                vec<int> group;
                for (int j = i; j < here.size(); ++j)
                    if (!done[j] && stage_of[j] == stage && next[j] == c) {
                        group.push(here[j]);
                        done[j] = 1;
                    }
                vec<unsigned char> seen(live.size(), 0);
                for (int tsk : group) {
                    const task& t = tasks[tsk];
                    const int before = storing;
                    storing = t.kind == task::store ? t.node : -1;
                    if (t.kind == task::store) {
                        hoist(t.node, open_mask, open, seen);
                        seen[t.node] = 0;
                    } else
                        for (int a : rewriter::copy(g.args(t.node))) hoist(a, open_mask, open, seen);
                    storing = before;
                }
                begin_tasks(group, open_mask, c, open);
                loop_data l;
                l.cls = c;
                l.depth = open.size() + 1;
                l.parent = loop;
                const int id = p.loops.push(l);
                p.loops[loop].leaf = false;
                open.push(c);
                build_level(id, open_mask | 1ul << c, open, group);
                (void)open.pop();
                step_data run;
                run.kind = step_kind::loop;
                run.loop = id;
                f.body.push(run);
                end_tasks(group, open_mask, c);
            }
        }
        p.loops[loop].first = p.steps.size();
        p.loops[loop].count = f.body.size();
        for (const step_data& d : f.body) p.steps.push(d);
        close_frame();
    }

    // accumulators: where a task's folded classes begin, it is initialised; where they end, its value is complete
    vec<int> slot_of, slot_depth;
    constexpr bool starts_at(const task& t, unsigned long open_mask, int c) {
        if (t.kind == task::store || !(t.reduced >> c & 1ul)) return false;
        return !(t.reduced & open_mask);  // the first of its folded loops
    }
    constexpr void begin_tasks(const vec<int>& group, unsigned long open_mask, int c, const vec<int>&) {
        for (int i : group) {
            const task& t = tasks[i];
            if (!starts_at(t, open_mask, c)) continue;
            frame& f = *frames[frames.size() - 1];
            step_data s;
            s.op = &g.op(t.node);
            s.node = t.node;
            s.to.dt = settled(g.dtype_of(t.node));
            if (t.kind == task::reduce && t.memory >= 0) {
                s.kind = step_kind::fill;
                s.memory = t.memory;
                s.map = t.map;
            } else {
                s.kind = step_kind::init;
                slot_of.resize(tasks.size(), -1);
                slot_depth.resize(tasks.size(), 0);
                slot_of[i] = p.loops[f.loop].accumulators++;
                slot_depth[i] = frames.size() - 1;
                s.slot = slot_of[i];
                s.slot_depth = slot_depth[i];
            }
            f.body.push(s);
        }
    }
    constexpr void end_tasks(const vec<int>& group, unsigned long open_mask, int c) {
        for (int i : group) {
            const task& t = tasks[i];
            if (t.kind != task::reduce || t.memory >= 0 || !starts_at(t, open_mask, c)) continue;
            step_data s;
            s.kind = step_kind::finish;
            s.op = &g.op(t.node);
            s.node = t.node;
            s.slot = slot_of[i];
            s.slot_depth = slot_depth[i];
            s.to = new_register(t.node);
            frames[frames.size() - 1]->body.push(s);
        }
    }
    constexpr void emit_task(int i, const vec<int>& open) {
        const task t = tasks[i];
        step_data s;
        s.node = t.node;
        s.op = &g.op(t.node);
        const int before = storing;
        if (t.kind == task::call) {
            s.kind = step_kind::call;
            s.param = emit_call(t.node);
        } else if (t.kind == task::store) {
            storing = t.node;
            s.from[s.count++] = emit(t.node, open);
            s.kind = step_kind::store;
            s.memory = t.memory;
            s.map = t.map;
            if (t.scatter >= 0) {
                s.kind = step_kind::accumulate_store;
                s.op = &op_data<sum_>;
                s.param = g.param(t.scatter, 0) + 1;
                s.bits = places_of(t.node, g.arg(t.scatter, 1), places_axis(t.scatter));
                s.to.dt = settled(g.dtype_of(t.node));
            }
        } else {
            storing = -1;
            // a product that only this sum takes is added to it in one instruction
            const int first = g.arg(t.node, 0);
            const bool square = g.is(first, info<square_>);
            const bool fuse = t.kind == task::reduce && t.reduced && g.is(t.node, info<sum_>) && (square || g.is(first, info<multiply_>)) && uses[first] == 1 &&
                              is_real(g.dtype_of(first)) && !stored[first] && find_register(first).depth < 0 && g.nodes[first].ty >= 0 &&
                              g.dtype_of(first) == g.dtype_of(t.node);
            if (fuse) {
                const int x = g.arg(first, 0), y = square ? x : g.arg(first, 1);
                s.from[s.count++] = emit(x, open);
                s.from[s.count++] = emit(y, open);
            } else
                for (int a : rewriter::copy(g.args(t.node))) s.from[s.count++] = emit(a, open);
            s.to.dt = settled(g.dtype_of(t.node));
            s.memory = t.memory;
            s.map = t.map;
            if (t.kind == task::running) {
                s.kind = step_kind::running;
                s.slot = slot_of.size() > i ? slot_of[i] : -1;
                s.slot_depth = s.slot < 0 ? 0 : slot_depth[i];
                s.param = g.nodes[t.node].nparams > 2 ? g.param(t.node, 2) : 0;
            } else if (t.memory >= 0) s.kind = step_kind::accumulate_store;
            else if (!t.reduced) {  // nothing to fold: the value itself
                name_register(t.node, s.from[0]);
                storing = before;
                return;
            } else {
                s.kind = step_kind::accumulate;
                s.slot = slot_of[i];
                s.slot_depth = slot_depth[i];
            }
        }
        storing = before;
        frames[frames.size() - 1]->body.push(s);
    }

    /// Whether a call can take a view as it is: its elements stand side by side along their last axis. Of a sequence each element is taken alone.
    constexpr bool seen_in_place(int call, int operand) const {
        const int a = g.arg(call, operand), m = g.arg(a, 0);
        if (!g.is(a, info<index_>) || is_view(m)) return g.rank(a) == 0 && !is_view(m);
        if (g.rank(a) == 0) return true;
        const call_info& c = (*calls)[g.param(call, 0)];
        const int first = c.cond || c.flags & loop_counted ? 1 : 0;
        const bool sequence = !c.cond && operand >= first && operand < first + c.sequences;
        const view<int> q = g.params(a);
        if (sequence && g.rank(a) == 1 && g.rank(m) == 1) return true;
        int axis = 0;
        bool last = true;
        for (int i = 0; i < q.size(); i += item_size) {
            if (q[i] == static_cast<int>(item::newaxis)) return false;
            if (axis++ == g.rank(m) - 1) last = q[i] == static_cast<int>(item::all) || (q[i] == static_cast<int>(item::slice) && q[i + 3] == 1);
        }
        return last;
    }
    constexpr int emit_call(int id) {
        call_data c;
        c.what = (*calls)[g.param(id, 0)];
        c.operands = p.call_operands.size();
        c.operand_count = g.nodes[id].nargs;
        for (int a : rewriter::copy(g.args(id))) {
            const int m = is_memory(a) || in_memory(a) || !is_view(a) ? a : memory_under(a);
            call_operand o;
            o.memory = memory_of[m];
            o.map = m == a ? plain_map(a) : load_map(a, m);
            o.rank = g.rank(a);
            for (int k = 0; k < o.rank; ++k) {
                o.axis[k] = -1;
                for (int j = 0; j < g.rank(m) && again < 0; ++j)
                    if (cls(a, k) >= 0 && find(p.maps[o.map + j].cls) == cls(a, k)) o.axis[k] = j;
            }
            p.call_operands.push(o);
        }
        c.results = p.call_results.size();
        const auto result = [&](const op_info& what, int k) constexpr {
            int memory = -1;
            for (int n = id + 1; n < live.size(); ++n)
                if (live[n] && g.is(n, what) && g.arg(n, 0) == id && (g.nodes[n].nparams == 0 || g.param(n, 0) == k)) memory = memory_of[n];
            p.call_results.push(memory);
        };
        for (int k = 0; k < c.what.states; ++k) result(info<loop_last_>, k);
        for (int k = 0; k < c.what.emissions; ++k) result(info<loop_trace_>, k);
        result(info<loop_steps_>, 0);
        return p.calls.push(c);
    }

    vec<int> uses;  // of each node as an operand or a result

    constexpr bool build() {
        uses = vec<int>(live.size(), 0);
        for (int id = 0; id < live.size(); ++id)
            if (live[id])
                for (int a : g.args(id)) ++uses[a];
        for (int r : roots) ++uses[r];
        p.loops.clear();
        p.steps.clear();
        p.calls.clear();
        p.call_operands.clear();
        p.call_results.clear();
        frames.clear();
        demanded_in = vec<int>(live.size(), -1);
        register_of = vec<reg>(live.size(), reg{-1, dtype::float64, 0});
        slot_of.clear();
        slot_depth.clear();
        store_task.clear();
        again = -1;
        make_tasks();
        vec<int> all, open;
        for (int i = 0; i < tasks.size(); ++i) all.push(i);
        p.loops.push(loop_data{});
        build_level(0, 0, open, all);
        return again < 0;
    }

    constexpr void start() {
        live = reachable(g, view<int>{roots.data(), roots.size()});
        stored = vec<unsigned char>(live.size(), 0);
        for (int& i : inputs)
            if (i >= live.size() || (i >= 0 && !live[i])) i = -1;
        for (int id = 0; id < live.size(); ++id)
            if (live[id] && gathers(id) && !g.is(g.arg(id, 0), input_info) && !in_memory(g.arg(id, 0))) stored[g.arg(id, 0)] = 1;
        // what is read through a view that does not only rename axes is read from memory
        for (int id = 0; id < live.size(); ++id)
            if (live[id] && is_view(id) && !relabels(id)) {
                const int m = memory_under(id);
                if (!g.is(m, input_info) && !in_memory(m)) stored[m] = 1;
            }
        for (int id = 0; id < live.size(); ++id)  // and what a call takes
            if (live[id] && is_call(id))
                for (int i = 0; i < g.nodes[id].nargs; ++i) {
                    int a = g.arg(id, i);
                    if (is_view(a) && !seen_in_place(id, i)) {
                        stored[a] = 1;
                        continue;
                    }
                    while (is_view(a) && !stored[a]) a = g.arg(a, 0);
                    if (!g.is(a, input_info) && !in_memory(a)) stored[a] = 1;
                }
        for (int id = 0; id < live.size(); ++id)
            if (live[id] && g.is(id, info<reshape_>) && !g.is(g.arg(id, 0), input_info) && !in_memory(g.arg(id, 0))) stored[g.arg(id, 0)] = 1;
    }
    /// A recurrence whose axis is not the innermost of its loops, -1 if there is none: other values share its axes and want another order.
    constexpr int outrun() {
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id] || g.op(id).cls != op_class::running) continue;
            const int own = cls(id, g.param(id, 0));
            for (int k = 0; k < g.rank(id); ++k)
                if (own >= 0 && cls(id, k) >= 0 && cls(id, k) != own && order[cls(id, k)] > order[own]) return id;
        }
        return -1;
    }
    static constexpr int usual_patience = 40;
    int patience = usual_patience;  // tries to share loops
    constexpr bool run() {
        rows_of.resize(g.extents.size(), -1);
        start();
        for (int tries = 0; tries < 100; ++tries) {
            conflict = -1;
            if (tries == patience) give_up_sharing();
            assign_axes();
            if (p.class_extent.size() > max_classes && conflict < 0) {
                if (alone) return false;
                give_up_sharing();
                assign_axes();
            }
            if (conflict >= 0) {
                vec<int> one;
                one.push(conflict);
                separate(conflict_user, one);
                start();
                continue;
            }
            order_classes();
            if (const int r = outrun(); r >= 0) {
                const vec<int> operands = rewriter::copy(g.args(r));
                separate(r, operands, r);
                start();
                continue;
            }
            if (build()) {
                finish_loops();
                write_in_place(p);
                return true;
            }
            stored[again] = 1;
        }
        return false;
    }

    /// Which loops can run in SIMD, and which axes of temporaries never outlive an iteration.
    constexpr void finish_loops() {
        for (int i = 1; i < p.loops.size(); ++i) {
            loop_data& l = p.loops[i];
            if (l.parent == 0) ++p.kernels;
            if (g.is_ragged(p.class_extent[l.cls])) {
                l.rows = rows_of[p.class_extent[l.cls]];
                l.row_cls = row_class[l.cls];
            }
            int floats = 0;
            bool fits = true;
            for (int k = l.first; k < l.first + l.count; ++k) {
                const step_data& s = p.steps[k];
                const auto check = [&](dtype d) constexpr {
                    if (d == dtype::float64) floats |= 1;
                    else if (d == dtype::float32) floats |= 2;
                    else if (d != dtype::boolean) fits = false;
                };
                if (s.kind == step_kind::loop) continue;
                if (s.kind == step_kind::running) fits = false;
                if (s.kind != step_kind::store && s.kind != step_kind::accumulate && s.kind != step_kind::accumulate_store && s.kind != step_kind::fill &&
                    s.kind != step_kind::init)
                    check(s.to.dt);
                for (int a = 0; a < s.count; ++a) check(s.from[a].dt);
                if (s.memory >= 0) check(p.memories[s.memory].dt);
                if ((s.kind == step_kind::accumulate || s.kind == step_kind::accumulate_store) && (s.to.dt == dtype::boolean || s.to.dt != s.from[0].dt)) fits = false;
            }
            l.vector = fits && (floats == 1 || floats == 2) && l.rows < 0;  // rows are short, and their elements are read one by one anyway
            l.lanes = floats == 2 ? dtype::float32 : dtype::float64;
        }
        vec<int> loop_of(p.steps.size(), 0);
        for (int i = 0; i < p.loops.size(); ++i)
            for (int k = 0; k < p.loops[i].count; ++k) loop_of[p.loops[i].first + k] = i;
        for (int m = 0; m < p.memories.size(); ++m) {
            memory_data& md = p.memories[m];
            if (md.kind != memory_kind::temporary || md.zeroed || md.whole || md.alias >= 0) continue;
            int common = -1;  // the innermost loop around all uses
            bool first = true;
            for (int k = 0; k < p.steps.size(); ++k) {
                if (p.steps[k].memory != m) continue;
                int l = loop_of[k];
                if (first) common = l;
                first = false;
                while (common > 0 && !encloses(common, l)) common = p.loops[common].parent;
            }
            for (int axis = 0; axis < md.rank; ++axis) {
                bool shared = common > 0;
                for (int k = 0; k < p.steps.size() && shared; ++k) {
                    if (p.steps[k].memory != m) continue;
                    const axis_map a = p.maps[p.steps[k].map + axis];
                    shared = a.step == 1 && a.start == 0 && !a.from_end && a.cls >= 0 && is_around(common, a.cls);
                }
                if (shared) md.shared |= 1u << axis;
            }
        }
    }
    constexpr bool encloses(int outer, int l) const {
        while (l > 0 && l != outer) l = p.loops[l].parent;
        return l == outer;
    }
    constexpr bool is_around(int l, int cls) const {
        for (; l > 0; l = p.loops[l].parent)
            if (p.loops[l].cls == cls) return true;
        return false;
    }
};

}  // namespace cotan::bits

#include <cotan/plan/in_place.hpp>
