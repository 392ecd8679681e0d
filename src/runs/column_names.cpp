#include "scalelaw/runs/column_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/name_words.hpp"
#include "scalelaw/base/names.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"

namespace scalelaw {
namespace {

using Words = std::vector<std::string>;
using Vocabulary = std::initializer_list<std::string_view>;

/// The words of one name, as the rules ask for them.
class Name {
 public:
  explicit Name(std::string_view header) : words_(words_of_name(header)) {
    const std::size_t last = header.find_last_not_of("0123456789()[]{}#_.:;- \t");
    is_plural_ = last != std::string_view::npos && (header[last] == 's' || header[last] == 'S');
  }

  const Words& words() const { return words_; }
  bool is_plural() const { return is_plural_; }
  bool has(std::string_view word) const {
    return std::find(words_.begin(), words_.end(), word) != words_.end();
  }
  bool has_any(Vocabulary words) const {
    return std::any_of(words.begin(), words.end(), [this](auto word) { return has(word); });
  }
  /// Whether the name has no other words.
  bool is_of(Vocabulary words) const {
    return std::all_of(words_.begin(), words_.end(), [&words](const std::string& word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    });
  }
  /// What follows the first "per"; empty without one.
  std::string_view per() const {
    const auto found = std::find(words_.begin(), words_.end(), "per");
    return found == words_.end() || found + 1 == words_.end() ? std::string_view() : *(found + 1);
  }

 private:
  Words words_;
  bool is_plural_ = false;
};

bool is_one_of(std::string_view word, Vocabulary words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_time_unit(std::string_view word) {
  return is_one_of(word,
                   {"second", "s", "ms", "us", "ns", "minute", "min", "hour", "h", "day", "d"});
}

bool names_device(const Name& name) {
  return name.has_any({"gpu", "device", "accelerator", "node", "core", "cpu", "rank", "worker",
                       "process", "chip", "tpu", "thread", "host"});
}

std::optional<ColumnMeaning> state_or_timestamp(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"timestamp", "datetime", "date"})) return ColumnMeaning{kTimestamp};
  const bool of_clock = name.has_any({"time", "at"});
  const bool moment = name.has_any({"start", "started", "end", "ended", "begin", "submit",
                                    "created", "finished", "eligible", "submitted", "completed"});
  if (of_clock && moment) return ColumnMeaning{kTimestamp};
  if (name.has("num") && name.has("failed")) return ColumnMeaning{kDerived};
  if (name.has_any({"state", "status", "success", "succeeded", "successful", "failed", "passed",
                    "crashed", "outcome"}) ||
      (name.has("exit") && name.has_any({"code", "status"}))) {
    return ColumnMeaning{kState};
  }
  return std::nullopt;
}

std::optional<ColumnMeaning> derived(const Name& name) {
  using enum ColumnRole;
  if (name.has_any(
          {"std",         "stdev",       "stddev",     "stdv",       "sd",    "stderr",
           "se",          "sem",         "variance",   "var",        "cov",   "cv",
           "rsd",         "mad",         "iqr",        "ci",         "lower", "upper",
           "err",         "error",       "deviation",  "efficiency", "eff",   "speedup",
           "ratio",       "relative",    "rel",        "percent",    "pct",   "%",
           "utilization", "utilisation", "util",       "mfu",        "hfu",   "improvement",
           "reduction",   "normalized",  "normalised", "fraction",   "share", "coverage",
           "scaling",     "gain",        "r2",         "residual",   "ideal", "predicted",
           "expected",    "temperature", "temp",       "accuracy",   "acc",   "score"})) {
    return ColumnMeaning{kDerived};
  }
  if (name.has("speed") && name.has("up")) return ColumnMeaning{kDerived};
  return std::nullopt;
}

std::optional<ColumnMeaning> power_or_clock(const Name& name) {
  using enum ColumnRole;
  const bool limit = name.has_any({"limit", "cap", "capped", "tdp"});
  const bool watts = name.has_any({"power", "watt", "kw", "mw"}) ||
                     (name.words().back() == "w" && name.words().size() > 1);
  if (limit && (watts || name.is_of({"cap", "tdp", "limit", "gpu"}))) {
    return name.has("time") ? std::nullopt : std::optional(ColumnMeaning{kPowerLimit});
  }
  if (name.has_any({"energy", "joule", "kwh", "wh", "mwh", "kj"})) {
    const bool part = name.has_any({"token", "sample", "image", "step", "switch", "idle", "delay"});
    const bool one = std::any_of(
        name.words().begin(), name.words().end(),
        [](const std::string& word) { return word.front() >= '0' && word.front() <= '9'; });
    return ColumnMeaning{kEnergy, part ? 6 : one ? 5 : 1, false, name.has("epoch")};
  }
  if (watts) {
    // What is no mean of one device is taken only by name.
    const bool other = name.has_any({"max", "peak", "min", "idle", "node", "system", "server",
                                     "total", "rack", "cpu", "dram", "cluster"});
    return ColumnMeaning{kPower, other ? 3 : 1};
  }
  if (name.has_any({"clock", "frequency", "mhz", "ghz"})) {
    return ColumnMeaning{kClock, name.has_any({"memory", "mem"}) ? 2 : 1};
  }
  return std::nullopt;
}

bool is_flop_rate(std::string_view word) {
  return is_one_of(word, {"gflop", "tflop", "mflop", "pflop", "gflops", "tflops", "pflops"});
}

std::optional<ColumnMeaning> rate(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"learning", "lr", "sampling", "dropout", "failure", "hit", "miss", "decay"})) {
    return std::nullopt;
  }
  const bool quotient = is_time_unit(name.per()) &&
                        !name.is_of({"time", "t", "wall", "run", "elapsed", "duration", "latency",
                                     "mean", "total", "per", "second", "s", "ms", "minute", "h"});
  const bool flops = std::any_of(name.words().begin(), name.words().end(), is_flop_rate);
  const bool noun =
      name.has_any({"throughput", "ips", "tps", "fps", "qps", "rps", "iops", "fom", "merit",
                    "mlups", "speed", "goodput", "bandwidth", "rate", "performance", "perf"});
  if (!quotient && !noun && !flops) return std::nullopt;
  const bool bytes = name.has_any({"bandwidth", "gb", "mb", "byte", "gbps", "io", "network"});
  const bool of_one = name.has("per") && names_device(name);
  const bool end = name.has_any({"min", "max", "peak"});
  return ColumnMeaning{kRate, of_one               ? (flops ? 7 : 6)
                              : bytes              ? 5
                              : end                ? 4
                              : flops && !quotient ? 2
                                                   : 1};
}

/// The rank of a time: whole epochs and steps first, then runs, then parts of them.
int time_rank(const Name& name) {
  if (name.has_any({"comm",
                    "communication",
                    "compute",
                    "computation",
                    "io",
                    "load",
                    "loading",
                    "forward",
                    "backward",
                    "fwd",
                    "bwd",
                    "init",
                    "initialization",
                    "setup",
                    "checkpoint",
                    "allreduce",
                    "user",
                    "sys",
                    "eval",
                    "validation",
                    "compile",
                    "queue",
                    "wait",
                    "waiting",
                    "data",
                    "overhead",
                    "startup",
                    "preprocessing",
                    "optimizer",
                    "inference",
                    "mpi",
                    "kernel",
                    "cpu",
                    "gpu",
                    "pre",
                    "post",
                    "idle",
                    "interval",
                    "first",
                    "prepare",
                    "copy",
                    "transfer",
                    "sync"})) {
    return 8;
  }
  const bool percentile = name.has_any({"percentile", "p50", "p90", "p95", "p99"}) ||
                          (name.has("p") && name.has_any({"50", "90", "95", "99", "999"}));
  const int spread = percentile || name.has("max") || name.words().front() == "min" ? 6 : 0;
  if (name.has("epoch")) return spread;
  if (name.has("step") || name.has("batch")) return 1 + spread;
  if (name.has_any({"train", "trained"})) return 2 + spread;
  if (name.has_any({"wall", "elapsed", "total", "run", "overall"})) return 3 + spread;
  return (name.has("latency") ? 5 : 4) + spread;
}

std::optional<ColumnMeaning> time(const Name& name) {
  using enum ColumnRole;
  const bool noun = name.has_any({"time", "duration", "elapsed", "wall", "latency", "makespan"});
  const bool unit = name.has_any({"second", "ms", "us", "minute", "hour"}) ||
                    is_one_of(name.words().back(), {"s", "min", "h"});
  if (!noun && !unit) return std::nullopt;
  if (name.has_any({"limit", "zone", "out", "timeout"}) ||
      name.has_any({"clock", "cost", "price", "dollar"})) {
    return std::nullopt;
  }
  // GPU hours are a cost: they rise with the number of GPUs.
  if (name.has("hour") && names_device(name)) return ColumnMeaning{kDerived};
  if (!noun && name.words().size() == 1 && name.words()[0].size() == 1) return std::nullopt;
  return ColumnMeaning{kTime, time_rank(name), false, name.has("epoch")};
}

std::optional<ColumnMeaning> learning(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"loss", "perplexity", "ppl", "bpb", "entropy", "crossentropyloss"})) {
    const int rank = name.is_of({"loss"})                           ? 0
                     : name.has_any({"final", "end"})               ? 1
                     : name.has_any({"validation", "eval", "test"}) ? 2
                     : name.has("train")                            ? 3
                                                                    : 4;
    return ColumnMeaning{kLoss, rank};
  }
  const bool count =
      name.has_any({"num", "total", "train", "seen", "count"}) || name.words().size() == 1;
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
  if (name.has("token") && !name.has("per")) {
    return ColumnMeaning{kTokens, name.has_any({"unique", "batch", "length", "max"}) ? 4 : 1};
  }
  if (name.has_any({"example", "sample"}) && name.has("seen")) return ColumnMeaning{kTokens, 2};
  if (name.has_any({"flop", "flops", "compute"}) && (count || name.words().size() <= 2)) {
    return ColumnMeaning{kCompute, 1};
  }
  return std::nullopt;
}

/// The rank of a noun that a scale counts; empty if it is none.
std::optional<int> scale_rank(std::string_view noun) {
  constexpr std::pair<std::string_view, int> kNouns[] = {
      {"gpu", 1},         {"accelerator", 2}, {"tpu", 2},     {"npu", 2},     {"xpu", 2},
      {"gcd", 2},         {"hpu", 2},         {"gaudi", 2},   {"chip", 2},    {"card", 2},
      {"device", 3},      {"world", 3},       {"rank", 4},    {"process", 4}, {"worker", 4},
      {"task", 4},        {"executor", 4},    {"node", 5},    {"host", 5},    {"machine", 5},
      {"server", 5},      {"instance", 5},    {"replica", 5}, {"core", 6},    {"cpu", 6},
      {"processor", 6},   {"thread", 7},      {"client", 8},  {"user", 8},    {"concurrency", 8},
      {"parallelism", 8}, {"parallel", 8}};
  const auto* const found = std::find_if(std::begin(kNouns), std::end(kNouns),
                                         [noun](const auto& one) { return one.first == noun; });
  return found == std::end(kNouns) ? std::nullopt : std::optional(found->second);
}

/// A count of GPUs, processes or nodes: nouns of a scale, and else only words that count.
std::optional<ColumnMeaning> scale(const Name& name) {
  using enum ColumnRole;
  std::optional<int> best;
  bool counts = name.is_plural();
  for (const std::string& word : name.words()) {
    if (const auto rank = scale_rank(word)) {
      best = std::min(best.value_or(*rank), *rank);
      counts = counts || is_one_of(word, {"concurrency", "parallelism"});
    } else if (is_one_of(word, {"num", "count", "size", "total", "of", "nb", "used"})) {
      counts = true;
    } else if (!is_one_of(word, {"mpi", "omp", "openmp", "active", "parallel", "allocated", "alloc",
                                 "x", "the", "in", "nccl", "physical", "compute", "shm"})) {
      return std::nullopt;
    }
  }
  if (!best) return std::nullopt;
  // "Process number" may tell which process; "number of processes" does not.
  const bool may_be_one = name.words().back() == "num";
  return ColumnMeaning{kScale, *best, !counts || may_be_one};
}

std::optional<ColumnMeaning> run(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"seed", "repeat", "trial", "attempt", "rerun"}) || name.is_of({"sample"}))
    return ColumnMeaning{kRepeat};
  const bool run = name.has_any({"run", "job", "uuid", "wandb"});
  if (run && !name.has_any({"type", "kind", "mode", "num", "script", "queue"})) {
    return ColumnMeaning{kRun, name.has("run") ? 1 : 2};
  }
  if (name.is_of({"id", "index", "idx"})) return ColumnMeaning{kRun, 3};
  if (name.has_any({"num", "max", "total", "target", "warmup"})) return std::nullopt;
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
  const bool kind = std::any_of(name.words().begin(), name.words().end(), is_kind_word);
  if (name.is_of({"hardware", "hw"}) || (device && kind)) return ColumnMeaning{kHardware, 1};
  if (name.has_any({"system", "machine", "platform", "cluster", "site", "host", "hostname", "node",
                    "partition", "supercomputer", "computer", "submitter", "organization", "vendor",
                    "provider"}) &&
      !name.has_any({"per", "memory"})) {
    return ColumnMeaning{kSystem, 1};
  }
  if (name.has_any({"model",        "workload",
                    "benchmark",    "bench",
                    "dataset",      "app",
                    "application",  "network",
                    "arch",         "architecture",
                    "framework",    "library",
                    "lib",          "backend",
                    "compiler",     "precision",
                    "dtype",        "strategy",
                    "variant",      "version",
                    "mode",         "method",
                    "algorithm",    "algo",
                    "optimizer",    "optimiser",
                    "config",       "configuration",
                    "experiment",   "scenario",
                    "case",         "test",
                    "kernel",       "implementation",
                    "impl",         "sharding",
                    "zero",         "sweep",
                    "engine",       "technique",
                    "quantization", "interconnect",
                    "fabric",       "program",
                    "code",         "solver",
                    "task",         "language",
                    "scheme",       "approach",
                    "policy",       "scheduler",
                    "branch",       "series",
                    "label",        "suite",
                    "problem",      "operation",
                    "op",           "collective",
                    "transport",    "protocol",
                    "runtime",      "toolkit",
                    "layout",       "type",
                    "class"}) &&
      !name.has_any({"num", "size", "length", "id", "memory", "mb", "gb"})) {
    return ColumnMeaning{kCategory, 1};
  }
  if (name.has("data") && name.has_any({"set", "type"})) return ColumnMeaning{kCategory, 1};
  return std::nullopt;
}

/// Commits and builds, which change from run to run, and are no kinds of runs.
std::optional<ColumnMeaning> revision(const Name& name) {
  const bool kind = std::any_of(name.words().begin(), name.words().end(), is_kind_word) ||
                    name.has_any({"mode", "config", "configuration", "algorithm"});
  if (kind || !name.has_any({"commit", "sha", "hash", "revision", "build"})) return std::nullopt;
  return ColumnMeaning{ColumnRole::kRevision};
}

std::optional<ColumnMeaning> setting(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"atom", "cell", "grid", "mesh", "element", "dof", "particle", "unknown", "zone",
                    "point", "row", "nx", "ny", "nz"}) ||
      (name.has("problem") && name.has("size"))) {
    return ColumnMeaning{kProblemSize, 1};
  }
  if (name.is_of({"num"}) || name.is_of({"p"}) || name.is_of({"scale"}) || name.is_of({"size"})) {
    return ColumnMeaning{kScale, 9};  // A lone N or p.
  }
  if (name.has_any({"length",    "hidden",   "layer",        "head",  "depth",      "width",
                    "tp",        "pp",       "dp",           "ep",    "cp",         "degree",
                    "lr",        "learning", "accumulation", "level", "stage",      "size",
                    "per",       "sequence", "tile",         "block", "resolution", "dim",
                    "dimension", "rate"})) {
    return ColumnMeaning{kSetting, 1};
  }
  return std::nullopt;
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

bool may_count_gpus(std::string_view header) {
  const Name name(header);
  const bool names_gpus = name.has_any(
      {"gpu", "accelerator", "tpu", "npu", "xpu", "gcd", "hpu", "gaudi", "chip", "card", "device"});
  if (names_gpus && name.per().empty()) return true;
  return !name.has_any({"rank", "process", "worker", "task", "executor", "node", "host", "machine",
                        "server", "instance", "replica", "core", "cpu", "processor", "thread",
                        "client", "user"});
}

bool counts_nodes(std::string_view header) {
  const Name name(header);
  return !may_count_gpus(header) &&
         name.has_any({"node", "host", "machine", "server", "instance"}) && name.per().empty();
}

RateName rate_name(std::string_view header) {
  RateName rate;
  const Words words = words_of_name(header);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "per" && i > 0 && rate.things.empty()) rate.things = words[i - 1] + "s";
    if (i == 0 || words[i - 1] != "per") continue;
    if (words[i] == "second" || words[i] == "s") rate.seconds = 1;
    if (words[i] == "minute" || words[i] == "min") rate.seconds = 60;
    if (words[i] == "hour" || words[i] == "h") rate.seconds = 3600;
    if (words[i] == "day") rate.seconds = 86400;
    rate.of_one_device = rate.of_one_device || meaning_of(words[i]).role == ColumnRole::kScale;
  }
  return rate;
}

ColumnMeaning meaning_of(std::string_view header) {
  constexpr std::size_t kLongestName = 200;  // What is longer is no name.
  // Of a nested entry, "config.gpus", the last key says most.
  const std::size_t dot =
      header.find(' ') == std::string_view::npos ? header.rfind('.') : header.npos;
  if (dot != header.npos && dot > 0) {
    const ColumnMeaning last = meaning_of(header.substr(dot + 1));
    if (last.role != ColumnRole::kOther) return last;
  }
  const Name name(header.substr(0, kLongestName));
  if (name.words().empty()) return {};
  // The first rule that knows the words tells: "time limit" is no time, "GPU power" no scale.
  constexpr std::array kRules = {
      state_or_timestamp, derived,  power_or_clock, rate, time, learning, scale, run,
      revision,           category, setting};
  for (const auto rule : kRules) {
    if (const auto meaning = rule(name)) return *meaning;
  }
  return {};
}

std::optional<std::size_t> find_column_by_words(const Header& header, std::string_view name,
                                                std::string_view source) {
  if (const auto exact = find_column(header, name, source)) return exact;
  const Words wanted = words_of_name(name);
  // A product of columns is none of them.
  if (wanted.empty() || name.find('*') != std::string_view::npos) return std::nullopt;
  const auto has_per = [](const Words& words) {
    return std::find(words.begin(), words.end(), "per") != words.end();
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
    const bool all = std::all_of(wanted.begin(), wanted.end(), [&words](const std::string& word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    });
    if (words == wanted) found[0].push_back(i);
    if (essence(words) == core) found[1].push_back(i);
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
