#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "input/wide_table.hpp"
#include "runs/look_parts.hpp"
#include "runs/run_state.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// The values of a state that say success, and whether some say failure.
struct States {
  std::vector<std::string> good;
  std::uint64_t bad_rows = 0;
};

States states_of(const ColumnProfile& column) {
  static constexpr std::array<std::string_view, 14> kGood{
      "completed", "complete", "success", "succeeded", "successful", "ok",        "passed",
      "pass",      "true",     "done",    "finished",  "yes",        "converged", "1"};
  // A column of failures or exit codes says success by its opposite.
  const std::vector<std::string> words = words_of_name(column.name);
  const bool tells_failure = std::ranges::any_of(words, [](const std::string& word) {
    return word == "failed" || word == "crashed" || word == "exit";
  });
  static constexpr std::array<std::string_view, 3> kNoFailure{"0", "false", "no"};
  States states;
  std::vector<bool> is_good;
  for (const std::string& value : column.values) {
    const std::string lower = lower_case(value);
    is_good.push_back(tells_failure ? std::ranges::find(kNoFailure, lower) != kNoFailure.end()
                                    : std::ranges::find(kGood, lower) != kGood.end());
    if (is_good.back()) states.good.push_back(value);
  }
  for (const std::uint32_t code : column.codes) {
    states.bad_rows += code < is_good.size() && !is_good[code] ? 1 : 0;
  }
  return states;
}

bool has_value(const ColumnProfile& column, std::size_t row) {
  return column.codes[row] != ColumnProfile::kMissing;
}

/// The values of a column of texts in rows without `y`, if none of them stands in a row with it.
std::set<std::string> values_without(const ColumnProfile& column, const ColumnProfile& y) {
  std::set<std::uint32_t> with;
  std::set<std::uint32_t> without;
  for (std::size_t row = 0; row < y.codes.size(); ++row) {
    if (column.codes[row] >= column.values.size()) continue;
    (has_value(y, row) ? with : without).insert(column.codes[row]);
  }
  std::set<std::string> values;
  for (const std::uint32_t code : without) {
    if (with.contains(code)) return {};
    values.insert(column.values[code]);
  }
  return with.empty() ? std::set<std::string>() : values;
}

/// Whether a column of numbers has its values in rows without `y` alone, as the figures of other
/// events have.
bool is_of_other_rows(const ColumnProfile& column, const ColumnProfile& y) {
  if (!column.is_number() || column.meaning.role == ColumnRole::kState) return false;
  for (std::size_t row = 0; row < y.codes.size(); ++row) {
    if (has_value(column, row) && has_value(y, row)) return false;
  }
  return true;
}

/// "12 rows without a value of 'epoch_seconds' are other events ('event' is eval, start), ...", for
/// a log with several kinds of rows; else empty.
std::string other_events(const TableProfile& profile, const ColumnProfile& y) {
  static constexpr std::array<std::string_view, 11> kWords{"event",  "type",   "kind",   "phase",
                                                           "stage",  "record", "key",    "tag",
                                                           "action", "msg",    "message"};
  constexpr std::size_t kMostShown = 3;
  std::string reason;
  for (const ColumnProfile& column : profile.columns()) {
    const std::vector<std::string> words = words_of_name(column.name);
    const bool tells = std::ranges::any_of(words, [](const std::string& word) {
      return std::ranges::find(kWords, word) != kWords.end();
    });
    if (is_of_other_rows(column, y) && reason.empty()) {
      reason = fmt::format("such as those of '{}'", column.label());
    }
    if (!tells || column.is_number() || column.has_many_values) continue;
    const std::set<std::string> values = values_without(column, y);
    if (values.empty()) continue;
    std::vector<std::string> shown(values.begin(), values.end());
    const bool has_more = shown.size() > kMostShown;
    shown.resize(std::min(shown.size(), kMostShown));
    reason = fmt::format("'{}' is {}{}", column.label(), printable(joined(shown, " or ")),
                         has_more ? " or another" : "");
    break;
  }
  if (reason.empty()) return "";
  return fmt::format("{} without a value of '{}' {} ({}) and will be left out.",
                     counted(y.missing - y.failed, "row"), y.label(),
                     y.missing - y.failed == 1 ? "is another event" : "are other events", reason);
}

/// Columns of states that the reader does not know; it leaves out what fails by the others.
void find_crashed_runs(LookState& state, TableLook& look) {
  for (const ColumnProfile& column : state.profile.columns()) {
    if (column.meaning.role != ColumnRole::kState) continue;
    if (!state_columns({.names = {column.name}}, {}).empty()) continue;
    const States states = states_of(column);
    if (states.good.empty() || states.bad_rows == 0) continue;
    const std::string label = column.label();
    tell(look, "crashed", "{} did not succeed by '{}'; the commands leave {} out.",
         counted(states.bad_rows, "run"), label, states.bad_rows == 1 ? "it" : "them");
    state.where.push_back(fmt::format("{}={}", label, joined(states.good, ",")));
    return;
  }
  const ColumnProfile* const y = look.y.empty() ? nullptr : state.profile.column(look.y);
  if (y == nullptr || y->missing <= y->failed) return;  // What failed is told by its own words.
  if (const auto events = other_events(state.profile, *y); !events.empty()) {
    look.findings.push_back({"other_events", events});
  } else {
    tell(look, "crashed", "{} without a value of '{}' will be left out: runs that crashed?",
         counted(y->missing - y->failed, "row"), look.y);
  }
}

/// Whether a column counts few iterations, which benchmarks call their repeats.
bool may_be_repeats(const ColumnProfile& column) {
  constexpr std::size_t kMostRepeats = 20;
  const std::string name = column.label();
  const bool is_iteration =
      name.starts_with("iter") || name.starts_with("Iter") || name.starts_with("ITER");
  return is_iteration && column.values.size() <= kMostRepeats;
}

void find_epochs(const LookState& state, TableLook& look) {
  if (look.x.empty() && look.scales.empty()) return;
  const bool has_curves = std::ranges::any_of(
      look.findings, [](const LookFinding& one) { return one.code == "curves"; });
  if (has_curves) return;  // Rows of a run are what its group is fitted to.
  const ColumnProfile* const epoch = column_of_role(state.profile, ColumnRole::kEpoch);
  std::vector<std::string> names = look.by;
  names.insert(names.end(), look.scales.begin(), look.scales.end());
  names.push_back(look.x);
  ColumnProfiles fixed = state.profile.columns(names);
  const ColumnProfile* const run = column_of_role(state.profile, ColumnRole::kRun);
  if (run != nullptr && !run->has_many_values) fixed.push_back(run);
  if (epoch == nullptr || epoch->values.size() < 2 || !varies_within(*epoch, fixed)) return;
  if (epoch->label() == look.run) return;  // Each row is then a run of its own.
  tell(look, "epochs", "Each run has several rows, one per '{}'. {}", epoch->label(),
       !look.run.empty() ? fmt::format("--run {} averages them to one point per run.", look.run)
       : may_be_repeats(*epoch)
           ? "If these are repeats of the same work, each is a run of its own, as it is taken; if "
             "they are steps of one run, they are no independent runs."
           : "They are no independent runs: --run COL averages the rows of a run, where a column "
             "tells the runs apart.");
}

/// Whether a name says a setting of the training whose best value is looked for.
bool names_swept_setting(const ColumnProfile& column) {
  static constexpr std::array<std::string_view, 8> kWords{
      "lr", "learning", "batch", "bsz", "warmup", "decay", "momentum", "dropout"};
  const std::vector<std::string> words = words_of_name(column.name);
  return std::ranges::any_of(words, [](const std::string& word) {
    return std::ranges::find(kWords, word) != kWords.end();
  });
}

constexpr std::size_t kFewestSwept = 4;

/// How many cells of these columns have four or more values of another one.
std::size_t swept_cells(const ColumnProfile& setting, const ColumnProfiles& cells) {
  std::map<std::vector<std::uint32_t>, std::set<std::uint32_t>> values;
  for (std::size_t row = 0; row < setting.codes.size(); ++row) {
    if (has_value(setting, row)) values[codes_at(cells, row)].insert(setting.codes[row]);
  }
  return static_cast<std::size_t>(std::ranges::count_if(
      values, [](const auto& cell) { return cell.second.size() >= kFewestSwept; }));
}

/// Whether the work of a run grows with x.
void find_weak_scaling(const LookState& state, TableLook& look) {
  ChosenColumns columns;
  columns.x = look.x;
  columns.y = look.y;
  columns.by = look.by;
  if (const auto part = partly_growing_work(state.profile, columns)) {
    tell(look, "weak_scaling",
         "Weak scaling in {}: {}, so the time of a run need not fall. The other groups are strong "
         "scaling.",
         joined_texts(part->groups, "; ", [](const GroupKey& group) { return joined(group); }),
         part->reason(look.by, fmt::format("'{}'", look.x)));
    return;
  }
  const auto grows = growing_work(state.profile, columns);
  if (!grows) return;
  look.scaling = grows->empty() ? "strong" : "weak";
  if (grows->empty()) return;
  tell(look, "weak_scaling",
       "Weak scaling: '{}' grows with '{}', so the time of a run need not fall.", *grows, look.x);
}

/// What the cells of all groups show.
struct CellFacts {
  std::set<double> levels;
  std::uint64_t least_repeats = 0;
  std::uint64_t most_repeats = 0;
  std::uint64_t outlying = 0;
  std::uint64_t few = 0;  ///< Groups at fewer than three x.
  std::size_t rising = 0;
  std::size_t falling = 0;
  std::size_t from_one = 0;  ///< Groups that have exactly 1 at their least x, as speedups have.
};

CellFacts facts_of(const GroupedCells& runs) {
  constexpr double kFar = 3;
  constexpr std::uint64_t kFewestForOutlier = 3;
  constexpr std::size_t kMostLevels = 10'000;
  CellFacts facts;
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs.cells(i, cells);
    facts.few += cells.size() < 3 ? 1 : 0;
    facts.from_one += !cells.empty() && cells.front().min == 1 && cells.front().max == 1 ? 1 : 0;
    for (const Cell& cell : cells) {
      if (facts.levels.size() < kMostLevels) facts.levels.insert(cell.x);
      const auto count = static_cast<std::uint64_t>(cell.count);
      facts.least_repeats = facts.least_repeats == 0 ? count : std::min(facts.least_repeats, count);
      facts.most_repeats = std::max(facts.most_repeats, count);
      const double typical = std::exp(cell.mean_log);
      const bool far = cell.max > kFar * typical || cell.min < typical / kFar;
      facts.outlying += count >= kFewestForOutlier && far ? 1 : 0;
    }
    if (cells.size() < 2) continue;
    (cells.back().mean > cells.front().mean ? facts.rising : facts.falling) += 1;
  }
  return facts;
}

/// Scales that are left out of a regular series: "between 4 and 32".
std::vector<std::string> gaps_in(const std::set<double>& levels) {
  constexpr double kWide = 1.9;
  constexpr std::size_t kFewest = 4;
  std::vector<std::string> gaps;
  const std::vector<double> x(levels.begin(), levels.end());
  if (x.size() < kFewest || x.front() <= 0) return gaps;
  std::vector<double> ratios;
  for (std::size_t i = 1; i < x.size(); ++i) ratios.push_back(x[i] / x[i - 1]);
  std::vector<double> sorted = ratios;
  std::ranges::sort(sorted);
  const double usual = std::max(sorted[(sorted.size() - 1) / 2], 2.0);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (ratios[i] >= kWide * usual) gaps.push_back(fmt::format("{:g} and {:g}", x[i], x[i + 1]));
  }
  return gaps;
}

/// @param unnamed  No name says whether y is a time or a rate.
/// @param caption  What the text says above the table.
void tell_facts(const CellFacts& facts, const GroupedCells& runs, bool unnamed,
                const std::string& caption, TableLook& look) {
  const auto add = [&look](const char* code, std::string sentence) {
    look.findings.push_back({code, std::move(sentence)});
  };
  look.one_scale = facts.levels.size() == 1;
  if (look.one_scale) {
    tell(look, "one_scale",
         "All runs have {0} = {1:g}. A scaling law needs runs at two values of '{0}', and at three "
         "or more to be checked.{2}",
         look.x, *facts.levels.begin(),
         look.settings.empty() ? " `scalelaw gate` can hold these runs against a baseline: a table "
                                 "or saved fits of earlier runs."
                               : "");
  } else if (!facts.levels.empty()) {
    tell(look, "scales", "'{}' has {} from {:g} to {:g} in {}.", look.x,
         counted(facts.levels.size(), "value"), *facts.levels.begin(), *facts.levels.rbegin(),
         counted(runs.size(), "group"));
  }
  if (facts.most_repeats > 1) {
    add("repeats",
        facts.least_repeats == facts.most_repeats
            ? fmt::format("Each group has {} rows at each '{}'.", facts.most_repeats, look.x)
            : fmt::format("Groups have {} to {} rows at one '{}'.", facts.least_repeats,
                          facts.most_repeats, look.x));
  }
  const std::vector<std::string> gaps = gaps_in(facts.levels);
  if (!gaps.empty()) tell(look, "gaps", "No runs between {}.", joined(gaps, ", "));
  if (facts.outlying > 0) {
    tell(look, "outliers", "{} {} a value three times away from the others at the same '{}'.",
         counted(facts.outlying, "group"), facts.outlying == 1 ? "has" : "have", look.x);
  }
  if (facts.few > 0 && !look.one_scale) {
    tell(look, "few_scales",
         "{} fewer than three values of '{}'. fit draws a law through two, which nothing checks, "
         "and none through one.",
         part_of(facts.few, runs.size(), "group", "has", "have"), look.x);
  }
  // Times relative to the first one fall; speedups may fall too, where the problem is small.
  const bool from_one = facts.from_one == runs.size() && facts.rising > 0;
  if (unnamed && (from_one || speaks_of_speedups(caption))) {
    look.response = "rate";
    add("rate", from_one
                    ? fmt::format("The values are 1 at the least '{}' of each group and rise in {} "
                                  "of {}, so that they are taken for speedups, which are fitted as "
                                  "rates.",
                                  look.x, facts.rising, counted(runs.size(), "group"))
                    : fmt::format("The line above the table speaks of speedups, which are fitted "
                                  "as rates: {}.",
                                  scalelaw::quoted(caption)));
    return;
  }
  if (unnamed && facts.falling > facts.rising) look.response = "time";
  if (!look.equal_ys.empty() || facts.rising <= facts.falling) return;
  if (unnamed && speaks_of_rates(caption)) {
    look.response = "rate";
    tell(look, "rate", "The line above the table speaks of rates: {}.", scalelaw::quoted(caption));
  } else if (unnamed && look.response != "rate") {
    look.response = "time";
    tell(look, "rises",
         "No name says what '{0}' is. It is taken for a time, although it rises with '{1}': if it "
         "is a rate, add --rate.",
         look.y, look.x);
  } else if (look.response == "time" && look.scaling != "weak") {
    tell(look, "rises",
         "'{0}' rises with '{1}' in {2} of {3}: if it is a rate, add --rate; if another column is "
         "the time, name it with -y.",
         look.y, look.x, facts.rising, counted(facts.rising + facts.falling, "group"));
  }
}

/// Whether the numbers can be read if the user tells what their commas are, whatever that is.
bool reads_with_any_decimal(const TableLook& look, RunOptions options) {
  if (options.layout.decimal) return false;
  for (const char decimal : {'.', ','}) {
    options.layout.decimal = decimal;
    try {
      read_runs(look.inputs, options);
    } catch (const Error&) {
      return false;
    }
  }
  return true;
}

/// Tells which runs failed, and so are left out by every command.
void tell_of_failures(std::string sentence, TableLook& look) {
  if (!sentence.empty()) look.findings.push_back({"crashed", std::move(sentence) + "."});
}

}  // namespace

std::string swept_setting(const LookState& state, const TableLook& look) {
  constexpr std::size_t kFewestCells = 3;
  if (look.response != "loss") return "";
  for (const std::string& name : look.by) {
    const ColumnProfile* const setting = state.profile.column(name);
    if (setting == nullptr || !setting->is_number() || !(setting->min > 0)) continue;
    if (!names_swept_setting(*setting)) continue;
    std::vector<std::string> names = look.by;
    std::erase(names, name);
    names.insert(names.end(), look.scales.begin(), look.scales.end());
    if (look.scales.empty()) names.push_back(look.x);
    if (swept_cells(*setting, state.profile.columns(names)) >= kFewestCells) return name;
  }
  return "";
}

void find_in_sample(LookState& state, TableLook& look) {
  if (const std::string& comment = state.profile.parting_comment(); !comment.empty()) {
    tell(look, "parting_comment",
         "The comment {} stands between the rows. Rows above and below it are read as one table: "
         "where it tells unlike runs apart, put what it says into a column.",
         scalelaw::quoted(comment));
  }
  find_crashed_runs(state, look);
  find_epochs(state, look);
  find_weak_scaling(state, look);
}

void count_exactly(LookState& state, TableLook& look) {
  const auto tell_of_misfits = [&] {
    const std::string misfits = state.profile.misfits();
    if (!misfits.empty()) look.findings.push_back({"bad_rows", misfits});
  };
  if (look.x.empty() || look.y.empty()) {
    tell_of_misfits();
    return tell_of_failures(state.profile.failures(), look);
  }
  RunOptions options = state.options;
  options.x = look.x;
  options.y = look.y;
  options.by = look.by;
  options.by_chosen = true;
  options.where.insert(options.where.end(), state.where.begin(), state.where.end());
  for (const bool skips : {options.skip_bad_rows, true}) {
    options.skip_bad_rows = skips;
    try {
      const GroupedCells runs = read_runs(look.inputs, options);
      const RowCounts& rows = runs.rows();
      look.rows = rows.read - rows.filtered - rows.failed - rows.steps - rows.repeats;
      look.all_rows = rows.read - rows.steps - rows.repeats;
      look.counted = true;
      state.skips_bad_rows = skips;
      if (skips && runs.rows().bad > 0) {
        tell(look, "bad_rows", "{} cannot be read, the first: {}", counted(runs.rows().bad, "row"),
             runs.bad_rows().front());
      }
      tell_of_failures(rows.failures, look);
      if (rows.commented > 0) {
        look.findings.push_back({"commented_rows", rows.understood.back() + "."});
      }
      if (rows.steps > 0) {
        tell(look, "job_steps", "{} of job steps {} left out, as their jobs have rows.",
             counted(rows.steps, "row"), rows.steps == 1 ? "is" : "are");
      }
      if (rows.repeats > 0) {
        tell(look, "job_repeats", "{} in several files {} once.",
             rows.repeats == 1 ? "1 job that stands"
                               : fmt::format("{} jobs that stand", rows.repeats),
             rows.repeats == 1 ? "counts" : "count");
      }
      const CellFacts facts = facts_of(runs);
      state.few_scales = facts.few == runs.size();
      state.groups = runs.size();
      const bool unnamed =
          look.y == kUnnamedValue || (state.header.headerless && !state.header.names_in_rows);
      return tell_facts(facts, runs, unnamed, state.header.caption, look);
    } catch (const Error& error) {
      const bool asks = std::string_view(error.what()).find("--decimal") != std::string_view::npos;
      state.comma_is_open = !skips && asks && reads_with_any_decimal(look, options);
      if (state.comma_is_open) return look.findings.push_back({"decimal", error.what()});
      if (!skips) continue;
      tell_of_misfits();
      look.findings.push_back({"unreadable", error.what()});
      look.x.clear();  // Nothing can be fitted.
    }
  }
}

}  // namespace scalelaw
