#include "fit/bootstrap.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/per_thread.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/quantiles.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kResampleBlock = 1000;  ///< Resamples that share a random stream.

bool is_wild(BootstrapKind kind) {
  return kind == BootstrapKind::kWild || kind == BootstrapKind::kWebb;
}

double leverage(const BootstrapProblem& problem, std::size_t i) {
  return problem.points->cells[i].weight * problem.solution->squared_length(i);
}

/// Residuals to resample, in units in which all points scatter alike. A residual is smaller than
/// the error behind it, on average by sqrt(1 - h), and the residual kind corrects that. The wild
/// kinds divide by 1 - h, as HC3 does, because few points need it (bench/coverage). A point of
/// leverage 1 has no residual to draw.
std::vector<double> adjusted_residuals(const BootstrapProblem& problem, BootstrapKind kind) {
  std::vector<double> adjusted(problem.points->size());
  for (std::size_t i = 0; i < adjusted.size(); ++i) {
    const double h = leverage(problem, i);
    if (h > kFullLeverage) continue;
    const double whitened = std::sqrt(problem.points->cells[i].weight) * problem.residuals[i];
    adjusted[i] = whitened / (is_wild(kind) ? 1 - h : std::sqrt(1 - h));
  }
  return adjusted;
}

void recentre(std::span<double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value -= sum / static_cast<double>(values.size());
}

/// n x p: how much theta changes if the whitened error at point i changes by 1.
std::vector<double> influences(const BootstrapProblem& problem) {
  const Solution& solution = *problem.solution;
  const std::size_t p = solution.p;
  std::vector<double> influence(problem.points->size() * p);
  for (std::size_t i = 0; i < problem.points->size(); ++i) {
    const double root = std::sqrt(problem.points->cells[i].weight);
    for (std::size_t k = 0; k < p; ++k) {
      double sum = 0;
      for (std::size_t l = 0; l < p; ++l) sum += solution.back[k][l] * solution.row(i)[l];
      influence[i * p + k] = root * sum;
    }
  }
  return influence;
}

/// The points of one x, [begin, end).
struct Stratum {
  std::uint32_t begin;
  std::uint32_t size;
};

std::vector<Stratum> strata_of(const FitPoints& points) {
  std::vector<Stratum> strata;
  bool replicated = false;
  for (std::uint32_t begin = 0; begin < points.size();) {
    std::uint32_t end = begin;
    while (end < points.size() && points.cells[end].x == points.cells[begin].x) ++end;
    strata.push_back({begin, end - begin});
    replicated = replicated || end - begin > 1;
    begin = end;
  }
  if (!replicated) {
    throw FitError(
        FailureCode::kNotIdentifiable,
        "the case bootstrap draws points inside each x, and no x has two: use the wild kind");
  }
  return strata;
}

/// Uniform draws from 0 .. n-1, several from one 64-bit word, whose fraction is multiplied by n
/// repeatedly. Enough bits remain to keep the bias of the last draw below 2^-32.
class IndexDraws {
 public:
  IndexDraws(RandomStream& stream, std::uint32_t n)
      : stream_(stream), n_(n), per_word_(draws_per_word(n)) {}

  std::uint32_t operator()() {
    if (left_ == 0) {
      word_ = stream_();
      left_ = per_word_;
    }
    --left_;
    const Product product = static_cast<Product>(word_) * n_;
    word_ = static_cast<std::uint64_t>(product);
    return static_cast<std::uint32_t>(product >> 64);
  }

 private:
  __extension__ using Product = unsigned __int128;
  static int draws_per_word(std::uint32_t n) {
    return n < 2 ? 64 : std::max(1, static_cast<int>(32 / std::log2(static_cast<double>(n))));
  }
  RandomStream& stream_;
  std::uint64_t n_;
  int per_word_;
  int left_ = 0;
  std::uint64_t word_ = 0;
};

/// The sum over points of influence_i * residual_i * v_i, where v_i is one of a few values. Tables
/// speed it up: a chunk of several points has an entry for each combination of their values.
class ChunkTables {
 public:
  ChunkTables(std::span<const double> contributions, std::size_t p, std::span<const double> values,
              std::size_t points_a_chunk)
      : p_(p) {
    const std::size_t n = contributions.size() / p;
    for (std::size_t begin = 0; begin < n; begin += points_a_chunk) {
      const std::size_t count = std::min(points_a_chunk, n - begin);
      add_chunk(contributions.subspan(begin * p, count * p), values);
    }
  }

  std::size_t size() const { return entries_.size(); }
  std::uint32_t entries(std::size_t chunk) const { return entries_[chunk]; }
  const double* entry(std::size_t chunk, std::uint32_t code) const {
    return sums_.data() + offsets_[chunk] + code * p_;
  }

 private:
  void add_chunk(std::span<const double> contributions, std::span<const double> values) {
    const std::size_t count = contributions.size() / p_;
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < count; ++i) combinations *= values.size();
    offsets_.push_back(sums_.size());
    entries_.push_back(static_cast<std::uint32_t>(combinations));
    for (std::size_t code = 0; code < combinations; ++code) {
      for (std::size_t k = 0; k < p_; ++k) {
        double sum = 0;
        for (std::size_t i = 0, rest = code; i < count; ++i, rest /= values.size()) {
          sum += values[rest % values.size()] * contributions[i * p_ + k];
        }
        sums_.push_back(sum);
      }
    }
  }

  std::size_t p_;
  std::vector<double> sums_;
  std::vector<std::size_t> offsets_;
  std::vector<std::uint32_t> entries_;
};

/// The resamples of one group: how much each one changes the working parameters, by parameter.
struct Draws {
  std::size_t p = 0;
  std::size_t resamples = 0;
  std::vector<double> deviations;  ///< p x resamples.

  std::span<const double> of(std::size_t k) const {
    return {deviations.data() + k * resamples, resamples};
  }
};

/// Adds a row of P values (p if P is 0) to a sum.
template <std::size_t P>
void add_row(const double* row, std::size_t p, SmallVector& sum) {
  const std::size_t count = P == 0 ? p : P;
  for (std::size_t k = 0; k < count; ++k) sum[k] += row[k];
}

template <std::size_t P>
void store(const SmallVector& sum, std::size_t r, Draws& draws) {
  const std::size_t count = P == 0 ? draws.p : P;
  for (std::size_t k = 0; k < count; ++k) draws.deviations[k * draws.resamples + r] = sum[k];
}

/// Resamples [begin, end) from tables whose chunks are powers of two, by slicing bits off a word.
template <std::size_t P>
void draw_signs(const ChunkTables& tables, RandomStream& stream, std::size_t begin, std::size_t end,
                Draws& draws) {
  const auto bits = std::max(1U, static_cast<unsigned>(std::bit_width(tables.entries(0) - 1)));
  const unsigned per_word = 64 / bits;
  std::uint64_t word = 0;
  unsigned left = 0;
  for (std::size_t r = begin; r < end; ++r) {
    SmallVector sum{};
    for (std::size_t chunk = 0; chunk < tables.size(); ++chunk) {
      if (left == 0) {
        word = stream();
        left = per_word;
      }
      --left;
      const auto code = static_cast<std::uint32_t>(word) & (tables.entries(chunk) - 1);
      word >>= bits;
      add_row<P>(tables.entry(chunk, code), draws.p, sum);
    }
    store<P>(sum, r, draws);
  }
}

/// Resamples [begin, end) from tables of any size.
template <std::size_t P>
void draw_codes(const ChunkTables& tables, RandomStream& stream, std::size_t begin, std::size_t end,
                Draws& draws) {
  IndexDraws full(stream, tables.entries(0));
  IndexDraws last(stream, tables.entries(tables.size() - 1));
  for (std::size_t r = begin; r < end; ++r) {
    SmallVector sum{};
    for (std::size_t chunk = 0; chunk + 1 < tables.size(); ++chunk) {
      add_row<P>(tables.entry(chunk, full()), draws.p, sum);
    }
    add_row<P>(tables.entry(tables.size() - 1, last()), draws.p, sum);
    store<P>(sum, r, draws);
  }
}

/// Resamples [begin, end) with residuals that are drawn within strata.
template <std::size_t P>
void draw_residuals(std::span<const double> influence, std::span<const double> residuals,
                    std::span<const Stratum> strata, RandomStream& stream, std::size_t begin,
                    std::size_t end, Draws& draws) {
  const std::size_t count = P == 0 ? draws.p : P;
  for (const Stratum& stratum : strata) {
    IndexDraws index(stream, stratum.size);
    const double* own = residuals.data() + stratum.begin;
    const double* rows = influence.data() + stratum.begin * count;
    for (std::size_t r = begin; r < end; ++r) {
      SmallVector sum{};
      for (std::size_t i = 0; i < stratum.size; ++i) {
        const double residual = own[index()];
        for (std::size_t k = 0; k < count; ++k) sum[k] += rows[i * count + k] * residual;
      }
      for (std::size_t k = 0; k < count; ++k) draws.deviations[k * draws.resamples + r] += sum[k];
    }
  }
}

template <typename Draw>
void for_each_block(std::size_t resamples, std::uint64_t seed, std::uint64_t random_stream,
                    const Draw& draw) {
  for (std::size_t begin = 0; begin < resamples; begin += kResampleBlock) {
    refuse_cancelled();
    RandomStream stream(seed, random_stream, begin / kResampleBlock);
    draw(stream, begin, std::min(begin + kResampleBlock, resamples));
  }
}

constexpr std::array<double, 2> kSigns{-1, 1};
const std::array<double, 6> kWebbPoints{-std::sqrt(1.5), -1, -std::sqrt(0.5),
                                        std::sqrt(0.5),  1,  std::sqrt(1.5)};

/// Up to this many residuals are drawn by tables of pairs, which fit the first-level cache.
constexpr std::size_t kMostTabledResiduals = 16;

/// Points per table, so that its combinations stay in the first-level cache.
std::size_t points_a_chunk(BootstrapKind kind, std::size_t n) {
  if (kind == BootstrapKind::kResidual) return 2;
  const std::size_t most = kind == BootstrapKind::kWild ? (n <= 256 ? 8 : 4) : (n <= 64 ? 3 : 2);
  const std::size_t chunks = (n + most - 1) / most;
  return (n + chunks - 1) / chunks;  // Chunks of even size.
}

/// For linear laws: a resample changes theta by a sum over points, so no refit is needed.
template <std::size_t P>
void draw_linear(const BootstrapProblem& problem, const FitOptions& options,
                 std::uint64_t random_stream, Draws& draws) {
  const BootstrapKind kind = options.bootstrap.kind;
  std::vector<double> influence = influences(problem);
  const std::size_t n = problem.points->size();
  const auto draw_by_tables = [&](std::span<const double> values) {
    const ChunkTables tables(influence, draws.p, values, points_a_chunk(kind, n));
    for_each_block(draws.resamples, options.bootstrap.seed, random_stream,
                   [&](RandomStream& stream, std::size_t begin, std::size_t end) {
                     kind == BootstrapKind::kWild
                         ? draw_signs<P>(tables, stream, begin, end, draws)
                         : draw_codes<P>(tables, stream, begin, end, draws);
                   });
  };
  // Drawing points with one x and one weight amounts to drawing their residuals.
  std::vector<double> residuals(problem.residuals.begin(), problem.residuals.end());
  if (kind != BootstrapKind::kCase) residuals = adjusted_residuals(problem, kind);
  if (is_wild(kind)) {
    for (std::size_t i = 0; i < influence.size(); ++i) influence[i] *= residuals[i / draws.p];
    return draw_by_tables(kind == BootstrapKind::kWild ? std::span<const double>(kSigns)
                                                       : std::span<const double>(kWebbPoints));
  }
  std::vector<Stratum> strata{{0, static_cast<std::uint32_t>(n)}};
  if (kind == BootstrapKind::kResidual) {
    recentre(residuals);
    if (n <= kMostTabledResiduals) return draw_by_tables(residuals);
  } else {
    strata = strata_of(*problem.points);
  }
  std::ranges::fill(draws.deviations, 0.0);
  for_each_block(draws.resamples, options.bootstrap.seed, random_stream,
                 [&](RandomStream& stream, std::size_t begin, std::size_t end) {
                   draw_residuals<P>(influence, residuals, strata, stream, begin, end, draws);
                 });
}

/// The response or the masses of one resample, for refits.
class Resampler {
 public:
  Resampler(const BootstrapProblem& problem, BootstrapKind kind)
      : problem_(problem), kind_(kind), original_(*problem.points) {
    if (kind == BootstrapKind::kCase) {
      strata_ = strata_of(original_);
    } else {
      residuals_ = adjusted_residuals(problem, kind);
      if (kind == BootstrapKind::kResidual) recentre(residuals_);
    }
  }

  void draw(RandomStream& stream, FitPoints& points) const {
    if (kind_ == BootstrapKind::kCase) {
      draw_points(stream, points);
    } else {
      draw_responses(stream, points);
    }
  }

 private:
  void draw_responses(RandomStream& stream, FitPoints& points) const {
    const auto n = static_cast<std::uint32_t>(original_.size());
    for (std::size_t i = 0; i < n; ++i) {
      const double fitted = original_.mean[i] - problem_.residuals[i];
      const double root = std::sqrt(original_.cells[i].weight);
      points.mean[i] = fitted + error(stream, i, n) / root;
    }
  }

  double error(RandomStream& stream, std::size_t i, std::uint32_t n) const {
    switch (kind_) {
      case BootstrapKind::kWild:
        return residuals_[i] * kSigns[stream.below(2)];
      case BootstrapKind::kWebb:
        return residuals_[i] * kWebbPoints[stream.below(6)];
      default:
        return residuals_[stream.below(n)];
    }
  }

  /// Draws points among those with the same x, with response and weight together.
  void draw_points(RandomStream& stream, FitPoints& points) const {
    points.total_mass = 0;
    for (const Stratum& stratum : strata_) {
      for (std::size_t i = stratum.begin; i < stratum.begin + stratum.size; ++i) {
        const std::size_t from = stratum.begin + stream.below(stratum.size);
        points.mean[i] = original_.mean[from];
        points.mass[i] = original_.mass[from];
        points.total_mass += points.mass[i];
      }
    }
  }

  const BootstrapProblem& problem_;
  BootstrapKind kind_;
  const FitPoints& original_;
  std::vector<double> residuals_;
  std::vector<Stratum> strata_;
};

/// For other laws and robust fits: fits every resample, and leaves out what does not converge.
void draw_refits(const BootstrapProblem& problem, const FitOptions& options,
                 std::uint64_t random_stream, Draws& draws) {
  const Resampler resampler(problem, options.bootstrap.kind);
  FitPoints points = *problem.points;
  std::vector<SmallVector> deviations;
  for_each_block(draws.resamples, options.bootstrap.seed, random_stream,
                 [&](RandomStream& stream, std::size_t begin, std::size_t end) {
                   for (std::size_t r = begin; r < end; ++r) {
                     resampler.draw(stream, points);
                     SmallVector theta{};
                     if (!problem.refit(points, theta)) continue;
                     for (std::size_t k = 0; k < draws.p; ++k) theta[k] -= problem.theta[k];
                     deviations.push_back(theta);
                   }
                 });
  draws.resamples = deviations.size();
  draws.deviations.resize(draws.p * draws.resamples);
  for (std::size_t r = 0; r < draws.resamples; ++r) store<0>(deviations[r], r, draws);
}

/// Leave-one-out estimates of parameter k, up to a constant. They are exact for linear laws and
/// first-order approximations for others.
std::vector<double> jackknife(const BootstrapProblem& problem, std::size_t k) {
  const std::vector<double> influence = influences(problem);
  const std::size_t p = problem.solution->p;
  std::vector<double> values(problem.points->size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double h = leverage(problem, i);
    const double whitened = std::sqrt(problem.points->cells[i].weight) * problem.residuals[i];
    values[i] = h > kFullLeverage ? 0 : -influence[i * p + k] * whitened / (1 - h);
  }
  return values;
}

/// The sum of f(value), in four lanes that do not wait for each other.
template <typename F>
double sum_over(std::span<const double> values, const F& f) {
  std::array<double, 4> lanes{};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += f(values[i + lane]);
  }
  for (; i < values.size(); ++i) lanes[0] += f(values[i]);
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

double mean_of_draws(std::span<const double> values) {
  return sum_over(values, [](double value) { return value; }) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  const double mean = mean_of_draws(values);
  const double squares =
      sum_over(values, [mean](double value) { return (value - mean) * (value - mean); });
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// The share of deviations below 0; ties count half.
double share_below_zero(std::span<const double> deviations) {
  std::size_t twice = 0;
  for (const double deviation : deviations) {
    twice += static_cast<std::size_t>(deviation < 0) + static_cast<std::size_t>(deviation <= 0);
  }
  return 0.5 * static_cast<double>(twice) / static_cast<double>(deviations.size());
}

/// exp(d) - 1 by terms of its series: loops over it make no calls and can be vectorised.
template <int Terms>
double series_expm1(double d) {
  double sum = 1;
  for (int k = Terms; k >= 2; --k) sum = 1 + sum * d * (1.0 / k);
  return d * sum;
}

const std::vector<double>& expm1_of(std::span<const double> deviations) {
  thread_local PerThread<std::vector<double>> kept;
  std::vector<double>& values = *kept;
  values.resize(deviations.size());
  const auto fill = [&](auto expm1) { std::ranges::transform(deviations, values.begin(), expm1); };
  double largest = 0;
  for (const double d : deviations) largest = std::max(largest, std::abs(d));
  if (largest <= 0.0625) {
    fill([](double d) { return series_expm1<9>(d); });
  } else if (largest <= 0.5) {
    fill([](double d) { return series_expm1<15>(d); });
  } else {
    fill([](double d) { return std::expm1(d); });
  }
  return values;
}

/// The summary on the reported scale. For a prefactor, the resamples are exp(theta + d) =
/// exp(theta) (1 + expm1(d)).
BootstrapEstimate summary(const BootstrapProblem& problem, const Draws& draws, std::size_t k,
                          double confidence) {
  const std::span<const double> deviations = draws.of(k);
  // Plain percentiles are as short as normal intervals of known sigma: few points need Student's.
  const auto dof =
      static_cast<double>(problem.points->n) - static_cast<double>(problem.solution->p);
  const double reach = student_t_factor(confidence, dof);
  std::vector<double> probabilities{normal_cdf(-reach), normal_cdf(reach)};
  const auto bca = bca_probabilities(share_below_zero(deviations),
                                     jackknife_acceleration(jackknife(problem, k)), reach);
  if (bca) probabilities.insert(probabilities.end(), {bca->lower, bca->upper});
  const std::vector<double> quantiles = quantiles_of(deviations, probabilities);
  const double theta = problem.theta[k];
  const ParameterSpec& spec = problem.points->law->parameters()[k];
  const auto reported = [&](double d) { return spec.reported(theta + d); };
  BootstrapEstimate estimate{};
  estimate.se = spec.is_exponential() ? std::exp(theta) * deviation_of(expm1_of(deviations))
                                      : deviation_of(deviations);
  estimate.ci = {reported(quantiles[0]), reported(quantiles[1])};
  if (bca) estimate.ci_bca = Interval{reported(quantiles[2]), reported(quantiles[3])};
  return estimate;
}

}  // namespace

std::optional<Interval> bca_probabilities(double share_below, double acceleration, double reach) {
  if (!(share_below > 0 && share_below < 1)) return std::nullopt;
  const double bias = normal_quantile(share_below);
  const auto stretch = [&](double z) { return 1 - acceleration * (bias + z); };
  const auto shifted = [&](double z) { return normal_cdf(bias + (bias + z) / stretch(z)); };
  if (!(stretch(reach) > 0 && stretch(-reach) > 0)) return std::nullopt;
  return Interval{shifted(-reach), shifted(reach)};
}

double jackknife_acceleration(std::span<const double> jackknife_values) {
  const double mean = mean_of_draws(jackknife_values);
  double squares = 0;
  double cubes = 0;
  for (const double value : jackknife_values) {
    const double d = mean - value;
    squares += d * d;
    cubes += d * d * d;
  }
  return squares > 0 ? cubes / (6 * squares * std::sqrt(squares)) : 0;
}

std::optional<Bootstrap> bootstrap_of(const BootstrapProblem& problem, const FitOptions& options,
                                      std::uint64_t random_stream) {
  const std::size_t p = problem.solution->p;
  if (problem.points->n <= p || options.bootstrap.resamples < 2) return std::nullopt;
  thread_local PerThread<Draws> kept;
  Draws& draws = *kept;
  draws.p = p;
  draws.resamples = options.bootstrap.resamples;
  draws.deviations.resize(p * draws.resamples);
  const bool by_sums = problem.exactly_linear && !(options.bootstrap.kind == BootstrapKind::kCase &&
                                                   problem.points->weighted);
  if (!by_sums) {
    draw_refits(problem, options, random_stream, draws);
  } else if (p == 1) {
    draw_linear<1>(problem, options, random_stream, draws);
  } else if (p == 2) {
    draw_linear<2>(problem, options, random_stream, draws);
  } else {
    draw_linear<0>(problem, options, random_stream, draws);
  }
  if (draws.resamples < 2 || 2 * draws.resamples < options.bootstrap.resamples) {
    throw FitError(FailureCode::kNotConverged,
                   "more than half of the bootstrap's resamples have no fit; use the default "
                   "log-normal errors");
  }
  Bootstrap bootstrap{options.bootstrap.kind, static_cast<std::uint32_t>(draws.resamples),
                      options.bootstrap.seed};
  for (std::size_t k = 0; k < p; ++k) {
    bootstrap.parameters.push_back(summary(problem, draws, k, options.confidence));
  }
  return bootstrap;
}

BootstrapEstimate percentile_estimate(std::vector<double>& draws, double reach) {
  const auto count = static_cast<double>(draws.size());
  double mean = 0;
  for (const double draw : draws) mean += draw / count;
  double squares = 0;
  for (const double draw : draws) squares += (draw - mean) * (draw - mean);
  std::ranges::sort(draws);
  const auto ends = quantiles_of(draws, std::array{normal_cdf(-reach), normal_cdf(reach)});
  return {.se = std::sqrt(squares / (count - 1)), .ci = {ends[0], ends[1]}};
}

}  // namespace scalelaw
