#pragma once

#include <cotan/dyn/argument.hpp>
#include <cotan/dyn/compile.hpp>

#include <mutex>
#include <unordered_map>

namespace cotan {

namespace bits {

/// What one run of a function owns.
class runtime_state {
public:
    explicit runtime_state(std::shared_ptr<const runtime_function> f) : f_(std::move(f)), run_(f_->code) {
        const std::size_t n = f_->inputs.size();
        sizes_.resize(n);
        views_.resize(n);
        rooms_.resize(n);
        run_.set_sourced(f_->sourced);
    }

    /// Runs, with results into `out`.
    void call(std::span<const dyn::argument> args, std::vector<dyn::value>& out) {
        const runtime_function& f = *f_;
        bool same = bound_;
        for (std::size_t i = 0; i < args.size(); ++i) same = take(i, args[i]) && same;
        if (!same) {
            bound_ = false;
            resolve();
            run_.bind(extents_, views_);
            bound_ = true;
        }
        for (std::size_t i = 0; i < args.size(); ++i)
            if (f.code->inputs[i] >= 0) run_.set_input(static_cast<int>(i), views_[i].data);
        out.resize(f.code->roots.size());
        give_outputs(out);
        if (!f.bodies->calls.empty()) run_.on_new_extents = [this, &out] { give_outputs(out); };
        run_.run();
    }

private:
    void give_outputs(std::vector<dyn::value>& out) {
        const graph& g = f_->code->g;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const type_data& t = g.type_of(f_->code->roots[i]);
            std::ptrdiff_t shape[max_rank];
            for (int k = 0; k < t.rank; ++k) shape[k] = run_.size_of_extent(t.ext[k]);
            run_.set_output(static_cast<int>(i), out[i].take_shape(settled(t.dt), shape, t.rank));
        }
    }
    std::shared_ptr<const runtime_function> f_;
    program_run run_;
    bool bound_ = false;
    std::vector<std::array<std::ptrdiff_t, max_rank>> sizes_;
    std::vector<input_view> views_;
    std::vector<byte_room> rooms_;
    std::vector<std::ptrdiff_t> extents_, known_;

    /// An argument as the run reads it; false where its shape or strides are not those of the last call.
    bool take(std::size_t i, const dyn::argument& a) {
        const runtime_input& in = f_->inputs[i];
        input_view& v = views_[i];
        if (a.rank != in.rank) throw shape_error("cotan: input " + in.name + ": expected " + std::to_string(in.rank) + " axes, got " + std::to_string(a.rank));
        bool same = true, rows = true;
        std::ptrdiff_t stride[max_rank], s = 1;
        for (int k = in.rank - 1; k >= 0; --k) {
            rows = rows && (a.size[k] <= 1 || a.stride[k] == s);
            stride[k] = a.stride[k];
            s *= a.size[k];
        }
        v.data = a.where();
        if (a.dt != in.dt || (in.whole && !rows)) {
            v.data = converted(i, a, s);
            s = 1;
            for (int k = in.rank - 1; k >= 0; --k) {
                stride[k] = s;
                s *= a.size[k];
            }
        }
        for (int k = 0; k < in.rank; ++k) {
            same = same && v.size[k] == a.size[k] && v.stride[k] == stride[k];
            v.size[k] = a.size[k];
            v.stride[k] = stride[k];
        }
        return same;
    }
    const void* converted(std::size_t i, const dyn::argument& a, std::ptrdiff_t n) {
        const dtype to = f_->inputs[i].dt;
        const std::ptrdiff_t size = size_of(to), from_size = size_of(a.dt);
        std::byte* room = rooms_[i].at_least(static_cast<std::size_t>(n * size) + 64);
        const block_function f = cast_blocks[static_cast<std::size_t>(slot_of(to))][static_cast<std::size_t>(slot_of(a.dt))];
        const std::byte* x = static_cast<const std::byte*>(a.where());
        std::ptrdiff_t index[max_rank]{};
        for (std::ptrdiff_t e = 0; e < n; ++e) {
            std::ptrdiff_t at = 0;
            for (int k = 0; k < a.rank; ++k) at += index[k] * a.stride[k];
            const void* p[] = {x + at * from_size};
            f(room + e * size, p, 1);
            for (int k = a.rank - 1; k >= 0; --k) {
                if (++index[k] < a.size[k]) break;
                index[k] = 0;
            }
        }
        return room;
    }
    static std::ptrdiff_t evaluated(const extent_data& d, const std::vector<std::ptrdiff_t>& v) {
        const auto at = [&](int e) { return v[static_cast<std::size_t>(e)]; };
        switch (d.kind) {
            case extent_kind::fixed: return d.value;
            case extent_kind::linear: {
                if (at(d.a) < 0) return -1;
                const std::ptrdiff_t n = at(d.a) + d.value;
                return n <= 0 ? 0 : (n + d.div - 1) / d.div;
            }
            case extent_kind::product: return at(d.a) < 0 || at(d.b) < 0 ? -1 : at(d.a) * at(d.b);
            default: return -1;
        }
    }
    /// The sizes of all extents from the arguments'; throws where they do not fit.
    void resolve() {
        const runtime_function& f = *f_;
        const runtime_checks& c = f.checks;
        const vec<extent_data>& e = c.extents.extents;
        known_.assign(static_cast<std::size_t>(e.size()), -1);
        for (int i = 0; i < e.size(); ++i) {
            const auto& s = c.sources[static_cast<std::size_t>(i)];
            known_[static_cast<std::size_t>(i)] =
                s.input >= 0 && e[i].kind == extent_kind::named ? views_[static_cast<std::size_t>(s.input)].size[s.axis] : evaluated(e[i], known_);
        }
        for (std::size_t i = 0; i < f.inputs.size(); ++i)
            for (int k = 0; k < f.inputs[i].rank; ++k) {
                const int x = f.inputs[i].ext[k];
                const std::ptrdiff_t expected = known_[static_cast<std::size_t>(x)], got = views_[i].size[k];
                if (expected != got)
                    throw shape_error("cotan: input " + f.inputs[i].name + ": axis " + std::to_string(k) + " (extent " + words_of(c.extents, x) + "): expected " + std::to_string(expected) + ", got " +
                                      std::to_string(got));
            }
        for (const auto& q : c.equals) {
            const std::ptrdiff_t a = known_[static_cast<std::size_t>(q.a)], b = known_[static_cast<std::size_t>(q.b)];
            if (a >= 0 && b >= 0 && a != b)
                throw shape_error("cotan: " + std::string(q.op) + ": the operands' extents differ: expected " + place_of(c.extents, q.a) + " (" + std::to_string(a) + ") and " + place_of(c.extents, q.b) +
                                  " (" + std::to_string(b) + ") to be equal");
        }
        for (const auto& [x, least] : c.at_least)
            if (known_[static_cast<std::size_t>(x)] < least)
                throw shape_error("cotan: index: " + place_of(c.extents, x) + ": expected at least " + std::to_string(least) + ", got " + std::to_string(known_[static_cast<std::size_t>(x)]));
        const auto elements = [&](int ty) {
            std::ptrdiff_t n = 1;
            const type_data& t = c.extents.types[ty];
            for (int k = 0; k < t.rank; ++k) {
                const std::ptrdiff_t s = known_[static_cast<std::size_t>(t.ext[k])];
                if (s < 0) return std::ptrdiff_t{-1};
                n *= s;
            }
            return n;
        };
        for (const auto& [a, b] : c.as_many) {
            const std::ptrdiff_t expected = elements(a), got = elements(b);
            if (expected >= 0 && got >= 0 && expected != got) throw shape_error("cotan: reshape: expected " + std::to_string(expected) + " elements, got " + std::to_string(got));
        }
        const vec<extent_data>& x = f.code->g.extents;
        extents_.assign(static_cast<std::size_t>(x.size()), -1);
        for (int i = 0; i < x.size(); ++i) {
            const int from = f.extent_of[static_cast<std::size_t>(i)];
            extents_[static_cast<std::size_t>(i)] = from >= 0 ? known_[static_cast<std::size_t>(from)] : evaluated(x[i], extents_);
        }
        for (const call_info& c : f.bodies->calls)  // known when the loop has run
            if (!c.cond && c.steps >= 0 && c.steps < x.size() && extents_[static_cast<std::size_t>(c.steps)] < 0) extents_[static_cast<std::size_t>(c.steps)] = 0;
        program_run::derive(f.code->g, extents_);
    }
};

/// A function's graph, and what was compiled of it: one program for each choice of broadcastable axes that was met.
class runtime_family {
public:
    runtime_family(const std::vector<dyn::expr>& inputs, const std::vector<dyn::expr>& outputs) {
        std::vector<const dyn::expr*> all;
        for (const auto& e : inputs) all.push_back(&e);
        for (const auto& e : outputs) all.push_back(&e);
        std::vector<int> ids(all.size());
        const auto home = together(view<const dyn::expr*>{all.data(), static_cast<int>(all.size())}, ids.data());
        in_.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
        out_.assign(ids.begin() + static_cast<std::ptrdiff_t>(inputs.size()), ids.end());
        auto first = std::make_shared<runtime_function>(runtime_compiler::compile(home->g, in_, out_, 0));
        for (const runtime_input& i : first->inputs)
            for (int k = 0; k < i.rank; ++k) stretchable_ += i.stretches[k];
        if (stretchable_ > 60) throw error("cotan: a function has at most 60 broadcastable axes");
        if (stretchable_) graph_ = home->g;
        variants_[0] = std::move(first);
    }
    bool has_variants() const { return stretchable_ > 0; }
    const std::vector<runtime_input>& inputs() const { return variants_.begin()->second->inputs; }
    std::shared_ptr<const runtime_function> plain() const { return variants_.at(0); }

    /// The program for these arguments, and its key.
    std::shared_ptr<const runtime_function> for_arguments(std::span<const dyn::argument> args, std::uint64_t& key) {
        key = 0;
        std::lock_guard lock(mutex_);
        if (stretchable_) {
            int bit = 0;
            const auto& in = variants_.at(0)->inputs;
            for (std::size_t i = 0; i < in.size(); ++i)
                for (int k = 0; k < in[i].rank; ++k)
                    if (in[i].stretches[k]) key |= static_cast<std::uint64_t>(args[i].rank > k && args[i].size[k] != 1) << bit++;
        }
        auto& v = variants_[key];
        if (!v) v = std::make_shared<runtime_function>(runtime_compiler::compile(graph_, in_, out_, key));
        return v;
    }
    std::unique_ptr<runtime_state> take_state(std::uint64_t key, const std::shared_ptr<const runtime_function>& f) {
        {
            std::lock_guard lock(mutex_);
            auto& idle = idle_[key];
            if (!idle.empty()) {
                auto s = std::move(idle.back());
                idle.pop_back();
                return s;
            }
        }
        return std::make_unique<runtime_state>(f);
    }
    void give_back(std::uint64_t key, std::unique_ptr<runtime_state> s) {
        std::lock_guard lock(mutex_);
        idle_[key].push_back(std::move(s));
    }
    void check_count(std::size_t n) const {
        if (n != in_.size()) throw error("cotan: a function takes one argument for each of its inputs, in their order: expected " + std::to_string(in_.size()) + ", got " + std::to_string(n));
    }

private:
    std::vector<int> in_, out_;
    int stretchable_ = 0;
    open_graph graph_;
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, std::shared_ptr<const runtime_function>> variants_;
    std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<runtime_state>>> idle_;
};

}  // namespace bits

namespace dyn {

/// The results of a call, in the order in which they were asked for.
class results {
public:
    const value& operator[](std::size_t i) const { return values_.at(i); }
    std::size_t size() const { return values_.size(); }
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }
    std::vector<value>& values() { return values_; }

private:
    std::vector<value> values_;
};

/// A function with buffers of its own: from the second call with the same extents on it allocates nothing. Its results are valid until its next call.
class prepared {
public:
    explicit prepared(std::shared_ptr<bits::runtime_family> f) : family_(std::move(f)) {}
    const results& operator()(std::initializer_list<argument> args) { return (*this)(std::span<const argument>(args.begin(), args.size())); }
    const results& operator()(std::span<const argument> args) {
        family_->check_count(args.size());
        if (!state_ || family_->has_variants()) {
            std::uint64_t key = 0;
            const auto f = family_->for_arguments(args, key);
            if (!state_ || key != key_) state_ = std::make_unique<bits::runtime_state>(f);
            key_ = key;
        }
        state_->call(args, results_.values());
        return results_;
    }
    template <class... A>
        requires(sizeof...(A) > 0 && (std::is_constructible_v<argument, const A&> && ...))
    const results& operator()(const A&... a) {
        return (*this)({argument(a)...});
    }

private:
    std::shared_ptr<bits::runtime_family> family_;
    std::unique_ptr<bits::runtime_state> state_;
    std::uint64_t key_ = 0;
    results results_;
};

/// A compiled function of the runtime graph. Calls take one argument for each input: f({x, y}) or f(x, y). They may be made from several threads.
class function {
public:
    function(const std::vector<expr>& inputs, const std::vector<expr>& outputs) : family_(std::make_shared<bits::runtime_family>(inputs, outputs)) {}

    /// Throws shape_error where the arrays do not fit, naming inputs, axes, what was expected and what came.
    results operator()(std::initializer_list<argument> args) const { return (*this)(std::span<const argument>(args.begin(), args.size())); }
    results operator()(std::span<const argument> args) const {
        family_->check_count(args.size());
        std::uint64_t key = 0;
        const auto f = family_->for_arguments(args, key);
        auto state = family_->take_state(key, f);
        results r;
        state->call(args, r.values());  // a state whose call throws is not used again
        family_->give_back(key, std::move(state));
        return r;
    }
    template <class... A>
        requires(sizeof...(A) > 0 && (std::is_constructible_v<argument, const A&> && ...))
    results operator()(const A&... a) const {
        return (*this)({argument(a)...});
    }
    /// The function with buffers of its own.
    prepared prepare() const { return prepared(family_); }
    std::size_t arity() const { return family_->inputs().size(); }
    std::string input_name(std::size_t i) const { return family_->inputs().at(i).name; }

    // For tests: what the function is made of.
    const bits::runtime_function& compiled() const { return *family_->plain(); }

private:
    std::shared_ptr<bits::runtime_family> family_;
};

}  // namespace dyn
}  // namespace cotan
