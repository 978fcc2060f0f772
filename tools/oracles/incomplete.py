#!/usr/bin/env python3
"""Writes the table of tests/op/incomplete.test.cpp: the incomplete gamma and beta functions and their derivatives by the shapes, by mpmath's
hypergeometric functions at 80 digits, the derivatives by central differences of 4th order whose step leaves 30 digits and more."""
import mpmath as mp

mp.mp.dps = 80


def gamma_p(a, x):
    """By the series of DLMF 8.7.1, all terms of one sign."""
    t = s = mp.mpf(1)
    n = 0
    while abs(t) > mp.mpf(10) ** -(mp.mp.dps + 5) * abs(s):
        n += 1
        t *= x / (a + n)
        s += t
    return mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1)) * s


def beta_i(a, b, x):
    if x > a / (a + b):
        return 1 - beta_i(b, a, 1 - x)
    t = s = mp.mpf(1)
    n = 0
    while abs(t) > mp.mpf(10) ** -(mp.mp.dps + 5) * abs(s):
        t *= (a + b + n) / (a + 1 + n) * x
        n += 1
        s += t
    return mp.exp(a * mp.log(x) + b * mp.log(1 - x) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b)) / a * s


def derivatives(f, p, extra):
    """f, its first and its second derivatives by the arguments in `extra`, in the order of triples."""
    h = mp.mpf(10) ** -20 * min([mp.mpf(1)] + [q for q in p])

    def at(*shift):
        return f(*[q + s * h for q, s in zip(p, shift)])

    zero = [0] * len(p)

    def unit(*k):
        r = list(zero)
        for i, s in k:
            r[i] += s
        return r

    out = [at(*zero)]
    for i in extra:
        out.append((at(*unit((i, 1))) - at(*unit((i, -1)))) / (2 * h))
    for k, i in enumerate(extra):
        for j in extra[k:]:
            if i == j:
                out.append((at(*unit((i, 1))) - 2 * out[0] + at(*unit((i, -1)))) / h**2)
            else:
                out.append((at(*unit((i, 1), (j, 1))) - at(*unit((i, 1), (j, -1))) - at(*unit((i, -1), (j, 1))) + at(*unit((i, -1), (j, -1)))) / (4 * h**2))
    return out


GAMMA = [("1e-6", "1e-8"), ("1e-6", "0.3"), ("1e-6", "4"), ("0.001", "0.5"), ("0.001", "1e-5"), ("0.01", "2"), ("0.1", "1e-3"), ("0.1", "0.9"), ("0.1", "12"), ("0.3", "0.3"), ("0.49", "0.8"),
         ("0.5", "0.1"), ("0.5", "1"), ("0.5", "10"), ("0.9", "0.95"), ("1", "1e-10"), ("1", "1"), ("1", "30"), ("1.5", "0.2"), ("2", "0.5"), ("2", "2"), ("2.5", "1.7"), ("3", "36"), ("3", "3.5"),
         ("5", "1"), ("7.5", "8"), ("9.99", "12"), ("10", "10"), ("10.01", "12"), ("12", "3"), ("12", "60"), ("20", "19"), ("50", "20"), ("50", "51"), ("50", "120"), ("100", "60"), ("100", "99"), ("100", "110"),
         ("100", "180"), ("300", "301"), ("1000", "800"), ("1000", "1000"), ("1000", "1100"), ("3000", "2900"), ("10000", "9000"), ("10000", "9900"), ("10000", "10000"), ("10000", "10100"), ("10000", "11000")]
BETA = [("1e-3", "2", "0.3"), ("1e-3", "1e-3", "0.5"), ("0.1", "0.2", "1e-5"), ("0.1", "0.2", "0.5"), ("0.1", "3", "0.9"), ("0.5", "0.5", "0.001"), ("0.5", "0.5", "0.5"), ("0.5", "0.5", "0.999"), ("0.5", "5", "0.02"),
        ("0.5", "5", "0.8"), ("1", "1", "0.25"), ("1", "3", "0.6"), ("2", "1", "0.125"), ("2", "3", "0.4"), ("2", "3", "0.01"), ("2", "3", "0.99"), ("3", "2", "0.5"), ("5", "0.5", "0.99"), ("5", "0.5", "0.3"),
        ("4", "7", "0.37"), ("9", "11", "0.6"), ("10", "10", "0.5"), ("15", "2.5", "0.7"), ("30", "0.7", "0.95"), ("0.7", "30", "0.05"), ("40", "60", "0.2"), ("40", "60", "0.4"), ("40", "60", "0.7"), ("100", "50", "0.7"),
        ("100", "100", "0.4"), ("200", "3", "0.97"), ("3", "200", "0.02"), ("500", "400", "0.5"), ("500", "400", "0.6"), ("1000", "1000", "0.5"), ("1000", "1000", "0.55"), ("1000", "20", "0.99"), ("2000", "5000", "0.28"),
        ("10000", "10000", "0.5"), ("10000", "10000", "0.49"), ("10000", "10", "0.9995"), ("10", "10000", "0.0005"), ("10000", "300", "0.97")]


def literal(v):
    return mp.nstr(v, 20, min_fixed=-3, max_fixed=3)


def main():
    print("// Made by tools/oracles/incomplete.py.")
    print("constexpr gamma_row gamma_rows[] = {  // a, x, P, Q, dP/da, d2P/da2, d2P/dadx, dP/dx, d2P/dx2")
    for row in GAMMA:
        a, x = (mp.mpf(float(v)) for v in row)
        p, by_a, by_aa = derivatives(lambda s: gamma_p(s, x), [a], [0])
        density = mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))
        values = [p, 1 - p, by_a, by_aa, density * (mp.log(x) - mp.digamma(a)), density, density * ((a - 1) / x - 1)]
        print("    {" + ", ".join([*row, *map(literal, values)]) + "},")
    print("};\n\nconstexpr beta_row beta_rows[] = {  // a, b, x, I, dI/da, dI/db, d2I/da2, d2I/dadb, d2I/db2, dI/dx, d2I/dx2, d2I/dadx, d2I/dbdx")
    for row in BETA:
        a, b, x = (mp.mpf(float(v)) for v in row)
        values = derivatives(lambda s, t: beta_i(s, t, x), [a, b], [0, 1])
        density = mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x) + mp.loggamma(a + b) - mp.loggamma(a) - mp.loggamma(b))
        both = mp.digamma(a + b)
        values += [density, density * ((a - 1) / x - (b - 1) / (1 - x)), density * (mp.log(x) - mp.digamma(a) + both), density * (mp.log(1 - x) - mp.digamma(b) + both)]
        print("    {" + ", ".join([*row, *map(literal, values)]) + "},")
    print("};")


if __name__ == "__main__":
    main()
