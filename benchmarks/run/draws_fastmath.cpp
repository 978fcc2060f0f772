#define plain fastmath
#include "draws_plain.cpp"
