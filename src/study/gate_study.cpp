#include "scalelaw/study/gate_study.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/input/held_streams.hpp"
#include "scalelaw/input/source.hpp"
#include "scalelaw/render/fit_report.hpp"
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
  for (const GatePair& pair : responses.pairs) report.y.push_back(pair.base.y);
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
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
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

/// A document of fits as it is, unpacked.
std::string document_at(const std::string& path) {
  const InputFile file(path);
  std::string document;
  read_to(document.max_size(), *open_stream(file), document);
  return document;
}

/// NEW as the baselines: its documents as they are, or those of the fits made here.
std::vector<NewBaseline> baselines_of(const GateResponses& responses) {
  std::vector<NewBaseline> baselines;
  for (std::size_t i = 0; i < responses.pairs.size(); ++i) {
    const SavedFits& current = responses.pairs[i].current;
    baselines.push_back({responses.pairs[i].base.source,
                         responses.fitted[i]
                             ? render_fits({current, current}, current.groups, {Format::kJson})
                             : document_at(current.source),
                         responses.created[i]});
  }
  return baselines;
}

GateStudy judged(const GateRequest& request, std::span<const GatePaths> paths,
                 const CallConditions& conditions) {
  GateResponses responses = read_gate_sides(request, paths, conditions);
  GateStudy study{report_of(request, responses), {}};
  study.gate = judge_nights(responses, study.report, request.all_nights, conditions.threads);
  study.report.warnings = warnings_of(responses, study.gate, study.report.others);
  if (request.update) study.baselines = baselines_of(responses);
  return study;
}

}  // namespace

GateStudy judge_gate(const GateRequest& request, const CallConditions& conditions) {
  const GateRequest whole = with_both_sides(request);
  const std::vector<GatePaths> paths = gate_paths(whole);
  check_gate_paths(whole, paths);
  std::optional<CallContext> own;
  CallContext& call = current_call() != nullptr ? *current_call() : own.emplace();
  const CallScope scope(&call);
  HeldStreams streams(call);
  for (const GatePaths& one : paths) {
    if (!one.creates) streams.hold(one.base);
    streams.hold(one.current);
  }
  return judged(whole, gate_paths(whole), conditions);  // A pipe that is held has a header.
}

}  // namespace scalelaw
