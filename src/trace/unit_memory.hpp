#pragma once

#include <functional>
#include <optional>
#include <string>

#include "trace/job_facts.hpp"
#include "trace/unit_reader.hpp"

namespace scalelaw {

/// What earlier calls of ingest read, and this one need not read again. Every call may come from
/// any thread.
class UnitMemory {
 public:
  virtual ~UnitMemory() = default;
  /// The format of a file that is kept and has not changed since; nullptr of any other.
  virtual const TraceFormat* known_format(const std::string& path) = 0;
  /// The figures of a unit whose files are kept and have not changed. Else the unit gets what else
  /// is kept of the same node of the same job, which has to be read with it, and loses files that
  /// repeat the text of another.
  /// @throws DataError if what has to be read with it is gone.
  virtual std::optional<UnitFigures> recall(Unit& unit) = 0;
  /// Takes the figures of a unit that was read.
  virtual void keep(const Unit& unit, const UnitFigures& figures) = 0;
  /// Hands out everything that is kept, once the last unit was read: each text once, in an order
  /// that does not depend on the history.
  virtual void for_each(const std::function<void(UnitFigures&&)>& take) = 0;
  /// What tables of jobs told before.
  virtual JobFacts facts() = 0;
  virtual void keep_facts(const JobFacts& facts) = 0;
};

}  // namespace scalelaw
