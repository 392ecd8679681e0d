"""Expectations for likelihood_test.cpp: profile log-likelihoods by scipy. The curve gets the held parameter, and
Nelder-Mead finds the others from several starts.  python3 tests/fit/oracle/profile_oracle.py"""
import numpy as np
from scipy.optimize import minimize

X = np.array([1, 2, 4, 8, 16, 32, 64, 1, 4, 16, 64.0])
Y = np.array([101, 55.5, 31.0, 18.1, 12.9, 9.3, 8.4, 97.0, 32.4, 12.1, 8.0])


def power(alpha, beta):
    return alpha - beta * np.log(X)


def floor(alpha, beta, gamma):
    return np.log(np.exp(alpha) * X**-beta + abs(gamma))


def amdahl(t1, s):
    s = min(max(s, 0), 1)
    return t1 + np.log(s + (1 - s) / X)


def usl(t1, sigma, kappa):
    return t1 + np.log((1 + sigma * (X - 1) + abs(kappa) * X * (X - 1)) / X)


def broken(alpha, low, high, place):
    past = np.maximum(np.log(X) - place, 0)
    return alpha - low * (np.log(X) - past) - high * past


def rss(curve, theta):
    if curve is broken and not np.log(4) <= theta[3] <= np.log(16):
        return 1e9  # Three different x on either side.
    return np.sum((np.log(Y) - curve(*theta)) ** 2)


def least(curve, start, held=None, value=None):
    free = [k for k in range(len(start)) if k != held]

    def full(u):
        theta = np.array(start, float)
        theta[free] = u
        if held is not None:
            theta[held] = value
        return theta

    best = np.inf
    for scale in (0.9, 1.0, 1.1):
        u = np.array(start, float)[free] * scale
        for _ in range(6):
            found = minimize(lambda u: rss(curve, full(u)), u, method="Nelder-Mead",
                             options={"xatol": 1e-13, "fatol": 1e-16, "maxiter": 20000, "maxfev": 20000})
            u = found.x
        best = min(best, found.fun)
    return best


for name, curve, start, held, values in [
    ("power beta", power, [4.4, 0.6], 1, [0.49602734910121, 0.670844425663847]),
    ("floor beta", floor, [4.5, 0.98, 6.0], 1, [0.899353506550175, 1.0631575413986]),
    ("amdahl s", amdahl, [4.6, 0.065], 1, [0.0577560676780427, 0.0722974211975765]),
    ("usl sigma", usl, [4.6, 0.063, 1e-5], 1, [0.0475625136635013, 0.0786312729532856]),
    ("broken beta_high", broken, [4.6, 0.85, 0.3, 2.4], 2, [0.218829901077177, 0.391332884930281]),
    ("broken break", broken, [4.6, 0.85, 0.3, 2.4], 3, [np.log(8.30347249690496), np.log(14.9592670400664)]),
]:
    top = least(curve, start)
    for value in values:
        print(name, value, "%.9g" % (-0.5 * len(X) * np.log(least(curve, start, held, value) / top)))
