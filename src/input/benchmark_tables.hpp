#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

/// The text behind what makes a script of a JSON document: "window.BENCHMARK_DATA = {...}".
std::string_view without_assignment(std::string_view text);

/// The results that a benchmark program keeps as JSON, as the CSV of a run table with columns
/// `date`, `commit`, `benchmark`, its settings, and a column for each unit: times are `seconds` (or
/// `mean_s`), others `value (ops/sec)`. Known are pytest-benchmark (a saved run), asv (a file of
/// results; names of settings and units are taken from the benchmarks.json above it) and
/// github-action-benchmark (data.js). Empty for everything else.
/// @param members  Those of the document, an object.
/// @throws ParseError if it is no JSON, DataError if no result has a value.
std::optional<std::string> csv_of_benchmarks(std::span<const std::string> members,
                                             std::string_view text, std::string_view source);

}  // namespace scalelaw
