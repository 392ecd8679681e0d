#!/usr/bin/env python3
"""Reference values for laws with held parameters, for tests/fit/constraints_test.cpp.

Least squares of ln L by Newton's method in mpmath at 40 digits, written in the free parameters
alone, and their sandwich J^-1 S J^-1 of HC3 with the Gauss-Newton curvature J.
"""
import mpmath as mp

mp.mp.dps = 40
N = [mp.mpf(v) for v in ("1e8", "1e8", "1e8", "4e8", "4e8", "4e8", "1.6e9", "1.6e9", "1.6e9")]
D = [mp.mpf(v) for v in ("2e9", "8e9", "3.2e10") * 3]
L = [mp.mpf(v) for v in ("3.46", "3.02", "2.78", "3.17", "2.77", "2.49", "3.04", "2.60", "2.35")]


def whole(free, case):
    """ln A, ln B, E, alpha, beta."""
    if case == "E = 1.7, beta = alpha":
        return free[0], free[1], mp.mpf("1.7"), free[2], free[2]
    if case == "A = 300":
        return mp.log(300), free[0], free[1], free[2], free[3]
    return free[0], free[1], mp.mpf("1.7"), mp.mpf("0.4"), free[2]


def residuals(free, case):
    a, b, e, alpha, beta = whole(free, case)
    return [mp.log(e + mp.exp(a - alpha * mp.log(n)) + mp.exp(b - beta * mp.log(d))) - mp.log(y)
            for n, d, y in zip(N, D, L)]


def jacobian(free, case):
    rows = []
    for i in range(len(N)):
        rows.append([mp.diff(lambda v, k=k: residuals(list(free[:k]) + [v] + list(free[k + 1:]), case)[i],
                             free[k]) for k in range(len(free))])
    return mp.matrix(rows)


for case, free in (("E = 1.7, beta = alpha", [5, 6, "0.33"]), ("A = 300", [6, "1.6", "0.33", "0.33"]),
                   ("E = 1.7, alpha = 0.4", [6, 6, "0.33"])):
    free = [mp.mpf(v) for v in free]
    for _ in range(60):
        j = jacobian(free, case)
        step = mp.lu_solve(j.T * j, j.T * mp.matrix(residuals(free, case)))
        free = [v - s for v, s in zip(free, step)]
        if max(abs(s) for s in step) < mp.mpf("1e-30"):
            break
    j = jacobian(free, case)
    r = residuals(free, case)
    bread = (j.T * j) ** -1
    filling = mp.zeros(len(free))
    for i, value in enumerate(r):
        filling += (value / (1 - (j[i, :] * bread * j[i, :].T)[0]))**2 * j[i, :].T * j[i, :]
    covariance = bread * filling * bread
    print(case, [mp.nstr(v, 16) for v in whole(free, case)])
    print("  errors of the free ones", [mp.nstr(mp.sqrt(covariance[k, k]), 16) for k in range(len(free))])
    print("  rss", mp.nstr(sum(v**2 for v in r), 16))
