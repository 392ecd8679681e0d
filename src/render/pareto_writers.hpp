#pragma once

#include "scalelaw/render/pareto_report.hpp"

namespace scalelaw {

// One writer a family of formats; write_paretos chooses.
void write_pareto_json(const ParetoReport& report, std::span<const GroupPareto> groups,
                       const TextSink& sink);
void write_pareto_jsonl(const ParetoReport& report, std::span<const GroupPareto> groups,
                        const TextSink& sink);
void write_pareto_rows(const ParetoReport& report, std::span<const GroupPareto> groups,
                       char separator, const TextSink& sink);
void write_pareto_table(const ParetoReport& report, std::span<const GroupPareto> groups,
                        Format format, bool colour, const TextSink& sink);

}  // namespace scalelaw
