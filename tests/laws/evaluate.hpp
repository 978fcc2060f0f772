#pragma once

#include <cotan/cotan.hpp>
#include <cotan/op/catalogue.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

// A plain evaluator of graphs, one node after the other, in double: what the engine computes must agree with it. It shares the operations' scalar
// kernels with the engine, and nothing else: shapes, broadcasting, indexing, reductions and running operations are written again, the plain way.

namespace reference {

using namespace cotan;

struct array {
    std::vector<int> shape;
    std::vector<double> v;
};

inline int elements(const std::vector<int>& shape) {
    int n = 1;
    for (int k : shape) n *= k;
    return n;
}
inline array filled(std::vector<int> shape, double value) {
    array a{std::move(shape), {}};
    a.v.assign(static_cast<std::size_t>(elements(a.shape)), value);
    return a;
}

/// Counts through the places of a shape.
struct places {
    std::vector<int> shape, at;
    bool more;
    explicit places(std::vector<int> s) : shape(std::move(s)), at(shape.size(), 0), more(elements(shape) > 0) {}
    void next() {
        for (std::size_t k = shape.size(); k-- > 0;) {
            if (++at[k] < shape[k]) return;
            at[k] = 0;
        }
        more = false;
    }
};

inline double& at(array& a, const std::vector<int>& place) {
    int i = 0;
    for (std::size_t k = 0; k < a.shape.size(); ++k) i = i * a.shape[k] + place[k];
    return a.v[static_cast<std::size_t>(i)];
}
/// The element of an array that is broadcast to the place's shape.
inline double stretched(const array& a, const std::vector<int>& place) {
    int i = 0;
    const std::size_t lead = place.size() - a.shape.size();
    for (std::size_t k = 0; k < a.shape.size(); ++k) i = i * a.shape[k] + (a.shape[k] == 1 ? 0 : place[lead + k]);
    return a.v[static_cast<std::size_t>(i)];
}

using kernel = double (*)(const double*);

template <class Op>
double call(const double* a) {
    constexpr int n = Op::arity < 0 ? 2 : Op::arity;
    constexpr auto types = [] {
        if constexpr (requires { Op::types; }) return Op::types;
        else return bits::typing::real;
    }();
    if constexpr (types == bits::typing::logic) {
        if constexpr (n == 1) return Op::kernel(a[0] != 0);
        else return Op::kernel(a[0] != 0, a[1] != 0);
    } else if constexpr (types == bits::typing::choose) {
        if constexpr (n == 2) return Op::kernel(a[0] != 0, a[1]);
        else return Op::kernel(a[0] != 0, a[1], a[2]);
    } else if constexpr (n == 1) return Op::kernel(a[0]);
    else if constexpr (n == 2) return Op::kernel(a[0], a[1]);
    else return Op::kernel(a[0], a[1], a[2]);
}

/// The scalar kernels of all operations, by the operation.
inline const std::unordered_map<const bits::op_info*, kernel>& kernels() {
    static const auto table = [] {
        std::unordered_map<const bits::op_info*, kernel> t;
        const auto add = [&]<class Op>(std::type_identity<Op>) {
            if constexpr (Op::cls == bits::op_class::elementwise && !std::is_same_v<Op, bits::cast_>) t[&bits::op_data<Op>] = &call<Op>;
        };
        [&]<class... Op>(bits::type_list<Op...>) { (add(std::type_identity<Op>{}), ...); }(bits::catalogue{});
        // what derivatives and lowering are made of
        [&]<class... Op>(bits::type_list<Op...>) { (add(std::type_identity<Op>{}), ...); }(
            bits::type_list<bits::masked_, bits::multiply_add_, bits::subtract_product_, bits::product_minus_, bits::gap_, bits::exp_gap_, bits::pair_weight_, bits::exp_minus_abs_,
                            bits::gamma_density_, bits::gammainc_a_, bits::gammainc_aa_, bits::beta_density_, bits::betainc_first_<1, 0>, bits::betainc_first_<0, 1>,
                            bits::betainc_second_<2, 0>, bits::betainc_second_<1, 1>, bits::betainc_second_<0, 2>,
                            bits::larger_sigmoid_, bits::sigmoid_of_, bits::softplus_of_, bits::sinc_derivative_, bits::one_minus_square_>{});
        return t;
    }();
    return table;
}

/// The value as an element of a dtype.
inline double held(double v, dtype d) {
    if (d == dtype::boolean) return v != 0;
    if (d == dtype::float32) return static_cast<float>(v);
    if (is_integral(d)) return std::trunc(v);
    return v;
}

struct environment {
    std::map<std::string, array> inputs;
    std::map<std::string, int> sizes;  // of named extents
};

class evaluator {
public:
    evaluator(const bits::graph& graph, const environment& environment) : g(graph), env(environment) {}

    /// The value of a node.
    const array& operator()(int id) {
        const auto live = bits::reachable(g, bits::view<int>{&id, 1});
        if (static_cast<int>(value.size()) <= id) {
            value.resize(static_cast<std::size_t>(id) + 1);
            known.resize(static_cast<std::size_t>(id) + 1, false);
        }
        for (int n = 0; n <= id; ++n) {
            if (!live[n] || known[index(n)]) continue;
            value[index(n)] = node(n);
            known[index(n)] = true;
            if (value[index(n)].shape != shape_of(n))
                throw std::logic_error("the shape of " + std::string(g.op(n).name) + " is not that of its type");
        }
        return value[index(id)];
    }

    int size_of(int extent) const {
        const bits::extent_data& e = g.extents[extent];
        switch (e.kind) {
            case bits::extent_kind::fixed: return static_cast<int>(e.value);
            case bits::extent_kind::named: return env.sizes.at(e.name);
            case bits::extent_kind::linear: {
                const long n = size_of(e.a) + e.value;
                return n <= 0 ? 0 : static_cast<int>((n + e.div - 1) / e.div);
            }
            default: return size_of(e.a) * size_of(e.b);
        }
    }
    std::vector<int> shape_of(int id) const {
        std::vector<int> s;
        for (int k = 0; k < g.rank(id); ++k) s.push_back(size_of(g.type_of(id).ext[k]));
        return s;
    }

private:
    const bits::graph& g;
    const environment& env;
    std::vector<array> value;
    std::vector<bool> known;

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    const array& arg(int id, int i) const { return value[index(g.arg(id, i))]; }

    array node(int id) const {
        const bits::op_info& op = g.op(id);
        if (&op == &bits::input_info) return env.inputs.at(g.extents[g.param(id, 0)].name);
        if (&op == &bits::literal_info) return filled({}, bits::real_value(g, id));
        if (&op == &bits::op_data<bits::extent_>) return filled({}, size_of(g.param(id, 0)));
        if (&op == &bits::op_data<bits::iota_>) {
            array a = filled({size_of(g.param(id, 0))}, 0);
            for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] = static_cast<double>(i);
            return a;
        }
        if (op.cls == bits::op_class::elementwise) return elementwise(id);
        if (op.cls == bits::op_class::reduction || op.cls == bits::op_class::composite) return reduction(id);
        if (op.cls == bits::op_class::running) return running(id);
        return view(id);
    }

    array elementwise(int id) const {
        const bits::op_info& op = g.op(id);
        const dtype d = g.dtype_of(id);
        std::vector<int> shape;  // of the operands, broadcast
        const int n = g.nodes[id].nargs;
        for (int i = 0; i < n; ++i) {
            const auto& s = arg(id, i).shape;
            while (shape.size() < s.size()) shape.insert(shape.begin(), 1);
            for (std::size_t k = 0; k < s.size(); ++k) {
                int& to = shape[shape.size() - s.size() + k];
                if (to == 1) to = s[k];
                else if (s[k] != 1 && s[k] != to) throw std::logic_error(std::string(op.name) + ": operands do not broadcast");
            }
        }
        array r = filled(shape, 0);
        const bool is_cast = &op == &bits::op_data<bits::cast_>;
        const kernel f = is_cast ? nullptr : kernels().at(&op);
        std::size_t out = 0;
        for (places p(shape); p.more; p.next(), ++out) {
            double a[3]{};
            double result = 0;
            if (n <= 3 && op.arity >= 0) {
                for (int i = 0; i < n; ++i) a[i] = stretched(arg(id, i), p.at);
                result = is_cast ? a[0] : f(a);
            } else {
                result = stretched(arg(id, 0), p.at);
                for (int i = 1; i < n; ++i) {
                    a[0] = result;
                    a[1] = stretched(arg(id, i), p.at);
                    result = f(a);
                }
            }
            r.v[out] = held(result, d);
        }
        return r;
    }

    array reduction(int id) const {
        const std::string_view name = g.op(id).name;
        const array& x = arg(id, 0);
        const int mask = g.param(id, 0);
        std::vector<int> kept;
        for (std::size_t k = 0; k < x.shape.size(); ++k)
            if (!(mask >> k & 1)) kept.push_back(x.shape[k]);
        std::vector<std::vector<double>> groups(index(elements(kept)));
        std::size_t in = 0;
        for (places p(x.shape); p.more; p.next(), ++in) {
            int to = 0;
            for (std::size_t k = 0; k < x.shape.size(); ++k)
                if (!(mask >> k & 1)) to = to * x.shape[k] + p.at[k];
            groups[index(to)].push_back(x.v[in]);
        }
        array r{kept, {}};
        for (const auto& e : groups) r.v.push_back(held(folded(name, e), g.dtype_of(id)));
        return r;
    }
    static double folded(std::string_view name, const std::vector<double>& e) {
        const double inf = std::numeric_limits<double>::infinity();
        long double total = 0, product = 1, squares = 0;
        double most = -inf, least = inf, largest = 0;
        bool nan = false, any = false, all = true;
        for (double v : e) {
            total += v;
            product *= v;
            nan = nan || v != v;
            most = v > most ? v : most;
            least = v < least ? v : least;
            largest = std::fabs(v) > largest ? std::fabs(v) : largest;
            any = any || v != 0;
            all = all && v != 0;
            squares += static_cast<long double>(v) * v;  // has the exponents for it
        }
        if (name == "sum") return static_cast<double>(total);
        if (name == "prod") return static_cast<double>(product);
        if (name == "any") return any;
        if (name == "all") return all;
        if (name == "norm") return static_cast<double>(std::sqrt(squares));
        if (nan) return std::numeric_limits<double>::quiet_NaN();
        if (name == "max") return most;
        if (name == "min") return least;
        const long double n = static_cast<long double>(e.size());
        if (name == "logsumexp") {
            if (std::isinf(most)) return most;
            long double s = 0;
            for (double v : e) s += std::exp(static_cast<long double>(v) - most);
            return static_cast<double>(most + std::log(s));
        }
        if (name == "var") {
            long double s = 0;
            for (double v : e) s += (v - total / n) * (v - total / n);
            return static_cast<double>(s / n);
        }
        throw std::logic_error("no reference for the reduction " + std::string(name));
    }

    array running(int id) const {
        const std::string_view name = g.op(id).name;
        const std::size_t axis = index(g.param(id, 0));
        const bool reverse = g.param(id, 1), exclusive = g.param(id, 2);
        array r = filled(arg(id, 0).shape, 0);
        std::vector<int> lines = r.shape;
        const int length = lines[axis];
        lines[axis] = 1;
        for (places p(lines); p.more; p.next()) {
            double state = name == "cumprod" ? 1 : 0;
            for (int t = 0; t < length; ++t) {
                std::vector<int> here = p.at;
                here[axis] = reverse ? length - 1 - t : t;
                const double before = state, x = stretched(arg(id, 0), here);
                if (name == "cumsum") state += x;
                else if (name == "cumprod") state *= x;
                else if (name == "recurrence") state = x * state + stretched(arg(id, 1), here);
                else throw std::logic_error("no reference for " + std::string(name));
                at(r, here) = exclusive ? before : state;
            }
        }
        return r;
    }

    /// The positions of an axis that a slice takes, as Python's start:stop:step.
    static std::vector<int> sliced(int n, int start, int stop, int step) {
        const bool no_start = start == bits::slice_none, no_stop = stop == bits::slice_none || (step > 0 && stop == bits::slice_end);
        if (start == bits::slice_end) start = n;
        if (stop == bits::slice_end) stop = n;
        std::vector<int> r;
        if (step > 0) {
            int b = no_start ? 0 : start < 0 ? start + n : start, e = no_stop ? n : stop < 0 ? stop + n : stop;
            b = b < 0 ? 0 : b > n ? n : b;
            e = e < 0 ? 0 : e > n ? n : e;
            for (int i = b; i < e; i += step) r.push_back(i);
        } else {
            int b = no_start ? n - 1 : start < 0 ? start + n : start, e = no_stop ? -1 : stop < 0 ? stop + n : stop;
            b = b < -1 ? -1 : b >= n ? n - 1 : b;
            e = e < -1 ? -1 : e >= n ? n - 1 : e;
            for (int i = b; i > e; i += step) r.push_back(i);
        }
        return r;
    }
    /// For each axis of the indexed, the positions it is read at and which axis of the result runs along them (-1: none).
    struct axis_of {
        std::vector<int> positions;
        int along = -1;
    };
    std::vector<axis_of> axes_of(int id, const std::vector<int>& shape, std::vector<int>& result) const {
        std::vector<axis_of> r;
        const bits::view<int> p = g.params(id);
        std::size_t axis = 0;
        const auto take = [&](std::vector<int> positions, bool keep) {
            axis_of a{std::move(positions), keep ? static_cast<int>(result.size()) : -1};
            if (keep) result.push_back(static_cast<int>(a.positions.size()));
            r.push_back(std::move(a));
            ++axis;
        };
        for (int i = 0; i < p.size(); i += bits::item_size) {
            const auto kind = static_cast<bits::item>(p[i]);
            if (kind == bits::item::newaxis) result.push_back(1);
            else if (kind == bits::item::all) take(sliced(shape[axis], 0, shape[axis], 1), true);
            else if (kind == bits::item::integer) take({p[i + 1] < 0 ? p[i + 1] + shape[axis] : p[i + 1]}, false);
            else take(sliced(shape[axis], p[i + 1], p[i + 2], p[i + 3]), true);
        }
        while (axis < shape.size()) take(sliced(shape[axis], 0, shape[axis], 1), true);
        return r;
    }

    array view(int id) const {
        const bits::op_info& op = g.op(id);
        const array& x = arg(id, 0);
        const bits::view<int> p = g.params(id);
        if (&op == &bits::op_data<bits::reshape_>) return array{shape_of(id), x.v};
        if (&op == &bits::op_data<bits::broadcast_>) {
            array r = filled(shape_of(id), 0);
            std::size_t i = 0;
            for (places q(r.shape); q.more; q.next()) r.v[i++] = stretched(x, q.at);
            return r;
        }
        if (&op == &bits::op_data<bits::transpose_>) {
            const std::size_t rank = x.shape.size();
            std::vector<std::size_t> from;
            for (std::size_t k = 0; k < rank; ++k) from.push_back(p.size() ? index(p[static_cast<int>(k)]) : rank - 1 - k);
            array r = filled(x.shape, 0);
            for (std::size_t k = 0; k < rank; ++k) r.shape[k] = x.shape[from[k]];
            std::size_t i = 0;
            for (places q(r.shape); q.more; q.next()) {
                std::vector<int> there(rank);
                for (std::size_t k = 0; k < rank; ++k) there[from[k]] = q.at[k];
                r.v[i++] = stretched(x, there);
            }
            return r;
        }
        const bool gather = &op == &bits::op_data<bits::index_>;
        if (!gather && &op != &bits::op_data<bits::scatter_>) throw std::logic_error("no reference for " + std::string(op.name));
        std::vector<int> small;
        const std::vector<int> large = gather ? x.shape : shape_of(id);
        const auto axes = axes_of(id, large, small);
        if (!gather && small != x.shape) throw std::logic_error("scatter: the value has another shape than the index");
        array r = filled(gather ? small : large, 0);
        for (places q(small); q.more; q.next()) {
            std::vector<int> there;
            for (const auto& a : axes) there.push_back(a.positions[a.along < 0 ? 0 : index(q.at[index(a.along)])]);
            if (gather) at(r, q.at) = stretched(x, there);
            else at(r, there) = stretched(x, q.at);
        }
        return r;
    }
};

}  // namespace reference
