#pragma once

#include <optional>

#include "result_options.hpp"
#include "scalelaw/fit/read_fits.hpp"
#include "surface_study.hpp"

namespace scalelaw::cli {

/// What `scalelaw predict` was asked of a law of two x.
struct SurfacePrediction {
  Options call;
  const StudyOptions* study;
  const SurfaceOptions* surface;
  const ResultOptions* result;
  std::string at;          ///< "N:D,N:D".
  std::string at_compute;  ///< "1e21,1e22".
  bool strict;
};

/// Answers from saved fits, or where there are none from the runs; returns the exit status.
int predict_surface(const SurfacePrediction& asked, const std::optional<SavedFits>& saved,
                    const GlobalOptions& global);

}  // namespace scalelaw::cli
