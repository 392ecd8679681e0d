#include "scalelaw/documents/input.hpp"

#include "scalelaw/documents/read_fits.hpp"
#include "scalelaw/input/held_streams.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {

std::string Input::name() const { return input_name(path); }

Input input_at(const std::string& path) {
  if (const auto label = input_label(path)) return {path, InputKind::kKeptFits, *label};
  if (is_stream(path)) return {path, InputKind::kStream};
  if (holds_saved_fits(path)) return {path, InputKind::kFits};
  const bool is_pattern = path.find_first_of("*?[") != std::string::npos;
  if (!is_pattern && !input_exists(path)) return {path, InputKind::kNone};
  const bool is_file = is_regular_file(path);
  return {path, is_file ? InputKind::kTable : InputKind::kTables, "",
          first_regular_file(std::vector{path})};
}

}  // namespace scalelaw
