#!/usr/bin/env python3
"""Literals of score_test.cpp: scores at a place of a surface, and their intervals.

usage: make_score_oracle.py build/release/bin/scalelaw RUNS.csv N:D

RUNS.csv has the columns parameters, tokens, loss and score, in this order.

The surface, its covariance and sigma are those of `scalelaw fit --law chinchilla`, which
make_surface_oracle.py checks. The sigmoid is fitted by scipy 1.10's curve_fit. The ends of an interval are the
least and the greatest score that scipy's SLSQP finds over all parameters of the curve, the move of the loss and the
residual of the new run, where the deviance stays within its limit and both ends of the curve within [0, 1].
"""
import json
import subprocess
import sys

import numpy as np
from scipy.optimize import least_squares, minimize
from scipy.stats import f as fisher
from scipy.stats import t as student

program, path, place = sys.argv[1:]
n, d = (float(part) for part in place.split(":"))
fit = json.loads(subprocess.run([program, "fit", path, "-x", "parameters,tokens", "-y", "loss", "--law", "chinchilla",
                                 "--quiet", "--format", "json"], capture_output=True, check=True).stdout)["fits"][0]
theta = np.array([fit["parameters"][name]["estimate"] for name in ("A", "B", "E", "alpha", "beta")])
theta[:2] = np.log(theta[:2])
covariance = np.array(fit["covariance"]).reshape(5, 5)
terms = np.array([np.exp(theta[0] - theta[3] * np.log(n)), np.exp(theta[1] - theta[4] * np.log(d))])
loss = theta[2] + terms.sum()
slopes = np.array([terms[0], terms[1], 1, -terms[0] * np.log(n), -terms[1] * np.log(d)]) / loss
loss_se = np.sqrt(slopes @ covariance @ slopes)

rows = [line.split(",") for line in open(path).read().split()[1:]]
x, y = np.array([(float(row[2]), float(row[3])) for row in rows if row[3]]).T
span = x.max() - x.min()


def curve(at, v):
    """v: low, high, ln(k span), (half - mean x) / span."""
    z = np.exp(v[2]) * ((at - x.mean()) / span - v[3])
    return v[0] + (v[1] - v[0]) / (1 + np.exp(np.clip(z, -500, 500)))


bounds = [(0, 1), (0, 1), (-4, 6), (-5, 3)]
starts = [(low, high, k, half) for low in (0.25, 0.7) for high in (0.15, 0.5, 0.85) for k in (0.5, 1.5)
          for half in (-1, -0.3)]
fits = [least_squares(lambda v: y - curve(x, v), start, bounds=list(zip(*bounds)), xtol=1e-15, ftol=1e-15, gtol=1e-15)
        for start in starts]
best = min(fits, key=lambda one: one.cost)
rss, dof = 2 * best.cost, len(x) - 4
sigma = np.sqrt(rss / dof)
dof = min(dof, fit["dof"])
flat = np.sum((y - y.mean()) ** 2)
joint = 4 * fisher.ppf(0.95, 4, dof)
rise = joint if (flat - rss) / sigma**2 <= joint else student.ppf(0.975, dof) ** 2
print("loss", repr(loss), "score", repr(curve(loss, best.x)), "rss", repr(rss), best.x)


def end(sign, new_run):
    error = np.hypot(loss_se, fit["sigma"]) if new_run else loss_se

    def score(v):
        return curve(loss * np.exp(error * v[4]), v) + (sigma * v[5] if new_run else 0)

    def room(v):
        return (rss + sigma**2 * rise - np.sum((y - curve(x, v)) ** 2)) / sigma**2 - v[4] ** 2 - v[5] ** 2

    found = []
    for one in sorted(fits, key=lambda one: one.cost)[:3]:
        for move in (0, sign, -sign):
            start = np.append(one.x, [move, sign])
            result = minimize(lambda v: -sign * score(v), start, bounds=bounds + [(-5, 5)] * 2, method="SLSQP",
                              constraints=[{"type": "ineq", "fun": room},
                                           {"type": "ineq", "fun": score},
                                           {"type": "ineq", "fun": lambda v: 1 - score(v)}],
                              options={"maxiter": 500, "ftol": 1e-14})
            if room(result.x) > -1e-6:
                found.append(score(result.x))
    return float(max(found) if sign > 0 else min(found))


print("ci", [end(-1, False), end(1, False)])
print("pi", [end(-1, True), end(1, True)])
