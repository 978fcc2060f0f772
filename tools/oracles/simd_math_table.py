#!/usr/bin/env python3
"""Writes tests/op/data/simd_math.inc: arguments of the functions of op/kernel/simd_math.hpp over their regimes, and
their values to 50 digits, as a double and the double that is missing of it.

Usage: simd_math_table.py > tests/op/data/simd_math.inc    (needs mpmath)
"""
import random
import struct
import mpmath as mp

mp.mp.dps = 60
random.seed(12345)


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def sample(regimes, count=24):
    """Arguments of each regime (low, high, scale), of which a third are floats."""
    xs = []
    for low, high, scale in regimes:
        for i in range(count):
            if scale == "linear":
                x = random.uniform(low, high)
            else:
                x = abs(low) * (high / low) ** random.random() * (1 if low > 0 else -1)
            if i % 3 == 0 and 1e-38 < abs(x) < 1e38:
                x = as_float(x)
            if min(low, high) <= x <= max(low, high):
                xs.append(x)
    return xs


def erfcx(x):
    # beyond, the asymptotic series has all the digits
    if x < 100:
        with mp.workdps(60 if x < 0 else 60 + int(float(x) ** 2)):
            return mp.exp(x * x) * mp.erfc(x)
    z, total, term = 1 / (2 * x * x), mp.mpf(0), mp.mpf(1)
    for k in range(1, 30):
        total += term
        term *= -(2 * k - 1) * z
    return total / (x * mp.sqrt(mp.pi))


def erfc(x):
    with mp.workdps(80):
        return mp.erfc(x)


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def lgamma(x):
    with mp.workdps(90):
        return mp.log(abs(mp.gamma(x))) if abs(x) < 1e4 else mp.loggamma(x).real


def polygamma(n):
    def f(x):
        with mp.workdps(90):
            return mp.psi(n, x)
    return f


LIN, LOG = "linear", "log"
FUNCTIONS = [
    ("exp", mp.exp, [(-1, 1, LIN), (-87, 88, LIN), (-708, 709.7, LIN), (-745, -708, LIN), (1e-20, 1e-3, LOG),
                     (-1e-300, -1e-3, LOG)]),
    ("expm1", mp.expm1, [(-1, 1, LIN), (-0.1, 0.1, LIN), (-45, 88, LIN), (80, 709.7, LIN), (1e-300, 1e-3, LOG),
                         (-1e-20, -1e-3, LOG)]),
    ("log", mp.log, [(0.5, 2, LIN), (0.95, 1.05, LIN), (1e-30, 1e30, LOG), (1e-307, 1e308, LOG),
                     (5e-324, 2e-308, LOG)]),
    ("log1p", mp.log1p, [(-0.999, 1, LIN), (-0.1, 0.1, LIN), (1e-300, 1e-3, LOG), (-1e-20, -1e-3, LOG),
                         (1e-30, 1e30, LOG), (1, 1e308, LOG), (-0.9999999, -0.99, LIN)]),
    ("log1p_01", mp.log1p, [(0, 1, LIN), (0.02, 0.15, LIN), (1e-300, 1, LOG), (1e-12, 1, LOG)]),
    ("sigmoid", sigmoid, [(-5, 5, LIN), (-80, 40, LIN), (-740, -80, LIN), (1e-20, 1e-2, LOG), (-1e-2, -1e-20, LOG)]),
    ("softplus", lambda x: mp.log1p(mp.exp(x)), [(-5, 5, LIN), (-80, 40, LIN), (-740, -80, LIN), (1e-20, 1e-2, LOG),
                                                 (40, 1e300, LOG)]),
    ("tanh", mp.tanh, [(-1, 1, LIN), (-6, 6, LIN), (-25, 25, LIN), (1e-300, 1e-2, LOG), (-1e-2, -1e-20, LOG)]),
    ("sin", mp.sin, [(-4, 4, LIN), (-100, 100, LIN), (1e-300, 1e-2, LOG), (1e2, 1e6, LOG), (-1e15, -1e6, LOG),
                     (1e15, 1e308, LOG)]),
    ("cos", mp.cos, [(-4, 4, LIN), (-100, 100, LIN), (1e-300, 1e-2, LOG), (1e2, 1e6, LOG), (-1e15, -1e6, LOG),
                     (1e15, 1e308, LOG)]),
    ("erf", mp.erf, [(-1.1, 1.1, LIN), (-6.5, 6.5, LIN), (1e-300, 1e-2, LOG), (-1e-2, -1e-20, LOG)]),
    ("erfc", erfc, [(-1, 1, LIN), (-6.5, 9, LIN), (6, 26.5, LIN), (26.5, 27.2, LIN), (1e-20, 1e-2, LOG)]),
    ("erfcx", erfcx, [(0, 1, LIN), (1, 10, LIN), (10, 1e8, LOG), (1e8, 1e300, LOG), (-1, 0, LIN), (-26, -1, LIN),
                      (1e-20, 1e-2, LOG)]),
    ("lgamma", lgamma, [(0.1, 4, LIN), (4, 170, LIN), (170, 1e300, LOG), (1e-300, 0.1, LOG)]),
    ("digamma", polygamma(0), [(1, 2, LIN), (1.46, 1.4633, LIN), (0.01, 14, LIN), (12, 1e4, LOG), (1e4, 1e300, LOG),
                               (1e-300, 0.01, LOG)]),
    ("trigamma", polygamma(1), [(1, 2, LIN), (0.01, 14, LIN), (12, 1e4, LOG), (1e4, 1e300, LOG), (1e-150, 0.01, LOG),
                                (-9.9, -0.1, LIN), (-0.01, -1e-150, LOG)]),
    ("digamma_negative", polygamma(0), [(-9.9, -0.1, LIN), (-0.01, -1e-300, LOG), (-1000, -10, LIN)]),
]

if __name__ == "__main__":
    print("// Made by tools/oracles/simd_math_table.py: {argument, value, what the value lacks}.")
    for name, f, regimes in FUNCTIONS:
        print("inline constexpr row %s_rows[] = {" % name)
        for x in sample(regimes):
            v = f(mp.mpf(x))
            high = float(v)
            low = float(v - mp.mpf(high))
            print("    {%s, %s, %s}," % (x.hex(), high.hex(), low.hex()))
        print("};")
