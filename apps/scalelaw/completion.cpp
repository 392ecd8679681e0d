#include <fmt/format.h>

#include <array>
#include <memory>

#include "help.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::array<std::string_view, 3> kShells{"bash", "zsh", "fish"};

constexpr const char* kBashTemplate =
    R"sh(# bash completion of scalelaw: eval "$(scalelaw completion bash)"
_scalelaw() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command="" words="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " @NAMES@ " in *" $word "*) command=$word; break ;; esac
  done
  [[ $command == plot && " ${COMP_WORDS[*]} " == *" plot replay "* ]] && command=plot-replay
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
  if [[ $command == plot && $words[2] == replay ]]; then
    command=plot-replay
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

using Fillings = std::vector<std::pair<std::string_view, std::string>>;

/// The template with each mark replaced, wherever it stands.
std::string filled(std::string text, const Fillings& fillings) {
  for (const auto& [mark, filling] : fillings) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;
         at += filling.size()) {
      text.replace(at, mark.size(), filling);
    }
  }
  return text;
}

std::vector<std::string> spellings_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// The commands of one word.
std::vector<const CLI::App*> plain_commands(const CLI::App& program) {
  std::vector<const CLI::App*> commands = commands_of(program);
  std::erase_if(commands, [](const CLI::App* one) { return spelled(*one) != one->get_name(); });
  return commands;
}

/// The options of a command and those of the program.
std::vector<const CLI::Option*> options_for(const CLI::App& program, const CLI::App& command) {
  std::vector<const CLI::Option*> options = visible_options(command);
  const auto global = visible_options(program);
  options.insert(options.end(), global.begin(), global.end());
  return options;
}

std::vector<std::string> words_for(const CLI::App& program, const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : options_for(program, command)) {
    const auto names = spellings_of(*option);
    words.insert(words.end(), names.begin(), names.end());
  }
  return words;
}

/// The closed set of a positional, such as the kind of a plot; the commands for `help`.
std::vector<std::string> positional_choices(const CLI::App& program, const CLI::App& command) {
  std::vector<std::string> choices;
  if (command.get_name() == "help") {
    for (const CLI::App* other : plain_commands(program)) choices.push_back(other->get_name());
    return choices;
  }
  for (const CLI::Option* option : visible_options(command)) {
    if (!option->get_positional()) continue;
    const auto words = choices_of(*option);
    choices.insert(choices.end(), words.begin(), words.end());
  }
  return choices;
}

std::string command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : plain_commands(program)) names.push_back(command->get_name());
  return joined(names, " ");
}

/// One line of a shell's case: the values of an option of a command.
std::string bash_choices(const std::string& command, const CLI::Option& option) {
  const auto choices = choices_of(option);
  if (choices.empty() || option.get_positional()) return "";
  std::vector<std::string> patterns;
  for (const std::string& name : spellings_of(option)) {
    patterns.push_back(fmt::format("{}:{}", command, name));
  }
  return fmt::format("    {}) words=\"{}\" ;;\n", joined(patterns, "|"), joined(choices, " "));
}

std::string bash_script(const CLI::App& program) {
  std::string values;
  std::string options;
  for (const CLI::App* command : commands_of(program)) {
    for (const CLI::Option* option : visible_options(*command)) {
      values += bash_choices(command->get_name(), *option);
    }
    options += fmt::format("      {}) words=\"{}\" ;;\n", command->get_name(),
                           joined(words_for(program, *command), " "));
  }
  for (const CLI::Option* option : visible_options(program)) values += bash_choices("*", *option);
  std::string positionals;
  for (const CLI::App* command : commands_of(program)) {
    const auto choices = positional_choices(program, *command);
    if (choices.empty()) continue;
    positionals +=
        fmt::format("      {}) words=\"{}\" ;;\n", command->get_name(), joined(choices, " "));
  }
  return filled(kBashTemplate, {{"@NAMES@", command_names(program)},
                                {"@VALUES@", values},
                                {"@OPTIONS@", options},
                                {"@GLOBAL@", joined(words_for(program, program), " ")},
                                {"@POSITIONALS@", positionals}});
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

std::string zsh_action(const CLI::Option& option) {
  const auto choices = choices_of(option);
  if (!choices.empty()) return fmt::format(":value:({})", joined(choices, " "));
  if (option.get_expected_max() == 0) return "";
  const std::string type = option.get_type_name();
  return type == "FILE" || type == "FOLDER" ? ":file:_files" : fmt::format(":{}:", type);
}

std::string zsh_option(const CLI::Option& option) {
  std::string out;
  if (option.get_positional()) return out;
  for (const std::string& name : spellings_of(option)) {
    out += fmt::format("        '*{}[{}]{}' \\\n", name,
                       quoted_help(option.get_description(), "[]:\\"),
                       quoted_help(zsh_action(option), ""));
  }
  return out;
}

std::string zsh_script(const CLI::App& program) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commands_of(program)) {
    if (spelled(*command) == command->get_name()) {
      commands += fmt::format("    '{}:{}'\n", command->get_name(),
                              quoted_help(command->get_description(), ":\\"));
    }
    cases += fmt::format("    {})\n      _arguments \\\n", command->get_name());
    for (const CLI::Option* option : options_for(program, *command)) cases += zsh_option(*option);
    const auto choices = positional_choices(program, *command);
    if (!choices.empty()) cases += fmt::format("        '1:kind:({})' \\\n", joined(choices, " "));
    cases += "        '*:input:_files' ;;\n";
  }
  return filled(kZshTemplate, {{"@COMMANDS@", commands}, {"@CASES@", cases}});
}

std::string fish_option(const std::string& condition, const CLI::Option& option) {
  if (option.get_positional()) return "";
  std::string out = fmt::format("complete -c scalelaw{}", condition);
  for (const std::string& name : option.get_snames()) out += fmt::format(" -s {}", name);
  for (const std::string& name : option.get_lnames()) out += fmt::format(" -l {}", name);
  const auto choices = choices_of(option);
  const std::string type = option.get_type_name();
  if (!choices.empty()) {
    out += fmt::format(" -xa '{}'", joined(choices, " "));
  } else if (option.get_expected_max() > 0) {
    out += type == "FILE" || type == "FOLDER" ? " -rF" : " -x";
  }
  return out + fmt::format(" -d '{}'\n", quoted_help(option.get_description(), ""));
}

std::string fish_script(const CLI::App& program) {
  std::string out = "# fish completion of scalelaw: scalelaw completion fish | source\n";
  const std::string names = command_names(program);
  for (const CLI::App* command : plain_commands(program)) {
    out +=
        fmt::format("complete -c scalelaw -n 'not __fish_seen_subcommand_from {}' -fa {} -d '{}'\n",
                    names, command->get_name(), quoted_help(command->get_description(), ""));
  }
  for (const CLI::Option* option : visible_options(program)) out += fish_option("", *option);
  for (const CLI::App* command : commands_of(program)) {
    const std::vector<std::string> words = split(spelled(*command), ' ');
    const std::string condition = fmt::format(" -n '__fish_seen_subcommand_from {}'",
                                              joined(words, "; and __fish_seen_subcommand_from "));
    for (const CLI::Option* option : visible_options(*command))
      out += fish_option(condition, *option);
    const auto choices = positional_choices(program, *command);
    if (choices.empty()) continue;
    out += fmt::format("complete -c scalelaw{} -a '{}'\n", condition, joined(choices, " "));
  }
  return out;
}

}  // namespace

std::string completion_script(const CLI::App& program, const std::string& shell) {
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  return bash_script(program);
}

Command add_completion_command(CLI::App& program) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = program.add_subcommand("completion", "Write completions for a shell");
  completion->footer(
      "  scalelaw completion bash > /tmp/scalelaw.bash\n"
      "      To be sourced by bash; zsh and fish likewise.\n");
  add_choice(*completion, "SHELL", *shell, kShells, "The shell")->group("Completion");
  return {completion, [shell, &program](const GlobalOptions&) {
            if (shell->empty()) throw DataError("completion: name a shell: bash, zsh or fish");
            Output output;
            output.write(completion_script(program, *shell));
            output.commit();
            return kDone;
          }};
}

}  // namespace scalelaw::cli
