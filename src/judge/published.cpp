#include "scalelaw/judge/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/table_rows.hpp"

namespace scalelaw {
namespace {

constexpr double kUncappedWatts = 250;
constexpr double kFullClockMhz = 1380;

/// Finds groups of a study by the settings that the paper varies.
class GroupFinder {
 public:
  GroupFinder(const StudyAnalysis& study, const std::vector<std::string>& by) : study_(study) {
    const auto place = [&by](std::string_view name) -> std::optional<std::size_t> {
      const auto found = std::ranges::find(by, name);
      if (found == by.end()) return std::nullopt;
      return static_cast<std::size_t>(found - by.begin());
    };
    model_ = place("model");
    cap_ = place("power_cap_w");
    clock_ = place("clock_mhz");
  }

  /// @param clock  If empty, the greatest clock.
  std::optional<std::size_t> find(std::string_view model, double cap,
                                  std::optional<double> clock) const {
    if (!model_ || !cap_ || !clock_) return std::nullopt;
    std::optional<std::size_t> found;
    double greatest = 0;
    for (std::size_t i = 0; i < study_.groups.size(); ++i) {
      const GroupKey& key = study_.groups[i].group;
      const auto at = parse_number(key[*clock_]);
      if (!same_word(key[*model_], model) || parse_number(key[*cap_]) != cap || !at) continue;
      if (clock ? *at != *clock : *at <= greatest) continue;
      found = i;
      greatest = *at;
    }
    return found;
  }

 private:
  static bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
      return std::tolower(static_cast<unsigned char>(x)) ==
             std::tolower(static_cast<unsigned char>(y));
    });
  }

  const StudyAnalysis& study_;
  std::optional<std::size_t> model_;
  std::optional<std::size_t> cap_;
  std::optional<std::size_t> clock_;
};

std::string_view varied_in(std::string_view table) {
  if (table == "Table 2") return "model";
  return table == "Table 3" ? "clock_mhz" : "power_cap_w";
}

/// The fit of a row in its table, added when its first row is read.
PublishedFit& fit_in(PublishedTable& table, const std::string& model, std::optional<double> cap,
                     std::optional<double> clock) {
  for (PublishedFit& fit : table.fits) {
    if (fit.model == model && fit.power_cap_w == cap && fit.clock_mhz == clock) return fit;
  }
  PublishedFit& fit = table.fits.emplace_back();
  fit.model = model;
  fit.power_cap_w = cap;
  fit.clock_mhz = clock;
  return fit;
}

PublishedTable& table_named(std::vector<PublishedTable>& tables, const std::string& name) {
  const auto found =
      std::ranges::find_if(tables, [&name](const auto& table) { return table.name == name; });
  if (found != tables.end()) return *found;
  return tables.emplace_back(
      PublishedTable{.name = name, .varied = std::string(varied_in(name)), .fits = {}});
}

/// The printed tables; other facts in the file are left out.
std::vector<PublishedTable> printed_tables(std::string_view csv) {
  enum : std::size_t { kTable, kModel, kCap, kClock, kQuantity, kValue, kNote };
  std::vector<PublishedTable> tables;
  TableRows rows(csv, "frey2022.csv");
  while (rows.next()) {
    const std::vector<std::string>& row = rows.fields();
    if (!row[kTable].starts_with("Table ")) continue;
    PublishedFit& fit = fit_in(table_named(tables, row[kTable]), row[kModel],
                               parse_number(row[kCap]), parse_number(row[kClock]));
    (row[kQuantity] == "beta" ? fit.beta : fit.r2) = row[kValue];
    for (const std::string& note : split(row[kNote], ';')) {
      if (note.empty() || note == "clock not stated") continue;
      fit.note += fmt::format("{}{}: {}", fit.note.empty() ? "" : "; ",
                              row[kQuantity] == "beta" ? "β" : "R²", note);
    }
  }
  std::ranges::sort(tables, [](const auto& a, const auto& b) { return a.name < b.name; });
  return tables;
}

/// What a figure shows: several models at full power and clock, or one model at several settings.
struct FigurePlan {
  std::string_view name;
  std::string_view title;
  std::array<std::string_view, 3> models;
  std::string_view varied;
  std::array<double, 3> levels;
};

constexpr std::array<FigurePlan, 7> kFigures{
    {{"Figure 8", "Geometric models", {"DimeNet", "SchNet", ""}, "model", {}},
     {"Figure 9", "DimeNet by clock", {"DimeNet", "", ""}, "clock_mhz", {135, 735, 1380}},
     {"Figure 10", "DimeNet by power cap", {"DimeNet", "", ""}, "power_cap_w", {100, 200, 250}},
     {"Figure 11", "BERT by power cap", {"BERT", "", ""}, "power_cap_w", {100, 200, 250}},
     {"Figure 12", "Vision models", {"ResNet50", "VGG16", "InceptionV3"}, "model", {}},
     {"Figure 13", "ResNet50 by clock", {"ResNet50", "", ""}, "clock_mhz", {135, 735, 1380}},
     {"Figure 14", "ResNet50 by power cap", {"ResNet50", "", ""}, "power_cap_w", {100, 200, 250}}}};

PublishedFigure figure_of(const FigurePlan& plan, const GroupFinder& finder) {
  PublishedFigure figure{
      std::string(plan.name), std::string(plan.title), std::string(plan.varied), {}, {}};
  const auto add = [&](std::optional<std::size_t> group, const std::string& name) {
    if (group) {
      figure.groups.push_back(*group);
    } else {
      figure.missing.push_back(name);
    }
  };
  if (plan.varied == "model") {
    for (const std::string_view model : plan.models) {
      if (model.empty()) continue;
      add(finder.find(model, kUncappedWatts, kFullClockMhz), std::string(model));
    }
    return figure;
  }
  const bool clocks = plan.varied == "clock_mhz";
  for (const double level : plan.levels) {
    add(finder.find(plan.models.front(), clocks ? kUncappedWatts : level,
                    clocks ? level : kFullClockMhz),
        fmt::format("{} at {:g} {}", plan.models.front(), level, clocks ? "MHz" : "W"));
  }
  return figure;
}

}  // namespace

PublishedComparison compare_with_published(const StudyAnalysis& study,
                                           const std::vector<std::string>& by,
                                           std::string_view csv) {
  PublishedComparison comparison;
  const GroupFinder finder(study, by);
  for (PublishedTable& table : printed_tables(csv)) {
    bool any = false;
    for (PublishedFit& fit : table.fits) {
      if (fit.power_cap_w) fit.group = finder.find(fit.model, *fit.power_cap_w, fit.clock_mhz);
      any = any || fit.group;
    }
    if (any) comparison.tables.push_back(std::move(table));
  }
  for (const FigurePlan& plan : kFigures) {
    PublishedFigure figure = figure_of(plan, finder);
    if (!figure.groups.empty()) comparison.figures.push_back(std::move(figure));
  }
  return comparison;
}

}  // namespace scalelaw
