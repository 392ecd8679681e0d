#!/usr/bin/env python3
"""Reference values of budget_test.cpp, by SciPy: plans by bounded searches over ln n and ln g, and the law of
time by NumPy's least squares."""
import numpy as np
from scipy.optimize import minimize_scalar

E, A, B, ALPHA, BETA = 1.69, 406.4, 410.7, 0.34, 0.28
C, P, Q = 7.5e-14, 0.95, 0.08  # GPU-seconds per token: C n^P g^Q.
W, WQ = 400, -0.03             # Watts of a GPU: W g^WQ.


def tokens_within(limits, served, n, g):
    """The most tokens of training that all limits allow."""
    gpu_seconds = C * n**P * g**Q  # Of a token, as all that follow.
    kwh = 1.2 * gpu_seconds * W * g**WQ / 3.6e6
    drains = {"deadline": gpu_seconds / g, "gpu_hours": gpu_seconds / 3600, "kwh": kwh,
              "cost": 2 * gpu_seconds / 3600 + 0.25 * kwh, "co2_kg": 0.056 * kwh, "flop": 6 * n}
    return min(limit / drains[name] - (0 if name == "deadline" else served * 2 / 6) for name, limit in limits.items())


def plan(limits, served, most, fewest):
    def best_n(g):
        def loss(u):
            d = tokens_within(limits, served, np.exp(u), g)
            return E + A * np.exp(-ALPHA * u) + B * d**-BETA if d > 0 else 1e9 + u
        return minimize_scalar(loss, bounds=(15, 30), method="bounded", options={"xatol": 1e-12})
    g = fewest
    if most > fewest:
        g = np.exp(minimize_scalar(lambda v: best_n(np.exp(v)).fun, bounds=(np.log(fewest), np.log(most)),
                                   method="bounded", options={"xatol": 1e-12}).x)
        g = min((fewest, g, most), key=lambda one: best_n(one).fun)
    found = best_n(g)
    n = np.exp(found.x)
    return (n, tokens_within(limits, served, n, g), g), found.fun


DAY = 86400
for title, limits, served, fewest, most in [
        ("7 days on 64 GPUs", {"deadline": 7 * DAY}, 0, 8, 64),
        ("5,000 GPU-hours", {"gpu_hours": 5000}, 0, 8, 64),
        ("7 days, 64 GPUs, 5,000 GPU-hours", {"deadline": 7 * DAY, "gpu_hours": 5000}, 0, 8, 64),
        ("3,000 kWh on 16 GPUs", {"kwh": 3000}, 0, 16, 16),
        ("10,000 money on 16 GPUs", {"cost": 10000}, 0, 16, 16),
        ("100 kg of CO2 on 16 GPUs", {"co2_kg": 100}, 0, 16, 16),
        ("1e22 FLOP, 1e12 served", {"flop": 1e22}, 1e12, 16, 16),
        ("1e22 FLOP", {"flop": 1e22}, 0, 16, 16)]:
    v, least = plan(limits, served, most, fewest)
    print(f"{title}: n {v[0]:.6g} d {v[1]:.6g} gpus {v[2]:.6g} loss {least:.10f}")

i = np.arange(12)
n, g = 1e8 * 2.0**(i % 4), 8 * 2.0**(i // 4)
y = C * n**P * g**Q * np.exp(0.05 * np.sin(1.7 * (i + 1)**2))
for name, X, z in [("both", np.stack([np.ones(12), np.log(n), np.log(g)], 1), np.log(y)),
                   ("gpus", np.stack([np.ones(12), np.log(g)], 1), np.log(y / n))]:
    solution, rss, *_ = np.linalg.lstsq(X, z, rcond=None)
    sigma = np.sqrt(rss[0] / (12 - X.shape[1]))
    errors = sigma * np.sqrt(np.diag(np.linalg.inv(X.T @ X)))
    print(name, "exponents", solution[1:], "se", errors[1:], "sigma", sigma)
