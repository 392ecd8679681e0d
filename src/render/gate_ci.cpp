// Gates for continuous integration: JUnit XML, the workflow commands of GitHub Actions, and the
// JSON that github-action-benchmark takes.

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <utility>

#include "render/gate_parts.hpp"
#include "render/json_document.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

/// Replaces every occurrence in `text`, one text after the other.
std::string replaced(std::string text, std::initializer_list<Replacement> replacements) {
  for (const auto& [from, to] : replacements) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

/// `text` as the value of an XML attribute.
std::string xml(std::string_view text) {
  return replaced(
      printable(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"'", "&apos;"}, {"\"", "&quot;"}});
}

/// One test of the suite: a comparison, or a group without comparisons.
struct Case {
  std::string group;
  std::string figure;
  GateVerdict verdict;
  std::string message;
};

std::vector<Case> cases_of(const GateReport& report, const Gate& gate) {
  std::vector<Case> cases;
  for (const GateGroup& group : gate.groups) {
    const std::string name = group_name(report.by, group.group);
    for (const GateComparison& comparison : group.comparisons) {
      cases.push_back({name, figure_name(report, group, comparison), comparison.verdict,
                       comparison_sentence(report, comparison)});
    }
    if (group.comparisons.empty()) {
      cases.push_back({name, "fit of " + group.y, group.verdict, group.reason});
    }
  }
  return cases;
}

/// Whether the verdict neither passes nor fails the test.
bool is_skipped(GateVerdict verdict, FailOn fail_on) {
  const bool open = verdict == GateVerdict::kInconclusive || verdict == GateVerdict::kNew;
  return open && !fails(verdict, fail_on);
}

void write_case(const Case& test, FailOn fail_on, const TextSink& sink) {
  sink(fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\"", xml(test.group),
                   xml(test.figure)));
  const std::string message = xml(fmt::format("{}: {}", name_of(test.verdict), test.message));
  if (fails(test.verdict, fail_on)) {
    sink(fmt::format(">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
                     name_of(test.verdict), message, message));
  } else if (is_skipped(test.verdict, fail_on)) {
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
std::string range_text(const Estimate& current) {
  if (!current.ci) return "";
  return "± " + with_significant_digits((current.ci->upper - current.ci->lower) / 2, 3);
}

void write_benchmark(JsonText& json, const GateReport& report, const GateGroup& group,
                     const GateComparison& comparison) {
  json.key("name").text(fmt::format("{}: {}", group_name(report.by, group.group),
                                    figure_key(report, group, comparison)));
  json.key("unit").text(group.y);
  json.key("value").number(comparison.current.estimate);
  const std::string range = range_text(comparison.current);
  if (!range.empty()) json.key("range").text(range);
  json.key("extra").text(
      fmt::format("{}: {}", name_of(comparison.verdict), comparison_sentence(report, comparison)));
}

}  // namespace

void write_gate_junit(const GateReport& report, const Gate& gate, const TextSink& sink) {
  const std::vector<Case> cases = cases_of(report, gate);
  std::size_t failures = 0;
  std::size_t skipped = 0;
  for (const Case& test : cases) {
    failures += fails(test.verdict, report.fail_on) ? 1 : 0;
    skipped += is_skipped(test.verdict, report.fail_on) ? 1 : 0;
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"0\"",
                  cases.size(), failures, skipped);
  sink("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  sink(fmt::format("<testsuites name=\"scalelaw gate\" {}>\n", counts));
  sink(fmt::format("  <testsuite name=\"scalelaw gate {} {}\" {}>\n", xml(report.base),
                   xml(report.current), counts));
  for (const Case& test : cases) write_case(test, report.fail_on, sink);
  std::vector<std::string> lines{gate_sentence(report, gate)};
  for (std::string& sentence : common_sentences(report, gate)) lines.push_back(std::move(sentence));
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
  for (const Case& test : cases_of(report, gate)) {
    const std::string_view level = level_of(test.verdict, report.fail_on);
    if (level.empty()) continue;
    write_command(level, fmt::format("scalelaw gate: {}", name_of(test.verdict)),
                  fmt::format("{}: {}: {}", test.group, test.figure, test.message), sink);
  }
}

void write_gate_benchmark(const GateReport& report, const Gate& gate, const TextSink& sink) {
  std::vector<std::pair<const GateGroup*, const GateComparison*>> curves;
  for (const GateGroup& group : gate.groups) {
    for (const GateComparison& comparison : group.comparisons) {
      const bool is_value =
          comparison.figure == "curve" && std::isfinite(comparison.current.estimate);
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
