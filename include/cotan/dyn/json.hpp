#pragma once

#include <cotan/dyn/kernels.hpp>
#include <cotan/dyn/operations.hpp>
#include <cotan/loop/node.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_map>

// Runtime graphs as JSON. Needs nlohmann-json; included only by who wants it. The format is described in docs/reference/model_files.md.

namespace cotan::dyn {

/// Inputs and named results that are saved and loaded together.
struct model {
    std::vector<expr> inputs;
    std::vector<std::pair<std::string, expr>> outputs;

    /// The result of a name.
    const expr& operator[](const std::string& name) const {
        for (const auto& [n, e] : outputs)
            if (n == name) return e;
        throw error("cotan: the model has no result \"" + name + "\"");
    }
    /// The input of a name.
    const expr& input(const std::string& name) const {
        for (const expr& e : inputs)
            if (name == e.graph().extents[e.graph().param(e.id(), 0)].name) return e;
        throw error("cotan: the model has no input \"" + name + "\"");
    }
};

/// How much a model file may hold. What is larger is refused before memory is spent on it.
struct model_limits {
    std::size_t bytes = std::size_t{1} << 28;
    int nodes = 10'000'000;
    int extents = 1'000'000;
};

inline constexpr int model_format = 1;

}  // namespace cotan::dyn

namespace cotan::bits {

class model_writer {
public:
    static nlohmann::json write(const dyn::model& m) {
        using nlohmann::json;
        std::vector<const dyn::expr*> all;
        for (const auto& e : m.inputs) all.push_back(&e);
        for (const auto& o : m.outputs) all.push_back(&o.second);
        std::vector<int> ids(all.size());
        const auto home = together(view<const dyn::expr*>{all.data(), static_cast<int>(all.size())}, ids.data());
        model_writer w(home->g);
        const vec<unsigned char> live = reachable(home->g, view<int>{ids.data(), static_cast<int>(ids.size())});
        json nodes = json::array();
        std::vector<int> at(static_cast<std::size_t>(live.size()), -1);
        for (int id = 0; id < live.size(); ++id) {
            if (!live[id]) continue;
            at[static_cast<std::size_t>(id)] = static_cast<int>(nodes.size());
            nodes.push_back(w.node(id, at));
        }
        json inputs = json::array(), outputs = json::array();
        for (std::size_t i = 0; i < m.inputs.size(); ++i) inputs.push_back(at[static_cast<std::size_t>(ids[i])]);
        for (std::size_t i = 0; i < m.outputs.size(); ++i)
            outputs.push_back({{"name", m.outputs[i].first}, {"node", at[static_cast<std::size_t>(ids[m.inputs.size() + i])]}});
        return {{"cotan", dyn::model_format}, {"extents", std::move(w.extents_)}, {"nodes", std::move(nodes)}, {"inputs", std::move(inputs)}, {"outputs", std::move(outputs)}};
    }

private:
    const graph& g;
    nlohmann::json extents_ = nlohmann::json::array();
    std::vector<int> extent_at_;

    explicit model_writer(const graph& graph_) : g(graph_), extent_at_(static_cast<std::size_t>(graph_.extents.size()), -1) {}

    static bool known(const op_info& op) { return op.cls == op_class::derivative || kernel_registry::instance().find(&op); }

    int extent(int e) {
        int& at = extent_at_[static_cast<std::size_t>(e)];
        if (at >= 0) return at;
        const extent_data d = g.extents[e];
        nlohmann::json j;
        if (d.kind == extent_kind::linear) {  // what it is made of stands before it
            std::vector<int> chain{e};
            while (g.extents[chain.back()].kind == extent_kind::linear && extent_at_[static_cast<std::size_t>(g.extents[chain.back()].a)] < 0) chain.push_back(g.extents[chain.back()].a);
            for (std::size_t i = chain.size() - 1; i > 0; --i) (void)extent(chain[i]);
            j = {{"of", extent(d.a)}, {"add", d.value}, {"div", d.div}};
        } else if (d.kind == extent_kind::product) {
            const int a = extent(d.a), b = extent(d.b);
            j = {{"product", {a, b}}};
        } else if (is_stretchable(d)) j = {{"broadcastable", d.name}};
        else if (d.kind == extent_kind::fixed) j = {{"size", d.value}};
        else j = {{is_open(d) ? "axis" : "name", d.name}};
        extent_at_[static_cast<std::size_t>(e)] = static_cast<int>(extents_.size());
        extents_.push_back(std::move(j));
        return extent_at_[static_cast<std::size_t>(e)];
    }
    nlohmann::json shape(const type_data& t) {
        nlohmann::json s = nlohmann::json::array();
        for (int k = 0; k < t.rank; ++k) s.push_back(extent(t.ext[k]));
        return s;
    }
    nlohmann::json node(int id, const std::vector<int>& at) {
        const op_info& op = g.op(id);
        const type_data& t = g.type_of(id);
        nlohmann::json j{{"op", op.name}};
        if (&op == &input_info) {
            j["name"] = g.extents[g.param(id, 0)].name;
            j["dtype"] = name_of(t.dt);
            j["shape"] = shape(t);
            return j;
        }
        if (&op == &literal_info) {
            j["dtype"] = name_of(t.dt);
            if (t.dt == dtype::boolean) j["value"] = g.nodes[id].bits != 0;
            else if (!is_real(t.dt)) j["value"] = static_cast<std::int64_t>(g.nodes[id].bits);
            else {
                const double v = std::bit_cast<double>(g.nodes[id].bits);
                if (std::isfinite(v)) j["value"] = v;  // the shortest text that reads back as the same number
                else j["value"] = v != v ? "nan" : v > 0 ? "inf" : "-inf";
            }
            return j;
        }
        if (&op == &op_data<extent_> || &op == &op_data<iota_>) {
            j["dtype"] = name_of(t.dt);
            j["extent"] = extent(g.param(id, 0));
            return j;
        }
        if (op.cls == op_class::loop || op.cls == op_class::cond || op.cls == op_class::projection || &op == &op_data<bound_> || &op == &op_data<pull_many_> || !known(op))
            throw error("cotan: a model with the operation " + std::string(op.name) + " cannot be saved: the format has no place for it");
        nlohmann::json args = nlohmann::json::array();
        for (int a : g.args(id)) args.push_back(at[static_cast<std::size_t>(a)]);
        j["args"] = std::move(args);
        if (&op == &op_data<cast_>) j["dtype"] = name_of(t.dt);
        else if (&op == &op_data<reshape_> || &op == &op_data<broadcast_>) j["shape"] = shape(t);
        else if (g.nodes[id].nparams) {
            nlohmann::json p = nlohmann::json::array();
            for (int v : g.params(id)) p.push_back(v);
            j["params"] = std::move(p);
        }
        j["op"] = kernel_registry::instance().full_name(&op);
        return j;
    }
};

class model_reader {
public:
    static dyn::model read(const std::string& text, const dyn::model_limits& limits) {
        if (text.size() > limits.bytes) refuse("the file", "it has " + std::to_string(text.size()) + " bytes, more than the limit of " + std::to_string(limits.bytes));
        nlohmann::json j;
        try {
            j = nlohmann::json::parse(text, [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
                if (depth > deepest) refuse("the file", "its values are nested deeper than " + std::to_string(deepest));
                return true;
            });
        } catch (const nlohmann::json::exception& e) {
            refuse("the file", std::string("it is not JSON: ") + e.what());
        }
        return model_reader(limits).model_of(j);
    }

private:
    using json = nlohmann::json;
    static constexpr int deepest = 8;
    static constexpr std::int64_t largest = std::int64_t{1} << 30;   // of an extent
    static constexpr std::int64_t most = std::int64_t{1} << 48;      // elements of fixed extents
    static constexpr int farthest = 1 << 28;                         // of a slice's bounds
    const dyn::model_limits& limits;
    std::shared_ptr<arena> home = std::make_shared<arena>();
    std::vector<int> extents, nodes;
    std::vector<double> extent_size;  // an upper bound where it is known, 1 for what a call decides
    std::unordered_map<std::string, int> input_names;

    explicit model_reader(const dyn::model_limits& l) : limits(l) {}

    [[noreturn]] static void refuse(const std::string& where, const std::string& why) { throw error("cotan: a model cannot be read: " + where + ": " + why); }
    static void only(const json& j, const std::string& where, std::initializer_list<const char*> keys) {
        if (!j.is_object()) refuse(where, "expected an object");
        for (const auto& [key, v] : j.items()) {
            bool known = false;
            for (const char* k : keys) known = known || key == k;
            if (!known) refuse(where, "unknown key \"" + key.substr(0, 40) + "\"");
        }
    }
    static const json& get(const json& j, const char* key, const std::string& where) {
        const auto at = j.find(key);
        if (at == j.end()) refuse(where, std::string("\"") + key + "\" is missing");
        return *at;
    }
    static std::int64_t integer(const json& j, const std::string& where, std::int64_t low, std::int64_t high) {
        const bool fits = j.is_number_unsigned() ? j.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) : j.is_number_integer();
        if (!fits) refuse(where, "expected an integer");
        const std::int64_t v = j.get<std::int64_t>();
        if (v < low || v > high) refuse(where, "expected an integer from " + std::to_string(low) + " to " + std::to_string(high) + ", got " + std::to_string(v));
        return v;
    }
    static std::string text(const json& j, const std::string& where) {
        if (!j.is_string()) refuse(where, "expected a text");
        return j.get<std::string>();
    }
    static const json& list(const json& j, const std::string& where, std::size_t at_most) {
        if (!j.is_array()) refuse(where, "expected a list");
        if (j.size() > at_most) refuse(where, "it has " + std::to_string(j.size()) + " elements, more than " + std::to_string(at_most));
        return j;
    }
    static dtype dtype_named(const json& j, const std::string& where, bool literal) {
        const std::string name = text(j, where);
        for (int d = 0; d <= static_cast<int>(dtype::weak_real); ++d)
            if (name == name_of(static_cast<dtype>(d)) && (literal || !is_weak(static_cast<dtype>(d)))) return static_cast<dtype>(d);
        refuse(where, "unknown dtype \"" + name.substr(0, 40) + "\"");
    }
    static void check_name(const std::string& name, const std::string& where, int longest) {
        if (name.empty() || static_cast<int>(name.size()) > longest) refuse(where, "a name has 1 to " + std::to_string(longest) + " characters");
        for (char c : name)
            if (static_cast<unsigned char>(c) < 32) refuse(where, "a name has no control characters");
    }

    void read_extent(const json& j, const std::string& where) {
        graph& g = home->g;
        if (!j.is_object() || j.empty()) refuse(where, "expected an object");
        double bound = 1;
        int e = -1;
        const auto earlier = [&](const json& v) { return static_cast<std::size_t>(integer(v, where, 0, static_cast<std::int64_t>(extents.size()) - 1)); };
        if (j.contains("size")) {
            only(j, where, {"size"});
            const std::int64_t n = integer(j["size"], where, 0, largest);
            e = g.fixed(n);
            bound = static_cast<double>(n);
        } else if (j.contains("name")) {
            only(j, where, {"name"});
            const std::string name = text(j["name"], where);
            check_name(name, where, name_length - 1);
            if (name.find('.') != std::string::npos) refuse(where, "the name of an extent has no '.'");
            e = g.named(name);
        } else if (j.contains("axis") || j.contains("broadcastable")) {
            const bool stretches = j.contains("broadcastable");
            only(j, where, {stretches ? "broadcastable" : "axis"});
            const std::string name = text(stretches ? j["broadcastable"] : j["axis"], where);
            check_name(name, where, name_length - 1);
            const auto dot = name.rfind('.');
            if (dot == std::string::npos || dot == 0 || dot + 2 != name.size() || name.back() < '0' || name.back() >= '0' + max_rank) refuse(where, "expected the name of an input, a '.', and the number of an axis");
            extent_data d;
            if (stretches) d.value = 1;
            else d.kind = extent_kind::named;
            for (std::size_t i = 0; i < name.size(); ++i) d.name[i] = name[i];
            e = g.intern(d);
        } else if (j.contains("of")) {
            only(j, where, {"of", "add", "div"});
            const auto of = earlier(get(j, "of", where));
            const std::int64_t add = integer(get(j, "add", where), where, -largest, largest), div = integer(get(j, "div", where), where, 1, largest);
            if (extent_size[of] > static_cast<double>(largest)) refuse(where, "an extent is too large");
            e = g.linear(extents[of], add, div);
            bound = extent_size[of] + std::fabs(static_cast<double>(add));
        } else if (j.contains("product")) {
            only(j, where, {"product"});
            const json& p = list(j["product"], where, 2);
            if (p.size() != 2) refuse(where, "expected two extents");
            const auto a = earlier(p[0]), b = earlier(p[1]);
            bound = extent_size[a] * extent_size[b];
            if (bound > static_cast<double>(most)) refuse(where, "an extent is too large");
            e = g.product(extents[a], extents[b]);
        } else refuse(where, "unknown kind of extent");
        extents.push_back(e);
        extent_size.push_back(bound);
    }
    int type_of_json(const json& shape, dtype d, const std::string& where) {
        list(shape, where, max_rank);
        type_data t;
        t.dt = d;
        double elements = 1;
        for (const json& x : shape) {
            const auto e = static_cast<std::size_t>(integer(x, where, 0, static_cast<std::int64_t>(extents.size()) - 1));
            t.ext[t.rank++] = extents[e];
            elements *= std::max(1.0, extent_size[e]);
        }
        if (elements > static_cast<double>(most)) refuse(where, "a shape has too many elements");
        return home->g.intern(t);
    }
    /// No shape that operations make of others may have more elements than fit.
    void check_size(int id, const std::string& where) {
        const graph& g = home->g;
        const type_data& t = g.type_of(id);
        double n = 1;
        for (int k = 0; k < t.rank; ++k)
            if (g.extents[t.ext[k]].kind == extent_kind::fixed) n *= std::max(1.0, static_cast<double>(g.extents[t.ext[k]].value));
        if (n > static_cast<double>(most)) refuse(where, "a shape has too many elements");
    }

    int read_literal(const json& j, const std::string& where) {
        graph& g = home->g;
        only(j, where, {"op", "dtype", "value"});
        const dtype d = dtype_named(get(j, "dtype", where), where, true);
        const json& v = get(j, "value", where);
        if (d == dtype::boolean) {
            if (!v.is_boolean()) refuse(where, "expected true or false");
            return g.literal(v.get<bool>(), d);
        }
        if (!is_real(d)) {
            const bool narrow = d == dtype::int32;
            const std::int64_t n = integer(v, where, narrow ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min(),
                                           narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max());
            const int id = g.raw(literal_info, {}, {}, g.scalar_type(d), static_cast<std::uint64_t>(n));
            g.nodes[id].facts = literal_facts(static_cast<double>(n));
            return id;
        }
        double x = 0;
        if (v.is_number()) x = v.get<double>();
        else if (v.is_string() && v == "nan") x = std::numeric_limits<double>::quiet_NaN();
        else if (v.is_string() && v == "inf") x = std::numeric_limits<double>::infinity();
        else if (v.is_string() && v == "-inf") x = -std::numeric_limits<double>::infinity();
        else refuse(where, "expected a number, \"nan\", \"inf\" or \"-inf\"");
        if (d == dtype::float32 && std::isfinite(x) && std::fabs(x) > static_cast<double>(std::numeric_limits<float>::max())) refuse(where, "the number does not fit a float");
        return g.literal(x, d);
    }
    static void check_params(const op_info& op, const std::vector<int>& p, int rank, const std::string& where) {
        const auto count = [&](std::size_t n) {
            if (p.size() != n) refuse(where, "expected " + std::to_string(n) + " params, got " + std::to_string(p.size()));
        };
        const bool folds = op.cls == op_class::reduction || (op.cls == op_class::composite && op.lift);
        if (folds) {
            count(1);
            if (p[0] < 0 || p[0] >> rank) refuse(where, "expected a mask of the operand's axes");
        } else if (op.cls == op_class::running) {
            count(3);
            if (p[0] < 0 || p[0] >= rank || (p[1] & ~1) || (p[2] & ~1)) refuse(where, "expected an axis, reverse (0 or 1) and exclusive (0 or 1)");
        } else if (&op == &op_data<index_>) {
            if (p.size() % item_size || p.size() > 2 * max_rank * item_size) refuse(where, "expected four params for each index");
            for (std::size_t i = 0; i < p.size(); i += item_size) {
                if (p[i] < 0 || p[i] > 3) refuse(where, "unknown kind of index");
                const auto near = [&](int v) { return v >= -farthest && v <= farthest; };
                if (p[i] == static_cast<int>(item::integer) && !near(p[i + 1])) refuse(where, "an index is out of range");
                if (p[i] == static_cast<int>(item::slice) && (!(near(p[i + 1]) || p[i + 1] == slice_none) || !(near(p[i + 2]) || p[i + 2] == slice_none || p[i + 2] == slice_end) || !near(p[i + 3])))
                    refuse(where, "a slice is out of range");
            }
        } else if (&op == &op_data<transpose_>) {
            if (!p.empty()) count(static_cast<std::size_t>(rank));
        } else count(0);
    }

    int read_node(const json& j, const std::string& where) {
        open_graph& g = home->g;
        if (!j.is_object()) refuse(where, "expected an object");
        const std::string name = text(get(j, "op", where), where);
        if (name == "literal") return read_literal(j, where);
        if (name == "input") {
            only(j, where, {"op", "name", "dtype", "shape"});
            const std::string input = text(get(j, "name", where), where);
            check_name(input, where, name_length - 1);
            const int ty = type_of_json(get(j, "shape", where), dtype_named(get(j, "dtype", where), where, false), where);
            if (!input_names.emplace(input, 1).second) refuse(where, "two inputs have the name \"" + input + "\"");
            const int p = g.named(input);
            return g.raw(input_info, {}, view<int>{&p, 1}, ty);
        }
        if (name == "extent" || name == "iota") {
            only(j, where, {"op", "dtype", "extent"});
            type_data t;
            t.dt = dtype_named(get(j, "dtype", where), where, false);
            const int e = extents[static_cast<std::size_t>(integer(get(j, "extent", where), where, 0, static_cast<std::int64_t>(extents.size()) - 1))], two[] = {e, 0};
            if (name == "extent") return g.raw(op_data<extent_>, {}, view<int>{two, 1}, g.intern(t));
            t.ext[t.rank++] = e;
            return g.raw(op_data<iota_>, {}, view<int>{two, 2}, g.intern(t));
        }
        only(j, where, {"op", "args", "params", "dtype", "shape"});
        const json& list_of_args = list(get(j, "args", where), where, 1000);
        std::vector<int> a, p;
        for (const json& x : list_of_args) a.push_back(nodes[static_cast<std::size_t>(integer(x, where, 0, static_cast<std::int64_t>(nodes.size()) - 1))]);
        if (j.contains("params"))
            for (const json& x : list(j["params"], where, 64)) p.push_back(static_cast<int>(integer(x, where, std::numeric_limits<int>::min(), std::numeric_limits<int>::max())));
        const view<int> args{a.data(), static_cast<int>(a.size())};
        const auto takes = [&](std::size_t n) {
            if (a.size() != n) refuse(where, name + " takes " + std::to_string(n) + " args, got " + std::to_string(a.size()));
        };
        if (j.contains("dtype") && name != "cast") refuse(where, "unknown key \"dtype\"");
        if (j.contains("shape") && name != "reshape" && name != "broadcast") refuse(where, "unknown key \"shape\"");
        const auto handle = [&](std::size_t i) { return dyn::expr(home, a[i]); };
        if (name == "pullback") {
            takes(3);
            return dyn::pullback(handle(0), handle(1), handle(2)).id();
        }
        if (name == "jacobian") {
            takes(2);
            if (p.size() != 1 || p[0] < 0 || p[0] > static_cast<int>(sweeps::reverse)) refuse(where, "expected one param, which sweeps make the Jacobian: 0, 1 or 2");
            return jacobian_expr(handle(0), handle(1), static_cast<sweeps>(p[0])).id();
        }
        if (name == "pushforward") {
            if (a.size() < 3 || a.size() % 2 == 0) refuse(where, "pushforward takes a value, expressions, and as many tangents");
            std::vector<dyn::expr> x, t;
            for (std::size_t i = 1; i < a.size(); ++i) (i <= a.size() / 2 ? x : t).push_back(handle(i));
            return dyn::pushforward(handle(0), x, t).id();
        }
        const op_info* op = kernel_registry::instance().named(name);
        if (!op || op->cls == op_class::leaf || op == &op_data<scatter_>) refuse(where, "unknown operation \"" + name.substr(0, 40) + "\"");
        if (op->arity >= 0) takes(static_cast<std::size_t>(op->arity));
        else if (a.size() < 2 || a.size() > 16) refuse(where, name + " takes 2 to 16 args, got " + std::to_string(a.size()));
        if (name == "cast") {
            const dtype d = dtype_named(get(j, "dtype", where), where, false);
            if (!p.empty()) refuse(where, "cast has no params");
            return g.cast(a[0], d);
        }
        if (name == "reshape" || name == "broadcast") {
            if (!p.empty()) refuse(where, name + " has no params");
            const int ty = type_of_json(get(j, "shape", where), g.dtype_of(a[0]), where);
            if (name == "broadcast") return broadcast_expr(handle(0), ty).id();
            if (!may_hold_as_many(g, g.type_of(a[0]), g.types[ty])) refuse(where, sentence(fault::reshape_size));
            return reshape_::to(g, a[0], ty);
        }
        int rank = 0;
        for (int x : a) rank = std::max(rank, g.rank(x));
        check_params(*op, p, rank, where);
        const int id = g.make(*op, args, view<int>{p.data(), static_cast<int>(p.size())});
        if (id < 0) throw_fault(g, where + ": " + name, args, g.error);
        g.pending.clear();
        return id;
    }

    dyn::model model_of(const json& j) {
        only(j, "the file", {"cotan", "extents", "nodes", "inputs", "outputs"});
        const std::int64_t version = integer(get(j, "cotan", "the file"), "cotan", 0, 1 << 20);
        if (version != dyn::model_format) refuse("cotan", "the format is " + std::to_string(version) + ", and this version of cotan reads " + std::to_string(dyn::model_format));
        std::size_t k = 0;
        for (const json& e : list(get(j, "extents", "the file"), "extents", static_cast<std::size_t>(limits.extents))) read_extent(e, "extents[" + std::to_string(k++) + "]");
        k = 0;
        for (const json& n : list(get(j, "nodes", "the file"), "nodes", static_cast<std::size_t>(limits.nodes))) {
            const std::string where = "nodes[" + std::to_string(k++) + "]";
            nodes.push_back(read_node(n, where));
            check_size(nodes.back(), where);
        }
        dyn::model m;
        const auto node_at = [&](const json& v, const std::string& where) { return nodes[static_cast<std::size_t>(integer(v, where, 0, static_cast<std::int64_t>(nodes.size()) - 1))]; };
        for (const json& v : list(get(j, "inputs", "the file"), "inputs", nodes.size())) {
            const int id = node_at(v, "inputs");
            if (!home->g.is(id, input_info)) refuse("inputs", "a node is not an input");
            m.inputs.emplace_back(home, id);
        }
        for (const json& v : list(get(j, "outputs", "the file"), "outputs", std::size_t{1} << 20)) {
            only(v, "outputs", {"name", "node"});
            m.outputs.emplace_back(text(get(v, "name", "outputs"), "outputs"), dyn::expr(home, node_at(get(v, "node", "outputs"), "outputs")));
        }
        return m;
    }
};

}  // namespace cotan::bits

namespace cotan::dyn {

/// A model as JSON.
inline std::string to_json(const model& m, int indent = -1) { return bits::model_writer::write(m).dump(indent); }
/// The model that a JSON text holds. Throws cotan::error where it is not one, saying where and why.
inline model from_json(const std::string& text, const model_limits& limits = {}) { return bits::model_reader::read(text, limits); }

/// Writes a model to a file.
inline void save(const std::string& path, const model& m) {
    std::ofstream out(path);
    out << bits::model_writer::write(m).dump(1) << "\n";
    out.close();
    if (!out) throw error("cotan: cannot write " + path);
}
/// Reads a model from a file.
inline model load(const std::string& path, const model_limits& limits = {}) {
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    if (!in) throw error("cotan: cannot read " + path);
    const auto size = in.tellg();
    if (size < 0 || static_cast<std::size_t>(size) > limits.bytes) throw error("cotan: a model cannot be read: " + path + ": it is larger than the limit of " + std::to_string(limits.bytes) + " bytes");
    std::string text(static_cast<std::size_t>(size), '\0');
    in.seekg(0);
    in.read(text.data(), size);
    if (!in) throw error("cotan: cannot read " + path);
    return from_json(text, limits);
}

}  // namespace cotan::dyn
