#!/usr/bin/env python3
"""Literals of score_test.cpp: scores at a place of a surface, and their intervals.

usage: make_score_oracle.py build/release/bin/scalelaw RUNS.csv N:D

The surface, its covariance and sigma are those of `scalelaw fit --law chinchilla`, which
make_surface_oracle.py checks. The sigmoid is fitted by scipy 1.10's curve_fit, the errors of both are
carried through by finite differences, and a mixture over the held end is inverted by brentq.
"""
import json
import subprocess
import sys

import numpy as np
from scipy.optimize import brentq, curve_fit
from scipy.stats import t as student

program, path, place = sys.argv[1:]
n, d = (float(part) for part in place.split(":"))
fit = json.loads(subprocess.run([program, "fit", path, "-x", "parameters,tokens", "-y", "loss", "--law", "chinchilla",
                                 "--quiet", "--format", "json"], capture_output=True, check=True).stdout)["fits"][0]
theta = np.array([fit["parameters"][name]["estimate"] for name in ("A", "B", "E", "alpha", "beta")])
theta[:2] = np.log(theta[:2])
covariance = np.array(fit["covariance"]).reshape(5, 5)


def log_loss(v):
    return np.log(v[2] + np.exp(v[0] - v[3] * np.log(n)) + np.exp(v[1] - v[4] * np.log(d)))


def gradient(function, v):
    out = []
    for i in range(len(v)):
        step = 1e-6 * max(abs(v[i]), 1e-3) * np.eye(len(v))[i]
        out.append((function(v + step) - function(v - step)) / (2 * step[i]))
    return np.array(out)


loss = np.exp(log_loss(theta))
of_theta = gradient(log_loss, theta)
loss_se = np.sqrt(of_theta @ covariance @ of_theta)

rows = [line.split(",") for line in open(path).read().split()[1:]]
rows = [(float(row[2]), float(row[3])) for row in rows if row[3]]
x, y = np.array(rows).T


def curve(x, low, k, x0, high):
    return low + (high - low) / (1 + np.exp(k * (x - x0)))


def part(high=None):
    """Value, standard error, spread of a new run, degrees of freedom, sum of squares."""
    def model(x, *v):
        return curve(x, *v) if high is None else curve(x, *v, high)
    start = [0.25, 3, 2.7, 0.85][: 4 if high is None else 3]
    v, c = curve_fit(model, x, y, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, maxfev=100000)
    dof = len(x) - len(v)
    rss = np.sum((y - model(x, *v)) ** 2)
    slope = loss * (model(loss * (1 + 1e-6), *v) - model(loss * (1 - 1e-6), *v)) / (2e-6 * loss)
    own = gradient(lambda w: model(loss, *w), v)
    se = np.hypot(np.sqrt(own @ c @ own), slope * loss_se)
    return model(loss, *v), se, np.hypot(se, np.hypot(np.sqrt(rss / dof), slope * fit["sigma"])), dof, rss, v


best = part()
print("loss", repr(loss), "best", best)
factor = student.ppf(0.975, min(fit["dof"], best[3]))
print("one curve", repr(best[0]), [best[0] - factor * best[1], best[0] + factor * best[1]],
      [best[0] - factor * best[2], best[0] + factor * best[2]])
parts = [part(place / 50) for place in range(50, 0, -1) if place / 50 >= y.max()]
weights = np.array([(p[4] / p[3]) ** (-p[3] / 2) for p in parts])
weights /= weights.sum()


def quantile(p, which):
    def below(v):
        return sum(w * student.cdf((v - one[0]) / one[which], min(fit["dof"], one[3]))
                   for w, one in zip(weights, parts)) - p
    return brentq(below, -5, 5, xtol=1e-15)


print("mixture", repr(quantile(0.5, 1)), [quantile(0.025, 1), quantile(0.975, 1)],
      [quantile(0.025, 2), quantile(0.975, 2)])
