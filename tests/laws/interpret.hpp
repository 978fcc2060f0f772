#pragma once

#include "laws/differences.hpp"

namespace reference {

/// Runs a plan's loops one element after the other. It trusts nothing: reading memory or a register that was not written is an error.
class interpreter {
public:
    interpreter(const bits::planner& planner, const environment& environment) : pl(planner), p(planner.p), env(environment), sizes(planner.g, environment) {
        for (int m = 0; m < p.memories.size(); ++m) {
            const bits::memory_data& d = p.memories[m];
            memory one;
            for (int k = 0; k < d.rank; ++k) one.shape.push_back(sizes.size_of(d.ext[k]));
            const int root = d.alias >= 0 ? d.alias : m;
            if (d.room >= 0) {  // another's place: what stood there is another value's
                one.storage = memories[static_cast<std::size_t>(d.room)].storage;
                memories.push_back(one);
                continue;
            }
            one.storage = d.alias >= 0 ? memories[static_cast<std::size_t>(root)].storage : static_cast<int>(storage.size());
            if (d.alias < 0) {
                const auto n = static_cast<std::size_t>(elements(one.shape));
                storage.push_back({std::vector<double>(n), std::vector<char>(n, d.zeroed || d.kind == bits::memory_kind::input)});
                const int input = d.kind == bits::memory_kind::input ? pl.inputs[d.index] : -1;
                if (input >= 0) storage.back().v = env.inputs.at(pl.g.extents[pl.g.param(input, 0)].name).v;
            }
            memories.push_back(one);
        }
        run(0);
    }
    /// What stands in an output.
    array output(int i) const {
        for (int m = 0; m < p.memories.size(); ++m)
            if (p.memories[m].kind == bits::memory_kind::output && p.memories[m].index == i) {
                const auto& s = storage[static_cast<std::size_t>(memories[static_cast<std::size_t>(m)].storage)];
                for (char w : s.written)
                    if (!w) throw std::logic_error("an element of an output is not written");
                return {memories[static_cast<std::size_t>(m)].shape, s.v};
            }
        throw std::logic_error("an output has no memory");
    }

private:
    struct memory {
        std::vector<int> shape;
        int storage = -1;
    };
    struct block {
        std::vector<double> v;
        std::vector<char> written;
    };
    const bits::planner& pl;
    const bits::plan& p;
    const environment& env;
    evaluator sizes;
    std::vector<memory> memories;
    std::vector<block> storage;
    std::map<int, int> index;  // of the loops that run, by class
    std::map<std::array<int, 3>, double> registers;
    std::map<std::pair<int, int>, double> slots;

    static std::array<int, 3> key(const bits::reg& r) { return {r.depth, static_cast<int>(r.dt), r.index}; }
    double read(const bits::reg& r) const {
        const auto at = registers.find(key(r));
        if (at == registers.end()) throw std::logic_error("a register is read before it is written");
        return at->second;
    }
    /// The element that a step's map names. Axes that no running loop stands for are at `rest`.
    std::size_t place(const bits::step_data& s, const std::vector<int>& rest = {}) const {
        const memory& m = memories[static_cast<std::size_t>(s.memory)];
        int i = 0;
        for (std::size_t k = 0; k < m.shape.size(); ++k) {
            const bits::axis_map& a = p.maps[s.map + static_cast<int>(k)];
            int at = a.start + (a.from_end ? m.shape[k] : 0);
            if (a.cls >= 0) {
                const auto loop = index.find(a.cls);
                if (loop != index.end()) at += a.step * loop->second;
                else if (!rest.empty()) at += a.step * rest[k];
                else throw std::logic_error("an axis that no loop runs along");
            }
            if (at < 0 || at >= m.shape[k]) throw std::logic_error("outside a memory");
            i = i * m.shape[k] + at;
        }
        return static_cast<std::size_t>(i);
    }
    static double combined(const bits::op_info& op, double a, double b) {
        if (op.name == "sum") return a + b;
        if (op.name == "prod") return a * b;
        if (op.name == "any") return a != 0 || b != 0;
        if (op.name == "all") return a != 0 && b != 0;
        if (a != a || b != b) return std::numeric_limits<double>::quiet_NaN();
        if (op.name == "max") return a > b ? a : b;
        if (op.name == "min") return a < b ? a : b;
        throw std::logic_error("no reference for the reduction " + std::string(op.name));
    }
    static double identity(const bits::op_info& op) {
        if (op.name == "prod" || op.name == "all" || op.name == "cumprod") return 1;
        if (op.name == "max") return -std::numeric_limits<double>::infinity();
        if (op.name == "min") return std::numeric_limits<double>::infinity();
        return 0;
    }

    void run(int loop) {
        const bits::loop_data& l = p.loops[loop];
        for (int i = l.first; i < l.first + l.count; ++i) {
            const bits::step_data& s = p.steps[i];
            block* b = s.memory >= 0 ? &storage[static_cast<std::size_t>(memories[static_cast<std::size_t>(s.memory)].storage)] : nullptr;
            switch (s.kind) {
                case bits::step_kind::compute: {
                    double a[3]{};
                    for (int k = 0; k < s.count; ++k) a[k] = read(s.from[k]);
                    registers[key(s.to)] = held(s.op == &bits::op_data<bits::cast_> ? a[0] : kernels().at(s.op)(a), s.to.dt);
                    break;
                }
                case bits::step_kind::load: {
                    const std::size_t at = place(s);
                    if (!b->written[at]) throw std::logic_error("memory " + std::to_string(s.memory) + " is read before it is written");
                    registers[key(s.to)] = b->v[at];
                    break;
                }
                case bits::step_kind::store: {
                    const std::size_t at = place(s);
                    b->v[at] = read(s.from[0]);
                    b->written[at] = 1;
                    break;
                }
                case bits::step_kind::accumulate_store: {
                    const std::size_t at = place(s);
                    if (!b->written[at]) throw std::logic_error("an accumulator in memory is not initialised");
                    b->v[at] = combined(*s.op, b->v[at], s.count == 2 ? read(s.from[0]) * read(s.from[1]) : read(s.from[0]));
                    break;
                }
                case bits::step_kind::fill: {
                    std::vector<int> open = memories[static_cast<std::size_t>(s.memory)].shape;
                    for (std::size_t k = 0; k < open.size(); ++k) {
                        const bits::axis_map& a = p.maps[s.map + static_cast<int>(k)];
                        if (a.cls < 0 || index.count(a.cls)) open[k] = 1;
                    }
                    for (places q(open); q.more; q.next()) {
                        const std::size_t at = place(s, q.at);
                        b->v[at] = identity(*s.op);
                        b->written[at] = 1;
                    }
                    break;
                }
                case bits::step_kind::init: slots[{s.slot_depth, s.slot}] = identity(*s.op); break;
                case bits::step_kind::accumulate: {
                    double& to = slots.at({s.slot_depth, s.slot});
                    to = combined(*s.op, to, s.count == 2 ? read(s.from[0]) * read(s.from[1]) : read(s.from[0]));
                    break;
                }
                case bits::step_kind::finish: registers[key(s.to)] = slots.at({s.slot_depth, s.slot}); break;
                case bits::step_kind::running: {
                    const std::size_t at = place(s);
                    double& state = slots[{s.slot_depth, s.slot}];
                    if (s.slot < 0) state = identity(*s.op);
                    const double before = state, x = read(s.from[0]);
                    if (s.op->name == "cumsum") state += x;
                    else if (s.op->name == "cumprod") state *= x;
                    else state = x * state + read(s.from[1]);
                    b->v[at] = s.param ? before : state;
                    b->written[at] = 1;
                    break;
                }
                case bits::step_kind::literal:
                    registers[key(s.to)] = is_real(s.to.dt) ? std::bit_cast<double>(s.bits) : static_cast<double>(static_cast<std::int64_t>(s.bits));
                    break;
                case bits::step_kind::extent: registers[key(s.to)] = sizes.size_of(s.param); break;
                case bits::step_kind::iota: registers[key(s.to)] = index.at(s.param); break;
                case bits::step_kind::call: throw std::logic_error("no reference for a loop with a body");
                case bits::step_kind::loop: {
                    const int cls = p.loops[s.loop].cls;
                    if (index.count(cls)) throw std::logic_error("a loop inside a loop of the same class");
                    const int n = sizes.size_of(p.class_extent[cls]);
                    for (int k = 0; k < n; ++k) {
                        index[cls] = k;
                        run(s.loop);
                    }
                    index.erase(cls);
                    break;
                }
            }
        }
    }
};

}  // namespace reference
