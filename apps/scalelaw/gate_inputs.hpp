#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/base/output.hpp"
#include "scalelaw/input/held_streams.hpp"
#include "scalelaw/judge/gate.hpp"
#include "scalelaw/study/call_files.hpp"
#include "study_options.hpp"

namespace scalelaw::cli {

/// What `scalelaw gate` judges, as the user gave it.
struct GateInputs {
  Options call;        ///< Tells which options were given.
  StudyOptions study;  ///< Its y may name several columns.
  std::string base;
  std::string current;
  std::string night;  ///< Column of BASE that names the night; empty: none, or not said.
  /// NEW is its newest night, and its earlier nights count as nights of BASE.
  bool newest_night = false;
  std::size_t nights = 0;                   ///< How many of the last nights count; 0: all.
  std::vector<std::string> without_nights;  ///< Of BASE, as they are called there.
  /// Nights that stand apart count, too, whatever they hide.
  bool all_nights = false;
  bool update = false;     ///< BASE will be written, and need not exist.
  bool one_table = false;  ///< NEW was not named: it is what is newest in BASE.
};

/// Two run tables whose groups are fitted as they are judged.
struct GateTables {
  GroupedCells base;
  GroupedCells current;
};

/// All responses, each before and after.
struct GateResponses {
  std::vector<GatePair> pairs;
  /// Where both sides are run tables of one night: its pair has no groups yet. Else empty.
  std::vector<std::optional<GateTables>> tables;
  std::vector<bool> fitted;   ///< Whether NEW was fitted here, and not read from a document.
  std::vector<bool> created;  ///< Whether the baseline does not exist yet.
  std::vector<std::string> warnings;  ///< What was left out of the nights of BASE, and what NEW is.
  std::string
      mixed_nights;  ///< Column of NEW of which several nights are taken as one; else empty.
  /// Where NEW is the newest night of the table that BASE is, how many others it has; else 0.
  std::size_t others = 0;
  std::string night;   ///< Column of the nights of BASE; empty: none, or one that nobody named.
  std::string newest;  ///< What NEW is, where it is of the table that BASE is: "date 2026-03-20".
  std::string night_column;  ///< Seems to name nights of BASE, which is taken as one; else empty.
};

/// Adds BASE, NEW and the options of `fit`. `inputs` must outlive the parsing.
void add_gate_inputs(Options& gate, GateInputs& inputs);

/// Takes one table with nights for both sides. Reads no pipe and no standard input.
/// @throws DataError if a side is not named or cannot be what it is named for, an output is one of
///         the inputs, or a baseline that --update makes would replace what is there or another
///         output.
void check_gate_inputs(GateInputs& inputs, std::vector<CallFile> files);

/// Reads the pipes among both sides, which then are as files are: each response and each look for
/// nights reads them again.
void hold_streams(const GateInputs& inputs, HeldStreams& streams);

/// Reads documents and run tables, and fits the tables that judge_responses does not fit. Runs are
/// fitted as the saved fits on the other side were, but for what the user said.
/// @throws DataError if a side cannot be used: no fit in BASE, other columns than asked for.
GateResponses read_gate_inputs(const GateInputs& inputs, const GlobalOptions& global);

/// Tells of every group whether NEW is worse. Frees the tables once they are judged and not needed
/// again: judge_without may follow where BASE has several nights.
/// @throws DataError if a side cannot be used: no fit in BASE, other columns than the other side.
Gate judge_responses(GateResponses& responses, const GateOptions& options, int threads);

/// What the gate says without these nights of BASE, as they are called in sentences.
Gate judge_without(GateResponses responses, std::span<const std::string> nights,
                   GateOptions options, int threads);

/// A file of BASE with the fits of NEW, on the disk and not yet under its name.
struct Baseline {
  std::unique_ptr<Output> output;
  std::string note;  ///< What is said once it is there.
};

/// Writes the fits of NEW for the files of BASE.
std::vector<Baseline> settled_baselines(const GateResponses& responses);

}  // namespace scalelaw::cli
