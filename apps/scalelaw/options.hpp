#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/option_rules.hpp"
#include "scalelaw/render/command_help.hpp"
#include "scalelaw/study/prices.hpp"

// CLI11 takes the compiler seconds to read, so that only options.cpp and config.cpp include it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace scalelaw::cli {

/// What is wrong with a word of the call; empty where nothing is. It may rewrite the word.
using Check = std::function<std::string(std::string& word)>;

Check any_number();
Check number_between(double lower, double upper);  ///< Strictly between two others.
Check number_from(double least, double greatest);  ///< Both included.
Check not_negative();
Check positive();
/// "5%" or "0.05": above 0, up to 1.
Check share();

/// A price, and one that may be 0.
/// @throws DataError if the text is none.
std::optional<Price> price_of(const std::string& option, const std::string& text);
std::optional<Price> price_or_zero_of(const std::string& option, const std::string& text);

/// The whole number that a word writes: 1000, 1k, 1e3; nothing where the word is something else.
std::optional<std::uint64_t> whole_number_in(std::string_view word);

/// The number that share() accepts; nothing where the text is something else.
std::optional<double> share_of(std::string_view text);

/// Scales as the user lists them: "512,1024", or "64..1024", which doubles from the first to the
/// last. Empty for an empty list.
/// @throws DataError naming `option` if one is not a number above 0.
std::vector<double> places(const std::string& option, const std::string& list);

/// A value that an option may take, and the word for it.
template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

/// Values with their names; all enumerators where none are listed.
template <class Value>
std::vector<Named<Value>> named(const std::vector<Value>& values = all_enumerators<Value>()) {
  std::vector<Named<Value>> choices;
  for (const Value& value : values) choices.push_back({name_of(value), value});
  return choices;
}

template <class Value>
std::vector<std::string> words_of(const std::vector<Named<Value>>& choices) {
  std::vector<std::string> words;
  for (const Named<Value>& choice : choices) words.emplace_back(choice.name);
  return words;
}

/// "there is no 'zeuss', did you mean 'zeus'? Choices are: ..."
std::string unknown_choice(const std::string& word, const std::vector<std::string>& choices);

/// The value of that name among the choices of `option`.
/// @throws DataError naming the nearest one if there is none.
template <class Value>
Value value_named(const std::string& option, const std::string& word,
                  const std::vector<Named<Value>>& choices) {
  for (const Named<Value>& choice : choices) {
    if (choice.name == word) return choice.value;
  }
  throw DataError(option + ": " + unknown_choice(word, words_of(choices)));
}

/// The options of one command, or those of every command. A handle: copies are of the same options.
/// Targets must outlive the parsing; what they hold before is the default.
///
/// In all functions: `names` as "-b,--by", or a word in capitals for a word of the call; `shown` is
/// what stands for the value in help. What binds an option returns it for its rules.
class Options {
 public:
  using About = OptionRules::About;

  Options() = default;
  Options(CLI::App& app, OptionRules& rules) : app_(&app), rules_(&rules) {}

  /// The heading in help of the options that are added from here on.
  void group(const std::string& heading) { group_ = heading; }

  About flag(const std::string& names, bool& target, const std::string& help);
  About text(const std::string& names, std::string& target, const std::string& shown,
             const std::string& help, const Check& check = {});
  /// Hands the text on instead of keeping it; `usual` is what help shows as default.
  About text(const std::string& names, std::function<void(const std::string&)> take,
             const std::string& shown, const std::string& help, const std::string& usual = "");
  /// Keeps what `read` makes of the text.
  /// @param read  Takes the option, for messages, and the text. Throws DataError.
  template <class Value>
  About parsed(const std::string& names, Value& target,
               Value (*read)(const std::string& option, const std::string& text),
               const std::string& shown, const std::string& help, const std::string& usual = "") {
    return text(
        names, [=, &target](const std::string& word) { target = read(names, word); }, shown, help,
        usual);
  }
  /// Names with commas between them.
  About names(const std::string& names, std::vector<std::string>& target, const std::string& shown,
              const std::string& help);
  /// Bytes, at least 16 MiB: "500MB", "4GiB", "8000000".
  About size(const std::string& names, std::uint64_t& target, const std::string& shown,
             const std::string& help);
  About number(const std::string& names, double& target, const Check& check,
               const std::string& shown, const std::string& help);
  About number(const std::string& names, std::optional<double>& target, const Check& check,
               const std::string& shown, const std::string& help);
  /// A whole number from `least` on; a smaller default is none.
  template <class Integer>
  About count(const std::string& names, Integer& target, std::uint64_t least,
              const std::string& shown, const std::string& help,
              std::uint64_t greatest = std::numeric_limits<Integer>::max());
  /// An option that may be given several times.
  About list(const std::string& names, std::vector<std::string>& target, const std::string& shown,
             const std::string& help);
  /// Takes all the words that follow, each divided at the separator if there is one.
  About words(const std::string& names, std::vector<std::string>& target, const std::string& shown,
              const std::string& help, char separator = '\0');

  /// One of a closed set. An unknown word answers with the nearest one. Help shows the value of the
  /// target as default, or `usual`; none if it is not in the set.
  template <class Target, class Value>
  About choice(const std::string& names, Target& target, const std::vector<Named<Value>>& choices,
               const std::string& help,
               const std::type_identity_t<std::optional<Value>>& usual = {}) {
    const auto shown = std::ranges::find_if(choices, [&](const auto& choice) {
      return target == choice.value || usual == choice.value;
    });
    return add_choice(
        names, words_of(choices), static_cast<std::size_t>(shown - choices.begin()),
        [&target, choices](std::size_t place) { target = choices[place].value; }, help);
  }

  /// Lets the option take `other` for `word`, which help does not list.
  void synonym(const std::string& name, const std::string& other, const std::string& word);
  /// Lets `rewrite` see every word of the option before its own check does.
  void before_check(const std::string& name, const Check& rewrite);
  /// Puts a word before those that were given for an option or word that is not read yet.
  void give_first(const std::string& name, const std::string& word);
  /// Adds to the help of an option that stands there already.
  void extend_help(const std::string& name, const std::string& help);

  /// Rules about options, some of which the command may lack.
  About rules(CallCase subject) { return rules_->about(std::move(subject)); }
  /// Of these options a call takes one. @param text  As OptionRule::text.
  void exclusive(const std::vector<const char*>& options, const std::string& text);
  /// @throws DataError if the call breaks a rule.
  void check_rules() const;

  /// Whether the user gave the option, in the call or in a settings file.
  bool given(const std::string& name) const;
  /// What the user gave for the option or word; nothing where the command lacks it.
  std::vector<std::string> values(const std::string& name) const;
  /// The options and words that the call has, each with its values.
  std::map<std::string, std::vector<std::string>> given_values() const;

  /// "plot-replay": what the parser calls the command.
  std::string word() const;
  /// "plot replay": what people call it.
  std::string name() const;
  /// What the user sees in help, in its order.
  std::vector<OptionView> views() const;
  CommandView view() const;

  const CLI::App& app() const { return *app_; }
  bool operator==(const Options& other) const { return app_ == other.app_; }

 private:
  friend class Program;

  About add_choice(const std::string& names, std::vector<std::string> words, std::size_t usual,
                   std::function<void(std::size_t)> take, const std::string& help);
  CLI::Option& added(CLI::Option* option, const std::string& shown, const Check& check = {});
  About about(const CLI::Option& option);

  CLI::App* app_ = nullptr;
  OptionRules* rules_ = nullptr;
  std::string group_;
};

/// The call that the user made, with one more option, as it can be typed: without what names a file
/// or a store to write.
/// @param inputs  The tables that it reads.
std::string call_with(const Options& command, const std::vector<std::string>& inputs,
                      const std::string& option, const std::string& value);

/// The settings file that a call obeys without being told.
struct FoundSettings {
  std::string file;     ///< Empty if there is none.
  std::string warning;  ///< Why one that was found is not obeyed.
};

/// Looks for scalelaw.toml in the working folder and above it, up to the root of a repository or
/// the home folder. It counts only where nobody but the user and root can have written it.
FoundSettings find_settings();

/// What a call asks for.
enum class Asked { kCommand, kHelp, kVersion, kUnknownWord };

/// The program with its commands: it reads the words of a call.
class Program {
 public:
  explicit Program(const std::string& description);
  ~Program();

  /// What every command takes, besides --help, --version and --config.
  const Options& globals() const { return globals_; }
  /// The environment variable that stands in where a global option is not given.
  void set_environment(const std::string& name, const std::string& variable);
  /// Adds --config, --print-config, --version and --help.
  /// @param finds_settings  Without --config the nearest settings file is read.
  void add_standard_options(bool& print_config, bool finds_settings);

  /// The question that the commands added from now on answer.
  void begin_chapter(const std::string& question) { chapter_ = question; }
  Options add_command(const std::string& name, const std::string& description,
                      const std::string& examples);
  std::vector<Options> commands() const;
  ProgramView view() const;

  /// Sets the targets of all options.
  /// @throws DataError if a value is missing or cannot be used.
  Asked parse(std::vector<std::string> words);
  /// The command that the call names.
  std::optional<Options> chosen() const;
  /// The settings file that was read; empty if there was none.
  std::string settings_file() const;
  /// Why a settings file that was found is not obeyed; empty otherwise.
  const std::string& settings_warning() const { return found_.warning; }
  /// The words that nothing takes.
  std::vector<std::string> unknown_words() const;

 private:
  Options options_of(CLI::App& app) const { return {app, *rules_.at(&app)}; }

  std::unique_ptr<CLI::App> app_;
  std::map<const CLI::App*, std::unique_ptr<OptionRules>> rules_;
  Options globals_;
  FoundSettings found_;
  std::string chapter_;
};

/// Lets `program` read settings: those of --config, else those of `file`, where it is not empty.
/// Flags win over environment over file over defaults.
void add_config(CLI::App& program, const char* group, const std::string& file);

/// The settings of the program and the command in force, as TOML that --config reads back.
std::string config_text(const Options& program, const Options& command);

}  // namespace scalelaw::cli
