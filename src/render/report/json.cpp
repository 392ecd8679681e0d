// A report for programs: what the page decides, and the documents behind it.

#include "documents/json_parts.hpp"
#include "render/caps_words.hpp"
#include "render/rank_verdict.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// The document that `write` writes as a command does: `write(style, sink)`.
template <class Write>
void write_document(JsonText& json, Write write) {
  std::string text;
  write(TableStyle{.format = Format::kJson}, [&text](std::string_view more) { text += more; });
  json.document(trimmed(text));
}

/// The same of results that go to a writer.
template <class Part, class Make>
void write_part(JsonText& json, const Part& part, Make make_writer) {
  write_document(json, [&](const TableStyle& style, const TextSink& sink) {
    write_groups(*make_writer(part.head, style, sink), part.groups);
  });
}

void write_choices(JsonText& json, const ReportParts& parts, const GroupStudy& group) {
  write_objects(json, choices_for(parts, group), [&](const SettingChoice& choice) {
    json.key("column").text(choice.caps->head.setting);
    write_advice(json, choice);
  });
}

void write_demand(JsonText& json, const std::optional<Demand>& demand) {
  json.number(demand && demand->x && !demand->x->open ? std::optional(demand->x->x) : std::nullopt);
}

/// The answer for one group, at its scale.
void write_answer(JsonText& json, const ReportParts& parts, const GroupStudy& group) {
  const ScaleOutlook& at = group.advice->at;
  const Outlook& outlook = std::get<Outlook>(group.outlook);
  write_numbers(json,
                {{"x", at.y.x},
                 {"median", at.y.median},
                 {"speedup", at.y.speedup},
                 {"efficiency",
                  parts.ideal() == Ideal::kFaster ? std::optional(at.y.efficiency) : std::nullopt},
                 {"gpu_hours", at.gpu_hours},
                 {"kwh", at.kwh ? std::optional(at.kwh->median) : std::nullopt}});
  write_demand(json.key("deadline_x"), outlook.deadline);
  json.key("deadline_kwh").number(kwh_at_deadline(outlook));
  write_demand(json.key("budget_x"), outlook.budget_gpu_hours);
}

void write_study(JsonText& json, const ReportParts& parts, const GroupStudy& group) {
  write_group(json.key("group"), parts.by(), group.group);
  json.key("name").text(parts.names.of(group.group));
  json.key("in_first_table").boolean(parts.leaders.contains(group.group));
  json.key("verdict").text(verdict_words(group.ranking));
  json.key("efficient_to").number(efficient_up_to(group));
  const GroupStudy* const answered = group.advice ? &group : nullptr;
  write_object(json.key("answer"), answered,
               [&](const GroupStudy&) { write_answer(json, parts, group); });
  write_choices(json.key("settings"), parts, group);
  json.key("trust").text(name_of(trust_in(parts, group)));
  json.key("reason").text(trust_reason(parts, group));
}

void write_statements(JsonText& json, const ReportList& list) {
  write_objects(json, list.items, [&json](const ReportList::Item& item) {
    json.key("on").text(item.lead);
    json.key("text").text(item.text);
  });
}

}  // namespace

std::string report_json(const ReportOrigin& origin, const ReportFindings& findings) {
  const ReportParts parts(origin, findings);
  std::string out;
  JsonText json(out);
  begin_document(json, "scalelaw.report/1");
  write_data(json, origin.study);
  write_points(json, origin.study);
  write_rows(json, origin.study);
  json.member("command").text(origin.command);
  json.member("note").text_or_null(origin.note);
  write_statements(json.member("answers"), answer_of(parts).advice);
  write_statements(json.member("doubts"), doubt_list(parts));
  write_objects(json.member("groups"), parts.groups(),
                [&](const GroupStudy& group) { write_study(json, parts, group); });
  write_each(json.member("caps"), findings.caps,
             [&](const ReportCaps& caps) { write_part(json, caps, make_caps_writer); });
  if (findings.energy) {
    write_part(json.member("energy"), *findings.energy, make_energy_writer);
  }
  if (const auto& pareto = findings.pareto) {
    const ParetoSurvey survey = survey_of(pareto->groups);
    write_document(json.member("pareto"), [&](const TableStyle& style, const TextSink& sink) {
      write_groups(*make_pareto_writer(pareto->head, survey, style, sink), pareto->groups);
    });
  }
  if (const auto& budget = findings.budget) {
    write_document(json.member("budget"), [&](const TableStyle& style, const TextSink& sink) {
      write_budgets(budget->head, budget->groups, style, sink);
    });
  }
  return out + "}\n";
}

}  // namespace scalelaw
