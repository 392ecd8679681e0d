#pragma once

#include "scalelaw/render/table.hpp"
#include "scalelaw/runs/look.hpp"

namespace scalelaw {

/// Writes what a table is, in any format. JSON is the schema scalelaw.look/1 of
/// docs/reference/look.md; CSV and the like have one row per column of the table.
void write_look(const TableLook& look, const TableStyle& style, const TextSink& sink);

}  // namespace scalelaw
