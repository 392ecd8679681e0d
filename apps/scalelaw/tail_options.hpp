#pragma once

#include <string>

#include "scalelaw/tail/tail.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// How `scalelaw tail` and its figure look for a tail, as the user gave it.
struct TailChoice : TailOptions {
  std::string begin = "auto";  ///< x_min, or auto.
};

/// Adds --discrete and --xmin.
void add_tail_options(Options& command, TailChoice& choice, const char* group);

/// @throws DataError if x_min is none, or draws are too few for an interval.
TailOptions tail_options(const StudyOptions& study, const TailChoice& choice,
                         const GlobalOptions& global);

/// Reads the values, and says what was chosen and what was left out.
Observations read_sample(const StudyOptions& study, const TailChoice& choice,
                         const GlobalOptions& global);

/// Where the values stand among the numbers that read_sample reads.
inline constexpr std::size_t kSampleColumn = 0;

}  // namespace scalelaw::cli
