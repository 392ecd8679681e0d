#!/usr/bin/env python3
"""Clustered errors of the law of two scales on data/two_scales/runs.csv, as literals for surface_test.cpp.

Clusters are quarters of a decade of the parameters. CR1 comes from statsmodels (OLS of the linearised law, clustered
covariance). CR2 and its degrees of freedom come from the n x n matrices of their definition (Bell and McCaffrey 2002;
Pustejovsky and Tipton 2018), which the library never forms. For Huber's loss the residuals are psi(r), and J^-1 takes
the place of (X'X)^-1, as in docs/explanation/two-scales.md. Made with scipy 1.10.1, statsmodels 0.13.5 and numpy 1.24.2.

  python3 tests/fit/oracle/surface_clusters.py
"""
import csv
import pathlib

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats

ROOT = pathlib.Path(__file__).resolve().parents[3]
rows = list(csv.DictReader(open(ROOT / "data/two_scales/runs.csv")))
N, D, L = (np.array([float(row[name]) for row in rows]) for name in ("parameters", "tokens", "loss"))
cluster = np.floor(4 * np.log10(N)).astype(int)
u, v = np.log(N), np.log(D)


def law(theta):
    """ln L and its gradient in (ln A, ln B, E, alpha, beta)."""
    a, b = np.exp(theta[0] - theta[3] * u), np.exp(theta[1] - theta[4] * v)
    total = a + b + theta[2]
    return np.log(total), np.stack([a, b, np.ones_like(a), -a * u, -b * v], axis=1) / total[:, None]


def psi_of(r, delta):
    return np.clip(r, -delta, delta)


def minimum(delta):
    def objective(theta):
        value, X = law(theta)
        r = value - np.log(L)
        size = np.abs(r)
        rho = np.where(size <= delta, r * r / 2, delta * (size - delta / 2)) if np.isfinite(delta) else r * r / 2
        return rho.sum(), X.T @ psi_of(r, delta)

    centre = np.array([u.mean(), v.mean()])

    def unscaled(t):  # Exponents hardly depend on terms at the centre of the runs.
        return np.array([t[0] + t[3] * centre[0], t[1] + t[4] * centre[1], t[2], t[3], t[4]])

    def scaled(t):
        f, g = objective(unscaled(t))
        return f * 1e4, 1e4 * np.array([g[0], g[1], g[2], g[3] + g[0] * centre[0], g[4] + g[1] * centre[1]])

    start = np.array([np.log(0.3), np.log(0.3), 1.8, 0.34, 0.35])
    found = optimize.minimize(scaled, start, jac=True, method="BFGS", options={"gtol": 1e-14, "maxiter": 5000}).x
    for _ in range(50):  # Newton steps with differences of the gradient.
        g = scaled(found)[1]
        H = np.array([(scaled(found + e)[1] - scaled(found - e)[1]) / 2e-6 for e in 1e-6 * np.eye(5)])
        step = np.linalg.solve((H + H.T) / 2, g)
        trial = found - step
        if np.abs(scaled(trial)[1]).max() >= np.abs(g).max():
            break
        found = trial
    return unscaled(found)


def slopes_of(r, delta):
    """psi' of each run, over the window of Hall and Sheather where delta is smaller."""
    if not np.isfinite(delta):
        return np.ones_like(r)
    n = len(r)
    size = np.abs(r) * np.sqrt(n / (n - 5))
    scale = np.sort(size)[n // 2] / stats.norm.ppf(0.75)
    width = np.cbrt(1.5 / (2 * np.pi) * stats.norm.ppf(0.975) ** 2 / n)
    window = max(delta, scale * stats.norm.ppf(min(0.95, 0.5 + width)))
    return np.where(size <= window, delta / window, 0)


def clustered(X, psi, slopes):
    n, p = X.shape
    bread = np.linalg.inv((X * slopes[:, None]).T @ X)
    hat = X @ np.linalg.solve(X.T @ X, X.T)
    members = [np.flatnonzero(cluster == c) for c in np.unique(cluster)]
    G = len(members)
    meat1, meat2, adjusted = np.zeros((p, p)), np.zeros((p, p)), []
    for i in members:
        score = X[i].T @ psi[i]
        meat1 += np.outer(score, score)
        values, vectors = np.linalg.eigh(np.eye(len(i)) - hat[np.ix_(i, i)])
        root = vectors @ np.diag([1 / np.sqrt(w) if w > 1e-9 else 0 for w in values]) @ vectors.T
        score = X[i].T @ root @ psi[i]
        meat2 += np.outer(score, score)
        adjusted.append((np.eye(n) - hat)[i].T @ root @ X[i])
    cr1 = bread @ meat1 @ bread * G / (G - 1) * (n - 1) / (n - p)
    cr2 = bread @ meat2 @ bread
    dof = []
    for k in range(p):
        P = np.stack([a @ bread[:, k] for a in adjusted])  # One row per cluster: the weights of all errors.
        S = P @ P.T
        dof.append(np.trace(S) ** 2 / np.sum(S * S))
    return cr1, cr2, np.array(dof)


for delta in (np.inf, 1e-3, 1e-2):
    theta = minimum(delta)
    value, X = law(theta)
    r = value - np.log(L)
    psi = psi_of(r, delta)
    cr1, cr2, dof = clustered(X, psi, slopes_of(r, delta))
    if np.isinf(delta):
        linear = sm.OLS(-r + X @ theta, X).fit(cov_type="cluster", cov_kwds={"groups": cluster})
        print("statsmodels against CR1 here:", np.abs(linear.bse / np.sqrt(np.diag(cr1)) - 1).max())
    for name, values in (("theta", theta), ("cr1", np.sqrt(np.diag(cr1))), ("cr2", np.sqrt(np.diag(cr2))), ("dof", dof)):
        print(f"delta {delta} {name}: " + ", ".join(f"{value:.15g}" for value in values))
print("clusters:", len(np.unique(cluster)))
