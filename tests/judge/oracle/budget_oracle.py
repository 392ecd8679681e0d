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



def repeated_loss(n, d, unique, r_d=15, r_n=5):
    """Muennighoff et al. (2023): the loss where tokens beyond the unique ones are seen again."""
    u = min(unique, d)
    best = (ALPHA * A / (BETA * B))**(1 / ALPHA) * u**(BETA / ALPHA)
    n = n if n <= best else best * (1 + r_n * (1 - np.exp(-(n / best - 1) / r_n)))
    d = u * (1 + r_d * (1 - np.exp(-(d / u - 1) / r_d)))
    return E + A * n**-ALPHA + B * d**-BETA, d


def best_of(loss, tokens):
    grid = np.linspace(15, 30, 3001)
    place = np.argmin([loss(np.exp(u), tokens(np.exp(u)))[0] for u in grid])
    found = minimize_scalar(lambda u: loss(np.exp(u), tokens(np.exp(u)))[0], bounds=(grid[place - 1], grid[place + 1]),
                            method="bounded", options={"xatol": 1e-13})
    n = np.exp(found.x)
    d = tokens(n)
    return f"n {n:.8g} d {d:.6g} loss {found.fun:.10f} worth {loss(n, d)[1]:.6g}"


week = lambda n: tokens_within({"deadline": 7 * DAY}, 0, n, 64)
for title, unique, tokens in [("7 days on 64 GPUs, 5e10 unique", 5e10, week), ("the same, 1e10 unique", 1e10, week),
                              ("1e22 FLOP, 5e10 unique", 5e10, lambda n: 1e22 / (6 * n))]:
    print(title, best_of(lambda n, d: repeated_loss(n, d, unique), tokens))
n = (7 * DAY * 64 / (C * 64**Q * 5e10))**(1 / P)  # A larger model does not see all of them.
print(f"7 days on 64 GPUs, one epoch of 5e10: n {n:.9g} loss {E + A * n**-ALPHA + B * 5e10**-BETA:.10f}")

print(f"10 % more than 7 days on 16 GPUs: {plan({'deadline': 7 * DAY}, 0, 16, 16)[1] - plan({'deadline': 7.7 * DAY}, 0, 16, 16)[1]:.12f}")
i = np.arange(12)
n, g = 1e8 * 2.0**(i % 4), 8 * 2.0**(i // 4)
y = C * n**P * g**Q * np.exp(0.05 * np.sin(1.7 * (i + 1)**2))
for name, X, z in [("both", np.stack([np.ones(12), np.log(n), np.log(g)], 1), np.log(y)),
                   ("gpus", np.stack([np.ones(12), np.log(g)], 1), np.log(y / n)),
                   ("clustered", np.stack([np.ones(12), np.log(n), np.log(g)], 1), np.log(y) + 0.1 * (-1.0)**(i % 4))]:
    solution, rss, *_ = np.linalg.lstsq(X, z, rcond=None)
    sigma = np.sqrt(rss[0] / (12 - X.shape[1]))
    errors = sigma * np.sqrt(np.diag(np.linalg.inv(X.T @ X)))
    if name == "clustered":
        residual = z - X @ solution
        of_points, inverse, clusters = i % 4, np.linalg.inv(X.T @ X), 4
        H = X @ inverse @ X.T
        root = np.zeros((12, 12))  # Of CR2: blocks (I - H_gg)^(-1/2).
        for c in range(clusters):
            own = of_points == c
            values, vectors = np.linalg.eigh(np.eye(own.sum()) - H[np.ix_(own, own)])
            root[np.ix_(own, own)] = vectors @ np.diag([v**-0.5 if v > 1e-9 else 0 for v in values]) @ vectors.T
        scores = [X[of_points == c].T @ (root @ residual)[of_points == c] for c in range(clusters)]
        cr2 = inverse @ sum(np.outer(s, s) for s in scores) @ inverse
        direction = np.array([1, np.log(1e9), np.log(64)])
        G = np.stack([(np.eye(12) - H) @ root @ np.where(of_points == c, X @ inverse @ direction, 0)
                      for c in range(clusters)], 1)
        P = G.T @ G
        inside = lambda m: m - np.stack([m[of_points == c].mean(0) for c in of_points])
        own_rss = np.linalg.lstsq(inside(X), inside(z), rcond=None)
        left = inside(z) - inside(X) @ own_rss[0]
        own = left @ left / (12 - clusters - 1)
        Z = np.equal.outer(of_points, np.arange(clusters)).astype(float)
        shared = (rss[0] - own * 9) / np.trace((np.eye(12) - H) @ Z @ Z.T)
        print("clustered: se", np.sqrt(np.diag(cr2))[1:], "dof", np.trace(P)**2 / np.sum(P * P),
              "sigma", np.sqrt(own + shared if shared > 0 else rss[0] / 9))
    print(name, "exponents", solution[1:], "se", errors[1:], "sigma", sigma)
