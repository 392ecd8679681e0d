#include "call.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "call_files.hpp"
#include "call_options.hpp"
#include "command.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/cluster/launch.hpp"
#include "scalelaw/input/memory_table.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw::cli {
namespace {

const std::vector<Named<Colour>> kColours{
    {"auto", Colour::kAuto}, {"always", Colour::kAlways}, {"never", Colour::kNever}};

void add_global_options(Program& program, GlobalOptions& options) {
  Options globals = program.globals();
  globals.count("--threads", options.threads, 0, "N", "Number of threads; 0 means all processors");
  globals.size("--max-memory", options.max_memory, "SIZE",
               "Stop with an error rather than use more memory than this, such as 4GiB or 500MB");
  globals.flag("--quiet", options.quiet, "Print no notes; warnings and errors still appear");
  globals.choice("--color", options.colour, kColours,
                 "Whether to colour the text; auto colours it in a terminal");
  program.set_environment("--threads", "SCALELAW_THREADS");
  if (options.host == nullptr) {  // A program has no terminal, and limits itself.
    program.set_environment("--max-memory", "SCALELAW_MAX_MEMORY");
    program.set_environment("--color", "SCALELAW_COLOR");
  }
  program.add_standard_options(options.print_config, options.host == nullptr);
}

/// By --max-memory, in bytes; 0 without it. std::terminate asks for it, too.
std::atomic<std::uint64_t> allowed_memory{0};

/// Lets the system refuse more memory. The call then ends with a sentence, before the out-of-memory
/// killer of the machine ends whatever it likes.
void limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  if (::setrlimit(RLIMIT_DATA, &limit) != 0)
    throw DataError("--max-memory: the system refuses this limit");
  allowed_memory = bytes;
}

std::string help_for(const Program& program) {
  const auto command = program.chosen();
  return command ? command_help(program.view(), command->view()) : overview_text(program.view());
}

[[noreturn]] void refuse_extra_words(const Program& program) {
  const std::vector<std::string> words = program.unknown_words();
  const std::string word = words.empty() ? "" : words.front();
  const auto command = program.chosen();
  if (!command && !word.empty() && word.front() != '-') {
    static_cast<void>(command_named(program, word));  // Throws: it is none.
  }
  throw DataError(
      unknown_word(program.view(), command ? command->word() : "", word.empty() ? "-" : word));
}

/// Ranks that were called in different ways would wait for one another for ever.
void refuse_other_calls(const Program& program, const Options& command, Ranks& ranks,
                        std::span<char* const> words) {
  std::string call;
  for (const char* const word : words) call += fmt::format("{}\n", word);
  call += config_text(program.globals(), command);
  if (ranks.broadcast(call) != call) {
    throw DataError("was called with other words or settings than the first rank");
  }
}

std::string and_others(std::size_t all, std::string_view verb) {
  return all < 2 ? "" : fmt::format(", as {} {}", verb, counted(all - 1, "other file"));
}

/// Says of which files a name stood among the inputs and was not read.
void tell_of_unread_names(const Messages& console) {
  const auto& repeated = current_call()->repeated();
  const auto& links_out = current_call()->links_out();
  if (!repeated.empty()) {
    const auto& [again, first] = *repeated.begin();
    console.note(fmt::format("note: {}, {}, counts once{}", again,
                             again == first ? "named twice" : "another name of " + first,
                             and_others(repeated.size(), "do")));
  }
  if (!links_out.empty()) {
    console.warn(fmt::format(
        "{} is a link that leads out of its folder: left out{}; name its target to read it",
        *links_out.begin(), and_others(links_out.size(), "are")));
  }
}

int run_by_rules(const Command& command, const GlobalOptions& options) {
  command.options.check_rules();
  const int status = command.run(options);
  if (options.leads) tell_of_unread_names(options.console());
  return status;
}

/// Runs a command. Ranks share its work if there are several and it can be shared.
int run_in_ranks(const Command& command, GlobalOptions options, Ranks* ranks) {
  // A launcher may hand out a terminal whose text it writes to a file.
  if (ranks != nullptr && options.colour == Colour::kAuto) options.colour = Colour::kNever;
  if (ranks != nullptr && command.shares) {
    options.ranks = ranks;
    options.threads = ranks->threads(options.threads);
  } else if (!options.leads) {
    ranks->await_end();
  }
  return run_by_rules(command, options);
}

void tell_of_settings(const Program& program, const Messages& console) {
  const std::string& warning = program.settings_warning();
  if (!program.settings_file().empty()) {
    console.note("settings: " + program.settings_file());
  } else if (!warning.empty()) {
    console.warn(warning);
  }
}

int run_command(const Program& program, std::span<const Command> commands,
                const GlobalOptions& options, Ranks* ranks, std::span<char* const> words) {
  const auto chosen = program.chosen();
  if (!chosen) {
    options.write(overview_text(program.view()));
    return kDone;
  }
  if (options.leads) tell_of_settings(program, options.console());
  if (options.print_config) {
    options.write(config_text(program.globals(), *chosen));
    return kDone;
  }
  if (options.max_memory > 0) limit_memory(options.max_memory);
  const auto command = std::ranges::find(commands, *chosen, &Command::options);
  if (ranks != nullptr) refuse_other_calls(program, *chosen, *ranks, words);
  if (options.leads) {
    refuse_to_lose_files(files_of(*chosen), program.settings_file(), true);
  } else {
    expect_replaced_files(files_of(*chosen));
  }
  return run_in_ranks(*command, options, ranks);
}

/// The first word that is no global option nor the value of one.
std::vector<std::string>::iterator after_global_options(const Program& program,
                                                        std::vector<std::string>& words) {
  const auto globals = program.globals().views();
  auto word = words.begin();
  while (word != words.end() && word->starts_with('-') && *word != "-") {
    const bool takes_next = std::ranges::any_of(globals, [&](const auto& option) {
      const auto& names = option.names;
      return !option.is_flag && contains(names, *word);
    });
    const auto left = words.end() - word;
    word += std::min<std::ptrdiff_t>(takes_next ? 2 : 1, left);
  }
  return word;
}

struct NamedCommand {
  std::string_view word;
  Command (*add)(Program&);
};

/// Commands that answer one question of a user.
struct Chapter {
  const char* question;
  std::vector<NamedCommand> commands;
};

/// All commands, in the order of help.
const auto& chapters() {
  static const std::array all{
      Chapter{"What do I have?", {{"look", add_look_command}, {"ingest", add_ingest_command}}},
      Chapter{"How does it scale?",
              {{"fit", add_fit_command},
               {"rank", add_rank_command},
               {"contrast", add_contrast_command},
               {"tail", add_tail_command}}},
      Chapter{"How many GPUs, how long, and what next?",
              {{"predict", add_predict_command}, {"plan", add_plan_command}}},
      Chapter{"How large a model, on how many tokens?",
              {{"isoflop", add_isoflop_command}, {"budget", add_budget_command}}},
      Chapter{"What saves energy and money?",
              {{"energy", add_energy_command},
               {"caps", add_caps_command},
               {"pareto", add_pareto_command},
               {"replay", add_replay_command}}},
      Chapter{"Has it become worse?",
              {{"gate", add_gate_command},
               {"history", add_history_command},
               {"store", add_store_command}}},
      Chapter{"How do I show it?",
              {{"plot", add_plot_command},
               {"plot-replay", add_plot_replay_command},
               {"plot-budget", add_plot_budget_command},
               {"report", add_report_command}}},
      Chapter{"Examples and help",
              {{"generate", add_generate_command},
               {"help", add_help_command},
               {"version", add_version_command},
               {"completion", add_completion_command}}}};
  return all;
}

/// How the command of that word is added; nothing if there is none.
Command (*maker_of(std::string_view word))(Program&) {
  for (const Chapter& chapter : chapters()) {
    const auto found = std::ranges::find(chapter.commands, word, &NamedCommand::word);
    if (found != chapter.commands.end()) return found->add;
  }
  return nullptr;
}

/// Whether a command tells of all others.
bool needs_all_commands(std::string_view word) { return word == "help" || word == "completion"; }

/// The words of the call; the two of `plot replay` and `plot budget` as one.
std::vector<std::string> words_of_call(const Program& program, std::span<char* const> call) {
  std::vector<std::string> words(call.begin() + 1, call.end());
  const auto command = std::ranges::find_if(words, maker_of);
  if (words.end() - command >= 2 && *command == "plot") {
    const std::string both = *command + "-" + command[1];
    if (maker_of(both) != nullptr) {
      *command = both;
      words.erase(command + 1);
    }
  }
  // A table without a command is looked at.
  const auto first = after_global_options(program, words);
  const bool is_table = command == words.end() && first != words.end() && input_exists(*first);
  if (is_table) words.insert(first, "look");
  return words;
}

std::vector<Command> add_commands(Program& program) {
  std::vector<Command> commands;
  for (const Chapter& chapter : chapters()) {
    program.begin_chapter(chapter.question);
    for (const auto& [word, add] : chapter.commands) commands.push_back(add(program));
  }
  return commands;
}

constexpr char kAbout[] = "fits and judges scaling laws of training time and energy";

int say_version(const GlobalOptions& options) {
  options.write(version_text());
  return kDone;
}

/// A call of one command, read without the others, which takes a third of the time. Nothing where
/// the answer may tell of those: for help, settings files and errors.
std::optional<int> run_alone(std::span<char*> call, GlobalOptions& options, Ranks* ranks) {
  Program program(kAbout);
  add_global_options(program, options);
  std::vector<std::string> words = words_of_call(program, call);
  if (words.size() == 1 && words.front() == "--version") return say_version(options);
  const auto add = words.empty() ? nullptr : maker_of(words.front());
  const bool names_settings = std::ranges::any_of(
      words, [](const std::string& word) { return word.starts_with("--config"); });
  if (add == nullptr || needs_all_commands(words.front()) || names_settings ||
      !program.settings_file().empty()) {
    return {};
  }
  const Command command = add(program);
  try {
    if (program.parse(std::move(words)) != Asked::kCommand) return {};
  } catch (const Error&) {
    return {};  // It is told again by one who knows all commands.
  }
  return run_command(program, std::span(&command, 1), options, ranks, call);
}

int run(std::span<char*> words, GlobalOptions& options, Ranks* ranks) {
  const GlobalOptions unread = options;
  if (const auto status = run_alone(words, options, ranks)) return *status;
  options = unread;
  Program program(kAbout);
  add_global_options(program, options);
  const std::vector<Command> commands = add_commands(program);
  switch (program.parse(words_of_call(program, words))) {
    case Asked::kHelp:
      options.write(help_for(program));
      return kDone;
    case Asked::kVersion:
      return say_version(options);
    case Asked::kUnknownWord:
      refuse_extra_words(program);
    case Asked::kCommand:
      break;
  }
  return run_command(program, commands, options, ranks, words);
}

/// A sentence that took no memory.
struct SmallText {
  std::array<char, 120> characters;
  std::size_t size;
  std::string_view view() const { return {characters.data(), size}; }
};

SmallText out_of_memory() {
  const std::uint64_t allowed = allowed_memory;
  SmallText text{};
  const int written =
      allowed == 0
          ? std::snprintf(text.characters.data(), text.characters.size(), "not enough memory")
          : std::snprintf(text.characters.data(), text.characters.size(),
                          "more memory is needed than --max-memory allows (%" PRIu64 " MiB)",
                          allowed >> 20);
  text.size = static_cast<std::size_t>(written);
  return text;
}

/// Whether memory ran out: in a new object, or in a call of the system.
bool is_lack_of_memory(const std::exception& error) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         (of_system != nullptr && of_system->code() == std::errc::not_enough_memory);
}

std::string internal_error(const std::exception& error) {
  return fmt::format("internal error, please report it: {}", error.what());
}

/// The last place where anything is caught: the user sees one sentence and no stack. Other ranks
/// send it to the leading one.
int run_guarded(std::span<char*> words, GlobalOptions& options, Ranks* ranks) {
  std::string sentence;
  try {
    return run(words, options, ranks);
  } catch (const ClosedPipe&) {
    return kDone;
  } catch (const Error& error) {
    sentence = error.what();
  } catch (const std::exception& error) {
    const bool lacks_memory = is_lack_of_memory(error);
    if (lacks_memory && options.leads) return say_no_memory();
    sentence = lacks_memory ? std::string(out_of_memory().view()) : internal_error(error);
  }
  if (!options.leads) ranks->fail(sentence);
  options.console().error(sentence);
  return kUnusable;
}

/// The ranks of this job if a launcher started several. Only the leader keeps its standard output.
std::unique_ptr<Ranks> joined_ranks(GlobalOptions& options) {
  const auto launched = launch();
  if (!launched) return nullptr;
  auto ranks = join_ranks(*launched);
  options.leads = ranks->leads();
  if (!options.leads && std::freopen("/dev/null", "w", stdout) == nullptr) {
    throw DataError("a rank cannot close its standard output");
  }
  return ranks;
}

// ---- calls that a program makes

/// "plot replay", "plot_replay" and "plot-replay" are one command.
std::string word_of_command(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == ' ' || c == '_'; }, '-');
  return name;
}

/// What reads the options of calls of one command that a program makes, one after another. Between
/// calls its options name a host that is gone.
struct CallReader {
  Program program{""};
  GlobalOptions options;
  Command command;
  std::vector<KeyedOption> known;

  CallReader(const std::string& word, const Host& host) {
    options.host = &host;
    add_global_options(program, options);
    command = called_command(word);
    known = options_of_call(program, command.options);
  }

  /// The command of a call. Those that tell of all others need them.
  Command called_command(const std::string& word) {
    const auto add = maker_of(word);
    if (add != nullptr && !needs_all_commands(word)) return add(program);
    std::vector<Command> commands = add_commands(program);
    const Options named = command_named(program, word);
    return *std::ranges::find(commands, named, &Command::options);
  }

  /// @throws BadOptions
  void read(const HostedCall& call) try {
    options = {};
    options.host = &call.host;
    if (command.reset) command.reset();
    std::vector<std::string> words = words_of_options(known, call);
    words.insert(words.begin(), command.options.word());
    if (program.parse(std::move(words)) != Asked::kCommand) refuse_extra_words(program);
    if (options.max_memory > 0) {
      throw DataError("max_memory: this limit would hold for the whole program; set it there");
    }
    refuse_standard_input(command.options);
  } catch (const Error& error) {
    throw BadOptions(error.what());
  }
};

/// Readers that no call uses at the moment, by the words of their commands. To make one takes
/// longer than all else that a small call does.
class IdleReaders {
 public:
  std::unique_ptr<CallReader> take(const std::string& word) {
    const std::lock_guard lock(mutex_);
    const auto found = idle_.find(word);
    if (found == idle_.end() || found->second.empty()) return nullptr;
    std::unique_ptr<CallReader> reader = std::move(found->second.back());
    found->second.pop_back();
    return reader;
  }
  void keep(const std::string& word, std::unique_ptr<CallReader> reader) {
    constexpr std::size_t kMost = 8;
    const std::lock_guard lock(mutex_);
    std::vector<std::unique_ptr<CallReader>>& idle = idle_[word];
    // A settings file gives options other defaults.
    const bool serves_again = reader->command.reset && reader->program.settings_file().empty();
    if (serves_again && idle.size() < kMost) idle.push_back(std::move(reader));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<CallReader>>> idle_;
};

int run_read_command(const CallReader& reader) {
  const auto& [program, options, command, known] = reader;
  if (options.print_config) {
    options.write(config_text(program.globals(), command.options));
    return kDone;
  }
  refuse_to_lose_files(files_of(command.options), program.settings_file());
  return run_by_rules(command, options);
}

int run_hosted_command(const HostedCall& call) {
  static IdleReaders idle;
  const std::string word = word_of_command(call.command);
  std::unique_ptr<CallReader> reader = idle.take(word);
  if (reader == nullptr) {
    try {
      reader = std::make_unique<CallReader>(word, call.host);
    } catch (const Error& error) {
      throw BadOptions(error.what());
    }
  }
  reader->read(call);
  const int status = run_read_command(*reader);
  idle.keep(word, std::move(reader));
  return status;
}

/// "runs.csv:14" of "runs.csv:14: a sentence", or "runs.json: entry 7"; empty without a place.
std::string place_in(const std::string& message) {
  for (std::size_t colon = message.find(':'); colon != std::string::npos;
       colon = message.find(':', colon + 1)) {
    constexpr std::string_view kEntry = " entry ";
    std::size_t digits = colon + 1;
    if (std::string_view(message).substr(digits).starts_with(kEntry)) digits += kEntry.size();
    const std::size_t end = message.find_first_not_of("0123456789", digits);
    if (end != std::string::npos && end > digits && message[end] == ':') {
      return message.substr(0, end);
    }
  }
  return "";
}

}  // namespace

CallEnd run_hosted(const HostedCall& call) {
  const auto failed = [](const char* code, std::string message, std::string place = "") {
    return CallEnd{kUnusable, code, std::move(message), std::move(place)};
  };
  try {
    call.context.tables()->refuse_ragged();
    call.context.begin();
    const CallScope scope(&call.context);
    return {run_hosted_command(call), "", "", ""};
  } catch (const Cancelled&) {
    return failed("cancelled", "the call was cancelled");
  } catch (const BadOptions& error) {
    return failed("options", error.what());
  } catch (const ParseError& error) {
    return failed("parse", error.what(), place_in(error.what()));
  } catch (const FitError& error) {
    return failed("fit", error.what());
  } catch (const Error& error) {
    return failed("data", error.what());
  } catch (const std::exception& error) {
    return is_lack_of_memory(error) ? failed("memory", "not enough memory")
                                    : failed("internal", internal_error(error));
  }
}

std::string schema_of_commands() {
  Program program("");
  GlobalOptions options;
  add_global_options(program, options);
  static_cast<void>(add_commands(program));
  return schema_text(program.view());
}

int say_no_memory() noexcept {
  const SmallText sentence = out_of_memory();
  for (const std::string_view part :
       {std::string_view("scalelaw: error: "), sentence.view(), std::string_view("\n")}) {
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  }
  return kUnusable;
}

int run_call(std::span<char*> words) {
  CallContext call;
  const CallScope scope(&call);
  GlobalOptions options;
  try {
    const auto ranks = joined_ranks(options);
    const int status = run_guarded(words, options, ranks.get());
    if (ranks != nullptr) ranks->end(status);
    return status;
  } catch (const Dismissed& dismissed) {
    return dismissed.status;
  } catch (const Error& error) {  // No ranks to lead, or none to be led by.
    options.console().error(error.what());
    return kUnusable;
  } catch (const std::bad_alloc&) {  // The sentence on another error needs memory.
    return say_no_memory();
  }
}

}  // namespace scalelaw::cli
