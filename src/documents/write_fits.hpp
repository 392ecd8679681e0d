#pragma once

#include "documents/json_parts.hpp"
#include "scalelaw/documents/study_report.hpp"

namespace scalelaw {

// A fit document is the schema scalelaw.fit/1 of docs/cli.md, which read_fits() reads.

/// The members of a fit document up to its fits.
void write_fits_head(JsonHead& head, const FitReport& report);

/// The members of one fit behind its group.
void write_fit_members(JsonText& json, const Fit& fit);

}  // namespace scalelaw
