#include "study_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/fit/pool_groups.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw::cli {
namespace {

void add_law_options(Options& command, StudyOptions& options) {
  command.group("Law");
  command.choice("--law", options.law, all_laws(),
                 "The law to fit. chinchilla takes two x, such as parameters and tokens");
  add_rate_option(command, options);
  command.choice(
      "--errors", options.errors, named<Errors>(),
      "How runs scatter: by a share of y (lognormal), or by the same amount at every N (normal)");
  command.choice(
      "--robust", options.robust, named<Robust>(),
      "A fit that outliers influence less. chinchilla uses huber unless you ask for none");
}

void add_uncertainty_options(Options& command, StudyOptions& options) {
  command.group("Uncertainty");
  auto kinds = named<StandardError>();
  std::erase_if(kinds, [](const auto& kind) { return kind.value == StandardError::kSandwich; });
  command.choice("--se", options.se, kinds,
                 "Kind of standard error. hc0 to hc3 allow for scatter that differs with N; "
                 "cluster and cr2 for rows of one --run that share errors");
  add_confidence_option(command, options);
  command.count("--bootstrap", options.bootstrap.resamples, 0, "B",
                "Number of resamples for bootstrap intervals; 0 for no bootstrap");
  command.choice("--bootstrap-kind", options.bootstrap.kind, named<BootstrapKind>(),
                 "What the bootstrap draws: residuals times random weights (webb) or signs (wild), "
                 "residuals (residual), or points (case)");
  command.count("--seed", options.bootstrap.seed, 0, "S",
                "Seed of the random numbers; the same seed gives the same result");
}

bool is_clustered(StandardError se) {
  return se == StandardError::kCluster || se == StandardError::kCr2;
}

/// What --pool does not go with, each with the reason.
void check_pool(const StudyOptions& options) {
  if (options.pool == Pool::kNone) return;
  const auto refuse = [&options](const std::string& why) {
    throw DataError(fmt::format("--pool {} {}", name_of(options.pool), why));
  };
  const Law& law = *options.law;
  if (!options.constraints.empty()) {
    refuse("goes with a law whose parameters are all free: leave out --fix, --tie and --bound");
  }
  if (!law.linear() || law.scale() != Scale::kLog) {
    refuse(fmt::format("works with the power and lognormal laws, not with {}", law.name()));
  }
  if (options.pool == Pool::kSlopes && law.name() != "power") {
    refuse(fmt::format("works with the power law, not with {}", law.name()));
  }
  if (options.errors != Errors::kLognormal)
    refuse("pools the scatter of ln y, so it does not go with --errors normal");
  if (options.robust != Robust::kNone) {
    refuse(fmt::format("works with least squares: leave out --robust {}", name_of(options.robust)));
  }
  if (options.se != StandardError::kClassic) {
    refuse(fmt::format(
        "assumes one scatter for all points, and --se {} does not: leave out one of them",
        name_of(options.se)));
  }
  if (options.bootstrap.resamples > 0) {
    refuse(
        "assumes one scatter for all groups, and --bootstrap draws inside each: leave out one of "
        "them");
  }
}

bool folds_points(const StudyOptions& options) {
  return options.points != Points::kEach || (!options.run.empty() && !is_clustered(options.se));
}

/// Combinations that have no meaning, each with what to do about it.
void check_combination(const StudyOptions& options) {
  if (is_clustered(options.se) && options.run.empty()) {
    throw DataError(
        fmt::format("--se {} needs --run COL: the column that says which rows belong together",
                    name_of(options.se)));
  }
  if (options.robust != Robust::kNone && options.se != StandardError::kClassic) {
    throw DataError(
        fmt::format("--robust {} has standard errors of its own: leave out --se {}, or --robust",
                    name_of(options.robust), name_of(options.se)));
  }
  if (is_clustered(options.se) && options.bootstrap.resamples > 0) {
    throw DataError(fmt::format(
        "--bootstrap draws rows, not the runs of --se {}: leave one of them out, or average the "
        "rows of a run to one point (--run without --se {})",
        name_of(options.se), name_of(options.se)));
  }
  check_pool(options);
  if (!options.constraints.empty() && options.robust != Robust::kNone) {
    throw DataError(
        fmt::format("--robust {} is for free parameters: leave it out, or --fix, --tie and --bound",
                    name_of(options.robust)));
  }
  refuse_few_draws(options.bootstrap.resamples, "resamples");
  if (is_clustered(options.se) && options.points != Points::kEach) {
    throw DataError(fmt::format("--se {} needs the rows themselves: leave out --points {}",
                                name_of(options.se), name_of(options.points)));
  }
  if (!options.weights.empty() && folds_points(options)) {
    throw DataError(
        "--weights are weights of rows, so they do not go with --points mean or median, or with a "
        "--run that averages rows");
  }
}

RunOptions run_options(const StudyOptions& options, const FitOptions& fit,
                       const GlobalOptions& global) {
  refuse_two_x(*fit.law, "this command");
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
  } else if (options.y.empty() && rises_with_x(runs)) {
    console.warn(fmt::format(
        "'{0}' was taken as a time, but it rises with {1}: if it is a rate add --rate, if another "
        "column is the time name it with -y, and if the work grows with {1} (weak scaling) name "
        "'{0}' with -y",
        runs.y(), runs.x()));
  }
}

/// The columns of x that are read.
SurfaceColumns columns_asked(const StudyOptions& options, const SurfaceOptions& surface) {
  std::vector<std::string> scales = split(options.x, ',');
  const std::size_t needed = surface.flops.empty() ? 2 : 1;
  if (scales.empty()) {
    return {.n = {},
            .d = {},
            .compute = surface.flops,
            .flops_per_parameter_token = surface.flops_per_parameter_token};
  }
  if (scales.size() != needed) {
    throw DataError(
        fmt::format("--law {} takes two x: name both columns, such as -x parameters,tokens, or "
                    "only the first with --flops COL; found -x {}",
                    options.law->name(), options.x));
  }
  if (scales[0] == (needed == 2 ? scales[1] : surface.flops)) {
    throw DataError(fmt::format("--law {} takes two x, and both are the column '{}'",
                                options.law->name(), scales[0]));
  }
  return {.n = scales[0],
          .d = needed == 2 ? scales[1] : "",
          .compute = surface.flops,
          .flops_per_parameter_token = surface.flops_per_parameter_token};
}

char delimiter_in(const std::string& word) {
  static constexpr std::pair<std::string_view, char> kNames[] = {
      {"comma", ','}, {"semicolon", ';'},  {"tab", '\t'},      {"\\t", '\t'},     {"bar", '|'},
      {"pipe", '|'},  {"blanks", kBlanks}, {"blank", kBlanks}, {"space", kBlanks}};
  for (const auto& [name, delimiter] : kNames) {
    if (name == word) return delimiter;
  }
  const bool usable = word.size() == 1 && word != "\"" && word != "\n" && word != "\r" &&
                      std::isalnum(static_cast<unsigned char>(word.front())) == 0;
  if (usable) return word.front();
  throw DataError(fmt::format(
      "--delimiter: expected one character such as , ; | or one of tab and blanks; found {}",
      scalelaw::quoted(word)));
}

char decimal_in(const std::string& word) {
  if (word == "." || word == ",") return word.front();
  throw DataError(fmt::format("--decimal: expected . or , and found {}", scalelaw::quoted(word)));
}

/// The residuals of a fit as --residual names them.
std::vector<Named<Errors>> residuals() {
  return {{"log", Errors::kLognormal}, {"raw", Errors::kNormal}};
}

void refuse_if_given(const Options& command, const char* option, std::string_view why) {
  if (!command.given(option)) return;
  throw DataError(fmt::format("{} does not go with a law of two x: {}", option, why));
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
  if (rows.failed > 0) console.note(rows.failures + "; --keep-failed uses them");
  if (rows.filtered > 0) {
    console.note(
        fmt::format("--where left out {} of {}", rows.filtered, counted(rows.read, "row")));
  }
  if (rows.missing > 0) {
    console.warn(part_of(rows.missing, rows.read, "row", "has", "have") + " no value: left out");
  }
  if (rows.bad == 0) return;
  console.warn(part_of(rows.bad, rows.read, "row", "is", "are") +
               " malformed and left out. The first:");
  for (const std::string& message : bad_rows) console.warn("  " + message);
}

void add_axis_options(Options& command, StudyOptions& options) {
  command.group("Data");
  command.text("-x", options.x, "COL",
               "Column of the scale, such as the number of GPUs. Default: found by its name");
  command.text("-y", options.y, "COL",
               "Column of the measured time or rate, such as seconds per epoch; 'COL[min]' "
               "tells its unit. Default: found by its name");
}

void add_selection_options(Options& command, StudyOptions& options) {
  command.group("Data");
  command.text(
      "-b,--by",
      [&options](const std::string& columns) {
        options.by = split(columns, ',');
        options.by_chosen = true;
      },
      "COL,COL",
      "Columns whose values divide the runs into groups, such as model. Default: found by their "
      "names. \"\" makes one group of all runs");
  command.list("--where", options.where, "COND",
               "Use only rows that meet this condition: col=value, col!=value, col=a,b,c or "
               "col<=64. Repeat it for several conditions");
  command.text("--run", options.run, "COL",
               "Column that names the run of a row; rows of one run are averaged to one point");
  command.flag("--skip-bad-rows", options.skip_bad_rows,
               "Leave out malformed rows and count them, instead of stopping at the first");
  command.flag(
      "--keep-failed", options.keep_failed,
      "Also use runs that failed, according to a column such as state, success or exit_code");
  command.text(
      "--delimiter",
      [&options](const std::string& word) { options.layout.delimiter = delimiter_in(word); },
      "CHAR", "What separates the columns: , ; | tab or blanks. Default: found from the text");
  command.text(
      "--decimal",
      [&options](const std::string& word) { options.layout.decimal = decimal_in(word); }, "CHAR",
      "The decimal sign, a point (.) or a comma (,). Default: found from the text");
  command.text("--wide", options.layout.wide, "NAME",
               "The table has one column per scale (1 GPU, 2 GPUs, ...): read one row per scale, "
               "which stands in the column NAME");
  command.count(
      "--table", options.layout.table, 1, "N",
      "The table to read of a text that holds several, such as a README. Default: the first");
}

void add_row_options(Options& command, StudyOptions& options) {
  add_axis_options(command, options);
  add_selection_options(command, options);
  command.choice(
      "--points", options.points, named<Points>(),
      "What counts as a point: each row, or the mean or median of a group's rows at one x");
  command.text("--weights", options.weights, "COL",
               "Column with a weight above 0 for each row: the inverse of its variance");
}

void add_data_options(Options& command, StudyOptions& options) {
  add_input_option(command, options);
  add_row_options(command, options);
}

void add_input_option(Options& command, StudyOptions& options) {
  command.group("Data");
  command.words("INPUT", options.inputs, "",
                "Tables to read: CSV, TSV or JSON files, a folder of tables, a quoted glob, a "
                "study store, or - for standard input. gzip and zstd are recognised");
}

void add_rate_option(Options& command, StudyOptions& options) {
  command.flag(
      "--rate", options.rate,
      "y is a rate, such as samples per second: y = alpha N^beta, so beta > 0 still means faster");
}

void add_confidence_option(Options& command, StudyOptions& options) {
  command.group("Uncertainty");
  command.number("--confidence", options.confidence, number_between(0, 1), "LEVEL",
                 "Level of the intervals, between 0 and 1; 0.95 is 95 %");
}

void add_method_options(Options& command, StudyOptions& options) {
  command.extend_help("--run", ", or form one cluster with --se cluster or cr2");
  add_law_options(command, options);
  add_uncertainty_options(command, options);
}

void add_study_options(Options& command, StudyOptions& options) {
  add_data_options(command, options);
  add_method_options(command, options);
  add_constraint_options(command, options.constraints);
}

void add_pool_option(Options& command, StudyOptions& options, const std::vector<Pool>& kinds) {
  command.group("Uncertainty");
  command.choice(
      "--pool", options.pool, named(kinds),
      kinds.size() > 2
          ? "What groups share, for tighter intervals from few runs: one scatter (scatter), or "
            "also one distribution of exponents (slopes)"
          : "What groups share, for tighter intervals from few runs: one scatter (scatter)");
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
  for (const Named<const Law*>& law : named_laws(2)) laws.push_back(law);
  return laws;
}

FitOptions fit_options(const StudyOptions& options) {
  check_combination(options);
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

void warn_of_ungrouped(const std::vector<std::string>& columns, std::vector<std::string> by,
                       const std::string& x, const Console& console) {
  if (columns.empty()) return;
  by.insert(by.end(), columns.begin(), columns.end());
  console.warn(fmt::format(
      "runs of one group{} differ in {}, and are fitted together: -b {} keeps them apart, "
      "and --where picks one value",
      x.empty() ? "" : " at one " + x, joined(columns), shell_word(joined(by, ","))));
}

GroupedCells read_groups(const StudyOptions& options, FitOptions& fit,
                         const GlobalOptions& global) {
  refuse_no_input(options);
  GroupedCells runs = read_quietly(options, fit, global);
  const Console console = global.console();
  console.note(runs.choice());
  adopt_response(options, runs, fit, console);
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

Study read_study(const StudyOptions& options, FitOptions& fit, const GlobalOptions& global) {
  GroupedCells runs = read_groups(options, fit, global);
  StudyReport report = report_on(runs);
  report.inputs = options.inputs;
  report.points = options.points;
  report.run = options.run;
  report.weights = options.weights;
  const std::string epochs = note_epochs(runs.unused_run_column(), fit, global.console());
  if (!epochs.empty()) report.warnings.push_back(epochs);
  return {std::move(report), std::move(runs)};
}

void add_surface_options(Options& command, SurfaceOptions& options, StudyOptions& study) {
  command.group("Data");
  command.text("--flops", options.flops, "COL",
               "For laws of two x: column of the training compute. Then -x names one column, and "
               "the second x is tokens = compute / (K * x)");
  command.number("--flops-per-parameter-token", options.flops_per_parameter_token, positive(), "K",
                 "For laws of two x: K in compute = K * parameters * tokens. Default: 6 if the "
                 "columns are parameters and tokens by their names, otherwise 1");
  command.group("Law");
  command.choice("--residual", study.errors, residuals(),
                 "What the fit brings near 0: residuals of ln y (log), or of y itself (raw). The "
                 "same as --errors lognormal and normal");
  command.number("--huber-delta", study.huber_delta, positive(), "D",
                 "For laws of two x: the residual from which Huber's loss is linear; of ln y, or "
                 "with --residual raw of y");
  command.number("--over-penalty", study.over_penalty, positive(), "K",
                 "For laws of two x: a run counts K times where the law lies above what was "
                 "measured, so that the law moves to the lower edge of the runs");
}

void refuse_two_residuals(const Options& command) {
  if (!command.given("--residual") || !command.given("--errors")) return;
  throw DataError("--residual and --errors say the same thing: leave out one of them");
}

bool takes_two_x(const StudyOptions& options) { return options.law->inputs() == 2; }

void refuse_two_x(const Law& law, std::string_view what) {
  if (law.inputs() == 1) return;
  throw DataError(
      fmt::format("the {} law takes two x, and {} works only with laws of one x; fit, predict and "
                  "plot surface can use it",
                  law.name(), what));
}

void refuse_surface_options(const Options& command, const StudyOptions& options) {
  refuse_two_residuals(command);
  if (command.given("--residual") && options.errors == Errors::kLognormal &&
      options.law->scale() == Scale::kOriginal) {
    throw DataError(fmt::format(
        "--residual log: the {} law is fitted to y itself; leave out --residual, or choose another "
        "law with --law",
        options.law->name()));
  }
  if (const auto name = command.first_given({"--flops", "--flops-per-parameter-token",
                                             "--huber-delta", "--over-penalty", "--at-compute"})) {
    throw DataError(fmt::format("{} works only with laws of two x, and {} takes one", *name,
                                options.law->name()));
  }
}

FitOptions surface_fit_options(const Options& command, const StudyOptions& options) {
  if (!is_clustered(options.se)) {
    refuse_if_given(
        command, "--se",
        "its standard errors come from the sandwich estimator, or with cluster or cr2 from runs");
  }
  refuse_two_residuals(command);
  refuse_if_given(command, "--points", "every row is a point; --run averages rows");
  refuse_if_given(command, "--weights", "all its runs have the same weight");
  refuse_if_given(command, "--rate", "its exponents say how y falls, whatever y is");
  if (options.bootstrap.kind != BootstrapKind::kWebb &&
      options.bootstrap.kind != BootstrapKind::kCase) {
    refuse_if_given(command, "--bootstrap-kind", "its bootstrap draws runs (case)");
  }
  if (options.robust == Robust::kTheilSen)
    refuse_if_given(command, "--robust", "choose none or huber");
  refuse_few_draws(options.bootstrap.resamples, "resamples");
  StudyOptions plain = options;
  plain.robust = Robust::kNone;
  plain.bootstrap.resamples = 0;  // Here it may draw the runs of --se cluster.
  FitOptions fit = fit_options(plain);
  fit.bootstrap.resamples = options.bootstrap.resamples;
  const bool least_squares = command.given("--robust") && options.robust == Robust::kNone;
  fit.robust = least_squares ? Robust::kNone : Robust::kHuber;
  if (!is_clustered(options.se)) fit.se = StandardError::kSandwich;
  fit.bootstrap.kind = BootstrapKind::kCase;
  return fit;
}

namespace {

/// That rows of one size may share errors, where each size has several rows; else empty.
std::string shared_errors_warning(const SurfaceTable& table, std::string_view clustering) {
  constexpr std::size_t kRowsOfOneSize = 3;
  for (const SurfaceRuns& group : table.groups) {
    const std::set<double> sizes(group.n.begin(), group.n.end());
    if (group.n.size() < kRowsOfOneSize * sizes.size()) continue;
    return fmt::format(
        "{} rows have {} of '{}': if rows of one size are points of one run, or share errors "
        "otherwise, the intervals are too short; --se {} --run {} allows for that",
        group.n.size(), counted(sizes.size(), "value"), table.scales[0], clustering,
        shell_word(table.scales[0]));
  }
  return "";
}

}  // namespace

SurfaceStudy read_surface(const StudyOptions& options, const SurfaceOptions& surface,
                          const GlobalOptions& global) {
  refuse_no_input(options);
  const Console console = global.console();
  const SurfaceColumns columns = columns_asked(options, surface);
  RunOptions rows = row_options(options, global);
  rows.x.clear();
  rows.runs_are_clusters = is_clustered(options.se);
  SurfaceTable table = read_surface_runs(options.inputs, columns, rows);
  console.note(table.choice);
  warn_of_ungrouped(table.ungrouped, table.by, joined(table.scales, ","), console);
  say_what_was_left_out(table.rows, table.bad_rows, console);
  if (table.groups.empty()) throw DataError("no row can be fitted");
  SurfaceStudy study;
  const bool knows_runs = !options.run.empty() || !table.unused_run_column.empty();
  const std::string_view clustering = surface.is_joint ? "cluster" : "cr2";
  if (const std::string shared = knows_runs ? "" : shared_errors_warning(table, clustering);
      !shared.empty()) {
    console.warn(shared);
    study.report.warnings.push_back(shared);
  }
  study.report.inputs = options.inputs;
  study.report.x = joined(table.scales, ",");
  study.report.scales = std::move(table.scales);
  study.report.flops_per_parameter_token = table.flops_per_parameter_token;
  study.report.y = std::move(table.y);
  study.report.y_unit = std::move(table.y_unit);
  study.report.by = std::move(table.by);
  study.report.run = options.run;
  study.report.rows = std::move(table.rows);
  study.groups = std::move(table.groups);
  study.unused_run_column = std::move(table.unused_run_column);
  return study;
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
