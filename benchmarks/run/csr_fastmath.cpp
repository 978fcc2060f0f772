#define plain fastmath
#include "csr_plain.cpp"
