#pragma once

#include "scalelaw/render/caps_report.hpp"

namespace scalelaw {

// One writer a family of formats; write_caps chooses.
void write_caps_json(const CapsReport& report, std::span<const GroupCaps> groups,
                     const TextSink& sink);
void write_caps_jsonl(const CapsReport& report, std::span<const GroupCaps> groups,
                      const TextSink& sink);
void write_caps_rows(const CapsReport& report, std::span<const GroupCaps> groups, char separator,
                     const TextSink& sink);
void write_caps_table(const CapsReport& report, std::span<const GroupCaps> groups, Format format,
                      bool colour, const TextSink& sink);

}  // namespace scalelaw
