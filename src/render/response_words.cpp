// What sentences call a response, in one table.

#include "render/response_words.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "render/reader_words.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kOfRuns = "the {3} with {0} is {1} times that with {2}";

constexpr ResponseWords kTime{
    "time",         "times",  "shortest", "take",
    "takes longer", "slower", "fast",     "runs with {0} take {1} times as long as with {2}"};
constexpr ResponseWords kRate{"rate",  "rates", "highest", "give",
                              "falls", "lower", "fast",    kOfRuns};
constexpr ResponseWords kLoss{
    "loss",  "losses", "lowest", "have",
    "rises", "higher", "good",   "runs with {0} have {1} times the loss of runs with {2}"};
constexpr ResponseWords kEnergy{"energy", "energies", "lowest", "take",
                                "rises",  "higher",   "good",   kOfRuns};
constexpr ResponseWords kPower{"power", "powers", "lowest", "take",
                               "rises", "higher", "good",   kOfRuns};

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

const ResponseWords& words_of_response(std::string_view y, Response response) {
  if (response == Response::kRate) return kRate;
  switch (meaning_of(y).role) {
    case ColumnRole::kLoss:
      return kLoss;
    case ColumnRole::kEnergy:
      return kEnergy;
    case ColumnRole::kPower:
      return kPower;
    default:
      return kTime;
  }
}

bool is_named_in_formula(std::string_view x, std::string_view y) {
  const auto is_word = [](std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_';
    });
  };
  return unit_of_scale(x).empty() && is_word(x) && is_word(y);
}

std::string named_formula(std::string_view formula, const std::string& x, const std::string& y) {
  if (!is_named_in_formula(x, y)) return with_words(formula, {{"t", "L"}, {"y", "L"}});
  return with_words(formula, {{"t", y}, {"y", y}, {"N", x}, {"x", x}});
}

}  // namespace scalelaw
