// expect: pattern
// expect: todense
#include <cotan/sparse.hpp>
using namespace cotan;
constexpr auto S = sparse::matrix<sparse::csr, double, "S", "m", "n">;
#ifdef COTAN_TWIN
constexpr auto R = S;
#else
constexpr auto R = sparse::matrix<sparse::csr, double, "R", "m", "n">;
#endif
constexpr auto y = S + R;
