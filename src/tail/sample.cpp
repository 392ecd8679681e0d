#include "tail/sample.hpp"

#include <algorithm>
#include <cmath>

namespace scalelaw {

void TailSampleBuilder::finish() {
  const std::size_t distinct = sample_.distinct();
  sample_.log_sums.resize(distinct + 1);
  double sum = sample_.log_sums[distinct] = 0;
  for (std::size_t i = distinct; i-- > 0;) {
    sum += sample_.count(i) * sample_.logs[i];
    sample_.log_sums[i] = sum;
  }
}

TailSample tail_sample(std::span<const double> values) {
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
