#!/usr/bin/env python3
"""Reference values for the laws of repeated and of many tokens, for tests/fit/surface_laws_test.cpp.

SciPy's least squares of ln L on data/repeated/runs.csv, with all seven parameters, and with A, B, E,
alpha and beta held; the covariance is HC1 from central differences. The law is written anew here.
With a file of the runs of Muennighoff et al. (2023) as argument, the Huber losses of their 182 runs.
With one of Gadre et al. (2024) as second argument, their fits to five runs by least squares of L, and forecasts.
"""
import csv
import pathlib
import sys

import numpy as np
from scipy.optimize import least_squares, minimize

EXCLUDED = """2b84b4b 2b88b4b 2b812b4b 2b816b4b 2b824b4b 2b855b1b25 4b212b12b 4b224b12b 4b284b1b9 4b284b6b
2b8100m100m 14m7b5100m 14m300b100m 1b12b7100m 1b13b9100m 1b15b9100m 1b17b5100m 619m3b9100m 619m5b9100m
619m7b5100m 2b84b8100m 1b58b8100m 1b112b100m 619m22b100m 221m91b400m 221m174b400m 221m600b400m 8b712b12b
8b712b1b5 8b712b400m 8b712b100m 3b926b1b5 2b836b1b5 2b836b400m 2b836b100m 2b246b400m 2b246b100m 1b566b1b5
1b566b100m 1b191b400m 1b191b1b5 1b1250b1b5 1b5174b1b5 2b291b1b5 2b2174b1b5 8b720b1b5 2b877b1b5 8b7178b25bopt
421m300b1b5""".split()


def law(t, n, d, u):
    a, b, e, alpha, beta, rd, rn = np.exp(t[0]), np.exp(t[1]), t[2], t[3], t[4], np.exp(t[5]), np.exp(t[6])
    un = np.minimum(n, (alpha * a / (beta * b) * u**beta) ** (1 / alpha))
    ud = np.minimum(d, u)
    effective_n = un - un * rn * np.expm1(-(n / un - 1) / rn)
    effective_d = ud - ud * rd * np.expm1(-(d / ud - 1) / rd)
    return e + a * effective_n**-alpha + b * effective_d**-beta


def columns(rows, names):
    return [np.array([float(row[name]) for row in rows]) for name in names]


def report(name, f, start):
    found = least_squares(f, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale="jac", max_nfev=20000)
    x, r = found.x, f(found.x)
    h = 1e-6
    jacobian = np.array([(f(x + h * s) - f(x - h * s)) / (2 * h) for s in np.eye(len(x))]).T
    bread = np.linalg.inv(jacobian.T @ jacobian)
    leverage = (np.linalg.qr(jacobian)[0]**2).sum(axis=1)
    covariance = bread @ jacobian.T @ (jacobian * ((r / np.maximum(0.01, 1 - leverage))**2)[:, None]) @ bread  # HC3.
    print(name, "theta", [f"{v:.12g}" for v in x], "objective", f"{0.5 * r @ r:.12g}")
    print("  se of theta", [f"{v:.9g}" for v in np.sqrt(np.diag(covariance))])
    return x


def huber(r, delta=1e-3):
    size = np.abs(r)
    return np.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta)).sum()


here = pathlib.Path(__file__).resolve().parents[3] / "data/repeated/runs.csv"
N, D, U, L = columns(list(csv.DictReader(open(here))), ("parameters", "tokens", "unique_tokens", "loss"))
START = np.array([np.log(520), np.log(1490), 1.87, 0.35, 0.35, np.log(15), np.log(5)])
report("all", lambda t: np.log(law(t, N, D, U)) - np.log(L), START)
report("held", lambda t: np.log(law([*START[:5], *t], N, D, U)) - np.log(L), START[5:])

n, d, u, y = np.array([
    [7e6, 16e9, 4e8, 4.478], [2e7, 1.6e9, 1e8, 4.673], [7e6, 80e9, 1e9, 4.450], [2e7, 3.2e9, 4e8, 4.136],
    [2e7, 8e8, 1e8, 4.773], [3e8, 2e8, 1e8, 5.181], [3e8, 8e8, 1e8, 4.284], [2e7, 8e8, 1e8, 4.758],
    [2e7, 16e9, 1e9, 3.727], [8e7, 80e9, 1e9, 3.159]]).T
two_minima = lambda t: huber(np.log(law([*START[:5], *t], n, d, u)) - np.log(y))
for start in ((9, 3), (17, 3)):
    end = minimize(two_minima, np.log(start), method="Nelder-Mead",
                   options={"xatol": 1e-12, "fatol": 1e-17, "maxiter": 9000})
    print("two minima", start, np.exp(end.x), f"{end.fun:.13g}")

if len(sys.argv) > 1:
    rows = [r for r in csv.DictReader(open(sys.argv[1]))
            if r["name"] not in EXCLUDED and "seed" not in r["name"] and "opt" not in r["name"]]
    n, d, u, y = columns(rows, ("params", "tokens", "unique_tokens", "loss"))
    held = [6.255414, 7.3049974, np.exp(0.6254804), 0.3526596, 0.3526596]
    loss = lambda t: huber(np.log(law([*held, *t], n, d, u)) - np.log(y))
    print(len(rows), "published", loss(np.log([15.387756, 5.309743])))
    for start in ((15.4, 5.3), (90, 1.7), (47, 2.3)):
        end = minimize(loss, np.log(start), method="Nelder-Mead",
                       options={"xatol": 1e-12, "fatol": 1e-17, "maxiter": 9000})
        print(start, np.exp(end.x), end.fun)

if len(sys.argv) > 2:
    for dataset in ("c4_original", "rpj"):
        rows = [r for r in csv.DictReader(open(sys.argv[2])) if r["dataset"] == dataset and
                (r["multiplier"] == "1.0" or (r["multiplier"] == "16.0" and r["params"] == "10569312"))]
        n, d, y = columns(rows, ("params", "tokens", "loss_c4_val_shard_0000000_0000010_tar"))
        loss = lambda t, n, d: t[2] + (np.exp(t[0]) * (d / n) ** t[3] + np.exp(t[1]) * (d / n) ** -t[3]) * (
            6 * n * d) ** -t[3]
        x = report(dataset, lambda t: loss(t, n, d) - y, np.array([5, 5, 1.5, 0.12]))
        for large in ((1439795200, 921468928000), (6889410560, 137788211200)):
            print("  forecast at", large, f"{loss(x, *large):.9g}")
