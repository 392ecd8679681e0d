#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/trace/sample.hpp"

// What the readers of trackers share: the names of runs, and tables of what was logged over time.
namespace scalelaw {

/// The name of the run whose files stand in a folder: the folder's name, behind that of its parent
/// where it is one that every run has ("version_0", "logs", "files").
std::string run_of_folder(const std::string& folder);

/// The folder of a file; the current one for a bare name.
std::string folder_of(const std::string& path);

/// A folder by its whole path, which is one however the call writes it.
std::filesystem::path whole_folder(const std::string& folder);

/// The folder above folders for one kind of files of a run ("logs", "tensorboard", "files",
/// "lightning_logs/version_0", "wandb/run-20240501_100000-abc123", "runs/Jun01_10-00-00_node1");
/// the folder itself if it has another name.
std::string folder_above_parts(const std::string& folder);

/// The text of a file beside another one; empty if there is none.
std::optional<std::string> text_beside(const std::string& path, const char* name);

/// A number that was logged; NaN and infinities are numbers, too. Empty if the cell holds none.
std::optional<double> logged_number(std::string_view text);

/// The fields of a line without their quotes.
std::vector<std::string> fields_without_quotes(std::string_view line);

/// Takes a row of a table, and its line.
using TakeRow = std::function<void(const std::vector<std::string>&, std::uint64_t)>;

/// Reads a CSV table that may still be written: calls take_row(fields, line) for each row with as
/// many fields as the header. Others, repeated headers and a cut last line are noted. Fields come
/// without quotes.
void for_each_logged_row(const std::string& path, TraceNotes& notes,
                         const std::function<void(const std::vector<std::string>&)>& take_header,
                         const TakeRow& take_row);

}  // namespace scalelaw
