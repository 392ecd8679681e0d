#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"

// dcgmi dmon: words between blanks, under a line of names ("#Entity POWER ...") and a line of units
// ("ID W ..."). Both lines repeat from time to time. A row begins with its entity, which is two
// words. It has no time; wrappers put Unix seconds before every line.
//
// MIG: the instances of a divided GPU ("GPU-I 3") are devices beside the GPU itself, and dcgmi
// prints them after it. A divided GPU reports the mean utilisation of its instances, weighted by
// size. That value is left out as soon as an instance reports its own. A mean over devices then
// counts every piece of work once, and every instance alike. Power and energy are for the whole
// board, so those of instances are left out, which makes sums over devices right. Memory in use
// stays for both.

namespace scalelaw {
namespace {

constexpr std::size_t kMostInstances = 64;  // Per GPU: their rows share a batch with its row.

// DCGM's marks of "no value" begin here: for 32 bits (2147483632) and for a double (2^47). The
// latter is below the mark for 64 bits (9223372036854775792), and far above any energy counter.
constexpr double kBlank = 2147483632;
constexpr double kBlankCounter = 140737488355328;

/// Whether a word has one to `longest` characters, all of them from `characters`.
bool is_made_of(std::string_view word, std::string_view characters, std::size_t longest) {
  return !word.empty() && word.size() <= longest &&
         word.find_first_not_of(characters) == std::string_view::npos;
}

/// Removes a wrapper's Unix seconds from the front of a line's words; empty if there are none.
std::optional<std::int64_t> take_stamp(std::vector<std::string_view>& words) {
  if (words.empty() || !is_made_of(words.front(), "0123456789.", 32)) return std::nullopt;
  const auto stamp = nanoseconds_of_seconds(words.front());
  if (stamp) words.erase(words.begin());
  return stamp;
}

bool is_name_of_field(std::string_view word) {
  return is_made_of(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", 32);
}

/// Removes "#Entity" or "# Entity" from the front of a line of names; false if it is missing.
bool take_entity_name(std::vector<std::string_view>& words) {
  std::size_t count = 1;
  if (words.size() > 1 && words[0] == "#" && words[1] == "Entity") {
    count = 2;
  } else if (words.empty() || words[0] != "#Entity") {
    return false;
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  return !words.empty() && std::ranges::all_of(words, is_name_of_field);
}

// Profiling fields are fractions. No instance has a measured GPUTL or MCUTL.
constexpr QuantityName kOfGpu[] = {
    {"GPUTL", &Sample::sm_util_pct},       {"SMACT", &Sample::sm_util_pct, 100},
    {"GRACT", &Sample::sm_util_pct, 100},  {"MCUTL", &Sample::mem_util_pct},
    {"DRAMA", &Sample::mem_util_pct, 100}, {"FBUSD", &Sample::mem_used_mib},
    {"POWER", &Sample::power_w},           {"TOTEC", &Sample::energy_j, 1e-3}};
constexpr QuantityName kOfInstance[] = {{"SMACT", &Sample::sm_util_pct, 100},
                                        {"GRACT", &Sample::sm_util_pct, 100},
                                        {"DRAMA", &Sample::mem_util_pct, 100},
                                        {"FBUSD", &Sample::mem_used_mib}};

struct DcgmLayout {
  std::size_t values = 0;  ///< Words after the entity; 0 before the first header.
  std::vector<QuantityColumn> of_gpu = {};
  std::vector<QuantityColumn> of_instance = {};
};

bool is_unit_line(std::span<const std::string_view> words) {
  return words.front() == "ID" || words.front() == "Id";
}

/// dcgmi's message when it is interrupted, as it usually ends: "dmon was stopped do to receiving a
/// signal".
bool is_farewell(std::span<const std::string_view> words) {
  return words.size() > 2 && words[0] == "dmon" && words[1] == "was" && words[2] == "stopped";
}

bool recognises_dcgm(std::string_view head) {
  std::vector<std::string_view> words;
  return any_line(head, [&](std::string_view line) {
    const bool is_short = split_words(line, words);
    take_stamp(words);
    return is_short && take_entity_name(words);
  });
}

struct Entity {
  std::uint32_t device = 0;
  bool is_divided = false;  ///< Its instances report their own utilisation.
};

class DcgmReader : LineSamples {
 public:
  using LineSamples::LineSamples;

  void read() {
    while (const auto line = lines_.next()) take_line(*line);
    batch_.flush();
    if (layout_.values == 0) refuse_file("no header such as \"#Entity   POWER\" in the file");
  }

 private:
  void take_line(std::string_view line) {
    if (!split_words(line, words_)) return note(TraceOddity::kForeignLine, line);
    const auto stamp = take_stamp(words_);
    if (words_.empty() || is_unit_line(words_) || is_farewell(words_)) return;
    if (take_entity_name(words_)) return take_header();
    take_row(line, stamp);
  }

  void take_header() {
    // Nothing follows a cut line, and half a header must not count as another one.
    if (lines_.is_cut()) return;
    DcgmLayout layout{words_.size(), quantity_columns(words_, kOfGpu),
                      quantity_columns(words_, kOfInstance)};
    if (layout_.values == 0 && layout.of_gpu.empty()) {
      throw DataError(
          fmt::format("{}: the header on line {} has none of the columns POWER, TOTEC, GPUTL, "
                      "SMACT, GRACT, MCUTL, DRAMA, FBUSD",
                      source_, lines_.line_number()));
    }
    layout_ = std::move(layout);
  }

  void take_row(std::string_view line, std::optional<std::int64_t> stamp) {
    if (is_cut_row(layout_.values + 2)) return note(TraceOddity::kCutLine, line);
    const bool is_row = layout_.values > 0 && words_.size() == layout_.values + 2 &&
                        (words_[0] == "GPU" || words_[0] == "GPU-I") && words_[1].size() <= 4 &&
                        is_digits(words_[1]);
    // If only some lines had stamps, two clocks would be mixed.
    if (!is_row || stamp.has_value() != stamped_.value_or(stamp.has_value())) {
      return note(TraceOddity::kForeignLine, line);
    }
    stamped_ = stamp.has_value();
    last_word_ = words_.back();
    take_sample(words_[0] == "GPU-I", stamp);
  }

  void take_sample(bool is_instance, std::optional<std::int64_t> stamp) {
    Entity& entity = entity_named(is_instance);
    const std::int64_t tick = ticks_.time_of(entity.device, options_.period_s);
    if (std::exchange(last_tick_, tick) != tick) parent_ = nullptr;
    Sample sample;
    sample.device = entity.device;
    sample.time_ns = stamp.value_or(tick);
    for (const QuantityColumn& column : is_instance ? layout_.of_instance : layout_.of_gpu) {
      sample.*column.quantity = value_of(column);
    }
    if (is_instance) {
      if (has_utilisation(sample)) divide_parent();
    } else {
      parent_ = &entity;
      if (entity.is_divided) drop_utilisation(sample);
      if (batch_.waiting().size() > SampleBatch::kMost - kMostInstances) batch_.flush();
    }
    batch_.add(sample);
  }

  Entity& entity_named(bool is_instance) {
    const std::string name =
        is_instance ? fmt::format("GPU-I {}", words_[1]) : std::string(words_[1]);
    const auto [entity, is_new] = entities_.try_emplace(name);
    if (is_new) entity->second.device = sink_.device({.name = name});
    return entity->second;
  }

  static bool has_utilisation(const Sample& sample) {
    return !std::isnan(sample.sm_util_pct) || !std::isnan(sample.mem_util_pct);
  }
  static void drop_utilisation(Sample& sample) {
    sample.sm_util_pct = Sample::kNone;
    sample.mem_util_pct = Sample::kNone;
  }

  /// Notes that the GPU in the row above has instances. That row is still in the batch.
  void divide_parent() {
    if (parent_ == nullptr || parent_->is_divided) return;
    parent_->is_divided = true;
    std::vector<Sample>& waiting = batch_.waiting();
    const auto row = std::find_if(waiting.rbegin(), waiting.rend(), [&](const Sample& sample) {
      return sample.device == parent_->device;
    });
    if (row != waiting.rend()) drop_utilisation(*row);
  }

  double value_of(const QuantityColumn& column) {
    const std::string_view text = words_[column.place + 2];
    const double blank = column.quantity == &Sample::energy_j ? kBlankCounter : kBlank;
    const auto value = parse_number(text);
    if (value) return *value < blank ? *value * column.factor : Sample::kNone;
    if (!is_missing(text)) note(TraceOddity::kBadCell, text);
    return Sample::kNone;
  }

  DcgmLayout layout_;
  std::optional<bool> stamped_;  ///< Whether rows begin with a time, which `words_` lacks.
  std::map<std::string, Entity> entities_;
  Entity* parent_ = nullptr;    ///< The last GPU with a row in this tick.
  std::int64_t last_tick_ = 0;  ///< Its time, as a count of ticks.
};

}  // namespace

const TraceFormat kDcgm{.name = "dcgm",
                        .title = "dcgmi dmon",
                        .recognises = recognises_dcgm,
                        .read_samples = read_by<DcgmReader>};

}  // namespace scalelaw
