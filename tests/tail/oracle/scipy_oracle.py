# Expectations for tests/tail that R's poweRlaw lacks: the Hurwitz zeta function (mpmath, scipy), and the alternatives by
# plain numerical maximisation (SciPy), with sums and quadrature in place of closed forms.
#     python3 scipy_oracle.py
import mpmath as mp
import numpy as np
from scipy import integrate, optimize, special

mp.mp.dps = 40
for s, q in [(1.05, 1), (1.5, 1), (2.5, 7), (2.5, 1000), (3.5, 0.5), (20, 3), (60, 2), (2, 1e6)]:
    value = mp.zeta(mp.mpf(s), mp.mpf(q))
    first = mp.diff(lambda t: mp.log(mp.zeta(t, mp.mpf(q))), mp.mpf(s))
    second = mp.diff(lambda t: mp.log(mp.zeta(t, mp.mpf(q))), mp.mpf(s), 2)
    print('zeta', s, q, mp.nstr(value, 17), 'log derivatives', mp.nstr(first, 15), mp.nstr(second, 15),
          'scipy', repr(special.zeta(s, q)))
for s, z in [(2.5, 1e-6), (2.0, 0.01), (1.0, 1.0), (0.5, 3.0), (-2.0, 0.1), (3.0, 50.0), (2.0001, 0.3)]:
    print('cut off integral', s, z, mp.nstr(mp.exp(z) * mp.mpf(z) ** (s - 1) * mp.gammainc(1 - mp.mpf(s), z), 17))
for s, r, q in [(2.5, 1e-4, 7), (1.0, 0.01, 1), (2.0, 0.5, 3), (0.3, 0.05, 10)]:
    k = np.arange(0, 60 / r)
    print('cut off sum', s, r, q, repr(np.sum(((k + q) / q) ** -s * np.exp(-r * k))))
for t in [-30, -1, 0, 1.5, 2.5, 30, 1e4]:
    print('log erfc', t, mp.nstr(mp.log(mp.erfc(t)), 15))

i = np.arange(1, 301)
u = np.mod(i * 0.6180339887498949, 1)
continuous = np.where(i % 3 == 0, u, u ** (-1 / 1.4))
whole = np.where(i % 3 == 0, 1 + i % 4, np.floor(4.5 * u ** (-1 / 1.4) + 0.5))


def maximum(log_density, starts):
    def lack(p):
        with np.errstate(all='ignore'):
            value = -np.sum(log_density(p))
        return value if np.isfinite(value) else 1e300
    best = min((optimize.minimize(lack, s, method='Nelder-Mead',
                                  options=dict(maxiter=9000, maxfev=9000, xatol=1e-11, fatol=1e-12)) for s in starts),
               key=lambda r: r.fun)
    return best.x, -best.fun


def report(name, power, other, p):
    d = power - other
    n = len(d)
    print(' ', name, 'parameters', p, 'log likelihood', repr(other.sum()), 'ratio', d.sum(),
          'normalised', d.sum() / np.sqrt(n * d.var()))


def distance(model_below, x):
    values, first = np.unique(np.sort(x), return_index=True)
    return np.max(np.abs(model_below(values) - first / len(x)))


def continuous_tail(x, m):
    x = x[x >= m]
    a = 1 + len(x) / np.log(x / m).sum()
    power = np.log((a - 1) / m) - a * np.log(x / m)
    print('continuous: x_min', m, 'alpha', a, 'log likelihood', power.sum(),
          'KS', distance(lambda v: 1 - (v / m) ** (1 - a), x))

    def lognormal(p):
        mu, sigma = p[0], np.exp(p[1])
        y = (np.log(x) - mu) / sigma
        return -0.5 * y * y - np.log(x * sigma) - 0.5 * np.log(2 * np.pi) - special.log_ndtr((mu - np.log(m)) / sigma)
    p, _ = maximum(lognormal, [(0, 0), (-5, 1), (-50, 2)])
    report('lognormal', power, lognormal(p), (p[0], np.exp(p[1])))
    exponential = lambda p: p[0] - np.exp(p[0]) * (x - m)
    p, _ = maximum(exponential, [(0.0,)])
    report('exponential', power, exponential(p), np.exp(p))
    stretched = lambda p: p[0] + p[1] + (np.exp(p[0]) - 1) * np.log(x) - np.exp(p[1]) * (x ** np.exp(p[0]) - m ** np.exp(p[0]))
    p, _ = maximum(stretched, [(-1, -1), (-2, 0), (0, -2)])
    report('stretched', power, stretched(p), np.exp(p))

    def truncated(p):
        a, rate = p[0], np.exp(p[1])
        total = integrate.quad(lambda v: np.exp((1 - a) * v - rate * m * np.exp(v)), 0, 60, epsabs=1e-14, epsrel=1e-12, limit=400)[0]
        return -a * np.log(x) - rate * x - np.log(total) - (1 - a) * np.log(m)
    p, _ = maximum(truncated, [(a, -5), (a - 0.3, -4)])
    report('truncated', power, truncated(p), (p[0], np.exp(p[1])))


def discrete_tail(x, m):
    x = x[x >= m]
    a, _ = maximum(lambda p: -p[0] * np.log(x) - np.log(special.zeta(p[0], m)), [(2.0,)])
    a = a[0]
    power = -a * np.log(x) - np.log(special.zeta(a, m))
    print('whole: x_min', m, 'alpha', a, 'log likelihood', power.sum())
    k = np.arange(m, 2000001)

    def truncated(p):
        a, rate = p[0], np.exp(p[1])
        return -a * np.log(x) - rate * (x - m) - np.log(np.sum(k ** -a * np.exp(-rate * (k - m))))
    p, _ = maximum(truncated, [(a, -6), (a - 0.3, -5)])
    report('truncated', power, truncated(p), (p[0], np.exp(p[1])))

    exponential = lambda p: np.log(-np.expm1(-np.exp(p[0]))) - np.exp(p[0]) * (x - m)
    p, _ = maximum(exponential, [(-2.0,)])
    report('exponential', power, exponential(p), np.exp(p))

    def stretched(p):
        b, rate = np.exp(p)
        share = lambda v: np.exp(-rate * (v ** b - (m - 0.5) ** b))
        return np.log(share(x - 0.5) - share(x + 0.5))
    p, _ = maximum(stretched, [(-1, -1), (-2, 0.5), (-3, 2)])
    report('stretched', power, stretched(p), np.exp(p))

    def lognormal(p):
        share = lambda v: special.log_ndtr(-(np.log(v) - p[0]) / np.exp(p[1]))
        return share(x - 0.5) + np.log(-np.expm1(share(x + 0.5) - share(x - 0.5))) - share(m - 0.5)
    p, _ = maximum(lognormal, [(0, 0), (1, 0.5), (-3, 1), (-10, 1.5)])
    report('lognormal', power, lognormal(p), (p[0], np.exp(p[1])))


# x_min is first the value that poweRlaw finds (powerlaw_oracle.R), then given.
continuous_tail(continuous, continuous[np.argmin(abs(continuous - 0.99378876))])
discrete_tail(whole, 5.0)
bent = np.log(u) ** 2
continuous_tail(bent, 0.5)
discrete_tail(np.floor(20 * bent) + 1, 5.0)
