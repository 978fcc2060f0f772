#pragma once

#include <cotan/core/dtype.hpp>
#include <cotan/core/error.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>
#include <xtensor/xtensor.hpp>
#include <xtensor/xbroadcast.hpp>
#include <xtensor/xbuilder.hpp>

namespace cotan::bits {

/// An argument as a run reads it: the innermost axis is contiguous.
template <class T, int Rank>
struct argument_view {
    const T* data = nullptr;
    std::array<std::ptrdiff_t, Rank == 0 ? 1 : Rank> size{}, stride{};
};

/// Room for an argument that cannot be read where it lies: an expression, another element type, an inner axis that is not contiguous. A prepared
/// run keeps it.
template <class T, int Rank>
struct argument_copy {
    std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>> values;
};

template <class A>
concept xtensor_like = requires(const A& a) {
    a.shape();
    a.dimension();
    typename A::value_type;
};
template <class A>
concept strided_like = xtensor_like<A> && requires(const A& a) {
    a.data();
    a.strides();
    a.data_offset();
};
template <class A>
concept flat_range = !xtensor_like<A> && requires(const A& a) {
    a.data();
    a.size();
};

template <class A> struct c_array { static constexpr int rank = 0; using type = A; };
template <class A, std::size_t N> struct c_array<A[N]> { static constexpr int rank = 1 + c_array<A>::rank; using type = typename c_array<A>::type; };

template <class A> inline constexpr bool is_bool_vector = std::is_same_v<A, std::vector<bool>>;

template <class T, int Rank, class Get>
argument_view<T, Rank> copied(argument_copy<T, Rank>& room, const std::array<std::ptrdiff_t, Rank == 0 ? 1 : Rank>& size, Get get) {
    argument_view<T, Rank> v;
    v.size = size;
    std::ptrdiff_t total = 1;
    for (int k = Rank - 1; k >= 0; --k) {
        v.stride[static_cast<std::size_t>(k)] = total;
        total *= size[static_cast<std::size_t>(k)];
    }
    room.values.resize(static_cast<std::size_t>(total));
    std::array<std::ptrdiff_t, Rank == 0 ? 1 : Rank> at{};
    for (std::ptrdiff_t i = 0; i < total; ++i) {
        room.values[static_cast<std::size_t>(i)] = static_cast<typename decltype(room.values)::value_type>(static_cast<T>(get(at)));
        for (int k = Rank - 1; k >= 0; --k) {
            if (++at[static_cast<std::size_t>(k)] < size[static_cast<std::size_t>(k)]) break;
            at[static_cast<std::size_t>(k)] = 0;
        }
    }
    v.data = reinterpret_cast<const T*>(room.values.data());
    return v;
}

/// The same view. What a function that is not inlined has written into memory would stay there, and be read in other pieces than it was written.
template <class T, int Rank>
[[gnu::always_inline]] inline argument_view<T, Rank> in_registers(const argument_view<T, Rank>& v) {
    argument_view<T, Rank> r;
    r.data = v.data;
    for (std::size_t k = 0; k < v.size.size(); ++k) {
        r.size[k] = v.size[k];
        r.stride[k] = v.stride[k];
    }
    return r;
}

/// A part of an argument that is more than one array: seen as it is.
template <class T, int Rank>
struct argument_part {
    argument_view<T, Rank> view;
};
template <class A> inline constexpr bool is_argument_part = false;
template <class T, int Rank> inline constexpr bool is_argument_part<argument_part<T, Rank>> = true;

/// What an input of rank Rank takes: numbers for scalars; xtensor containers, views, adaptors and expressions; std::vector, std::array, std::span;
/// C arrays. The memory is used as it lies where its last axis is contiguous and its elements have the input's type.
/// `Whole`: all of it must be contiguous.
template <class T, int Rank, bool Whole, class A>
[[gnu::always_inline]] inline argument_view<T, Rank> view_argument(const A& a, argument_copy<T, Rank>& room, const char* name) {
    (void)room;
    (void)name;
    argument_view<T, Rank> v;
    if constexpr (is_argument_part<A>) return a.view;
    else if constexpr (std::is_arithmetic_v<A>) {
        static_assert(Rank == 0, "cotan: an argument is a number, and its input has axes: pass an array");
        static_assert(std::is_same_v<A, T> || std::is_convertible_v<A, T>);
        return in_registers(copied<T, Rank>(room, {1}, [&](const auto&) { return a; }));
    } else if constexpr (xtensor_like<A>) {
        if (static_cast<int>(a.dimension()) != Rank)
            fail<shape_error>("input %s: expected %d axes, got %d", name, Rank, static_cast<int>(a.dimension()));
        for (int k = 0; k < Rank; ++k) v.size[static_cast<std::size_t>(k)] = static_cast<std::ptrdiff_t>(a.shape()[static_cast<std::size_t>(k)]);
        if constexpr (strided_like<A> && std::is_same_v<typename A::value_type, T>) {
            bool contiguous = true;
            for (int k = 0; k < Rank; ++k) v.stride[static_cast<std::size_t>(k)] = static_cast<std::ptrdiff_t>(a.strides()[static_cast<std::size_t>(k)]);
            if constexpr (Rank > 0) contiguous = v.stride[Rank - 1] == 1 || v.size[Rank - 1] <= 1;
            if constexpr (Whole) {
                std::ptrdiff_t s = 1;
                for (int k = Rank - 1; k >= 0; --k) {
                    contiguous = contiguous && (v.size[static_cast<std::size_t>(k)] <= 1 || v.stride[static_cast<std::size_t>(k)] == s);
                    s *= v.size[static_cast<std::size_t>(k)];
                }
            }
            if (contiguous) {
                v.data = a.data() + a.data_offset();
                return v;
            }
        }
        return in_registers(copied<T, Rank>(room, v.size, [&](const auto& at) { return a.element(at.begin(), at.begin() + Rank); }));
    } else if constexpr (c_array<A>::rank > 0) {
        static_assert(c_array<A>::rank == Rank, "cotan: an argument has another number of axes than its input");
        const auto fill = [&]<std::size_t... K>(std::index_sequence<K...>) { ((v.size[K] = static_cast<std::ptrdiff_t>(std::extent_v<A, K>)), ...); };
        fill(std::make_index_sequence<static_cast<std::size_t>(Rank)>{});
        std::ptrdiff_t s = 1;
        for (int k = Rank - 1; k >= 0; --k) {
            v.stride[static_cast<std::size_t>(k)] = s;
            s *= v.size[static_cast<std::size_t>(k)];
        }
        const auto* p = reinterpret_cast<const typename c_array<A>::type*>(&a);
        if constexpr (std::is_same_v<typename c_array<A>::type, T>) {
            v.data = p;
            return v;
        } else
            return in_registers(copied<T, Rank>(room, v.size, [&](const auto& at) {
                std::ptrdiff_t i = 0;
                for (int k = 0; k < Rank; ++k) i += at[static_cast<std::size_t>(k)] * v.stride[static_cast<std::size_t>(k)];
                return p[i];
            }));
    } else if constexpr (is_bool_vector<A>) {
        static_assert(Rank == 1, "cotan: an argument has another number of axes than its input");
        return in_registers(copied<T, Rank>(room, {static_cast<std::ptrdiff_t>(a.size())}, [&](const auto& at) { return a[static_cast<std::size_t>(at[0])]; }));
    } else {
        static_assert(flat_range<A>, "cotan: an argument is a number, an xtensor container, view or expression, a std::vector, std::array or std::span, or a C array");
        static_assert(Rank == 1, "cotan: an argument has another number of axes than its input");
        v.size[0] = static_cast<std::ptrdiff_t>(a.size());
        v.stride[0] = 1;
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*a.data())>, T>) {
            v.data = a.data();
            return v;
        } else return in_registers(copied<T, Rank>(room, v.size, [&](const auto& at) { return a.data()[at[0]]; }));
    }
}

}  // namespace cotan::bits
