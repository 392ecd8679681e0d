// Binds the options that say which runs are read, and how they are fitted.

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/columns.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {
namespace {

/// "more", "less", "goodput=more,stalls=less".
void read_better(const std::string& text, StudyOptions& options) {
  const auto choices = named(std::vector{Better::kMore, Better::kLess});
  options.told.better.reset();
  options.better_of.clear();
  for (const std::string& one : split(text, ',')) {
    const std::size_t sign = one.rfind('=');
    const bool is_of_one = sign != std::string::npos;
    const Better better = value_named("--better", is_of_one ? one.substr(sign + 1) : one, choices);
    if (is_of_one) {
      options.better_of.emplace_back(one.substr(0, sign), better);
    } else {
      options.told.better = better;
    }
  }
}

void add_law_options(Options& command, StudyOptions& options) {
  command.group("Law");
  command.choice(
      "--law", options.law, all_laws(),
      "The law to fit. chinchilla and overtrain take two x, such as parameters and tokens, and "
      "data-constrained also takes unique tokens");
  add_rate_option(command, options);
  command.choice(
      "--errors", options.errors, named<Errors>(),
      "How runs scatter: by a share of y (lognormal), or by the same amount at every N (normal)");
  command.choice(
      "--robust", options.robust, named<Robust>(),
      "A fit that outliers influence less. Laws of several x use huber unless you ask for none");
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

}  // namespace

std::vector<Named<const Law*>> laws_named(const std::vector<std::string_view>& names) {
  std::vector<Named<const Law*>> laws;
  for (const std::string_view name : names) laws.push_back({name, find_law(name)});
  return laws;
}

std::vector<Named<const Law*>> named_laws(std::size_t inputs) {
  const auto names = law_names(inputs);
  return laws_named({names.begin(), names.end()});
}

std::vector<Named<const Law*>> all_laws() {
  std::vector<Named<const Law*>> laws = named_laws(1);
  for (const std::size_t inputs : {2, 3}) {
    for (const Named<const Law*>& law : named_laws(inputs)) laws.push_back(law);
  }
  return laws;
}

void add_saved_rules(Options& command) {
  command
      .rules({"-x", "-y", "--by", "--where", "--run", "--points", "--weights", "--skip-bad-rows",
              "--keep-failed", "--delimiter", "--decimal", "--wide", "--table", "--rate"})
      .excludes(saved_fits(),
                "{2}: it holds finished fits, whose rows and columns {0} cannot change; name the "
                "table of runs instead");
}

void add_axis_options(Options& command, StudyOptions& options) {
  command.group("Data");
  command.text("-x", options.x, "COL",
               "Column of the scale, such as the number of GPUs. Default: found by its name");
  command.text("-y", options.y, "COL",
               "Column of the measured time or rate, such as seconds per epoch; 'COL[min]' "
               "tells its unit. Default: found by its name");
}

void add_selection_options(Options& command, StudyOptions& options, const char* of_runs) {
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
               "Use only rows that meet this condition: col=value, col!=value, col=a,b,c, col<=64 "
               "or date>=2026-06-01. Repeat it for several conditions");
  command.text(
      "--run", options.run, "COL",
      of_runs != nullptr
          ? of_runs
          : "Column that names the run of a row; rows of one run are averaged to one point");
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
      "The table to read of a text that holds several, such as a README. Default: the first with "
      "a scale and a time, a rate or a loss by its names");
  options.layout.suits = is_table_of(options);
}

void add_row_options(Options& command, StudyOptions& options) {
  add_axis_options(command, options);
  add_selection_options(command, options);
  command.choice(
      "--points", options.points, named<Points>(),
      "What counts as a point: each row, or the mean or median of a group's rows at one x");
  constexpr const char* kOfRows =
      "{0} are weights of rows, so they do not go with --points mean or median, or with a --run "
      "that averages rows";
  command
      .text("--weights", options.weights, "COL",
            "Column with a weight above 0 for each row: the inverse of its variance")
      .excludes(several_x(), "all its runs have the same weight")
      .excludes("--points!=each", kOfRows)
      .unless("--se=cluster|cr2")
      .excludes("--run", kOfRows);
  command.rules("--points").excludes(several_x(), "every row is a point; --run averages rows");
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
  command
      .flag("--rate", options.rate,
            "y is a rate, such as samples per second: y = alpha N^beta, so beta > 0 still means "
            "faster")
      .excludes(several_x(), "its exponents say how y falls, whatever y is")
      .excludes("--time", "both say what y is");
  command.flag("--time", options.time, "y is a time, although its name says a rate");
  command.text("--unit", options.told.unit, "UNIT",
               "Unit of y where nothing in the table tells it: s, min, J, tokens/s");
  command.choice("--per", options.told.whose, named(std::vector{Owner::kGpu, Owner::kAll}),
                 "Whether a rate is that of one GPU (or one of what x counts) or of all together. "
                 "Default: by its name");
  command.text(
      "--better", [&options](const std::string& text) { read_better(text, options); }, "[COL=]KIND",
      "Whether more or less of y is better: more, less, or for single columns "
      "goodput=more,stalls=less. Default: by its name; less where that does not tell");
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
  add_method_rules(command);
}

void add_method_rules(Options& command) {
  command.rules("--se=cluster|cr2")
      .unless(saved_fits())
      .needs("--run", "{0} needs --run COL: the column that says which rows belong together");
  command.rules("--se!=cluster|cr2")
      .excludes(several_x(),
                "--se does not go with {1}: its standard errors come from the sandwich estimator, "
                "or with cluster or cr2 from runs");
  command.rules("--bootstrap-kind=residual|wild")
      .excludes(several_x(),
                "--bootstrap-kind does not go with {1}: its bootstrap draws runs (case)");
  command.rules("--robust=theil-sen")
      .excludes(several_x(), "--robust does not go with {1}: choose none or huber");
  command.rules("--robust!=none")
      .unless(several_x())
      .excludes("--se!=classic", "{0} has standard errors of its own: leave out {1}, or --robust")
      .excludes({"--fix", "--tie", "--bound"},
                "{0} is for free parameters: leave it out, or --fix, --tie and --bound");
  command.rules("--se=cluster|cr2")
      .excludes("--points!=each", "{0} needs the rows themselves: leave out {1}")
      .unless(several_x())
      .excludes("--bootstrap!=0",
                "--bootstrap draws rows, not the runs of {0}: leave one of them out, or average "
                "the rows of a run to one point (--run without {0})");
}

void add_constraint_options(Options& command, ConstraintOptions& options) {
  command.group("Law");
  command.list("--fix", options.fix, "NAME=VALUE",
               "Hold a parameter of the law at this value, such as E=1.69, and fit the others. "
               "Repeat it, or divide by commas");
  command.list("--tie", options.tie, "NAME=NAME", "Make two parameters equal, such as alpha=beta");
  command.list("--bound", options.bound, "NAME=FROM..TO",
               "Keep a parameter in this range, such as alpha=0.2..0.5");
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
      fmt::format(
          "What groups share, for tighter intervals from few runs: one scatter (scatter){}",
          kinds.back() == Pool::kSlopes ? ", or also one distribution of exponents (slopes)"
          : kinds.back() == Pool::kLaws
              ? ", or which laws they follow, with what exponents, floors and scatter (laws)"
              : ""));
  command.rules("--pool=scatter|slopes")
      .excludes({"--fix", "--tie", "--bound"},
                "{0} goes with a law whose parameters are all free: leave out --fix, --tie and "
                "--bound");
  if (kinds.back() == Pool::kLaws) return;  // Forecasts have laws of their own.
  command.rules("--pool=scatter|slopes")
      .only_for("--law=power|lognormal",
                "{0} works with the power and lognormal laws, not with {2}")
      .excludes({"--errors=normal", "--residual=raw"},
                "{0} pools the scatter of ln y, so it does not go with {1}")
      .excludes("--robust!=none", "{0} works with least squares: leave out {1}")
      .excludes("--se!=classic",
                "{0} assumes one scatter for all points, and {1} does not: leave out one of them")
      .excludes("--bootstrap!=0",
                "{0} assumes one scatter for all groups, and --bootstrap draws inside each: leave "
                "out one of them");
  command.rules("--pool=slopes")
      .only_for("--law=power", "{0} works with the power law, not with {2}");
}

}  // namespace scalelaw::cli
