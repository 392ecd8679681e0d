#include "scalelaw/render/energy_report.hpp"

#include "render/energy_writers.hpp"

namespace scalelaw {

void write_energies(const EnergyReport& report, std::span<const GroupEnergy> groups, Format format,
                    bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_energy_json(report, groups, sink);
    case Format::kJsonl:
      return write_energy_jsonl(report, groups, sink);
    case Format::kCsv:
    case Format::kTsv:
      return write_energy_rows(report, groups, format == Format::kTsv ? '\t' : ',', sink);
    case Format::kTable:
    case Format::kMarkdown:
    case Format::kLatex:
    case Format::kHtml:
      break;
  }
  write_energy_table(report, groups, format, colour, sink);
}

std::vector<EnergyWarning> energy_warnings(const EnergyScaling& scaling) {
  std::vector<EnergyWarning> warnings;
  const auto* exponents = std::get_if<EnergyExponents>(&scaling.exponents);
  if (exponents == nullptr) return warnings;
  const auto add = [&](std::string_view of, const Fit& fit) {
    for (const WarningCode code : fit.warnings) {
      // Only a time has a speedup.
      if (code == WarningCode::kOverpredictsSpeedup && of != "time") continue;
      warnings.push_back({of, name_of(code)});
    }
  };
  add("time", exponents->time);
  if (const Fit* power = std::get_if<Fit>(&exponents->power)) add("power", *power);
  add("energy", exponents->energy);
  return warnings;
}

}  // namespace scalelaw
