#include "runs/other_readings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scalelaw/base/suggested_call.hpp"
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
                            const std::string& source) {
  const LookState state{.profile = profile, .header = header, .options = {}};
  const auto wide = wide_reading(state, {});
  if (!wide) return "";
  return fmt::format("; the columns {} hold one measurement each: {}", joined(wide->columns),
                     SuggestedCall("fit", {source}).option("--wide", wide->scale).text());
}

/// Whether a column names rows that hold no times: "speedup", "efficiency".
bool names_other_measures(const ColumnProfile& column) {
  return std::ranges::any_of(column.values, [](const std::string& value) {
    const ColumnRole role = meaning_of(value).role;
    return role == ColumnRole::kDerived || role == ColumnRole::kRate;
  });
}

}  // namespace

std::optional<WideReading> sure_wide_reading(const Header& header, const TableProfile* profile) {
  if (profile == nullptr) return std::nullopt;
  const LookState state{.profile = *profile, .header = header, .options = {}};
  auto wide = wide_reading(state, {});
  if (!wide) return std::nullopt;
  const bool each = std::ranges::all_of(wide->columns, [](auto& name) {
    return meaning_of(name.substr(std::min(name.find_first_not_of("0123456789 "), name.size())))
               .role == ColumnRole::kScale;
  });
  const auto& columns = profile->columns();
  if (!each || std::ranges::any_of(columns, names_other_measures)) {
    return std::nullopt;
  }
  return wide;
}

std::string other_readings(const Header& header, const TableProfile* profile,
                           std::string_view source) {
  const std::string file(source);
  std::string readings;
  if (profile != nullptr) {
    readings = reading_of_loss(header, *profile, file) + reading_of_wide(header, *profile, file);
  }
  if (header.tables.size() > 1) {
    readings += fmt::format("; the file holds {} tables, and --table N reads another one: {}",
                            header.tables.size(),
                            SuggestedCall("look", {file}).option("--table", "2").text());
  }
  return readings;
}

}  // namespace scalelaw
