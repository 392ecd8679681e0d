#include "scalelaw/runs/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "input/wide_table.hpp"
#include "runs/column_words.hpp"
#include "runs/group_columns.hpp"
#include "runs/look_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/night_order.hpp"
#include "scalelaw/runs/surface_runs.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLookBytes = 1 << 20;

std::string kind_of_column(const ColumnProfile& column) {
  if (column.numbers + column.texts == 0) return "empty";
  if (column.texts == 0) return column.durations ? "duration" : "number";
  return column.numbers > column.texts ? "mixed" : "text";
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// What a column is used for.
std::string use_of(const TableLook& look, const std::string& cell) {
  const bool in_full = cell == look.y || cell == look.x || holds(look.equal_ys, cell);
  const std::string label(in_full ? std::string_view(cell) : column_label(cell).name);
  if (holds(look.equal_xs, label)) return "maybe x";
  if (holds(look.equal_ys, label)) return "maybe y";
  if (label == look.x || holds(look.scales, label) || label == look.unique) return "x";
  if (label == look.y) return "y";
  if (label == look.run) return "run";
  if (holds(look.by, label)) return holds(look.settings, label) ? "group, setting" : "group";
  if (label == look.energy) return "energy";
  if (label == look.power) return "power";
  if (holds(look.settings, label)) return "setting";
  return "";
}

/// Why a column has its use, in words.
std::string why_of(const TableLook& look, const ColumnProfile& column, const std::string& use) {
  const ColumnRole role = column.meaning.role;
  if (use.starts_with("maybe")) return fmt::format("its name says {}", name_of(role));
  if (use == "x" && column.counts_devices() && role != ColumnRole::kScale) {
    return "its cells say how many a run had";
  }
  if (use == "x" && role == ColumnRole::kScale) return "its name says how many a run had";
  if (use == "x" && look.response == "loss" && role != ColumnRole::kOther) {
    return fmt::format("its name says {}", name_of(role));
  }
  if (use == "x") return "its values are whole numbers of several sizes";
  if (use == "y" && column.name == kUnnamedValue) return "it holds what the wide table measures";
  const bool says_nothing = role == ColumnRole::kOther || role == ColumnRole::kProblemSize;
  if (use == "y" && says_nothing) return "its values differ as measurements do";
  if (use == "y") return fmt::format("its name says {}", name_of(role));
  if (use == "run") return "its rows belong together";
  if (use == "power" && names_total_power(column.name)) {
    return "its name says total power; scalelaw energy takes it for that of all GPUs";
  }
  if (use == "power") {
    return "its name says power; scalelaw energy takes it for that of one GPU, with --total-power "
           "for that of all";
  }
  if (use == "energy" || use == "setting") {
    return fmt::format("its name says {}", name_of(role));
  }
  if (use.starts_with("group")) {
    const bool by_name = role == ColumnRole::kCategory || role == ColumnRole::kHardware ||
                         role == ColumnRole::kSystem || role == ColumnRole::kPowerLimit ||
                         role == ColumnRole::kClock;
    if (by_name) return fmt::format("its name says {}", name_of(role));
    const bool only_here = holds(look.by_values, column.label());
    return fmt::format("few values, which differ at one x{}",
                       only_here ? "; without -b, other commands take all of them together, "
                                   "because no name says that they are groups"
                                 : "");
  }
  return "";
}

/// The range of a scale over the rows that have the response: a run that crashed measured nothing.
void keep_measured_range(const TableProfile& profile, const TableLook& look, const ColumnProfile& x,
                         LookColumn& out) {
  const ColumnProfile* const y = profile.column(look.y);
  if (y == nullptr) return;
  std::optional<double> least;
  std::optional<double> greatest;
  for (std::size_t row = 0; row < profile.rows(); ++row) {
    const double value = x.quantities[row];
    if (!std::isfinite(y->quantities[row]) || !std::isfinite(value)) continue;
    least = std::min(least.value_or(value), value);
    greatest = std::max(greatest.value_or(value), value);
  }
  if (!least) return;
  out.min = least;
  out.max = greatest;
}

LookColumn look_at_column(const TableProfile& profile, const TableLook& look,
                          const ColumnProfile& column) {
  LookColumn out{.name = column.name,
                 .kind = kind_of_column(column),
                 .unit = column.unit,
                 .role = std::string(name_of(column.meaning.role)),
                 .use = use_of(look, column.name),
                 .why = {},
                 .values = column.values.size(),
                 .many = column.has_many_values,
                 .missing = column.missing,
                 .min = {},
                 .max = {}};
  out.why = why_of(look, column, out.use);
  if (out.unit.empty() && column.meaning.role == ColumnRole::kRate) {
    const Quantity quantity = quantity_of(column.name);
    if (quantity.whose == Owner::kAll) out.unit = quantity.unit;
  }
  // A number that may be a thousand times another one is none.
  out.undecided = column.comma_is_open;
  if (column.numbers > 0 && !out.undecided) {
    out.min = column.min;
    out.max = column.max;
    if (out.use == "x") keep_measured_range(profile, look, column, out);
  }
  // 1.10 is no number where it is a version.
  if (column.texts > 0 || names_version(column.name)) {
    out.first_values = first_values(column);
  }
  return out;
}

/// "-y io_s or -y compute_s".
std::string options_for(const std::vector<std::string>& columns, std::string_view option) {
  return joined_texts(columns, " or ", [&](const std::string& column) {
    return fmt::format("{} {}", option, shell_word(column));
  });
}

}  // namespace

void tell_of_choice(TableLook& look, const std::vector<std::string>& columns,
                    std::string_view option, std::string_view noun) {
  if (columns.size() < 2) return;
  (option == "-x" ? look.equal_xs : look.equal_ys) = columns;
  tell(look, "ambiguous", "Several columns may be the {}: {}. Choose one: {}.", noun,
       joined(columns), options_for(columns, option));
}

namespace {

/// The columns of a table of curves: the loss of each run over its tokens, with a row per step.
struct CurveColumns {
  std::string run;
  std::string tokens;
  std::string loss;
};

std::optional<CurveColumns> curve_columns(const TableProfile& profile) {
  const ColumnProfile* const run = column_of_role(profile, ColumnRole::kRun);
  const ColumnProfile* const tokens = column_of_role(profile, ColumnRole::kTokens);
  const ColumnProfile* const loss = column_of_role(profile, ColumnRole::kLoss);
  const auto is_step = [](const ColumnProfile& column) { return column.name == "step"; };
  const auto step = std::ranges::find_if(profile.columns(), is_step);
  if (run == nullptr || run->has_many_values || tokens == nullptr || loss == nullptr ||
      step == profile.columns().end()) {
    return std::nullopt;
  }
  const auto varies = [&](const ColumnProfile& column) {
    return column.is_number() && varies_within(column, std::array{run});
  };
  if (!varies(*step) || !varies(*tokens) || !varies(*loss)) return std::nullopt;
  const auto label = [](const ColumnProfile* column) { return column->label(); };
  return CurveColumns{.run = label(run), .tokens = label(tokens), .loss = label(loss)};
}

/// The runs all of whose rows lack a number of tokens.
std::vector<std::string> runs_without(const TableProfile& profile, const CurveColumns& columns) {
  const ColumnProfile& run = *profile.column(columns.run);
  const ColumnProfile& tokens = *profile.column(columns.tokens);
  std::vector<bool> has(run.values.size());
  for (std::size_t row = 0; row < profile.rows(); ++row) {
    const bool told = run.codes[row] < has.size() && tokens.codes[row] != ColumnProfile::kMissing;
    if (told) has[run.codes[row]] = true;
  }
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (!has[i]) runs.push_back(run.values[i]);
  }
  return runs;
}

/// Says which runs of a table of curves have no tokens, and how they can be had all the same.
void tell_of_runs_without(const TableProfile& profile, const CurveColumns& columns,
                          TableLook& look) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> runs = runs_without(profile, columns);
  if (runs.empty()) return;
  const std::size_t all = runs.size();
  runs.resize(std::min(all, kMost));
  tell(look, "runs_without_tokens", "{} {} no '{}' and {} left out: {}{}. -x step takes all runs.",
       counted(all, "run"), all == 1 ? "has" : "have", columns.tokens, all == 1 ? "is" : "are",
       printable(joined(runs)), all > kMost ? ", ..." : "");
}

void choose_curves(const CurveColumns& columns, TableLook& look) {
  look.x = columns.tokens;
  look.y = columns.loss;
  look.response = "loss";
  look.by = {columns.run};
  tell(look, "curves",
       "Each '{}' is a group, as the table has a row per step: fit tells how its loss falls over "
       "'{}'. For times of steps over the GPUs, ingest without --rows step gives a row per run.",
       columns.run, columns.tokens);
}

/// Groups by the other columns in which runs at one x differ, as long as most groups keep enough
/// scales for a law; tells of those that are left.
/// @param columns  With both scales of a loss.
void add_others(const LookState& state, ChosenColumns columns, std::vector<std::string>& by,
                TableLook& look) {
  constexpr double kMost = 0.5;
  const std::string& x = look.scales.empty() ? look.x : look.scales.front();
  const double before = share_at_scales(state.profile, by, x, 3);
  std::vector<std::string> left;
  for (const std::string& name : ungrouped_columns(state.profile, columns)) {
    // Columns that were added before may tell these runs apart already.
    if (!is_ungrouped(state.profile, columns, *state.profile.column(name))) continue;
    by.push_back(name);
    if (share_at_scales(state.profile, by, x, 3) >= kMost * before) {
      columns.by.push_back(name);
      continue;
    }
    by.pop_back();
    left.push_back(name);
  }
  if (left.empty()) return;
  tell(look, "pooled",
       "Runs of one group at one '{}' also differ in {}. These are no groups, as most groups would "
       "keep fewer than three values of '{}': --where picks one value.",
       x, joined(left), x);
}

/// The column that was measured; empty if there is none or several are equally good.
std::string only_measured(const LookState& state, UsualColumn what) {
  const auto columns = measured_columns(state.header, what, state.profile);
  return columns.size() == 1 ? columns.front() : "";
}

/// The column that holds the power of one GPU or else, by its name, of all GPUs together; empty if
/// there is none or several are equally good.
std::string only_power(const LookState& state) {
  std::string power = only_measured(state, UsualColumn::kPower);
  if (!power.empty()) return power;
  for (const ColumnProfile& column : state.profile.columns()) {
    if (column.numbers == 0 || !names_total_power(column.name)) continue;
    if (!power.empty()) return "";
    power = column.label();
  }
  return power;
}

/// Whether a column counts processes, threads or the like, or how many of them one other has.
bool counts_parallel(const ColumnMeaning& meaning) {
  return meaning.role == ColumnRole::kScale ||
         (meaning.role == ColumnRole::kSetting && meaning.last_resort);
}

/// Says how two counts that vary, such as processes and threads, are used, and what else can be
/// done.
void tell_of_two_counts(const LookState& state, TableLook& look) {
  const ColumnProfile* const x = state.profile.column(look.x);
  if (look.x.empty() || x == nullptr || !counts_parallel(x->meaning)) return;
  for (const std::string& name : look.by) {
    const ColumnProfile* const other = state.profile.column(name);
    if (other == nullptr || !other->is_number() || !counts_parallel(other->meaning)) continue;
    if (!other->whole) continue;  // 24.05 is a release.
    if (is_lone_letter(other->meaning)) continue;
    tell(look, "two_counts",
         "'{0}' and '{1}' both vary: '{0}' is the scale, and each '{1}' is a group of its own. -x "
         "{2} turns this round; a column with their product makes one scale of both.",
         look.x, name, shell_word(name));
    return;
  }
}

/// The energy that goes with the time, and the power. An energy of other work is told: that of a
/// run beside the time of an epoch.
void choose_energy(const LookState& state, TableLook& look) {
  const UsualColumn what = usual_energy(look.y);
  look.energy = only_measured(state, what);
  look.power = look.response == "time" ? only_power(state) : "";
  look.other_energy.clear();
  if (!look.energy.empty() || look.response != "time") return;
  const bool of_epoch = what == UsualColumn::kEpochEnergy;
  const std::string other =
      only_measured(state, of_epoch ? UsualColumn::kEnergy : UsualColumn::kEpochEnergy);
  look.other_energy = other;
  const auto is_told = [](const LookFinding& one) { return one.code == "other_energy"; };
  if (other.empty() || std::ranges::any_of(look.findings, is_told)) return;
  tell(look, "other_energy",
       "'{}' is the energy of {} as far as its name tells, and '{}' is the time of {}. scalelaw "
       "energy takes it with --energy {} if both are of the same.",
       other, of_epoch ? "a whole run" : "an epoch", look.y, of_epoch ? "an epoch" : "a run",
       shell_word(other));
}

/// Nights repeat one job, and are no groups of their own.
void leave_out_nights(const LookState& state, TableLook& look) {
  const ColumnProfile* const x = look.x.empty() ? nullptr : state.profile.column(look.x);
  const std::string nights = column_of_nights(state, look);
  if (nights.empty() || x == nullptr || x->values.size() < 2) return;
  std::erase(look.by, nights);
  const ColumnProfile& column = *state.profile.column(nights);
  const std::string gate =
      in_own_order(column.values, nights)
          ? fmt::format("gate --night {} holds the last one against the others", shell_word(nights))
          : "their names do not tell which one is the last, so that gate cannot judge it";
  tell(look, "nights",
       "'{}' names {} nights of the same job: {}. A fit takes all of them together.", nights,
       column.values.size(), gate);
}

/// Tokens that are not repeated are the third scale of a loss, and tell no groups.
void leave_out_third_scale(const LookState& state, TableLook& look) {
  if (look.scales.empty()) return;
  std::vector<std::string> found;
  for (const ColumnProfile& column : state.profile.columns()) {
    const bool counts = column.is_number() && counts_unique_tokens(column.name);
    if (counts) found.emplace_back(column.label());
  }
  if (found.size() != 1) return;
  look.unique = found.front();
  std::erase(look.by, look.unique);
}

/// The groups that commands take without -b.
std::vector<std::string> groups_by_name(const LookState& state, RunOptions options,
                                        const std::string& source) {
  options.by = RunOptions().by;
  options.by_chosen = false;
  return choose_columns(state.header, options, source, &state.profile).by;
}

/// Keeps which of the suggested groups are not among those that commands take without -b.
void keep_groups_by_values(const std::vector<std::string>& by_name, TableLook& look) {
  look.by_values = look.by;
  std::erase_if(look.by_values, [&](const std::string& name) { return holds(by_name, name); });
}

/// What each group column does not hold: groups are told apart by what varies at one place.
void choose_groups(const LookState& state, TableLook& look, const std::string& source) {
  RunOptions options = state.options;
  options.x = look.scales.empty() ? look.x : look.scales.front();
  options.y = look.y;
  if (options.x.empty() || options.y.empty()) return;
  ChosenColumns columns = choose_columns(state.header, options, source, &state.profile);
  if (!options.by_chosen) {
    ChosenColumns for_others = columns;
    if (!look.scales.empty()) for_others.by.push_back(look.scales.back());
    std::erase_if(columns.by, [&](const std::string& name) { return holds(look.scales, name); });
    add_others(state, std::move(for_others), columns.by, look);
  }
  for (const std::string& name : columns.by) required_column(state.header, name, source);
  look.by = columns.by;
  if (!options.by_chosen) leave_out_third_scale(state, look);
  look.sweep = swept_setting(state, look);
  if (!options.by_chosen) leave_out_names_of_rows(state, look);
  if (!options.by_chosen) leave_out_nights(state, look);
  keep_groups_by_values(groups_by_name(state, options, source), look);
  look.settings.clear();
  for (const std::string& name : look.by) {
    if (is_usual_name(name, UsualColumn::kPowerLimit) || is_usual_name(name, UsualColumn::kClock)) {
      look.settings.push_back(name);
    }
  }
  choose_energy(state, look);
  tell_of_two_counts(state, look);
}

/// Without a scale, times and energies over a power limit or a clock can be compared.
void choose_setting(const LookState& state, TableLook& look, const std::string& source) {
  if (look.response != "time") return;
  choose_energy(state, look);
  for (const UsualColumn what : {UsualColumn::kPowerLimit, UsualColumn::kClock}) {
    const auto setting = usual_column(state.header, what);
    const ColumnProfile* const column = setting ? state.profile.column(*setting) : nullptr;
    if (column == nullptr || column->values.size() < 2) continue;
    look.settings = {*setting};
    RunOptions options = state.options;
    options.x = *setting;
    options.y = look.y;
    ChosenColumns columns = choose_columns(state.header, options, source, &state.profile);
    if (!options.by_chosen) {
      for (const std::string& name : ungrouped_columns(state.profile, columns)) {
        if (name != look.power) columns.by.push_back(name);
      }
    }
    look.by = columns.by;
    keep_groups_by_values(groups_by_name(state, options, source), look);
    return;
  }
}

/// The rows of a run belong together where one run has several rows in one group at one x.
void choose_run(const LookState& state, TableLook& look) {
  look.run = spelled_column(state.header, state.options.run, "");
  if (!look.run.empty() || look.x.empty()) return;
  const ColumnProfile* const run = column_of_role(state.profile, ColumnRole::kRun);
  if (run == nullptr || run->has_many_values || run->missing > 0) return;
  std::vector<std::string> names = look.by;
  names.insert(names.end(), {look.x, run->name});
  const ColumnProfiles fixed = state.profile.columns(names);
  // Without a column of epochs several rows of one run number may as well be of several runs.
  const ColumnProfile* const epoch = column_of_role(state.profile, ColumnRole::kEpoch);
  if (epoch != nullptr && varies_within(*epoch, fixed)) look.run = run->label();
}

std::string answer_of(const TableLook& look) {
  const std::string rows = look.counted && look.rows < look.all_rows
                               ? fmt::format("{} of {}", look.rows, counted(look.all_rows, "row"))
                           : look.counted
                               ? counted(look.rows, "row")
                               : fmt::format("{} of a sample", counted(look.rows, "row"));
  const std::string table = joined(look.inputs);
  const std::string groups =
      look.by.empty() ? "all rows are one group" : "groups are told by " + joined(look.by);
  if (look.response == "loss" && !look.scales.empty()) {
    return fmt::format("{}: {} with the loss '{}' over {} and {}; {}.", table, rows, look.y,
                       look.scales[0], look.scales[1], groups);
  }
  if (look.x.empty() && !look.settings.empty() && !look.y.empty()) {
    return fmt::format("{}: {} with the time '{}' over the setting '{}'; {}. No column is a scale.",
                       table, rows, look.y, look.settings.front(), groups);
  }
  if (look.x.empty() || look.y.empty()) {
    return fmt::format("{}: {}. No scaling law can be fitted yet: no column is known as {}.", table,
                       rows,
                       look.x.empty() && look.y.empty() ? "the scale, nor one as a time or rate"
                       : look.x.empty()                 ? "the scale (-x names it)"
                                                        : "a time or rate (-y names it)");
  }
  if (!look.equal_ys.empty()) {
    return fmt::format("{}: {} over the scale '{}'; {}. Several columns may be the {}: choose {}.",
                       table, rows, look.x, groups, look.response,
                       options_for(look.equal_ys, "-y"));
  }
  if (!look.equal_xs.empty()) {
    return fmt::format("{}: {} with the {} '{}'; {}. Several columns may be the scale: choose {}.",
                       table, rows, look.response, look.y, groups,
                       options_for(look.equal_xs, "-x"));
  }
  return fmt::format(
      "{}: {} with the {} '{}' over the scale '{}'; {}.{}", table, rows, look.response, look.y,
      look.x, groups,
      look.one_scale ? " All runs have one scale, so no scaling law can be fitted." : "");
}

}  // namespace

const ColumnProfile* column_of_role(const TableProfile& profile, ColumnRole role) {
  const ColumnProfile* best = nullptr;
  for (const ColumnProfile& column : profile.columns()) {
    const bool numbers = column.numbers > 0 && column.texts == 0;
    if (column.meaning.role != role || (!numbers && role != ColumnRole::kRun)) continue;
    if (best == nullptr || column.meaning.rank < best->meaning.rank) best = &column;
  }
  return best;
}

namespace {

/// What a named response is by its words.
std::string_view kind_of_response(const std::string& y) {
  const ColumnMeaning meaning = meaning_of(y);
  if (is_rate(meaning)) return "rate";
  return meaning.role == ColumnRole::kLoss ? "loss" : "time";
}

/// Why a time comes before others, as far as its name tells: " of a step, which comes before ...".
std::string_view reason_for(const std::string& y) {
  const ColumnMeaning meaning = meaning_of(y);
  if (meaning.role != ColumnRole::kTime || meaning.rank >= kRunRank) return "";
  return meaning.per_epoch ? ", as that of an epoch comes before that of a run"
                           : ", as that of a step comes before that of a run";
}

/// Says which of several times or rates was taken, as the others measure the runs as well.
void tell_of_others(const LookState& state, ColumnRole role, TableLook& look) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> others;
  for (const ColumnProfile& column : state.profile.columns()) {
    const std::string label = column.label();
    const bool whole = column.meaning.rank < kLatencyRank && !column.meaning.last_resort;
    if (column.meaning.role != role || !whole || label == look.y || !column.is_number()) continue;
    if (column.values.size() > 1) others.push_back(label);
  }
  if (others.empty()) return;
  const bool more = others.size() > kMost;
  others.resize(std::min(others.size(), kMost));
  tell(look, "other_responses", "'{}' is taken for the {}{}. {}{} would do as well: {}.", look.y,
       look.response, reason_for(look.y), joined(others), more ? ", ..." : "",
       options_for(others, "-y"));
}

void choose_response(const LookState& state, TableLook& look, const std::string& source) {
  look.y = spelled_column(state.header, state.options.y, source);
  if (!look.y.empty()) {
    look.response = kind_of_response(look.y);
    return;
  }
  std::string x = spelled_column(state.header, state.options.x, source);
  if (x.empty()) {
    const auto scales = scale_columns(state.header, "", &state.profile);
    if (!scales.empty()) x = scales.front();
  }
  const ResponseColumns y = response_columns(state.header, x, &state.profile);
  if (y.names.empty()) return;
  look.y = y.names.front();
  look.response = name_of(y.role);
  tell_of_choice(look, y.names, "-y", name_of(y.role));
  if (y.names.size() == 1) tell_of_others(state, y.role, look);
}

}  // namespace

void choose_roles(const LookState& state, TableLook& look) {
  const std::string source = input_name(look.inputs.front());
  const auto chosen = [&](const std::string& name) {
    return spelled_column(state.header, name, source);
  };
  const RunOptions& told = state.options;
  const bool is_loss = choose_loss(state, look);
  if (told.x.empty() && told.y.empty() && !told.by_chosen && look.scales.empty()) {
    if (const auto curves = curve_columns(state.profile)) {
      choose_curves(*curves, look);
      return tell_of_runs_without(state.profile, *curves, look);
    }
  }
  if (!is_loss) {
    choose_response(state, look, source);
    look.x = chosen(state.options.x);
    const auto x = scale_columns(state.header, look.y, &state.profile);
    if (look.x.empty() && !x.empty()) {
      look.x = x.front();
      tell_of_choice(look, x, "-x", "scale");
    }
    if (state.header.headerless) choose_by_values(state.profile, look);
  }
  if (look.x.empty() && look.scales.empty()) choose_setting(state, look, source);
  choose_groups(state, look, source);
  choose_run(state, look);
}

namespace {

/// Tells what the response is about.
void tell_quantity(const LookState& state, TableLook& look) {
  if (look.y.empty() || !look.equal_ys.empty()) return;
  ChosenColumns columns{.x = look.x, .y = look.y, .by = look.by, .run = {}, .weights = {}};
  choose_quantity(state.header, &state.profile, state.options, "", {look.y}, columns);
  look.quantity = columns.quantity;
  if (look.quantity.kind == Kind::kOther) return;
  const std::string product =
      look.quantity.is_product()
          ? fmt::format(" As the work of a step grows with '{}', '{}' is fitted.", look.x,
                        response_name(look.y, look.quantity))
          : "";
  const bool told = look.quantity.better != Better::kUnknown;
  tell(look, "quantity", "'{}' is {}{}.{}", look.y,
       description_of(quantity_of(look.y, look.quantity.unit, look.x)),
       told ? fmt::format(": {} is better", name_of(look.quantity.better)) : "", product);
}

/// Looks at the tables as the options say.
TableLook look_as_told(const std::vector<std::string>& inputs, const RunOptions& options,
                       std::optional<WideReading>& wide) {
  Header header;
  const TableProfile profile =
      profile_of_files(tables_to_read(inputs), options, kLookBytes, header);
  LookState state{.profile = profile, .header = header, .options = options};
  // The commands name the columns, by which another table could be meant.
  if (header.table > 0) state.options.layout.table = header.table + 1;
  TableLook look;
  look.inputs = inputs;
  look.rows = look.sampled = profile.rows();
  look.counted = profile.is_complete();
  choose_roles(state, look);
  if (options.layout.wide.empty()) wide = wide_reading(state, look);
  if (wide) return look;  // It is looked at in that way.
  const auto is_measured = [](const ColumnProfile& column) {
    return !measured_by_unit(column).empty();
  };
  const bool lacks_scale = look.x.empty() && look.scales.empty() && look.settings.empty() &&
                           (!look.y.empty() || std::ranges::any_of(profile.columns(), is_measured));
  if (lacks_scale && options.layout.wide.empty() && choose_unnamed_scale(profile, look)) {
    choose_groups(state, look, input_name(inputs.front()));
  }
  if (options.layout.wide.empty() && choose_measured(state, look)) {
    choose_groups(state, look, input_name(inputs.front()));
  }
  tell_of_layout(state, look);
  find_in_sample(state, look);
  find_rows_of_measures(state, look);
  count_exactly(state, look);
  tell_quantity(state, look);
  look.answer = answer_of(look);
  for (const ColumnProfile& column : profile.columns()) {
    // The bars at the ends of a Markdown table enclose two columns without names and values.
    if (column.name.empty() && column.numbers + column.texts == 0) continue;
    look.columns.push_back(look_at_column(profile, look, column));
  }
  look.next = next_commands(state, look);
  // Neither of two equally good columns is the one.
  if (!look.equal_xs.empty()) look.x.clear();
  if (!look.equal_ys.empty()) look.y.clear();
  return look;
}

/// Looks at a wide table as a long one.
TableLook look_at_wide(const std::vector<std::string>& inputs, RunOptions options,
                       const TableLook& as_it_is, const WideReading& wide) {
  std::optional<WideReading> none;
  options.layout.wide = wide.scale;
  if (options.x.empty() && as_it_is.x.empty()) options.x = wide.scale;
  TableLook look = look_as_told(inputs, options, none);
  // In "seconds,1,2,4" the name of what is measured stands above the names of the rows.
  const auto above_names = std::ranges::find_if(look.columns, [](const LookColumn& column) {
    return column.use == "y" && column.kind == "text";
  });
  const std::string rows = above_names == look.columns.end() ? "" : above_names->name;
  if (!rows.empty() || (look.y.empty() && look.equal_ys.empty())) {
    options.y = kUnnamedValue;
    look = look_as_told(inputs, options, none);
  }
  if (!rows.empty() && !options.by_chosen) {
    options.by = look.by;
    options.by.emplace_back(column_label(rows).name);
    options.by_chosen = true;
    look = look_as_told(inputs, options, none);
  }
  look.findings.insert(
      look.findings.begin(),
      {"wide_table",
       fmt::format("A wide table: the columns {} hold one measurement each. --wide {} reads one "
                   "row for each of them, with the number in a column '{}'.",
                   joined(wide.columns), shell_word(wide.scale), wide.scale)});
  return look;
}

}  // namespace

TableLook look_at(const std::vector<std::string>& inputs, const RunOptions& options) {
  std::optional<WideReading> wide;
  const TableLook look = look_as_told(inputs, options, wide);
  return wide ? look_at_wide(inputs, options, look, *wide) : look;
}

}  // namespace scalelaw
