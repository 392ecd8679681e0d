#!/usr/bin/env python3
"""Makes least_squares.json, robust.json and nonlinear.json: randomised studies with the figures that statsmodels
0.13, scipy 1.10 and R's clubSandwich 0.5.8 give for them. The C++ tests read the files and need neither.

    /usr/bin/python3 tests/fit/oracle/make_oracle.py
"""
import json
import math
import os
import subprocess
import tempfile
import warnings

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.stats.diagnostic import het_breuschpagan
from statsmodels.stats.outliers_influence import OLSInfluence

HERE = os.path.dirname(os.path.abspath(__file__))

# CR2 with Satterthwaite degrees of freedom of sqrt(w) y on sqrt(w) X: the working model is "variance / weight".
# Bell-McCaffrey HC2 is the same with every row its own cluster.
CLUB_SANDWICH = """
suppressMessages(library(clubSandwich))
d <- read.csv(commandArgs(TRUE)[1])
for (case in sort(unique(d$case))) {
  e <- d[d$case == case, ]
  columns <- if (e$intercept[1] == 1) c("c1", "c2") else "c2"
  m <- lm(as.formula(paste("y ~ 0 +", paste(columns, collapse = " + "))), data = e)
  for (kind in c("cr2", "hc2bm")) {
    cluster <- if (kind == "cr2") e$cluster else seq_len(nrow(e))
    if (length(unique(cluster)) < 2) next
    t <- coef_test(m, vcovCR(m, cluster = cluster, type = "CR2"), test = "Satterthwaite")
    for (k in seq_along(columns))
      cat(case, kind, k - 1, sprintf("%.17g %.17g %.17g", t$SE[k], t$df[k], t$p_Satt[k]), "\\n")
  }
}
"""


def design_of(law, x):
    if law == "power":
        return np.column_stack([np.ones(len(x)), -np.log(x)])
    if law == "rate":
        return np.column_stack([np.ones(len(x)), np.log(x)])
    if law == "linear":
        return np.column_stack([np.ones(len(x)), x])
    return x[:, None]


def study(rng, law, replicates, weighted):
    levels = rng.integers(4, 13)
    x = np.unique(np.round(10 ** rng.uniform(0, 6, levels)))
    if len(x) < 4:
        x = np.array([1.0, 8.0, 64.0, 1e6])
    x = np.repeat(x, rng.integers(1, 5, len(x)) if replicates else 1)
    scale, sigma = 10 ** rng.uniform(-9, 9), rng.uniform(0.01, 0.4)
    if law in ("power", "rate"):
        beta = rng.uniform(-0.2, 1.3) * (1 if law == "rate" else -1)
        y = scale * (x / 1000.0) ** beta * np.exp(sigma * rng.normal(size=len(x)))
    else:
        y = scale * ((3 if law == "linear" else 0) + x / 1e5 + sigma * (1 + x / 1e6) * rng.normal(size=len(x)))
    y = np.array([float("%.12g" % v) for v in y])
    w = np.round(rng.uniform(0.1, 9, len(x)), 3) if weighted else np.ones(len(x))
    return x, y, w, rng.integers(0, 4, len(x))


def estimates(result, robust=None):
    r = result if robust is None else robust
    ci = r.conf_int(0.05)
    return {"se": list(r.bse), "t": list(r.tvalues), "p": list(r.pvalues), "lower": list(ci[:, 0]),
            "upper": list(ci[:, 1])}


def least_squares_figures(law, x, y, w, cluster, shift=0.0):
    """Figures of a fit. `shift` was added to x and is subtracted here, because it would cost statsmodels digits."""
    logs = law in ("power", "rate")
    X = design_of(law, x - shift)
    r = np.log(y) if logs else y
    n, p = X.shape
    model = sm.WLS(r, X, weights=w)
    fit = model.fit(use_t=True)
    out = {"estimates": list(fit.params), "covariance": fit.cov_params().ravel().tolist(), "classic": estimates(fit)}
    for kind in ("HC0", "HC1", "HC2", "HC3"):
        out[kind.lower()] = estimates(fit, model.fit(cov_type=kind, use_t=True))
    out["cluster"] = estimates(fit, model.fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True))
    out.update(n=n, dof=n - p, sigma=math.sqrt(fit.scale), r2=fit.rsquared, r2_adjusted=fit.rsquared_adj,
               f=float(fit.fvalue), f_p=float(fit.f_pvalue), log_likelihood=fit.llf)
    k = p + 1
    out.update(aic=2 * k - 2 * fit.llf, bic=k * math.log(n) - 2 * fit.llf,
               aicc=2 * k - 2 * fit.llf + 2 * k * (k + 1) / (n - k - 1) if n - k - 1 > 0 else None)
    fitted = X @ fit.params
    curve = np.exp(fitted) if logs else fitted
    level_mean = np.array([y[x == v].mean() for v in x])
    out.update(rmse=math.sqrt(np.mean((y - curve) ** 2)), mape=np.mean(np.abs(level_mean - curve) / np.abs(level_mean)))
    if logs:
        out["smearing"] = np.mean(np.exp(r - fitted))
    first, last = np.argmin(x), np.argmax(x)
    observed, implied = level_mean[first] / level_mean[last], curve[first] / curve[last]
    out["speedup"] = [1 / observed, 1 / implied] if law == "rate" else [observed, implied]
    # The squared term of a centred and scaled variable has the same coefficient up to the unit, with all its digits.
    u = np.log(x) if logs else x - shift
    centre, unit = (0.0 if law == "proportional" else u.mean()), u.std()
    v = (u - centre) / unit
    base = v[:, None] if law == "proportional" else np.column_stack([np.ones(n), v])
    bent = sm.WLS(r, np.column_stack([base, v ** 2]), weights=w).fit(use_t=True)
    out["curvature"] = [bent.params[-1] / unit ** 2, bent.tvalues[-1], bent.pvalues[-1]]
    levels = np.unique(x)
    if len(levels) < n and len(levels) > p:
        full = sm.WLS(r, (x[:, None] == levels[None, :]).astype(float), weights=w).fit()
        f, pv, _ = full.compare_f_test(sm.WLS(r, base, weights=w).fit())
        out["lack_of_fit"] = [float(f), float(pv)]
    whitened = sm.OLS(np.sqrt(w) * r, np.sqrt(w)[:, None] * X).fit()
    out["cooks_distance_max"] = float(np.max(OLSInfluence(whitened).cooks_distance[0]))
    if n >= 10:
        z = np.log1p((x - x[0]) / x[0])  # ln x up to a constant, with the digits that a shift would cost.
        z = np.column_stack([np.ones(n), (z - z.mean()) / z.std()])
        out["scatter_trend_p"] = float(het_breuschpagan(np.sqrt(w) * (r - fitted), z, robust=False)[1])
    return out


def club_sandwich(cases):
    with tempfile.TemporaryDirectory() as folder:
        script, table = os.path.join(folder, "cr2.R"), os.path.join(folder, "cases.csv")
        with open(script, "w") as f:
            f.write(CLUB_SANDWICH)
        with open(table, "w") as f:
            f.write("case,intercept,y,c1,c2,cluster\n")
            for i, c in enumerate(cases):
                x, y, w = np.array(c["x"]), np.array(c["y"]), np.sqrt(np.array(c["w"]))
                X = design_of(c["law"], x - c["shift"])
                r = np.log(y) if c["law"] in ("power", "rate") else y
                one = X[:, 0] if X.shape[1] == 2 else np.zeros(len(x))
                for j in range(len(x)):
                    f.write("%d,%d,%.17g,%.17g,%.17g,%d\n" % (i, X.shape[1] == 2, w[j] * r[j], w[j] * one[j],
                                                             w[j] * X[j, -1], c["cluster"][j]))
        text = subprocess.run(["Rscript", script, table], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        case, kind, k, se, dof, p = line.split()
        into = cases[int(case)].setdefault("expected", {}).setdefault(kind, {"se": [], "dof": [], "p": []})
        for name, value in (("se", se), ("dof", dof), ("p", p)):
            into[name].append(float(value))


def least_squares_cases(rng):
    cases = []
    for law in ("power", "rate", "linear", "proportional"):
        for i in range(12):
            x, y, w, cluster = study(rng, law, replicates=i % 2 == 1, weighted=i % 3 == 2)
            cases.append({"law": law, "shift": 0.0, "x": x, "y": y, "w": w, "cluster": cluster})
    for i in range(6):
        x, y, w, cluster = study(rng, "linear", replicates=i % 2 == 1, weighted=i % 3 == 2)
        cases.append({"law": "linear", "shift": 1e8, "x": x + 1e8, "y": y, "w": w, "cluster": cluster})
    for c in cases:
        c["expected"] = least_squares_figures(c["law"], c["x"], c["y"], c["w"], c["cluster"], c["shift"])
    club_sandwich(cases)
    return cases


def robust_cases(rng):
    cases = []
    for i in range(16):
        law = ("power", "rate", "linear", "proportional")[i % 4]
        x, y, _, _ = study(rng, law, replicates=i % 3 != 0, weighted=False)
        y[rng.integers(0, len(y))] *= 3
        r = np.log(y) if law in ("power", "rate") else y
        X = design_of(law, x)
        # RLM stops at an absolute change of the coefficients, so the units make them about 1.
        unit, units = np.median(np.abs(r)), np.max(np.abs(X), axis=0)
        huber = sm.RLM(r / unit, X / units, M=sm.robust.norms.HuberT()).fit(maxiter=5000, tol=1e-14, conv="coefs")
        back = unit / units
        case = {"law": law, "x": x, "y": y,
                "huber": {"estimates": list(huber.params * back), "scale": huber.scale * unit,
                          "covariance": (huber.bcov_scaled * np.outer(back, back)).ravel().tolist()}}
        if law != "proportional":
            # One slope a pair; the regressor is +-ln x or x itself.
            t = stats.theilslopes(r, X[:, -1], 0.95)
            case["theil_sen"] = {"estimates": [t.intercept, t.slope], "interval": [t.low_slope, t.high_slope]}
        cases.append(case)
    return cases


def nonlinear_cases(rng):
    cases = []
    for i in range(12):
        law = ("power", "rate")[i % 2]
        levels = np.unique(np.round(10 ** rng.uniform(0, 3.5, 9)))
        x = np.repeat(levels, rng.integers(1, 4, len(levels)) if i % 3 else 1)
        sign = 1 if law == "rate" else -1
        alpha, beta = 10 ** rng.uniform(-6, 6), rng.uniform(0.2, 1.2)
        clean = alpha * x ** (sign * beta)
        y = clean + 0.05 * np.mean(clean) * np.abs(rng.normal(size=len(x))) * rng.choice([0.5, 1], len(x))
        y = np.array([float("%.12g" % v) for v in y])
        w = np.round(rng.uniform(0.2, 4, len(x)), 3) if i % 4 == 3 else np.ones(len(x))

        def curve(x, a, b):
            return np.exp(a + sign * b * np.log(x))

        def jacobian(x, a, b):
            return np.column_stack([curve(x, a, b), sign * np.log(x) * curve(x, a, b)])

        theta, _ = optimize.curve_fit(curve, x, y, p0=[math.log(alpha), beta], sigma=1 / np.sqrt(w), jac=jacobian,
                                      xtol=1e-15, ftol=1e-15, gtol=1e-15, maxfev=10000)
        root = np.sqrt(w)
        for _ in range(200):  # curve_fit stops at about 1e-8; Gauss-Newton steps take it to rounding.
            J = root[:, None] * jacobian(x, *theta)
            theta = theta + np.linalg.lstsq(J, root * (y - curve(x, *theta)), rcond=None)[0]
        J, e = root[:, None] * jacobian(x, *theta), root * (y - curve(x, *theta))
        n = len(x)
        sigma2 = e @ e / (n - 2)
        llf = -0.5 * n * (math.log(2 * math.pi * (e @ e) / n) + 1) + 0.5 * np.log(w).sum()
        cases.append({"law": law, "x": x, "y": y, "w": w,
                      "expected": {"estimates": list(theta), "sigma": math.sqrt(sigma2), "log_likelihood": llf,
                                   "covariance": (sigma2 * np.linalg.inv(J.T @ J)).ravel().tolist()}})
    return cases


def write(name, cases):
    def plain(value):
        return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value

    with open(os.path.join(HERE, name), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c, default=plain) for c in cases) + "\n]\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    generator = np.random.default_rng(20261121)
    write("least_squares.json", least_squares_cases(generator))
    write("robust.json", robust_cases(generator))
    write("nonlinear.json", nonlinear_cases(generator))
