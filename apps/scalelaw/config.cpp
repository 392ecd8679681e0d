#include "options.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

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

const CLI::App* app_at(const CLI::App& program, const std::vector<std::string>& path) {
  const CLI::App* app = &program;
  for (const std::string& name : path) {
    const auto commands = app->get_subcommands(
        [&name](const CLI::App* command) { return command->get_name() == name; });
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

const CLI::Option* option_named(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw("--" + name);
  if (option == nullptr && name.size() == 1) option = app.get_option_no_throw("-" + name);
  return option;
}

bool is_in_environment(const CLI::Option& option) {
  const std::string name = option.get_envname();
  const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value != nullptr && *value != '\0';
}

/// CLI11 reads settings files; this refuses names it would ignore, and lets the environment win.
class SettingsFile : public CLI::ConfigBase {
 public:
  explicit SettingsFile(const CLI::App& program) : program_(program) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::vector<CLI::ConfigItem> settings = CLI::ConfigBase::from_config(input);
    std::erase_if(settings, [this](const CLI::ConfigItem& item) {
      const CLI::Option* option = is_section_mark(item) ? nullptr : known_option(item);
      return option != nullptr && is_in_environment(*option);
    });
    return settings;
  }

 private:
  const CLI::Option* known_option(const CLI::ConfigItem& item) const {
    const CLI::App* app = app_at(program_, item.parents);
    if (app == nullptr) {
      throw DataError(
          fmt::format("{}: there is no command '{}'", file_name(), item.parents.front()));
    }
    const CLI::Option* option = option_named(*app, item.name);
    if (option != nullptr && option->get_configurable()) return option;
    const auto near = nearest(item.name, names_of_settings(*app));
    throw DataError(fmt::format("{}: there is no setting '{}'{}", file_name(), item.fullname(),
                                near ? fmt::format(", did you mean '{}'?", *near) : ""));
  }

  std::string file_name() const { return program_.get_config_ptr()->as<std::string>(); }

  const CLI::App& program_;
};

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

/// The value in force, or nothing where the option has neither a value nor a default.
std::optional<std::string> setting_of(const CLI::Option& option) {
  if (option.count() == 0 && option.get_expected_min() == 0) return "false";
  if (option.count() == 0) {
    const std::string text = option.get_default_str();
    return text.empty() || text == "[]" ? std::nullopt : std::optional(toml_value(text));
  }
  const std::vector<std::string> values = option.reduced_results();
  return values.size() == 1 ? toml_value(values.front()) : toml_values(values);
}

void append_settings(std::string& out, const CLI::App& app) {
  for (const CLI::Option* option : settings_of(app)) {
    const auto setting = setting_of(*option);
    if (setting) out += fmt::format("{} = {}\n", name_of(*option), *setting);
  }
}

}  // namespace

void add_config(CLI::App& program, const char* group) {
  program
      .set_config("--config", nearest_config_file(),
                  "Settings file (TOML); without it the nearest scalelaw.toml upwards")
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
