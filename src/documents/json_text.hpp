#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scalelaw/base/exact.hpp"
#include "scalelaw/base/utf8.hpp"

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
  /// A text; null where it is empty.
  void text_or_null(std::string_view value) { value.empty() ? null() : text(value); }
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
  void boolean(const std::optional<bool>& value) { value ? boolean(*value) : null(); }
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

}  // namespace scalelaw
