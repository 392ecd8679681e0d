#!/usr/bin/env python3
"""Makes gate.json: randomised studies before and after a change, with the differences, degrees of freedom, intervals
and adjusted p values that statsmodels 0.13 and scipy 1.10 give for them. The C++ tests read the file and need neither.

    /usr/bin/python3 tests/judge/oracle/make_gate_oracle.py
"""
import json
import os

import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.multitest import multipletests

HERE = os.path.dirname(os.path.abspath(__file__))
MAX_SLOWDOWN = 0.05
MAX_BETA_DROP = 0.05
CONFIDENCE = 0.95


def side(rng, beta, alpha, sigma, sign):
    xs = 2.0 ** np.arange(int(rng.integers(0, 3)), int(rng.integers(5, 9)))
    x = np.repeat(xs, int(rng.integers(1, 4)))
    y = alpha * x ** (sign * beta) * np.exp(sigma * rng.normal(size=len(x)))
    return {"x": list(x), "y": [float("%.10g" % v) for v in y]}


def study(rng, number):
    """Groups: some are slower, some are faster, and some have another exponent."""
    sign = 1 if number % 4 == 3 else -1
    groups = []
    for _ in range(int(rng.integers(1, 7))):
        beta, alpha = rng.uniform(0.4, 1), 10 ** rng.uniform(0, 4)
        change = rng.choice([0, 0, 0.12, -0.12, 0.05]) + 0.01 * rng.normal()
        drop = rng.choice([0, 0, 0.1, -0.1])
        groups.append({"base": side(rng, beta, alpha, rng.uniform(0.005, 0.06), sign),
                       "new": side(rng, beta - drop, alpha * np.exp(-sign * change), rng.uniform(0.005, 0.06), sign)})
    return {"response": "rate" if sign > 0 else "time", "groups": groups}


def line(points, sign):
    x = np.array(points["x"])
    return sm.OLS(np.log(points["y"]), sm.add_constant(sign * np.log(x))).fit()


def compare(figure, x, before, after, limit, worse_sign):
    """Welch's t from means, standard errors and degrees of freedom; worse_sign * change > 0 is worse."""
    (m1, s1, d1), (m2, s2, d2) = before, after
    change, variance = m2 - m1, s1 ** 2 + s2 ** 2
    dof = variance ** 2 / (s1 ** 4 / d1 + s2 ** 4 / d2)
    se = np.sqrt(variance)
    t = stats.t(dof)
    lower, upper = change - t.ppf((1 + CONFIDENCE) / 2) * se, change + t.ppf((1 + CONFIDENCE) / 2) * se
    loss = worse_sign * change
    p_worse = 2 * t.sf((loss - limit) / se) if loss > limit else 1
    p_better = 2 * t.cdf(loss / se) if loss < 0 else 1
    return {"figure": figure, "x": x, "change": change, "se": se, "dof": dof, "ci": [lower, upper],
            "p_worse": p_worse, "p_better": p_better, "limit": limit, "worse_sign": worse_sign}


def at(fit, x, sign):
    row = np.array([1, sign * np.log(x)])
    return row @ fit.params, np.sqrt(row @ fit.cov_params() @ row), fit.df_resid


def comparisons(group, sign):
    before, after = line(group["base"], sign), line(group["new"], sign)
    out = [compare("beta", None, (before.params[1], before.bse[1], before.df_resid),
                   (after.params[1], after.bse[1], after.df_resid), MAX_BETA_DROP, -1)]
    low = max(min(group["base"]["x"]), min(group["new"]["x"]))
    high = min(max(group["base"]["x"]), max(group["new"]["x"]))
    for x in (np.sqrt(low * high), high):
        out.append(compare("curve", x, at(before, x, sign), at(after, x, sign), np.log(1 + MAX_SLOWDOWN), -sign))
    return out


def verdict(c):
    ends = sorted(c["worse_sign"] * e for e in c["ci"])
    if ends[0] > c["limit"] and c["p_worse_holm"] < 1 - CONFIDENCE:
        return "worse"
    if ends[1] < 0 and c["p_better_holm"] < 1 - CONFIDENCE:
        return "better"
    return "same" if -c["limit"] < ends[0] and ends[1] < c["limit"] else "inconclusive"


def expected(case):
    sign = 1 if case["response"] == "rate" else -1
    groups = [comparisons(group, sign) for group in case["groups"]]
    everything = [c for group in groups for c in group]
    for p in ("p_worse", "p_better"):
        for c, adjusted in zip(everything, multipletests([c[p] for c in everything], method="holm")[1]):
            c[p + "_holm"] = adjusted
    order = ["same", "better", "inconclusive", "worse"]
    for c in everything:
        c["verdict"] = verdict(c)
    return [{"verdict": max((c["verdict"] for c in group), key=order.index), "comparisons": group}
            for group in groups]


def main():
    rng = np.random.default_rng(5)
    studies = []
    for number in range(20):
        case = study(rng, number)
        case["expected"] = expected(case)
        studies.append(case)
    with open(os.path.join(HERE, "gate.json"), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(json.dumps(s, default=lambda v: v.item()) for s in studies) + "\n]\n")


main()
