#pragma once

#include <string>
#include <vector>

#include "scalelaw/render/table.hpp"
#include "scalelaw/store/study_store.hpp"

namespace scalelaw {

/// Writes the contents and the files of a store in any format. JSON is the schema scalelaw.store/1
/// of docs/reference/store.md; CSV and the like have one row per file.
void write_store(const std::string& path, const StoreContents& contents,
                 const std::vector<StoredFile>& files, const TableStyle& style,
                 const TextSink& sink);

}  // namespace scalelaw
