#pragma once

#include <string>
#include <vector>

#include "scalelaw/base/option_rules.hpp"

namespace scalelaw {

/// Exit statuses, part of the contract (docs/reference/every-command.md).
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kUnusable = 2;

/// An option as help, completions and the manual show it.
struct OptionView {
  std::vector<std::string> names;  ///< "-b", "--by": the short ones first.
  std::string positional;          ///< The name of a word of the call; empty for other options.
  std::string group;
  std::string help;
  std::string shown;                 ///< "COL,COL": what stands for the value.
  std::vector<std::string> choices;  ///< Empty where the set of values is not closed.
  std::string usual;                 ///< The default; empty where none is shown.
  std::string environment;           ///< The variable that stands in; empty: none.
  bool is_flag = false;
  bool is_list = false;

  /// "--by" of "-b,--by": the long name where there is one.
  std::string name() const { return names.empty() ? positional : names.back(); }
  /// What a program calls it: "power_cap" of "--power-cap", "input" of the word INPUT.
  std::string key() const;
  /// Whether a program has no use for it, or it would reach beyond a call that a program makes.
  bool is_for_people() const;
};

/// A command likewise.
struct CommandView {
  std::string word;  ///< "plot-replay": what the parser calls it.
  std::string name;  ///< "plot replay": what people call it.
  std::string description;
  std::string chapter;  ///< The question that it answers.
  std::string examples;
  std::vector<OptionView> options;  ///< In the order of help.
  const OptionRules* rules = {};    ///< What they exclude and need.
};

/// The commands of scalelaw, and what each of them takes.
struct ProgramView {
  std::string description;
  std::vector<OptionView> options;
  std::vector<CommandView> commands;
};

/// "scalelaw 1.2.3", as a line.
std::string version_text();

/// All commands on one screen, with an example.
std::string overview_text(const ProgramView& program);

/// What a command does: examples first, then every option.
std::string command_help(const ProgramView& program, const CommandView& command);

/// What a command does, or what a code means; "warnings" lists all codes, "rules" what options
/// exclude.
/// @throws DataError naming the nearest command or code if there is none of that name.
std::string help_on(const ProgramView& program, const std::string& topic);

/// What is wrong with a word of a call that nothing takes, a mistyped option or command.
/// @param command  The word of the command that the call names; empty without one.
std::string unknown_word(const ProgramView& program, const std::string& command,
                         const std::string& word);

/// The manual page, in roff.
std::string manual_page(const ProgramView& program);

/// The script that completes commands and options in a shell.
std::string bash_completion(const ProgramView& program);
std::string zsh_completion(const ProgramView& program);
std::string fish_completion(const ProgramView& program);

/// All commands and their options as a JSON document (docs/reference/c-interface.md).
std::string schema_text(const ProgramView& program);

}  // namespace scalelaw
