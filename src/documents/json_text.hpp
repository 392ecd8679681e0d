#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

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
  /// The next member of a document, on a line of its own.
  JsonText& member(std::string_view name) {
    out_ += ",\n ";
    first_ = true;
    return key(name);
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
  /// A value that is JSON already.
  void document(std::string_view value) {
    separate();
    out_ += value;
  }
  /// A text; null where it is empty.
  void text_or_null(std::string_view value) { value.empty() ? null() : text(value); }
  void number(double value) {
    if (!std::isfinite(value)) return null();
    separate();
    append_exact(out_, value);
  }
  void number(const std::optional<double>& value) { value ? number(*value) : null(); }
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
