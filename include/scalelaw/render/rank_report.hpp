#pragma once

#include <memory>
#include <span>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/rank.hpp"
#include "scalelaw/judge/surface_rank.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// The head of a report on rankings.
struct RankReport : StudyReport {
  RankOptions options;
};

/// Writes rankings one after the other.
///
/// JSON is the schema scalelaw.rank/1 of docs/reference/rank.md. CSV has one row per group and law.
/// Tables for people have one row per group, with how far each law's aicc is above the least one,
/// and sentences on the rankings below.
using RankWriter = GroupWriter<Ranking>;

/// Whether a format shows intervals of parameters, so that they must be computed.
bool shows_parameters(Format format);

/// A writer of that style. It writes the head of the report at once.
/// @throws DataError if a column is not known: it names the nearest one.
std::unique_ptr<RankWriter> make_rank_writer(RankReport report, const TableStyle& style,
                                             TextSink sink);

/// The head of a report on rankings of laws of several scales.
struct SurfaceRankReport : StudyReport {
  SurfaceRankOptions options;
};

/// Writes such rankings in any format, with one row per law. JSON is the schema
/// scalelaw.surface-rank/1 of docs/reference/rank.md.
/// @throws DataError if `style` names an unknown column.
void write_surface_rankings(const SurfaceRankReport& report,
                            std::span<const Grouped<SurfaceRanking>> groups,
                            const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
