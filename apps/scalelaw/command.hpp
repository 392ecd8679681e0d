#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "console.hpp"
#include "scalelaw/base/ranks.hpp"

namespace scalelaw::cli {

/// Exit statuses, part of the contract (docs/cli.md).
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kUnusable = 2;

/// What every command takes.
struct GlobalOptions {
  int threads = 0;               ///< 0: all processors.
  std::uint64_t max_memory = 0;  ///< Bytes; 0: no limit but the system's.
  bool quiet = false;
  std::string colour = "auto";
  bool print_config = false;
  Ranks* ranks = nullptr;  ///< Where a launcher started several, of a command that shares its work.
  bool leads = true;       ///< Other ranks than the leading one write and say nothing.

  Console console() const { return leads ? Console(quiet, colour) : Console::silent(); }
  /// Where this process writes what is for that file: only the leading rank writes.
  std::string output(const std::string& path) const { return leads ? path : std::string(); }
};

/// A command of the program: its place in the tree of options, and what it does.
struct Command {
  CLI::App* app;
  std::function<int(const GlobalOptions&)> run;  ///< Returns the exit status.
  bool shares = false;  ///< Ranks share its work; else the leading one does it alone.
};

// One source a command.
Command add_fit_command(CLI::App& program);
Command add_caps_command(CLI::App& program);
Command add_contrast_command(CLI::App& program);
Command add_pareto_command(CLI::App& program);
Command add_energy_command(CLI::App& program);
Command add_plan_command(CLI::App& program);
Command add_predict_command(CLI::App& program);
Command add_rank_command(CLI::App& program);
Command add_tail_command(CLI::App& program);
Command add_gate_command(CLI::App& program);
Command add_history_command(CLI::App& program);
Command add_ingest_command(CLI::App& program);
Command add_plot_command(CLI::App& program);
Command add_plot_replay_command(CLI::App& program);
Command add_report_command(CLI::App& program);
Command add_replay_command(CLI::App& program);
Command add_store_command(CLI::App& program);
Command add_generate_command(CLI::App& program);
Command add_help_command(CLI::App& program);
Command add_completion_command(CLI::App& program);

/// A command as it is called: "plot replay" for the parser's plot-replay, the only one of two
/// words.
std::string spelled(const CLI::App& command);

/// An option with a closed set of values. An unknown value answers with the nearest one.
CLI::Option* add_choice(CLI::App& app, const std::string& names, std::string& target,
                        std::span<const std::string_view> choices, const std::string& help);

/// The choices of such an option, for completion; empty for others.
std::vector<std::string> choices_of(const CLI::Option& option);

/// An option that takes a whole number.
template <class Integer>
CLI::Option* add_count(CLI::App& app, const std::string& names, Integer& target,
                       std::uint64_t least, const std::string& help);

/// Accepts a number strictly between two others.
CLI::Validator number_between(double lower, double upper);

/// Accepts a number from one to another, both included.
CLI::Validator number_from(double least, double greatest);

/// Accepts a finite number that is not negative.
CLI::Validator not_negative();

/// Accepts a finite number above 0.
CLI::Validator positive();

/// "5%" or "0.05": above 0, up to 1; nothing where it is something else.
std::optional<double> share_of(std::string_view text);

/// Accepts such a share.
CLI::Validator share();

/// Accepts decimal digits for a number from `least` to `greatest`.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t greatest);

/// Rewrites a size ("500MB", "4GiB", "8000000") as its number of bytes; at least 16 MiB.
CLI::Validator memory_size();

/// "--law" of "-l,--law": the long name where there is one.
std::string name_of(const CLI::Option& option);

/// The options that the user sees in help, in their order.
std::vector<const CLI::Option*> visible_options(const CLI::App& app);

template <class Integer>
CLI::Option* add_count(CLI::App& app, const std::string& names, Integer& target,
                       std::uint64_t least, const std::string& help) {
  return app.add_option(names, target, help)
      ->transform(whole_number(least, std::uint64_t{std::numeric_limits<Integer>::max()}))
      ->capture_default_str();
}

}  // namespace scalelaw::cli
