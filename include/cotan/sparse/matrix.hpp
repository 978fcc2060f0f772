#pragma once

#include <cotan/sparse/conversion.hpp>
#include <cotan/sparse/op.hpp>

#include <Eigen/SparseCore>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace cotan {

namespace sparse {

/// How a sparse matrix is given: rows first, columns first, or as coordinates.
enum class format { csr, csc, coo };
inline constexpr format csr = format::csr, csc = format::csc, coo = format::coo;

/// A matrix as coordinates: the argument for an input that is declared coo. Elements at the same place are added up.
template <class T>
struct coordinates {
    std::ptrdiff_t rows = 0, columns = 0;
    std::vector<Eigen::Triplet<T>> elements;
};

}  // namespace sparse

namespace bits {

/// The name of the axis of row beginnings, one longer than the rows: a name that no user gives to an extent.
template <fixed_string Name>
consteval auto begins_name() {
    char text[sizeof(Name.chars) + 1]{};
    for (std::size_t i = 0; i + 1 < sizeof(Name.chars); ++i) text[i] = Name.chars[i];
    text[sizeof(Name.chars) - 1] = '|';
    return fixed_string<sizeof(Name.chars) + 1>(text);
}

/// A sparse matrix among a function's inputs: where its elements stand. M and N are its extents, as types.
template <sparse::format Format, class T, fixed_string Name, class M, class N>
struct sparse_pattern {
    struct stored : ty<dtype_of<T>(), M, ragged_extent<Name>> {
        using outside = Eigen::SparseMatrix<T, Eigen::RowMajor>;
        static constexpr bool pattern = true;
        using input = input_node<Name, stored>;
        /// A result: the pattern is copied from the argument where it is not the same already, the elements are computed into it.
        static T* prepare(outside& r, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t count, const void* begin, const void* places) {
            if (r.rows() != rows || r.cols() != columns || r.nonZeros() != count || !r.isCompressed()) {
                r.resize(rows, columns);
                r.resizeNonZeros(count);
            }
            const auto* b = static_cast<const std::int32_t*>(begin);
            const auto* p = static_cast<const std::int32_t*>(places);
            // the same pattern as in the last call, as a rule: to look is cheaper than to write
            if (!std::equal(b, b + rows + 1, r.outerIndexPtr())) std::copy(b, b + rows + 1, r.outerIndexPtr());
            if (count > 0 && std::memcmp(p, r.innerIndexPtr(), static_cast<std::size_t>(count) * sizeof *p) != 0) std::copy(p, p + count, r.innerIndexPtr());
            return r.valuePtr();
        }
    };
    using elements = input_node<Name, stored>;
    using columns = input_node<Name, ty<dtype::int32, M, ragged_extent<Name>>>;
    using begins = input_node<Name, ty<dtype::int32, N, named_extent<begins_name<Name>()>>>;  // its first axis only says how many columns there are
    using scalar = T;
    using row_extent = M;
    using column_extent = N;
    static constexpr auto format = Format;
    static constexpr auto name = Name;
};

/// Stored elements at the places of a pattern, or the transpose of that.
template <class P, class V, bool Transposed = false>
struct sparse_expression {
    using pattern = P;
    static constexpr bool transposed = Transposed;
    static constexpr V elements{};
    static constexpr handle<typename P::columns> columns{};
    using rows_type = std::conditional_t<Transposed, typename P::column_extent, typename P::row_extent>;
    using columns_type = std::conditional_t<Transposed, typename P::row_extent, typename P::column_extent>;
};
template <class P>
struct sparse_input : sparse_expression<P, handle<typename P::elements>> {
    using cotan_inputs = type_list<typename P::elements, typename P::columns, typename P::begins>;
};

template <class E> inline constexpr bool is_sparse = requires { typename E::pattern; E::transposed; };
template <class E>
concept sparse_operand = is_sparse<E>;

template <class P, class V, bool T> struct flat<sparse_expression<P, V, T>> {
    static_assert(!T, "cotan: a transposed sparse matrix is not a result: ask for the matrix itself, and transpose what comes back");
    using type = type_list<node<broadcast_, params<>, typename P::stored, node_of<V>>>;
};
template <class P> struct flat<sparse_input<P>> : flat<sparse_expression<P, handle<typename P::elements>>> {};

template <sparse::format F> inline const char* name_of_format() { return F == sparse::csr ? "csr" : F == sparse::csc ? "csc" : "coo"; }

/// An argument for a sparse input as arrays: a row-major matrix of Eigen's as it lies, others converted.
template <class P, class A>
struct argument_arrays<sparse_input<P>, A> {
    using T = typename P::scalar;
    using rows_first = Eigen::SparseMatrix<T, Eigen::RowMajor>;
    std::unique_ptr<rows_first> own;
    std::ptrdiff_t rows = 0, columns = 0, count = 0;
    const T* values = nullptr;
    const std::int32_t *places = nullptr, *begins = nullptr;

    template <class Matrix>
    void see(const Matrix& m) {
        rows = m.rows();
        columns = m.cols();
        count = m.nonZeros();
        values = m.valuePtr();
        places = m.innerIndexPtr();
        begins = m.outerIndexPtr();
    }
    static void note(const char* from) { conversion_log::get().note({P::name.chars, from, "csr"}); }
    explicit argument_arrays(const A& a) {
        if constexpr (std::is_same_v<A, sparse::coordinates<T>>) {
            note("coo");
            own = std::make_unique<rows_first>(a.rows, a.columns);
            own->setFromTriplets(a.elements.begin(), a.elements.end());
            see(*own);
        } else {
            static_assert(std::is_base_of_v<Eigen::SparseCompressedBase<A>, A>,
                          "cotan: the argument for a sparse input is an Eigen::SparseMatrix (or a Map of one), or sparse::coordinates");
            static_assert(std::is_same_v<typename A::Scalar, T>, "cotan: a sparse argument has another element type than its input");
            if constexpr (A::IsRowMajor && std::is_same_v<typename A::StorageIndex, std::int32_t>) {
                if (a.isCompressed()) {
                    see(a);
                    return;
                }
                note("csr that is not compressed");
            } else note(A::IsRowMajor ? "csr with other indices" : "csc");
            own = std::make_unique<rows_first>(a);
            own->makeCompressed();
            see(*own);
        }
    }
    auto all() const {
        argument_part<T, 2> v;
        v.view.data = values;
        v.view.size = {rows, count};
        v.view.stride = {1, 1};
        argument_part<std::int32_t, 2> p, b;
        p.view.data = places;
        p.view.size = {rows, count};
        p.view.stride = {1, 1};
        b.view.data = begins;
        b.view.size = {columns, rows + 1};
        b.view.stride = {0, 1};
        return std::tuple(v, p, b);
    }
};

template <class A, class B>
consteval bool same_extent() {
    graph g;
    return A::lower(g) == B::lower(g);
}
template <class Ty, int K> struct extent_at;
template <dtype D, class... E, int K> struct extent_at<ty<D, E...>, K> { using type = std::tuple_element_t<static_cast<std::size_t>(K), std::tuple<E...>>; };
template <class E> struct plain_type;
template <dtype D, class... E> consteval ty<D, E...> plain(ty<D, E...>) { return {}; }
template <class E, int K> using extent_of = typename extent_at<decltype(bits::plain(type_of<E>{})), K>::type;

template <class S, class X>
struct sparse_product_check {
    using checked = void;
    static constexpr int rank = type_of<X>::rank;
    static_assert(rank == 1 || rank == 2, "cotan: a sparse matrix is multiplied by vectors and matrices: use * for a scalar");
    static constexpr bool fits = [] {
        if constexpr (rank == 1 || rank == 2) return same_extent<typename S::columns_type, extent_of<X, 0>>();
        else return true;
    }();
    static_assert(fits, "cotan: dot sums over the last extent of its first operand and the first (of a matrix: last but one) extent of its second, and these extents differ: give "
                        "them one name, or transpose an operand");
};

template <class Ty, class V, class I, int Axis, int Aligned> using scattered = handle<node<sparse_scatter_, params<Axis, Aligned>, Ty, node_of<V>, node_of<I>>>;

/// S x for a vector or a matrix x.
template <class S, class X>
constexpr auto sparse_product(S s, X x) {
    constexpr auto v = S::elements;
    constexpr auto at = S::columns;
    using P = typename S::pattern;
    using N = typename P::column_extent;
    if constexpr (!S::transposed) {
        const auto g = apply<sparse_gather_, 0, 0>(x, at);
        if constexpr (type_of<X>::rank == 1) return sum(v * g, axis<1>);
        else return sum(v(all, all, newaxis) * g, axis<1>);
    } else if constexpr (type_of<X>::rank == 1) {
        const auto product = v * x(all, newaxis);
        using T = decltype(product);
        return scattered<ty<type_of<T>::dt, N>, T, decltype(at), 0, 0>{};
    } else {
        const auto product = v(all, all, newaxis) * x(all, newaxis, all);
        using T = decltype(product);
        return scattered<ty<type_of<T>::dt, N, extent_of<X, 1>>, T, decltype(at), 0, 0>{};
    }
    (void)s;
}

template <class P, bool T, class V>
constexpr auto with_elements(V) { return sparse_expression<P, V, T>{}; }

template <class A, class B>
struct same_pattern {
    using checked = void;
    static_assert(std::is_same_v<typename A::pattern, typename B::pattern> && A::transposed == B::transposed,
                  "cotan: two sparse matrices are added, subtracted and multiplied element by element where they have one pattern, that of the same input: use todense for others");
};

}  // namespace bits

namespace sparse {

/// A sparse matrix among a function's inputs: its format, its element type, its name and its extents. Its argument is an Eigen::SparseMatrix (or a Map); rows
/// first it is used as it lies, and other formats are converted at the call, see on_conversion. Gradients have its pattern.
template <format Format, class T, fixed_string Name, bits::extent_arg M, bits::extent_arg N>
inline constexpr bits::sparse_input<bits::sparse_pattern<Format, T, Name, typename bits::extent_of_arg<M>::type, typename bits::extent_of_arg<N>::type>> matrix{};

/// f of the stored elements only: places that hold nothing stay empty, whatever f makes of a zero. For f of all elements, write f(todense(S)).
template <bits::sparse_operand S, class F>
constexpr auto structured(S, F f) {
    const auto v = f(S::elements);
    return bits::with_elements<typename S::pattern, S::transposed>(v);
}
/// The stored elements times those of a dense matrix at their places.
template <bits::sparse_operand S, expression D>
    requires(!S::transposed)
constexpr auto multiply(S, D d) {
    return bits::with_elements<typename S::pattern, false>(S::elements * bits::apply<bits::sparse_gather_, 1, 1>(d, S::columns));
}
/// Each row times its element of a vector.
template <bits::sparse_operand S, expression W>
    requires(!S::transposed)
constexpr auto scale_rows(S, W w) { return bits::with_elements<typename S::pattern, false>(S::elements * w(all, newaxis)); }
/// Each column times its element of a vector.
template <bits::sparse_operand S, expression W>
    requires(!S::transposed)
constexpr auto scale_columns(S, W w) { return bits::with_elements<typename S::pattern, false>(S::elements * bits::apply<bits::sparse_gather_, 0, 0>(w, S::columns)); }

}  // namespace sparse

/// The matrix with all its zeros.
template <bits::sparse_operand S>
constexpr auto todense(S) {
    using P = typename S::pattern;
    using V = std::remove_const_t<decltype(S::elements)>;
    using D = bits::scattered<bits::ty<type_of<V>::dt, typename P::row_extent, typename P::column_extent>, V, bits::handle<typename P::columns>, 1, 1>;
    if constexpr (S::transposed) return transpose(D{});
    else return D{};
}
template <bits::sparse_operand S>
constexpr auto transpose(S) { return bits::sparse_expression<typename S::pattern, std::remove_const_t<decltype(S::elements)>, !S::transposed>{}; }

/// A sparse matrix times a vector or a dense matrix.
template <bits::sparse_operand S, expression X>
constexpr auto dot(S s, X x) {
    static_assert(std::is_void_v<typename bits::sparse_product_check<S, X>::checked>);
    if constexpr (bits::sparse_product_check<S, X>::fits) return bits::sparse_product(s, x);
    else return x;
}
/// A vector or a dense matrix times a sparse matrix.
template <expression X, bits::sparse_operand S>
constexpr auto dot(X x, S s) {
    if constexpr (type_of<X>::rank == 2) return transpose(cotan::dot(transpose(s), transpose(x)));
    else return cotan::dot(transpose(s), x);
}
/// A sparse matrix times a sparse matrix, as a dense one.
template <bits::sparse_operand A, bits::sparse_operand B>
constexpr auto dot(A a, B b) { return cotan::dot(a, todense(b)); }

/// The sum of the elements, or over axis<0> or axis<1>.
template <bits::sparse_operand S> constexpr auto sum(S) { return sum(S::elements); }
template <bits::sparse_operand S, int K>
constexpr auto sum(S, axis_t<K>) {
    static_assert(K >= -2 && K < 2, "cotan: no such axis: axis<...> counts from 0, or from the end with negative numbers, within the operand's rank");
    using P = typename S::pattern;
    using V = std::remove_const_t<decltype(S::elements)>;
    if constexpr (((K + 2) % 2 == 1) != S::transposed) return sum(S::elements, axis<1>);
    else return bits::scattered<bits::ty<type_of<V>::dt, typename P::column_extent>, V, bits::handle<typename P::columns>, 0, 0>{};
}

template <bits::sparse_operand S, expression X>
    requires(type_of<X>::rank == 0)
constexpr auto operator*(S, X x) { return bits::with_elements<typename S::pattern, S::transposed>(S::elements * x); }
template <expression X, bits::sparse_operand S>
    requires(type_of<X>::rank == 0)
constexpr auto operator*(X x, S) { return bits::with_elements<typename S::pattern, S::transposed>(x * S::elements); }
template <bits::sparse_operand S> constexpr auto operator-(S) { return bits::with_elements<typename S::pattern, S::transposed>(-S::elements); }
#define COTAN_SPARSE_OPERATOR(op)                                                                                                        \
    template <bits::sparse_operand A, bits::sparse_operand B>                                                                            \
    constexpr auto operator op(A, B) {                                                                                                   \
        static_assert(std::is_void_v<typename bits::same_pattern<A, B>::checked>);                                                       \
        if constexpr (std::is_same_v<typename A::pattern, typename B::pattern>) return bits::with_elements<typename A::pattern, A::transposed>(A::elements op B::elements); \
        else return A{};                                                                                                                 \
    }
COTAN_SPARSE_OPERATOR(+)
COTAN_SPARSE_OPERATOR(-)
COTAN_SPARSE_OPERATOR(*)
#undef COTAN_SPARSE_OPERATOR

/// The gradient by a sparse matrix: a sparse matrix with its pattern.
template <expression Y, class P>
constexpr auto grad(Y y, bits::sparse_input<P>) { return cotan::grad(y, bits::handle<typename P::elements>{}); }
template <expression Y, class P>
constexpr auto value_and_grad(Y y, bits::sparse_input<P> s) { return pack<Y, decltype(cotan::grad(y, s))>{}; }
namespace bits {
template <class X> struct wrt_item { using type = X; };
template <class P> struct wrt_item<sparse_input<P>> { using type = handle<typename P::elements>; };
}  // namespace bits
/// Names what is differentiated by, sparse matrices among it.
template <class... X>
    requires(bits::compound_input<X> || ...)
constexpr auto wrt(X...) { return bits::wrt_t<typename bits::wrt_item<X>::type...>{}; }

}  // namespace cotan
