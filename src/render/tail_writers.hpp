#pragma once

#include "scalelaw/render/tail_report.hpp"

namespace scalelaw {

// One writer a family of formats; write_tails chooses.
void write_tail_json(const TailReport& report, std::span<const GroupTail> groups,
                     const TextSink& sink);
void write_tail_jsonl(const TailReport& report, std::span<const GroupTail> groups,
                      const TextSink& sink);
void write_tail_rows(const TailReport& report, std::span<const GroupTail> groups, char separator,
                     const TextSink& sink);
void write_tail_table(const TailReport& report, std::span<const GroupTail> groups, Format format,
                      bool colour, const TextSink& sink);

}  // namespace scalelaw
