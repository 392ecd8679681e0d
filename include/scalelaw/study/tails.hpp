#pragma once

#include <cstddef>

#include "scalelaw/render/tail_report.hpp"
#include "scalelaw/runs/observations.hpp"
#include "scalelaw/study/study_options.hpp"

namespace scalelaw {

/// Values by group, and the head of a report on their tails.
struct TailStudy {
  TailReport report;  ///< Its options are those of the tails.
  Observations sample;
};

/// Where the values stand among the numbers of the sample.
inline constexpr std::size_t kSampleColumn = 0;

/// Reads the values of one column, the named one, the only one, or one with a usual name, and says
/// what was chosen and what was left out.
/// @param options  Seed, confidence and threads are those of the study.
/// @throws DataError if there is nothing to read.
TailStudy read_tails(const StudyOptions& study, const TailOptions& options,
                     const CallConditions& conditions);

}  // namespace scalelaw
