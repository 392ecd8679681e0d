#include "scalelaw/study/gate_study.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/held_streams.hpp"
#include "study/gate_sides.hpp"
#include "study/gate_tables.hpp"

namespace scalelaw {
namespace {

GateReport report_of(const GateRequest& request, const GateResponses& responses) {
  const SavedFits& first = responses.pairs.front().base;
  GateReport report;
  report.base = request.base;
  report.current = request.current;
  report.x = first.x;
  for (const GatePair& pair : responses.pairs) {
    report.y.push_back(pair.base.y);
    report.quantities.push_back(pair.base.quantity);
  }
  report.by = first.by;
  report.law = first.law->name();
  report.errors = first.errors;
  report.options = request.gate;
  report.options.confidence = request.study.confidence;
  report.options.law_is_chosen = request.names_law();
  report.fail_on = request.fail_on;
  report.pooled = pooling_sentences(responses.pairs);
  report.mixed_nights = responses.mixed_nights;
  report.newest = responses.newest;
  return report;
}

/// @param others  What the gate says with other nights of BASE.
std::vector<std::string> warnings_of(const GateResponses& responses, const Gate& gate,
                                     const OtherNights& others) {
  std::vector<std::string> warnings = differences_of_methods(responses.pairs);
  const auto add = [&warnings](const std::string& warning) {
    if (!contains(warnings, warning)) {
      warnings.push_back(warning);
    }
  };
  for (const std::string& warning : responses.warnings) add(warning);
  const NightColumns columns{.named = responses.night, .unasked = responses.night_column};
  for (const std::string& warning : warnings_of_nights(gate, columns, others)) {
    add(warning);
  }
  return warnings;
}

/// Judges all nights of BASE, and where one that stands apart hides what the others show, these.
/// Sets what the report says of the other judgement.
Gate judge_nights(GateResponses& responses, GateReport& report, bool all_nights, int threads) {
  Gate gate = judge_responses(responses, report.options, threads);
  const std::vector<std::string> nights = nights_to_leave_out(gate);
  if (nights.empty()) return gate;
  Gate without = judge_without(responses, nights, report.options, threads);
  if (all_nights || !counts_instead(without, gate)) {
    report.others.without = gate_verdict(report, without);
    return gate;
  }
  report.others.with = gate_verdict(report, gate);
  without.left_out = gate.nights - without.nights;
  without.nights_apart = std::move(gate.nights_apart);
  without.base_change = std::move(gate.base_change);
  return without;
}

GateStudy judged(const GateRequest& request, std::span<const GateSides> sides,
                 const CallConditions& conditions) {
  GateResponses responses = read_gate_sides(request, sides, conditions);
  GateStudy study{report_of(request, responses), {}, std::move(responses.baselines)};
  study.gate = judge_nights(responses, study.report, request.all_nights, conditions.threads);
  study.report.warnings = warnings_of(responses, study.gate, study.report.others);
  return study;
}

}  // namespace

GateStudy judge_gate(const GateRequest& request, const CallConditions& conditions) {
  const GateRequest whole = with_both_sides(request);
  const std::vector<GateSides> sides = gate_sides(whole);
  check_gate_sides(whole, sides);
  std::optional<CallContext> own;
  CallContext& call = current_call() != nullptr ? *current_call() : own.emplace();
  const CallScope scope(&call);
  HeldStreams streams(call);
  for (const GateSides& one : sides) {
    if (!one.creates) streams.hold(one.base.path);
    streams.hold(one.current.path);
  }
  return judged(whole, gate_sides(whole), conditions);  // A pipe that is held has a header.
}

}  // namespace scalelaw
