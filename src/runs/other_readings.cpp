#include "runs/other_readings.hpp"

#include <fmt/format.h>

#include "runs/look_parts.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// "; 'Loss' is a loss over 'Tokens': scalelaw fit ...", or empty.
std::string reading_of_loss(const Header& header, const TableProfile& profile,
                            const std::string& source) {
  if (loss_scale(header, profile).empty()) return "";
  const LookState state{.profile = profile, .header = header, .options = {}};
  TableLook look;
  look.inputs = {source};
  choose_roles(state, look);
  const auto next = next_commands(state, look);
  if (look.response != "loss" || next.empty()) return "";
  return fmt::format("; '{}' is a loss over '{}': {}", look.y, look.x, next.front().command);
}

/// "; the columns 1 GPU, 2 GPUs hold ...: scalelaw fit ... --wide gpus", or empty.
std::string reading_of_wide(const Header& header, const TableProfile& profile,
                            const std::string& file) {
  const LookState state{.profile = profile, .header = header, .options = {}};
  const auto wide = wide_reading(state, {});
  if (!wide) return "";
  return fmt::format("; the columns {} hold one measurement each: scalelaw fit {} --wide {}",
                     joined(wide->columns), file, shell_word(wide->scale));
}

}  // namespace

std::string other_readings(const Header& header, const TableProfile* profile,
                           std::string_view source) {
  const std::string file = shell_word(source);
  std::string readings;
  if (profile != nullptr) {
    readings = reading_of_loss(header, *profile, std::string(source)) +
               reading_of_wide(header, *profile, file);
  }
  if (header.tables.size() > 1) {
    readings += fmt::format(
        "; the file holds {} tables, and --table N reads another one: scalelaw look {} --table 2",
        header.tables.size(), file);
  }
  return readings;
}

}  // namespace scalelaw
