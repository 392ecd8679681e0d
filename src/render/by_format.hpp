#pragma once

#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// Calls the writer of a format: `delimited` with the separator of CSV or TSV, or `table` for all
/// formats of tables.
template <class Json, class Jsonl, class Delimited, class Table>
void write_by_format(Format format, const Json& json, const Jsonl& jsonl,
                     const Delimited& delimited, const Table& table) {
  switch (format) {
    case Format::kJson:
      return json();
    case Format::kJsonl:
      return jsonl();
    case Format::kCsv:
      return delimited(',');
    case Format::kTsv:
      return delimited('\t');
    default:
      return table();
  }
}

}  // namespace scalelaw
