#!/usr/bin/env python3
"""Makes laws.json: random studies of the laws that are fitted by steps. Brute force gives their estimates, standard
errors, figures and profile-likelihood intervals. SciPy's bounded least squares has many starts and ends with Newton steps
on complex-step derivatives. Profiles use the same search with one parameter held, and Brent's method finds their ends.
The broken law of ln y is solved exactly, as linear least squares at every break. The C++ tests need no SciPy.

    /usr/bin/python3 tests/fit/oracle/make_law_oracle.py
"""
import json
import math
import os
import warnings

import numpy as np
from scipy import optimize, stats

HERE = os.path.dirname(os.path.abspath(__file__))
INF = math.inf


def eta(law, rate, x, q):
    """ln of the curve. It is analytic and accepts complex parameters."""
    s = -1.0 if rate else 1.0
    if law == "lognormal":
        return q[0] - s * q[1] * np.log(x) + q[2] * np.log(x) ** 2
    if law == "floor":
        return s * np.log(np.exp(s * q[0] - q[1] * np.log(x)) + q[2])
    if law == "amdahl":
        return q[0] + s * np.log(q[1] + (1 - q[1]) / x)
    if law == "usl":
        return q[0] + s * np.log((1 + q[1] * (x - 1) + q[2] * x * (x - 1)) / x)
    u = np.log(x)
    kink = q[3]
    beyond = u > np.real(kink)
    return q[0] - s * (q[1] * np.where(beyond, kink, u) + q[2] * np.where(beyond, u - kink, 0))


BOUNDS = {"lognormal": [(-INF, INF)] * 3, "floor": [(-INF, INF), (-10, 10), (0, INF)], "amdahl": [(-INF, INF), (0, 1)],
          "usl": [(-INF, INF), (0, 1), (0, 1)], "broken": [(-INF, INF)] * 4}


class Study:
    def __init__(self, law, rate, normal, x, y, w):
        self.law, self.rate, self.normal, self.x, self.w = law, rate, normal, x, w
        self.y = y if normal else np.log(y)
        self.log_y = np.log(y)
        self.bounds = list(BOUNDS[law])
        if law == "broken":
            levels = np.unique(x)
            self.bounds[3] = (math.log(levels[2]), math.log(levels[-3]))
        self.p = len(self.bounds)

    def residual(self, q):
        e = eta(self.law, self.rate, self.x, q)
        return np.sqrt(self.w) * ((np.exp(e) if self.normal else e) - self.y)

    def rss(self, q):
        return float(np.sum(self.residual(np.asarray(q, float)) ** 2))

    def jacobian(self, q, free):
        out = np.empty((len(self.x), len(free)))
        for c, k in enumerate(free):
            z = np.array(q, complex)
            z[k] += 1e-30j
            out[:, c] = self.residual(z).imag / 1e-30
        return out

    def starts(self, rng, count):
        low, high = self.x[0], self.x[-1]
        for _ in range(count):
            q = np.zeros(self.p)
            if self.law == "floor":
                q[1] = rng.choice([rng.uniform(0, 2), rng.uniform(-2, 0), rng.uniform(2, 8)], p=[.7, .15, .15])
                middle = math.exp(rng.uniform(math.log(low), math.log(high)))
                q[2] = middle ** -q[1] * 10 ** rng.uniform(-2, 1)
            elif self.law in ("amdahl", "usl"):
                q[1] = min(10 ** rng.uniform(-2, 1) / high, 0.99)
                if self.law == "usl":
                    q[2] = min(10 ** rng.uniform(-2, 1) / high ** 2, 0.99)
            offset = np.average(self.log_y - eta(self.law, self.rate, self.x, q))
            q[0] += offset
            if self.law == "floor":
                q[2] *= math.exp(-offset if self.rate else offset)
            yield q

    def newton(self, q, free):
        """Finishes a solution, with second derivatives as differences of exact gradients."""
        q = np.array(q, float)
        for _ in range(30):
            J, r = self.jacobian(q, free), self.residual(q)
            g = J.T @ r
            H = np.empty((len(free), len(free)))
            for c, k in enumerate(free):
                h = 1e-6 * max(abs(q[k]), math.sqrt(r @ r) / np.linalg.norm(J[:, c]))
                up, down = q.copy(), q.copy()
                up[k] += h
                down[k] -= h
                H[:, c] = (self.jacobian(up, free).T @ self.residual(up)
                           - self.jacobian(down, free).T @ self.residual(down)) / (2 * h)
            step = np.linalg.solve((H + H.T) / 2, -g)
            trial = q.copy()
            trial[free] += step
            inside = all(self.bounds[k][0] <= trial[k] <= self.bounds[k][1] for k in free)
            if not np.all(np.isfinite(step)) or not inside or self.rss(trial) > self.rss(q) * (1 + 1e-12):
                return q
            q = trial
        return q

    def minimum(self, held=None, near=(), count=24, rng=None):
        """Least squares with parameters held at values ({index: value}); trials find the active set."""
        held = held or {}
        if self.law == "broken" and not self.normal:
            return broken_minimum(self, held)
        rng = rng or np.random.default_rng(7)
        best, best_rss = None, INF
        free = [k for k in range(self.p) if k not in held]
        lower = np.array([self.bounds[k][0] for k in free])
        upper = np.array([self.bounds[k][1] for k in free])
        for q0 in list(near) + list(self.starts(rng, count)):
            q0 = np.array(q0, float)
            for k, v in held.items():
                q0[k] = v
            if not free:
                return q0, self.rss(q0)

            def full(z):
                q = q0.astype(complex if np.iscomplexobj(z) else float)
                q[free] = z
                return q

            try:
                end = optimize.least_squares(lambda z: self.residual(full(z)),
                                             np.clip(q0[free], lower + 1e-12 * (upper < INF), upper), x_scale="jac",
                                             jac=lambda z: self.jacobian(full(z), free), bounds=(lower, upper),
                                             xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=2000)
            except (ValueError, np.linalg.LinAlgError):
                continue
            # For bounds that the interior method approaches: the better of holding them or not.
            for on in reversed(bound_sets(self, free, end.x)):
                q = full(end.x)
                for k, v in on.items():
                    q[k] = v
                rest = [k for k in free if k not in on]
                if not np.isfinite(self.rss(q)):
                    continue
                try:
                    q = self.newton(q, rest) if rest else q
                    if on and rest:
                        q = self.newton(gauss_newton(self, q, rest), rest)
                except np.linalg.LinAlgError:
                    pass
                if best is None or self.rss(q) < best_rss * (1 - 1e-11):
                    best, best_rss = q, self.rss(q)
        return best, best_rss


def gauss_newton(study, q, free):
    for _ in range(60):
        step = np.linalg.lstsq(study.jacobian(q, free), -study.residual(q), rcond=None)[0]
        for _ in range(40):
            trial = q.copy()
            trial[free] += step
            inside = all(study.bounds[k][0] <= trial[k] <= study.bounds[k][1] for k in free)
            if inside and study.rss(trial) <= study.rss(q):
                q = trial
                break
            step = step / 2
    return q


def bound_sets(study, free, z):
    out = [{}]
    for k, v in zip(free, z):
        for bound in study.bounds[k]:
            if math.isfinite(bound) and abs(v - bound) < 0.05 * (1 + abs(bound)):
                out += [{**s, k: bound} for s in out]
    return out


def broken_given(study, kink, held):
    """Linear least squares at one break, with other parameters held or free."""
    u = np.log(study.x)
    s = 1.0 if study.rate else -1.0
    columns = np.column_stack([np.ones(len(u)), s * np.minimum(u, kink), s * np.maximum(u - kink, 0)])
    free = [k for k in range(3) if k not in held]
    target = study.y - sum(held[k] * columns[:, k] for k in held if k < 3)
    root = np.sqrt(study.w)
    q = np.zeros(4)
    q[free] = np.linalg.lstsq(root[:, None] * columns[:, free], root * target, rcond=None)[0]
    for k, v in held.items():
        q[k] = v
    q[3] = kink
    return q, study.rss(q)


def broken_minimum(study, held):
    if 3 in held:
        return broken_given(study, held[3], held)
    levels = np.log(np.unique(study.x)[2:-2])
    best, best_rss = None, INF
    for low, high in zip(levels[:-1], levels[1:]):
        grid = np.linspace(low, high, 41)
        values = [broken_given(study, k, held)[1] for k in grid]
        i = int(np.argmin(values))
        a, b = grid[max(i - 1, 0)], grid[min(i + 1, 40)]
        end = optimize.minimize_scalar(lambda k: broken_given(study, k, held)[1], bounds=(a, b), method="bounded",
                                       options={"xatol": 1e-12})
        for kink in (grid[i], end.x):
            q, rss = broken_given(study, kink, held)
            if rss < best_rss:
                best, best_rss = q, rss
    if not held and low_gradient(study, best):  # Inside a piece: finished by Newton steps.
        best = study.newton(best, [0, 1, 2, 3])
        best_rss = study.rss(best)
    return best, best_rss


def low_gradient(study, q):
    return min(abs(q[3] - np.log(study.x))) > 1e-6


def profile_end(study, best, best_rss, k, direction, reach):
    """The place where the profile first passes the threshold, or a bound, or None if it is open."""
    n = len(study.x)
    dof = n - study.p
    bound = study.bounds[k][0 if direction < 0 else 1]
    state = {"q": best}

    def beyond(value):
        q, rss = study.minimum({k: value}, near=[state["q"], best], count=3)
        state["q"] = q
        return math.sqrt(max(rss - best_rss, 0) * dof / best_rss) - reach

    if study.law == "broken" and k == 3:  # The hull of what is inside.
        grid = np.linspace(best[3], bound, 1500)
        inside = [v for v in grid if beyond(v) <= 0]
        if not inside or inside[-1] == grid[-1]:
            return None
        step = abs(grid[1] - grid[0]) if len(grid) > 1 else 0
        return optimize.brentq(beyond, inside[-1], inside[-1] + direction * step, xtol=1e-13)
    J = study.jacobian(best, [k])
    step = reach * math.sqrt(best_rss / dof) / np.linalg.norm(J) / 4
    last = best[k]
    for _ in range(90):
        value = last + direction * step
        if (value - bound) * direction >= 0:
            value = bound
        at = beyond(value)
        if at >= 0:
            return optimize.brentq(beyond, last, value, xtol=1e-13 * max(abs(value), 1e-6), rtol=1e-13)
        if value == bound:
            return bound
        last, step = value, step * 1.25
    return None


def expectations(study, with_profile):
    n, p = len(study.x), study.p
    q, rss = study.minimum(count=40)
    on = [k for k in range(p) if q[k] in study.bounds[k]]
    free = [k for k in range(p) if k not in on]
    J = study.jacobian(q, free)
    covariance = rss / (n - p) * np.linalg.inv(J.T @ J)
    se = [None] * p
    for c, k in enumerate(free):
        se[k] = math.sqrt(covariance[c, c])
    mean = np.average(study.y, weights=study.w)
    tss = float(np.sum(study.w * (study.y - mean) ** 2))
    count = p + 1
    llf = -0.5 * n * (math.log(2 * math.pi * rss / n) + 1) + 0.5 * float(np.sum(np.log(study.w)))
    out = {"estimates": list(q), "se": se, "rss": rss, "r2": 1 - rss / tss,
           "aicc": 2 * count - 2 * llf + 2 * count * (count + 1) / (n - count - 1) if n - count - 1 > 0 else None}
    if with_profile:
        reach = stats.t.ppf(0.975, n - p)
        out["lower"] = [profile_end(study, q, rss, k, -1, reach) for k in range(p)]
        out["upper"] = [profile_end(study, q, rss, k, 1, reach) for k in range(p)]
    return out


TRUTHS = {  # ln alpha or ln t1 of a time in seconds, then the rest; the second of each lies on a bound.
    "lognormal": [[5, 1.0, 0.05]], "floor": [[4.6, 0.8, 4.0], [4.6, 0.8, 0.0]], "amdahl": [[4.6, 0.04], [4.6, 0.0]],
    "usl": [[4.6, 0.03, 3e-4], [4.6, 0.03, 0.0], [4.6, 0.0, 3e-4]], "broken": [[4.6, 0.9, 0.4, 3.0]]}


def study_of(rng, law, truth, rate, normal, replicates, weighted):
    n = int(rng.integers(6, 13)) + (2 if law == "broken" else 0)
    levels = np.unique(np.round(2 ** np.linspace(0, rng.uniform(5, 8.5), n)))
    while len(levels) < 6:
        levels = np.append(levels, levels[-1] * 2)
    x = np.repeat(levels, rng.integers(1, 4, len(levels)) if replicates else 1)
    q = np.array(truth, float)
    y = np.exp((-1 if rate else 1) * eta(law, False, x, q))
    scatter = 10 ** rng.uniform(-2, -1)
    y = y * np.exp(scatter * rng.normal(size=len(x)))
    y = np.array([float("%.8g" % v) for v in y])
    w = np.round(rng.uniform(0.3, 4, len(x)), 2) if weighted else np.ones(len(x))
    return x, y, w


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(20261122)
    cases = []
    for law, truths in TRUTHS.items():
        for truth in truths:
            for i in range(6):
                rate, normal = i % 2 == 1, i % 3 == 2
                if law == "lognormal" and not normal:
                    continue  # Linear: the oracle of least_squares.json has such fits.
                x, y, w = study_of(rng, law, truth, rate, normal, replicates=i in (2, 3), weighted=i in (1, 2))
                if law == "broken" and normal:
                    normal = False
                study = Study(law, rate, normal, x, y, w)
                case = {"law": law, "rate": rate, "normal": normal, "x": list(x), "y": list(y), "w": list(w),
                        "expected": expectations(study, True)}
                print(law, truth, i, case["expected"]["estimates"], flush=True)
                cases.append(case)
    with open(os.path.join(HERE, "laws.json"), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()
