// What a ranking means, verdict first.

#include "render/rank_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr double kSmallChance = 0.05;
constexpr std::uint64_t kFewRankedPoints = 9;  // docs/explanation/coverage.md, "Rank".

/// What a law has that the power law lacks.
std::string feature_of(const Law& law) {
  constexpr std::pair<std::string_view, std::string_view> kFeatures[] = {
      {"lognormal", "a bend (lognormal)"},
      {"floor", "a floor"},
      {"amdahl", "a serial part (Amdahl's law)"},
      {"usl", "an overhead that grows (usl)"},
      {"broken", "a break"},
      {"power", "a plain power law"}};
  for (const auto& [name, feature] : kFeatures) {
    if (law.name() == name) return std::string(feature);
  }
  return fmt::format("the {} law", law.name());
}

std::string features_of(std::span<const Law* const> laws, std::string_view conjunction) {
  std::vector<std::string> names;
  for (const Law* const law : laws) {
    if (law->name() != "power") names.push_back(feature_of(*law));
  }
  if (names.size() < 2) return joined(names);
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} {} {}", joined(names), conjunction, last);
}

bool is_tied(const Ranking& ranking, std::string_view name) {
  return std::any_of(ranking.undecided.begin(), ranking.undecided.end(),
                     [name](const Law* law) { return law->name() == name; });
}

std::string on_the_power_law(const Ranking& ranking) {
  switch (verdict_on_power(ranking)) {
    case PowerVerdict::kFollows: {
      const std::string others = features_of(ranking.undecided, "and");
      if (others.empty()) return "The runs follow a power law.";
      return fmt::format("The runs follow a power law; {} {} not excluded.", others,
                         ranking.undecided.size() > 2 ? "are" : "is");
    }
    case PowerVerdict::kContradicted: {
      std::vector<const Law*> better = ranking.undecided;
      if (ranking.best != nullptr) better = {ranking.best};
      const std::string others = features_of(better, "or");
      return fmt::format("The runs do not follow a power law (p {}){}.",
                         p_relation(ranking.power_vs_any->p),
                         others.empty() ? "" : ": " + others + " describes them better");
    }
    case PowerVerdict::kOtherBetter: {
      std::vector<const Law*> better = ranking.undecided;
      if (ranking.best != nullptr) better = {ranking.best};
      return fmt::format("The runs are described better by {} than by a plain power law.",
                         features_of(better, "or"));
    }
    case PowerVerdict::kUnknown:
      break;
  }
  const std::size_t end = ranking.sentence.find(". ");
  return end == std::string::npos ? ranking.sentence : ranking.sentence.substr(0, end + 1);
}

std::string on_what_was_held_out(const Ranking& ranking, const std::string& x) {
  const HeldOutLaw* const held = telling_hold_out(ranking);
  if (held == nullptr) return "";
  const double ratio = std::exp(held->log_error);
  std::string text = fmt::format("Fitted without {}, the {} law misses the runs there by {} %",
                                 place_on_scale(x, ranking.holdout->x), held->law->name(),
                                 change_in_percent(ratio));
  if (held->inside) {
    text += *held->inside ? ", within what was to be expected" : ", more than was to be expected";
  }
  return text + ".";
}

std::string on_doubts(const Ranking& ranking) {
  if (verdict_on_power(ranking) == PowerVerdict::kUnknown) return "";
  if (ranking.n < kFewRankedPoints) {
    return fmt::format("With {} points a law of few parameters wins too easily.", ranking.n);
  }
  const bool is_absolute = ranking.errors && ranking.errors->verdict == Errors::kNormal &&
                           verdict_on_power(ranking) == PowerVerdict::kFollows;
  return is_absolute ? "The scatter looks absolute rather than relative: compare with fit --errors "
                       "normal."
                     : "";
}

}  // namespace

PowerVerdict verdict_on_power(const Ranking& ranking) {
  if (!has_verdict(ranking)) return PowerVerdict::kUnknown;
  if (ranking.power_vs_any && ranking.power_vs_any->p < kSmallChance) {
    return PowerVerdict::kContradicted;
  }
  const bool is_best = ranking.best != nullptr && ranking.best->name() == "power";
  if (is_best || is_tied(ranking, "power")) return PowerVerdict::kFollows;
  const bool was_ranked =
      std::any_of(ranking.laws.begin(), ranking.laws.end(),
                  [](const auto& one) { return one.law->name() == "power" && one.aicc; });
  return was_ranked ? PowerVerdict::kOtherBetter : PowerVerdict::kUnknown;
}

std::string words_of(PowerVerdict verdict) {
  switch (verdict) {
    case PowerVerdict::kFollows:
      return "follows";
    case PowerVerdict::kContradicted:
      return "contradicted";
    case PowerVerdict::kOtherBetter:
      return "other better";
    case PowerVerdict::kUnknown:
      break;
  }
  return "-";
}

std::vector<std::string> rank_verdict(const Ranking& ranking, const std::string& x) {
  std::vector<std::string> sentences{on_the_power_law(ranking), on_what_was_held_out(ranking, x),
                                     on_doubts(ranking)};
  std::erase(sentences, "");
  return sentences;
}

void RankAnswer::take_note_of(const Ranking& ranking, const std::string& name) {
  ++groups_;
  const PowerVerdict verdict = verdict_on_power(ranking);
  following_ += verdict == PowerVerdict::kFollows ? 1 : 0;
  unknown_ += verdict == PowerVerdict::kUnknown ? 1 : 0;
  if (verdict != PowerVerdict::kContradicted) return;
  ++contradicting_;
  if (contradicting_ <= kMostNamed) contradicting_names_.push_back(name);
}

std::vector<std::string> RankAnswer::sentences() const {
  if (unknown_ == groups_) {
    return {fmt::format("The runs of {} are too few to tell whether they follow a power law.",
                        counted(groups_, "group"))};
  }
  std::vector<std::string> sentences{fmt::format("The runs of {} of {} follow a power law.",
                                                 following_, counted(groups_, "group"))};
  if (contradicting_ == 0) return sentences;
  std::string text = fmt::format("Those of {} contradict it: {}", contradicting_,
                                 joined(contradicting_names_, "; "));
  const std::size_t others = contradicting_ - contradicting_names_.size();
  if (others > 0) text += fmt::format("; and {} more", others);
  sentences.push_back(text + ".");
  return sentences;
}

}  // namespace scalelaw
