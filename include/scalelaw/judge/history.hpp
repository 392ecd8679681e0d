#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// One estimate in a history of fits.
struct HistoryPoint {
  std::string label = {};
  std::string kept_at = {};  ///< UTC: 2026-01-31T12:00:00Z.
  std::int64_t time = 0;     ///< The same in seconds since 1970.
  double estimate = 0;
  std::optional<double> se;
  std::optional<Interval> ci = {};  ///< As the document gives it.
  std::optional<double> dof;        ///< Degrees of freedom behind the standard error.
};

/// The most likely place at which a series of estimates changes its level, with the evidence.
struct ChangePoint {
  std::size_t first_after = 0;  ///< Index of the first point of the new level.
  double before = 0;            ///< Mean of the points before, weighted by their inverse variances.
  double after = 0;
  double change = 0;  ///< after - before.
  /// Standard deviation between nights of one level, beyond the errors of the fits.
  double night_sd = 0;
  double statistic = 0;   ///< change^2 over its variance.
  double p = 1;           ///< p value of no change at all.
  bool at_floor = false;  ///< No draw was as great: p is the least that the draws can tell.
  std::optional<double> p_holm = {};  ///< Adjusted for all series of a history (Holm 1979).
  bool without_apart = false;         ///< Shown without History::nights_apart, and not with them.
};

struct ChangeOptions {
  std::uint32_t draws = 9999;
  std::uint64_t seed = 1;
};

/// Statistics of series without a change, which are drawn once for each number of points.
class ChangeDraws {
 public:
  /// @param stream  Names the random stream.
  explicit ChangeDraws(const ChangeOptions& options, std::uint64_t stream = 0)
      : options_(options), stream_(stream) {}

  const std::vector<double>& of(std::size_t points);

 private:
  ChangeOptions options_;
  std::uint64_t stream_;
  std::map<std::size_t, std::vector<double>> drawn_;
};

/// Looks for one change of level.
///
/// Model: independent estimates b_i = level + effect of the night + error of the fit, with one
/// level before and one after an unknown place. The error has the standard error s_i, steadied over
/// all points where it has few degrees of freedom. The variance between nights, tau^2, is estimated
/// about the two levels. The statistic is (difference of the two means)^2 / (1 / W_before + 1 /
/// W_after) at the likeliest place, with means weighted by 1 / (tau^2 + s_i^2), and W the sum of
/// these weights. Simulation gives the p value (Monte Carlo test): (1 + draws at least as great) /
/// (1 + draws). A draw is the greatest F statistic of two levels against one of as many normal
/// points. That is the distribution of the statistic where nights vary much more than fits err;
/// where they do not, it is smaller, and the test is cautious.
///
/// @param points  In order of time; only those with a standard error above 0 count.
/// @returns Empty if fewer than three points count, since no place would stand out from noise.
/// Source: Csorgo and Horvath, Limit Theorems in Change-Point Analysis (1997), sec. 1.1;
/// docs/explanation/history.md.
std::optional<ChangePoint> change_point(std::span<const HistoryPoint> points, ChangeDraws& draws);

/// The same with draws of its own.
/// @param stream  Names the random stream.
std::optional<ChangePoint> change_point(std::span<const HistoryPoint> points,
                                        const ChangeOptions& options, std::uint64_t stream = 0);

/// The fitted curve of a series at one x, over time: runs may get slower at the same exponent.
struct CurveHistory {
  double x = 0;  ///< The geometric middle of the x that all fits of the series reach.
  /// As many as the series has, in the unit of y, with the standard error of ln y; empty if the
  /// curve is not followed, as no x is common to all fits.
  std::vector<HistoryPoint> points = {};
  std::optional<ChangePoint> change =
      {};  ///< In the unit of y, but for night_sd, which is of ln y.
};

/// The series of one group under one label.
struct GroupHistory {
  GroupKey group;
  std::string label = {};
  std::vector<HistoryPoint> points = {};
  std::optional<ChangePoint> change = {};
  CurveHistory curve = {};
};

/// Adjusts the p values of all groups and figures (Holm 1979).
void adjust_for_groups(std::vector<GroupHistory>& groups);

/// Whether a change whose p value was adjusted is one: p_holm is below 1 - confidence.
bool is_shown(const std::optional<ChangePoint>& change, double confidence);

/// Whether a group whose p value was adjusted changed: p_holm is below 1 - confidence.
bool has_changed(const GroupHistory& group, double confidence);

/// The number that p_holm is only known to be below, with two digits, rounded up. Empty where draws
/// tell p_holm itself, or it is 1.
std::optional<double> bound_of_p_holm(const ChangePoint& change);

/// A night that stands apart from the others, which makes nights seem to differ more than they do.
struct NightApart {
  std::string night;       ///< What it is called in a sentence,
  std::string name;        ///< and in its table or store; empty if not told.
  std::size_t place = 0;   ///< Among the nights, the oldest first.
  std::string y;           ///< The response,
  GroupKey group;          ///< and the group in which it is surest; empty: the mean of all groups.
  double change = 0;       ///< Of ln of the curve, from the mean of the nights that do not.
  double p = 1;            ///< Adjusted for all groups (Holm 1979).
  std::size_t groups = 0;  ///< In which it is shown alone; each response counts.
};

/// Fits of a study that were kept under a label.
struct KeptStudy {
  std::string label;
  std::string kept_at;    ///< UTC: 2026-01-31T12:00:00Z.
  std::int64_t time = 0;  ///< The same in seconds since 1970.
  SavedFits fits{};
};

/// What is followed, and how a change is looked for.
struct HistoryQuestion {
  std::string store;               ///< Where the fits were kept, for messages.
  std::vector<std::string> by{};   ///< Group columns; empty: those of the newest fits.
  std::string parameter = "beta";  ///< Of the law.
  bool with_curve = false;         ///< Whether the curve is followed, too.
  /// Nights that do not count, by the time at which they were kept.
  std::vector<std::string> without_nights{};
  double confidence = 0.95;  ///< Of the names of nights that stand apart.
  ChangeOptions change{};
};

/// The series of all groups and labels.
struct History {
  std::string x;
  std::string y;
  std::vector<std::string> by;
  std::string_view law;
  std::optional<double> level;      ///< Confidence of all intervals; empty if fits differ in it.
  std::vector<std::string> labels;  ///< In the order in which they were first kept.
  std::vector<std::string> warnings{};  ///< What was left out, and why.
  /// Nights that stand apart by the test of a gate, label by label, the oldest first; not those at
  /// an end of their label in a row, which are rather another level. `change` is of the parameter
  /// where the curve is not followed.
  std::vector<NightApart> nights_apart{};
  std::vector<GroupHistory> groups{};  ///< By label, then in the order of the documents.
};

/// Follows every group over time: one series per group and label, with its change point. Only fits
/// that share columns and law with the newest one count; a warning says how many do not. A fit
/// repeats the runs of an earlier one if both have as many points and, to the last digit, the same
/// residual sum of squares and parameters. Such fits count once. One warning counts the documents
/// that only repeat, and another names the groups that repeat in others. Where a change is shown
/// only without nights that stand apart from the others, it is that one.
///
/// @param documents  In order of time; one at least.
/// @throws DataError if none has the group columns asked for, the law has no such parameter, or no
/// night was kept at a time of `without_nights`.
History follow_studies(std::span<const KeptStudy> documents, const HistoryQuestion& question);

}  // namespace scalelaw
