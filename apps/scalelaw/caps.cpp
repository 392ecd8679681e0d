#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "measure_options.hpp"
#include "result_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/energy/caps.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/render/caps_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kExamples =
    R"(  scalelaw caps data/demo/runs.csv --setting power_cap_w --reference 250 --where clock_mhz=1380
      What a cap saves in energy and costs in time, for every model; which one to choose.
  scalelaw caps data/demo/runs.csv --setting power_cap_w --where clock_mhz=1380 --where gpus=2 --max-slowdown 10%
      The same on 2 GPUs only, where 10 % more time will do.
  scalelaw caps data/demo/runs.csv --setting clock_mhz -b model,power_cap_w --where model=DimeNet --format csv
      Clocks instead of caps, every number at every count of GPUs.
)";

struct CapsCommand {
  StudyOptions study;
  EnergyColumns energy;
  std::string setting;
  std::string reference;
  std::string max_slowdown = "5%";
  bool continuous = false;
  std::vector<std::string> trades;
  std::string etas;
  double max_power = -1;  ///< < 0: not given.
  ResultOptions result;
  bool strict = false;
};

std::vector<double> trades_of(const std::vector<std::string>& texts) {
  std::vector<double> trades;
  for (const std::string& text : texts) {
    for (const std::string& word : split(text, ',')) {
      const auto value = parse_number(word);
      if (!value || !(*value > 0)) {
        throw DataError(
            fmt::format("--trade: expected joules that a second is worth, above 0; found {}",
                        scalelaw::quoted(word)));
      }
      trades.push_back(*value);
    }
  }
  return trades;
}

CapsOptions caps_options(const CapsCommand& options) {
  CapsOptions caps;
  caps.max_slowdown = *share_of(options.max_slowdown);
  caps.confidence = options.study.confidence;
  caps.continuous = options.continuous ? Continuous::kYes : Continuous::kAuto;
  caps.trades = trades_of(options.trades);
  caps.etas = etas_of(options.etas);
  if (options.max_power >= 0) caps.max_power = options.max_power;
  if (caps.max_power && caps.etas.empty()) throw DataError("--max-power needs --eta");
  return caps;
}

/// What became of all groups.
struct Outcome {
  std::size_t failed = 0;
  std::size_t curves = 0;
  std::size_t too_fine = 0;
};

Outcome outcome_of(const std::vector<GroupCaps>& groups) {
  Outcome outcome;
  for (const GroupCaps& group : groups) {
    const Caps* caps = std::get_if<Caps>(&group.result);
    if (caps == nullptr) {
      ++outcome.failed;
      continue;
    }
    outcome.curves += caps->curves.size();
    outcome.too_fine += caps->too_fine;
  }
  return outcome;
}

void say_of_curves(const Outcome& outcome, const CapsCommand& options, const Console& console) {
  if (outcome.curves > 0 && !options.continuous) {
    console.note(fmt::format("{} of {} values or more: smooth curves over it are fitted, too",
                             options.setting, kManySettings));
  }
  if (outcome.too_fine > 0) {
    console.note(fmt::format(
        "{} of more than {} values: no curves over {} of its sweeps, which would take long; "
        "--continuous fits them",
        options.setting, kMostSettings, outcome.too_fine));
  }
  const bool wanted = options.continuous || !options.etas.empty() || !options.trades.empty();
  if (outcome.curves == 0 && outcome.too_fine == 0 && wanted) {
    console.warn(
        fmt::format("no curves: '{}' must be a number with {} values or more at one N of a group",
                    options.setting, options.continuous ? kLeastSettingsOfCurve : kManySettings));
  }
}

/// Says which groups were left out, and where curves were fitted; whether any was left out.
bool say_what_happened(const std::vector<GroupCaps>& groups, const CapsCommand& options,
                       const Console& console) {
  const Outcome outcome = outcome_of(groups);
  say_of_curves(outcome, options, console);
  if (outcome.failed > 0) {
    console.warn(fmt::format("{} of {} groups have no comparison", outcome.failed, groups.size()));
  }
  return outcome.failed > 0;
}

/// What the user should know of how energy was made from power.
std::vector<std::string> warnings_on(const MeasuredRuns& runs) {
  const MeasureColumns& columns = runs.columns;
  if (columns.energy || columns.total_power || columns.x) return {};
  return {
      fmt::format("energy is '{}' times time, as if each run had one GPU: -x COL names their "
                  "number, --total-power says that it is the power of all",
                  runs.observations.numbers()[*columns.power].name)};
}

CapsReport caps_report(const CapsCommand& options, const MeasuredRuns& runs,
                       const CapsOptions& caps) {
  const auto& numbers = runs.observations.numbers();
  CapsReport report;
  report.study = measured_report(options.study, runs);
  report.setting = report.study.by.back();
  report.study.by.pop_back();
  if (setting_is_scale(runs)) report.study.x.clear();
  report.study.warnings = warnings_on(runs);
  report.total_power = runs.columns.power && runs.columns.total_power;
  if (runs.columns.energy) report.energy = numbers[*runs.columns.energy].name;
  if (runs.columns.power) report.power = numbers[*runs.columns.power].name;
  report.options = caps;
  return report;
}

MeasuredRuns read_settings(const CapsCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  study.factors = split(options.setting, ',');
  if (study.factors.size() != 1) {
    throw DataError("caps: name the column of the setting with --setting COL, e.g. power_cap_w");
  }
  MeasureOptions measures = measure_options(study, options.energy);
  measures.x_optional = true;
  measures.gpus_if_there = true;
  return read_measured(study, measures, global);
}

/// Sets MaxPower of the cost as pareto does, where it can be told. Returns where it is from.
std::string complete(CapsOptions& caps, const MeasuredRuns& runs) {
  if (caps.etas.empty()) return "";
  if (caps.max_power) return "--max-power";
  const auto limits = greatest_power_limits(runs.observations);
  if (!limits) return "the greatest mean power of a GPU measured";
  if (limits->varies()) {
    throw DataError(fmt::format(
        "--eta: the greatest {} differs among {}: name MaxPower with --max-power, or pick one with "
        "--where",
        limits->column, joined(limits->hardware)));
  }
  caps.max_power = limits->kinds.front().watts;
  return fmt::format("the greatest {}", limits->column);
}

/// The reference of all groups, in the report and for the user to read.
void say_reference(CapsReport& report, const std::vector<GroupCaps>& groups,
                   const Console& console) {
  const auto common = common_reference(groups);
  report.options.reference = common.value_or("");
  console.note(common ? fmt::format("reference: {} {}", report.setting, *common)
                      : fmt::format("reference: each group's greatest {}", report.setting));
}

int run_caps(const CapsCommand& options, const GlobalOptions& global) {
  const Console console = global.console();
  CapsOptions caps = caps_options(options);
  refuse_to_replace_inputs(options.result.output, options.study);
  Output output(options.result.output);
  const MeasuredRuns runs = read_settings(options, global);
  const std::vector<std::string> settings = settings_of(runs.observations);
  caps.reference = reference_among(settings, options.reference, options.setting);
  const std::string max_power_from = complete(caps, runs);
  CapsReport report = caps_report(options, runs, caps);
  report.max_power_from = max_power_from;
  for (const std::string& warning : report.study.warnings) console.warn(warning);
  const std::vector<GroupCaps> groups = compare_settings_each(runs, caps, global.threads);
  if (options.reference.empty()) say_reference(report, groups, console);
  report.summary = summary_of(groups, caps);
  write_caps(report, groups, style_of(options.result, global, output),
             [&output](std::string_view text) { output.write(text); });
  output.commit();
  const bool missing = say_what_happened(groups, options, console);
  return options.strict && missing ? kCheckFailed : kDone;
}

void add_curve_options(Options& command, CapsCommand& options) {
  command.group("Curves");
  command.flag("--continuous", options.continuous,
               fmt::format("Time and energy as smooth functions of the setting from {} values on; "
                           "without it from {} to {}",
                           kLeastSettingsOfCurve, kManySettings, kMostSettings));
  command.words("--trade", options.trades, "J/S",
                "Joules that a second is worth: the setting where less would be saved a second "
                "lost; repeatable");
  command.text("--eta", options.etas, "ETA,ETA",
               "Zeus's cost, eta x energy + (1 - eta) x max power x GPUs x time: where it is "
               "least, for weights of energy from 0 to 1");
  command.number("--max-power", options.max_power, positive(), "W",
                 "W of one GPU in that cost; without it the greatest power limit of the table, "
                 "where the setting or a group column is one, else the greatest mean power of a "
                 "GPU measured");
}

}  // namespace

Command add_caps_command(Program& program) {
  auto options = std::make_shared<CapsCommand>();
  Options caps = program.add_command(
      "caps", "Tell what a power cap or clock saves in energy and costs in time", kExamples);
  add_input_option(caps, options->study);
  add_axis_options(caps, options->study);
  add_selection_options(caps, options->study);
  add_energy_columns(caps, options->energy);
  caps.group("Caps");
  caps.text("--setting", options->setting, "COL",
            "Column of the setting that is compared: a power cap, a clock, anything");
  caps.text("--reference", options->reference, "VALUE",
            "Value of the setting that others are compared with; without it the greatest of each "
            "group");
  caps.text("--max-slowdown", options->max_slowdown, "SHARE",
            "More time that a recommended setting may take, by the end of its interval", share());
  add_curve_options(caps, *options);
  add_confidence_option(caps, options->study);
  add_result_options(caps, options->result);
  add_columns_option(caps, options->result);
  caps.flag("--strict", options->strict, "Exit with 1 if a group has no comparison");
  return {caps, [options](const GlobalOptions& global) { return run_caps(*options, global); }};
}

}  // namespace scalelaw::cli
