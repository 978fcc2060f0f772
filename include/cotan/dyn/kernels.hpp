#pragma once

#include <cotan/op/catalogue.hpp>
#include <cotan/run/simd.hpp>

#include <array>
#include <mutex>
#include <unordered_map>

// The operations' own kernels over blocks of elements: one function for each operation and dtype, made from the catalogue.

namespace cotan::bits {

/// to[i] = kernel(from[0][i], ...) for n elements.
using block_function = void (*)(void* to, const void* const* from, std::ptrdiff_t n);
/// *to = kernel(*to, all of x[0..n)), or to[i] = kernel(to[i], x[i]).
using fold_function = void (*)(void* to, const void* x, std::ptrdiff_t n);
/// A recurrence along a line: strides in elements.
struct line {
    void* to;
    std::ptrdiff_t to_stride;
    const void* from[2];
    std::ptrdiff_t from_stride[2];
    std::ptrdiff_t n;
    bool exclusive;
};
using line_function = void (*)(const line&);

inline constexpr int real_dtypes = 5;  // bool, int32, int64, float, double
constexpr int slot_of(dtype d) { return static_cast<int>(settled(d)); }

/// What runs an operation over blocks, by the dtype of its last operand.
struct op_blocks {
    block_function block[real_dtypes][8]{};  // by a mask of the operands that are one number
    fold_function fold[real_dtypes]{}, accumulate[real_dtypes]{};
    void (*clear[real_dtypes])(void* to, std::ptrdiff_t n){};  // fills with a reduction's identity
    line_function along[real_dtypes]{};
};

template <bool One, bool Mask, class T>
struct block_operand;
template <class T>
struct block_operand<false, false, T> {
    const T* p;
    COTAN_INLINE explicit block_operand(const void* q) : p(static_cast<const T*>(q)) {}
    COTAN_INLINE vector_of<T> at(std::ptrdiff_t i) const { return vector_of<T>::load_unaligned(p + i); }
    COTAN_INLINE vector_of<T> first(std::ptrdiff_t i, int n) const { return load_first<T>(p + i, n); }
};
template <class T>
struct block_operand<true, false, T> {
    vector_of<T> v;
    COTAN_INLINE explicit block_operand(const void* q) : v(*static_cast<const T*>(q)) {}
    COTAN_INLINE vector_of<T> at(std::ptrdiff_t) const { return v; }
    COTAN_INLINE vector_of<T> first(std::ptrdiff_t, int) const { return v; }
};
template <class T>
struct block_operand<false, true, T> {
    const bool* p;
    COTAN_INLINE explicit block_operand(const void* q) : p(static_cast<const bool*>(q)) {}
    COTAN_INLINE mask_of<T> at(std::ptrdiff_t i) const { return load_mask<T>(p + i, 1, lanes_of<T>); }
    COTAN_INLINE mask_of<T> first(std::ptrdiff_t i, int n) const { return load_mask<T>(p + i, 1, n); }
};
template <class T>
struct block_operand<true, true, T> {
    mask_of<T> m;
    COTAN_INLINE explicit block_operand(const void* q) : m(*static_cast<const bool*>(q)) {}
    COTAN_INLINE mask_of<T> at(std::ptrdiff_t) const { return m; }
    COTAN_INLINE mask_of<T> first(std::ptrdiff_t, int) const { return m; }
};

template <class T>
COTAN_INLINE void block_store(void* to, std::ptrdiff_t i, const vector_of<T>& v) { v.store_unaligned(static_cast<T*>(to) + i); }
template <class T>
COTAN_INLINE void block_store(void* to, std::ptrdiff_t i, const mask_of<T>& m) { store_mask<T>(static_cast<bool*>(to) + i, 1, m, lanes_of<T>); }
template <class T>
COTAN_INLINE void block_store(void* to, std::ptrdiff_t i, const vector_of<T>& v, int n) { store_first<T>(static_cast<T*>(to) + i, v, n); }
template <class T>
COTAN_INLINE void block_store(void* to, std::ptrdiff_t i, const mask_of<T>& m, int n) { store_mask<T>(static_cast<bool*>(to) + i, 1, m, n); }

template <class Op> constexpr typing typing_of() {
    if constexpr (requires { Op::types; }) return Op::types;
    else return typing::real;
}
template <class Op> inline constexpr int block_arity = Op::arity < 0 ? 2 : Op::arity;

template <class Op, class T, unsigned Ones>
void real_block(void* to, const void* const* from, std::ptrdiff_t n) {
    constexpr bool chooses = typing_of<Op>() == typing::choose;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        const std::tuple<block_operand<(Ones >> I & 1u) != 0, chooses && I == 0, T>...> x{block_operand<(Ones >> I & 1u) != 0, chooses && I == 0, T>(from[I])...};
        constexpr int w = lanes_of<T>;
        std::ptrdiff_t i = 0;
        for (; i + w <= n; i += w) block_store<T>(to, i, Op::kernel(std::get<I>(x).at(i)...));
        if (const int rest = static_cast<int>(n - i)) block_store<T>(to, i, Op::kernel(std::get<I>(x).first(i, rest)...), rest);
    }(std::make_index_sequence<static_cast<std::size_t>(block_arity<Op>)>{});
}

/// For what has no vectors: integers and bool.
template <class Op, class T, unsigned Ones>
void plain_block(void* to, const void* const* from, std::ptrdiff_t n) {
    constexpr bool chooses = typing_of<Op>() == typing::choose;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto at = [&]<std::size_t K>(std::integral_constant<std::size_t, K>, std::ptrdiff_t i) {
            using U = std::conditional_t<chooses && K == 0, bool, T>;
            return static_cast<const U*>(from[K])[(Ones >> K & 1u) ? 0 : i];
        };
        if constexpr (typing_of<Op>() == typing::comparison)
            for (std::ptrdiff_t i = 0; i < n; ++i) static_cast<bool*>(to)[i] = static_cast<bool>(Op::kernel(at(std::integral_constant<std::size_t, I>{}, i)...));
        else
            for (std::ptrdiff_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = static_cast<T>(Op::kernel(at(std::integral_constant<std::size_t, I>{}, i)...));
    }(std::make_index_sequence<static_cast<std::size_t>(block_arity<Op>)>{});
}

template <class Op, class T>
constexpr T block_identity() {
    return Op::template identity<T>();
}

template <class Op, class T>
void fold_block(void* to, const void* from, std::ptrdiff_t n) {
    T& r = *static_cast<T*>(to);
    const T* x = static_cast<const T*>(from);
    if constexpr (std::is_floating_point_v<T>) {
        using V = vector_of<T>;
        constexpr int w = lanes_of<T>;
        const V none(block_identity<Op, T>());
        V a[4] = {none, none, none, none};
        std::ptrdiff_t i = 0;
        for (; i + 4 * w <= n; i += 4 * w)
            for (int k = 0; k < 4; ++k) a[k] = Op::template kernel<V>(a[k], V::load_unaligned(x + i + k * w));
        for (int k = 0; i + w <= n; i += w, ++k) a[k] = Op::template kernel<V>(a[k], V::load_unaligned(x + i));
        if (const int rest = static_cast<int>(n - i))
            a[3] = Op::template kernel<V>(a[3], xsimd::select(first_lanes<T>(rest), load_first<T>(x + i, rest), none));
        r = Op::template kernel<T>(r, fold_lanes<Op, T>(Op::template kernel<V>(Op::template kernel<V>(a[0], a[1]), Op::template kernel<V>(a[2], a[3]))));
    } else
        for (std::ptrdiff_t i = 0; i < n; ++i) r = Op::template kernel<T>(r, x[i]);
}
template <class Op, class T>
void accumulate_block(void* to, const void* from, std::ptrdiff_t n) {
    T* r = static_cast<T*>(to);
    const T* x = static_cast<const T*>(from);
    std::ptrdiff_t i = 0;
    if constexpr (std::is_floating_point_v<T>) {
        using V = vector_of<T>;
        constexpr int w = lanes_of<T>;
        for (; i + w <= n; i += w) Op::template kernel<V>(V::load_unaligned(r + i), V::load_unaligned(x + i)).store_unaligned(r + i);
    }
    for (; i < n; ++i) r[i] = Op::template kernel<T>(r[i], x[i]);
}

template <class Op, class T>
void clear_block(void* to, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = block_identity<Op, T>();
}

template <class Op, class T>
void along_line(const line& l) {
    T state = block_identity<Op, T>();
    T* to = static_cast<T*>(l.to);
    const T* x = static_cast<const T*>(l.from[0]);
    const T* y = static_cast<const T*>(l.from[1]);
    for (std::ptrdiff_t t = 0; t < l.n; ++t) {
        const T before = state;
        if constexpr (Op::arity == 1) state = Op::template kernel<T>(state, x[t * l.from_stride[0]]);
        else state = Op::template kernel<T>(state, x[t * l.from_stride[0]], y[t * l.from_stride[1]]);
        to[t * l.to_stride] = l.exclusive ? before : state;
    }
}

template <class Op, class T, unsigned Ones>
constexpr block_function block_of() {
    if constexpr (std::is_floating_point_v<T>) return &real_block<Op, T, Ones>;
    else return &plain_block<Op, T, Ones>;
}
template <class Op, class T>
constexpr void add_blocks(op_blocks& b) {
    constexpr int d = slot_of(dtype_of<T>()), n = block_arity<Op>;
    b.block[d][0] = block_of<Op, T, 0>();
    // numbers as operands are worth code of their own where the operation is as cheap as filling a block with one
    if constexpr (n > 1 && op_data<Op>.cost <= 4) {
        [&]<std::size_t... M>(std::index_sequence<M...>) { ((b.block[d][M + 1] = block_of<Op, T, static_cast<unsigned>(M + 1)>()), ...); }(
            std::make_index_sequence<(std::size_t{1} << n) - 2>{});
    }
}
template <class Op, class T>
constexpr void add_folds(op_blocks& b) {
    constexpr int d = slot_of(dtype_of<T>());
    b.fold[d] = &fold_block<Op, T>;
    b.accumulate[d] = &accumulate_block<Op, T>;
    b.clear[d] = &clear_block<Op, T>;
}

template <class Op>
constexpr op_blocks blocks_of() {
    op_blocks b;
    constexpr typing t = typing_of<Op>();
    if constexpr (std::is_same_v<Op, cast_>) return b;
    else if constexpr (Op::cls == op_class::elementwise) {
        if constexpr (t == typing::logic) add_blocks<Op, bool>(b);
        else {
            add_blocks<Op, double>(b);
            add_blocks<Op, float>(b);
            if constexpr (t != typing::real) {
                add_blocks<Op, std::int64_t>(b);
                add_blocks<Op, std::int32_t>(b);
            }
            if constexpr (t == typing::choose || t == typing::comparison || t == typing::keep) add_blocks<Op, bool>(b);
        }
    } else if constexpr (Op::cls == op_class::reduction) {
        constexpr bool of_truths = [] {  // takes nothing but bool
            if constexpr (requires { Op::result(dtype::float64); }) return Op::result(dtype::float64) == dtype::weak_real;
            else return false;
        }();
        if constexpr (of_truths)
            add_folds<Op, bool>(b);
        else {
            add_folds<Op, double>(b);
            add_folds<Op, float>(b);
            add_folds<Op, std::int64_t>(b);
            add_folds<Op, std::int32_t>(b);
        }
    } else if constexpr (Op::cls == op_class::running) {
        b.along[slot_of(dtype::float64)] = &along_line<Op, double>;
        b.along[slot_of(dtype::float32)] = &along_line<Op, float>;
        b.along[slot_of(dtype::int64)] = &along_line<Op, std::int64_t>;
        b.along[slot_of(dtype::int32)] = &along_line<Op, std::int32_t>;
    }
    return b;
}

template <class Op> inline constexpr op_blocks block_table = blocks_of<Op>();

template <class To, class From>
void cast_block(void* to, const void* const* from, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) static_cast<To*>(to)[i] = static_cast<To>(static_cast<const From*>(from[0])[i]);
}
using cast_row = std::array<block_function, real_dtypes>;
template <class To>
inline constexpr cast_row casts_to = {&cast_block<To, bool>, &cast_block<To, std::int32_t>, &cast_block<To, std::int64_t>, &cast_block<To, float>, &cast_block<To, double>};
inline constexpr std::array<cast_row, real_dtypes> cast_blocks = {casts_to<bool>, casts_to<std::int32_t>, casts_to<std::int64_t>, casts_to<float>, casts_to<double>};

/// The operations that the evaluator knows. One of the user's own is added by dyn::apply, or by hand.
class kernel_registry {
public:
    static kernel_registry& instance() {
        static kernel_registry r;
        return r;
    }
    const op_blocks* find(const op_info* op) const {
        const std::lock_guard lock(mutex_);
        const auto at = table_.find(op);
        return at == table_.end() ? nullptr : at->second;
    }
    template <class Op> void add(std::string_view name = op_data<Op>.name) {
        const std::lock_guard lock(mutex_);
        table_[&op_data<Op>] = &block_table<Op>;
        by_name_[name] = &op_data<Op>;
        names_[&op_data<Op>] = name;
    }
    /// The operation of a name. Operations that are one for each parameter of a template have names of their own here.
    const op_info* named(std::string_view name) const {
        const std::lock_guard lock(mutex_);
        const auto at = by_name_.find(name);
        return at == by_name_.end() ? nullptr : at->second;
    }
    std::string_view full_name(const op_info* op) const {
        const std::lock_guard lock(mutex_);
        const auto at = names_.find(op);
        return at == names_.end() ? op->name : at->second;
    }

private:
    kernel_registry() {
        [&]<class... Op>(type_list<Op...>) { (add<Op>(), ...); }(catalogue{});
        [&]<class... Op>(type_list<Op...>) { (add<Op>(), ...); }(internal_operations{});
        add<var_<1>>("var 1");
        add<stddev_<1>>("stddev 1");
    }
    mutable std::mutex mutex_;
    std::unordered_map<const op_info*, const op_blocks*> table_;
    std::unordered_map<std::string_view, const op_info*> by_name_;
    std::unordered_map<const op_info*, std::string_view> names_;
};

}  // namespace cotan::bits
