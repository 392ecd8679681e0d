#include "scalelaw/judge/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "judge/base_changes.hpp"
#include "judge/gate_comparisons.hpp"
#include "judge/gate_shared.hpp"
#include "judge/repeat_scatter.hpp"
#include "runs/deliver_in_order.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/statistics/distributions.hpp"
#include "statistics/hypothesis_tests.hpp"

namespace scalelaw {
namespace {

constexpr std::array kVerdicts{
    GateVerdict::kMissing, GateVerdict::kNoFit,  GateVerdict::kWorse, GateVerdict::kInconclusive,
    GateVerdict::kSame,    GateVerdict::kBetter, GateVerdict::kNew};

bool is_share(double value) { return value > 0 && value <= 1; }

void check_options(const GateOptions& options) {
  if (!is_share(options.max_slowdown) || !is_share(options.max_beta_drop)) {
    throw std::invalid_argument("gate_fits: a limit is not above 0 and up to 1");
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("gate_fits: confidence is not between 0 and 1");
  }
  const auto is_bad = [](double x) { return !(x > 0); };
  if (std::ranges::any_of(options.at, is_bad)) {
    throw std::invalid_argument("gate_fits: an x is not above 0");
  }
}

struct GroupHash {
  std::size_t operator()(const GroupKey& group) const {
    std::uint64_t hash = group.size();
    for (const std::string& value : group) hash = mix64(hash ^ stable_hash(value));
    return hash;
  }
};

using Results = std::unordered_map<GroupKey, const GroupFit*, GroupHash>;

Results results_of(const SavedFits& fits) {
  Results results;
  for (const GroupFit& group : fits.groups) {
    if (results.emplace(group.group, &group).second) continue;
    throw DataError(fmt::format("{}: the group '{}' appears twice", input_name(fits.source),
                                joined(group.group)));
  }
  return results;
}

const Fit* fit_in(const Results& results, const GroupKey& group) {
  const auto found = results.find(group);
  return found == results.end() ? nullptr : std::get_if<Fit>(&found->second->result);
}

std::string failure_text(const Results& results, const GroupKey& group, std::string_view side) {
  const auto found = results.find(group);
  if (found == results.end()) return fmt::format("{} has no such group", side);
  const NoFit& failure = std::get<NoFit>(found->second->result);
  return fmt::format("no fit in {}: {} ({})", side, failure.message, name_of(failure.code));
}

/// The x at which nights measured runs of a group.
std::vector<double> measured_x(const GroupKey& group, std::span<const Night> nights) {
  std::vector<double> measured;
  for (const Night& night : nights) {
    if (!night.study->runs_of) continue;
    for (const Cell& cell : night.study->runs_of(group)) measured.push_back(cell.x);
  }
  return measured;
}

/// The runs of NEW, where NEW or every night of BASE has too few scales for a law that could be
/// compared: all of them if BASE has a law to forecast them by, else those at the x of BASE.
std::vector<Cell> lone_runs(const GatePair& pair, const GroupKey& group,
                            std::span<const Night> nights, const Fit* after) {
  const auto any = [&](auto holds) { return std::ranges::any_of(nights, holds); };
  const bool base_has_law = any([](const Night& night) { return night.has_law(); });
  const bool base_has_fit = any([](const Night& night) { return night.fit != nullptr; });
  const bool new_has_law = after != nullptr && (after->dof > 0 || !base_has_law);
  if (!pair.current.runs_of || (new_has_law && base_has_fit)) return {};
  std::vector<Cell> runs = one_per_x(pair.current.runs_of(group));
  if (base_has_law) return runs;
  const std::vector<double> measured = measured_x(group, nights);
  std::vector<Cell> shared;
  std::ranges::copy_if(runs, std::back_inserter(shared),
                       [&](const Cell& cell) { return contains(measured, cell.x); });
  return shared.empty() && base_has_fit ? runs : shared;
}

std::vector<Night> nights_of(const GatePair& pair, const GroupKey& group,
                             std::span<const Results> base) {
  std::vector<Night> nights;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const SavedFits& study = pair.night(i);
    const Fit* const fit = fit_in(base[i], group);
    const bool has_runs = study.runs_of && base[i].contains(group);
    if (fit != nullptr || has_runs) nights.push_back({i, fit, &study});
  }
  return nights;
}

std::vector<Night> with_fit(std::vector<Night> nights) {
  std::erase_if(nights, [](const Night& night) { return night.fit == nullptr; });
  return nights;
}

/// Compares a group that both have, or reports one that only one of them has.
/// @param base  Results of each night, the oldest first.
OpenGroup opened(const GatePair& pair, const GroupKey& group, std::span<const Results> base,
                 const Results& current, const GateOptions& options) {
  OpenGroup result{.group = {.y = pair.base.y, .group = group}};
  const std::vector<Night> nights = nights_of(pair, group, base);
  const Fit* const after = fit_in(current, group);
  const std::vector<Night> fitted = with_fit(nights);
  const std::vector<Cell> runs = lone_runs(pair, group, nights, after);
  if (!nights.empty() && !runs.empty()) {
    result.comparisons = open_predictions(group, nights, runs, options);
  } else if (!fitted.empty() && after != nullptr) {
    const RepeatScatter repeats(group, fitted, {pair.nights(), after, &pair.current});
    result.group.misfit = repeats.misfit();
    result.comparisons = open_comparisons(fitted, *after, repeats, options);
  } else if (nights.empty() && !base.back().contains(group)) {
    result.group.verdict = GateVerdict::kNew;
    result.group.reason = failure_text(base.back(), group, "BASE");
  } else if (fitted.empty() && current.contains(group)) {
    result.group.reason = failure_text(base.back(), group, "BASE");
  } else {
    const bool is_there = current.contains(group);
    result.group.verdict = is_there ? GateVerdict::kNoFit : GateVerdict::kMissing;
    result.group.reason = failure_text(current, group, "NEW");
  }
  return result;
}

/// The groups of NEW and of the newest night of BASE.
std::vector<OpenGroup> open_groups(const GatePair& pair, const GateOptions& options) {
  std::vector<Results> base;
  for (const SavedFits& night : pair.earlier) base.push_back(results_of(night));
  base.push_back(results_of(pair.base));
  const Results current = results_of(pair.current);
  std::vector<const GroupKey*> all;
  const auto take = [&all](const Results& side) {
    for (const auto& [group, unused] : side) all.push_back(&group);
  };
  take(base.back());
  take(base[pair.last_of_base()]);
  take(current);
  std::ranges::sort(all, [](auto* a, auto* b) { return GroupLess()(*a, *b); });
  const auto is_same = [](auto* a, auto* b) { return *a == *b; };
  all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
  std::vector<OpenGroup> groups;
  for (const GroupKey* const group : all) {
    groups.push_back(opened(pair, *group, base, current, options));
  }
  return groups;
}

std::vector<OpenComparison*> comparisons_of(std::vector<OpenGroup>& groups) {
  std::vector<OpenComparison*> comparisons;
  for (OpenGroup& group : groups) {
    for (OpenComparison& comparison : group.comparisons) comparisons.push_back(&comparison);
  }
  return comparisons;
}

std::vector<GateComparison*> comparisons_in(Gate& gate) {
  std::vector<GateComparison*> comparisons;
  for (GateGroup& group : gate.groups) {
    for (GateComparison& comparison : group.comparisons) comparisons.push_back(&comparison);
  }
  return comparisons;
}

/// The two-sided p of a Student t statistic, if t is positive; else 1.
double p_beyond(double t, double dof) { return t > 0 ? student_t_p(t, dof) : 1; }

/// An exact fit has no p: its interval is a point and decides alone.
bool stays(OptionalNumber p_holm, double confidence) { return !p_holm || *p_holm < 1 - confidence; }

GateVerdict verdict_of(const GateComparison& comparison, double confidence) {
  if (!comparison.change.reach) return GateVerdict::kInconclusive;
  const Interval loss = comparison.loss_interval();
  if (comparison.exceeds_limit_for_sure() && stays(comparison.p_worse_holm, confidence)) {
    return GateVerdict::kWorse;
  }
  if (loss.upper < 0 && stays(comparison.p_better_holm, confidence)) return GateVerdict::kBetter;
  const bool within = -comparison.limit < loss.lower && loss.upper < comparison.limit;
  return within ? GateVerdict::kSame : GateVerdict::kInconclusive;
}

void set_verdicts(GateGroup& group, double confidence) {
  if (group.comparisons.empty()) return;
  group.verdict = GateVerdict::kNew;
  for (GateComparison& comparison : group.comparisons) {
    comparison.verdict = verdict_of(comparison, confidence);
    group.verdict = std::max(group.verdict, comparison.verdict);
  }
}

/// Whether a change of the response for the worse is shown, but not one beyond the limit.
bool shows_loss(const GateComparison& comparison, std::size_t family, double confidence) {
  const bool is_open = comparison.is_of_response() && comparison.verdict < GateVerdict::kWorse;
  if (!is_open || !comparison.has_loss()) return false;
  const GateChange& change = comparison.change;
  if (!change.se || !(*change.se > 0) || !change.dof) return true;  // An exact fit has no p.
  const double p = student_t_p(comparison.loss() / *change.se, *change.dof);
  return p * static_cast<double>(family) < 1 - confidence;
}

std::optional<ShownLoss> surest_loss(const Gate& gate, double confidence) {
  std::optional<ShownLoss> shown;
  double least = 0;  // That the interval of the surest one has.
  for (std::size_t i = 0; i < gate.groups.size(); ++i) {
    const std::vector<GateComparison>& comparisons = gate.groups[i].comparisons;
    for (std::size_t j = 0; j < comparisons.size(); ++j) {
      if (!shows_loss(comparisons[j], gate.family, confidence)) continue;
      const double loss = comparisons[j].loss_interval().lower;
      if (!(loss > least)) continue;
      shown = ShownLoss{i, j};
      least = loss;
    }
  }
  return shown;
}

/// A change that groups share is one more comparison beside those of the family.
void judge_shared(Gate& gate, double confidence) {
  for (SharedChange& shared : gate.shared) {
    GateComparison& comparison = shared.comparison;
    const auto adjusted = [&gate](OptionalNumber p) {
      return p ? std::min(1.0, *p * static_cast<double>(gate.family + 1)) : OptionalNumber();
    };
    comparison.p_worse_holm = adjusted(shared.p_worse);
    comparison.p_better_holm = adjusted(shared.p_better);
    comparison.verdict = verdict_of(comparison, confidence);
  }
}

}  // namespace

std::span<const GateVerdict> all_gate_verdicts() { return kVerdicts; }

std::string_view name_of(GateVerdict verdict) {
  return word_for(verdict, {{GateVerdict::kNew, "new"},
                            {GateVerdict::kBetter, "better"},
                            {GateVerdict::kSame, "same"},
                            {GateVerdict::kInconclusive, "inconclusive"},
                            {GateVerdict::kWorse, "worse"},
                            {GateVerdict::kNoFit, "no-fit"},
                            {GateVerdict::kMissing, "missing"}});
}

std::string_view name_of(FailOn fail_on) {
  return word_for(fail_on, {{FailOn::kWorse, "worse"}, {FailOn::kInconclusive, "inconclusive"}});
}

bool fails(GateVerdict verdict, FailOn fail_on) {
  return verdict >= (fail_on == FailOn::kWorse ? GateVerdict::kWorse : GateVerdict::kInconclusive);
}

bool fails(const Gate& gate, FailOn fail_on) {
  const auto is_worse = [](const SharedChange& shared) {
    return shared.comparison.verdict == GateVerdict::kWorse;
  };
  return std::ranges::any_of(
             gate.groups,
             [fail_on](const GateGroup& group) { return fails(group.verdict, fail_on); }) ||
         std::ranges::any_of(gate.shared, is_worse);
}

GateOutcome outcome_of(const Gate& gate, FailOn fail_on) {
  if (fails(gate, fail_on)) return GateOutcome::kFailed;
  const auto shows_nothing = [](const GateGroup& group) {
    return group.verdict == GateVerdict::kNew ||
           (group.verdict == GateVerdict::kInconclusive && !group.is_within_limits());
  };
  const bool is_all =
      gate.count(GateVerdict::kInconclusive) > 0 && std::ranges::all_of(gate.groups, shows_nothing);
  const bool is_shown = std::ranges::any_of(gate.shared, [](const SharedChange& shared) {
    return shared.comparison.verdict != GateVerdict::kInconclusive;
  });
  return is_all && !is_shown ? GateOutcome::kUndecided : GateOutcome::kPassed;
}

std::string_view name_of(Misfit misfit) {
  return word_for(
      misfit, {{Misfit::kNone, ""}, {Misfit::kWidens, "widens"}, {Misfit::kCancels, "cancels"}});
}

std::string_view name_of(GateOutcome outcome) {
  return word_for(outcome, {{GateOutcome::kPassed, "passed"},
                            {GateOutcome::kUndecided, "undecided"},
                            {GateOutcome::kFailed, "failed"}});
}

OptionalNumber GateEstimate::reach_at(double confidence) const {
  if (!se) return {};
  return dof ? student_t_factor(confidence, *dof) * *se : 0.0;
}

GateEstimate GateComparison::shown(const GateEstimate& side) const {
  if (!is_of_response()) return side;
  const double value = std::exp(side.estimate);
  return {value, side.se ? *side.se * value : OptionalNumber(), side.dof};
}

std::optional<Interval> GateComparison::shown_interval(const GateEstimate& side,
                                                       double confidence) const {
  const OptionalNumber reach = side.reach_at(confidence);
  if (!reach) return std::nullopt;
  const Interval interval{side.estimate - *reach, side.estimate + *reach};
  return is_of_response() ? exp_of(interval) : interval;
}

OptionalNumber GateComparison::p_worse() const {
  if (!change.dof) return {};
  return p_beyond((loss() - limit) / *change.se, *change.dof);
}

OptionalNumber GateComparison::p_better() const {
  if (!change.dof) return {};
  return p_beyond(-loss() / *change.se, *change.dof);
}

std::optional<double> GateComparison::ratio() const {
  const bool is_log = is_of_response() && std::isfinite(change.estimate);
  return is_log ? std::optional(std::exp(change.estimate)) : std::nullopt;
}

std::optional<Interval> GateComparison::ratio_ci() const {
  return ratio() && change.reach ? std::optional(exp_of(*change.ci())) : std::nullopt;
}

bool GateGroup::is_within_limits() const {
  return !comparisons.empty() && std::ranges::all_of(comparisons, &GateComparison::is_within_limit);
}

std::size_t Gate::count(GateVerdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(groups, verdict, &GateGroup::verdict));
}

namespace {

/// What a night is called in which NEW is the last.
std::string name_among_all(const GatePair& pair, std::size_t night) {
  if (night < pair.nights()) return name_of_night(pair, night);
  return pair.current.night.empty() ? "NEW" : pair.current.night;
}

/// @returns Without its group.
FigureHistory history_of(const GatePair& pair, const OpenComparison& open,
                         const NightEvidence& by) {
  const NightSeries& nights = by.nights;
  FigureHistory history{.group = {},
                        .comparison = open.comparison,
                        .night_sd = std::sqrt(by.between.value),
                        .correlation = nights.noise().rho()};
  const auto name_at = [&](std::size_t place) {
    const bool is_new = place == nights.figures().size();
    return name_among_all(pair, is_new ? pair.nights() : nights.figures()[place].night);
  };
  for (std::size_t i = 0; i < nights.levels().apart.size(); ++i) {
    const bool is_new = i == nights.figures().size();
    history.nights.push_back({name_at(i), is_new ? open.after.value : nights.figures()[i].value,
                              nights.levels().apart[i]});
  }
  const auto add = [&](std::size_t since, std::size_t count, double mean) -> FigureLevel& {
    return history.levels.emplace_back(
        FigureLevel{.since = name_at(since),
                    .nights = count,
                    .mean = estimate_of(mean, variance_of_mean(nights, by.between, count))});
  };
  const std::vector<double> first = nights.level(0, true);
  add(0, first.size(), level_of(first));
  const NightFigure usual{0, 0, nights.sampling(), 1};
  for (const NightStep& step : nights.changes()) {
    const Variance variance = variance_of_step(nights, by.between, step, usual);
    FigureLevel& level = add(step.first, step.after, step.mean_after);
    level.change = change_of(step.change(), variance, by.rules.confidence);
    level.p = p_of_night(step.change(), variance, history.nights.size());
  }
  return history;
}

}  // namespace

std::vector<FigureHistory> follow_nights(const GatePair& pair, const GateOptions& options) {
  check_options(options);
  std::vector<OpenGroup> groups = open_groups(pair, options_for(pair.base.y, options));
  std::map<const OpenComparison*, FigureHistory> found;
  for_each_series(comparisons_of(groups), judging_of(pair, options),
                  [&](const OpenComparison& open, const NightEvidence& by) {
                    found.emplace(&open, history_of(pair, open, by));
                  });
  const double limit = (1 - options.confidence) / static_cast<double>(found.size());
  std::vector<FigureHistory> histories;
  for (const OpenGroup& group : groups) {
    for (const OpenComparison& open : group.comparisons) {
      const auto place = found.find(&open);
      if (place == found.end()) continue;
      FigureHistory& history = histories.emplace_back(std::move(place->second));
      history.group.y = group.group.y;
      history.group.group = group.group.group;
      history.is_shown = std::ranges::any_of(
          history.levels, [limit](const FigureLevel& one) { return one.p < limit; });
      if (pair.base.x.empty()) history.comparison.x = {};
    }
  }
  return histories;
}

struct GatePart::State {
  /// Groups that share what nights differ by: they are judged when all of them are known.
  std::vector<OpenGroup> waiting = {};
  std::vector<GateGroup> groups = {};
  std::vector<GroupNights> nights = {};  ///< Of the groups that have a share in the shared change.
  std::vector<SeriesNews> news = {};     ///< Of the series that show any,
  std::size_t series = 0;                ///< and how many were looked at.
  std::size_t left_out = 0;              ///< The most nights that a comparison is judged without.

  void judge(const GatePair& pair, const NightJudging& rules) {
    set_changes(comparisons_of(waiting), rules);
    for (OpenGroup& group : std::exchange(waiting, {})) take(std::move(group), pair);
  }

 private:
  void take(OpenGroup open, const GatePair& pair) {
    GateGroup& group = groups.emplace_back(std::move(open.group));
    const std::size_t first_news = news.size();
    group.comparisons.reserve(open.comparisons.size());
    for (OpenComparison& one : open.comparisons) {
      take_nights(one, group.group, pair);
      if (pair.base.x.empty()) one.comparison.x = {};
      group.comparisons.push_back(std::move(one.comparison));
    }
    name_by_one(group, first_news);
    if (const auto place = place_of_share(group)) add_nights(group, open, *place);
  }

  void take_nights(OpenComparison& open, const GroupKey& group, const GatePair& pair) {
    GateComparison& comparison = open.comparison;
    if (!comparison.nights) return;
    ++series;
    NightScatter scatter = *comparison.nights;
    if (scatter.of_new > 1) {
      scatter.since = name_of_night(pair, open.nights[open.first_of_new].night);
    }
    left_out = std::max(left_out, open.nights.size() + 1 - scatter.nights - scatter.of_new);
    comparison.nights = std::move(scatter);
    if (open.news.empty()) return;
    for (NightNews& one : open.news) one.night = open.nights[one.night].night;
    news.push_back({&pair, group, std::string(comparison.figure), comparison.less_is_better,
                    comparison.is_middle, comparison.x, std::move(open.news)});
  }

  /// Nights that stand apart are named by the figure at the middle, else by the first response.
  /// @param first  The first of the news of the group.
  void name_by_one(const GateGroup& group, std::size_t first) {
    const auto is_middle = [](const GateComparison& one) { return one.is_middle; };
    if (std::ranges::any_of(group.comparisons, is_middle)) return;
    for (SeriesNews& one : std::span(news).subspan(first)) {
      if (one.figure.starts_with("beta")) continue;
      one.stands_for_group = true;
      return;
    }
  }

  void add_nights(const GateGroup& group, const OpenGroup& open, std::size_t place) {
    if (!group.comparisons[place].nights) return;
    const OpenComparison& share = open.comparisons[place];
    nights.push_back({share.nights, share.after.value, share.after.uncertainty->value});
  }
};

GatePart::GatePart(const GatePair& pair, const GateOptions& options)
    : state_(std::make_unique<State>()) {
  state_->waiting = open_groups(pair, options_for(pair.base.y, options));
  if (pair.nights() == 1) state_->judge(pair, judging_of(pair, options));
}

GatePart::~GatePart() = default;
GatePart::GatePart(GatePart&&) noexcept = default;

/// What is known while groups come.
struct GateJudge::State {
  GateOptions options;
  Gate gate = {};
  bool has_begun = false;
  std::size_t first = 0;                 ///< The first group of the response whose groups come,
  std::vector<GroupNights> nights = {};  ///< and what the nights of these groups say.
  std::vector<SeriesNews> news = {};
  std::size_t series = 0;
  NightJudging rules = {};  ///< Of the response,
  const GatePair* head = nullptr;
  GatePart::State open = {};  ///< and its groups that are judged when all of them are known.

  void take(GatePart::State& part) {
    const auto append = [](auto& all, auto& more) {
      all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
    };
    append(open.waiting, part.waiting);
    append(gate.groups, part.groups);
    append(nights, part.nights);
    append(news, part.news);
    series += part.series;
    gate.left_out = std::max(gate.left_out, part.left_out);
  }

  void end_response() {
    if (!open.waiting.empty()) {
      open.judge(*head, rules);
      GatePart::State judged = std::exchange(open, {});
      take(judged);
    }
    const auto groups = std::span<const GateGroup>(gate.groups).subspan(first);
    if (auto shared = shared_change(groups, nights, rules)) {
      gate.shared.push_back(*std::move(shared));
    }
    first = gate.groups.size();
    nights.clear();
  }
};

GateJudge::GateJudge(const GateOptions& options) {
  check_options(options);
  state_ = std::make_unique<State>(State{.options = options});
}

GateJudge::~GateJudge() = default;

void GateJudge::begin(const GatePair& head) {
  check_comparable(head);
  std::size_t& nights = state_->gate.nights;
  if (state_->has_begun) state_->end_response();
  nights = state_->has_begun ? std::min(nights, head.nights()) : head.nights();
  state_->has_begun = true;
  state_->rules = judging_of(head, state_->options);
  state_->head = &head;
}

void GateJudge::add(GatePart part) { state_->take(*part.state_); }

void GateJudge::add(std::size_t count, int threads,
                    const std::function<GatePart(std::size_t part)>& make) {
  deliver_in_order<GatePart>(
      count, thread_count(threads), 1,
      [&make](std::size_t part, int /*worker*/) { return make(part); },
      [this](GatePart&& part) { add(std::move(part)); });
}

Gate GateJudge::finish() {
  state_->end_response();
  Gate gate = std::move(state_->gate);
  const GateOptions& options = state_->options;
  gate.base_change = change_of_base(state_->news, state_->series, options.confidence);
  gate.nights_apart = nights_apart(state_->news, state_->series, options.confidence);
  const std::vector<GateComparison*> comparisons = comparisons_in(gate);
  gate.family =
      adjust_by_holm(comparisons, &GateComparison::p_worse, &GateComparison::p_worse_holm);
  adjust_by_holm(comparisons, &GateComparison::p_better, &GateComparison::p_better_holm);
  for (GateGroup& group : gate.groups) set_verdicts(group, options.confidence);
  judge_shared(gate, options.confidence);
  gate.shown_loss = surest_loss(gate, options.confidence);
  return gate;
}

Gate gate_fits(std::span<const GatePair> pairs, const GateOptions& options) {
  GateJudge judge(options);
  for (const GatePair& pair : pairs) {
    judge.begin(pair);
    judge.add(GatePart(pair, options));
  }
  return judge.finish();
}

}  // namespace scalelaw
