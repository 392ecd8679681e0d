#include "scalelaw/study/gate_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <utility>

#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/held_streams.hpp"
#include "scalelaw/runs/column_names.hpp"
#include "study/gate_sides.hpp"

namespace scalelaw {
namespace {

/// Judges the groups of a response part by part, so that only their comparisons are kept.
void judge_parts(const GatePair& head, const GateParts& parts, const GateOptions& options,
                 int threads, GateJudge& judge) {
  std::atomic<bool> can_judge = false;
  judge.add(parts.count, threads, [&](std::size_t i) {
    GatePair pair = head;
    parts.fill(i, pair);
    if (has_baseline(pair)) can_judge = true;
    return GatePart(pair, options);
  });
  if (!can_judge) {  // The first group tells why.
    GatePair first = head;
    parts.fill(0, first);
    check_baseline(first);
  }
}

/// Frees the tables where BASE is one night, so that they are not judged again.
void free_judged_tables(GateResponses& responses) {
  const bool has_nights =
      std::ranges::any_of(responses.pairs, [](const GatePair& pair) { return pair.nights() > 1; });
  if (has_nights) return;
  for (std::size_t i = 0; i < responses.pairs.size(); ++i) {
    if (!responses.parts[i]) continue;
    responses.parts[i].reset();
    responses.pairs[i].base.runs_of = nullptr;
    responses.pairs[i].current.runs_of = nullptr;
  }
}

/// Tells of every group whether NEW is worse. Frees the tables once they are judged and not needed
/// again.
/// @throws DataError if a side cannot be used: no fit in BASE, other columns than the other side.
Gate judge_responses(GateResponses& responses, const GateOptions& options, int threads) {
  GateJudge judge(options);
  for (std::size_t i = 0; i < responses.pairs.size(); ++i) {
    const GatePair& pair = responses.pairs[i];
    judge.begin(pair);
    if (const auto& parts = responses.parts[i]) {
      judge_parts(pair, *parts, options, threads, judge);
    } else {
      judge.add(GatePart(pair, options));
    }
  }
  free_judged_tables(responses);
  Gate gate = judge.finish();
  if (names_version(responses.night)) gate.night_noun = "version";
  return gate;
}

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
  for (const GatePair& pair : responses.pairs) {
    if (pair.base.quantity.better != Better::kUnknown || pair.base.response == Response::kRate)
      continue;
    add(
        fmt::format("nothing tells which way '{}' gets better, so less of it is taken for better; "
                    "--better more or --better less says it",
                    pair.base.y));
  }
  const NightColumns columns{.named = responses.night, .unasked = responses.night_column};
  for (const std::string& warning : warnings_of_nights(gate, columns, others)) {
    add(warning);
  }
  return warnings;
}

/// Judges by the levels of the nights of BASE, or by all nights as one level. Where that may
/// differ, the report says what the other says.
Gate judge_nights(GateResponses& responses, GateReport& report, bool all_nights, int threads) {
  Gate gate = judge_responses(responses, report.options, threads);
  if (!gate.base_change && gate.nights_apart.empty()) return gate;
  GateOptions options = report.options;
  options.one_level = true;
  Gate of_all = judge_responses(responses, options, threads);
  if (all_nights) {
    report.others.without = gate_verdict(report, gate);
    of_all.base_change = std::move(gate.base_change);
    of_all.nights_apart = std::move(gate.nights_apart);
    return of_all;
  }
  report.others.with = gate_verdict(report, of_all);
  gate.nights -= gate.left_out;
  return gate;
}

/// @throws DataError if a limit is of a response that is not judged.
void check_limits(const GateOptions& options, const std::vector<GatePair>& pairs) {
  for (const ResponseLimit& limit : options.limits) {
    const auto is_of = [&limit](const GatePair& pair) { return pair.base.y == limit.y; };
    if (limit.y.empty() || std::ranges::any_of(pairs, is_of)) continue;
    throw DataError(
        fmt::format("{} {}: no such response is judged; they are: {} (-y names others)",
                    limit.max_slowdown ? "--limit" : "--ignore-below", limit.y,
                    joined_texts(pairs, ", ", [](const GatePair& pair) { return pair.base.y; })));
  }
}

GateStudy judged(const GateRequest& request, std::span<const GateSides> sides,
                 const CallConditions& conditions) {
  for (const auto& [name, better] : request.study.better_of) {
    if (contains(sides, name, &GateSides::y)) continue;
    throw DataError(fmt::format("--better {}={}: no such response is judged: name it with -y", name,
                                name_of(better)));
  }
  GateResponses responses = read_gate_sides(request, sides, conditions);
  check_limits(request.gate, responses.pairs);
  GateStudy study{report_of(request, responses), {}, std::move(responses.baselines)};
  study.gate = judge_nights(responses, study.report, request.all_nights, conditions.threads);
  study.report.warnings = warnings_of(responses, study.gate, study.report.others);
  return study;
}

/// Calls use(request, sides) while all streams among the sides are held.
template <class Use>
auto with_held_sides(const GateRequest& request, Use use) {
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
  return use(whole, gate_sides(whole));  // A pipe that is held has a header.
}

}  // namespace

GateStudy judge_gate(const GateRequest& request, const CallConditions& conditions) {
  return with_held_sides(request,
                         [&](const GateRequest& whole, const std::vector<GateSides>& sides) {
                           return judged(whole, sides, conditions);
                         });
}

NightsStudy follow_table(const GateRequest& request, const CallConditions& conditions) {
  GateRequest followed = request;
  followed.follows = true;
  return with_held_sides(
      followed, [&](const GateRequest& whole, const std::vector<GateSides>& sides) {
        GateResponses responses = read_gate_sides(whole, sides, conditions);
        NightsStudy study{report_of(whole, responses), {}};
        study.report.warnings = responses.warnings;
        for (std::size_t i = 0; i < responses.pairs.size(); ++i) {
          GatePair& pair = responses.pairs[i];
          const GateParts parts = responses.parts[i].value_or(GateParts());
          for (std::size_t part = 0; part < parts.count; ++part) parts.fill(part, pair);
          std::vector<FigureHistory> figures = follow_nights(pair, study.report.options);
          std::move(figures.begin(), figures.end(), std::back_inserter(study.figures));
        }
        return study;
      });
}

}  // namespace scalelaw
