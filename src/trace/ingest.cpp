#include "scalelaw/trace/ingest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "input/folder_reader.hpp"
#include "input/same_files.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/progress.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/ingest_warnings.hpp"
#include "trace/job_facts.hpp"
#include "trace/job_table.hpp"
#include "trace/joined_records.hpp"
#include "trace/looked_at.hpp"
#include "trace/metrics.hpp"
#include "trace/name_pattern.hpp"
#include "trace/run_facts.hpp"
#include "trace/unit_bytes.hpp"
#include "trace/unit_reader.hpp"

namespace scalelaw {
namespace {

/// Whether a file lies in a tracker's folders, which keep outputs and lists of packages, too.
bool is_kept_by_tracker(const std::string& path) {
  const std::filesystem::path folders = std::filesystem::path(path).parent_path();
  static constexpr std::string_view kOfTrackers[] = {"artifacts", "mlruns", "wandb",
                                                     "lightning_logs"};
  return std::ranges::any_of(folders, [](const auto& one) { return is_one_of(one, kOfTrackers); });
}

void sort_by_gpu(std::vector<DeviceRow>& devices) {
  std::ranges::sort(devices, [](const DeviceRow& a, const DeviceRow& b) {
    if (a.job != b.job) return natural_less(a.job, b.job);
    if (a.node != b.node) return natural_less(a.node, b.node);
    return natural_less(a.gpu, b.gpu);
  });
}

/// One call of ingest(): everything it reads, in the order of the files' paths.
class Ingestion {
 public:
  explicit Ingestion(const IngestOptions& options)
      : options_(options), threads_(thread_count(options.threads)), ranks_(options.ranks) {
    if (!options.trace.name_pattern.empty()) names_.emplace(options.trace.name_pattern);
  }

  IngestResult run(std::span<const std::string> inputs) {
    const std::vector<std::string> paths = shared_paths(ranks_, [&] {
      check_job_tables(options_.jobs);
      stored_only_ = inputs.empty() && options_.memory != nullptr;
      return stored_only_ ? std::vector<std::string>() : traces_of(inputs);
    });
    const std::vector<Unit> units = unread(units_of(paths));
    if (ranks_ != nullptr && !ranks_->leads()) {
      progress_.emplace();
    } else if (options_.progress && isatty(STDERR_FILENO) != 0) {
      const std::uint64_t readings = options_.idle_below_pct ? 2 : 1;
      std::uint64_t bytes = 0;
      std::uint64_t files = 0;
      for (const Unit& unit : units) {
        bytes += readings * unit.bytes;
        files += readings * unit.files.size();
      }
      progress_.emplace("reading", bytes, files);
    }
    if (options_.idle_below_pct) find_windows(units);
    read_units(units);
    if (ranks_ != nullptr && !ranks_->leads()) ranks_->await_end();
    progress_.reset();
    finish();
    result_.counts.files -= result_.counts.read_again;
    result_.counts.bytes -= bytes_read_again_;
    return std::move(result_);
  }

 private:
  /// The files, except tables of jobs among them.
  std::vector<std::string> traces_of(std::span<const std::string> inputs) {
    named_ = {inputs.begin(), inputs.end()};
    FolderFindings findings;
    std::vector<std::string> paths =
        expand_inputs(inputs, FolderFiles::kTraces, &findings, NamedTwice::kTold);
    result_.bad_files = std::move(findings.unreadable);
    const RealPaths real;
    std::set<std::string> tables;
    for (const std::string& table : options_.jobs) tables.insert(real.of(table));
    for (const std::string& path : options_.leave_out) tables.insert(real.of(path));
    const auto is_table = [&](const std::string& path) {
      return path != "-" && tables.contains(real.of(path));
    };
    std::erase_if(paths, is_table);
    std::erase_if(findings.passed_over, is_table);
    if (auto note = note_on_passed_over(findings.passed_over)) {
      result_.notes.push_back(*std::move(note));
    }
    return paths;
  }

  /// What the memory knows about the files; only the leader has one.
  std::vector<LookedAt> known_files(const std::vector<std::string>& paths) const {
    std::vector<LookedAt> known(paths.size());
    if (options_.memory == nullptr) return known;
    parallel_for(threads_, paths.size(), [&](std::size_t i, int /*worker*/) {
      known[i] = known_file(paths[i], *options_.memory);
    });
    return known;
  }

  std::vector<LookedAt> looked_at(const std::vector<std::string>& paths) {
    std::vector<LookedAt> looked = same_on_all_ranks(known_files(paths));
    std::vector<std::size_t> unknown;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (looked[i].format == nullptr) unknown.push_back(i);
    }
    if (ranks_ != nullptr) {
      std::vector<std::string> to_read;
      for (const std::size_t i : unknown) to_read.push_back(paths[i]);
      refuse_different_traces(*ranks_, to_read, threads_);
    }
    const auto hear = [&](std::size_t piece, std::string_view bytes) {
      looked[unknown[piece]] = read_from<LookedAt>(bytes);
    };
    share_pieces(
        std::vector<std::uint64_t>(unknown.size()),
        [&](std::size_t piece) {
          looked[unknown[piece]] = look_at(paths[unknown[piece]], options_);
        },
        [&](std::size_t piece) { return written(looked[unknown[piece]]); }, hear);
    return same_on_all_ranks(std::move(looked));
  }

  /// Distributes what the leader found.
  std::vector<LookedAt> same_on_all_ranks(std::vector<LookedAt> looked) {
    if (ranks_ == nullptr) return looked;
    return read_from<std::vector<LookedAt>>(ranks_->broadcast(written(looked)));
  }

  /// Calls work(i) for every i, large ones first. Ranks share the work if there are several: they
  /// send what they found with `say`, and the leader takes it with `hear`.
  template <class Work, class Say, class Hear>
  void share_pieces(const std::vector<std::uint64_t>& sizes, const Work& work, const Say& say,
                    const Hear& hear) {
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return sizes[i]; });
    if (ranks_ == nullptr) {
      return parallel_for(threads_, order.size(),
                          [&](std::size_t i, int /*worker*/) { work(order[i]); });
    }
    std::vector<std::uint64_t> ordered;
    for (const std::size_t i : order) ordered.push_back(sizes[i]);
    ranks_->share(
        ordered, threads_,
        [&](std::size_t i, int /*worker*/) {
          work(order[i]);
          return std::optional<std::string>(ranks_->leads() ? "" : say(order[i]));
        },
        [&](std::size_t i, const std::string& said) { hear(order[i], said); },
        progress_ ? &*progress_ : nullptr);
  }

  /// Whether a file was found in a folder, where files of other kinds have such names, too.
  bool stands_beside(const std::string& path) const {
    return (may_be_of_a_run(path) || is_kept_by_tracker(path)) && named_.count(path) == 0;
  }

  /// All units, in the order of their first files.
  std::vector<Unit> units_of(const std::vector<std::string>& paths) {
    std::vector<LookedAt> looked = looked_at(paths);
    std::vector<Unit> units;
    std::map<std::pair<std::string, std::string>, std::size_t> unit_of_node;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (looked[i].unknown && stands_beside(paths[i])) {
        ++result_.counts.other_files;
      } else if (looked[i].format == nullptr) {
        result_.bad_files.push_back(looked[i].error);
      } else if (looked[i].format->name.empty()) {
        ++result_.counts.other_files;
      } else {
        add_to_unit(units, unit_of_node, paths[i], looked[i]);
      }
    }
    return units;
  }

  void add_to_unit(std::vector<Unit>& units,
                   std::map<std::pair<std::string, std::string>, std::size_t>& unit_of_node,
                   const std::string& path, LookedAt& looked) {
    TraceFile file{path, looked.format, looked.format->origin(path), std::move(looked.opened)};
    // A file without a node is a node of its own, and so is a file of records.
    const bool alone = file.origin.node.empty() || looked.format->read_records != nullptr;
    std::string node = alone ? "\x1f" + path : file.origin.node;
    std::string job = file.origin.job;
    if (looked.format->joins_folder && path != "-") {
      node = "\x1f" + std::filesystem::path(path).parent_path().string();
      job = looked.format->name;
    }
    const bool may_be_part = looked.format->run_of_part != nullptr;
    const std::string run = may_be_part ? looked.format->run_of_part(path) : "";
    if (!run.empty()) {
      node = "\x1f" + run;
      job = looked.format->name;
    }
    const auto [place, is_new] = unit_of_node.try_emplace({job, node}, units.size());
    if (is_new) units.push_back({.job = job, .node = node});
    Unit& unit = units[place->second];
    unit.files.push_back(std::move(file));
    unit.bytes += looked.bytes;
    ++result_.counts.files;
    result_.counts.bytes += looked.bytes;
  }

  /// The units that must be read; the memory provides the others.
  std::vector<Unit> without_known(std::vector<Unit> units) {
    if (options_.memory == nullptr) return units;
    std::vector<Unit> unread;
    for (Unit& unit : units) {
      const std::size_t files = unit.files.size();
      try {
        auto known = options_.memory->recall(unit);
        if (known) {
          count_as_unchanged(unit, *known);
        } else {
          if (unit.has_records() && options_.memory->knows(unit)) note_as_read_again(unit);
          unread.push_back(std::move(unit));
        }
      } catch (const Error& error) {
        result_.bad_files.emplace_back(error.what());
        result_.counts.files -= files;
      }
    }
    return unread;
  }

  /// What an earlier call read is not new, though it is read again.
  void note_as_read_again(const Unit& unit) {
    result_.counts.read_again += unit.files.size();
    bytes_read_again_ += unit.bytes;
  }

  void count_as_unchanged(const Unit& unit, const UnitFigures& known) {
    result_.counts.files -= unit.files.size();
    result_.counts.bytes -= unit.bytes;
    result_.counts.unchanged += unit.files.size();
    count(known, recalled_);
    add_oddities(oddities_, known.oddities);
    take_left_out(known.left_out, unit.files.front().path);
  }

  /// The same on every rank: the units that the leader's memory does not know.
  std::vector<Unit> unread(std::vector<Unit> all) {
    std::vector<Unit> units = without_known(std::move(all));
    notes_files_ = options_.memory != nullptr;
    if (ranks_ == nullptr) return units;
    notes_files_ = ranks_->broadcast(notes_files_ ? "notes" : "") == "notes";
    return notes_files_ ? scalelaw::units_of(ranks_->broadcast(bytes_of(units))) : units;
  }

  /// share_pieces() for work(index, unit).
  template <class Work, class Say, class Hear>
  void for_each_unit(const std::vector<Unit>& units, const Work& work, const Say& say,
                     const Hear& hear) {
    std::vector<std::uint64_t> sizes;
    for (const Unit& unit : units) sizes.push_back(unit.bytes);
    const auto work_and_count = [&](std::size_t index) {
      work(index, units[index]);
      if (progress_) progress_->advance(0, units[index].files.size());
    };
    share_pieces(sizes, work_and_count, say, hear);
  }

  UnitOptions unit_options() {
    TraceOptions trace = options_.trace;
    trace.steps = options_.rows == IngestRows::kStep;
    return {.trace = std::move(trace),
            .max_gap_s = options_.max_gap_s,
            .names = names_ ? &*names_ : nullptr,
            .windows = options_.idle_below_pct ? &windows_ : nullptr,
            .progress = progress_ ? &*progress_ : nullptr,
            .note_files = notes_files_};
  }

  void find_windows(const std::vector<Unit>& units) {
    std::mutex mutex;
    std::vector<BusyWindows> found(units.size());
    const auto widen = [&](const BusyWindows& by) {
      const std::lock_guard lock(mutex);
      for (const auto& [job, window] : by) windows_[job].widen(window);
    };
    const auto find = [&](std::size_t index, const Unit& unit) {
      if (unit.has_records()) return;
      find_busy_windows(unit.files, unit_options(), *options_.idle_below_pct, found[index]);
      widen(found[index]);
    };
    const auto say = [&](std::size_t index) { return bytes_of(std::exchange(found[index], {})); };
    const auto hear = [&](std::size_t, std::string_view said) { widen(busy_windows_of(said)); };
    for_each_unit(units, find, say, hear);
    if (ranks_ != nullptr) windows_ = busy_windows_of(ranks_->broadcast(bytes_of(windows_)));
  }

  /// Reads the figures of each unit, anywhere. The result depends on their order alone.
  void read_units(const std::vector<Unit>& units) {
    UnitOptions how = unit_options();
    // Threads that are not needed for other files help with the long ones.
    how.trace.threads =
        std::max(1, threads_ / static_cast<int>(std::max<std::size_t>(1, units.size())));
    std::vector<UnitFigures> figures(units.size());
    const auto keep = [&](std::size_t index) {
      if (options_.memory != nullptr) options_.memory->keep(units[index], figures[index]);
    };
    const auto read = [&](std::size_t index, const Unit& unit) {
      figures[index] = read_unit(unit, how);
      keep(index);
    };
    const auto say = [&](std::size_t index) { return bytes_of(std::exchange(figures[index], {})); };
    const auto hear = [&](std::size_t index, std::string_view said) {
      figures[index] = unit_figures_of(said);
      keep(index);
    };
    for_each_unit(units, read, say, hear);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const TraceFile& first = units[i].files.front();
      folders_.add(first, figures[i].records);
      take(figures[i], first.path, first.format->joins_folder ? series_ : devices_);
    }
  }

  static void count(const UnitFigures& unit, IngestCounts& counts) {
    for (const DeviceRow& device : unit.devices) {
      counts.samples += device.figures.samples;
      counts.dropped += device.figures.dropped;
      counts.trimmed += device.figures.trimmed;
    }
  }

  void take(UnitFigures& unit, const std::string& file, std::vector<DeviceRow>& devices) {
    result_.counts.files -= unit.errors.size();
    result_.bad_files.insert(result_.bad_files.end(), unit.errors.begin(), unit.errors.end());
    count(unit, result_.counts);
    for (DeviceRow& device : unit.devices) devices.push_back(std::move(device));
    take_records(unit.records, file);
    add_oddities(oddities_, unit.oddities);
    take_left_out(std::move(unit.left_out), file);
  }

  void take_records(std::vector<JobRecord>& records, const std::string& file) {
    for (JobRecord& record : records) {
      records_.push_back(std::move(record));
      records_.back().source = file;
    }
  }

  void take_left_out(std::vector<LeftOut> left_out, const std::string& file) {
    for (LeftOut& one : left_out) {
      left_out_.push_back(std::move(one));
      left_out_.back().file = file;
    }
  }

  /// Takes everything that is kept, whichever call read it: the table is about all of it.
  void take_what_is_kept() {
    devices_.clear();
    records_.clear();
    options_.memory->for_each([&](UnitFigures&& unit) {
      std::move(unit.devices.begin(), unit.devices.end(), std::back_inserter(devices_));
      take_records(unit.records, unit.files.empty() ? "" : unit.files.front().path);
    });
  }

  JobFacts facts_of(const std::vector<std::string>& jobs) const {
    std::map<std::string, std::string, std::less<>> gpus;
    for (const JobRecord& record : records_) {
      const bool is_account = record.identity.system == "sacct";
      if (!is_account) gpus[record.job] = fact_in(record.facts, "gpus");
    }
    if (options_.memory == nullptr) {
      return options_.jobs.empty() ? JobFacts() : read_job_facts(options_.jobs, jobs, {}, gpus);
    }
    const JobFacts before = options_.memory->facts(!options_.jobs.empty());
    if (before.rows.empty() && options_.jobs.empty()) return before;
    JobFacts facts = read_job_facts(options_.jobs, jobs, before, gpus);
    if (!options_.jobs.empty()) options_.memory->keep_facts(facts);
    return facts;
  }

  void finish() {
    std::ranges::sort(result_.bad_files);
    if (options_.memory != nullptr) {
      take_what_is_kept();
    } else {
      join_series();
    }
    name_nodes_by_file(devices_);
    drop_repeated_runs();
    name_records_by_file(records_);
    sort_by_gpu(devices_);
    std::ranges::stable_sort(records_, natural_less, &JobRecord::job);
    drop_repeated_records(records_);
    if (devices_.empty() && records_.empty()) {
      if (stored_only_) return;
      refuse_nothing();
    }
    const std::string without_account = join_accounts(records_, left_out_);
    if (!without_account.empty()) result_.warnings.push_back(without_account);
    if (options_.rows == IngestRows::kStep) keep_steps_only();
    mark_deviants(devices_);
    const std::vector<std::string> jobs = job_ids();
    JobFacts facts = facts_of(jobs);
    join_records(devices_, records_, facts);
    for (std::string note :
         {fill_gpus_of_batches(records_, facts), without_gpus(records_, facts)}) {
      if (!note.empty()) result_.notes.push_back(std::move(note));
    }
    result_.counts.runs = runs_alone();
    result_.table =
        run_table(devices_, records_, facts, options_.rows, options_.idle_below_pct.has_value());
    result_.counts.jobs = jobs.size();
    add_warnings(facts);
  }

  /// Keeps one row of each run that several files tell of, and counts the others.
  void drop_repeated_runs() {
    KeptRows kept = keep_latest_rows(records_, left_out_);
    const OddityCount& repeated = kept.repeated;
    if (repeated.count > 0) add_oddities(oddities_, {{TraceOddity::kRepeatedRun, repeated}});
    std::move(kept.warnings.begin(), kept.warnings.end(), std::back_inserter(result_.warnings));
    add_oddities(oddities_, counts_of_left_out(left_out_, records_));
    for (const JobRecord& record : records_) {
      if (record.lost_losses == 0) continue;
      const std::string first =
          fmt::format("{}: {}", input_name(record.source), scalelaw::quoted(record.job));
      add_oddities(oddities_, {{TraceOddity::kLostLoss, {record.lost_losses, first}}});
    }
  }

  /// Leaves out runs without a curve.
  void keep_steps_only() {
    const std::vector<std::string> all = job_ids();
    devices_.clear();
    std::erase_if(records_, [](const JobRecord& record) { return record.steps.rows() == 0; });
    if (records_.empty()) {
      throw DataError(fmt::format(
          "--rows step: no input logs what a run did step by step ({}); logs of trainers, "
          "trainer_state.json, metrics.csv of Lightning, event files of TensorBoard, MLflow and "
          "Weights & Biases do",
          counted(all.size(), "run")));
    }
    const std::vector<std::string> left = job_ids();
    std::vector<std::string> without;
    std::set_difference(all.begin(), all.end(), left.begin(), left.end(),
                        std::back_inserter(without));
    if (without.empty()) return;
    result_.warnings.push_back(fmt::format("{} without logged steps {} left out, the first: {}",
                                           counted(without.size(), "run"),
                                           without.size() == 1 ? "was" : "were", without.front()));
  }

  /// Joins what several folders tell of one GPU of a named node, as exports of series do.
  void join_series() {
    sort_by_gpu(series_);
    const std::string overlapping = join_same_devices(series_);
    if (!overlapping.empty()) result_.warnings.push_back(overlapping);
    std::move(series_.begin(), series_.end(), std::back_inserter(devices_));
  }

  std::vector<std::string> job_ids() const {
    std::set<std::string> ids;
    for (const DeviceRow& device : devices_) ids.insert(device.job);
    for (const JobRecord& record : records_) ids.insert(record.job);
    return {ids.begin(), ids.end()};
  }

  /// How many runs have no samples.
  std::size_t runs_alone() const {
    std::set<std::string_view> ids;
    for (const JobRecord& record : records_) ids.insert(record.job);
    return ids.size();
  }

  [[noreturn]] void refuse_nothing() const {
    const std::string runs =
        count_of(oddities_, TraceOddity::kFailedRun, "run", "failed or cancelled") +
        count_of(oddities_, TraceOddity::kUnfinishedRun, "run", "not finished");
    if (result_.bad_files.empty() && !runs.empty()) {
      throw DataError("no run is left for the table" + runs);
    }
    if (result_.bad_files.empty() && result_.counts.files > 0) {
      throw DataError(fmt::format(
          "no run is left for the table: {} no steps, losses of training, results or duration of a "
          "run. If other files of the run have them, name its folder",
          result_.counts.files == 1
              ? "1 file was read and has"
              : fmt::format("{} files were read and have", result_.counts.files)));
    }
    if (result_.bad_files.empty()) {
      throw DataError(fmt::format(
          "there are no traces among the inputs: {} file{} known to hold something else",
          result_.counts.other_files, result_.counts.other_files == 1 ? " is" : "s are"));
    }
    const std::size_t more = result_.bad_files.size() - 1;
    throw DataError(result_.bad_files.front() +
                    (more > 0 ? fmt::format(" (and {} more files)", more) : std::string()));
  }

  void add_warnings(const JobFacts& facts) {
    std::vector<std::string>& warnings = result_.warnings;
    const auto add = [&](std::vector<std::string> some) {
      for (std::string& warning : some) {
        if (!warning.empty()) warnings.push_back(std::move(warning));
      }
    };
    add({repeat_warning(result_.counts.samples + recalled_.samples,
                        result_.counts.dropped + recalled_.dropped)});
    if (options_.idle_below_pct) {
      add(idle_warnings(devices_, windows_, *options_.idle_below_pct));
    }
    add(oddity_warnings(oddities_));
    add(unlogged_metrics(options_.trace.metrics, records_));
    add({failed_training_warning(records_)});
    add({folders_.warning(records_)});
    add(facts.warnings);
    add(quality_warnings(devices_, facts));
    add({implausible_power_warning(result_.table)});
  }

  const IngestOptions& options_;
  int threads_;
  std::optional<NamePattern> names_;
  Ranks* ranks_;                 ///< nullptr if this process reads everything.
  bool stored_only_ = false;     ///< Nothing is read: the table shows what the memory holds.
  bool notes_files_ = false;     ///< Some rank keeps what is read.
  std::set<std::string> named_;  ///< The names of the call.
  std::optional<Progress> progress_;
  BusyWindows windows_;
  std::vector<DeviceRow> devices_;
  std::vector<DeviceRow> series_;  ///< Those of formats that join folders, until they are joined.
  std::vector<JobRecord> records_;
  RunFolders folders_;
  OddityCounts oddities_;
  std::vector<LeftOut> left_out_;
  std::uint64_t bytes_read_again_ = 0;  ///< Of counts.read_again.
  IngestCounts recalled_;               ///< Samples of units that the memory knew.
  IngestResult result_;
};

}  // namespace

IngestResult ingest(std::span<const std::string> inputs, const IngestOptions& options) {
  if (options.format != "auto" && find_trace_format(options.format) == nullptr) {
    throw DataError(fmt::format("there is no trace format '{}'; known are {}", options.format,
                                names_of_formats()));
  }
  static_cast<void>(MetricChoices(options.trace.metrics));
  if (options.rows == IngestRows::kStep && !options.trace.metrics.empty()) {
    throw DataError(
        "--metric chooses one value per run, and --rows step gives all of them: leave one out");
  }
  return Ingestion(options).run(inputs);
}

}  // namespace scalelaw
