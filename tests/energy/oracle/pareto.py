"""Figures of a trade-off between time and energy, computed without scalelaw.

    python3 tests/energy/oracle/pareto.py        needs numpy and scipy

Prints the literals of tests/energy/pareto_test.cpp. For two caps, the posterior of the difference of
two means is a bivariate t (inverse Wishart with dof + 1 degrees of freedom), whose distribution
function is integrated here. For many caps against one, quadrature gives the quantile of Dunnett's
statistic.
"""
import numpy as np
from scipy import integrate, optimize, stats

A = np.array([[100.0, 20000], [104, 20500], [99, 20100]])
B = np.array([[103.0, 18000], [106, 18800]])


def scatter(*points):
    s = np.zeros((2, 2))
    dof = 0
    for p in points:
        r = np.log(p) - np.log(p).mean(axis=0)
        s += r.T @ r
        dof += len(p) - 1
    return s, dof


def two_caps():
    s, dof = scatter(A, B)
    shape = s / dof * (1 / len(A) + 1 / len(B))
    d = np.log(B.mean(axis=0) / A.mean(axis=0))  # ln ratio of B to A, centre of the posterior
    t = stats.t(dof)
    print("dof", dof, "sigma", np.sqrt(np.diag(s) / dof),
          "correlation", s[0, 1] / np.sqrt(s[0, 0] * s[1, 1]))
    for i, name in enumerate(["time", "energy"]):
        half = t.ppf(0.975) * np.sqrt(shape[i, i])
        print(name, "saving", 1 - np.exp(d[i]), "ci", 1 - np.exp(d[i] + half),
              1 - np.exp(d[i] - half))
    print("P(E_B < E_A)", t.cdf(-d[1] / np.sqrt(shape[1, 1])))

    # P(B dominates A) = P(both differences < 0).
    inverse = np.linalg.inv(shape)
    norm = 1 / (2 * np.pi * np.sqrt(np.linalg.det(shape)))

    def density(y, x):
        v = np.array([x, y]) - d
        return norm * (1 + v @ inverse @ v / dof) ** (-(dof + 2) / 2)

    lower = [(-40, -1), (-1, -0.2), (-0.2, -0.05), (-0.05, 0)]
    both_below = sum(integrate.dblquad(density, a, b, c, e, epsabs=1e-10)[0]
                     for a, b in lower for c, e in lower)
    upper = [(-b, -a) for a, b in lower]
    both_above = sum(integrate.dblquad(density, a, b, c, e, epsabs=1e-10)[0]
                     for a, b in upper for c, e in upper)
    print("share of A", 1 - both_below, "share of B", 1 - both_above)


def dunnett(k, n, dof, level=0.95):
    """Critical value of k treatments against a control, n runs each."""
    z, w = np.polynomial.hermite_e.hermegauss(80)
    w = w / w.sum()

    def inside(c, s):
        p = stats.norm.cdf(z + np.sqrt(2) * c * s) - stats.norm.cdf(z - np.sqrt(2) * c * s)
        return np.sum(w * p ** k)

    def coverage(c):
        f = lambda s: inside(c, s) * stats.chi(dof).pdf(s * np.sqrt(dof)) * np.sqrt(dof)
        return integrate.quad(f, 0, 5, limit=200)[0]

    return optimize.brentq(lambda c: coverage(c) - level, 1, 10)


def curve():
    """One frontier by hand: eta at which neighbours cost the same."""
    t = np.array([10.0, 12, 15, 13, 20])
    e = np.array([4000.0, 3000, 2400, 3100, 2300])
    x = 250 * t
    for i, j in [(0, 1), (1, 2), (2, 4)]:
        print("even eta", i, j, (x[j] - x[i]) / ((x[j] - x[i]) + (e[i] - e[j])))
    for eta in [0, 0.5, 1]:
        print("cost", eta, list(eta * e + (1 - eta) * x))


if __name__ == "__main__":
    two_caps()
    print("Dunnett, 6 caps against one, 3 runs each, 14 dof", dunnett(6, 3, 14))
    curve()
