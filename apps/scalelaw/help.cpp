#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

struct HelpCommand {
  std::vector<std::string> topic;
  bool manual = false;
};

using Script = std::string (*)(const ProgramView&);
const std::vector<Named<Script>> kShells{
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

}  // namespace

Options command_named(const Program& program, const std::string& name) {
  std::vector<std::string> names;
  for (const Options& command : program.commands()) {
    if (command.name() == name) return command;
    names.push_back(command.name());
  }
  const auto near = nearest(name, names);
  throw DataError(fmt::format("there is no command '{}'{} Commands are: {}", name,
                              near ? fmt::format(", did you mean '{}'?", *near) : ".",
                              joined(names)));
}

Command add_help_command(Program& program) {
  auto options = std::make_shared<HelpCommand>();
  Options help = program.add_command(
      "help", "Explain a command, or the code of a warning",
      "  scalelaw help fit\n      How to fit a law, with examples that run as they stand.\n"
      "  scalelaw help curved\n      What the warning 'curved' means, and what to do about it.\n"
      "  scalelaw help warnings\n      All codes of warnings, and of the reasons why a group has "
      "no result.\n");
  help.group("Help");
  help.words("TOPIC", options->topic, "",
             "A command, a code such as curved, or the word warnings for the list of all codes");
  help.flag("--man", options->manual, "Print the manual page (roff)");
  return {help, [options, &program](const GlobalOptions& global) {
            const ProgramView view = program.view();
            global.write(options->manual          ? manual_page(view)
                         : options->topic.empty() ? overview_text(view)
                                                  : help_on(view, joined(options->topic, " ")));
            return kDone;
          }};
}

Command add_version_command(Program& program) {
  return {program.add_command("version", "Print the version", ""), [](const GlobalOptions& global) {
            global.write(version_text());
            return kDone;
          }};
}

Command add_completion_command(Program& program) {
  auto script = std::make_shared<Script>(nullptr);
  Options completion = program.add_command(
      "completion", "Write the script that completes commands and options in a shell",
      "  scalelaw completion bash > /tmp/scalelaw.bash\n"
      "      Writes a script that bash can source; zsh and fish work, too.\n");
  completion.group("Completion");
  completion.choice("SHELL", *script, kShells, "The shell for which the script is");
  return {completion, [script, &program](const GlobalOptions& global) {
            if (*script == nullptr) throw DataError("completion: name a shell: bash, zsh or fish");
            global.write((*script)(program.view()));
            return kDone;
          }};
}

}  // namespace scalelaw::cli
