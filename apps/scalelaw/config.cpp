#include "options.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::string_view kFileName = "scalelaw.toml";

/// The nearest settings file from the working directory upwards; empty if there is none.
std::string nearest_config_file() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::current_path(error);
  while (!error && !folder.empty()) {
    const std::filesystem::path file = folder / kFileName;
    if (std::filesystem::is_regular_file(file, error)) return file.string();
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
    error.clear();  // A folder that may not be looked into does not end the search.
  }
  return "";
}

bool is_section_mark(const CLI::ConfigItem& item) { return item.name == "++" || item.name == "--"; }

CLI::App* app_at(CLI::App& program, const std::vector<std::string>& path) {
  CLI::App* app = &program;
  for (const std::string& name : path) {
    const auto commands =
        app->get_subcommands([&name](CLI::App* command) { return command->get_name() == name; });
    if (commands.empty()) return nullptr;
    app = commands.front();
  }
  return app;
}

/// "law" of "-l,--law": the long name where there is one.
std::string name_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return option.get_lnames().front();
  if (!option.get_snames().empty()) return option.get_snames().front();
  return option.get_name();
}

/// The options that a settings file may hold, in the order of help. A word of the call is one if it
/// has a name, too.
std::vector<const CLI::Option*> settings_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  std::erase_if(options, [](const CLI::Option* option) {
    const bool is_word = option->get_positional() && option->get_lnames().empty();
    return option->get_group().empty() || !option->get_configurable() || is_word;
  });
  return options;
}

std::vector<std::string> names_of_settings(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : settings_of(app)) names.push_back(name_of(*option));
  return names;
}

template <class App>
auto option_named(App& app, const std::string& name) {
  auto* option = app.get_option_no_throw("--" + name);
  if (option == nullptr && name.size() == 1) option = app.get_option_no_throw("-" + name);
  return option;
}

bool is_in_environment(const CLI::Option& option) {
  const std::string name = option.get_envname();
  const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value != nullptr && *value != '\0';
}

/// A TOML value. CLI11 reads no escapes, so text with a quote or backslash gets literal quotes.
std::string toml_value(const std::string& text) {
  if (parse_number(text) || text == "true" || text == "false") return text;
  const bool literal = text.find_first_of("\"\\") != std::string::npos;
  return literal ? fmt::format("'{}'", text) : fmt::format("\"{}\"", text);
}

std::string toml_values(std::vector<std::string> texts) {
  for (std::string& text : texts) text = toml_value(text);
  return fmt::format("[{}]", joined(texts));
}

/// A value, or a list of several.
std::string toml_text(const std::vector<std::string>& texts) {
  return texts.size() == 1 ? toml_value(texts.front()) : toml_values(texts);
}

/// What most commands ask of a table alike. At the top of a file these hold for every command that
/// has them.
constexpr std::array<std::string_view, 13> kCommonSettings{
    "x",          "y",       "by",        "where",   "run",           "weights", "rate",
    "confidence", "details", "delimiter", "decimal", "skip-bad-rows", "wide"};

bool is_common(const std::string& name) {
  const bool is_short = name == "b";
  return is_short || contains(kCommonSettings, name);
}

/// A stream that does not take lack of memory for the end of the text.
std::istringstream lines_in(const std::string& text) {
  std::istringstream lines(text);
  lines.exceptions(std::ios::badbit);
  return lines;
}

/// The lines of a settings file on which settings stand, by "table.name".
std::map<std::string, std::size_t> lines_of_settings(const std::string& text) {
  std::map<std::string, std::size_t> lines;
  std::string table;
  std::size_t number = 0;
  std::istringstream input = lines_in(text);
  for (std::string line; std::getline(input, line);) {
    ++number;
    const std::string_view shown = trimmed(line);
    if (shown.starts_with('[') && shown.find(']') != std::string_view::npos) {
      table = std::string(trimmed(shown.substr(1, shown.find(']') - 1))) + ".";
      lines.emplace(table, number);
      continue;
    }
    const std::string name(trimmed(shown.substr(0, shown.find('='))));
    if (!name.empty() && !name.starts_with('#')) lines.emplace(table + name, number);
  }
  return lines;
}

/// What a setting hands to an option: the names of a TOML list are one value for options that take
/// them with commas between.
std::vector<std::string> values_for(const CLI::Option& option, const CLI::ConfigItem& item) {
  const std::string type = option.get_type_name();
  const bool takes_commas =
      type.find(',') != std::string::npos || type == "LIST" || item.name == "x" || item.name == "y";
  const bool is_list = item.inputs.size() > 1 && option.get_expected_max() == 1;
  if (!is_list || !takes_commas) return item.inputs;
  return {joined(item.inputs, ",")};
}

/// Gives an option a value as if it were its default: what the call says goes before it, and
/// nobody takes it for given in the call.
void set_default(CLI::Option& option, const std::vector<std::string>& values) {
  option.add_result(values);
  option.run_callback();
  option.clear();
  const bool is_list = option.get_expected_max() > 1;
  option.default_str(is_list ? toml_values(values) : joined(values));
}

/// What is wrong with the values of a setting; empty if nothing is. The option has no value
/// afterwards.
std::string defect_of(CLI::Option& option, const std::vector<std::string>& values) {
  static constexpr std::array<std::string_view, 8> kSwitches{"true", "false", "on", "off",
                                                             "yes",  "no",    "1",  "0"};
  const bool is_flag = option.get_expected_max() == 0;
  if (is_flag && !contains(kSwitches, joined(values))) {
    return fmt::format("expected true or false, found {}", toml_text(values));
  }
  if (!is_flag && option.get_expected_max() == 1 && values.size() != 1) {
    return fmt::format("expected one value, found {}: keep one of them", toml_text(values));
  }
  std::string defect;
  try {
    option.add_result(values);
    option.run_callback();
  } catch (const Error& error) {
    defect = error.what();
  } catch (const CLI::Error& error) {
    defect = error.what();
  }
  option.clear();
  // A message begins with the option, as the words of a call have it.
  const std::size_t name = defect.find(": ");
  return defect.starts_with('-') && name != std::string::npos ? defect.substr(name + 2) : defect;
}

/// CLI11 reads settings files; this refuses names it would ignore and values that an option cannot
/// take, lets the environment win, and hands what stands at the top for all commands to each of
/// them.
class SettingsFile : public CLI::ConfigBase {
 public:
  explicit SettingsFile(CLI::App& program) : program_(program) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const std::string text{std::istreambuf_iterator<char>(input), {}};
    lines_ = lines_of_settings(text);
    std::istringstream again = lines_in(text);
    std::vector<CLI::ConfigItem> settings = CLI::ConfigBase::from_config(again);
    std::vector<CLI::ConfigItem> kept;
    for (CLI::ConfigItem& item : settings) {
      if (is_for_parser(item)) kept.push_back(std::move(item));
    }
    return kept;
  }

 private:
  /// Whether CLI11 is to see a setting, of which lists that are one value are made that.
  bool is_for_parser(CLI::ConfigItem& item) const {
    if (is_section_mark(item)) return true;
    if (item.parents.empty() && is_common(item.name)) return !give_to_all(item);
    CLI::Option& option = known_option(item);
    if (is_in_environment(option)) return false;
    item.inputs = values_for(option, item);
    refuse_other_kind(option, item, item.inputs);
    return true;
  }

  /// Hands a setting to every command that has it. Returns true: it is dealt with.
  bool give_to_all(const CLI::ConfigItem& item) const {
    for (CLI::App* const command : program_.get_subcommands({})) {
      CLI::Option* const option = command->get_option_no_throw(
          fmt::format("{}{}", item.name.size() == 1 ? "-" : "--", item.name));
      const bool takes_it = option != nullptr && option->get_configurable();
      if (!takes_it || option->count() > 0) continue;
      const std::vector<std::string> values = values_for(*option, item);
      refuse_other_kind(*option, item, values);
      set_default(*option, values);
    }
    return true;
  }

  /// @throws DataError with the place if the option cannot take the values of a setting. What the
  /// call gives instead stands already, and is left alone.
  void refuse_other_kind(CLI::Option& option, const CLI::ConfigItem& item,
                         const std::vector<std::string>& values) const {
    if (option.count() > 0) return;
    const std::string defect = defect_of(option, values);
    if (defect.empty()) return;
    throw DataError(fmt::format("{}: '{}': {}", place_of(item.fullname()), item.name, defect));
  }

  CLI::Option& known_option(const CLI::ConfigItem& item) const {
    CLI::App* const app = app_at(program_, item.parents);
    if (app == nullptr) {
      const std::string table = item.parents.front();
      const auto near = nearest(table, commands_with(""));
      throw DataError(fmt::format("{}: there is no command '{}'{}", place_of(table + "."), table,
                                  near ? fmt::format(", did you mean [{}]?", *near) : ""));
    }
    CLI::Option* const option = option_named(*app, item.name);
    if (option != nullptr && option->get_configurable()) return *option;
    throw DataError(fmt::format("{}: {}", place_of(item.fullname()), unknown_setting(*app, item)));
  }

  /// What is wrong with a setting that its table does not have, and where it belongs.
  std::string unknown_setting(const CLI::App& app, const CLI::ConfigItem& item) const {
    const bool is_at_top = item.parents.empty();
    const std::string here =
        is_at_top ? "at the top of the file" : fmt::format("in [{}]", item.parents.front());
    const CLI::Option* const global = option_named(program_, item.name);
    if (!is_at_top && global != nullptr && global->get_configurable()) {
      return fmt::format(
          "'{}' is a setting of all commands: write it at the top of the file, above the first "
          "[table]",
          item.name);
    }
    const std::vector<std::string> owners = commands_with(item.name);
    if (!owners.empty()) {
      return fmt::format("there is no setting '{}' {}; it belongs in the table of a command: {}",
                         item.name, here, owners_text(owners));
    }
    std::vector<std::string> names = names_of_settings(app);
    if (is_at_top) names.insert(names.end(), kCommonSettings.begin(), kCommonSettings.end());
    const auto near = nearest(item.name, names);
    return fmt::format("there is no setting '{}' {}{}", item.name, here,
                       near ? fmt::format(", did you mean '{}'?", *near) : "");
  }

  /// The commands that have a setting; all for an empty name.
  std::vector<std::string> commands_with(const std::string& name) const {
    std::vector<std::string> commands;
    for (const CLI::App* const command : program_.get_subcommands({})) {
      const CLI::Option* const option = name.empty() ? nullptr : option_named(*command, name);
      const bool has_it = option != nullptr && option->get_configurable();
      if (name.empty() || has_it) commands.push_back(command->get_name());
    }
    return commands;
  }

  static std::string owners_text(const std::vector<std::string>& owners) {
    return joined_texts(owners, ", ", [](const std::string& name) { return "[" + name + "]"; });
  }

  /// "scalelaw.toml:7", or the file alone where the line is not known.
  std::string place_of(const std::string& setting) const {
    const std::string file = program_.get_config_ptr()->as<std::string>();
    const auto line = lines_.find(setting);
    return line == lines_.end() ? file : fmt::format("{}:{}", file, line->second);
  }

  CLI::App& program_;
  mutable std::map<std::string, std::size_t> lines_;  ///< Of the file that was read last.
};

/// The value in force, or nothing where the option has neither a value nor a default.
std::optional<std::string> setting_of(const CLI::Option& option) {
  if (option.count() == 0 && option.get_expected_min() == 0) {
    return option.get_default_str() == "true" ? "true" : "false";
  }
  if (option.count() == 0) {
    const std::string text = option.get_default_str();
    if (text.empty() || text == "[]") return std::nullopt;
    const bool is_list = option.get_expected_max() > 1 && text.starts_with('[');
    return is_list ? text : toml_value(text);
  }
  return toml_text(option.reduced_results());
}

void append_settings(std::string& out, const CLI::App& app) {
  for (const CLI::Option* option : settings_of(app)) {
    const auto setting = setting_of(*option);
    if (setting) out += fmt::format("{} = {}\n", name_of(*option), *setting);
  }
}

}  // namespace

void add_config(CLI::App& program, const char* group, bool finds) {
  program
      .set_config(
          "--config", finds ? nearest_config_file() : "",
          "Settings file (TOML). Default: the nearest scalelaw.toml in this folder or above")
      ->type_name("FILE")
      ->group(group)
      ->configurable(false);
  program.config_formatter(std::make_shared<SettingsFile>(program));
}

std::string config_text(const Options& program, const Options& command) {
  std::string out;
  append_settings(out, program.app());
  out += fmt::format("\n[{}]\n", command.word());
  append_settings(out, command.app());
  return out;
}

}  // namespace scalelaw::cli
