#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "delivery.hpp"
#include "measure_options.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/group_results.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/render/pareto_report.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kParetoExamples =
    R"(  scalelaw pareto data/demo/runs.csv --knobs power_cap_w --where gpus=16 --where clock_mhz=1380
      Which power caps are worth choosing for each model on 16 GPUs, and the best by Zeus's cost.
  scalelaw pareto data/demo/runs.csv --knobs power_cap_w,gpus -b model --where clock_mhz=1380 --where model=BERT --default gpus=64 --time-cost wall --eta 0,0.5,1
      Cap and number of GPUs chosen together, and what that saves against 64 GPUs at the full cap.
  scalelaw pareto data/demo/runs.csv --knobs gpus -b model,power_cap_w --where clock_mhz=1380 --max-power 250 --format json
      Every point with its cost, the frontier and its area, as JSON.
)";

struct ParetoCommand {
  StudyOptions study;
  MeasureOptions measures{.has_x = false, .gpus_if_there = true};
  ParetoOptions pareto{.etas = {}};  ///< As far as the user gave them.
  ResultOptions result;
};

std::vector<KnobValue> default_of(const std::string& option, const std::string& list) {
  std::vector<KnobValue> knobs;
  for (const std::string& word : split(list, ',')) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == word.size()) {
      throw DataError(fmt::format("{}: expected knob=value,knob=value, found {}", option,
                                  scalelaw::quoted(word)));
    }
    knobs.push_back({std::string(trimmed(std::string_view(word).substr(0, sign))),
                     std::string(trimmed(std::string_view(word).substr(sign + 1)))});
  }
  return knobs;
}

std::optional<TimeAndEnergy> reference_of(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::vector<std::string> words = split(text, ',');
  const auto seconds = parse_number(words.front());
  const auto joules = parse_number(words.back());
  if (words.size() != 2 || !seconds || !joules || !(*seconds > 0) || !(*joules > 0)) {
    throw DataError(
        fmt::format("{}: expected a time in s and an energy in J, both above 0, found {}", option,
                    scalelaw::quoted(text)));
  }
  return TimeAndEnergy{*seconds, *joules};
}

void refuse_repeated_knobs(const std::vector<std::string>& knobs) {
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    if (std::count(knobs.begin(), knobs.end(), knobs[i]) == 1) continue;
    throw DataError(fmt::format("--knobs: {} is named twice", scalelaw::quoted(knobs[i])));
  }
}

/// What the user should know about the columns that were used.
std::vector<std::string> warnings_on(const MeasuredRuns& runs, const MaxPower& max_power) {
  std::vector<std::string> warnings;
  if (const std::size_t mixed = points_of_mixed_gpus(runs); mixed > 0) {
    warnings.push_back(
        fmt::format("{} pool runs of different {}: add it to --knobs or -b, or pick a "
                    "value with --where",
                    counted(mixed, "point"), runs.observations.numbers()[*runs.columns.x].name));
  }
  warnings.push_back(one_gpu_warning(runs, "--gpus"));
  warnings.push_back(max_power.warning);
  std::erase(warnings, "");
  return warnings;
}

/// Writes all groups. Which columns they fill must be known first. Returns how many have no
/// frontier.
std::size_t write_frontiers(const GroupResults<Pareto>& groups, const ParetoReport& report,
                            const Delivery& delivery) {
  ParetoSurvey survey;
  groups.for_each([&](const GroupPareto& group) { survey.add(group); });
  survey.refuse_unknown_default(report.options.default_knobs);
  const auto writer = make_pareto_writer(report, survey, delivery.style, delivery.sink);
  std::size_t lacking = 0;
  groups.for_each([&](const GroupPareto& group) {
    lacking += std::holds_alternative<NoFit>(group.result) ? 1 : 0;
    writer->write(group);
  });
  writer->finish();
  return lacking;
}

int run_pareto(const ParetoCommand& options, const GlobalOptions& global) {
  StudyOptions study = options.study;
  refuse_repeated_knobs(study.factors);
  study.usual_factors = {.option = "--knobs", .all = true};
  ParetoOptions pareto = options.pareto;
  refuse_few_draws(pareto.draws, "draws");
  pareto.confidence = study.confidence;
  pareto.threads = global.threads;
  return deliver(options.result, global, [&](const Delivery& delivery) {
    const MeasuredRuns runs =
        read_measured(study, measure_options(study, options.measures), global.conditions());
    say_factors(study, runs.observations.factors(), delivery.console);
    const MaxPower max_power = take_max_power(pareto, runs);
    ParetoReport report = pareto_report(study, runs, pareto, max_power);
    for (std::string& warning : warnings_on(runs, max_power)) {
      report.study.warnings.push_back(std::move(warning));
    }
    for (const std::string& warning : report.study.warnings) delivery.console.warn(warning);
    const std::size_t count = judged_groups(runs.observations).size() - 1;
    const GroupResults<Pareto> groups(count, [&](const GroupResults<Pareto>::Sink& sink) {
      pareto_each(runs, pareto, max_power.watts, sink);
    });
    return groups_without("frontier", write_frontiers(groups, report, delivery), count);
  });
}

void add_cost_options(Options& command, ParetoOptions& options) {
  command.group("Cost");
  command.parsed("--eta", options.etas, etas_of, "ETA,ETA",
                 "Weights of energy against time in the cost, from 0 (time only) to 1 (energy "
                 "only). Default: 0.5 if MaxPower is known");
  command.number(
      "--max-power", options.max_power, positive(), "W",
      "Watts of one GPU that a second costs (MaxPower). Default: the greatest power limit of the "
      "table if a knob or group column is one, for each kind of GPU if a column names the kind");
  command.choice("--time-cost", options.time_cost, named<TimeCost>(),
                 "What a second costs: MaxPower of all GPUs of the run (gpus), or of the largest "
                 "number of GPUs for every run (wall), so that eta 0 asks for speed alone");
  command.parsed("--default", options.default_knobs, default_of, "KNOB=VALUE,...",
                 "The settings that savings are compared with. A power limit that is not named has "
                 "its greatest value");
}

}  // namespace

Command add_pareto_command(Program& program) {
  auto options = std::make_shared<ParetoCommand>();
  Options pareto = program.add_command(
      "pareto", "Tell which settings are the best compromises between time and energy",
      kParetoExamples);
  add_input_option(pareto, options->study);
  pareto.names(
      "--knobs", options->study.factors, "COL,COL",
      "Columns of all settings that you can choose, such as power_cap_w,gpus. Default: power "
      "caps, clocks and the number of GPUs, as far as they vary");
  pareto.text("-y,--time", options->study.y, "COL",
              "Column of the time of a run or epoch. Default: found by its name");
  add_energy_columns(pareto, options->measures);
  pareto.text("--gpus", options->study.x, "COL",
              "Column of the number of GPUs of a run. Default: found by its name. It may be one of "
              "--knobs, too");
  add_selection_options(pareto, options->study);
  add_cost_options(pareto, options->pareto);
  pareto.group("Area");
  pareto.parsed("--reference", options->pareto.reference, reference_of, "S,J",
                "Corner of the area that the frontier dominates, in s and J. Default: the greatest "
                "time and energy of the group's points");
  add_confidence_option(pareto, options->study);
  pareto.count("--bootstrap", options->pareto.draws, 0, "B",
               "Number of bootstrap draws of the points' means if runs are repeated; 0 for none");
  pareto.count("--seed", options->pareto.seed, 0, "S",
               "Seed of the random numbers; the same seed gives the same result");
  add_result_options(pareto, options->result);
  return command_of(pareto, options, run_pareto);
}

}  // namespace scalelaw::cli
