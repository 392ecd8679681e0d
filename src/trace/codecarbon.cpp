#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/input/csv.hpp"
#include "trace/formats.hpp"
#include "trace/run_facts.hpp"

// CodeCarbon's emissions.csv: one row each time that a tracker flushes, with the sums since it
// started; energies in kWh, powers in W (codecarbon/output_methods/emissions_data.py and file.py).
//   timestamp,project_name,run_id,duration,emissions,...,gpu_energy,ram_energy,energy_consumed,...
// The first versions called the run's id experiment_id, and had no power. emissions_*_*.csv has a
// row per task (task_name).

namespace scalelaw::codecarbon {
namespace {

constexpr double kJoulesPerKwh = 3.6e6;

enum Column {
  kTimestamp,
  kProject,
  kTask,
  kRunId,
  kExperiment,
  kDuration,
  kEmissions,
  kEnergy,
  kGpuEnergy,
  kCpuEnergy,
  kRamEnergy,
  kGpus,
  kGpuModel,
  kCpus,
  kPue,
  kMode,
  kCountry,
  kColumns
};
constexpr std::string_view kNames[kColumns] = {
    "timestamp", "project_name",    "task_name",  "run_id",        "experiment_id",   "duration",
    "emissions", "energy_consumed", "gpu_energy", "cpu_energy",    "ram_energy",      "gpu_count",
    "gpu_model", "cpu_count",       "pue",        "tracking_mode", "country_iso_code"};

struct CodecarbonLayout : HeaderPlaces<kColumns> {
  using HeaderPlaces::HeaderPlaces;

  bool has(Column column) const { return place[column] != kNowhere; }
};

std::optional<CodecarbonLayout> codecarbon_layout(std::string_view header) {
  const CodecarbonLayout layout(header, kNames);
  for (const Column needed : {kTimestamp, kDuration, kEmissions, kEnergy}) {
    if (!layout.has(needed)) return std::nullopt;
  }
  const bool is_named = layout.has(kProject) || layout.has(kRunId) || layout.has(kExperiment);
  return is_named ? std::optional(layout) : std::nullopt;
}

bool recognises(std::string_view head) { return codecarbon_layout(first_line(head)).has_value(); }

/// The file's name, with its folder: every run may have a file of the same name.
std::string file_name(const std::string& path) {
  const std::string stem = origin_by_stem(path).job;
  const std::string folder =
      path == "-" ? "" : std::filesystem::path(path).parent_path().filename().string();
  return folder.empty() ? stem : folder + "/" + stem;
}

/// The row of a run that says most: the last one.
struct CodecarbonRun {
  std::string id;
  std::optional<double> start_s = {};  ///< When its tracker started.
  double seconds = -1;
  RowFacts facts = {};
  bool has_id = false;  ///< The id is the run's own, and not made of its file's name.
};

class EmissionsReader {
 public:
  EmissionsReader(const std::string& path, TraceNotes& notes)
      : name_(file_name(path)), lines_(path, notes) {}

  std::vector<JobRecord> read() {
    const std::string header(lines_.next().value_or(""));
    const auto layout = codecarbon_layout(trimmed(header));
    if (!layout) {
      throw ParseError(lines_.name(), 1, "expected the header of CodeCarbon's emissions.csv");
    }
    layout_ = *layout;
    while (const auto line = lines_.next()) take_line(*line, header);
    if (runs_.empty()) throw DataError(fmt::format("{}: no run in it", lines_.name()));
    std::vector<JobRecord> records;
    for (CodecarbonRun& run : runs_) {
      // Without an id, a row that another file has to the last digit is a copy.
      std::string id = run.id;
      if (!run.has_id) {
        id.clear();
        for (const auto& [name, text] : run.facts) id += name + '\x1f' + text + '\x1f';
      }
      RunIdentity identity{.system = "codecarbon", .id = std::move(id)};
      if (!run.has_id && !run.start_s) identity = {};
      records.push_back(
          {.job = run.id, .facts = std::move(run.facts), .identity = std::move(identity)});
    }
    return records;
  }

 private:
  void take_line(std::string_view line, std::string_view header) {
    if (trimmed(line).empty()) return;
    if (line == header) return lines_.note(TraceOddity::kRepeatedHeader, "");
    tokenize(line, ',', raw_);
    // Rows that a newer version appended may lack columns without a value: then nothing tells
    // which.
    if (raw_.size() != layout_.fields) return lines_.note_left_out(line);
    fields_.resize(raw_.size());
    for (std::size_t i = 0; i < raw_.size(); ++i) {
      if (field_defect(raw_[i])) return lines_.note(TraceOddity::kForeignLine, line);
      fields_[i] = trimmed(field_text(raw_[i], scratch_));
    }
    const auto seconds = number(kDuration);
    if (!seconds) return lines_.note(TraceOddity::kForeignLine, line);
    CodecarbonRun& run = run_of_row(*seconds);
    if (*seconds < run.seconds) return;
    run.seconds = *seconds;
    run.facts = facts();
  }

  std::string_view text(Column column) const {
    return layout_.has(column) ? std::string_view(fields_[layout_.place[column]])
                               : std::string_view();
  }

  std::optional<double> number(Column column) {
    const std::string_view cell = text(column);
    if (cell.empty() || is_missing(cell)) return std::nullopt;
    const auto value = parse_number(cell);
    if (!value) lines_.note(TraceOddity::kBadCell, cell);
    return value;
  }

  std::optional<double> joules(Column column) {
    auto energy = number(column);
    if (energy) *energy *= kJoulesPerKwh;
    return energy;
  }

  /// The run's own id. The first versions have only experiment_id; later that is the same for all
  /// runs.
  std::string own_id() const {
    std::string id(text(layout_.has(kRunId) ? kRunId : kExperiment));
    if (is_missing(id)) id.clear();
    if (!id.empty() && !text(kTask).empty()) id += fmt::format("-{}", text(kTask));
    return id;
  }

  /// Rows without an id are of one run if their trackers started at one time: within two seconds,
  /// because time stamps are in whole ones.
  CodecarbonRun& run_of_row(double seconds) {
    constexpr double kNearS = 2;
    const std::string id = own_id();
    if (!id.empty()) {
      const auto [place, is_new] = by_id_.try_emplace(id, runs_.size());
      if (is_new) runs_.push_back({.id = id, .has_id = true});
      return runs_[place->second];
    }
    const std::string project(text(kProject));
    std::optional<double> start;
    if (const auto now = parse_date_time(text(kTimestamp).substr(0, 19))) {
      start = static_cast<double>(*now) / 1e9 - seconds;
    }
    std::map<double, std::size_t>& by_start = by_start_[project];
    if (start) {
      const auto known = by_start.lower_bound(*start - kNearS);
      if (known != by_start.end() && known->first <= *start + kNearS) return runs_[known->second];
      by_start.emplace(*start, runs_.size());
    }
    runs_.push_back({fmt::format("{}-{}", name_, lines_.line_number()), start});
    return runs_.back();
  }

  RowFacts facts() {
    const auto seconds = number(kDuration);
    const auto gpus = number(kGpus);
    const auto gpu_energy = joules(kGpuEnergy);
    std::optional<double> watts;
    if (gpus && *gpus > 0 && gpu_energy && *gpu_energy > 0 && *seconds > 0) {
      watts = *gpu_energy / *seconds / *gpus;
    }
    RowFacts facts;
    const auto always = [&](const char* name, std::string text) {
      facts.emplace_back(name, std::move(text));
    };
    // What this version of CodeCarbon does not write makes no column.
    const auto add = [&](const char* name, Column column, std::string text) {
      if (layout_.has(column)) always(name, std::move(text));
    };
    const auto add_text = [&](const char* name, Column column) {
      add(name, column, std::string(text(column)));
    };
    add_text("project", kProject);
    add_text("task", kTask);
    always("gpus", gpus && *gpus > 0 ? exact_text(gpus) : "");
    add_text("gpu_type", kGpuModel);
    add("cpus", kCpus, exact_text(number(kCpus)));
    always("duration_s", exact_text(seconds));
    always("energy_j", exact_text(joules(kEnergy)));
    always("gpu_energy_j", exact_text(gpu_energy));
    add("cpu_energy_j", kCpuEnergy, exact_text(joules(kCpuEnergy)));
    add("ram_energy_j", kRamEnergy, exact_text(joules(kRamEnergy)));
    always("power_mean_w", exact_text(watts));
    always("emissions_kg", exact_text(number(kEmissions)));
    add("pue", kPue, exact_text(number(kPue)));
    add_text("tracking_mode", kMode);
    add_text("country", kCountry);
    add_text("end_time", kTimestamp);
    return facts;
  }

  std::string name_;
  NotedFile lines_;
  CodecarbonLayout layout_;
  std::vector<std::string_view> raw_;
  std::vector<std::string> fields_;
  std::string scratch_;
  std::vector<CodecarbonRun> runs_;
  std::map<std::string, std::size_t> by_id_;
  std::map<std::string, std::map<double, std::size_t>> by_start_;  ///< Of each project.
};

std::vector<JobRecord> read_records(const std::string& path, const TraceOptions&,
                                    TraceNotes& notes) {
  return EmissionsReader(path, notes).read();
}

/// An older or trimmed table that has the columns but not the ids.
std::string missing(std::string_view head) {
  const std::vector<std::string_view> names = trimmed_fields(first_line(head));
  const bool is_like = place_of(names, "emissions") != kNowhere &&
                       place_of(names, "duration") != kNowhere &&
                       place_of(names, "country_name") != kNowhere;
  return is_like ? "the columns timestamp, energy_consumed or run_id are missing" : "";
}

}  // namespace
}  // namespace scalelaw::codecarbon

namespace scalelaw {

const TraceFormat kCodeCarbon{.name = "codecarbon",
                              .title = "CodeCarbon emissions.csv",
                              .recognises = codecarbon::recognises,
                              .read_records = codecarbon::read_records,
                              .missing = codecarbon::missing};

}  // namespace scalelaw
