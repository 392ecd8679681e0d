// Energy scaling as a table for people: a row a group and N, and below what each group's numbers
// mean.

#include <fmt/format.h>

#include <algorithm>

#include "render/energy_writers.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kGroupsExplained = 20;

bool has_cost(const EnergyReport& report) {
  return report.options.footprint.price || report.options.gpu_price;
}

std::vector<TableColumn> columns_of(const EnergyReport& report) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.study.by) columns.push_back({.header = name});
  const auto add = [&columns](std::string header) {
    columns.push_back({.header = std::move(header), .align = Align::kRight});
  };
  for (const std::string& name :
       {report.study.x, std::string("runs"), std::string("t [s]"), std::string("speedup"),
        fmt::format("{:.6g} % interval", 100 * report.options.confidence),
        std::string("efficiency"), std::string("E [kWh]"), std::string("E rel."),
        fmt::format("{:.6g} % interval", 100 * report.options.confidence), std::string("P [W]")}) {
    add(name);
  }
  if (report.options.footprint.carbon_intensity) add("CO2 [kg]");
  if (has_cost(report)) add("cost");
  return columns;
}

std::string interval_text(const std::optional<Interval>& ci) {
  if (!ci) return "-";
  return fmt::format("{} .. {}", with_significant_digits(ci->lower, 3),
                     with_significant_digits(ci->upper, 3));
}

std::vector<std::string> cells_of(const EnergyReport& report, const GroupKey& group,
                                  const EnergyAtScale& scale) {
  const auto digits = [](double value) { return with_significant_digits(value, 4); };
  const Ratio& speedup = scale.sample_speedup ? *scale.sample_speedup : scale.speedup;
  const Ratio& efficiency = scale.sample_efficiency ? *scale.sample_efficiency : scale.efficiency;
  const Ratio& energy = scale.sample_energy ? *scale.sample_energy : scale.energy;
  std::vector<std::string> cells = group;
  cells.push_back(scale_text(scale.x));
  cells.push_back(std::to_string(scale.n));
  cells.push_back(digits(scale.seconds));
  cells.push_back(digits(speedup.value));
  cells.push_back(interval_text(speedup.ci));
  cells.push_back(with_significant_digits(100 * efficiency.value, 3) + " %");
  cells.push_back(digits(scale.kwh));
  cells.push_back(digits(energy.value));
  cells.push_back(interval_text(energy.ci));
  cells.push_back(digits(scale.watts_per_gpu));
  if (report.options.footprint.carbon_intensity) cells.push_back(digits(*scale.co2_kg));
  if (has_cost(report)) cells.push_back(digits(*scale.cost));
  return cells;
}

/// Collects rows and notes, then writes.
class EnergyTable {
 public:
  explicit EnergyTable(const EnergyReport& report) : report_(report), table_(columns_of(report)) {}

  void add(const GroupKey& group, const EnergyScaling& scaling) {
    table_.begin_part();
    for (const EnergyAtScale& scale : scaling.scales) {
      table_.add_row(cells_of(report_, group, scale));
    }
    per_sample_ = per_sample_ || is_per_sample(scaling);
    if (++explained_ > kGroupsExplained) return;
    notes_.push_back(group_name(report_.study.by, group) + ":");
    for (const std::string& line : energy_sentences(report_, scaling)) {
      notes_.push_back("  " + line);
    }
  }

  void add(const GroupKey& group, const NoFit& failure) {
    failures_.add(report_.study.by, group, failure);
  }

  void write(Format format, bool colour, const TextSink& sink) {
    std::vector<std::string> lines = notes_;
    if (explained_ > kGroupsExplained) {
      lines.push_back(fmt::format("{} more groups; --format json explains them all",
                                  explained_ - kGroupsExplained));
    }
    failures_.append_to(lines);
    write_noted_table(table_, caption(), lines, format, colour, sink);
  }

 private:
  std::string caption() const {
    std::string text = fmt::format(
        "energy and speed relative to the smallest {} of the group; y: {}, energy: {}, power: {}",
        report_.study.x, report_.study.y,
        report_.energy.empty() ? "power times N t" : report_.energy,
        report_.power.empty() ? "energy over N t" : report_.power);
    if (per_sample_) text += fmt::format("; per sample where {} varies with N", report_.samples);
    const Footprint& footprint = report_.options.footprint;
    if (footprint.pue != 1) text += fmt::format("; kWh of the building, PUE {}", footprint.pue);
    if (footprint.carbon_intensity) {
      text += fmt::format("; {} g CO2 a kWh", *footprint.carbon_intensity);
    }
    return text;
  }

  const EnergyReport& report_;
  TextTable table_;
  std::vector<std::string> notes_;
  FailedGroups failures_{"energy scaling"};
  std::size_t explained_ = 0;
  bool per_sample_ = false;
};

}  // namespace

void write_energy_table(const EnergyReport& report, std::span<const GroupEnergy> groups,
                        Format format, bool colour, const TextSink& sink) {
  EnergyTable table(report);
  for (const GroupEnergy& group : groups) {
    std::visit([&](const auto& result) { table.add(group.group, result); }, group.result);
  }
  table.write(format, colour, sink);
}

}  // namespace scalelaw
