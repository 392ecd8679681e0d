#include "trace/sacct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"
#include "trace/json_documents.hpp"

// sacct --parsable2 (Slurm's accounting): rows of fields between delimiters, a row for each job and
// one for each of its steps,
//   JobID|JobName|State|ElapsedRaw|AllocTRES|ConsumedEnergyRaw
//   38113|eff.slm|COMPLETED|2102|billing=1152,cpu=1152,energy=20543125,mem=1840000M,node=4|20543125
//   38113.batch|batch|COMPLETED|2102|cpu=288,mem=460000M,node=1|5094129
// as src/sacct/print.c writes them, or sacct --json. The energy is that of whole
// nodes, in J.
namespace scalelaw {
namespace {

/// The fields of a job or step as sacct --parsable2 writes them, by SacctField.
using SacctCells = std::array<std::string, static_cast<std::size_t>(SacctField::kCount)>;

/// A job, and its steps behind it.
struct SacctJsonJob {
  SacctCells job;
  std::vector<SacctCells> steps;
};

using nlohmann::json;
using enum SacctField;

std::string& json_sacct_cell(SacctCells& cells, SacctField field) {
  return cells[static_cast<std::size_t>(field)];
}

/// A number, also one that says whether it is set: {"set": true, "infinite": false, "number": 7}.
/// Empty if it is not set.
std::string number_text(const json& value) {
  if (!value.is_object()) return value.is_number() ? json_cell(value) : "";
  const bool is_number =
      json_member(value, "set") == true && json_member(value, "infinite") != true;
  return is_number ? json_cell(json_member(value, "number")) : "";
}

/// Unix seconds; 0 stands for no time.
std::string json_time_text(const json& value) {
  const std::string text = number_text(value);
  return text == "0" ? "" : text;
}

/// "COMPLETED", or the first of ["COMPLETED"].
std::string state_text(const json& value) {
  const json& current = json_member(value, "current");
  if (!current.is_array()) return json_cell(current);
  return current.empty() ? "" : json_cell(current.front());
}

/// "cpu=4,node=1,gres/gpu=2" of a list of resources. A negative amount is none.
std::string tres_text(const json& list) {
  std::string text;
  if (!list.is_array()) return text;
  for (const json& resource : list) {
    const std::string count = number_text(json_member(resource, "count"));
    if (count.empty() || count.front() == '-') continue;
    const std::string name = json_cell(json_member(resource, "name"));
    if (!text.empty()) text += ',';
    text += json_cell(json_member(resource, "type"));
    if (!name.empty()) text += '/' + name;
    text += '=' + count;
  }
  return text;
}

/// The id of a job, and of an array's task "5908801_3".
std::string job_id(const json& job) {
  const json& array = json_member(job, "array");
  const std::string whole = number_text(json_member(array, "job_id"));
  const std::string task = number_text(json_member(array, "task_id"));
  if (whole.empty() || whole == "0" || task.empty()) {
    return number_text(json_member(job, "job_id"));
  }
  return whole + '_' + task;
}

/// The name of a step: "batch" of "4.batch" or {"job_id": 4, "step_id": "batch"}.
std::string step_name(const json& step) {
  const json& id = json_member(step, "id");
  if (id.is_object()) {
    const json& name = json_member(id, "step_id");
    return name.is_string() ? json_cell(name) : number_text(name);
  }
  const std::string text = json_cell(id);
  const std::size_t dot = text.find('.');
  return dot == std::string::npos ? json_cell(json_member(step, "name")) : text.substr(dot + 1);
}

SacctCells cells_of_step(const json& step, const std::string& job) {
  SacctCells cells;
  json_sacct_cell(cells, kId) = job + '.' + step_name(json_member(step, "step"));
  const json& energy = json_member(json_member(step, "statistics"), "energy");
  json_sacct_cell(cells, kEnergyRaw) = number_text(json_member(energy, "consumed"));
  return cells;
}

/// The members of a job that are cells as they stand.
constexpr std::pair<SacctField, const char*> kTexts[] = {
    {kName, "name"},       {kPartition, "partition"}, {kCluster, "cluster"},
    {kAccount, "account"}, {kUser, "user"},           {kQos, "qos"}};

SacctJsonJob json_sacct_job(const json& job) {
  SacctJsonJob out;
  const std::string id = job_id(job);
  const auto set = [&](SacctField field, std::string text) {
    json_sacct_cell(out.job, field) = std::move(text);
  };
  const json& time = json_member(job, "time");
  set(kId, id);
  set(kRawId, number_text(json_member(job, "job_id")));
  for (const auto& [field, name] : kTexts) set(field, json_cell(json_member(job, name)));
  set(kState, state_text(json_member(job, "state")));
  set(kTres, tres_text(json_member(json_member(job, "tres"), "allocated")));
  set(kNodes, number_text(json_member(job, "allocation_nodes")));
  set(kElapsedRaw, number_text(json_member(time, "elapsed")));
  set(kSubmit, json_time_text(json_member(time, "submission")));
  set(kStart, json_time_text(json_member(time, "start")));
  set(kEnd, json_time_text(json_member(time, "end")));
  const json& nodes = json_member(job, "nodes");
  set(kNodeList, nodes.is_string() ? json_cell(nodes) : "");
  const json& steps = json_member(job, "steps");
  if (!steps.is_array()) return out;
  for (const json& step : steps) out.steps.push_back(cells_of_step(step, id));
  return out;
}

/// Whether a text begins as the output of sacct --json.
bool begins_as_sacct_json(std::string_view head) {
  return has_json_keys(head, {"jobs", "job_id", "association", "tres", "allocated"});
}

/// The jobs of a document. @throws ParseError if it is no JSON.
std::vector<SacctJsonJob> sacct_json_jobs(std::string_view text, std::string_view source) {
  const json document = parse_json(text, source);
  std::vector<SacctJsonJob> jobs;
  const json& list = json_member(document, "jobs");
  if (!list.is_array()) return jobs;
  jobs.reserve(list.size());
  for (const json& job : list) jobs.push_back(json_sacct_job(job));
  return jobs;
}

using enum SacctField;

/// Lines that are looked at before the columns of a text without a header are decided.
constexpr std::size_t kMostLines = 1000;

/// The energy of a job's steps, which counts where the job itself has none.
struct StepEnergies {
  std::optional<double> whole = {};  ///< Of the step "extern", which spans the allocation.
  std::optional<double> batch = {};  ///< Of the job's script, on its first node.
  std::optional<double> step = {};   ///< Of the last numbered step.
  std::size_t steps = 0;             ///< How many of them have one.
};

struct Job {
  AccountedJob job;
  std::optional<double> energy_j;
  std::string nodes;
  StepEnergies steps = {};
};

/// Joules of "20543125" or "20.54M"; empty for 0, which means that nothing measured it, and for
/// Slurm's marks of no value (NO_VAL and NO_VAL64 and their neighbours).
std::optional<double> sacct_joules(std::string_view text) {
  constexpr std::string_view kPrefixes = "KMGTP";
  double factor = 1;
  if (!text.empty() && kPrefixes.find(text.back()) != std::string_view::npos) {
    for (std::size_t i = 0; i <= kPrefixes.find(text.back()); ++i) factor *= 1000;
    text.remove_suffix(1);
  }
  const auto value = parse_number(text);
  if (!value || !(*value > 0) || *value * factor >= 9.2e18) return std::nullopt;
  if (factor == 1 && *value >= 4294967293 && *value <= 4294967295) return std::nullopt;
  return *value * factor;
}

/// A count, or nothing for other text.
std::string count_text(std::string_view text) {
  return parse_number(text) ? std::string(text) : std::string();
}

/// The GPUs of "billing=8,cpu=8,gres/gpu:v100=1,gres/gpu=1", and their type if they have one.
struct Gpus {
  std::string count;
  std::string type;
};

Gpus gpus_of(std::string_view tres, std::string_view gres) {
  constexpr std::string_view kTyped = "gres/gpu:";
  Gpus gpus;
  double sum = 0;
  std::size_t types = 0;
  for (std::string_view rest = tres; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t equals = item.find('=');
    if (!item.starts_with(kTyped) || equals == std::string_view::npos) continue;
    const auto count = parse_number(item.substr(equals + 1));
    if (!count) continue;
    sum += *count;
    gpus.type = ++types == 1 ? std::string(item.substr(kTyped.size(), equals - kTyped.size())) : "";
  }
  gpus.count = count_text(tres_amount(tres, "gres/gpu"));
  if (gpus.count.empty() && sum > 0) gpus.count = exact_text(sum);
  const auto listed = gpus.count.empty() ? gres_gpus(gres) : std::nullopt;
  if (listed) gpus = {exact_text(listed->count), std::string(listed->type)};
  return gpus;
}

/// A time stamp, or nothing for "Unknown" and "None".
std::string time_text(std::string_view text) {
  const bool is_none = text.empty() || text == "Unknown" || text == "None" || text == "N/A";
  return std::string(is_none ? std::string_view() : text);
}

std::optional<std::int64_t> sacct_instant(std::string_view text) {
  const auto date = parse_date_time(text);
  return date ? date : nanoseconds_of_seconds(text);
}

class SacctReader {
 public:
  SacctReader(ByteStream& in, std::string_view source, std::span<const std::string> columns,
              TraceNotes& notes)
      : lines_(in, source), source_(source), columns_(columns), notes_(notes) {}

  /// Reads what sacct --json wrote.
  std::vector<AccountedJob> read_json(std::string_view text) {
    for (std::size_t i = 0; i < layout_.place.size(); ++i) layout_.place[i] = i;
    // Nodes stand in their own cell, processors in the list of resources.
    layout_.at(kCpus) = kNowhere;
    const auto show = [&](const SacctCells& cells) { fields_.assign(cells.begin(), cells.end()); };
    for (const SacctJsonJob& job : sacct_json_jobs(text, source_)) {
      show(job.job);
      const auto id = sacct_id(field(kId));
      if (!id) {
        notes_.note(TraceOddity::kForeignLine, 0, fmt::format("job_id {}", field(kId)));
        continue;
      }
      take_job(std::string(id->job), 0);
      for (const SacctCells& step : job.steps) {
        show(step);
        if (const auto of = sacct_id(field(kId))) take_step(*of, 0, field(kId));
      }
    }
    return finish();
  }

  std::vector<AccountedJob> read() {
    std::vector<std::string> first;
    while (layout_.fields == 0) {
      const auto line = lines_.next();
      if (line && trimmed(*line).empty() && first.empty()) continue;
      if (line && first.empty()) first_line_ = lines_.line_number();
      if (line && first.empty() && take_header(*line)) break;
      if (line) first.emplace_back(*line);
      if (!line || first.size() == kMostLines) find_columns(first);
    }
    for (std::size_t i = 0; i < first.size(); ++i) take_line(first[i], first_line_ + i, false);
    while (const auto line = lines_.next()) {
      take_line(*line, lines_.line_number(), lines_.is_cut());
    }
    return finish();
  }

 private:
  bool take_header(std::string_view line) {
    const auto layout = sacct_header(line);
    if (!layout) return false;
    layout_ = *layout;
    header_ = line;
    return true;
  }

  void find_columns(const std::vector<std::string>& lines) {
    const auto layout = sacct_layout_of_cells(lines, columns_);
    if (!layout) {
      throw DataError(fmt::format(
          "{}: no header of sacct such as JobID|State|Elapsed|AllocTRES, and the cells do not tell "
          "what the columns are: --columns names them",
          source_));
    }
    layout_ = *layout;
    note_unknown_columns();
  }

  /// Notes the columns that cells alone do not tell: names, numbers.
  void note_unknown_columns() {
    if (!columns_.empty()) return;
    for (std::size_t column = 0; column < layout_.fields; ++column) {
      if (is_one_of(column, layout_.place)) continue;
      notes_.note(TraceOddity::kOtherSeries, first_line_,
                  fmt::format("column {}: name it with --columns", column + 1));
    }
  }

  std::string_view field(SacctField field) const {
    const std::size_t place = layout_.at(field);
    return place < fields_.size() ? fields_[place] : std::string_view();
  }

  void take_line(std::string_view line, std::uint64_t number, bool is_cut) {
    if (trimmed(line).empty()) return;
    if (line == header_) return notes_.note(TraceOddity::kRepeatedHeader, number, "");
    split_sacct(line, layout_.delimiter, fields_);
    // --parsable ends rows with a delimiter, and its header, too.
    const bool has_all = fields_.size() == layout_.fields;
    const auto id = sacct_id(layout_.has(kId) ? field(kId) : field(kRawId));
    if (!has_all || !id) {
      return notes_.note(is_cut ? TraceOddity::kCutLine : TraceOddity::kForeignLine, number,
                         line.substr(0, 80));
    }
    if (id->step.empty()) {
      take_job(std::string(id->job), number);
    } else {
      take_step(*id, number, line);
    }
  }

  void take_job(std::string id, std::uint64_t number) {
    const std::string_view tres = field(kTres);
    const Gpus gpus = gpus_of(tres, field(kGres));
    Job job;
    job.job = {.id = id,
               .raw_id = std::string(field(kRawId)),
               .state = std::string(field(kState)),
               .identity = {.system = "sacct",
                            .id = id,
                            .cluster = std::string(field(kCluster)),
                            .submitted = time_text(field(kSubmit)),
                            .started = time_text(field(kStart))},
               .line = number,
               .facts = {}};
    job.energy_j = energy_here();
    job.nodes = count_text(layout_.has(kNodes) ? field(kNodes) : tres_amount(tres, "node"));
    job.job.facts = {
        {"job_name", std::string(field(kName))},
        {"cluster", std::string(field(kCluster))},
        {"partition", std::string(field(kPartition))},
        {"account", std::string(field(kAccount))},
        {"user", std::string(field(kUser))},
        {"qos", std::string(field(kQos))},
        {"status", job.job.state},
        {"gpus", gpus.count},
        {"gpu_type", gpus.type},
        {"nodes", job.nodes},
        {"cpus", count_text(layout_.has(kCpus) ? field(kCpus) : tres_amount(tres, "cpu"))},
        {"duration_s", exact_text(seconds_here())},
        {"energy_j", ""},
        {"submit_time", time_text(field(kSubmit))},
        {"start_time", time_text(field(kStart))},
        {"end_time", time_text(field(kEnd))},
        {"node_list", std::string(field(kNodeList))}};
    if (!job.job.is_unfinished()) {
      job.job.identity.duration_s = job.job.fact("duration_s");
      job.job.identity.gpus = gpus.count;
    }
    last_[std::move(id)] = jobs_.size();
    jobs_.push_back(std::move(job));
  }

  /// Sacct lists a job before its steps.
  void take_step(const SacctId& id, std::uint64_t number, std::string_view line) {
    const auto job = last_.find(id.job);
    if (job == last_.end()) {
      return notes_.note(TraceOddity::kForeignLine, number, line.substr(0, 80));
    }
    const auto energy = energy_here();
    if (!energy) return;
    StepEnergies& steps = jobs_[job->second].steps;
    if (id.step == "extern") {
      steps.whole = energy;
    } else if (id.step == "batch") {
      steps.batch = energy;
    } else {
      steps.step = energy;
      ++steps.steps;
    }
  }

  std::optional<double> energy_here() const {
    if (const auto raw = sacct_joules(field(kEnergyRaw))) return raw;
    if (const auto exact = sacct_joules(tres_amount(field(kTres), "energy"))) return exact;
    return sacct_joules(field(kConsumedEnergy));
  }

  /// The time that a job ran; empty below Slurm's resolution of one second.
  std::optional<double> seconds_here() const {
    const auto raw = parse_number(field(kElapsedRaw));
    const auto seconds = raw ? raw : sacct_seconds(field(kElapsed));
    if (seconds) return *seconds > 0 ? seconds : std::nullopt;
    const auto start = sacct_instant(field(kStart));
    const auto end = sacct_instant(field(kEnd));
    if (!start || !end || *start <= 0 || *end <= *start) return std::nullopt;
    return seconds_between(*start, *end);
  }

  /// A job's own energy, or that of a step that spans its nodes. Several steps may overlap or leave
  /// time between them, so their sum would be a guess.
  static std::optional<double> energy_of(const Job& job) {
    if (job.energy_j) return job.energy_j;
    if (job.steps.whole) return job.steps.whole;
    if (job.steps.batch && job.nodes == "1") return job.steps.batch;
    return job.steps.steps == 1 ? job.steps.step : std::nullopt;
  }

  std::vector<AccountedJob> finish() {
    std::vector<AccountedJob> out;
    for (Job& job : jobs_) {
      find_fact(job.job.facts, "energy_j")->second = exact_text(energy_of(job));
      out.push_back(std::move(job.job));
    }
    drop_empty_columns(out);
    return out;
  }

  /// What the output does not hold makes no column. All jobs have the same facts.
  static void drop_empty_columns(std::vector<AccountedJob>& jobs) {
    static constexpr std::string_view kKept[] = {"gpus", "nodes", "duration_s", "energy_j",
                                                 "status"};
    if (jobs.empty()) return;
    std::vector<bool> is_kept;
    for (const auto& [name, text] : jobs.front().facts) is_kept.push_back(is_one_of(name, kKept));
    for (const AccountedJob& job : jobs) {
      for (std::size_t i = 0; i < is_kept.size(); ++i) {
        if (!is_kept[i]) is_kept[i] = !job.facts[i].second.empty();
      }
    }
    for (AccountedJob& job : jobs) {
      std::erase_if(job.facts, [&](const auto& fact) {
        return !is_kept[static_cast<std::size_t>(&fact - job.facts.data())];
      });
    }
  }

  LineReader lines_;
  std::string_view source_;
  std::span<const std::string> columns_;
  TraceNotes& notes_;
  SacctLayout layout_;
  std::string header_;
  std::uint64_t first_line_ = 1;
  std::vector<std::string_view> fields_;
  std::vector<Job> jobs_;
  std::map<std::string, std::size_t, std::less<>> last_;  ///< Last row of each job.
};

// --- As runs ---

/// The facts of a row as one text.
std::string sacct_words(const AccountedJob& job) {
  std::string words = job.id;
  for (const auto& [name, text] : job.facts) words += '\x1f' + name + '\x1f' + text;
  return words;
}

/// A row that repeats another one is left out, as when two outputs stand in one file.
std::vector<JobRecord> read_sacct_records(const std::string& path, const TraceOptions& options,
                                          TraceNotes& notes) {
  const OpenedFile in(path);
  std::unordered_set<std::string> rows;
  std::vector<JobRecord> records;
  auto jobs = read_sacct(*in.stream, in.file.name(), options.columns, notes);
  for (AccountedJob& job : jobs) {
    if (!job.is_completed()) {
      notes.leave_out(
          {.why = job.is_unfinished() ? TraceOddity::kUnfinishedRun : TraceOddity::kFailedRun,
           .identity = std::move(job.identity),
           .state = std::move(job.state),
           .line = job.line});
    } else if (rows.insert(sacct_words(job)).second) {
      records.push_back({.job = std::move(job.id),
                         .facts = std::move(job.facts),
                         .identity = std::move(job.identity)});
    } else {
      notes.note(TraceOddity::kRepeatedRun, job.line, "job " + job.id);
    }
  }
  if (jobs.empty())
    throw DataError(fmt::format("{}: no job in the output of sacct", in.file.name()));
  return records;
}

/// What is said of tables without what is read: those that sacct draws for people, and others.
std::string missing_in_sacct(std::string_view head) {
  const std::string_view line = trimmed(head.substr(0, head.find('\n')));
  const bool is_queue = has_json_keys(head, {"jobs", "job_state", "tres_alloc_str"});
  if (is_queue) return "squeue or scontrol wrote it, which know no account: sacct --json does";
  const bool is_drawn = line.starts_with("JobID ") && head.find("\n------") < head.size();
  if (is_drawn) return "sacct draws it for people, with cut cells: run it with --parsable2";
  const bool has_steps = any_line(head, [](std::string_view row) {
    const auto id = sacct_id(row.substr(0, row.find_first_of("|,;:\t ")));
    return id && (id->step == "batch" || id->step == "extern");
  });
  return has_steps ? "it has no header, and its cells do not tell the columns: --format sacct "
                     "--columns names them, such as JobID,JobName,State,ElapsedRaw"
                   : "";
}

}  // namespace

std::string_view AccountedJob::fact(std::string_view name) const { return fact_in(facts, name); }

bool AccountedJob::is_completed() const { return state.empty() || state == "COMPLETED"; }

bool AccountedJob::is_unfinished() const {
  static constexpr std::string_view kStates[] = {
      "PENDING",    "RUNNING",   "SUSPENDED", "REQUEUED", "RESIZING",     "CONFIGURING",
      "COMPLETING", "SIGNALING", "STAGE_OUT", "STOPPED",  "REQUEUE_HOLD", "REQUEUE_FED"};
  return is_one_of(state, kStates);
}

bool begins_as_sacct(std::string_view head) {
  head = without_mark(head);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  if (head.starts_with('{')) return begins_as_sacct_json(head);
  if (sacct_header(head.substr(0, head.find_first_of("\r\n")))) return true;
  if (head.empty() || head.front() < '0' || head.front() > '9') return false;
  constexpr std::size_t kSeen = 50;
  std::vector<std::string> lines;
  any_line(head, [&](std::string_view line) {
    lines.emplace_back(line);
    return lines.size() == kSeen;
  });
  if (lines.size() > 1 && lines.size() < kSeen) lines.pop_back();  // It may be cut.
  return sacct_layout_of_cells(lines, {}).has_value();
}

std::vector<AccountedJob> read_sacct(ByteStream& in, std::string_view source,
                                     std::span<const std::string> columns, TraceNotes& notes) {
  const std::string head = rest_of(in, 64);
  const std::size_t begin = without_mark(head).find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string_view::npos && without_mark(head)[begin] == '{';
  const auto whole = stream_of(head, &in);
  if (!is_json) return SacctReader(*whole, source, columns, notes).read();
  return SacctReader(*whole, source, columns, notes)
      .read_json(without_mark(whole_document(*whole, "", source, HeldAs::kTree)));
}

const TraceFormat kSacct{.name = "sacct",
                         .title = "Slurm accounting (sacct)",
                         .recognises = begins_as_sacct,
                         .read_records = read_sacct_records,
                         .missing = missing_in_sacct};

}  // namespace scalelaw
