#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scalelaw {

/// What a name of an input leads to.
enum class InputKind : std::uint8_t {
  kTable,     ///< A run table in a file, a study store or memory.
  kTables,    ///< A folder, or files that fit a pattern.
  kFits,      ///< A document of fits.
  kKeptFits,  ///< The fits that a study store keeps under a label.
  kStream,    ///< A pipe or standard input: what was read of it is gone.
  kNone,      ///< Nothing is there.
};

/// An input that the user named, looked at once.
struct Input {
  std::string path;
  InputKind kind = InputKind::kNone;
  std::string label = {};  ///< Of kept fits.
  /// The first file of a run table that can be read as often as one likes; empty if there is none.
  std::optional<std::string> first = {};

  /// The same in messages.
  std::string name() const;
  bool is_standard_input() const { return path == "-"; }
  bool holds_fits() const { return kind == InputKind::kFits || kind == InputKind::kKeptFits; }
};

/// @throws DataError if it is there and cannot be read, or a folder has no table.
Input input_at(const std::string& path);

}  // namespace scalelaw
