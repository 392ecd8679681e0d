// Bytes as each of replay's inputs. Its readers answer with usable rows or an Error.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "scalelaw/base/error.hpp"
#include "scalelaw/replay/groups.hpp"
#include "scalelaw/replay/traces.hpp"

namespace scalelaw::fuzz {
namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

bool usable(double value) { return std::isfinite(value) && value > 0; }

void read_train(std::string_view text) {
  const TrainTrace trace = read_train_trace(text, "train");
  expect(!trace.rows.empty());
  for (const TrainRow& row : trace.rows) {
    expect(row.key.batch_size >= 1 && std::isfinite(row.target_metric));
    expect(!row.target_epoch || usable(*row.target_epoch));
  }
}

void read_power(std::string_view text) {
  const PowerTrace trace = read_power_trace(text, "power");
  expect(!trace.rows.empty());
  for (const PowerRow& row : trace.rows) {
    expect(usable(row.power_limit_w) && usable(row.epoch_seconds) && usable(row.average_power_w));
  }
}

void read_jobs(std::string_view text) {
  for (const JobGroup& group : read_job_groups(text, "jobs")) {
    expect(!group.submissions.empty());
    double last = -HUGE_VAL;
    for (const Submission& one : group.submissions) {
      expect(one.start_s >= last && one.end_s >= one.start_s && usable(one.runtime_ratio));
      last = one.start_s;
    }
  }
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scalelaw::fuzz;
  for (const auto read : {read_train, read_power, read_jobs}) {
    try {
      read({reinterpret_cast<const char*>(data), size});
    } catch (const scalelaw::Error&) {
      continue;
    }
  }
  return 0;
}
