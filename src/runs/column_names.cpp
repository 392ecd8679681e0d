#include "scalelaw/runs/column_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/per_thread.hpp"
#include "runs/column_words.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

std::optional<ColumnMeaning> state_or_timestamp(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"timestamp", "datetime", "date"})) return ColumnMeaning{kTimestamp};
  const bool of_clock = name.has_any({"time", "at"});
  const bool moment = name.has_any({"start", "started", "end", "ended", "begin", "submit",
                                    "created", "finished", "eligible", "submitted", "completed"});
  if (of_clock && moment) return ColumnMeaning{kTimestamp};
  if (name.has("success") && name.has_any({"rate", "percent", "ratio"})) {
    return ColumnMeaning{kDerived};
  }
  if (name.has("num") && name.has("failed")) return ColumnMeaning{kDerived};
  if (name.has_any({"state", "status", "success", "succeeded", "successful", "failed", "passed",
                    "crashed", "outcome"}) ||
      (name.has("exit") && name.has_any({"code", "status"}))) {
    return ColumnMeaning{kState};
  }
  return std::nullopt;
}

std::optional<ColumnMeaning> power_or_clock(const Name& name) {
  using enum ColumnRole;
  const bool limit = name.has_any({"limit", "cap", "capped", "tdp"});
  const bool watt_hours = name.has_any({"watt", "kilowatt"}) && name.has("hour");
  const bool watts = name.has_any({"power", "watt", "kw", "mw"}) ||
                     (name.words().back() == "w" && name.words().size() > 1);
  if (limit && (watts || name.is_of({"cap", "tdp", "limit", "gpu"}))) {
    return name.has("time") ? std::nullopt : std::optional(ColumnMeaning{kPowerLimit});
  }
  if (watt_hours || name.has_any({"energy", "joule", "kwh", "wh", "mwh", "kj"})) {
    const bool part = name.has_any({"token", "sample", "image", "step", "switch", "idle", "delay"});
    const bool one = std::ranges::any_of(name.words(), [](const std::string& word) {
      return word.front() >= '0' && word.front() <= '9';
    });
    const int whole = name.has_any({"total", "consumed"}) ? 0 : 1;  // Of all parts of a machine.
    return ColumnMeaning{kEnergy, part ? 6 : one ? 5 : whole, false, name.has("epoch")};
  }
  if (watts) {
    // What is no mean of one device is taken only by name.
    const bool other = name.has_any({"max", "peak", "min", "idle", "node", "system", "server",
                                     "total", "rack", "cpu", "dram", "cluster"});
    return ColumnMeaning{kPower, other ? 3 : 1};
  }
  if (name.has_any({"clock", "frequency", "mhz", "ghz"}) && !name.has_any({"wall", "time"})) {
    // "min_sm_mhz" is what came of a setting.
    if (name.has_any({"min", "mean", "median", "measured"})) return ColumnMeaning{};
    return ColumnMeaning{kClock, name.has_any({"memory", "mem"}) ? 2 : 1};
  }
  return std::nullopt;
}

/// "Tokens per step", "samples/batch": the work of a step.
bool is_work_per_step(const Name& name) {
  return is_one_of(name.per(), {"step", "batch", "iteration"}) &&
         name.has_any({"token", "sample", "sequence", "image", "example", "frame", "word"}) &&
         !is_time_unit(name.words().front()) && !name.has("time");
}

std::optional<ColumnMeaning> learning(const Name& name) {
  using enum ColumnRole;
  if (name.has_any(
          {"loss", "perplexity", "ppl", "bpb", "bpc", "nll", "entropy", "crossentropyloss"})) {
    const int rank = name.is_of({"loss"})                           ? 0
                     : name.has_any({"final", "end"})               ? 1
                     : name.has_any({"validation", "eval", "test"}) ? 2
                     : name.has("train")                            ? 3
                                                                    : 4;
    return ColumnMeaning{kLoss, rank};
  }
  const bool count =
      name.has_any({"num", "total", "train", "seen", "count"}) || name.words().size() == 1;
  if (is_work_per_step(name)) return ColumnMeaning{kBatchSize, names_device(name) ? 2 : 1};
  if (name.has("param")) {
    return ColumnMeaning{kParameters, name.has_any({"precise", "embedding"}) ? 2 : 1};
  }
  if (name.has("model") && name.has("size")) return ColumnMeaning{kParameters, 3, true};
  if (name.has("batch") && !name.has_any({"per", "num"})) {
    const int rank = name.has("global") ? 0 : name.has_any({"micro", "local", "mini"}) ? 2 : 1;
    return ColumnMeaning{kBatchSize, rank};
  }
  if (name.has("batch") && (name.has("size") || names_device(name))) {
    return ColumnMeaning{kBatchSize, 3};
  }
  if (name.has("token") && (!name.has("per") || is_count_of_tokens(name))) {
    return ColumnMeaning{kTokens, name.has_any({"unique", "batch", "length", "max"}) ? 4 : 1};
  }
  if (name.has_any({"example", "sample"}) && name.has("seen")) return ColumnMeaning{kTokens, 2};
  if (is_flop_time(name)) return ColumnMeaning{kCompute, 1};
  if (name.has_any({"flop", "flops", "compute"}) && (count || name.words().size() <= 2)) {
    return ColumnMeaning{kCompute, 1};
  }
  return std::nullopt;
}

/// Ranks of a lone letter: of processes in p, and of processes or a problem's size in N.
constexpr int kLoneP = 8;
constexpr int kLoneN = 9;

/// The rank of a noun that a scale counts; empty if it is none.
std::optional<int> scale_rank(std::string_view noun) {
  constexpr std::pair<std::string_view, int> kNouns[] = {
      {"gpu", 1},         {"accelerator", 2}, {"tpu", 2},      {"npu", 2},      {"xpu", 2},
      {"gcd", 2},         {"hpu", 2},         {"gaudi", 2},    {"chip", 2},     {"card", 2},
      {"slave", 4},       {"device", 3},      {"world", 3},    {"rank", 4},     {"process", 4},
      {"worker", 4},      {"task", 4},        {"executor", 4}, {"runner", 4},   {"node", 5},
      {"host", 5},        {"machine", 5},     {"server", 5},   {"vm", 5},       {"pod", 5},
      {"container", 5},   {"goroutine", 7},   {"instance", 5}, {"replica", 5},  {"core", 6},
      {"cpu", 6},         {"processor", 6},   {"thread", 7},   {"client", 8},   {"user", 8},
      {"concurrency", 8}, {"parallelism", 8}, {"parallel", 8}, {"consumer", 8}, {"producer", 8},
      {"actor", 8},       {"connection", 8},  {"session", 8},  {"stream", 8},   {"env", 8},
      {"environment", 8}};
  const auto* const found =
      std::ranges::find_if(kNouns, [noun](const auto& one) { return one.first == noun; });
  return found == std::end(kNouns) ? std::nullopt : std::optional(found->second);
}

bool is_host_word(std::string_view word) {
  return is_one_of(word, {"node", "host", "machine", "server", "instance", "vm"});
}

bool is_process_word(std::string_view word) {
  return is_one_of(word, {"rank", "process", "worker", "task", "world"});
}

/// What one process or node has, "cpus_per_task", and degrees of parallelism, "tp": settings that
/// may be the scale where nothing else is one.
std::optional<ColumnMeaning> setting_that_scales(const Name& name) {
  constexpr std::array<std::string_view, 5> kDegrees = {"dp", "tp", "pp", "ep", "cp"};
  for (std::size_t i = 0; i < kDegrees.size(); ++i) {
    const std::string_view degree = kDegrees[i];
    if (name.has(degree) && name.is_of({degree, "size", "num", "degree"})) {
      return ColumnMeaning{
          .role = ColumnRole::kSetting, .rank = 20 + static_cast<int>(i), .last_resort = true};
    }
  }
  const auto per = std::ranges::find(name.words(), "per");
  if (per == name.words().end() || !scale_rank(name.per())) return std::nullopt;
  std::optional<int> counted;
  for (auto word = name.words().begin(); word != per; ++word) {
    const auto rank = scale_rank(*word);
    if (!rank && !is_one_of(*word, {"num", "mpi", "omp"})) return std::nullopt;
    if (rank) counted = rank;
  }
  if (!counted || per + 2 != name.words().end()) return std::nullopt;
  return ColumnMeaning{.role = ColumnRole::kSetting, .rank = 10 + *counted, .last_resort = true};
}

}  // namespace

bool is_gpu_model(std::string_view text) {
  return is_one_of(lower_case(text.substr(0, text.find('-'))),
                   {"a10",   "a40",   "a100",   "a6000",  "b100",   "b200", "gb200", "gh200",
                    "h100",  "h200",  "h800",   "k80",    "l4",     "l40",  "l40s",  "mi100",
                    "mi210", "mi250", "mi250x", "mi300a", "mi300x", "p100", "t4",    "v100"});
}

namespace {

/// The parts of a name between blanks and underscores, in lower case.
Words split_words(std::string_view header) {
  std::string text = lower_case(header);
  std::ranges::replace(text, '_', ' ');
  return split(text, ' ');
}

/// "# GPUs" of "# GPUs (A100)", "GPUs" of "A100 GPUs": which GPU it is changes nothing of a count.
std::string_view without_gpu_model(std::string_view header) {
  const std::size_t open = header.rfind('(');
  if (open != std::string_view::npos && header.ends_with(')')) {
    std::string_view model = header.substr(open + 1, header.size() - open - 2);
    // "nodes (8xH100)", "nodes (4 A100)".
    model.remove_prefix(std::min(model.find_first_not_of("0123456789"), model.size()));
    model.remove_prefix(std::min(model.find_first_not_of("xX* "), model.size()));
    if (is_gpu_model(model)) return header.substr(0, open);
  }
  const std::size_t blank = header.find(' ');
  return blank != std::string_view::npos && is_gpu_model(header.substr(0, blank))
             ? header.substr(blank + 1)
             : header;
}

/// Whether a name counts GPUs of one model: "A100s", "# of H100s", "num_v100".
bool counts_gpu_model(std::string_view header) {
  const Words words = split_words(header);
  bool counts = false;
  std::string_view model;
  for (const std::string& word : words) {
    if (is_one_of(word, {"#", "num", "number", "of", "n", "count", "nvidia", "used", "total"})) {
      counts = counts || word != "nvidia";
    } else if (!model.empty()) {
      return false;
    } else {
      model = word;
    }
  }
  const bool plural = model.ends_with('s') && !is_gpu_model(model);
  if (plural) model.remove_suffix(1);
  return (plural || counts) && is_gpu_model(model);
}

/// A count of GPUs, processes or nodes: nouns of a scale, and else only words that count.
std::optional<ColumnMeaning> scale(const Name& name) {
  using enum ColumnRole;
  if (const auto setting = setting_that_scales(name)) return setting;
  const std::string_view count = without_gpu_model(name.header());
  if (count.size() < name.header().size()) return scale(Name(count));
  std::optional<int> best;
  bool counts = name.is_plural();
  for (const std::string& word : name.words()) {
    if (const auto rank = scale_rank(word)) {
      best = std::min(best.value_or(*rank), *rank);
      counts = counts || is_one_of(word, {"concurrency", "parallelism"});
    } else if (is_one_of(word, {"num", "count", "size", "total", "of", "nb", "used", "unit"})) {
      counts = true;
    } else if (!is_one_of(word, {"mpi", "omp", "openmp", "active", "parallel", "allocated", "alloc",
                                 "x", "the", "in", "nccl", "physical", "virtual", "logical",
                                 "compute", "shm", "p", "ddp", "fsdp"}) &&
               !(word == "max" && name.has("concurrency"))) {
      return std::nullopt;
    }
  }
  // Such a column counts only if its values are numbers.
  if (name.is_of({"mpi"})) return ColumnMeaning{kScale, 4, true};
  if (name.is_of({"omp"}) || name.is_of({"openmp"})) return ColumnMeaning{kScale, 7, true};
  if (!best) return std::nullopt;
  // "Process number" may tell which process; "number of processes" does not.
  const bool may_be_one = name.words().back() == "num";
  return ColumnMeaning{kScale, *best, !counts || may_be_one};
}

std::optional<ColumnMeaning> run(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"seed", "repeat", "trial", "attempt", "rerun"}) || name.is_of({"sample"}))
    return ColumnMeaning{kRepeat};
  // "Run number" and "run #" tell which run, "number of runs" how many there were.
  if (name.has("run") && name.words().back() == "num") return ColumnMeaning{kRepeat};
  const bool run = name.has_any({"run", "job", "uuid", "wandb"});
  if (run && !name.has_any({"type", "kind", "mode", "num", "script", "queue"})) {
    return ColumnMeaning{kRun, name.has("run") ? 1 : 2};
  }
  if (name.is_of({"id", "index", "idx"})) return ColumnMeaning{kRun, 3};
  // "Mean best step" was measured.
  if (name.has_any({"num", "max", "total", "target", "warmup", "per", "mean", "best"})) {
    return std::nullopt;
  }
  if (name.has_any({"epoch", "step"})) return ColumnMeaning{kEpoch, name.has("epoch") ? 1 : 2};
  return std::nullopt;
}

bool is_kind_word(std::string_view word) {
  return is_one_of(word,
                   {"type", "model", "name", "family", "kind", "arch", "architecture", "sku"});
}

std::optional<ColumnMeaning> category(const Name& name) {
  using enum ColumnRole;
  const bool device = name.has_any(
      {"gpu", "accelerator", "device", "hardware", "cpu", "processor", "chip", "tpu", "hw"});
  const bool kind = std::ranges::any_of(name.words(), is_kind_word);
  if (name.is_of({"hardware", "hw"}) || (device && kind)) return ColumnMeaning{kHardware, 1};
  if (name.has_any({"system", "machine", "platform", "cluster", "site", "host", "hostname", "node",
                    "partition", "supercomputer", "computer", "submitter", "organization", "vendor",
                    "provider"}) &&
      !name.has_any({"per", "memory"})) {
    return ColumnMeaning{kSystem, 1};
  }
  if ((name.has_any({"model", "network", "arch", "architecture", "optimizer", "optimiser", "recipe",
                     "mixture", "sharding", "zero", "precision", "dtype", "quantization", "type",
                     "class", "layout", "sweep"}) ||
       name.has_any({"workload", "benchmark", "bench",      "suite",      "dataset",  "problem",
                     "kernel",   "operation", "op",         "collective", "solver",   "algorithm",
                     "algo",     "method",    "technique",  "scheme",     "strategy", "approach",
                     "policy",   "scheduler", "experiment", "scenario",   "case",     "test",
                     "task",     "series",    "label",      "variant"}) ||
       name.has_any({"app",          "application", "program",        "code",
                     "language",     "framework",   "library",        "lib",
                     "backend",      "engine",      "implementation", "impl",
                     "compiler",     "runtime",     "toolkit",        "version",
                     "branch",       "mode",        "config",         "configuration",
                     "interconnect", "fabric",      "transport",      "protocol"})) &&
      !name.has_any({"num", "size", "length", "id", "memory", "mb", "gb", "per"})) {
    return ColumnMeaning{kCategory, 1};
  }
  if (name.is_of({"net"}) || name.is_of({"name"})) return ColumnMeaning{kCategory, 1};
  if (name.has("data") && name.has_any({"set", "type"})) return ColumnMeaning{kCategory, 1};
  return std::nullopt;
}

/// Commits and builds, which change from run to run, and are no kinds of runs.
std::optional<ColumnMeaning> revision(const Name& name) {
  const bool kind = std::ranges::any_of(name.words(), is_kind_word) ||
                    name.has_any({"mode", "config", "configuration", "algorithm"});
  if (kind || !name.has_any({"commit", "sha", "hash", "revision", "build"})) return std::nullopt;
  return ColumnMeaning{ColumnRole::kRevision};
}

std::optional<ColumnMeaning> setting(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"atom",     "cell",    "grid",   "mesh",   "element", "dof",
                    "particle", "unknown", "zone",   "point",  "row",     "nx",
                    "ny",       "nz",      "ntot",   "vertex", "vertice", "edge",
                    "pixel",    "matrix",  "sample", "width",  "height"}) ||
      (name.has("size") && name.has_any({"problem", "input", "domain"})) ||
      (name.has("train") && name.has_any({"num", "size"}) &&
       name.is_of({"train", "num", "size"})) ||
      (name.has("num") && name.has("total") && name.is_of({"num", "total"}))) {
    return ColumnMeaning{kProblemSize, 1};
  }
  if (name.has("p") && name.is_of({"p", "num", "nb"})) return ColumnMeaning{kScale, kLoneP};
  if (name.is_of({"num"}) || name.is_of({"scale"}) || name.is_of({"size"})) {
    return ColumnMeaning{kScale, kLoneN};
  }
  // Images of a coarray are processes; elsewhere they are data.
  const bool lone_plural = name.is_of({"num", "image"}) || name.is_of({"num", "unit"});
  if (name.is_plural() && lone_plural) return ColumnMeaning{kScale, kLoneN + 1};
  if (name.has_any({"length", "hidden",     "layer",    "head",         "depth",
                    "tp",     "pp",         "dp",       "ep",           "cp",
                    "degree", "lr",         "learning", "accumulation", "level",
                    "stage",  "size",       "per",      "sequence",     "tile",
                    "block",  "resolution", "dim",      "dimension",    "rate"})) {
    return ColumnMeaning{kSetting, 1};
  }
  return std::nullopt;
}

/// Whether a name is written in another script than Latin alone: that of a column after its
/// English name, "Users / 用户数".
bool is_translation(std::string_view name) {
  const auto is_ascii_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto is_other = [](unsigned char c) { return c >= 0xD0; };
  return std::ranges::any_of(name, is_other) && std::ranges::none_of(name, is_ascii_letter);
}

/// Refuses a column in another unit than the one in brackets behind the name that the user gave.
std::size_t in_that_unit(const Header& header, std::size_t place, std::string_view name,
                         std::string_view source) {
  const std::string_view wanted = column_label(name).unit;
  const std::string_view unit = column_label(header.names[place]).unit;
  const bool in_brackets = name.ends_with(']') || name.ends_with(')');
  if (!in_brackets || wanted.empty() || wanted == unit) return place;
  throw DataError(fmt::format(
      "{}: '{}' asks for {}, and the column '{}' {}", source, name, wanted, header.names[place],
      unit.empty() ? "tells no unit: write its name in full" : fmt::format("is in {}", unit)));
}

}  // namespace

bool is_tokens_per_step(std::string_view header) {
  const Name name(header);
  const bool of_batch = name.has("batch") && !name.has("micro") && name.per().empty();
  return (is_work_per_step(name) || of_batch) && name.has("token") && !names_device(name);
}

bool names_night(std::string_view header) {
  const Name name(header);
  return name.has_any({"date", "day", "week", "night", "nightly"}) && name.per().empty() &&
         !name.is_plural() && !name.has_any({"time", "num", "rate"});
}

bool names_score(std::string_view header) {
  const Name name(header);
  return name.has_any({"accuracy", "acc", "score", "mmlu", "hellaswag", "piqa", "arc", "winogrande",
                       "gsm", "boolq", "lambada", "humaneval", "bleu", "rouge", "auc",
                       "occupancy"}) &&
         !name.has_any({"std", "stderr", "se", "ci", "error", "err", "num"});
}

std::string_view name_of(ColumnRole role) {
  using enum ColumnRole;
  return word_for(role, {{kOther, "other"},
                         {kScale, "scale"},
                         {kTime, "time"},
                         {kRate, "rate"},
                         {kEnergy, "energy"},
                         {kPower, "power"},
                         {kPowerLimit, "power limit"},
                         {kClock, "clock"},
                         {kLoss, "loss"},
                         {kParameters, "parameters"},
                         {kTokens, "tokens"},
                         {kCompute, "compute"},
                         {kBatchSize, "batch size"},
                         {kProblemSize, "problem size"},
                         {kSetting, "setting"},
                         {kCategory, "category"},
                         {kSystem, "system"},
                         {kHardware, "hardware"},
                         {kRun, "run"},
                         {kRepeat, "repeat"},
                         {kEpoch, "epoch"},
                         {kState, "state"},
                         {kTimestamp, "timestamp"},
                         {kRevision, "revision"},
                         {kDerived, "derived"}});
}

bool is_lone_letter(const ColumnMeaning& meaning) {
  return meaning.role == ColumnRole::kScale && meaning.rank >= kLoneN;
}

bool is_rate(const ColumnMeaning& meaning) {
  return meaning.role == ColumnRole::kRate ||
         (meaning.role == ColumnRole::kDerived && meaning.last_resort);
}

bool is_night_name(std::string_view header) {
  return std::ranges::find(kNightColumns, header) != std::end(kNightColumns);
}

bool names_version(std::string_view header) {
  return meaning_of(header).role == ColumnRole::kRevision ||
         Name(header).has_any({"version", "release"});
}

bool may_share_work(std::string_view header) {
  const Name name(header);
  const ColumnMeaning meaning = meaning_of(header);
  const ColumnRole role = meaning.role;
  using enum ColumnRole;
  const bool ends_in_worker = !name.words().empty() && scale_rank(name.words().back());
  if (name.per().empty() && (ends_in_worker || name.has_any({"parallel", "unit", "stage"}))) {
    return true;  // "compute_nodes", "tensor_parallel_size".
  }
  if (role == kSetting && meaning.last_resort) return true;  // "cores_per_task".
  return role != kBatchSize && role != kProblemSize && role != kSetting && role != kPowerLimit &&
         role != kClock && role != kParameters && role != kTokens && role != kCompute;
}

bool may_count_gpus(std::string_view header) {
  const Name name(header);
  const bool names_gpus = std::ranges::any_of(name.words(), is_device_word);
  if (names_gpus && name.per().empty()) return true;
  if (!may_share_work(header)) return false;
  return !name.has_any({"rank", "process", "worker", "task", "executor", "node", "host", "machine",
                        "server", "instance", "replica", "core", "cpu", "processor", "thread",
                        "client", "user"});
}

bool counts_nodes(std::string_view header) {
  const Name name(header);
  return !may_count_gpus(header) &&
         name.has_any({"node", "host", "machine", "server", "instance"}) && name.per().empty();
}

bool names_scale(std::string_view word) { return meaning_of(word).role == ColumnRole::kScale; }

bool ends_in_scale(std::string_view header) {
  const Name name(header);
  // "4 GPUs" holds what was measured on four.
  if (header.find_first_of("0123456789") != std::string_view::npos) return false;
  return !name.words().empty() && name.is_plural() && scale_rank(name.words().back()) &&
         !name.has_any({"per", "id", "index", "idle", "free", "busy", "failed", "lost", "max",
                        "min", "explored", "visited", "expanded", "killed"});
}

bool counts_clients(std::string_view header) {
  const Name name(header);
  return name.has_any({"client", "user", "concurrency", "connection", "session"}) &&
         name.per().empty();
}

bool is_rate_of_one(std::string_view header, std::string_view x) {
  const Name name(header);
  const Name scale(x);
  if (meaning_of(x).role != ColumnRole::kScale || !scale.per().empty()) return false;
  const auto counts = [&scale](bool (*is_kind)(std::string_view)) {
    return std::ranges::any_of(scale.words(), is_kind);
  };
  const auto is_unit = [&](std::string_view word) {
    if (is_device_word(word)) return may_count_gpus(x);
    if (is_one_of(word, {"user", "client", "session"})) return counts_clients(x);
    if (is_host_word(word)) return counts(is_host_word);
    // A rank of a training has one GPU.
    if (is_process_word(word)) return counts(is_process_word) || may_count_gpus(x);
    return scale_rank(word) && scale.has(word);
  };
  const Words& words = name.words();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "per" && is_unit(words[i])) return true;
  }
  return false;
}

bool speaks_of_rates(std::string_view text) { return has_words_of_rate(Name(text)); }

bool speaks_of_speedups(std::string_view text) {
  const Name name(text);
  if (name.has_any({"time", "runtime", "second", "duration"})) return false;  // "Times, speedups".
  return name.has("speedup") || (name.has("speed") && name.has("up"));
}

namespace {

bool counts_work(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  return is_one_of(word, {"tok", "token", "sample", "image", "img", "step", "iteration", "iter",
                          "sequence", "request", "update", "upd", "example", "frame"});
}

bool is_plain_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "k" and "thousand" are 1e3, "1000" is itself, "300b" is 3e11; 0 is another word.
double multiple_of_word(std::string_view word) {
  constexpr std::pair<std::string_view, double> kMultiples[] = {
      {"k", 1e3}, {"thousand", 1e3}, {"m", 1e6},  {"million", 1e6},  {"b", 1e9},
      {"g", 1e9}, {"billion", 1e9},  {"t", 1e12}, {"trillion", 1e12}};
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const double number = digits > 0 ? parse_number(word.substr(0, digits)).value_or(0) : 1;
  word.remove_prefix(digits);
  if (word.empty()) return number;
  const auto found = std::ranges::find(kMultiples, word, [](const auto& one) { return one.first; });
  return found == std::end(kMultiples) ? 0 : number * found->second;
}

/// "ktok", "Mtokens".
bool has_prefix_of_work(std::string_view word) {
  return word.size() > 2 && (word.front() == 'k' || word.front() == 'm') &&
         word.substr(1) != "it" && !counts_work(word) && counts_work(word.substr(1));
}

/// Whether a word opens the name of a rate, or stands right behind "throughput": the "b" of
/// "model_b tokens/s" is no billion.
bool opens_rate(const Words& words, std::size_t at) {
  return at == 0 || (at == 1 && is_one_of(words[0], {"throughput", "rate"}));
}

/// What the word before the work at `at` multiplies it by: "1000" in "per 1000 steps", "k" in
/// "k tokens/s". The batch of "64 samples/s" and the model of "7B tokens/s" multiply nothing.
double multiple_before(const Words& words, std::size_t at, bool is_rate) {
  if (at == 0) return 1;
  const std::string& word = words[at - 1];
  const bool counted = at > 1 && is_one_of(words[at - 2], {"per", "for"});
  const bool split =
      at > 2 && is_plain_number(words[at - 2]) && is_one_of(words[at - 3], {"per", "for"});
  const double multiple = multiple_of_word(word);
  if (split && multiple > 0) return multiple * multiple_of_word(words[at - 2]);  // "per 300 B".
  const bool is_power_of_ten = word.size() > 2 && word.find_first_not_of('0', 1) == word.npos;
  const bool opens =
      is_rate && opens_rate(words, at - 1) &&
      (is_one_of(word, {"k", "m", "b"}) || (is_plain_number(word) && is_power_of_ten));
  return multiple > 0 && (counted || opens) ? multiple : 1;
}

}  // namespace

double multiple_of_work(std::string_view header) {
  const Name name(header);
  const Words& words = name.words();
  const bool is_rate = meaning_of(header).role == ColumnRole::kRate;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_rate && opens_rate(words, i) && has_prefix_of_work(words[i])) {
      return multiple_of_word(words[i].substr(0, 1));
    }
    const double multiple = counts_work(words[i]) ? multiple_before(words, i, is_rate) : 1;
    if (multiple != 1) return multiple;
  }
  if (!is_rate) return 1;
  for (const std::string_view word : {"thousand", "million", "billion", "trillion"}) {
    if (name.has(word)) return multiple_of_word(word);
  }
  for (const auto& [end, multiple] : {std::pair{"(k)", 1e3}, {"(M)", 1e6}, {"(B)", 1e9}}) {
    if (header.ends_with(end)) return multiple;
  }
  return 1;
}

RateName rate_name(std::string_view header) {
  RateName rate;
  const Words words = words_of_name(header);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool of_device = names_device(Name(rate.things));  // throughput/device/tokens_per_sec.
    if (words[i] == "per" && i > 0 && (rate.things.empty() || of_device) &&
        words[i - 1] != "throughput") {
      rate.things = words[i - 1] + (is_time_unit(words[i - 1]) ? "" : "s");
    }
    const bool counted = i > 0 && is_one_of(words[i - 1], {"token", "request", "sample"});
    if (counted && words[i] == "throughput") rate.things = words[i - 1] + "s";
    if (i == 0 || words[i - 1] != "per") continue;
    if (words[i] == "second" || words[i] == "s") rate.seconds = 1;
    if (words[i] == "minute" || words[i] == "min") rate.seconds = 60;
    if (words[i] == "hour" || words[i] == "h") rate.seconds = 3600;
    if (words[i] == "day" || words[i] == "d") rate.seconds = 86400;
    const bool place = meaning_of(words[i]).role == ColumnRole::kScale || words[i] == "socket";
    if (place) rate.place = words[i];
    rate.of_one_device = rate.of_one_device || place;
  }
  if (has_prefix_of_work(rate.things)) rate.things.erase(0, 1);
  // "Throughput (S/s)", "T/s", "ex/s".
  if (rate.things == "ts" || rate.things == "toks") rate.things = "tokens";
  if (rate.things == "exs") rate.things = "examples";
  if (rate.things == "s" && rate.seconds == 1) rate.things = "samples";
  return rate;
}

namespace {

constexpr std::size_t kLongestName = 200;  // What is longer is no name.

ColumnMeaning meaning_by_words(std::string_view header) {
  // Of a nested entry, "config.gpus", the last key says most.
  const std::size_t dot =
      header.find(' ') == std::string_view::npos ? header.rfind('.') : header.npos;
  if (dot != header.npos && dot > 0) {
    const ColumnMeaning last = meaning_of(header.substr(dot + 1));
    if (last.role != ColumnRole::kOther) return last;
  }
  // hyperfine and pytest-benchmark put a word before what they vary, "parameter_threads".
  for (const std::string_view before : {"parameter_", "param:"}) {
    if (!header.starts_with(before)) continue;
    const ColumnMeaning varied = meaning_of(header.substr(before.size()));
    if (varied.role == ColumnRole::kScale) return varied;
  }
  const Name name(header.substr(0, kLongestName));
  if (name.words().empty()) return {};
  if (counts_gpu_model(header)) return {ColumnRole::kScale, 1};
  // The first rule that knows the words tells: "time limit" is no time, "GPU power" no scale.
  // "GPUs / DP ranks" are two names of one count.
  const std::size_t either = header.find(" / ");
  if (either != header.npos) {
    const ColumnMeaning first = meaning_of(header.substr(0, either));
    const Name second(header.substr(either + 3));
    const bool names_count = std::ranges::any_of(
        second.words(), [](auto& word) { return scale_rank(word).has_value(); });
    if (is_translation(header.substr(either + 3)) && first.role != ColumnRole::kOther) return first;
    // "GPUs / node" is another count.
    const bool other_name = names_count && second.words().size() > 1 && !scale(second);
    if (first.role == ColumnRole::kScale && !first.may_be_kind && other_name) return first;
  }
  constexpr std::array kRules = {state_or_timestamp, derived_meaning, power_or_clock, rate_meaning,
                                 time_meaning,       learning,        scale,          run,
                                 revision,           category,        setting};
  for (const auto rule : kRules) {
    if (const auto meaning = rule(name)) return *meaning;
  }
  return {};
}

}  // namespace

ColumnMeaning meaning_of(std::string_view header) {
  if (header.size() > kLongestName) return meaning_by_words(header);
  // The same names are asked for again and again while a table is read.
  constexpr std::size_t kMostKept = 1 << 16;
  thread_local PerThread<std::unordered_map<std::string, ColumnMeaning>> kept;
  std::unordered_map<std::string, ColumnMeaning>& known = *kept;
  std::string name(header);
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  const ColumnMeaning meaning = meaning_by_words(header);
  if (known.size() == kMostKept) known.clear();
  known.emplace(std::move(name), meaning);
  return meaning;
}

namespace {

/// "busbw" of "busbw(GB/s)".
bool has_words_before_brackets(std::string_view cell, const Words& wanted) {
  if (!cell.ends_with(')') && !cell.ends_with(']')) return false;
  const std::size_t open = cell.find_last_of("([");
  return open != cell.npos && words_of_name(cell.substr(0, open)) == wanted;
}

}  // namespace

std::optional<std::size_t> find_column_by_words(const Header& header, std::string_view name,
                                                std::string_view source) {
  if (const auto exact = find_column(header, name, source)) return exact;
  const Words wanted = words_of_name(name);
  // A product of columns is none of them.
  if (wanted.empty() || name.find('*') != std::string_view::npos) return std::nullopt;
  const auto has_per = [](const Words& words) {
    return std::ranges::find(words, "per") != words.end();
  };
  const auto is_unit = [](const std::string& word) {
    return is_time_unit(word) || is_one_of(word, {"w", "watt", "j", "kj", "joule", "kwh", "mhz"});
  };
  const auto essence = [&](Words words) {
    Words kept = words;
    std::erase_if(kept, [&](const std::string& word) { return word == "num" || is_unit(word); });
    return kept.empty() ? words : kept;
  };
  constexpr std::size_t kMostOtherWords = 3;
  const Words core = essence(wanted);
  std::array<std::vector<std::size_t>, 3> found;  // The same words, the same essence, all words.
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    const Words words = words_of_name(header.names[i]);
    const bool all = std::ranges::all_of(wanted, [&words](const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    });
    if (words == wanted) found[0].push_back(i);
    if (essence(words) == core || has_words_before_brackets(header.names[i], wanted))
      found[1].push_back(i);
    // A name of many more words is a sentence, or several columns with an unknown separator.
    // gpus_per_node are no gpus.
    const bool another = has_per(words) && !has_per(wanted);
    if (all && !another && words.size() <= wanted.size() + kMostOtherWords) found[2].push_back(i);
  }
  for (const std::vector<std::size_t>& places : found) {
    if (places.empty()) continue;
    if (places.size() == 1) return in_that_unit(header, places.front(), name, source);
    throw DataError(fmt::format(
        "{}: '{}' may mean several columns: {}; write the name of one in full", source, name,
        joined_texts(places, ", ", [&](std::size_t place) { return header.names[place]; })));
  }
  return std::nullopt;
}

}  // namespace scalelaw
