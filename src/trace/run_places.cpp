#include "trace/run_places.hpp"

#include <array>
#include <limits>

#include "input/folder_reader.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/source.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

/// Whether many runs have a folder of that name.
bool is_common(const std::string& name) {
  static constexpr std::array kCommon{"files", "logs", "log",         "runs",    "tb",    "tb_logs",
                                      "event", "tfs",  "tensorboard", "metrics", "events"};
  return name.starts_with("version_") || is_one_of(name, kCommon);
}

/// Whether a name is as default_logdir() of transformers makes it: "Jun01_10-00-00_node1".
bool is_log_of_hub(const std::string& name) {
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return name.size() > 6 && name[5] == '_' && is_digits(std::string_view(name).substr(3, 2)) &&
         is_one_of(name.substr(0, 3), kMonths);
}

/// Whether a folder is one that a tracker or monitor makes for a run, below the run's own.
bool is_part_of_run(const fs::path& folder) {
  static constexpr std::array kParts{"files",          "log",        "logs",      "tb",
                                     "tb_logs",        "events",     "emissions", "tensorboard",
                                     "lightning_logs", "codecarbon", "csv_logs",  "wandb"};
  const std::string name = folder.filename().string();
  const std::string parent = folder.parent_path().filename().string();
  if (parent == "wandb" && (name.starts_with("run-") || name.starts_with("offline-run-")))
    return true;
  if (parent == "runs" && is_log_of_hub(name)) return true;
  return name == "runs" || name.starts_with("version_") || name.starts_with("checkpoint-") ||
         is_one_of(name, kParts);
}

}  // namespace

std::vector<std::string> fields_without_quotes(std::string_view line) {
  std::vector<std::string> fields;
  std::string scratch;
  for (const std::string_view field : trimmed_fields(line)) {
    fields.emplace_back(field_defect(field) ? field : field_text(field, scratch));
  }
  return fields;
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

fs::path whole_folder(const std::string& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();  // "/runs/a/" and "/runs/a".
}

std::string folder_above_parts(const std::string& folder) {
  fs::path above = folder;
  while (is_part_of_run(above)) above = folder_of(above.string());
  return above.string();
}

std::string run_of_folder(const std::string& folder) {
  const fs::path place = whole_folder(folder);
  const std::string name = place.filename().string();
  const std::string parent = place.parent_path().filename().string();
  return is_common(name) && !parent.empty() ? parent + "/" + name : name;
}

std::optional<std::string> text_beside(const std::string& path, const char* name) {
  const std::string beside = (fs::path(path).parent_path() / name).string();
  if (!is_regular_file(beside) || leads_out(beside, folder_of(path))) return std::nullopt;
  return text_of_file(beside);
}

std::optional<double> logged_number(std::string_view text) {
  text = trimmed(text);
  if (const auto number = parse_number(text)) return number;
  const std::string lower = lower_case(text);
  if (lower == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (is_infinite(text)) return lower.starts_with('-') ? -kInfinity : kInfinity;
  return std::nullopt;
}

void for_each_logged_row(const std::string& path, TraceNotes& notes,
                         const std::function<void(const std::vector<std::string>&)>& take_header,
                         const TakeRow& take_row) {
  NotedFile lines(path, notes);
  const std::string header(lines.next().value_or(""));
  const std::vector<std::string> names = fields_without_quotes(header);
  take_header(names);
  while (const auto line = lines.next()) {
    if (trimmed(*line).empty()) continue;
    const std::vector<std::string> fields = fields_without_quotes(*line);
    if (*line == header) {
      lines.note(TraceOddity::kRepeatedHeader, *line);
    } else if (fields.size() == names.size()) {
      take_row(fields, lines.line_number());
    } else {
      lines.note_left_out(*line);
    }
  }
}

}  // namespace scalelaw
