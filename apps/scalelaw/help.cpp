#include "help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::size_t kLineWidth = 88;
constexpr std::size_t kNameWidth = 26;

/// `text` broken at blanks into lines that begin with `indent` blanks; the first begins where the
/// cursor is.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (column > indent && column + 1 + word.size() > kLineWidth) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string entry(const std::string& name, const std::string& help) {
  std::string out = "  " + name;
  if (name.size() > kNameWidth) {
    out += '\n';
    out.append(kNameWidth + 4, ' ');
  } else {
    out.append(kNameWidth + 2 - name.size(), ' ');
  }
  return out + wrapped(help, kNameWidth + 4) + '\n';
}

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

/// "-b, --by COL,COL"; choices stand in the help text instead, where a line may break.
std::string option_head(const CLI::Option& option) {
  if (option.get_positional())
    return option.get_name(true) + (option.get_expected_max() > 1 ? "..." : "");
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  std::string head = joined(names);
  if (is_flag(option)) return head;
  return head + " " + (choices_of(option).empty() ? option.get_type_name() : "KIND");
}

std::string option_help(const CLI::Option& option) {
  std::string help = option.get_description();
  const auto choices = choices_of(option);
  if (!choices.empty()) help += ": " + joined(choices);
  const std::string standard = option.get_default_str();
  const bool says_default =
      !is_flag(option) && !standard.empty() && standard != "[]" && name_of(option) != "--config";
  return says_default ? fmt::format("{} [{}]", help, standard) : help;
}

std::vector<std::string> groups_of(const CLI::App& app) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : visible_options(app)) {
    if (std::find(groups.begin(), groups.end(), option->get_group()) == groups.end()) {
      groups.push_back(option->get_group());
    }
  }
  return groups;
}

std::vector<const CLI::Option*> options_in(const CLI::App& app, const std::string& group) {
  std::vector<const CLI::Option*> options = visible_options(app);
  std::erase_if(options,
                [&group](const CLI::Option* option) { return option->get_group() != group; });
  return options;
}

std::string options_text(const CLI::App& app) {
  std::string out;
  for (const std::string& group : groups_of(app)) {
    out += fmt::format("\n{}\n", group);
    for (const CLI::Option* option : options_in(app, group)) {
      out += entry(option_head(*option), option_help(*option));
    }
  }
  return out;
}

std::string usage_of(const CLI::App& command) {
  std::string usage = "scalelaw " + spelled(command);
  for (const CLI::Option* option : visible_options(command)) {
    if (option->get_positional()) usage += " " + option_head(*option);
  }
  return usage + " [options]";
}

/// Text in roff: a backslash, a leading dot or quote would be commands, a hyphen would become a
/// dash.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      if ((out.empty() || out.back() == '\n') && (c == '.' || c == '\'')) out += "\\&";
      out += c;
    }
  }
  return out;
}

std::string manual_options(const CLI::App& app) {
  std::string out;
  for (const std::string& group : groups_of(app)) {
    out += fmt::format(".PP\n.I {}\n", roff(group));
    for (const CLI::Option* option : options_in(app, group)) {
      out +=
          fmt::format(".TP\n.B {}\n{}\n", roff(option_head(*option)), roff(option_help(*option)));
    }
  }
  return out;
}

std::string manual_command(const CLI::App& command) {
  std::string out = fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", roff(usage_of(command)),
                                roff(command.get_description()), roff(usage_of(command)));
  if (!command.get_footer().empty()) {
    out += fmt::format(".PP\nExamples:\n.PP\n.nf\n{}.fi\n", roff(command.get_footer()));
  }
  return out + manual_options(command);
}

struct HelpCommand {
  std::vector<std::string> command;
  bool manual = false;
};

int run_help(const CLI::App& program, const HelpCommand& options) {
  Output output;
  if (options.manual) {
    output.write(manual_page(program));
  } else if (options.command.empty()) {
    output.write(overview_text(program));
  } else {
    output.write(command_help(program, command_named(program, joined(options.command, " "))));
  }
  output.commit();
  return kDone;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App& command_named(const CLI::App& program, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) {
    if (spelled(*command) == name) return *command;
    names.push_back(spelled(*command));
  }
  const auto near = nearest(name, names);
  throw DataError(fmt::format("there is no command '{}'{}; commands are: {}", name,
                              near ? fmt::format(", did you mean '{}'?", *near) : "",
                              joined(names)));
}

std::string overview_text(const CLI::App& program) {
  std::string out = fmt::format("scalelaw {}: {}\n\n", kVersion, program.get_description());
  out += "Example\n  scalelaw fit data/demo/runs.csv\n\nCommands\n";
  for (const CLI::App* command : commands_of(program)) {
    out += entry(spelled(*command), command->get_description());
  }
  out += options_text(program);
  return out + "\nscalelaw help COMMAND tells the rest, examples first.\n";
}

std::string command_help(const CLI::App& program, const CLI::App& command) {
  std::string out = fmt::format("{}\n", command.get_description());
  if (!command.get_footer().empty()) out += fmt::format("\nExamples\n{}", command.get_footer());
  out += fmt::format("\nUsage\n  {}\n", usage_of(command));
  return out + options_text(command) + options_text(program);
}

std::string manual_page(const CLI::App& program) {
  std::string out = fmt::format(
      ".\\\" Made by `scalelaw help --man`.\n.TH SCALELAW 1 \"\" \"scalelaw {}\" \"User "
      "Commands\"\n"
      ".SH NAME\nscalelaw \\- {}\n.SH SYNOPSIS\n.B scalelaw\n[options] COMMAND ...\n",
      kVersion, roff(program.get_description()));
  out += ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(program)) out += manual_command(*command);
  out += ".SH OPTIONS\n" + manual_options(program);
  out += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : std::to_array<std::pair<int, const char*>>({
           {kDone, "Done."},
           {kCheckFailed, "A check failed: \\-\\-strict, and a group had no fit."},
           {kUnusable,
            "The words of the call are off, an input cannot be used, or the environment lacks "
            "something."},
       })) {
    out += fmt::format(".TP\n.B {}\n{}\n", status, meaning);
  }
  out += ".SH ENVIRONMENT\n";
  for (const CLI::Option* option : visible_options(program)) {
    if (option->get_envname().empty()) continue;
    out += fmt::format(".TP\n.B {}\nThe value of {} where the option is not given.\n",
                       option->get_envname(), roff(name_of(*option)));
  }
  out +=
      ".TP\n.B SCALELAW_MPI\nIf it is off, processes that mpirun or srun started work each for "
      "itself, and do not share the reading of ingest and fit.\n";
  return out + ".TP\n.B NO_COLOR\nIf set and not empty, no colours.\n";
}

Command add_help_command(CLI::App& program) {
  auto options = std::make_shared<HelpCommand>();
  CLI::App* help = program.add_subcommand("help", "Explain a command, examples first");
  help->footer("  scalelaw help fit\n      How to fit a law, with examples that run as written.\n");
  help->add_option("COMMAND", options->command, "The command to explain")->group("Help");
  help->add_flag("--man", options->manual, "Write the manual page (roff)")->group("Help");
  return {help, [options, &program](const GlobalOptions&) { return run_help(program, *options); }};
}

}  // namespace scalelaw::cli
