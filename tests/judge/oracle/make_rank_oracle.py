#!/usr/bin/env python3
"""Makes rank.json: randomised studies with the figures of `rank` from scipy 1.10 and statsmodels 0.13. An independent
simulation in numpy gives the p value of the break test. The C++ tests read the file and need none of them.

    /usr/bin/python3 tests/judge/oracle/make_rank_oracle.py
"""
import json
import os
import warnings

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIDENCE = 0.95
LAWS = ["power", "lognormal", "floor", "amdahl", "usl", "broken", "linear", "proportional"]
LEVELS_BESIDE_BREAK = 3
BREAK_DRAWS = 200000


def log_time(law, x, theta):
    """ln of the time at x. Parameters are those of the law, prefactors as logarithms."""
    u = np.log(x)
    if law == "power":
        return theta[0] - theta[1] * u
    if law == "lognormal":
        return theta[0] + theta[1] * u + theta[2] * u ** 2
    if law == "floor":
        return np.log(np.exp(theta[0] - theta[1] * u) + theta[2])
    if law == "amdahl":
        return theta[0] + np.log(theta[1] + (1 - theta[1]) / x)
    if law == "usl":
        return theta[0] + np.log((1 + theta[1] * (x - 1) + theta[2] * x * (x - 1)) / x)
    return np.log(theta[0] + theta[1] * x) if law == "linear" else theta[0] + u


BOUNDS = {"power": ([-np.inf, -np.inf], [np.inf, np.inf]), "lognormal": ([-np.inf] * 3, [np.inf] * 3),
          "floor": ([-np.inf, -10, 0], [np.inf, 10, np.inf]), "amdahl": ([-np.inf, 0], [np.inf, 1]),
          "usl": ([-np.inf, 0, 0], [np.inf] * 3), "linear": ([-np.inf] * 2, [np.inf] * 2),
          "proportional": ([-np.inf], [np.inf])}


class Study:
    """Points of one group; ln y = sign * ln time, except for laws that define a rate otherwise."""

    def __init__(self, x, y, w, response):
        order = np.argsort(x, kind="stable")
        self.x, self.y, self.w = x[order], y[order], w[order]
        self.response = response
        self.sign = 1 if response == "time" else -1
        self.log_y = np.log(self.y)

    def part(self, keep):
        return Study(self.x[keep], self.y[keep], self.w[keep], self.response)

    def eta(self, law, theta, x):
        # Laws of the original scale have the same form for a rate. All others describe the time, its inverse.
        if law in ("linear", "proportional"):
            return log_time(law, x, theta)
        return self.sign * log_time(law, x, theta)

    def residual(self, law, theta):
        return np.sqrt(self.w) * (self.log_y - self.eta(law, theta, self.x))

    def jacobian(self, law, theta, x=None):
        """d eta / d theta by complex steps: no truncation."""
        x = self.x if x is None else x
        columns = []
        for k in range(len(theta)):
            step = np.array(theta, dtype=complex)
            step[k] += 1e-30j
            columns.append(self.eta(law, step, x).imag / 1e-30)
        return np.column_stack(columns)


def starts(study, law):
    slope, level = np.polyfit(np.log(study.x), study.sign * study.log_y, 1)
    t0 = level + slope * np.log(study.x[0])
    last = np.exp(np.min(study.sign * study.log_y))
    if law == "floor":
        return [[level, b, f * last] for b in (0.3, 0.7, 1, 1.5) for f in (1e-3, 0.3, 0.8)]
    if law == "amdahl":
        return [[t0 + np.log(study.x[0]), s] for s in (1e-4, 0.01, 0.1, 0.5)]
    if law == "usl":
        return [[t0 + np.log(study.x[0]), s, k] for s in (1e-3, 0.03, 0.3) for k in (1e-7, 1e-4, 1e-2)]
    if law == "linear":
        b, a = np.polyfit(study.x, study.y, 1)
        least = np.min(study.y)
        return [[a, b], [np.mean(study.y), 0], [1.2 * np.max(study.y), -0.9 * least / study.x[-1]], [least, least / study.x[-1]]]
    return [[0.0] * len(BOUNDS[law][0])]


def solve(study, law):
    """theta, its free parameters, and its residual sum of squares: the best of many starts, refined with parameters
    on a bound held there."""
    lower, upper = (np.array(b, dtype=float) for b in BOUNDS[law])
    best = None
    for start in starts(study, law):
        try:
            end = optimize.least_squares(lambda t: study.residual(law, t), np.clip(start, lower + 1e-12, upper - 1e-12),
                                         jac=lambda t: -np.sqrt(study.w)[:, None] * study.jacobian(law, t),
                                         bounds=(lower, upper), x_scale="jac", ftol=1e-15, xtol=1e-15, gtol=1e-15, max_nfev=5000)
        except ValueError:
            continue
        if best is None or end.cost < best.cost - 1e-14:
            best = end
    if best is None or not np.isfinite(best.cost):
        return None
    # A parameter is on its bound if the others fit as well with it there.
    theta, free = best.x.copy(), np.ones(len(lower), dtype=bool)
    for k in range(len(theta)):
        for bound in (lower[k], upper[k]):
            if not np.isfinite(bound) or law == "floor" and k == 1:
                continue
            at = theta.copy()
            at[k] = bound
            held = free.copy()
            held[k] = False
            candidate = polish(study, law, at, held)
            if np.sum(study.residual(law, candidate) ** 2) <= 2 * best.cost * (1 + 1e-12):
                theta, free = candidate, held
    theta = polish(study, law, theta, free)
    return theta, free, float(np.sum(study.residual(law, theta) ** 2))


def furthest_curve(study, law, theta, limit, x, side):
    """The greatest (side 1) or least ln of the curve at x within the bounds whose sum of squares keeps the limit."""
    lower, upper = (np.array(b, dtype=float) for b in BOUNDS[law])
    scale = np.maximum(1e-3 * np.abs(theta), [1, *[1e-3] * (len(theta) - 1)])
    value = lambda z: side * float(study.eta(law, theta + z * scale, np.array([x]))[0])
    slack = lambda z: 1 - np.sum(study.residual(law, theta + z * scale) ** 2) / limit
    best = value(np.zeros(len(theta)))
    for start in [np.zeros(len(theta)), *(np.array(s) for s in np.random.default_rng(1).normal(0, 3, (40, len(theta))))]:
        start = np.clip(start, (lower - theta) / scale, (upper - theta) / scale)
        end = optimize.minimize(lambda z: -value(z), start, bounds=list(zip((lower - theta) / scale, (upper - theta) / scale)),
                                constraints=[{"type": "ineq", "fun": slack}], method="SLSQP",
                                options={"ftol": 1e-14, "maxiter": 1000})
        if slack(end.x) > -1e-7:
            best = max(best, value(end.x))
    return side * best


def polish(study, law, theta, free):
    theta = np.array(theta, dtype=float)
    for _ in range(50):
        J = (np.sqrt(study.w)[:, None] * study.jacobian(law, theta))[:, free]
        step = np.linalg.lstsq(J / np.linalg.norm(J, axis=0), study.residual(law, theta), rcond=None)[0] / np.linalg.norm(J, axis=0)
        scale = 1.0
        now = np.sum(study.residual(law, theta) ** 2)
        while scale > 1e-12:
            trial = theta.copy()
            trial[free] += scale * step
            value = np.sum(study.residual(law, trial) ** 2)
            if np.isfinite(value) and value <= now * (1 + 1e-13):  # Near the end sums of squares are all rounding.
                break
            scale /= 2
        else:
            return theta
        theta = trial
    return theta


def broken_design(u, knot):
    return np.column_stack([np.ones(len(u)), np.minimum(u - knot, 0), np.maximum(u - knot, 0)])


def broken_rss(study, knot):
    root = np.sqrt(study.w)
    X = broken_design(np.log(study.x), knot) * root[:, None]
    return np.sum((root * study.log_y - X @ np.linalg.lstsq(X, root * study.log_y, rcond=None)[0]) ** 2)


def solve_broken(study):
    """Brute force: a grid over every gap between x, refined at its best place."""
    levels = np.log(np.unique(study.x))
    best = (np.inf, None)
    for k in range(LEVELS_BESIDE_BREAK, len(levels) - LEVELS_BESIDE_BREAK + 1):
        low, high = levels[k - 1], levels[k]
        grid = np.linspace(low, high, 401)
        values = [broken_rss(study, knot) for knot in grid]
        i = int(np.argmin(values))
        if 0 < i < 400:
            end = optimize.minimize_scalar(lambda v: broken_rss(study, v), bounds=(grid[i - 1], grid[i + 1]), method="bounded",
                                           options={"xatol": 1e-12})
            best = min(best, (end.fun, end.x))
        best = min(best, (values[i], grid[i]))
    return best


def broken_eta(study, knot, x):
    root = np.sqrt(study.w)
    X = broken_design(np.log(study.x), knot) * root[:, None]
    coefficient = np.linalg.lstsq(X, root * study.log_y, rcond=None)[0]
    u = np.log(study.x)
    full = np.column_stack([broken_design(u, knot), np.where(u > knot, coefficient[1] - coefficient[2], 0)])
    # The gradient with respect to the knot, at which both lines have their levels.
    full[:, 3] = np.where(u > knot, -coefficient[2], -coefficient[1])
    at = np.log(x)
    gradient = np.append(broken_design(np.array([at]), knot)[0], -coefficient[2] if at > knot else -coefficient[1])
    return float(broken_design(np.array([at]), knot)[0] @ coefficient), full, gradient


def parameters_of(law):
    return 4 if law == "broken" else len(BOUNDS[law][0])


def aicc(log_likelihood, n, k):
    return None if n - k - 1 <= 0 else float(2 * k - 2 * log_likelihood + 2 * k * (k + 1) / (n - k - 1))


def likelihood(rss, n, w):
    return -0.5 * n * (np.log(2 * np.pi * rss / n) + 1) + 0.5 * np.sum(np.log(w))


def rss_of(study, law):
    if law == "broken":
        return solve_broken(study)[0]
    end = solve(study, law)
    return None if end is None else end[2]


def laws_of(study):
    n = len(study.x)
    figures = []
    for law in LAWS:
        if parameters_of(law) > n or law == "broken" and len(np.unique(study.x)) < 2 * LEVELS_BESIDE_BREAK:
            continue
        k = parameters_of(law) + 1
        rss = rss_of(study, law)
        figures.append({"law": law, "k": k, "rss": float(rss), "aicc": aicc(likelihood(rss, n, study.w), n, k)})
    defined = [f for f in figures if f["aicc"] is not None]
    least = min(f["aicc"] for f in defined)
    total = sum(np.exp(-0.5 * (f["aicc"] - least)) for f in defined)
    for f in defined:
        f["delta"] = f["aicc"] - least
        f["weight"] = float(np.exp(-0.5 * f["delta"]) / total)
    return figures


def verdict_of(figures):
    near = sorted((f for f in figures if f["aicc"] is not None and f["delta"] < 2), key=lambda f: f["aicc"])
    names = [f["law"] for f in near]
    return {"best": names[0], "undecided": []} if len(names) == 1 else {"best": None, "undecided": names}


def curvature(study):
    u = np.log(study.x)
    small = sm.WLS(study.log_y, sm.add_constant(u), weights=study.w).fit()
    large = sm.WLS(study.log_y, np.column_stack([np.ones(len(u)), u, u ** 2]), weights=study.w).fit()
    f, p, df1 = large.compare_f_test(small)
    return {"f": f, "df1": df1, "df2": large.df_resid, "p": p, "curvature": large.params[2]}


def errors(study):
    """Both likelihoods of y itself."""
    n, u = len(study.x), np.log(study.x)
    lognormal = likelihood(solve(study, "power")[2], n, study.w) - np.sum(study.log_y)
    root = np.sqrt(study.w)

    def sse(slope):
        basis = study.x ** slope
        alpha = np.sum(study.w * basis * study.y) / np.sum(study.w * basis ** 2)
        return np.sum((root * (study.y - alpha * basis)) ** 2)
    guess = sm.WLS(study.log_y, sm.add_constant(u), weights=study.w).fit().params[1]
    grid = np.linspace(guess - 1.5, guess + 1.5, 3001)
    i = int(np.argmin([sse(s) for s in grid]))
    best = optimize.minimize_scalar(sse, bounds=(grid[max(i - 1, 0)], grid[min(i + 1, 3000)]), method="bounded", options={"xatol": 1e-13})
    normal = likelihood(best.fun, n, study.w)
    figures = {"aicc_lognormal": aicc(lognormal, n, 3), "aicc_normal": aicc(normal, n, 3)}
    difference = figures["aicc_normal"] - figures["aicc_lognormal"]
    figures["verdict"] = "lognormal" if difference >= 2 else "normal" if difference <= -2 else "undecided"
    return figures


def hold_out(study):
    last = study.x == study.x[-1]
    kept, target = study.part(~last), study.part(last)
    x = float(target.x[0])
    weight = np.sum(target.w)
    mean_log = np.sum(target.w * target.log_y) / weight
    laws = []
    for law in LAWS:
        p = parameters_of(law)
        if len(kept.x) < p or len(np.unique(kept.x)) < p:
            continue
        if law == "broken":
            if len(np.unique(kept.x)) < 2 * LEVELS_BESIDE_BREAK:
                continue
            rss, knot = solve_broken(kept)
            eta, J, gradient = broken_eta(kept, knot, x)
            free = np.ones(4, dtype=bool)
        else:
            end = solve(kept, law)
            if end is None:
                continue
            theta, free, rss = end
            eta = float(kept.eta(law, theta, np.array([x]))[0])
            J, gradient = kept.jacobian(law, theta), kept.jacobian(law, theta, np.array([x]))[0]
            if not np.isfinite(eta):
                continue
        entry = {"law": law, "log_error": float(mean_log - eta), "inside": None}
        dof = len(kept.x) - p
        if dof > 0:
            A = (np.sqrt(kept.w)[:, None] * J)[:, free]
            of_curve = gradient[free] @ np.linalg.solve(A.T @ A, gradient[free])
            t, s2 = stats.t.ppf(0.5 + CONFIDENCE / 2, dof), rss / dof
            if law not in ("broken", "linear", "proportional") and rss > 0:
                errors = np.zeros(len(theta))
                errors[free] = np.sqrt(s2 * np.diag(np.linalg.inv(A.T @ A)))
                lower, upper = BOUNDS[law]
                if np.any((theta - t * errors <= lower) | (theta + t * errors >= upper)):
                    end = furthest_curve(kept, law, theta, rss + t * t * s2, x, np.sign(entry["log_error"]))
                    of_curve = (end - eta) ** 2 / (t * t * s2)
            reach = t * np.sqrt(s2 * (1 / weight + of_curve))
            entry["inside"] = bool(abs(entry["log_error"]) <= reach)
            entry["near"] = bool(abs(abs(entry["log_error"]) / reach - 1) < 1e-5)
        laws.append(entry)
    return {"x": x, "n": int(np.sum(last)), "laws": laws}


def beta(study, keep, left_out=None):
    part = study.part(keep)
    fit = sm.WLS(study.sign * part.log_y, sm.add_constant(np.log(part.x)), weights=part.w).fit()
    figures = {"x_min": part.x[0], "x_max": part.x[-1], "beta": -fit.params[1],
               "se": fit.bse[1] if len(part.x) > 2 else None}
    if left_out is not None:
        figures["left_out"] = left_out
    return figures


def stability(study):
    levels, x = np.unique(study.x), study.x
    m = len(levels)
    return {"leave_one_out": [beta(study, x != v, v) for v in levels],
            "prefixes": [beta(study, x <= levels[k - 1]) for k in range(3, m)],
            "suffixes": [beta(study, x >= levels[m - k]) for k in range(3, m)],
            "local": [beta(study, (x == levels[k]) | (x == levels[k + 1])) for k in range(m - 1)]}


def break_statistics(x, w, draws, rng):
    """n ln(RSS of a line / RSS of the best broken line) for standard normal y. Projections at knots on a grid in each gap
    find the best break, vectorised over draws. A fine grid finds the meeting point of the free lines."""
    u, root = np.log(x), np.sqrt(w)
    levels = np.unique(u)
    knots = np.concatenate([np.linspace(levels[k - 1], levels[k], 41) for k in
                            range(LEVELS_BESIDE_BREAK, len(levels) - LEVELS_BESIDE_BREAK + 1)])
    y = rng.standard_normal((len(x), draws))

    def rss(X):
        q = np.linalg.qr(X * root[:, None])[0]
        return np.sum(y ** 2, axis=0) - np.sum((q.T @ y) ** 2, axis=0)
    line = rss(np.column_stack([np.ones(len(u)), u]))
    best = np.full(draws, np.inf)
    for knot in np.unique(knots):
        best = np.minimum(best, rss(broken_design(u, knot)))
    return len(x) * np.log(line / best)


def break_test(study, rng):
    if len(np.unique(study.x)) < 2 * LEVELS_BESIDE_BREAK or len(study.x) <= 4:
        return None
    power, broken = rss_of(study, "power"), solve_broken(study)[0]
    statistic = len(study.x) * np.log(power / broken)
    null = np.concatenate([break_statistics(study.x, study.w, 20000, rng) for _ in range(BREAK_DRAWS // 20000)])
    return {"statistic": statistic, "p": float(np.mean(null >= statistic))}


def study(rng, number):
    """A truth with N = 1, 2, 4, ... or random N, replicates in every other study, and weights in every fourth."""
    m = int(rng.integers(5, 11))
    xs = 2.0 ** np.arange(m) if number % 3 else np.unique(np.round(10 ** rng.uniform(0, 3, m)))
    x = np.repeat(xs, rng.integers(1, 4, len(xs))) if number % 2 else xs
    truth = ["power", "lognormal", "floor", "amdahl", "usl", "broken"][number % 6]
    theta = {"power": [5, 0.8], "lognormal": [5, -0.9, 0.04], "floor": [5, 0.9, 4.0], "amdahl": [5, 0.05],
             "usl": [5, 0.04, 1e-4]}.get(truth)
    u = np.log(x)
    knot = u[len(u) // 2]
    log_t = 5 - 0.9 * np.minimum(u - knot, 0) - 0.5 * np.maximum(u - knot, 0) if theta is None else log_time(truth, x, theta)
    response = "rate" if number % 5 == 4 else "time"
    sigma = rng.uniform(0.02, 0.12)
    if number % 7 == 3:  # Additive scatter.
        t = np.exp(log_t)
        t = np.maximum(t + 0.05 * t[-1] * rng.standard_normal(len(t)), 0.2 * t)
    else:
        t = np.exp(log_t + sigma * rng.standard_normal(len(x)))
    y = t if response == "time" else 1e4 / t
    w = np.round(rng.uniform(0.3, 3, len(x)), 3) if number % 4 == 3 else np.ones(len(x))
    return Study(x, np.array([float("%.10g" % v) for v in y]), w, response)


def plain(value):
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    generator = np.random.default_rng(20261121)
    cases = []
    for number in range(24):
        s = study(generator, number)
        figures = laws_of(s)
        cases.append({"response": s.response, "x": s.x, "y": s.y, "w": s.w,
                      "expected": {"laws": figures, **verdict_of(figures), "curvature": curvature(s), "errors": errors(s),
                                   "break": break_test(s, generator), "holdout": hold_out(s), "stability": stability(s)}})
    with open(os.path.join(HERE, "rank.json"), "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(c, default=plain) for c in cases) + "\n]\n")
