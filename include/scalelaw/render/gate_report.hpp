#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/judge/gate.hpp"
#include "scalelaw/render/table.hpp"
#include "scalelaw/runs/quantity.hpp"

namespace scalelaw {

/// The head of the report: it holds for all comparisons of one gate.
struct GateReport {
  std::string base;  ///< As the user named it.
  std::string current;
  std::string x;
  std::vector<std::string> y;             ///< One a pair of fits.
  std::vector<Quantity> quantities = {};  ///< What each of them is about.
  std::vector<std::string> by;            ///< Group columns; every GroupKey has as many values.
  std::string_view law = "power";
  Errors errors = Errors::kLognormal;
  GateOptions options;
  FailOn fail_on = FailOn::kWorse;
  std::vector<std::string> warnings;  ///< Sentences about the study as a whole.
  std::vector<std::string> pooled;    ///< What the groups of BASE and NEW share, as sentences.
  /// A column of NEW of which several nights were judged as one; empty: none.
  std::string mixed_nights = {};
  /// What NEW is, where it is of the table that BASE is: "date 2026-03-20". Empty: another table.
  std::string newest = {};
  /// What the gate says with other nights of BASE; empty where none stands apart.
  OtherNights others = {};
};

/// What a response of the report is about; by its name where its runs did not tell it.
Quantity quantity_of(const GateReport& report, std::string_view y);

/// "failed: 1 of 54 groups is worse (model BERT), 53 are the same within the limit".
std::string gate_verdict(const GateReport& report, const Gate& gate);

/// One line: "failed: 1 of 54 groups is worse (model BERT), 2 are inconclusive, 51 are the same".
/// It is "undecided" where nothing is shown of any group, and says what would help.
std::string gate_sentence(const GateReport& report, const Gate& gate);

/// Writes the gate: as a table, JSON (schema scalelaw.gate/1 of docs/reference/gate.md), CSV (one
/// row per comparison, and one for a group without any), as a summary for a pull request in
/// Markdown, or in a format of continuous integration.
void write_gate(const GateReport& report, const Gate& gate, const TableStyle& style,
                const TextSink& sink);

}  // namespace scalelaw
