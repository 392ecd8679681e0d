#!/usr/bin/env python3
"""Prints the expectations of tests/energy/caps_test.cpp and setting_curve_test.cpp (NumPy, SciPy).

Ratios use Student t from scipy.stats, with cells by hand. Curves use the smoothing spline as a
Gaussian process: an integrated Brownian motion with a flat prior on a straight line, in dense
matrices. The library's own form is diagonal (Demmler and Reinsch).
"""
import numpy as np
from scipy import stats

# Runs of caps_test.cpp: seconds at caps 250, 200, 150 on 2 and 4 GPUs, three runs each.
T = {("250", 2): [100, 103, 101], ("250", 4): [52, 50, 53], ("200", 2): [102, 101, 104],
     ("200", 4): [53, 52, 54], ("150", 2): [112, 118, 113], ("150", 4): [57, 59, 55]}


def cox(terms):
    """The sum of weight * (mean + s^2 / 2) over (weight, logs), with its standard error and dof."""
    estimate = sum(w * (np.mean(v) + np.var(v, ddof=1) / 2) for w, v in terms)
    a = [(w * w * np.var(v, ddof=1) / len(v), len(v) - 1) for w, v in terms]
    b = sum(w * w * np.var(v, ddof=1) ** 2 / (2 * (len(v) - 1)) for w, v in terms)
    se = np.sqrt(sum(x for x, _ in a) + b)
    dof = sum(x for x, _ in a) ** 2 / sum(x * x / d for x, d in a)
    return estimate, se, dof


def show(name, terms, joint=2):
    e, se, dof = cox(terms)
    half = stats.t.ppf(0.975, dof) * se
    wide = stats.t.ppf(1 - 0.025 / joint, dof) * se
    print(f"{name}: ratio {np.exp(e):.12g} ci {np.exp(e - half):.12g} {np.exp(e + half):.12g} "
          f"joint {np.exp(e - wide):.12g} {np.exp(e + wide):.12g} se {se:.12g} dof {dof:.12g} log {e:.12g}")


L = {k: np.log(v) for k, v in T.items()}
for cap in ("150", "200"):
    for n in (2, 4):
        show(f"{cap} at {n}", [(1, L[cap, n]), (-1, L["250", n])])
    show(f"{cap} over all", [(s * 0.5, L[c, n]) for c, s in ((cap, 1), ("250", -1)) for n in (2, 4)])

# Single runs: 3 settings at 2 N (blocks), and the ratios of one setting at 5 N (pairs).
y = np.log(np.array([[100, 52.0], [103, 54], [117, 58]]))
residual = y - y.mean(0) - y.mean(1)[:, None] + y.mean()
s2 = (residual ** 2).sum() / 2
d = (y[1] - y[0]).mean()
half = stats.t.ppf(0.975, 2) * np.sqrt(s2 * 4 * 0.25)
print("blocks", np.exp(d), np.exp(d - half), np.exp(d + half))
x = np.array([2, 4, 8, 16, 32.0])
pair = np.log([1.09, 1.08, 1.05, 1.045, 1.02])
m, se = pair.mean(), pair.std(ddof=1) / np.sqrt(5)
h = stats.t.ppf(0.975, 4) * se
line = stats.linregress(np.log(x), pair)
print("pairs", np.exp(m), np.exp(m - h), np.exp(m + h), "trend", line.slope, line.stderr, line.pvalue)

# Curves.
SETTING = np.array([100, 110, 120, 130, 140, 150, 160, 170, 180, 190, 200, 210.0])
ENERGY = np.array([105.1, 103.8, 103.2, 101.9, 101.2, 100.1, 101.5, 104.6, 107.0, 110.9, 114.1, 118.8])


def curve(at, y, corner_prior=0.9, penalties=41):
    n = len(y)
    u = (at - at[0]) / (at[-1] - at[0])
    grid = np.linspace(0, 1, 1761)

    def kernel(a, b):
        low, high = np.minimum.outer(a, b), np.maximum.outer(a, b)
        return low ** 2 * (3 * high - low) / 6

    X, Xg, K, Kg = np.c_[np.ones(n), u], np.c_[np.ones(1761), grid], kernel(u, u), kernel(grid, u)
    P = np.eye(n) - X @ np.linalg.solve(X.T @ X, X.T)
    roughness = np.sort(1 / np.sort(np.linalg.eigvalsh(P @ K @ P))[2:])
    places = [(u[i // 2] + u[(i + 1) // 2]) / 2 for i in range(2, 2 * n - 3)]
    parts = []
    for k in range(penalties):
        a, b = np.log(1e-3 / roughness[-1]), np.log(1e3 / roughness[0])
        lam = np.exp(a + (b - a) * k / (penalties - 1))
        V = np.eye(n) + K / lam
        W = np.linalg.inv(V)
        XWX = X.T @ W @ X
        M = W - W @ X @ np.linalg.solve(XWX, X.T @ W)
        base = -0.5 * np.linalg.slogdet(V)[1] - 0.5 * np.linalg.slogdet(XWX)[1]

        def mean(size, h, hg):
            r = y - size * h
            beta = np.linalg.solve(XWX, X.T @ W @ r)
            return Xg @ beta + Kg / lam @ W @ (r - X @ beta) + size * hg

        ss = y @ M @ y
        parts.append((base - (n - 2) / 2 * np.log(ss), ss, mean(0, u, grid)))
        for place in places:
            h, hg = np.maximum(u - place, 0), np.maximum(grid - place, 0)
            A, keep = h @ M @ h, n / (n + 1)
            size = keep * (h @ M @ y) / A
            s = ss - keep * (h @ M @ y) ** 2 / A
            prior = np.log(corner_prior / (1 - corner_prior) / len(places)) + 0.5 * np.log(1 - keep)
            parts.append((base - (n - 2) / 2 * np.log(s) + prior, s, mean(size, h, hg)))
    w = np.exp(np.array([p[0] for p in parts]) - max(p[0] for p in parts))
    w /= w.sum()
    g = sum(wi * p[2] for wi, p in zip(w, parts))
    sigma = np.sqrt(sum(wi * p[1] for wi, p in zip(w, parts)) / (n - 2))
    knots = np.interp(u, grid, g)
    print("curve", [f"{v:.10g}" for v in np.exp(knots)], f"sigma {sigma:.10g}",
          "minimum", at[0] + (at[-1] - at[0]) * grid[g.argmin()])


curve(SETTING, np.log(ENERGY))
