#include <fmt/format.h>

#include <memory>
#include <utility>

#include "delivery.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/render/gate_report.hpp"
#include "scalelaw/runs/written_number.hpp"
#include "scalelaw/study/call_files.hpp"
#include "scalelaw/study/gate_study.hpp"
#include "study_options.hpp"

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
  Options call;
  GateRequest request;
  std::string max_slowdown = "5%";
  std::vector<std::string> limits = {};
  std::vector<std::string> ignore_below = {};
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

/// "p99_ms=10%".
ResponseLimit limit_of(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  const auto share = sign == std::string::npos ? std::nullopt : share_of(text.substr(sign + 1));
  if (!share || sign == 0) {
    throw DataError(fmt::format(
        "--limit: expected a response and a share, such as p99_ms=10%, found \"{}\"", text));
  }
  return {.y = text.substr(0, sign), .max_slowdown = *share};
}

/// "0.5ms", "p99_ms=0.5ms", "p99_ms=0.5".
ResponseLimit floor_of(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  const bool is_of_one = sign != std::string::npos && sign > 0;
  const auto amount = parse_measure(is_of_one ? text.substr(sign + 1) : text);
  if (!amount || !(amount->value > 0) || (amount->unit.empty() && !is_of_one)) {
    throw DataError(fmt::format(
        "--ignore-below: expected an amount above 0 with its unit, or of one response, such as "
        "0.5ms or p99_ms=0.5ms, found \"{}\"",
        text));
  }
  return {.y = is_of_one ? text.substr(0, sign) : "",
          .ignore_below = amount->value,
          .unit = std::string(amount->unit)};
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

/// What the user asks for, once every option is read.
/// @throws DataError if a side cannot be what it is named for, or an output would replace an input
///         or another output.
GateRequest request_of(const GateCommand& options) {
  GateRequest request = options.request;
  request.gate.max_slowdown = *share_of(options.max_slowdown);
  for (const std::string& text : options.limits) request.gate.limits.push_back(limit_of(text));
  for (const std::string& text : options.ignore_below) {
    request.gate.limits.push_back(floor_of(text));
  }
  request.nights_as_one = options.call.given("--night") && request.night.empty();
  for (const FollowedSetting setting : all_enumerators<FollowedSetting>()) {
    if (options.call.given(std::string(name_of(setting)))) request.chosen.insert(setting);
  }
  request = with_both_sides(std::move(request));
  const std::vector<GateSides> sides = gate_sides(request);
  std::vector<CallFile> files{{options.result.output, "--output"},
                              {options.export_file, "--export"}};
  for (const std::string& file : options.also) files.push_back({file, "--also"});
  for (const GateSides& one : sides) {
    if (one.creates) files.push_back({one.base.path, "--update"});
    for (const Input& input : {one.base, one.current}) {
      if (input.is_standard_input() || !input_exists(input.path)) continue;
      files.push_back({input.path, "", FileUse::kReads});
    }
  }
  refuse_to_lose_files(files);
  check_gate_sides(request, sides);
  return request;
}

/// A file of BASE with the fits of NEW, on the disk and not yet under its name.
std::unique_ptr<Output> settled(const NewBaseline& baseline) {
  auto output = std::make_unique<Output>(baseline.path);
  output->write(baseline.document);
  output->settle();
  return output;
}

int run_gate(const GateCommand& options, const GlobalOptions& global) {
  const GateRequest request = request_of(options);
  const std::vector<Target> targets = further_targets(options);
  bool failed = false;
  const auto judge = [&](const Delivery& delivery) {
    const auto [report, gate, baselines] = judge_gate(request, global.conditions());
    if (!result_shows_warnings(options, delivery.style.format)) {
      for (const std::string& warning : report.warnings) delivery.console.warn(warning);
    }
    failed = fails(gate, report.fail_on);
    // All outputs are on the disk before one of them gets its name: there are all or none.
    for (const Target& target : targets) {
      unless_reader_has_gone([&, &report = report, &gate = gate] {
        write_gate(report, gate, {.format = target.format},
                   [&target](std::string_view text) { target.output->write(text); });
        target.output->settle();
      });
    }
    std::vector<std::unique_ptr<Output>> files;
    for (const NewBaseline& baseline : baselines) files.push_back(settled(baseline));
    unless_reader_has_gone([&, &report = report, &gate = gate] {
      write_gate(report, gate, delivery.style, delivery.sink);
      delivery.commit();
    });
    for (const Target& target : targets) unless_reader_has_gone([&] { target.output->commit(); });
    for (std::size_t i = 0; i < files.size(); ++i) {
      files[i]->commit();
      delivery.console.note(fmt::format("{}: baseline {}", baselines[i].path,
                                        baselines[i].created ? "created" : "replaced by NEW"));
    }
    return Lacks{};
  };
  unless_reader_has_gone([&] { deliver(options.result, global, judge); });
  return failed && !options.exit_zero ? kCheckFailed : kDone;
}

/// Adds BASE, NEW and the options of `fit`.
void add_gate_inputs(Options& gate, GateRequest& options) {
  gate.group("Data");
  gate.text("--base,BASE", options.base, "",
            "The baseline: a run table, saved fits (fit --format json), or the nights that a study "
            "store keeps under a label (DB@LABEL). {y} in its name stands for the column of -y. "
            "--base BASE does the same");
  gate.text("--new,NEW", options.current, "",
            "The new runs that are judged, as one night, given in the same ways (of a label the "
            "newest is taken). Runs at a single N are compared with what BASE predicts there. "
            "--new NEW does the same. Without it, the newest night or version of the table BASE "
            "(--night) is judged by the others");
  add_row_options(gate, options.study);
  gate.extend_help("-y", ". Several columns are judged one by one");
  add_method_options(gate, options.study);
  add_pool_option(gate, options.study, {Pool::kNone, Pool::kScatter});
  gate.group("Nights");
  gate.text(
      "--night", options.night, "COL",
      "Column of BASE that names the night, the day or the version of a run; each is then fitted "
      "by itself");
  gate.flag("--newest-night", options.newest_night,
            "Judge the newest night of NEW, by the column of --night; its earlier nights count as "
            "nights of BASE")
      .needs("--night", "{0}: NEW's column of nights is not known: name it with --night COL");
  gate.count("--nights", options.nights, 1, "K",
             "Use only the last K nights of BASE. Default: all nights of --night, or all that the "
             "store keeps under the label");
  gate.list("--without-night", options.without_nights, "NIGHT",
            "Leave this night of BASE out, as one on which something else was slow: a value of the "
            "column of --night, or the time at which a store kept its fits. May be given several "
            "times");
  gate.text(
      "--since", options.since, "NIGHT",
      "All nights from this one on are one level with NEW, and held against the level before. "
      "Default: the nights since the last change that they show");
  gate.count("--baseline-nights", options.gate.baseline_nights, 1, "K",
             "Hold NEW and its level against the first K nights of BASE, whatever came between: a "
             "drift adds up. Default: against the level before the last change")
      .excludes("--since");
  gate.flag("--all-nights", options.all_nights,
            "Take all nights of BASE as one level, also where they show a change of level or some "
            "stand apart (base-changed, night-apart)");
}

void add_limit_options(Options& gate, GateCommand& options) {
  gate.group("Gate");
  gate.text(
      "--max-slowdown", options.max_slowdown, "SHARE",
      "How much slower NEW may be: 5% (or 0.05) allows 1.05 times the time, or 1/1.05 of a rate",
      share());
  gate.list(
      "--limit", options.limits, "COL=SHARE",
      "How much worse this response may be, in place of --max-slowdown: p99_ms=10%. May be given "
      "several times");
  gate.list(
      "--ignore-below", options.ignore_below, "[COL=]AMOUNT",
      "A change by less counts for none: 0.5ms of every time, or p99_ms=0.5ms of one response. "
      "May be given several times");
  gate.number("--max-beta-drop", options.request.gate.max_beta_drop, number_between(0, 1), "BETA",
              "How much lower the exponent beta of NEW may be");
  gate.text(
      "--at", [&options](const std::string& list) { read_places(list, options.request.gate); },
      "LIST",
      "Where the curves are compared: values of x, or the middle (in the geometric sense) or "
      "largest of those that both sides measured",
      "middle,largest");
  gate.choice("--fail-on", options.request.fail_on, named<FailOn>(),
              "The verdict from which on the check fails. A missing group always makes it fail");
  gate.flag("--exit-zero", options.exit_zero, "Exit with status 0 even if the check failed");
  gate.flag("--update", options.request.update,
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
  options->call = gate;
  add_gate_inputs(gate, options->request);
  add_limit_options(gate, *options);
  add_output_options(gate, *options);
  return command_of(gate, options, run_gate);
}

}  // namespace scalelaw::cli
