#include "scalelaw/energy/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/errors.hpp"
#include "runs/column_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/runs/columns.hpp"

namespace scalelaw {
namespace {

/// The names of all columns that are read.
struct Chosen {
  ChosenColumns runs;
  std::string energy;
  std::string power;
  bool is_total = false;                 ///< `power` is that of all GPUs together.
  std::vector<std::string> untold = {};  ///< Sentences on energies or powers that are equally good.
  std::string gpus = {};                 ///< Column of the GPUs where they are not the scale.
  std::string count =
      {};  ///< Column of the GPUs that multiply the power of one; empty: x or `gpus`, or none.
};

/// Finds the number of GPUs of a run where x does not tell it. If it is unknown, a power that was
/// neither requested nor needed is dropped; any other power is an error.
void choose_count(Chosen& chosen, const Header& header, const MeasureOptions& measures,
                  std::string_view source) {
  const std::string& x = chosen.runs.x;
  if (chosen.power.empty() || chosen.is_total || x.empty() || is_usual_name(x, UsualColumn::kGpus))
    return;
  if (const auto gpus = usual_column(header, UsualColumn::kGpus)) {
    chosen.count = *gpus;
  } else if (measures.power.empty() && !chosen.energy.empty()) {
    chosen.power.clear();
  } else {
    throw data_error(
        "{}: '{}' is taken as the power of one GPU, and '{}' does not count GPUs: --total-power "
        "says that it is of all GPUs of a run, a column called gpus (or num_gpus, accelerators, "
        "...) tells how many these are",
        source, chosen.power, x);
  }
}

/// Whether the table has a scale that is not a factor.
bool has_scale_but_for_factors(const Header& header, const MeasureOptions& measures,
                               const TableProfile& profile) {
  const auto scales = scale_columns(header, measures.time, &profile);
  const auto& factors = measures.factors;
  return !scales.empty() && std::ranges::find(factors, scales.front()) == factors.end();
}

/// The energy or power that nobody named. Of several that are equally good none is taken.
std::string chosen_measure(const std::vector<std::string>& columns, std::string_view option,
                           std::vector<std::string>& untold) {
  if (columns.size() == 1) return columns.front();
  if (columns.empty()) return "";
  untold.push_back(fmt::format("{} may each be the {}, so none is taken: {} names one",
                               joined(columns), option.substr(2), option));
  return "";
}

/// The columns that hold the power of all GPUs together by their names.
std::vector<std::string> total_powers(const Header& header, const TableProfile& profile) {
  std::vector<std::string> totals;
  for (const std::string& cell : header.names) {
    std::string name(column_label(cell).name);
    const ColumnProfile* const column = profile.column(name);
    const bool has_numbers = column != nullptr && column->numbers > 0;
    if (has_numbers && names_total_power(cell)) totals.push_back(std::move(name));
  }
  return totals;
}

/// Finds energy and power where the user named none. A user who named one of them, or compares
/// without a scale, needs no other.
void choose_energy_and_power(Chosen& chosen, const Header& header, bool has_x, bool is_optional,
                             const TableProfile& profile, std::string_view source) {
  const bool named = !chosen.energy.empty() || !chosen.power.empty();
  std::vector<std::string> energies;
  std::vector<std::string> powers;
  if (chosen.energy.empty() && (chosen.power.empty() || has_x)) {
    energies = measured_columns(header, usual_energy(chosen.runs.y), profile);
  }
  if (chosen.power.empty() && ((chosen.energy.empty() && energies.empty()) || has_x)) {
    powers = measured_columns(header, UsualColumn::kPower, profile);
  }
  std::vector<std::string> untold;
  const std::string energy = chosen_measure(energies, "--energy", untold);
  const std::string power = chosen_measure(powers, "--power", untold);
  if (!named && energy.empty() && power.empty()) {
    if (!energies.empty()) only_column(energies, "--energy", source);
    if (!powers.empty()) only_column(powers, "--power", source);
    if (const auto totals = total_powers(header, profile); !totals.empty()) {
      chosen.power = only_column(totals, "--power", source);
      chosen.is_total = true;
      return;
    }
    // An energy of a whole run beside the time of an epoch, or the other way round.
    const UsualColumn other = usual_energy(chosen.runs.y) == UsualColumn::kEnergy
                                  ? UsualColumn::kEpochEnergy
                                  : UsualColumn::kEnergy;
    const auto others = measured_columns(header, other, profile);
    if (!others.empty()) {
      throw data_error(
          "{0}: '{1}' is the {2} by its name, and '{3}' is of {4}: if both are of one {5}, add "
          "--energy {6}; -y names another time",
          source, chosen.runs.y,
          other == UsualColumn::kEnergy ? "time of an epoch" : "time of a run", others.front(),
          other == UsualColumn::kEnergy ? "a run as far as its name tells" : "an epoch",
          other == UsualColumn::kEnergy ? "epoch" : "run", shell_word(others.front()));
    }
    if (is_optional) {
      chosen.untold.push_back("no column tells the energy, so only times are compared");
      return;
    }
    throw data_error(
        "{}: there is no column for the energy that goes with '{}': name one with --energy, or one "
        "of the mean power of one GPU with --power (of all GPUs: with --total-power as well); "
        "columns are: {}",
        source, chosen.runs.y, joined(header.names));
  }
  if (chosen.energy.empty()) chosen.energy = energy;
  if (chosen.power.empty()) chosen.power = power;
  chosen.untold = std::move(untold);
}

Chosen choose_names(const Header& header, const MeasureOptions& measures, std::string_view source,
                    const TableProfile& profile) {
  RunOptions options;
  options.usual_factors = measures.usual_factors;
  options.x = measures.x;
  options.y = measures.time;
  options.by = measures.by;
  options.by_chosen = measures.by_chosen;
  options.factors = measures.factors;
  options.where = measures.where;
  options.run = measures.run;
  options.has_x = measures.has_x && !(measures.x_optional && measures.x.empty() &&
                                      !has_scale_but_for_factors(header, measures, profile));
  Chosen chosen{choose_columns(header, options, source, &profile),
                spelled_column(header, measures.energy, source),
                spelled_column(header, measures.power, source), measures.total_power};
  if (chosen.runs.quantity.kind == Kind::kRate) {
    throw data_error(
        "{}: '{}' is a rate by its name, and energy needs a time: name a column of times with -y "
        "(of rates, contrast --factor COL compares settings; fit, rank and predict take them as "
        "well); columns are: {}",
        source, chosen.runs.y, joined(header.names));
  }
  choose_energy_and_power(chosen, header, options.has_x, measures.energy_optional, profile, source);
  if (!options.has_x && measures.gpus_if_there) {
    chosen.gpus = measures.x.empty() ? usual_column(header, UsualColumn::kGpus).value_or("")
                                     : spelled_column(header, measures.x, source);
  }
  choose_count(chosen, header, measures, source);
  return chosen;
}

std::string description_of(const Chosen& chosen, const MeasureOptions& measures) {
  std::string text = description_of(chosen.runs);
  if (!chosen.energy.empty()) text += "; energy: " + chosen.energy;
  if (!chosen.power.empty()) {
    const bool by_name = chosen.is_total && !measures.total_power;
    text += fmt::format("; power{}: {}", by_name ? " of all GPUs by its name" : "", chosen.power);
  }
  if (!chosen.gpus.empty()) text += "; gpus: " + chosen.gpus;
  if (!chosen.count.empty()) text += " of one of the " + chosen.count;
  return text;
}

/// How many base units one unit of the column has. If this is a guess, `assumed` gets a sentence.
double factor_of(const Observations& observations, std::size_t number, Dimension dimension,
                 std::string_view base, std::vector<std::string>& assumed) {
  const std::string& name = observations.numbers()[number].name;
  const std::string& unit = observations.unit(number);
  if (const auto factor = in_base_units(unit, dimension)) return *factor;
  if (!unit.empty()) {
    throw data_error(
        "'{}' is in {}, which is a unit of something else: name another column, or correct its "
        "unit",
        name, unit);
  }
  const std::string_view in_name = unit_in_name(name, dimension);
  if (const auto factor = in_base_units(in_name, dimension)) return *factor;
  assumed.push_back(fmt::format("'{}' names no unit: taken as {}", name, base));
  return 1;
}

/// The mean power at the fewest and at the most GPUs of a group.
struct PowerEnds {
  double least_gpus = 0;
  double most_gpus = 0;
  double ratio = 1;  ///< Of the powers.
};

/// @param watts  As many as there are counts of GPUs; some may be missing.
PowerEnds power_ends(std::span<const double> gpus, std::span<const double> watts) {
  PowerEnds ends;
  if (gpus.empty()) return ends;
  const auto [least, most] = std::ranges::minmax_element(gpus);
  ends.least_gpus = *least;
  ends.most_gpus = *most;
  const auto mean_at = [&](double count) {
    double sum = 0;
    double runs = 0;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      if (gpus[i] != count || !(watts[i] > 0)) continue;
      sum += watts[i];
      ++runs;
    }
    return sum / runs;
  };
  ends.ratio = mean_at(*most) / mean_at(*least);
  return ends;
}

/// The group with the widest range of GPUs over which its power, taken as that of one GPU, grows as
/// their number does; empty if that is not so in a share of the groups.
std::optional<PowerEnds> growing_power(const MeasuredRuns& runs, double share) {
  constexpr double kFewestTimes = 4;  // Over a shorter range powers of one GPU vary as much.
  constexpr double kGrowing = 0.75;   // Exponent of the power over the GPUs.
  const MeasureColumns& columns = runs.columns;
  if (!columns.power || !columns.gpus || columns.energy || columns.total_power) return std::nullopt;
  const Observations& observations = runs.observations;
  std::size_t judged = 0;
  std::size_t growing = 0;
  PowerEnds widest;
  for (std::size_t group = 0; group < observations.size(); ++group) {
    const PowerEnds ends = power_ends(observations.values(group, *columns.gpus),
                                      observations.values(group, *columns.power));
    const double times = ends.most_gpus / ends.least_gpus;
    if (!(times >= kFewestTimes) || !std::isfinite(ends.ratio)) continue;
    ++judged;
    if (std::log(ends.ratio) < kGrowing * std::log(times)) continue;
    ++growing;
    if (growing == 1 || times > widest.most_gpus / widest.least_gpus) widest = ends;
  }
  if (growing == 0 || static_cast<double>(growing) < share * static_cast<double>(judged)) {
    return std::nullopt;
  }
  return widest;
}

/// @throws DataError if the power of all GPUs would be taken as that of one: it grows with their
/// number, and nobody named it, or its name says that it is a total.
void refuse_total_as_one(const MeasuredRuns& runs, const MeasureOptions& measures) {
  const bool is_named = !measures.power.empty();
  if (is_named && !is_total_power(measures.power)) return;
  const auto growing = growing_power(runs, 1);
  if (!growing) return;
  const std::string& power = runs.observations.numbers()[*runs.columns.power].name;
  if (is_rate_of_one(power, "gpus")) return;
  throw data_error(
      "'{0}' is {1:.3g} times as much on {2:.6g} GPUs as on {3:.6g}, so it seems to be the power "
      "of all GPUs together: {4}",
      power, growing->ratio, growing->most_gpus, growing->least_gpus,
      is_named ? fmt::format("add --total-power to --power {}", shell_word(measures.power))
               : fmt::format("add --total-power, or --power {} if it is that of one GPU",
                             shell_word(power)));
}

/// @throws DataError if an energy is that of one GPU or node, and no column counts those.
void refuse_one_of_node(const MeasuredRuns& runs) {
  const MeasureColumns& columns = runs.columns;
  if (!columns.energy) return;
  const auto& numbers = runs.observations.numbers();
  const std::string& energy = numbers[*columns.energy].name;
  const std::string scale = columns.gpus ? numbers[*columns.gpus].name : "";
  const std::string place = rate_name(energy).place;
  if (!place.empty() && !is_device_word(place) && !is_rate_of_one(energy, scale)) {
    throw data_error("'{0}' is the energy of one {1}, and no column counts them: add one", energy,
                     place);
  }
  if (!is_energy_of_one(energy) || may_count_gpus(scale)) return;
  throw data_error("'{}' is the energy of one GPU, and no column counts the GPUs: add one", energy);
}

}  // namespace

bool is_total_power(std::string_view column) { return names_total_power(column); }

bool is_energy_of_one(std::string_view column) { return is_per_device(Name(column)); }

std::string MeasuredRuns::work() const {
  return joined_texts(columns.work, " * ",
                      [&](std::size_t number) { return observations.numbers()[number].name; });
}

std::vector<double> MeasuredRuns::work_of(std::size_t group) const {
  std::vector<double> work;
  for (const std::size_t number : columns.work) {
    const auto factor = observations.values(group, number);
    work.resize(factor.size(), 1);
    for (std::size_t i = 0; i < work.size(); ++i) work[i] *= factor[i];
  }
  return work;
}

std::string MeasuredRuns::work_note() const {
  if (columns.work.empty()) return "";
  return fmt::format("runs do unlike amounts of work, so times and energies are per unit of '{}'",
                     work());
}

Measurements MeasuredRuns::measurements(std::size_t group, bool of_one) const {
  const auto scaled = [&](std::size_t number, double factor) {
    const auto values = observations.values(group, number);
    std::vector<double> out(values.begin(), values.end());
    for (double& value : out) value *= factor;
    return out;
  };
  Measurements out;
  if (columns.x) out.x = scaled(*columns.x, 1);
  out.seconds = scaled(columns.time, columns.seconds);
  if (columns.power) {
    out.watts = scaled(*columns.power, columns.watts);
    if (columns.gpus && !columns.total_power) {
      const auto gpus = observations.values(group, *columns.gpus);
      for (std::size_t i = 0; i < out.watts.size(); ++i) out.watts[i] *= gpus[i];
    }
  }
  if (columns.energy) {
    out.joules = scaled(*columns.energy, columns.joules);
    if (columns.gpus && is_energy_of_one(observations.numbers()[*columns.energy].name)) {
      const auto gpus = observations.values(group, *columns.gpus);
      for (std::size_t i = 0; i < out.joules.size(); ++i) out.joules[i] *= gpus[i];
    }
  } else {
    out.joules.assign(out.seconds.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < out.watts.size(); ++i) {
      out.joules[i] = out.watts[i] * out.seconds[i];
    }
  }
  if (columns.work.empty() || !of_one) return out;
  const std::vector<double> work = work_of(group);
  for (std::size_t i = 0; i < work.size(); ++i) {
    out.seconds[i] /= work[i];
    out.joules[i] /= work[i];
  }
  return out;
}

GroupedCells energy_cells(const MeasuredRuns& runs, const RunOptions& options) {
  const Observations& observations = runs.observations;
  std::vector<GroupRows> groups;
  for (std::size_t group = 0; group < observations.size(); ++group) {
    Measurements measured = runs.measurements(group);
    GroupRows& rows = groups.emplace_back(
        GroupRows{observations.key(group), std::move(measured.x), std::move(measured.joules), {}});
    if (options.weights.empty()) continue;
    const auto weights = observations.values(group, runs.columns.more);
    rows.weights.assign(weights.begin(), weights.end());
  }
  RunOptions named = options;
  named.x = observations.numbers()[*runs.columns.x].name;
  named.y = energy_words(runs);
  named.by = observations.by();
  return cells_of_rows(groups, named);
}

std::string energy_words(const MeasuredRuns& runs) {
  const MeasureColumns& columns = runs.columns;
  const auto name = [&](std::size_t number) { return runs.observations.numbers()[number].name; };
  if (columns.energy) return name(*columns.energy);
  const std::string power = name(*columns.power);
  const std::string time = name(columns.time);
  if (columns.total_power || !columns.gpus) return fmt::format("{} times {}", power, time);
  return fmt::format("{} times {} times {}", power, name(*columns.gpus), time);
}

std::vector<std::size_t> judged_groups(const Observations& observations) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    if (i == 0 || !observations.same_but_for_factors(i, i - 1)) begins.push_back(i);
  }
  begins.push_back(observations.size());
  return begins;
}

MeasuredRuns read_measured_runs(const std::vector<std::string>& inputs,
                                const MeasureOptions& measures, const RowOptions& options) {
  MeasureColumns places;
  std::string choice;
  std::vector<std::string> untold;
  std::string energy_unit;
  const ChooseColumns choose = [&](const Header& header, std::string_view source,
                                   const TableProfile& profile) {
    const Chosen chosen = choose_names(header, measures, source, profile);
    ObservationColumns columns;
    columns.by = chosen.runs.by;
    columns.factors.assign(chosen.runs.by.end() - static_cast<std::ptrdiff_t>(chosen.runs.factors),
                           chosen.runs.by.end());
    columns.run = chosen.runs.run;
    columns.pooled = chosen.runs.pooled;
    const auto add = [&columns](NumberColumn column) {
      columns.numbers.push_back(std::move(column));
      return columns.numbers.size() - 1;
    };
    if (!chosen.runs.x.empty()) places.x = add({.name = chosen.runs.x, .setting = true});
    if (!chosen.gpus.empty()) places.x = add({.name = chosen.gpus, .setting = true});
    places.gpus = places.x;
    places.time = add({.name = chosen.runs.y});
    if (!chosen.energy.empty()) places.energy = add({.name = chosen.energy});
    energy_unit = unit_by_program(header, chosen.energy);
    if (!chosen.power.empty()) {
      places.power = add({.name = chosen.power, .needed = chosen.energy.empty()});
    }
    if (!chosen.count.empty()) {
      places.gpus = add({.name = chosen.count, .needed = chosen.energy.empty(), .setting = true});
    }
    places.total_power = chosen.is_total;
    const bool is_told = std::ranges::any_of(
        measures.more, [](const NumberColumn& column) { return !column.setting; });
    if (measures.of_equal_work && !is_told) {
      for (std::string& factor : unequal_work(profile, chosen.runs)) {
        places.work.push_back(factor == chosen.runs.x ? *places.x : add({.name = factor}));
      }
    }
    places.more = columns.numbers.size();
    for (const NumberColumn& column : measures.more) add(column);
    choice = description_of(chosen, measures);
    untold = chosen.untold;
    return columns;
  };
  MeasuredRuns out{read_observations(inputs, choose, options), {}, {}, {}};
  out.choice = choice;
  out.assumed = untold;
  const auto factor = [&](std::size_t number, Dimension dimension, std::string_view base) {
    return factor_of(out.observations, number, dimension, base, out.assumed);
  };
  places.seconds = factor(places.time, Dimension::kTime, "seconds");
  const auto known = in_base_units(energy_unit, Dimension::kEnergy);
  if (places.energy && known && out.observations.unit(*places.energy).empty()) {
    places.joules = *known;
    out.assumed.push_back(fmt::format("'{}' is in {}, as CodeCarbon writes it",
                                      out.observations.numbers()[*places.energy].name,
                                      energy_unit));
  } else if (places.energy) {
    places.joules = factor(*places.energy, Dimension::kEnergy, "joules");
  }
  if (places.power) places.watts = factor(*places.power, Dimension::kPower, "watts");
  for (const std::string& sentence : out.assumed) out.choice += "; " + sentence;
  out.columns = places;
  refuse_total_as_one(out, measures);
  refuse_one_of_node(out);
  return out;
}

std::string one_gpu_warning(const MeasuredRuns& runs, std::string_view option) {
  const MeasureColumns& columns = runs.columns;
  if (columns.energy || !columns.power || columns.total_power || columns.x) return "";
  return fmt::format(
      "energy is '{}' times time, as if each run had one GPU: {} COL names their number, "
      "--total-power says that it is the power of all",
      runs.observations.numbers()[*columns.power].name, option);
}

namespace {

/// What to check where no GPU draws such a power.
std::string advice_on(const PowerColumn& power) {
  if (power.name.empty()) {
    return "check the unit of the energy, the number of GPUs, and whether time and energy are both "
           "of a run or both of an epoch";
  }
  if (power.is_total) {
    return fmt::format(
        "'{}' is taken as the power of all GPUs together (--total-power): check its "
        "unit and the number of GPUs",
        power.name);
  }
  return fmt::format(
      "'{}' is taken as the power of one GPU: --total-power takes it as that of all "
      "GPUs together; else check its unit",
      power.name);
}

/// With three digits at least.
std::string watts_text(double watts) {
  return watts < 1000 ? fmt::format("{:.3g}", watts) : fmt::format("{:.0f}", watts);
}

/// Runs whose power no GPU draws.
class OddPower {
 public:
  /// @param counts_gpus  Whether what is added is per GPU, or of a run with unknown GPUs.
  explicit OddPower(bool counts_gpus) : counts_gpus_(counts_gpus) {}

  void add(double watts, std::size_t runs = 1) {
    constexpr double kLeastWatts = 5;
    constexpr double kMostWatts = 2000;
    if (!(watts < kLeastWatts) && !(counts_gpus_ && watts > kMostWatts)) return;
    least_ = odd_ == 0 ? watts : std::min(least_, watts);
    most_ = odd_ == 0 ? watts : std::max(most_, watts);
    odd_ += runs;
  }

  /// @param power  The column of the powers, where no energy was measured; else empty.
  std::string warning(const PowerColumn& power) const {
    if (odd_ == 0) return "";
    const std::string least = watts_text(least_);
    const std::string most = watts_text(most_);
    const std::string range = least == most ? most : fmt::format("{} to {}", least, most);
    return fmt::format("{} less than 5 W{} per GPU ({} W): {}",
                       odd_ == 1 ? "1 run drew" : fmt::format("{} runs drew", odd_),
                       counts_gpus_ ? " or more than 2,000 W" : "", range, advice_on(power));
  }

 private:
  bool counts_gpus_;
  std::size_t odd_ = 0;
  double least_ = 0;
  double most_ = 0;
};

/// A warning if the power that is taken as that of one GPU grows as their number does. Empty
/// otherwise.
std::string growing_power_warning(const MeasuredRuns& runs) {
  const auto widest = growing_power(runs, 0.5);
  if (!widest) return "";
  return fmt::format(
      "'{0}' is taken as the power of one GPU, but on {1:.6g} GPUs it is {2:.3g} times what it is "
      "on {3:.6g}: it seems to be that of all GPUs together, and energies are then too high. "
      "--total-power takes it so",
      runs.observations.numbers()[*runs.columns.power].name, widest->most_gpus, widest->ratio,
      widest->least_gpus);
}

}  // namespace

std::string implausible_power_warning(const MeasuredRuns& runs) {
  if (std::string growing = growing_power_warning(runs); !growing.empty()) return growing;
  const auto& gpus = runs.columns.gpus;
  const Observations& observations = runs.observations;
  const bool counts_gpus =
      gpus && is_usual_name(observations.numbers()[*gpus].name, UsualColumn::kGpus);
  OddPower odd(counts_gpus);
  for (std::size_t group = 0; group < observations.size(); ++group) {
    const Measurements measured = runs.measurements(group);
    const auto counts = counts_gpus ? observations.values(group, *gpus) : std::span<const double>();
    for (std::size_t i = 0; i < measured.seconds.size(); ++i) {
      odd.add(measured.joules[i] / measured.seconds[i] / (counts_gpus ? counts[i] : 1.0));
    }
  }
  const MeasureColumns& columns = runs.columns;
  const bool is_power = columns.power && !columns.energy;
  return odd.warning({.name = is_power ? observations.numbers()[*columns.power].name : "",
                      .is_total = columns.total_power});
}

std::string implausible_power_warning(const GroupedCells& times, const GroupedCells& energies,
                                      double joules) {
  const double seconds = in_base_units(times.y_unit(), Dimension::kTime).value_or(1);
  const bool counts_gpus = is_usual_name(times.x(), UsualColumn::kGpus);
  OddPower odd(counts_gpus);
  std::vector<Cell> time;
  std::vector<Cell> energy;
  for (std::size_t group = 0; group < times.size(); ++group) {
    const auto same = energies.find(times.key(group));
    if (!same) continue;
    times.cells(group, time);
    energies.cells(*same, energy);
    for (const Cell& cell : time) {
      const auto at = std::ranges::find(energy, cell.x, &Cell::x);
      if (at == energy.end()) continue;
      const double watts = at->mean * joules / (cell.mean * seconds);
      odd.add(watts / (counts_gpus ? cell.x : 1.0), static_cast<std::size_t>(cell.count));
    }
  }
  return odd.warning({});
}

std::string odd_power_warning(std::span<const double> watts, const PowerColumn& power) {
  OddPower odd(true);
  for (const double value : watts) odd.add(value);
  return odd.warning(power);
}

std::string_view unit_by_program(const Header& header, std::string_view column) {
  static constexpr std::string_view kMarks[] = {"emissions", "duration", "energy_consumed"};
  static constexpr std::string_view kEnergies[] = {"energy_consumed", "cpu_energy", "gpu_energy",
                                                   "ram_energy"};
  const auto has = [&](std::string_view name) {
    return std::ranges::find(header.names, name) != header.names.end();
  };
  const bool is_energy = std::ranges::find(kEnergies, column) != std::end(kEnergies);
  const bool is_codecarbon = std::ranges::all_of(kMarks, has);
  return is_energy && is_codecarbon ? "kWh" : "";
}

std::string unit_by_program(const std::vector<std::string>& inputs, const std::string& column,
                            const TextLayout& layout) {
  const auto first = first_regular_file(inputs);
  if (!first) return "";
  return std::string(unit_by_program(TableRows(*first, layout).header(), column));
}

JoulesPerUnit joules_per_unit(const std::string& column, const std::string& unit) {
  if (const auto factor = in_base_units(unit, Dimension::kEnergy)) return {.joules = *factor};
  if (!unit.empty()) throw data_error("'{}' is in {}, which is no unit of energy", column, unit);
  const auto factor = in_base_units(unit_in_name(column, Dimension::kEnergy), Dimension::kEnergy);
  return {.joules = factor.value_or(1), .assumed = !factor};
}

bool has_power_column(const std::vector<std::string>& inputs, const TextLayout& layout) {
  const auto first = first_regular_file(inputs);
  if (!first) return false;
  const Header header = TableRows(*first, layout).header();
  return std::ranges::any_of(header.names, [](const std::string& name) {
    return is_usual_name(name, UsualColumn::kPower) || is_total_power(name);
  });
}

std::string usual_energy_column(const std::vector<std::string>& inputs, const std::string& time,
                                const TextLayout& layout) {
  const auto first = first_regular_file(inputs);
  if (!first) return "";
  return usual_energy_column(TableRows(*first, layout).header(), time).value_or("");
}

}  // namespace scalelaw
