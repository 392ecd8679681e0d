#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/trace/sample.hpp"

// The binary file of a run of Weights & Biases, run-<id>.wandb: a log as LevelDB writes it
// (wandb/sdk/internal/datastore.py), of records that are protocol buffers
// (wandb/proto/wandb_internal.proto).
namespace scalelaw {

/// What a call of wandb.log() logged: numbers by their names.
struct WandbStep {
  double step = Sample::kNone;
  double runtime_s = Sample::kNone;  ///< Since the begin of the run.
  std::vector<std::pair<std::string, double>> values = {};
};

/// A run as its file tells.
struct WandbRun {
  std::string id;
  std::string name;
  std::string project;
  std::map<std::string, std::string> config = {};   ///< JSON by name; nested names have dots.
  std::map<std::string, std::string> summary = {};  ///< The same.
  std::vector<WandbStep> history = {};
  std::optional<std::int64_t> exit_code =
      {};                                ///< Empty while the run goes on, and if it was killed.
  std::optional<double> runtime_s = {};  ///< At its exit.
};

/// Whether a file begins as such a file does, of the only version that there is.
bool begins_as_wandb_file(std::string_view head);
/// What such a file of another version lacks; empty for other files.
std::string wandb_file_lacks(std::string_view head);

/// Calls take(name, number) for each number in the JSON of a value; those of nested objects have
/// names with dots. Media, tables and what is no JSON hold none.
void for_each_wandb_number(const std::string& name, std::string_view json,
                           const std::function<void(const std::string&, double)>& take);

/// Reads the records that are whole: a file that is still written, or damaged, is noted.
/// @throws DataError if it cannot be read.
WandbRun read_wandb_file(const std::string& path, TraceNotes& notes);

}  // namespace scalelaw
