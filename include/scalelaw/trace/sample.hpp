#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace scalelaw {

/// What one GPU showed at one instant. A quantity that was not measured is NaN.
struct Sample {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  std::int64_t time_ns = 0;     ///< Since the Unix epoch, or since the start of the series.
  std::uint32_t device = 0;     ///< As SampleSink::device named it.
  double sm_util_pct = kNone;   ///< Utilisation of the GPU (its multiprocessors), 0 to 100.
  double mem_util_pct = kNone;  ///< Utilisation of its memory, 0 to 100.
  double mem_used_mib = kNone;
  double power_w = kNone;
  double energy_j = kNone;  ///< A counter that rises from an unknown start.
};

/// Where samples come from: one GPU (or a part of one) of a file.
struct Device {
  std::string job;   ///< Empty: the job that the file's name says.
  std::string node;  ///< Empty: the node that the file's name says.
  std::string name;  ///< "0", "GPU-I 3", ...

  friend bool operator==(const Device&, const Device&) = default;
};

/// What is odd in a trace and does not stop its reading.
enum class TraceOddity {
  kBadCell,         ///< Text where a number should be: taken as not measured.
  kForeignLine,     ///< A line that is no sample, such as a sentence of the driver.
  kRepeatedHeader,  ///< A monitor was started again, and appended.
  kCutLine,         ///< The last line lacks its end and is not whole: it was still being written.
};

/// Takes the samples of one file, in the order of the file.
class SampleSink {
 public:
  virtual ~SampleSink() = default;
  /// A number for the device, the same one for the same device.
  virtual std::uint32_t device(const Device& device) = 0;
  /// Samples of any devices. Best called with a few hundred at a time.
  virtual void add(std::span<const Sample> samples) = 0;
  /// Counts an oddity; the first of each kind is told to the user.
  /// @param line  From 1.
  virtual void note(TraceOddity oddity, std::uint64_t line, std::string_view what) = 0;
};

}  // namespace scalelaw
