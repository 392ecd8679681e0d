#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/table.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// What all fits of one study have in common: the head of its report.
struct FitReport : StudyReport {
  FitOptions options;  ///< Law, standard error, confidence and the rest.
};

/// The head of a report on fits of `runs` under `options`; inputs, points, run and weights are for
/// the caller to add.
FitReport report_on(const GroupedCells& runs, const FitOptions& options);

/// How fits are written.
struct FitStyle {
  Format format = Format::kTable;
  std::vector<std::string> columns{};  ///< Names in their order; empty: those that suit the format.
  bool colour = false;                 ///< ANSI colours in Format::kTable.
};

/// Writes fits one after the other, without holding them: JSON and CSV go out as they come; tables
/// keep their text, since the width of a column is known at its last row.
///
/// JSON is the schema scalelaw.fit/1 of docs/cli.md; numbers read back exactly, what is undefined
/// is null (JSON) or empty (CSV). Tables for people round: an estimate has the decimals of its
/// standard error's two digits. Below them stands what each warning that occurred means.
class FitWriter {
 public:
  virtual ~FitWriter() = default;
  /// What the writer reads of a fit: chosen columns may need few of its figures.
  virtual Figures figures() const { return Figures::kAll; }
  /// Writes the next group. Call in group order.
  virtual void write(const GroupFit& group) = 0;
  /// Writes what closes the report. Call once, after the last group.
  virtual void finish() = 0;
};

/// A writer of that style. The head of the report is written at once.
/// @throws DataError if a column is not known: it names the nearest one.
std::unique_ptr<FitWriter> make_fit_writer(FitReport report, FitStyle style, TextSink sink);

/// All fits as one text, for small studies.
std::string render_fits(const FitReport& report, std::span<const GroupFit> fits,
                        const FitStyle& style = {});

}  // namespace scalelaw
