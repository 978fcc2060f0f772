#pragma once

/// Sparse Jacobians and Hessians as Eigen::SparseMatrix. Included by who wants it: it needs Eigen (target cotan::eigen).
#include <cotan/diff/structure.hpp>
#include <cotan/run/function.hpp>

#include <Eigen/SparseCore>

#include <array>
#include <vector>

namespace cotan {

namespace bits {

/// The index of an input among a function's, -1: it is none of them.
template <class X, class... I>
consteval int input_index() {
    int at = -1, k = 0;
    ((std::is_same_v<node_of<X>, node_of<I>> ? void(at = k) : void(), ++k), ...);
    return at;
}

template <class Inputs, class Xs> struct sparse_check;
template <class... I, class... X>
struct sparse_check<type_list<I...>, type_list<X...>> {
    using checked = void;
    static_assert(((input_index<X, I...>() >= 0) && ...), "cotan: a sparse Jacobian is by inputs of the function, because its columns are their elements: name them in inputs(...)");
    static_assert((is_real(type_of<X>::dt) && ...), "cotan: a gradient with respect to an integer or bool does not exist: declare the input as float or double");
};

/// One block of rows and columns: y by x. `shape` is x's at run time.
template <class Y, class X>
struct sparse_block {
    using info = sweeps_of<Y, X>;
    static constexpr sweep_plan plan = info::plan;
    static constexpr int rank_x = type_of<X>::rank, rank_y = type_of<Y>::rank;

    /// For each row, the columns and where their values lie among the compressed ones.
    template <class Take>
    static void row(const std::ptrdiff_t* place, std::ptrdiff_t flat, std::ptrdiff_t rows, const std::ptrdiff_t* shape, Take take, int k = 0, std::ptrdiff_t column = 0,
                    std::ptrdiff_t sweep = 0) {
        if constexpr (plan.empty) return;
        else if (k == rank_x) take(column, sweep * rows + flat);
        else {
            const swept_axis& s = plan.axes[k];
            const std::ptrdiff_t n = shape[k];
            if (!s.banded) {
                for (std::ptrdiff_t j = 0; j < n; ++j) row(place, flat, rows, shape, take, k + 1, column * n + j, sweep * n + j);
                return;
            }
            const std::ptrdiff_t from = place[s.axis] + s.lo;
            for (std::ptrdiff_t j = from < 0 ? 0 : from; j < n && j < from + s.width; ++j)
                row(place, flat, rows, shape, take, k + 1, column * n + j, s.width == 1 ? sweep : sweep * s.width + j % s.width);
        }
    }
};

template <class R> const auto* data_of(const R& r) {
    if constexpr (std::is_arithmetic_v<R>) return &r;
    else return r.data();
}

}  // namespace bits

/// A sparse Jacobian as a function of the model's inputs. Which elements can be nonzero is known from the expression; each call makes a few compressed sweeps.
/// The matrix has one row for each element of the results and one column for each element of the inputs it is by, in their orders, row by row. Elements
/// that can be nonzero are stored, also where they happen to be 0.
template <class Inputs, class Ys, class Xs> class sparse_jacobian_function;
template <class... I, class... Y, class... X>
class sparse_jacobian_function<bits::type_list<I...>, bits::type_list<Y...>, bits::type_list<X...>> {
    template <class R> using row_of = pack<typename bits::sweeps_of<R, X>::compressed...>;

public:
    static constexpr std::size_t rows = sizeof...(Y), columns = sizeof...(X);
    static constexpr auto sweep = function(input_list<I...>{}, pack<row_of<Y>...>{});
    /// float where everything is.
    using scalar = std::conditional_t<((type_of<Y>::dt == dtype::float32) && ...), float, double>;
    using matrix = Eigen::SparseMatrix<scalar, Eigen::RowMajor>;

    /// The matrix, new. Throws shape_error where arrays do not fit.
    template <class... A>
    matrix operator()(const A&... a) const {
        run r;
        return r(a...);
    }
    /// A run that keeps its buffers and, while extents stay the same, the matrix's pattern.
    class run {
    public:
        template <class... A>
        const matrix& operator()(const A&... a) {
            static_assert(sizeof...(A) == sizeof...(I), "cotan: a function takes one argument for each of its inputs(...), in their order");
            decltype(auto) results = sweep_(a...);
            shapes now{};
            const auto note = [&]<std::size_t K>(std::integral_constant<std::size_t, K>, const auto& v) {
                using node = std::tuple_element_t<K, std::tuple<node_of<I>...>>;
                using T = bits::scalar_t<node::type::dt>;
                bits::argument_copy<T, node::type::rank> room;
                const auto seen = bits::view_argument<T, node::type::rank, false>(v, room, node::name.chars);
                for (std::size_t k = 0; k < static_cast<std::size_t>(node::type::rank); ++k) now[K][k] = seen.size[k];
            };
            [&]<std::size_t... K>(std::index_sequence<K...>) { (note(std::integral_constant<std::size_t, K>{}, a), ...); }(std::make_index_sequence<sizeof...(I)>{});
            if (!known_ || now != shapes_) pattern(now, results);
            scalar* out = matrix_.valuePtr();
            for (std::size_t b = 0; b < rows * columns; ++b) fill(b, out, results);
            return matrix_;
        }

    private:
        using shapes = std::array<std::array<std::ptrdiff_t, bits::max_rank>, sizeof...(I)>;
        decltype(sweep.prepare()) sweep_ = sweep.prepare();
        matrix matrix_;
        bool known_ = false;
        shapes shapes_{};
        struct entry {
            int to;
            int from;
        };
        std::array<std::vector<entry>, rows * columns> moves_;  // by block: compressed values to values of the matrix

        template <std::size_t B, class R>
        static const auto& result(const R& r) {
            if constexpr (rows * columns == 1) return r;
            else return std::get<B>(r);
        }
        template <class R>
        void fill(std::size_t block, scalar* out, const R& results) const {
            const auto one = [&]<std::size_t B>(std::integral_constant<std::size_t, B>) {
                if (B != block) return;
                const auto* v = bits::data_of(result<B>(results));
                for (const entry& e : moves_[B]) out[e.to] = static_cast<scalar>(v[e.from]);
            };
            [&]<std::size_t... B>(std::index_sequence<B...>) { (one(std::integral_constant<std::size_t, B>{}), ...); }(std::make_index_sequence<rows * columns>{});
        }

        /// The number of elements of y, from what its first block gave: the axes after those of the sweeps.
        template <class R1, class X1, class R>
        static void shape_of_rows(const R& r, std::array<std::ptrdiff_t, bits::max_rank>& shape) {
            constexpr int rank = type_of<R1>::rank;
            if constexpr (rank > 0) {
                const int lead = static_cast<int>(r.dimension()) - rank;
                for (int k = 0; k < rank; ++k) shape[static_cast<std::size_t>(k)] = static_cast<std::ptrdiff_t>(r.shape()[static_cast<std::size_t>(lead + k)]);
            }
        }
        template <class R>
        void pattern(const shapes& now, const R& results) {
            std::array<std::ptrdiff_t, columns> size_of{}, offset{};
            std::ptrdiff_t width = 0;
            std::size_t c = 0;
            const auto column = [&]<class V>(std::type_identity<V>) {
                std::ptrdiff_t n = 1;
                for (int k = 0; k < type_of<V>::rank; ++k) n *= now[static_cast<std::size_t>(bits::input_index<V, I...>())][static_cast<std::size_t>(k)];
                offset[c] = width;
                size_of[c++] = n;
                width += n;
            };
            (column(std::type_identity<X>{}), ...);

            std::vector<typename matrix::StorageIndex> outer{0}, inner;
            for (auto& m : moves_) m.clear();
            const auto each_row = [&]<std::size_t Q, class W>(std::integral_constant<std::size_t, Q>, std::type_identity<W>) {
                std::array<std::ptrdiff_t, bits::max_rank> shape{};
                shape_of_rows<W, void>(result<Q * columns>(results), shape);
                constexpr int rank = type_of<W>::rank;
                std::ptrdiff_t count = 1;
                for (int k = 0; k < rank; ++k) count *= shape[static_cast<std::size_t>(k)];
                std::ptrdiff_t place[bits::max_rank]{};
                for (std::ptrdiff_t i = 0; i < count; ++i) {
                    std::ptrdiff_t rest = i;
                    for (int k = rank - 1; k >= 0; --k) {
                        place[k] = rest % shape[static_cast<std::size_t>(k)];
                        rest /= shape[static_cast<std::size_t>(k)];
                    }
                    std::size_t b = 0;
                    const auto each_block = [&]<class V>(std::type_identity<V>) {
                        bits::sparse_block<W, V>::row(place, i, count, now[static_cast<std::size_t>(bits::input_index<V, I...>())].data(), [&](std::ptrdiff_t at, std::ptrdiff_t from) {
                            moves_[Q * columns + b].push_back({static_cast<int>(inner.size()), static_cast<int>(from)});
                            inner.push_back(static_cast<typename matrix::StorageIndex>(offset[b] + at));
                        });
                        ++b;
                    };
                    (each_block(std::type_identity<X>{}), ...);
                    outer.push_back(static_cast<typename matrix::StorageIndex>(inner.size()));
                }
            };
            [&]<std::size_t... Q>(std::index_sequence<Q...>) { (each_row(std::integral_constant<std::size_t, Q>{}, std::type_identity<Y>{}), ...); }(std::make_index_sequence<rows>{});

            std::vector<scalar> values(inner.size());
            matrix_ = Eigen::Map<const matrix>(static_cast<Eigen::Index>(outer.size()) - 1, width, static_cast<Eigen::Index>(inner.size()), outer.data(), inner.data(), values.data());
            shapes_ = now;
            known_ = true;
        }
    };
    run prepare() const { return {}; }
    /// How many sweeps the compressed Jacobian of the first result by the first input takes where its extents are fixed or banded; each dense axis with a
    /// named extent counts as one.
    static constexpr int sweeps() {
        int n = 1;
        using first = bits::sweeps_of<std::tuple_element_t<0, std::tuple<Y...>>, std::tuple_element_t<0, std::tuple<X...>>>;
        bits::graph g;
        const int t = type_of<std::tuple_element_t<0, std::tuple<X...>>>::lower(g);
        for (int k = 0; k < first::plan.rank; ++k) {
            const bits::extent_data& e = g.extents[g.types[t].ext[k]];
            n *= first::plan.axes[k].banded ? first::plan.axes[k].width : e.kind == bits::extent_kind::fixed ? static_cast<int>(e.value) : 1;
        }
        return n;
    }
};

/// The Jacobian of y (or outputs(...) of several: rows below each other) by inputs x (or wrt(...): columns beside each other) as a function of the inputs
/// that gives an Eigen::SparseMatrix. Its pattern follows from the expression: elementwise operations, broadcasts, slices and transpositions keep apart what
/// they do not mix, and what is kept apart shares sweeps.
template <class... I, bits::target Y, bits::target X>
constexpr auto sparse_jacobian(input_list<I...>, Y, X) {
    static_assert(std::is_void_v<typename bits::sparse_check<bits::type_list<I...>, bits::leaves_of<X>>::checked>);
    return sparse_jacobian_function<bits::type_list<I...>, bits::leaves_of<Y>, bits::leaves_of<X>>{};
}
/// The Hessian of a scalar by inputs, likewise.
template <class... I, expression E, bits::target X>
constexpr auto sparse_hessian(input_list<I...> in, E e, X x) {
    return cotan::sparse_jacobian(in, cotan::grad(e, x), x);
}

}  // namespace cotan
