// expect: key
// expect: two draws
// expect: .next
#include <cotan/random.hpp>
using namespace cotan;
constexpr auto key = random::key<"key">;
constexpr auto a = random::normal(key, c<0.0>, c<1.0>);
#ifdef COTAN_TWIN
constexpr auto b = random::normal(a.next, c<2.0>, c<3.0>);
#else
constexpr auto b = random::normal(key, c<2.0>, c<3.0>);
#endif
constexpr auto f = function(inputs(key), outputs(a.value + b.value));
