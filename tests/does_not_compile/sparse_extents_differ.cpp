// expect: dot
// expect: extents
#include <cotan/sparse.hpp>
using namespace cotan;
constexpr auto S = sparse::matrix<sparse::csr, double, "S", "m", "n">;
#ifdef COTAN_TWIN
constexpr auto x = tensor<double, "x", "n">;
#else
constexpr auto x = tensor<double, "x", "k">;
#endif
constexpr auto y = dot(S, x);
