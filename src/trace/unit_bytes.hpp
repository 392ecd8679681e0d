#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "trace/unit_reader.hpp"

namespace scalelaw {

/// The figures of a unit as bytes, for a file or another process. Reading them restores every bit,
/// and they are the same on every machine.
std::string bytes_of(const UnitFigures& figures);

/// The figures from bytes that bytes_of wrote.
/// @throws DataError if the bytes are damaged, or another version of scalelaw wrote them.
UnitFigures unit_figures_of(std::string_view bytes);

/// Units to read and windows of jobs, for other ranks. @throws DataError if bytes are damaged.
std::string bytes_of(const std::vector<Unit>& units);
std::vector<Unit> units_of(std::string_view bytes);
std::string bytes_of(const BusyWindows& windows);
BusyWindows busy_windows_of(std::string_view bytes);

/// A known format, or nullptr.
void put(ByteWriter& out, const TraceFormat* format);
void take(ByteReader& in, const TraceFormat*& format);

}  // namespace scalelaw
