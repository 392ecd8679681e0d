#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace scalelaw {

/// The distinct values of a sample in rising order, with the sums that a tail needs.
struct TailSample {
  std::vector<double> values;        ///< Each distinct value.
  std::vector<double> logs;          ///< ln of each distinct value.
  std::vector<std::uint32_t> below;  ///< How many values are less than each; last, all of them.
  std::vector<double> log_sums;      ///< Sum of ln x over the values from each on; last, 0.

  std::size_t distinct() const { return logs.size(); }
  std::uint32_t size() const { return below.back(); }
  std::uint32_t count(std::size_t i) const { return below[i + 1] - below[i]; }
  std::uint32_t from(std::size_t i) const { return size() - below[i]; }  ///< Values from i on.
};

/// Builds samples from distinct values in rising order, in the memory of an earlier sample.
class TailSampleBuilder {
 public:
  explicit TailSampleBuilder(TailSample& sample) : sample_(sample) {
    sample_.values.clear();
    sample_.logs.clear();
    sample_.below.assign(1, 0);
  }
  void add(double value, double log, std::uint32_t count) {
    sample_.values.push_back(value);
    sample_.logs.push_back(log);
    sample_.below.push_back(sample_.below.back() + count);
  }
  /// Computes the sums; call it once, after the last value.
  void finish() {
    const std::size_t distinct = sample_.distinct();
    sample_.log_sums.resize(distinct + 1);
    double sum = sample_.log_sums[distinct] = 0;
    for (std::size_t i = distinct; i-- > 0;) {
      sum += sample_.count(i) * sample_.logs[i];
      sample_.log_sums[i] = sum;
    }
  }

 private:
  TailSample& sample_;
};

/// A sample of the values, all > 0 and finite, in any order.
inline TailSample tail_sample(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
  TailSample sample;
  TailSampleBuilder builder(sample);
  for (std::size_t i = 0, end = 0; i < sorted.size(); i = end) {
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    builder.add(sorted[i], std::log(sorted[i]), static_cast<std::uint32_t>(end - i));
  }
  builder.finish();
  return sample;
}

}  // namespace scalelaw
