#!/usr/bin/env python3
"""Reference values for the law of two scales, for tests/fit/surface_test.cpp.

    make_surface_oracle.py chinchilla_epoch.csv

Minimises the same objective with SciPy (BFGS) and refines it by Newton steps in mpmath at 50 digits.
Prints the estimates and the objective, also for least squares.
"""
import csv
import sys

import mpmath as mp
import numpy as np
from scipy.optimize import minimize

mp.mp.dps = 50
ROWS = list(csv.DictReader(open(sys.argv[1])))
N = np.array([float(r["Model Size"]) for r in ROWS])
D = np.array([float(r["Training FLOP"]) for r in ROWS]) / (6 * N)
L = np.array([float(r["loss"]) for r in ROWS])
KEEP = np.sort(np.argsort(L)[:-5])  # Without the five of highest loss.
N, D, L = N[KEEP], D[KEEP], L[KEEP]


def objective(p, delta):
    a, b, e, alpha, beta = p
    terms = np.stack([a - alpha * np.log(N), b - beta * np.log(D), np.full(len(N), e)])
    top = terms.max(0)
    parts = np.exp(terms - top)
    total = parts.sum(0)
    r = top + np.log(total) - np.log(L)
    share = parts / total
    psi = np.clip(r, -delta, delta)
    rho = np.where(abs(r) <= delta, 0.5 * r * r, delta * (abs(r) - 0.5 * delta)) if np.isfinite(delta) else 0.5 * r * r
    gradient = [psi @ share[0], psi @ share[1], psi @ share[2],
                -(psi * share[0]) @ np.log(N), -(psi * share[1]) @ np.log(D)]
    return rho.sum(), np.array(gradient)


def gradient_mp(p, delta):
    a, b, e, alpha, beta = p
    out = [mp.mpf(0)] * 5
    value = mp.mpf(0)
    for n, d, l in zip(N, D, L):
        n, d, l = mp.log(mp.mpf(n)), mp.log(mp.mpf(d)), mp.log(mp.mpf(l))
        t = [mp.exp(a - alpha * n), mp.exp(b - beta * d), mp.exp(e)]
        s = sum(t)
        r = mp.log(s) - l
        psi = max(-delta, min(delta, r))
        value += r * r / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)
        for k, g in enumerate([t[0] / s, t[1] / s, t[2] / s, -t[0] / s * n, -t[1] / s * d]):
            out[k] += psi * g
    return out, value


def polish(p, delta):
    p = [mp.mpf(float(x)) for x in p]
    for _ in range(12):
        g, value = gradient_mp(p, delta)
        h = mp.matrix(5, 5)
        for k in range(5):
            step = mp.mpf(10) ** -20
            q = list(p)
            q[k] += step
            up, _ = gradient_mp(q, delta)
            for j in range(5):
                h[j, k] = (up[j] - g[j]) / step
        move = mp.lu_solve(h, mp.matrix(g))
        p = [x - m for x, m in zip(p, move)]
        if max(abs(m) for m in move) < mp.mpf(10) ** -30:
            break
    return p, gradient_mp(p, delta)[1]


for delta in (1e-3, np.inf):
    p = np.array([np.log(482.01), np.log(2085.43), np.log(1.8172), 0.3478, 0.3658])
    for _ in range(20):
        p = minimize(objective, p, args=(delta,), jac=True, method="BFGS", options={"gtol": 1e-14}).x
    exact, value = polish(p, mp.mpf(delta) if np.isfinite(delta) else mp.mpf("1e9"))
    print("delta", delta, "objective", mp.nstr(value, 18))
    for name, x in zip("A B E alpha beta".split(), [mp.exp(x) for x in exact[:3]] + exact[3:]):
        print("  ", name, mp.nstr(x, 18))
