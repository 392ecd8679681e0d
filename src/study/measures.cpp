#include "scalelaw/study/measures.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/study/notes.hpp"
#include "scalelaw/study/read_study.hpp"

namespace scalelaw {
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
                         const CallConditions& conditions) {
  RunOptions rows = row_options(study, conditions);
  for (const std::string& column : {measures.energy, measures.power}) {
    add_units_of(column, rows.layout);
  }
  return rows;
}

MeasuredRuns read_measured(const StudyOptions& study, const MeasureOptions& measures,
                           const CallConditions& conditions) {
  refuse_no_input(study);
  const Messages& say = conditions.say;
  MeasuredRuns runs =
      read_measured_runs(study.inputs, measures, measured_rows(study, measures, conditions));
  say.note(runs.choice);
  const Observations& observations = runs.observations;
  std::vector<std::string> by = observations.by();
  by.resize(by.size() - observations.factors().size());
  const auto& x = runs.columns.x;
  warn_of_ungrouped(observations.ungrouped(), std::move(by),
                    x ? observations.numbers()[*x].name : "", say);
  const auto& scale = x ? x : runs.columns.gpus;
  if (scale && measures.more.empty() &&
      runs.columns.work.empty()) {  // Samples of a run tell its work.
    note_growing_work(observations.growing_work(*scale, runs.columns.time),
                      observations.numbers()[*scale].name, say);
  }
  say_what_was_left_out(runs.observations.rows(), runs.observations.bad_rows(), say);
  const std::string power = implausible_power_warning(runs);
  if (!power.empty()) say.warn(power);
  return runs;
}

double joules_of(const std::string& column, const std::string& unit, const Messages& say) {
  const JoulesPerUnit factor = joules_per_unit(column, unit);
  if (factor.assumed) say.warn(fmt::format("'{}' names no unit: taken as joules", column));
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
                             const Messages& say) {
  if (missing == 0) return;
  say.warn(fmt::format("{} no '{}': only their times count",
                       part_of(missing, rows, "row", "has", "have"), column));
}

TableEnergy energy_of_column(const StudyOptions& study, const StudyReport& report,
                             const std::string& column, const CallConditions& conditions) {
  const StudyOptions of_energy = study_of_column(study, report, column);
  const Messages& say = conditions.say;
  TableEnergy energy{
      {.runs = read_quietly(of_energy, fit_options(of_energy), conditions), .words = column}};
  std::string unit = energy.runs.y_unit();
  if (unit.empty()) unit = unit_by_program(study.inputs, column, study.layout);
  // The energy of a step goes with the time of 1000 steps.
  const bool of_work = quantity_of(column).of != WorkUnit::kUnknown;
  const double multiple = of_work ? report.quantity.multiple / multiple_of_work(column) : 1;
  energy.joules = joules_of(column, unit, say) * multiple;
  say.note(fmt::format("energy: {}", column));
  const RowCounts& rows = energy.runs.rows();
  say_where_it_is_missing(rows.missing, rows.read, column, say);
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
                            const MeasureOptions& asked, const CallConditions& conditions) {
  const MeasureOptions measures = measures_of_study(study, report, asked);
  RunOptions options = measured_rows(study, measures, conditions);
  if (const auto unit = canonical_unit(study.told.unit)) {
    options.layout.units.push_back({report.y, std::string(*unit)});
  }
  const MeasuredRuns runs = read_measured_runs(study.inputs, measures, options);
  const MeasureColumns& columns = runs.columns;
  const auto name = [&runs](std::size_t number) -> const std::string& {
    return runs.observations.numbers()[number].name;
  };
  TableEnergy energy{{.runs = energy_cells(runs, options), .words = energy_words(runs)}};
  if (!columns.energy) energy.power = name(*columns.power);
  energy.doubt = implausible_power_warning(runs);
  const Messages& say = conditions.say;
  for (const std::string& sentence : runs.assumed) say.warn(sentence);
  say.note(fmt::format("energy: {}", energy.words));
  const RowCounts& rows = runs.observations.rows();
  for (const auto& column : {columns.energy ? columns.energy : columns.power, columns.gpus}) {
    if (!column || column == columns.x) continue;
    say_where_it_is_missing(rows_without(rows, name(*column)), rows.read, name(*column), say);
  }
  return energy;
}

/// Whether a column of power is named, or it is said whose power it is.
bool names_power(const MeasureOptions& measures) {
  return !measures.power.empty() || measures.total_power;
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
  const bool is_time = report.quantity.kind == Kind::kTime ||
                       in_base_units(report.y_unit, Dimension::kTime).has_value();
  return !study.rate && is_time && has_power_column(study.inputs, study.layout);
}

}  // namespace

void refuse_power_of_rate(const MeasureOptions& measures, bool is_rate, const std::string& y) {
  if (!is_rate || !names_power(measures)) return;
  throw DataError(
      fmt::format("{} needs a time that the power is multiplied by, and '{}' is a rate: name a "
                  "column of times with -y (of a rate, predict takes --gpu-power with --tokens)",
                  measures.power.empty() ? "--total-power" : "--power", y));
}

std::optional<TableEnergy> read_energy(const StudyOptions& study, const StudyReport& report,
                                       const MeasureOptions& measures, bool required,
                                       const CallConditions& conditions) {
  refuse_power_of_rate(measures, study.rate, report.y);
  const Messages& say = conditions.say;
  const bool names_one = !measures.energy.empty() || names_power(measures);
  if (!names_one && !required && !has_speedup(report.quantity.kind)) return std::nullopt;
  if (names_one) refuse_stream(study);
  const std::string column = measures.energy.empty() && !study.rate
                                 ? usual_energy_column(study.inputs, report.y, study.layout)
                                 : measures.energy;
  if (column.empty() && !names_power(measures) && !has_power(study, report)) {
    const std::string untold = untold_energy(study, report.y);
    if (!untold.empty()) say.warn(untold);
    return std::nullopt;
  }
  if (column.empty() && !names_one && !required && report.rows.used > kMostUnasked) {
    say.warn(fmt::format(
        "no forecast of energy: {} rows are too many to multiply the power of each where nobody "
        "asks for it; --power COL does",
        report.rows.used));
    return std::nullopt;
  }
  if (!column.empty() && names_power(measures)) {
    say.warn(fmt::format("the energy is that of '{}', so {} is not used", column,
                         measures.power.empty() ? "--total-power" : "--power"));
  }
  try {
    MeasureOptions of_column = measures;
    of_column.energy = column;
    return column.empty() || is_energy_of_one(column)
               ? energy_of_power(study, report, of_column, conditions)
               : energy_of_column(study, report, column, conditions);
  } catch (const Error& error) {
    // A column that nobody asked for must not cost the forecast.
    if (names_one || required) throw;
    say.warn(fmt::format("no forecast of energy: {}", error.what()));
    return std::nullopt;
  }
}

StudyReport measured_report(const StudyOptions& study, const MeasuredRuns& runs) {
  StudyReport report;
  const auto& numbers = runs.observations.numbers();
  report.inputs = study.inputs;
  if (runs.columns.x) report.x = numbers[*runs.columns.x].name;
  report.y = numbers[runs.columns.time].name;
  report.quantity = quantity_of(report.y, runs.observations.unit(runs.columns.time), report.x);
  report.by = runs.observations.by();
  report.run = study.run;
  report.rows = runs.observations.rows();
  if (!runs.columns.work.empty()) report.warnings.push_back(runs.work_note());
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

}  // namespace scalelaw
