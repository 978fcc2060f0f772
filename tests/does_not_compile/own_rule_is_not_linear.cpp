// expect: not linear
// expect: with_pushforward
#include <cotan/cotan.hpp>
using namespace cotan;
constexpr auto x = tensor<double, "x", "n">;
#ifdef COTAN_TWIN
constexpr auto e = with_pullback(square(x), wrt(x), [](auto ct, auto, auto v) { return list(ct * clip(v, c<-1>, c<1>)); });
#else
constexpr auto e = with_pullback(square(x), wrt(x), [](auto ct, auto, auto v) { return list(clip(ct * v, c<-1>, c<1>)); });
#endif
constexpr auto f = function(inputs(x), pushforward(e, x, x));
