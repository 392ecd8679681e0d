#include "measure_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/written_number.hpp"

namespace scalelaw::cli {
namespace {

/// A currency in capital letters, the same for its sign and its name; empty if none was given.
std::string currency_name(const Price& price) {
  std::string name;
  for (const std::string_view part : {trimmed(price.before), trimmed(price.behind)}) {
    for (const char c : part) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  static const std::map<std::string, std::string, std::less<>> kNames{
      {"$", "USD"},    {"US$", "USD"},   {"DOLLAR", "USD"}, {"DOLLARS", "USD"}, {"€", "EUR"},
      {"EURO", "EUR"}, {"EUROS", "EUR"}, {"£", "GBP"},      {"¥", "JPY"}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? name : found->second;
}

/// The same study with its energy in place of its times.
StudyOptions study_of_energy(const StudyOptions& study, const StudyReport& report,
                             const std::string& column) {
  StudyOptions out = study;
  out.x = report.x;
  out.y = column;
  out.by = report.by;
  out.by_chosen = true;
  out.rate = false;
  return out;
}

}  // namespace

void add_energy_columns(Options& command, MeasureOptions& measures) {
  command.group("Data");
  command.text("--energy", measures.energy, "COL",
               "Column of the energy that all GPUs of a run take together, in the unit that its "
               "name says. Default: found by its name");
  command.text("--power", measures.power, "COL",
               "Column of the mean power of one GPU, in the unit that its name says. Default: "
               "found by its name");
  command.flag("--total-power", measures.total_power,
               "The power column is the power of all GPUs of a run together");
}

void add_footprint_options(Options& command, FootprintOptions& options) {
  command.group("Footprint");
  command.text("--carbon-intensity", options.carbon_intensity, "G|REGION",
               "Grams of CO2 per kWh, or the name of a grid: FR, DE, GB, US, CN, IN, WORLD, ...");
  command.text("--price", options.price, "PRICE",
               "Price of one kWh, with or without a currency, which is that of all prices",
               price_or_zero());
  command.number("--pue", options.pue, number_from(1, 10), "PUE",
                 "Power usage effectiveness: the energy of the whole building divided by that of "
                 "its machines");
}

Check price_or_zero() {
  return [](std::string& word) -> std::string {
    return number_as_written(word) == 0 ? "" : price()(word);
  };
}

std::optional<double> number_of_price(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto price = price_in(text);
  return price ? price->number : 0;
}

Currency currency_of(std::initializer_list<GivenPrice> prices) {
  Currency currency;
  const GivenPrice* first = nullptr;
  for (const GivenPrice& given : prices) {
    const auto price = price_in(given.text);
    if (!price || currency_name(*price).empty()) continue;
    if (first == nullptr) {
      first = &given;
      currency = {price->before, price->behind};
    } else if (currency_name(*price) != currency_name(*price_in(first->text))) {
      throw DataError(fmt::format(
          "{} {} and {} {} are in different currencies: give both prices in one", first->option,
          scalelaw::quoted(first->text), given.option, scalelaw::quoted(given.text)));
    }
  }
  return currency;
}

Footprint footprint_of(const FootprintOptions& options) {
  Footprint footprint{
      .pue = options.pue, .carbon_intensity = {}, .price = number_of_price(options.price)};
  if (options.carbon_intensity.empty()) return footprint;
  footprint.carbon_intensity = parse_number(options.carbon_intensity);
  if (!footprint.carbon_intensity) {
    footprint.carbon_intensity = grid_intensity(options.carbon_intensity);
  }
  if (!footprint.carbon_intensity || *footprint.carbon_intensity < 0) {
    std::vector<std::string> regions;
    for (const GridIntensity& grid : grid_intensities()) regions.emplace_back(grid.region);
    throw DataError(fmt::format(
        "--carbon-intensity: expected grams of CO2 per kWh, 0 or more, or one of {}; found {}",
        joined(regions), scalelaw::quoted(options.carbon_intensity)));
  }
  return footprint;
}

std::vector<double> etas_of(const std::string& option, const std::string& list) {
  std::vector<double> etas;
  for (const std::string& word : split(list, ',')) {
    const auto eta = parse_number(word);
    if (!eta || !(*eta >= 0 && *eta <= 1)) {
      throw DataError(
          fmt::format("{}: expected numbers from 0 (time only) to 1 (energy only), found {}",
                      option, scalelaw::quoted(word)));
    }
    if (std::find(etas.begin(), etas.end(), *eta) != etas.end()) {
      throw DataError(fmt::format("{}: {} is named twice", option, word));
    }
    etas.push_back(*eta);
  }
  return etas;
}

MeasureOptions measure_options(const StudyOptions& study, MeasureOptions measures) {
  measures.x = study.x;
  measures.time = study.y;
  measures.by = study.by;
  measures.by_chosen = study.by_chosen;
  measures.factors = study.factors;
  measures.usual_factors = study.usual_factors;
  measures.where = study.where;
  measures.run = study.run;
  return measures;
}

MeasuredRuns read_measured(const StudyOptions& study, const MeasureOptions& measures,
                           const GlobalOptions& global) {
  refuse_no_input(study);
  const Console console = global.console();
  RunOptions rows = row_options(study, global);
  for (const std::string& column : {measures.energy, measures.power}) {
    add_units_of(column, rows.layout);
  }
  MeasuredRuns runs = read_measured_runs(study.inputs, measures, rows);
  console.note(runs.choice);
  const Observations& observations = runs.observations;
  std::vector<std::string> by = observations.by();
  by.resize(by.size() - observations.factors().size());
  const auto& x = runs.columns.x;
  warn_of_ungrouped(observations.ungrouped(), std::move(by),
                    x ? observations.numbers()[*x].name : "", console);
  const auto& scale = x ? x : runs.columns.gpus;
  if (scale && measures.more.empty()) {  // Samples of a run tell its work.
    note_growing_work(observations.growing_work(*scale, runs.columns.time),
                      observations.numbers()[*scale].name, console);
  }
  say_what_was_left_out(runs.observations.rows(), runs.observations.bad_rows(), console);
  const std::string power = implausible_power_warning(runs);
  if (!power.empty()) console.warn(power);
  return runs;
}

double joules_of(const std::string& column, const std::string& unit, const Console& console) {
  const JoulesPerUnit factor = joules_per_unit(column, unit);
  if (factor.assumed) console.warn(fmt::format("'{}' names no unit: taken as joules", column));
  return factor.joules;
}

std::string untold_energy(const StudyOptions& study, const std::string& time) {
  const std::string first = expand_inputs(study.inputs).front();
  if (study.rate || !is_regular_file(first)) return "";
  const Header header = TableRows(first, study.layout).header();
  for (const UsualColumn what : {UsualColumn::kEnergy, UsualColumn::kEpochEnergy}) {
    const auto column = usual_column(header, what);
    if (!column) continue;
    return fmt::format(
        "'{0}' is left out: its name does not tell that it is the energy of what '{1}' times; if "
        "it is, --energy {2} takes it",
        *column, time, shell_word(*column));
  }
  return "";
}

std::optional<StudyEnergy> read_energy(const StudyOptions& study, const StudyReport& report,
                                       const std::string& named, bool required,
                                       const GlobalOptions& global) {
  const std::string column = named.empty() && !study.rate
                                 ? usual_energy_column(study.inputs, report.y, study.layout)
                                 : named;
  if (column.empty()) {
    const std::string untold = untold_energy(study, report.y);
    if (!untold.empty()) global.console().warn(untold);
    return std::nullopt;
  }
  const StudyOptions of_energy = study_of_energy(study, report, column);
  const Console console = global.console();
  const FitOptions fit = fit_options(of_energy);
  std::optional<StudyEnergy> energy;
  try {
    energy.emplace(StudyEnergy{.runs = read_quietly(of_energy, fit, global), .column = column});
    std::string unit = energy->runs.y_unit();
    if (unit.empty()) unit = unit_by_program(study.inputs, column, study.layout);
    energy->joules = joules_of(column, unit, console);
  } catch (const Error& error) {
    // A column that nobody asked for must not cost the forecast.
    if (!named.empty() || required) throw;
    console.warn(fmt::format("no forecast of energy: {}", error.what()));
    return std::nullopt;
  }
  console.note(fmt::format("energy: {}", column));
  const RowCounts& rows = energy->runs.rows();
  if (rows.missing > 0) {
    console.warn(fmt::format("{} no '{}': only their times count",
                             part_of(rows.missing, rows.read, "row", "has", "have"), column));
  }
  return energy;
}

StudyReport measured_report(const StudyOptions& study, const MeasuredRuns& runs) {
  StudyReport report;
  const auto& numbers = runs.observations.numbers();
  report.inputs = study.inputs;
  if (runs.columns.x) report.x = numbers[*runs.columns.x].name;
  report.y = numbers[runs.columns.time].name;
  report.by = runs.observations.by();
  report.run = study.run;
  report.rows = runs.observations.rows();
  return report;
}

namespace {

/// The unit of the energies in the table, as far as it is one that people know; J otherwise.
std::string shown_energy_unit(const MeasureColumns& columns) {
  for (const char* unit : {"kWh", "Wh", "MJ", "kJ"}) {
    if (columns.energy && in_base_units(unit, Dimension::kEnergy) == columns.joules) return unit;
  }
  return "J";
}

}  // namespace

ParetoReport pareto_report(const StudyOptions& study, const MeasuredRuns& runs,
                           const ParetoOptions& options, const MaxPower& max_power) {
  const auto knobs = runs.observations.factors();
  ParetoReport report = measured_head<ParetoReport>(study, runs);
  report.study.by.resize(report.study.by.size() - knobs.size());
  report.knobs.assign(knobs.begin(), knobs.end());
  report.max_power_from = max_power.from;
  report.energy_unit = shown_energy_unit(runs.columns);
  report.options = options;
  return report;
}

}  // namespace scalelaw::cli
