#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/text.hpp"
#include "scalelaw/render/command_help.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

constexpr const char* kBashTemplate =
    R"sh(# bash completion of scalelaw: eval "$(scalelaw completion bash)"
_scalelaw() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command="" words="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " @NAMES@ " in *" $word "*) command=$word; break ;; esac
  done
  [[ $command == plot && " ${COMP_WORDS[*]} " == *" plot replay "* ]] && command=plot-replay
  [[ $command == plot && " ${COMP_WORDS[*]} " == *" plot budget "* ]] && command=plot-budget
  case "$command:$previous" in
@VALUES@  esac
  if [[ -z $words && $current == -* ]]; then
    case "$command" in
@OPTIONS@      *) words="@GLOBAL@" ;;
    esac
  elif [[ -z $words && -z $command ]]; then
    words="@NAMES@"
  elif [[ -z $words ]]; then
    case "$command" in
@POSITIONALS@      *) ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _scalelaw scalelaw
)sh";

constexpr const char* kZshTemplate = R"sh(#compdef scalelaw
# zsh completion of scalelaw: scalelaw completion zsh > "${fpath[1]}/_scalelaw"
_scalelaw() {
  local -a commands
  commands=(
@COMMANDS@  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  if [[ $command == plot && ( $words[2] == replay || $words[2] == budget ) ]]; then
    command=plot-$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
@CASES@  esac
}
if [ "$funcstack[1]" = "_scalelaw" ]; then
  _scalelaw "$@"
else
  compdef _scalelaw scalelaw
fi
)sh";

/// The commands of one word.
std::vector<CommandView> plain_commands(const ProgramView& program) {
  std::vector<CommandView> commands = program.commands;
  std::erase_if(commands, [](const CommandView& one) { return one.name != one.word; });
  return commands;
}

std::vector<OptionView> options_for(const ProgramView& program, const CommandView& command) {
  std::vector<OptionView> options = command.options;
  options.insert(options.end(), program.options.begin(), program.options.end());
  return options;
}

std::string names_of(const std::vector<OptionView>& options) {
  std::vector<std::string> words;
  for (const OptionView& option : options) {
    words.insert(words.end(), option.names.begin(), option.names.end());
  }
  return joined(words, " ");
}

std::vector<std::string> words_of(const std::vector<CommandView>& commands) {
  std::vector<std::string> words;
  for (const CommandView& command : commands) words.push_back(command.word);
  return words;
}

/// The closed set of a positional, such as the kind of a plot; the commands for `help`.
std::vector<std::string> positional_choices(const ProgramView& program,
                                            const CommandView& command) {
  if (command.word == "help") return words_of(plain_commands(program));
  std::vector<std::string> choices;
  for (const OptionView& option : command.options) {
    if (option.positional.empty()) continue;
    choices.insert(choices.end(), option.choices.begin(), option.choices.end());
  }
  return choices;
}

std::string command_names(const ProgramView& program) {
  return joined(words_of(plain_commands(program)), " ");
}

/// One line of a shell's case: the values of an option of a command.
std::string bash_choices(const std::string& command, const OptionView& option) {
  if (option.choices.empty() || !option.positional.empty()) return "";
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) {
    patterns.push_back(fmt::format("{}:{}", command, name));
  }
  return fmt::format("    {}) words=\"{}\" ;;\n", joined(patterns, "|"),
                     joined(option.choices, " "));
}

std::string bash_case(const CommandView& command, const std::string& words) {
  return fmt::format("      {}) words=\"{}\" ;;\n", command.word, words);
}

/// Text inside single quotes of zsh's _arguments or of fish.
std::string quoted_help(const std::string& text, std::string_view escaped) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (escaped.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

bool names_a_file(const OptionView& option) {
  return option.shown == "FILE" || option.shown == "FOLDER";
}

std::string zsh_action(const OptionView& option) {
  if (!option.choices.empty()) return fmt::format(":value:({})", joined(option.choices, " "));
  if (option.is_flag) return "";
  return names_a_file(option) ? ":file:_files" : fmt::format(":{}:", option.shown);
}

std::string zsh_option(const OptionView& option) {
  std::string out;
  if (!option.positional.empty()) return out;
  for (const std::string& name : option.names) {
    out += fmt::format("        '*{}[{}]{}' \\\n", name, quoted_help(option.help, "[]:\\"),
                       quoted_help(zsh_action(option), ""));
  }
  return out;
}

std::string fish_option(const std::string& condition, const OptionView& option) {
  if (!option.positional.empty()) return "";
  std::string out = fmt::format("complete -c scalelaw{}", condition);
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    out += fmt::format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
  }
  if (!option.choices.empty()) {
    out += fmt::format(" -xa '{}'", joined(option.choices, " "));
  } else if (!option.is_flag) {
    out += names_a_file(option) ? " -rF" : " -x";
  }
  return out + fmt::format(" -d '{}'\n", quoted_help(option.help, ""));
}

}  // namespace

std::string bash_completion(const ProgramView& program) {
  std::string values;
  std::string options;
  std::string positionals;
  for (const CommandView& command : program.commands) {
    for (const OptionView& option : command.options) values += bash_choices(command.word, option);
    options += bash_case(command, names_of(options_for(program, command)));
    const auto choices = positional_choices(program, command);
    if (!choices.empty()) positionals += bash_case(command, joined(choices, " "));
  }
  for (const OptionView& option : program.options) values += bash_choices("*", option);
  CommandView of_program;
  of_program.options = program.options;
  return replaced(kBashTemplate, {{"@NAMES@", command_names(program)},
                                  {"@VALUES@", values},
                                  {"@OPTIONS@", options},
                                  {"@GLOBAL@", names_of(options_for(program, of_program))},
                                  {"@POSITIONALS@", positionals}});
}

std::string zsh_completion(const ProgramView& program) {
  std::string commands;
  std::string cases;
  for (const CommandView& command : program.commands) {
    if (command.name == command.word) {
      commands +=
          fmt::format("    '{}:{}'\n", command.word, quoted_help(command.description, ":\\"));
    }
    cases += fmt::format("    {})\n      _arguments \\\n", command.word);
    for (const OptionView& option : options_for(program, command)) cases += zsh_option(option);
    const auto choices = positional_choices(program, command);
    if (!choices.empty()) cases += fmt::format("        '1:kind:({})' \\\n", joined(choices, " "));
    cases += "        '*:input:_files' ;;\n";
  }
  return replaced(kZshTemplate, {{"@COMMANDS@", commands}, {"@CASES@", cases}});
}

std::string fish_completion(const ProgramView& program) {
  std::string out = "# fish completion of scalelaw: scalelaw completion fish | source\n";
  const std::string names = command_names(program);
  for (const CommandView& command : plain_commands(program)) {
    out +=
        fmt::format("complete -c scalelaw -n 'not __fish_seen_subcommand_from {}' -fa {} -d '{}'\n",
                    names, command.word, quoted_help(command.description, ""));
  }
  for (const OptionView& option : program.options) out += fish_option("", option);
  for (const CommandView& command : program.commands) {
    const std::string condition =
        fmt::format(" -n '__fish_seen_subcommand_from {}'",
                    joined(split(command.name, ' '), "; and __fish_seen_subcommand_from "));
    for (const OptionView& option : command.options) out += fish_option(condition, option);
    const auto choices = positional_choices(program, command);
    if (choices.empty()) continue;
    out += fmt::format("complete -c scalelaw{} -a '{}'\n", condition, joined(choices, " "));
  }
  return out;
}

}  // namespace scalelaw
