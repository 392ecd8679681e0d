#pragma once

#include <string>
#include <vector>

#include "render/report/names.hpp"
#include "scalelaw/render/report.hpp"
#include "scalelaw/render/study_figures.hpp"

namespace scalelaw {

/// What the sections of a report are made from.
struct ReportParts {
  const ReportOrigin& origin;
  const ReportFindings& findings;
  const GroupNames& names;

  const StudyAnalysis& analysis() const { return findings.analysis; }

  const std::vector<std::string>& by() const { return origin.study.by; }
  StudyAxes axes() const;
  DrawnGroup drawn(std::size_t group) const;
};

// Cells of tables.
ReportCell text_cell(std::string text);
ReportCell number_cell(double value, int digits);
ReportCell number_cell(const std::optional<double>& value, int digits);
ReportCell percent_cell(const std::optional<double>& share);
ReportCell interval_cell(const std::optional<Interval>& interval, int digits);
/// The values of the group columns, numbers sorted as such.
std::vector<ReportCell> group_cells(const GroupKey& group);
/// Their headers.
std::vector<ReportColumn> group_columns(const std::vector<std::string>& by);

/// What the study says, in plain words: what scales, what does not, what settings do, what not to
/// believe.
std::vector<ReportBlock> summary_blocks(const ReportParts& parts);

/// Tables and figures of a paper with ours beside.
std::vector<ReportSection> published_sections(const ReportParts& parts);

/// What runs take in energy, what settings save, which are worth it, and how busy GPUs are; empty
/// where it was not measured.
std::vector<ReportSection> energy_sections(const ReportParts& parts);

/// The forecasts of all groups for the what-if panel.
std::string forecasts_json(const ReportParts& parts);

/// Variables of a style sheet with the colours of figures, light and dark.
std::string figure_style();

/// A drawing of render_figure (SVG, light) made a part of a page: its ids under `prefix`, its
/// colours by figure_style().
std::string page_svg(std::string_view svg, const std::string& prefix, const std::string& title);

}  // namespace scalelaw
