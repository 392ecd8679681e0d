#include "scalelaw/replay/traces.hpp"

#include <filesystem>
#include <set>
#include <utility>

#include "replay/columns.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

TraceKey key_of(const TraceColumns& columns) {
  return {.dataset = columns.name(0),
          .network = columns.name(1),
          .optimizer = columns.name(2),
          .batch_size = columns.count(3)};
}

TrainTrace read_train(TableRows&& rows) {
  TraceColumns columns(
      rows, {"dataset", "network", "optimizer", "batch_size", "target_metric", "target_epoch"});
  TrainTrace trace{.source = rows.source()};
  std::set<std::string> seen;
  while (columns.next()) {
    TrainRow row{.key = key_of(columns), .target_metric = columns.number(4)};
    if (!columns.missing(5)) row.target_epoch = static_cast<double>(columns.count(5));
    trace.rows.push_back(std::move(row));
    trace.repeated += seen.insert(joined(rows.fields(), "\n")).second ? 0 : 1;
  }
  return trace;
}

/// "v100" for "traces/summary_power_v100.csv.gz"; for a name with another beginning, the name
/// without its ending.
std::string trace_name(const std::string& source) {
  std::string name = std::filesystem::path(source).filename().string();
  name = name.substr(0, name.find('.'));
  constexpr std::string_view kPrefix = "summary_power_";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() ? name.substr(kPrefix.size())
                                                                   : name;
}

PowerTrace read_power(TableRows&& rows) {
  TraceColumns columns(rows, {"dataset", "network", "optimizer", "batch_size", "power_limit",
                              "time_per_epoch", "average_power"});
  PowerTrace trace{.source = rows.source(), .name = trace_name(rows.source())};
  std::set<std::pair<TraceKey, double>> seen;
  while (columns.next()) {
    trace.rows.push_back({.key = key_of(columns),
                          .power_limit_w = columns.positive(4),
                          .epoch_seconds = columns.positive(5),
                          .average_power_w = columns.positive(6)});
    const PowerRow& row = trace.rows.back();
    trace.repeated += seen.emplace(row.key, row.power_limit_w).second ? 0 : 1;
  }
  return trace;
}

}  // namespace

TrainTrace read_train_trace(const std::string& path) { return read_train(TableRows(path)); }

TrainTrace read_train_trace(std::string_view text, std::string_view source) {
  return read_train(TableRows(text, source));
}

PowerTrace read_power_trace(const std::string& path) { return read_power(TableRows(path)); }

PowerTrace read_power_trace(std::string_view text, std::string_view source) {
  return read_power(TableRows(text, source));
}

}  // namespace scalelaw
