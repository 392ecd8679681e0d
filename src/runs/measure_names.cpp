// What names say of measurements: which are times and rates, and which of several comes first.

#include <algorithm>
#include <array>
#include <string>

#include "runs/column_words.hpp"

namespace scalelaw {
namespace {

/// Ranks of times: a class, and within it the order of what sums several measurements up.
constexpr int kClass = 10;

bool is_flop_rate(std::string_view word) {
  return is_one_of(word, {"gflop", "tflop", "mflop", "pflop", "gflops", "tflops", "pflops", "gops",
                          "tops", "mops", "kops", "mtflop", "htflop", "mtflops", "htflops"});
}

bool is_byte_rate(std::string_view word) {
  return word.ends_with("bps") || is_one_of(word, {"bandwidth", "gb", "mb", "kb", "byte"});
}

/// Nouns that mean a rate without a word of time.
bool is_rate_noun(std::string_view word) {
  return word.ends_with("bps") ||
         is_one_of(word,
                   {"throughput", "ips",   "tps",   "fps",         "qps",   "rps",     "iops",
                    "nps",        "fom",   "merit", "mlups",       "glups", "mups",    "gups",
                    "teps",       "gteps", "mteps", "mcups",       "gcups", "speed",   "goodput",
                    "bandwidth",  "rate",  "perf",  "performance", "tput",  "thruput", "sps",
                    "sypd",       "sdpd",  "wps",   "busbw",       "algbw", "tgs",     "ups"});
}

/// Whether a unit of time follows a "per", perhaps behind a word such as the "cpu" of "cycles per
/// cpu second".
bool is_per_time(const Name& name) {
  const Words& words = name.words();
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "per") continue;
    // "hours/ns" is the time of a simulated nanosecond, and "ns/day" a rate.
    if (i > 0 && is_time_unit(words[i - 1]) && is_one_of(words[i + 1], {"ns", "us"})) return false;
    if (is_time_unit(words[i + 1])) return true;
    const bool device = is_one_of(words[i + 1], {"cpu", "gpu", "wall", "node", "core", "rank"});
    if (device && i + 2 < words.size() && is_time_unit(words[i + 2])) return true;
  }
  return false;
}

/// Whether a name is several things and seconds, "images_s": these are things per second.
bool is_things_s(const Name& name) {
  const Words written = words_as_written(name.header());
  if (name.has_any({"per", "time", "latency"}) || written.size() < 2 ||
      !is_one_of(written.back(), {"s", "sec"}))
    return false;
  return is_one_of(
      written[written.size() - 2],
      {"images",     "imgs",     "samples",  "tokens",  "cells",  "mcells",  "gcells",
       "zones",      "queries",  "requests", "reqs",    "frames", "updates", "elements",
       "particles",  "atoms",    "points",   "mpoints", "gpts",   "steps",   "iters",
       "iterations", "events",   "ops",      "mops",    "gops",   "records", "rows",
       "items",      "messages", "mdofs",    "dofs",    "edges",  "pairs",   "interactions",
       "sequences",  "words",    "rays",     "mrays",   "tok",    "toks",    "req",
       "msgs",       "txns",     "mb",       "gb",      "mib",    "gib"});
}

/// Whether a time is of a part of a run.
bool is_part(const Name& name) {
  if (name.has_any({"with", "incl", "including"})) return false;  // wall_with_comm
  return name.has_any({"comm", "communication", "mpi", "allreduce", "halo", "scatter", "gather",
                       "sync", "copy", "transfer"}) ||
         name.has_any({"comp", "decomp", "compute", "computation", "kernel", "forward", "backward",
                       "fwd", "bwd", "optimizer", "inference", "jit", "compile", "gc", "cpu",
                       "gpu"}) ||
         name.has_any({"io", "load", "loading", "data", "checkpoint", "init", "initialization",
                       "setup", "startup", "prepare", "preprocessing", "pre", "post"}) ||
         name.has_any({"user", "sys", "system", "queue", "wait", "waiting", "idle", "interval",
                       "overhead", "eval", "validation", "first"});
}

bool is_sequential(const Name& name) {
  return name.has_any({"sequential", "serial", "ser", "baseline", "reference", "ref"}) ||
         (name.has("sequence") && !name.has("length"));  // SEQ_TIME.
}

bool is_whole_number(const std::string& word) {
  return word.find_first_not_of("0123456789") == std::string::npos;
}

/// The place of a percentile such as latency_p99 among them, 0 for the median; empty if a name has
/// none.
std::optional<int> place_of_percentile(const Name& name) {
  constexpr std::array<std::string_view, 6> kPercentiles = {"50", "75", "90", "95", "99", "999"};
  const Words& words = name.words();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] != "p" && words[i - 1] != "percentile") continue;
    const auto found = std::ranges::find(kPercentiles, words[i]);
    if (found != kPercentiles.end()) return static_cast<int>(found - kPercentiles.begin());
  }
  return name.has("percentile") ? std::optional(4) : std::nullopt;
}

/// Whether a time is one of several repeats, "time_1", "run 2 seconds". The number of another word
/// is a part of that, "ResNet-50 time".
bool is_of_repeat(const Name& name) {
  const Words& words = name.words();
  if (words.size() > 1 && is_whole_number(words.back())) return true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool counted =
        is_one_of(words[i - 1], {"run", "repeat", "trial", "rep", "attempt", "time", "num", "t"});
    if (counted && is_whole_number(words[i])) return true;
  }
  return !words.empty() && words.size() > 1 && is_whole_number(words.front());
}

/// How far a name moves a time back among those of its class: what sums up stands first, and the
/// ends of a distribution come after other classes.
int place_in_class(const Name& name) {
  constexpr int kEnd = 6 * kClass;
  const auto percentile = place_of_percentile(name);
  if (name.has("median") || percentile == 0) return 0;
  if (percentile) return kEnd + *percentile;
  if (name.has("max")) return kEnd + 6;
  if (name.words().front() == "min" || name.has("best")) return kEnd;
  if (name.has("mean")) return 1;
  return is_of_repeat(name) ? 3 : 2;
}

/// The rank of a time: whole epochs and steps first, then runs, then parts of them.
int rank_of_time(const Name& name) {
  const int place = place_in_class(name);
  if (is_sequential(name)) return 14 * kClass + place;
  if (is_part(name)) return 8 * kClass + place;
  if (name.has("epoch")) return place;
  if (name.has("step") || name.has("batch")) return 1 * kClass + place;
  if (name.has_any({"train", "trained"})) return 2 * kClass + place;
  const bool whole = name.has_any({"wall", "clock", "elapsed", "total", "overall", "real"});
  // Another word tells which part it is: "etl run time" beside "total run time".
  constexpr int kOfPart = 4;
  const bool plain =
      name.is_of({"run",    "time",     "second",    "s",       "ms",      "us",     "ns",
                  "minute", "min",      "hour",      "h",       "mean",    "median", "max",
                  "best",   "parallel", "execution", "program", "process", "job",    "simulation"});
  if (whole) return 3 * kClass + place;
  if (name.has("run")) return 3 * kClass + place + (plain ? 0 : kOfPart);
  // What a time to an accuracy tells, chance tells with it.
  const bool latency = name.has_any({"latency", "ttft", "tpot", "itl", "accuracy", "acc"});
  return (latency ? 5 : 4) * kClass + place;
}

}  // namespace

std::optional<ColumnMeaning> derived_meaning(const Name& name) {
  using enum ColumnRole;
  // "Time to 75% accuracy", energy_to_accuracy.
  const Words& words = name.words();
  if (words.size() > 1 && is_one_of(words[0], {"time", "energy"}) && words[1] == "to") return {};
  // A cap in percent is a setting without watts.
  const bool cap = name.has_any({"cap", "limit"}) && name.has_any({"power", "tdp"});
  if (cap && name.has_any({"percent", "pct", "%"})) return ColumnMeaning{kSetting};
  const bool speedup = name.has("speedup") || (name.has("speed") && name.has("up"));
  if (name.has_any(
          {"std",         "stdev",       "stddev",    "stdv",       "sd",          "stderr",
           "se",          "sem",         "variance",  "var",        "cov",         "cv",
           "rsd",         "mad",         "iqr",       "ci",         "lower",       "upper",
           "err",         "error",       "deviation", "efficiency", "eff",         "ratio",
           "relative",    "rel",         "percent",   "pct",        "%",           "utilization",
           "utilisation", "util",        "mfu",       "hfu",        "improvement", "reduction",
           "normalized",  "normalised",  "fraction",  "frac",       "share",       "coverage",
           "scaling",     "gain",        "r2",        "residual",   "ideal",       "predicted",
           "expected",    "theoretical", "amdahl",    "gustafson",  "temperature", "temp",
           "accuracy",    "acc",         "score",     "checksum",   "rss",         "footprint",
           "cost",        "price",       "usd",       "emission",   "co2",         "derived",
           "est",         "estimate",    "estimated", "chsy",       "chpsy"})) {
    return ColumnMeaning{kDerived};
  }
  if (speedup) return ColumnMeaning{.role = kDerived, .last_resort = true};
  const bool of_cost = is_one_of(name.per(), {"watt", "w", "joule", "j", "kwh", "dollar"});
  if (of_cost) return ColumnMeaning{kDerived};
  // B/op and allocs/op beside ns/op.
  const bool of_operation = is_one_of(name.per(), {"op", "operation"});
  if (of_operation && !name.has("time") && !is_time_unit(name.words().front()))
    return ColumnMeaning{kDerived};
  if (name.has("byte") && name.has_any({"comp", "compressed", "out", "output", "sent", "received",
                                        "written", "peak", "used"})) {
    return ColumnMeaning{kDerived};
  }
  return std::nullopt;
}

bool has_rate_noun(const Name& name) {
  const Words& words = name.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool of_program = i > 0 && words[i] == "speed" && words[i - 1] == "deep";  // DeepSpeed.
    if (is_rate_noun(words[i]) && !of_program) return true;
  }
  return false;
}

bool is_flop_time(const Name& name) {
  const auto is_flop = [](std::string_view word) {
    return is_flop_rate(word) ||
           is_one_of(word, {"pf", "flop", "petaflop", "petaflops", "exaflop", "exaflops",
                            "teraflop", "teraflops", "zettaflop", "zettaflops"});
  };
  return name.has("day") && std::ranges::any_of(name.words(), is_flop);
}

std::optional<ColumnMeaning> rate_meaning(const Name& name) {
  using enum ColumnRole;
  if (name.has_any({"learning", "lr", "sampling", "dropout", "failure", "hit", "miss", "decay",
                    "success", "compression", "drop", "acceptance"})) {
    return std::nullopt;
  }
  // What the system counts beside the work.
  if (name.has_any({"switch", "fault", "interrupt"})) return ColumnMeaning{kDerived};
  const bool of_time =
      name.is_of({"time", "t", "wall", "run", "elapsed", "duration", "latency", "mean", "total",
                  "per", "second", "s", "ms", "minute", "h", "epoch"});
  const bool quotient = (is_per_time(name) && !of_time) || is_things_s(name);
  if (is_flop_time(name)) return std::nullopt;
  const bool flops = std::ranges::any_of(name.words(), is_flop_rate);
  const bool noun = has_rate_noun(name);
  if (!quotient && !noun && !flops) return std::nullopt;
  if (is_count_of_tokens(name)) return std::nullopt;
  const bool of_part = name.has_any({"io", "network"});
  const bool of_bytes = std::ranges::any_of(name.words(), is_byte_rate);
  const bool bytes = of_part || (of_bytes && !name.has("throughput"));
  const bool of_one = name.has("per") && names_device(name) && !is_per_time(name);
  const bool of_device_time = name.has("per") && names_device(name) && !name.has("cpu");
  const bool end = name.has_any({"min", "max", "peak", "curr", "current", "raw"});
  return ColumnMeaning{kRate, of_one || of_device_time         ? (flops ? 7 : 6)
                              : bytes                          ? 5
                              : end                            ? 4
                              : names_device(name) || of_bytes ? 3
                              : flops && !quotient             ? 2
                                                               : 1};
}

bool has_words_of_rate(const Name& name) {
  return is_per_time(name) || name.has_any({"throughput", "bandwidth", "goodput"});
}

bool is_least_of_several(const std::vector<std::string>& names, const std::string& cell) {
  const Words words = words_of_name(cell);
  if (words.empty() || words.back() != "min") return false;
  return std::ranges::any_of(names, [&](const std::string& name) {
    const Words other = words_of_name(name);
    const bool alike =
        other.size() == words.size() && std::equal(words.begin(), words.end() - 1, other.begin());
    return alike && is_one_of(other.back(), {"max", "mean", "median"});
  });
}

/// Whether a name counts the time steps of a simulation: "time_steps", "num timesteps".
bool counts_time_steps(const Name& name) {
  const Words words = words_as_written(name.header());
  if (is_one_of(words.back(), {"timesteps", "timestep"})) return name.is_plural();
  return words.size() > 1 && words.back() == "steps" && words[words.size() - 2] == "time";
}

std::optional<ColumnMeaning> time_meaning(const Name& name) {
  using enum ColumnRole;
  if (counts_time_steps(name)) return ColumnMeaning{kProblemSize, 1};
  // T_par and t_seq are times; a lone t may be a temperature.
  const bool t = name.has("t") && (is_sequential(name) ||
                                   name.has_any({"parallel", "omp", "openmp", "mpi", "pthread",
                                                 "pthreads", "cuda", "opencl", "hybrid", "tbb"}));
  const bool t_of_part =
      name.words().front() == "t" && name.words().size() == 2 &&
      is_one_of(name.words().back(), {"compute", "comp", "comm", "communication", "wait", "io",
                                      "halo", "sync", "total", "wall"});
  // s/it, as progress bars write it.
  const bool per_step = is_time_unit(name.words().front()) &&
                        is_one_of(name.per(), {"step", "op", "operation", "call", "loop", "epoch",
                                               "token", "sample"});
  const bool noun =
      t || t_of_part || per_step ||
      name.has_any({"time", "timing", "duration", "elapsed", "wall", "latency", "makespan"}) ||
      name.is_of({"real"});
  // tokens_min is a least number and no time in minutes.
  const bool counts = name.has_any({"token", "param", "loss", "byte", "sample"});
  const bool days = name.words().back() == "day" && name.is_plural() &&
                    name.has_any({"train", "training", "wall", "clock", "run", "elapsed", "epoch"});
  const bool unit = days || name.has_any({"second", "ms", "us", "minute", "hour"}) ||
                    is_one_of(name.words().back(), {"s", "h", "ns"}) ||
                    (name.words().back() == "min" && !counts);
  if (name.is_of({"total"})) return ColumnMeaning{.role = kTime, .last_resort = true};
  // Benchmarks sum their times up in such columns.
  if (name.is_of({"median"})) return ColumnMeaning{.role = kTime, .rank = 1, .last_resort = true};
  if (name.is_of({"mean"})) return ColumnMeaning{.role = kTime, .rank = 2, .last_resort = true};
  if (!noun && !unit) return std::nullopt;
  if (name.has_any({"limit", "zone", "out", "timeout", "cost", "price", "dollar"}) ||
      (name.has("clock") && !name.has("wall") && !name.is_of({"clock", "time", "s", "second"}))) {
    return std::nullopt;
  }
  // GPU hours are a cost: they rise with the number of GPUs.
  if (name.has_any({"hour", "day"}) && names_device(name)) return ColumnMeaning{kDerived};
  if (!noun && name.words().size() == 1 && name.words()[0].size() == 1) return std::nullopt;
  return ColumnMeaning{kTime, rank_of_time(name), false, name.has("epoch")};
}

}  // namespace scalelaw
