#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/contrast.hpp"
#include "scalelaw/judge/savings.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of the report: it holds for all contrasts of one study.
struct ContrastReport {
  StudyReport study;                 ///< Its `by` are the group columns that are no factors.
  std::vector<std::string> factors;  ///< As many as each level has values.
  ContrastOptions options;
};

/// The head of a report on contrasts of `runs`; inputs, points, run and weights are for the caller
/// to add, as in report_on().
ContrastReport contrast_report(StudyReport study, const GroupedCells& runs,
                               const ContrastOptions& options);

/// A writer of contrasts in any format. JSON is the schema scalelaw.contrast/1 of
/// docs/reference/contrast.md; CSV and TSV have one row per pair of levels, with the tests of its
/// group repeated; tables for people show the pairs, and below them what the numbers mean.
/// @throws DataError if `style` names an unknown column.
std::unique_ptr<GroupWriter<Contrast>> make_contrast_writer(const ContrastReport& report,
                                                            const TableStyle& style, TextSink sink);

/// A sentence on the contrast: whether the factor moves the slope or the offset, or that the runs
/// leave this open.
std::string contrast_sentence(const ContrastReport& report, const Contrast& contrast);

/// The head of a report on savings.
struct SavingsReport : StudyReport {
  std::vector<std::string> factors;  ///< Columns that name the recipe.
  SavingsOptions options;
};

/// Writes what recipes save in any format. JSON is the schema scalelaw.savings/1 of
/// docs/reference/contrast.md.
/// @throws DataError if `style` names an unknown column.
void write_savings(const SavingsReport& report, std::span<const GroupSavings> groups,
                   const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
