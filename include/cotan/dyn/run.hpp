#pragma once

#include <cotan/dyn/product.hpp>

#include <cstring>
#include <functional>
#include <map>
#include <memory>

namespace cotan::bits {

/// Aligned memory that only grows.
class byte_room {
public:
    std::byte* at_least(std::size_t n) {
        if (n > size_ || !memory_) {
            memory_ = std::make_unique_for_overwrite<std::byte[]>(n + 64);
            size_ = n;
        }
        return memory_.get() + (64 - reinterpret_cast<std::uintptr_t>(memory_.get()) % 64) % 64;
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_ = 0;
};

/// An argument as a run reads it. Strides in elements.
struct input_view {
    const void* data = nullptr;
    std::ptrdiff_t size[max_rank]{}, stride[max_rank]{};
};

/// How a memory, or a view of one, lies: which buffer, the first element, the stride of each axis.
struct layout {
    int buffer = -1;
    std::ptrdiff_t offset = 0;  // bytes
    std::ptrdiff_t stride[max_rank]{};
};

template <class U>
void copy_strided(void* to, const void* from, std::ptrdiff_t n, std::ptrdiff_t stride) {
    const U* x = static_cast<const U*>(from);
    U* y = static_cast<U*>(to);
    if (stride == 0) {
        const U v = n ? *x : U();
        for (std::ptrdiff_t i = 0; i < n; ++i) y[i] = v;
    } else
        for (std::ptrdiff_t i = 0; i < n; ++i) y[i] = x[i * stride];
}
inline void copy_line(void* to, const void* from, std::ptrdiff_t n, std::ptrdiff_t stride, std::ptrdiff_t size) {
    if (stride == 1) std::memcpy(to, from, static_cast<std::size_t>(n * size));
    else if (size == 8) copy_strided<std::uint64_t>(to, from, n, stride);
    else if (size == 4) copy_strided<std::uint32_t>(to, from, n, stride);
    else copy_strided<std::uint8_t>(to, from, n, stride);
}

/// A program with buffers of its own, bound to the extents and strides of its last call.
class program_run {
public:
    explicit program_run(std::shared_ptr<const program> p) : p_(std::move(p)) {
        const program& q = *p_;
        children_.resize(q.call_nodes.size());
        buffers_.resize(q.inputs.size() + q.roots.size() + 2);
        outputs_ = static_cast<int>(q.inputs.size());
        constants_ = outputs_ + static_cast<int>(q.roots.size());
        work_ = constants_ + 1;
        input_of_.assign(static_cast<std::size_t>(q.node_count()), -1);
        for (std::size_t i = 0; i < q.inputs.size(); ++i)
            if (q.inputs[i] >= 0) input_of_[at(q.inputs[i])] = static_cast<int>(i);
    }
    program_run(const program_run&) = delete;

    /// Whether the run is bound to these extents and inputs; if not, bind() must be called. Extents: of all that the graph has.
    void bind(const std::vector<std::ptrdiff_t>& extents, const std::vector<input_view>& inputs) {
        bool same = bound_ && extents == extents_ && inputs.size() == strides_.size();
        for (std::size_t i = 0; same && i < inputs.size(); ++i)
            if (p_->inputs[i] >= 0)
                for (int k = 0; k < p_->g.rank(p_->inputs[i]); ++k) same = same && inputs[i].stride[k] == strides_[i][at(k)];
        if (same) return;
        bound_ = false;
        extents_ = extents;
        strides_.resize(inputs.size());
        for (std::size_t i = 0; i < inputs.size(); ++i)
            for (int k = 0; k < max_rank; ++k) strides_[i][at(k)] = inputs[i].stride[k];
        lay_out();
        prepare_groups();
        bound_ = true;
        for (auto& b : buffers_)
            if (&b != &buffers_[at(constants_)] && &b != &buffers_[at(work_)]) b = nullptr;
        moved_ = true;
    }
    std::ptrdiff_t size_of_extent(int e) const { return extents_[at(e)]; }
    const std::vector<std::ptrdiff_t>& extents() const { return extents_; }
    /// What a caller does when a loop has changed the extents: it gives outputs of the new sizes.
    std::function<void()> on_new_extents;
    /// An extent that only a run can know: how often a loop has run the last time.
    static void derive(const graph& g, std::vector<std::ptrdiff_t>& x) {
        for (int e = 0; e < g.extents.size(); ++e) {
            const extent_data& d = g.extents[e];
            std::ptrdiff_t& v = x[static_cast<std::size_t>(e)];
            if (d.kind == extent_kind::linear) {
                const std::ptrdiff_t n = x[static_cast<std::size_t>(d.a)] + d.value;
                v = n <= 0 ? 0 : (n + d.div - 1) / d.div;
            } else if (d.kind == extent_kind::product) v = x[static_cast<std::size_t>(d.a)] * x[static_cast<std::size_t>(d.b)];
            else if (d.kind == extent_kind::fixed) v = d.value;
        }
    }
    void set_buffer(int b, const void* data) {
        auto* q = static_cast<std::byte*>(const_cast<void*>(data));
        if (buffers_[at(b)] == q) return;
        buffers_[at(b)] = q;
        moved_ = true;
    }
    void set_input(int i, const void* data) { set_buffer(i, data); }
    void set_output(int i, void* data) { set_buffer(outputs_ + i, data); }

    void run() {
        const program& q = *p_;
        if (moved_) place_pointers();
        for (std::size_t i = 0; i < q.steps.size(); ++i) {
            const program::step& s = q.steps[i];
            switch (s.kind) {
                case program::step_kind::call:
                    if (run_call(s.index)) break;
                    // a loop's number of steps decides shapes, and was another one the last time: from the beginning, with these shapes
                    lay_out();
                    prepare_groups();
                    if (on_new_extents) on_new_extents();
                    place_pointers();
                    i = static_cast<std::size_t>(-1);
                    break;
                case program::step_kind::group: run_group(groups_[at(s.index)]); break;
                case program::step_kind::product: run_product(s.index); break;
                case program::step_kind::running: run_lines(s.index); break;
                case program::step_kind::scatter: run_scatter(s.index); break;
            }
        }
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

    enum class reading : unsigned char { direct, one, gathered };
    struct bound_slot {
        std::byte* start = nullptr;              // at the domain's origin
        std::ptrdiff_t stride[max_rank]{};       // bytes, of the domain's axes once joined
        std::ptrdiff_t element = 8;
        int buffer = -1;
        std::ptrdiff_t offset = 0;
        int gather_to = -1;                      // a register's number
        bool is_register = false;
    };
    struct bound_instruction {
        block_function code = nullptr;
        fold_function fold = nullptr, accumulate = nullptr;
        int to = -1, from[3]{-1, -1, -1};        // pointers
        unsigned char count = 1;
        bool reduces = false;
    };
    struct bound_group {
        int axes = 0;
        std::ptrdiff_t size[max_rank]{};
        std::ptrdiff_t total = 0, chunk = 0;     // chunk: elements of the innermost axis at once; or rows of it
        bool by_rows = false, single = false;
        int first_pointer = 0, pointers = 0;     // one for each slot, and one for each gathered slot's register
        int first_code = 0, codes = 0;
        std::vector<int> memory_slots, gathers, accumulators;
        std::vector<void (*)(void*, std::ptrdiff_t)> clears;  // fill the accumulators with where they start from
        std::vector<std::ptrdiff_t> cleared;                   // their elements
        std::vector<int> gather_register;        // pointer index of each gather's register
    };

    std::shared_ptr<const program> p_;
    bool bound_ = false, moved_ = true;
    std::vector<std::ptrdiff_t> extents_;
    std::vector<std::array<std::ptrdiff_t, max_rank>> strides_;
    std::vector<layout> layouts_;
    std::vector<std::byte*> buffers_;
    std::vector<int> input_of_;
    int outputs_ = 0, constants_ = 0, work_ = 0;
    byte_room constant_room_, work_room_, register_room_;
    std::vector<bound_slot> slots_;
    std::vector<bound_instruction> code_;
    std::vector<void*> pointers_;
    std::vector<bound_group> groups_;
    std::vector<double> room_a64_, room_b64_;
    std::vector<float> room_a32_, room_b32_;
    std::byte* registers_ = nullptr;

    std::ptrdiff_t extent(int e) const { return extents_[at(e)]; }
    std::ptrdiff_t elements(int ty) const {
        std::ptrdiff_t n = 1;
        const type_data& t = p_->g.types[ty];
        for (int k = 0; k < t.rank; ++k) n *= extent(t.ext[k]);
        return n;
    }
    std::ptrdiff_t element_size(int ty) const { return size_of(p_->g.types[ty].dt); }
    void contiguous(layout& l, int ty) const {
        const type_data& t = p_->g.types[ty];
        std::ptrdiff_t s = 1;
        for (int k = t.rank - 1; k >= 0; --k) {
            l.stride[k] = s;
            s *= extent(t.ext[k]);
        }
    }

    /// Where everything lies for these extents.
    void lay_out() {
        const program& q = *p_;
        const graph& g = q.g;
        const int n = q.node_count(), memories = n + static_cast<int>(q.roots.size());
        layouts_.assign(at(memories), {});
        // constants: literals, extents and positions
        std::size_t constant_bytes = 0;
        for (int id = 0; id < n; ++id)
            if (q.base[at(id)] == id && g.op(id).cls == op_class::leaf && input_of_[at(id)] < 0)
                constant_bytes += (at(elements(g.nodes[id].ty)) * 8 + 7) / 8 * 8;
        std::byte* c = constant_room_.at_least(constant_bytes + 8);
        buffers_[at(constants_)] = c;
        std::ptrdiff_t used = 0;
        // the workspace: memories that are alive at the same time do not overlap
        std::vector<std::ptrdiff_t> offset(at(memories), -1);
        const std::ptrdiff_t work_bytes = assign_workspace(offset);
        buffers_[at(work_)] = work_room_.at_least(at(work_bytes) + 64);
        for (int m = 0; m < memories; ++m) {
            layout& l = layouts_[at(m)];
            if (m >= n || q.has_memory[at(m)]) {
                if (m >= n && !q.has_memory[at(m)]) continue;
                contiguous(l, q.type_of_memory(m));
                if (q.output_of[at(m)] >= 0) l.buffer = outputs_ + q.output_of[at(m)];
                else {
                    l.buffer = work_;
                    l.offset = offset[at(m)];
                }
                continue;
            }
            if (q.base[at(m)] < 0) continue;
            const op_info& op = g.op(m);
            if (input_of_[at(m)] >= 0) {
                l.buffer = input_of_[at(m)];
                for (int k = 0; k < g.rank(m); ++k) l.stride[k] = strides_[at(l.buffer)][at(k)];
            } else if (op.cls == op_class::leaf) {
                l.buffer = constants_;
                l.offset = used;
                if (&op == &input_info) l.buffer = -1;  // not among the function's inputs: refused before
                else used += (write_constant(m, c + used) * 8 + 7) / 8 * 8;
                contiguous(l, g.nodes[m].ty);
            } else if (op.cls == op_class::view) view_layout(m, l);
        }
    }
    std::ptrdiff_t write_constant(int id, std::byte* to) const {
        const graph& g = p_->g;
        const dtype d = settled(g.dtype_of(id));
        const std::ptrdiff_t n = elements(g.nodes[id].ty);
        const auto put = [&](auto value_at) {
            for (std::ptrdiff_t i = 0; i < n; ++i) switch (d) {
                    case dtype::boolean: reinterpret_cast<bool*>(to)[i] = value_at(i) != 0; break;
                    case dtype::int32: reinterpret_cast<std::int32_t*>(to)[i] = static_cast<std::int32_t>(value_at(i)); break;
                    case dtype::int64: reinterpret_cast<std::int64_t*>(to)[i] = static_cast<std::int64_t>(value_at(i)); break;
                    case dtype::float32: reinterpret_cast<float*>(to)[i] = static_cast<float>(value_at(i)); break;
                    default: reinterpret_cast<double*>(to)[i] = static_cast<double>(value_at(i));
                }
        };
        const std::uint64_t b = g.nodes[id].bits;
        if (g.is(id, literal_info)) {
            if (is_real(d)) put([&](std::ptrdiff_t) { return std::bit_cast<double>(b); });
            else put([&](std::ptrdiff_t) { return static_cast<std::int64_t>(b); });
        } else if (g.is(id, info<extent_>)) put([&](std::ptrdiff_t) { return extent(g.param(id, 0)); });
        else put([](std::ptrdiff_t i) { return i; });
        return n;
    }
    void view_layout(int id, layout& l) const {
        const graph& g = p_->g;
        const int a = g.arg(id, 0);
        const layout& x = layouts_[at(a)];
        const type_data &in = g.type_of(a), &out = g.type_of(id);
        const std::ptrdiff_t size = size_of(in.dt);
        l.buffer = x.buffer;
        l.offset = x.offset;
        if (g.is(id, info<broadcast_>)) {
            for (int k = 0; k < in.rank; ++k) {
                const int o = k + out.rank - in.rank;
                l.stride[o] = extent(in.ext[k]) == 1 ? 0 : x.stride[k];
            }
        } else if (g.is(id, info<transpose_>)) {
            const view<int> perm = g.params(id);
            for (int k = 0; k < out.rank; ++k) l.stride[k] = x.stride[perm.size() ? perm[k] : out.rank - 1 - k];
        } else if (g.is(id, info<reshape_>)) contiguous(l, g.nodes[id].ty);
        else index_layout(l, x, in, g.params(id), p_->item_starts[at(p_->item_list[at(id)])], size);
    }
    void index_layout(layout& l, const layout& x, const type_data& in, view<int> p, const std::vector<int>& starts, std::ptrdiff_t size) const {
        int axis = 0, to = 0;
        for (int i = 0; i < p.size(); i += item_size) {
            const item kind = static_cast<item>(p[i]);
            if (kind == item::newaxis) {
                l.stride[to++] = 0;
                continue;
            }
            const int* s = &starts[at(i / item_size * 3)];
            const std::ptrdiff_t first = kind == item::all ? 0 : s[0] + (s[2] ? extent(in.ext[axis]) : 0);
            l.offset += first * x.stride[axis] * size;
            if (kind != item::integer) l.stride[to++] = x.stride[axis] * (kind == item::all ? 1 : s[1]);
            ++axis;
        }
        while (axis < in.rank) l.stride[to++] = x.stride[axis++];
    }

    /// Offsets of the temporaries, each as low as what is alive with it allows.
    std::ptrdiff_t assign_workspace(std::vector<std::ptrdiff_t>& offset) const {
        const program& q = *p_;
        std::vector<std::vector<int>> begin(q.steps.size()), over(q.steps.size());
        for (std::size_t m = 0; m < offset.size(); ++m)
            if (q.has_memory[m] && q.output_of[m] < 0 && q.first_step[m] >= 0) {
                begin[at(q.first_step[m])].push_back(static_cast<int>(m));
                over[at(q.last_step[m])].push_back(static_cast<int>(m));
            }
        std::map<std::ptrdiff_t, std::ptrdiff_t> by_place;        // free pieces: where, how long
        std::multimap<std::ptrdiff_t, std::ptrdiff_t> by_length;  // the same
        std::ptrdiff_t top = 0;
        const auto length = [&](int m) {
            const int ty = q.type_of_memory(m);
            return (elements(ty) * element_size(ty) + 63) / 64 * 64;
        };
        const auto take_out = [&](std::map<std::ptrdiff_t, std::ptrdiff_t>::iterator i) {
            for (auto [j, end] = by_length.equal_range(i->second); j != end; ++j)
                if (j->second == i->first) {
                    by_length.erase(j);
                    break;
                }
            return by_place.erase(i);
        };
        const auto put_in = [&](std::ptrdiff_t where, std::ptrdiff_t n) {
            if (!n) return;
            auto next = by_place.lower_bound(where);
            if (next != by_place.end() && where + n == next->first) {
                n += next->second;
                next = take_out(next);
            }
            if (next != by_place.begin()) {
                auto before = std::prev(next);
                if (before->first + before->second == where) {
                    where = before->first;
                    n += before->second;
                    take_out(before);
                }
            }
            by_place.emplace(where, n);
            by_length.emplace(n, where);
        };
        for (std::size_t s = 0; s < begin.size(); ++s) {
            for (int m : begin[s]) {
                const std::ptrdiff_t n = length(m);
                const auto fit = by_length.lower_bound(n);
                if (n && fit != by_length.end()) {
                    const std::ptrdiff_t where = fit->second, room = fit->first;
                    take_out(by_place.find(where));
                    offset[at(m)] = where;
                    put_in(where + n, room - n);
                } else {
                    offset[at(m)] = top;
                    top += n;
                }
            }
            for (int m : over[s]) put_in(offset[at(m)], length(m));
        }
        return top;
    }

    /// Which stride a memory has along each axis of a domain.
    void align(std::ptrdiff_t* stride, const layout& l, const type_data& t, const type_data& domain) const {
        const int lead = domain.rank - t.rank;
        for (int k = 0; k < domain.rank; ++k) stride[k] = k < lead || extent(t.ext[k - lead]) == 1 ? 0 : l.stride[k - lead];
    }

    void prepare_groups() {
        const program& q = *p_;
        groups_.assign(q.groups.size(), {});
        slots_.assign(q.slots.size(), {});
        code_.clear();
        std::ptrdiff_t pointers = 0, register_bytes = 0;
        std::vector<std::ptrdiff_t> lengths(q.groups.size());
        for (std::size_t k = 0; k < q.groups.size(); ++k) {
            const program::group& from = q.groups[k];
            bound_group& b = groups_[k];
            b.first_pointer = static_cast<int>(pointers);
            prepare_group(from, b);
            pointers += b.pointers;
            const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(from.registers + static_cast<int>(b.gathers.size()));
            register_bytes = std::max(register_bytes, n * (b.by_rows ? b.chunk * b.size[b.axes - 1] : b.chunk) * 8 + n * 64);
        }
        pointers_.assign(at(pointers), nullptr);
        registers_ = register_room_.at_least(at(register_bytes) + 64);
        for (std::size_t k = 0; k < q.groups.size(); ++k) {
            const program::group& from = q.groups[k];
            bound_group& b = groups_[k];
            const std::ptrdiff_t room = ((b.by_rows ? b.chunk * b.size[b.axes - 1] : b.chunk) * 8 + 63) / 64 * 64;
            for (int i = 0; i < from.slots; ++i) {
                const int reg = q.slots[at(from.first_slot + i)].reg;
                if (reg >= 0) pointers_[at(b.first_pointer + i)] = registers_ + reg * room;
            }
            for (std::size_t i = 0; i < b.gathers.size(); ++i)
                pointers_[at(b.gather_register[i])] = registers_ + (from.registers + static_cast<std::ptrdiff_t>(i)) * room;
        }
    }

    void prepare_group(const program::group& from, bound_group& b) {
        const program& q = *p_;
        const graph& g = q.g;
        const type_data domain = g.types[from.shape];
        bound_slot* slots = slots_.data() + from.first_slot;
        // strides of all memories along the domain's axes
        std::vector<char> accumulates(at(from.slots), 0);
        for (int i = 0; i < from.count; ++i) {
            const program::instruction& ins = q.code[at(from.first + i)];
            if (!ins.reduces) continue;
            accumulates[at(ins.to)] = 1;
            b.accumulators.push_back(ins.to);
            b.clears.push_back(ins.blocks->clear[ins.dt]);
            b.cleared.push_back(elements(g.nodes[q.slots[at(from.first_slot + ins.to)].memory].ty));
        }
        for (int i = 0; i < from.slots; ++i) {
            const program::slot& s = q.slots[at(from.first_slot + i)];
            bound_slot& t = slots[i];
            if (s.memory < 0) {
                t.is_register = true;
                continue;
            }
            b.memory_slots.push_back(i);
            const int ty = q.type_of_memory(s.memory);
            const layout& l = layouts_[at(s.memory)];
            t.element = element_size(ty);
            t.buffer = l.buffer;
            t.offset = l.offset;
            if (accumulates[at(i)]) {
                const int mask = g.param(s.memory, 0);
                int kept = 0;
                for (int k = 0; k < domain.rank; ++k) t.stride[k] = mask >> k & 1 ? 0 : l.stride[kept++];
            } else if (s.memory < q.node_count() && q.copy_of[at(s.memory)] >= 0 && writes(from, i)) {
                // a copy for a reshape: written in the order of what it copies
                layout plain;
                contiguous(plain, from.shape);
                for (int k = 0; k < domain.rank; ++k) t.stride[k] = plain.stride[k];
            } else align(t.stride, l, g.types[ty], domain);
        }
        // axes that all memories walk alike become one
        b.total = elements(from.shape);
        for (int k = 0; k < domain.rank; ++k) {
            const std::ptrdiff_t n = extent(domain.ext[k]);
            if (n == 1) continue;
            bool join = b.axes > 0;
            for (int i : b.memory_slots) join = join && slots[i].stride[b.axes - 1] == slots[i].stride[k] * n;
            if (join) {
                b.size[b.axes - 1] *= n;
                for (int i : b.memory_slots) slots[i].stride[b.axes - 1] = slots[i].stride[k];
            } else {
                for (int i : b.memory_slots) slots[i].stride[b.axes] = slots[i].stride[k];
                b.size[b.axes++] = n;
            }
        }
        if (b.axes == 0) {
            b.size[b.axes++] = 1;
            for (int i : b.memory_slots) slots[i].stride[0] = 0;
        }
        // blocks that stay in the first-level cache
        const std::ptrdiff_t live = from.registers + 3;
        std::ptrdiff_t block = 28672 / (8 * live) / 32 * 32;
        block = block < 128 ? 128 : block > 1024 ? 1024 : block;
        const std::ptrdiff_t inner = b.size[b.axes - 1];
        b.by_rows = b.axes > 1 && inner < 256 && inner > 0;
        if (b.by_rows) {
            const std::ptrdiff_t rows = block / inner;
            b.chunk = std::min(b.size[b.axes - 2], rows < 1 ? 1 : rows);
        } else b.chunk = std::min(inner, block);
        if (b.chunk < 1) b.chunk = 1;
        // how each memory is read
        std::vector<reading> how(at(from.slots), reading::direct);
        for (int i : b.memory_slots) {
            if (accumulates[at(i)] || writes_slot(from, i)) continue;
            const bound_slot& t = slots[i];
            const std::ptrdiff_t s0 = t.stride[b.axes - 1], s1 = b.by_rows ? t.stride[b.axes - 2] : s0 * inner;
            if (inner == 1 && !b.by_rows) how[at(i)] = b.total == 1 ? reading::direct : reading::one;
            else if (s0 == 0 && (s1 == 0 || !b.by_rows || b.chunk == 1)) how[at(i)] = reading::one;
            else if (s0 == 1 && (s1 == inner || !b.by_rows || b.chunk == 1)) how[at(i)] = reading::direct;
            else how[at(i)] = reading::gathered;
        }
        b.pointers = from.slots;
        std::vector<int> gathered(at(from.slots), -1);
        const auto gather = [&](int i) {
            if (gathered[at(i)] >= 0) return gathered[at(i)];
            gathered[at(i)] = b.first_pointer + b.pointers++;
            b.gathers.push_back(i);
            b.gather_register.push_back(gathered[at(i)]);
            return gathered[at(i)];
        };
        b.first_code = static_cast<int>(code_.size());
        for (int i = 0; i < from.count; ++i) {
            const program::instruction& ins = q.code[at(from.first + i)];
            bound_instruction c;
            c.count = ins.count;
            c.reduces = ins.reduces;
            c.to = b.first_pointer + ins.to;
            unsigned ones = 0;
            for (int s = 0; s < ins.count; ++s) {
                const int f = ins.from[s];
                c.from[s] = b.first_pointer + f;
                if (slots[f].is_register) continue;
                if (how[at(f)] == reading::gathered) c.from[s] = gather(f);
                else if (how[at(f)] == reading::one) ones |= 1u << s;
            }
            if (ins.reduces) {
                c.fold = ins.blocks->fold[ins.dt];
                c.accumulate = ins.blocks->accumulate[ins.dt];
                if (ones) c.from[0] = gather(ins.from[0]);
            } else {
                c.code = ones == 0 ? ins.code[0] : ins.blocks ? ins.code[ones] : nullptr;
                if (!c.code) {  // no code of its own for numbers here: they fill blocks
                    for (int s = 0; s < ins.count; ++s)
                        if (ones >> s & 1u) c.from[s] = gather(ins.from[s]);
                    c.code = ins.code[0];
                }
            }
            code_.push_back(c);
        }
        b.codes = static_cast<int>(code_.size()) - b.first_code;
        for (int i : b.memory_slots)  // bytes from here on
            for (int k = 0; k < b.axes; ++k) slots[i].stride[k] *= slots[i].element;
        b.single = b.axes == 1 ? b.chunk >= b.size[0] : b.by_rows && b.axes == 2 && b.chunk >= b.size[0];
    }
    bool writes(const program::group& from, int slot) const { return writes_slot(from, slot); }
    bool writes_slot(const program::group& from, int slot) const {
        // a memory is written by the group that computes it, and by no other: its first step
        const int m = p_->slots[at(from.first_slot + slot)].memory;
        if (m < 0) return false;
        if (m >= p_->node_count()) return true;
        if (!p_->has_memory[at(m)]) return false;
        const program::step& s = p_->steps[at(p_->first_step[at(m)])];
        return s.kind == program::step_kind::group && &p_->groups[at(s.index)] == &from;
    }

    void place_pointers() {
        const program& q = *p_;
        for (std::size_t k = 0; k < q.groups.size(); ++k) {
            const program::group& from = q.groups[k];
            bound_group& b = groups_[k];
            for (int i : b.memory_slots) {
                bound_slot& t = slots_[at(from.first_slot + i)];
                t.start = t.buffer < 0 ? nullptr : buffers_[at(t.buffer)] + t.offset;
                pointers_[at(b.first_pointer + i)] = t.start;
            }
        }
        moved_ = false;
    }

    void run_code(const bound_group& b, const bound_slot* slots, std::ptrdiff_t n) {
        for (std::size_t i = 0; i < b.gathers.size(); ++i) {
            const bound_slot& t = slots[b.gathers[i]];
            std::byte* to = static_cast<std::byte*>(pointers_[at(b.gather_register[i])]);
            const std::byte* from = static_cast<const std::byte*>(pointers_[at(b.first_pointer + b.gathers[i])]);
            const std::ptrdiff_t s0 = t.stride[b.axes - 1] / t.element;
            if (!b.by_rows) copy_line(to, from, n, s0, t.element);
            else {
                const std::ptrdiff_t inner = b.size[b.axes - 1], s1 = t.stride[b.axes - 2];
                for (std::ptrdiff_t r = 0; r * inner < n; ++r) copy_line(to + r * inner * t.element, from + r * s1, inner, s0, t.element);
            }
        }
        void** p = pointers_.data();
        const bound_instruction* c = code_.data() + b.first_code;
        for (int i = 0; i < b.codes; ++i, ++c) {
            if (!c->reduces) {
                const void* from[3] = {p[c->from[0]], c->count > 1 ? p[c->from[1]] : nullptr, c->count > 2 ? p[c->from[2]] : nullptr};
                c->code(p[c->to], from, n);
            } else {
                const bound_slot& t = slots[c->to - b.first_pointer];
                reduce_block(b, *c, t, static_cast<std::byte*>(p[c->to]), static_cast<const std::byte*>(p[c->from[0]]), n);
            }
        }
    }
    static void reduce_block(const bound_group& b, const bound_instruction& c, const bound_slot& t, std::byte* to, const std::byte* x, std::ptrdiff_t n) {
        const std::ptrdiff_t s0 = t.stride[b.axes - 1], size = t.element;
        if (!b.by_rows) {
            if (s0 == 0) c.fold(to, x, n);
            else if (s0 == size) c.accumulate(to, x, n);
            else
                for (std::ptrdiff_t i = 0; i < n; ++i) c.fold(to + i * s0, x + i * size, 1);
            return;
        }
        const std::ptrdiff_t inner = b.size[b.axes - 1], s1 = t.stride[b.axes - 2];
        if (s0 == 0 && s1 == 0) return c.fold(to, x, n);
        if (s0 == size && s1 == inner * size) return c.accumulate(to, x, n);
        for (std::ptrdiff_t r = 0; r * inner < n; ++r) {
            if (s0 == 0) c.fold(to + r * s1, x + r * inner * size, inner);
            else if (s0 == size) c.accumulate(to + r * s1, x + r * inner * size, inner);
            else
                for (std::ptrdiff_t i = 0; i < inner; ++i) c.fold(to + r * s1 + i * s0, x + (r * inner + i) * size, 1);
        }
    }

    void run_group(bound_group& b) {
        const program::group& from = p_->groups[at(&b - groups_.data())];
        const bound_slot* slots = slots_.data() + from.first_slot;
        for (std::size_t i = 0; i < b.accumulators.size(); ++i) b.clears[i](slots[b.accumulators[i]].start, b.cleared[i]);
        if (b.total == 0) return;
        if (b.single) return run_code(b, slots, b.total);
        const int outer = b.by_rows ? b.axes - 2 : b.axes - 1;
        const std::ptrdiff_t n = b.size[outer], inner = b.by_rows ? b.size[b.axes - 1] : 1;
        std::ptrdiff_t index[max_rank]{};
        void** p = pointers_.data() + b.first_pointer;
        for (;;) {
            for (std::ptrdiff_t i = 0; i < n; i += b.chunk) {
                for (int s : b.memory_slots) {
                    const bound_slot& t = slots[s];
                    std::ptrdiff_t offset = i * t.stride[outer];
                    for (int k = 0; k < outer; ++k) offset += index[k] * t.stride[k];
                    p[s] = t.start + offset;
                }
                run_code(b, slots, std::min(b.chunk, n - i) * inner);
            }
            int k = outer - 1;
            for (; k >= 0; --k) {
                if (++index[k] < b.size[k]) break;
                index[k] = 0;
            }
            if (k < 0) break;
        }
    }
    std::byte* address(const layout& l) const { return buffers_[at(l.buffer)] + l.offset; }

    template <class T>
    void run_product_of(int k, std::vector<T>& room_a, std::vector<T>& room_b) {
#ifdef COTAN_DYN_EIGEN
        const program& q = *p_;
        const graph& g = q.g;
        const contraction& c = q.products[at(k)];
        const int id = q.product_result[at(k)], product = g.arg(id, 0);
        const type_data& domain = g.type_of(product);
        std::ptrdiff_t sa[max_rank], sb[max_rank];
        const layout &a = layouts_[at(c.a)], &b = layouts_[at(c.b)], &to = layouts_[at(id)];
        align(sa, a, g.type_of(c.a), domain);
        align(sb, b, g.type_of(c.b), domain);
        const auto size = [&](int axis) { return axis < 0 ? 1 : extent(domain.ext[axis]); };
        std::ptrdiff_t st[max_rank]{};
        for (int axis = 0, kept = 0; axis < domain.rank; ++axis)
            if (axis != c.inner) st[axis] = to.stride[kept++];
        matrix_view ma{address(a), size(c.rows), size(c.inner), sa[c.rows], sa[c.inner]};
        matrix_view mb{address(b), size(c.inner), size(c.columns), sb[c.inner], c.columns < 0 ? 0 : sb[c.columns]};
        T* out = reinterpret_cast<T*>(address(to));
        // the result's rows and columns are its last axes only where no batch axis stands between or behind them
        const bool plain = (c.columns < 0 ? st[c.rows] == 1 || size(c.rows) == 1 : (st[c.columns] == 1 && st[c.rows] == size(c.columns)));
        std::vector<T> apart;
        if (!plain) apart.resize(at(ma.rows * mb.columns));
        std::ptrdiff_t index[max_rank]{};
        bool more = true;
        for (int i = 0; i < c.batch_count; ++i) more = more && size(c.batches[i]) > 0;
        while (more) {
            std::ptrdiff_t oa = 0, ob = 0, ot = 0;
            for (int i = 0; i < c.batch_count; ++i) {
                oa += index[i] * sa[c.batches[i]];
                ob += index[i] * sb[c.batches[i]];
                ot += index[i] * st[c.batches[i]];
            }
            matrix_view x = ma, y = mb;
            x.data = static_cast<const T*>(ma.data) + oa;
            y.data = static_cast<const T*>(mb.data) + ob;
            multiply_matrices<T>(plain ? out + ot : apart.data(), x, y, room_a, room_b);
            if (!plain)
                for (std::ptrdiff_t i = 0; i < x.rows; ++i)
                    for (std::ptrdiff_t j = 0; j < y.columns; ++j)
                        out[ot + i * st[c.rows] + (c.columns < 0 ? 0 : j * st[c.columns])] = apart[at(i * y.columns + j)];
            int i = c.batch_count - 1;
            for (; i >= 0; --i) {
                if (++index[i] < size(c.batches[i])) break;
                index[i] = 0;
            }
            more = i >= 0;
        }
#else
        (void)k, (void)room_a, (void)room_b;
#endif
    }
    void run_product(int k) {
        if (settled(p_->g.dtype_of(p_->product_result[at(k)])) == dtype::float32) run_product_of<float>(k, room_a32_, room_b32_);
        else run_product_of<double>(k, room_a64_, room_b64_);
    }

    // --- loops and conditions ------------------------------------------------------------------------------------------------
    /// What a call keeps: runs of its body and of its condition (or branches), room for states and for what nobody reads.
    struct child {
        std::unique_ptr<program_run> body, second, third;
        byte_room states, snapshots;
        std::vector<std::ptrdiff_t> body_extents, second_extents, third_extents, moves, bytes, longest, again_at;
        std::vector<input_view> views;
        std::vector<std::byte*> now, next, trace;
    };

    /// The extents of a body: those of the program around it, what its own loops found the last time, and what it has beside these.
    void extents_for(const program_run& run, std::vector<std::ptrdiff_t>& x) const {
        const program& q = *run.p_;
        x.assign(at(q.g.extents.size()), 0);
        for (std::size_t e = 0; e < extents_.size() && e < x.size(); ++e) x[e] = extents_[e];
        if (run.bound_)
            for (int c : q.call_nodes) {
                const call_info& inner = q.bodies->calls[at(q.g.param(c, 0))];
                if (!inner.cond && is_late(inner)) x[at(inner.steps)] = run.extents_[at(inner.steps)];
            }
        derive(q.g, x);
    }
    static bool is_late(const call_info& c) { return (c.flags & (loop_counted | loop_until | loop_while)) != 0; }

    const void* presented(const layout& l, std::ptrdiff_t offset) const { return buffers_[at(l.buffer)] + l.offset + offset; }

    void copy_elements(std::byte* to, const layout& l, const type_data& t) const {
        const std::ptrdiff_t size = size_of(t.dt);
        std::ptrdiff_t n = 1, index[max_rank]{};
        for (int k = 0; k < t.rank; ++k) n *= extent(t.ext[k]);
        const std::byte* from = static_cast<const std::byte*>(presented(l, 0));
        for (std::ptrdiff_t e = 0; e < n; ++e) {
            std::ptrdiff_t o = 0;
            for (int k = 0; k < t.rank; ++k) o += index[k] * l.stride[k];
            std::memcpy(to + e * size, from + o * size, at(size));
            for (int k = t.rank - 1; k >= 0; --k) {
                if (++index[k] < extent(t.ext[k])) break;
                index[k] = 0;
            }
        }
    }
    /// The projection of a call by kind and number, or -1.
    int projection_of(int call, const op_info& what, int number) const {
        const graph& g = p_->g;
        for (int q : p_->projections[at(p_->call_of_node[at(call)])])
            if (g.is(q, what) && (g.nodes[q].nparams == 0 || g.param(q, 0) == number)) return q;
        return -1;
    }
    /// Makes a body's input of a memory here: its axes from `skip` on.
    input_view view_of(int node, int skip) const {
        input_view v;
        const layout& l = layouts_[at(node)];
        const type_data& t = p_->g.type_of(node);
        v.data = presented(l, 0);
        for (int k = skip; k < t.rank; ++k) {
            v.size[k - skip] = extent(t.ext[k]);
            v.stride[k - skip] = l.stride[k];
        }
        return v;
    }
    /// Elements by rows at p.
    input_view plain_view(const type_data& t, const void* p) const {
        input_view v;
        std::ptrdiff_t s = 1;
        for (int x = t.rank - 1; x >= 0; --x) {
            v.size[x] = extent(t.ext[x]);
            v.stride[x] = s;
            s *= v.size[x];
        }
        v.data = p;
        return v;
    }
    static bool by_rows(const input_view& v, int rank) {
        std::ptrdiff_t s = 1;
        for (int k = rank - 1; k >= 0; --k) {
            if (v.size[k] > 1 && v.stride[k] != s) return false;
            s *= v.size[k];
        }
        return true;
    }
    static void give_inputs(program_run& run, std::vector<std::ptrdiff_t>& x, std::vector<input_view>& views) {
        run.bind(x, views);
        for (std::size_t i = 0; i < views.size(); ++i)
            if (run.p_->inputs[i] >= 0) run.set_input(static_cast<int>(i), views[i].data);
    }
    void check_whole(const program& q, std::size_t i, const input_view& v) const {
        if (q.inputs[i] >= 0 && q.whole[at(q.inputs[i])] && !by_rows(v, q.g.rank(q.inputs[i])))
            throw error("cotan: the body of a loop reshapes a part of an array whose elements are not contiguous: reshape it before the loop");
    }

    /// False where the number of steps decides shapes and is another one than these were made for.
    bool run_call(int id) {
        const program& q = *p_;
        const graph& g = q.g;
        const call_info& c = q.bodies->calls[at(g.param(id, 0))];
        const int number = q.call_of_node[at(id)];
        auto& kept = children_[at(number)];
        if (!kept) {
            kept = std::make_unique<child>();
            kept->body = std::make_unique<program_run>(q.bodies->programs[at(c.body)]);
            if (c.second >= 0) kept->second = std::make_unique<program_run>(q.bodies->programs[at(c.second)]);
            if (c.third >= 0) kept->third = std::make_unique<program_run>(q.bodies->programs[at(c.third)]);
        }
        child& k = *kept;
        if (c.cond) {
            const bool first = *static_cast<const bool*>(presented(layouts_[at(g.arg(id, 0))], 0));
            program_run& run = first ? *k.body : *k.second;
            auto& x = first ? k.body_extents : k.second_extents;
            k.views.resize(at(c.captured));
            for (int i = 0; i < c.captured; ++i) {
                k.views[at(i)] = view_of(g.arg(id, 1 + i), 0);
                check_whole(*run.p_, at(i), k.views[at(i)]);
            }
            extents_for(run, x);
            give_inputs(run, x, k.views);
            const int to = projection_of(id, op_data<loop_last_>, 0);
            run.set_output(0, const_cast<void*>(presented(layouts_[at(to)], 0)));
            run.run();
            return true;
        }
        const int counted = c.flags & loop_counted ? 1 : 0, nq = c.sequences, ns = c.states, ne = c.emissions, na = c.again;
        const bool open = (c.flags & (loop_until | loop_while)) != 0, reversed = (c.flags & loop_reversed) != 0;
        std::ptrdiff_t n = c.steps >= 0 ? extent(c.steps) : 0;
        if (counted) {
            const std::int64_t asked = *static_cast<const std::int64_t*>(presented(layouts_[at(g.arg(id, 0))], 0));
            n = asked > 0 ? static_cast<std::ptrdiff_t>(asked) : 0;
            if (!open && !found(number, c, n)) return false;
        } else if (open) n = nq > 0 ? extent(g.type_of(g.arg(id, 0)).ext[0]) : PTRDIFF_MAX;
        program_run& run = *k.body;
        const program& body = *run.p_;
        extents_for(run, k.body_extents);
        // inputs: elements, states, captures
        const int first = counted;
        k.views.assign(at(nq + ns + na + c.captured), {});
        std::vector<std::ptrdiff_t>& moves = k.moves;
        moves.assign(at(nq), 0);
        for (int i = 0; i < nq; ++i) {
            const int a = g.arg(id, first + i);
            k.views[at(i)] = view_of(a, 1);
            moves[at(i)] = layouts_[at(a)].stride[0] * size_of(g.dtype_of(a));
        }
        for (int i = 0; i < c.captured; ++i) k.views[at(nq + ns + na + i)] = view_of(g.arg(id, first + nq + ns + na + i), 0);
        // states change places between two buffers; what nobody reads goes to a third place
        std::vector<std::ptrdiff_t>& bytes = k.bytes;
        bytes.assign(at(ns + ne), 0);
        std::ptrdiff_t total = 64, spare = 64;
        for (int i = 0; i < ns + ne; ++i) {
            const type_data& t = body.g.type_of(body.roots[at(i)]);
            std::ptrdiff_t b = size_of(t.dt);
            for (int a = 0; a < t.rank; ++a) b *= k.body_extents[at(t.ext[a])];
            bytes[at(i)] = b;
            if (i < ns) total += 2 * ((b + 63) / 64 * 64);
            spare = std::max(spare, b);
        }
        // what a reverse pass computes again is computed once here, and all of it kept
        std::vector<std::ptrdiff_t>& again_at = k.again_at;
        again_at.assign(at(na) + 1, 0);
        for (int i = 0; i < na; ++i) {
            const int a = g.arg(id, first + nq + ns + i);
            again_at[at(i) + 1] = again_at[at(i)] + (elements(g.nodes[a].ty) * size_of(g.dtype_of(a)) + 63) / 64 * 64;
        }
        const std::ptrdiff_t snapshot = again_at[at(na)];
        std::byte* room = k.states.at_least(at(total + spare));
        std::byte* unread = room + total;
        std::vector<std::byte*>& now = k.now;
        std::vector<std::byte*>& next = k.next;
        now.assign(at(ns), nullptr);
        next.assign(at(ns), nullptr);
        for (int i = 0; i < ns; ++i) {
            const std::ptrdiff_t b = (bytes[at(i)] + 63) / 64 * 64;
            now[at(i)] = room;
            next[at(i)] = room + b;
            room += 2 * b;
            const int a = g.arg(id, first + nq + i);
            copy_elements(now[at(i)], layouts_[at(a)], g.type_of(a));
            k.views[at(nq + i)] = plain_view(g.type_of(a), now[at(i)]);
        }
        std::byte* snapshots = na ? k.snapshots.at_least(at((n + 1) * snapshot)) : nullptr;
        for (int i = 0; i < na; ++i) {
            const int a = g.arg(id, first + nq + ns + i);
            copy_elements(snapshots + again_at[at(i)], layouts_[at(a)], g.type_of(a));
            k.views[at(nq + ns + i)] = plain_view(g.type_of(a), snapshots + again_at[at(i)]);
        }
        for (std::size_t i = 0; i < k.views.size(); ++i) check_whole(body, i, k.views[i]);
        std::vector<std::byte*>& trace = k.trace;
        std::vector<std::ptrdiff_t>& longest = k.longest;
        trace.assign(at(ne), nullptr);
        longest.assign(at(ne), 0);
        for (int j = 0; j < ne; ++j) {
            const int to = projection_of(id, op_data<loop_trace_>, j);
            if (to < 0) continue;
            trace[at(j)] = static_cast<std::byte*>(const_cast<void*>(presented(layouts_[at(to)], 0)));
            longest[at(j)] = extent(g.type_of(to).ext[0]);
            std::memset(trace[at(j)], 0, at(longest[at(j)] * bytes[at(ns + j)]));
        }
        if (na) {
            extents_for(*k.third, k.third_extents);
            give_inputs(*k.third, k.third_extents, k.views);
            for (std::ptrdiff_t f = 0; f < n; ++f) {
                const std::ptrdiff_t i = reversed ? f : n - 1 - f;
                for (int s = 0; s < nq; ++s)
                    if (k.third->p_->inputs[at(s)] >= 0) k.third->set_input(s, static_cast<const std::byte*>(k.views[at(s)].data) + i * moves[at(s)]);
                for (int s = 0; s < na; ++s) {
                    if (k.third->p_->inputs[at(nq + ns + s)] >= 0) k.third->set_input(nq + ns + s, snapshots + f * snapshot + again_at[at(s)]);
                    k.third->set_output(s, snapshots + (f + 1) * snapshot + again_at[at(s)]);
                }
                k.third->run();
            }
        }
        give_inputs(run, k.body_extents, k.views);
        bool stop = false, go = true;
        if (c.flags & loop_until) run.set_output(ns + ne, &stop);
        std::ptrdiff_t t = 0;
        const std::ptrdiff_t most = c.limit > 0 && c.limit < n ? c.limit : n;
        for (; t < most; ++t) {
            for (int s = 0; s < na; ++s) {
                k.views[at(nq + ns + s)].data = snapshots + (n - 1 - t) * snapshot + again_at[at(s)];
                if (body.inputs[at(nq + ns + s)] >= 0) run.set_input(nq + ns + s, k.views[at(nq + ns + s)].data);
            }
            if (c.second >= 0) {
                extents_for(*k.second, k.second_extents);
                give_inputs(*k.second, k.second_extents, k.views);
                k.second->set_output(0, &go);
                k.second->run();
                if (!go) break;
            }
            const std::ptrdiff_t i = reversed ? n - 1 - t : t;
            for (int s = 0; s < nq; ++s)
                if (body.inputs[at(s)] >= 0) run.set_input(s, static_cast<const std::byte*>(k.views[at(s)].data) + i * moves[at(s)]);
            for (int s = 0; s < ns; ++s) {
                if (body.inputs[at(nq + s)] >= 0) run.set_input(nq + s, now[at(s)]);
                run.set_output(s, next[at(s)]);
            }
            for (int j = 0; j < ne; ++j) run.set_output(ns + j, trace[at(j)] && i < longest[at(j)] ? trace[at(j)] + i * bytes[at(ns + j)] : unread);
            run.run();
            for (int s = 0; s < ns; ++s) {
                std::swap(now[at(s)], next[at(s)]);
                k.views[at(nq + s)].data = now[at(s)];
            }
            if (stop) {
                ++t;
                break;
            }
        }
        if (open && !found(number, c, t)) return false;
        for (int s = 0; s < ns; ++s)
            if (const int to = projection_of(id, op_data<loop_last_>, s); to >= 0) std::memcpy(const_cast<void*>(presented(layouts_[at(to)], 0)), now[at(s)], at(bytes[at(s)]));
        if (const int to = projection_of(id, op_data<loop_steps_>, 0); to >= 0) *static_cast<std::int64_t*>(const_cast<void*>(presented(layouts_[at(to)], 0))) = t;
        return true;
    }
    /// Takes note of a number of steps.
    bool found(int number, const call_info& c, std::ptrdiff_t n) {
        std::ptrdiff_t& x = extents_[at(c.steps)];
        if (x == n) return true;
        if (sourced_.size() > at(c.steps) && sourced_[at(c.steps)])
            throw shape_error("cotan: scan: the number of steps is " + std::to_string(n) + ", and what its traces are combined with has the extent " + std::to_string(x));
        x = n;
        derive(p_->g, extents_);
        return !p_->steps_matter[at(number)];
    }

public:
    /// Which extents inputs give: no loop may change them.
    void set_sourced(std::vector<char> s) { sourced_ = std::move(s); }

private:
    std::vector<char> sourced_;
    std::vector<std::unique_ptr<child>> children_;

    void run_lines(int id) {
        const graph& g = p_->g;
        const type_data& t = g.type_of(id);
        const int axis = g.param(id, 0), count = g.nodes[id].nargs;
        const std::ptrdiff_t size = size_of(t.dt);
        const line_function f = p_->line_blocks[at(id)]->along[slot_of(t.dt)];
        const layout& to = layouts_[at(id)];
        line l{};
        l.n = extent(t.ext[axis]);
        l.exclusive = g.param(id, 2) != 0;
        l.to_stride = to.stride[axis];
        std::ptrdiff_t from[2][max_rank]{};
        for (int i = 0; i < count; ++i) {
            align(from[i], layouts_[at(g.arg(id, i))], g.type_of(g.arg(id, i)), t);
            l.from_stride[i] = from[i][axis];
        }
        if (elements(g.nodes[id].ty) == 0) return;
        std::ptrdiff_t index[max_rank]{};
        for (;;) {
            std::ptrdiff_t ot = 0;
            for (int k = 0; k < t.rank; ++k) ot += index[k] * to.stride[k];
            l.to = address(to) + ot * size;
            for (int i = 0; i < count; ++i) {
                std::ptrdiff_t o = 0;
                for (int k = 0; k < t.rank; ++k) o += index[k] * from[i][k];
                l.from[i] = address(layouts_[at(g.arg(id, i))]) + o * size;
            }
            f(l);
            int k = t.rank - 1;
            for (; k >= 0; --k) {
                if (k == axis) continue;
                if (++index[k] < extent(t.ext[k])) break;
                index[k] = 0;
            }
            if (k < 0) break;
        }
    }

    void run_scatter(int id) {
        const graph& g = p_->g;
        const int a = g.arg(id, 0);
        const type_data &t = g.type_of(id), &in = g.type_of(a);
        const std::ptrdiff_t size = size_of(t.dt);
        const layout &to = layouts_[at(id)], &from = layouts_[at(a)];
        std::memset(address(to), 0, at(elements(g.nodes[id].ty) * size));
        if (elements(g.nodes[a].ty) == 0) return;
        layout part;
        part.buffer = to.buffer;
        part.offset = to.offset;
        index_layout(part, to, t, g.params(id), p_->item_starts[at(p_->item_list[at(id)])], size);
        std::ptrdiff_t index[max_rank]{};
        std::byte* y = address(part);
        const std::byte* x = address(from);
        for (;;) {
            std::ptrdiff_t oy = 0, ox = 0;
            for (int k = 0; k < in.rank; ++k) {
                oy += index[k] * part.stride[k];
                ox += index[k] * from.stride[k];
            }
            std::memcpy(y + oy * size, x + ox * size, at(size));
            int k = in.rank - 1;
            for (; k >= 0; --k) {
                if (++index[k] < extent(in.ext[k])) break;
                index[k] = 0;
            }
            if (k < 0) break;
        }
    }
};

}  // namespace cotan::bits
