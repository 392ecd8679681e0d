#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/fit/read_fits.hpp"

namespace scalelaw {

/// What is said of a comparison or a group. A group has the last one of its comparisons in this
/// order: it is better if something is and nothing is worse or open.
enum class GateVerdict : std::uint8_t {
  kNew,           ///< Only NEW has the group: nothing to compare.
  kSame,          ///< Shown to have changed by less than the limit, either way.
  kBetter,        ///< Shown to have changed for the better.
  kInconclusive,  ///< Neither is shown, or there is nothing to show it by.
  kWorse,         ///< Shown to be worse by more than the limit.
  kMissing,       ///< BASE has the group, NEW has no fit of it.
};

/// All of them, from bad to good: the order of reports.
std::span<const GateVerdict> all_gate_verdicts();

/// "new", "better", "same", "inconclusive", "worse", "missing".
std::string_view name_of(GateVerdict verdict);

/// What may change by how much, and where it is looked at.
struct GateOptions {
  double max_slowdown = 0.05;   ///< In (0, 1]: 0.05 allows 1.05 times the time.
  double max_beta_drop = 0.05;  ///< In (0, 1].
  bool at_middle = true;        ///< The geometric middle of the x that both were measured at.
  bool at_largest = true;       ///< The largest x that both reach.
  std::vector<double> at = {};  ///< Further x > 0.
  /// Of every interval, in (0, 1). All verdicts `worse` together err with a probability of at most
  /// 1 - confidence, and so do all verdicts `better`.
  double confidence = 0.95;
};

/// The fits of one response before and after a change.
struct GatePair {
  SavedFits base;
  SavedFits current;
};

/// One figure of one group, in BASE and in NEW.
struct GateComparison {
  std::string figure;  ///< Name of an exponent ("beta"), or "curve": the fitted response at x.
  std::optional<double> x = {};  ///< Of a curve; empty where the two share no range of x.
  bool extrapolated = false;     ///< x lies outside what BASE or NEW measured.
  Estimate base = {};            ///< With the interval at GateOptions::confidence.
  Estimate current = {};
  /// NEW less BASE of an exponent, ln(NEW / BASE) of a curve; dof after Satterthwaite.
  Estimate change = {};
  std::optional<double> ratio = {};       ///< NEW / BASE of a curve.
  std::optional<Interval> ratio_ci = {};  ///< exp of the interval of `change`.
  bool less_is_better = false;            ///< A time; not an exponent, not a rate.
  double limit = 0;                       ///< On the scale of `change`, > 0.
  /// Two-sided p of a change for the worse by the limit, 1 where it is smaller than that; and
  /// adjusted for all comparisons (Holm 1979).
  std::optional<double> p_worse = {};
  std::optional<double> p_worse_holm = {};
  /// The same of no change, 1 where it is none for the better.
  std::optional<double> p_better = {};
  std::optional<double> p_better_holm = {};
  GateVerdict verdict = GateVerdict::kInconclusive;
  std::string reason = {};  ///< Why nothing can be shown; empty where the figures say it.

  /// `change` with the sign that makes it positive where NEW is worse.
  double loss() const { return less_is_better ? change.estimate : -change.estimate; }
};

/// One group of one response.
struct GateGroup {
  std::string y;
  GroupKey group;
  GateVerdict verdict = GateVerdict::kInconclusive;
  std::string reason = {};  ///< Why there are no comparisons; empty if there are.
  std::vector<GateComparison> comparisons = {};
};

struct Gate {
  std::vector<GateGroup> groups;  ///< By response as given, then in group order.
  std::size_t family = 0;         ///< Comparisons that were tested together.

  /// Groups with that verdict.
  std::size_t count(GateVerdict verdict) const;
};

/// @throws DataError naming both if BASE and NEW are fits of different x, y, group columns, law,
/// response or errors, or if one of them has a group twice.
void check_comparable(const GatePair& pair);

/// Tells of each group whether NEW is worse than BASE.
///
/// Model: estimates of BASE and NEW are independent, each with its own scatter, and their
/// difference over its standard error follows Student's t with Satterthwaite's degrees of freedom.
/// The curve is compared on the logarithmic scale, with standard errors by the delta method. A
/// comparison is `worse` if its interval lies beyond the limit and still does after Holm's
/// adjustment for all comparisons of all groups; `better` likewise against no change; `same` if its
/// interval lies within the limit on both sides. Verdicts do not depend on the order of groups.
///
/// @param pairs  One a response.
/// @throws DataError as check_comparable does.
/// @throws std::invalid_argument if options are not what they must be.
///
/// Source: docs/methods.md, "Gate". Checked against statsmodels and scipy to 1e-9.
Gate gate_fits(std::span<const GatePair> pairs, const GateOptions& options = {});

}  // namespace scalelaw
