#include "study_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/fit/pool_groups.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/trace/ingest.hpp"

namespace scalelaw::cli {
namespace {

bool is_clustered(StandardError se) {
  return se == StandardError::kCluster || se == StandardError::kCr2;
}

RunOptions run_options(const StudyOptions& options, const FitOptions& fit,
                       const GlobalOptions& global) {
  refuse_several_x(*fit.law, "this command");
  RunOptions run = row_options(options, global);
  run.runs_are_clusters = is_clustered(fit.se);
  run.logarithmic_x = fit.law->logarithmic_x();
  run.logarithmic_y = fit.law->scale() == Scale::kLog;
  run.keep_points |= fit.robust != Robust::kNone || fit.bootstrap.resamples > 0;
  run.ranks = global.ranks;
  return run;
}

/// Whether y is greater at the greatest x than at the least in most groups.
bool rises_with_x(const GroupedCells& runs) {
  constexpr std::size_t kMostGroups = 200;
  constexpr double kClearly = 1.05;
  std::size_t rising = 0;
  std::size_t judged = 0;
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < std::min(runs.size(), kMostGroups); ++i) {
    runs.cells(i, cells);
    if (cells.empty() || cells.front().x == cells.back().x) continue;
    ++judged;
    rising += cells.back().mean > kClearly * cells.front().mean ? 1 : 0;
  }
  return 2 * rising > judged;
}

/// Whether a scale is the size of what is computed, as of a model or a problem: times rise with it.
bool is_amount_of_work(const std::string& x) {
  const ColumnRole role = meaning_of(x).role;
  return role == ColumnRole::kParameters || role == ColumnRole::kTokens ||
         role == ColumnRole::kCompute || role == ColumnRole::kProblemSize;
}

/// Takes a response whose name says a rate for one, and warns where the user may mean one.
void adopt_response(const StudyOptions& options, const GroupedCells& runs, FitOptions& fit,
                    const Console& console) {
  if (fit.response == Response::kRate) return;
  if (runs.is_rate()) {
    fit.response = Response::kRate;
    console.note(fmt::format("'{}' is fitted as a rate, as if --rate were given", runs.y()));
  } else if (meaning_of(runs.y()).role == ColumnRole::kRate) {
    console.warn(
        fmt::format("the name of '{}' says that it is a rate, but it is fitted as a time: add "
                    "--rate to fit it as a rate",
                    runs.y()));
  } else if (options.y.empty() && runs.growing_work().empty() && !is_amount_of_work(runs.x()) &&
             rises_with_x(runs)) {
    console.warn(fmt::format(
        "'{0}' was taken as a time, but it rises with {1}. If it is a rate, add --rate; if another "
        "column is the time, name it with -y; if the work of a run grows with {1} (weak scaling), "
        "-y {2} says that all is well",
        runs.y(), runs.x(), shell_word(runs.y())));
  }
}

}  // namespace

void refuse_few_draws(std::uint32_t draws, std::string_view noun) {
  constexpr std::uint32_t kFewest = 100;
  if (draws == 0 || draws >= kFewest) return;
  throw DataError(
      fmt::format("--bootstrap {}: at least {} {} are needed for the ends of an interval", draws,
                  kFewest, noun));
}

RunOptions row_options(const StudyOptions& options, const GlobalOptions& global) {
  RunOptions run = options;
  run.threads = global.threads;
  run.progress = global.console().shows_progress();
  add_units_of(options.y, run.layout);
  return run;
}

void say_what_was_left_out(const RowCounts& rows, const std::vector<std::string>& bad_rows,
                           const Console& console) {
  for (const std::string& sentence : rows.unfinished) console.warn(sentence);
  for (const std::string& sentence : rows.understood) console.note("note: " + sentence);
  if (rows.failed > 0) {
    console.note(rows.failures + (can_keep_failed(rows) ? "; --keep-failed uses them" : ""));
  }
  if (rows.filtered > 0) {
    console.note(
        fmt::format("--where left out {} of {}", rows.filtered, counted(rows.read, "row")));
  }
  if (rows.missing > 0) {
    console.warn(missing_sentence(rows) + ": left out");
  }
  if (rows.bad == 0) return;
  console.warn(part_of(rows.bad, rows.read, "row", "is", "are") +
               " malformed and left out. The first:");
  for (const std::string& message : bad_rows) console.warn("  " + message);
}

void pool_if_asked(const GroupedCells& runs, FitOptions& fit, StudyReport& head,
                   const GlobalOptions& global) {
  if (fit.pool == Pool::kNone) return;
  const auto warn = [&](std::string sentence) {
    global.console().warn(sentence);
    head.warnings.push_back(std::move(sentence));
  };
  fit.pooling = pool_groups(runs, fit, global.threads);
  if (!fit.pooling) {
    warn(fmt::format("--pool {}: nothing is pooled, because {}", name_of(fit.pool),
                     fit.pool == Pool::kSlopes
                         ? "it takes three groups with a line and scatter about one of them"
                         : "no group has more points than parameters"));
  } else if (fit.pooling->has_unequal_scatter()) {
    warn(fmt::format("{} ({}): {}", name_of(WarningCode::kUnequalScatter), runs.y(),
                     unequal_scatter_sentence(*fit.pooling)));
  }
}

std::vector<Named<const Law*>> named_laws(std::size_t inputs) {
  std::vector<Named<const Law*>> laws;
  for (const std::string_view name : law_names(inputs)) laws.push_back({name, find_law(name)});
  return laws;
}

std::vector<Named<const Law*>> all_laws() {
  std::vector<Named<const Law*>> laws = named_laws(1);
  for (const std::size_t inputs : {2, 3}) {
    for (const Named<const Law*>& law : named_laws(inputs)) laws.push_back(law);
  }
  return laws;
}

FitOptions fit_options(const StudyOptions& options) {
  refuse_few_draws(options.bootstrap.resamples, "resamples");
  FitOptions fit = options;
  fit.law = &constrained(*options.law, options.constraints);
  if (options.rate) fit.response = Response::kRate;
  return fit;
}

void refuse_no_input(const StudyOptions& options) {
  if (options.inputs.empty()) {
    throw DataError("no input: name a CSV file, a folder, a quoted glob, or - for standard input");
  }
}

GroupedCells read_quietly(const StudyOptions& options, const FitOptions& fit,
                          const GlobalOptions& global) {
  return read_runs(options.inputs, run_options(options, fit, global));
}

void refuse_row_options(const Options& command, const std::string& document) {
  if (const auto name = command.first_given(
          {"-x", "-y", "--by", "--where", "--run", "--points", "--weights", "--skip-bad-rows",
           "--keep-failed", "--delimiter", "--decimal", "--wide", "--table", "--rate"})) {
    throw DataError(
        fmt::format("{}: it holds finished fits, whose rows and columns {} cannot change; name the "
                    "table of runs instead",
                    document, *name));
  }
}

void note_growing_work(const std::string& column, const std::string& x, const Console& console) {
  if (column.empty()) return;
  console.note(fmt::format(
      "note: weak scaling: '{0}' grows with {1}, so runs at larger {1} do more work, and their "
      "times are not times of equal work",
      column, x));
}

/// Says in which groups runs do more work at larger scales.
void note_partly_growing_work(const PartlyGrowingWork& part, const GroupedCells& runs,
                              const Console& console) {
  console.note(fmt::format(
      "note: weak scaling in {0} ({1}): {2}, so their times are not times of equal work, and are "
      "not to be compared with those of the other groups",
      counted(part.groups.size(), "group"), joined(names_of_groups(runs.by(), part.groups), "; "),
      part.reason(runs.by(), runs.x())));
}

void warn_of_ungrouped(const std::vector<UngroupedColumn>& columns, std::vector<std::string> by,
                       const std::string& x, const Console& console) {
  std::vector<std::string> groups;
  std::vector<std::string> others;
  for (const UngroupedColumn& column : columns) {
    if (column.makes_groups) {
      groups.push_back(column.name);
    } else {
      others.push_back(fmt::format("{} ({} values)", column.name, column.values));
    }
  }
  const std::string place = x.empty() ? "" : " at one " + x;
  if (!groups.empty()) {
    by.insert(by.end(), groups.begin(), groups.end());
    console.warn(
        fmt::format("runs of one group{} differ in {}, and are fitted together: -b {} keeps them "
                    "apart, and --where picks one value",
                    place, joined(groups), shell_word(joined(by, ","))));
  }
  if (!others.empty()) {
    console.warn(
        fmt::format("runs of one group{} {}differ in {}, and are fitted together: too many values "
                    "for groups with a law each; --where picks one value",
                    place, groups.empty() ? "" : "also ", joined(others)));
  }
}

/// Where no table of runs was found in a log or trace, names the command that makes one of it.
void refuse_traces(const StudyOptions& options) {
  if (!options.x.empty() || !options.y.empty()) return;
  const std::string first = expand_inputs(options.inputs).front();
  const std::string title = is_regular_file(first) ? title_of_trace(first) : "";
  if (title.empty()) return;
  throw DataError(
      fmt::format("{}: {}, and no table of runs: 'scalelaw ingest {} -o runs.csv' "
                  "makes one",
                  input_name(first), title, joined_texts(options.inputs, " ", shell_word)));
}

/// Reads the rows of a table, which may be wide without --wide: then it is read again, and a note
/// says so.
GroupedCells read_long_or_wide(const StudyOptions& options, const FitOptions& fit,
                               const GlobalOptions& global) {
  try {
    return read_quietly(options, fit, global);
  } catch (const WideTableError& wide) {
    const bool again = std::all_of(options.inputs.begin(), options.inputs.end(), is_regular_file);
    if (!again || global.ranks != nullptr) throw;
    StudyOptions of_wide = options;
    of_wide.layout.wide = wide.scale();
    GroupedCells runs = read_quietly(of_wide, fit, global);
    global.console().note("note: " + wide.reading());
    return runs;
  } catch (const NoColumnError&) {
    refuse_traces(options);
    throw;
  }
}

GroupedCells read_groups(const StudyOptions& options, FitOptions& fit,
                         const GlobalOptions& global) {
  refuse_no_input(options);
  GroupedCells runs = read_long_or_wide(options, fit, global);
  const Console console = global.console();
  console.note(runs.choice());
  adopt_response(options, runs, fit, console);
  fit.rate_of_one = fit.response == Response::kRate && is_rate_of_one(runs.y(), runs.x());
  if (const auto part = partly_growing_work_of(runs, fit.response)) {
    note_partly_growing_work(*part, runs, console);
  } else {
    note_growing_work(growing_work_of(runs, fit.response), runs.x(), console);
  }
  warn_of_ungrouped(runs.ungrouped(), runs.by(), runs.x(), console);
  say_what_was_left_out(runs.rows(), runs.bad_rows(), console);
  return runs;
}

std::string note_epochs(const std::string& column, FitOptions& fit, const Console& console) {
  if (column.empty()) return "";
  fit.epochs_as_runs = true;
  std::string sentence = fmt::format(
      "epochs-as-runs: the column '{}' is not used, so rows of one run count as independent; "
      "with --run {} each run is one point",
      column, column);
  console.warn(sentence);
  return sentence;
}

void refuse_losses(const StudyOptions& study, std::string_view command) {
  if (!study.x.empty() || study.inputs.empty()) return;
  const std::string first = expand_inputs(study.inputs).front();
  if (!is_regular_file(first)) return;
  const Header header = TableRows(first, study.layout).header();
  const auto losses = loss_columns(header, nullptr);
  if (!losses || !scale_columns(header, study.y, nullptr).empty()) return;
  const bool has_tokens = !losses->tokens.empty();
  const std::string& second = has_tokens ? losses->tokens : losses->compute;
  RunOptions of_losses;
  of_losses.has_x = false;
  of_losses.y = losses->loss;
  const auto groups = choose_columns(header, of_losses, first, nullptr).by;
  const std::string columns =
      fmt::format("--law chinchilla -x {}{} -y {}",
                  shell_word(has_tokens ? losses->parameters + "," + second : losses->parameters),
                  has_tokens ? "" : " --flops " + shell_word(second), shell_word(losses->loss));
  const std::string table = shell_word(study.inputs.front());
  const std::string advice =
      command == "contrast"
          ? fmt::format("compare recipes by their losses: scalelaw contrast {} {} --factor {}",
                        table, columns, groups.empty() ? "COL" : shell_word(joined(groups, ",")))
          : fmt::format(
                "for losses there are 'scalelaw fit {} {}{}', 'scalelaw isoflop {}' and "
                "'scalelaw plot surface'",
                table, columns, groups.empty() ? "" : " -b " + shell_word(joined(groups, ",")),
                table);
  throw DataError(fmt::format(
      "{}: '{}' is a loss over '{}' and '{}', and {} needs times or rates over numbers of GPUs; {}",
      input_name(first), losses->loss, losses->parameters, second, command, advice));
}

Study read_study(const StudyOptions& options, FitOptions& fit, const GlobalOptions& global) {
  GroupedCells runs = read_groups(options, fit, global);
  StudyReport report = report_on(runs);
  report.inputs = options.inputs;
  report.points = options.points;
  report.run = options.run;
  report.weights = options.weights;
  report.growing_work = growing_work_of(runs, fit.response);
  report.partly_growing_work = partly_growing_work_of(runs, fit.response);
  const std::string epochs = note_epochs(runs.unused_run_column(), fit, global.console());
  if (!epochs.empty()) report.warnings.push_back(epochs);
  return {std::move(report), std::move(runs)};
}

void refuse_without_gpus(const std::string& x, std::string_view option) {
  if (may_count_gpus(x)) return;
  throw DataError(
      fmt::format("{} needs the number of GPUs, and '{}' does not count GPUs: name a column of "
                  "GPUs with -x, or add one to the table, such as gpus",
                  option, x));
}

std::optional<double> gpus_per_node(const std::string& text, const StudyOptions& study,
                                    const StudyReport& report, const GlobalOptions& global) {
  if (text.empty()) return std::nullopt;
  if (const auto number = parse_number(text)) {
    if (*number > 0) return number;
    throw DataError(fmt::format("--gpus-per-node: expected a number above 0, found {}", text));
  }
  if (std::find(study.inputs.begin(), study.inputs.end(), "-") != study.inputs.end()) {
    throw DataError(fmt::format(
        "--gpus-per-node {}: a column is read a second time, which standard input cannot be: store "
        "the table as a file, or give the number",
        text));
  }
  StudyOptions of_nodes = study;
  of_nodes.x = report.x;
  of_nodes.y = text;
  of_nodes.by = report.by;
  of_nodes.by_chosen = true;
  of_nodes.rate = false;
  const GroupedCells runs = read_quietly(of_nodes, fit_options(of_nodes), global);
  double least = kInfinity;
  double greatest = 0;
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs.cells(i, cells);
    for (const Cell& cell : cells) {
      least = std::min(least, cell.min);
      greatest = std::max(greatest, cell.max);
    }
  }
  if (least == greatest) return least;
  throw DataError(fmt::format(
      "--gpus-per-node: the column '{}' goes from {} to {}: --where picks runs of one value, or "
      "give the number",
      text, least, greatest));
}

void say_factors(const StudyOptions& options, std::span<const std::string> factors,
                 const Console& console) {
  if (!options.factors.empty()) return;
  console.note(
      fmt::format("{} {} compared; {} names {}", joined(factors),
                  factors.size() == 1 ? "is the setting that is" : "are the settings that are",
                  options.usual_factors.option, factors.size() == 1 ? "another" : "others"));
}

}  // namespace scalelaw::cli
