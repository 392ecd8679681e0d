"""Reference values for tests/energy/energy_scaling_test.cpp, from statsmodels and scipy.

    /usr/bin/python3 tests/energy/oracle/energy_oracle.py
"""
import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats

N = np.array([1, 1, 1, 4, 4, 4, 16, 16, 16, 64, 64, 64], float)
T = np.array([1000, 1030, 985, 290, 283, 297, 104, 108, 101, 61, 59, 63], float)
E = np.array([301, 309, 297, 335, 331, 340, 462, 481, 455, 1040, 1012, 1071], float) * 1e3
W = np.array([299, 301, 300, 288, 291, 287, 277, 279, 280, 266, 267, 265], float)  # One GPU.
B = np.array([32, 64, 32, 64, 64, 128, 256, 128, 256, 512, 512, 1024], float)
S = np.full(12, 50000.0)


def ols(y, *columns):
    return sm.OLS(y, sm.add_constant(np.column_stack(columns))).fit()


def show(name, *values):
    print(f"{name:28s}", *(f"{v:.12g}" for v in values))


def slope(name, y, x):
    fit = ols(np.log(y), np.log(x))
    lower, upper = fit.conf_int()[1]
    show(name, fit.params[1], fit.bse[1], lower, upper, fit.pvalues[1], fit.rsquared)


slope("time (minus beta)", T, N)
slope("power", W, N)
slope("energy", E, N)
slope("edp", E * T, N)
slope("residual", E / (N * T * W), N)
level = np.log(E / (N * T * W))
reach = stats.t.ppf(0.975, 11) * level.std(ddof=1) / np.sqrt(12)
show("level", *np.exp([level.mean(), level.mean() - reach, level.mean() + reach]))

H, Wh = N * T / 3600, E / 3600
k = E / (N * T)
lk = np.log(k)
reach = stats.t.ppf(0.975, 11) * lk.std(ddof=1) / np.sqrt(12)
show("k origin", *np.exp([lk.mean(), lk.mean() - reach, lk.mean() + reach]))
rss = lambda a, b: np.sum((np.log(Wh) - np.log(a + b * H)) ** 2)
best = optimize.least_squares(lambda p: np.log(Wh) - np.log(p[0] + p[1] * H), [10, 300], xtol=1e-15,
                              ftol=1e-15, gtol=1e-15, x_scale=[1, 100])
a, b = best.x
show("line in logs", a, b)
limit = rss(a, b) * (1 + stats.f.ppf(0.95, 1, 10) / 10)
inner = lambda a: optimize.minimize_scalar(lambda b: rss(a, b), bounds=(100, 500), method="bounded",
                                           options={"xatol": 1e-12}).fun
show("intercept profile", *(optimize.brentq(lambda v: inner(v) - limit, *r, xtol=1e-9)
                            for r in ((a - 40, a), (a, a + 40))))
through = sm.OLS(Wh, H).fit()
show("origin of E", through.params[0], *through.conf_int()[0], through.rsquared,
     1 - through.ssr / np.sum((Wh - Wh.mean()) ** 2))
line = ols(Wh, H)
show("line of E", *line.params, line.rsquared)

slope("k by N", k, N)
slope("k by global batch", k, B)
slope("k by local batch", k, B / N)
slope("k by samples", k, S / H)
slope("k by updates", k, S / B / H)
joint = ols(np.log(k), np.log(S / H), np.log(S / B / H))
show("joint", joint.params[1], joint.bse[1], joint.params[2], joint.bse[2], joint.rsquared)


def against_first(name, y, sign=1, factor=1.0):
    logs = np.log(y).reshape(4, 3)
    means = logs.mean(axis=1)
    s2 = ((logs - means[:, None]) ** 2).sum() / 8
    change = sign * (means[3] - means[0]) + np.log(factor)
    reach = stats.t.ppf(0.975, 8) * np.sqrt(s2 * 2 / 3)
    show(name, *np.exp([change, change - reach, change + reach]))


against_first("speedup 64", T, -1)
against_first("efficiency 64", T, -1, 1 / 64)
against_first("energy 64", E)
against_first("edp 64", E * T)

# Amdahl's law of t and a power law of power: the N with the least E t = N t^2 p, and the whole N where
# the slope of ln(E t) on ln N may be 0. All derivatives are numerical.
f = lambda th, n: th[0] + np.log(th[1] + (1 - th[1]) / n)
amdahl = optimize.least_squares(lambda th: np.log(T) - f(th, N), [np.log(1000), 0.05], xtol=1e-15,
                                ftol=1e-15, gtol=1e-15)
th = amdahl.x
power = ols(lk, np.log(N))
show("amdahl", np.exp(th[0]), th[1])


def g(th, ph, n):
    h = 1e-5
    slope = (f(th, n * np.exp(h)) - f(th, n * np.exp(-h))) / (2 * h)
    return 1 + 2 * slope + ph[1]


J = np.column_stack([np.ones(12), (1 - 1 / N) / (th[1] + (1 - th[1]) / N)])
Z = sm.add_constant(np.log(N))
rt, rp = np.log(T) - f(th, N), power.resid
st, sp, stp = rt @ rt / 10, rp @ rp / 10, rt @ rp / 10
M, Q = np.linalg.inv(J.T @ J), np.linalg.inv(Z.T @ Z)
C = np.block([[st * M, stp * M @ J.T @ Z @ Q], [stp * Q @ Z.T @ J @ M, sp * Q]])


def t_of(n):
    d = 1e-6
    ga = (g(th + [0, d], power.params, n) - g(th - [0, d], power.params, n)) / (2 * d)
    gradient = np.array([0, ga, 0, 1])
    return g(th, power.params, n) / np.sqrt(gradient @ C @ gradient)


scales = np.arange(1, 65)
value = np.log(scales) + 2 * f(th, scales) + power.params[1] * np.log(scales)
t95 = stats.t.ppf(0.975, 10)
held = [n for n in scales if (n == 1 or t_of(n - 1) <= t95) and (n == 64 or t_of(n + 1) >= -t95)]
show("least edp, amdahl", scales[np.argmin(value)], held[0], held[-1], np.exp(value.min() - value[0]))

# MLPerf Training v4.0 power results (mlcommons/training_results_v4.0), if the table is there.
import csv
import pathlib

table = pathlib.Path(__file__).parents[3] / "../shared/data/mlperf_power/runs.csv"
if table.exists():
    rows = [r for r in csv.DictReader(table.open())
            if r["benchmark"] == "llama2_70b_lora" and r["submitter"] == "smc-dc-power"]
    n = np.array([float(r["accelerators"]) for r in rows])
    t = np.array([float(r["minutes"]) for r in rows]) * 60
    e = np.array([float(r["node_energy_kj_trapezoid"]) for r in rows]) * 1e3
    for name, y in (("mlperf beta", 1 / t), ("mlperf energy", e), ("mlperf power", e / n / t)):
        show(name, ols(np.log(y), np.log(n)).params[1])
