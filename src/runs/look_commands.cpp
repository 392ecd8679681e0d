#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "runs/column_words.hpp"
#include "runs/group_columns.hpp"
#include "runs/look_parts.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/suggested_call.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/budgets.hpp"
#include "scalelaw/runs/night_order.hpp"
#include "scalelaw/runs/work_columns.hpp"
#include "statistics/moments.hpp"

namespace scalelaw {
namespace {

/// A delimiter as --delimiter takes it.
std::string word_of_delimiter(char delimiter) {
  if (delimiter == '\t') return "tab";
  return delimiter == kBlanks ? "blanks" : std::string(1, delimiter);
}

void add_rows(SuggestedCall& call, const LookState& state, const TableLook& look) {
  for (const std::string& condition : state.options.where) call.option("--where", condition);
  for (const std::string& condition : state.where) call.option("--where", condition);
  if (!look.run.empty()) call.option("--run", look.run);
  if (state.skips_bad_rows) call.add("--skip-bad-rows");
  if (state.options.keep_failed) call.add("--keep-failed");
  const TextLayout& layout = state.options.layout;
  if (layout.delimiter) call.option("--delimiter", word_of_delimiter(*layout.delimiter));
  if (layout.decimal) call.option("--decimal", std::string(1, *layout.decimal));
  if (!layout.wide.empty()) call.option("--wide", layout.wide);
  if (layout.table > 0) call.option("--table", fmt::to_string(layout.table));
}

SuggestedCall study_call(std::string_view command, const LookState& state, const TableLook& look,
                         const std::vector<std::string>& by) {
  SuggestedCall call(command, look.inputs);
  call.option("-x", look.x).option("-y", look.y);
  call.option("-b", joined(by, ","));
  if (look.response == "rate") call.add("--rate");
  add_rows(call, state, look);
  return call;
}

/// Whether the second scale of a loss is a compute.
bool is_over_compute(const LookState& state, const TableLook& look) {
  const ColumnProfile* const second = state.profile.column(look.scales[1]);
  return second != nullptr && second->meaning.role == ColumnRole::kCompute;
}

void add_scales_of_loss(SuggestedCall& call, const LookState& state, const TableLook& look) {
  const bool compute = is_over_compute(state, look);
  call.option("-x", compute ? look.scales[0] : joined(look.scales, ","));
  if (compute) call.option("--flops", look.scales[1]);
}

SuggestedCall loss_call(std::string_view command, const LookState& state, const TableLook& look) {
  SuggestedCall call(command, look.inputs);
  if (command == "fit" || command == "predict") call.option("--law", "chinchilla");
  add_scales_of_loss(call, state, look);
  call.option("-y", look.y).option("-b", joined(look.by, ","));
  add_rows(call, state, look);
  return call;
}

/// Whether most runs of a loss are at computes that several sizes share.
bool has_budgets(const LookState& state, const TableLook& look) {
  constexpr std::size_t kFewestBudgets = 2;
  constexpr std::size_t kFewestSizes = 4;
  const ColumnProfile* const n = state.profile.column(look.scales[0]);
  const ColumnProfile* const d = state.profile.column(look.scales[1]);
  if (n == nullptr || d == nullptr) return false;
  const bool compute = is_over_compute(state, look);
  const ColumnProfiles by = state.profile.columns(look.by);
  std::map<std::vector<std::uint32_t>, std::pair<std::vector<double>, std::vector<double>>> groups;
  for (std::size_t row = 0; row < state.profile.rows(); ++row) {
    auto& [sizes, products] = groups[codes_at(by, row)];
    sizes.push_back(n->quantities[row]);
    products.push_back(compute ? d->quantities[row] : sizes.back() * d->quantities[row]);
  }
  std::size_t in_budgets = 0;
  for (const auto& group : groups) {
    const auto& sizes = group.second.first;
    auto budgets = rows_by_budget(sizes, group.second.second);
    std::erase_if(budgets, [&sizes](const std::vector<std::size_t>& rows) {
      return different_sizes(sizes, rows) < kFewestSizes;
    });
    if (budgets.size() < kFewestBudgets) continue;
    for (const auto& rows : budgets) in_budgets += rows.size();
  }
  return 2 * in_budgets > state.profile.rows();
}

/// Whether the table says how long a token takes.
bool tells_work(const LookState& state) {
  if (work_time_column(state.profile).empty()) return false;
  WorkOptions asked;
  asked.gpus_per_node = 1;  // The command tells it.
  try {
    WorkColumns(asked).choose(state.header, "", state.profile);
  } catch (const DataError&) {
    return false;  // As where the time is that of a step, and nothing says what a step does.
  }
  return true;
}

/// A plan for a week, where losses have times and numbers of GPUs beside them.
std::optional<NextCommand> budget_command(const LookState& state, const TableLook& look) {
  constexpr double kGpusOfNode = 8;
  const std::vector<std::string> gpus = scale_columns(state.header, look.y, &state.profile);
  const ColumnProfile* const count =
      gpus.size() == 1 ? state.profile.column(gpus.front()) : nullptr;
  if (count == nullptr || !tells_work(state)) return std::nullopt;
  const bool nodes = counts_nodes(gpus.front());
  if (!nodes && !may_count_gpus(gpus.front())) return std::nullopt;
  SuggestedCall call = loss_call("budget", state, look);
  call.option("--days", "7");
  call.option("--gpus", fmt::format("{:g}", count->max * (nodes ? kGpusOfNode : 1)));
  if (nodes) call.option("--gpus-per-node", fmt::format("{:g}", kGpusOfNode));
  return NextCommand{call.text(), nodes ? "The best model for a week, if a node has 8 GPUs."
                                        : "The best model for a week on as many GPUs."};
}

/// What the losses of several sizes at each compute tell.
NextCommand isoflop_command(const LookState& state, const TableLook& look) {
  return {loss_call("isoflop", state, look).text(),
          "The best number of parameters and tokens for a compute."};
}

constexpr std::string_view kCapsPurpose = "What a lower setting saves in energy and costs in time.";
constexpr std::string_view kTimesPurpose =
    "What a lower setting costs in time; no energy is known.";

/// What a setting does where no column is a scale.
std::vector<NextCommand> caps_alone(const LookState& state, const TableLook& look) {
  SuggestedCall call("caps", look.inputs);
  call.option("--setting", look.settings.front()).option("-y", look.y);
  const bool has_energy = !look.energy.empty() || !look.power.empty();
  if (!look.energy.empty()) {
    call.option("--energy", look.energy);
  } else if (has_energy) {
    call.option("--power", look.power);
    if (names_total_power(look.power)) call.words(" --total-power");
  }
  call.option("-b", joined(look.by, ","));
  add_rows(call, state, look);
  return {{call.text(), std::string(has_energy ? kCapsPurpose : kTimesPurpose)}};
}

/// How the compute for the same loss differs between the groups of one column, where it names few.
std::optional<NextCommand> contrast_command(const LookState& state, const TableLook& look) {
  constexpr std::size_t kMostLevels = 8;
  const ColumnProfile* const group =
      look.by.size() == 1 ? state.profile.column(look.by.front()) : nullptr;
  if (group == nullptr || is_over_compute(state, look) || group->values.size() < 2)
    return std::nullopt;
  if (group->has_many_values || group->values.size() > kMostLevels) return std::nullopt;
  SuggestedCall call("contrast", look.inputs);
  call.option("--law", "chinchilla").option("-x", joined(look.scales, ",")).option("-y", look.y);
  call.option("--factor", look.by.front());
  add_rows(call, state, look);
  return NextCommand{call.text(), fmt::format("How much more compute one '{}' needs than another "
                                              "for the same loss.",
                                              look.by.front())};
}

std::vector<std::string> without(std::vector<std::string> names, const std::string& name) {
  std::erase(names, name);
  return names;
}

/// Whether the power grows about as the scale does, as that of all GPUs together.
bool power_grows(const LookState& state, const TableLook& look) {
  constexpr double kFewestTimes = 4;  // Over a shorter range powers of one GPU vary as much.
  constexpr double kGrowing = 0.75;   // Exponent of the power over the scale.
  const ColumnProfile* const x = state.profile.column(look.x);
  const ColumnProfile* const power = state.profile.column(look.power);
  if (x == nullptr || power == nullptr || !(x->max >= kFewestTimes * x->min)) return false;
  double least = 0;
  double greatest = 0;
  std::size_t at_least = 0;
  std::size_t at_greatest = 0;
  for (std::size_t row = 0; row < state.profile.rows(); ++row) {
    if (!(power->quantities[row] > 0)) continue;
    const double watts = std::log(power->quantities[row]);
    if (x->quantities[row] == x->min) {
      least += watts;
      ++at_least;
    }
    if (x->quantities[row] == x->max) {
      greatest += watts;
      ++at_greatest;
    }
  }
  if (at_least == 0 || at_greatest == 0) return false;
  const double rise =
      greatest / static_cast<double>(at_greatest) - least / static_cast<double>(at_least);
  return rise >= kGrowing * std::log(x->max / x->min);
}

/// The options that tell the energy of runs over a scale: its column, or that of the power. Empty
/// without one, and where nothing tells how many GPUs the power of one is to be multiplied by.
std::string energy_options(const LookState& state, const TableLook& look) {
  if (look.response != "time") return "";
  if (!look.energy.empty()) return " --energy " + shell_word(look.energy);
  if (look.power.empty()) return "";
  const std::string power = " --power " + shell_word(look.power);
  if (names_total_power(look.power) || power_grows(state, look)) return power + " --total-power";
  const bool counts_gpus = is_usual_name(look.x, UsualColumn::kGpus) ||
                           usual_column(state.header, UsualColumn::kGpus).has_value();
  return counts_gpus ? power : "";
}

/// @param energy  As energy_options() tells it.
NextCommand caps_command(const LookState& state, const TableLook& look, const std::string& energy) {
  const std::string& setting = look.settings.front();
  SuggestedCall call("caps", look.inputs);
  call.option("--setting", setting).option("-x", look.x).option("-y", look.y).words(energy);
  call.option("-b", joined(without(look.by, setting), ","));
  add_rows(call, state, look);
  return {call.text(), std::string(kCapsPurpose)};
}

NextCommand energy_command(const LookState& state, const TableLook& look,
                           const std::string& energy) {
  SuggestedCall call("energy", look.inputs);
  call.option("-x", look.x).option("-y", look.y).words(energy);
  call.option("-b", joined(look.by, ","));
  add_rows(call, state, look);
  return {call.text(), look.one_scale ? "Time, energy and power of each group."
                                      : "What scaling costs in energy."};
}

/// Runs with several settings at one scale.
std::vector<NextCommand> commands_of_settings(const LookState& state, const TableLook& look) {
  if (!look.other_energy.empty()) {
    NextCommand caps = caps_command(state, look, " --energy " + shell_word(look.other_energy));
    caps.purpose = fmt::format("If '{}' and '{}' are of the same work: w{}", look.y,
                               look.other_energy, kCapsPurpose.substr(1));
    return {caps};
  }
  TableLook over_setting = look;
  over_setting.x = look.settings.front();
  const std::vector<std::string> by = without(look.by, over_setting.x);
  return {{study_call("plot", state, over_setting, by).text(),
           fmt::format("The runs over '{}'.", over_setting.x)}};
}

NextCommand fit_command(const LookState& state, const TableLook& look) {
  return {study_call("fit", state, look, look.by).text(),
          look.response == "loss" ? "One scaling law per group: how the loss falls."
                                  : "One scaling law per group: how much faster each doubling is."};
}

/// The runs of the newest night or version of a table against the others.
NextCommand gate_command(const LookState& state, const TableLook& look, const std::string& nights) {
  SuggestedCall call("gate", look.inputs);
  call.option("--night", nights).option("-x", look.x).option("-y", look.y);
  call.option("-b", joined(without(look.by, nights), ","));
  if (look.response == "rate") call.add("--rate");
  add_rows(call, state, look);
  return {call.text(), fmt::format("Whether the last '{}' is slower than those before.", nights)};
}

/// The runs of the last night against those before, where a column says when they were made.
std::optional<NextCommand> nights_command(const LookState& state, const TableLook& look) {
  if (look.inputs.size() != 1 || look.inputs.front() == "-") return std::nullopt;
  const std::string nights = column_of_nights(state, look);
  if (nights.empty()) return std::nullopt;
  if (!in_own_order(state.profile.column(nights)->values, nights)) return std::nullopt;
  return gate_command(state, look, nights);
}

/// Whether the newest version of a program is slower, where a column names few of them; how they
/// differ, where their names tell no order.
std::optional<NextCommand> versions_command(const LookState& state, const TableLook& look) {
  constexpr std::size_t kMostVersions = 8;
  for (const ColumnProfile& column : state.profile.columns()) {
    const bool few = !column.has_many_values && column.missing == 0 && column.values.size() > 1 &&
                     column.values.size() <= kMostVersions;
    if (!names_version(column.name) || !few) continue;
    const ColumnProfile* const x = state.profile.column(look.x);
    if (x == nullptr || !each_varies(*x, column)) continue;
    const std::string name = column.label();
    const bool has_order = column.meaning.role != ColumnRole::kRevision &&
                           in_own_order(column.values, column.name).has_value();
    if (has_order && look.inputs.size() == 1 && look.inputs.front() != "-") {
      return gate_command(state, look, name);
    }
    if (std::ranges::find(look.by, name) != look.by.end()) continue;
    SuggestedCall call = study_call("contrast", state, look, look.by);
    call.option("--factor", name);
    return NextCommand{call.text(),
                       fmt::format("How the values of '{}' differ in their laws. (gate judges the "
                                   "last night of a column of dates, or a table of new runs.)",
                                   name)};
  }
  return std::nullopt;
}

/// Runs at one or two scales as far as they tell something.
std::vector<NextCommand> commands_of_few_scales(const LookState& state, const TableLook& look) {
  std::vector<NextCommand> next;
  if (!look.one_scale) {
    next.push_back({study_call("fit", state, look, look.by).text(),
                    "What two scales tell. A law that can be checked needs runs at a third one."});
  }
  if (const auto nights = nights_command(state, look)) next.push_back(*nights);
  if (look.one_scale && !look.settings.empty()) {
    for (NextCommand& one : commands_of_settings(state, look)) next.push_back(std::move(one));
    return next;
  }
  next.push_back({study_call("plot", state, look, look.by).text(),
                  look.one_scale ? "The runs as points. A law needs runs at further scales."
                                 : "The runs, with lines between the two scales."});
  return next;
}

/// The best value of a setting in each cell of sizes.
NextCommand sweep_command(const LookState& state, const TableLook& look) {
  SuggestedCall call("isoflop", look.inputs);
  call.option("--over", look.sweep);
  if (look.scales.empty()) call.option("-x", look.x);
  if (!look.scales.empty()) add_scales_of_loss(call, state, look);
  call.option("-y", look.y).option("-b", joined(without(look.by, look.sweep), ","));
  add_rows(call, state, look);
  return {call.text(), fmt::format("The best '{}' for each size, and how it moves.", look.sweep)};
}

/// The greatest scale at which the response was measured; nothing without one.
std::optional<double> greatest_scale(const LookState& state, const TableLook& look) {
  const ColumnProfile* const x = state.profile.column(look.x);
  const ColumnProfile* const y = state.profile.column(look.y);
  if (x == nullptr || x->numbers == 0 || !(x->max > 0)) return std::nullopt;
  if (y == nullptr) return x->max;
  double greatest = 0;
  for (std::size_t row = 0; row < state.profile.rows(); ++row) {
    if (y->quantities[row] > 0) greatest = std::max(greatest, x->quantities[row]);
  }
  return greatest > 0 ? greatest : x->max;
}

/// A loss over one scale.
std::vector<NextCommand> commands_of_loss(const LookState& state, const TableLook& look) {
  // A law with a floor needs four scales in most groups.
  const bool floor = share_at_scales(state.profile, look.by, look.x, 4) > 0.5;
  const std::string law = floor ? "floor" : "power";
  SuggestedCall fit = study_call("fit", state, look, look.by);
  fit.option("--law", law);
  std::vector<NextCommand> next;
  if (!look.sweep.empty() && look.scales.empty()) next.push_back(sweep_command(state, look));
  next.push_back(
      {fit.text(), floor
                       ? fmt::format("How the loss falls as '{}' grows, and the floor that it does "
                                     "not get below.",
                                     look.x)
                       : fmt::format("How the loss falls as '{}' grows. A floor needs runs at four "
                                     "scales or more.",
                                     look.x)});
  if (const auto greatest = greatest_scale(state, look)) {
    SuggestedCall predict = study_call("predict", state, look, look.by);
    predict.option("--law", law).option("--at", fmt::format("{:g}", 2 * *greatest));
    next.push_back({predict.text(), "A forecast at twice the greatest scale that was measured."});
  }
  return next;
}

/// What each of several equally good columns gives.
std::vector<NextCommand> each_choice(const LookState& state, const TableLook& look) {
  constexpr std::size_t kMost = 3;
  std::vector<NextCommand> next;
  for (const std::string& y : look.equal_ys) {
    TableLook with = look;
    with.y = y;
    next.push_back({fit_command(state, with).command, fmt::format("The law of '{}'.", y)});
  }
  for (const std::string& x : next.empty() ? look.equal_xs : std::vector<std::string>()) {
    SuggestedCall call("look", look.inputs);
    call.option("-x", x);
    add_rows(call, state, look);
    next.push_back({call.text(), fmt::format("The table with '{}' as the scale.", x)});
  }
  next.resize(std::min(next.size(), kMost));
  return next;
}

/// The table with each meaning of its commas.
std::vector<NextCommand> each_decimal(const LookState& state, const TableLook& look) {
  std::vector<NextCommand> next;
  for (const bool comma : {false, true}) {
    SuggestedCall call("look", look.inputs);
    call.option("-x", look.x).option("-y", look.y);
    add_rows(call, state, look);
    call.option("--decimal", comma ? "," : ".");
    next.push_back({call.text(), comma ? "The table with decimal commas: 1,234 is 1.234."
                                       : "The table with commas in thousands: 1,234 is 1234."});
  }
  return next;
}

/// The score of a benchmark that follows from the loss, where a column holds one that varies.
std::optional<NextCommand> score_command(const LookState& state, const TableLook& look) {
  for (const ColumnProfile& column : state.profile.columns()) {
    const bool varies = column.is_number() && column.values.size() > 2 && column.min >= 0;
    if (!names_score(column.name) || !varies) continue;
    const std::string name = column.label();
    SuggestedCall call = loss_call("predict", state, look);
    call.option("--score", name);
    return NextCommand{call.text(), fmt::format("The loss of a larger model, and its '{}'.", name)};
  }
  return std::nullopt;
}

/// The time over the devices, which fit takes without options where a table has both.
std::optional<NextCommand> time_command(const LookState& state, const TableLook& look) {
  const auto x = scale_columns(state.header, "", &state.profile);
  const ColumnProfile* const scale = x.size() == 1 ? state.profile.column(x.front()) : nullptr;
  if (scale == nullptr || scale->values.size() < 2) return std::nullopt;
  const ResponseColumns y = response_columns(state.header, x.front(), &state.profile);
  const bool timed = y.role == ColumnRole::kTime || y.role == ColumnRole::kRate;
  if (!timed || y.names.size() != 1) return std::nullopt;
  SuggestedCall call("fit", look.inputs);
  std::vector<std::string> by = look.by;  // A model of another size takes another time.
  const ColumnProfile* const sizes = column_of_role(state.profile, ColumnRole::kParameters);
  if (sizes != nullptr && sizes->values.size() > 1 && !sizes->has_many_values) {
    by.emplace_back(sizes->label());
  }
  if (!(share_at_scales(state.profile, by, x.front(), 2) > 0)) return std::nullopt;
  call.option("-x", x.front()).option("-y", y.names.front()).option("-b", joined(by, ","));
  if (y.role == ColumnRole::kRate) call.add("--rate");
  add_rows(call, state, look);
  return NextCommand{call.text(), fmt::format("The {} over '{}', which fit takes where nobody says "
                                              "what to fit.",
                                              name_of(y.role), x.front())};
}

/// What tokens are worth that are seen several times, where a column says how many are not, and a
/// model of twice the greatest size on as many.
std::vector<NextCommand> commands_of_repeated(const LookState& state, const TableLook& look) {
  const auto call_of = [&](std::string_view command) {
    SuggestedCall call(command, look.inputs);
    call.option("--law", "data-constrained");
    call.option("-x", fmt::format("{},{}", joined(look.scales, ","), look.unique));
    call.option("-y", look.y).option("-b", joined(look.by, ","));
    add_rows(call, state, look);
    return call;
  };
  std::vector<NextCommand> next{
      {call_of("fit").text(), "What tokens are worth that are seen several times."}};
  const ColumnProfile* const n = state.profile.column(look.scales[0]);
  const ColumnProfile* const d = state.profile.column(look.scales[1]);
  const ColumnProfile* const unique = state.profile.column(look.unique);
  const bool told = n != nullptr && d != nullptr && unique != nullptr;
  if (!told || is_over_compute(state, look)) return next;
  SuggestedCall predict = call_of("predict");
  predict.option("--at", fmt::format("{:g}:{:g}:{:g}", 2 * n->max, d->max, unique->max));
  next.push_back({predict.text(),
                  "The loss of a model twice as large on the most tokens, and what "
                  "they are worth in fresh ones."});
  return next;
}

/// Logarithms of both scales of the runs of one group.
struct ScalesOfGroup {
  std::vector<double> n;
  std::vector<double> d;

  /// Whether a law with five parameters has a scatter, and both scales can be told apart.
  bool suffices() const {
    constexpr std::size_t kFewestRuns = 6;
    constexpr double kTogether = 1e-6;
    return n.size() >= kFewestRuns && 1 - std::pow(correlation_of(n, d), 2) > kTogether;
  }
};

/// Whether most rows belong to groups that a law over both scales can be fitted to.
bool can_have_surface(const LookState& state, const TableLook& look) {
  const ColumnProfile* const n = state.profile.column(look.scales[0]);
  const ColumnProfile* const d = state.profile.column(look.scales[1]);
  if (n == nullptr || d == nullptr) return true;  // Names in full: nothing is known.
  const ColumnProfiles by = state.profile.columns(look.by);
  std::map<std::vector<std::uint32_t>, ScalesOfGroup> groups;
  for (std::size_t row = 0; row < state.profile.rows(); ++row) {
    if (!(n->quantities[row] > 0) || !(d->quantities[row] > 0)) continue;
    ScalesOfGroup& group = groups[codes_at(by, row)];
    group.n.push_back(std::log(n->quantities[row]));
    group.d.push_back(std::log(d->quantities[row]));
  }
  std::size_t enough = 0;
  std::size_t all = 0;
  for (const auto& [key, group] : groups) {
    all += group.n.size();
    enough += group.suffices() ? group.n.size() : 0;
  }
  return 2 * enough > all;
}

/// What suits losses over two scales.
std::vector<NextCommand> commands_of_surface(const LookState& state, const TableLook& look) {
  constexpr std::size_t kFewestRuns = 12;  // In each group, so that a surface has a scatter.
  // Laws of two scales take repeated tokens for fresh ones.
  if (!look.unique.empty()) return commands_of_repeated(state, look);
  std::vector<NextCommand> next;
  if (!look.sweep.empty()) next.push_back(sweep_command(state, look));
  if (!can_have_surface(state, look)) {
    TableLook first = look;
    first.x = look.scales.front();
    for (NextCommand& one : commands_of_loss(state, first)) next.push_back(std::move(one));
    if (auto time = time_command(state, look)) next.push_back(*std::move(time));
    return next;
  }
  next.push_back({loss_call("fit", state, look).text(),
                  "The loss over both scales, and how compute is best split between them."});
  const bool budgets = has_budgets(state, look);
  const ColumnProfile* const group = look.by.empty() ? nullptr : state.profile.column(look.by[0]);
  const std::size_t groups = group == nullptr ? 1 : std::max<std::size_t>(group->values.size(), 1);
  const bool many = look.by.size() < 2 && state.profile.rows() >= kFewestRuns * groups;
  if (budgets) next.insert(next.end() - 1, isoflop_command(state, look));
  if (!budgets && many) next.push_back(isoflop_command(state, look));
  if (const auto contrast = contrast_command(state, look); contrast && many) {
    next.push_back(*contrast);
  }
  if (auto score = score_command(state, look)) next.push_back(*std::move(score));
  if (auto budget = budget_command(state, look)) next.push_back(*std::move(budget));
  if (auto time = time_command(state, look)) next.push_back(*std::move(time));
  if (groups == 1) {
    next.push_back({loss_call("plot surface", state, look).text(),
                    "The loss of each run over its compute, and the least that each reaches."});
  }
  return next;
}

void add_predict_commands(const LookState& state, const TableLook& look,
                          std::vector<NextCommand>& next) {
  constexpr std::size_t kFewestToLearnFrom = 5;  // As of --pool laws.
  SuggestedCall call = study_call("predict", state, look, look.by);
  if (const auto greatest = greatest_scale(state, look)) {
    call.option("--at", fmt::format("{:g}", 2 * *greatest));
  }
  next.push_back({call.text(), "A forecast at twice the greatest scale that was measured."});
  if (state.groups < kFewestToLearnFrom) return;
  call.option("--pool", "laws");
  next.push_back({call.text(), "The same where groups are alike: each learns from the others."});
}

/// The figure of all groups, where they are few enough for one.
std::optional<NextCommand> plot_command(const LookState& state, const TableLook& look) {
  constexpr std::size_t kMostGroups = 8;
  if (state.groups == 0 || state.groups > kMostGroups) return std::nullopt;
  return NextCommand{study_call("plot", state, look, look.by).text(),
                     state.groups == 1 ? "The runs with their law." : "The runs with their laws."};
}

/// What suits the table that is read.
std::vector<NextCommand> commands_of_table(const LookState& state, const TableLook& look) {
  if (state.comma_is_open) return each_decimal(state, look);
  if (look.y.empty()) return {};
  if (!look.scales.empty()) return commands_of_surface(state, look);
  if (look.x.empty())
    return look.settings.empty() ? std::vector<NextCommand>{} : caps_alone(state, look);
  if (!look.equal_ys.empty() || !look.equal_xs.empty()) return each_choice(state, look);
  if (look.response == "loss" && !look.one_scale) return commands_of_loss(state, look);
  std::vector<NextCommand> next;
  if (!look.one_scale && !state.few_scales) {
    next.push_back(fit_command(state, look));
    next.push_back({study_call("rank", state, look, look.by).text(),
                    "Which law describes each group, and how surely."});
  }
  const std::string energy = energy_options(state, look);
  if (!look.other_energy.empty() && look.settings.empty() && !next.empty()) {
    next.push_back(energy_command(state, look, " --energy " + shell_word(look.other_energy)));
    next.back().purpose = fmt::format(
        "What scaling costs in energy, if '{}' and '{}' are of the "
        "same work.",
        look.y, look.other_energy);
  }
  if (!energy.empty()) {
    next.push_back(look.settings.empty() ? energy_command(state, look, energy)
                                         : caps_command(state, look, energy));
  }
  if (next.empty() && (look.one_scale || state.few_scales)) {
    return commands_of_few_scales(state, look);
  }
  if (auto nights = nights_command(state, look)) {
    next.push_back(*std::move(nights));
  } else if (auto versions = versions_command(state, look)) {
    next.push_back(*std::move(versions));
  }
  if (look.one_scale || state.few_scales) return next;
  if (energy.empty()) add_predict_commands(state, look, next);
  if (auto plot = plot_command(state, look)) next.push_back(*std::move(plot));
  return next;
}

/// A look at each of the other tables in the text.
void add_other_tables(const LookState& state, const TableLook& look,
                      std::vector<NextCommand>& next) {
  constexpr std::size_t kMost = 5;
  const std::vector<std::string>& tables = state.header.tables;
  for (std::size_t i = 0; i < tables.size() && i <= kMost; ++i) {
    if (i == state.header.table) continue;
    SuggestedCall call("look", look.inputs);
    call.option("--table", fmt::to_string(i + 1));
    next.push_back({call.text(), fmt::format("The table in lines {}.", tables[i])});
  }
}

}  // namespace

std::vector<NextCommand> next_commands(const LookState& state, const TableLook& look) {
  std::vector<NextCommand> next = commands_of_table(state, look);
  add_other_tables(state, look, next);
  return next;
}

}  // namespace scalelaw
