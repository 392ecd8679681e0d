#include "options.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/suggested_call.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/runs/written_number.hpp"
#include "scalelaw/version.hpp"

namespace scalelaw::cli {
namespace {

/// What to do about a number whose comma may be either; empty for other words.
std::string hint_on_comma(const std::string& word) {
  const std::size_t comma = word.find(',');
  if (comma == std::string::npos || word.find(',', comma + 1) != std::string::npos) return "";
  std::string thousands = word;
  std::string decimals = word;
  thousands.erase(comma, 1);
  decimals[comma] = '.';
  const bool is_open = number_as_written(thousands) && number_as_written(decimals);
  return is_open ? fmt::format(": write {} or {}", thousands, decimals) : "";
}

// CLI11 keeps no list of choices, so the name of the type carries them.
const std::string kChoiceMark = "one of ";
constexpr const char* kGlobalGroup = "For every command";

std::vector<std::string> choices_of(const std::string& type) {
  return type.starts_with(kChoiceMark) ? split(type.substr(kChoiceMark.size()), '|')
                                       : std::vector<std::string>();
}

OptionView view_of(const CLI::Option& option) {
  OptionView view{.names = {},
                  .positional = option.get_positional() ? option.get_name(true) : "",
                  .group = option.get_group(),
                  .help = option.get_description(),
                  .shown = option.get_type_name(),
                  .choices = choices_of(option.get_type_name()),
                  .usual = option.get_default_str(),
                  .environment = option.get_envname(),
                  .is_flag = option.get_expected_max() == 0,
                  .is_list = option.get_expected_max() > 1};
  for (const std::string& name : option.get_snames()) view.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) view.names.push_back("--" + name);
  if (view.usual == "[]" || view.is_flag || view.name() == "--config") view.usual.clear();
  return view;
}

/// The option of that name, "--by", "-b" or a word of the call; nullptr if there is none. CLI11's
/// own search copies every name.
const CLI::Option* find_option(const CLI::App& app, std::string_view name) {
  const auto is_one_of = [](std::string_view bare, const std::vector<std::string>& names) {
    return contains(names, bare);
  };
  for (const CLI::Option* const option : app.get_options()) {
    const bool is_it = name.starts_with("--") ? is_one_of(name.substr(2), option->get_lnames())
                       : name.starts_with('-')
                           ? is_one_of(name.substr(1), option->get_snames())
                           : option->get_positional() && option->get_single_name() == name;
    if (is_it) return option;
  }
  return nullptr;
}

/// Accepts numbers for which `holds`, as people write them, and rewrites them for CLI11.
template <class Holds>
Check number_that(Holds holds, std::string expected) {
  return [holds, expected = std::move(expected)](std::string& word) -> std::string {
    const auto value = number_as_written(word);
    if (!value || !holds(*value)) {
      return fmt::format("expected {}, found \"{}\"{}", expected, word, hint_on_comma(word));
    }
    if (!parse_number(word)) word = exact_text(value);
    return "";
  };
}

/// Accepts decimal digits for a number from `least` to `greatest`.
Check whole_number(std::uint64_t least, std::uint64_t greatest) {
  // Rewritten without leading zeros, which CLI11 takes for octal.
  return [least, greatest](std::string& word) -> std::string {
    const auto value = whole_number_in(word);
    if (!value || *value < least || *value > greatest) {
      const bool any = greatest == std::numeric_limits<std::uint64_t>::max();
      const std::string expected = any && least > 0 ? fmt::format("above {}", least - 1)
                                                    : fmt::format("from {} to {}", least, greatest);
      return fmt::format("expected a whole number {}, found \"{}\"{}", expected, word,
                         hint_on_comma(word));
    }
    word = fmt::to_string(*value);
    return "";
  };
}

/// Accepts a size, which becomes its number of bytes.
Check memory_size() {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},         {"kB", 1e3},     {"MB", 1e6},    {"GB", 1e9},
      {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  constexpr double kLeast = 16 * 0x1p20;
  return [](std::string& word) -> std::string {
    const std::size_t letters = std::min(word.find_first_not_of("0123456789."), word.size());
    const auto number = parse_number(std::string_view(word).substr(0, letters));
    const std::string_view name = trimmed(std::string_view(word).substr(letters));
    const auto* const unit =
        std::ranges::find_if(kUnits, [&](const auto& one) { return one.first == name; });
    const double bytes = number && unit != std::end(kUnits) ? *number * unit->second : 0;
    if (bytes < kLeast || bytes > 0x1p60) {
      return fmt::format("expected a size of at least 16MiB, such as 500MB or 4GiB, found \"{}\"",
                         word);
    }
    word = fmt::to_string(static_cast<std::uint64_t>(bytes));
    return "";
  };
}

double place_in(const std::string& option, const std::string& text) {
  const auto value = number_as_written(text);
  // What stands behind the comma of "1,024" is no number of its own.
  const bool is_half =
      text.size() > 1 && text.front() == '0' && text.find('.') == std::string::npos;
  if (!value || !(*value > 0) || is_half) {
    throw DataError(fmt::format(
        "{}: expected numbers above 0 with commas between them, such as 512,1024 or 1k,2k, found "
        "\"{}\"",
        option, text));
  }
  return *value;
}

}  // namespace

std::string unknown_choice(const std::string& word, const std::vector<std::string>& choices) {
  const auto near = nearest(word, choices);
  return fmt::format("there is no '{}'{} Choices are: {}", word,
                     near ? fmt::format(", did you mean '{}'?", *near) : ".", joined(choices));
}

Check any_number() {
  return number_that([](double /*value*/) { return true; }, "a number");
}

Check number_between(double lower, double upper) {
  return number_that([=](double value) { return value > lower && value < upper; },
                     fmt::format("a number between {} and {}", lower, upper));
}

Check number_from(double least, double greatest) {
  return number_that([=](double value) { return value >= least && value <= greatest; },
                     fmt::format("a number from {} to {}", least, greatest));
}

Check not_negative() {
  return number_that([](double value) { return value >= 0; },
                     "a number that is not negative, such as 0 or 2.5");
}

Check positive() {
  return number_that([](double value) { return value > 0; },
                     "a number above 0, such as 8, 2.5 or 4k");
}

std::optional<std::uint64_t> whole_number_in(std::string_view word) {
  constexpr double kMostExact = 0x1p53;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size()) return number;
  const auto written = number_as_written(word);
  const bool is_whole =
      written && *written >= 0 && *written <= kMostExact && *written == std::floor(*written);
  return is_whole ? std::optional(static_cast<std::uint64_t>(*written)) : std::nullopt;
}

std::optional<Price> price_of(const std::string& option, const std::string& text) {
  if (const auto price = price_in(text)) return price;
  throw DataError(fmt::format(
      "{}: expected a price above 0 with or without a currency, such as 2.5, '$2.50' or '2,50 "
      "EUR', found \"{}\"{}",
      option, text, hint_on_comma(text)));
}

std::optional<Price> price_or_zero_of(const std::string& option, const std::string& text) {
  return number_as_written(text) == 0 ? Price{} : price_of(option, text);
}

std::optional<double> share_of(std::string_view text) {
  text = trimmed(text);
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = parse_number(trimmed(text));
  if (!number) return std::nullopt;
  const double share = percent ? *number / 100 : *number;
  return share > 0 && share <= 1 ? std::optional(share) : std::nullopt;
}

std::vector<double> places(const std::string& option, const std::string& list) {
  std::vector<double> out;
  for (const std::string& item : split(list, ',')) {
    const std::size_t dots = item.find("..");
    if (dots == std::string::npos) {
      out.push_back(place_in(option, item));
      continue;
    }
    const double last = place_in(option, item.substr(dots + 2));
    double x = place_in(option, item.substr(0, dots));
    if (x > last)
      throw DataError(fmt::format(
          "{}: expected a range from the smaller number to the larger, found {}", option, item));
    for (; x < last; x *= 2) out.push_back(x);
    out.push_back(last);
  }
  return out;
}

Check share() {
  return [](const std::string& word) -> std::string {
    if (share_of(word)) return "";
    return fmt::format("expected a limit above 0 and up to 100 %, such as 5% or 0.05, found \"{}\"",
                       word);
  };
}

CLI::Option& Options::added(CLI::Option* option, const std::string& shown, const Check& check) {
  if (!shown.empty()) option->type_name(shown);
  if (check) option->transform(CLI::Validator(check, ""));
  return *option->group(group_);
}

auto Options::about(const CLI::Option& option) -> About {
  return rules(view_of(option).name().c_str());
}

auto Options::flag(const std::string& names, bool& target, const std::string& help) -> About {
  return about(added(app_->add_flag(names, target, help), ""));
}

auto Options::text(const std::string& names, std::string& target, const std::string& shown,
                   const std::string& help, const Check& check) -> About {
  return about(*added(app_->add_option(names, target, help), shown, check).default_str(target));
}

auto Options::text(const std::string& names, std::function<void(const std::string&)> take,
                   const std::string& shown, const std::string& help, const std::string& usual)
    -> About {
  CLI::Option& option = added(app_->add_option_function(names, std::move(take), help), shown);
  return about(*option.default_str(usual));
}

auto Options::names(const std::string& names, std::vector<std::string>& target,
                    const std::string& shown, const std::string& help) -> About {
  return text(
      names, [&target](const std::string& list) { target = split(list, ','); }, shown, help);
}

auto Options::size(const std::string& names, std::uint64_t& target, const std::string& shown,
                   const std::string& help) -> About {
  return about(added(app_->add_option(names, target, help), shown, memory_size()));
}

auto Options::number(const std::string& names, double& target, const Check& check,
                     const std::string& shown, const std::string& help) -> About {
  CLI::Option& option = added(app_->add_option(names, target, help), shown, check);
  return about(*option.default_str(fmt::format("{:g}", target)));
}

auto Options::number(const std::string& names, std::optional<double>& target, const Check& check,
                     const std::string& shown, const std::string& help) -> About {
  return about(added(app_->add_option(names, target, help), shown, check));
}

template <class Integer>
auto Options::count(const std::string& names, Integer& target, std::uint64_t least,
                    const std::string& shown, const std::string& help, std::uint64_t greatest)
    -> About {
  CLI::Option& option =
      added(app_->add_option(names, target, help), shown, whole_number(least, greatest));
  if (static_cast<std::uint64_t>(target) >= least) option.default_str(fmt::to_string(target));
  return about(option);
}

template auto Options::count(const std::string&, int&, std::uint64_t, const std::string&,
                             const std::string&, std::uint64_t) -> About;
template auto Options::count(const std::string&, std::int64_t&, std::uint64_t, const std::string&,
                             const std::string&, std::uint64_t) -> About;
template auto Options::count(const std::string&, std::uint32_t&, std::uint64_t, const std::string&,
                             const std::string&, std::uint64_t) -> About;
template auto Options::count(const std::string&, std::uint64_t&, std::uint64_t, const std::string&,
                             const std::string&, std::uint64_t) -> About;

auto Options::list(const std::string& names, std::vector<std::string>& target,
                   const std::string& shown, const std::string& help) -> About {
  return about(*added(app_->add_option(names, target, help), shown).allow_extra_args(false));
}

auto Options::words(const std::string& names, std::vector<std::string>& target,
                    const std::string& shown, const std::string& help, char separator) -> About {
  CLI::Option& option = added(app_->add_option(names, target, help), shown);
  if (separator != '\0') option.delimiter(separator);
  return about(option);
}

auto Options::add_choice(const std::string& names, std::vector<std::string> words,
                         std::size_t usual, std::function<void(std::size_t)> take,
                         const std::string& help) -> About {
  const auto place_of = [words](const std::string& word) {
    return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
  };
  const Check check = [words, place_of](const std::string& word) {
    return place_of(word) < words.size() ? std::string() : unknown_choice(word, words);
  };
  const std::function<void(const std::string&)> take_word =
      [take = std::move(take), place_of](const std::string& word) { take(place_of(word)); };
  CLI::Option& option = added(app_->add_option_function(names, take_word, help),
                              kChoiceMark + joined(words, "|"), check);
  return about(*option.default_str(usual < words.size() ? words[usual] : ""));
}

void Options::synonym(const std::string& name, const std::string& other, const std::string& word) {
  const Check rewrite = [other, word](std::string& given) {
    if (given == other) given = word;
    return std::string();
  };
  before_check(name, rewrite);
}

void Options::before_check(const std::string& name, const Check& rewrite) {
  // CLI11 runs what is added last first.
  app_->get_option(name)->transform(CLI::Validator(rewrite, ""));
}

void Options::give_first(const std::string& name, const std::string& word) {
  CLI::Option* const option = app_->get_option(name);
  const std::vector<std::string> others = option->results();
  option->clear();
  option->add_result(word);
  for (const std::string& other : others) option->add_result(other);
}

void Options::extend_help(const std::string& name, const std::string& help) {
  CLI::Option* const option = app_->get_option(name);
  option->description(option->get_description() + help);
}

void Options::exclusive(const std::vector<const char*>& options, const std::string& text) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (std::size_t j = i + 1; j < options.size(); ++j)
      rules(options[i]).excludes(options[j], text);
  }
}

void Options::check_rules() const {
  CallOptions call;
  for (const CLI::Option* const option : app_->get_options()) {
    OptionView view = view_of(*option);
    if (!view.positional.empty()) view.names.push_back(view.positional);
    for (const std::string& name : view.names) {
      call.usual[name] = view.usual;
      if (option->count() > 0) call.given[name] = option->reduced_results();
    }
  }
  rules_->check(call);
}

bool Options::given(const std::string& name) const {
  const CLI::Option* const option = find_option(*app_, name);
  return option != nullptr && option->count() > 0;
}

std::vector<std::string> Options::values(const std::string& name) const {
  const CLI::Option* const option = find_option(*app_, name);
  return option == nullptr ? std::vector<std::string>() : option->reduced_results();
}

std::map<std::string, std::vector<std::string>> Options::given_values() const {
  std::map<std::string, std::vector<std::string>> values;
  for (const CLI::Option* const option : app_->get_options()) {
    if (option->count() == 0) continue;
    const auto& names = option->get_lnames();
    values[names.empty() ? option->get_single_name() : "--" + names.front()] =
        option->reduced_results();
  }
  return values;
}

std::string Options::word() const { return app_->get_name(); }

std::string Options::name() const {
  std::string name = app_->get_name();
  std::ranges::replace(name, '-', ' ');
  return name;
}

CommandView Options::view() const {
  return {.word = word(),
          .name = name(),
          .description = app_->get_description(),
          .chapter = app_->get_group(),
          .examples = app_->get_footer(),
          .options = views(),
          .rules = rules_};
}

std::vector<OptionView> Options::views() const {
  std::vector<OptionView> views;
  for (const CLI::Option* option : app_->get_options()) {
    if (!option->get_group().empty()) views.push_back(view_of(*option));
  }
  return views;
}

std::string call_with(const Options& command, const std::vector<std::string>& inputs,
                      const std::string& option, const std::string& value) {
  static constexpr std::array<std::string_view, 4> kWriting{"--output", "--store", "--keep",
                                                            "--kept-at"};
  SuggestedCall call(command.name());
  const std::vector<OptionView> views = command.views();
  for (const OptionView& view : views) {
    if (view.positional.empty()) continue;
    const bool are_inputs = view.positional == "INPUT";
    for (const auto& word : are_inputs ? inputs : command.values(view.name())) call.input(word);
  }
  for (const OptionView& view : views) {
    const std::string name = view.name();
    const bool writes = contains(kWriting, name);
    if (writes || !view.positional.empty() || !command.given(name)) continue;
    call.flag_if(view.is_flag, name);
    if (view.is_flag) continue;
    for (const std::string& word : command.values(name)) call.option(name, word);
  }
  return call.option(option, value).text();
}

Program::Program(const std::string& description)
    : app_(std::make_unique<CLI::App>(description, "scalelaw")) {
  rules_[app_.get()] = std::make_unique<OptionRules>();
  globals_ = options_of(*app_);
  app_->require_subcommand(0, 1);
  globals_.group(kGlobalGroup);
}

Program::~Program() = default;

void Program::set_environment(const std::string& name, const std::string& variable) {
  app_->get_option(name)->envname(variable);
}

void Program::add_standard_options(bool& print_config, bool finds_settings) {
  if (finds_settings) found_ = find_settings();
  add_config(*app_, kGlobalGroup, found_.file);
  app_->add_flag("--print-config", print_config, "Print the settings in force as TOML, and stop")
      ->configurable(false)
      ->group(kGlobalGroup);
  app_->set_version_flag("--version", fmt::format("scalelaw {}", kVersion), "Print the version")
      ->configurable(false)
      ->group(kGlobalGroup);
  app_->set_help_flag("-h,--help", "Explain the command")->configurable(false)->group(kGlobalGroup);
}

Options Program::add_command(const std::string& name, const std::string& description,
                             const std::string& examples) {
  CLI::App* const command = app_->add_subcommand(name, description);
  command->footer(examples);
  command->fallthrough();  // Global options are taken behind the command, too.
  command->set_help_flag("-h,--help", "")->group("");
  command->group(chapter_);
  rules_[command] = std::make_unique<OptionRules>();
  return options_of(*command);
}

std::vector<Options> Program::commands() const {
  std::vector<Options> commands;
  for (CLI::App* command : app_->get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(options_of(*command));
  }
  return commands;
}

ProgramView Program::view() const {
  ProgramView view{
      .description = app_->get_description(), .options = globals_.views(), .commands = {}};
  for (const Options& command : commands()) view.commands.push_back(command.view());
  return view;
}

Asked Program::parse(std::vector<std::string> words) {
  std::ranges::reverse(words);  // As CLI11 takes them.
  try {
    app_->parse(std::move(words));
    return Asked::kCommand;
  } catch (const CLI::CallForHelp&) {
    return Asked::kHelp;
  } catch (const CLI::CallForVersion&) {
    return Asked::kVersion;
  } catch (const CLI::ExtrasError&) {
    return Asked::kUnknownWord;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();
    const bool many = message.find("At Most") != std::string::npos;
    throw DataError(fmt::format("{}: {}", message.substr(0, message.find(':')),
                                many ? "is given more than once" : "a value is missing"));
  } catch (const CLI::ParseError& error) {
    throw DataError(error.what());
  }
}

std::optional<Options> Program::chosen() const {
  const auto parsed = app_->get_subcommands();
  return parsed.empty() ? std::nullopt : std::optional(options_of(*parsed.front()));
}

std::string Program::settings_file() const { return app_->get_config_ptr()->as<std::string>(); }

std::vector<std::string> Program::unknown_words() const { return app_->remaining(true); }

}  // namespace scalelaw::cli
