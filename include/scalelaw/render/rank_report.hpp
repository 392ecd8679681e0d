#pragma once

#include <memory>
#include <string>
#include <vector>

#include "scalelaw/judge/rank.hpp"
#include "scalelaw/render/study_report.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of a report on rankings.
struct RankReport : StudyReport {
  RankOptions options;
};

/// How rankings are written.
struct RankStyle {
  Format format = Format::kTable;
  std::vector<std::string> columns{};  ///< Of CSV and TSV, in their order; empty: all.
  bool colour = false;
};

/// Writes rankings one after the other.
///
/// JSON is the schema scalelaw.rank/1 of docs/cli.md. CSV has a row a group and law. Tables for
/// people have a row a group with the aicc of each law above the least one; below them stands what
/// each ranking means.
class RankWriter {
 public:
  virtual ~RankWriter() = default;
  virtual void write(const GroupRanking& group) = 0;
  virtual void finish() = 0;
};

/// Whether a format shows intervals of parameters, so that they need to be made.
bool shows_parameters(Format format);

/// A writer of that style. The head of the report is written at once.
/// @throws DataError if a column is not known: it names the nearest one.
std::unique_ptr<RankWriter> make_rank_writer(RankReport report, RankStyle style, TextSink sink);

/// All rankings as one text, for small studies.
std::string render_rankings(const RankReport& report, std::span<const GroupRanking> rankings,
                            const RankStyle& style = {});

}  // namespace scalelaw
