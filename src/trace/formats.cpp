#include "trace/formats.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <system_error>
#include <tuple>

#include "scalelaw/base/date.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/input/csv.hpp"

namespace scalelaw {

std::span<const TraceFormat> trace_formats() {
  // Strict formats come first: only the columns identify a CSV of nvidia-smi.
  static const std::array kFormats{
      kSupercloud, kMllog, kPerun, kPerunReport, kZeusMonitor, kZeusSweep, kDcgm, kDmon,
      kNvidiaSmiQuery, kSacct, kCodeCarbon, kPrometheusJson, kGrafana, kNvidiaSmi, kPrometheusText,
      // Trackers and benchmarks.
      kTensorboard, kMlflow, kWandb, kGoogleBenchmark, kHyperfine, kReframe, kExtraP, kCaliper,
      kThicket,
      // Trainers.
      kTransformers, kMegatron, kNemo, kTransformersLog, kDeepspeed, kNanoGpt, kTorchTitan,
      // Many tables and summaries are alike.
      kLightning, kJsonRun,
      // What others print into their logs, and what is no trace.
      kCarbonTracker, kSupercloudOther};
  return kFormats;
}

const TraceFormat* find_trace_format(std::string_view name) {
  for (const TraceFormat& format : trace_formats()) {
    if (!name.empty() && format.name == name) return &format;
  }
  return nullptr;
}

const TraceFormat* recognised_format(std::string_view head) {
  head = without_mark(head);
  for (const TraceFormat& format : trace_formats()) {
    if (format.recognises(head)) return &format;
  }
  return nullptr;
}

TraceOrigin origin_by_stem(const std::string& path) {
  if (path == "-") return {.job = "stdin"};
  std::filesystem::path name = std::filesystem::path(path).filename();
  for (const char* ending : {".gz", ".zst", ".csv", ".tsv", ".txt", ".log", ".out", ".output",
                             ".err", ".json", ".jsonl", ".prom", ".wandb"}) {
    if (name.extension() == ending && !name.stem().empty()) name = name.stem();
  }
  return {.job = name.string()};
}

const UnitFactor* unit_factor(std::string_view unit) {
  constexpr double kByte = 1.0 / (1024 * 1024);
  static constexpr UnitFactor kUnits[] = {{"W", &Sample::power_w, 1},
                                          {"MiB", &Sample::mem_used_mib, 1},
                                          {"mW", &Sample::power_w, 1e-3},
                                          {"kW", &Sample::power_w, 1e3},
                                          {"J", &Sample::energy_j, 1},
                                          {"mJ", &Sample::energy_j, 1e-3},
                                          {"kJ", &Sample::energy_j, 1e3},
                                          {"MJ", &Sample::energy_j, 1e6},
                                          {"Wh", &Sample::energy_j, 3600},
                                          {"kWh", &Sample::energy_j, 3.6e6},
                                          {"GiB", &Sample::mem_used_mib, 1024},
                                          {"KiB", &Sample::mem_used_mib, 1.0 / 1024},
                                          {"MB", &Sample::mem_used_mib, 1e6 * kByte},
                                          {"GB", &Sample::mem_used_mib, 1e9 * kByte},
                                          {"B", &Sample::mem_used_mib, kByte}};
  const auto* const found = std::ranges::find(kUnits, unit, &UnitFactor::unit);
  return found == std::end(kUnits) ? nullptr : found;
}

std::vector<QuantityColumn> quantity_columns(std::span<const std::string_view> header,
                                             std::span<const QuantityName> names) {
  std::vector<QuantityColumn> columns;
  for (const QuantityName& name : names) {
    const std::size_t place = place_of(header, name.name);
    const bool is_found = std::ranges::any_of(
        columns, [&](const auto& column) { return column.quantity == name.quantity; });
    if (place != kNowhere && !is_found) columns.push_back({place, name.quantity, name.factor});
  }
  return columns;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view first_line(std::string_view text) {
  return trimmed(without_mark(text.substr(0, text.find_first_of("\r\n"))));
}

std::string numbered(const std::string& name, std::size_t number) {
  return number > 1 ? fmt::format("{}-{}", name, number) : name;
}

std::string rest_of(ByteStream& in, std::size_t most) {
  std::string text;
  read_to(most, in, text);
  return text;
}

void split_fields(std::string_view line, std::vector<std::string_view>& fields) {
  tokenize(line, ',', fields);
  for (std::string_view& field : fields) field = trimmed(field);
}

std::vector<std::string_view> trimmed_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  split_fields(line, fields);
  return fields;
}

bool split_words(std::string_view line, std::vector<std::string_view>& words, std::size_t most) {
  constexpr std::string_view kSpaces = " \t";
  words.clear();
  std::size_t begin = line.find_first_not_of(kSpaces);
  while (begin != std::string_view::npos && words.size() <= most) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSpaces, end);
  }
  return words.size() <= most;
}

bool looks_whole(std::string_view cell, std::string_view before) {
  static constexpr std::string_view kDigits = "0123456789";
  // The digits of a number before and after its point, and the text that follows.
  const auto shape_of = [](std::string_view text) {
    const std::size_t whole = std::min(text.find_first_not_of(kDigits), text.size());
    const bool has_point = whole < text.size() && text[whole] == '.';
    std::size_t end = whole;
    if (has_point) end = std::min(text.find_first_not_of(kDigits, whole + 1), text.size());
    return std::tuple(whole, has_point ? end - whole : 0, text.substr(end));
  };
  const auto [whole, decimals, rest] = shape_of(cell);
  const auto [whole_before, decimals_before, rest_before] = shape_of(before);
  const bool bare = decimals_before == 0 && rest_before.empty();
  return decimals == decimals_before && rest == rest_before && (!bare || whole >= whole_before);
}

void LineSamples::refuse_file(std::string_view reason) const {
  throw DataError(
      fmt::format("{}: {}", source_, lines_.line_number() == 0 ? "the file is empty" : reason));
}

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

/// Nanoseconds from the digits after a decimal point.
std::uint64_t fraction_nanoseconds(std::string_view digits) {
  std::uint64_t nanoseconds = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    nanoseconds *= 10;
    if (i < digits.size()) nanoseconds += static_cast<std::uint64_t>(digits[i] - '0');
  }
  return nanoseconds;
}

/// The value of decimal digits, 0 for none; empty if it exceeds 64 bits.
std::optional<std::uint64_t> whole_number(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc::result_out_of_range ? std::nullopt : std::optional(value);
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of_seconds(double seconds) {
  const double nanoseconds = seconds * static_cast<double>(kSecond);
  // Written as !(a < b) so that NaN is refused too. 2^63 itself is a double, and too large.
  if (!(std::abs(nanoseconds) < 0x1p63)) return std::nullopt;
  return std::llround(nanoseconds);
}

std::optional<std::int64_t> nanoseconds_of_seconds(std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
  if (!all_digits(whole) || !all_digits(fraction)) {
    const auto number = parse_number(text);
    return number ? nanoseconds_of_seconds(*number) : std::nullopt;
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto seconds = whole_number(whole);
  if (!seconds || *seconds > kMost / kSecond) return std::nullopt;
  const std::uint64_t nanoseconds = *seconds * kSecond + fraction_nanoseconds(fraction);
  if (nanoseconds > kMost) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(nanoseconds);
  return negative ? -magnitude : magnitude;
}

double seconds_between(std::int64_t first_ns, std::int64_t last_ns) {
  const auto ns = static_cast<std::uint64_t>(last_ns) - static_cast<std::uint64_t>(first_ns);
  return static_cast<double>(ns) / 1e9;
}

std::optional<std::int64_t> parse_date_time(std::string_view text) {
  const auto date = read_date(text);
  if (!date || date->precision != 1) return std::nullopt;
  return (date->seconds - date->ahead.value_or(0)) * kSecond + date->nanoseconds;
}

}  // namespace scalelaw
