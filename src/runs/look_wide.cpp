#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "input/wide_table.hpp"
#include "runs/look_parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/suggested_call.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

/// Numbers that could be scales: three or more, all different, above 0, and no years.
bool could_be_scales(const std::vector<std::string>& numbers) {
  constexpr std::size_t kFewest = 3;
  std::set<double> values;
  for (const std::string& number : numbers) values.insert(parse_number(number).value_or(0));
  const bool years = *values.begin() >= 1900 && *values.rbegin() <= 2100;
  return values.size() >= kFewest && values.size() == numbers.size() && *values.begin() > 0 &&
         !years;
}

/// The name of a column whose header cell names the scale above the names of the rows:
/// "GPUs,1,2,4".
std::string corner_of(const TableProfile& profile) {
  for (const ColumnProfile& column : profile.columns()) {
    if (column.name.empty()) continue;
    // In "size/threads" the second name is that of the columns.
    const std::size_t cut = column.name.find_first_of("/\\");
    const std::string second(
        trimmed(std::string_view(column.name).substr(cut == std::string::npos ? 0 : cut + 1)));
    if (cut != std::string::npos && meaning_of(second).role == ColumnRole::kScale) return second;
    const bool is_corner = column.meaning.role == ColumnRole::kScale && column.texts > 0;
    return is_corner ? column.name : "";
  }
  return "";
}

/// Whether numbers count on by one, as those of repeats do: 1, 2, 3.
bool are_consecutive(const std::vector<std::string>& numbers) {
  const double first = parse_number(numbers.front()).value_or(0);
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (parse_number(numbers[i]) != first + static_cast<double>(i)) return false;
  }
  return true;
}

/// Whether the columns that are equally good for y are numbered repeats: time_1, time_2, time_3.
bool are_repeats(const WideColumns& wide, const std::vector<std::string>& names,
                 const std::vector<std::string>& equal_ys) {
  const std::vector<std::size_t>& places = wide.places.front();
  const auto is_named = [&names](std::size_t place, const std::string& y) {
    return column_label(names[place]).name == y;
  };
  return are_consecutive(wide.scales) &&
         std::equal(places.begin(), places.end(), equal_ys.begin(), equal_ys.end(), is_named);
}

/// Whether what the names of numbered columns share is no name for a repeat: "time", or nothing.
bool names_no_repeat(const std::string& rest) {
  const ColumnRole role = meaning_of(rest).role;
  return rest == kUnnamedValue || role == ColumnRole::kTime || role == ColumnRole::kRate;
}

/// What the numbers in the names of columns count; empty if they are no scales.
/// @param rest  What the names share beside the number.
std::string scale_in_names(const TableProfile& profile, const std::string& rest) {
  if (rest == kUnnamedValue) {
    const std::string corner = corner_of(profile);
    return corner.empty() ? "scale" : corner;
  }
  for (const std::string& word : split(rest, '_')) {
    if (meaning_of(word).role == ColumnRole::kScale)
      return word + (word.ends_with('s') ? "es" : "s");
  }
  const std::vector<std::string> words = split(rest, '_');
  const bool letters = std::ranges::all_of(words, [](auto& word) { return word.size() == 1; });
  // In "T(t = 4)" the last letter is that of the scale.
  if (letters && words.size() > 1) return words.back();
  const ColumnRole role = meaning_of(rest).role;
  const bool measured = role == ColumnRole::kTime || role == ColumnRole::kRate;
  return measured || letters ? "scale" : "";
}

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

std::optional<WideReading> wide_reading(const LookState& state, const TableLook& look) {
  const bool has_both = !look.x.empty() && !look.y.empty();
  if (!look.scales.empty() || (has_both && look.equal_ys.empty())) return std::nullopt;
  const auto wide = wide_columns(state.header.names, "");
  if (!wide || !could_be_scales(wide->scales)) return std::nullopt;
  if (has_both && !are_repeats(*wide, state.header.names, look.equal_ys)) return std::nullopt;
  WideReading reading;
  for (const std::size_t place : wide->places.front()) {
    const ColumnProfile* const column = state.profile.column(state.header.names[place]);
    if (column == nullptr || column->numbers == 0) return std::nullopt;
    reading.columns.push_back(column->name);
  }
  const std::string& rest = wide->names.front();
  // Beside a scale the numbers tell repeats: "gpus,run1,run2,run3".
  reading.scale = look.x.empty()                  ? scale_in_names(state.profile, rest)
                  : !names_no_repeat(rest)        ? rest
                  : are_consecutive(wide->scales) ? "repeat"
                                                  : "column";
  return reading.scale.empty() ? std::nullopt : std::optional(std::move(reading));
}

void find_rows_of_measures(LookState& state, TableLook& look) {
  const ColumnProfile* const rows = state.profile.column(kNamesOfRows);
  if (state.options.layout.wide.empty() || rows == nullptr || look.y != kUnnamedValue) return;
  std::vector<std::string> derived;
  std::size_t rates = 0;
  for (const std::string& name : rows->values) {
    const ColumnRole role = meaning_of(name).role;
    if (role == ColumnRole::kDerived && name.find(',') == name.npos) derived.push_back(name);
    rates += role == ColumnRole::kRate ? 1 : 0;
  }
  const std::size_t measured = rows->values.size() - derived.size();
  if (rates > 0 && rates == measured) look.response = "rate";
  if (derived.empty() || measured == 0) return;
  tell(look, "derived_rows", "Computed from other rows, and left out by the commands: {}.",
       joined(derived));
  state.where.push_back(fmt::format("{}!={}", kNamesOfRows, joined(derived, ",")));
}

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
