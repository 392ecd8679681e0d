#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

// CLI11 keeps no list of choices, so the name of the type carries them.
const std::string kChoiceMark = "one of ";

std::string unknown_choice(const std::string& word, const std::vector<std::string>& choices) {
  const auto near = nearest(word, choices);
  return fmt::format("there is no '{}'{}; choices are: {}", word,
                     near ? fmt::format(", did you mean '{}'?", *near) : "", joined(choices));
}

}  // namespace

std::string spelled(const CLI::App& command) {
  std::string name = command.get_name();
  std::replace(name.begin(), name.end(), '-', ' ');
  return name;
}

CLI::Option* add_choice(CLI::App& app, const std::string& names, std::string& target,
                        std::span<const std::string_view> choices, const std::string& help) {
  const std::vector<std::string> words(choices.begin(), choices.end());
  const auto check = [words](const std::string& word) {
    const bool known = std::find(words.begin(), words.end(), word) != words.end();
    return known ? std::string() : unknown_choice(word, words);
  };
  return app.add_option(names, target, help)
      ->type_name(kChoiceMark + joined(words, "|"))
      ->check(CLI::Validator(check, ""))
      ->capture_default_str();
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.starts_with(kChoiceMark) ? split(type.substr(kChoiceMark.size()), '|')
                                       : std::vector<std::string>();
}

CLI::Validator number_between(double lower, double upper) {
  const auto check = [lower, upper](const std::string& word) -> std::string {
    const auto value = parse_number(word);
    if (value && *value > lower && *value < upper) return "";
    return fmt::format("expected a number between {} and {}, found \"{}\"", lower, upper, word);
  };
  return {check, ""};
}

CLI::Validator number_from(double least, double greatest) {
  const auto check = [least, greatest](const std::string& word) -> std::string {
    const auto value = parse_number(word);
    if (value && *value >= least && *value <= greatest) return "";
    return fmt::format("expected a number from {} to {}, found \"{}\"", least, greatest, word);
  };
  return {check, ""};
}

std::optional<double> share_of(std::string_view text) {
  text = trimmed(text);
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = parse_number(trimmed(text));
  if (!number) return std::nullopt;
  const double share = percent ? *number / 100 : *number;
  return share > 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

CLI::Validator share() {
  const auto check = [](const std::string& word) -> std::string {
    if (share_of(word)) return "";
    return fmt::format("expected a limit above 0 and up to 100 %, such as 5% or 0.05, found \"{}\"",
                       word);
  };
  return {check, ""};
}

CLI::Validator not_negative() {
  const auto check = [](const std::string& word) -> std::string {
    const auto value = parse_number(word);
    if (value && *value >= 0) return "";
    return fmt::format("expected a number that is not negative, found \"{}\"", word);
  };
  return {check, ""};
}

CLI::Validator positive() {
  const auto check = [](const std::string& word) -> std::string {
    const auto value = parse_number(word);
    if (value && *value > 0) return "";
    return fmt::format("expected a number above 0, found \"{}\"", word);
  };
  return {check, ""};
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t greatest) {
  // Rewritten without leading zeros, which CLI11 takes for octal.
  const auto check = [least, greatest](std::string& word) -> std::string {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    if (!whole || value < least || value > greatest) {
      return fmt::format("expected a whole number from {} to {}, found \"{}\"", least, greatest,
                         word);
    }
    word = fmt::to_string(value);
    return "";
  };
  return {check, ""};
}

CLI::Validator memory_size() {
  static constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{{{"", 1},
                                                                              {"kB", 1e3},
                                                                              {"MB", 1e6},
                                                                              {"GB", 1e9},
                                                                              {"MiB", 0x1p20},
                                                                              {"GiB", 0x1p30},
                                                                              {"TiB", 0x1p40}}};
  constexpr double kLeast = 16 * 0x1p20;
  const auto rewrite = [](std::string& word) -> std::string {
    const std::size_t letters = std::min(word.find_first_not_of("0123456789."), word.size());
    const auto number = parse_number(std::string_view(word).substr(0, letters));
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& one) {
      return one.first == trimmed(std::string_view(word).substr(letters));
    });
    const double bytes = number && unit != kUnits.end() ? *number * unit->second : 0;
    if (bytes < kLeast || bytes > 0x1p60) {
      return fmt::format("expected a size of at least 16MiB, such as 500MB or 4GiB, found \"{}\"",
                         word);
    }
    word = fmt::to_string(static_cast<std::uint64_t>(bytes));
    return "";
  };
  return {rewrite, ""};
}

std::string name_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  return option.get_name();
}

std::vector<const CLI::Option*> visible_options(const CLI::App& app) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) options.push_back(option);
  }
  return options;
}

}  // namespace scalelaw::cli
