#!/usr/bin/env python3
"""Quantiles of the mean cost if some observations are only known to exceed a bound.

This is the posterior of the corrected Thompson sampling (docs/explanation/replay.md): normal costs, a
flat prior of the mean, a scaled inverse chi-squared prior of the variance worth four costs, and
right-censored observations. NumPy and SciPy integrate it on a grid. censored_normal_test.cpp has the
quantiles.
"""

import numpy as np
from scipy.special import log_ndtr

PRIOR_DOF = 4


def quantiles(costs, bounds, relative_variance, shares=(0.05, 0.5, 0.95), cells=1000):
    costs = np.array(costs, float)
    n, mean = len(costs), costs.mean()
    squares = PRIOR_DOF * relative_variance * mean**2 + ((costs - mean) ** 2).sum()
    middle = 0.5 * np.log(squares / (PRIOR_DOF + n - 1))
    log_sd = np.linspace(middle - 3, middle + 9, cells)[:, None]
    theta = np.linspace(-8, 40, 4 * cells)[None, :]  # (mu - mean) / sd
    log_density = -(PRIOR_DOF + n - 1) * log_sd - squares / 2 * np.exp(-2 * log_sd) - n * theta**2 / 2
    for bound in bounds:
        log_density = log_density + log_ndtr(theta - (bound - mean) * np.exp(-log_sd))
    weight = np.exp(log_density - log_density.max()).ravel()
    mu = (mean + theta * np.exp(log_sd)).ravel()
    order = np.argsort(mu)
    below = np.cumsum(weight[order])
    return [mu[order][np.searchsorted(below, share * below[-1])] for share in shares]


for costs, bounds, relative_variance in [
    ([90], [150] * 3, 0.01),
    ([90], [180] * 5, 0.0025),
    ([90, 95, 92], [180] * 6, 0.0025),
    ([90, 95, 100, 92, 97, 99, 94, 93, 91, 96], [190] * 40, 0.0025),
    ([90], [100, 150, 180], 0.01),
]:
    print(costs, bounds, relative_variance, np.round(quantiles(costs, bounds, relative_variance), 1))
