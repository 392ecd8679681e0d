#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "measure_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/group_results.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/energy/caps.hpp"
#include "scalelaw/render/caps_report.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kCapsExamples =
    R"(  scalelaw caps data/demo/runs.csv --setting power_cap_w --reference 250 --where clock_mhz=1380
      How much energy each cap saves and how much time it costs, and which cap to choose.
  scalelaw caps data/demo/runs.csv --setting power_cap_w --where clock_mhz=1380 --where gpus=2 --max-slowdown 10%
      The same on 2 GPUs only, if 10 % more time is acceptable.
  scalelaw caps data/demo/runs.csv --setting clock_mhz -b model,power_cap_w --where model=DimeNet --format csv
      Clocks instead of caps; a CSV file with all results at each number of GPUs.
)";

struct CapsCommand {
  StudyOptions study;
  MeasureOptions measures{.x_optional = true, .gpus_if_there = true};
  CapsOptions caps;  ///< As far as the user gave them.
  std::string max_slowdown = "5%";
  bool continuous = false;
  std::vector<std::string> trades;
  ResultOptions result;
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
  CapsOptions caps = options.caps;
  caps.max_slowdown = *share_of(options.max_slowdown);
  caps.confidence = options.study.confidence;
  caps.continuous = options.continuous ? Continuous::kYes : Continuous::kAuto;
  caps.trades = trades_of(options.trades);
  return caps;
}

/// Says whether curves over the setting were fitted, and why not if the user asked for them.
void say_of_curves(const CapsSummary& summary, const std::string& setting,
                   const CapsCommand& options, const Messages& console) {
  if (summary.curves > 0 && !options.continuous) {
    console.note(fmt::format("{} has {} values or more, so smooth curves over it are fitted, too",
                             setting, kManySettings));
  }
  if (summary.too_fine > 0) {
    console.note(
        fmt::format("{} has more than {} values, so {} of its sweeps get no curves, which would "
                    "take long; --continuous fits them",
                    setting, kMostSettings, summary.too_fine));
  }
  const bool wanted = options.continuous || !options.caps.etas.empty() || !options.trades.empty();
  if (summary.curves == 0 && summary.too_fine == 0 && wanted) {
    console.warn(
        fmt::format("no curves are fitted: '{}' must be a number and have {} values or more at one "
                    "N of a group",
                    setting, options.continuous ? kLeastSettingsOfCurve : kManySettings));
  }
}

/// Takes one scatter for all groups where the user asks for it, and says where groups differ.
void share_scatter(CapsOptions& caps, const CapsCommand& options, const MeasuredRuns& runs,
                   CapsReport& report) {
  if (options.study.pool == Pool::kNone) return;
  caps.shared = shared_scatter(runs);
  report.options.shared = caps.shared;
  std::vector<std::string>& warnings = report.study.warnings;
  if (!caps.shared) {
    warnings.emplace_back("--pool scatter: nothing is pooled, because no run is repeated");
    return;
  }
  for (const auto& [name, pooling] :
       {std::pair{"time", &caps.shared->time}, std::pair{"energy", &caps.shared->energy}}) {
    if (!pooling->has_unequal_scatter()) continue;
    warnings.push_back(fmt::format("{} ({}): {}", name_of(WarningCode::kUnequalScatter), name,
                                   unequal_scatter_sentence(*pooling)));
  }
}

CapsReport caps_report(const CapsCommand& options, const MeasuredRuns& runs,
                       const CapsOptions& caps) {
  CapsReport report = measured_head<CapsReport>(options.study, runs);
  report.setting = report.study.by.back();
  report.study.by.pop_back();
  if (setting_is_scale(runs)) report.study.x.clear();
  report.total_power = runs.columns.power && runs.columns.total_power;
  if (const std::string warning = one_gpu_warning(runs, "-x"); !warning.empty()) {
    report.study.warnings.push_back(warning);
  }
  report.options = caps;
  return report;
}

/// The reference of all groups, in the report and for the user to read.
void say_reference(CapsReport& report, const CapsTally& tally, const Messages& console) {
  const auto common = tally.common_reference();
  report.options.reference = common.value_or("");
  console.note(common ? fmt::format("reference: {} {}", report.setting, *common)
                      : fmt::format("reference: each group's greatest {}", report.setting));
}

/// Writes all groups. Their summary stands before them, so it is made first. Returns how many have
/// no comparison.
std::size_t write_groups_of_caps(const GroupResults<Caps>& groups, CapsReport& report,
                                 const CapsCommand& options, const Delivery& delivery) {
  CapsTally tally;
  groups.for_each([&](const GroupCaps& group) { tally.add(group); });
  if (options.caps.reference.empty()) say_reference(report, tally, delivery.console);
  report.summary = tally.summary(report.options);
  const auto writer = make_caps_writer(report, delivery.style, delivery.sink);
  std::size_t lacking = 0;
  groups.for_each([&](const GroupCaps& group) {
    lacking += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
    writer->write(group);
  });
  writer->finish();
  return lacking;
}

int run_caps(CapsCommand options, const GlobalOptions& global) {
  options.study.usual_factors.option = "--setting";
  CapsOptions caps = caps_options(options);
  return deliver(options.result, global, [&](const Delivery& delivery) {
    if (options.study.factors.size() > 1) {
      throw DataError("caps compares one setting: name one column with --setting COL");
    }
    const MeasuredRuns runs = read_measured(
        options.study, measure_options(options.study, options.measures), global.conditions());
    say_factors(options.study, runs.observations.factors(), delivery.console);
    const std::string setting = runs.observations.factors().front();
    caps.reference = reference_among(settings_of(runs.observations), caps.reference, setting);
    const std::string max_power_from = take_max_power(caps, runs);
    CapsReport report = caps_report(options, runs, caps);
    report.max_power_from = max_power_from;
    share_scatter(caps, options, runs, report);
    for (const std::string& warning : report.study.warnings) delivery.console.warn(warning);
    const std::size_t count = judged_groups(runs.observations).size() - 1;
    const GroupResults<Caps> groups(count, [&](const GroupResults<Caps>::Sink& sink) {
      compare_settings_each(runs, caps, global.threads, sink);
    });
    const std::size_t lacking = write_groups_of_caps(groups, report, options, delivery);
    delivery.commit();
    say_of_curves(report.summary, setting, options, delivery.console);
    return groups_without("comparison", lacking, count);
  });
}

void add_curve_options(Options& command, CapsCommand& options) {
  command.group("Curves");
  command.flag("--continuous", options.continuous,
               fmt::format("Fit smooth curves of time and energy over the setting from {} values "
                           "on. Default: from {} to {} values",
                           kLeastSettingsOfCurve, kManySettings, kMostSettings));
  command.words("--trade", options.trades, "J/S",
                "Joules that one second is worth: find the setting beyond which each lost second "
                "saves fewer. May be given several times");
  command.parsed("--eta", options.caps.etas, etas_of, "ETA,ETA",
                 "Find the least cost as Zeus defines it, eta x energy + (1 - eta) x max power x "
                 "GPUs x time, for weights eta of energy from 0 to 1");
  command
      .number("--max-power", options.caps.max_power, positive(), "W",
              "Watts of one GPU in that cost. Default: the greatest power limit of the table if "
              "the setting or a group column is one, otherwise the greatest mean power that was "
              "measured for a GPU")
      .needs("--eta");
}

}  // namespace

Command add_caps_command(Program& program) {
  auto options = std::make_shared<CapsCommand>();
  Options caps = program.add_command(
      "caps", "Tell how much energy a power cap or clock saves and how much time it costs",
      kCapsExamples);
  add_input_option(caps, options->study);
  add_axis_options(caps, options->study);
  add_selection_options(caps, options->study);
  add_energy_columns(caps, options->measures);
  caps.group("Caps");
  caps.names("--setting", options->study.factors, "COL",
             "Column of the setting whose values are compared, such as a power cap. Default: the "
             "only power cap or clock");
  caps.text("--reference", options->caps.reference, "VALUE",
            "Value of the setting with which the others are compared. Default: the greatest of "
            "each group");
  caps.text(
      "--max-slowdown", options->max_slowdown, "SHARE",
      "How much more time a recommended setting may take, judged by the upper end of its interval",
      share());
  add_curve_options(caps, *options);
  add_confidence_option(caps, options->study);
  add_pool_option(caps, options->study, {Pool::kNone, Pool::kScatter});
  add_result_options(caps, options->result);
  caps.flag("--strict", options->result.strict, "Exit with status 1 if a group has no comparison");
  return command_of(caps, options, run_caps);
}

}  // namespace scalelaw::cli
