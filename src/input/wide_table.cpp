#include "input/wide_table.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// The name of a column, divided.
struct ScaleInName {
  std::string number;
  std::string rest;  ///< The other words, but for those of the scale.
};

/// The product of two numbers with a sign between them: nodes and GPUs per node, "4*8", "2 x 4".
std::optional<double> product_in(std::string_view name) {
  for (const std::string_view sign : {"*", "x", "\u00D7"}) {
    const std::size_t at = name.find(sign);
    if (at == std::string_view::npos) continue;
    const auto first = parse_number(trimmed(name.substr(0, at)));
    const auto second = parse_number(trimmed(name.substr(at + sign.size())));
    if (first && second) return *first * *second;
  }
  return std::nullopt;
}

std::optional<ScaleInName> scale_in(const std::string& name,
                                    const std::vector<std::string>& scale_words) {
  if (const auto number = parse_number(name)) return ScaleInName{name, ""};
  if (const auto product = product_in(name)) return ScaleInName{exact_text(*product), ""};
  ScaleInName found;
  std::vector<std::string> rest;
  for (std::string& word : words_of_name(name)) {
    if (!parse_number(word)) {
      const bool of_scale = std::ranges::find(scale_words, word) != scale_words.end();
      if (!of_scale && word != "num") rest.push_back(std::move(word));
    } else if (!std::exchange(found.number, word).empty()) {
      return std::nullopt;
    }
  }
  if (found.number.empty()) return std::nullopt;
  found.rest = joined(rest, "_");
  return found;
}

/// Columns that share all but a number.
struct WideFamily {
  std::vector<std::string> scales;
  std::vector<std::size_t> places;
};

}  // namespace

std::optional<WideColumns> wide_columns(const std::vector<std::string>& names,
                                        std::string_view scale) {
  const std::vector<std::string> scale_words = words_of_name(scale);
  std::vector<std::pair<std::string, WideFamily>> families;  // In the order of the columns.
  for (std::size_t place = 0; place < names.size(); ++place) {
    auto found = scale_in(names[place], scale_words);
    if (!found) continue;
    auto family =
        std::ranges::find_if(families, [&](const auto& one) { return one.first == found->rest; });
    if (family == families.end()) family = families.insert(family, {found->rest, {}});
    family->second.scales.push_back(std::move(found->number));
    family->second.places.push_back(place);
  }
  const auto most = std::ranges::max_element(families, [](const auto& a, const auto& b) {
    return a.second.places.size() < b.second.places.size();
  });
  if (most == families.end() || most->second.places.size() < 2) return std::nullopt;
  WideColumns wide{.scales = most->second.scales, .names = {}, .places = {}};
  for (auto& [rest, family] : families) {
    if (family.scales != wide.scales) continue;
    wide.names.push_back(rest.empty() ? std::string(kUnnamedValue) : rest);
    wide.places.push_back(std::move(family.places));
  }
  return wide;
}

WideTable::WideTable(std::unique_ptr<ByteStream> bytes, std::string_view source,
                     const TextLayout& layout)
    : rows_(std::move(bytes), source, {.delimiter = layout.delimiter}) {
  auto wide = wide_columns(rows_.header().names, layout.wide);
  if (!wide) {
    throw data_error(
        "{}: --wide {}: no two columns are named by scales, as in '1,2,4' or '1 GPU,2 GPUs'; "
        "columns are: {}",
        source, layout.wide, joined(rows_.header().names));
  }
  wide_ = *std::move(wide);
  scale_ = wide_.scales.size();
  write_header(layout.wide);
}

void WideTable::write_header(std::string_view scale) {
  std::vector<std::string> names;
  const std::vector<std::string>& columns = rows_.header().names;
  for (std::size_t place = 0; place < columns.size(); ++place) {
    const bool is_wide = std::ranges::any_of(wide_.places, [&](auto& places) {
      return std::ranges::find(places, place) != places.end();
    });
    if (is_wide) continue;
    kept_.push_back(place);
    // In "GPUs,1,2,4" the name of the scale stands above the names of the rows.
    names.push_back(columns[place] == scale ? std::string(kNamesOfRows) : columns[place]);
  }
  names.emplace_back(scale);
  names.insert(names.end(), wide_.names.begin(), wide_.names.end());
  append_delimited_row(ready_, names, separator());
}

bool WideTable::next_row() {
  if (scale_ == wide_.scales.size()) {
    if (!rows_.next()) return false;
    scale_ = 0;
  }
  std::vector<std::string> cells;
  for (const std::size_t place : kept_) cells.push_back(rows_.fields()[place]);
  cells.push_back(wide_.scales[scale_]);
  for (const auto& places : wide_.places) cells.push_back(rows_.fields()[places[scale_]]);
  append_delimited_row(ready_, cells, separator());
  ++scale_;
  return true;
}

std::size_t WideTable::read(char* out, std::size_t count) {
  // No row more than is asked for, so that line_at() ends at the right one.
  while (ready_.size() - begin_ < count && next_row()) {
  }
  const std::size_t part = std::string_view(ready_).substr(begin_).copy(out, count);
  begin_ += part;
  if (begin_ == ready_.size()) {
    ready_.clear();
    begin_ = 0;
  }
  return part;
}

std::uint64_t WideTable::line_at(std::uint64_t offset) {
  std::string passed(std::size_t{1} << 16, '\0');
  for (std::uint64_t left = offset + 1; left > 0;) {
    const std::size_t got = read(passed.data(), std::min<std::uint64_t>(left, passed.size()));
    if (got == 0) break;
    left -= got;
  }
  return rows_.line();
}

}  // namespace scalelaw
