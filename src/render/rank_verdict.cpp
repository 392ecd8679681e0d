// What a ranking means, verdict first.

#include "render/rank_verdict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/ranges.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr std::uint64_t kTooFewScales = 2;     // A power law goes through any two means.
constexpr std::uint64_t kFewRankedPoints = 9;  // docs/explanation/coverage.md, "Rank".

bool is_of_rates(const Ranking& ranking) {
  return any_of(ranking.laws, [](const RankedLaw& ranked) {
    const Fit* const fit = std::get_if<Fit>(&ranked.result);
    return fit != nullptr && fit->response == Response::kRate;
  });
}

/// What a law has that the power law lacks.
std::string feature_of(const Law& law, bool of_rates) {
  if (of_rates && law.name() == "floor") return "a ceiling (the floor law)";
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

/// The laws that describe the runs best but the power law.
std::vector<const Law*> others_of(const Ranking& ranking) {
  std::vector<const Law*> others = ranking.undecided;
  if (ranking.best != nullptr) others = {ranking.best};
  std::erase_if(others, [](const Law* law) { return law->name() == "power"; });
  return others;
}

/// "a, b or c", of what `name_of_law` calls the laws.
template <class Name>
std::string listed(const std::vector<const Law*>& laws, std::string_view conjunction,
                   Name name_of_law) {
  std::vector<std::string> names;
  for (const Law* const law : laws) names.emplace_back(name_of_law(*law));
  if (names.size() < 2) return joined(names);
  return fmt::format("{} {} {}", joined(std::span(names).first(names.size() - 1)), conjunction,
                     names.back());
}

/// What those laws have that the power law lacks: "a bend (lognormal) or a floor".
std::string other_features(const Ranking& ranking, std::string_view conjunction) {
  const bool of_rates = is_of_rates(ranking);
  return listed(others_of(ranking), conjunction,
                [of_rates](const Law& law) { return feature_of(law, of_rates); });
}

/// "lognormal or broken".
std::string other_laws(const Ranking& ranking) {
  return listed(others_of(ranking), "or", [](const Law& law) { return law.name(); });
}

bool is_tied(const Ranking& ranking, std::string_view name) {
  return any_of(ranking.undecided, [name](const Law* law) { return law->name() == name; });
}

/// "p = 0.016 after Holm's correction for 16 tests".
std::string corrected_text(const CorrectedP& test) {
  const std::string p = "p " + p_relation(test.p);
  return test.tests == 1 ? p : fmt::format("{}, corrected for {} tests", p, test.tests);
}

std::string on_the_lack_of_fit(const Ranking& ranking) {
  return fmt::format(
      "The runs do not follow a power law closely: their means lie further from it than repeated "
      "runs scatter ({}).",
      corrected_text(*ranking.corrected.lack_of_fit));
}

/// Up to this p the words leave a doubt; below it `fit` warns, too.
constexpr double kSure = 0.01;

/// ", which the tests do not exclude (p = 0.41, corrected for 16 tests)"; empty without tests.
std::string not_excluded_text(const Ranking& ranking) {
  const auto& departure = ranking.corrected.departure;
  return departure
             ? fmt::format(", which the tests do not exclude ({})", corrected_text(*departure))
             : "";
}

std::string on_the_power_law(const Ranking& ranking, const std::string& x) {
  switch (verdict_on_power(ranking)) {
    case PowerVerdict::kFollows: {
      const std::string others = other_features(ranking, "and");
      if (others.empty()) return "The runs follow a power law.";
      return fmt::format("The runs follow a power law; {} {} them as well.", others,
                         ranking.undecided.size() > 2 ? "describe" : "describes");
    }
    case PowerVerdict::kContradicted: {
      const std::string others = other_features(ranking, "or");
      if (!finds(ranking.corrected.departure)) return on_the_lack_of_fit(ranking);
      return fmt::format("The runs {} follow a power law ({}){}.",
                         ranking.corrected.departure->p < kSure ? "do not" : "seem not to",
                         corrected_text(*ranking.corrected.departure),
                         others.empty() ? "" : ": " + others + " describes them better");
    }
    case PowerVerdict::kOtherBetter:
      return fmt::format("The runs are described better by {} than by a plain power law{}.",
                         other_features(ranking, "or"), not_excluded_text(ranking));
    case PowerVerdict::kUnknown:
      break;
  }
  if (ranking.distinct_x == kTooFewScales) {
    return fmt::format(
        "{} {} cannot tell whether the runs follow a power law: every law of two parameters goes "
        "through their means.",
        ranking.distinct_x, several_scales(x));
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

}  // namespace

std::string rank_doubt(const Ranking& ranking) {
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

PowerVerdict verdict_on_power(const Ranking& ranking) {
  if (!has_verdict(ranking) || ranking.distinct_x == kTooFewScales) return PowerVerdict::kUnknown;
  if (finds(ranking.corrected.departure) || finds_lack_of_fit(ranking.corrected)) {
    return PowerVerdict::kContradicted;
  }
  const bool is_best = ranking.best != nullptr && ranking.best->name() == "power";
  if (is_best || is_tied(ranking, "power")) return PowerVerdict::kFollows;
  const bool was_ranked =
      any_of(ranking.laws, [](const auto& one) { return one.law->name() == "power" && one.aicc; });
  return was_ranked ? PowerVerdict::kOtherBetter : PowerVerdict::kUnknown;
}

std::string verdict_words(const Ranking& ranking) {
  switch (verdict_on_power(ranking)) {
    case PowerVerdict::kFollows: {
      const std::string others = other_laws(ranking);
      if (others.empty()) return "power law";
      return fmt::format("power law{} {}", others.find(" or ") == std::string::npos ? " or" : ",",
                         others);
    }
    case PowerVerdict::kContradicted: {
      const std::string others = other_laws(ranking);
      return others.empty() ? "no power law" : fmt::format("no power law: {}", others);
    }
    case PowerVerdict::kOtherBetter:
      return fmt::format("{}; power law not excluded", other_laws(ranking));
    case PowerVerdict::kUnknown:
      break;
  }
  return "too few runs to tell";
}

std::string words_of(PowerVerdict verdict) {
  return std::string(word_for(verdict, {{PowerVerdict::kFollows, "follows"},
                                        {PowerVerdict::kContradicted, "contradicted"},
                                        {PowerVerdict::kOtherBetter, "other better"},
                                        {PowerVerdict::kUnknown, "-"}}));
}

std::vector<std::string> rank_verdict(const Ranking& ranking, const std::string& x) {
  return told(
      {on_the_power_law(ranking, x), on_what_was_held_out(ranking, x), rank_doubt(ranking)});
}

void RankAnswer::Named::add(const std::string& name) {
  constexpr std::size_t kMostNamed = 3;
  if (++count <= kMostNamed) names.push_back(name);
}

std::string RankAnswer::Named::text() const {
  const std::size_t others = count - names.size();
  return joined(names, "; ") + (others > 0 ? fmt::format("; and {} more", others) : "");
}

void RankAnswer::take_note_of(const Ranking& ranking, const std::string& name) {
  ++groups_;
  const PowerVerdict verdict = verdict_on_power(ranking);
  following_ += verdict == PowerVerdict::kFollows ? 1 : 0;
  tied_ += verdict == PowerVerdict::kFollows && !other_laws(ranking).empty() ? 1 : 0;
  unknown_ += verdict == PowerVerdict::kUnknown ? 1 : 0;
  if (verdict == PowerVerdict::kContradicted) contradicting_.add(name);
  if (verdict == PowerVerdict::kOtherBetter) better_described_.add(name);
  const auto& departure = ranking.corrected.departure;
  if (!departure) return;
  tests_ = departure->tests;
  small_alone_ += ranking.power_vs_any->p < kSmallChance && !finds(departure) ? 1 : 0;
}

std::vector<std::string> RankAnswer::sentences() const {
  if (unknown_ == groups_) {
    return {fmt::format("The runs of {} are too few to tell whether they follow a power law.",
                        counted(groups_, "group"))};
  }
  std::vector<std::string> sentences{fmt::format(
      "The runs of {} of {} follow a power law{}.", following_, counted(groups_, "group"),
      tied_ == 0 ? "" : fmt::format(", {} of them another law as well", tied_))};
  if (contradicting_.count > 0) {
    sentences.push_back(fmt::format(
        "{} it: {}.", counted(contradicting_.count, "group", "contradicts", "contradict"),
        contradicting_.text()));
  }
  if (better_described_.count > 0) {
    sentences.push_back(fmt::format(
        "{} described better by another law, though no test excludes the power law: {}.",
        counted(better_described_.count, "group", "is", "are"), better_described_.text()));
  }
  if (unknown_ > 0) {
    sentences.push_back(
        fmt::format("{} too few runs to tell.", counted(unknown_, "group", "has", "have")));
  }
  if (small_alone_ > 0) {
    sentences.push_back(fmt::format(
        "The test against the power law has p < 0.05 in {} of {}, but one in 20 is so small by "
        "chance: corrected for {} tests it shows nothing.",
        small_alone_, counted(groups_, "group"), tests_));
  }
  return sentences;
}

}  // namespace scalelaw
