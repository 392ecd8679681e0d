#pragma once

#include "scalelaw/render/energy_report.hpp"

namespace scalelaw {

// One writer a family of formats; write_energies chooses.
void write_energy_json(const EnergyReport& report, std::span<const GroupEnergy> groups,
                       const TextSink& sink);
void write_energy_jsonl(const EnergyReport& report, std::span<const GroupEnergy> groups,
                        const TextSink& sink);
void write_energy_rows(const EnergyReport& report, std::span<const GroupEnergy> groups,
                       char separator, const TextSink& sink);
void write_energy_table(const EnergyReport& report, std::span<const GroupEnergy> groups,
                        Format format, bool colour, const TextSink& sink);

/// A warning of one of the power laws.
struct EnergyWarning {
  std::string_view of;  ///< "time", "power", "energy".
  std::string_view code;
};
std::vector<EnergyWarning> energy_warnings(const EnergyScaling& scaling);

/// Whether ratios are of a sample: where the samples vary with N.
inline bool is_per_sample(const EnergyScaling& scaling) {
  return scaling.workload.scaling && *scaling.workload.scaling != Scaling::kStrong;
}

}  // namespace scalelaw
