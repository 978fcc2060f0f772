#pragma once

#include <cotan/core/error.hpp>
#include <cotan/dyn/kernels.hpp>
#include <cotan/plan/lower.hpp>
#include <cotan/plan/outline.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#if __has_include(<Eigen/Core>)
#define COTAN_DYN_EIGEN 1
#elif __has_include(<eigen3/Eigen/Core>)
#define COTAN_DYN_EIGEN 2
#endif

// From a graph that is ready for kernels to steps that run at run time: groups of elementwise operations and reductions over one domain, which run
// block by block, products of matrices, recurrences and scatters. Everything here is a loop over the nodes in topological order.

namespace cotan::bits {

inline bool is_owner(const graph& g, int id) {
    const op_class c = g.op(id).cls;
    return c == op_class::elementwise || c == op_class::reduction || c == op_class::running || c == op_class::projection || g.is(id, info<scatter_>);
}

struct program;
/// The bodies of loops and the branches of conditions, and what calls them.
struct runtime_bodies {
    std::vector<call_info> calls;
    std::vector<std::shared_ptr<const program>> programs;
};

/// What a sum of products is as a product of matrices: the axes of the product's shape by their role, -1 where there is none.
struct contraction {
    int a = -1, b = -1;  // operands, node ids; a has the rows
    int rows = -1, columns = -1, inner = -1;
    int batches[max_rank]{}, batch_count = 0;
};

struct program {
    enum class step_kind : unsigned char { group, product, running, scatter, call };
    struct step {
        step_kind kind;
        int index;  // of the group or contraction; else the node
        int level;
    };
    /// What an instruction reads or writes: the memory of a node (`memory` >= 0), or a register.
    struct slot {
        int memory = -1, reg = -1;
    };
    struct instruction {
        const op_blocks* blocks = nullptr;     // a reduction's, if `reduces`
        const block_function* code = nullptr;  // by the mask of operands that are one number
        int to = -1, from[3]{-1, -1, -1};      // slots, counted from the group's first
        unsigned char count = 1, dt = 0;       // dt: of the operands
        bool reduces = false, masks_first = false;
    };
    struct group {
        int shape;  // a type whose extents are the domain
        int first = 0, count = 0, first_slot = 0, slots = 0, registers = 0;
    };

    graph g;
    std::vector<int> roots, inputs;  // nodes; -1 for an input that is not read
    std::vector<step> steps;
    std::vector<group> groups;
    std::vector<contraction> products;
    std::vector<instruction> code;
    std::vector<slot> slots;
    // by memory: a node's id, or nodes.size() + i for a copy that output i needs
    std::vector<int> output_of;      // the output whose buffer it is, or -1
    std::vector<char> has_memory;    // owns elements
    std::vector<char> whole;         // an input that is reshaped: must be contiguous
    std::vector<int> copy_of;        // of a reshape or an output: the node whose elements are copied, or -1
    std::vector<int> base;           // the node whose memory a view reads
    std::vector<int> first_step, last_step;
    std::vector<std::vector<int>> item_starts;  // of views by index: for each item start, step, from the end
    std::vector<int> item_list;      // position in item_starts, or -1
    std::vector<const op_blocks*> line_blocks;  // of recurrences

    int node_count() const { return g.nodes.size(); }
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    int type_of_memory(int m) const { return m < node_count() ? g.nodes[m].ty : g.nodes[roots[at(m - node_count())]].ty; }

    const runtime_bodies* bodies = nullptr;
    std::vector<std::vector<int>> projections;  // by call, in the order of call_nodes
    std::vector<int> call_nodes, call_of_node;
    std::vector<char> steps_matter;             // by call: whether a shape hangs on its number of steps

    program(graph kernel, const std::vector<int>& root_nodes, const std::vector<int>& input_nodes, const runtime_bodies* b)
        : g(std::move(kernel)), roots(root_nodes), inputs(input_nodes), bodies(b) {
        build();
    }
    program(const program&) = delete;

private:
    int shape_of(int ty) { return g.with_dtype(ty, dtype::boolean); }

    bool contracts(int id, const std::vector<int>& uses, contraction& c) const {
#ifdef COTAN_DYN_EIGEN
        if (!g.is(id, info<sum_>) || !is_real(g.dtype_of(id))) return false;
        const int p = g.arg(id, 0);
        if (!g.is(p, info<multiply_>) || g.nodes[p].nargs != 2 || uses[at(p)] != 1 || g.dtype_of(p) != g.dtype_of(id)) return false;
        const type_data t = g.type_of(p);
        const int mask = g.param(id, 0), x[] = {g.arg(p, 0), g.arg(p, 1)};
        int owner_of_rows = -1;
        for (int k = 0; k < t.rank; ++k) {
            bool in[2];
            for (int i = 0; i < 2; ++i) {
                const type_data& o = g.type_of(x[i]);
                const int own = k - (t.rank - o.rank);
                in[i] = own >= 0 && (!g.is_one(o.ext[own]) || g.is_one(t.ext[k]));
            }
            if (mask >> k & 1) {
                if (!in[0] || !in[1] || c.inner >= 0) return false;
                c.inner = k;
            } else if (in[0] == in[1]) c.batches[c.batch_count++] = k;
            else {
                const int owner = in[0] ? 0 : 1;
                if (owner_of_rows < 0) {
                    owner_of_rows = owner;
                    c.rows = k;
                } else if (c.columns < 0 && owner != owner_of_rows) c.columns = k;
                else return false;
            }
        }
        if (owner_of_rows < 0 || c.inner < 0) return false;
        c.a = x[owner_of_rows];
        c.b = x[1 - owner_of_rows];
        return true;
#else
        (void)id, (void)uses, (void)c;
        return false;
#endif
    }

    void build() {
        const int n = node_count(), memories = n + static_cast<int>(roots.size());
        const vec<int> root_list = [&] {
            vec<int> r;
            for (int x : roots) r.push(x);
            return r;
        }();
        const vec<unsigned char> live = reachable(g, view<int>{root_list.data(), root_list.size()});
        std::vector<int> uses(at(n), 0), level(at(n), 0), product_of_node(at(n), -1);
        std::vector<char> absorbed(at(n), 0);
        for (int id = 0; id < live.size(); ++id)
            if (live[id])
                for (int a : g.args(id)) ++uses[at(a)];
        for (int r : roots) uses[at(r)] += 2;
        has_memory.assign(at(memories), 0);
        whole.assign(at(n), 0);
        output_of.assign(at(memories), -1);
        copy_of.assign(at(memories), -1);
        base.assign(at(n), -1);
        item_list.assign(at(n), -1);
        call_of_node.assign(at(n), -1);
        line_blocks.assign(at(n), nullptr);
        std::vector<int> shape(at(n), -1);

        // products of matrices
        for (int id = 0; id < live.size(); ++id) {
            contraction c;
            if (live[id] && contracts(id, uses, c)) {
                absorbed[at(g.arg(id, 0))] = 1;
                product_of_node[at(id)] = static_cast<int>(products.size());
                products.push_back(c);
            }
        }
        // levels: what a value's group must wait for. Values of one level and domain share a group.
        const auto available = [&](int id) {  // when its memory can be read
            const op_class c = g.op(id).cls;
            return level[at(id)] + (c == op_class::leaf || (c == op_class::view && !g.is(id, info<scatter_>) && copy_of[at(id)] < 0) ? 0 : 1);
        };
        const auto read = [&](int id) {  // its memory is read
            const int b = base[at(id)];
            if (b >= 0 && is_owner(g, b)) has_memory[at(b)] = 1;
        };
        const auto in_group = [&](int id) { return g.op(id).cls == op_class::elementwise; };
        std::vector<int> order;
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id] || absorbed[at(id)]) continue;
            order.push_back(id);
            const op_info& op = g.op(id);
            base[at(id)] = id;
            int l = 0;
            if (op.cls == op_class::leaf) continue;
            if (&op == &op_data<call_>) {
                for (int a : g.args(id)) {
                    l = std::max(l, available(a));
                    read(a);
                }
                call_of_node[at(id)] = static_cast<int>(call_nodes.size());
                call_nodes.push_back(id);
                projections.emplace_back();
            } else if (op.cls == op_class::projection) {
                l = level[at(g.arg(id, 0))];
                has_memory[at(id)] = 1;
                projections[at(call_of_node[at(g.arg(id, 0))])].push_back(id);
            } else if (product_of_node[at(id)] >= 0) {
                const contraction& c = products[at(product_of_node[at(id)])];
                l = std::max(available(c.a), available(c.b));
                read(c.a);
                read(c.b);
                has_memory[at(id)] = 1;
            } else if (op.cls == op_class::elementwise) {
                shape[at(id)] = shape_of(g.nodes[id].ty);
                for (int a : g.args(id)) l = std::max(l, in_group(a) && shape[at(a)] == shape[at(id)] ? level[at(a)] : available(a));
            } else if (op.cls == op_class::reduction) {
                const int a = g.arg(id, 0);
                l = in_group(a) ? level[at(a)] : available(a);
                has_memory[at(id)] = 1;
            } else if (op.cls == op_class::running || &op == &info<scatter_>) {
                for (int a : g.args(id)) {
                    l = std::max(l, available(a));
                    read(a);
                }
                has_memory[at(id)] = 1;
                if (op.cls == op_class::running) {
                    line_blocks[at(id)] = kernel_registry::instance().find(&op);
                    if (!line_blocks[at(id)] || !line_blocks[at(id)]->along[slot_of(g.dtype_of(id))])
                        throw error("cotan: the runtime graph has no kernel for " + std::string(op.name) + " of " + name_of(g.dtype_of(id)));
                } else {
                    const vec<int> p = scatter_::copy_of(g.params(id));
                    item_list[at(id)] = static_cast<int>(item_starts.size());
                    item_starts.push_back(starts_of(g.type_of(id), view<int>{p.data(), p.size()}));
                }
            } else if (op.cls == op_class::view) {
                const int a = g.arg(id, 0);
                l = available(a);
                read(a);
                base[at(id)] = base[at(a)];
                if (&op == &info<reshape_>) {
                    if (g.is(a, input_info)) whole[at(a)] = 1;
                    else if (base[at(a)] != a || !is_owner(g, a)) {  // the elements of a view are brought into order first
                        copy_of[at(id)] = a;
                        has_memory[at(id)] = 1;
                        base[at(id)] = id;
                    }
                } else if (&op == &info<index_>) find_starts(id);
            } else
                throw error("cotan: the runtime graph cannot run the operation " + std::string(op.name));
            level[at(id)] = l;
        }
        // whose elements are outputs
        for (std::size_t i = 0; i < roots.size(); ++i) {
            const int r = roots[i];
            const bool owns = is_owner(g, r);
            if (owns && output_of[at(r)] < 0) {
                output_of[at(r)] = static_cast<int>(i);
                has_memory[at(r)] = 1;
            } else {
                output_of[at(n) + i] = static_cast<int>(i);
                has_memory[at(n) + i] = 1;
                copy_of[at(n) + i] = r;
                read(r);
            }
        }
        // what a group of another level or domain reads must be stored
        for (int id : order) {
            const op_class c = g.op(id).cls;
            if (product_of_node[at(id)] >= 0 || (c != op_class::elementwise && c != op_class::reduction)) continue;
            const int own = c == op_class::reduction ? shape_of(g.nodes[g.arg(id, 0)].ty) : shape[at(id)];
            for (int a : g.args(id))
                if (!(in_group(a) && shape[at(a)] == own && level[at(a)] == level[at(id)])) read(a);
        }
        // the groups, by level and domain
        std::unordered_map<std::uint64_t, int> group_of;
        std::vector<std::vector<int>> members;  // nodes, or memories of copies
        std::vector<int> group_level;
        const auto put = [&](int lev, int sh, int member) {
            const std::uint64_t key = static_cast<std::uint64_t>(lev) << 32 | static_cast<std::uint32_t>(sh);
            const auto [where, fresh] = group_of.try_emplace(key, static_cast<int>(groups.size()));
            if (fresh) {
                groups.push_back({sh});
                members.emplace_back();
                group_level.push_back(lev);
            }
            members[at(where->second)].push_back(member);
        };
        for (int id : order) {
            const op_info& op = g.op(id);
            if (product_of_node[at(id)] >= 0) steps.push_back({step_kind::product, id, level[at(id)]});
            else if (op.cls == op_class::elementwise) put(level[at(id)], shape[at(id)], id);
            else if (op.cls == op_class::reduction) put(level[at(id)], shape_of(g.nodes[g.arg(id, 0)].ty), id);
            else if (&op == &op_data<call_>) steps.push_back({step_kind::call, id, level[at(id)]});
            else if (op.cls == op_class::running) steps.push_back({step_kind::running, id, level[at(id)]});
            else if (&op == &info<scatter_>) steps.push_back({step_kind::scatter, id, level[at(id)]});
            else if (copy_of[at(id)] >= 0) put(level[at(id)], shape_of(g.nodes[copy_of[at(id)]].ty), id);
        }
        for (std::size_t i = 0; i < roots.size(); ++i)
            if (copy_of[at(n) + i] >= 0) put(available(roots[i]), shape_of(g.nodes[roots[i]].ty), n + static_cast<int>(i));
        for (std::size_t k = 0; k < groups.size(); ++k) steps.push_back({step_kind::group, static_cast<int>(k), group_level[k]});
        {  // by level
            int most = 0;
            for (const step& s : steps) most = std::max(most, s.level);
            std::vector<int> from(at(most) + 2, 0);
            for (const step& s : steps) ++from[at(s.level) + 1];
            for (std::size_t k = 1; k < from.size(); ++k) from[k] += from[k - 1];
            std::vector<step> sorted(steps.size());
            for (const step& s : steps) sorted[at(from[at(s.level)]++)] = s;
            steps = std::move(sorted);
        }

        std::vector<int> slot_here(at(memories), -1), stamp(at(memories), -1);
        std::vector<int> last_use(at(n), -1);
        for (std::size_t k = 0; k < groups.size(); ++k) generate(groups[k], members[k], slot_here, stamp, static_cast<int>(k), last_use, [&](int a, int own_level, int own_shape) {
            return a < n && in_group(a) && shape[at(a)] == own_shape && level[at(a)] == own_level;
        }, group_level[k]);

        // how long each memory is needed
        first_step.assign(at(memories), -1);
        last_step.assign(at(memories), -1);
        for (std::size_t s = 0; s < steps.size(); ++s) {
            const int now = static_cast<int>(s);
            const auto touch = [&](int m) {
                const int b = m < n ? base[at(m)] : m;
                if (b < 0) return;
                if (first_step[at(b)] < 0) first_step[at(b)] = now;
                last_step[at(b)] = now;
            };
            const step& st = steps[s];
            if (st.kind == step_kind::group) {
                const group& gr = groups[at(st.index)];
                for (int i = 0; i < gr.slots; ++i)
                    if (slots[at(gr.first_slot + i)].memory >= 0) touch(slots[at(gr.first_slot + i)].memory);
            } else if (st.kind == step_kind::product) {
                const contraction& c = products[at(product_of_node[at(st.index)])];
                touch(c.a);
                touch(c.b);
                touch(st.index);
            } else {
                for (int a : g.args(st.index)) touch(a);
                if (st.kind != step_kind::call) touch(st.index);
                else
                    for (int q : projections[at(call_of_node[at(st.index)])]) touch(q);
            }
        }
        // whose number of steps decides a shape
        std::vector<char> decides(at(g.extents.size()), 0);
        for (int id : order) {
            for (int k = 0; k < g.rank(id); ++k) decides[at(g.type_of(id).ext[k])] = 1;
            if (g.is(id, info<extent_>) || g.is(id, info<iota_>)) decides[at(g.param(id, 0))] = 1;
        }
        for (int e = g.extents.size() - 1; e >= 0; --e)
            if (decides[at(e)]) {
                if (g.extents[e].a >= 0) decides[at(g.extents[e].a)] = 1;
                if (g.extents[e].b >= 0) decides[at(g.extents[e].b)] = 1;
            }
        for (int c : call_nodes) {
            const call_info& call = bodies->calls[at(g.param(c, 0))];
            steps_matter.push_back(!call.cond && decides[at(call.steps)]);
        }
        for (step& s : steps)
            if (s.kind == step_kind::product) {
                product_nodes.push_back(s.index);
                s.index = product_of_node[at(s.index)];
                product_result.resize(products.size(), -1);
                product_result[at(s.index)] = product_nodes.back();
            }
    }

    void find_starts(int id) {
        const type_data t = g.type_of(g.arg(id, 0));
        const vec<int> p = scatter_::copy_of(g.params(id));
        item_list[at(id)] = static_cast<int>(item_starts.size());
        item_starts.push_back(starts_of(t, view<int>{p.data(), p.size()}));
    }
    /// For each item of an index: start, step, and whether the start counts from the end.
    std::vector<int> starts_of(const type_data& t, view<int> p) {
        std::vector<int> r;
        int axis = 0;
        for (int i = 0; i < p.size(); i += item_size) {
            const item kind = static_cast<item>(p[i]);
            int start = 0, step = 1, from_end = 0;
            if (kind == item::integer) {
                start = p[i + 1];
                from_end = start < 0;
            } else if (kind == item::slice) {
                const slice_data s = resolve_slice(g, t.ext[axis], p[i + 1], p[i + 2], p[i + 3]);
                start = s.start;
                step = s.step;
                from_end = s.from_end;
            }
            if (kind != item::newaxis) ++axis;
            r.insert(r.end(), {start, step, from_end});
        }
        return r;
    }

    template <class InGroup>
    void generate(group& gr, const std::vector<int>& members, std::vector<int>& slot_here, std::vector<int>& stamp, int k, std::vector<int>& last_use, InGroup in_group, int level) {
        const int n = node_count();
        gr.first = static_cast<int>(code.size());
        gr.first_slot = static_cast<int>(slots.size());
        const auto slot_for = [&](int memory) {
            if (stamp[at(memory)] == k) return slot_here[at(memory)];
            stamp[at(memory)] = k;
            slot_here[at(memory)] = static_cast<int>(slots.size()) - gr.first_slot;
            slots.push_back({memory, -1});
            return slot_here[at(memory)];
        };
        for (std::size_t i = 0; i < members.size(); ++i)
            if (members[i] < n && copy_of[at(members[i])] < 0)
                for (int a : g.args(members[i])) last_use[at(a)] = static_cast<int>(i);
        std::vector<int> free;
        std::vector<int> register_slots;  // one slot a register
        for (std::size_t i = 0; i < members.size(); ++i) {
            const int id = members[i];
            instruction ins;
            int sources[3]{}, count = 0;
            if (copy_of[at(id)] >= 0) {
                sources[count++] = copy_of[at(id)];
                const int d = slot_of(g.dtype_of(sources[0]));
                ins.code = &cast_blocks[at(d)][at(d)];
                ins.dt = static_cast<unsigned char>(d);
                ins.from[0] = slot_for(sources[0]);
                ins.to = slot_for(id);
            } else {
                const op_info& op = g.op(id);
                for (int a : g.args(id)) {
                    if (count == 3) throw error("cotan: the runtime graph cannot run " + std::string(op.name) + " with more than three operands");
                    sources[count++] = a;
                }
                const int d = slot_of(g.dtype_of(sources[count - 1]));
                ins.dt = static_cast<unsigned char>(d);
                ins.masks_first = op.types == typing::choose;
                if (&op == &info<cast_>) ins.code = &cast_blocks[at(slot_of(g.dtype_of(id)))][at(d)];
                else {
                    ins.blocks = kernel_registry::instance().find(&op);
                    if (!ins.blocks) throw error("cotan: the runtime graph has no kernel for the operation " + std::string(op.name) + ": add it to op/catalogue.hpp, or call kernel_registry::add");
                    ins.code = ins.blocks->block[at(d)];
                    ins.reduces = op.cls == op_class::reduction;
                    if (ins.reduces ? !ins.blocks->fold[at(d)] : !ins.code[0])
                        throw error("cotan: the runtime graph has no kernel for " + std::string(op.name) + " of " + name_of(g.dtype_of(sources[count - 1])));
                }
                for (int s = 0; s < count; ++s) {
                    const int a = sources[s];
                    if (in_group(a, level, gr.shape) && !has_memory[at(a)]) ins.from[s] = slot_here[at(a)];
                    else ins.from[s] = slot_for(a);
                }
                if (has_memory[at(id)]) ins.to = slot_for(id);
                else {
                    if (free.empty()) {
                        free.push_back(static_cast<int>(slots.size()) - gr.first_slot);
                        slots.push_back({-1, gr.registers++});
                    }
                    ins.to = free.back();
                    free.pop_back();
                    stamp[at(id)] = k;
                    slot_here[at(id)] = ins.to;
                }
                for (int s = 0; s < count; ++s) {
                    const int a = sources[s];
                    bool again = false;
                    for (int q = 0; q < s; ++q) again = again || sources[q] == a;
                    if (!again && last_use[at(a)] == static_cast<int>(i) && in_group(a, level, gr.shape) && !has_memory[at(a)]) free.push_back(slot_here[at(a)]);
                }
            }
            ins.count = static_cast<unsigned char>(count);
            code.push_back(ins);
        }
        gr.count = static_cast<int>(code.size()) - gr.first;
        gr.slots = static_cast<int>(slots.size()) - gr.first_slot;
    }

public:
    std::vector<int> product_nodes, product_result;
};

}  // namespace cotan::bits
