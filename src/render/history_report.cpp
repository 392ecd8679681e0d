#include "scalelaw/render/history_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "render/delimited_rows.hpp"
#include "render/json_parts.hpp"
#include "render/noted_table.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

void write_point(JsonText& json, const HistoryPoint& point) {
  json.open('{');
  json.key("label").text(point.label);
  json.key("kept_at").text(point.kept_at);
  json.key("estimate").number(point.estimate);
  json.key("se").number(point.se);
  write_interval(json.key("ci"), point.ci);
  json.key("dof").number(point.dof);
  json.close('}');
}

void write_change(JsonText& json, const HistoryReport& report, const GroupHistory& group) {
  if (!group.change) return json.null();
  const ChangePoint& change = *group.change;
  const HistoryPoint& point = group.points[change.first_after];
  json.open('{');
  json.key("changed").boolean(has_changed(group, report.confidence));
  json.key("label").text(point.label);
  json.key("kept_at").text(point.kept_at);
  json.key("before").number(change.before);
  json.key("after").number(change.after);
  json.key("change").number(change.change);
  json.key("statistic").number(change.statistic);
  json.key("p").number(change.p);
  json.key("p_holm").number(change.p_holm);
  json.close('}');
}

void write_group_object(JsonText& json, const HistoryReport& report, const GroupHistory& group) {
  json.open('{');
  write_group(json.key("group"), report.by, group.group);
  json.key("label").text(group.label);
  json.key("points").open('[');
  for (const HistoryPoint& point : group.points) write_point(json, point);
  json.close(']');
  write_change(json.key("change_point"), report, group);
  json.close('}');
}

void write_json(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                const TextSink& sink) {
  BufferedText out(sink);
  JsonHead head(out.text());
  head.member("schema").text("scalelaw.history/1");
  head.member("version").text(kVersion);
  head.member("store").text(report.store);
  head.member("x").text(report.x);
  head.member("y").text(report.y);
  {
    JsonText json = head.member("by");
    write_strings(json, report.by);
  }
  head.member("law").text(report.law);
  head.member("parameter").text(report.parameter);
  {
    JsonText json = head.member("labels");
    write_strings(json, report.labels);
  }
  head.member("confidence").number(report.confidence);
  head.member("draws").count(std::uint64_t{report.options.draws});
  head.member("seed").count(report.options.seed);
  {
    JsonText json = head.member("warnings");
    write_strings(json, report.warnings);
  }
  out.text() += ",\n \"groups\": [";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    out.text() += i == 0 ? "\n  " : ",\n  ";
    JsonText json(out.text());
    write_group_object(json, report, groups[i]);
    out.pass_on_if_full();
  }
  out.text() += "\n ]}\n";
  out.pass_on();
}

void write_jsonl(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                 const TextSink& sink) {
  BufferedText out(sink);
  for (const GroupHistory& group : groups) {
    JsonText json(out.text());
    write_group_object(json, report, group);
    out.text() += '\n';
    out.pass_on_if_full();
  }
  out.pass_on();
}

constexpr const char* kFields[] = {"label",    "kept_at", "estimate",  "se", "ci_lower",
                                   "ci_upper", "dof",     "new_level", "p",  "p_holm"};

std::string column_name(const std::string& name) {
  for (const char* field : kFields) {
    if (name == field) return "group_" + name;
  }
  return name;
}

/// The p values stand in every row of their group; new_level is true from the change on, empty
/// where there is no test.
void write_rows(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                char separator, const TextSink& sink) {
  DelimitedRows rows(separator, sink);
  for (const std::string& name : report.by) rows.add(column_name(name));
  for (const char* name : kFields) rows.add(name);
  rows.end_row();
  for (const GroupHistory& group : groups) {
    for (std::size_t i = 0; i < group.points.size(); ++i) {
      const HistoryPoint& point = group.points[i];
      const auto& change = group.change;
      for (const std::string& value : group.group) rows.add(value);
      rows.add(point.label);
      rows.add(point.kept_at);
      rows.add(exact_text(point.estimate));
      rows.add(exact_text(point.se));
      rows.add(lower_text(point.ci));
      rows.add(upper_text(point.ci));
      rows.add(exact_text(point.dof));
      rows.add(change ? truth_text(i >= change->first_after) : "");
      rows.add(change ? exact_text(change->p) : "");
      rows.add(change ? exact_text(change->p_holm) : "");
      rows.end_row();
    }
  }
  rows.finish();
}

std::string interval_text(const HistoryPoint& point) {
  if (!point.ci || !std::isfinite(point.ci->lower) || !std::isfinite(point.ci->upper)) return "-";
  const int decimals = decimals_for(point.estimate, point.se);
  return fmt::format("{:.{}f} .. {:.{}f}", point.ci->lower, decimals, point.ci->upper, decimals);
}

/// The p value after Holm's adjustment, after "p": one at the floor of the draws is only known to
/// be below it (rounded up).
std::string adjusted_p_text(const ChangePoint& change) {
  const double p = *change.p_holm;
  if (!change.at_floor || p >= 1) return p_relation(p);
  const double unit = std::pow(10.0, std::floor(std::log10(p)) - 1);
  return fmt::format("< {:.2g}", std::ceil(p / unit - 1e-9) * unit);
}

std::string change_sentence(const HistoryReport& report, const GroupHistory& group) {
  const std::string name = series_name(report, group);
  if (!group.change) {
    return fmt::format(
        "{}: no test of a change: it takes three fits of different runs with standard errors",
        name);
  }
  const ChangePoint& change = *group.change;
  const HistoryPoint& point = group.points[change.first_after];
  const std::string levels =
      fmt::format("{} before, {} after", with_significant_digits(change.before, 4),
                  with_significant_digits(change.after, 4));
  if (has_changed(group, report.confidence)) {
    return fmt::format("{}: {} changed with '{}' of {}: {} (p {} after Holm)", name,
                       report.parameter, point.label, point.kept_at, levels,
                       adjusted_p_text(change));
  }
  return fmt::format("{}: no change shown (p {} after Holm; the likeliest place is '{}' of {}: {})",
                     name, adjusted_p_text(change), point.label, point.kept_at, levels);
}

void write_table(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                 Format format, bool colour, const TextSink& sink) {
  std::vector<TableColumn> columns;
  for (const std::string& name : report.by) columns.push_back({.header = name});
  columns.push_back({.header = "kept at"});
  columns.push_back({.header = "label"});
  columns.push_back({.header = report.parameter, .align = Align::kRight});
  columns.push_back({.header = "SE", .align = Align::kRight});
  columns.push_back({.header = "interval", .align = Align::kRight});
  columns.push_back({.header = "change", .tone = Tone::kWarning});
  TextTable table(columns);
  std::vector<std::string> notes;
  for (const GroupHistory& group : groups) {
    table.begin_part();
    for (std::size_t i = 0; i < group.points.size(); ++i) {
      const HistoryPoint& point = group.points[i];
      const RoundedEstimate text = rounded(point.estimate, point.se);
      std::vector<std::string> cells(group.group.begin(), group.group.end());
      const bool here = has_changed(group, report.confidence) && i == group.change->first_after;
      cells.insert(cells.end(),
                   {point.kept_at, point.label, text.estimate, text.se.empty() ? "-" : text.se,
                    interval_text(point), here ? "new level" : ""});
      table.add_row(cells);
    }
    notes.push_back(change_sentence(report, group));
  }
  write_noted_table(table,
                    fmt::format("{} of the {} law of {} over {}, as kept in {}", report.parameter,
                                report.law, report.y, report.x, report.store),
                    notes, format, colour, sink);
}

}  // namespace

std::string series_name(const HistoryReport& report, const GroupHistory& group) {
  const std::string name = group_name(report.by, group.group);
  return report.labels.size() > 1 ? fmt::format("{} ('{}')", name, group.label) : name;
}

void write_history(const HistoryReport& report, const std::vector<GroupHistory>& groups,
                   Format format, bool colour, const TextSink& sink) {
  switch (format) {
    case Format::kJson:
      return write_json(report, groups, sink);
    case Format::kJsonl:
      return write_jsonl(report, groups, sink);
    case Format::kCsv:
      return write_rows(report, groups, ',', sink);
    case Format::kTsv:
      return write_rows(report, groups, '\t', sink);
    default:
      return write_table(report, groups, format, colour, sink);
  }
}

}  // namespace scalelaw
