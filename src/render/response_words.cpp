// What sentences call a response, in one table.

#include "render/response_words.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

#include "base/ranges.hpp"
#include "render/reader_words.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/judge/ideal.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kOfRuns = "the {3} with {0} is {1} times that with {2}";

const ResponseWords kTime{
    "time",         "times",  "shortest", "take",
    "takes longer", "slower", "fast",     "runs with {0} take {1} times as long as with {2}"};
const ResponseWords kRate{"rate", "rates", "highest", "give", "falls", "higher", "fast", kOfRuns};
const ResponseWords kLess{"", "", "lowest", "give", "rises", "higher", "good", kOfRuns};
const ResponseWords kMore{"", "", "highest", "give", "falls", "higher", "good", kOfRuns};

/// A formula with other words for some of its own.
std::string with_words(std::string_view formula,
                       const std::map<std::string_view, std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < formula.size();) {
    std::size_t end = i;
    while (end < formula.size() && std::isalnum(static_cast<unsigned char>(formula[end])) != 0) {
      ++end;
    }
    end = std::max(end, i + 1);
    const std::string_view word = formula.substr(i, end - i);
    const auto found = words.find(word);
    text += found == words.end() ? word : std::string_view(found->second);
    i = end;
  }
  return text;
}

}  // namespace

ResponseWords words_of(const std::string& y, Kind kind, Response response) {
  const bool less = response == Response::kTime;
  if (has_speedup(kind)) return less ? kTime : kRate;
  ResponseWords words = less ? kLess : kMore;
  constexpr std::pair<Kind, std::pair<std::string_view, std::string_view>> kNouns[] = {
      {Kind::kLoss, {"loss", "losses"}},
      {Kind::kEnergy, {"energy", "energies"}},
      {Kind::kPower, {"power", "powers"}}};
  words.noun = y;
  words.several = "values of " + y;
  for (const auto& [named, nouns] : kNouns) {
    // An error rate or a perplexity is called by its own name.
    const bool says = kind != Kind::kLoss || lower_case(y).find("loss") != std::string::npos;
    if (named == kind && says) std::tie(words.noun, words.several) = nouns;
  }
  return words;
}

ResponseWords words_of(const StudyReport& study, Response response) {
  return words_of(study.y, study.quantity.kind, response);
}

ResponseWords words_of(const std::string& y, Response response) {
  return words_of(y, quantity_of(y).kind, response);
}

bool is_named_in_formula(std::string_view x, std::string_view y) {
  const auto is_word = [](std::string_view name) {
    return !name.empty() &&
           all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  };
  return unit_of_scale(x).empty() && is_word(x) && is_word(y);
}

std::string named_formula(const Law& law, const StudyReport& study, Response response) {
  const std::string_view formula = law.formula(response);
  if (is_named_in_formula(study.x, study.y)) {
    return with_words(formula, {{"t", study.y}, {"y", study.y}, {"N", study.x}, {"x", study.x}});
  }
  const std::string letter = study.quantity.kind == Kind::kLoss ? "L" : "y";
  return with_words(formula, {{"t", letter}, {"y", letter}});
}

std::string formula_of(const Law& law, const StudyReport& study, Response response) {
  return has_speedup(study.quantity.kind) ? std::string(law.formula(response))
                                          : named_formula(law, study, response);
}

}  // namespace scalelaw
