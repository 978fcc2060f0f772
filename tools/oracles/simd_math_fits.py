#!/usr/bin/env python3
"""The polynomials and tables of include/cotan/op/kernel/simd_math.hpp: Remez fits and tables, printed as C++ text.

Usage: simd_math_fits.py    (needs mpmath; about twenty seconds)
"""
import random
import mpmath as mp

mp.mp.dps = 60


def remez(f, weight, a, b, degree, rounds=12):
    """The polynomial p of the degree that minimises max |weight * (p - f)| on [a, b], and that maximum."""
    n = degree + 2
    xs = [(a + b) / 2 + (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)][::-1]
    for _ in range(rounds):
        m = mp.matrix(n, n)
        rhs = mp.matrix(n, 1)
        for i, x in enumerate(xs):
            for j in range(degree + 1):
                m[i, j] = x**j
            m[i, degree + 1] = (-1)**i / weight(x)
            rhs[i] = f(x)
        sol = mp.lu_solve(m, rhs)
        coef = [sol[j] for j in range(degree + 1)]
        err = lambda x: (mp.polyval(coef[::-1], x) - f(x)) * weight(x)
        grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * mp.mpf(i) / (24 * n)) for i in range(24 * n + 1)]
        vals = [err(x) for x in grid]
        # the extreme of each run of one sign
        ext, best = [], 0
        for i in range(1, len(grid)):
            if (vals[i] > 0) != (vals[best] > 0):
                ext.append(grid[best])
                best = i
            elif abs(vals[i]) > abs(vals[best]):
                best = i
        ext.append(grid[best])
        if len(ext) < n:
            break
        while len(ext) > n:
            ext.pop(0 if abs(err(ext[0])) < abs(err(ext[-1])) else -1)
        xs = ext
    return coef, max(abs(v) for v in vals)


def hexf(x, single=False):
    x = mp.mpf(x)
    if single:
        import struct
        return float(struct.unpack("f", struct.pack("f", float(x)))[0]).hex() + "f"
    return float(x).hex()


def show(name, coef, err, single=False):
    print("// %s: degree %d, fit error %s" % (name, len(coef) - 1, mp.nstr(err, 3)))
    print(",\n".join("    " + hexf(c, single) for c in coef))


def exp_q(r):
    """(e^r - 1 - r) / r^2"""
    if abs(r) < mp.mpf(10)**-8:
        return mp.mpf(1) / 2 + r / 6 + r * r / 24
    return (mp.expm1(r) - r) / (r * r)


def log_q(r):
    """(log(1 + r) - r) / r^2"""
    if abs(r) < mp.mpf(10)**-8:
        return -mp.mpf(1) / 2 + r / 3 - r * r / 4
    return (mp.log1p(r) - r) / (r * r)


def atanh_q(z):
    """(log((1 + s) / (1 - s)) - 2 s) / s^3 in z = s^2"""
    if z < mp.mpf(10)**-12:
        return mp.mpf(2) / 3 + z * 2 / 5
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / (s * z)


def sin_q(z):
    """(sin(r) - r) / r^3 in z = r^2"""
    if z < mp.mpf(10)**-12:
        return -mp.mpf(1) / 6 + z / 120
    r = mp.sqrt(z)
    return (mp.sin(r) - r) / (r * z)


def cos_q(z):
    """(cos(r) - 1 + r^2/2) / r^4 in z = r^2"""
    if z < mp.mpf(10)**-8:
        return mp.mpf(1) / 24 - z / 720
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / (z * z)


def erfcx(x):
    if x < 50:
        return mp.exp(x * x) * mp.erfc(x)
    z = 1 / (x * x)
    total, term = mp.mpf(0), mp.mpf(1)
    for k in range(1, 12):
        total += term
        term *= -(2 * k - 1) * z / 2
    return total / (x * mp.sqrt(mp.pi))


def accurate_log_table(points):
    """For each m a double c near 1/m whose -log(c) is a double to 2^-66 of its unit, and that double."""
    random.seed(1)
    rows = []
    for m in points:
        if m == 1:
            rows.append((1.0, 0.0))
            continue
        best = None
        for _ in range(12000):
            c = float(1 / m) * (1 + random.uniform(-1, 1) * 2.0**-13)
            l = -mp.log(c)
            off = abs(mp.mpf(float(l)) - l) / abs(l)
            if best is None or off < best[0]:
                best = (off, c, float(l))
        rows.append(best[1:])
    return rows


if __name__ == "__main__":
    ln2 = mp.log(2)
    b = ln2 / 32 * mp.mpf("1.0001")
    small = mp.mpf(2)**-10
    for d in (4, 5):
        show("exp_q, |r| <= ln2/32", *remez(exp_q, lambda r: abs(r) + small, -b, b, d))
    b = ln2 / 2 * mp.mpf("1.0001")
    for d in (9, 10):
        show("exp_q, |r| <= ln2/2", *remez(exp_q, lambda r: abs(r) + small, -b, b, d))
    show("float exp_q, |r| <= ln2/2", *remez(exp_q, lambda r: r * r + mp.mpf("0.01"), -b, b, 4), single=True)
    b = mp.mpf(1) / 30 + mp.mpf(2)**-12
    show("log_q, |r| <= 1/30", *remez(log_q, lambda r: abs(r) + small, -b, b, 7))
    b = mp.mpf("0.2001")**2
    show("atanh_q, s^2 <= 0.04", *remez(atanh_q, lambda z: z + small, mp.mpf(0), b, 6))
    show("float atanh_q, s^2 <= 0.04", *remez(atanh_q, lambda z: z + small, mp.mpf(0), b, 3), single=True)
    b = mp.mpf("0.1717")**2
    show("atanh_q, s^2 <= 0.0295", *remez(atanh_q, lambda z: z + small, mp.mpf(0), b, 6))
    show("float atanh_q, s^2 <= 0.0295", *remez(atanh_q, lambda z: z + small, mp.mpf(0), b, 2), single=True)
    b = (mp.pi / 4 * mp.mpf("1.0001"))**2
    show("sin_q, r^2 <= (pi/4)^2", *remez(sin_q, lambda z: z + small, mp.mpf(0), b, 5))
    show("cos_q, r^2 <= (pi/4)^2", *remez(cos_q, lambda z: z * z + small, mp.mpf(0), b, 5))
    K = mp.mpf("3.5")
    g = lambda q: 1 / mp.sqrt(mp.pi) if q >= 1 else (lambda x: erfcx(x) * (x + K))(K * (1 + q) / (1 - q))
    show("erfcx(x) (x + 3.5), x = 3.5 (1 + q) / (1 - q)", *remez(g, lambda q: 1 / g(q), mp.mpf(-1), mp.mpf(1), 23, 5))
    erf_p = lambda z: 2 / mp.sqrt(mp.pi) if z < mp.mpf(10)**-30 else mp.erf(mp.sqrt(z)) / mp.sqrt(z)
    show("erf(x)/x, x^2 <= 1", *remez(erf_p, lambda z: 1 / erf_p(z), mp.mpf(0), mp.mpf("1.001"), 11))
    b = mp.mpf("5.95")
    show("log erfc(a), 1 <= a <= 5.95", *remez(lambda a: mp.log(mp.erfc(a)), mp.erfc, mp.mpf(1), b, 16, 20))
    root = mp.findroot(mp.digamma, mp.mpf("1.46"))
    print("// the root of digamma in two parts")
    print("    %s, %s" % (hexf(root), hexf(root - mp.mpf(float(root)))))
    p = lambda t: mp.digamma(t + 1.5) / (t + 1.5 - root) if abs(t + 1.5 - root) > mp.mpf(10)**-25 else mp.psi(1, root)
    b = mp.mpf("0.5")
    show("digamma(x)/(x - root) in x - 1.5, 1 <= x <= 2", *remez(p, lambda t: 1 / p(t), -b, b, 20, 8))
    half = mp.pi / 2
    print("// pi/2 in parts of 33, 33 and 53 bits")
    for _ in range(2):
        scale = mp.mpf(2)**(32 - mp.floor(mp.log(half, 2)))
        part = mp.floor(half * scale) / scale
        print("    " + hexf(part))
        half -= part
    print("    " + hexf(half))
    print("// 2^(i/16), and what is missing of it")
    for i in range(16):
        t = mp.mpf(2)**(mp.mpf(i) / 16)
        print("    %s, %s" % (hexf(t), hexf(t - mp.mpf(float(t)))))
    print("// c near 15 / (15 + i), -log(c)")
    for c, l in accurate_log_table([1 + mp.mpf(i) / 15 for i in range(16)]):
        print("    %s, %s" % (hexf(c), hexf(l)))
    print("// c near 20 / j for j mod 16 = 0, 1, ...: j = 16 ... 30, 15; -log(c)")
    for c, l in accurate_log_table([mp.mpf(j) / 20 for j in [*range(16, 31), 15]]):
        print("    %s, %s" % (hexf(c), hexf(l)))
