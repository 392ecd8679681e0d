#include "judge/nights.hpp"

#include <algorithm>
#include <cmath>

#include "scalelaw/statistics/distributions.hpp"

namespace scalelaw {
namespace {

/// Keeps weights finite where fits are exact; the square of rounding.
constexpr double kLeastVariance = 1e-24;
constexpr double kSignificance = 0.05;

double square(double value) { return value * value; }

/// A variance between nights from what remains of the spread; what is not above rounding is 0.
double variance_of(double remainder) { return remainder > kLeastVariance ? remainder : 0; }

/// The spread of the group less the errors of its fits; may be negative.
double raw_variance(const NightSeries& group) { return group.spread() - group.sampling().value; }

/// What all groups of a pool say of their common variance between nights.
class NightPool {
 public:
  NightPool(std::span<const NightSeries> groups, std::vector<std::size_t> members)
      : groups_(groups), members_(std::move(members)) {
    double dof = 0;
    for (const std::size_t i : members_) dof += groups_[i].dof();
    mean_dof_ = dof / static_cast<double>(members_.size());
    find_variance();
    shared_ = squared_correlation();
  }

  double variance() const { return variance_; }
  bool is_alone(std::size_t group) const { return members_ == std::vector{group}; }
  bool has(std::size_t group) const { return std::ranges::binary_search(members_, group); }

  /// The variance of a figure of a group about its level, by the pool.
  double figure_variance(const NightSeries& group) const {
    return std::max(variance_ + group.sampling().value, kLeastVariance);
  }

  /// Degrees of freedom of the pooled variance beside the figures of a group.
  double dof_for(const NightSeries& group) const {
    const double trace = shared_ * square(inverse_variances_);
    return mean_dof_ * square(figure_variance(group) * weights_ / mean_dof_) / trace;
  }

  /// The members whose nights scatter more than those of the others.
  std::vector<std::size_t> too_variable() const {
    std::vector<std::size_t> found;
    if (members_.size() < 2) return found;
    const auto count = static_cast<double>(members_.size());
    for (const std::size_t i : members_) {
      const NightSeries& group = groups_[i];
      const double expected = variance_without(group) + group.sampling().value;
      const double f = group.spread() / std::max(expected, kLeastVariance);
      const double dof = dof_for(group) * (1 - 1 / count);
      if (f_p(f, group.dof(), dof) < kSignificance / count) found.push_back(i);
    }
    return found;
  }

 private:
  double weight_of(const NightSeries& group) const {
    return group.dof() / square(figure_variance(group));
  }

  /// Fisher scoring; the weights need the variance that they give.
  void find_variance() {
    constexpr int kMostSteps = 100;
    for (int step = 0; step < kMostSteps; ++step) {
      weights_ = sum_ = inverse_variances_ = 0;
      for (const std::size_t i : members_) {
        const double weight = weight_of(groups_[i]);
        weights_ += weight;
        sum_ += weight * raw_variance(groups_[i]);
        inverse_variances_ += 1 / figure_variance(groups_[i]);
      }
      const double next = variance_of(sum_ / weights_);
      const bool done = std::abs(next - variance_) <= 1e-14 * next;
      variance_ = next;
      if (done) return;
    }
  }

  double variance_without(const NightSeries& group) const {
    const double weight = weight_of(group);
    const double rest = weights_ - weight;
    return rest > 0 ? variance_of((sum_ - weight * raw_variance(group)) / rest) : 0;
  }

  /// Deviations from the levels of their groups, over their variances, one row per night.
  std::vector<std::vector<double>> deviations() const {
    std::size_t nights = 0;
    for (const std::size_t i : members_) {
      for (const NightFigure& figure : groups_[i].figures()) {
        nights = std::max(nights, figure.night + 1);
      }
    }
    std::vector<std::vector<double>> rows(nights, std::vector<double>(members_.size()));
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const NightSeries& group = groups_[members_[m]];
      const double variance = figure_variance(group);
      for (std::size_t i = 0; i < group.figures().size(); ++i) {
        rows[group.figures()[i].night][m] = group.deviations()[i] / variance;
      }
    }
    return rows;
  }

  /// The weighted mean of the squared correlations of all pairs of groups, each with itself too:
  /// tr(C^2) / tr(C)^2 of the covariance C over groups. Between that of independent groups and 1,
  /// which is that of groups that always are slow together.
  double squared_correlation() const {
    double independent = 0;
    for (const std::size_t i : members_) independent += 1 / square(figure_variance(groups_[i]));
    independent /= square(inverse_variances_);
    const double n = mean_dof_;
    if (!(n > 1)) return 1;
    const auto rows = deviations();
    double trace = 0;
    double trace_of_square = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (std::size_t l = 0; l <= k; ++l) {
        double product = 0;
        for (std::size_t m = 0; m < members_.size(); ++m) product += rows[k][m] * rows[l][m];
        trace_of_square += (k == l ? 1 : 2) * square(product);
        if (k == l) trace += product;
      }
    }
    // Unbiased for normal figures; the plain ones would be too great by a share of 1 / n.
    const double squared = (trace_of_square - square(trace) / n) / ((n - 1) * (n + 2));
    const double squared_trace = square(trace / n) - 2 * squared / n;
    const bool is_defined = squared > 0 && squared_trace > 0;
    if (!is_defined) return independent;
    return std::min(std::max(squared / squared_trace, independent), 1.0);
  }

  std::span<const NightSeries> groups_;
  std::vector<std::size_t> members_;
  double mean_dof_ = 0;
  double variance_ = 0;
  double weights_ = 0;
  double sum_ = 0;
  double inverse_variances_ = 0;
  double shared_ = 1;
};

/// The pool of groups of two nights or more that scatter alike; empty if no group has two.
std::optional<NightPool> pool_of(std::span<const NightSeries> groups) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].dof() >= 1) members.push_back(i);
  }
  while (!members.empty()) {
    NightPool pool(groups, members);
    const std::vector<std::size_t> odd = pool.too_variable();
    if (odd.empty() || odd.size() == members.size()) return pool;
    std::erase_if(members, [&](std::size_t i) { return std::ranges::binary_search(odd, i); });
  }
  return std::nullopt;
}

/// `figures` times the variance between nights, and `fits` and `excess` by errors of fits, with
/// Satterthwaite's degrees of freedom.
Variance combined(const NightSeries& nights, const NightVariance& between, double figures,
                  double fits, const Variance& excess) {
  const double sampling = nights.sampling().value;
  const double total = figures * between.value + fits + excess.value;
  // A variance of its own is the spread less the errors of the fits: what it takes from them, they
  // give back.
  const double separate = between.is_pooled ? fits : fits - figures * sampling;
  double squares = square(figures * (between.value + sampling)) / between.dof;
  if (separate != 0) squares += square(separate) / nights.sampling().dof;
  if (excess.value > 0) squares += square(excess.value) / excess.dof;
  return {.value = total, .dof = square(total) / squares};
}

std::vector<double> values_of(std::span<const NightFigure> figures, double current) {
  std::vector<double> values;
  for (const NightFigure& figure : figures) values.push_back(figure.value);
  const bool is_night = !values.empty() && std::isfinite(current) && values.back() != current;
  if (is_night) values.push_back(current);
  return values;
}

/// The levels of nights of which the first or the last ones are known to be one.
/// @param rules  Of places in the series.
NightLevels levels_by(std::span<const double> values, const NightNoise& noise,
                      const NightRules& rules) {
  if (rules.since > 0 && rules.since < values.size()) {
    NightLevels levels = levels_of(values.first(rules.since), noise, rules.chance);
    levels.begins.push_back(rules.since);
    levels.apart.resize(values.size(), false);
    return levels;
  }
  if (rules.baseline > 0 && rules.baseline < values.size()) {
    const NightLevels later = levels_of(values.subspan(rules.baseline), noise, rules.chance);
    NightLevels levels{.begins = {0}, .apart = std::vector<bool>(rules.baseline, false)};
    for (const std::size_t begin : later.begins) levels.begins.push_back(rules.baseline + begin);
    levels.apart.insert(levels.apart.end(), later.apart.begin(), later.apart.end());
    return levels;
  }
  return levels_of(values, noise, rules.chance);
}

}  // namespace

bool are_of_same_runs(const Fit& a, const Fit& b) {
  const auto same = [](const Parameter& x, const Parameter& y) {
    return x.name == y.name && x.estimate == y.estimate;
  };
  return a.n == b.n && a.x_min == b.x_min && a.x_max == b.x_max && a.rss == b.rss &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), same);
}

bool are_comparable(const SavedFits& a, const SavedFits& b) {
  return a.x == b.x && a.y == b.y && a.by == b.by && a.law == b.law && a.response == b.response &&
         a.errors == b.errors;
}

NightSeries::NightSeries(std::vector<NightFigure> figures)
    : NightSeries(std::move(figures), std::nan(""), {}, 0) {}

NightSeries::NightSeries(std::vector<NightFigure> figures, double current, const NightRules& rules,
                         double correlation)
    : figures_(std::move(figures)),
      current_(current),
      values_(values_of(figures_, current)),
      noise_(correlation) {
  levels_.apart.assign(values_.size(), false);
  const auto place_of = [this](std::size_t night) {
    return static_cast<std::size_t>(
        std::ranges::count_if(figures_, [night](const auto& one) { return one.night < night; }));
  };
  const NightRules here{rules.chance, place_of(rules.baseline), place_of(rules.since)};
  if (rules.chance > 0) levels_ = levels_by(values_, noise_, here);
  has_baseline_ = here.baseline > 0 && levels_.count() > 1;
  measure_errors();
  measure_spread();
}

void NightSeries::measure_errors() {
  double squares_over_dof = 0;
  for (const NightFigure& figure : figures_) {
    sampling_.value += figure.sampling.value / nights();
    squares_over_dof += square(figure.sampling.value / nights()) / figure.sampling.dof;
    inverse_runs_ += 1 / figure.runs / nights();
  }
  if (sampling_.value > 0) sampling_.dof = square(sampling_.value) / squares_over_dof;
}

void NightSeries::measure_spread() {
  deviations_.assign(figures_.size(), 0.0);
  double squares = 0;
  double known = 0;
  for (std::size_t number = 0; number < levels_.count(); ++number) {
    const std::vector<double> nights = level(number, false);
    if (nights.empty()) continue;
    const double mean = level_of(nights);
    const auto n = static_cast<double>(nights.size());
    for (const double night : nights) squares += square(night - mean);
    known += n - n * noise_.of_mean(nights.size());
    dof_ += n - 1;
    const std::size_t end = std::min(levels_.end_of(number), figures_.size());
    for (std::size_t i = levels_.begins[number]; i < end; ++i) {
      const double distance = values_[i] - mean;
      if (!levels_.apart[i]) deviations_[i] = distance;
      above_ = std::max(above_, levels_.apart[i] ? distance : 0);
      below_ = std::max(below_, levels_.apart[i] ? -distance : 0);
    }
  }
  if (dof_ > 0) spread_ = squares / known;
  dof_ *= noise_.share_of_dof();
}

std::vector<double> NightSeries::level(std::size_t number, bool with_new) const {
  const std::span<const double> all = values_;
  return levels_.counted(with_new ? all : all.first(figures_.size()), number);
}

NightStep NightSeries::step_between(std::size_t before, std::size_t after) const {
  const std::vector<double> old_nights = level(before, false);
  const std::vector<double> new_nights = level(after, true);
  NightStep step{.first = levels_.begins[has_baseline_ ? after : before + 1],
                 .before = old_nights.size(),
                 .after = new_nights.size(),
                 .mean_before = level_of(old_nights),
                 .mean_after = level_of(new_nights)};
  step.factor = after == before + 1 ? noise_.of_step(step.before, step.after)
                                    : noise_.of_mean(step.before) + noise_.of_mean(step.after);
  for (const double night : new_nights) {
    step.nearest = std::min(step.nearest, (night - step.mean_before) / step.change());
  }
  return step;
}

NightStep NightSeries::step_of_one(std::size_t number, std::size_t night, double value) const {
  const std::vector<double> nights = level(number, false);
  return {.first = night,
          .before = nights.size(),
          .after = 1,
          .mean_before = level_of(nights),
          .mean_after = value,
          .factor = noise_.of_step(nights.size(), 1)};
}

std::vector<NightStep> NightSeries::steps(double limit) const {
  const std::size_t last = levels_.count() - 1;
  const bool is_first = last > 0 && levels_.begins[last] == figures_.size();
  const std::size_t before = has_baseline_ ? 0 : is_first ? last - 1 : last;
  const NightStep of_new = step_of_one(before, figures_.size(), current_);
  if (is_first && last > 1 && of_new.change() / limit > 0) {
    return {of_new, step_between(last - 2, last - 1)};  // It is no worse for a night still worse.
  }
  if (last == 0 || is_first) return {of_new};
  if (has_baseline_) return {step_between(0, last), of_new};
  std::vector<NightStep> steps{step_between(last - 1, last), of_new};
  for (std::size_t number = last - 1; number-- > 0;) {
    if (step_between(number, number + 1).change() / limit > 1) {
      steps.push_back(step_between(number, last));
    }
  }
  return steps;
}

std::vector<NightStep> NightSeries::changes() const {
  std::vector<NightStep> changes;
  for (std::size_t number = 1; number < levels_.count(); ++number) {
    changes.push_back(step_between(number - 1, number));
  }
  return changes;
}

std::optional<NightStep> NightSeries::last_change() const {
  std::vector<NightStep> all = changes();
  std::erase_if(all, [this](const NightStep& step) { return step.first == figures_.size(); });
  return all.empty() ? std::nullopt : std::optional(all.back());
}

std::vector<NightStep> NightSeries::steps_apart() const {
  std::vector<NightStep> steps;
  for (std::size_t number = 0; number < levels_.count(); ++number) {
    const std::size_t end = std::min(levels_.end_of(number), figures_.size());
    for (std::size_t i = levels_.begins[number]; i < end; ++i) {
      if (levels_.apart[i]) steps.push_back(step_of_one(number, i, values_[i]));
    }
  }
  return steps;
}

std::vector<NightSeries> series_of(std::vector<std::vector<NightFigure>> figures,
                                   std::span<const double> currents, const NightRules& rules) {
  std::vector<double> own;
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::vector<double> values = values_of(figures[i], currents[i]);
    own.push_back(rules.chance > 0 ? correlation_of(values, rules.chance) : 0);
    counts.push_back(rules.chance > 0 ? values.size() : 0);
  }
  const std::vector<double> correlations = shrunk_correlations(own, counts);
  std::vector<NightSeries> series;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    series.emplace_back(std::move(figures[i]), currents[i], rules, correlations[i]);
  }
  return series;
}

double NightSeries::sampling_of(double runs) const {
  return sampling_.value / (runs * inverse_runs_);
}

std::vector<std::optional<NightVariance>> night_variances(std::span<const NightSeries> groups) {
  std::vector<std::optional<NightVariance>> variances(groups.size());
  const std::optional<NightPool> pool = pool_of(groups);
  if (!pool) return variances;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const NightSeries& group = groups[i];
    if (group.empty()) continue;
    NightVariance& variance = variances[i].emplace();
    if (group.dof() > 0) variance.own = variance_of(raw_variance(group));
    if (!pool->is_alone(i)) variance.pooled = pool->variance();
    variance.is_pooled = !variance.own || (pool->has(i) && variance.pooled);
    variance.value = variance.is_pooled ? *variance.pooled : *variance.own;
    variance.dof = variance.is_pooled ? pool->dof_for(group) : group.dof();
  }
  return variances;
}

Variance variance_of_mean(const NightSeries& nights, const NightVariance& between,
                          std::size_t count) {
  const double factor = nights.noise().of_mean(count);
  return combined(nights, between, factor, factor * nights.sampling().value,
                  {.value = 0, .dof = 1});
}

Variance variance_of_step(const NightSeries& nights, const NightVariance& between,
                          const NightStep& step, const NightFigure& current) {
  const double usual = nights.sampling().value;
  const double expected = nights.sampling_of(current.runs);
  const double share = square(1 / static_cast<double>(step.after));  // Of NEW in its level.
  return combined(nights, between, step.factor, step.factor * usual + share * (expected - usual),
                  {.value = share * std::max(0.0, current.sampling.value - expected),
                   .dof = current.sampling.dof});
}

double p_of_night(double difference, const Variance& variance, std::size_t nights) {
  if (!(variance.value > 0 && variance.dof > 0)) return 0;
  const double p = student_t_p(difference / std::sqrt(variance.value), variance.dof);
  return std::min(1.0, p * static_cast<double>(nights));
}

std::vector<NightNews> news_of(const NightSeries& nights, const NightVariance& between) {
  std::vector<NightNews> news;
  const auto add = [&](NightNews::Kind kind, const NightStep& step) {
    const Variance variance = variance_of_step(nights, between, step, nights.figures()[step.first]);
    news.push_back({kind, step.first, step.change(),
                    p_of_night(step.change(), variance, nights.figures().size())});
  };
  if (const auto change = nights.last_change()) add(NightNews::kChange, *change);
  for (const NightStep& step : nights.steps_apart()) add(NightNews::kApart, step);
  return news;
}

}  // namespace scalelaw
