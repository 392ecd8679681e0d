// The nouns and numbers of sentences, as a person who has the table says them.

#include "render/reader_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/per_thread.hpp"
#include "base/ranges.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/judge/ideal.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {
namespace {

/// A noun, and the parts of a column's name that tell it.
struct Noun {
  std::string_view part;
  std::string_view noun;
};

constexpr Noun kUnits[] = {
    {"gpu", "GPU"},       {"node", "node"},       {"accelerator", "accelerator"},
    {"device", "device"}, {"rank", "process"},    {"world", "process"},
    {"proc", "process"},  {"process", "process"}, {"processes", "process"},
    {"worker", "worker"}, {"core", "core"},       {"cpu", "CPU"},
    {"thread", "thread"}, {"chip", "chip"},       {"tpu", "TPU"}};

/// Of scales that are set.
constexpr Noun kSet[] = {{"lr", "learning rate"},       {"learning", "learning rate"},
                         {"seq", "sequence length"},    {"sequence", "sequence length"},
                         {"seqlen", "sequence length"}, {"context", "context length"},
                         {"precision", "precision"},    {"resolution", "resolution"}};

constexpr Noun kTimed[] = {{"epoch", "the time of an epoch"},
                           {"step", "the time of a step"},
                           {"iteration", "the time of an iteration"},
                           {"iter", "the time of an iteration"},
                           {"runtime", "the run time"},
                           {"run", "the time of a run"},
                           {"wall", "the wall time"},
                           {"walltime", "the wall time"},
                           {"elapsed", "the elapsed time"}};

/// Whether the word is that part, or its plural, or the number of it ("ngpus").
bool is_word_for(std::string_view word, std::string_view part) {
  if (word.ends_with('s') && !part.ends_with('s')) word.remove_suffix(1);
  return word == part || (word.starts_with('n') && word.substr(1) == part);
}

/// The noun of the first part that `name` has; empty if it has none.
std::string_view noun_in(std::string_view name, std::span<const Noun> nouns) {
  const std::vector<std::string> words = words_as_written(name);
  for (const Noun& one : nouns) {
    const auto tells = [&one](const std::string& word) { return is_word_for(word, one.part); };
    if (any_of(words, tells)) return one.noun;
  }
  return {};
}

/// The noun for a time; empty where the name tells none, as that of "steps_to_target", a count.
std::string_view timed_noun(std::string_view y) {
  const std::vector<std::string> words = words_as_written(y);
  const bool counts = any_of(words, [](const std::string& word) {
    return word == "steps" || word == "epochs" || word == "iterations" || word == "iters";
  });
  if (counts && meaning_of(y).role != ColumnRole::kTime) return {};
  return noun_in(y, kTimed);
}

/// Nobody runs at the middle: two digits tell where it is.
std::string middle_text(double x) {
  constexpr double kRounding = 1e-9;
  if (std::abs(x - std::round(x)) < kRounding * x) return scale_text(std::round(x));
  const bool is_long = std::abs(x) >= 100;
  return is_long ? fixed_text(x, 0) : with_significant_digits(x, 2);
}

bool is_plain_time(std::string_view name) {
  return name == "seconds" || name == "minutes" || name == "hours" || name == "time" ||
         name == "time_s" || name == "s" || name == "t";
}

/// Whether a word of a name is a unit or spells it: "sec" in "sec/step", "ms" in "step_time_ms".
bool has_word_of(std::string_view name, std::string_view unit) {
  const auto is_end = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
  for (auto at = name.begin(); at != name.end();) {
    const auto end = std::find_if(at, name.end(), is_end);
    if (canonical_unit({at, end}) == unit) return true;
    at = std::find_if_not(end, name.end(), is_end);
  }
  return false;
}

}  // namespace

std::string unit_of_scale(std::string_view x) {
  struct Answer {
    std::string x;
    std::string_view unit;
  };
  thread_local PerThread<Answer> kept;  // Tables ask for one name in every row.
  Answer& last = *kept;
  if (x != last.x) {
    // "per_device_batch_size" counts no devices.
    const bool counts = meaning_of(x).role == ColumnRole::kScale;
    const std::string_view unit = counts ? noun_in(x, kUnits) : "";
    last.x = x;
    last.unit = unit;
  }
  return std::string(last.unit);
}

std::string setting_of_scale(std::string_view x) {
  const std::vector<std::string> words = words_as_written(x);
  const bool is_share = contains(words, "per");
  if (is_share) return "";  // "per_device_batch_size" is not the batch size.
  const ColumnRole role = meaning_of(x).role;
  if (role == ColumnRole::kBatchSize) return "batch size";
  const bool may_be_set = role == ColumnRole::kSetting || role == ColumnRole::kCategory ||
                          role == ColumnRole::kProblemSize || role == ColumnRole::kOther;
  return may_be_set ? std::string(noun_in(x, kSet)) : "";
}

std::string_view time_of_all(std::string_view x) { return may_share_work(x) ? "N t" : "t"; }

std::string worker_of_scale(std::string_view x) {
  if (!may_share_work(x)) return "run";
  const std::string unit = unit_of_scale(x);
  return unit.empty() ? fmt::format("unit of {}", x) : unit;
}

std::string hours_of_scale(std::string_view x) {
  return may_share_work(x) ? worker_of_scale(x) + "-hours" : "hours";
}

std::string watts_title(std::string_view x) {
  return may_share_work(x) ? "W per " + worker_of_scale(x) : "P [W]";
}

std::string units_of_scale(std::string_view x) {
  std::string unit = unit_of_scale(x);
  if (unit.empty()) unit = setting_of_scale(x);
  if (unit.empty()) return std::string(x);
  return unit + (unit.ends_with('s') ? "es" : "s");
}

std::string the_scale(std::string_view x) {
  const std::string setting = setting_of_scale(x);
  if (!setting.empty()) return "the " + setting;
  return unit_of_scale(x).empty() ? std::string(x) : "the " + units_of_scale(x);
}

std::string noun_of_scale(std::string_view x) {
  const std::string setting = setting_of_scale(x);
  if (!setting.empty()) return setting;
  return fmt::format("{} of {}", unit_of_scale(x).empty() ? "value" : "number", units_of_scale(x));
}

std::string number_of_units(std::string_view x) {
  return unit_of_scale(x).empty() ? the_scale(x) : "the number of " + units_of_scale(x);
}

std::string several_scales(std::string_view x) {
  if (!setting_of_scale(x).empty()) return units_of_scale(x);
  return fmt::format("{} of {}", unit_of_scale(x).empty() ? "values" : "numbers",
                     units_of_scale(x));
}

std::string all_scales(std::string_view x) { return "all " + several_scales(x); }

std::string place_as_subject(std::string_view x, double value) {
  const std::string place = place_on_scale(x, value);
  return setting_of_scale(x).empty() ? place : capitalised(place);
}

bool is_one_place(std::string_view x, double value) {
  return value == 1 || !setting_of_scale(x).empty() || unit_of_scale(x).empty();
}

std::string range_on_scale(std::string_view x, double least, double greatest) {
  if (least == greatest) return place_on_scale(x, least);
  const std::string range = fmt::format("{} to {}", scale_text(least), scale_text(greatest));
  if (!setting_of_scale(x).empty()) return fmt::format("{} from {}", units_of_scale(x), range);
  return unit_of_scale(x).empty() ? fmt::format("{} = {}", x, range)
                                  : fmt::format("{} {}", range, units_of_scale(x));
}

std::string place_on_scale(std::string_view x, double value) {
  const std::string setting = setting_of_scale(x);
  if (!setting.empty()) return fmt::format("{} of {}", with_article(setting), scale_text(value));
  const std::string unit = unit_of_scale(x);
  if (unit.empty()) return fmt::format("{} = {}", x, scale_text(value));
  return fmt::format("{} {}", scale_text(value), value == 1 ? unit : units_of_scale(x));
}

std::string middle_of_scale(std::string_view x, double value) {
  const std::string setting = setting_of_scale(x);
  if (!setting.empty()) return fmt::format("the middle (a {} of {})", setting, middle_text(value));
  const std::string units = units_of_scale(x);
  return units == x ? fmt::format("the middle ({} = {})", units, middle_text(value))
                    : fmt::format("the middle ({} {})", middle_text(value), units);
}

std::string growing_work_clause(std::string_view x, std::string_view growing_work) {
  return fmt::format("The work of a run grows with {} ('{}')", number_of_units(x), growing_work);
}

std::string partly_growing_work_sentence(std::span<const std::string> by, std::string_view x,
                                         const PartlyGrowingWork& part) {
  constexpr std::size_t kMost = 4;
  const std::size_t groups = part.groups.size();
  return fmt::format(
      "In {} the work of a run grows with {} ('{}'), so a time that stays the same is ideal there "
      "(weak scaling).",
      groups > kMost ? fmt::format("{} groups", groups)
                     : joined_texts(part.groups, " and ",
                                    [by](const GroupKey& group) { return said_group(by, group); }),
      number_of_units(x), part.column);
}

std::string flat_times_sentence(std::string_view x) {
  return fmt::format(
      "Times do not fall with {}. If the work of a run grows with it (weak scaling), that is as it "
      "should be, and a speedup says nothing.",
      number_of_units(x));
}

std::string rate_of_one_sentence(std::string_view y, std::string_view x) {
  const std::string unit = unit_of_scale(x);
  if (counts_nodes(x) && !is_rate_of_one(y, x)) {
    return fmt::format(
        "'{}' is a rate of one GPU, of which each {} has as many: speedups are of all {} together.",
        y, unit, units_of_scale(x));
  }
  const bool is_known = !unit.empty();
  return fmt::format("'{}' is a rate of one {}: speedups are of all {} together.", y,
                     is_known ? unit : fmt::format("of '{}'", x),
                     is_known ? units_of_scale(x) : "of them");
}

std::string measured_noun(std::string_view y, Response response) {
  const ColumnRole role = meaning_of(y).role;
  if (role == ColumnRole::kLoss && lower_case(y).find("loss") != std::string::npos)
    return "the loss";
  const bool may_be_time = role == ColumnRole::kTime || role == ColumnRole::kOther;
  if (response != Response::kTime || !may_be_time) return std::string(y);
  const std::string_view timed = timed_noun(y);
  if (!timed.empty()) return std::string(timed);
  return is_plain_time(y) ? "the time" : std::string(y);
}

std::string work_in(std::string_view y) {
  constexpr std::string_view kTimeOf = "the time of ";
  const std::string_view timed = timed_noun(y);
  if (timed.empty()) return "";
  if (!timed.starts_with(kTimeOf)) return "run";
  const std::string_view work = timed.substr(kTimeOf.size());
  return std::string(work.substr(work.find(' ') + 1));
}

std::string counted(std::size_t count, std::string_view noun, std::string_view one,
                    std::string_view several) {
  return fmt::format("{} {}", counted(count, noun), count == 1 ? one : several);
}

std::vector<std::string> told(std::vector<std::string> sentences) {
  std::erase(sentences, "");
  return sentences;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  return text;
}

std::string with_article(std::string_view noun) {
  constexpr std::string_view kVowels = "aeiou";
  const bool is_vowel = !noun.empty() && kVowels.find(noun.front()) != std::string_view::npos;
  return fmt::format("{} {}", is_vowel ? "an" : "a", noun);
}

std::string short_count(double value) {
  for (const auto& [size, letter] : {std::pair{1e12, 'T'}, {1e9, 'B'}, {1e6, 'M'}}) {
    const double rounded = std::round(value / size * 100) / 100;
    if (rounded >= 1 && rounded < 1000) return fmt::format("{:.3g}{}", value / size, letter);
  }
  return fmt::format("{:.4g}", value);
}

std::string compute_text(double compute) {
  std::string text = fmt::format("{:.4g}", compute);
  std::erase(text, '+');
  return text;
}

std::string compute_words(double compute) { return compute_text(compute) + " FLOP"; }

std::string scale_digits(double value) { return fmt::format("{:.3g}", value); }

std::string size_text(const std::string& column, double value) {
  const ColumnRole role = meaning_of(column).role;
  if (role == ColumnRole::kParameters) return short_count(value) + " parameters";
  const bool is_tokens = column.find("oken") != std::string::npos;
  if (role == ColumnRole::kTokens && is_tokens) return short_count(value) + " tokens";
  return unit_of_scale(column).empty() ? fmt::format("{} = {}", column, scale_digits(value))
                                       : place_on_scale(column, value);
}

std::string response_noun(const std::string& y) { return measured_noun(y, Response::kTime); }

std::string relative_error_text(double log_error) {
  return with_significant_digits(100 * std::expm1(log_error), 2) + " %";
}

std::string axis_label(const std::string& column, const std::string& unit) {
  const ColumnLabel label = column_label(column);
  if (label.unit.empty()) return unit.empty() ? column : fmt::format("{} [{}]", column, unit);
  // "seconds" needs no unit beside it, nor does "time [s]".
  const bool names_unit = label.name != column || canonical_unit(column).has_value();
  return names_unit ? column : fmt::format("{} [{}]", column, label.unit);
}

std::string label_with_unit(const std::string& column, const std::string& unit) {
  const std::string_view own = column_label(column).unit;
  const bool says_it = canonical_unit(column) || has_word_of(column, own.empty() ? unit : own);
  return says_it ? column : axis_label(column, unit);
}

std::string value_with_unit(const std::string& column, const std::string& value) {
  const std::string_view unit = column_label(column).unit;
  return unit.empty() || !parse_number(value) ? value : fmt::format("{} {}", value, unit);
}

std::string said_value(const std::string& column, const std::string& value) {
  const auto number = parse_number(value);
  const bool is_bare = number && column_label(column).unit.empty();
  if (!is_bare) return value_with_unit(column, value);
  if (!unit_of_scale(column).empty()) return place_on_scale(column, *number);
  const std::string setting = setting_of_scale(column);
  return fmt::format("{} {}", setting.empty() ? column : setting, value);
}

std::string said_group(std::span<const std::string> by, const GroupKey& group) {
  if (by.empty()) return "all runs";
  std::string name;
  for (std::size_t i = 0; i < by.size(); ++i) {
    name += i > 0 ? ", " : "";
    name += middle_shortened(said_value(by[i], group.at(i)), 40);
  }
  return name;
}

std::string change_in_percent(double ratio) {
  const double percent = 100 * std::abs(ratio - 1);
  return fixed_text(percent, percent < 0.95 ? 2 : percent < 9.95 ? 1 : 0);
}

std::string change_in_percent(const Interval& ratios) {
  const auto [lower, upper] = ratios;
  if (lower < 1 && upper > 1) {
    return fmt::format("{} % less to {} % more", change_in_percent(lower),
                       change_in_percent(upper));
  }
  const bool falls = upper <= 1;
  return fmt::format("{} to {} %", change_in_percent(falls ? upper : lower),
                     change_in_percent(falls ? lower : upper));
}

namespace {

// What sentences call a response, in one table.

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
