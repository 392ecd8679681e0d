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
#include "scalelaw/runs/column_names.hpp"
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

void add_energy_columns(Options& command, MeasureOptions& measures, const char* group) {
  command.group(group);
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
  measures.of_equal_work = true;
  return measures;
}

RunOptions measured_rows(const StudyOptions& study, const MeasureOptions& measures,
                         const GlobalOptions& global) {
  RunOptions rows = row_options(study, global.conditions());
  for (const std::string& column : {measures.energy, measures.power}) {
    add_units_of(column, rows.layout);
  }
  return rows;
}

MeasuredRuns read_measured(const StudyOptions& study, const MeasureOptions& measures,
                           const GlobalOptions& global) {
  refuse_no_input(study);
  const Messages console = global.console();
  MeasuredRuns runs =
      read_measured_runs(study.inputs, measures, measured_rows(study, measures, global));
  console.note(runs.choice);
  const Observations& observations = runs.observations;
  std::vector<std::string> by = observations.by();
  by.resize(by.size() - observations.factors().size());
  const auto& x = runs.columns.x;
  warn_of_ungrouped(observations.ungrouped(), std::move(by),
                    x ? observations.numbers()[*x].name : "", console);
  const auto& scale = x ? x : runs.columns.gpus;
  if (scale && measures.more.empty() && !runs.columns.work) {  // Samples of a run tell its work.
    note_growing_work(observations.growing_work(*scale, runs.columns.time),
                      observations.numbers()[*scale].name, console);
  }
  say_what_was_left_out(runs.observations.rows(), runs.observations.bad_rows(), console);
  const std::string power = implausible_power_warning(runs);
  if (!power.empty()) console.warn(power);
  return runs;
}

double joules_of(const std::string& column, const std::string& unit, const Messages& console) {
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

namespace {

/// Rows of a table that are held one by one for an energy that nobody asked for.
constexpr std::uint64_t kMostUnasked = 2000000;

void say_where_it_is_missing(std::uint64_t missing, std::uint64_t rows, const std::string& column,
                             const Messages& console) {
  if (missing == 0) return;
  console.warn(fmt::format("{} no '{}': only their times count",
                           part_of(missing, rows, "row", "has", "have"), column));
}

TableEnergy energy_of_column(const StudyOptions& study, const StudyReport& report,
                             const std::string& column, const GlobalOptions& global) {
  const StudyOptions of_energy = study_of_energy(study, report, column);
  const Messages console = global.console();
  TableEnergy energy{{.runs = read_quietly(of_energy, fit_options(of_energy), global.conditions()),
                      .words = column}};
  std::string unit = energy.runs.y_unit();
  if (unit.empty()) unit = unit_by_program(study.inputs, column, study.layout);
  energy.joules = joules_of(column, unit, console);
  console.note(fmt::format("energy: {}", column));
  const RowCounts& rows = energy.runs.rows();
  say_where_it_is_missing(rows.missing, rows.read, column, console);
  return energy;
}

/// `measures` for the rows, axes and groups of a study that was read.
MeasureOptions measures_of_study(const StudyOptions& study, const StudyReport& report,
                                 const MeasureOptions& asked) {
  MeasureOptions measures = measure_options(study, asked);
  measures.x = report.x;
  measures.time = report.y;
  measures.by = report.by;
  measures.by_chosen = true;
  measures.of_equal_work = false;  // Times are of whole runs, too.
  if (!study.weights.empty()) measures.more.push_back({.name = study.weights});
  return measures;
}

/// Rows of observations without a value of a column.
std::uint64_t rows_without(const RowCounts& rows, const std::string& column) {
  for (const RowCounts::Missing& missing : rows.missing_in) {
    if (missing.column == column) return missing.rows;
  }
  return 0;
}

TableEnergy energy_of_power(const StudyOptions& study, const StudyReport& report,
                            const MeasureOptions& asked, const GlobalOptions& global) {
  const MeasureOptions measures = measures_of_study(study, report, asked);
  const RunOptions options = measured_rows(study, measures, global);
  const MeasuredRuns runs = read_measured_runs(study.inputs, measures, options);
  const MeasureColumns& columns = runs.columns;
  const auto name = [&runs](std::size_t number) -> const std::string& {
    return runs.observations.numbers()[number].name;
  };
  TableEnergy energy{{.runs = energy_cells(runs, options), .words = energy_words(runs)}};
  if (!columns.energy) energy.power = name(*columns.power);
  energy.doubt = implausible_power_warning(runs);
  const Messages console = global.console();
  for (const std::string& sentence : runs.assumed) console.warn(sentence);
  console.note(fmt::format("energy: {}", energy.words));
  const RowCounts& rows = runs.observations.rows();
  for (const auto& column : {columns.energy ? columns.energy : columns.power, columns.gpus}) {
    if (!column || column == columns.x) continue;
    say_where_it_is_missing(rows_without(rows, name(*column)), rows.read, name(*column), console);
  }
  return energy;
}

/// @throws DataError if the input can be read only once, and the energy needs a second reading.
void refuse_stream(const StudyOptions& study) {
  const std::string first = expand_inputs(study.inputs).front();
  if (is_regular_file(first)) return;
  throw DataError(
      fmt::format("{}: it can be read only once, and energy takes a second reading: name a file",
                  input_name(first)));
}

/// Whether a study of times, by the name or unit of its response, has a column of power.
bool has_power(const StudyOptions& study, const StudyReport& report) {
  const bool is_time = meaning_of(report.y).role == ColumnRole::kTime ||
                       in_base_units(report.y_unit, Dimension::kTime).has_value();
  return !study.rate && is_time && has_power_column(study.inputs, study.layout);
}

}  // namespace

bool names_power(const MeasureOptions& measures) {
  return !measures.power.empty() || measures.total_power;
}

void refuse_power_of_rate(const MeasureOptions& measures, bool is_rate, const std::string& y) {
  if (!is_rate || !names_power(measures)) return;
  throw DataError(
      fmt::format("{} needs a time that the power is multiplied by, and '{}' is a rate: name a "
                  "column of times with -y (of a rate, predict takes --gpu-power with --tokens)",
                  measures.power.empty() ? "--total-power" : "--power", y));
}

std::optional<TableEnergy> read_energy(const StudyOptions& study, const StudyReport& report,
                                       const MeasureOptions& measures, bool required,
                                       const GlobalOptions& global) {
  refuse_power_of_rate(measures, study.rate, report.y);
  const Messages console = global.console();
  const bool names_one = !measures.energy.empty() || names_power(measures);
  if (names_one) refuse_stream(study);
  const std::string column = measures.energy.empty() && !study.rate
                                 ? usual_energy_column(study.inputs, report.y, study.layout)
                                 : measures.energy;
  if (column.empty() && !names_power(measures) && !has_power(study, report)) {
    const std::string untold = untold_energy(study, report.y);
    if (!untold.empty()) console.warn(untold);
    return std::nullopt;
  }
  if (column.empty() && !names_one && !required && report.rows.used > kMostUnasked) {
    console.warn(fmt::format(
        "no forecast of energy: {} rows are too many to multiply the power of each where nobody "
        "asks for it; --power COL does",
        report.rows.used));
    return std::nullopt;
  }
  if (!column.empty() && names_power(measures)) {
    console.warn(fmt::format("the energy is that of '{}', so {} is not used", column,
                             measures.power.empty() ? "--total-power" : "--power"));
  }
  try {
    return column.empty() ? energy_of_power(study, report, measures, global)
                          : energy_of_column(study, report, column, global);
  } catch (const Error& error) {
    // A column that nobody asked for must not cost the forecast.
    if (names_one || required) throw;
    console.warn(fmt::format("no forecast of energy: {}", error.what()));
    return std::nullopt;
  }
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
  if (runs.columns.work) report.warnings.push_back(runs.work_note());
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
