#!/usr/bin/env python3
"""Literals of surface_rank_test.cpp: AICc of laws of several scales, and their errors at the largest sizes.

usage: make_surface_rank_oracle.py RUNS.csv RUNS_HIDDEN

Every law is fitted by scipy 1.10's least_squares to ln y from many starts. RUNS.csv has the columns parameters, tokens
and loss, in this order.
"""
import sys

import numpy as np
from scipy.optimize import least_squares

rows = np.array([[float(cell) for cell in line.split(",")[:3]] for line in open(sys.argv[1]).read().split()[1:]])
hidden = int(sys.argv[2])
n, d, y = rows.T


def chinchilla(v, n, d):
    return np.log(np.exp(v[0] - v[3] * np.log(n / 1e9)) + np.exp(v[1] - v[4] * np.log(d / 1e10)) + v[2])


def power(v, x):
    return v[0] - v[1] * x


def floor(v, x):
    return np.log(np.exp(v[0] - v[1] * x) + v[2])


def fit(function, starts, x, y, bounds):
    found = [least_squares(lambda v: function(v, *x) - np.log(y), start, bounds=bounds, xtol=1e-15, ftol=1e-15,
                           gtol=1e-15, max_nfev=20000) for start in starts]
    best = min(found, key=lambda one: one.cost)
    return best.x, 2 * best.cost


def report(name, function, starts, scales, bounds):
    theta, rss = fit(function, starts, scales, y, bounds)
    count, k = len(y), len(theta) + 1
    aicc = count * (np.log(2 * np.pi * rss / count) + 1) + 2 * k + 2 * k * (k + 1) / (count - k - 1)
    least = np.sort(n)[-hidden]
    kept = n < least
    theta, _ = fit(function, starts, [s[kept] for s in scales], y[kept], bounds)
    errors = np.log(y[~kept]) - function(theta, *[s[~kept] for s in scales])
    print(name, "rss", repr(rss), "aicc", repr(aicc), "runs", len(errors), "rms", repr(np.sqrt(np.mean(errors**2))),
          "mean", repr(np.mean(errors)))


free = [-np.inf, np.inf]
report("chinchilla", chinchilla, [[a, b, e, p, q] for a in (-1, 0) for b in (-1, 0) for e in (0.5, 1.7) for p in (0.3, 0.5)
                                  for q in (0.3, 0.5)], [n, d],
       ([-20, -20, 0, -3, -3], [20, 20, 20, 3, 3]))
for name, x in (("parameters", n), ("tokens", d), ("compute", 6 * n * d)):
    ln = np.log(x) - np.log(x).mean()
    report("power " + name, power, [[1, 0.1]], [ln], ([-20, -20], [20, 20]))
    report("floor " + name, floor, [[a, b, c] for a in (-1, 0, 1) for b in (-1, 0.2, 0.6, 2) for c in (0.5, 1.5, 2.5)],
           [ln], ([-30, -10, 0], [20, 10, 20]))
