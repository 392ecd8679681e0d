#include "scalelaw/study/read_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/suggested_call.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/fit/fit_groups.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "scalelaw/runs/written_number.hpp"
#include "scalelaw/study/notes.hpp"
#include "scalelaw/trace/ingest.hpp"

namespace scalelaw {
namespace {

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
                    const Messages& say) {
  const Quantity& quantity = runs.quantity();
  const bool more = quantity.better == Better::kMore;
  fit.rate_of_one = quantity.is_of_one();
  if (more) fit.response = Response::kRate;
  if (quantity.kind == Kind::kRate && quantity.whose == Owner::kUnknown) {
    say.warn(fmt::format(
        "'{0}' is the rate of one {1}, and no column counts them beside '{2}': it is taken as the "
        "rate of all. --per gpu says that each {1} is one unit of '{2}'; else add a column of "
        "their number",
        runs.y(), rate_name(runs.y()).place, runs.x()));
  }
  if (options.rate || options.time || options.told.better) return;
  const bool undecided = options.y.empty() || quantity.kind == Kind::kOther;
  if (more) {
    say.note(fmt::format("'{}' is fitted as a rate, as if --rate were given{}", runs.y(),
                         quantity.kind == Kind::kRate ? "" : ": more of it is better"));
  } else if (undecided && runs.growing_work().empty() && !is_amount_of_work(runs.x()) &&
             rises_with_x(runs)) {
    say.warn(fmt::format(
        "'{0}' was taken as a time, but it rises with {1}. If it is a rate, add --rate; if another "
        "column is the time, name it with -y; if the work of a run grows with {1} (weak scaling), "
        "-y {2} says that all is well",
        runs.y(), runs.x(), shell_word(runs.y())));
  }
}

/// Where no table of runs was found in a log or trace, names the command that makes one of it.
void refuse_traces(const StudyOptions& options) {
  if (!options.x.empty() || !options.y.empty()) return;
  const auto first = first_regular_file(options.inputs);
  const std::string title = first ? title_of_trace(*first) : "";
  if (title.empty()) return;
  throw DataError(
      fmt::format("{}: {}, and no table of runs: '{}' makes one", input_name(*first), title,
                  SuggestedCall("ingest", options.inputs).option("-o", "runs.csv").text()));
}

/// Reads the rows of a table, which may be wide without --wide: then it is read again, and a note
/// says so.
GroupedCells read_long_or_wide(const StudyOptions& options, const FitOptions& fit,
                               const CallConditions& conditions) {
  try {
    return read_quietly(options, fit, conditions);
  } catch (const WideTableError& wide) {
    const bool again = std::ranges::all_of(options.inputs, is_regular_file);
    if (!again || conditions.ranks != nullptr) throw;
    StudyOptions of_wide = options;
    of_wide.layout.wide = wide.scale();
    GroupedCells runs = read_quietly(of_wide, fit, conditions);
    conditions.say.note("note: " + wide.reading());
    return runs;
  } catch (const NoColumnError&) {
    refuse_traces(options);
    throw;
  }
}

}  // namespace

GroupedCells read_quietly(const StudyOptions& options, const FitOptions& fit,
                          const CallConditions& conditions) {
  return read_runs(options.inputs, run_options(options, fit, conditions));
}

GroupedCells read_groups(const StudyOptions& options, FitOptions& fit,
                         const CallConditions& conditions) {
  refuse_no_input(options);
  GroupedCells runs = read_long_or_wide(options, fit, conditions);
  const Messages& say = conditions.say;
  say.note(runs.choice());
  adopt_response(options, runs, fit, say);
  if (const auto part = partly_growing_work_of(runs, fit.response)) {
    note_partly_growing_work(*part, runs, say);
  } else {
    note_growing_work(growing_work_of(runs, fit.response), runs.x(), say);
  }
  warn_of_ungrouped(runs.ungrouped(), runs.by(), runs.x(), say);
  say_what_was_left_out(runs.rows(), runs.bad_rows(), say);
  return runs;
}

Study read_study(const StudyOptions& options, FitOptions& fit, const CallConditions& conditions) {
  GroupedCells runs = read_groups(options, fit, conditions);
  StudyReport report = report_on(runs);
  report.inputs = options.inputs;
  report.points = options.points;
  report.run = options.run;
  report.weights = options.weights;
  report.growing_work = growing_work_of(runs, fit.response);
  report.partly_growing_work = partly_growing_work_of(runs, fit.response);
  const std::string epochs = note_epochs(runs.unused_run_column(), fit, conditions.say);
  if (!epochs.empty()) report.warnings.push_back(epochs);
  return {std::move(report), std::move(runs)};
}

void pool_if_asked(const GroupedCells& runs, FitOptions& fit, StudyReport& head,
                   const CallConditions& conditions) {
  if (fit.pool == Pool::kNone) return;
  const auto warn = [&](std::string sentence) {
    conditions.say.warn(sentence);
    head.warnings.push_back(std::move(sentence));
  };
  fit.pooling = pool_groups(runs, fit, conditions.threads);
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

std::optional<LossColumns> loss_columns_of(const StudyOptions& study) {
  const auto first = first_regular_file(study.inputs);
  return first ? loss_columns(TableRows(*first, study.layout).header(), nullptr) : std::nullopt;
}

std::string take_losses(StudyOptions& study) {
  const auto losses = loss_columns_of(study);
  const bool named = !study.x.empty() || !study.y.empty() || study.rate || study.time;
  if (named || !losses) return "";
  const Header header = TableRows(*first_regular_file(study.inputs), study.layout).header();
  const auto compares = [](const std::string& name) {
    const Quantity quantity = quantity_of(name);
    const bool whole = quantity.of == WorkUnit::kRun || quantity.of == WorkUnit::kUnknown;
    return quantity.kind == Kind::kRate || (quantity.kind == Kind::kTime && !whole);
  };
  if (std::ranges::any_of(header.names, compares)) return "";
  study.x = losses->n;
  study.y = losses->loss;
  return fmt::format(
      "'{}' depends on '{}' as well: {} says which calls take both and plan a "
      "training run",
      study.y, losses->tokens.empty() ? losses->compute : losses->tokens,
      SuggestedCall("look", {study.inputs.front()}).text());
}

void refuse_losses(const StudyOptions& study, std::string_view command) {
  if (!study.x.empty() || study.inputs.empty()) return;
  const auto first = first_regular_file(study.inputs);
  if (!first) return;
  const Header header = TableRows(*first, study.layout).header();
  const auto losses = loss_columns(header, nullptr);
  if (!losses || !scale_columns(header, study.y, nullptr).empty()) return;
  const bool has_tokens = !losses->tokens.empty();
  const std::string& second = has_tokens ? losses->tokens : losses->compute;
  RunOptions of_losses;
  of_losses.has_x = false;
  of_losses.y = losses->loss;
  const auto groups = choose_columns(header, of_losses, *first, nullptr).by;
  const auto call = [&](std::string_view asked) {
    return SuggestedCall(asked, {study.inputs.front()})
        .option("--law", "chinchilla")
        .option("-x", has_tokens ? losses->n + "," + second : losses->n)
        .option_if("--flops", has_tokens ? "" : second)
        .option("-y", losses->loss);
  };
  const std::string by = joined(groups, ",");
  const std::string advice =
      command == "contrast"
          ? "compare recipes by their losses: " +
                call("contrast").option("--factor", by.empty() ? "COL" : by).text()
          : fmt::format("for losses there are '{}', '{}' and 'scalelaw plot surface'",
                        call("fit").option_if("-b", by).text(),
                        SuggestedCall("isoflop", {study.inputs.front()}).text());
  throw DataError(fmt::format(
      "{}: '{}' is a loss over '{}' and '{}', and {} needs times or rates over numbers of GPUs; {}",
      input_name(*first), losses->loss, losses->n, second, command, advice));
}

StudyOptions study_of_column(const StudyOptions& study, const StudyReport& report,
                             const std::string& column) {
  StudyOptions out = study;
  out.x = report.x;
  out.y = column;
  out.by = report.by;
  out.by_chosen = true;
  out.rate = false;
  out.told = {};
  return out;
}

std::optional<double> gpus_per_node(const std::string& text, const StudyOptions& study,
                                    const StudyReport& report, const GroupedCells& runs,
                                    const CallConditions& conditions) {
  if (text.empty()) return counts_nodes(report.x) ? runs.gpus_per_node() : std::nullopt;
  if (const auto number = parse_number(text)) {
    if (*number > 0) return number;
    throw DataError(fmt::format("--gpus-per-node: expected a number above 0, found {}", text));
  }
  if (contains(study.inputs, "-")) {
    throw DataError(fmt::format(
        "--gpus-per-node {}: a column is read a second time, which standard input cannot be: store "
        "the table as a file, or give the number",
        text));
  }
  const StudyOptions of_nodes = study_of_column(study, report, text);
  const GroupedCells shares = read_quietly(of_nodes, fit_options(of_nodes), conditions);
  double least = kInfinity;
  double greatest = 0;
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares.cells(i, cells);
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

bool are_saved_fits(const std::vector<std::string>& inputs) {
  const auto saved = std::ranges::count_if(inputs, holds_saved_fits);
  if (saved > 0 && static_cast<std::size_t>(saved) < inputs.size()) {
    throw DataError(fmt::format("{}: saved fits and run tables cannot be mixed: name only one kind",
                                joined(inputs)));
  }
  return saved > 0;
}

std::optional<double> gpus_per_node_of_saved(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto number = number_as_written(text);
  if (number && *number > 0) return number;
  throw DataError(fmt::format(
      "--gpus-per-node: saved fits have no columns, so that it takes a number above 0, such as 8; "
      "found {}",
      quoted(text)));
}

}  // namespace scalelaw
