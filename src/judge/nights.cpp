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
      for (const NightFigure& figure : group.figures()) {
        rows[figure.night][m] = (figure.value - group.mean()) / variance;
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

NightSeries::NightSeries(std::vector<NightFigure> figures) : figures_(std::move(figures)) {
  if (empty()) return;
  double squares_over_dof = 0;
  for (const NightFigure& figure : figures_) {
    mean_ += figure.value / nights();
    sampling_.value += figure.sampling.value / nights();
    squares_over_dof += square(figure.sampling.value / nights()) / figure.sampling.dof;
    inverse_runs_ += 1 / figure.runs / nights();
  }
  if (sampling_.value > 0) sampling_.dof = square(sampling_.value) / squares_over_dof;
  for (const NightFigure& figure : figures_) {
    if (dof() > 0) spread_ += square(figure.value - mean_) / dof();
  }
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

Variance variance_of_mean(const NightSeries& nights, const NightVariance& between) {
  return combined(nights, between, 1 / nights.nights(), nights.sampling().value / nights.nights(),
                  {.value = 0, .dof = 1});
}

Variance variance_of_change(const NightSeries& nights, const NightVariance& between,
                            const NightFigure& current) {
  const double expected = nights.sampling_of(current.runs);
  return combined(
      nights, between, 1 + 1 / nights.nights(),
      nights.sampling().value / nights.nights() + expected,
      {.value = std::max(0.0, current.sampling.value - expected), .dof = current.sampling.dof});
}

}  // namespace scalelaw
