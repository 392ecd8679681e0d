#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/judge/gate.hpp"
#include "scalelaw/render/table.hpp"

namespace scalelaw {

/// What becomes a failed check: from this verdict on.
enum class FailOn { kWorse, kInconclusive };

/// "worse", "inconclusive".
std::string_view name_of(FailOn fail_on);

/// What all comparisons of one gate have in common: the head of its report.
struct GateReport {
  std::string base;  ///< As the user named it.
  std::string current;
  std::string x;
  std::vector<std::string> y;   ///< One a pair of fits.
  std::vector<std::string> by;  ///< Group columns; every GroupKey has as many values.
  std::string_view law = "power";
  Errors errors = Errors::kLognormal;
  GateOptions options;
  FailOn fail_on = FailOn::kWorse;
  std::vector<std::string> warnings;  ///< Sentences about the study as a whole.
};

enum class GateFormat {
  kTable,
  kJson,      ///< Schema scalelaw.gate/1 of docs/cli.md.
  kCsv,       ///< A row a comparison, and one for a group without any.
  kMarkdown,  ///< A summary for a pull request: one line of verdict, then what needs a look.
  kJunit,     ///< XML that Jenkins and GitLab read: a suite, a case a comparison.
  kGithub,    ///< Workflow commands of GitHub Actions: annotations.
  kBenchmark  ///< JSON of github-action-benchmark, customSmallerIsBetter for times.
};

/// "table", "json", "csv", "markdown", "junit", "github", "benchmark".
std::string_view name_of(GateFormat format);

/// Whether a verdict fails the check; `missing` always does.
bool fails(GateVerdict verdict, FailOn fail_on);
bool fails(const Gate& gate, FailOn fail_on);

/// One line: "failed: 1 of 54 groups worse, 2 inconclusive, 51 same".
std::string gate_sentence(const GateReport& report, const Gate& gate);

/// Writes the gate in that format.
void write_gate(const GateReport& report, const Gate& gate, GateFormat format, bool colour,
                const TextSink& sink);

}  // namespace scalelaw
