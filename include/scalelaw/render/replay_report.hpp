#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scalelaw/render/table.hpp"
#include "scalelaw/replay/groups.hpp"
#include "scalelaw/replay/study.hpp"

namespace scalelaw {

/// One replay of one job with everything that is told of it.
struct ReplayReport {
  std::string train;  ///< Files.
  std::string power;
  const JobTrace* trace = nullptr;
  ReplaySettings settings;
  Replay replay;
  CaseSummary summary;  ///< Of this one seed.
  std::vector<KnobUse> uses;
  std::optional<double> lowest_run_cost;
  std::vector<std::string> warnings;
};

/// Writes a replay in any format. JSON is the schema scalelaw.replay/1 of docs/reference/replay.md;
/// JSON lines, CSV and TSV have one row per run; tables have one row per batch size and limit.
void write_replay(const ReplayReport& report, const TableStyle& style, const TextSink& sink);

struct ReplayStudyReport {
  std::string train;
  std::vector<std::string> power;
  RandomKind random = RandomKind::kScalelaw;
  std::vector<std::uint64_t> seeds;
  double confidence = 0.95;
  bool curves = false;  ///< JSON has the course over recurrences.
  std::vector<StudyRow> rows;
  std::vector<std::string> warnings;
};

/// Writes a study in any format. JSON is the schema scalelaw.replay-study/1 of
/// docs/reference/replay.md.
void write_replay_study(const ReplayStudyReport& report, const TableStyle& style,
                        const TextSink& sink);

/// The groups of a cluster, replayed.
struct ReplayGroupsReport {
  std::string train;
  std::string power;
  std::string jobs;  ///< The file of groups.
  std::string gpu;
  ReplaySettings settings;  ///< Its seed is not used: groups have their own.
  std::vector<GroupReplay> groups;
  std::vector<DatasetTotals> totals;
  std::vector<std::string> warnings;
};

/// Writes replayed groups in any format. JSON is the schema scalelaw.replay-groups/1 of
/// docs/reference/replay.md; JSON lines have one line per group, CSV and TSV one row per run,
/// tables one row per dataset.
void write_replay_groups(const ReplayGroupsReport& report, const TableStyle& style,
                         const TextSink& sink);

}  // namespace scalelaw
