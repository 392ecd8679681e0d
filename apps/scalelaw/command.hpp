#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "options.hpp"
#include "scalelaw/base/output.hpp"
#include "scalelaw/base/ranks.hpp"
#include "scalelaw/study/conditions.hpp"

namespace scalelaw::cli {

/// What --color asks for.
enum class Colour { kAuto, kAlways, kNever };

/// Whether text to a terminal may have colours: not with TERM=dumb or NO_COLOR, except for always.
bool wants_colour(Colour wish, bool is_terminal);

/// The columns of a line of text: those of the terminal on standard output, or 100.
std::size_t line_width(bool is_terminal);

/// The program that makes a call in place of a person at a terminal. It takes what the command
/// would write to standard output and standard error.
struct Host {
  std::function<void(std::string_view)> write;
  Messages::Take say;
};

/// What every command takes.
struct GlobalOptions {
  int threads = 0;               ///< 0: all processors.
  std::uint64_t max_memory = 0;  ///< Bytes; 0: no limit but the system's.
  bool quiet = false;
  Colour colour = Colour::kAuto;
  bool print_config = false;
  Ranks* ranks = nullptr;      ///< Those that share the work of the command; null without any.
  bool leads = true;           ///< A rank that does not lead writes and says nothing.
  bool silent = false;         ///< Say nothing: what is done again was told before.
  const Host* host = nullptr;  ///< Who makes the call; null: a person, or a script.

  /// What the user is told while results go to stdout. Notes fall silent under --quiet.
  Messages console() const;
  /// What the library is told of the call.
  CallConditions conditions() const;
  /// Writes to standard output.
  void write(std::string_view text) const {
    host != nullptr ? host->write(text) : write_output("", text);
  }
};

/// A command of the program: its place in the tree of options, and what it does.
struct Command {
  Options options;
  std::function<int(const GlobalOptions&)> run;  ///< Returns the exit status.
  bool shares = false;  ///< Ranks share its work; otherwise the leading one does it alone.
  std::function<void()> reset = {};  ///< Forgets what a call said; empty if it serves one call.
};

/// A command that runs what its options say.
/// @param call  The targets of its options, with their defaults.
template <class Call, class Run>
Command command_of(const Options& options, const std::shared_ptr<Call>& call, Run run,
                   bool shares = false) {
  return {options, [=](const GlobalOptions& global) { return run(*call, global); }, shares,
          [call, usual = *call] { *call = usual; }};
}

// One source per command.
Command add_look_command(Program& program);
Command add_fit_command(Program& program);
Command add_caps_command(Program& program);
Command add_contrast_command(Program& program);
Command add_pareto_command(Program& program);
Command add_energy_command(Program& program);
Command add_plan_command(Program& program);
Command add_predict_command(Program& program);
Command add_isoflop_command(Program& program);
Command add_budget_command(Program& program);
Command add_rank_command(Program& program);
Command add_tail_command(Program& program);
Command add_gate_command(Program& program);
Command add_history_command(Program& program);
Command add_ingest_command(Program& program);
Command add_plot_command(Program& program);
Command add_plot_replay_command(Program& program);
Command add_plot_budget_command(Program& program);
Command add_report_command(Program& program);
Command add_replay_command(Program& program);
Command add_store_command(Program& program);
Command add_generate_command(Program& program);
Command add_help_command(Program& program);
Command add_version_command(Program& program);
Command add_completion_command(Program& program);

/// The command of that name.
/// @throws DataError naming the nearest one if there is none.
Options command_named(const Program& program, const std::string& name);

}  // namespace scalelaw::cli
