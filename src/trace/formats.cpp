#include "trace/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

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

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
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

}  // namespace scalelaw
