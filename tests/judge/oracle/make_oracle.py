#!/usr/bin/env python3
"""Makes contrast.json: randomised studies of several levels with the figures that statsmodels 0.13, scipy 1.10 and R
(anova, emmeans 1.8) give for them. The C++ tests read the file and need none of them.

    /usr/bin/python3 tests/judge/oracle/make_oracle.py
"""
import json
import os
import subprocess
import tempfile
import warnings
from itertools import combinations

import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests

HERE = os.path.dirname(os.path.abspath(__file__))
MARGIN = 0.05
CONFIDENCE = 0.95

EMMEANS = """
suppressMessages(library(emmeans))
d <- read.csv(commandArgs(TRUE)[1])
for (case in sort(unique(d$case))) {
  e <- d[d$case == case, ]
  e$level <- factor(e$level)
  one <- lm(y ~ g, e, weights = w)
  parallel <- lm(y ~ g + level, e, weights = w)
  separate <- lm(y ~ g * level, e, weights = w)
  for (pair in list(list("equal_slopes", parallel, separate), list("equal_offsets", one, parallel))) {
    a <- anova(pair[[2]], pair[[3]])
    cat(case, pair[[1]], sprintf("%.17g %.17g %.17g %.17g", a$F[2], a$Df[2], a$Res.Df[2], a$`Pr(>F)`[2]), "\\n")
  }
  slopes <- summary(pairs(emtrends(separate, "level", var = "g"), adjust = "holm", reverse = TRUE))
  offsets <- summary(pairs(emmeans(parallel, "level"), adjust = "holm", reverse = TRUE))
  for (kind in c("slope", "offset")) {
    s <- if (kind == "slope") slopes else offsets
    # "level2 - level0": in the order of the first level, then the second.
    ends <- t(sapply(regmatches(s$contrast, gregexpr("[0-9]+", s$contrast)), as.numeric))
    for (i in order(ends[, 2], ends[, 1]))
      cat(case, kind, sprintf("%.17g %.17g %.17g %.17g", s$estimate[i], s$SE[i], s$df[i], s$p.value[i]), "\\n")
  }
}
"""


def study(rng, number):
    """Levels with their own slopes, offsets and scatter; every other study with replicates."""
    levels = []
    for level in range(int(rng.integers(2, 6))):
        xs = np.unique(np.round(10 ** rng.uniform(0, 3, int(rng.integers(4, 9)))))
        x = np.repeat(xs, rng.integers(1, 4, len(xs))) if number % 2 else xs
        beta = 0.8 + (0 if number % 3 == 0 else 0.1 * rng.normal())
        sigma = rng.uniform(0.02, 0.15)
        sign = 1 if number % 5 == 4 else -1
        y = 100 * np.exp(0.5 * rng.normal()) * x ** (sign * beta) * np.exp(sigma * rng.normal(size=len(x)))
        w = np.round(rng.uniform(0.3, 3, len(x)), 3) if number % 4 == 3 else np.ones(len(x))
        levels.append({"value": float(np.round(50 + 60 * level + 20 * rng.uniform(), 1)), "x": x,
                       "y": np.array([float("%.10g" % v) for v in y]), "w": w})
    return {"response": "rate" if number % 5 == 4 else "time", "levels": levels}


def columns(case):
    sign = 1 if case["response"] == "rate" else -1
    levels = case["levels"]
    g = np.concatenate([sign * np.log(l["x"]) for l in levels])
    y = np.concatenate([np.log(l["y"]) for l in levels])
    w = np.concatenate([l["w"] for l in levels])
    index = np.concatenate([np.full(len(l["x"]), i) for i, l in enumerate(levels)])
    return g, y, w, index


def test_of(smaller, larger):
    row = anova_lm(smaller, larger).iloc[1]
    return [row["F"], row["df_diff"], row["df_resid"], row["Pr(>F)"]]


def quantile(dof):
    """Quantile of Student's t. scipy's has a wrong tenth digit, which Newton steps on the tail correct."""
    t = stats.t.ppf(0.5 + CONFIDENCE / 2, dof)
    for _ in range(3):
        t += (stats.t.sf(t, dof) - (0.5 - CONFIDENCE / 2)) / stats.t.pdf(t, dof)
    return t


def interval(estimate, se, dof):
    reach = quantile(dof) * se
    return [estimate - reach, estimate + reach]


def difference(estimate, se, dof):
    t = estimate / se
    lower = stats.t.sf((estimate + MARGIN) / se, dof)
    upper = stats.t.sf((MARGIN - estimate) / se, dof)
    return {"estimate": estimate, "se": se, "dof": dof, "t": t, "p": 2 * stats.t.sf(abs(t), dof),
            "ci": interval(estimate, se, dof), "p_tost": max(lower, upper)}


def with_holm(pairs):
    for pair, p in zip(pairs, multipletests([p["p"] for p in pairs], method="holm")[1]):
        pair["p_holm"] = p
    return pairs


def sample(mean, variance, size):
    """Numbers with exactly this mean and variance."""
    z = np.arange(size) - (size - 1) / 2
    return mean + z * np.sqrt(variance / np.var(z, ddof=1))


def own_variance_contrast(X, y, w, index, variances, dofs, c):
    """c'beta of one weighted regression with a variance per level (Satterthwaite)."""
    root = np.sqrt(w)
    a = np.linalg.solve((X * w[:, None]).T @ X, (X * root[:, None]).T).T @ c
    parts = np.array([variances[i] * np.sum(a[index == i] ** 2) for i in range(len(variances))])
    estimate = a @ (root * y)
    dof = parts.sum() ** 2 / np.sum(parts ** 2 / dofs)
    return difference(estimate, np.sqrt(parts.sum()), dof)


def covariates(case, g, y, w, index):
    p = np.log([l["value"] for l in case["levels"]])[index]
    z, u = p - p.mean(), g - g.mean()
    one = np.ones(len(y))
    none = sm.WLS(y, np.column_stack([one, u]), weights=w).fit()
    offsets = sm.WLS(y, np.column_stack([one, u, z]), weights=w).fit()
    full = sm.WLS(y, np.column_stack([one, u, z, u * z]), weights=w).fit()
    sign = 1 if case["response"] == "rate" else -1
    return {"x_centre": float(np.exp(sign * g.mean())), "centre": float(np.exp(p.mean())),
            "terms": [{"estimate": full.params[k], "se": full.bse[k], "t": full.tvalues[k], "p": full.pvalues[k]}
                      for k in range(4)],
            "sigma": np.sqrt(full.scale), "r2": full.rsquared, "dof": full.df_resid,
            "interactions": test_of(offsets, full), "covariates": test_of(none, offsets)}


def figures(case):
    g, y, w, index = columns(case)
    k = len(case["levels"])
    dummies = (index[:, None] == np.arange(k)).astype(float)
    one = sm.WLS(y, np.column_stack([np.ones(len(y)), g]), weights=w).fit()
    X = np.column_stack([dummies, g])
    parallel = sm.WLS(y, X, weights=w).fit()
    separate = sm.WLS(y, np.column_stack([dummies, dummies * g[:, None]]), weights=w).fit()
    own = [sm.WLS(y[index == i], sm.add_constant(g[index == i]), weights=w[index == i]).fit() for i in range(k)]
    slope = np.array([m.params[1] for m in own])
    se = np.array([m.bse[1] for m in own])
    dof = np.array([m.df_resid for m in own])
    variance = np.array([m.scale for m in own])
    pairs = list(combinations(range(k), 2))
    equal, unequal, offset_equal, offset_unequal = [], [], [], []
    for i, j in pairs:
        c = np.zeros(2 * k)
        c[k + i], c[k + j] = -1, 1
        t = separate.t_test(c)
        equal.append(difference(t.effect[0], t.sd[0][0], separate.df_resid))
        s = se[i] ** 2 + se[j] ** 2
        unequal.append(difference(slope[j] - slope[i], np.sqrt(s), s ** 2 / (se[i] ** 4 / dof[i] + se[j] ** 4 / dof[j])))
        n = dof + 1  # Welch's test knows means: one degree of freedom less than points.
        welch = stats.ttest_ind_from_stats(slope[j], se[j] * np.sqrt(n[j]), n[j], slope[i], se[i] * np.sqrt(n[i]), n[i],
                                           equal_var=False)
        assert abs(welch.pvalue / unequal[-1]["p"] - 1) < 1e-9
        c = np.zeros(k + 1)
        c[i], c[j] = -1, 1
        t = parallel.t_test(c)
        offset_equal.append(difference(t.effect[0], t.sd[0][0], parallel.df_resid))
        offset_unequal.append(own_variance_contrast(X, y, w, index, variance, dof, c))
    common, common_se = parallel.params[-1], parallel.bse[-1]
    govern = stats.alexandergovern(*[sample(slope[i], se[i] ** 2 * (dof[i] + 1), int(dof[i]) + 1) for i in range(k)])
    bartlett = stats.bartlett(*[sample(0, variance[i], int(dof[i]) + 1) for i in range(k)])
    return {"n": len(y), "equal_slopes": test_of(parallel, separate), "equal_offsets": test_of(one, parallel),
            "own_variances": [govern.statistic, govern.pvalue], "equal_variances": [bartlett.statistic, bartlett.pvalue],
            "common_beta": {"estimate": common, "se": common_se, "ci": interval(common, common_se, parallel.df_resid)},
            "slopes": {"equal": with_holm(equal), "unequal": with_holm(unequal)},
            "offsets": {"equal": with_holm(offset_equal), "unequal": with_holm(offset_unequal)},
            "covariates": covariates(case, g, y, w, index)}


def emmeans(cases):
    with tempfile.TemporaryDirectory() as folder:
        script, table = os.path.join(folder, "contrast.R"), os.path.join(folder, "cases.csv")
        with open(script, "w") as f:
            f.write(EMMEANS)
        with open(table, "w") as f:
            f.write("case,level,g,y,w\n")
            for number, case in enumerate(cases):
                for g, y, w, level in zip(*columns(case)):
                    f.write("%d,%d,%.17g,%.17g,%.17g\n" % (number, level, g, y, w))
        text = subprocess.run(["Rscript", script, table], check=True, capture_output=True, text=True).stdout
    for case in cases:
        case["r"] = {"slope": [], "offset": []}
    for line in text.splitlines():
        case, kind, *values = line.split()
        values = [float(v) for v in values]
        r = cases[int(case)]["r"]
        if kind in ("slope", "offset"):
            r[kind].append(values)
        else:
            r[kind] = values


def plain(value):
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    generator = np.random.default_rng(20261122)
    studies = [study(generator, number) for number in range(20)]
    for one_study in studies:
        one_study["expected"] = figures(one_study)
    emmeans(studies)
    with open(os.path.join(HERE, "contrast.json"), "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(c, default=plain) for c in studies) + "\n]\n")
