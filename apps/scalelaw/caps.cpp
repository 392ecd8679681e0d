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

constexpr const char* kCapsExamples =
    R"(  scalelaw caps data/demo/runs.csv --setting power_cap_w --reference 250 --where clock_mhz=1380
      How much energy each cap saves and how much time it costs, and which cap to choose.
  scalelaw caps data/demo/runs.csv --setting power_cap_w --where clock_mhz=1380 --where gpus=2 --max-slowdown 10%
      The same on 2 GPUs only, if 10 % more time is acceptable.
  scalelaw caps data/demo/runs.csv --setting clock_mhz -b model,power_cap_w --where model=DimeNet --format csv
      Clocks instead of caps; a CSV file with all results at each number of GPUs.
)";

struct CapsCall {
  CapsRequest request;
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

CapsRequest request_of(const CapsCall& call) {
  CapsRequest request = call.request;
  request.caps.max_slowdown = *share_of(call.max_slowdown);
  request.caps.continuous = call.continuous ? Continuous::kYes : Continuous::kAuto;
  request.caps.trades = trades_of(call.trades);
  return request;
}

int run_caps(const CapsCall& call, const GlobalOptions& global) {
  const CapsRequest request = request_of(call);
  return deliver(call.result, global, [&](const Delivery& delivery) {
    const CallConditions conditions = global.conditions();
    CapsStudy study = read_caps(request, conditions);
    const GroupResults<Caps> groups = comparisons_of(study, conditions);
    take_summary(study, groups, conditions.say);
    const auto writer = make_caps_writer(study.report, delivery.style, delivery.sink);
    Lacks lacks = write_groups("comparison", groups, *writer);
    delivery.commit();
    say_of_curves(study, conditions.say);
    return lacks;
  });
}

void add_curve_options(Options& command, CapsCall& call) {
  command.group("Curves");
  command.flag("--continuous", call.continuous,
               fmt::format("Fit smooth curves of time and energy over the setting from {} values "
                           "on. Default: from {} to {} values",
                           kLeastSettingsOfCurve, kManySettings, kMostSettings));
  command.words("--trade", call.trades, "J/S",
                "Joules that one second is worth: find the setting beyond which each lost second "
                "saves fewer. May be given several times");
  command.parsed("--eta", call.request.caps.etas, etas_of, "ETA,ETA",
                 "Find the least cost as Zeus defines it, eta x energy + (1 - eta) x max power x "
                 "GPUs x time, for weights eta of energy from 0 to 1");
  command
      .number("--max-power", call.request.caps.max_power, positive(), "W",
              "Watts of one GPU in that cost. Default: the greatest power limit of the table if "
              "the setting or a group column is one, otherwise the greatest mean power that was "
              "measured for a GPU")
      .needs("--eta");
}

}  // namespace

Command add_caps_command(Program& program) {
  auto call = std::make_shared<CapsCall>();
  Options caps = program.add_command(
      "caps", "Tell how much energy a power cap or clock saves and how much time it costs",
      kCapsExamples);
  add_input_option(caps, call->request.study);
  add_axis_options(caps, call->request.study);
  add_selection_options(caps, call->request.study);
  add_energy_columns(caps, call->request.measures);
  caps.group("Caps");
  caps.names("--setting", call->request.study.factors, "COL",
             "Column of the setting whose values are compared, such as a power cap. Default: the "
             "only power cap or clock");
  caps.text("--reference", call->request.caps.reference, "VALUE",
            "Value of the setting with which the others are compared. Default: the greatest of "
            "each group");
  caps.text(
      "--max-slowdown", call->max_slowdown, "SHARE",
      "How much more time a recommended setting may take, judged by the upper end of its interval",
      share());
  add_curve_options(caps, *call);
  add_confidence_option(caps, call->request.study);
  add_pool_option(caps, call->request.study, {Pool::kNone, Pool::kScatter});
  add_result_options(caps, call->result, "Exit with status 1 if a group has no comparison");
  return command_of(caps, call, run_caps);
}

}  // namespace scalelaw::cli
