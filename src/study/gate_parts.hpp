#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "scalelaw/judge/gate.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// The fits of both sides of a response, some groups at a time, in group order: only what is
/// compared is kept of them.
struct GateParts {
  std::size_t count = 0;
  /// Adds the groups of a part to a pair that has none.
  std::function<void(std::size_t part, GatePair& pair)> fill = {};
};

/// Of two tables of one night each.
GateParts parts_of_tables(GroupedCells base, GroupedCells current);

/// Groups by night: the last group column names the night, and nights of a group stand together.
class NightTable {
 public:
  explicit NightTable(GroupedCells runs);

  /// Every night that it has, once, in the order of names.
  std::vector<std::string> nights() const;
  /// Whether a night has every group at every x that any night has.
  bool has_all_places(const std::string& night) const;
  /// Whether two nights have the same runs of a group, at several x.
  bool has_repeats() const;
  /// Of the nights that a pair has, by their names.
  GateParts parts() const;

 private:
  GroupedCells runs_;
  std::vector<std::size_t> begins_;  ///< Where each group begins; the last value is the end.
};

}  // namespace scalelaw
