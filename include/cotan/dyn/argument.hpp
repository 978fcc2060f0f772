#pragma once

#include <cotan/dyn/run.hpp>
#include <cotan/run/argument.hpp>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace cotan::dyn {

/// What a function of the runtime graph gives back: numbers of a dtype in a shape, contiguous by rows.
class value {
public:
    value() = default;
    cotan::dtype dtype() const { return dt_; }
    int rank() const { return static_cast<int>(shape_.size()); }
    const std::vector<std::size_t>& shape() const { return shape_; }
    std::size_t size() const {
        std::size_t n = 1;
        for (std::size_t s : shape_) n *= s;
        return n;
    }
    const void* bytes() const { return data_; }
    /// The elements. T must be the result's element type.
    template <class T>
    const T* data() const {
        check<T>();
        return static_cast<const T*>(data_);
    }
    /// The number that this is. Throws where it has axes or another element type.
    template <class T>
    T scalar() const {
        check<T>();
        if (!shape_.empty()) throw error("cotan: scalar: expected a result without axes, got " + std::to_string(rank()));
        return *static_cast<const T*>(data_);
    }
    /// A copy as an xtensor of N axes.
    template <class T, std::size_t N>
    xt::xtensor<T, N> as() const {
        check<T>();
        if (shape_.size() != N) throw shape_error("cotan: as: expected a result of " + std::to_string(N) + " axes, got " + std::to_string(rank()));
        typename xt::xtensor<T, N>::shape_type s{};
        std::copy(shape_.begin(), shape_.end(), s.begin());
        xt::xtensor<T, N> r(s);
        std::copy_n(static_cast<const T*>(data_), size(), r.data());
        return r;
    }

    // For the engine: takes a type and a shape, and room for them.
    template <class Shape>
    void* take_shape(cotan::dtype d, const Shape& shape, int rank) {
        dt_ = d;
        shape_.resize(static_cast<std::size_t>(rank));
        std::size_t n = 1;
        for (std::size_t k = 0; k < shape_.size(); ++k) n *= shape_[k] = static_cast<std::size_t>(shape[static_cast<int>(k)]);
        return data_ = room_.at_least(n * static_cast<std::size_t>(bits::size_of(d)) + 64);
    }
    void* bytes() { return data_; }

private:
    template <class T>
    void check() const {
        if (bits::dtype_of<T>() != dt_) throw error(std::string("cotan: the result has elements of ") + name_of(dt_) + ", asked for as " + name_of(bits::dtype_of<T>()));
    }
    cotan::dtype dt_ = dtype::float64;
    std::vector<std::size_t> shape_;
    bits::byte_room room_;
    void* data_ = nullptr;
};

/// An argument of a call: a number; an xtensor container, view, adaptor or expression; a std::vector, std::array or std::span; a C array; a result. It
/// looks at the array and lives no longer than the call.
class argument {
public:
    template <class A>
        requires(!std::is_same_v<A, argument>)
    argument(const A& a) {
        if constexpr (std::is_same_v<A, value>) {
            dt = a.dtype();
            rank = a.rank();
            for (int k = 0; k < rank && k < bits::max_rank; ++k) size[k] = static_cast<std::ptrdiff_t>(a.shape()[static_cast<std::size_t>(k)]);
            rows();
            data = a.bytes();
        } else if constexpr (std::is_arithmetic_v<A>) {
            using T = kept<A>;
            static_assert(sizeof(T) <= sizeof number);
            dt = bits::dtype_of<T>();
            const T v = static_cast<T>(a);
            std::memcpy(number, &v, sizeof v);
        } else if constexpr (bits::xtensor_like<A>) {
            using V = typename A::value_type;
            rank = static_cast<int>(a.dimension());
            if (rank > bits::max_rank) return;
            dt = bits::dtype_of<kept<V>>();
            for (int k = 0; k < rank; ++k) size[k] = static_cast<std::ptrdiff_t>(a.shape()[static_cast<std::size_t>(k)]);
            if constexpr (bits::strided_like<A> && std::is_same_v<kept<V>, V>) {
                data = a.data() + a.data_offset();
                for (int k = 0; k < rank; ++k) stride[k] = static_cast<std::ptrdiff_t>(a.strides()[static_cast<std::size_t>(k)]);
            } else {
                rows();
                own<kept<V>>([&](std::span<const std::size_t> at) { return a.element(at.begin(), at.end()); });
            }
        } else if constexpr (bits::c_array<A>::rank > 0) {
            using V = typename bits::c_array<A>::type;
            rank = bits::c_array<A>::rank;
            dt = bits::dtype_of<kept<V>>();
            [&]<std::size_t... K>(std::index_sequence<K...>) { ((size[K] = static_cast<std::ptrdiff_t>(std::extent_v<A, K>)), ...); }(
                std::make_index_sequence<static_cast<std::size_t>(bits::c_array<A>::rank)>{});
            rows();
            flat(reinterpret_cast<const V*>(&a));
        } else if constexpr (bits::is_bool_vector<A>) {
            rank = 1;
            dt = dtype::boolean;
            size[0] = static_cast<std::ptrdiff_t>(a.size());
            rows();
            own<bool>([&](std::span<const std::size_t> at) { return static_cast<bool>(a[at[0]]); });
        } else {
            static_assert(bits::flat_range<A>, "cotan: an argument is a number, an xtensor container, view or expression, a std::vector, std::array or std::span, a C array, or a result");
            using V = std::remove_cvref_t<decltype(*a.data())>;
            rank = 1;
            dt = bits::dtype_of<kept<V>>();
            size[0] = static_cast<std::ptrdiff_t>(a.size());
            rows();
            flat(a.data());
        }
    }

    cotan::dtype dt = dtype::float64;
    int rank = 0;
    std::ptrdiff_t size[bits::max_rank]{}, stride[bits::max_rank]{};  // in elements
    const void* where() const { return data ? data : rank == 0 && !owned ? number : owned.get(); }

private:
    // element types that the graph does not have are converted to ones that hold them
    template <class V>
    using kept = std::conditional_t<std::is_same_v<V, bool> || std::is_same_v<V, float> || std::is_same_v<V, double> || (std::is_signed_v<V> && std::is_integral_v<V> && sizeof(V) >= 4), V,
                                    std::conditional_t<std::is_floating_point_v<V>, double, std::int64_t>>;
    void rows() {
        std::ptrdiff_t s = 1;
        for (int k = rank - 1; k >= 0; --k) {
            stride[k] = s;
            s *= size[k];
        }
    }
    template <class V>
    void flat(const V* p) {
        if constexpr (std::is_same_v<kept<V>, V>) data = p;
        else {
            std::size_t i = 0;
            own<kept<V>>([&](std::span<const std::size_t>) { return p[i++]; });
        }
    }
    template <class T, class Get>
    void own(Get get) {
        std::size_t n = 1, at[bits::max_rank]{};
        for (int k = 0; k < rank; ++k) n *= static_cast<std::size_t>(size[k]);
        owned = std::shared_ptr<std::byte[]>(new std::byte[n * sizeof(T) + 1]);
        T* to = reinterpret_cast<T*>(owned.get());
        for (std::size_t i = 0; i < n; ++i) {
            to[i] = static_cast<T>(get(std::span<const std::size_t>(at, static_cast<std::size_t>(rank))));
            for (int k = rank - 1; k >= 0; --k) {
                if (++at[k] < static_cast<std::size_t>(size[k])) break;
                at[k] = 0;
            }
        }
    }
    const void* data = nullptr;
    alignas(8) std::byte number[8]{};
    std::shared_ptr<std::byte[]> owned;
};

}  // namespace cotan::dyn
