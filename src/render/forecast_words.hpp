#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/judge/predict.hpp"

namespace scalelaw {

/// The laws that take part in a forecast: those whose weight can be seen.
std::vector<LawShare> laws_taking_part(const Forecast& forecast);

/// What gives the curves of forecasts: "the power law", "an average of the power and floor laws",
/// with the weights of a single forecast behind it: "(61 %, 39 %)".
std::string curve_words(std::span<const Forecast* const> forecasts);

/// The response of a study, as sentences speak of it.
struct AskedResponse {
  std::string y;     ///< The name of the column.
  std::string unit;  ///< Of its values; empty if it is not known.
  Response kind = Response::kTime;
  std::string x = {};
  /// "the job of 90 epochs", where sentences speak of jobs; else empty.
  std::string job = {};
  bool on_average = false;  ///< Values are means of new runs, and not medians.
};

/// "an epoch", "the job of 90 epochs", "epoch_energy_j".
std::string subject_of(const AskedResponse& response);

/// "71.2 s" in the unit of y, "2 h 5 min" of a job; the number alone where the unit is not known.
std::string amount_text(const AskedResponse& response, double value, int digits = 3);

/// "an epoch takes 71.2 s", "samples_per_second is 5012".
std::string value_clause(const AskedResponse& response, double value);

/// "66.1 to 77.3 s", the smaller end first; empty without an interval.
std::string range_text(const AskedResponse& response, const std::optional<Interval>& interval);

/// Which scales the ends of the prediction interval ask for, where forecasts were checked so far:
/// " (safe by the 95 % interval of new runs)", or ", with even odds or better. By the 95 % interval
/// of new runs, 705 may be enough, and 959 are safe". Empty without an interval.
/// @param demand     Met by some scale.
/// @param is_budget  Which holds up to a scale, and not from one on.
std::string certainty_text(const Demand& demand, bool is_budget, double confidence);

/// What a demand asks for: "an epoch below 60 s", "samples_per_second to 5000".
/// @param limit, limit_text  As in demand_sentence.
std::string goal_of(const AskedResponse& response, double limit, const std::string& limit_text);

/// "821 GPUs bring an epoch below 60 s, with even odds or better." with certainty_text, or from
/// where to where if scaling turns back, or why no number of GPUs does.
/// @param limit  The deadline, or of a rate the target.
/// @param limit_text  The same as a duration; empty: as a number with its unit.
std::string demand_sentence(const AskedResponse& response, const Demand& demand, double limit,
                            const std::string& limit_text, double confidence);

/// How far a scale that is_far_beyond() lies beyond the greatest measured one, and how far
/// forecasts were checked.
/// @param x  The column of the scale.
std::string far_beyond_sentence(const std::string& x, double scale, double x_max);

}  // namespace scalelaw
