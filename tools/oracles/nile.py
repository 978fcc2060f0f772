#!/usr/bin/env python3
"""The local level model of the Nile's flow in 40 digits: the maximum of the likelihood, standard errors, the smoothed level. Needs mpmath."""
import pathlib

import mpmath as mp

mp.mp.dps = 40
DATA = pathlib.Path(__file__).resolve().parents[2] / "examples/data/nile.csv"
FLOW = [mp.mpf(line.split(",")[1]) for line in DATA.read_text().splitlines() if line[:1].isdigit()]


def kalman(log_eps, log_eta):
    """The log-likelihood, what is known after each year but the first, and what is expected after the last."""
    eps, eta = mp.e**log_eps, mp.e**log_eta
    level, variance, total, known = FLOW[0], eps + eta, mp.mpf(0), []
    for measured in FLOW[1:]:
        innovation, f = measured - level, variance + eps
        total += mp.log(f) + innovation**2 / f + mp.log(2 * mp.pi)
        level += variance / f * innovation
        known.append((level, variance * eps / f))
        variance = known[-1][1] + eta
    return -total / 2, known, level, variance


def likelihood(a, b):
    return kalman(a, b)[0]


def gradient(x):
    return mp.matrix([mp.diff(likelihood, tuple(x), (1, 0)), mp.diff(likelihood, tuple(x), (0, 1))])


def hessian(x):
    aa, ab, bb = (mp.diff(likelihood, tuple(x), n) for n in ((2, 0), (1, 1), (0, 2)))
    return mp.matrix([[aa, ab], [ab, bb]])


x = mp.matrix([mp.log(15098.5), mp.log(1469.2)])
for _ in range(4):
    x -= mp.lu_solve(hessian(x), gradient(x))
eps, eta = mp.e ** x[0], mp.e ** x[1]
covariance = (-hessian(x)) ** -1
print("variances", mp.nstr(eps, 12), mp.nstr(eta, 12), "log-likelihood", mp.nstr(likelihood(*x), 12))
print("standard errors", mp.nstr(eps * mp.sqrt(covariance[0, 0]), 12), mp.nstr(eta * mp.sqrt(covariance[1, 1]), 12))

_, known, level, variance = kalman(*x)
smoothed = []
for at, v in reversed([(FLOW[0], eps), *known]):
    weight = v / (v + eta)
    level, variance = at + weight * (level - at), v + weight**2 * (variance - v - eta)
    smoothed.append((level, variance))
print("smoothed level and its variance in 1871", *(mp.nstr(v, 12) for v in smoothed[-1]))
print("smoothed level and its variance in 1970", *(mp.nstr(v, 12) for v in smoothed[0]))

x = [mp.log(15000), mp.log(1500)]
print("Hessian at variances of 15000 and 1500", [mp.nstr(v, 17) for v in hessian(x)])
