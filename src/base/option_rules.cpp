#include "scalelaw/base/option_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

using Part = CallCase::Part;

Part part_of_rule(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos) return {.option = std::string(text), .values = {}};
  const bool others = text[sign - 1] == '!';
  return {.option = std::string(text.substr(0, sign - (others ? 1 : 0))),
          .values = split(text.substr(sign + 1), '|'),
          .others = others};
}

bool is_word_of_call(const std::string& option) { return !option.starts_with('-'); }

/// "--pool slopes"; of words of the call the value alone.
std::string with_value(const std::string& option, const std::string& value) {
  return is_word_of_call(option) ? value : option + " " + value;
}

std::string words_of(const Part& part) {
  if (part.option.empty()) return part.kind.words;
  if (part.values.empty()) return part.option;
  const std::string values = joined(part.values, " or ");
  return part.others ? fmt::format("{} other than {}", part.option, values)
                     : with_value(part.option, values);
}

/// Whether a part holds, and what tells it; nothing where that is not known.
std::optional<KindFound> state_of(const Part& part, const CallOptions& call) {
  if (part.option.empty()) return part.kind.find(call);
  if (!call.usual.contains(part.option)) return std::nullopt;
  const bool is_used = call.uses(part.option);
  const std::string value = call.value(part.option);
  if (part.values.empty()) return KindFound{is_used, value};
  const bool is_named = std::ranges::find(part.values, value) != part.values.end();
  if (part.others) return KindFound{is_used && !is_named, value};
  if (value.empty()) return std::nullopt;
  return KindFound{is_named, value};
}

CallCase::Found found_in(const Part& part, const std::string& value) {
  if (part.option.empty()) return {part.kind.words, value};
  const bool is_word = is_word_of_call(part.option);
  return {part.values.empty() && !is_word ? part.option : with_value(part.option, value), value};
}

/// The sentence of a rule whose text is no whole one.
std::string usual_sentence(OptionRule::Kind kind, const std::string& text) {
  const std::string reason = text.empty() ? "" : ": " + text;
  if (kind == OptionRule::Kind::kNeeds) return "{0} needs {1}" + reason;
  if (kind == OptionRule::Kind::kOnlyFor) return "{0} works only with {1}" + reason;
  if (!text.starts_with("both ")) return "{0} does not go with {1}" + reason;
  return fmt::format("{{0}} and {{1}} {}: leave one of them out", text);
}

std::string sentence_of(const OptionRule& rule, const CallCase::Found& subject,
                        const CallCase::Found& other) {
  const bool is_whole = rule.text.find('{') != std::string::npos;
  const std::string form = is_whole ? rule.text : usual_sentence(rule.kind, rule.text);
  return fmt::format(fmt::runtime(form), subject.words, other.words, other.value);
}

/// A part in a cell of the table: "`--se` `cluster` or `cr2`".
std::string cell_of(const Part& part) {
  if (part.option.empty()) return part.kind.words;
  const auto code = [](const std::string& word) { return fmt::format("`{}`", word); };
  if (part.values.empty()) return code(part.option);
  return fmt::format("{} {}{}", code(part.option), part.others ? "other than " : "",
                     joined_texts(part.values, " or ", code));
}

/// The parts that a command can have, in one cell.
std::vector<std::string> cells_of(const CallCase& some, const RulesOfCommand& command) {
  std::vector<std::string> cells;
  for (const Part& part : some.parts()) {
    const auto& options = command.options;
    if (part.option.empty() || std::ranges::find(options, part.option) != options.end()) {
      cells.push_back(cell_of(part));
    }
  }
  return cells;
}

/// What one option excludes, needs and is only for.
using Row = std::array<std::string, 3>;

void add_rule(const OptionRule& rule, const RulesOfCommand& command,
              std::map<std::string, Row>& rows) {
  std::vector<std::string> others = cells_of(rule.other, command);
  if (others.empty()) return;
  std::string text = joined(others, rule.kind == OptionRule::Kind::kExcludes ? ", " : " or ");
  const auto add_scope = [&](const std::optional<CallCase>& scope, std::string_view word) {
    const auto cells = scope ? cells_of(*scope, command) : std::vector<std::string>();
    if (!cells.empty()) text += fmt::format(" ({} {})", word, joined(cells, " or "));
  };
  add_scope(rule.when, "with");
  add_scope(rule.unless, "without");
  for (const std::string& subject : cells_of(rule.subject, command)) {
    std::string& cell = rows[subject][static_cast<std::size_t>(rule.kind)];
    cell += (cell.empty() ? "" : "; ") + text;
  }
}

}  // namespace

bool CallOptions::uses(const std::string& option) const {
  const auto found = given.find(option);
  if (found == given.end()) return false;
  const auto says_nothing = [](const std::string& value) {
    return value.empty() || value == "false";
  };
  return !std::ranges::all_of(found->second, says_nothing);
}

std::string CallOptions::value(const std::string& option) const {
  if (const auto found = given.find(option); found != given.end())
    return joined(found->second, ",");
  const auto found = usual.find(option);
  return found == usual.end() ? "" : found->second;
}

CallCase::CallCase(std::initializer_list<const char*> options) {
  for (const char* const option : options) parts_.push_back(part_of_rule(option));
}

std::vector<std::string> CallCase::words() const {
  std::vector<std::string> words;
  for (const Part& part : parts_) words.push_back(words_of(part));
  return words;
}

std::optional<CallCase::Found> CallCase::found(const CallOptions& call, bool is_used) const {
  for (const Part& part : parts_) {
    if (is_used && !part.option.empty() && !call.uses(part.option)) continue;
    const auto state = state_of(part, call);
    if (state && state->holds) return found_in(part, state->what);
  }
  return std::nullopt;
}

std::optional<CallCase::Found> CallCase::missing(const CallOptions& call) const {
  std::optional<Found> missing;
  for (const Part& part : parts_) {
    const auto state = state_of(part, call);
    if (state && state->holds) return std::nullopt;
    if (state) missing = {joined(words(), " or "), state->what};
  }
  return missing;
}

std::optional<std::string> OptionRule::refusal(const CallOptions& call) const {
  const auto about = subject.found(call, true);
  if (!about || (when && !when->found(call)) || (unless && unless->found(call))) {
    return std::nullopt;
  }
  const auto broken = kind == Kind::kExcludes ? other.found(call) : other.missing(call);
  return broken ? std::optional(sentence_of(*this, *about, *broken)) : std::nullopt;
}

void OptionRules::check(const CallOptions& call) const {
  for (const OptionRule& rule : rules_) {
    if (const auto refusal = rule.refusal(call)) throw DataError(*refusal);
  }
}

std::string rules_table(const std::vector<RulesOfCommand>& commands) {
  std::map<std::string, std::map<Row, std::vector<std::string>>> rows;
  for (const RulesOfCommand& command : commands) {
    std::map<std::string, Row> of_command;
    for (const OptionRule& rule : command.rules->all()) add_rule(rule, command, of_command);
    for (const auto& [option, row] : of_command) rows[option][row].push_back(command.command);
  }
  std::string table =
      "| option | of | excludes | needs | only for |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& [option, kinds] : rows) {
    for (const auto& [row, names] : kinds) {
      table += fmt::format("| {} | {} | {} | {} | {} |\n", option, joined(names), row[0], row[1],
                           row[2]);
    }
  }
  return table;
}

}  // namespace scalelaw
