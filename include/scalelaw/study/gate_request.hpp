#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/judge/gate.hpp"
#include "scalelaw/study/study_options.hpp"

namespace scalelaw {

/// What a gate judges, and how: new runs (NEW) by a baseline (BASE).
struct GateRequest {
  /// A run table, saved fits, or the nights that a store keeps under a label (DB@LABEL). {y} stands
  /// for the column of `study.y`.
  std::string base;
  /// The same, as one night. Empty: the newest night or version of the table BASE.
  std::string current = {};
  /// How runs are read and fitted. Its y may name several columns, divided by commas; its inputs
  /// are not looked at.
  StudyOptions study = {};
  /// Settings of `study` that hold although saved fits have others. Those that differ from their
  /// defaults hold without it.
  std::set<FollowedSetting> chosen = {};
  std::string night = {};      ///< Column of BASE that names the night; empty: none, or not said.
  bool nights_as_one = false;  ///< Without a column, no other one is taken for it.
  bool newest_night = false;   ///< NEW is its newest night, and its earlier ones are of BASE.
  std::size_t nights = 0;      ///< How many of the last nights count; 0: all.
  std::vector<std::string> without_nights = {};  ///< Of BASE, as they are called there.
  bool all_nights = false;  ///< They are one level, whatever changed among them.
  std::string since = {};   ///< The first night of the level of NEW; empty: not said.
  bool update = false;      ///< BASE will be written, and need not exist.
  bool one_table = false;   ///< NEW was not named: with_both_sides() says so.
  bool follows = false;     ///< All nights of one table are followed, and none is judged.
  /// Limits and places. Confidence, and whether the law is chosen, come of the rest.
  GateOptions gate = {};
  FailOn fail_on = FailOn::kWorse;

  /// Whether the law was chosen, which then is taken for true.
  bool names_law() const;
  /// Whether the usual responses are judged, as none is named.
  bool takes_usual_responses() const;
};

/// The request with one table for both sides where only BASE is named. Reads no stream.
/// @throws DataError if a side is not named, or one baseline would hold several responses.
GateRequest with_both_sides(GateRequest request);

/// Both sides of one response.
struct GateSides {
  std::string y;  ///< Empty: the usual one.
  Input base;
  Input current;
  bool creates = false;  ///< Whether the baseline is to be made of NEW, and does not exist yet.
};

/// The fits of NEW as the next baseline, which nobody has written yet.
struct NewBaseline {
  std::string path;
  std::string document;  ///< What the file is to hold.
  bool created = false;  ///< Whether there was no such file.
};

/// The responses that are judged: those that `study.y` names, or the usual ones.
std::vector<GateSides> gate_sides(const GateRequest& request);

/// @throws DataError if a side cannot be what it is named for.
void check_gate_sides(const GateRequest& request, std::span<const GateSides> sides);

}  // namespace scalelaw
