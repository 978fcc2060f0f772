#pragma once

#include <cotan/diff/own_rule.hpp>
#include <cotan/run/function.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>

namespace cotan {

/// What verify_derivatives found: how far the library's derivatives are from finite differences, and where most.
struct derivative_report {
    /// Largest relative differences: the gradient (reverse mode), the directional derivative (forward mode), the Hessian times a direction.
    double reverse = 0, forward = 0, second = 0;
    /// Orders at which the remainders of the Taylor polynomials of order 1 and 2 vanish: 2 and 3 where gradient and Hessian are right and the function is
    /// smooth. Infinite where a remainder is nothing but rounding.
    double first_slope = std::numeric_limits<double>::infinity(), second_slope = std::numeric_limits<double>::infinity();
    /// The largest of the differences, and where it is; where the gradient is wrong already, the largest in that.
    double worst = 0;
    std::string mode, input;
    std::vector<std::size_t> element;
    double derivative = 0, difference = 0;  // what the library and what finite differences say there

    /// In words.
    std::string text() const {
        std::ostringstream s;
        s.precision(17);
        s << "largest relative difference " << worst;
        if (!input.empty()) {
            s << " in " << mode << ", input " << input;
            for (std::size_t k = 0; k < element.size(); ++k) s << (k ? ", " : "[") << element[k];
            if (!element.empty()) s << "]";
        } else if (!mode.empty()) s << " in " << mode;
        s << ": derivative " << derivative << ", finite difference " << difference;
        s << "\nreverse mode " << reverse << ", forward mode " << forward << ", second order " << second << "\nTaylor slopes " << first_slope << " (2), " << second_slope << " (3)";
        return s.str();
    }
};

namespace bits {

/// A name that no input of the user's has: the tangent of an input.
template <fixed_string Name> struct tangent_name {
    static constexpr char chars(int i) { return i + 1 < static_cast<int>(sizeof(Name.chars)) ? Name.chars[i] : '\''; }
    static constexpr auto value = string_from<tangent_name>(std::make_index_sequence<sizeof(Name.chars)>{});
};
template <class N> struct tangent_input;
template <fixed_string Name, class Ty> struct tangent_input<input_node<Name, Ty>> { using type = input_node<tangent_name<Name>::value, Ty>; };

template <class In> struct real_inputs;
template <class... In> struct real_inputs<type_list<In...>> {
    template <class N> using one = std::conditional_t<is_real(N::type::dt), type_list<N>, type_list<>>;
    using type = typename joined_lists<one<In>...>::type;
};

template <class In, class Real, class Out> struct derivatives_of;
template <class... In, class... X, class... Y>
struct derivatives_of<type_list<In...>, type_list<X...>, type_list<Y...>> {
    static constexpr bool scalar = sizeof...(Y) == 1 && ((Y::type::rank == 0 && is_real(Y::type::dt)) && ...), has_inputs = sizeof...(X) > 0;
    static constexpr bool ok = scalar && has_inputs;
    template <class F>
    static constexpr auto gradient(const F& f) {
        if constexpr (ok) return cotan::function(input_list<handle<In>...>{}, typename over<gradient_at<handle<Y>...>, wrt_t<handle<X>...>>::type{});
        else return f;
    }
    template <class F>
    static constexpr auto along(const F& f) {
        if constexpr (ok) {
            using direction = pushforward_along<type_list<handle<X>...>, type_list<handle<typename tangent_input<X>::type>...>>;
            using by = typename over<gradient_at<handle<Y>...>, wrt_t<handle<X>...>>::type;
            return cotan::function(input_list<handle<In>..., handle<typename tangent_input<X>::type>...>{},
                                   pack<typename over<direction, handle<Y>>::type..., typename over<direction, by>::type>{});
        } else return f;
    }
};

template <class Parts>
struct verify_check {
    using checked = void;
    static_assert(Parts::scalar, "cotan: derivatives are verified of a function with one scalar result of type float or double: write sum(y * w) with weights of your own");
    static_assert(Parts::has_inputs, "cotan: derivatives are verified by inputs of type float or double, and this function has none");
};

/// Numbers between -1 and 1: SplitMix64 (Steele, Lea and Flood 2014). <random> would cost every program that includes this more than all of it.
class directions {
public:
    double operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
    }

private:
    std::uint64_t state_ = 1;
};

/// An argument as an array of its own.
template <class N> using own_argument = std::conditional_t<N::type::rank == 0, scalar_t<N::type::dt>, xt::xtensor<scalar_t<N::type::dt>, static_cast<std::size_t>(N::type::rank)>>;

template <class N, class A>
own_argument<N> own_copy(const A& a) {
    using T = scalar_t<N::type::dt>;
    constexpr int rank = N::type::rank;
    argument_copy<T, rank> room;
    const argument_view<T, rank> v = view_argument<T, rank, true>(a, room, N::name.chars);
    if constexpr (rank == 0) return *v.data;
    else {
        std::array<std::size_t, static_cast<std::size_t>(rank)> shape;
        for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = static_cast<std::size_t>(v.size[k]);
        own_argument<N> r(shape);
        std::copy(v.data, v.data + r.size(), r.data());
        return r;
    }
}
template <class A> std::size_t count_of(const A& a) {
    if constexpr (std::is_arithmetic_v<A>) return 1;
    else return a.size();
}
template <class A> auto& element_of(A& a, std::size_t i) {
    if constexpr (std::is_arithmetic_v<std::remove_const_t<A>>) return a;
    else return a.data()[i];
}
template <class A> std::vector<std::size_t> place_of_element(const A& a, std::size_t i) {
    std::vector<std::size_t> r;
    if constexpr (!std::is_arithmetic_v<A>) {
        r.resize(a.dimension());
        for (std::size_t k = r.size(); k-- > 0; i /= a.shape()[k]) r[k] = i % a.shape()[k];
    }
    return r;
}

/// The work of verify_grad: f, its derivatives, and a copy of the arguments that finite differences move.
template <class F, class In>
struct verifier;
template <class F, class... In>
struct verifier<F, type_list<In...>> {
    using lists = type_list<In...>;
    using parts = derivatives_of<lists, typename real_inputs<lists>::type, typename F::F::Out>;
    using arguments = std::tuple<own_argument<In>...>;
    static constexpr std::size_t count = sizeof...(In);
    static constexpr bool real[] = {is_real(In::type::dt)...};
    static constexpr const char* names[] = {In::name.chars...};
    static constexpr bool single = ((In::type::dt == dtype::float32) || ...);
    static constexpr double epsilon = single ? 1.1920928955078125e-07 : 2.220446049250313e-16;

    compiled_function<F> f;
    arguments x;

    template <class... A>
    explicit verifier(const compiled_function<F>& f_, const A&... a) : f(f_), x(own_copy<In>(a)...) {}

    double value(const arguments& at) const {
        return static_cast<double>(std::apply([&](const auto&... a) { return f(a...); }, at));
    }
    /// What was asked of one real input after the other, in a tuple (or alone), element by element, with the input's index.
    template <class R, class G>
    static void each_result(const R& results, std::size_t skip, G g) {
        std::size_t k = skip;
        const auto take = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            if constexpr (real[I]) {
                const std::size_t at = k++;
                std::size_t n = 0;
                const auto look = [&]<std::size_t J>(std::integral_constant<std::size_t, J>, const auto& r) {
                    if (n++ == at) g(std::integral_constant<std::size_t, I>{}, r);
                };
                if constexpr (requires { std::tuple_size<R>::value; } && !requires { results.dimension(); })
                    [&]<std::size_t... J>(std::index_sequence<J...>) {
                        (look(std::integral_constant<std::size_t, J>{}, std::get<J>(results)), ...);
                    }(std::make_index_sequence<std::tuple_size_v<R>>{});
                else look(std::integral_constant<std::size_t, 0>{}, results);
            }
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) { (take(std::integral_constant<std::size_t, I>{}), ...); }(std::make_index_sequence<count>{});
    }
    /// The gradient as numbers, input after input (nothing for integer inputs).
    std::array<std::vector<double>, count> gradient(const arguments& at) const {
        std::array<std::vector<double>, count> g;
        const auto made = parts::gradient(f);
        const auto results = std::apply([&](const auto&... a) { return made(a...); }, at);
        each_result(results, 0, [&]<std::size_t I>(std::integral_constant<std::size_t, I>, const auto& r) {
            for (std::size_t e = 0; e < count_of(r); ++e) g[I].push_back(static_cast<double>(element_of(r, e)));
        });
        return g;
    }
    template <class G> static void each_real(arguments& a, G g) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            const auto one = [&]<std::size_t K>(std::integral_constant<std::size_t, K> k) {
                if constexpr (real[K]) g(k, std::get<K>(a));
            };
            (one(std::integral_constant<std::size_t, I>{}), ...);
        }(std::make_index_sequence<count>{});
    }
    using direction = std::array<std::vector<double>, count>;

    /// A random direction, each input's part as large as the input.
    direction random_direction(directions& random) {
        direction d;
        each_real(x, [&]<std::size_t I>(std::integral_constant<std::size_t, I>, auto& a) {
            const double size = size_of_input(a);
            for (std::size_t e = 0; e < count_of(a); ++e) d[I].push_back(size * random());
        });
        return d;
    }
    template <class A> static double size_of_input(A& a) {
        double squares = 0;
        for (std::size_t e = 0; e < count_of(a); ++e) squares += static_cast<double>(element_of(a, e)) * static_cast<double>(element_of(a, e));
        const double r = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, count_of(a))));
        return r > 0 && std::isfinite(r) ? r : 1;
    }
    arguments moved(const direction& d, double h) {
        arguments a = x;
        each_real(a, [&]<std::size_t I>(std::integral_constant<std::size_t, I>, auto& v) {
            using T = std::remove_reference_t<decltype(element_of(v, 0))>;
            for (std::size_t e = 0; e < count_of(v); ++e) element_of(v, e) = static_cast<T>(static_cast<double>(element_of(v, e)) + h * d[I][e]);
        });
        return a;
    }
    /// The step for an input (a factor of its size): the one for which differences at h and at h / 2 agree best along a direction.
    double step_along(const direction& d) {
        double best = 0, least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < 4; ++k) {
            const double h = std::cbrt(epsilon) * std::pow(0.125, k - 2);
            const double wide = (value(moved(d, h)) - value(moved(d, -h))) / (2 * h), narrow = (value(moved(d, h / 2)) - value(moved(d, -h / 2))) / h;
            const double distance = std::fabs(wide - narrow) + epsilon * std::fabs(narrow);
            if (distance < least) {
                least = distance;
                best = h;
            }
        }
        return best > 0 ? best : std::cbrt(epsilon);
    }

    void gradient_against_differences(derivative_report& r, directions& random) {
        const auto g = gradient(x);
        const double size = std::fabs(value(x));
        each_real(x, [&]<std::size_t I>(std::integral_constant<std::size_t, I>, auto& a) {
            direction d;
            each_real(x, [&]<std::size_t J>(std::integral_constant<std::size_t, J>, auto& b) { d[J].assign(count_of(b), 0.0); });
            const double scale = size_of_input(a);
            for (double& v : d[I]) v = scale * random();
            const double h = step_along(d) * scale;
            double largest = 0;
            for (double v : g[I]) largest = std::max(largest, std::fabs(v));
            for (std::size_t e = 0; e < count_of(a); ++e) {
                arguments up = x, down = x;
                using T = std::remove_reference_t<decltype(element_of(a, e))>;
                const double at = static_cast<double>(element_of(a, e));
                element_of(std::get<I>(up), e) = static_cast<T>(at + h);
                element_of(std::get<I>(down), e) = static_cast<T>(at - h);
                const double width = static_cast<double>(element_of(std::get<I>(up), e)) - static_cast<double>(element_of(std::get<I>(down), e));
                const double numeric = (value(up) - value(down)) / width, own = g[I][e];
                // a difference that is only the rounding of f is no difference
                const double whole = std::max({std::fabs(own), std::fabs(numeric), 1e-3 * largest, 1e7 * epsilon * epsilon_of_sum() * size / h});
                note(r, r.reverse, "reverse mode", names[I], place_of_element(a, e), own, numeric, whole);
            }
        });
    }
    static constexpr double epsilon_of_sum() { return single ? 1e-6 : 1; }

    static void note(derivative_report& r, double& in_mode, const char* mode, const char* input, std::vector<std::size_t> element, double own, double numeric, double whole) {
        double d = own == numeric ? 0 : std::fabs(own - numeric) / whole;
        if (!(d <= std::numeric_limits<double>::max())) d = std::isnan(own) && std::isnan(numeric) ? 0 : std::numeric_limits<double>::infinity();
        in_mode = std::max(in_mode, d);
        if (d > r.worst || r.mode.empty()) {
            r.worst = std::max(r.worst, d);
            r.mode = mode;
            r.input = input;
            r.element = std::move(element);
            r.derivative = own;
            r.difference = numeric;
        }
    }

    /// Forward mode, second order and Taylor remainders along one random direction.
    void along_a_direction(derivative_report& r, directions& random) {
        const direction d = random_direction(random);
        const auto g = gradient(x);
        arguments t = x;
        each_real(t, [&]<std::size_t I>(std::integral_constant<std::size_t, I>, auto& v) {
            using T = std::remove_reference_t<decltype(element_of(v, 0))>;
            for (std::size_t e = 0; e < count_of(v); ++e) element_of(v, e) = static_cast<T>(d[I][e]);
        });
        const auto made = parts::along(f);
        const auto tangents = [&]<std::size_t... I>(std::index_sequence<I...>) {
            const auto one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
                if constexpr (real[K]) return std::tuple<const own_argument<std::tuple_element_t<K, std::tuple<In...>>>&>(std::get<K>(t));
                else return std::tuple<>();
            };
            return std::tuple_cat(one(std::integral_constant<std::size_t, I>{})...);
        }(std::make_index_sequence<count>{});
        const auto results = std::apply([&](const auto&... a) { return std::apply([&](const auto&... b) { return made(a..., b...); }, tangents); }, x);
        const double slope = static_cast<double>(std::get<0>(results)), h = step_along(d), size = std::fabs(value(x));
        double inner = 0, whole = 0;
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t e = 0; e < g[i].size(); ++e) {
                inner += g[i][e] * d[i][e];
                whole += std::fabs(g[i][e] * d[i][e]);
            }
        const double rounding = 1e7 * epsilon * epsilon_of_sum() * size / h;
        note(r, r.forward, "forward mode", "", {}, slope, (value(moved(d, h)) - value(moved(d, -h))) / (2 * h), std::max(whole, rounding));
        note(r, r.forward, "forward mode against reverse mode", "", {}, slope, inner, std::max(whole, rounding));

        const auto up = gradient(moved(d, h)), down = gradient(moved(d, -h));
        double curvature = 0;
        each_result(results, 1, [&]<std::size_t I>(std::integral_constant<std::size_t, I>, const auto& hv) {
            double largest = 0, base = 0;
            for (std::size_t e = 0; e < g[I].size(); ++e) {
                largest = std::max(largest, std::fabs(static_cast<double>(element_of(hv, e))));
                base = std::max(base, std::fabs(g[I][e]));
            }
            for (std::size_t e = 0; e < g[I].size(); ++e) {
                const double own = static_cast<double>(element_of(hv, e)), numeric = (up[I][e] - down[I][e]) / (2 * h);
                curvature += own * d[I][e];
                note(r, r.second, "second order", names[I], place_of_element(std::get<I>(x), e), own, numeric,
                     std::max({std::fabs(own), std::fabs(numeric), 1e-3 * largest, 1e7 * epsilon * epsilon_of_sum() * base / h}));
            }
        });

        // f(x + h d) against its Taylor polynomials: each halving of h must take the remainder by 2^2 and by 2^3
        const double f0 = value(x), least = 64 * epsilon * std::max(size, whole);
        double before[2]{}, slopes[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
        double width = 0.25;
        for (int k = 0; k < 12; ++k, width /= 2) {
            const double rise = value(moved(d, width)) - f0;
            const double rest[] = {std::fabs(rise - width * inner), std::fabs(rise - width * inner - width * width / 2 * curvature)};
            for (int o = 0; o < 2; ++o) {
                if (rest[o] > 256 * least && before[o] > 0) slopes[o] = std::log2(before[o] / rest[o]);
                before[o] = rest[o] > 256 * least ? rest[o] : 0;
            }
        }
        r.first_slope = std::min(r.first_slope, slopes[0]);
        r.second_slope = std::min(r.second_slope, slopes[1]);
    }
};

}  // namespace bits

/// The largest relative difference between the gradient of a function with one scalar result, by each of its floating-point inputs, and central finite
/// differences at the arguments. The step is chosen for each input. About 1e-9 where all is well (1e-3 with float inputs).
template <class F, class... A>
double verify_grad(const compiled_function<F>& f, const A&... a) {
    using work = bits::verifier<F, typename F::F::In>;
    static_assert(std::is_void_v<typename bits::verify_check<typename work::parts>::checked>);
    derivative_report r;
    if constexpr (work::parts::ok) {
        bits::directions random;
        work(f, a...).gradient_against_differences(r, random);
    }
    return r.worst;
}

/// The same, and more: forward mode against reverse mode and differences, the Hessian times random directions, and the order at which Taylor remainders
/// vanish, along three random directions. The report names the worst input and element.
template <class F, class... A>
derivative_report verify_derivatives(const compiled_function<F>& f, const A&... a) {
    using work = bits::verifier<F, typename F::F::In>;
    static_assert(std::is_void_v<typename bits::verify_check<typename work::parts>::checked>);
    derivative_report r;
    if constexpr (work::parts::ok) {
        bits::directions random;
        work w(f, a...);
        w.gradient_against_differences(r, random);
        const derivative_report first = r;
        for (int k = 0; k < 3; ++k) w.along_a_direction(r, random);
        if (first.worst > (work::single ? 0.1 : 1e-3)) {  // a wrong gradient is the place to look at, whatever follows from it
            r.worst = first.worst;
            r.mode = first.mode;
            r.input = first.input;
            r.element = first.element;
            r.derivative = first.derivative;
            r.difference = first.difference;
        }
    }
    return r;
}

}  // namespace cotan
