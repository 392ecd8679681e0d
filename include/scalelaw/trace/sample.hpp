#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

/// The readings of one GPU at one instant. A quantity that was not measured is NaN.
struct Sample {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  std::int64_t time_ns = 0;     ///< Since the Unix epoch, or since the start of the series.
  std::uint32_t device = 0;     ///< The number from SampleSink::device.
  double sm_util_pct = kNone;   ///< Utilisation of the GPU (its multiprocessors), 0 to 100.
  double mem_util_pct = kNone;  ///< Utilisation of its memory, 0 to 100.
  double mem_used_mib = kNone;
  double power_w = kNone;
  double energy_j = kNone;  ///< A counter that rises from an unknown start.
};

/// The source of samples: one GPU of a file, or a part of one.
struct Device {
  std::string job = {};   ///< If empty, the job in the file's name.
  std::string node = {};  ///< If empty, the node in the file's name.
  std::string name;       ///< "0", "GPU-I 3", ...

  friend bool operator==(const Device&, const Device&) = default;
};

/// Something odd in a trace or log that does not stop its reading.
enum class TraceOddity {
  kBadCell,         ///< Text in place of a number, which counts as not measured.
  kForeignLine,     ///< A line that is no sample, such as a sentence of the driver.
  kRepeatedHeader,  ///< A monitor that was restarted has appended its output.
  kCutLine,         ///< The last line is incomplete: it was still being written.
  kFailedRun,       ///< A run that failed or was cancelled, and makes no row.
  kOtherStep,       ///< A step of training that stands apart: the first ones, an evaluation.
  kRepeatedLine,    ///< A step or result that is logged again, by another rank or after a restart.
  kUnfinishedRun,   ///< A run that waits or still runs, and makes no row.
  kOtherName,       ///< A file whose name does not fit the pattern that a user gave.
  kDerivedRow,      ///< A result that is computed from others, such as a mean.
  kLongText,        ///< A text of several lines or many bytes, which is no cell.
  kLoneValue,       ///< A metric of which only one value is known, where --metric asks for more.
  kDamagedRecord,   ///< A record with a wrong checksum; what stands behind it is not read.
  kPartOfNodes,     ///< A run whose power was logged on some of its nodes only.
  kNoAccelerator,   ///< A run on processors alone.
  kAboveLimit,      ///< A power far above what the GPU may draw.
  kLostLoss,        ///< A loss that is NaN or infinite.
  kOtherSeries,     ///< A column that is of no GPU, or of a quantity that is not read.
  kAbandonedStart,  ///< A start of a program that made no step, and had other settings.
  kBareStep,        ///< A step whose line tells neither its time nor its loss.
  kCounterReset,    ///< A counter of energy that began anew.
  kWithoutStep,     ///< A value of a metric that was logged without its step.
  kRepeatedRun,     ///< A row or file that tells again of a run.
  kSecondWriter,    ///< A file that logs the steps of another one while that is written.
};
/// The last of them.
inline constexpr TraceOddity kLastOddity = TraceOddity::kSecondWriter;

/// What tells whether two files are about one run. What a file does not say is empty.
struct RunIdentity {
  std::string system = {};   ///< Who gave the id: "sacct", "mlflow", ...; empty: it is a name.
  std::string id = {};       ///< Slurm's ids come again after years, and each cluster has its own.
  std::string cluster = {};  ///< Of Slurm.
  std::string submitted = {};   ///< When it was submitted or created.
  std::string started = {};     ///< When it started.
  std::string duration_s = {};  ///< Of a job that has ended.
  std::string gpus = {};        ///< Of such a job.

  /// Whether other files may have the id only for the same run, or tell by the rest that they do
  /// not.
  bool is_known() const { return !system.empty(); }
};

/// A run that makes no row. Other files may tell of it, too.
struct LeftOutRun {
  TraceOddity why;
  RunIdentity identity;
  std::string name = {};   ///< For people; empty: the id.
  std::string state = {};  ///< As its file says.
  std::uint64_t line = 0;  ///< Counted from 1; 0 where the file has no lines.

  /// "5 FAILED".
  std::string words() const {
    const std::string& own = name.empty() ? identity.id : name;
    return state.empty() ? own : own + ' ' + state;
  }
};

/// Takes what is odd in a file.
class TraceNotes {
 public:
  virtual ~TraceNotes() = default;
  /// Counts an oddity; the user sees the first one of each kind.
  /// @param line  Counted from 1; 0 where the file has no lines.
  virtual void note(TraceOddity oddity, std::uint64_t line, std::string_view what) = 0;
  /// Notes a run that makes no row; those that several files tell of count once.
  virtual void leave_out(const LeftOutRun& run) { note(run.why, run.line, run.words()); }
  /// Says that what follows is noted of another file of the run.
  virtual void read_from(const std::string& /*path*/) {}
};

/// Takes the samples of one file, in the order of the file.
class SampleSink : public TraceNotes {
 public:
  /// The number of a device; always the same for the same device.
  virtual std::uint32_t device(const Device& device) = 0;
  /// Adds samples of any devices, best a few hundred at a time.
  virtual void add(std::span<const Sample> samples) = 0;
};

}  // namespace scalelaw
