#pragma once

#include "scalelaw/render/contrast_report.hpp"

namespace scalelaw {

// One writer a family of formats; write_contrasts chooses.
void write_contrast_json(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                         const TextSink& sink);
void write_contrast_jsonl(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                          const TextSink& sink);
void write_contrast_rows(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                         char separator, const TextSink& sink);
void write_contrast_table(const ContrastReport& report, std::span<const GroupContrast> contrasts,
                          Format format, bool colour, const TextSink& sink);

}  // namespace scalelaw
