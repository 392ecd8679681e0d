#include "scalelaw/render/command_help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/ranges.hpp"
#include "scalelaw/base/code_help.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/fit/fit.hpp"
#include "scalelaw/judge/budget.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/judge/isoflop.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw {
namespace {

constexpr std::size_t kLineWidth = 88;
constexpr std::size_t kNameWidth = 26;

using Json = nlohmann::ordered_json;

/// `text` in lines that begin with `indent` blanks; the first begins where the cursor is.
std::string indented(const std::string& text, std::size_t indent) {
  return wrapped(std::string(indent, ' ') + text, kLineWidth, indent).substr(indent);
}

std::string entry(const std::string& name, const std::string& help) {
  std::string out = "  " + name;
  if (name.size() > kNameWidth) {
    out += '\n';
    out.append(kNameWidth + 4, ' ');
  } else {
    out.append(kNameWidth + 2 - name.size(), ' ');
  }
  return out + indented(help, kNameWidth + 4) + '\n';
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
std::vector<std::pair<std::string, std::vector<OptionView>>> groups_of(
    const std::vector<OptionView>& options) {
  std::vector<std::pair<std::string, std::vector<OptionView>>> groups;
  for (const OptionView& option : options) {
    auto* group = first_where(groups, [&](const auto& one) { return one.first == option.group; });
    if (group == nullptr) group = &groups.emplace_back(option.group, std::vector<OptionView>());
    group->second.push_back(option);
  }
  return groups;
}

std::string options_text(const std::vector<OptionView>& options) {
  std::string out;
  for (const auto& [heading, group] : groups_of(options)) {
    out += fmt::format("\n{}\n", heading);
    for (const OptionView& option : group) out += entry(option_head(option), option_help(option));
  }
  return out;
}

std::string usage_of(const CommandView& command) {
  std::string usage = "scalelaw " + command.name;
  for (const OptionView& option : command.options) {
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

std::string manual_options(const std::vector<OptionView>& options) {
  std::string out;
  for (const auto& [heading, group] : groups_of(options)) {
    out += fmt::format(".PP\n.I {}\n", roff(heading));
    for (const OptionView& option : group) {
      out += fmt::format(".TP\n.B {}\n{}\n", roff(option_head(option)), roff(option_help(option)));
    }
  }
  return out;
}

std::string manual_command(const CommandView& command) {
  std::string out = fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", roff(usage_of(command)),
                                roff(command.description), roff(usage_of(command)));
  if (!command.examples.empty()) {
    out += fmt::format(".PP\nExamples:\n.PP\n.nf\n{}.fi\n", roff(command.examples));
  }
  return out + manual_options(command.options);
}

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
    return fmt::format("\n{}\n  {}\n", heading, indented(std::string(text), 2));
  };
  return fmt::format("{}: {}\n{}{}", code.code, code.brief, paragraph("Meaning", code.meaning),
                     paragraph("What to do", code.remedy));
}

const CodeHelp* find_code(std::string_view name) {
  for (const auto& [heading, codes] : all_codes()) {
    const auto is_named = [name](const CodeHelp& code) { return code.code == name; };
    if (const CodeHelp* const code = first_where(codes, is_named)) return code;
  }
  return nullptr;
}

/// @throws DataError naming the nearest command or code.
[[noreturn]] void refuse_topic(const ProgramView& program, const std::string& topic) {
  std::vector<std::string> topics;
  for (const CommandView& command : program.commands) topics.push_back(command.name);
  const std::string commands = joined(topics);
  topics.insert(topics.end(), {"warnings", "rules"});
  for (const auto& [heading, codes] : all_codes()) {
    for (const CodeHelp& code : codes) topics.emplace_back(code.code);
  }
  const auto near = nearest(topic, topics);
  throw DataError(fmt::format(
      "there is no help on '{}'{} Commands are: {}. 'scalelaw help warnings' lists the codes of "
      "warnings",
      topic, near ? fmt::format(", did you mean '{}'?", *near) : ".", commands));
}

// ---- schema

std::string_view kind_of(const OptionView& option) {
  if (option.is_flag) return "flag";
  if (!option.choices.empty()) return option.is_list ? "choices" : "choice";
  return option.is_list ? "list" : "value";
}

Json schema_of(const OptionView& option) {
  Json out = {{"key", option.key()},
              {"names", option.names},
              {"kind", kind_of(option)},
              {"group", option.group},
              {"help", option.help}};
  if (!option.positional.empty()) out["word"] = option.positional;
  if (option.choices.empty() && !option.shown.empty()) out["value"] = option.shown;
  if (!option.choices.empty()) out["choices"] = option.choices;
  if (!option.usual.empty()) out["default"] = option.usual;
  if (!option.environment.empty()) out["environment"] = option.environment;
  return out;
}

Json schema_of(const std::vector<OptionView>& options) {
  Json out = Json::array();
  for (const OptionView& option : options) {
    if (!option.is_for_people()) out.push_back(schema_of(option));
  }
  return out;
}

}  // namespace

std::string OptionView::key() const {
  std::string key = name();
  key.erase(0, key.find_first_not_of('-'));
  for (char& c : key) {
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return key;
}

bool OptionView::is_for_people() const {
  const std::string own = key();
  return own == "help" || own == "version" || own == "color";
}

/// Which options do not go together, as a table in Markdown.
static std::string rules_text(const ProgramView& program) {
  std::vector<RulesOfCommand> commands;
  for (const CommandView& command : program.commands) {
    std::vector<std::string> options;
    for (const OptionView& option : command.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
      if (!option.positional.empty()) options.push_back(option.positional);
    }
    commands.push_back({command.name, std::move(options), command.rules});
  }
  return rules_table(commands);
}

std::string help_on(const ProgramView& program, const std::string& topic) {
  if (topic == "warnings") return codes_text();
  if (topic == "rules") return rules_text(program);
  if (const CodeHelp* const code = find_code(topic)) return code_text(*code);
  const auto* const command =
      first_where(program.commands, [&](const CommandView& one) { return one.name == topic; });
  if (command == nullptr) refuse_topic(program, topic);
  return command_help(program, *command);
}

std::string overview_text(const ProgramView& program) {
  std::string out = fmt::format("scalelaw {}: {}\n\n", kVersion, program.description);
  out += "Example\n  scalelaw fit data/demo/runs.csv\n";
  std::string chapter;
  for (const CommandView& command : program.commands) {
    if (command.chapter != chapter) out += fmt::format("\n{}\n", chapter = command.chapter);
    out += entry(command.name, command.description);
  }
  out += options_text(program.options);
  return out +
         "\nscalelaw help COMMAND explains a command, with examples that run as they stand.\n"
         "scalelaw help warnings explains the codes of warnings. [Brackets] show defaults.\n";
}

std::string command_help(const ProgramView& program, const CommandView& command) {
  std::string out = fmt::format("{}\n", command.description);
  if (!command.examples.empty()) out += fmt::format("\nExamples\n{}", command.examples);
  out += fmt::format("\nUsage\n  {}\n", usage_of(command));
  return out + options_text(command.options) + options_text(program.options) +
         "\n[Brackets] show defaults.\n";
}

std::string manual_page(const ProgramView& program) {
  std::string out = fmt::format(
      ".\\\" Made by `scalelaw help --man`.\n.TH SCALELAW 1 \"\" \"scalelaw {}\" \"User "
      "Commands\"\n"
      ".SH NAME\nscalelaw \\- {}\n.SH SYNOPSIS\n.B scalelaw\n[options] COMMAND ...\n",
      kVersion, roff(program.description));
  out += ".SH COMMANDS\n";
  std::string chapter;
  for (const CommandView& command : program.commands) {
    if (command.chapter != chapter) {
      out += fmt::format(".PP\n.B {}\n", roff(chapter = command.chapter));
    }
    out += manual_command(command);
  }
  out += ".SH OPTIONS\n" + manual_options(program.options);
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
  for (const OptionView& option : program.options) {
    if (option.environment.empty()) continue;
    out += fmt::format(".TP\n.B {}\nThe value of {} if the option is not given.\n",
                       option.environment, roff(option.name()));
  }
  out +=
      ".TP\n.B SCALELAW_MPI\nIf it is off, each process that mpirun or srun started works for "
      "itself. Otherwise they share the reading of ingest and fit.\n";
  return out + ".TP\n.B NO_COLOR\nIf it is set and not empty, nothing is coloured.\n";
}

std::string version_text() { return fmt::format("scalelaw {}\n", kVersion); }

std::string schema_text(const ProgramView& program) {
  Json commands = Json::array();
  for (const CommandView& command : program.commands) {
    commands.push_back({{"command", command.name},
                        {"description", command.description},
                        {"question", command.chapter},
                        {"examples", command.examples},
                        {"options", schema_of(command.options)}});
  }
  const Json schema = {{"schema", "scalelaw.schema/1"},
                       {"version", kVersion},
                       {"options", schema_of(program.options)},
                       {"commands", std::move(commands)}};
  return schema.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

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
