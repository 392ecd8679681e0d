#pragma once

#include <string>

#include "scalelaw/study/tails.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// How `scalelaw tail` and its figure look for a tail, as the user gave it.
struct TailChoice : TailOptions {
  std::string begin = "auto";  ///< x_min, or auto.
};

/// Adds --discrete and --xmin.
void add_tail_options(Options& command, TailChoice& choice, const char* group);

/// @throws DataError if x_min is none, or draws are too few for an interval.
TailOptions tail_options(const TailChoice& choice);

}  // namespace scalelaw::cli
