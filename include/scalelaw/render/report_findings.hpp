#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/footprint.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/judge/published.hpp"
#include "scalelaw/judge/study.hpp"
#include "scalelaw/render/budget_report.hpp"
#include "scalelaw/render/caps_report.hpp"
#include "scalelaw/render/energy_report.hpp"
#include "scalelaw/render/gate_report.hpp"
#include "scalelaw/render/pareto_report.hpp"
#include "scalelaw/runs/utilisation.hpp"

namespace scalelaw {

/// An input and the hash of its bytes.
struct ReportInput {
  std::string path;
  std::string sha256;  ///< Empty if the input could not be read twice.
  std::uint64_t bytes = 0;
};

/// How a report was made.
struct ReportOrigin {
  StudyReport study;
  /// Columns in which runs of one group at one x differ.
  std::vector<UngroupedColumn> ungrouped = {};
  /// That nights of two levels are taken together, as told of on stderr; empty if they are not.
  std::string level_change = {};
  FitOptions fit;
  RankOptions rank;
  double margin = 0.05;                  ///< Of contrasts.
  std::string energy;                    ///< Its column, or what it is computed from; empty: none.
  std::string power = {};                ///< The power that it is computed from; empty: none.
  std::string untold_energy = {};        ///< Why another column of energy is not taken, or empty.
  std::optional<double> hours_per_unit;  ///< GPU-hours of one GPU for one unit of y.
  Footprint footprint;
  Currency currency;
  std::optional<double> deadline = {};          ///< In the unit of y: the first table answers it.
  std::string deadline_words = {};              ///< The same as a duration; empty: as a number.
  std::optional<double> budget_gpu_hours = {};  ///< Likewise.
  std::string budget_words = {};  ///< Behind it: " (9000 for the job of 90 epochs)", or empty.
  /// A job of so many tokens of a rate, "the job of 1T tokens", which the deadline (in seconds) and
  /// the budget are of; else empty.
  std::string job = {};
  std::optional<OutlookOptions> job_outlook = {};  ///< What it asks for.
  std::vector<ReportInput> inputs;
  std::string note = {};  ///< What stands below the title: where the data come from.
  std::string command;    ///< A call that makes the same report.
};

/// The results of a command: their head, and those of each group.
template <class Head, class Group>
struct ReportPart {
  Head head;
  std::vector<Group> groups;
};
using ReportEnergy = ReportPart<EnergyReport, GroupEnergy>;
/// What one setting saves and costs, in groups of two settings or more.
struct ReportCaps : ReportPart<CapsReport, GroupCaps> {
  std::map<GroupKey, SettingAdvice> advice = {};  ///< For groups of the study, at their scales.

  /// Without one of its own, a group has that of its comparison over all scales.
  const SettingAdvice& advice_for(const GroupKey& group, const Caps& found) const {
    const auto own = advice.find(group);
    return own == advice.end() ? found.overall.advice : own->second;
  }
};
/// Time against energy over the settings and the scale.
using ReportPareto = ReportPart<ParetoReport, GroupPareto>;
/// The levels of a table of nights.
using ReportNights = ReportPart<GateReport, FigureHistory>;
/// Which model to train within the limits.
using ReportBudget = ReportPart<BudgetReport, GroupBudget>;

/// Everything in a report.
struct ReportFindings {
  StudyAnalysis analysis;
  PublishedComparison published = {};
  std::optional<ReportEnergy> energy = {};  ///< Where it was measured.
  std::vector<ReportCaps> caps = {};        ///< Of settings with several levels, likewise.
  std::optional<ReportPareto> pareto = {};  ///< Where there are settings to choose among, likewise.
  std::optional<ReportNights> nights = {};  ///< Where nights repeat one job.
  std::optional<ReportBudget> budget = {};  ///< Where losses and limits of training are known.
  /// How busy GPUs are: means in percent, and coefficients of variation; empty where not measured.
  std::vector<GroupUtilisation> utilisation = {};
  std::vector<GroupUtilisation> variation = {};
  /// Groups with a cell a run, for residuals; empty: no such figure.
  std::vector<std::vector<Cell>> points = {};
};

}  // namespace scalelaw
