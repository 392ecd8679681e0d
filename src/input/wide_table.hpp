#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/stream_rows.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

/// What measurements of a wide table are called that have no name.
inline constexpr std::string_view kUnnamedValue = "value";
/// What the column is called whose header cell names the scale: "GPUs,1,2,4".
inline constexpr std::string_view kNamesOfRows = "row";

/// The columns of a wide table that hold measurements at several scales: "1 GPU", "2 GPUs".
struct WideColumns {
  std::vector<std::string> scales;  ///< As the names of the columns write them.
  /// What each measurement is called: what its columns' names share beside the scale, or "value".
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> places;  ///< By measurement, then scale.
};

/// The most columns whose names differ in one number alone, and those of other measurements at the
/// same scales. Empty if there are no two.
/// @param scale  The name of the scale; its words are no part of a measurement's name.
std::optional<WideColumns> wide_columns(const std::vector<std::string>& names,
                                        std::string_view scale);

/// A wide table as a long one: a row per row and scale, with the other columns, the scale and its
/// measurements. The separator stays that of the table.
class WideTable final : public ByteStream {
 public:
  /// @throws DataError if no columns are named by scales.
  WideTable(std::unique_ptr<ByteStream> bytes, std::string_view source, const TextLayout& layout);

  std::size_t read(char* out, std::size_t count) override;
  std::uint64_t consumed() const override { return rows_.consumed(); }
  char separator() const { return rows_.header().separator; }
  /// The line of the wide table from which the byte at `offset` of the long one comes. It reads up
  /// to there, so nothing may have been read.
  std::uint64_t line_at(std::uint64_t offset);

 private:
  void write_header(std::string_view scale);
  bool next_row();

  StreamRows rows_;
  WideColumns wide_;
  std::vector<std::size_t> kept_;  ///< Places of the other columns.
  std::size_t scale_ = 0;          ///< The next scale of the current row.
  std::string ready_;              ///< Written and not yet read, from begin_.
  std::size_t begin_ = 0;
};

}  // namespace scalelaw
