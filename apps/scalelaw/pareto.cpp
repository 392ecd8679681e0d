#include <fmt/format.h>

#include <memory>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/study/energy_studies.hpp"
#include "study_options.hpp"

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

struct ParetoCall {
  ParetoRequest request;
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

int run_pareto(const ParetoCall& call, const GlobalOptions& global) {
  return deliver(call.result, global, [&](const Delivery& delivery) {
    const ParetoStudy study = read_pareto(call.request, global.conditions());
    const GroupResults<Pareto> groups = frontiers_of(study);
    const ParetoSurvey survey = survey_of(study, groups);
    const auto writer = make_pareto_writer(study.report, survey, delivery.style, delivery.sink);
    return write_groups("frontier", groups, *writer);
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
  auto call = std::make_shared<ParetoCall>();
  ParetoRequest& request = call->request;
  Options pareto = program.add_command(
      "pareto", "Tell which settings are the best compromises between time and energy",
      kParetoExamples);
  add_input_option(pareto, request.study);
  pareto.names(
      "--knobs", request.study.factors, "COL,COL",
      "Columns of all settings that you can choose, such as power_cap_w,gpus. Default: power "
      "caps, clocks and the number of GPUs, as far as they vary");
  pareto.text("-y,--time", request.study.y, "COL",
              "Column of the time of a run or epoch. Default: found by its name");
  add_energy_columns(pareto, request.measures);
  pareto.text("--gpus", request.study.x, "COL",
              "Column of the number of GPUs of a run. Default: found by its name. It may be one of "
              "--knobs, too");
  add_selection_options(pareto, request.study);
  add_cost_options(pareto, request.pareto);
  pareto.group("Area");
  pareto.parsed("--reference", request.pareto.reference, reference_of, "S,J",
                "Corner of the area that the frontier dominates, in s and J. Default: the greatest "
                "time and energy of the group's points");
  add_confidence_option(pareto, request.study);
  pareto.count("--bootstrap", request.pareto.draws, 0, "B",
               "Number of bootstrap draws of the points' means if runs are repeated; 0 for none");
  pareto.count("--seed", request.pareto.seed, 0, "S",
               "Seed of the random numbers; the same seed gives the same result");
  add_result_options(pareto, call->result);
  return command_of(pareto, call, run_pareto);
}

}  // namespace scalelaw::cli
