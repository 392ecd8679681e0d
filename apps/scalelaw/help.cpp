#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/warning_codes.hpp"
#include "scalelaw/judge/budget.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/judge/isoflop.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::size_t kLineWidth = 88;
constexpr std::size_t kNameWidth = 26;

/// `text` in lines that begin with `indent` blanks; the first begins where the cursor is.
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

/// "-b, --by COL,COL"; choices stand in the help text instead, where a line may break.
std::string option_head(const OptionView& option) {
  if (!option.positional.empty()) return option.positional + (option.is_list ? "..." : "");
  const std::string head = joined(option.names);
  if (option.is_flag) return head;
  return head + " " + (option.choices.empty() ? option.shown : "KIND");
}

std::string option_help(const OptionView& option) {
  std::string help = option.help;
  if (!option.choices.empty()) help += ". One of: " + joined(option.choices);
  return option.usual.empty() ? help : fmt::format("{} [{}]", help, option.usual);
}

/// The options by their headings, both in the order in which they were added.
std::vector<std::pair<std::string, std::vector<OptionView>>> groups_of(const Options& options) {
  std::vector<std::pair<std::string, std::vector<OptionView>>> groups;
  for (OptionView& option : options.views()) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&option](const auto& one) { return one.first == option.group; });
    if (group == groups.end()) group = groups.insert(group, {option.group, {}});
    group->second.push_back(std::move(option));
  }
  return groups;
}

std::string options_text(const Options& options) {
  std::string out;
  for (const auto& [heading, group] : groups_of(options)) {
    out += fmt::format("\n{}\n", heading);
    for (const OptionView& option : group) out += entry(option_head(option), option_help(option));
  }
  return out;
}

std::string usage_of(const Options& command) {
  std::string usage = "scalelaw " + command.name();
  for (const OptionView& option : command.views()) {
    if (!option.positional.empty()) usage += fmt::format(" {}", option_head(option));
  }
  return usage + " [options]";
}

/// Text in roff, where a backslash, a leading dot or quote are commands and a hyphen is a dash.
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

std::string manual_options(const Options& options) {
  std::string out;
  for (const auto& [heading, group] : groups_of(options)) {
    out += fmt::format(".PP\n.I {}\n", roff(heading));
    for (const OptionView& option : group) {
      out += fmt::format(".TP\n.B {}\n{}\n", roff(option_head(option)), roff(option_help(option)));
    }
  }
  return out;
}

std::string manual_command(const Options& command) {
  std::string out = fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", roff(usage_of(command)),
                                roff(command.description()), roff(usage_of(command)));
  if (!command.examples().empty()) {
    out += fmt::format(".PP\nExamples:\n.PP\n.nf\n{}.fi\n", roff(command.examples()));
  }
  return out + manual_options(command);
}

struct HelpCommand {
  std::vector<std::string> topic;
  bool manual = false;
};

/// A list of codes with their heading.
struct Codes {
  const char* heading;
  std::span<const CodeHelp> codes;
};

std::array<Codes, 5> all_codes() {
  return {{{"Warnings of fits", warning_codes()},
           {"Warnings of gates, and of nights", night_codes()},
           {"Warnings of losses at one compute (isoflop)", profile_codes()},
           {"Warnings of plans (budget)", plan_codes()},
           {"Why a group has no fit", failure_codes()}}};
}

std::string codes_text() {
  std::string out = "What the codes in results mean\n";
  for (const auto& [heading, codes] : all_codes()) {
    out += fmt::format("\n{}\n", heading);
    for (const CodeHelp& code : codes)
      out += entry(std::string(code.code), std::string(code.brief));
  }
  return out +
         "\nscalelaw help CODE explains one code: when a result has it, and what to do about it.\n";
}

std::string code_text(const CodeHelp& code) {
  const auto paragraph = [](std::string_view heading, std::string_view text) {
    return fmt::format("\n{}\n  {}\n", heading, wrapped(std::string(text), 2));
  };
  return fmt::format("{}: {}\n{}{}", code.code, code.brief, paragraph("Meaning", code.meaning),
                     paragraph("What to do", code.remedy));
}

const CodeHelp* find_code(std::string_view name) {
  for (const auto& [heading, codes] : all_codes()) {
    for (const CodeHelp& code : codes) {
      if (code.code == name) return &code;
    }
  }
  return nullptr;
}

std::vector<std::string> names_of_commands(const Program& program) {
  std::vector<std::string> names;
  for (const Options& command : program.commands()) names.push_back(command.name());
  return names;
}

/// @throws DataError naming the nearest command or code.
[[noreturn]] void refuse_topic(const Program& program, const std::string& topic) {
  std::vector<std::string> topics = names_of_commands(program);
  const std::string commands = joined(topics);
  topics.emplace_back("warnings");
  topics.emplace_back("rules");
  for (const auto& [heading, codes] : all_codes()) {
    for (const CodeHelp& code : codes) topics.emplace_back(code.code);
  }
  const auto near = nearest(topic, topics);
  throw DataError(fmt::format(
      "there is no help on '{}'{} Commands are: {}. 'scalelaw help warnings' lists the codes of "
      "warnings",
      topic, near ? fmt::format(", did you mean '{}'?", *near) : ".", commands));
}

/// Which options do not go together, as a table in Markdown.
std::string rules_text(const Program& program) {
  std::vector<RulesOfCommand> commands;
  for (const Options& command : program.commands()) {
    RulesOfCommand& one =
        commands.emplace_back(RulesOfCommand{command.name(), {}, &command.all_rules()});
    for (const OptionView& option : command.views()) {
      one.options.insert(one.options.end(), option.names.begin(), option.names.end());
      if (!option.positional.empty()) one.options.push_back(option.positional);
    }
  }
  return rules_table(commands);
}

std::string help_text(const Program& program, const HelpCommand& options) {
  if (options.manual) return manual_page(program);
  if (options.topic.empty()) return overview_text(program);
  const std::string topic = joined(options.topic, " ");
  if (topic == "warnings") return codes_text();
  if (topic == "rules") return rules_text(program);
  if (const CodeHelp* const code = find_code(topic)) return code_text(*code);
  const std::vector<std::string> names = names_of_commands(program);
  if (std::find(names.begin(), names.end(), topic) == names.end()) refuse_topic(program, topic);
  return command_help(program, command_named(program, topic));
}

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

std::string overview_text(const Program& program) {
  std::string out = fmt::format("scalelaw {}: {}\n\n", kVersion, program.globals().description());
  out += "Example\n  scalelaw fit data/demo/runs.csv\n";
  std::string chapter;
  for (const Options& command : program.commands()) {
    if (command.chapter() != chapter) out += fmt::format("\n{}\n", chapter = command.chapter());
    out += entry(command.name(), command.description());
  }
  out += options_text(program.globals());
  return out +
         "\nscalelaw help COMMAND explains a command, with examples that run as they stand.\n"
         "scalelaw help warnings explains the codes of warnings. [Brackets] show defaults.\n";
}

std::string command_help(const Program& program, const Options& command) {
  std::string out = fmt::format("{}\n", command.description());
  if (!command.examples().empty()) out += fmt::format("\nExamples\n{}", command.examples());
  out += fmt::format("\nUsage\n  {}\n", usage_of(command));
  return out + options_text(command) + options_text(program.globals()) +
         "\n[Brackets] show defaults.\n";
}

std::string manual_page(const Program& program) {
  std::string out = fmt::format(
      ".\\\" Made by `scalelaw help --man`.\n.TH SCALELAW 1 \"\" \"scalelaw {}\" \"User "
      "Commands\"\n"
      ".SH NAME\nscalelaw \\- {}\n.SH SYNOPSIS\n.B scalelaw\n[options] COMMAND ...\n",
      kVersion, roff(program.globals().description()));
  out += ".SH COMMANDS\n";
  std::string chapter;
  for (const Options& command : program.commands()) {
    if (command.chapter() != chapter) {
      out += fmt::format(".PP\n.B {}\n", roff(chapter = command.chapter()));
    }
    out += manual_command(command);
  }
  out += ".SH OPTIONS\n" + manual_options(program.globals());
  out += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : std::to_array<std::pair<int, const char*>>({
           {kDone, "The command did what it was asked to."},
           {kCheckFailed,
            "A check failed: gate found a regression, or \\-\\-strict was given and a group had no "
            "fit."},
           {kUnusable,
            "The call has a mistake, an input cannot be used, or the environment lacks something."},
       })) {
    out += fmt::format(".TP\n.B {}\n{}\n", status, meaning);
  }
  out += ".SH ENVIRONMENT\n";
  for (const OptionView& option : program.globals().views()) {
    if (option.environment.empty()) continue;
    out += fmt::format(".TP\n.B {}\nThe value of {} if the option is not given.\n",
                       option.environment, roff(option.name()));
  }
  out +=
      ".TP\n.B SCALELAW_MPI\nIf it is off, each process that mpirun or srun started works for "
      "itself. Otherwise they share the reading of ingest and fit.\n";
  return out + ".TP\n.B NO_COLOR\nIf it is set and not empty, nothing is coloured.\n";
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
            global.write(help_text(program, *options));
            return kDone;
          }};
}

Command add_version_command(Program& program) {
  return {program.add_command("version", "Print the version", ""), [](const GlobalOptions& global) {
            global.write(version_text());
            return kDone;
          }};
}

std::string version_text() { return fmt::format("scalelaw {}\n", kVersion); }

}  // namespace scalelaw::cli
