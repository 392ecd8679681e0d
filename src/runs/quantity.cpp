// What the numbers of a column are about.

#include "scalelaw/runs/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "runs/cell_number.hpp"
#include "runs/column_words.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/base/units.hpp"
#include "scalelaw/runs/columns.hpp"
#include "scalelaw/runs/table_profile.hpp"

namespace scalelaw {
namespace {

bool is_sample(std::string_view thing) {
  return is_one_of(thing, {"sample", "image", "sequence", "example", "ex", "frame", "sentence",
                           "document", "molecule", "point", "record", "row"});
}

/// What a word counts.
WorkUnit work_of_word(std::string_view word) {
  if (is_one_of(word, {"token", "tok", "word"})) return WorkUnit::kToken;
  if (is_sample(word)) return WorkUnit::kSample;
  if (is_one_of(word, {"step", "batch", "iteration", "timestep"})) return WorkUnit::kStep;
  if (word == "epoch") return WorkUnit::kEpoch;
  return WorkUnit::kUnknown;
}

/// What a time or an energy is of; what it is "per" says most.
WorkUnit work_of_name(const Name& name) {
  if (const WorkUnit per = work_of_word(name.per()); per != WorkUnit::kUnknown) return per;
  for (const std::string_view word : {"token", "sample", "image", "epoch", "step", "batch"}) {
    if (name.has(word)) return work_of_word(word);
  }
  const bool run = name.has_any({"run", "total", "wall", "train", "job", "elapsed", "makespan"});
  return run ? WorkUnit::kRun : WorkUnit::kUnknown;
}

/// Work per energy, power or money: "tokens_per_joule", "GFLOPS/W".
bool is_yield(const Name& name) {
  return is_one_of(name.per(), {"watt", "w", "joule", "j", "kwh", "wh", "dollar", "usd"});
}

/// Whether a name says memory: "memory_gb", "peak mem".
bool names_memory(const Name& name) { return name.has_any({"memory", "mem", "rss", "vram"}); }

Kind kind_of_name(const Name& name) {
  const ColumnMeaning meaning = meaning_of(name.header());
  const bool error = name.has_any({"error", "err", "wer", "cer"});
  if (error && name.has_any({"rate", "wer", "cer"})) return Kind::kLoss;
  if (name.has_any({"rmse", "mae"})) return Kind::kLoss;
  if (is_yield(name)) return Kind::kOther;
  if (is_rate(meaning)) return Kind::kRate;
  if (name.has_any({"cost", "price", "usd", "dollar", "eur"})) return Kind::kPrice;
  const bool energy_per_work =
      !name.per().empty() && is_one_of(name.words().front(), {"j", "mj", "joule", "wh", "kwh"});
  if (energy_per_work) return Kind::kEnergy;
  if (names_memory(name) && meaning.role != ColumnRole::kClock) return Kind::kMemory;
  switch (meaning.role) {
    case ColumnRole::kTime:
      return Kind::kTime;
    case ColumnRole::kLoss:
      return Kind::kLoss;
    case ColumnRole::kEnergy:
      return Kind::kEnergy;
    case ColumnRole::kPower:
      return Kind::kPower;
    case ColumnRole::kScale:
    case ColumnRole::kParameters:
    case ColumnRole::kTokens:
    case ColumnRole::kCompute:
    case ColumnRole::kBatchSize:
    case ColumnRole::kProblemSize:
    case ColumnRole::kEpoch:
      return Kind::kCount;
    default:
      break;
  }
  const bool spread = name.has_any({"std", "stdev", "stddev", "stderr", "se", "sd", "variance",
                                    "cov", "cv", "ci", "lower", "upper", "residual"});
  const bool share = names_score(name.header()) ||
                     name.has_any({"efficiency", "eff", "utilization", "utilisation", "util", "mfu",
                                   "hfu", "fraction", "share", "percent", "pct", "coverage",
                                   "success", "hit", "miss", "failure", "drop", "acceptance"});
  const bool change = name.has_any({"diff", "difference", "delta", "change"});
  return share && !spread && !change ? Kind::kShare : Kind::kOther;
}

/// Shares of which less is better.
bool is_share_of_waste(const Name& name) {
  return name.has_any({"idle", "overhead", "bubble", "stall", "wait", "miss", "failure", "failed",
                       "drop", "dropped", "imbalance", "lost", "loss", "slowdown", "degradation",
                       "regression", "communication", "comm", "error"});
}

Better better_of(Kind kind, const Name& name) {
  switch (kind) {
    case Kind::kRate:
      return Better::kMore;
    case Kind::kShare:
      return is_share_of_waste(name) ? Better::kLess : Better::kMore;
    case Kind::kTime:
    case Kind::kLoss:
    case Kind::kEnergy:
    case Kind::kPower:
    case Kind::kMemory:
    case Kind::kPrice:
      return Better::kLess;
    case Kind::kCount:
      break;
    case Kind::kOther:
      if (is_yield(name) || name.has_any({"speedup", "interactivity"})) return Better::kMore;
      if (is_share_of_waste(name) || name.has_any({"slowdown", "rtf", "edp", "emission", "co2"}))
        return Better::kLess;
      break;
  }
  return Better::kUnknown;
}

/// "MB" of "mbs", and "MiB" where the name has that: "Bandwidth (MiB/s)"; else the things.
std::string with_bytes(const std::string& things, std::string_view header) {
  constexpr std::pair<std::string_view, std::string_view> kBytes[] = {
      {"kB", "KiB"}, {"MB", "MiB"}, {"GB", "GiB"}, {"TB", "TiB"}};
  for (const auto& [decimal, binary] : kBytes) {
    if (things != lower_case(decimal) + "s") continue;
    return std::string(contains(words_as_written(header), lower_case(binary)) ? binary : decimal);
  }
  return things;
}

/// The unit of a rate by its name, "images/s"; empty if that does not tell it.
std::string unit_of_rate(const RateName& rate) {
  constexpr std::pair<double, std::string_view> kTimes[] = {
      {1, "s"}, {60, "min"}, {3600, "h"}, {86400, "day"}};
  // The capitals of GFLOP are lost.
  const bool flops = rate.things.find("flop") != std::string::npos;
  if (rate.things.empty() || !rate.seconds || flops) return "";
  for (const auto& [seconds, unit] : kTimes) {
    if (seconds == rate.seconds) return fmt::format("{}/{}", rate.things, unit);
  }
  return "";
}

/// "throughput/device/BPS": what OLMo calls the batches per second, which all devices do together.
bool is_batches_per_second(std::string_view header) { return header.ends_with("device/BPS"); }

RateName rate_of(std::string_view header) {
  if (is_batches_per_second(header)) return {.things = "steps", .seconds = 1};
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"tps", "tokens"}, {"wps", "words"}, {"sps", "samples"}, {"fps", "frames"}};
  for (const auto& [word, things] : kShort) {
    if (Name(header).has(word)) return {.things = std::string(things), .seconds = 1};
  }
  RateName rate = rate_name(header);
  rate.things = with_bytes(rate.things, header);
  return rate;
}

Owner owner_of_rate(const Name& name, std::string_view x) {
  if (is_batches_per_second(name.header())) return Owner::kAll;
  // Nodes have a fixed number of GPUs each.
  const bool of_device = rate_name(name.header()).of_one_device;
  const bool of_one =
      x.empty() ? of_device
                : is_rate_of_one(name.header(), x) || (is_per_device(name) && counts_nodes(x));
  // "tokens/s/user" is what one of those gets whom all serve.
  if (!of_one)
    return of_device && !counts_clients(rate_name(name.header()).place) ? Owner::kUnknown
                                                                        : Owner::kAll;
  return name.has_any({"node", "host", "machine", "server", "instance"}) ? Owner::kNode
                                                                         : Owner::kGpu;
}

/// A quantity of what the unit of its cells says alone: "tok/s", "ms/step", "min".
void take_unit(std::string_view unit, Quantity& quantity) {
  const auto rate = rate_unit(unit);
  if (rate && rate->base.ends_with("/s")) {
    const std::string thing = rate->base.substr(0, rate->base.find('/'));
    quantity.kind = Kind::kRate;
    quantity.better = Better::kMore;
    // The values keep the unit of bytes, "MB" of "MB/s".
    const std::string things =
        thing == "B" ? rate->unit.substr(0, rate->unit.find('/')) : thing + "s";
    if (quantity.things.empty() && thing != "1") quantity.things = things;
    if (quantity.of == WorkUnit::kUnknown) quantity.of = work_of_word(thing);
    quantity.seconds = quantity.seconds.value_or(1);
    quantity.unit = unit_of_rate({.things = quantity.things, .seconds = quantity.seconds});
    quantity.why.push_back(fmt::format("its unit {} is of a rate", unit));
  } else if ((rate && rate->base.starts_with("s/")) || in_base_units(unit, Dimension::kTime)) {
    quantity.kind = Kind::kTime;
    quantity.better = Better::kLess;
    if (rate && quantity.of == WorkUnit::kUnknown) {
      quantity.of = work_of_word(rate->base.substr(2));
    }
    quantity.why.push_back(fmt::format("its unit {} is of a time", unit));
  } else if (in_base_units(unit, Dimension::kEnergy)) {
    quantity.kind = Kind::kEnergy;
    quantity.better = Better::kLess;
    quantity.why.push_back(fmt::format("its unit {} is of an energy", unit));
  }
}

/// Whether a batch is that of one device or of a part of a step.
bool is_of_device_batch(const Name& name) {
  return names_device(name) || name.has_any({"micro", "local"});
}

/// What a column does to a rate that it multiplies.
void take_factor(const std::string& column, Quantity& quantity) {
  quantity.factors.push_back(column);
  const Name name(column);
  const ColumnRole role = meaning_of(column).role;
  if (role == ColumnRole::kScale ||
      role == ColumnRole::kSetting) {  // As many have the rate of one.
    if (quantity.whose == Owner::kUnknown) quantity.whose = Owner::kAll;
    return;
  }
  const bool samples = role == ColumnRole::kBatchSize || is_sample(name.words().front()) ||
                       is_sample(name.words().back());
  if (name.has("token") || (name.has("sequence") && name.has("length"))) {
    quantity.of = WorkUnit::kToken;
  } else if (samples) {
    quantity.of = WorkUnit::kSample;
  } else if (name.has("step")) {
    quantity.of = WorkUnit::kStep;
  }
  if (samples && is_of_device_batch(name)) quantity.whose = Owner::kGpu;
  quantity.things = quantity.of == WorkUnit::kToken    ? "tokens"
                    : quantity.of == WorkUnit::kSample ? "samples"
                                                       : column;
}

/// What the columns of a product make of the response in it.
Quantity with_columns(Quantity quantity, const Product& product) {
  if (product.inverse) {
    quantity.inverse = true;
    quantity.kind = Kind::kRate;
    quantity.better = Better::kMore;
    quantity.whose = Owner::kAll;
    quantity.why = {"it is work per time"};
  }
  for (const std::string& factor : product.factors) take_factor(factor, quantity);
  for (const std::string& divisor : product.divisors) {
    quantity.divisors.push_back(divisor);
    quantity.whose = counts_nodes(divisor) ? Owner::kNode : Owner::kGpu;
  }
  quantity.unit = unit_of_rate({.things = quantity.things, .seconds = quantity.seconds});
  return quantity;
}

/// The column of numbers above 0 that is meant; nullptr without one, or with several.
template <class IsMeant>
const ColumnProfile* only_column_of(const TableProfile& profile, IsMeant is_meant) {
  const ColumnProfile* only = nullptr;
  for (const ColumnProfile& column : profile.columns()) {
    const bool usable = column.is_number() && column.missing == 0 && column.min > 0;
    if (!usable || !is_meant(Name(column.name), column)) continue;
    if (only != nullptr) return nullptr;
    only = &column;
  }
  return only;
}

/// The column that says how many devices one of these places has: "gpus_per_node".
const ColumnProfile* devices_per(const TableProfile& profile, Vocabulary places) {
  return only_column_of(profile, [&](const Name& name, const ColumnProfile& column) {
    return column.whole && is_one_of(name.per(), places) &&
           (name.has("ngpu") || std::ranges::any_of(name.words(), is_device_word));
  });
}

/// How many samples a step of all devices has: a global batch, or that of a device with the number
/// of devices and of accumulated steps.
std::optional<std::vector<std::string>> samples_of_step(const TableProfile& profile,
                                                        const std::string& x) {
  const auto is_batch = [](const Name& name, const ColumnProfile& column) {
    return column.meaning.role == ColumnRole::kBatchSize && !name.has("token");
  };
  for (const bool global : {true, false}) {
    const ColumnProfile* const batch = only_column_of(profile, [&](const Name& name,
                                                                   const ColumnProfile& column) {
      return is_batch(name, column) && !is_of_device_batch(name) && (!global || name.has("global"));
    });
    if (batch != nullptr) return std::vector{batch->label()};
  }
  const ColumnProfile* const batch =
      only_column_of(profile, [&](const Name& name, const ColumnProfile& column) {
        return is_batch(name, column) && is_of_device_batch(name);
      });
  if (batch == nullptr || x.empty() || !may_count_gpus(x)) return std::nullopt;
  std::vector<std::string> factors{batch->label(), x};
  const ColumnProfile* const accumulated =
      only_column_of(profile, [](const Name& name, const ColumnProfile& column) {
        return name.has_any({"accumulation", "accum"}) && column.is_number();
      });
  if (accumulated != nullptr) factors.push_back(accumulated->label());
  return factors;
}

std::optional<std::vector<std::string>> one_column(const ColumnProfile* column) {
  return column == nullptr ? std::nullopt : std::optional(std::vector{column->label()});
}

/// The columns whose product says how many of `to` one of `from` is.
std::optional<std::vector<std::string>> amount_of(const TableProfile& profile, WorkUnit from,
                                                  WorkUnit to, const std::string& x) {
  if (from == to) return std::vector<std::string>{};
  if (from == WorkUnit::kStep && to == WorkUnit::kSample) return samples_of_step(profile, x);
  if (to == WorkUnit::kToken) {
    const ColumnProfile* const tokens =
        only_column_of(profile, [&](const Name& name, const ColumnProfile& column) {
          if (from == WorkUnit::kStep) return is_tokens_per_step(column.name);
          if (from == WorkUnit::kEpoch) return name.has("token") && name.per() == "epoch";
          return from != WorkUnit::kSample && counts_tokens(column.meaning);
        });
    if (tokens != nullptr) return one_column(tokens);
    auto length = one_column(only_column_of(profile, [](const Name& name, const ColumnProfile&) {
      return name.has_any({"sequence", "context"}) && name.has("length");
    }));
    auto samples = length ? amount_of(profile, from, WorkUnit::kSample, x) : std::nullopt;
    if (samples) samples->push_back(length->front());
    return samples;
  }
  return one_column(only_column_of(profile, [&](const Name& name, const ColumnProfile& column) {
    const bool rate = column.meaning.role == ColumnRole::kRate;
    const bool time = column.meaning.role == ColumnRole::kTime;
    // A batch is no step, a limit no count, and a sensor's samples are no work.
    const bool other = column.meaning.role == ColumnRole::kBatchSize || name.has("warmup") ||
                       name.has_any({"min", "max", "length", "dropped", "missing", "trimmed"}) ||
                       profile.column("samples_dropped") != nullptr;
    // "step" numbers the steps, "steps" and "steps/epoch" count them.
    const std::string header = lower_case(name.header());
    const auto counts_it = [&](const std::string& word) {
      return work_of_word(word) == to &&
             (name.is_plural() || header.find(word + 's') != header.npos);
    };
    const bool counts = !rate && !time && !other && column.whole &&
                        work_of_word(name.per()) != to &&
                        std::ranges::any_of(name.words(), counts_it);
    const bool per_epoch = name.per() == "epoch";
    return counts && (from == WorkUnit::kEpoch ? per_epoch || !name.has("per") : !name.has("per"));
  }));
}

Quantity quantity_of_name(std::string_view header, std::string_view unit, std::string_view x) {
  const Name name(header);
  if (name.words().empty()) return {};
  Quantity quantity;
  quantity.kind = kind_of_name(name);
  if (quantity.kind != Kind::kOther) {
    quantity.why.push_back(fmt::format("its name says {}", name_of(quantity.kind)));
  }
  quantity.better = better_of(quantity.kind, name);
  if (quantity.kind == Kind::kRate) {
    const RateName rate = rate_of(header);
    quantity.things = rate.things;
    quantity.seconds = rate.seconds;
    const Words words = words_of_name(rate.things);
    if (!words.empty()) quantity.of = work_of_word(words.back());
    quantity.whose = owner_of_rate(name, x);
    quantity.unit = unit_of_rate(rate);
  } else {
    quantity.of = work_of_name(name);
    quantity.unit = unit.empty() ? column_label(header).unit : unit;
  }
  const bool is_of_work = quantity.kind == Kind::kRate || quantity.kind == Kind::kTime ||
                          quantity.kind == Kind::kEnergy;
  if (is_of_work) quantity.multiple = multiple_of_work(header);
  const bool told_by_unit = quantity.kind == Kind::kOther || quantity.kind == Kind::kRate ||
                            quantity.kind == Kind::kCount;
  if (told_by_unit) take_unit(unit, quantity);
  if (quantity.kind == Kind::kTime) {
    quantity.seconds = in_base_units(quantity.unit, Dimension::kTime);
  }
  return quantity;
}

}  // namespace

std::string_view name_of(Kind kind) {
  return word_for(kind, {{Kind::kOther, "other"},
                         {Kind::kTime, "time"},
                         {Kind::kRate, "rate"},
                         {Kind::kLoss, "loss"},
                         {Kind::kShare, "share"},
                         {Kind::kEnergy, "energy"},
                         {Kind::kPower, "power"},
                         {Kind::kMemory, "memory"},
                         {Kind::kCount, "count"},
                         {Kind::kPrice, "price"}});
}

std::string_view name_of(WorkUnit unit) {
  return word_for(unit, {{WorkUnit::kUnknown, "not known"},
                         {WorkUnit::kStep, "step"},
                         {WorkUnit::kEpoch, "epoch"},
                         {WorkUnit::kRun, "run"},
                         {WorkUnit::kSample, "sample"},
                         {WorkUnit::kToken, "token"}});
}

std::string_view name_of(Owner owner) {
  return word_for(owner, {{Owner::kUnknown, "not known"},
                          {Owner::kGpu, "gpu"},
                          {Owner::kNode, "node"},
                          {Owner::kAll, "all"}});
}

std::string_view name_of(Better better) {
  return word_for(
      better, {{Better::kUnknown, "not known"}, {Better::kLess, "less"}, {Better::kMore, "more"}});
}

Product parse_product(const std::string& name) {
  std::vector<std::pair<std::string, bool>> parts;  // A column, and whether it is a divisor.
  bool divides = false;
  std::string_view rest = name;
  for (;;) {
    const std::size_t at = std::min(rest.find(" * "), rest.find(" / "));
    parts.emplace_back(trimmed(rest.substr(0, at)), divides);
    if (at == rest.npos) break;
    divides = rest[at + 1] == '/';
    rest.remove_prefix(at + 3);
  }
  const auto is_measured = [](const auto& part) {
    const Kind kind = kind_of_name(Name(part.first));
    const bool unit = is_one_of(part.first, {"s", "sec", "second", "min", "h", "hour", "day"});
    return (kind == Kind::kTime && !unit) || kind == Kind::kRate;  // "Tokens / sec / GPU".
  };
  const auto y = std::ranges::find_if(parts, is_measured);
  const bool inverse = y != parts.end() && y->second;
  // "img / s" and "GPUs / node" are names of one column.
  const bool product = inverse || name.find(" * ") != name.npos;
  if (y == parts.end() || !product || (inverse && parts.front().first.empty())) return {name};
  Product out{.y = y->first, .inverse = inverse};
  for (const auto& part : parts) {
    if (&part == &*y) continue;
    (part.second ? out.divisors : out.factors).push_back(part.first);
  }
  return out;
}

std::string name_of_product(const Product& product) {
  std::vector<std::string> above = product.factors;
  if (!product.inverse) above.insert(above.begin(), product.y);
  std::string name = joined(above, " * ");
  if (product.inverse) name += " / " + product.y;
  for (const std::string& divisor : product.divisors) name += " / " + divisor;
  return name;
}

Quantity quantity_of(std::string_view header, std::string_view unit, std::string_view x) {
  const Product product = parse_product(std::string(header));
  Quantity quantity = quantity_of_name(product.y, unit, x);
  const bool alone = product.factors.empty() && product.divisors.empty() && !product.inverse;
  return alone ? quantity : with_columns(std::move(quantity), product);
}

Quantity quantity_as_told(Quantity quantity, const ToldQuantity& told, std::string_view column) {
  const auto refuse = [&](std::string_view what) {
    throw data_error("{}, and '{}' is {}: leave the option out, or name another column with -y",
                     what, column, description_of(quantity));
  };
  if (told.kind && *told.kind != quantity.kind) {
    quantity.kind = *told.kind;
    quantity.better = quantity.kind == Kind::kRate ? Better::kMore : Better::kLess;
    quantity.why = {fmt::format("--{} says so", name_of(quantity.kind))};
  }
  if (quantity.kind != Kind::kRate) quantity.whose = Owner::kUnknown;
  if (!told.unit.empty()) {
    const std::string unit(canonical_unit(told.unit).value_or(told.unit));
    if (!quantity.unit.empty() && quantity.unit != unit) {
      throw data_error("--unit {}: '{}' is in {} by its name or its cells: leave the option out",
                       told.unit, column, quantity.unit);
    }
    quantity.unit = unit;
    if (quantity.kind == Kind::kOther || quantity.kind == Kind::kRate) take_unit(unit, quantity);
    if (quantity.kind == Kind::kTime) quantity.seconds = in_base_units(unit, Dimension::kTime);
  }
  if (told.better) {
    const bool contradicts = told.kind && *told.better != quantity.better;
    if (contradicts) {
      throw data_error("--better {} contradicts --{}: leave one of them out", name_of(*told.better),
                       name_of(*told.kind));
    }
    quantity.better = *told.better;
    quantity.why.push_back(fmt::format("--better {} says which way", name_of(*told.better)));
  }
  if (told.whose) {
    if (quantity.kind != Kind::kRate)
      refuse(fmt::format("--per {} is of a rate", name_of(*told.whose)));
    quantity.whose = *told.whose;
  }
  return quantity;
}

std::optional<Product> product_of_all(const TableProfile& profile, const std::string& y,
                                      const std::string& x) {
  const std::string place = rate_name(y).place;
  const auto counts_it = [&](const Name& name) {
    return name.has(place) ||
           (place == "replica" && (name.is_of({"data", "parallel", "size", "degree"}) ||
                                   name.is_of({"dp", "size", "degree"})));
  };
  const ColumnProfile* const places =
      only_column_of(profile, [&](const Name& name, const ColumnProfile& column) {
        return column.whole && column.label() != x && name.per().empty() && counts_it(name) &&
               !is_response(column.meaning.role);
      });
  if (places != nullptr) return Product{.y = y, .factors = {places->label()}};
  const ColumnProfile* const share = may_count_gpus(x) ? devices_per(profile, {place}) : nullptr;
  if (share != nullptr) return Product{.y = y, .divisors = {share->label()}};
  return std::nullopt;
}

std::optional<std::vector<std::string>> columns_of_work(const TableProfile& profile,
                                                        const Quantity& from, WorkUnit to,
                                                        const std::string& x) {
  return amount_of(profile, from.of, to, x);
}

std::optional<double> gpus_of_node(const TableProfile& profile) {
  const ColumnProfile* const share = devices_per(profile, {"node", "host", "machine", "server"});
  if (share == nullptr || share->values.size() != 1) return std::nullopt;
  return share->min;
}

bool is_of_work(const Quantity& quantity, WorkUnit work) {
  const bool unknown = quantity.of == WorkUnit::kUnknown;
  if (quantity.kind == Kind::kRate) {
    const bool counted = work == WorkUnit::kToken && quantity.of == WorkUnit::kSample;
    return (unknown || quantity.of == work || counted) && work != WorkUnit::kEpoch;
  }
  if (work == WorkUnit::kEpoch)
    return unknown || quantity.of == work || quantity.of == WorkUnit::kRun;
  return quantity.of == work || (unknown && work == WorkUnit::kStep);
}

std::string description_of(const Quantity& quantity) {
  std::string text = quantity.kind == Kind::kOther    ? "something that no name tells"
                     : quantity.kind == Kind::kEnergy ? "an energy"
                                                      : fmt::format("a {}", name_of(quantity.kind));
  const bool rate = quantity.kind == Kind::kRate;
  if (rate && !quantity.things.empty()) {
    text += " of " + quantity.things;
  } else if (!rate && quantity.of != WorkUnit::kUnknown) {
    text += fmt::format(" of one {}", name_of(quantity.of));
  }
  if (quantity.is_of_one()) text += quantity.whose == Owner::kGpu ? " of one GPU" : " of one node";
  if (!rate && !quantity.unit.empty()) text += " in " + quantity.unit;
  return text;
}

}  // namespace scalelaw
