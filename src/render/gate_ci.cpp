// Gates for continuous integration: JUnit XML, the workflow commands of GitHub Actions, and the
// JSON that github-action-benchmark takes.

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "render/gate_parts.hpp"
#include "render/json_document.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// `text` as the value of an XML attribute.
std::string xml(std::string_view text) {
  return replaced(
      printable(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"'", "&apos;"}, {"\"", "&quot;"}});
}

/// One test of the suite: a comparison of a group or of all groups, or a group without comparisons.
struct Case {
  const GateGroup* group = nullptr;  ///< Null for all groups together.
  const GateComparison* comparison = nullptr;
  const SharedChange* shared = nullptr;

  GateVerdict verdict() const {
    return comparison != nullptr ? comparison->verdict : group->verdict;
  }
  std::string group_text(const GateReport& report) const {
    return group != nullptr ? group_name(report.by, group->group) : "all groups together";
  }
  std::string figure(const GateReport& report) const {
    if (group == nullptr) return shared->y;
    return comparison != nullptr ? figure_name(report, *group, *comparison) : "fit of " + group->y;
  }
  std::string message(const GateReport& report) const {
    return comparison != nullptr ? comparison_sentence(report, *comparison)
                                 : group->reason.value_or("");
  }
};

/// Visits the cases in order. Their texts are made where they are written, because there may be a
/// million.
template <class Visit>
void for_each_case(const Gate& gate, Visit visit) {
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& comparison : group.comparisons) visit(Case{&group, &comparison});
    if (group.comparisons.empty()) visit(Case{&group});
  }
  for (const SharedChange& shared : gate.shared) {
    visit(Case{nullptr, &shared.comparison, &shared});
  }
}

/// Whether the verdict neither passes nor fails the test.
bool is_skipped(GateVerdict verdict, FailOn fail_on) {
  const bool open = verdict == GateVerdict::kInconclusive || verdict == GateVerdict::kNew;
  return open && !fails(verdict, fail_on);
}

void write_case(const GateReport& report, const Case& test, const TextSink& sink) {
  const GateVerdict verdict = test.verdict();
  sink(fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"",
                   xml(test.group_text(report)), xml(test.figure(report))));
  const std::string message = xml(fmt::format("{}: {}", name_of(verdict), test.message(report)));
  if (fails(verdict, report.fail_on)) {
    sink(fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                     name_of(verdict), message, message));
  } else if (is_skipped(verdict, report.fail_on)) {
    sink(fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", message));
  } else {
    sink(fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", message));
  }
}

/// The message of a workflow command, which ends at a line feed.
std::string command_data(std::string_view text) {
  return replaced(printable(text), {{"%", "%25"}});
}

/// The value of one of its properties.
std::string command_property(std::string_view text) {
  return replaced(command_data(text), {{":", "%3A"}, {",", "%2C"}});
}

void write_command(std::string_view level, std::string_view title, std::string_view message,
                   const TextSink& sink) {
  sink(fmt::format("::{} title={}::{}\n", level, command_property(title), command_data(message)));
}

/// The level of an annotation; empty if none is wanted.
std::string_view level_of(GateVerdict verdict, FailOn fail_on) {
  if (fails(verdict, fail_on)) return "error";
  if (verdict == GateVerdict::kInconclusive) return "warning";
  return verdict == GateVerdict::kBetter ? "notice" : "";
}

/// Half the width of the interval of NEW's curve: the benchmark's plot takes one number.
std::string range_text(const GateReport& report, const GateComparison& comparison) {
  const auto ci = comparison.shown_interval(comparison.current, report.options.confidence);
  return ci ? "± " + with_significant_digits((ci->upper - ci->lower) / 2, 3) : "";
}

void write_benchmark(JsonText& json, const GateReport& report, const GateGroup& group,
                     const GateComparison& comparison) {
  json.key("name").text(fmt::format("{}: {}", group_name(report.by, group.group),
                                    figure_key(report, group, comparison)));
  json << Members{{"unit", group.y}, {"value", comparison.shown(comparison.current).estimate}};
  const std::string range = range_text(report, comparison);
  if (!range.empty()) json.key("range").text(range);
  json.key("extra").text(
      fmt::format("{}: {}", name_of(comparison.verdict), comparison_sentence(report, comparison)));
}

}  // namespace

void write_gate_junit(const GateReport& report, const Gate& gate, const TextSink& sink) {
  std::size_t cases = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;
  for_each_case(gate, [&](const Case& test) {
    ++cases;
    failures += fails(test.verdict(), report.fail_on) ? 1 : 0;
    skipped += is_skipped(test.verdict(), report.fail_on) ? 1 : 0;
  });
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\"", cases,
                  failures, skipped);
  sink("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  sink(fmt::format("<testsuites name=\"scalelaw gate\" {}>\n", counts));
  sink(fmt::format("  <testsuite name=\"scalelaw gate {} {}\" {}>\n", xml(report.base),
                   xml(report.current), counts));
  for_each_case(gate, [&](const Case& test) { write_case(report, test, sink); });
  std::vector<std::string> lines{gate_sentence(report, gate)};
  for (std::string& sentence : common_sentences(report, gate)) lines.push_back(std::move(sentence));
  for (std::string& sentence : method_sentences(report, gate)) lines.push_back(std::move(sentence));
  for (std::string& line : lines) line = xml(line);
  sink(fmt::format("    <system-out>{}</system-out>\n", joined(lines, "\n")));
  sink("  </testsuite>\n</testsuites>\n");
}

void write_gate_github(const GateReport& report, const Gate& gate, const TextSink& sink) {
  // Failures come first, because GitHub shows at most ten annotations of a level.
  write_command(fails(gate, report.fail_on) ? "error" : "notice", "scalelaw gate",
                gate_sentence(report, gate), sink);
  for (const std::string& warning : report.warnings) {
    write_command("warning", "scalelaw gate", warning, sink);
  }
  const std::string reach = reach_sentence(report, gate);
  if (!reach.empty()) write_command("notice", "scalelaw gate", reach, sink);
  for_each_case(gate, [&](const Case& test) {
    const std::string_view level = level_of(test.verdict(), report.fail_on);
    if (level.empty()) return;
    write_command(level, fmt::format("scalelaw gate: {}", name_of(test.verdict())),
                  fmt::format("{}: {}: {}", test.group_text(report), test.figure(report),
                              test.message(report)),
                  sink);
  });
}

void write_gate_benchmark(const GateReport& report, const Gate& gate, const TextSink& sink) {
  std::vector<std::pair<const GateGroup*, const GateComparison*>> curves;
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& comparison : group.comparisons) {
      const bool is_value = comparison.is_of_response() &&
                            std::isfinite(comparison.shown(comparison.current).estimate);
      if (is_value) curves.emplace_back(&group, &comparison);
    }
  }
  BufferedText out(sink);
  write_list(out, curves, [&report](JsonText& json, const auto& curve) {
    write_benchmark(json, report, *curve.first, *curve.second);
  });
  out.text() += '\n';
  out.pass_on();
}

}  // namespace scalelaw
