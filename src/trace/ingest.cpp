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
#include <tuple>
#include <utility>

#include "input/paths.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/progress.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/job_facts.hpp"
#include "trace/job_table.hpp"
#include "trace/metrics.hpp"
#include "trace/mlflow_run.hpp"
#include "trace/name_pattern.hpp"
#include "trace/same_devices.hpp"
#include "trace/unit_bytes.hpp"
#include "trace/unit_memory.hpp"
#include "trace/unit_reader.hpp"

namespace scalelaw {
namespace {

/// A file after its beginning was examined.
struct LookedAt {
  const TraceFormat* format = nullptr;  ///< nullptr if there is none; `error` says why.
  std::shared_ptr<OpenedTrace> opened;
  std::uint64_t bytes = 0;
  std::string error;
  bool unknown = false;  ///< The file can be read, and is of no known format.
};

/// What one rank tells the others of a file.
template <class Looked>
auto parts_of(Looked& at) {
  return std::tie(at.format, at.bytes, at.error, at.unknown);
}

std::string names_of_formats() {
  std::vector<std::string> names;
  for (const TraceFormat& format : trace_formats()) {
    if (!format.name.empty()) names.emplace_back(format.name);
  }
  return joined(names);
}

const TraceFormat* format_of(OpenedTrace& trace, const IngestOptions& options) {
  const TraceFormat* format = recognised_format(trace.head());
  while (format == nullptr && trace.lengthen_head()) format = recognised_format(trace.head());
  // A tree has files that are known to be no traces. They are skipped, whatever their name.
  if (format != nullptr && format->name.empty()) return format;
  if (options.format != "auto") return find_trace_format(options.format);
  const bool named_columns = !options.trace.columns.empty();
  return format == nullptr && named_columns ? find_trace_format("nvidia-smi") : format;
}

/// What the beginning of a file comes near to, with the way out; empty if nothing is near.
std::string_view near_format(std::string_view head) {
  if (head.find("| NVIDIA-SMI ") != std::string_view::npos) {
    return "this is the table that nvidia-smi draws on a screen, without times of its own; log "
           "with nvidia-smi --query-gpu=timestamp,index,power.draw,utilization.gpu --format=csv "
           "-l 1";
  }
  const std::vector<std::string_view> names = trimmed_fields(head.substr(0, head.find('\n')));
  const auto is_gpu = [](std::string_view name) {
    if (!name.starts_with("GPU") && !name.starts_with("gpu")) return false;
    name.remove_prefix(3);
    if (name.starts_with('_') || name.starts_with(' ')) name.remove_prefix(1);
    return is_digits(name);
  };
  if (names.size() > 1 && std::all_of(names.begin() + 1, names.end(), is_gpu)) {
    return "this table has a column per GPU, which does not say what was measured; write a row "
           "per GPU and time under the header timestamp, index, power.draw [W]";
  }
  return "";
}

std::string unknown_format(const std::string& path, const std::string& head) {
  if (head.empty()) return fmt::format("{}: the file is empty", input_name(path));
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) {
    return fmt::format("{}: UTF-16 text: convert it to UTF-8", input_name(path));
  }
  for (const TraceFormat& format : trace_formats()) {
    const std::string missing = format.missing == nullptr ? "" : format.missing(head);
    if (!missing.empty()) {
      return fmt::format("{}: it resembles {} ({}), but {}", input_name(path), format.name,
                         format.title, missing);
    }
  }
  const std::string_view near = near_format(without_mark(head));
  if (!near.empty()) return fmt::format("{}: {}", input_name(path), near);
  const std::string first = head.substr(0, std::min<std::size_t>(head.find('\n'), 60));
  return fmt::format(
      "{}: this is no known telemetry format: it begins with {}. Known are {}. An nvidia-smi log "
      "without a header needs --columns",
      input_name(path), scalelaw::quoted(first), names_of_formats());
}

/// Why a file of that format cannot be read in the requested way; empty if it can.
std::string why_not(const std::string& path, const OpenedTrace& opened, const TraceFormat* format,
                    bool can_be_read_twice, const IngestOptions& options) {
  if (format == nullptr) return unknown_format(path, opened.head());
  if (format->read_records != nullptr && !can_be_read_twice) {
    return fmt::format("{}: {}s must be read as files, because the files beside them count, too",
                       input_name(path), format->title);
  }
  if (format->read_samples == nullptr) return "";
  if (options.idle_below_pct && !can_be_read_twice) {
    return fmt::format("{}: --idle-below must read twice, and a pipe cannot be: save it as a file",
                       input_name(path));
  }
  if (!options.trace.job_column.empty() && !format->has_columns) {
    return fmt::format("{}: {} has no column of jobs, which --job-column asks for",
                       input_name(path), format->title);
  }
  return "";
}

/// What the memory knows about a file; empty if it does not know the file.
LookedAt known_file(const std::string& path, UnitMemory& memory) {
  LookedAt found;
  found.format = memory.known_format(path);
  if (found.format != nullptr) found.bytes = state_of_file(path).value_or(FileState{}).bytes;
  return found;
}

LookedAt look_at(const std::string& path, const IngestOptions& options) {
  LookedAt found;
  try {
    const bool can_be_read_twice = is_regular_file(path);
    if (is_mlflow_database(path)) {  // A database is known by its tables, not by its first bytes.
      found.format = find_trace_format("mlflow");
      found.bytes = state_of_file(path).value_or(FileState{}).bytes;
      return found;
    }
    if (options.memory != nullptr && !can_be_read_twice) {
      throw DataError(
          fmt::format("{}: a study store keeps files, and this is none: save it as a file, or "
                      "leave out --store",
                      input_name(path)));
    }
    auto opened = std::make_shared<OpenedTrace>(path);
    found.bytes = opened->size();
    found.format = format_of(*opened, options);
    found.unknown = found.format == nullptr;
    found.error = why_not(path, *opened, found.format, can_be_read_twice, options);
    if (!found.error.empty()) found.format = nullptr;
    if (!can_be_read_twice) found.opened = std::move(opened);
  } catch (const Error& error) {
    found.error = error.what();
  }
  return found;
}

/// Whether a file lies in a tracker's folders, which keep outputs and lists of packages, too.
bool is_kept_by_tracker(const std::string& path) {
  const std::filesystem::path folders = std::filesystem::path(path).parent_path();
  return std::any_of(folders.begin(), folders.end(), [](const std::filesystem::path& folder) {
    return folder == "artifacts" || folder == "mlruns" || folder == "wandb" ||
           folder == "lightning_logs";
  });
}

/// Files that name no node count as nodes. If a job has several, their paths distinguish them.
void name_nodes_by_file(std::vector<DeviceRow>& devices) {
  std::map<std::string, std::set<std::string>> files_of_job;
  for (const DeviceRow& device : devices) {
    if (!device.file.empty()) files_of_job[device.job].insert(device.file);
  }
  for (DeviceRow& device : devices) {
    if (device.file.empty() || files_of_job[device.job].size() < 2) continue;
    device.node = device.file;
  }
}

/// The folders above a file, with a slash at the end.
std::string folders_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

/// Jobs that are only named by their files are told apart by the folders of these: all behind the
/// last one that they share.
void name_records_by_file(std::vector<JobRecord>& records) {
  std::map<std::string, std::set<std::string>> files_of_job;
  for (const JobRecord& record : records) {
    if (!record.file.empty()) files_of_job[record.job].insert(record.file);
  }
  for (JobRecord& record : records) {
    if (record.file.empty() || files_of_job[record.job].size() < 2) continue;
    const std::set<std::string>& files = files_of_job[record.job];
    // The first and the last one in the order of names share what all share.
    const std::string& first = *files.begin();
    const std::string& last = *files.rbegin();
    const auto [end, _] = std::mismatch(first.begin(), first.end(), last.begin(), last.end());
    const std::size_t shared = folders_of(std::string(first.begin(), end)).size();
    const std::string folders = folders_of(record.file);
    const bool is_told = folders_of(first) != folders_of(last);
    record.job = is_told && folders.size() >= shared
                     ? folders.substr(shared) + record.job
                     : record.file.substr(shared) + ':' + record.job;
  }
}

void sort_by_gpu(std::vector<DeviceRow>& devices) {
  std::sort(devices.begin(), devices.end(), [](const DeviceRow& a, const DeviceRow& b) {
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
    return std::move(result_);
  }

 private:
  /// The files, except tables of jobs among them.
  std::vector<std::string> traces_of(std::span<const std::string> inputs) {
    named_ = {inputs.begin(), inputs.end()};
    std::vector<std::string> paths =
        expand_inputs(inputs, FolderFiles::kTraces, &result_.bad_files);
    const RealPaths real;
    std::set<std::string> tables;
    for (const std::string& table : options_.jobs) tables.insert(real.of(table));
    for (const std::string& path : options_.leave_out) tables.insert(real.of(path));
    std::erase_if(paths, [&](const std::string& path) {
      return path != "-" && tables.contains(real.of(path));
    });
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
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
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
          unread.push_back(std::move(unit));
        }
      } catch (const Error& error) {
        result_.bad_files.emplace_back(error.what());
        result_.counts.files -= files;
      }
    }
    return unread;
  }

  void count_as_unchanged(const Unit& unit, const UnitFigures& known) {
    result_.counts.files -= unit.files.size();
    result_.counts.bytes -= unit.bytes;
    result_.counts.unchanged += unit.files.size();
    count(known, recalled_);
    add_oddities(oddities_, known.oddities);
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
    return {.trace = options_.trace,
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
    const UnitOptions how = unit_options();
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
      take(figures[i], units[i].files.front().format->joins_folder ? series_ : devices_);
    }
  }

  static void count(const UnitFigures& unit, IngestCounts& counts) {
    for (const DeviceRow& device : unit.devices) {
      counts.samples += device.figures.samples;
      counts.dropped += device.figures.dropped;
      counts.trimmed += device.figures.trimmed;
    }
  }

  void take(UnitFigures& unit, std::vector<DeviceRow>& devices) {
    result_.counts.files -= unit.errors.size();
    result_.bad_files.insert(result_.bad_files.end(), unit.errors.begin(), unit.errors.end());
    count(unit, result_.counts);
    for (DeviceRow& device : unit.devices) devices.push_back(std::move(device));
    for (JobRecord& record : unit.records) records_.push_back(std::move(record));
    add_oddities(oddities_, unit.oddities);
  }

  /// Takes everything that is kept, whichever call read it: the table is about all of it.
  void take_what_is_kept() {
    devices_.clear();
    records_.clear();
    options_.memory->for_each([&](UnitFigures&& unit) {
      std::move(unit.devices.begin(), unit.devices.end(), std::back_inserter(devices_));
      std::move(unit.records.begin(), unit.records.end(), std::back_inserter(records_));
    });
  }

  JobFacts facts_of(const std::vector<std::string>& jobs) const {
    if (options_.memory == nullptr) {
      return options_.jobs.empty() ? JobFacts() : read_job_facts(options_.jobs, jobs);
    }
    const JobFacts before = options_.memory->facts();
    if (before.rows.empty() && options_.jobs.empty()) return before;
    JobFacts facts = read_job_facts(options_.jobs, jobs, before);
    if (!options_.jobs.empty()) options_.memory->keep_facts(facts);
    return facts;
  }

  void finish() {
    std::sort(result_.bad_files.begin(), result_.bad_files.end());
    if (options_.memory != nullptr) {
      take_what_is_kept();
    } else {
      join_series();
    }
    name_nodes_by_file(devices_);
    name_records_by_file(records_);
    sort_by_gpu(devices_);
    std::stable_sort(records_.begin(), records_.end(), [](const JobRecord& a, const JobRecord& b) {
      return natural_less(a.job, b.job);
    });
    drop_repeated_records();
    if (devices_.empty() && records_.empty()) {
      if (stored_only_) return;
      refuse_nothing();
    }
    mark_deviants(devices_);
    const std::vector<std::string> jobs = job_ids();
    JobFacts facts = facts_of(jobs);
    join_records(facts);
    result_.table =
        run_table(devices_, records_, facts, options_.rows, options_.idle_below_pct.has_value());
    result_.counts.jobs = jobs.size();
    add_warnings(facts);
  }

  /// Joins what several folders tell of one GPU of a named node, as exports of series do.
  void join_series() {
    sort_by_gpu(series_);
    const std::string overlapping = join_same_devices(series_);
    if (!overlapping.empty()) result_.warnings.push_back(overlapping);
    std::move(series_.begin(), series_.end(), std::back_inserter(devices_));
  }

  /// Several files may tell of one run in the same words: accounts of overlapping months, the two
  /// logs of a monitor.
  void drop_repeated_records() {
    const auto same = [](const JobRecord& a, const JobRecord& b) {
      return a.job == b.job && a.facts == b.facts;
    };
    std::vector<JobRecord> kept;
    for (JobRecord& record : records_) {
      bool is_new = true;
      for (auto it = kept.rbegin(); it != kept.rend() && it->job == record.job; ++it) {
        is_new = is_new && !same(*it, record);
      }
      if (is_new) kept.push_back(std::move(record));
    }
    records_ = std::move(kept);
  }

  /// A record of a job that has traces adds its columns to their rows, as a table of jobs does:
  /// accounts or a trainer's log may stand beside the traces.
  void join_records(JobFacts& facts) {
    std::set<std::string, std::less<>> traced;
    for (const DeviceRow& device : devices_) traced.insert(device.job);
    for (const JobRecord& record : records_) {
      if (!traced.contains(record.job)) continue;
      std::vector<std::string>& row = facts.rows[record.job];
      for (const auto& [name, text] : record.facts) {
        if (text.empty()) continue;
        if (!facts.column(name)) facts.names.push_back(name);
        facts.of_records.insert(name);
        row.resize(facts.names.size());
        std::string& cell = row[*facts.column(name)];
        if (cell.empty()) cell = text;
      }
    }
    for (auto& [job, row] : facts.rows) row.resize(facts.names.size());
    std::erase_if(records_, [&](const JobRecord& record) { return traced.contains(record.job); });
  }

  std::vector<std::string> job_ids() const {
    std::set<std::string> ids;
    for (const DeviceRow& device : devices_) ids.insert(device.job);
    for (const JobRecord& record : records_) ids.insert(record.job);
    return {ids.begin(), ids.end()};
  }

  /// "3 runs failed or were cancelled"; empty if there are none.
  std::string count_of(TraceOddity oddity, std::string_view noun, std::string_view words) const {
    const auto found = oddities_.find(oddity);
    if (found == oddities_.end()) return "";
    return fmt::format("; {} {}, the first at {}", counted(found->second.count, noun), words,
                       found->second.first);
  }

  [[noreturn]] void refuse_nothing() const {
    const std::string runs = count_of(TraceOddity::kFailedRun, "run", "failed or cancelled") +
                             count_of(TraceOddity::kUnfinishedRun, "run", "not finished");
    if (result_.bad_files.empty() && !runs.empty()) {
      throw DataError("no run is left for the table" + runs);
    }
    if (result_.bad_files.empty() && result_.counts.files > 0) {
      throw DataError(fmt::format(
          "no run is left for the table: {} none of its own; a run is read with its first file, so "
          "name its folder",
          result_.counts.files == 1 ? "1 file has"
                                    : fmt::format("{} files have", result_.counts.files)));
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

  /// Warns of repeated samples: a log without GPU numbers looks like a GPU that repeats itself.
  void warn_of_repeats() {
    const std::uint64_t samples = result_.counts.samples + recalled_.samples;
    const std::uint64_t dropped = result_.counts.dropped + recalled_.dropped;
    if (dropped == 0 || dropped * 10 < samples) return;
    result_.warnings.push_back(
        fmt::format("{} samples repeat the time stamp of their GPU and were left out: do the "
                    "traces say to which GPU a sample belongs?",
                    dropped));
  }

  void warn_of_idle_jobs() {
    if (!options_.idle_below_pct) return;
    std::set<std::string> unmeasured;
    for (const DeviceRow& device : devices_) {
      if (!windows_.contains(device.job)) unmeasured.insert(device.job);
    }
    std::vector<std::string> idle;
    for (const auto& [job, window] : windows_) {
      if (window.is_empty()) idle.push_back(job);
    }
    if (!unmeasured.empty()) {
      result_.warnings.push_back(
          fmt::format("{} without a utilisation: nothing was trimmed, the first: {}",
                      counted(unmeasured.size(), "job"), *unmeasured.begin()));
    }
    if (!idle.empty()) {
      result_.warnings.push_back(
          fmt::format("{} never used {} % of a GPU: nothing is left of {}, the first: {}",
                      counted(idle.size(), "job"), *options_.idle_below_pct,
                      idle.size() == 1 ? "it" : "them", idle.front()));
    }
  }

  void add_warnings(const JobFacts& facts) {
    const auto warn_of = [&](TraceOddity oddity, std::string_view one, std::string_view many) {
      const auto found = oddities_.find(oddity);
      if (found == oddities_.end()) return;
      const OddityCount& count = found->second;
      result_.warnings.push_back(fmt::format("{} {}, the first at {}", count.count,
                                             count.count == 1 ? one : many, count.first));
    };
    warn_of_repeats();
    warn_of_idle_jobs();
    warn_of(TraceOddity::kBadCell, "cell is no number and counts as not measured",
            "cells are no numbers and count as not measured");
    warn_of(TraceOddity::kForeignLine, "line is no sample and was left out",
            "lines are no samples and were left out");
    warn_of(TraceOddity::kCutLine, "last line is cut and was left out",
            "last lines are cut and were left out");
    warn_of(TraceOddity::kRepeatedHeader, "header came again", "headers came again");
    warn_of(TraceOddity::kFailedRun, "run failed or was cancelled and was left out",
            "runs failed or were cancelled and were left out");
    warn_of(TraceOddity::kUnfinishedRun, "run is not finished and was left out",
            "runs are not finished and were left out");
    warn_of(TraceOddity::kOtherStep, "step stands apart and does not count in the time of a step",
            "steps stand apart and do not count in the time of a step");
    warn_of(TraceOddity::kRepeatedLine, "line repeats a step or result, which counts once",
            "lines repeat a step or result, which counts once");
    warn_of(TraceOddity::kOtherName, "file has a name that does not fit --name-pattern",
            "files have names that do not fit --name-pattern");
    warn_of(TraceOddity::kLongText, "text has several lines or 1,000 bytes and was left out",
            "texts have several lines or 1,000 bytes and were left out");
    warn_of(TraceOddity::kLoneValue,
            "metric that --metric chooses from has only the one value of its summary",
            "metrics that --metric chooses from have only the one value of their summary");
    warn_of(TraceOddity::kDerivedRow, "result is computed from others and was left out",
            "results are computed from others and were left out");
    warn_of(TraceOddity::kDamagedRecord, "record is damaged, and what stands behind it is not read",
            "records are damaged, and what stands behind them is not read");
    const std::vector<std::string> unlogged = unlogged_metrics(options_.trace.metrics, records_);
    result_.warnings.insert(result_.warnings.end(), unlogged.begin(), unlogged.end());
    warn_of(TraceOddity::kPartOfNodes,
            "run has power logs of some of its nodes only: its energy is left empty, and "
            "energy_seen_j is that of the nodes that were logged",
            "runs have power logs of some of their nodes only: their energy is left empty, and "
            "energy_seen_j is that of the nodes that were logged");
    warn_of(TraceOddity::kNoAccelerator,
            "run had no accelerators: its column accelerators is empty, and processors counts what "
            "it ran on",
            "runs had no accelerators: their column accelerators is empty, and processors counts "
            "what they ran on");
    warn_of(TraceOddity::kAboveLimit,
            "power is more than 1.5 times what the GPU may draw: a wrong reading, or another unit?",
            "powers are more than 1.5 times what the GPU may draw: wrong readings, or another "
            "unit?");
    result_.warnings.insert(result_.warnings.end(), facts.warnings.begin(), facts.warnings.end());
    const std::vector<std::string> quality = quality_warnings(devices_, facts);
    result_.warnings.insert(result_.warnings.end(), quality.begin(), quality.end());
    const std::string power = implausible_power_warning(result_.table);
    if (!power.empty()) result_.warnings.push_back(power);
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
  OddityCounts oddities_;
  IngestCounts recalled_;  ///< Samples of units that the memory knew.
  IngestResult result_;
};

}  // namespace

IngestResult ingest(std::span<const std::string> inputs, const IngestOptions& options) {
  if (options.format != "auto" && find_trace_format(options.format) == nullptr) {
    throw DataError(fmt::format("there is no trace format '{}'; known are {}", options.format,
                                names_of_formats()));
  }
  static_cast<void>(MetricChoices(options.trace.metrics));
  return Ingestion(options).run(inputs);
}

}  // namespace scalelaw
