// Tables and figures of Frey et al. 2022 with ours beside.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "render/figure_parts.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/energy_figures.hpp"

namespace scalelaw {
namespace {

const Fit* our_fit(const ReportParts& parts, const PublishedFit& published) {
  if (!published.group) return nullptr;
  return std::get_if<Fit>(&parts.groups()[*published.group].fit);
}

/// A printed law beside ours.
struct LawPair {
  const PublishedFit& published;
  const Fit* ours;  ///< Null where the study has none.
  double level;     ///< Of the setting that varies.

  const Parameter* beta() const { return ours != nullptr ? &ours->parameters[1] : nullptr; }
};

void add_laws(Sheet<LawPair>& sheet) {
  using Row = LawPair;
  const auto printed = [&sheet](const char* title, std::string PublishedFit::*member) {
    sheet.add(title, [member](const Row& row) { return std::string_view(row.published.*member); })
        .right()
        .titled(title);
  };
  printed("β published", &PublishedFit::beta);
  sheet.add("β here", [](const Row& row) { return member_of(row.beta(), &Parameter::estimate); })
      .seen_as([](const Row& row) { return row.beta() != nullptr ? with_error(*row.beta()) : "-"; })
      .titled("β here");
  sheet
      .for_people("interval here",
                  [](const Row& row) {
                    const Parameter* const beta = row.beta();
                    return beta != nullptr ? interval_text(beta->ci, beta->se) : "-";
                  })
      .right()
      .titled("interval here");
  printed("R² published", &PublishedFit::r2);
  sheet.add("R² here", [](const Row& row) { return member_of(row.ours, &Fit::r2); })
      .as(significant(3))
      .titled("R² here");
}

TextTable law_table(const ReportParts& parts, const PublishedTable& table,
                    const Sheet<LawPair>& sheet) {
  SheetTable rows(sheet);
  for (const PublishedFit& published : table.fits) {
    const auto& level = table.varied == "clock_mhz" ? published.clock_mhz : published.power_cap_w;
    rows.add({}, LawPair{published, our_fit(parts, published), level.value_or(0)});
  }
  return rows.take();
}

ReportTable setting_table(const ReportParts& parts, const PublishedTable& table) {
  const bool clocks = table.varied == "clock_mhz";
  Sheet<LawPair> sheet{std::vector<KeyColumn>()};
  sheet.add("level", [](const LawPair& row) { return row.level; })
      .seen_as([](const LawPair& row) { return fmt::format("{:g}", row.level); })
      .titled(clocks ? "Clock speed (MHz)" : "Power cap (W)");
  add_laws(sheet);
  return {.id = "published-" + std::string(1, table.name.back()),
          .caption = fmt::format("{} under different {}, published ({}) and here.",
                                 table.fits.front().model,
                                 clocks ? "clock speed limits" : "power caps", table.name),
          .spans = {{"", 1}, {"exponent of GPUs", 3}, {"goodness of fit", 2}},
          .table = law_table(parts, table, sheet)};
}

/// The domain that Table 2 prints above a model.
std::string_view domain_of(std::string_view model) {
  if (model == "DimeNet" || model == "SchNet") return "Geometric learning";
  return model == "BERT" ? "Language" : "Computer vision";
}

/// The table with its columns as rows; its first column has the headers then.
TextTable transposed(const TextTable& table) {
  std::vector<TextTable::Row> rows;
  table.for_each_row([&rows](const TextTable::Row& row, bool) { rows.push_back(row); });
  std::vector<TableColumn> columns{{.header = table.columns().front().header}};
  for (const TextTable::Row& row : rows) {
    columns.push_back({.header = std::string(row.front().text), .align = Align::kRight});
  }
  TextTable out(columns);
  for (std::size_t i = 1; i < table.columns().size(); ++i) {
    TextTable::Row cells{{.text = table.columns()[i].header}};
    for (const TextTable::Row& row : rows) cells.push_back(row[i]);
    out.add_row(cells);
  }
  return out;
}

/// Table 2 has a column per model, under those of its domain.
ReportTable model_table(const ReportParts& parts, const PublishedTable& table) {
  std::vector<std::pair<std::string, std::size_t>> spans{{"", 1}};
  for (const PublishedFit& published : table.fits) {
    const std::string domain(domain_of(published.model));
    if (spans.back().first != domain) spans.emplace_back(domain, 0);
    ++spans.back().second;
  }
  Sheet<LawPair> sheet{std::vector<KeyColumn>()};
  sheet.add("model", [](const LawPair& row) { return std::string_view(row.published.model); })
      .titled("Model");
  add_laws(sheet);
  return {.id = "published-2",
          .caption =
              fmt::format("Six models at 250 W and 1380 MHz: published ({}) and here.", table.name),
          .spans = std::move(spans),
          .table = transposed(law_table(parts, table, sheet)),
          .sortable = false};
}

/// Where the paper prints something else elsewhere.
ReportList notes_on(const PublishedComparison& published) {
  ReportList notes;
  for (const PublishedTable& table : published.tables) {
    for (const PublishedFit& fit : table.fits) {
      if (fit.note.empty()) continue;
      notes.items.push_back(
          {fmt::format("{}, {}, {:g} W.", table.name, fit.model, fit.power_cap_w.value_or(0)),
           fit.note});
    }
  }
  return notes;
}

constexpr double kUncappedWatts = 250;
constexpr double kFullClockMhz = 1380;
constexpr std::string_view kFigureId = "published-figure-";  // Its number follows.

/// The value of a group column; empty where there is no such column.
std::string value_of(const std::vector<std::string>& by, const GroupKey& group,
                     std::string_view column) {
  const auto place = std::ranges::find(by, column);
  return place == by.end() ? "" : group[static_cast<std::size_t>(place - by.begin())];
}

/// What the paper prints for a group of the study, in a table of that varied column if it is in
/// one; null if it prints nothing.
const PublishedFit* printed_fit(const PublishedComparison& published, std::size_t group,
                                std::string_view varied) {
  const PublishedFit* found = nullptr;
  for (const PublishedTable& table : published.tables) {
    for (const PublishedFit& fit : table.fits) {
      if (fit.group == group && (found == nullptr || table.varied == varied)) found = &fit;
    }
  }
  return found;
}

/// "Table 6 prints 0.84 at 250 W": where the paper prints another exponent; else empty.
std::string other_beta(const PublishedFit& fit) {
  constexpr std::string_view kOfBeta = "β: ";
  if (!fit.note.starts_with(kOfBeta)) return "";
  return fit.note.substr(kOfBeta.size(), fit.note.find("; R²") - kOfBeta.size());
}

/// The axes of a figure with one line per model, which has its style in all of them.
StudyAxes model_axes(const ReportParts& parts) {
  StudyAxes axes = parts.axes();
  axes.by = {"model"};
  axes.groups.clear();
  for (const GroupStudy& group : parts.groups()) {
    GroupKey model{value_of(parts.by(), group.group, "model")};
    if (!contains(axes.groups, model)) {
      axes.groups.push_back(std::move(model));
    }
  }
  std::ranges::stable_sort(axes.groups, shown_before);
  return axes;
}

/// The axes of a figure of one model at several settings, or of several models. Settings have the
/// styles of the figure of all groups.
/// @param drawn  The groups of the figure under the names that they have there.
StudyAxes varied_axes(const ReportParts& parts, const PublishedFigure& published,
                      const std::vector<DrawnGroup>& drawn) {
  StudyAxes axes = model_axes(parts);
  axes.by = {published.varied};
  if (published.varied == "model") return axes;
  const auto model = std::ranges::find(parts.by(), "model");
  const std::vector<std::size_t> place{static_cast<std::size_t>(model - parts.by().begin())};
  std::vector<GroupKey> settings;
  for (const GroupStudy& group : parts.groups()) {
    GroupKey setting = key_without(group.group, place);
    if (!contains(settings, setting)) {
      settings.push_back(std::move(setting));
    }
  }
  std::ranges::stable_sort(settings, shown_before);
  axes.groups = settings;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const GroupKey own = key_without(parts.groups()[published.groups[i]].group, place);
    const auto found = std::ranges::find(settings, own);
    axes.groups[static_cast<std::size_t>(found - settings.begin())] = drawn[i].group;
  }
  return axes;
}

/// "Power caps at 2 GPUs (Figure 6 of the paper)": formats that number figures have numbers of
/// their own. Where the caption says what is drawn, "As Figure 3 of the paper, at 250 W ...".
std::string published_title(std::string_view title, std::string_view name) {
  return title.empty() ? fmt::format("As {} of the paper, at {:g} W and {:g} MHz", name,
                                     kUncappedWatts, kFullClockMhz)
                       : fmt::format("{} ({} of the paper)", title, name);
}

ReportFigure figure_block(const ReportParts& parts, const PublishedFigure& published) {
  std::vector<DrawnGroup> groups;
  std::string notes;
  std::vector<std::string> without;
  for (const std::size_t i : published.groups) {
    DrawnGroup& group = groups.emplace_back(parts.drawn(i));
    group.group = {
        value_with_unit(published.varied, value_of(parts.by(), group.group, published.varied))};
    const PublishedFit* const printed = printed_fit(parts.findings.published, i, published.varied);
    if (printed == nullptr) {
      without.push_back(group.group.front());
      continue;
    }
    group.published_beta = parse_number(printed->beta);
    if (const std::string other = other_beta(*printed); !other.empty()) {
      notes += fmt::format(" Of {}, {} is drawn: {}.", group.group.front(), printed->beta, other);
    }
  }
  const StudyAxes axes = varied_axes(parts, published, groups);
  ReportFigure block{.id = "published-figure-" + published.name.substr(7),
                     .title = published_title(published.title, published.name),
                     .figure = scaling_figure(axes, groups)};
  if (!without.empty()) {
    notes += fmt::format(" The paper prints no exponent for {}.", named_groups(without));
  }
  if (!published.missing.empty()) {
    notes += fmt::format(" Not in this study: {}.", joined(published.missing));
  }
  block.figure.caption = notes.empty() ? "" : notes.substr(1);
  return block;
}

std::optional<double> number_of(const std::vector<std::string>& by, const GroupKey& group,
                                std::string_view column) {
  return parse_number(value_of(by, group, column));
}

/// The model of a group that was measured under that power cap at the full clock, if it is one of
/// `models`; else empty.
std::string shown_model(const ReportParts& parts, const GroupKey& group,
                        std::span<const std::string_view> models, double cap) {
  const std::string model = value_of(parts.by(), group, "model");
  const bool is_shown = contains(models, model) &&
                        number_of(parts.by(), group, "power_cap_w") == cap &&
                        number_of(parts.by(), group, "clock_mhz") == kFullClockMhz;
  return is_shown ? model : "";
}

/// Figure 5: energy and speed without caps.
std::optional<ReportFigure> energy_speed(const ReportParts& parts) {
  if (!parts.findings.energy) return std::nullopt;
  std::vector<GroupEnergy> named;
  for (const GroupEnergy& group : parts.findings.energy->groups) {
    constexpr std::array<std::string_view, 3> kModels{"BERT", "DimeNet", "ResNet50"};
    const std::string model = shown_model(parts, group.group, kModels, kUncappedWatts);
    if (!model.empty()) named.push_back({{model}, group.result});
  }
  if (named.empty()) return std::nullopt;
  return ReportFigure{.id = "published-figure-5",
                      .title = published_title("", "Figure 5"),
                      .figure = energy_speed_figure(model_axes(parts), named)};
}

/// Figures 6 and 17: power caps at one number of GPUs.
std::optional<ReportFigure> caps_at(const ReportParts& parts, const std::string& name, double x) {
  std::vector<GroupCaps> named;
  for (const ReportCaps& caps : parts.findings.caps) {
    if (caps.head.setting != "power_cap_w") continue;
    for (const GroupCaps& group : caps.groups) {
      const std::vector<std::string>& by = caps.head.study.by;
      if (number_of(by, group.group, "clock_mhz") != kFullClockMhz) continue;
      const Caps& all = std::get<Caps>(group.result);
      for (const SettingComparison& at : all.scales) {
        if (at.x != x) continue;
        Caps there;
        there.reference = all.reference;
        there.overall = at;
        named.push_back({{value_of(by, group.group, "model")}, std::move(there)});
      }
    }
  }
  if (named.empty()) return std::nullopt;
  StudyAxes axes = model_axes(parts);
  axes.x.clear();  // Means over runs at one number of GPUs.
  return ReportFigure{
      .id = "published-figure-" + name,
      .title = published_title(fmt::format("Power caps at {:g} GPUs", x), "Figure " + name),
      .figure = caps_figure(axes, "power_cap_w", named)};
}

/// Utilisation as the paper shows it: of some models under one power cap at the full clock.
struct UtilisationPlan {
  std::string_view name;
  std::string_view title;
  std::vector<std::string_view> models;
  double cap;
  bool variation = false;
  std::vector<double> scales = {};  ///< Numbers of GPUs; empty: 2 to 128.
};

const std::array<UtilisationPlan, 5>& utilisation_plans() {
  static const std::array<UtilisationPlan, 5> plans{
      {{"Figure 2",
        "",
        {"VGG16", "InceptionV3", "ResNet50", "BERT", "DimeNet", "SchNet"},
        kUncappedWatts,
        false,
        {2, 128}},
       {"Figure 3", "", {"BERT", "DimeNet", "ResNet50"}, kUncappedWatts},
       {"Figure 4", "", {"BERT", "DimeNet", "ResNet50"}, kUncappedWatts, true},
       {"Figure 15", "At 200 W", {"BERT", "ResNet50"}, 200, true},
       {"Figure 16", "At 100 W", {"BERT", "ResNet50"}, 100, true}}};
  return plans;
}

bool is_shown(const UtilisationPlan& plan, double x) {
  if (plan.scales.empty()) return x >= 2 && x <= 128;
  return contains(plan.scales, x);
}

/// The runs of a group that a figure shows, under the name of its model.
GroupUtilisation shown_runs(const UtilisationPlan& plan, const std::string& model,
                            const GroupUtilisation& group) {
  GroupUtilisation shown{{model}, {}, {}, {}};
  for (std::size_t i = 0; i < group.x.size(); ++i) {
    if (!is_shown(plan, group.x[i])) continue;
    shown.x.push_back(group.x[i]);
    shown.sm.push_back(group.sm[i]);
    shown.memory.push_back(group.memory[i]);
  }
  return shown;
}

std::optional<ReportFigure> utilisation_block(const ReportParts& parts,
                                              const UtilisationPlan& plan) {
  std::vector<GroupUtilisation> named;
  for (const GroupUtilisation& group :
       plan.variation ? parts.findings.variation : parts.findings.utilisation) {
    const std::string model = shown_model(parts, group.group, plan.models, plan.cap);
    if (model.empty()) continue;
    named.push_back(shown_runs(plan, model, group));
    if (named.back().x.empty()) named.pop_back();
  }
  if (named.empty()) return std::nullopt;
  const StudyAxes axes = model_axes(parts);
  const bool joint = !plan.scales.empty();
  return ReportFigure{.id = std::string(kFigureId) + std::string(plan.name.substr(7)),
                      .title = published_title(plan.title, plan.name),
                      .figure = plan.variation ? variation_figure(axes, named)
                                : joint        ? joint_figure(axes, named)
                                               : utilisation_figure(axes, named)};
}

/// All figures of the paper, by their numbers.
std::vector<ReportFigure> published_figures(const ReportParts& parts) {
  std::vector<ReportFigure> figures;
  for (const UtilisationPlan& plan : utilisation_plans()) {
    if (auto figure = utilisation_block(parts, plan)) figures.push_back(std::move(*figure));
  }
  for (auto&& figure : {energy_speed(parts), caps_at(parts, "6", 2), caps_at(parts, "17", 128)}) {
    if (figure) figures.push_back(*figure);
  }
  for (const PublishedFigure& figure : parts.findings.published.figures) {
    figures.push_back(figure_block(parts, figure));
  }
  const auto number = [](const ReportFigure& figure) {
    return parse_number(std::string_view(figure.id).substr(kFigureId.size()));
  };
  std::ranges::sort(
      figures, [&](const ReportFigure& a, const ReportFigure& b) { return number(a) < number(b); });
  return figures;
}

}  // namespace

std::vector<ReportSection> published_sections(const ReportParts& parts) {
  const PublishedComparison& published = parts.findings.published;
  if (published.tables.empty() && published.figures.empty()) return {};
  ReportSection section{"published", "Beside Frey et al. 2022", {}};
  section.blocks.emplace_back(ReportText{
      "Exponents that N. C. Frey et al. print in \"Benchmarking Resource Usage for Efficient "
      "Distributed Deep Learning\" (IEEE HPEC 2022), and those of the groups of this study that "
      "have the same model, power cap and clock. That they agree says something only of runs that "
      "were measured."});
  for (const PublishedTable& table : published.tables) {
    section.blocks.emplace_back(table.varied == "model" ? model_table(parts, table)
                                                        : setting_table(parts, table));
  }
  ReportList notes = notes_on(published);
  if (!notes.items.empty()) {
    section.blocks.emplace_back(ReportText{"Where the paper prints two values:"});
    section.blocks.emplace_back(std::move(notes));
  }
  if (!published.figures.empty()) {
    section.blocks.emplace_back(ReportText{fmt::format(
        "Figures 8 to 14 show {} over {}: means of runs with their range, fitted laws with the "
        "interval of the curve, and dashed the exponents that the paper prints, through the middle "
        "of our curves.",
        parts.origin.study.y, parts.origin.study.x)});
  }
  for (ReportFigure& figure : published_figures(parts)) {
    section.blocks.emplace_back(std::move(figure));
  }
  if (parts.findings.utilisation.empty() || parts.findings.variation.empty()) {
    section.blocks.emplace_back(ReportText{
        "Figures 2 to 4, 15 and 16 of the paper show the utilisation of GPUs: they need the "
        "columns "
        "sm_util_mean_pct, mem_util_mean_pct, sm_util_cv and mem_util_cv, which ingest writes."});
  }
  return {section};
}

}  // namespace scalelaw
