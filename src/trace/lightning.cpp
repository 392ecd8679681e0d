#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/metrics.hpp"
#include "trace/run_places.hpp"
#include "trace/yaml_scalars.hpp"

// metrics.csv of PyTorch Lightning's CSVLogger (lightning/fabric/loggers/csv_logs.py): a row per
// call that logged, with the columns step, epoch (not of Lightning Fabric), and those of all
// metrics, of which most are empty. hparams.yaml beside it has the settings.

namespace scalelaw {
namespace {

namespace fs = std::filesystem;

/// Whether a table without epochs is one of Lightning Fabric: it has metrics alone beside its
/// steps, one of them a loss or an accuracy, and the steps are counted upwards.
bool is_of_fabric(const std::vector<std::string_view>& names, std::string_view head) {
  const auto is_metric = [](std::string_view name) {
    return holds(name, "loss") || holds(name, "acc");
  };
  if (std::ranges::none_of(names, is_metric)) return false;
  const std::size_t place = place_of(names, "step");
  std::size_t rows = 0;
  double last = -1;
  bool is_first = true;
  const bool is_other = any_line(head, [&](std::string_view line) {
    const bool is_header = std::exchange(is_first, false);
    const std::vector<std::string_view> fields = trimmed_fields(line);
    if (is_header || fields.size() != names.size()) return false;  // The last line may be cut.
    const auto step = parse_number(fields[place]);
    if (!step || *step < last || *step != std::floor(*step)) return true;
    last = *step;
    ++rows;
    return false;
  });
  return !is_other && rows > 0;
}

bool recognises_lightning(std::string_view head) {
  if (!holds(head, '\n')) return false;
  const std::vector<std::string_view> names = trimmed_fields(first_line(head));
  if (place_of(names, "step") == kNowhere || place_of(names, "timestamp") != kNowhere) return false;
  return place_of(names, "epoch") != kNowhere ? names.size() >= 3 : is_of_fabric(names, head);
}

std::string run_of(const std::string& path) {
  const std::string stem = origin_by_stem(path).job;
  return stem == "metrics" ? run_of_folder(folder_of(path)) : stem;
}

/// Steps and epochs are counted from 0; "epoch" may have decimals where its mean was logged.
std::string count_up_to(const std::optional<double>& last) {
  return last ? exact_text(*last + 1) : "";
}

std::string missing_in_lightning(std::string_view head) {
  const std::vector<std::string_view> names = trimmed_fields(first_line(head));
  const bool has_step = place_of(names, "step") != kNowhere;
  const bool has_epoch = place_of(names, "epoch") != kNowhere;
  if (names.size() < 3 || has_step == has_epoch) return "";
  return has_step ? "it has no column epoch" : "it has no column step";
}

std::vector<JobRecord> read_lightning(const std::string& path, const TraceOptions& options,
                                      TraceNotes& notes) {
  const MetricChoices choices(options.metrics);
  std::vector<std::string> names;
  RunMetrics metrics;
  MetricSeries steps;
  MetricSeries epochs;
  StepLog log;
  std::size_t step_place = kNowhere;
  const auto take_header = [&](const std::vector<std::string>& header) {
    names = header;
    step_place = place_of(names, "step");
    for (const std::string& name : names) {
      if (name != "step" && name != "epoch" && !name.empty()) metrics.of(name);
    }
  };
  const auto take_row = [&](const std::vector<std::string>& fields, std::uint64_t line) {
    const double step = step_place < fields.size()
                            ? logged_number(fields[step_place]).value_or(Sample::kNone)
                            : Sample::kNone;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (fields[i].empty() || names[i].empty()) continue;
      const auto value = logged_number(fields[i]);
      if (!value) {
        notes.note(TraceOddity::kBadCell, line, fields[i]);
        continue;
      }
      MetricSeries& series = names[i] == "step"    ? steps
                             : names[i] == "epoch" ? epochs
                                                   : metrics.of(names[i]);
      series.add(*value);
      if (!options.steps || names[i] == "step") continue;
      names[i] == "epoch" ? log.share(step, names[i], *value) : log.add(step, names[i], *value);
    }
  };
  for_each_logged_row(path, notes, take_header, take_row);
  RunFacts facts;
  if (!options.steps) {
    facts.add("steps", count_up_to(steps.value(MetricChoice::kMax)));
    facts.add("epochs", count_up_to(epochs.value(MetricChoice::kMax)));
  }
  if (const auto text = text_beside(path, "hparams.yaml")) {
    const std::string source = (fs::path(path).parent_path() / "hparams.yaml").string();
    for (const auto& [name, value] : yaml_scalars(*text, source)) facts.add(name, value, "hparam");
  }
  if (options.steps) {
    StepTable table = log.table(facts, notes);
    return {{run_of(path), facts.take(), path, std::move(table)}};
  }
  metrics.add_to(facts, choices, notes);
  return {{run_of(path), facts.take(), path}};
}

}  // namespace

const TraceFormat kLightning{.name = "lightning",
                             .title = "metrics.csv of PyTorch Lightning",
                             .recognises = recognises_lightning,
                             .read_records = read_lightning,
                             .missing = missing_in_lightning};

}  // namespace scalelaw
