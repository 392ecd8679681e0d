#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/trace/format.hpp"

namespace scalelaw {

/// The facts of a run, in the order of their columns. Runs name their settings and metrics as they
/// like, so that a name may come twice.
class RunFacts {
 public:
  /// Adds a fact.
  /// @param kind  Stands before a name that another fact has: "param", "metric".
  /// @returns The name that it got.
  std::string add(std::string_view name, std::string text, std::string_view kind = "other") {
    std::string own(name);
    while (!names_.insert(own).second) own = std::string(kind) + "_" + own;
    return facts_.emplace_back(std::move(own), std::move(text)).first;
  }
  /// Keeps a name for a column that this table lacks, so that it means the same in all tables.
  void reserve(std::string_view name) { names_.emplace(name); }
  bool has(const std::string& name) const { return names_.contains(name); }
  std::vector<std::pair<std::string, std::string>> take() { return std::move(facts_); }

 private:
  std::vector<std::pair<std::string, std::string>> facts_;
  std::set<std::string> names_{"job_id", ""};  ///< The table's own, and a name that is none.
};

}  // namespace scalelaw
