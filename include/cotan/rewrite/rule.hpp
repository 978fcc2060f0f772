#pragma once

#include <cotan/core/apply.hpp>

#include <tuple>

namespace cotan {

/// When a rule applies. A function is rewritten in this order: canonical and stable before it is differentiated and after, special last.
enum class phase : unsigned char { canonical = 1, stable = 2, special = 4 };

namespace bits {

inline constexpr op_info placeholder_info{.name = "_", .hash = 1, .cls = op_class::placeholder, .arity = 0};

/// One rewrite: `from` and `to` are nodes of the store's pattern graph.
struct rule_data {
    std::string_view name;
    int from = -1, to = -1;
    phase when = phase::canonical;
    int guard_placeholder = -1;  // the placeholder that must have `guard_facts`
    unsigned guard_facts = 0;
    int next = -1;  // the next rule of the same operation
};

/// A graph of patterns: nothing is typed or rewritten in it.
struct pattern_graph : graph {
    constexpr ~pattern_graph() override {}
};

inline constexpr int max_placeholders = 8;

/// The rules of the operations that a graph has met, each as a pair of patterns.
struct rule_store {
    pattern_graph patterns;
    vec<rule_data> rules;
    const op_info* adding = nullptr;
    int first = -1, last = -1;

    constexpr rule_store() { patterns.untyped = true; }
    constexpr sym placeholder(int i) {
        return sym{&patterns, patterns.raw(placeholder_info, {}, view<int>{&i, 1}, 0)};
    }
    constexpr rule_data& add(std::string_view name, phase when, const sym& from, int to) {
        rule_data r;
        r.name = name;
        r.from = from.id;
        r.to = to;
        r.when = when;
        const int id = rules.push(r);
        if (first < 0) first = id;
        else rules[last].next = id;
        last = id;
        return rules[id];
    }
};

}  // namespace bits

/// What an operation's `rewrites(r, x, y, ...)` adds its rules to. Rules are tried in the order in which they are added.
class rule_adder {
public:
    constexpr explicit rule_adder(bits::rule_store& s) : store_(&s) {}

    /// `from` becomes `to` in the phase. Both are expressions in the placeholders; the name is the identity in words, with its domain.
    template <class F, class T>
    constexpr void operator()(phase when, std::string_view name, const F& from, const T& to) const {
        store_->add(name, when, from, bits::id_in(store_->patterns, to));
    }
    /// The same where every element of `of` (a placeholder) is known to have the facts: positive, nonnegative.
    template <class F, class T>
    constexpr void where(unsigned facts, const sym& of, phase when, std::string_view name, const F& from, const T& to) const {
        bits::rule_data& r = store_->add(name, when, from, bits::id_in(store_->patterns, to));
        r.guard_placeholder = of.id;
        r.guard_facts = facts;
    }

private:
    bits::rule_store* store_;
};

}  // namespace cotan
