// Whether runs at larger scales do more work: weak scaling.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "runs/column_words.hpp"
#include "runs/group_columns.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/statistics/estimate.hpp"

namespace scalelaw {
namespace {

struct Sum {
  double size = 0;
  double y = 0;
  double rows = 0;

  double mean_size() const { return size / rows; }
  double mean_y() const { return y / rows; }
};

/// The rows of one group by x.
using Levels = std::map<double, Sum>;

/// The sums of each group, over the rows that have all three numbers.
std::map<std::vector<std::uint32_t>, Levels> sums_of(const ColumnProfile& x,
                                                     std::span<const double> size,
                                                     const ColumnProfile& y,
                                                     const ColumnProfiles& by) {
  std::map<std::vector<std::uint32_t>, Levels> groups;
  for (std::size_t row = 0; row < size.size(); ++row) {
    if (!(x.quantities[row] > 0) || std::isnan(size[row]) || std::isnan(y.quantities[row])) {
      continue;
    }
    Sum& sum = groups[codes_at(by, row)][x.quantities[row]];
    sum.size += size[row];
    sum.y += y.quantities[row];
    ++sum.rows;
  }
  return groups;
}

bool size_grows(const Levels& levels) {
  constexpr double kClearly = 1.5;
  double previous = 0;
  for (const auto& [x, sum] : levels) {
    if (!(sum.mean_size() > previous)) return false;
    previous = sum.mean_size();
  }
  return previous > kClearly * levels.begin()->second.mean_size();
}

/// Whether times fall as they do where the work stays the same: an epoch has the same samples,
/// however large its batches are.
bool times_fall(const Levels& levels) {
  constexpr double kLeast = 0.7;      // Such times fall further,
  constexpr double kSlowest = -0.25;  // or over a short range at least so steeply.
  const auto& [first_x, first] = *levels.begin();
  const auto& [last_x, last] = *levels.rbegin();
  return last.mean_y() < std::max(kLeast, std::pow(last_x / first_x, kSlowest)) * first.mean_y();
}

/// Whether a rate grows with the scale as it does where the work of a step stays the same.
bool rate_rises(const Levels& levels) {
  constexpr double kLeast = 0.4;  // Exponent over the scale.
  const auto& [first_x, first] = *levels.begin();
  const auto& [last_x, last] = *levels.rbegin();
  return last.mean_y() > std::pow(last_x / first_x, kLeast) * first.mean_y();
}

/// Whether a column may say how much work a run does.
/// @param by_tokens  Tokens may say it.
bool may_be_work(const ColumnProfile& column, const ChosenColumns& columns, bool by_tokens) {
  const ColumnRole role = column.meaning.role;
  const bool is_size = role == ColumnRole::kBatchSize || role == ColumnRole::kProblemSize ||
                       is_lone_letter(column.meaning) ||
                       (by_tokens && counts_tokens(column.meaning));
  return is_size && column.is_number() && !is_used(columns, column.label());
}

/// Whether the product of columns differs by more than scatter in rows that are alike in others.
bool varies(const TableProfile& profile, const ColumnProfiles& factors,
            const ColumnProfiles& fixed) {
  constexpr double kClearly = 1.1;
  std::map<std::vector<std::uint32_t>, Interval> ranges;
  for (std::size_t row = 0; row < profile.rows(); ++row) {
    double work = 1;
    for (const ColumnProfile* const factor : factors) work *= factor->quantities[row];
    if (!(work > 0)) continue;
    Interval& range = ranges.try_emplace(codes_at(fixed, row), Interval{work, work}).first->second;
    range = {std::min(range.lower, work), std::max(range.upper, work)};
    if (range.upper > kClearly * range.lower) return true;
  }
  return false;
}

/// Adds the columns of scales: at other scales, a step has another batch.
void add_scales(const TableProfile& profile, ColumnProfiles& fixed) {
  for (const ColumnProfile& column : profile.columns()) {
    if (column.meaning.role == ColumnRole::kScale) fixed.push_back(&column);
  }
}

/// Whether batches differ, so that as many steps are no equal work.
bool has_unlike_batches(const TableProfile& profile) {
  return std::ranges::any_of(profile.columns(), [](const auto& column) {
    return column.meaning.role == ColumnRole::kBatchSize && column.min < column.max;
  });
}

/// Whether a time is a mean, so that "samples" counts its repetitions.
bool is_mean(std::string_view y) { return Name(y).has_any({"mean", "median", "average", "avg"}); }

/// The groups in which one column says whether the work grows.
struct JudgedGroups {
  std::string column;
  std::vector<std::vector<std::uint32_t>> growing;  ///< By their codes.
  std::size_t judged = 0;
};

/// The work of each row as its time and its rate tell it; empty for another column than a rate.
std::vector<double> work_by_rate(const ColumnProfile& x, const ColumnProfile& y,
                                 const ColumnProfile& rate) {
  const Quantity quantity = quantity_of(rate.name, {}, x.name);
  if (y.meaning.role != ColumnRole::kTime || quantity.kind != Kind::kRate ||
      quantity.of == WorkUnit::kUnknown || !rate.is_number()) {
    return {};
  }
  std::vector<double> work(rate.quantities);
  for (std::size_t row = 0; row < work.size(); ++row) {
    work[row] *= y.quantities[row] * (quantity.is_of_one() ? x.quantities[row] : 1);
  }
  return work;
}

/// Which groups a column judges: those in which the work grows and is not shared.
template <class IsShared>
JudgedGroups judged(std::string column, const std::map<std::vector<std::uint32_t>, Levels>& groups,
                    IsShared is_shared) {
  JudgedGroups one{std::move(column), {}};
  for (const auto& [group, levels] : groups) {
    if (levels.size() < 2) continue;
    ++one.judged;
    if (size_grows(levels) && !is_shared(levels)) one.growing.push_back(group);
  }
  return one;
}

/// What the batch of each device says of steps: the groups where a step has as many of them as
/// there are devices.
std::optional<JudgedGroups> judged_by_batch_of_each(const TableProfile& profile,
                                                    const ChosenColumns& columns,
                                                    const ColumnProfile& x, const ColumnProfile& y,
                                                    const ColumnProfiles& by) {
  if (columns.quantity.of != WorkUnit::kStep) return std::nullopt;
  const auto factors = columns_of_work(profile, columns.quantity, WorkUnit::kSample, columns.x);
  if (!factors || !contains(*factors, columns.x)) return std::nullopt;
  std::vector<double> work(profile.rows(), 1);
  for (const ColumnProfile* const factor : profile.columns(*factors)) {
    for (std::size_t row = 0; row < work.size(); ++row) work[row] *= factor->quantities[row];
  }
  const bool is_rate = y.meaning.role == ColumnRole::kRate;
  JudgedGroups one =
      judged(joined(*factors, " * "), sums_of(x, work, y, by), is_rate ? rate_rises : times_fall);
  return one.growing.empty() ? std::nullopt : std::optional(std::move(one));
}

/// What each column that may say it says; nothing without x or y.
std::vector<JudgedGroups> judged_groups(const TableProfile& profile, const ChosenColumns& columns) {
  const ColumnProfile* const x = columns.x.empty() ? nullptr : profile.column(columns.x);
  const ColumnProfile* const y = columns.y.empty() ? nullptr : profile.column(columns.y);
  if (x == nullptr || y == nullptr || !x->is_number()) return {};
  const bool is_rate = y->meaning.role == ColumnRole::kRate;
  // A rate counts them, and a step has few of those of its run.
  const bool by_tokens = !is_rate && quantity_of(columns.y).of != WorkUnit::kStep;
  const ColumnProfiles by = profile.columns(columns.by);
  std::vector<JudgedGroups> all;
  if (auto one = judged_by_batch_of_each(profile, columns, *x, *y, by)) all.push_back(*one);
  for (const ColumnProfile& column : profile.columns()) {
    const bool is_work = may_be_work(column, columns, by_tokens);
    const std::vector<double> work = is_work ? column.quantities : work_by_rate(*x, *y, column);
    JudgedGroups one =
        judged(is_work ? column.label() : fmt::format("{} * {}", columns.y, column.label()),
               sums_of(*x, work, *y, by),
               [is_rate](const Levels& levels) { return !is_rate && times_fall(levels); });
    if (is_work || !one.growing.empty()) all.push_back(std::move(one));
  }
  return all;
}

GroupKey key_of(const ColumnProfiles& by, const std::vector<std::uint32_t>& codes) {
  GroupKey group;
  for (std::size_t i = 0; i < by.size(); ++i) {
    const std::vector<std::string>& values = by[i]->values;
    group.push_back(codes[i] < values.size() ? values[codes[i]] : "");
  }
  return group;
}

/// The groups of weak scaling, where a group column says which ones are.
std::optional<PartlyGrowingWork> named_weak_scaling(const ColumnProfiles& by) {
  const auto kind = std::ranges::find_if(by, tells_kinds_of_scaling);
  if (kind == by.end()) return std::nullopt;
  const auto place = static_cast<std::size_t>(kind - by.begin());
  std::set<GroupKey, GroupLess> groups;
  for (std::size_t row = 0; row < (*kind)->codes.size(); ++row) {
    GroupKey group = key_of(by, codes_at(by, row));
    if (is_weak_scaling(group[place])) groups.insert(std::move(group));
  }
  return PartlyGrowingWork{(*kind)->label(), {groups.begin(), groups.end()}};
}

}  // namespace

std::string PartlyGrowingWork::reason(const std::vector<std::string>& by,
                                      std::string_view x) const {
  if (std::ranges::find(by, column) != by.end()) return fmt::format("'{}' says so", column);
  return fmt::format("'{}' grows with {} there", column, x);
}

std::optional<std::string> growing_work(const TableProfile& profile, const ChosenColumns& columns) {
  const std::vector<JudgedGroups> all = judged_groups(profile, columns);
  for (const JudgedGroups& one : all) {
    if (2 * one.growing.size() > one.judged) return one.column;
  }
  return all.empty() ? std::nullopt : std::optional<std::string>("");
}

std::vector<std::string> unequal_work(const TableProfile& profile, const ChosenColumns& columns) {
  const WorkUnit of = columns.quantity.of;
  if (of == WorkUnit::kToken || of == WorkUnit::kSample) return {};
  ColumnProfiles fixed = profile.columns(columns.by);
  fixed.resize(fixed.size() - std::min(fixed.size(), columns.factors));
  const auto varies_in = [&](const std::vector<std::string>& factors) {
    ColumnProfiles work;
    for (const std::string& name : factors) {
      if (name != columns.x && is_used(columns, name)) return false;
      work.push_back(profile.column(name));
    }
    return !work.empty() && varies(profile, work, fixed);
  };
  for (const WorkUnit unit : {WorkUnit::kToken, WorkUnit::kSample, WorkUnit::kStep}) {
    if (of == WorkUnit::kStep || unit == WorkUnit::kStep) add_scales(profile, fixed);
    if (unit == WorkUnit::kStep && (of == WorkUnit::kEpoch || has_unlike_batches(profile)))
      continue;
    const bool repeats = unit == WorkUnit::kSample && is_mean(columns.y);
    const auto factors = columns_of_work(profile, columns.quantity, unit, columns.x);
    if (factors && !repeats && varies_in(*factors)) return *factors;
  }
  return {};
}

std::optional<PartlyGrowingWork> partly_growing_work(const TableProfile& profile,
                                                     const ChosenColumns& columns) {
  const ColumnProfiles by = profile.columns(columns.by);
  for (const JudgedGroups& one : judged_groups(profile, columns)) {
    if (one.growing.empty() || one.growing.size() == one.judged) continue;
    PartlyGrowingWork work{one.column, {}};
    for (const std::vector<std::uint32_t>& codes : one.growing) {
      work.groups.push_back(key_of(by, codes));
    }
    std::ranges::sort(work.groups, GroupLess());
    return work;
  }
  return named_weak_scaling(by);
}

}  // namespace scalelaw
