#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit_groups.hpp"

namespace scalelaw {

/// A figure of a fit that is one number, or null.
struct FitFigure {
  const char* name;
  std::optional<double> Fit::*member;
  Figures needs;  ///< The figures among which it is computed.
};

/// These figures in the order of documents and tables.
inline constexpr FitFigure kFitFigures[] = {
    {"sigma", &Fit::sigma, Figures::kEstimates},
    {"r2", &Fit::r2, Figures::kEstimates},
    {"r2_adjusted", &Fit::r2_adjusted, Figures::kEstimates},
    {"f", &Fit::f, Figures::kAll},
    {"f_p", &Fit::f_p, Figures::kAll},
    {"log_likelihood", &Fit::log_likelihood, Figures::kCurve},
    {"aic", &Fit::aic, Figures::kCurve},
    {"aicc", &Fit::aicc, Figures::kCurve},
    {"bic", &Fit::bic, Figures::kCurve},
    {"rmse", &Fit::rmse, Figures::kCurve},
    {"mape", &Fit::mape, Figures::kCurve},
    {"smearing", &Fit::smearing, Figures::kCurve}};

/// The fits of a study as `scalelaw fit --format json` wrote them. Inputs, counts of rows, warnings
/// and options of bootstraps are not read back: they keep their defaults.
struct SavedFits : StudyReport, FitOptions {
  std::string source;            ///< The file.
  std::vector<GroupFit> groups;  ///< Groups with a fit in their order, then those without.
  std::string night = {};        ///< What its night is called, as by its date; empty if not told.
  /// The runs of a group, where they were read here and not only their fits; an empty function
  /// where no runs are known. It returns nothing for a group that is not there.
  std::function<std::vector<Cell>(const GroupKey& group)> runs_of = {};
};

/// Whether a path leads to saved fits and not to a run table. It is then a regular file, or a
/// document in a store, that begins like a JSON document.
/// @throws DataError if it cannot be read.
bool holds_saved_fits(const std::string& path);

/// A document as it is, unpacked.
std::string document_at(const std::string& path);

/// Reads a fit document (schema scalelaw.fit/1 of docs/reference/fit.md; gzip and zstd by content).
/// Every figure is read back as it was written, to the last digit.
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
