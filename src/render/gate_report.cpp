// Gates in every format: their JSON (schema scalelaw.gate/1), and one row per comparison.

#include "scalelaw/render/gate_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/ranges.hpp"
#include "render/gate_parts.hpp"
#include "render/json_document.hpp"
#include "render/noted_table.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/sheet.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kReasonsListed = 20;

// JSON.

void write_figure(JsonText& json, const GateEstimate& figure, const std::optional<Interval>& ci) {
  Estimate estimate;
  estimate.estimate = figure.estimate;
  estimate.se = figure.se;
  estimate.ci = ci;
  estimate.dof = figure.dof;
  write_estimate(json, estimate, false);
}

void write_time_ratio(JsonText& json, const GateComparison& comparison) {
  json << Members{{"estimate", comparison.ratio()}, {"ci", comparison.ratio_ci()}};
}

void write_nights(JsonText& json, const NightScatter& nights) {
  json << Members{{"count", nights.nights}, {"sd", nights.sd}, {"dof", nights.dof}};
  write_numbers(json, {{"own_sd", nights.own_sd}, {"pooled_sd", nights.pooled_sd}});
  json.key("pooled").boolean(nights.pooled);
  json.key("of_new").count(nights.of_new);
  json.key("since").text_or_null(nights.since);
}

void write_comparison(JsonText& json, const GateReport& report, const GateComparison& comparison) {
  const auto write_side = [&](const GateEstimate& side) {
    write_figure(json, comparison.shown(side),
                 comparison.shown_interval(side, report.options.confidence));
  };
  json.key("figure").text(comparison.figure);
  if (comparison.figure == "runs") json.key("runs").count(comparison.runs);
  json << Members{{"x", comparison.x}, {"extrapolated", comparison.extrapolated}};
  json.key("less_is_better").boolean(comparison.less_is_better);
  json.key("within_limit").boolean(comparison.is_within_limit());
  json.key("base");
  write_side(comparison.base);
  json.key("new");
  write_side(comparison.current);
  write_figure(json.key("change"), comparison.change, comparison.change.ci());
  write_object(json.key("ratio"), comparison.ratio() ? &comparison : nullptr, write_time_ratio);
  write_numbers(json, {{"limit", comparison.signed_limit()}, {"p_worse", comparison.p_worse()}});
  json << Members{{"p_worse_holm", comparison.p_worse_holm}, {"p_better", comparison.p_better()}};
  json.key("p_better_holm").number(comparison.p_better_holm);
  write_object(json.key("nights"), comparison.nights.get(), write_nights);
  json.key("verdict").text(name_of(comparison.verdict));
  json.key("reason").text_or_null(comparison.reason.value_or(""));
}

void write_group(JsonText& json, const GateReport& report, const GateGroup& group) {
  write_group(json.key("group"), report.by, group.group);
  json << Members{
      {"y", group.y}, {"verdict", group.verdict}, {"reason", or_null(group.reason.value_or(""))}};
  json.key("misfit").text_or_null(name_of(group.misfit));
  write_objects(json.key("comparisons"), group.comparisons,
                [&report](JsonText& comparisons, const GateComparison& comparison) {
                  write_comparison(comparisons, report, comparison);
                });
}

void write_shared_change(JsonText& json, const SharedChange& shared) {
  const GateComparison& comparison = shared.comparison;
  json << Members{
      {"y", shared.y}, {"groups", shared.groups}, {"less_is_better", comparison.less_is_better}};
  write_figure(json.key("change"), comparison.change, comparison.change.ci());
  write_object(json.key("ratio"), &comparison, write_time_ratio);
  json << Members{{"limit", comparison.signed_limit()},        {"p_worse", shared.p_worse},
                  {"p_worse_holm", comparison.p_worse_holm},   {"p_better", shared.p_better},
                  {"p_better_holm", comparison.p_better_holm}, {"verdict", comparison.verdict}};
}

void write_night_apart(JsonText& json, const GateReport& report, const NightApart& night) {
  json << Members{{"night", night.night}, {"y", night.y}};
  if (night.group.empty()) {
    json.key("group").null();
  } else {
    write_group(json.key("group"), report.by, night.group);
  }
  json << Members{{"groups", night.groups}, {"change", night.change}, {"p_holm", night.p}};
}

void write_limits(JsonText& json, const GateOptions& options) {
  json << Members{{"max_slowdown", options.max_slowdown}, {"max_beta_drop", options.max_beta_drop}};
}

void write_multiplicity(JsonText& json, const Gate& gate) {
  json << Members{{"method", "holm"}, {"family", gate.family}};
}

void write_counts(JsonText& json, const Gate& gate) {
  for (const GateVerdict verdict : all_gate_verdicts()) {
    json.key(name_of(verdict)).count(static_cast<std::uint64_t>(gate.count(verdict)));
  }
}

void write_head(JsonText& head, const GateReport& report, const Gate& gate) {
  head << HeadMembers{
      {"base", report.base}, {"new", report.current}, {"x", or_null(report.x)}, {"y", report.y}};
  write_objects(head.member("quantity"), report.quantities, write_quantity);
  head << HeadMembers{{"by", report.by}, {"law", report.law}, {"errors", report.errors}};
  if (!report.pooled.empty()) write_strings(head.member("pooled"), report.pooled);
  write_object(head.member("limits"), report.options, write_limits);
  head << HeadMembers{{"confidence", report.options.confidence}, {"nights", gate.nights}};
  write_object(head.member("multiplicity"), gate, write_multiplicity);
  head << HeadMembers{{"fail_on", report.fail_on}, {"failed", fails(gate, report.fail_on)}};
  head.member("outcome").text(name_of(outcome_of(gate, report.fail_on)));
  write_object(head.member("counts"), gate, write_counts);
  write_objects(head.member("shared"), gate.shared, write_shared_change);
  if (gate.left_out > 0) {
    head.member("nights_left_out").count(static_cast<std::uint64_t>(gate.left_out));
    head.member("with_all_nights").text(report.others.with);
  }
  if (!gate.nights_apart.empty()) {
    write_objects(head.member("nights_apart"), gate.nights_apart,
                  [&report](JsonText& json, const NightApart& night) {
                    write_night_apart(json, report, night);
                  });
    head.member("without_nights_apart")
        .text_or_null(gate.left_out > 0 ? gate_verdict(report, gate) : report.others.without);
  }
  head << HeadMembers{{"sentence", gate_sentence(report, gate)}, {"warnings", report.warnings}};
}

void write_gate_json(const GateReport& report, const Gate& gate, const TextSink& sink) {
  JsonDocument document(sink, "scalelaw.gate/1");
  write_head(document.head(), report, gate);
  document.list("groups", gate.groups, [&report](JsonText& json, const GateGroup& group) {
    write_group(json, report, group);
  });
  document.finish();
}

// Columns.

/// A row is a comparison of a group, or a group without comparisons.
struct GateRow {
  const GateReport& report;
  const GateGroup& group;
  const GateComparison* comparison = nullptr;

  GateVerdict verdict() const {
    return comparison != nullptr ? comparison->verdict : group.verdict;
  }
};

using C = GateComparison;

/// A number of BASE or NEW.
template <class Number>
auto shown_in(GateEstimate C::*side, Number GateEstimate::*number) {
  return [=](const C& comparison) { return comparison.shown(comparison.*side).*number; };
}

/// What BASE or NEW has, for people. With as many digits in both, whatever their errors: they are
/// read side by side.
auto side_text(GateEstimate C::*side) {
  return [side](const C& comparison) {
    const double value = comparison.shown(comparison.*side).estimate;
    return std::isfinite(value) ? with_significant_digits(value, 4) : "-";
  };
}

/// How rows name what they compare.
enum class Naming : std::uint8_t {
  kWhole,            ///< "seconds at 64 GPUs"
  kWithoutResponse,  ///< "at 64 GPUs", where the words around the table name the response.
  kShort,            ///< "64 GPUs": a terminal has little room for it.
};

/// "64 GPUs", "~29 GPUs" of the middle, "4 GPUs (3 runs)"; empty where the scale is no number of
/// units, as a batch size is none.
std::string short_place(const GateReport& report, const GateComparison& comparison) {
  const double x = *comparison.x;
  std::string place = place_on_scale(report.x, x);
  if (comparison.is_middle) {
    place = middle_of_scale(report.x, x);
    place = place.substr(place.find('(') + 1);
    place.pop_back();
  }
  if (place.front() < '0' || place.front() > '9') return "";
  if (comparison.is_middle) return "~" + place;
  return comparison.figure == "runs"
             ? fmt::format("{} ({})", place, counted(comparison.runs, "run"))
             : place;
}

/// The figure without its response; the response itself where there is no more to say.
std::string place_of_figure(const GateRow& row, Naming naming) {
  const GateComparison& comparison = *row.comparison;
  if (!comparison.is_of_response()) return std::string(comparison.figure);
  std::string name = figure_name(row.report, row.group, comparison);
  if (naming == Naming::kShort && comparison.x) {
    if (std::string place = short_place(row.report, comparison); !place.empty()) return place;
  }
  for (const std::string& response : {row.group.y + " of ", row.group.y + " "}) {
    if (!name.starts_with(response)) continue;
    name.erase(0, response.size());
    break;
  }
  return name;
}

std::string compared(const GateRow& row, Naming naming) {
  if (row.comparison == nullptr) return row.group.y;
  const bool is_beyond = row.comparison->extrapolated && row.comparison->x;
  return (naming == Naming::kWhole ? figure_name(row.report, row.group, *row.comparison)
                                   : place_of_figure(row, naming)) +
         (is_beyond ? " (beyond data)" : "");
}

/// The verdict for people, who see the interval beside it.
std::string gate_verdict_text(const GateRow& row) {
  const bool is_open = row.verdict() == GateVerdict::kInconclusive;
  const bool is_within = is_open && row.comparison != nullptr && row.comparison->is_within_limit();
  return std::string(is_within ? "not worse" : name_of(row.verdict()));
}

/// Adds what was compared, with its figures in BASE and NEW.
void add_figures(Sheet<GateRow>& sheet, Naming naming) {
  const auto comparison = sheet.part(&GateRow::comparison);
  sheet.add("y", [](const GateRow& row) { return std::string_view(row.group.y); });
  const auto what = [naming](const GateRow& row) { return compared(row, naming); };
  sheet.for_people("compared", what).key().titled("compared");
  comparison.add("figure", &C::figure);
  comparison.add("x", &C::x).as(scale_value());
  const auto add = [&](const std::string& name, GateEstimate C::*side, const char* title) {
    comparison.add(name, shown_in(side, &GateEstimate::estimate))
        .seen_as(comparison.seen(side_text(side)))
        .titled(title);
    comparison.add(name + "_se", shown_in(side, &GateEstimate::se));
  };
  add("base", &C::base, "BASE");
  add("new", &C::current, "NEW");
}

/// Adds how the nights of BASE differ, which people see where there are several.
void add_nights(Sheet<GateRow>& sheet, const Gate& gate) {
  const auto comparison = sheet.part(&GateRow::comparison);
  const auto nights = sheet.part([](const GateRow& row) {
    return row.comparison != nullptr ? row.comparison->nights.get() : nullptr;
  });
  nights.add("nights", &NightScatter::nights);
  auto sd = nights.add("night_sd", &NightScatter::sd);
  if (gate.nights > 1)
    sd.seen_as(comparison.seen(night_text)).titled("between " + gate.night_noun + "s");
  nights.add("night_dof", &NightScatter::dof);
  nights.add("own_night_sd", &NightScatter::own_sd);
  nights.add("pooled_night_sd", &NightScatter::pooled_sd);
  nights.add("new_nights", &NightScatter::of_new);
  nights.add("since", &NightScatter::since);
}

Sheet<GateRow> gate_sheet(const GateReport& report, const Gate& gate, Naming naming) {
  Sheet<GateRow> sheet(report.by);
  const auto comparison = sheet.part(&GateRow::comparison);
  const auto change = comparison.part(&C::change);
  add_figures(sheet, naming);
  change.add("change", &GateChange::estimate)
      .seen_as(comparison.seen(change_text))
      .titled("change");
  change.add("se", &GateChange::se);
  change.add("dof", &GateChange::dof);
  change.interval("ci", &GateChange::ci)
      .seen_as(comparison.seen(change_interval))
      .titled(percent_text(report.options.confidence) + " interval");
  comparison.add("ratio", &C::ratio);
  comparison.interval("ratio_ci", &C::ratio_ci);
  comparison.add("limit", &C::signed_limit).seen_as(comparison.seen(limit_text)).titled("limit");
  comparison.add("p_worse", &C::p_worse).as(p_value());
  comparison.add("p_worse_holm", &C::p_worse_holm).as(p_value());
  comparison.add("p_better", &C::p_better).as(p_value());
  comparison.add("p_better_holm", &C::p_better_holm).as(p_value());
  comparison.add("extrapolated", &C::extrapolated);
  sheet.add("verdict", [](const GateRow& row) { return name_of(row.verdict()); })
      .seen_as(gate_verdict_text)
      .toned(Tone::kWarning)
      .titled("verdict");
  if (!report.pooled.empty()) {
    sheet.add("pool", [](const GateRow&) { return name_of(Pool::kScatter); });
  }
  sheet.add("group_verdict", [](const GateRow& row) { return name_of(row.group.verdict); });
  sheet.add("reason", [](const GateRow& row) {
    const Boxed<std::string>& reason =
        row.comparison != nullptr ? row.comparison->reason : row.group.reason;
    return reason.value_or("");
  });
  add_nights(sheet, gate);
  sheet.add("warnings", [codes = codes_of_nights(gate)](const GateRow& row) {
    std::vector<std::string> all = codes;
    if (row.group.misfit != Misfit::kNone) all.emplace_back("lack-of-fit");
    return joined(all, ";");
  });
  return sheet;
}

// Captions and lines of tables.

/// The reasons why groups have no figures, or figures have no interval.
std::vector<std::string> reasons_of(const GateReport& report, const Gate& gate) {
  std::vector<std::string> lines;
  std::size_t reasons = 0;
  const auto add = [&](const GateGroup& group, auto what, const std::string& reason) {
    if (++reasons > kReasonsListed) return;
    lines.push_back(fmt::format("{}: {}: {}", group_name(report.by, group.group), what(), reason));
  };
  for (const GateGroup& group : gate.groups) {
    if (group.reason && group.verdict != GateVerdict::kNew) {
      add(
          group, [&] { return std::string(name_of(group.verdict)); }, *group.reason);
    }
    for (const GateComparison& comparison : group.comparisons) {
      if (!comparison.reason) continue;
      add(
          group, [&] { return figure_name(report, group, comparison); }, *comparison.reason);
    }
  }
  if (reasons > kReasonsListed) {
    lines.push_back(
        fmt::format("{} more; --format csv and json list them all", reasons - kReasonsListed));
  }
  return lines;
}

/// The lines below the table, those that need a textbook only with details.
std::vector<std::string> notes_of(const GateReport& report, const Gate& gate, bool with_details) {
  Notes lines(with_details);
  lines.add(common_sentences(report, gate));
  lines.add(reasons_of(report, gate));
  lines.add(report.pooled);
  for (std::string& sentence : method_sentences(report, gate)) lines.detail(std::move(sentence));
  return lines.take();
}

std::string caption_of(const GateReport& report, const Gate& gate, Naming naming) {
  const auto any = [&gate](auto is_meant) {
    return any_of(gate.groups,
                  [&](const GateGroup& group) { return any_of(group.comparisons, is_meant); });
  };
  const bool has_rate =
      any([](const auto& one) { return one.is_of_response() && !one.less_is_better; });
  const double slowdown = report.options.max_slowdown;
  const Kind kind = quantity_of(report, report.y.front()).kind;
  const std::string may =
      has_rate && has_speedup(kind)
          ? fmt::format("take {:.4g} % more time, so its rate may be {:.4g} % lower",
                        100 * slowdown, 100 * (1 - 1 / (1 + slowdown)))
      : has_rate ? fmt::format("be {:.4g} % lower", 100 * (1 - 1 / (1 + slowdown)))
                 : fmt::format("be {:.4g} % {}", 100 * slowdown,
                               words_of(report.y.front(), kind, Response::kTime).more);
  const bool has_law = any([](const auto& one) { return one.basis == GateBasis::kLaw; });
  const bool has_beta = any([](const auto& one) { return !one.is_of_response(); });
  const bool has_mixture = any([](const auto& one) { return one.basis == GateBasis::kMixture; });
  const bool has_middle = any([](const auto& one) { return one.is_middle && one.x; });
  const std::string sides = report.newest.empty()
                                ? fmt::format("BASE is {}, NEW is {}", input_name(report.base),
                                              input_name(report.current))
                                : fmt::format("NEW is {} of {}, BASE its other runs", report.newest,
                                              input_name(report.current));
  std::string text = fmt::format(
      "{}. {} group may {}", sides,
      report.y.size() == 1 ? fmt::format("By {}, a", report.y.front()) : std::string("A"), may);
  if (has_beta) text += fmt::format(", and its beta {:.4g} less", report.options.max_beta_drop);
  text += has_law ? fmt::format(" ({} law).", report.law) : ".";
  if (has_mixture) text += " What BASE forecasts for new runs is an average of laws.";
  return text + (naming == Naming::kShort && has_middle
                     ? " ~ marks the middle of what both sides measured."
                     : "");
}

/// Adds the rows of a group; a summary has only those that need a look. Returns whether any has.
bool add_group(SheetWriter& rows, const GateReport& report, const GateGroup& group,
               bool is_summary) {
  bool any = false;
  const auto add = [&](const GateComparison* comparison) {
    rows.add(group.group, GateRow{report, group, comparison});
    any = true;
  };
  rows.begin_part();
  if (group.comparisons.empty()) add(nullptr);
  for (const GateComparison& comparison : group.comparisons) {
    if (!is_summary || comparison.verdict != GateVerdict::kSame) add(&comparison);
  }
  return any;
}

void write_gate_rows(const GateReport& report, const Gate& gate, const TableStyle& style,
                     const TextSink& sink) {
  SheetWriter rows(gate_sheet(report, gate, Naming::kShort), style, sink);
  for (const GateGroup& group : gate.groups) add_group(rows, report, group, false);
  rows.finish({.answer = {gate_sentence(report, gate) + "."},
               .caption = caption_of(report, gate, Naming::kShort),
               .lines = notes_of(report, gate, style.shows_details())});
}

/// Writes a table per response, which names the response once and not in every row.
void write_gate_tables(const GateReport& report, const Gate& gate, const TableStyle& style,
                       const TextSink& sink) {
  const Sheet<GateRow> sheet = gate_sheet(report, gate, Naming::kShort);
  SheetWriter(sheet, style, sink)
      .finish({.answer = {gate_sentence(report, gate) + "."},
               .caption = caption_of(report, gate, Naming::kShort)});
  for (const std::string& y : report.y) {
    SheetWriter rows(sheet, style, sink);
    for (const GateGroup& group : gate.groups) {
      if (group.y == y) add_group(rows, report, group, false);
    }
    rows.finish({.caption = fmt::format("By {}:", y)});
    sink("\n");
  }
  write_notes(notes_of(report, gate, style.shows_details()), style, sink);
}

/// Writes a summary for a pull request: the outcome and the rows that need a look.
void write_gate_markdown(const GateReport& report, const Gate& gate, const TableStyle& style,
                         const TextSink& sink) {
  sink(fmt::format("**scalelaw gate {}**\n\n",
                   escaped_markdown(printable(gate_sentence(report, gate)))));
  const Naming naming = report.y.size() > 1 ? Naming::kWhole : Naming::kWithoutResponse;
  sink(escaped_markdown(printable(caption_of(report, gate, naming))) + "\n\n");
  SheetWriter rows(gate_sheet(report, gate, naming), style, sink);
  const std::vector<std::string> lines = notes_of(report, gate, true);
  bool any = false;
  for (const GateGroup& group : gate.groups) any |= add_group(rows, report, group, true);
  if (any) return rows.finish({.lines = lines});
  write_notes(lines, style, sink);
}

}  // namespace

void write_gate(const GateReport& report, const Gate& gate, const TableStyle& style,
                const TextSink& sink) {
  gate_sheet(report, gate, Naming::kShort).refuse_unknown(style);
  switch (style.format) {
    case Format::kJson:
      return write_gate_json(report, gate, sink);
    case Format::kMarkdown:
      return write_gate_markdown(report, gate, style, sink);
    case Format::kJunit:
      return write_gate_junit(report, gate, sink);
    case Format::kGithub:
      return write_gate_github(report, gate, sink);
    case Format::kBenchmark:
      return write_gate_benchmark(report, gate, sink);
    case Format::kTable:
      if (report.y.size() > 1) return write_gate_tables(report, gate, style, sink);
      return write_gate_rows(report, gate, style, sink);
    default:
      return write_gate_rows(report, gate, style, sink);
  }
}

}  // namespace scalelaw
