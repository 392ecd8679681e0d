#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/fit/fit.hpp"
#include "scalelaw/render/fit_report.hpp"
#include "scalelaw/render/text.hpp"
#include "scalelaw/runs/read_runs.hpp"

namespace scalelaw {

/// Writes members of objects; knows where commas go.
class JsonText {
 public:
  explicit JsonText(std::string& out) : out_(out) {}

  JsonText& key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ": ";
    first_ = true;  // The value follows without a comma.
    return *this;
  }
  void open(char bracket) {
    separate();
    out_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }
  void text(std::string_view value) {
    separate();
    append_json_string(out_, value);
  }
  void number(double value) {
    separate();
    if (std::isfinite(value)) {
      append_exact(out_, value);
    } else {
      out_ += "null";
    }
  }
  void number(const std::optional<double>& value) {
    if (value) {
      number(*value);
    } else {
      null();
    }
  }
  void count(std::int64_t value) {
    separate();
    out_ += fmt::format_int(value).c_str();
  }
  void count(std::uint64_t value) {
    separate();
    out_ += fmt::format_int(value).c_str();
  }
  void boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
  }
  void null() {
    separate();
    out_ += "null";
  }

 private:
  void separate() {
    if (!first_) out_ += ", ";
    first_ = false;
  }

  std::string& out_;
  bool first_ = true;
};

void write_interval(JsonText& json, const std::optional<Interval>& interval);

/// Estimate, standard error, interval; test figures where asked for; what other standard errors add
/// where present.
void write_estimate(JsonText& json, const Estimate& estimate, bool with_test);

/// The values of the group columns, by their names.
void write_group(JsonText& json, const std::vector<std::string>& by, const GroupKey& group);

/// The object of a group without a result: why.
void write_failure(JsonText& json, const std::vector<std::string>& by, const GroupKey& group,
                   const NoFit& failure);

void write_strings(JsonText& json, const std::vector<std::string>& strings);

/// One line a member of the document's object.
class HeadText {
 public:
  explicit HeadText(std::string& out) : out_(out) {}
  JsonText member(std::string_view name) {
    out_ += first_ ? "{" : ",\n ";
    first_ = false;
    JsonText json(out_);
    json.key(name);
    return json;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

// Parts of the head that every report on a study has: what was read, what a point is, what became
// of the rows.
void write_columns(HeadText& head, const FitReport& report);
void write_points(HeadText& head, const FitReport& report);
void write_outcome(HeadText& head, const FitReport& report);

}  // namespace scalelaw
