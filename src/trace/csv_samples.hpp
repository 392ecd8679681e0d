#pragma once

#include <span>
#include <string_view>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/format.hpp"
#include "scalelaw/trace/sample.hpp"

namespace scalelaw {

/// What a column of a sampled series holds.
enum class SampleColumn { kTime, kDevice, kNode, kSmUtil, kMemUtil, kMemUsed, kPower, kEnergy };
inline constexpr std::size_t kSampleColumns = 8;

/// The name of a column in a format, without its unit, in lower case. If a column has several
/// names, the first one present counts.
struct SampleColumnName {
  std::string_view name;
  SampleColumn column;
};

/// Reads comma-separated samples with a header (or with TraceOptions::columns instead): SuperCloud
/// series and nvidia-smi logs.
///
/// Cells may carry units. Brackets ("[N/A]") and the usual spellings of a missing value mean that
/// it was not measured. A row that is no sample (a sentence, other fields) is noted and left out.
/// The header may come again, even with other columns. Without a time column, a tick is counted
/// whenever a device comes again.
/// @throws ParseError if the first line is no header of samples.
void read_csv_samples(ByteStream& in, std::string_view source,
                      std::span<const SampleColumnName> names, const TraceOptions& options,
                      SampleSink& sink);

/// The same as TraceFormat::read_samples.
template <const auto& kNames>
void read_csv_samples(ByteStream& in, std::string_view source, const TraceOptions& options,
                      SampleSink& sink) {
  read_csv_samples(in, source, kNames, options, sink);
}

/// Whether a line is a header of that dialect, with a power or a utilisation.
bool is_sample_header(std::string_view line, std::span<const SampleColumnName> names);

}  // namespace scalelaw
