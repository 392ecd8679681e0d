#!/usr/bin/env python3
"""Reference values for joint fits, for tests/fit/shared_test.cpp: one dense least-squares problem
over all parameters of all groups, solved by scipy to rounding, with the dense normal matrix."""
import numpy as np
from scipy import stats
from scipy.optimize import brentq, least_squares

N = np.array([1e8, 1e8, 1e8, 4e8, 4e8, 4e8, 1.6e9, 1.6e9, 1.6e9])
D = np.array([2e9, 8e9, 3.2e10] * 3)
L = [np.array([3.46, 3.02, 2.78, 3.17, 2.77, 2.49, 3.04, 2.60, 2.35]),
     np.array([3.70, 3.26, 2.97, 3.43, 2.97, 2.70, 3.23, 2.80, 2.51]),
     np.array([3.31, 2.90, 2.66, 3.02, 2.65, 2.39, 2.90, 2.48, 2.25])]
X = np.array([1, 2, 4, 8, 16, 32.0])
T = [np.array([102, 55, 29, 16, 9.5, 6.1]), np.array([210, 108, 60, 33, 20, 12.8]),
     np.array([51, 27, 15.2, 8.1, 5.3, 3.2])]


def newton(residuals, start):
    fit = least_squares(residuals, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale="jac", jac="3-point")
    theta = fit.x
    for _ in range(30):
        h = 1e-5 * np.maximum(1, np.abs(theta))
        jac = np.array([(residuals(theta + e) - residuals(theta - e)) / (2 * e.sum())
                        for e in np.diag(h)]).T
        step = np.linalg.lstsq(jac, residuals(theta), rcond=None)[0]
        theta = theta - step
    return theta, jac


def surfaces(theta):
    """lnA, lnB, alpha, beta of each group about the centre, then E."""
    out = []
    for g in range(3):
        a, b, alpha, beta = theta[4 * g:4 * g + 4]
        out.append(np.log(theta[12] + np.exp(a - alpha * np.log(N / 4e8)) + np.exp(b - beta * np.log(D / 8e9)))
                   - np.log(L[g]))
    return np.concatenate(out)


theta, jac = newton(surfaces, [0, 0, .34, .33] * 3 + [1.7])
r = surfaces(theta)
bread = np.linalg.inv(jac.T @ jac)
cov = bread @ (jac.T * r**2) @ jac @ bread * 27 / 14
print("surfaces: E", repr(theta[12]), "se", repr(np.sqrt(cov[12, 12])))
for g in range(3):
    a, b, alpha, beta = theta[4 * g:4 * g + 4]
    print("  A", repr(np.exp(a + alpha * np.log(4e8))), "B", repr(np.exp(b + beta * np.log(8e9))), "alpha",
          repr(alpha), "se", repr(np.sqrt(cov[4 * g + 2, 4 * g + 2])), "beta", repr(beta), "se",
          repr(np.sqrt(cov[4 * g + 3, 4 * g + 3])))
rss = r @ r
n, k = 27, 14
ll = -0.5 * n * (np.log(2 * np.pi * rss / n) + 1)
print("  rss", repr(rss), "aicc", repr(2 * k - 2 * ll + 2 * k * (k + 1) / (n - k - 1)))
alone = 0
for g in range(3):
    fit, _ = newton(lambda t: np.log(t[4] + np.exp(t[0] - t[2] * np.log(N / 4e8)) + np.exp(t[1] - t[3] * np.log(D / 8e9)))
                    - np.log(L[g]), [0, 0, .34, .33, 1.7])
    rg = np.log(fit[4] + np.exp(fit[0] - fit[2] * np.log(N / 4e8)) + np.exp(fit[1] - fit[3] * np.log(D / 8e9))) - np.log(L[g])
    alone += rg @ rg
f = (rss - alone) / 2 / (alone / 12)
print("  test f", repr(f), "p", repr(stats.f.sf(f, 2, 12)))
factor = bread[12, 12] / cov[12, 12]
reach = stats.t.ppf(0.975, 14)


def rise(value):
    def held(t):
        return surfaces(np.append(t, value))
    t, _ = newton(held, theta[:12])
    return np.sqrt((held(t) @ held(t) - rss) * factor) - reach


print("  profile of E", repr(brentq(rise, theta[12] - 0.6, theta[12] - 1e-3, xtol=1e-12)),
      repr(brentq(rise, theta[12] + 1e-3, theta[12] + 0.4, xtol=1e-12)))


def curves(theta):
    """ln alpha and gamma of each group, then beta."""
    return np.concatenate([np.log(np.exp(theta[2 * g] - theta[6] * np.log(X)) + theta[2 * g + 1]) - np.log(T[g])
                           for g in range(3)])


theta, jac = newton(curves, [4.6, .5, 5.3, .5, 3.9, .3, 0.95])
r = curves(theta)
s2 = r @ r / (18 - 7)
cov = np.linalg.inv(jac.T @ jac) * s2
print("curves: beta", repr(theta[6]), "se", repr(np.sqrt(cov[6, 6])), "sigma", repr(np.sqrt(s2)))
for g in range(3):
    print("  alpha", repr(np.exp(theta[2 * g])), "gamma", repr(theta[2 * g + 1]), "se", repr(np.sqrt(cov[2 * g + 1, 2 * g + 1])))
reach = stats.t.ppf(0.975, 11)


def rise1(k, value):
    free = [i for i in range(7) if i != k]

    def held(t):
        whole = np.zeros(7)
        whole[free] = t
        whole[k] = value
        return curves(whole)
    t, _ = newton(held, theta[free])
    return np.sqrt((held(t) @ held(t) - r @ r) / s2) - reach


for k, name in ((6, "beta"), (1, "gamma of the first")):
    se = np.sqrt(cov[k, k])
    print("  profile of", name, repr(brentq(lambda v: rise1(k, v), theta[k] - 4 * se, theta[k] - .1 * se, xtol=1e-12)),
          repr(brentq(lambda v: rise1(k, v), theta[k] + .1 * se, theta[k] + 4 * se, xtol=1e-12)))
rss = r @ r
alone = 0
for g in range(3):
    def one(t, g=g):
        return np.log(np.exp(t[0] - t[2] * np.log(X)) + t[1]) - np.log(T[g])
    t, _ = newton(one, [theta[2 * g], theta[2 * g + 1], theta[6]])
    alone += one(t) @ one(t)
f = (rss - alone) / 2 / (alone / 9)
print("  test f", repr(f), "p", repr(stats.f.sf(f, 2, 9)))
print("  difference ln alpha 2 - 1", repr(theta[2] - theta[0]), "se",
      repr(np.sqrt(cov[2, 2] + cov[0, 0] - 2 * cov[0, 2])))

# What the second recipe needs over what the first needs for the same loss.


def lines(theta):
    """ln alpha of each group, then beta."""
    return np.concatenate([theta[g] - theta[3] * np.log(X) - np.log(T[g]) for g in range(3)])


theta, jac = newton(lines, [4.6, 5.3, 3.9, 0.95])
r = lines(theta)
cov = np.linalg.inv(jac.T @ jac) * (r @ r / 14)
g = np.array([-1, 1, 0, -(theta[1] - theta[0]) / theta[3]]) / theta[3]
print("power: ln ratio", repr((theta[1] - theta[0]) / theta[3]), "se", repr(np.sqrt(g @ cov @ g)))
one = [np.polyfit(-np.log(X), np.log(T[k]), 1, cov="unscaled") for k in range(2)]
needs, variances = [], []
for k in range(2):
    (beta, alpha), v = one[k]
    s2 = np.sum((np.log(T[k]) - alpha + beta * np.log(X)) ** 2) / 4
    y = np.log(12.8)
    needs.append((alpha - y) / beta)
    grad = np.array([-(alpha - y) / beta**2, 1 / beta])
    variances.append(grad @ v @ grad * s2)
print("  separate at 12.8", repr(needs[1] - needs[0]), "se", repr(np.sqrt(sum(variances))), "dof",
      repr(sum(variances)**2 / sum(v**2 / 4 for v in variances)))


def alike(theta):
    """ln A, ln B of each group about the centre, then E, alpha, beta."""
    e, alpha, beta = theta[6:]
    return np.concatenate([np.log(e + np.exp(theta[2 * g] - alpha * np.log(N / 4e8))
                                  + np.exp(theta[2 * g + 1] - beta * np.log(D / 8e9))) - np.log(L[g])
                           for g in range(3)])


def log_product(theta, g):
    e, alpha, beta = theta[6:]
    best = [np.inf]
    a, b = theta[2 * g] + alpha * np.log(4e8), theta[2 * g + 1] + beta * np.log(8e9)
    log_g = (np.log(alpha / beta) + a - b) / (alpha + beta)
    k = np.exp(a - alpha * log_g) + np.exp(b + beta * log_g)
    return (np.log(k) - np.log(2.6 - e)) * (alpha + beta) / (alpha * beta)


theta, jac = newton(alike, [0, 0, .1, .1, -.1, -.1, 1.7, .35, .34])
r = alike(theta)
bread = np.linalg.inv(jac.T @ jac)
cov = bread @ (jac.T * r**2) @ jac @ bread * 27 / 18
ratio = lambda t: log_product(t, 1) - log_product(t, 0)  # noqa: E731
g = np.array([(ratio(theta + e) - ratio(theta - e)) / 2e-6 for e in 1e-6 * np.eye(9)])
print("chinchilla: ln ratio", repr(ratio(theta)), "se", repr(np.sqrt(g @ cov @ g)))
