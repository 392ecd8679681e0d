#include "scalelaw/study/gate_request.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "study/night_columns.hpp"

namespace scalelaw {
namespace {

constexpr std::string_view kColumnMark = "{y}";

/// `name` with the column in place of {y}.
std::string path_of(std::string name, const std::string& y) {
  const std::size_t at = name.find(kColumnMark);
  if (at == std::string::npos) return name;
  if (y.empty()) {
    throw DataError(
        fmt::format("{}: {} stands for the column of -y, which is not given: name it with -y", name,
                    kColumnMark));
  }
  return name.replace(at, kColumnMark.size(), y);
}

bool is_on_disk(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// The responses that are judged: those that -y names, or the usual ones.
std::vector<std::string> responses_of(const GateRequest& options) {
  if (options.takes_usual_responses())
    return usual_responses(input_at(options.base), input_at(options.current));
  std::vector<std::string> responses = split(options.study.y, ',');
  if (responses.empty()) responses.emplace_back();
  return responses;
}

void refuse_too_few(const GateRequest& options) {
  if (!options.base.empty() && !options.current.empty()) return;
  throw DataError(
      "gate: name BASE and NEW, each a run table or saved fits, in the call or as base and new in "
      "scalelaw.toml. Of one table, --night COL names its column of dates or versions, and the "
      "newest is judged by the others; scalelaw look TABLE names such a column");
}

/// One table is both sides where a column tells its nights or versions. Of a stream that is not
/// known before it is read.
void take_one_table_as_both(GateRequest& options) {
  if (options.base.empty() || !options.current.empty()) return;
  const Input base = input_at(options.base);
  options.one_table =
      !options.night.empty() || base.kind == InputKind::kStream || !night_column_of(base).empty();
  if (options.one_table) options.current = options.base;
}

/// The baselines of several columns would replace one another.
void refuse_one_baseline_of_several(const GateRequest& options) {
  const bool is_one = options.base.find(kColumnMark) == std::string::npos;
  const bool creates_one = is_one && options.update && !is_on_disk(options.base);
  if (!creates_one || responses_of(options).size() < 2) return;
  throw DataError(
      fmt::format("{}: --update makes one baseline per column of -y; write {} in the name of BASE, "
                  "which stands for the column",
                  options.base, kColumnMark));
}

void check(const GateSides& sides, const GateRequest& options) {
  const Input& base = sides.base;
  if (base.is_standard_input() && sides.current.is_standard_input() && !options.one_table) {
    throw DataError("gate: BASE and NEW cannot both be standard input");
  }
  if (options.update && base.is_standard_input()) {
    throw DataError("-: --update replaces a file; name one in place of standard input");
  }
  if (options.update && base.kind == InputKind::kKeptFits) {
    throw DataError(
        fmt::format("{}: --update replaces a file; 'scalelaw fit --store --keep' adds fits to a "
                    "store",
                    base.path));
  }
  if (!options.update && base.kind == InputKind::kNone) {
    throw DataError(fmt::format(
        "{}: no such file or folder; 'scalelaw gate --update' makes a baseline of NEW", base.path));
  }
  if (options.update && !sides.creates && base.kind != InputKind::kFits) {
    throw DataError(fmt::format(
        "{}: --update replaces saved fits, and this file holds something else; name another file",
        base.name()));
  }
}

}  // namespace

bool GateRequest::names_law() const {
  return chosen.contains(FollowedSetting::kLaw) || study.law != FitOptions().law;
}

bool GateRequest::takes_usual_responses() const {
  const bool has_mark =
      base.find(kColumnMark) != std::string::npos || current.find(kColumnMark) != std::string::npos;
  return split(study.y, ',').empty() && !has_mark && !study.rate;
}

GateRequest with_both_sides(GateRequest request) {
  take_one_table_as_both(request);
  refuse_too_few(request);
  refuse_one_baseline_of_several(request);
  return request;
}

std::vector<GateSides> gate_sides(const GateRequest& request) {
  std::vector<GateSides> sides;
  for (const std::string& y : responses_of(request)) {
    const std::string base = path_of(request.base, y);
    sides.push_back({y, input_at(base), input_at(path_of(request.current, y)),
                     request.update && !is_on_disk(base)});
  }
  return sides;
}

void check_gate_sides(const GateRequest& request, std::span<const GateSides> sides) {
  for (const GateSides& one : sides) check(one, request);
}

}  // namespace scalelaw
