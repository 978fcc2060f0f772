#!/usr/bin/env python3
"""Prints the tables of literals in tests/op/*.test.cpp: values and derivatives from 80 digits."""
from mpmath import *

mp.dps = 80


def literal(v):
    f = float(v)
    if f == 0:
        return "0.0"
    if abs(f) == float("inf"):
        return "inf" if f > 0 else "-inf"
    s = nstr(mpf(v), 20, min_fixed=-5, max_fixed=17)
    return s if "e" in s or "." in s else s + ".0"


def derivative(f, x, n):
    """The n-th derivative at x != 0, by differences relative to x."""
    return diff(lambda t: f(x * t), mpf(1), n, h=mpf(10) ** -20) / x**n


def table(kind, name, rows):
    print(f"constexpr {kind} {name}_rows[] = {{")
    for arguments, values in rows:
        print("    {" + ", ".join([repr(a) for a in arguments] + [literal(v) for v in values]) + "},")
    print("};\n")


def unary(name, f, *points):
    table("row", name, [((float(x),), [f(mpf(float(x)))] + [derivative(f, mpf(float(x)), n) for n in (1, 2)]) for x in points])


def binary(name, f, *points):
    rows = []
    for a, b in points:
        x, y = mpf(float(a)), mpf(float(b))
        rows.append(((float(a), float(b)), [f(x, y), derivative(lambda t: f(t, y), x, 1), derivative(lambda t: f(x, t), y, 1)]))
    table("row2", name, rows)


def sinc_derivative(x, n):
    z = pi * x
    return pi**n * sum((-1) ** k * z ** (2 * k - n) / ((2 * k + 1) * factorial(2 * k - n)) for k in range((n + 1) // 2, 400))


# exp2
unary("exp2", lambda x: mpf(2) ** x, -1000.25, -3.5, -1e-8, 0.3, 1, 10.75, 1000.5)
unary("log2", lambda x: log(x, 2), 1e-300, 0.01, 0.7, 0.9999, 1.5, 7, 1e300)
unary("log10", lambda x: log(x, 10), 1e-300, 0.01, 0.7, 0.9999, 1.5, 7, 1e300)
# trigonometric
unary("sin", sin, -30.25, -1e-8, 0.3, 1, 2, 100.5, 1e5)
unary("cos", cos, -30.25, -1e-3, 0.3, 1, 2, 100.5, 1e5)
unary("tan", tan, -30.25, -1e-8, 0.3, 1, 2, 100.5)
unary("asin", asin, -0.999999, -0.5, 1e-9, 0.3, 0.75, 0.99)
unary("acos", acos, -0.999999, -0.5, 1e-9, 0.3, 0.75, 0.99)
unary("atan", atan, -1e6, -2, -1e-9, 0.3, 0.99, 5, 1e10)
table("row", "sinc", [((x,), [sinc_derivative(mpf(x), n) for n in range(3)]) for x in (-3.75, -1.0, -1e-8, 0.0, 1e-4, 1e-2, 0.5, 0.63, 0.7, 2.5, 10.3)])
table("double", "sinc_third", [((x,), [sinc_derivative(mpf(x), 3)]) for x in (0.0, 0.25, 0.9, 0.99, 5.5)])
binary("atan2", atan2, (1, 2), (-3, 0.5), (0.25, -4), (-1e-3, -2), (1e200, 2e200), (3e-200, 1e-200))
# hyperbolic
unary("sinh", sinh, -700, -2.5, -1e-9, 0.3, 1, 20)
unary("cosh", cosh, -700, -2.5, -1e-3, 0.3, 1, 20)
unary("tanh", tanh, -3, -0.5, 1e-9, 0.3, 1, 2)
unary("asinh", asinh, -1e10, -2.5, -1e-9, 0.3, 1, 20)
unary("acosh", acosh, 1.0001, 1.5, 3, 20, 1e10)
unary("atanh", atanh, -0.999, -0.5, 1e-9, 0.3, 0.75, 0.99)
# gamma
unary("lgamma", lambda x: log(abs(gamma(x))), -3.3, -0.5, 1e-5, 0.5, 2.5, 10, 1e5)
unary("digamma", digamma, -3.3, -0.5, 0.1, 0.5, 2.5, 10, 1e3)
unary("trigamma", lambda x: psi(1, x), -3.3, -0.5, 0.1, 0.5, 2.5, 10, 1e3)
table("row3", "polygamma", [((n, x), [psi(n, mpf(x))]) for n in (0, 1, 2, 3, 5) for x in (-2.7, 0.01, 1.5, 30.0)])
# logit, hypot, pow, xlogy
unary("logit", lambda p: log(p) - log1p(-p), 1e-20, 1e-3, 0.2, 0.3, 0.6, 0.75, 0.999)
unary("cbrt", lambda x: sign(x) * abs(x) ** (mpf(1) / 3), -8, -1e-300, 0.3, 1, 27, 1e100)
binary("hypot", lambda x, y: sqrt(x * x + y * y), (3, 4), (1e200, -1e200), (1e-200, 3e-200), (-5, 12.5), (1, 1e-9))
binary("pow", lambda x, y: x**y, (2.5, 3.7), (0.3, -1.5), (1.0001, 10000.5), (1e10, 30.25), (7, 0.1), (1e-5, 2.5))
binary("xlogy", lambda x, y: x * log(y), (2, 3), (0.5, 1e-10), (-1, 0.3))
binary("xlog1py", lambda x, y: x * log1p(y), (2, 3), (0.5, 1e-10), (-1, -0.3))
