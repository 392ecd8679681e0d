#pragma once

#include <string_view>

namespace scalelaw {

/// Refuses what is no table of text, naming it by its first bytes: an Excel workbook, a Parquet
/// file, a picture, ...
/// @param text  The first bytes, decompressed.
/// @throws DataError saying what it is and what to do.
void refuse_foreign_file(std::string_view text, std::string_view source);

}  // namespace scalelaw
