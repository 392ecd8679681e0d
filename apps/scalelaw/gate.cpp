#include "scalelaw/judge/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "delivery.hpp"
#include "gate_inputs.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/held_streams.hpp"
#include "scalelaw/render/gate_report.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw::cli {
namespace {

constexpr const char* kGateExamples =
    R"(  scalelaw gate data/demo/runs.csv data/demo/runs.csv --where model=BERT
      Exits with status 1 if the second table is worse than the first in any group.
  scalelaw gate /tmp/baseline.json data/demo/runs.csv --update
      Compares new runs with saved fits, then saves the new fits. The first call only saves.
  scalelaw gate /tmp/baseline.json data/demo/runs.csv --at 64,largest --max-slowdown 3%
      Compares times at 64 GPUs and at the largest N; they may rise by 3 %.
  scalelaw gate data/demo/runs.csv --night replicate --where model=BERT
      Compares the newest night of a table with the others, and allows for how much those differ.
  scalelaw gate /tmp/baseline.json data/demo/runs.csv --format github --also /tmp/gate.xml --also /tmp/gate.md
      Writes annotations for GitHub, JUnit XML and a Markdown summary in one call.
)";

struct GateCommand {
  GateInputs inputs;
  GateOptions gate;  ///< As far as the user gave them.
  std::string max_slowdown = "5%";
  FailOn fail_on = FailOn::kWorse;
  bool exit_zero = false;
  ResultOptions result{.formats = {Format::kTable, Format::kJson, Format::kCsv, Format::kMarkdown,
                                   Format::kJunit, Format::kGithub}};
  std::vector<std::string> also;
  std::string export_file;
};

bool add_place(const std::string& word, GateOptions& options) {
  if (word == "middle") return options.at_middle = true;
  if (word == "largest") return options.at_largest = true;
  const auto x = number_as_written(word);
  if (!x || !(*x > 0)) return false;
  options.at.push_back(*x);
  return true;
}

/// Takes over where curves are compared.
void read_places(const std::string& list, GateOptions& options) {
  options.at_middle = options.at_largest = false;
  std::vector<std::string> words = split(list, ',');
  if (words.empty()) words.emplace_back();
  for (const std::string& word : words) {
    if (add_place(word, options)) continue;
    throw DataError(fmt::format(
        "--at: expected numbers above 0, middle or largest, such as middle,64,1k, found \"{}\"",
        word));
  }
}

/// A file of results with its format. Opened before anything is read: a missing folder must not
/// cost minutes.
struct Target {
  std::unique_ptr<Output> output;
  Format format;
};

std::vector<Target> further_targets(const GateCommand& options) {
  std::vector<Target> targets;
  for (const std::string& file : options.also) {
    const auto format = format_of_file(file, options.result.formats);
    if (!format) {
      throw DataError(fmt::format(
          "--also {}: no format has this ending; endings are .xml (JUnit), .md, .json and .csv",
          file));
    }
    targets.push_back({std::make_unique<Output>(file), *format});
  }
  if (!options.export_file.empty()) {
    targets.push_back({std::make_unique<Output>(options.export_file), Format::kBenchmark});
  }
  return targets;
}

GateReport report_of(const std::vector<GatePair>& pairs, const GateCommand& options) {
  const SavedFits& first = pairs.front().base;
  GateReport report;
  report.base = options.inputs.base;
  report.current = options.inputs.current;
  report.x = first.x;
  for (const GatePair& pair : pairs) report.y.push_back(pair.base.y);
  report.by = first.by;
  report.law = first.law->name();
  report.errors = first.errors;
  report.options = options.gate;
  report.options.max_slowdown = *share_of(options.max_slowdown);
  report.options.confidence = options.inputs.study.confidence;
  report.options.law_is_chosen = options.inputs.call.given("--law");
  report.fail_on = options.fail_on;
  return report;
}

/// @param others  What the gate says with other nights of BASE.
std::vector<std::string> warnings_of(const GateResponses& responses, const Gate& gate,
                                     const OtherNights& others) {
  std::vector<std::string> warnings = differences_of_methods(responses.pairs);
  const auto add = [&warnings](const std::string& warning) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
      warnings.push_back(warning);
    }
  };
  for (const std::string& warning : responses.warnings) add(warning);
  const NightColumns columns{.named = responses.night, .unasked = responses.night_column};
  for (const std::string& warning : warnings_of_nights(gate, columns, others)) {
    add(warning);
  }
  return warnings;
}

/// Whether people who see the console see the warnings in the result.
bool result_shows_warnings(const GateCommand& options, Format format) {
  const bool is_seen = options.result.output.empty() || options.result.output == "-";
  return is_seen && (format == Format::kTable || format == Format::kMarkdown);
}

/// A reader that has gone must not hide a regression, so the exit status stays that of the check.
void unless_reader_has_gone(const std::function<void()>& write) {
  try {
    write();
  } catch (const ClosedPipe&) {
  }
}

/// Judges all nights of BASE, and where one that stands apart hides what the others show, these.
/// Sets what the report says of the other judgement.
Gate judge_nights(GateResponses& responses, GateReport& report, bool all_nights, int threads) {
  Gate gate = judge_responses(responses, report.options, threads);
  const std::vector<std::string> nights = nights_to_leave_out(gate);
  if (nights.empty()) return gate;
  Gate without = judge_without(responses, nights, report.options, threads);
  if (all_nights || !counts_instead(without, gate)) {
    report.others.without = gate_verdict(report, without);
    return gate;
  }
  report.others.with = gate_verdict(report, gate);
  without.left_out = gate.nights - without.nights;
  without.nights_apart = std::move(gate.nights_apart);
  without.base_change = std::move(gate.base_change);
  return without;
}

int run_gate(GateCommand options, const GlobalOptions& global) {
  std::vector<CallFile> outputs{{options.result.output, "--output"},
                                {options.export_file, "--export"}};
  for (const std::string& file : options.also) outputs.push_back({file, "--also"});
  check_gate_inputs(options.inputs, std::move(outputs));
  const std::vector<Target> targets = further_targets(options);
  bool failed = false;
  const auto judge = [&](const Delivery& delivery) {
    HeldStreams streams(*current_call());
    hold_streams(options.inputs, streams);
    GateResponses responses = read_gate_inputs(options.inputs, global);
    GateReport report = report_of(responses.pairs, options);
    report.pooled = pooling_sentences(responses.pairs);
    report.mixed_nights = responses.mixed_nights;
    report.newest = responses.newest;
    const Gate gate = judge_nights(responses, report, options.inputs.all_nights, global.threads);
    report.warnings = warnings_of(responses, gate, report.others);
    if (!result_shows_warnings(options, delivery.style.format)) {
      for (const std::string& warning : report.warnings) delivery.console.warn(warning);
    }
    failed = fails(gate, report.fail_on);
    // All outputs are on the disk before one of them gets its name: there are all or none.
    for (const Target& target : targets) {
      unless_reader_has_gone([&] {
        write_gate(report, gate, {.format = target.format},
                   [&target](std::string_view text) { target.output->write(text); });
        target.output->settle();
      });
    }
    const std::vector<Baseline> baselines =
        options.inputs.update ? settled_baselines(responses) : std::vector<Baseline>{};
    unless_reader_has_gone([&] {
      write_gate(report, gate, delivery.style, delivery.sink);
      delivery.commit();
    });
    for (const Target& target : targets) unless_reader_has_gone([&] { target.output->commit(); });
    for (const Baseline& baseline : baselines) {
      baseline.output->commit();
      delivery.console.note(baseline.note);
    }
    return Lacks{};
  };
  unless_reader_has_gone([&] { deliver(options.result, global, judge); });
  return failed && !options.exit_zero ? kCheckFailed : kDone;
}

void add_limit_options(Options& gate, GateCommand& options) {
  gate.group("Gate");
  gate.text(
      "--max-slowdown", options.max_slowdown, "SHARE",
      "How much slower NEW may be: 5% (or 0.05) allows 1.05 times the time, or 1/1.05 of a rate",
      share());
  gate.number("--max-beta-drop", options.gate.max_beta_drop, number_between(0, 1), "BETA",
              "How much lower the exponent beta of NEW may be");
  gate.text(
      "--at", [&options](const std::string& list) { read_places(list, options.gate); }, "LIST",
      "Where the curves are compared: values of x, or the middle (in the geometric sense) or "
      "largest of those that both sides measured",
      "middle,largest");
  gate.choice("--fail-on", options.fail_on, named<FailOn>(),
              "The verdict from which on the check fails. A missing group always makes it fail");
  gate.flag("--exit-zero", options.exit_zero, "Exit with status 0 even if the check failed");
  gate.flag("--update", options.inputs.update,
            "Save the fits of NEW in the file BASE as the new baseline, whatever the verdict is; "
            "the file is created if there is none");
}

void add_output_options(Options& gate, GateCommand& options) {
  add_result_options(gate, options.result);
  gate.list("--also", options.also, "FILE",
            "Write the result to this file as well, in the format of its ending: .xml (JUnit), "
            ".md, .json or .csv. May be given several times");
  gate.text("--export", options.export_file, "FILE",
            "Write the curves of NEW as JSON for github-action-benchmark (customSmallerIsBetter, "
            "or customBiggerIsBetter for rates)");
}

}  // namespace

Command add_gate_command(Program& program) {
  auto options = std::make_shared<GateCommand>();
  Options gate = program.add_command(
      "gate", "Tell whether new runs are slower or scale worse than a baseline, as a check for CI",
      kGateExamples);
  add_gate_inputs(gate, options->inputs);
  add_limit_options(gate, *options);
  add_output_options(gate, *options);
  return command_of(gate, options, run_gate);
}

}  // namespace scalelaw::cli
