#!/usr/bin/env python3
"""Reference values for residuals of y itself and for uneven penalties, for tests/fit/surface_test.cpp.

The sum of w(r) rho(r) over r = L - y or ln L - ln y is minimised by Newton's method in mpmath at 40
digits, with second differences of the sum itself. rho is the square over 2, or Huber's loss, and
w(r) is K where r > 0, else 1. The covariance is J^-1 S J^-1 n / (n - p) (of squares HC3), with J the sum of w g g',
S the sum of (w r)^2 g g' and g the gradient of L.
"""
import mpmath as mp

mp.mp.dps = 40
N = [mp.mpf(v) for v in ("1e8", "1e8", "1e8", "4e8", "4e8", "4e8", "1.6e9", "1.6e9", "1.6e9")]
D = [mp.mpf(v) for v in ("2e9", "8e9", "3.2e10") * 3]
L = [mp.mpf(v) for v in ("3.46", "3.02", "2.78", "3.17", "2.77", "2.49", "3.04", "2.60", "2.35")]
U = [mp.log(v) - sum(map(mp.log, N)) / 9 for v in N]
V = [mp.log(v) - sum(map(mp.log, D)) / 9 for v in D]


def surface(t, i):
    return t[2] + mp.exp(t[0] - t[3] * U[i]) + mp.exp(t[1] - t[4] * V[i])


def row(t, i):
    a, b = mp.exp(t[0] - t[3] * U[i]), mp.exp(t[1] - t[4] * V[i])
    return [a, b, mp.mpf(1), -a * U[i], -b * V[i]]


def residual(t, i, raw):
    value = surface(t, i)
    return value - L[i] if raw else mp.log(value) - mp.log(L[i])


def psi(r, k, delta):
    w = k if r > 0 else 1
    return w * (r if abs(r) <= delta else delta * mp.sign(r))


def rho(r, k, delta):
    w = k if r > 0 else 1
    return w * (r * r / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2))


def slope(t, i, raw):
    return [g if raw else g / surface(t, i) for g in row(t, i)]


def gradient(t, raw, k, delta):
    out = [mp.mpf(0)] * 5
    for i in range(9):
        p = psi(residual(t, i, raw), k, delta)
        for j, g in enumerate(slope(t, i, raw)):
            out[j] += p * g
    return mp.matrix(out)


def minimum(t, raw, k, delta):
    for _ in range(80):
        g = gradient(t, raw, k, delta)
        h = mp.mpf("1e-18")
        second = mp.matrix(5, 5)
        for j in range(5):
            up = gradient([v + (h if i == j else 0) for i, v in enumerate(t)], raw, k, delta)
            down = gradient([v - (h if i == j else 0) for i, v in enumerate(t)], raw, k, delta)
            second[:, j] = (up - down) / (2 * h)
        step = mp.lu_solve(second, g)
        size = min(1, mp.mpf("0.3") / max(abs(s) for s in step))
        t = [v - size * s for v, s in zip(t, step)]
        if max(abs(s) for s in step) < mp.mpf("1e-30"):
            return t
    raise SystemExit("no minimum")


def report(name, raw, k, delta):
    start = [mp.mpf(v) for v in ("-0.6", "-0.6", "1.7", "0.34", "0.33")]
    t = minimum(start, raw, mp.mpf(k), mp.inf)
    for bound in ("0.012", delta):  # From a minimum of squares to that of Huber's loss.
        if delta != "inf":
            t = minimum(t, raw, mp.mpf(k), mp.mpf(bound))
    um, vm = sum(map(mp.log, N)) / 9, sum(map(mp.log, D)) / 9
    print(name)
    print("  A B E alpha beta", [mp.nstr(v, 16) for v in (
        mp.exp(t[0] + t[3] * um), mp.exp(t[1] + t[4] * vm), t[2], t[3], t[4])])
    print("  objective", mp.nstr(sum(rho(residual(t, i, raw), mp.mpf(k), mp.mpf(delta)) for i in range(9)), 16))
    bread, filling = mp.zeros(5), mp.zeros(5)
    rows = [mp.matrix(slope(t, i, raw)) for i in range(9)]
    for i, g in enumerate(rows):
        bread += (mp.mpf(k) if residual(t, i, raw) > 0 else 1) * g * g.T
    inverse = bread ** -1
    squares = k == 1 and delta == "inf"
    for i, g in enumerate(rows):
        factor = 1 / (1 - (g.T * inverse * g)[0]) ** 2 if squares else mp.mpf(9) / 4
        filling += factor * psi(residual(t, i, raw), mp.mpf(k), mp.mpf(delta)) ** 2 * g * g.T
    covariance = inverse * filling * inverse
    print("  errors of E, alpha, beta (squares only)", [mp.nstr(mp.sqrt(covariance[j, j]), 16) for j in (2, 3, 4)])
    print("  rss", mp.nstr(sum(residual(t, i, raw) ** 2 for i in range(9)), 16))


report("squares of y", True, 1, "inf")
report("squares of ln y, over-penalty 10", False, 10, "inf")
report("squares of y, over-penalty 3", True, 3, "inf")
report("Huber of y at 0.01", True, 1, "0.01")
