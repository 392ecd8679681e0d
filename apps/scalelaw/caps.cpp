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
  double eta = -1;        ///< < 0: not given.
  double max_power = -1;  ///< < 0: not given.
  ResultOptions result;
  bool strict = false;
};

/// "5%", "5 %" or "0.05", as a share.
double slowdown_of(const std::string& text) {
  std::string_view number = trimmed(text);
  const bool is_percent = number.ends_with('%');
  if (is_percent) number = trimmed(number.substr(0, number.size() - 1));
  const auto value = parse_number(number);
  const double share = value.value_or(0) / (is_percent ? 100 : 1);
  if (share > 0 && share <= 1) return share;
  throw DataError(
      fmt::format("--max-slowdown: expected a share above 0 and at most 100 %, such as 5% or 0.05; "
                  "found {}",
                  scalelaw::quoted(text)));
}

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
  caps.max_slowdown = slowdown_of(options.max_slowdown);
  caps.confidence = options.study.confidence;
  caps.continuous = options.continuous ? Continuous::kYes : Continuous::kAuto;
  caps.trades = trades_of(options.trades);
  if (options.eta >= 0) caps.eta = options.eta;
  if (options.max_power >= 0) caps.max_power = options.max_power;
  if (caps.max_power && !caps.eta) throw DataError("--max-power needs --eta");
  return caps;
}

/// Says which groups were left out, and where curves were fitted; whether any was left out.
bool say_what_happened(const std::vector<GroupCaps>& groups, const CapsCommand& options,
                       const Console& console) {
  std::size_t failed = 0;
  std::size_t curves = 0;
  for (const GroupCaps& group : groups) {
    const Caps* caps = std::get_if<Caps>(&group.result);
    failed += caps == nullptr ? 1 : 0;
    curves += caps == nullptr ? 0 : caps->curves.size();
  }
  if (curves > 0 && !options.continuous) {
    console.note(fmt::format("{} of {} values or more: smooth curves over it are fitted, too",
                             options.setting, kManySettings));
  }
  if (curves == 0 && (options.continuous || options.eta >= 0 || !options.trades.empty())) {
    console.warn(
        fmt::format("no curves: '{}' must be a number with {} values or more at one N of a group",
                    options.setting, options.continuous ? kLeastSettingsOfCurve : kManySettings));
  }
  if (failed > 0) {
    console.warn(fmt::format("{} of {} groups have no comparison", failed, groups.size()));
  }
  return failed > 0;
}

CapsReport caps_report(const CapsCommand& options, const MeasuredRuns& runs,
                       const CapsOptions& caps) {
  const auto& numbers = runs.observations.numbers();
  CapsReport report;
  report.study = measured_report(options.study, runs);
  report.setting = report.study.by.back();
  report.study.by.pop_back();
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
  return read_measured(study, measures, global);
}

int run_caps(const CapsCommand& options, const GlobalOptions& global) {
  const Console console = global.console();
  CapsOptions caps = caps_options(options);
  refuse_to_replace_inputs(options.result.output, options.study);
  Output output(options.result.output);
  const MeasuredRuns runs = read_settings(options, global);
  const std::vector<std::string> settings = settings_of(runs.observations);
  caps.reference = reference_among(settings, options.reference, options.setting);
  if (options.reference.empty()) {
    console.note(fmt::format("reference: {} {}", options.setting, caps.reference));
  }
  CapsReport report = caps_report(options, runs, caps);
  const std::vector<GroupCaps> groups = compare_settings_each(runs, caps, global.threads);
  report.summary = summary_of(groups, caps);
  write_caps(report, groups, format_of(options.result),
             wants_colour(global.colour, output.is_terminal()),
             [&output](std::string_view text) { output.write(text); });
  output.commit();
  const bool missing = say_what_happened(groups, options, console);
  return options.strict && missing ? kCheckFailed : kDone;
}

void add_curve_options(CLI::App& command, CapsCommand& options) {
  command
      .add_flag("--continuous", options.continuous,
                fmt::format("Time and energy as smooth functions of the setting from {} values on; "
                            "without it from {}",
                            kLeastSettingsOfCurve, kManySettings))
      ->group("Curves");
  command
      .add_option("--trade", options.trades,
                  "Joules that a second is worth: the setting where less would be saved a second "
                  "lost; repeatable")
      ->type_name("J/S")
      ->group("Curves");
  command
      .add_option("--eta", options.eta,
                  "Zeus's cost, eta x energy + (1 - eta) x max power x time: where it is least")
      ->type_name("ETA")
      ->check(number_between(0, 1))
      ->group("Curves");
  command
      .add_option("--max-power", options.max_power,
                  "Power in that cost; without it the greatest mean power measured")
      ->type_name("W")
      ->check(positive())
      ->group("Curves");
}

}  // namespace

Command add_caps_command(CLI::App& program) {
  auto options = std::make_shared<CapsCommand>();
  CLI::App* caps = program.add_subcommand(
      "caps", "Tell what a power cap or clock saves in energy and costs in time");
  caps->footer(kExamples);
  add_input_option(*caps, options->study);
  add_axis_options(*caps, options->study);
  add_selection_options(*caps, options->study);
  add_energy_columns(*caps, options->energy);
  caps->add_option("--setting", options->setting,
                   "Column of the setting that is compared: a power cap, a clock, anything")
      ->type_name("COL")
      ->group("Caps");
  caps->add_option("--reference", options->reference,
                   "Value of the setting that others are compared with; without it the greatest "
                   "number")
      ->type_name("VALUE")
      ->group("Caps");
  caps->add_option("--max-slowdown", options->max_slowdown,
                   "More time that a recommended setting may take, by the end of its interval")
      ->type_name("SHARE")
      ->capture_default_str()
      ->group("Caps");
  add_curve_options(*caps, *options);
  add_confidence_option(*caps, options->study);
  add_result_options(*caps, options->result);
  caps->add_flag("--strict", options->strict, "Exit with 1 if a group has no comparison")
      ->group("Result");
  return {caps, [options](const GlobalOptions& global) { return run_caps(*options, global); }};
}

}  // namespace scalelaw::cli
