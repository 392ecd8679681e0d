#include "scalelaw/judge/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/some_of.hpp"
#include "judge/history_nights.hpp"
#include "judge/nights.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/hypothesis_tests.hpp"

namespace scalelaw {
namespace {

struct Counted {
  double estimate;
  double sampling;    ///< Variance by the errors of the fit.
  std::size_t index;  ///< Place among all points.
};

/// The squared standard errors, steadied: with few degrees of freedom they vary by themselves, and
/// a night that happens to have a small one would outweigh the others. Each one is drawn to the
/// mean of all, which counts as much as kSteadyDof of its own degrees of freedom.
std::vector<Counted> points_that_count(std::span<const HistoryPoint> points) {
  constexpr double kSteadyDof = 10;
  double dof = 0;
  double sum = 0;
  const auto counts = [](const HistoryPoint& point) { return point.se && *point.se > 0; };
  for (const HistoryPoint& point : points) {
    if (!counts(point) || !point.dof) continue;
    dof += *point.dof;
    sum += *point.dof * *point.se * *point.se;
  }
  std::vector<Counted> counted;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const HistoryPoint& point = points[i];
    if (!counts(point)) continue;
    double sampling = *point.se * *point.se;
    if (point.dof) {
      sampling = (*point.dof * sampling + kSteadyDof * sum / dof) / (*point.dof + kSteadyDof);
    }
    counted.push_back({point.estimate, sampling, i});
  }
  return counted;
}

struct HistorySplit {
  std::size_t place = 0;  ///< Place of the first point after it.
  double before = 0;      ///< Weighted means.
  double after = 0;
  double statistic = 0;  ///< Their squared difference over its variance.
};

/// Sums over points, each weighted by its inverse variance.
class WeightedMean {
 public:
  /// @param between  The variance between nights.
  /// @param origin  Near the estimates, so that their common level costs no digits.
  WeightedMean(double between, double origin) : between_(between), origin_(origin) {}

  void add(const Counted& point, double sign = 1) {
    const double weight = sign / (between_ + point.sampling);
    weights_ += weight;
    sum_ += weight * (point.estimate - origin_);
  }
  double mean() const { return origin_ + sum_ / weights_; }
  double variance() const { return 1 / weights_; }

 private:
  double between_;
  double origin_;
  double weights_ = 0;
  double sum_ = 0;
};

/// The likeliest split of all, the first of equal ones, if nights vary by `between`; or the one at
/// `place`.
HistorySplit best_split(std::span<const Counted> points, double between,
                        std::optional<std::size_t> place = {}) {
  WeightedMean before(between, points.front().estimate);
  WeightedMean after = before;
  for (const Counted& point : points) after.add(point);
  HistorySplit best;
  best.statistic = -1;
  for (std::size_t i = 1; i < points.size(); ++i) {
    before.add(points[i - 1]);
    after.add(points[i - 1], -1);
    const double change = after.mean() - before.mean();
    const double statistic = change * change / (before.variance() + after.variance());
    const bool is_better = place ? i == *place : statistic > best.statistic;
    if (is_better) best = {i, before.mean(), after.mean(), statistic};
  }
  return best;
}

/// The squared distances from their mean of points of one level, and what the errors of the fits
/// add to them.
struct Spread {
  double squares = 0;
  double sampling = 0;
};

Spread spread_of(std::span<const Counted> level) {
  const auto n = static_cast<double>(level.size());
  double mean = 0;
  for (const Counted& point : level) mean += point.estimate / n;
  Spread spread;
  for (const Counted& point : level) {
    spread.squares += (point.estimate - mean) * (point.estimate - mean);
    spread.sampling += point.sampling * (1 - 1 / n);
  }
  return spread;
}

/// The variance between nights of `levels`, beyond the errors of the fits.
double variance_between(std::initializer_list<std::span<const Counted>> levels) {
  double excess = 0;
  double dof = 0;
  for (const std::span<const Counted> level : levels) {
    const Spread spread = spread_of(level);
    excess += spread.squares - spread.sampling;
    dof += static_cast<double>(level.size()) - 1;
  }
  return std::max(0.0, excess / dof);
}

/// The best split, judged by the scatter that its two levels leave.
struct JudgedSplit {
  HistorySplit split;
  double between;  ///< Variance between nights about the two levels.
};

JudgedSplit judged_split(std::span<const Counted> points) {
  const std::size_t place = best_split(points, variance_between({points})).place;
  const auto before = points.first(place);
  const auto after = points.subspan(place);
  const double between = variance_between({before, after});
  return {best_split(points, between, place), between};
}

/// The statistic of a draw of independent normal points without a change: the greatest F of two
/// levels against one.
/// @param draw  Room for the points.
double drawn_statistic(RandomStream& random, std::vector<double>& draw) {
  const auto n = static_cast<double>(draw.size());
  double sum = 0;
  double squares = 0;
  for (double& point : draw) {
    point = random.normal();
    sum += point;
    squares += point * point;
  }
  double explained = 0;
  double sum_before = 0;
  for (std::size_t i = 1; i < draw.size(); ++i) {
    sum_before += draw[i - 1];
    const auto before = static_cast<double>(i);
    const double difference = sum_before / before - (sum - sum_before) / (n - before);
    explained = std::max(explained, difference * difference * before * (n - before) / n);
  }
  return explained / ((squares - sum * sum / n - explained) / (n - 2));
}

/// The newest document with the group columns that were asked for.
const SavedFits& model_of(std::span<const KeptStudy> documents, const HistoryQuestion& question) {
  const std::vector<std::string>& by = question.by;
  for (auto document = documents.rbegin(); document != documents.rend(); ++document) {
    if (by.empty() || document->fits.by == by) return document->fits;
  }
  throw DataError(fmt::format("{}: no fits by {}; the newest are by {}", question.store, joined(by),
                              joined(documents.back().fits.by)));
}

HistoryPoint point_of(const KeptStudy& kept, const Fit& fit, const HistoryQuestion& question) {
  const auto found = std::ranges::find(fit.parameters, question.parameter, &Parameter::name);
  if (found == fit.parameters.end()) {
    std::vector<std::string> names;
    for (const Parameter& one : fit.parameters) names.emplace_back(one.name);
    throw DataError(fmt::format("the law {} has no parameter '{}'; it has: {}", fit.law->name(),
                                question.parameter, joined(names)));
  }
  return {.label = kept.label,
          .kept_at = kept.kept_at,
          .time = kept.time,
          .estimate = found->estimate,
          .se = found->se,
          .ci = found->ci,
          .dof = found->dof ? *found->dof : static_cast<double>(fit.dof)};
}

/// ln of the curve at x, with its interval; empty where the curve is not positive.
std::optional<HistoryPoint> log_curve_at(double x, const Fit& fit, HistoryPoint point) {
  const auto curve = fit.log_curve(x);
  if (!curve) return std::nullopt;
  point.estimate = curve->value;
  point.se = curve->se;
  point.ci.reset();
  if (point.se && point.dof && *point.dof > 0) {
    const double reach = student_t_factor(fit.confidence, *point.dof) * *point.se;
    point.ci = Interval{point.estimate - reach, point.estimate + reach};
  }
  return point;
}

/// ln of the curve at the middle of the x that all fits reach, with its change; empty if a fit has
/// none there.
/// @param points  Of the same fits.
CurveHistory log_curve_of(std::span<const Fit* const> fits, std::span<const HistoryPoint> points) {
  double least = fits.front()->x_min;
  double greatest = fits.front()->x_max;
  for (const Fit* fit : fits) {
    least = std::max(least, fit->x_min);
    greatest = std::min(greatest, fit->x_max);
  }
  if (!(least > 0) || least > greatest) return {};
  CurveHistory curve{.x = std::sqrt(least * greatest)};
  for (std::size_t i = 0; i < fits.size(); ++i) {
    auto point = log_curve_at(curve.x, *fits[i], points[i]);
    if (!point) return {};
    curve.points.push_back(*std::move(point));
  }
  return curve;
}

/// Turns ln of a curve into the curve.
void take_exponential(CurveHistory& curve) {
  for (HistoryPoint& point : curve.points) {
    point.estimate = std::exp(point.estimate);
    if (point.ci) point.ci = exp_of(*point.ci);
  }
  if (!curve.change) return;
  curve.change->before = std::exp(curve.change->before);
  curve.change->after = std::exp(curve.change->after);
  curve.change->change = curve.change->after - curve.change->before;
}

std::vector<std::string> labels_of(const std::vector<const KeptStudy*>& documents) {
  std::vector<std::string> labels;
  for (const KeptStudy* document : documents) {
    const std::string& label = document->label;
    if (!contains(labels, label)) labels.push_back(label);
  }
  return labels;
}

/// What repeats runs of earlier fits, in words.
struct Repeats {
  std::vector<std::string> documents;  ///< That repeat with all their groups.
  std::vector<std::string> groups;     ///< That repeat in a document in which others are new.
};

constexpr std::size_t kMostNamed = 3;

void warn_of(const Repeats& repeats, std::vector<std::string>& warnings) {
  const std::size_t documents = repeats.documents.size();
  if (documents > 0) {
    warnings.push_back(
        fmt::format("{} of the kept fits repeat{} runs of earlier ones, which count once: {}",
                    documents, documents == 1 ? "s" : "", some_of(repeats.documents, kMostNamed)));
  }
  if (!repeats.groups.empty()) {
    warnings.push_back(
        "runs of some groups were kept again beside new runs of others; they count once: " +
        some_of(repeats.groups, kMostNamed));
  }
}

/// The series of one group under one label, as its fits are added in order of time.
struct Series {
  std::size_t place;  ///< Among the groups of the history.
  std::vector<const Fit*> fits = {};
  std::size_t repeats = 0;  ///< Fits that repeat, from documents in which others are new.

  /// Returns whether the fit is a new one.
  bool add(const Fit& fit) {
    const bool is_new = std::ranges::none_of(
        fits, [&](const Fit* earlier) { return are_of_same_runs(*earlier, fit); });
    if (is_new) fits.push_back(&fit);
    return is_new;
  }
};

/// Adds the series of one label to the history, in the order in which its groups first come.
void follow_label(const std::string& label, const std::vector<const KeptStudy*>& documents,
                  const HistoryQuestion& question, History& history, Repeats& repeats) {
  std::map<GroupKey, Series> all;
  for (const KeptStudy* document : documents) {
    if (document->label != label) continue;
    bool any_new = false;
    std::vector<Series*> repeated;
    for (const auto& [group, result] : document->fits.groups) {
      const Fit* fit = std::get_if<Fit>(&result);
      if (fit == nullptr) continue;
      const auto [found, is_new] = all.try_emplace(group, Series{history.groups.size()});
      if (is_new) history.groups.push_back({group, label, {}, {}});
      Series& series = found->second;
      if (!series.add(*fit)) {
        repeated.push_back(&series);
        continue;
      }
      any_new = true;
      history.groups[series.place].points.push_back(point_of(*document, *fit, question));
    }
    if (any_new) {
      for (Series* series : repeated) ++series->repeats;
    } else if (!repeated.empty()) {
      repeats.documents.push_back(fmt::format("'{}' of {}", label, document->kept_at));
    }
  }
  for (const auto& [group, series] : all) {
    GroupHistory& followed = history.groups[series.place];
    if (question.with_curve) followed.curve = log_curve_of(series.fits, followed.points);
    if (series.repeats == 0) continue;
    repeats.groups.push_back(fmt::format("{} ('{}', {})", group_name(history.by, group), label,
                                         counted(series.repeats, "fit")));
  }
}

/// The confidence of all of them; nothing if they differ.
std::optional<double> common_level(const std::vector<const KeptStudy*>& documents) {
  const double level = documents.front()->fits.confidence;
  const bool same = std::ranges::all_of(
      documents, [level](const auto* one) { return one->fits.confidence == level; });
  return same ? std::optional(level) : std::nullopt;
}

void find_changes(std::vector<GroupHistory>& groups, const ChangeOptions& options) {
  for (GroupHistory& group : groups) {
    const std::string name = group.label + '\x1f' + joined(group.group, "\x1f");
    group.change = change_point(group.points, options, stable_hash(name));
    group.curve.change = change_point(group.curve.points, options, stable_hash(name));
  }
  adjust_for_groups(groups);
}

/// The documents but for those of nights that do not count.
std::vector<const KeptStudy*> that_count(std::vector<const KeptStudy*> documents,
                                         const HistoryQuestion& question) {
  for (const std::string& night : question.without_nights) {
    const auto is_named = [&night](const KeptStudy* one) { return one->kept_at == night; };
    if (std::ranges::none_of(documents, is_named)) {
      throw DataError(
          fmt::format("{}: --without-night {}: no fits were kept then; 'scalelaw store "
                      "ls {}' tells when",
                      question.store, night, question.store));
    }
    std::erase_if(documents, is_named);
    if (documents.empty()) {
      throw DataError(fmt::format("{}: --without-night leaves no fits", question.store));
    }
  }
  return documents;
}

/// Takes the nights that stand apart, and the changes that are shown without them alone.
void look_without_apart(History& history, const HistoryQuestion& question) {
  history.nights_apart = nights_apart(history, question);
  if (history.nights_apart.empty()) return;
  std::vector<GroupHistory> others = without_figures_of(history.nights_apart, history.groups);
  find_changes(others, question.change);
  const auto take_shown = [&](std::optional<ChangePoint>& change,
                              const std::optional<ChangePoint>& other) {
    if (is_shown(change, question.confidence) || !is_shown(other, question.confidence)) return;
    change = other;
    change->without_apart = true;
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    take_shown(history.groups[i].change, others[i].change);
    take_shown(history.groups[i].curve.change, others[i].curve.change);
  }
}

}  // namespace

const std::vector<double>& ChangeDraws::of(std::size_t points) {
  const auto [found, is_new] = drawn_.try_emplace(points, options_.draws);
  if (is_new) {
    RandomStream random(options_.seed, stream_);
    std::vector<double> draw(points);
    for (double& statistic : found->second) statistic = drawn_statistic(random, draw);
  }
  return found->second;
}

std::optional<ChangePoint> change_point(std::span<const HistoryPoint> points, ChangeDraws& draws) {
  const std::vector<Counted> counted = points_that_count(points);
  if (counted.size() < 3) return std::nullopt;
  const auto [split, between] = judged_split(counted);
  const std::vector<double>& drawn = draws.of(counted.size());
  const auto as_great =
      std::ranges::count_if(drawn, [&split = split](double one) { return one >= split.statistic; });
  return ChangePoint{
      .first_after = counted[split.place].index,
      .before = split.before,
      .after = split.after,
      .change = split.after - split.before,
      .night_sd = std::sqrt(between),
      .statistic = split.statistic,
      .p = (1.0 + static_cast<double>(as_great)) / (1.0 + static_cast<double>(drawn.size())),
      .at_floor = as_great == 0};
}

std::optional<ChangePoint> change_point(std::span<const HistoryPoint> points,
                                        const ChangeOptions& options, std::uint64_t stream) {
  ChangeDraws draws(options, stream);
  return change_point(points, draws);
}

void adjust_for_groups(std::vector<GroupHistory>& groups) {
  std::vector<ChangePoint*> changes;
  for (GroupHistory& group : groups) {
    for (auto* change : {&group.change, &group.curve.change}) {
      if (*change) changes.push_back(&**change);
    }
  }
  adjust_by_holm(
      changes, [](const ChangePoint* change) { return std::optional(change->p); },
      [](ChangePoint * change) -> auto& { return change->p_holm; });
}

bool is_shown(const std::optional<ChangePoint>& change, double confidence) {
  return change && change->p_holm && *change->p_holm < 1 - confidence;
}

bool has_changed(const GroupHistory& group, double confidence) {
  return is_shown(group.change, confidence);
}

std::optional<double> bound_of_p_holm(const ChangePoint& change) {
  if (!change.at_floor || !change.p_holm || *change.p_holm >= 1) return std::nullopt;
  const double unit = std::pow(10.0, std::floor(std::log10(*change.p_holm)) - 1);
  return std::ceil(*change.p_holm / unit - 1e-9) * unit;
}

History follow_studies(std::span<const KeptStudy> documents, const HistoryQuestion& question) {
  const SavedFits& model = model_of(documents, question);
  std::vector<const KeptStudy*> comparable;
  for (const KeptStudy& document : documents) {
    if (are_comparable(document.fits, model)) comparable.push_back(&document);
  }
  const std::size_t others = documents.size() - comparable.size();
  comparable = that_count(std::move(comparable), question);
  History history{.x = model.x,
                  .y = model.y,
                  .by = model.by,
                  .law = model.law->name(),
                  .level = common_level(comparable),
                  .labels = labels_of(comparable)};
  if (others > 0) {
    history.warnings.push_back(
        fmt::format("{} of {} kept fits have other columns or another law than the newest and were "
                    "left out",
                    others, documents.size()));
  }
  Repeats repeats;
  for (const std::string& label : history.labels) {
    follow_label(label, comparable, question, history, repeats);
  }
  warn_of(repeats, history.warnings);
  find_changes(history.groups, question.change);
  look_without_apart(history, question);
  for (GroupHistory& group : history.groups) take_exponential(group.curve);
  return history;
}

}  // namespace scalelaw
