#!/usr/bin/env python3
"""How often intervals hold the ratio of two log-normal means, and their half width in ln.

caps_intervals.py [SIMULATIONS]: the reason for the choice of `scalelaw caps` (docs/explanation/caps.md). Needs NumPy and SciPy.
"""
import sys

import numpy as np
from scipy import stats

simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
rng = np.random.default_rng(1)
print("| runs | scatter | pooled over three settings | Welch, medians | generalised | MOVER | Cox, Welch |")
print("| ---: | --- | ---: | ---: | ---: | ---: | ---: |")
for n in (3, 5, 10):
    for s1, s2 in ((.02, .02), (.02, .06), (.1, .1), (.1, .3), (.3, .1), (.3, .3)):
        a, b, c = (rng.normal(0, s, (simulations, n)) for s in (s1, s2, s1))
        truth = (s1 ** 2 - s2 ** 2) / 2
        ma, mb = a.mean(1), b.mean(1)
        va, vb, vc = (x.var(1, ddof=1) for x in (a, b, c))
        cells = []

        def add(low, high):
            held = ((low <= truth) & (truth <= high)).mean()
            cells.append(f"{100 * held:.1f} ({((high - low) / 2).mean():.3f})")

        d = ma - mb
        half = stats.t.ppf(.975, 3 * (n - 1)) * np.sqrt((va + vb + vc) / 3 * 2 / n)
        add(d - half, d + half)
        v = (va + vb) / n
        dof = v ** 2 / ((va / n) ** 2 + (vb / n) ** 2) * (n - 1)
        half = stats.t.ppf(.975, dof) * np.sqrt(v)
        add(d - half, d + half)
        z, u = rng.normal(size=(2, 1000, 1)), rng.chisquare(n - 1, (2, 1000, 1))

        def pivot(m, var, i):
            sigma2 = (n - 1) * var / u[i]
            return m - z[i] * np.sqrt(sigma2 / n) + sigma2 / 2

        add(*np.quantile(pivot(ma, va, 0) - pivot(mb, vb, 1), [.025, .975], axis=0))
        t, c1, c2 = stats.t.ppf(.975, n - 1), stats.chi2.ppf(.975, n - 1), stats.chi2.ppf(.025, n - 1)

        def one(m, var):
            down = np.sqrt(t * t * var / n + (var / 2 * (1 - (n - 1) / c1)) ** 2)
            up = np.sqrt(t * t * var / n + (var / 2 * ((n - 1) / c2 - 1)) ** 2)
            return m + var / 2, down, up

        (ta, la, ua), (tb, lb, ub) = one(ma, va), one(mb, vb)
        add(ta - tb - np.hypot(la, ub), ta - tb + np.hypot(ua, lb))
        half = stats.t.ppf(.975, dof) * np.sqrt(v + (va ** 2 + vb ** 2) / 2 / (n - 1))
        add(ta - tb - half, ta - tb + half)
        print(f"| {n} | {100 * s1:g} %, {100 * s2:g} % | " + " | ".join(cells) + " |")
