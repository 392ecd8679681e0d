#pragma once

#include <optional>
#include <string_view>

#include "scalelaw/runs/quantity.hpp"

namespace scalelaw {

/// What an ideal run does at a larger x, by which its efficiency is judged.
enum class Ideal {
  kFaster,  ///< Its workers share one work (strong scaling): its time falls as their number grows.
  kAsLong,  ///< Its work grows with them (weak scaling): its time stays the same.
  kNone,    ///< x is a setting, such as a batch size, which shares no work out, or y is a loss.
};

/// Whether runs are faster or slower by it: a time, a rate, or what no name tells.
bool has_speedup(Kind kind);

/// That of runs over a column by a response of that kind; none where it has no speedup.
/// @param growing_work  The column by which the work of a run grows with x; empty: it does not.
Ideal ideal_of(std::string_view x, Kind kind, std::string_view growing_work);

/// A speedup of at least this share of the ideal one counts as scaling.
inline constexpr double kEfficient = 0.5;

/// The efficiency of a speedup, the time at the least x over that at an x `ratio` times as large;
/// empty where there is no ideal.
std::optional<double> efficiency_of(double speedup, double ratio, Ideal ideal);

/// Whether such a speedup counts as scaling; without an ideal every one does.
bool is_efficient(double speedup, double ratio, Ideal ideal);

}  // namespace scalelaw
