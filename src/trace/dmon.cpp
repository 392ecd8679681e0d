#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "trace/formats.hpp"

// nvidia-smi dmon: words between blanks, under a line of names and a line of units. Both begin with
// "#" and repeat from time to time. Driver and options decide which columns there are.

namespace scalelaw {
namespace {

constexpr std::int64_t kHalfADay = std::int64_t{12} * 3600 * 1'000'000'000;

/// Removes the "#" of a header line, alone ("# gpu") or not ("#Date"). False if there is none.
bool strip_hash(std::vector<std::string_view>& words) {
  if (words.empty() || !words.front().starts_with('#')) return false;
  words.front().remove_prefix(1);
  if (words.front().empty()) words.erase(words.begin());
  return true;
}

constexpr QuantityName kQuantities[] = {{"pwr", &Sample::power_w},
                                        {"sm", &Sample::sm_util_pct},
                                        {"mem", &Sample::mem_util_pct},
                                        {"fb", &Sample::mem_used_mib}};

/// The places of the words in a row.
struct DmonLayout {
  std::size_t columns = 0;  ///< 0 before the first header.
  std::size_t date = kNowhere;
  std::size_t time = kNowhere;
  std::size_t gpu = kNowhere;
  std::vector<QuantityColumn> quantities = {};
};

/// The layout under a line of names without its "#"; empty if it is no such line. nvidia-smi pmon
/// has a gpu column too, but its rows are processes.
std::optional<DmonLayout> dmon_layout(std::span<const std::string_view> names) {
  DmonLayout layout{.columns = names.size(),
                    .date = place_of(names, "Date"),
                    .time = place_of(names, "Time"),
                    .gpu = place_of(names, "gpu"),
                    .quantities = quantity_columns(names, kQuantities)};
  const std::size_t before_gpu =
      (layout.date == kNowhere ? 0 : 1) + (layout.time == kNowhere ? 0 : 1);
  if (layout.gpu != before_gpu) return std::nullopt;
  if (place_of(names, "pid") != kNowhere) return std::nullopt;
  return layout;
}

bool is_dmon_units(std::span<const std::string_view> words) {
  return place_of(words, "Idx") != kNowhere;
}

bool recognises_dmon(std::string_view head) {
  std::vector<std::string_view> words;
  bool after_names = false;
  return any_line(head, [&](std::string_view line) {
    const bool hash = split_words(line, words) && strip_hash(words);
    if (hash && after_names && is_dmon_units(words)) return true;
    after_names = hash && dmon_layout(words).has_value();
    return false;
  });
}

/// The time of "20260529" and "09:51:25", taken as UTC because dmon writes no zone.
std::optional<std::int64_t> parse_day_and_time(std::string_view day, std::string_view time) {
  if (day.size() != 8) return std::nullopt;
  return parse_date_time(
      fmt::format("{}/{}/{} {}", day.substr(0, 4), day.substr(4, 2), day.substr(6), time));
}

class DmonReader : LineSamples {
 public:
  using LineSamples::LineSamples;

  void read() {
    while (const auto line = lines_.next()) take_line(*line);
    batch_.flush();
    if (layout_.columns == 0) refuse_file("no header such as \"# gpu   pwr gtemp\" in the file");
  }

 private:
  void take_line(std::string_view line) {
    if (!split_words(line, words_)) return note(TraceOddity::kForeignLine, line);
    if (words_.empty()) return;
    if (strip_hash(words_)) return take_header_line(line);
    take_row(line);
  }

  /// Two lines make a header. A single line of names is only a remark.
  void take_header_line(std::string_view line) {
    if (lines_.is_cut()) return;  // Nothing follows.
    if (is_dmon_units(words_)) return set_layout();
    names_ = dmon_layout(words_);
    if (!names_) note(TraceOddity::kForeignLine, line);
  }

  void set_layout() {
    if (!names_) return;
    if (layout_.columns == 0 && names_->quantities.empty()) {
      throw DataError(
          fmt::format("{}: the header on line {} has none of the columns pwr, sm, mem, fb", source_,
                      lines_.line_number()));
    }
    layout_ = *std::exchange(names_, std::nullopt);
  }

  void take_row(std::string_view line) {
    if (is_cut_row(layout_.columns)) return note(TraceOddity::kCutLine, line);
    // A sentence may have as many words as a row.
    const bool is_row = layout_.columns > 0 && words_.size() == layout_.columns &&
                        words_[layout_.gpu].size() <= 4 && is_digits(words_[layout_.gpu]);
    if (!is_row) return note(TraceOddity::kForeignLine, line);
    const auto stamp = stamp_of_row();
    if (is_stamped() && !stamp) return note(TraceOddity::kForeignLine, line);
    last_word_ = words_.back();
    Sample sample;
    sample.device = device_named(words_[layout_.gpu]);
    sample.time_ns = stamp ? *stamp : ticks_.time_of(sample.device, options_.period_s);
    for (const QuantityColumn& column : layout_.quantities) {
      sample.*column.quantity = value_at(column.place);
    }
    batch_.add(sample);
  }

  std::uint32_t device_named(std::string_view name) {
    if (name != last_name_) {
      last_device_ = sink_.device({.name = std::string(name)});
      last_name_ = name;
    }
    return last_device_;
  }

  bool is_stamped() const { return layout_.time != kNowhere; }

  /// The time of the row; empty if it has none, or its words are no date or time.
  std::optional<std::int64_t> stamp_of_row() {
    if (!is_stamped()) return std::nullopt;
    const std::string_view time = words_[layout_.time];
    if (layout_.date == kNowhere) return time_of_day(time);
    return parse_day_and_time(words_[layout_.date], time);
  }

  /// Time since the midnight before the first row. A clock set back a little is no new midnight.
  std::optional<std::int64_t> time_of_day(std::string_view text) {
    const auto time = parse_day_and_time("19700101", text);
    if (!time) return std::nullopt;
    if (*time < last_time_of_day_ - kHalfADay) midnights_ += 2 * kHalfADay;
    last_time_of_day_ = *time;
    return midnights_ + *time;
  }

  double value_at(std::size_t place) {
    if (words_[place] == "-") return Sample::kNone;
    if (const auto value = parse_number(words_[place])) return *value;
    note(TraceOddity::kBadCell, words_[place]);
    return Sample::kNone;
  }

  DmonLayout layout_;
  std::optional<DmonLayout> names_;  ///< A line of names that waits for its line of units.
  std::int64_t last_time_of_day_ = 0;
  std::int64_t midnights_ = 0;  ///< Nanoseconds of the days that have passed.
  std::string last_name_;
  std::uint32_t last_device_ = 0;
};

}  // namespace

const TraceFormat kDmon{.name = "dmon",
                        .title = "nvidia-smi dmon",
                        .recognises = recognises_dmon,
                        .read_samples = read_by<DmonReader>};

}  // namespace scalelaw
