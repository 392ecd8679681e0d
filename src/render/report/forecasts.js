// The formulas of `scalelaw predict` (docs/explanation/forecasts.md).

// Student's t, by the continued fraction of the incomplete beta function (Numerical Recipes, 6.4).

const logGamma = (z) => {  // Lanczos, g = 7.
  const c = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - logGamma(1 - z);
  let sum = c[0];
  for (let i = 1; i < 9; ++i) sum += c[i] / (z - 1 + i);
  const t = z + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (z - 0.5) * Math.log(t) - t + Math.log(sum);
};

// ln B(a, 1/2); for large a by its series, because differences of large logarithms lose digits.
const logBetaHalf = (a) => (a < 200 ? logGamma(a) + 0.5 * Math.log(Math.PI) - logGamma(a + 0.5)
  : 0.5 * Math.log(Math.PI) - 0.5 * Math.log(a) + 1 / (8 * a) - 1 / (192 * a * a * a));

const betaFraction = (a, b, x) => {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 - (a + b) * x / (a + 1);
  d = 1 / (Math.abs(d) < tiny ? tiny : d);
  let h = d;
  for (let m = 1; m <= 20000; ++m) {
    for (const n of [m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
      -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))]) {
      d = 1 + n * d;
      c = 1 + n / c;
      if (Math.abs(d) < tiny) d = tiny;
      if (Math.abs(c) < tiny) c = tiny;
      d = 1 / d;
      h *= d * c;
    }
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return h;
};

// P(|T| > t).
const studentTails = (t, dof) => {
  const a = dof / 2;
  const x = dof / (dof + t * t);
  const front = Math.exp(a * Math.log(x) + 0.5 * Math.log1p(-x) - logBetaHalf(a));
  return x < (a + 1) / (a + 2.5) ? front * betaFraction(a, 0.5, x) / a
    : 1 - front * betaFraction(0.5, a, 1 - x) / 0.5;
};

// P(T < t).
const studentCdf = (t, dof) => {
  const half = 0.5 * studentTails(Math.abs(t), dof);
  return t > 0 ? 1 - half : half;
};

// Forecasts: the formulas of `scalelaw predict` (docs/explanation/forecasts.md). z = ln(x / x_max).

const logShape = (law, a, b, z) => {
  switch (law) {
    case 'power': return -a * z;
    case 'lognormal': return (b * z - a) * z;
    case 'floor': return Math.log(Math.exp(-a * z) + Math.exp(b));
    case 'amdahl': return Math.log(Math.exp(-z) + Math.exp(b));
    default: return Math.log(Math.exp(-z) + Math.exp(a) + Math.exp(b + z));
  }
};

// Centre, weight and scale of ln time under each part of a mixture: of one new run, or of the curve.
const logTimes = (f, x, ofCurve = false) => f.parts.map((part) => {
  const [number, weight, a, b, level, scale, dof, mass, own, shared, mean, spread, inCurve, reach = 0, last = 0, lastSlope = 0] = part;
  const law = ['power', 'lognormal', 'floor', 'amdahl', 'usl'][number];
  const z = Math.log(x / f.to);
  const shape = logShape(law, a, b, z);
  const alike = reach > 0 ? Math.exp(-Math.abs(z) / reach) : 0;
  let leverage = (1 - alike) * (1 - alike) / mass + (ofCurve ? 0 : own);
  if (reach > 0) leverage += shared * (1 - alike * alike * shared / (own + shared)); else if (!ofCurve) leverage += shared;
  if (spread > 0) {
    const slope = law === 'usl' ? Math.exp(a - shape) : -z * (law === 'floor' ? 1 - Math.exp(b - shape) : 1);
    leverage += Math.pow(slope - alike * lastSlope - (1 - alike) * mean, 2) / spread;
  }
  return { weight, share: weight * inCurve, dof, centre: level + shape + alike * last, scale: scale * Math.sqrt(leverage) };
});

// The mean of the laws' curves, which is forecast.
const logCurve = (times) => times.reduce((sum, part) => sum + part.share * part.centre, 0) / times.reduce((sum, part) => sum + part.share, 0);

const chanceBelow = (times, at) => times.reduce((sum, part) =>
  sum + part.weight * studentCdf((at - part.centre) / part.scale, part.dof), 0);

// Steps: halvings of the bracket. Curves need fewer than numbers.
const quantile = (times, probability, steps = 60) => {
  let low = Math.min(...times.map((part) => part.centre - part.scale));
  let high = Math.max(...times.map((part) => part.centre + part.scale));
  const below = (at) => chanceBelow(times, at) < probability;
  for (let step = high - low; !below(low); step *= 2) low -= step;
  for (let step = high - low; below(high); step *= 2) high += step;
  for (let i = 0; i < steps; ++i) {
    const middle = 0.5 * (low + high);
    if (below(middle)) low = middle; else high = middle;
  }
  return 0.5 * (low + high);
};

const predict = (f, x, study) => {
  const mixed = f.parts.length > 0;
  const times = mixed ? logTimes(f, x) : null;
  const sign = f.rate ? -1 : 1;
  const log = mixed ? logCurve(times) : sign * Math.log(f.power[0]) - f.power[1] * Math.log(x);
  if (!Number.isFinite(log)) return null;
  const out = { median: Math.exp(sign * log), mean: null, lower: null, upper: null };
  if (f.smearing !== null) out.mean = out.median * f.smearing;
  const ratio = x / f.from;
  out.speedup = Math.exp(f.first - log) * (f.of_one ? ratio : 1);  // A rate of one GPU is not that of all.
  out.efficiency = out.speedup / ratio;
  out.beyond = x > f.to || x < f.from;
  if (!mixed) return out;
  const tail = 0.5 * (1 - study.confidence);
  const ends = [log, quantile(times, tail), quantile(times, 1 - tail)].map((end) => Math.exp(sign * end));
  if (ends.every(Number.isFinite)) [out.lower, out.upper] = [Math.min(...ends), Math.max(...ends)];
  return out;
};

const scaled = (p, factor) => {
  const times = (value) => (value === null ? null : value * factor);
  return { median: times(p.median), mean: times(p.mean), lower: times(p.lower), upper: times(p.upper) };
};


// The median and the ends of both bands at x, precise enough for a line; null without a value.
const bandsAt = (f, x, study) => {
  const steps = 16;
  const sign = f.rate ? -1 : 1;
  if (f.parts.length === 0) {
    const log = sign * Math.log(f.power[0]) - f.power[1] * Math.log(x);
    return Number.isFinite(log) ? { x, median: Math.exp(sign * log), run: null, curve: null } : null;
  }
  const runs = logTimes(f, x);
  const curve = logTimes(f, x, true);
  const tail = 0.5 * (1 - study.confidence);
  const ends = (times) => [tail, 1 - tail].map((p) => Math.exp(sign * quantile(times, p, steps))).sort((a, b) => a - b);
  const median = Math.exp(sign * logCurve(runs));
  return Number.isFinite(median) ? { x, median, run: ends(runs), curve: ends(curve) } : null;
};

// Whether a new run at x takes at most `limit` with that probability; 0.5 is the forecast. The interval takes the forecast in.
const isMet = (f, x, limit, probability) => {
  const most = limit * (1 + 1e-12);
  if (f.parts.length === 0) return f.power[0] * Math.pow(x, -f.power[1]) <= most;
  const times = logTimes(f, x);
  const forecast = logCurve(times) <= Math.log(most);
  if (probability === 0.5) return forecast;
  const runs = chanceBelow(times, Math.log(most)) >= probability;
  return probability < 0.5 ? runs || forecast : runs && forecast;
};

// The places that `predict` examines: whole numbers, about 5 % apart, up to 1000 times the greatest measured one.
const placesOf = (f) => {
  const last = Math.floor(1000 * f.to);
  const places = [];
  for (let x = 1; x < last; x = Math.max(x + 1, Math.floor(x * 1.05))) places.push(x);
  return [...places, last];
};

const firstBetween = (below, above, holds) => {
  while (above - below > 1) {
    const middle = Math.floor(0.5 * (below + above));
    if (holds(middle)) above = middle; else below = middle;
  }
  return above;
};

// The least whole x that meets a deadline with that probability; null if none does. For times.
const leastFor = (f, deadline, probability) => {
  const holds = (x) => isMet(f, x, deadline, probability);
  const places = placesOf(f);
  const i = places.findIndex(holds);
  return i < 0 ? null : firstBetween(i === 0 ? 0 : places[i - 1], places[i], holds);
};

// The greatest whole x up to which x times the time stays within a budget, likewise.
const greatestFor = (f, budget, probability) => {
  const holds = (x) => isMet(f, x, budget / x, probability);
  const places = placesOf(f);
  for (let i = places.length - 1; i >= 0; --i) {
    if (!holds(places[i])) continue;
    return i + 1 === places.length ? places[i] : firstBetween(places[i], places[i + 1], (x) => !holds(x)) - 1;
  }
  return null;
};

// The three answers to a demand: by the median, and by the ends of the interval of new runs.
const demandOf = (search, f, limit, study) => {
  const tail = 0.5 * (1 - study.confidence);
  const mixed = f.parts.length > 0;
  return { x: search(f, limit, 0.5), early: mixed ? search(f, limit, tail) : null, safe: mixed ? search(f, limit, 1 - tail) : null };
};
