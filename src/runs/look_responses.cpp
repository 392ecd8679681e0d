// What is measured where it is no time over GPUs: losses, and columns that no name explains.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runs/cell_number.hpp"
#include "runs/look_parts.hpp"
#include "runs/row_reading.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/quantity.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kFewestOfScale = 3;

/// The columns of -x N,D; empty if the user names none or one.
std::vector<std::string> two_scales_of(const LookState& state) {
  if (state.options.x.find(',') == std::string::npos) return {};
  if (find_column(state.header, state.options.x, "")) return {};
  std::vector<std::string> names;
  for (const std::string& name : split(state.options.x, ',')) {
    names.push_back(spelled_column(state.header, name, ""));
  }
  if (names.size() != 2) names.clear();
  return names;
}

/// The only scale of a loss: what the user names, else parameters, tokens, compute or steps, of
/// which there are several; empty without one, or where runs on several GPUs are compared.
std::string one_scale_of(const LookState& state) {
  if (!state.options.x.empty()) {
    const std::string x = spelled_column(state.header, state.options.x, "");
    const ColumnProfile* const column = state.profile.column(x);
    const ColumnRole role = column == nullptr ? meaning_of(x).role : column->meaning.role;
    const bool of_model = role == ColumnRole::kParameters || role == ColumnRole::kTokens ||
                          role == ColumnRole::kCompute || role == ColumnRole::kEpoch;
    return of_model ? x : "";
  }
  return loss_scale(state.header, state.profile);
}

/// Whether a name counts bytes, which are sent or held, and no time.
bool counts_bytes(const std::string& name) {
  const std::vector<std::string> words = words_of_name(name);
  return std::ranges::find(words, "byte") != words.end() ||
         std::ranges::find(words, "bytes") != words.end();
}

/// Whether a column may be what was measured although no name says so.
bool may_be_measured(const ColumnProfile& column, const TableLook& look) {
  const std::string label = column.label();
  const bool named =
      label == look.x || label == look.run || column.meaning.role != ColumnRole::kOther;
  return !named && column.is_number() && column.min > 0 && column.values.size() > 1 &&
         column.unit != "%" && !counts_bytes(label);
}

/// Whether the values of a column mostly fall as x grows, as times do.
bool falls_with(const ColumnProfile& column, const ColumnProfile& x) {
  std::map<double, std::pair<double, double>> sums;
  for (std::size_t row = 0; row < x.quantities.size(); ++row) {
    if (x.codes[row] == ColumnProfile::kMissing || column.codes[row] == ColumnProfile::kMissing) {
      continue;
    }
    auto& [sum, count] = sums[x.quantities[row]];
    sum += column.quantities[row];
    ++count;
  }
  if (sums.size() < 2) return false;
  const auto mean = [](const auto& entry) { return entry.second.first / entry.second.second; };
  return mean(*sums.rbegin()) < mean(*sums.begin());
}

/// Says what the columns are that look like measurements and are computed from others.
void tell_of_derived(const LookState& state, TableLook& look) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const ColumnProfile& column : state.profile.columns()) {
    const bool derived = column.meaning.role == ColumnRole::kDerived || column.unit == "%";
    if (derived && column.is_number() && names.size() < kMost) {
      names.push_back(column.label());
    }
  }
  if (names.empty()) return;
  tell(look, "derived_only",
       "{} {} a ratio or an efficiency by name, and no time or rate. -y takes {} all the same: {}.",
       joined_texts(names, ", ", [](auto& name) { return fmt::format("'{}'", name); }),
       names.size() == 1 ? "is" : "are each", names.size() == 1 ? "it" : "one",
       fmt::format("-y {} --rate", shell_word(names.front())));
}

/// Whether numbers without a name could be scales: whole, above 0, and at least three.
bool could_be_scale(const ColumnProfile& column) {
  constexpr std::size_t kFewest = 3;
  const std::set<double> values(column.quantities.begin(), column.quantities.end());
  return column.is_number() && column.missing == 0 && column.whole && column.min > 0 &&
         values.size() >= kFewest;
}

}  // namespace

bool choose_loss(const LookState& state, TableLook& look) {
  const TableProfile& profile = state.profile;
  const std::string y = spelled_column(state.header, state.options.y, "");
  const ColumnProfile* const loss = column_of_role(profile, ColumnRole::kLoss);
  look.scales = two_scales_of(state);
  const bool is_loss = y.empty() ? loss != nullptr : meaning_of(y).role == ColumnRole::kLoss;
  if (look.scales.empty() && state.options.x.empty() && loss != nullptr) {
    if (const auto losses = losses_over_two_scales(profile)) {
      look.scales = {losses->n, losses->tokens.empty() ? losses->compute : losses->tokens};
    }
  }
  if (look.scales.empty() && is_loss) look.x = one_scale_of(state);
  if (look.scales.empty() && look.x.empty()) return false;
  look.y = !y.empty() ? y : loss != nullptr ? loss->label() : "";
  look.response = look.y.empty() ? "" : "loss";
  return true;
}

std::string_view measured_by_unit(const ColumnProfile& column) {
  if (column.durations || in_base_units(column.unit, Dimension::kTime)) return "time";
  const auto rate = rate_unit(column.unit);
  return rate && rate->base.ends_with("/s") ? "rate" : "";
}

bool choose_measured(const LookState& state, TableLook& look) {
  constexpr std::size_t kMost = 4;
  const ColumnProfile* const x = look.x.empty() ? nullptr : state.profile.column(look.x);
  if (x == nullptr || !look.y.empty()) return false;
  std::vector<std::string> times;
  std::vector<std::string> rates;
  std::vector<std::string> falling;
  std::vector<std::string> rising;
  const auto add = [](const ColumnProfile& column, std::vector<std::string>& to) {
    if (to.size() < kMost) to.push_back(column.label());
  };
  for (const ColumnProfile& column : state.profile.columns()) {
    if (!may_be_measured(column, look)) continue;
    const std::string_view kind = measured_by_unit(column);
    if (kind == "time") add(column, times);
    if (kind == "rate") add(column, rates);
    add(column, falls_with(column, *x) ? falling : rising);
  }
  const bool told = speaks_of_rates(state.header.caption);
  if (times.empty() && rates.empty() && told && !rising.empty()) {
    rates = rising;
    tell(look, "rate", "The line above the table speaks of rates: {}.",
         scalelaw::quoted(state.header.caption));
  }
  const std::vector<std::string>& found = !times.empty() ? times : !rates.empty() ? rates : falling;
  if (found.empty()) {
    tell_of_derived(state, look);
    return false;
  }
  look.y = found.front();
  look.response = times.empty() && !rates.empty() ? "rate" : "time";
  tell_of_choice(look, found, "-y", look.response);
  if (times.empty() && rates.empty()) {
    tell(look, "unnamed_response",
         "No name says that a column is a time or a rate. {} {} as '{}' grows, as times do.",
         joined_texts(found, ", ", [](auto& name) { return fmt::format("'{}'", name); }),
         found.size() == 1 ? "falls" : "fall", look.x);
  }
  return true;
}

void leave_out_names_of_rows(const LookState& state, TableLook& look) {
  const bool is_surface = !look.scales.empty();
  const std::string& name_of_x = is_surface ? look.scales.front() : look.x;
  const ColumnProfile* const x = name_of_x.empty() ? nullptr : state.profile.column(name_of_x);
  if (x == nullptr || !state.profile.is_complete() || x->values.size() < kFewestOfScale) return;
  std::vector<std::string> left;
  for (const std::string& name : look.by) {
    const ColumnProfile* const column = state.profile.column(name);
    const bool names_rows = column != nullptr && column->values.size() >= kFewestOfScale &&
                            !varies_within(*x, std::array{column});
    const ColumnProfile* const second =
        is_surface ? state.profile.column(look.scales.back()) : nullptr;
    if (is_surface &&
        (second == nullptr || column == nullptr || varies_within(*second, std::array{column})))
      continue;
    if (names_rows) left.push_back(name);
  }
  for (const std::string& name : left) {
    std::erase(look.by, name);
    tell(look, "names_of_rows",
         "'{}' tells no groups apart: each of its values has runs at one '{}' only.", name,
         name_of_x);
  }
}

std::string column_of_nights(const LookState& state, const TableLook& look) {
  constexpr std::size_t kFewestNights = 4;
  constexpr double kMost = 0.8;  // A run of a night may have failed.
  const ColumnProfile* const x = look.x.empty() ? nullptr : state.profile.column(look.x);
  if (x == nullptr || !state.profile.is_complete()) return "";
  for (const ColumnProfile& nights : state.profile.columns()) {
    const bool told = names_night(nights.name) || nights.meaning.role == ColumnRole::kTimestamp;
    const bool counts = !nights.has_many_values && nights.missing == 0 &&
                        nights.values.size() >= kFewestNights && nights.label() != look.x;
    if (!told || !counts) continue;
    ColumnProfiles places = state.profile.columns(look.by);
    places.push_back(x);
    std::erase(places, &nights);
    std::set<std::vector<std::uint32_t>> all;
    std::map<std::uint32_t, std::set<std::vector<std::uint32_t>>> of_night;
    for (std::size_t row = 0; row < state.profile.rows(); ++row) {
      const auto place = codes_at(places, row);
      all.insert(place);
      of_night[nights.codes[row]].insert(place);
    }
    const auto whole =
        std::ranges::count_if(of_night, [&all](const auto& night) { return night.second == all; });
    if (static_cast<double>(whole) >= kMost * static_cast<double>(of_night.size())) {
      return nights.label();
    }
  }
  return "";
}

bool choose_unnamed_scale(const TableProfile& profile, TableLook& look) {
  ColumnProfiles free;
  for (const ColumnProfile& column : profile.columns()) {
    using enum ColumnRole;
    const ColumnRole role = column.meaning.role;
    const bool suits = role == kOther || role == kSetting || role == kProblemSize ||
                       role == kBatchSize || role == kSystem || role == kParameters;
    if (!suits || column.label() == look.y) continue;
    if (column.name == "Q" && profile.column("P") != nullptr) {
      tell(look, "process_grid",
           "'P' and 'Q' are the sides of a grid of processes: a column with their product is the "
           "scale.");
      continue;
    }
    if (measured_by_unit(column).empty() && could_be_scale(column)) free.push_back(&column);
  }
  const bool only = free.size() == 1;
  const auto is_of = [](const ColumnProfile* column, ColumnRole role) {
    return column->meaning.role == role;
  };
  if (!only) {
    // Of a model's sizes, its parameters are the one that tells the work.
    const bool has_parameters = std::ranges::any_of(
        free, [&](const ColumnProfile* column) { return is_of(column, ColumnRole::kParameters); });
    std::erase_if(free, [&](const ColumnProfile* column) {
      return !is_of(column, has_parameters ? ColumnRole::kParameters : ColumnRole::kProblemSize);
    });
  }
  if (free.size() != 1) return false;
  look.x = column_label(free.front()->name).name;
  tell(look, "unnamed_scale",
       "No name says how many GPUs, processes or nodes a run had. '{}' is taken for the scale, as "
       "{}.",
       look.x,
       only ? "no other column has whole numbers of several sizes"
            : "it alone is the size of a problem or model by its name");
  return true;
}

void choose_by_values(const TableProfile& profile, TableLook& look) {
  // Scales mostly begin with 1, and sizes of problems do not.
  for (const bool from_one : {true, false}) {
    for (const ColumnProfile& column : profile.columns()) {
      const bool suits = could_be_scale(column) && (!from_one || column.min == 1);
      if (look.x.empty() && column.name != look.y && suits) look.x = column.name;
    }
  }
  // What hardly varies is a result, as a sum or a digit of pi is.
  constexpr double kVaries = 1.1;
  const auto measures = [&](const ColumnProfile& column, bool varies, bool whole) {
    return look.y.empty() && column.name != look.x && column.is_number() &&
           column.values.size() > 1 && column.min > 0 && column.whole == whole &&
           (!varies || column.max > kVaries * column.min);
  };
  for (const bool varies : {true, false}) {
    for (const bool whole : {false, true}) {
      for (const ColumnProfile& column : profile.columns()) {
        if (measures(column, varies, whole)) look.y = column.name;
      }
    }
  }
  if (!look.response.empty() || look.y.empty()) return;
  const bool rate = quantity_of(look.y, profile.column(look.y)->unit).kind == Kind::kRate;
  look.response = rate ? "rate" : "time";
}

void tell_of_layout(const LookState& state, TableLook& look) {
  std::vector<std::string> sentences;
  tell_layout(state.header, {}, input_name(look.inputs.front()), look.inputs, sentences);
  for (std::string& sentence : sentences) {
    look.findings.push_back({"layout", std::move(sentence) + "."});
  }
}

namespace {

// Which columns of a table are a loss and its scales.

constexpr std::size_t kFewestOfLoss = 3;

std::string label_in(const ColumnProfile& column) { return column.label(); }

/// The column of numbers with that role and the lowest rank that has several values.
const ColumnProfile* varying_column(const TableProfile& profile, ColumnRole role) {
  const ColumnProfile* best = nullptr;
  for (const ColumnProfile& column : profile.columns()) {
    if (column.meaning.role != role || !column.is_number()) continue;
    if (column.values.size() < kFewestOfLoss || !(column.min > 0)) continue;
    if (best == nullptr || column.meaning.rank < best->meaning.rank) best = &column;
  }
  return best;
}

}  // namespace

std::optional<LossColumns> losses_over_two_scales(const TableProfile& profile) {
  constexpr double kFewestParameters = 1e5;
  constexpr double kFewestTokens = 1e6;
  const ColumnProfile* const loss = column_of_role(profile, ColumnRole::kLoss);
  if (loss == nullptr) return std::nullopt;
  const auto letter = [&](std::string_view name, double least) {
    const ColumnProfile* const column = profile.column(std::string(name));
    return column != nullptr && column->is_number() && column->min >= least ? column : nullptr;
  };
  const ColumnProfile* n = column_of_role(profile, ColumnRole::kParameters);
  if (n == nullptr) n = letter("N", kFewestParameters);
  if (n == nullptr) n = letter("size", kFewestParameters);
  const ColumnProfile* d = column_of_role(profile, ColumnRole::kTokens);
  if (d == nullptr) d = letter("D", kFewestTokens);
  const bool has_tokens = n != nullptr && d != nullptr;
  if (n == nullptr) std::swap(n, d);
  if (d == nullptr) d = column_of_role(profile, ColumnRole::kCompute);
  constexpr std::size_t kFewestComputes = 2;
  const auto varies = [](const ColumnProfile* column, std::size_t fewest) {
    return column != nullptr && column->values.size() >= fewest;
  };
  if (!varies(n, kFewestOfLoss) || !varies(d, has_tokens ? kFewestOfLoss : kFewestComputes)) {
    return std::nullopt;
  }
  return LossColumns{.n = label_in(*n),
                     .tokens = has_tokens ? label_in(*d) : "",
                     .compute = has_tokens ? "" : label_in(*d),
                     .loss = label_in(*loss)};
}

std::string loss_scale(const Header& header, const TableProfile& profile) {
  if (varying_column(profile, ColumnRole::kLoss) == nullptr) return "";
  std::vector<std::string> compared = scale_columns(header, "", &profile);
  for (std::string& name : setting_columns(header, &profile)) compared.push_back(std::move(name));
  for (const std::string& name : compared) {
    const ColumnProfile* const column = profile.column(name);
    if (column != nullptr && column->values.size() > 1) return "";
  }
  for (const ColumnRole role :
       {ColumnRole::kParameters, ColumnRole::kTokens, ColumnRole::kCompute, ColumnRole::kEpoch}) {
    if (const ColumnProfile* const column = varying_column(profile, role)) {
      return label_in(*column);
    }
  }
  return "";
}

}  // namespace scalelaw
