#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/ranges.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/command_help.hpp"

namespace scalelaw {
namespace {

/// Adds the names of options, the long ones first.
void add_names(const std::vector<OptionView>& options, std::vector<std::string>& names) {
  for (const OptionView& option : options) {
    names.insert(names.end(), option.names.rbegin(), option.names.rend());
  }
}

/// The options that go on where a name ends: "--budget-gpu-hours" of "--budget".
std::vector<std::string> longer_options(const std::vector<std::string>& options,
                                        const std::string& name) {
  std::vector<std::string> longer;
  std::copy_if(options.begin(), options.end(), std::back_inserter(longer),
               [&name](const std::string& one) { return one.starts_with(name + "-"); });
  return longer;
}

/// Several kinds of plots as "plot".
void join_plots(std::vector<std::string>& commands) {
  const auto is_plot = [](const std::string& name) { return name.starts_with("plot "); };
  if (std::count_if(commands.begin(), commands.end(), is_plot) < 2) return;
  std::erase_if(commands, is_plot);
  commands.emplace_back("plot");
}

/// The commands that have an option of that name, or one that begins with it: "; predict, report
/// have --deadline"; empty if none has.
std::string who_has(const ProgramView& program, const std::string& name) {
  constexpr std::size_t kMostCommands = 5;
  constexpr std::size_t kMostOptions = 2;
  std::map<std::string, std::vector<std::string>> commands;  // By the option.
  for (const CommandView& command : program.commands) {
    std::vector<std::string> options;
    add_names(command.options, options);
    for (const std::string& option : longer_options(options, name)) {
      commands[option].push_back(command.name);
    }
    if (contains(options, name)) {
      commands[name].push_back(command.name);
    }
  }
  // What most commands have is meant most often.
  std::vector<std::pair<std::string, std::vector<std::string>>> found(commands.begin(),
                                                                      commands.end());
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  found.resize(std::min(found.size(), kMostOptions));
  std::string text;
  for (auto& [option, names] : found) {
    join_plots(names);
    names.resize(std::min(names.size(), kMostCommands));
    text += fmt::format("; {} {} {}", joined(names), names.size() == 1 ? "has" : "have", option);
  }
  return text;
}

/// What a command calls an option that others have by another name; empty if it has none.
std::string other_name_of(const std::string& command, const std::string& name) {
  return command == "plan" && name == "--at" ? "--target" : "";
}

}  // namespace

std::string unknown_word(const ProgramView& program, const std::string& command,
                         const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> options;
  const auto* const chosen =
      first_where(program.commands, [&](const CommandView& one) { return one.word == command; });
  const bool has_command = chosen != nullptr;
  if (has_command) add_names(chosen->options, options);
  add_names(program.options, options);
  if (word.front() != '-' && has_command) {
    return fmt::format("{}: one word too many: '{}'", chosen->name, word);
  }
  // The parser gives up on what stands behind --.
  if (contains(options, name)) {
    return fmt::format("one word too many: '{0}'; a file of that name is ./{0}", word);
  }
  const std::string other = has_command ? other_name_of(chosen->name, name) : "";
  const auto near = other.empty() ? nearest(name, options) : std::optional(other);
  const std::vector<std::string> longer = longer_options(options, name);
  const std::string hint = !longer.empty()
                               ? fmt::format(" (did you mean {}?)", joined(longer, " or "))
                           : near ? fmt::format(" (did you mean {}?)", *near)
                           : has_command && name.starts_with("--") ? who_has(program, name)
                                                                   : "";
  return fmt::format("there is no option {}{}; 'scalelaw help{}' lists all options", name, hint,
                     has_command ? fmt::format(" {}", chosen->name) : "");
}

}  // namespace scalelaw
