"""rank_scipy.py FILE [GROUPS]: fits the floor, Amdahl and USL laws of each group by scipy.optimize.curve_fit on ln y, as a
script would: with start values from the power law, and with the bounds of the law. Prints fits per second."""
import sys
import time

import numpy as np
import pandas as pd
from scipy.optimize import curve_fit


def floor(x, log_alpha, beta, gamma):
    return np.log(np.exp(log_alpha) * x**-beta + gamma)


def amdahl(x, log_t1, s):
    return log_t1 + np.log(s + (1 - s) / x)


def usl(x, log_t1, sigma, kappa):
    return log_t1 + np.log((1 + sigma * (x - 1) + kappa * x * (x - 1)) / x)


table = pd.read_csv(sys.argv[1])
groups = int(sys.argv[2]) if len(sys.argv) > 2 else 300
x_name, y_name = table.columns[-2], table.columns[-1]
parts = [(g[x_name].to_numpy(float), np.log(g[y_name].to_numpy())) for _, g in list(table.groupby(table.columns[0]))[:groups]]
start = time.perf_counter()
fits = failed = 0
for x, log_y in parts:
    slope, level = np.polyfit(np.log(x), log_y, 1)
    infinite = np.inf
    for law, first, bounds in (
        (floor, (level, -slope, 0.1 * np.exp(log_y.min())), ((-infinite, -infinite, 0), (infinite,) * 3)),
        (amdahl, (level, 0.01), ((-infinite, 0), (infinite, 1))),
        (usl, (level, 0.01, 1e-4), ((-infinite, 0, 0), (infinite,) * 3)),
    ):
        fits += 1
        try:
            curve_fit(law, x, log_y, p0=first, bounds=bounds)
        except RuntimeError:
            failed += 1
seconds = time.perf_counter() - start
print(f"{fits} fits in {seconds:.2f} s, {fits / seconds:.0f} a second, {failed} did not converge")
