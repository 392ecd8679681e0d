#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scalelaw/render/fit_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What a column of a fit report shows. Those up to kGroup need FitColumn::index.
enum class FitField : std::uint8_t {
  kGroup,
  kEstimate,
  kSe,
  kCiLower,
  kCiUpper,
  kT,
  kP,
  kClassicSe,
  kWaldLower,
  kWaldUpper,
  kParameterDof,
  kBootstrapSe,
  kBootstrapCiLower,
  kBootstrapCiUpper,
  kBootstrapBcaLower,
  kBootstrapBcaUpper,
  kCovariance,
  kIntervalText,  // For people: "0.81 .. 0.83".
  kBootstrapIntervalText,
  kSplit,  // Of laws of two x; the index is that of the scale, to kSplitBootstrapCiUpper.
  kSplitSe,
  kSplitCiLower,
  kSplitCiUpper,
  kSplitBootstrapSe,
  kSplitBootstrapCiLower,
  kSplitBootstrapCiUpper,
  kObjective,
  kHuberDelta,
  kStarts,
  kMet,
  kGradient,
  kUsableRefits,
  kXRangeText,  // For people: "2 .. 424".
  kStatus,
  kLaw,
  kN,
  kDistinctX,
  kXMin,
  kXMax,
  kDof,
  kSlope,
  kSlopeSe,
  kIntercept,
  kInterceptSe,
  kLogAlpha,
  kLogAlphaSe,
  kLogAlphaCiLower,
  kLogAlphaCiUpper,
  kSigma,
  kR2,
  kR2Adjusted,
  kLogLikelihood,  // From here a column needs Figures::kCurve,
  kAic,
  kAicc,
  kBic,
  kRmse,
  kMape,
  kSmearing,
  kSpeedupObserved,
  kSpeedupImplied,
  kF,  // and from here to kWarnings Figures::kAll.
  kFP,
  kCurvature,
  kCurvatureT,
  kCurvatureP,
  kLackOfFitF,
  kLackOfFitP,
  kCooksDistanceMax,
  kWarnings,
  kCode,
  kMessage,
};

/// One column of a fit report.
struct FitColumn {
  std::string name;  ///< As in the header of CSV and in --columns.
  FitField field;
  std::size_t index = 0;  ///< Of the group column, the parameter, or the element of the covariance.
  std::string title;      ///< As the head of a table for people; the name where empty.
};

/// A value of one column: nothing, a number with all its digits, a count, or text.
using FitValue = std::variant<std::monostate, double, std::int64_t, std::string_view>;

/// The value of a column for one group; text may live in `scratch`.
FitValue value_of(const FitColumn& column, const GroupFit& group, std::string& scratch);

/// The columns that a style asks for, or those that suit its format.
/// @throws DataError if a name is not known.
std::vector<FitColumn> choose_fit_columns(const FitReport& report, const FitStyle& style);

/// The figures of a fit that a column shows.
Figures figures_of(FitField field);

/// Whether the values of a column are numbers, which stand at the right.
bool is_numeric(FitField field);

}  // namespace scalelaw
