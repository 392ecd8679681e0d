#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"
#include "trace/mllog_events.hpp"

// MLPerf Training logs, as in mlcommons' repositories training_results_<round>. Each run has a
// result file, <submitter>/results/<system>/<benchmark>/result_<n>.txt. <submitter>/systems
// describes the system, and power/result_<n> beside the result has power logs.

namespace scalelaw::mllog {
namespace {

namespace fs = std::filesystem;

// --- The result file ---

/// Parts of a run that a log opens and closes by a number: epochs, or blocks of epochs.
class Stretches {
 public:
  void open(const json& number, std::int64_t time_ns, std::optional<double> epochs) {
    if (epochs && *epochs > 0) open_[text_of(number)] = {time_ns, *epochs};
  }
  void close(const json& number, std::int64_t time_ns) {
    const auto found = open_.find(text_of(number));
    if (found == open_.end()) return;
    if (time_ns >= found->second.time_ns) {
      epochs_ += found->second.epochs;
      nanoseconds_ += static_cast<double>(time_ns - found->second.time_ns);
    }
    open_.erase(found);
  }
  bool empty() const { return epochs_ == 0; }
  double epochs() const { return epochs_; }
  double seconds_per_epoch() const { return nanoseconds_ / (1e9 * epochs_); }

 private:
  struct Open {
    std::int64_t time_ns;
    double epochs;
  };
  std::map<std::string, Open> open_;
  double epochs_ = 0;
  double nanoseconds_ = 0;
};

struct ResultLog {
  std::optional<std::int64_t> start_ns;  ///< Time of the first run_start.
  std::optional<std::int64_t> stop_ns;   ///< Time of the last run_stop.
  std::string status;
  std::map<std::string_view, std::string> facts;  ///< Texts and numbers by key.
  Machine entry;
  Machine system;
  Stretches epochs;
  Stretches blocks;
  bool says_something = false;  ///< The log describes a run.
  bool measures_power = false;

  bool is_power_log() const { return measures_power && !start_ns && !stop_ns; }
  bool has_run() const { return start_ns && stop_ns && *stop_ns >= *start_ns; }
  double run_nanoseconds() const { return static_cast<double>(*stop_ns - *start_ns); }
  std::string fact(std::string_view key) const {
    const auto found = facts.find(key);
    return found == facts.end() ? "" : found->second;
  }
};

void take_run(const Event& event, ResultLog& log) {
  if (event.key == "run_start" && !log.start_ns) log.start_ns = event.time_ns;
  if (event.key == "run_stop") {
    log.stop_ns = event.time_ns;
    log.status = text_of(json_member(event.metadata, "status"));
  }
}

void take_stretch(const Event& event, ResultLog& log) {
  const json& epoch = json_member(event.metadata, "epoch_num");
  const json& first_epoch = json_member(event.metadata, "first_epoch_num");
  if (event.key == "epoch_start") log.epochs.open(epoch, event.time_ns, 1);
  if (event.key == "epoch_stop") log.epochs.close(epoch, event.time_ns);
  if (event.key == "block_start") {
    log.blocks.open(first_epoch, event.time_ns,
                    json_number(json_member(event.metadata, "epoch_count")));
  }
  if (event.key == "block_stop") log.blocks.close(first_epoch, event.time_ns);
}

void take_fact(const Event& event, ResultLog& log) {
  if (event.key == "submission_entry") log.entry = machine_of_entry(text_of(event.value));
  if (event.key == kSystem) log.system = machine_of_system(event.value);
  std::string& fact = log.facts[event.key];
  const bool is_text = event.key.starts_with("submission_");
  // The first value counts, but the accuracy is that of the last evaluation.
  if (fact.empty() || event.key == "eval_accuracy" || event.key == "eval_error") {
    fact = is_text ? text_of(event.value) : number_text(event.value);
  }
}

ResultLog read_result_log(const std::string& path) {
  ResultLog log;
  for_each_event(path, [&](const Event& event) {
    (is_of_power(event.key) ? log.measures_power : log.says_something) = true;
    take_run(event, log);
    take_stretch(event, log);
    take_fact(event, log);
  });
  return log;
}

/// What a run of MLPerf HPC logs of itself.
Machine logged_machine(const ResultLog& log) {
  Machine machine{{}, parse_number(log.fact("number_of_nodes")), {}};
  const auto per_node = parse_number(log.fact("accelerators_per_node"));
  if (machine.nodes && per_node && *per_node > 0) machine.accelerators = *machine.nodes * *per_node;
  return machine;
}

/// The first description that counts the accelerators, with the first name that is told.
Machine machine_of(const Place& place, const ResultLog& log) {
  const Machine told[] = {machine_of_system_file(place.system_file), log.entry,
                          machine_of_entry_file(place.entry_file), log.system, logged_machine(log)};
  const auto* const counted = std::ranges::find_if(
      told, [](const Machine& machine) { return machine.accelerators || machine.processors; });
  const auto* const named = std::ranges::find_if(
      told, [](const Machine& machine) { return !machine.accelerator.empty(); });
  if (counted == std::end(told)) return named == std::end(told) ? Machine() : *named;
  Machine machine = *counted;
  const bool lacks_name = machine.accelerator.empty() && machine.accelerators;
  if (lacks_name && named != std::end(told)) machine.accelerator = named->accelerator;
  return machine;
}

// --- The record ---

std::string first_of(const std::string& place, const std::string& logged) {
  return place.empty() ? logged : place;
}

/// Whether some nodes of a run have a power log and others have none.
bool lacks_nodes(const RunEnergy& energy, const Machine& machine) {
  return energy.node_logs > 0 && machine.nodes &&
         static_cast<double>(energy.node_logs) < *machine.nodes;
}

/// A part of the nodes is not the whole: the energy of such a run is left empty, and the sum over
/// the nodes that are there goes by another name.
void add_energy(const RunEnergy& energy, bool is_part, JobRecord& record) {
  const auto add = [&](const char* name, std::optional<double> joules) {
    record.facts.emplace_back(name, exact_text(joules));
  };
  const std::optional<double> none;
  add("energy_j", is_part ? none : energy.nodes);
  add("energy_trapezoid_j", is_part ? none : energy.nodes_trapezoid);
  add("switch_energy_j", energy.switches);
  if (energy.node_logs == 0) return;
  record.facts.emplace_back("energy_nodes", std::to_string(energy.node_logs));
  if (is_part) add("energy_seen_j", energy.nodes);
}

JobRecord mllog_record(const std::string& path, const ResultLog& log, TraceNotes& notes) {
  const Place place = place_of(path);
  const fs::path folder = absolute_path(path).parent_path();
  const Machine machine = machine_of(place, log);
  RunEnergy energy;
  if (log.has_run()) {
    energy = read_energy(folder / "power" / origin_by_stem(path).job, *log.start_ns, *log.stop_ns);
  }
  const Stretches& epochs = log.epochs.empty() ? log.blocks : log.epochs;
  const json scaling = parse_object(small_text(folder / "scaling.json"));
  std::optional<double> minutes;
  if (log.has_run()) minutes = log.run_nanoseconds() / 60e9;
  JobRecord record{place.job,
                   {{"round", place.round},
                    {"submitter", first_of(place.submitter, log.fact("submission_org"))},
                    {"system", first_of(place.system, log.fact("submission_platform"))},
                    {"benchmark", first_of(place.benchmark, log.fact("submission_benchmark"))},
                    {"run", place.run},
                    {"status", log.stop_ns ? log.status : "incomplete"},
                    {"accelerator", machine.accelerator},
                    {"accelerators", exact_text(machine.accelerators)},
                    {"nodes", exact_text(machine.nodes)},
                    {"minutes", exact_text(minutes)},
                    {"global_batch_size", log.fact("global_batch_size")},
                    {"samples", log.fact("train_samples")},
                    {"epochs", epochs.empty() ? "" : exact_text(epochs.epochs())},
                    {"epoch_seconds", epochs.empty() ? "" : exact_text(epochs.seconds_per_epoch())},
                    {"eval_accuracy", log.fact("eval_accuracy")},
                    {"scaling_factor", number_text(json_member(scaling, "scaling_factor"))}}};
  const bool is_part = lacks_nodes(energy, machine);
  add_energy(energy, is_part, record);
  const std::string error = log.fact("eval_error");  // MLPerf HPC; others log an accuracy.
  if (!error.empty()) record.facts.emplace_back("eval_error", error);
  if (machine.processors) record.facts.emplace_back("processors", exact_text(machine.processors));
  if (!place.scaling.empty()) record.facts.emplace_back("scaling", place.scaling);
  if (is_part) {
    notes.note(TraceOddity::kPartOfNodes, 0,
               fmt::format("power logs of {} of {:g} nodes", energy.node_logs, *machine.nodes));
  }
  if (machine.processors) {
    notes.note(TraceOddity::kNoAccelerator, 0, fmt::format("{:g} processors", *machine.processors));
  }
  return record;
}

std::vector<JobRecord> read_mllog(const std::string& path, const TraceOptions&, TraceNotes& notes) {
  if (is_in_power_folder(path)) return {};
  const ResultLog log = read_result_log(path);
  if (log.is_power_log()) return {};
  if (!log.says_something) {
    throw DataError(fmt::format("{}: this MLPerf log says nothing about a run", input_name(path)));
  }
  return {mllog_record(path, log, notes)};
}

/// A log may begin with pages of other output; its first lines are then those of the harness.
bool recognises_mllog(std::string_view head) {
  constexpr std::string_view kBegins[] = {"MLLOG {", "MLPv0.", "SYSJSON {", "DLPAL "};
  for (std::size_t at = head.find(":::"); at != std::string_view::npos;
       at = head.find(":::", at + 1)) {
    const std::string_view rest = head.substr(at + 3);
    if (std::ranges::any_of(kBegins,
                            [&](std::string_view begin) { return rest.starts_with(begin); })) {
      return true;
    }
    if (rest.starts_with("MLL ") && rest.size() > 4 && is_digits(rest.substr(4, 1))) return true;
  }
  return false;
}

}  // namespace
}  // namespace scalelaw::mllog

namespace scalelaw {

const TraceFormat kMllog{.name = "mllog",
                         .title = "MLPerf Training log",
                         .recognises = mllog::recognises_mllog,
                         .read_records = mllog::read_mllog};

}  // namespace scalelaw
