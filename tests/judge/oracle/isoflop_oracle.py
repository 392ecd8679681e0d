#!/usr/bin/env python3
"""Reference values of isoflop_test.cpp, by SciPy: the line through the minima of all budgets.

All parameters (m_j, k_j, the line, and the exponents of powers) are fitted at once, the Jacobian is
that of finite differences, and CR2 takes the n x n matrices of its definition.
"""
import numpy as np
from scipy.optimize import least_squares

j, i = np.repeat(np.arange(5), 9), np.tile(np.arange(9), 5)  # Budget, and place among its sizes.
n = 5e6 * 2.0**(i + j)
d = 1e18 * 4.0**j / 6 / n
loss = (1.69 + 406.4 * n**-0.34 + 410.7 * d**-0.28) * np.exp(0.001 * np.sin(1.7 * (9 * j + i)**2))
c = np.log(6 * n * d)
budget = np.concatenate([[0], np.cumsum(np.diff(c) > 0.1)])
J = budget[-1] + 1
centre = np.array([c[budget == j].mean() for j in range(J)])  # ln of the geometric mean.
y = loss / np.array([loss[budget == j].mean() for j in range(J)])[budget]
u = np.log(n) - np.log(n).mean()
origin = np.log(1e22)


def model(theta, powers, bent=False):
    m, k = theta[:J], theta[J:2 * J]
    square = theta[-1] * (centre - centre.mean())**2 if bent else 0
    t = u - (theta[2 * J] + theta[2 * J + 1] * (centre - origin) + square)[budget]
    if powers:
        alpha, beta = np.exp(theta[2 * J + 2:2 * J + 4])
        g = np.expm1(-alpha * t) / alpha + np.expm1(beta * t) / beta
    else:
        g = t * t / 2
    return m[budget] + k[budget] * g


for powers in (False, True):
    start = np.concatenate([np.ones(J), np.full(J, 0.02), [4, 0.45], list(np.log([0.34, 0.28])) if powers else []])
    fit = least_squares(lambda theta: model(theta, powers) - y, start, method="lm", xtol=1e-15, ftol=1e-15,
                        gtol=1e-15, max_nfev=100000)
    bent = least_squares(lambda theta: model(theta, powers, True) - y, np.append(fit.x, 0), method="lm", xtol=1e-15,
                         ftol=1e-15, gtol=1e-15, max_nfev=100000)
    B = np.array([(model(bent.x + 1e-5 * e, powers, True) - model(bent.x - 1e-5 * e, powers, True)) / 2e-5
                  for e in np.eye(len(bent.x))]).T
    left = len(y) - len(bent.x)
    variance = bent.fun @ bent.fun / left * np.linalg.inv(B.T @ B)[-1, -1]
    print(f"F of a square {bent.x[-1]**2 / variance:.8f} with 1 and {left}")
    step = 1e-5
    X = np.array([(model(fit.x + step * e, powers) - model(fit.x - step * e, powers)) / (2 * step)
                  for e in np.eye(len(fit.x))]).T
    inverse = np.linalg.inv(X.T @ X)
    residual = -fit.fun
    dof = len(y) - len(fit.x)
    sigma2 = residual @ residual / dof
    H = X @ inverse @ X.T
    M = np.eye(len(y)) - H
    print("powers" if powers else "parabolas", "dof", dof, "sigma", np.sqrt(sigma2), "exponents", np.exp(fit.x[2 * J + 2:]))
    for name, k in (("ln N* at 1e22", 2 * J), ("exponent", 2 * J + 1)):
        w = X @ inverse[k]
        variance, columns = 0, []
        for size in np.unique(n):
            at = np.flatnonzero(n == size)
            values, vectors = np.linalg.eigh(M[np.ix_(at, at)])
            root = vectors @ np.diag([v**-0.5 if v > 1e-8 else 0 for v in values]) @ vectors.T
            adjusted = np.zeros(len(y))
            adjusted[at] = root @ w[at]
            variance += (adjusted @ residual)**2
            columns.append(M @ adjusted)
        P = np.array(columns) @ np.array(columns).T
        value = fit.x[k] + (np.log(n).mean() if k == 2 * J else 0)
        print(f"  {name}: {value:.10f} se {np.sqrt(sigma2 * inverse[k, k]):.8f} "
              f"CR2 {np.sqrt(variance):.8f} dof {np.trace(P)**2 / np.sum(P * P):.6f}")
