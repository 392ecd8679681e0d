#pragma once

#include <string>

#include "documents/json_text.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/replay/groups.hpp"
#include "scalelaw/replay/simulate.hpp"
#include "scalelaw/replay/study.hpp"

namespace scalelaw {

/// dataset, model, optimizer, target_metric, max_epochs, b0.
void write_job(JsonText& json, const Job& job);

/// policy, power_policy, fixed_limit_w, mode, eta, beta, window: what a replay is told.
void write_policy(JsonText& json, const ReplaySettings& settings);

/// A run with the values of its knobs; `group` is the one that it belongs to, if any.
struct RunRow {
  const ReplayedRun& run;
  std::int64_t batch_size;
  double limit_w;
  const JobGroup* group = nullptr;
};

/// The members of a run. `count` names its number: "recurrence", or "submission" of a group.
void write_run(JsonText& json, std::string_view count, const RunRow& row);
/// The same as columns; those of `with_group` come first.
Sheet<RunRow> run_sheet(const std::string& count, bool with_group);

/// An object of energy_j, time_s and cost, which are null if `totals` is.
void write_totals(JsonText& json, const Spending* totals);
/// The best knobs and their cost as an object.
void write_oracle(JsonText& json, const JobTrace& trace, const CaseSummary& summary);

/// Energy for people: J, kJ, MJ, GJ or TJ, four digits.
std::string energy_text(double joules);
/// Time for people: s, h or days, four digits.
std::string time_text(double seconds);
/// The power-limit policy: "zeus", "fixed at 120 W".
std::string limits_text(const PolicySettings& policy);
/// beta for people, as it was asked for: "2", "inf".
std::string beta_text(double beta);

}  // namespace scalelaw
