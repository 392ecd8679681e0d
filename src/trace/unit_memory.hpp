#pragma once

#include <functional>
#include <optional>
#include <string>

#include "trace/job_facts.hpp"
#include "trace/unit_reader.hpp"

namespace scalelaw {

/// Results of earlier calls of ingest, which need not be read again. Any thread may call it.
class UnitMemory {
 public:
  virtual ~UnitMemory() = default;
  /// The format of a file that is kept and unchanged; nullptr for any other file.
  virtual const TraceFormat* known_format(const std::string& path) = 0;
  /// The figures of a unit whose files are kept and unchanged. Otherwise the unit gains the kept
  /// files of the same node and job, since they must be read with it, and loses files that repeat
  /// another file's text.
  /// @throws DataError if a file that must be read with it is gone.
  virtual std::optional<UnitFigures> recall(Unit& unit) = 0;
  /// Whether all files of a unit are kept and unchanged, also where they are read again because
  /// other files may add to them.
  virtual bool knows(const Unit& unit) = 0;
  /// Takes the figures of a unit that was read.
  virtual void keep(const Unit& unit, const UnitFigures& figures) = 0;
  /// After the last unit was read, hands out everything that is kept: each text once, in an order
  /// that does not depend on the history.
  virtual void for_each(const std::function<void(UnitFigures&&)>& take) = 0;
  /// Facts from earlier tables of jobs.
  virtual JobFacts facts() = 0;
  virtual void keep_facts(const JobFacts& facts) = 0;
};

}  // namespace scalelaw
