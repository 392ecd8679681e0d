#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "scalelaw/trace/format.hpp"

namespace scalelaw {

/// The cells of a row by the names of their columns.
using RowFacts = std::vector<std::pair<std::string, std::string>>;

/// The fact of a name; the end of the facts if a row lacks it.
inline RowFacts::iterator find_fact(RowFacts& facts, std::string_view name) {
  return std::ranges::find_if(facts, [name](const auto& fact) { return fact.first == name; });
}
/// The text of a fact; empty if a row lacks it.
inline std::string_view fact_in(const RowFacts& facts, std::string_view name) {
  for (const auto& [known, text] : facts) {
    if (known == name) return text;
  }
  return {};
}

/// The facts of a run, in the order of their columns. Runs name their settings and metrics as they
/// like, so that a name may come twice.
class RunFacts {
 public:
  /// Adds a fact.
  /// @param kind  Stands before a name that another fact has: "param", "metric".
  /// @returns The name that it got.
  std::string add(std::string_view name, std::string text, std::string_view kind = "other") {
    constexpr int kMostKinds = 4;  // A name that comes more often gets a number, not a long name.
    std::string own(name);
    for (int kinds = 0; !names_.insert(own).second; ++kinds) {
      own = kinds < kMostKinds ? fmt::format("{}_{}", kind, own)
                               : fmt::format("{}_{}_{}", kind, name, ++again_[std::string(name)]);
    }
    return facts_.emplace_back(std::move(own), std::move(text)).first;
  }
  /// Adds a number that is known.
  void add_known(std::string_view name, std::optional<double> number) {
    if (number) add(name, exact_text(number));
  }
  /// Keeps a name for a column that this table lacks, so that it means the same in all tables.
  void reserve(std::string_view name) { names_.emplace(name); }
  bool has(const std::string& name) const { return names_.contains(name); }
  RowFacts take() { return std::move(facts_); }

 private:
  RowFacts facts_;
  std::set<std::string> names_{"job_id", ""};  ///< The table's own, and a name that is none.
  std::map<std::string, std::size_t> again_;   ///< The last number of a name.
};

}  // namespace scalelaw
