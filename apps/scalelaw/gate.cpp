#include "scalelaw/judge/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "command.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/render/gate_report.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array<std::string_view, 2> kFailOn{"worse", "inconclusive"};
constexpr std::array kFormats{GateFormat::kTable,    GateFormat::kJson,  GateFormat::kCsv,
                              GateFormat::kMarkdown, GateFormat::kJunit, GateFormat::kGithub};
constexpr std::string_view kColumnMark = "{y}";

constexpr const char* kExamples =
    R"(  scalelaw gate data/demo/runs.csv data/demo/runs.csv --where model=BERT
      Is the second table worse than the first, in any group? Exits with 1 if so.
  scalelaw gate /tmp/baseline.json data/demo/runs.csv --update
      Judges runs by saved fits, then saves theirs; the first call only saves.
  scalelaw gate /tmp/baseline.json data/demo/runs.csv --at 64,largest --max-slowdown 3%
      The time at chosen N may rise by three percent.
  scalelaw gate /tmp/baseline.json data/demo/runs.csv --format github --also /tmp/gate.xml --also /tmp/gate.md
      Annotations for GitHub, JUnit XML and a summary, in one call.
)";

struct GateCommand {
  const CLI::App* app = nullptr;  ///< Tells which options were given.
  StudyOptions study;             ///< Its y may name several columns.
  std::string base;
  std::string current;
  std::string max_slowdown = "5%";
  double max_beta_drop = 0.05;
  std::string at = "middle,largest";
  std::string fail_on = "worse";
  bool exit_zero = false;
  bool update = false;
  std::string format = "table";
  std::string output;
  std::vector<std::string> also;
  std::string export_file;

  bool gave(const std::string& option) const { return app->get_option(option)->count() > 0; }
};

/// "5%" or "0.05": above 0, up to 1.
std::optional<double> share_of(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = parse_number(trimmed(text));
  if (!number) return std::nullopt;
  const double share = percent ? *number / 100 : *number;
  return share > 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

CLI::Validator share() {
  const auto check = [](const std::string& word) -> std::string {
    if (share_of(word)) return "";
    return fmt::format("expected a limit above 0 and up to 100 %, such as 5% or 0.05, found \"{}\"",
                       word);
  };
  return {check, ""};
}

bool add_place(const std::string& word, GateOptions& options) {
  if (word == "middle") return options.at_middle = true;
  if (word == "largest") return options.at_largest = true;
  const auto x = parse_number(word);
  if (!x || !(*x > 0)) return false;
  options.at.push_back(*x);
  return true;
}

/// Takes over where curves are compared; the word that makes no sense, if any.
std::optional<std::string> read_places(const std::string& list, GateOptions& options) {
  options.at_middle = options.at_largest = false;
  const std::vector<std::string> words = split(list, ',');
  if (words.empty()) return list;
  for (const std::string& word : words) {
    if (!add_place(word, options)) return word;
  }
  return std::nullopt;
}

CLI::Validator places() {
  const auto check = [](const std::string& list) -> std::string {
    GateOptions scratch;
    const auto bad = read_places(list, scratch);
    if (!bad) return "";
    return fmt::format("expected numbers above 0, middle or largest, found \"{}\"", *bad);
  };
  return {check, ""};
}

GateOptions gate_options(const GateCommand& options) {
  GateOptions gate{.max_slowdown = *share_of(options.max_slowdown),
                   .max_beta_drop = options.max_beta_drop,
                   .confidence = options.study.confidence};
  read_places(options.at, gate);
  return gate;
}

/// The format that the ending of a file asks for; nothing where it asks for none.
std::optional<GateFormat> format_of_file(std::string_view path) {
  static constexpr std::pair<std::string_view, GateFormat> kEndings[] = {
      {".json", GateFormat::kJson},
      {".csv", GateFormat::kCsv},
      {".md", GateFormat::kMarkdown},
      {".xml", GateFormat::kJunit}};
  for (const auto& [ending, format] : kEndings) {
    if (path.ends_with(ending)) return format;
  }
  return std::nullopt;
}

GateFormat format_of(const GateCommand& options) {
  if (!options.gave("--format")) {
    return format_of_file(options.output).value_or(GateFormat::kTable);
  }
  return *std::find_if(kFormats.begin(), kFormats.end(), [&options](GateFormat format) {
    return scalelaw::name_of(format) == options.format;
  });
}

/// A file of results with its format. Opened before anything is read: a missing folder must not
/// cost minutes.
struct Target {
  std::unique_ptr<Output> output;
  GateFormat format;
};

std::vector<Target> further_targets(const GateCommand& options) {
  std::vector<Target> targets;
  for (const std::string& file : options.also) {
    const auto format = format_of_file(file);
    if (!format) {
      throw DataError(fmt::format(
          "--also {}: the ending tells the format: .xml (JUnit), .md, .json or .csv", file));
    }
    targets.push_back({std::make_unique<Output>(file), *format});
  }
  if (!options.export_file.empty()) {
    targets.push_back({std::make_unique<Output>(options.export_file), GateFormat::kBenchmark});
  }
  return targets;
}

/// `name` with the column in place of {y}.
std::string path_of(std::string name, const std::string& y) {
  const std::size_t at = name.find(kColumnMark);
  if (at == std::string::npos) return name;
  if (y.empty()) {
    throw DataError(fmt::format("{}: {} stands for a column that -y names", name, kColumnMark));
  }
  return name.replace(at, kColumnMark.size(), y);
}

bool is_document(const std::string& path) {
  return is_regular_file(path) && holds_saved_fits(path);
}

/// The fits of one response on one side, and how a document of them begins.
struct Side {
  SavedFits fits;
  std::optional<FitReport> report;  ///< Of runs that were fitted here.
};

/// Saved fits were made of columns that options cannot change any more.
void refuse_other_columns(const SavedFits& saved, const StudyOptions& study,
                          const GateCommand& options) {
  const auto refuse = [&saved](std::string_view option, std::string_view asked,
                               std::string_view found) {
    if (asked == found) return;
    throw DataError(fmt::format("{}: holds fits of {} '{}', not '{}'", input_name(saved.source),
                                option, found, asked));
  };
  if (!study.x.empty()) refuse("-x", study.x, saved.x);
  if (!study.y.empty()) refuse("-y", study.y, saved.y);
  if (study.by_given) refuse("--by", joined(split(study.by, ',')), joined(saved.by));
  if (options.gave("--law")) refuse("--law", study.law, saved.law->name());
}

/// Runs are fitted as the saved fits on the other side were, but for what the user said.
void follow(StudyOptions& study, const SavedFits& saved, const GateCommand& options) {
  const auto take = [&options](const char* option, std::string& target, std::string_view value) {
    if (!options.gave(option)) target = value;
  };
  take("-x", study.x, saved.x);
  if (study.y.empty()) study.y = saved.y;
  if (!study.by_given) study.by = joined(saved.by, ",");
  study.by_given = true;
  take("--law", study.law, saved.law->name());
  take("--errors", study.errors, scalelaw::name_of(saved.errors));
  take("--se", study.se, scalelaw::name_of(saved.se));
  take("--robust", study.robust, scalelaw::name_of(saved.robust));
  take("--points", study.points, scalelaw::name_of(saved.points));
  take("--run", study.run, saved.run);
  take("--weights", study.weights, saved.weights);
  study.rate = study.rate || saved.response == Response::kRate;
}

SavedFits as_saved(const std::string& path, const FitReport& report, std::vector<GroupFit> groups) {
  SavedFits fits;
  fits.source = path;
  fits.x = report.x;
  fits.y = report.y;
  fits.by = report.by;
  fits.law = report.options.law;
  fits.response = report.options.response;
  fits.errors = report.options.errors;
  fits.se = report.options.se;
  fits.robust = report.options.robust;
  fits.points = report.points;
  fits.run = report.run;
  fits.weights = report.weights;
  fits.confidence = report.options.confidence;
  fits.groups = std::move(groups);
  return fits;
}

Side fitted(const std::string& path, StudyOptions study, bool to_be_saved,
            const GlobalOptions& global) {
  study.inputs = {path};
  FitOptions fit = fit_options(study);
  if (!to_be_saved) {
    fit.figures = Figures::kEstimates;
    fit.intervals = Intervals::kWald;
  }
  const GroupedCells runs = read_study(study, fit, global);
  const std::string epochs = note_epochs(runs, fit, global.console());
  FitReport report{study_report(study, runs), fit};
  if (!epochs.empty()) report.warnings.push_back(epochs);
  SavedFits fits = as_saved(path, report, fit_groups(runs, fit, global.threads));
  return {std::move(fits), std::move(report)};
}

std::optional<SavedFits> saved(const std::string& path, const StudyOptions& study,
                               const GateCommand& options) {
  if (!is_document(path)) return std::nullopt;
  SavedFits fits = read_fits(path);
  refuse_other_columns(fits, study, options);
  return fits;
}

/// Both sides of one response.
struct Pair {
  Side base;
  Side current;
};

void refuse_empty(const SavedFits& base) {
  const bool any = std::any_of(base.groups.begin(), base.groups.end(), [](const GroupFit& group) {
    return std::holds_alternative<Fit>(group.result);
  });
  if (any) return;
  std::string why = "it holds no group";
  if (!base.groups.empty()) why = std::get<NoFit>(base.groups.front().result).message;
  throw DataError(fmt::format("{}: the baseline holds no fit: {}", input_name(base.source), why));
}

/// A baseline that --update is about to create: NEW without its groups.
Side absent_baseline(const Side& current, const std::string& path) {
  SavedFits fits = current.fits;
  fits.source = path;
  fits.groups.clear();
  return {std::move(fits), std::nullopt};
}

bool is_to_be_created(const std::string& base, const GateCommand& options) {
  std::error_code error;
  return options.update && !std::filesystem::exists(base, error);
}

void check_paths(const std::string& base, const std::string& current, const GateCommand& options) {
  if (base == "-" && current == "-") {
    throw DataError("gate: BASE and NEW cannot both be standard input");
  }
  if (options.update && !is_to_be_created(base, options) && !is_document(base)) {
    throw DataError(
        fmt::format("{}: --update replaces saved fits, and this is none; name a file for them",
                    input_name(base)));
  }
}

Pair pair_of(const std::string& y, const GateCommand& options, const GlobalOptions& global) {
  const std::string base = path_of(options.base, y);
  const std::string current = path_of(options.current, y);
  check_paths(base, current, options);
  StudyOptions study = options.study;
  study.y = y;
  const bool create = is_to_be_created(base, options);
  auto base_saved = create ? std::nullopt : saved(base, study, options);
  auto current_saved = saved(current, study, options);
  if (base_saved) follow(study, *base_saved, options);
  if (current_saved && !base_saved) follow(study, *current_saved, options);
  Pair pair;
  if (base_saved) pair.base = {std::move(*base_saved), std::nullopt};
  if (!base_saved && !create) pair.base = fitted(base, study, false, global);
  pair.current = current_saved ? Side{std::move(*current_saved), std::nullopt}
                               : fitted(current, study, options.update, global);
  if (create) {
    pair.base = absent_baseline(pair.current, base);
  } else {
    refuse_empty(pair.base.fits);
  }
  return pair;
}

/// Reports have one x, one law and the same group columns throughout.
void refuse_mixture(const std::vector<GatePair>& pairs) {
  const SavedFits& first = pairs.front().base;
  for (const GatePair& pair : pairs) {
    const SavedFits& other = pair.base;
    if (first.x == other.x && first.by == other.by && first.law == other.law &&
        first.errors == other.errors) {
      continue;
    }
    throw DataError(
        fmt::format("{} and {}: one gate judges fits of one law, over one x, in the same groups",
                    input_name(first.source), input_name(other.source)));
  }
}

/// What makes standard errors of BASE and NEW mean different things.
std::vector<std::string> differences_of_methods(const std::vector<GatePair>& pairs) {
  std::vector<std::string> sentences;
  for (const auto& [base, current] : pairs) {
    std::vector<std::string> options;
    if (base.se != current.se) options.emplace_back("--se");
    if (base.robust != current.robust) options.emplace_back("--robust");
    if (base.points != current.points) options.emplace_back("--points");
    if (base.run != current.run) options.emplace_back("--run");
    if (base.weights != current.weights) options.emplace_back("--weights");
    if (options.empty()) continue;
    sentences.push_back(fmt::format(
        "{} and {} were fitted with different {}: their standard errors differ in meaning",
        input_name(base.source), input_name(current.source), joined(options)));
  }
  return sentences;
}

GateReport report_of(const std::vector<GatePair>& pairs, const GateCommand& options) {
  const SavedFits& first = pairs.front().base;
  GateReport report;
  report.base = options.base;
  report.current = options.current;
  report.x = first.x;
  for (const GatePair& pair : pairs) report.y.push_back(pair.base.y);
  report.by = first.by;
  report.law = first.law->name();
  report.errors = first.errors;
  report.options = gate_options(options);
  report.fail_on = options.fail_on == "worse" ? FailOn::kWorse : FailOn::kInconclusive;
  return report;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// NEW becomes the baseline: its document as it is, or one of the fits made here.
void save_baseline(const Side& current, const std::string& path, bool created,
                   const Console& console) {
  const std::string text =
      current.report ? render_fits(*current.report, current.fits.groups, {.format = Format::kJson})
                     : bytes_of(current.fits.source);
  Output output(path);
  output.write(text);
  output.commit();
  console.note(fmt::format("{}: baseline {}", path, created ? "created" : "replaced by NEW"));
}

std::vector<std::string> responses_of(const GateCommand& options) {
  std::vector<std::string> responses = split(options.study.y, ',');
  if (responses.empty()) responses.emplace_back();
  return responses;
}

/// Results may not replace what they are made from, nor the baseline that --update writes.
void check_outputs(const GateCommand& options) {
  std::vector<std::string> outputs = options.also;
  outputs.push_back(options.output);
  outputs.push_back(options.export_file);
  StudyOptions study;
  std::error_code error;
  for (const std::string& y : responses_of(options)) {
    for (const std::string& name : {options.base, options.current}) {
      const std::string path = path_of(name, y);
      const bool is_output = std::find(outputs.begin(), outputs.end(), path) != outputs.end();
      if (is_output && path != "-")
        throw DataError(fmt::format("{}: both an input and an output", path));
      if (std::filesystem::exists(path, error)) study.inputs.push_back(path);
    }
  }
  for (const std::string& output : outputs) refuse_to_replace_inputs(output, study);
}

/// A reader that has gone must not hide a regression: its status is that of the check.
void write_to_reader(Output& output, const GateReport& report, const Gate& gate, GateFormat format,
                     bool colour) {
  try {
    write_gate(report, gate, format, colour,
               [&output](std::string_view text) { output.write(text); });
    output.commit();
  } catch (const ClosedPipe&) {
  }
}

void check_inputs(const GateCommand& options) {
  if (!options.base.empty() && !options.current.empty()) return;
  throw DataError(
      "gate: name BASE and NEW, each a document of fits or a run table, in the call or as base and "
      "new in scalelaw.toml");
}

/// All responses, each before and after.
struct Responses {
  std::vector<GatePair> pairs;
  std::vector<Side> current;  ///< NEW of each, as it may be saved.
  std::vector<bool> created;  ///< Whether its baseline does not exist yet.
};

Responses read_responses(const GateCommand& options, const GlobalOptions& global) {
  Responses responses;
  for (const std::string& y : responses_of(options)) {
    responses.created.push_back(is_to_be_created(path_of(options.base, y), options));
    Pair pair = pair_of(y, options, global);
    responses.pairs.push_back({std::move(pair.base.fits), pair.current.fits});
    responses.current.push_back(std::move(pair.current));
  }
  refuse_mixture(responses.pairs);
  return responses;
}

void save_baselines(const Responses& responses, const Console& console) {
  for (std::size_t i = 0; i < responses.pairs.size(); ++i) {
    save_baseline(responses.current[i], responses.pairs[i].base.source, responses.created[i],
                  console);
  }
}

int run_gate(const GateCommand& options, const GlobalOptions& global) {
  check_inputs(options);
  check_outputs(options);
  const std::vector<Target> targets = further_targets(options);
  Output output(options.output);
  const Responses responses = read_responses(options, global);
  GateReport report = report_of(responses.pairs, options);
  report.warnings = differences_of_methods(responses.pairs);
  for (const std::string& warning : report.warnings) global.console().warn(warning);
  const Gate gate = gate_fits(responses.pairs, report.options);
  const auto write = [&](Output& target, GateFormat format, bool colour) {
    write_to_reader(target, report, gate, format, colour);
  };
  for (const Target& target : targets) write(*target.output, target.format, false);
  write(output, format_of(options), wants_colour(global.colour, output.is_terminal()));
  if (options.update) save_baselines(responses, global.console());
  return fails(gate, report.fail_on) && !options.exit_zero ? kCheckFailed : kDone;
}

void add_limit_options(CLI::App& gate, GateCommand& options) {
  gate.add_option("--max-slowdown", options.max_slowdown,
                  "How much slower NEW may be, 5% or 0.05: 1.05 times the time, 1/1.05 of a rate")
      ->type_name("SHARE")
      ->check(share())
      ->capture_default_str()
      ->group("Gate");
  gate.add_option("--max-beta-drop", options.max_beta_drop,
                  "How much less the exponent beta may be")
      ->type_name("BETA")
      ->check(number_between(0, 1))
      ->capture_default_str()
      ->group("Gate");
  gate.add_option("--at", options.at,
                  "Where the fitted curves are compared: values of x; middle (the geometric one) "
                  "and largest of the x that both were measured at")
      ->type_name("LIST")
      ->check(places())
      ->capture_default_str()
      ->group("Gate");
  add_choice(gate, "--fail-on", options.fail_on, kFailOn,
             "The verdict from which on the check fails; a missing group always does")
      ->group("Gate");
  gate.add_flag("--exit-zero", options.exit_zero, "Exit with 0 although the check failed")
      ->group("Gate");
  gate.add_flag("--update", options.update,
                "Save the fits of NEW as the new baseline in the file BASE, whatever the verdict; "
                "created if there is none")
      ->group("Gate");
}

void add_output_options(CLI::App& gate, GateCommand& options) {
  std::vector<std::string_view> formats;
  for (const GateFormat format : kFormats) formats.push_back(scalelaw::name_of(format));
  add_choice(gate, "--format", options.format, formats,
             "Format of the result; without it the ending of the output file tells")
      ->group("Result");
  gate.add_option("-o,--output", options.output, "File of the result instead of standard output")
      ->type_name("FILE")
      ->group("Result");
  gate.add_option("--also", options.also,
                  "A further file of the result, in the format of its ending: .xml (JUnit), .md, "
                  ".json, .csv; may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group("Result");
  gate.add_option("--export", options.export_file,
                  "JSON of the curves of NEW for github-action-benchmark (customSmallerIsBetter)")
      ->type_name("FILE")
      ->group("Result");
}

void add_input_options(CLI::App& gate, GateCommand& options) {
  gate.add_option("--base,BASE", options.base,
                  "What was: a document of fits (fit --format json), or a run table; {y} in its "
                  "name stands for the column of -y")
      ->group("Data");
  gate.add_option("--new,NEW", options.current, "What is: the same")->group("Data");
}

}  // namespace

Command add_gate_command(CLI::App& program) {
  auto options = std::make_shared<GateCommand>();
  CLI::App* gate = program.add_subcommand("gate", "Check that runs scale no worse than a baseline");
  options->app = gate;
  gate->footer(kExamples);
  add_input_options(*gate, *options);
  add_row_options(*gate, options->study);
  CLI::Option* y = gate->get_option("-y");
  y->description(y->get_description() + "; several, each of which is judged");
  add_method_options(*gate, options->study);
  add_limit_options(*gate, *options);
  add_output_options(*gate, *options);
  return {gate, [options](const GlobalOptions& global) { return run_gate(*options, global); }};
}

}  // namespace scalelaw::cli
