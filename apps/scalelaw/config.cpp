#include "options.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>

#include "call_files.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/file_trust.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/study/call_files.hpp"

namespace scalelaw::cli {
namespace {

constexpr std::string_view kFileName = "scalelaw.toml";

/// No setting needs more, and a file of somebody else must not take the machine's memory.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
/// The parser nests a table in a table for each, and takes them apart one within the other.
constexpr std::ptrdiff_t kMostDotsPerLine = 1000;

/// Whether the search for settings ends in a folder: above it is nothing that belongs to the work.
bool ends_search(const std::filesystem::path& folder) {
  std::error_code error;
  const char* const home = std::getenv("HOME");
  const bool is_home = home != nullptr && std::filesystem::equivalent(folder, home, error);
  return is_home || folder == folder.parent_path() ||
         std::filesystem::exists(folder / ".git", error);
}

std::filesystem::path nearest_settings_file() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::current_path(error);
  while (!error && !folder.empty()) {
    std::filesystem::path file = folder / kFileName;
    if (std::filesystem::is_regular_file(file, error)) return file;
    if (ends_search(folder)) break;
    folder = folder.parent_path();
    error.clear();  // A folder that may not be looked into does not end the search.
  }
  return {};
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

/// Whether a text means itself in TOML: a number such as 0.05, not .5 or 007.
bool is_toml_number(const std::string& text) {
  if (!parse_number(text)) return false;
  try {
    return toml::parse("value = " + text).at("value").is_number();
  } catch (const toml::parse_error&) {
    return false;
  }
}

std::string toml_value(const std::string& text) {
  if (text == "true" || text == "false" || is_toml_number(text)) return text;
  std::ostringstream out;
  const toml::value<std::string> value(text);
  out << toml::toml_formatter(value, toml::format_flags::allow_unicode_strings);
  return out.str();
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

/// A setting as the file has it, and the line on which it stands.
struct Setting {
  CLI::ConfigItem item;
  std::size_t line = 0;
};

/// What an option is to take for a value of TOML: text as it is, numbers and dates as TOML writes
/// them; nothing for tables.
std::optional<std::string> text_of(const toml::node& value) {
  if (value.is_table() || value.is_array()) return std::nullopt;
  if (const auto text = value.value_exact<std::string>()) return *text;
  if (const auto number = value.value_exact<double>()) return exact_text(*number);
  std::ostringstream out;
  value.visit([&out](const auto& one) { out << one; });
  return out.str();
}

/// The settings of a file, in their order.
class SettingsReader {
 public:
  /// @throws DataError with file, line and column where the text is no TOML.
  SettingsReader(std::string file, std::istream& input) : file_(std::move(file)) {
    const std::string text = bounded_text(input);
    try {
      take(toml::parse(text), {});
    } catch (const toml::parse_error& error) {
      const toml::source_position place = error.source().begin;
      throw DataError(fmt::format("{}:{}:{}: this is no TOML: {}", file_, place.line, place.column,
                                  error.description()));
    }
    std::ranges::stable_sort(settings, {}, &Setting::line);  // A table of TOML sorts by names.
  }

  std::vector<Setting> settings;
  std::map<std::string, std::size_t> lines_of_tables;

 private:
  std::string bounded_text(std::istream& input) const {
    std::string text(kMostBytes + 1, '\0');
    input.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(input.gcount()));
    if (text.size() > kMostBytes) {
      throw DataError(file_ + ": a settings file has at most 1 MiB, and this one has more");
    }
    std::size_t number = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (std::ranges::count(line, '.') <= kMostDotsPerLine) continue;
      throw DataError(
          fmt::format("{}:{}: a line of a settings file has at most {} points; divide it", file_,
                      number, kMostDotsPerLine));
    }
    return text;
  }

  void take(const toml::table& table, const std::vector<std::string>& parents) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const std::size_t line = key.source().begin.line;
      if (const toml::table* const inner = node.as_table()) {
        // No command has a table in its table; the name tells the user which one is too much.
        const std::string path = parents.empty() ? name : parents.front() + "." + name;
        lines_of_tables.emplace(path, line);
        if (parents.empty()) take(*inner, {name});
        if (!parents.empty()) settings.push_back({item_of({path}, "", {}), line});
      } else {
        settings.push_back({item_of(parents, name, values_of(node, name, line)), line});
      }
    }
  }

  static CLI::ConfigItem item_of(std::vector<std::string> parents, std::string name,
                                 std::vector<std::string> values) {
    CLI::ConfigItem item;
    item.parents = std::move(parents);
    item.name = std::move(name);
    item.inputs = std::move(values);
    return item;
  }

  std::vector<std::string> values_of(const toml::node& node, const std::string& name,
                                     std::size_t line) const {
    std::vector<std::string> values;
    const auto take_one = [&](const toml::node& value) {
      const auto text = text_of(value);
      if (!text || text->find('\0') != std::string::npos) {
        throw DataError(
            fmt::format("{}:{}: '{}': expected a value or a list of values", file_, line, name));
      }
      values.push_back(*text);
    };
    if (const toml::array* const list = node.as_array()) {
      for (const toml::node& value : *list) take_one(value);
    } else {
      take_one(node);
    }
    return values;
  }

  std::string file_;
};

/// Hands settings to CLI11; this refuses names it would ignore and values that an option cannot
/// take, lets the environment win, and hands what stands at the top for all commands to each of
/// them.
class SettingsFile : public CLI::ConfigBase {
 public:
  explicit SettingsFile(CLI::App& program) : program_(program) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    SettingsReader read(file(), input);
    std::vector<CLI::ConfigItem> kept;
    for (const auto& [table, line] : read.lines_of_tables) expect_command(table, line);
    for (Setting& setting : read.settings) {
      line_ = setting.line;
      if (is_for_parser(setting.item)) kept.push_back(std::move(setting.item));
    }
    return kept;
  }

 private:
  /// Whether CLI11 is to see a setting, of which lists that are one value are made that.
  bool is_for_parser(CLI::ConfigItem& item) const {
    if (item.parents.empty() && is_common(item.name)) return !give_to_all(item);
    CLI::Option& option = known_option(item);
    if (is_in_environment(option)) return false;
    if (writes_file("--" + name_of(option))) refuse_output_elsewhere(item);
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
    throw DataError(fmt::format("{}: '{}': {}", place(), item.name, defect));
  }

  /// Somebody else may have written a file that lies above the working folder for another purpose,
  /// and what an output replaces is gone.
  void refuse_output_elsewhere(const CLI::ConfigItem& item) const {
    namespace fs = std::filesystem;
    const bool is_named = program_.get_config_ptr()->count() > 0;
    std::error_code error;
    const fs::path folder = fs::absolute(file(), error).parent_path();
    if (!is_named && !fs::equivalent(folder, fs::current_path(error), error)) {
      throw DataError(fmt::format(
          "{}: '{}': a settings file names outputs only where it lies in the working folder or "
          "--config names it; give --{} in the call",
          place(), item.name, item.name));
    }
    for (const std::string& output : item.inputs) {
      if (output == "-" || lies_within(output, folder.string())) continue;
      throw DataError(
          fmt::format("{}: '{}': {} does not lie below the folder of the settings file; "
                      "give --{} in the call",
                      place(), item.name, output, item.name));
    }
  }

  /// @throws DataError with the place where a table is of no command.
  void expect_command(const std::string& table, std::size_t line) const {
    const std::vector<std::string> commands = commands_with("");
    if (contains(commands, table)) return;
    line_ = line;
    const auto near = nearest(table, commands);
    throw DataError(fmt::format("{}: there is no command '{}'{}", place(), table,
                                near ? fmt::format(", did you mean [{}]?", *near) : ""));
  }

  CLI::Option& known_option(const CLI::ConfigItem& item) const {
    CLI::App* const app =
        item.parents.empty() ? &program_ : program_.get_subcommand(item.parents.front());
    CLI::Option* const option = option_named(*app, item.name);
    if (option != nullptr && option->get_configurable()) return *option;
    throw DataError(fmt::format("{}: {}", place(), unknown_setting(*app, item)));
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

  std::string file() const { return program_.get_config_ptr()->as<std::string>(); }
  /// "scalelaw.toml:7"
  std::string place() const { return fmt::format("{}:{}", file(), line_); }

  CLI::App& program_;
  mutable std::size_t line_ = 0;  ///< Of the setting that is looked at.
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

FoundSettings find_settings() {
  const std::string file = nearest_settings_file().string();
  const std::string foreign = file.empty() ? "" : foreign_hand_on(file);
  if (foreign.empty()) return {file, ""};
  return {"", fmt::format("{} is not obeyed: {}. If it is meant, name it with --config", file,
                          foreign)};
}

void add_config(CLI::App& program, const char* group, const std::string& file) {
  program
      .set_config(
          "--config", file,
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
