#pragma once

#include <memory>
#include <span>
#include <string>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// A writer of fits.
///
/// JSON is the schema scalelaw.fit/1 of docs/reference/fit.md. Lines below tables for people
/// explain each warning that occurred. The writer writes the head of the report at once.
/// @throws DataError if a column is not known: it names the nearest one.
std::unique_ptr<GroupWriter<Fit>> make_fit_writer(FitReport report, const TableStyle& style,
                                                  TextSink sink);

/// All fits as one text, for small studies.
std::string render_fits(const FitReport& report, std::span<const GroupFit> fits,
                        const TableStyle& style = {});

}  // namespace scalelaw
