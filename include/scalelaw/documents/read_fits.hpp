#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit_groups.hpp"

namespace scalelaw {

/// The figures of a fit that are one number each, or null, in the order of the document.
inline constexpr std::array<std::pair<const char*, std::optional<double> Fit::*>, 12> kFitFigures{
    {{"sigma", &Fit::sigma},
     {"r2", &Fit::r2},
     {"r2_adjusted", &Fit::r2_adjusted},
     {"f", &Fit::f},
     {"f_p", &Fit::f_p},
     {"log_likelihood", &Fit::log_likelihood},
     {"aic", &Fit::aic},
     {"aicc", &Fit::aicc},
     {"bic", &Fit::bic},
     {"rmse", &Fit::rmse},
     {"mape", &Fit::mape},
     {"smearing", &Fit::smearing}}};

/// The fits of a study as `scalelaw fit --format json` wrote them. Inputs, counts of rows, warnings
/// and options of bootstraps are not read back: they keep their defaults.
struct SavedFits : StudyReport, FitOptions {
  std::string source;            ///< The file.
  std::vector<GroupFit> groups;  ///< Groups with a fit in their order, then those without.
};

/// Whether a path leads to saved fits and not to a run table. It is then a regular file, or a
/// document in a store, that begins like a JSON document.
/// @throws DataError if it cannot be read.
bool holds_saved_fits(const std::string& path);

/// Reads a fit document (schema scalelaw.fit/1 of docs/cli.md; gzip and zstd by content). Every
/// figure is read back as it was written, to the last digit.
///
/// @throws ParseError naming file and line if the text is not JSON.
/// @throws DataError naming the member, if the document has another schema, lacks a member, or has
/// an impossible one (a negative standard error, an unknown law).
SavedFits read_fits(const std::string& path);

/// The same for a document in memory.
/// @param source  Its name in messages.
SavedFits parse_fits(const std::string& text, const std::string& source);

/// The unit of the response of saved fits: as saved, else as its name tells.
std::string unit_of(const SavedFits& fits);

/// The head of a report on fits that were saved. How many rows they were made of is not known.
StudyReport report_on(const SavedFits& saved);

}  // namespace scalelaw
