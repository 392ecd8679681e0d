#pragma once

#include <span>
#include <string>

#include "command.hpp"
#include "scalelaw/base/call_context.hpp"

namespace scalelaw::cli {

/// Runs a call of the command: its words, of which the first names the program. Results go to
/// standard output and to files, all else to standard error. It never ends the process.
///
/// @return the exit status.
int run_call(std::span<char*> words);

/// Says on standard error that memory ran out, or what --max-memory allows, and needs none for it.
///
/// @return the exit status.
int say_no_memory() noexcept;

/// A call that a program makes: a command and values of its options in place of words.
struct HostedCall {
  std::string command;   ///< "fit", "plot replay".
  std::string options;   ///< A JSON object; its members are the long names of options.
  Host host;             ///< Takes the result and what is said of it.
  CallContext& context;  ///< Has the tables in memory.
};

/// How such a call ended.
struct CallEnd {
  int status = 0;            ///< The exit status of the command.
  std::string code = {};     ///< Of an error: options, parse, data, fit, memory, cancelled or
                             ///< internal; empty without one.
  std::string message = {};  ///< Its sentence.
  std::string place = {};    ///< "runs.csv:14" where it tells one.
};

/// Runs the call on this thread; several may run at once. Nothing is read from standard input, no
/// settings file is looked for, and nothing is written to standard output and standard error. It
/// throws nothing.
CallEnd run_hosted(const HostedCall& call);

/// The commands with their options as a JSON document (docs/reference/c-interface.md).
std::string schema_of_commands();

}  // namespace scalelaw::cli
