#include "trace/joined_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "trace/formats.hpp"
#include "trace/told_runs.hpp"

namespace scalelaw {
namespace {

/// The folders above a file, with a slash at the end.
std::string folders_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

/// Whether two runs logged the same; an empty cell is NaN, so that bytes are compared.
bool has_same_steps(const StepTable& a, const StepTable& b) {
  return a.names == b.names && a.cells.size() == b.cells.size() &&
         (a.cells.empty() ||
          std::memcmp(a.cells.data(), b.cells.data(), a.cells.size() * sizeof(double)) == 0);
}

/// Whether a record is of a scheduler.
bool is_account(const JobRecord& record) { return record.identity.system == "sacct"; }

using PlacesOfIds = std::map<std::string_view, std::vector<std::size_t>, std::less<>>;

/// Whether a row tells of a run that still went on.
bool goes_on(const JobRecord& record) {
  const std::string_view status = fact_in(record.facts, "status");
  return status == "running" || status == "scheduled";
}

RowRank rank_of(const JobRecord& record) {
  return rank_of_row(record.facts, !goes_on(record), record.values);
}

/// Puts the steps of the earlier start of a run before those of the later one.
void put_before(const StepTable& earlier, StepTable& later) {
  if (later.rows() == 0) later = earlier;
  if (earlier.rows() == 0 || !(earlier.cells.front() < later.cells.front())) return;
  StepTable joined{.names = later.names};
  std::vector<std::size_t> places;
  for (const std::string& name : earlier.names) {
    places.push_back(place_of(joined.names, name));
    if (places.back() != kNowhere) continue;
    places.back() = joined.names.size();
    joined.names.push_back(name);
  }
  const auto add_row = [&](const StepTable& table, std::size_t row, const auto& place) {
    const std::size_t begin = joined.cells.size();
    joined.cells.resize(begin + joined.names.size(), Sample::kNone);
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      joined.cells[begin + place(i)] = table.cells[row * table.names.size() + i];
    }
  };
  for (std::size_t row = 0; row < earlier.rows(); ++row) {
    if (!(earlier.cells[row * earlier.names.size()] < later.cells.front())) break;
    add_row(earlier, row, [&](std::size_t i) { return places[i]; });
  }
  for (std::size_t row = 0; row < later.rows(); ++row) {
    add_row(later, row, [](std::size_t i) { return i; });
  }
  later = std::move(joined);
}

std::string words_of(const JobRecord& record) {
  return fmt::format("{}: {}", input_name(record.source), scalelaw::quoted(record.job));
}

/// Fills cells with what another row of the same run says: not those of a job that it contradicts.
/// An empty one may be that of a loss that was lost, which the state before it does not know.
void fill_from(const JobRecord& other, JobRecord& row, OddityCount& contradictions) {
  const auto found =
      is_account(row) ? contradictions_of(row.facts, other.facts) : std::vector<Contradiction>();
  for (const Contradiction& cell : found) {
    contradictions.add(fmt::format("{}: {} is {}, and {} in the row that counts", words_of(other),
                                   cell.name, scalelaw::quoted(cell.other),
                                   scalelaw::quoted(cell.counts)));
  }
  if (found.empty()) fill_row(row.facts, other.facts, row.lost_losses == 0);
  put_before(other.steps, row.steps);
}

/// Sentences on rows whose runs are not told by one rule.
std::vector<std::string> warnings_of(const OddityCount& contradictions,
                                     const OddityCount& undecided) {
  std::vector<std::string> warnings;
  if (contradictions.count > 0) {
    warnings.push_back(fmt::format("accounts of jobs contradict each other {}, the first: {}",
                                   counted(contradictions.count, "time"), contradictions.first));
  }
  if (undecided.count > 0) {
    warnings.push_back(fmt::format(
        "{} may be one of several jobs with its id in other files, the first: {}; nothing tells "
        "which, and each is a row of its own. Accounts with Submit and Cluster tell",
        counted(undecided.count, "row"), undecided.first));
  }
  return warnings;
}

/// Gives the jobs of one id the endings "-2", "-3", in the order in which they were submitted.
void number_jobs_of_one_id(std::vector<JobRecord>& records) {
  std::map<std::string_view, std::vector<JobRecord*>> jobs;
  for (JobRecord& record : records) {
    if (is_account(record)) jobs[record.identity.id].push_back(&record);
  }
  for (auto& [id, of_id] : jobs) {
    std::ranges::stable_sort(of_id, {}, [](const JobRecord* record) {
      const RunIdentity& run = record->identity;
      return std::tuple(time_of(run), std::string_view(run.submitted),
                        std::string_view(run.started));
    });
    for (std::size_t i = 1; i < of_id.size(); ++i) {
      of_id[i]->job = fmt::format("{}-{}", id, i + 1);
    }
  }
}

/// Adds the facts of an account to the record of its log.
void add_account(const JobRecord& account, JobRecord& log) {
  for (const auto& [name, text] : account.facts) {
    const bool is_of_job = name == "status" || name == "duration_s" || name == "energy_j";
    const auto known = find_fact(log.facts, name);
    if (is_of_job || (known != log.facts.end() && !known->second.empty())) {
      const bool is_told = !is_of_job && (text.empty() || known->second == text);
      if (!is_told && find_fact(log.facts, "job_" + name) == log.facts.end()) {
        log.facts.emplace_back("job_" + name, text);
      }
    } else if (known != log.facts.end()) {
      known->second = text;
    } else {
      log.facts.emplace_back(name, text);
    }
  }
}

/// The account of a log's job among those of its id, which may come again; empty if nothing tells
/// which it is, or if it makes no row.
std::optional<std::size_t> account_of_log(const JobRecord& log,
                                          const std::vector<JobRecord>& records,
                                          const std::vector<std::size_t>& accounts,
                                          const std::vector<JobOfId>& left_out) {
  std::vector<JobOfId> jobs;
  for (const std::size_t place : accounts) {
    jobs.push_back(job_of_row(records[place].facts, records[place].identity));
  }
  jobs.insert(jobs.end(), left_out.begin(), left_out.end());
  std::vector<std::size_t> fitting = jobs_of_log(fact_in(log.facts, "gpus"), jobs);
  std::erase_if(fitting, [&](std::size_t place) { return place >= accounts.size(); });
  return fitting.size() == 1 ? std::optional(accounts[fitting.front()]) : std::nullopt;
}

/// A run whose number of GPUs its record has a place for, and nothing states.
bool lacks_gpus(const JobRecord& record, const JobFacts& facts) {
  bool has_place = false;
  for (const auto& [name, text] : record.facts) {
    if (is_gpu_count(name) && !text.empty()) return false;
    has_place |= name == "gpus";
  }
  return has_place && !stated_gpus(facts, record.job);
}

/// Whether a trainer divides its batches over all GPUs, as far as its log tells.
bool is_data_parallel(JobRecord& record) {
  const auto framework = find_fact(record.facts, "framework");
  if (framework == record.facts.end()) return false;
  if (framework->second == "Transformers") return true;
  const auto is_one = [&](std::string_view name) {
    const auto size = find_fact(record.facts, name);
    return size == record.facts.end() || size->second.empty() || size->second == "1";
  };
  return framework->second == "DeepSpeed" && is_one("tensor_parallel") &&
         is_one("pipeline_parallel");
}

constexpr Moments DeviceFigures::*kMoments[] = {&DeviceFigures::sm_util, &DeviceFigures::mem_util,
                                                &DeviceFigures::mem_used, &DeviceFigures::power};

bool is_same_device(const DeviceRow& a, const DeviceRow& b) {
  return !a.node.empty() && a.job == b.job && a.node == b.node && a.gpu == b.gpu;
}

bool is_copy(const DeviceFigures& a, const DeviceFigures& b) {
  return a.samples == b.samples && a.first_ns == b.first_ns && a.last_ns == b.last_ns &&
         a.energy_j == b.energy_j && std::ranges::all_of(kMoments, [&](auto moments) {
           return (a.*moments).count() == (b.*moments).count() &&
                  (a.*moments).mean() == (b.*moments).mean();
         });
}

/// Whether each quantity was measured in one of them only.
bool complement(const DeviceFigures& a, const DeviceFigures& b) {
  return !(a.energy_j && b.energy_j) && std::ranges::all_of(kMoments, [&](auto moments) {
    return (a.*moments).count() == 0 || (b.*moments).count() == 0;
  });
}

void merge_quantities(DeviceFigures& to, const DeviceFigures& from) {
  for (const auto moments : kMoments) (to.*moments).merge(from.*moments);
  to.dropped += from.dropped;
  to.trimmed += from.trimmed;
  to.longest_interval_s = std::max(to.longest_interval_s, from.longest_interval_s);
  if (!to.period_s) to.period_s = from.period_s;
}

void join_complement(DeviceFigures& to, const DeviceFigures& from) {
  const bool has_energy = from.energy_j.has_value() || from.power.count() > 0;
  merge_quantities(to, from);
  to.samples = std::max(to.samples, from.samples);
  to.first_ns = std::min(to.first_ns, from.first_ns);
  to.last_ns = std::max(to.last_ns, from.last_ns);
  if (has_energy) to.gap_s = from.gap_s;
  if (!to.energy_j) to.energy_j = from.energy_j;
}

/// Joins the part that follows in time. What lies between them is a gap.
void join_later(DeviceFigures& to, const DeviceFigures& later) {
  const double between_s = seconds_between(to.last_ns, later.first_ns);
  merge_quantities(to, later);
  to.longest_interval_s = std::max(to.longest_interval_s, between_s);
  to.samples += later.samples;
  to.last_ns = later.last_ns;
  to.gap_s += later.gap_s + between_s;
  if (later.energy_j) to.energy_j = to.energy_j.value_or(0) + *later.energy_j;
}

/// Joins `from` to `to` if that can be done.
bool join(DeviceRow& to, DeviceRow& from) {
  DeviceFigures& a = to.figures;
  DeviceFigures& b = from.figures;
  if (is_copy(a, b)) {
    a.dropped += b.samples;
  } else if (a.samples > 0 && b.samples > 0 && b.first_ns > a.last_ns) {
    join_later(a, b);
  } else if (a.samples > 0 && b.samples > 0 && a.first_ns > b.last_ns) {
    std::swap(a, b);
    join_later(a, b);
  } else if (complement(a, b)) {
    join_complement(a, b);
  } else {
    return false;
  }
  return true;
}

}  // namespace

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
    const bool is_told = folders_of(first) != folders_of(last) && folders.size() >= shared;
    if (!is_told) {
      record.job = record.file.substr(shared) + ':' + record.job;
      continue;
    }
    const std::string above = folders.substr(shared);
    // The folders may name the run already: lightning_logs/version_0.
    record.job =
        above.ends_with(record.job + '/') ? above.substr(0, above.size() - 1) : above + record.job;
  }
}

void drop_repeated_records(std::vector<JobRecord>& records) {
  const auto same = [](const JobRecord& a, const JobRecord& b) {
    return a.job == b.job && a.facts == b.facts && has_same_steps(a.steps, b.steps);
  };
  std::vector<JobRecord> kept;
  for (JobRecord& record : records) {
    bool is_new = true;
    for (auto it = kept.rbegin(); it != kept.rend() && it->job == record.job; ++it) {
      is_new = is_new && !same(*it, record);
    }
    if (is_new) kept.push_back(std::move(record));
  }
  records = std::move(kept);
}

KeptRows keep_latest_rows(std::vector<JobRecord>& records, const std::vector<LeftOut>& left_out) {
  ToldRuns failed;
  for (const LeftOut& one : left_out) {
    if (one.run.why == TraceOddity::kFailedRun) failed.add(one.run.identity, "");
  }
  OddityCount repeated;
  ToldRuns told;
  std::vector<std::vector<JobRecord>> rows_of_run;
  std::vector<std::size_t> place_of_run;
  std::vector<JobRecord> kept;
  for (JobRecord& record : records) {
    if (!record.identity.is_known()) {
      kept.push_back(std::move(record));
      continue;
    }
    if (goes_on(record) && failed.has_surely(record.identity)) {
      repeated.add(words_of(record) + ", which failed later");
      continue;
    }
    const std::size_t run = told.add(record.identity, record.source);
    if (run == rows_of_run.size()) {
      rows_of_run.emplace_back();
      place_of_run.push_back(kept.size());
      kept.emplace_back();
    }
    rows_of_run[run].push_back(std::move(record));
  }
  OddityCount contradictions;
  OddityCount undecided;
  for (const std::size_t run : told.undecided()) undecided.add(words_of(rows_of_run[run].front()));
  for (std::size_t run = 0; run < rows_of_run.size(); ++run) {
    std::vector<JobRecord>& rows = rows_of_run[run];
    std::ranges::stable_sort(rows, std::greater{}, rank_of);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const bool is_of_file = rows[i].source == rows[0].source;
      repeated.add(words_of(rows[i]) + (is_of_file
                                            ? ""
                                            : fmt::format(", of which {} has the row that counts",
                                                          input_name(rows[0].source))));
      fill_from(rows[i], rows[0], contradictions);
    }
    kept[place_of_run[run]] = std::move(rows[0]);
  }
  records = std::move(kept);
  number_jobs_of_one_id(records);
  return {std::move(repeated), warnings_of(contradictions, undecided)};
}

OddityCounts counts_of_left_out(const std::vector<LeftOut>& left_out,
                                const std::vector<JobRecord>& records) {
  ToldRuns rows;
  for (const JobRecord& record : records) {
    if (record.identity.is_known()) rows.add(record.identity, record.source);
  }
  ToldRuns others;
  OddityCounts counts;
  const auto count = [&](TraceOddity oddity, const LeftOut& one) { counts[oddity].add(one.place); };
  for (const LeftOut& one : left_out) {
    const RunIdentity& run = one.run.identity;
    if (one.run.why != TraceOddity::kFailedRun) continue;
    const std::size_t known = others.size();
    const bool is_told =
        run.is_known() && (rows.has_surely(run) || others.add(run, one.file) < known);
    count(is_told ? TraceOddity::kRepeatedRun : one.run.why, one);
  }
  for (const LeftOut& one : left_out) {
    const RunIdentity& run = one.run.identity;
    if (one.run.why == TraceOddity::kFailedRun) continue;
    const bool is_told = run.is_known() && (rows.has_perhaps(run) || others.has_perhaps(run));
    if (run.is_known() && !is_told) others.add(run, one.file);
    count(is_told ? TraceOddity::kRepeatedRun : one.run.why, one);
  }
  return counts;
}

std::string join_accounts(std::vector<JobRecord>& records, const std::vector<LeftOut>& left_out) {
  PlacesOfIds accounts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (is_account(records[i])) accounts[records[i].identity.id].push_back(i);
  }
  PlacesOfIds logs;
  for (std::size_t i = 0; i < records.size() && !accounts.empty(); ++i) {
    if (records[i].file.empty()) continue;
    const auto is_known = [&](std::string_view id) { return accounts.contains(id); };
    const std::string_view id = job_in_name(records[i].job, is_known);
    // The key is a text of the account, which stays where it is.
    if (!id.empty()) logs[accounts.find(id)->first].push_back(i);
  }
  std::map<std::string_view, std::vector<JobOfId>> jobs_left_out;
  for (const LeftOut& one : left_out) {
    const RunIdentity& run = one.run.identity;
    if (run.system != "sacct") continue;
    jobs_left_out[run.id].push_back(
        {.gpus = run.gpus, .has_run = !run.duration_s.empty(), .time = time_of(run)});
  }
  std::vector<bool> is_joined(records.size(), false);
  OddityCount without;
  for (const auto& [id, places] : logs) {
    if (places.size() != 1) continue;
    JobRecord& log = records[places.front()];
    const auto place = account_of_log(log, records, accounts.find(id)->second, jobs_left_out[id]);
    if (place) {
      add_account(records[*place], log);
      is_joined[*place] = true;
    } else {
      without.add(log.job);
    }
  }
  accounts.clear();  // Their keys are texts of the records.
  std::erase_if(records, [&](const JobRecord& record) {
    return is_joined[static_cast<std::size_t>(&record - records.data())];
  });
  return without.count == 0 ? "" : words_on_logs_without_account(without.count, without.first);
}

void join_records(const std::vector<DeviceRow>& devices, std::vector<JobRecord>& records,
                  JobFacts& facts) {
  std::set<std::string, std::less<>> traced;
  for (const DeviceRow& device : devices) traced.insert(device.job);
  for (const JobRecord& record : records) {
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
  std::erase_if(records, [&](const JobRecord& record) { return traced.contains(record.job); });
}

std::string fill_gpus_of_batches(std::vector<JobRecord>& records, const JobFacts& facts) {
  OddityCount computed;
  for (JobRecord& record : records) {
    const auto devices = find_fact(record.facts, "data_parallel");
    const auto gpus = find_fact(record.facts, "gpus");
    if (!is_data_parallel(record) || devices == record.facts.end() || devices->second.empty() ||
        gpus == record.facts.end() || !lacks_gpus(record, facts)) {
      continue;
    }
    gpus->second = devices->second;
    computed.add(fmt::format("{} has {}", record.job, gpus->second));
  }
  if (computed.count == 0) return "";
  return fmt::format(
      "The GPUs of {} are computed: the total batch size over the batch per device times the "
      "accumulation steps. {}. --jobs or --name-pattern overrides it",
      counted(computed.count, "run"), computed.first);
}

std::string without_gpus(const std::vector<JobRecord>& records, const JobFacts& facts) {
  OddityCount without;
  for (const JobRecord& record : records) {
    if (lacks_gpus(record, facts)) without.add(record.job);
  }
  if (without.count == 0) return "";
  return fmt::format(
      "gpus is empty for {}, the first: {}. What the inputs do not state may come from names "
      "of files or folders (--name-pattern '{{model}}-{{gpus}}gpu') or from a table of jobs "
      "(--jobs)",
      counted(without.count, "run"), without.first);
}

std::string join_same_devices(std::vector<DeviceRow>& devices) {
  std::vector<DeviceRow> kept;
  OddityCount overlapping;
  for (DeviceRow& device : devices) {
    const bool is_same = !kept.empty() && is_same_device(kept.back(), device);
    if (is_same && join(kept.back(), device)) continue;
    if (is_same) {
      overlapping.add(fmt::format("{}, GPU {} of {}", device.job, device.gpu, device.node));
    }
    kept.push_back(std::move(device));
  }
  devices = std::move(kept);
  if (overlapping.count == 0) return "";
  return fmt::format(
      "{} several times, from files that overlap in time and were not read together, and counts as "
      "several, the first: {}: name the files of one run only, or put them into one folder",
      overlapping.count == 1 ? "1 GPU stands" : fmt::format("{} GPUs stand", overlapping.count),
      overlapping.first);
}

}  // namespace scalelaw
