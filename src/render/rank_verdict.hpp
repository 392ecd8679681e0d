#pragma once

#include <string>
#include <vector>

#include "scalelaw/judge/rank.hpp"

namespace scalelaw {

/// What the points of a group say of the power law.
enum class PowerVerdict {
  kFollows,       ///< It describes them best, or as well as the best, and nothing contradicts it.
  kContradicted,  ///< The tests for a bend, a floor and a break speak against it together, or its
                  ///< means lie further from it than repeated runs scatter.
  kOtherBetter,   ///< Another law describes them better; the tests do not exclude the power law.
  kUnknown,       ///< Nothing can be ranked, the power law was not, or there are only two scales.
};

PowerVerdict verdict_on_power(const Ranking& ranking);

/// The same in a few words, with the laws that matter: "power law", "power law or
/// floor", "lognormal or broken; power not excluded", "no power law: lognormal", "too few runs".
std::string verdict_words(const Ranking& ranking);

/// "follows", "contradicted", "other better", "-".
std::string words_of(PowerVerdict verdict);

/// The verdict on a group in a few sentences, and what to doubt in it.
std::vector<std::string> rank_verdict(const Ranking& ranking, const std::string& x);

/// What to doubt in the verdict; empty: nothing.
std::string rank_doubt(const Ranking& ranking);

/// Takes note of groups one by one, and says how many of them follow a power law. Tests count as
/// they are corrected for the number of groups.
class RankAnswer {
 public:
  void take_note_of(const Ranking& ranking, const std::string& name);
  std::vector<std::string> sentences() const;

 private:
  /// How many groups, and the names of the first ones.
  struct Named {
    std::size_t count = 0;
    std::vector<std::string> names = {};

    void add(const std::string& name);
    std::string text() const;
  };

  std::size_t groups_ = 0;
  std::size_t following_ = 0;
  std::size_t tied_ = 0;  ///< Of these, those that another law describes as well.
  std::size_t unknown_ = 0;
  std::size_t small_alone_ = 0;  ///< Tests with a small p that the correction takes back.
  std::size_t tests_ = 0;
  Named contradicting_;
  Named better_described_;
};

}  // namespace scalelaw
