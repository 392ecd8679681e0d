#include "trace/job_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>

#include "base/some_of.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/table_rows.hpp"
#include "trace/formats.hpp"
#include "trace/sacct.hpp"
#include "trace/told_runs.hpp"

namespace scalelaw {
namespace {

constexpr std::array<std::string_view, 2> kIdNames{"job_id", "id_job"};
constexpr std::array<std::string_view, 6> kGpuNames{"gpus",      "num_gpus", "n_gpus",
                                                    "gpu_count", "ngpus",    "accelerators"};
constexpr std::array<std::string_view, 7> kNodeNames{
    "nodes", "num_nodes", "n_nodes", "nnodes", "node_count", "number_of_nodes", "nodes_alloc"};
/// Pairs of columns with a start and an end.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTimeNames{
    {{"start_time", "end_time"}, {"time_start", "time_end"}, {"start", "end"}}};

std::size_t id_column(const TableRows& table) {
  const auto& names = table.header().names;
  for (const std::string_view id : kIdNames) {
    const std::size_t place = place_of(names, id);
    if (place != kNowhere) return place;
  }
  throw DataError(fmt::format("{}: there is no column job_id or id_job; columns are: {}",
                              table.source(), joined(names)));
}

/// Checks the epochs of a row, if it has any.
/// @throws ParseError if they are not a number above 0.
void check_epochs(const TableRows& table, std::size_t column) {
  const std::string& text = table.fields()[column];
  if (is_missing(text)) return;
  const auto epochs = parse_number(trimmed(text));
  if (epochs && *epochs > 0) return;
  throw ParseError(table.source(), table.line(),
                   fmt::format("field {} 'epochs': expected a number above 0, found {}", column + 1,
                               scalelaw::quoted(text)));
}

/// The number of GPUs in "1=40,2=262144,4=1,5=40,1002=2"; empty if there is none.
std::optional<std::uint64_t> gpus_of_tres(std::string_view tres) {
  std::optional<std::uint64_t> gpus;
  while (!tres.empty()) {
    const std::string_view item = tres.substr(0, tres.find(','));
    tres.remove_prefix(std::min(item.size() + 1, tres.size()));
    const std::size_t equals = item.find('=');
    const std::string_view id = item.substr(0, equals);
    if (equals == std::string_view::npos || (id != "1001" && id != "1002")) continue;
    const auto count = parse_number(item.substr(equals + 1));
    if (count && *count >= 0 && *count < 1e9)
      gpus = gpus.value_or(0) + static_cast<std::uint64_t>(*count);
  }
  return gpus;
}

/// The jobs of Slurm's accounting; empty if the file is another table.
std::optional<std::vector<AccountedJob>> accounted_jobs(const std::string& path) {
  if (!is_regular_file(path)) return std::nullopt;
  constexpr std::size_t kHead = 64 << 10;
  const OpenedFile in(path);
  const std::string head = rest_of(*in.stream, kHead);
  if (!begins_as_sacct(head)) return std::nullopt;
  NoNotes unused;  // What it says beside its jobs is of no concern where only some are asked for.
  return read_sacct(*stream_of(head, in.stream.get()), in.file.name(), {}, unused);
}

/// Slurm's accounts among the tables of jobs.
struct Accounts {
  std::string source;
  std::vector<AccountedJob> jobs;
};

/// A row of a table of jobs.
struct FactRow {
  std::string_view source;
  std::uint64_t line;
  std::span<const std::string> cells;
  bool fills = true;  ///< It may fill what other rows do not say.
};

class FactsReader {
 public:
  FactsReader(std::span<const std::string> wanted, const JobFacts& before,
              const std::map<std::string, std::string, std::less<>>& gpus)
      : wanted_(wanted), before_(before), gpus_(gpus) {
    facts_.names = before.names;
  }

  void read_table(const std::string& path) {
    TableRows table(path);
    const std::size_t id = id_column(table);
    const std::vector<std::size_t> places = places_of(table.header().names, id);
    sources_.push_back(table.source());
    while (table.next()) {
      const std::string job(trimmed(table.fields()[id]));
      if (is_wanted(job)) {
        add_row(job, {table.source(), table.line(), table.fields()}, places);
      } else {
        without_trace_.insert(job);
      }
    }
  }

  /// Of the jobs that accounts tell under one id, one with the GPUs of its log is meant. A
  /// completed one counts, or else that which ended last (rank_of_row()): an id comes again, and a
  /// job that was requeued has a row for each start. Its rows in other accounts (ToldRuns) fill it.
  /// Other completed rows may contradict it.
  void read_accounts(const std::vector<Accounts>& accounts) {
    std::map<std::string, std::vector<AccountRow>, std::less<>> rows_of_id;
    ToldRuns runs;
    std::size_t place = 0;
    for (const auto& [source, jobs] : accounts) {
      sources_.push_back(source);
      for (const AccountedJob& job : jobs) {
        rows_of_id[job.id].push_back({&source, &job, runs.add(job.identity, source), ++place});
      }
    }
    const auto logs = logs_of_jobs(rows_of_id);
    for (auto& [id, rows] : rows_of_id) {
      const auto log = logs.find(id);
      const std::string& named = log == logs.end() ? id : log->second;
      if (!keep_rows_of_log(named, rows)) {
        known_.insert(named);
        without_account_.push_back(named);
        continue;
      }
      std::ranges::stable_sort(rows, std::greater{}, &AccountRow::rank);
      const AccountedJob& first = *rows.front().job;
      const std::string& known = is_wanted(first.raw_id) ? first.raw_id : named;
      if (is_wanted(known)) {
        add_accounts(known, rows);
      } else {
        without_trace_.insert(id);
      }
    }
  }

  JobFacts finish() {
    warn_without_trace();
    std::vector<std::string> unknown;
    std::vector<std::string> of_known_id;
    for (const std::string& job : wanted_) {
      if (known_.contains(job) || before_.rows.contains(job)) continue;
      (is_of_known_id(job) ? of_known_id : unknown).push_back(job);
    }
    if (!of_known_id.empty()) {
      facts_.warnings.push_back(
          fmt::format("tables of jobs do not say which of several jobs with one id they mean, and "
                      "count for the "
                      "first one alone: what they say is not known of {}",
                      some_of(of_known_id)));
    }
    if (!without_account_.empty()) {
      facts_.warnings.push_back(
          words_on_logs_without_account(without_account_.size(), without_account_.front()));
    }
    if (!unknown.empty()) {
      facts_.warnings.push_back(fmt::format("{} with a trace {} in no table of jobs: {}",
                                            counted(unknown.size(), "job"),
                                            unknown.size() == 1 ? "is" : "are", some_of(unknown)));
    }
    if (conflicts_ > 0) {
      facts_.warnings.push_back(
          fmt::format("tables of jobs contradict each other {}, the first: {}; the value that came "
                      "first is used",
                      counted(conflicts_, "time"), first_conflict_));
    }
    add_gpus_of_slurm();
    for (auto& [job, row] : facts_.rows) row.resize(facts_.names.size());
    add_earlier();
    return std::move(facts_);
  }

 private:
  /// The row of a job in one account.
  struct AccountRow {
    const std::string* source;
    const AccountedJob* job;
    std::size_t run;    ///< The number of its job among all.
    std::size_t place;  ///< Among the rows of all accounts.

    /// Of completed rows that are alike the first one counts, of others the last one.
    std::tuple<RowRank, std::size_t> rank() const {
      const bool is_completed = job->is_completed();
      return {rank_of_row(job->facts, is_completed), is_completed ? 0 : place};
    }
  };

  /// Keeps the rows of the jobs that may be that of a log (jobs_of_log()).
  /// @returns Whether there are any; true where no log has the name.
  bool keep_rows_of_log(const std::string& log, std::vector<AccountRow>& rows) const {
    const auto gpus = gpus_.find(log);
    if (gpus == gpus_.end()) return true;
    std::vector<JobOfId> jobs;
    for (const AccountRow& row : rows) {
      jobs.push_back(job_of_row(row.job->facts, row.job->identity));
    }
    std::vector<AccountRow> kept;
    for (const std::size_t place : jobs_of_log(gpus->second, jobs)) kept.push_back(rows[place]);
    rows = std::move(kept);
    return !rows.empty();
  }

  bool is_wanted(const std::string& job) const { return std::ranges::binary_search(wanted_, job); }

  /// Whether a name is that of a later job with an id that a table has: "100-2".
  bool is_of_known_id(const std::string& job) const {
    const std::size_t mark = job.rfind('-');
    return mark != std::string::npos && is_digits(std::string_view(job).substr(mark + 1)) &&
           is_digits(std::string_view(job).substr(0, mark)) && known_.contains(job.substr(0, mark));
  }

  /// Tables may overlap, so that the jobs of all are counted together.
  void warn_without_trace() {
    if (without_trace_.empty()) return;
    const std::vector<std::string> names(without_trace_.begin(), without_trace_.end());
    facts_.warnings.push_back(fmt::format("{}: {} without a trace: {}", some_of(sources_),
                                          counted(names.size(), "job"), some_of(names)));
  }

  /// The wanted names that end with the id of a job, as those of logs do, by that id; not where
  /// several have the same one.
  template <class Jobs>
  std::map<std::string, std::string, std::less<>> logs_of_jobs(const Jobs& jobs) const {
    const auto is_known = [&](std::string_view id) { return jobs.contains(id); };
    std::map<std::string, std::string, std::less<>> logs;
    std::set<std::string, std::less<>> repeated;
    for (const std::string& name : wanted_) {
      const std::string id(job_in_name(name, is_known));
      if (!id.empty() && !logs.try_emplace(id, name).second) repeated.insert(id);
    }
    for (const std::string& id : repeated) logs.erase(id);
    return logs;
  }

  /// Adds the rows of an id; the first one counts.
  void add_accounts(const std::string& id, const std::vector<AccountRow>& rows) {
    RowFacts counting = rows.front().job->facts;
    const auto completed_others = [&](const auto& take) {
      for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].job->is_completed()) take(rows[i], rows[i].run == rows.front().run);
      }
    };
    completed_others([&](const AccountRow& row, bool is_same_job) {
      if (!is_same_job) return;
      const auto found = contradictions_of(counting, row.job->facts);
      for (Contradiction cell : found) {
        cell.name = name_of(cell.name);
        note_conflict({*row.source, row.job->line}, id, cell);
      }
      if (found.empty()) fill_row(counting, row.job->facts);
    });
    add_account(id, rows.front(), counting, true);
    completed_others([&](const AccountRow& row, bool is_same_job) {
      if (!is_same_job) add_account(id, row, row.job->facts, false);
    });
  }

  /// The column of a fact of an account. Beside logs the state, duration and energy are of the
  /// whole job: those of a log are of its training alone, and are not filled.
  std::string name_of(const std::string& name) const {
    const bool is_of_job = name == "status" || name == "duration_s" || name == "energy_j";
    return is_of_job && !gpus_.empty() ? "job_" + name : name;
  }

  void add_account(const std::string& id, const AccountRow& account, const RowFacts& facts,
                   bool fills) {
    std::vector<std::string> names;
    std::vector<std::string> cells;
    for (const auto& [name, text] : facts) {
      names.push_back(name_of(name));
      cells.push_back(text);
    }
    add_row(id, {*account.source, account.job->line, cells, fills}, places_of(names, kNowhere));
  }

  /// Counts a value that is not used, and keeps the first one's place.
  void note_conflict(const std::pair<std::string_view, std::uint64_t>& at, const std::string& job,
                     const Contradiction& cell) {
    if (conflicts_++ > 0) return;
    first_conflict_ =
        fmt::format("{}:{}: {} of job {} is {}, before it was {}", at.first, at.second, cell.name,
                    job, scalelaw::quoted(cell.other), scalelaw::quoted(cell.counts));
  }

  /// The place of each column of a table among the facts; the id has none.
  std::vector<std::size_t> places_of(const std::vector<std::string>& names, std::size_t id) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) {
      places.push_back(i == id ? kNowhere : place_of(facts_.names, names[i]));
      if (i == id || places[i] != kNowhere) continue;
      places[i] = facts_.names.size();
      facts_.names.push_back(names[i]);
    }
    return places;
  }

  void add_row(const std::string& job, const FactRow& table,
               const std::vector<std::size_t>& places) {
    known_.insert(job);
    std::vector<std::string>& row = facts_.rows[job];
    row.resize(facts_.names.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] == kNowhere) continue;
      std::string& cell = row[places[i]];
      const std::string& text = table.cells[i];
      if (cell.empty()) {
        if (table.fills) cell = text;
      } else if (cell != text && !text.empty()) {
        note_conflict({table.source, table.line}, job, {facts_.names[places[i]], cell, text});
      }
    }
  }

  void add_gpus_of_slurm() {
    const auto tres = facts_.column("tres_alloc");
    const bool known = std::ranges::any_of(facts_.names, is_gpu_count);
    if (!tres || known) return;
    facts_.names.emplace_back("gpus");
    for (auto& [job, row] : facts_.rows) {
      row.resize(facts_.names.size());
      if (const auto gpus = gpus_of_tres(row[*tres])) row.back() = std::to_string(*gpus);
    }
  }

  void add_earlier() {
    for (const auto& [job, cells] : before_.rows) {
      std::vector<std::string>& row = facts_.rows[job];
      row.resize(facts_.names.size());
      for (std::size_t i = 0; i < std::min(cells.size(), row.size()); ++i) {
        if (row[i].empty()) row[i] = cells[i];
      }
    }
  }

  std::span<const std::string> wanted_;
  const JobFacts& before_;
  const std::map<std::string, std::string, std::less<>>& gpus_;  ///< Of logs.
  JobFacts facts_;
  std::set<std::string> known_;
  std::vector<std::string> sources_;
  std::set<std::string> without_trace_;
  std::vector<std::string> without_account_;  ///< Logs.
  std::size_t conflicts_ = 0;
  std::string first_conflict_;
};

/// Unix seconds or a date, in whole nanoseconds: the difference of two doubles of that size would
/// have seven digits.
std::optional<std::int64_t> fact_instant(std::string_view text) {
  const auto seconds = nanoseconds_of_seconds(text);
  return seconds ? seconds : parse_date_time(text);
}

/// The first count above 0 under one of the names.
std::optional<double> first_count(const JobFacts& facts, std::string_view job,
                                  std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const auto count = parse_number(trimmed(facts.fact(job, name)));
    if (count && *count > 0) return count;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> JobFacts::column(std::string_view name) const {
  const std::size_t place = place_of(names, name);
  return place == kNowhere ? std::nullopt : std::optional(place);
}

std::string_view JobFacts::fact(std::string_view job, std::string_view name) const {
  const auto place = column(name);
  const auto row = rows.find(job);
  return place && row != rows.end() ? std::string_view(row->second[*place]) : std::string_view();
}

void check_job_tables(std::span<const std::string> paths) {
  for (const std::string& path : paths) {
    if (accounted_jobs(path)) continue;
    TableRows table(path);
    static_cast<void>(id_column(table));
    const std::size_t epochs = place_of(table.header().names, "epochs");
    while (table.next()) {
      if (epochs != kNowhere) check_epochs(table, epochs);
    }
  }
}

bool is_gpu_count(std::string_view name) { return is_one_of(name, kGpuNames); }

std::optional<double> stated_gpus(const JobFacts& facts, std::string_view job) {
  return first_count(facts, job, kGpuNames);
}

std::optional<double> stated_nodes(const JobFacts& facts, std::string_view job) {
  return first_count(facts, job, kNodeNames);
}

JobFacts read_job_facts(std::span<const std::string> paths, std::span<const std::string> wanted,
                        const JobFacts& before,
                        const std::map<std::string, std::string, std::less<>>& gpus) {
  FactsReader reader(wanted, before, gpus);
  std::vector<Accounts> accounts;
  std::vector<std::string> tables;
  std::size_t above = 0;  // Accounts are read together, where the first one stands.
  for (const std::string& path : paths) {
    if (auto jobs = accounted_jobs(path)) {
      if (accounts.empty()) above = tables.size();
      accounts.push_back({input_name(path), *std::move(jobs)});
    } else {
      tables.push_back(path);
    }
  }
  for (std::size_t i = 0; i < above; ++i) reader.read_table(tables[i]);
  reader.read_accounts(accounts);
  for (std::size_t i = above; i < tables.size(); ++i) reader.read_table(tables[i]);
  return reader.finish();
}

std::optional<double> run_seconds(const JobFacts& facts, std::string_view job) {
  for (const auto& [start_name, end_name] : kTimeNames) {
    const auto start = fact_instant(facts.fact(job, start_name));
    const auto end = fact_instant(facts.fact(job, end_name));
    // Slurm writes 0 for a job that never started.
    if (start && end && *start > 0 && *end > *start) {
      return static_cast<double>(*end - *start) / 1e9;
    }
  }
  return std::nullopt;
}

std::optional<double> epochs_of(const JobFacts& facts, std::string_view job) {
  const auto epochs = parse_number(facts.fact(job, "epochs"));
  return epochs && *epochs > 0 ? epochs : std::nullopt;
}

}  // namespace scalelaw
