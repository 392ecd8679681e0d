#include "scalelaw/tail/tail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "tail/tail_parts.hpp"

namespace scalelaw {
namespace {

/// Each bootstrap has its own stream.
constexpr std::uint64_t kIntervalStream = 0x7461696c2d636900;
constexpr std::uint64_t kFitStream = 0x7461696c2d700000;

void refuse_values(std::span<const double> values, bool discrete) {
  for (const double value : values) {
    const bool whole = value == std::floor(value) && value <= kMostWhole;
    const bool usable = value > 0 && std::isfinite(value) && (whole || !discrete);
    if (!usable) throw std::invalid_argument("judge_tail: a value is not as it must be");
  }
}

std::optional<TailFit> fit_of(const TailSample& sample, const TailOptions& options) {
  return options.x_min ? fit_tail(sample, options.discrete, std::log(*options.x_min))
                       : closest_tail(sample, options.discrete);
}

TailFit fit_or_refuse(const TailSample& sample, const TailOptions& options) {
  if (const auto fit = fit_of(sample, options)) return *fit;
  const auto least =
      options.x_min ? std::lower_bound(sample.values.begin(), sample.values.end(), *options.x_min)
                    : sample.values.begin();
  const std::size_t n = sample.from(static_cast<std::size_t>(least - sample.values.begin()));
  if (n >= 2) {
    throw FitError(FailureCode::kNoSpread,
                   fmt::format("all {} values of the tail are equal: they have no exponent", n));
  }
  throw FitError(FailureCode::kTooFewPoints,
                 counted(n, "value") + " in the tail; an exponent needs 2");
}

/// Runs `draw` for every index and returns its results by index.
template <class Result, class Draw>
std::vector<Result> each_draw(const TailOptions& options, Draw draw) {
  std::vector<Result> out(options.draws);
  // Whole blocks, so that threads do not share cache lines and calls cost little.
  constexpr std::size_t kBlock = 16;
  const std::size_t blocks = (out.size() + kBlock - 1) / kBlock;
  parallel_for(thread_count(options.threads), blocks, [&](std::size_t block, int) {
    const std::size_t end = std::min(out.size(), (block + 1) * kBlock);
    TailSample sample;
    for (std::size_t i = block * kBlock; i < end; ++i) out[i] = draw(i, sample);
  });
  return out;
}

/// Percentiles by Hyndman and Fan's definition 6, i / (B + 1).
Interval percentiles(std::vector<double> draws, double confidence) {
  std::ranges::sort(draws);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(draws.size() + 1) - 1;
    const double inside = std::clamp(place, 0.0, static_cast<double>(draws.size() - 1));
    const auto below = static_cast<std::size_t>(inside);
    const std::size_t above = std::min(below + 1, draws.size() - 1);
    return draws[below] + (inside - static_cast<double>(below)) * (draws[above] - draws[below]);
  };
  return {at(0.5 * (1 - confidence)), at(0.5 * (1 + confidence))};
}

double standard_deviation(const std::vector<double>& draws) {
  double mean = 0;
  for (const double draw : draws) mean += draw / static_cast<double>(draws.size());
  double squares = 0;
  for (const double draw : draws) squares += (draw - mean) * (draw - mean);
  return std::sqrt(squares / static_cast<double>(draws.size() - 1));
}

/// The result of one resample.
struct Resampled {
  bool has_tail = false;
  double alpha = 0;
  double x_min = 0;
  double tail_n = 0;
};

void add_intervals(const TailSample& sample, const TailOptions& options, std::uint64_t stream,
                   Tail& tail) {
  const TailDraws draws(sample, options.discrete);
  const auto results = each_draw<Resampled>(options, [&](std::size_t i, TailSample& drawn) {
    RandomStream random(options.seed, stream ^ kIntervalStream, i);
    draws.resample(random, drawn);
    const auto fit = fit_of(drawn, options);
    if (!fit) return Resampled{};
    return Resampled{true, fit->alpha, drawn.values[fit->first],
                     static_cast<double>(drawn.from(fit->first))};
  });
  std::vector<double> alpha;
  std::vector<double> x_min;
  std::vector<double> tail_n;
  for (const Resampled& result : results) {
    if (!result.has_tail) continue;
    alpha.push_back(result.alpha);
    x_min.push_back(result.x_min);
    tail_n.push_back(result.tail_n);
  }
  tail.usable = static_cast<std::uint32_t>(alpha.size());
  if (2 * alpha.size() < results.size() || alpha.size() < 2) return;
  tail.alpha_bootstrap_se = standard_deviation(alpha);
  tail.alpha_ci = percentiles(alpha, options.confidence);
  tail.tail_n_ci = percentiles(tail_n, options.confidence);
  if (!options.x_min) tail.x_min_ci = percentiles(x_min, options.confidence);
}

/// The p of draws from the fitted law that lie at least as far from their own fit. The sample
/// counts as one of them, so that p is never below what so many draws can tell.
double goodness_of_fit(const TailSample& sample, const TailFit& fit, const TailOptions& options,
                       std::uint64_t stream) {
  const NullDraws draws(sample, options.discrete, fit.log_x_min, fit.alpha);
  const auto farther = each_draw<char>(options, [&](std::size_t i, TailSample& drawn) {
    RandomStream random(options.seed, stream ^ kFitStream, i);
    draws.draw(random, drawn);
    const auto refit = fit_of(drawn, options);
    return static_cast<char>(!refit || refit->distance >= fit.distance);
  });
  const auto count = static_cast<double>(std::ranges::count(farther, 1));
  return (1 + count) / (1 + static_cast<double>(farther.size()));
}

TailVerdict verdict_of(const Tail& tail) {
  if (tail.tail_n < kFewTailValues) return TailVerdict::kTooFewValues;
  if (!tail.p) return TailVerdict::kUntested;
  if (*tail.p < kTailSignificance) return TailVerdict::kImplausible;
  const auto is_better = [](const TailAlternative& one) {
    return one.comparison == TailComparison::kBetter;
  };
  if (is_better(tail.alternatives[static_cast<std::size_t>(TailModel::kTruncated)])) {
    return TailVerdict::kWithCutOff;
  }
  if (std::ranges::any_of(tail.alternatives, is_better)) {
    return TailVerdict::kOtherBetter;
  }
  const bool all_worse = std::ranges::all_of(tail.alternatives, [](const auto& one) {
    return one.comparison == TailComparison::kWorse || one.model == TailModel::kTruncated;
  });
  return all_worse ? TailVerdict::kSupported : TailVerdict::kPlausible;
}

double log_likelihood_of(const TailValues& values) {
  return values.n * (power_law_log_scale(values.alpha, values.discrete, values.x_min) -
                     values.alpha * values.mean_z);
}

/// x from x_min to the greatest value, evenly over ln x; whole numbers if discrete.
std::vector<double> places_of(const Tail& tail, bool discrete) {
  constexpr int kPlaces = 120;
  std::vector<double> out;
  for (int i = 0; i <= kPlaces; ++i) {
    double x = tail.x_min * std::pow(tail.x_max / tail.x_min, static_cast<double>(i) / kPlaces);
    if (discrete) x = std::round(x);
    if (out.empty() || x > out.back()) out.push_back(x);
  }
  return out;
}

template <class LogShare>
TailCurve curve_of(const Tail& tail, bool discrete, LogShare log_share) {
  TailCurve curve{places_of(tail, discrete), {}};
  const double scale = static_cast<double>(tail.tail_n) / static_cast<double>(tail.n);
  for (const double x : curve.x) curve.share.push_back(scale * std::exp(log_share(x)));
  return curve;
}

/// Whether groups run side by side. Where one of them takes much of the time, each one in its turn
/// uses all threads.
bool side_by_side(const Observations& observations, int threads) {
  std::size_t all = 0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    all += observations.count(i);
    largest = std::max(largest, observations.count(i));
  }
  return 2 * static_cast<std::size_t>(threads) * largest <= all;
}

}  // namespace

std::string_view name_of(TailModel model) {
  return word_for(model, {{TailModel::kLognormal, "lognormal"},
                          {TailModel::kExponential, "exponential"},
                          {TailModel::kStretched, "stretched-exponential"},
                          {TailModel::kTruncated, "truncated-power-law"}});
}

std::string_view name_of(TailComparison comparison) {
  return word_for(comparison, {{TailComparison::kWorse, "worse"},
                               {TailComparison::kBetter, "better"},
                               {TailComparison::kUndecided, "undecided"}});
}

std::string_view name_of(TailVerdict verdict) {
  return word_for(verdict, {{TailVerdict::kSupported, "supported"},
                            {TailVerdict::kPlausible, "plausible"},
                            {TailVerdict::kWithCutOff, "with-cut-off"},
                            {TailVerdict::kOtherBetter, "other-better"},
                            {TailVerdict::kImplausible, "not-plausible"},
                            {TailVerdict::kUntested, "untested"},
                            {TailVerdict::kTooFewValues, "too-few-values"}});
}

Tail judge_tail(std::span<const double> values, const TailOptions& options, std::uint64_t stream) {
  refuse_values(values, options.discrete);
  const TailSample sample = tail_sample(values);
  const TailFit fit = fit_or_refuse(sample, options);
  Tail tail;
  tail.n = sample.size();
  tail.distinct = sample.distinct();
  tail.tail_n = sample.from(fit.first);
  tail.x_min = options.x_min.value_or(sample.values[fit.first]);
  tail.x_max = sample.values.back();
  tail.alpha = fit.alpha;
  tail.alpha_se = alpha_standard_error(fit.alpha, tail.tail_n, options.discrete, tail.x_min);
  tail.distance = fit.distance;
  const TailValues in_tail = tail_values(sample, fit, tail.x_min, options.discrete);
  tail.log_likelihood = log_likelihood_of(in_tail);
  tail.alternatives = compare_alternatives(in_tail);
  if (options.draws > 0) {
    add_intervals(sample, options, stream, tail);
    tail.p = goodness_of_fit(sample, fit, options, stream);
  }
  tail.verdict = verdict_of(tail);
  return tail;
}

TailCurve sample_curve(std::span<const double> values, std::size_t most) {
  const TailSample sample = tail_sample(values);
  const double width = (sample.logs.back() - sample.logs.front()) / static_cast<double>(most);
  TailCurve curve;
  for (std::size_t i = 0; i < sample.distinct(); ++i) {
    const bool near = !curve.x.empty() && i + 1 < sample.distinct() &&
                      sample.logs[i] - std::log(curve.x.back()) < width;
    if (near) continue;
    curve.x.push_back(sample.values[i]);
    curve.share.push_back(static_cast<double>(sample.from(i)) / sample.size());
  }
  return curve;
}

TailCurve power_law_curve(const Tail& tail, bool discrete) {
  return curve_of(tail, discrete, [&](double x) {
    return power_law_log_share(tail.alpha, discrete, tail.x_min, x);
  });
}

TailCurve alternative_curve(const Tail& tail, const TailAlternative& alternative, bool discrete) {
  if (alternative.parameters.empty()) return {};
  return curve_of(tail, discrete,
                  [&](double x) { return log_share_from(alternative, tail.x_min, discrete, x); });
}

void judge_tails(const Observations& observations, const TailOptions& options,
                 const std::function<void(GroupTail&&)>& sink) {
  const int threads = thread_count(options.threads);
  const bool many = side_by_side(observations, threads);
  TailOptions of_one = options;
  of_one.threads = many ? 1 : threads;
  const auto judge = [&](std::size_t i, int /*worker*/) {
    GroupKey key = observations.key(i);
    const std::uint64_t stream = random_stream_of(key);
    return GroupTail{std::move(key), outcome_of([&] {
                       return judge_tail(observations.values(i, 0), of_one, stream);
                     })};
  };
  const int workers = many ? threads : 1;
  deliver_in_order<GroupTail>(observations.size(), workers,
                              slice_of_slow_groups(observations.size(), workers), judge, sink);
}

}  // namespace scalelaw
