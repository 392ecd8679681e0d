#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "input/container.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {

inline constexpr std::string_view kJsonBlanks = " \t\r\n";
inline constexpr int kDeepestObject = 64;

/// Appends a character by its code.
inline void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

/// Goes through a JSON text, one value after another.
class JsonCursor {
 public:
  JsonCursor(std::string_view text, std::string_view source) : text_(text), source_(source) {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  }

  std::size_t at() const { return at_; }
  void move_to(std::size_t at) { at_ = at; }
  /// The next character behind blanks; NUL at the end.
  char peek() {
    at_ = std::min(text_.find_first_not_of(kJsonBlanks, at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_end() { return peek() == '\0' && at_ == text_.size(); }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void need(char wanted, std::string_view where) {
    if (!take(wanted)) refuse(fmt::format("'{}' {}", wanted, where));
  }

  /// Calls take_member(name) for each member; it has to move behind the member's value.
  template <class Take>
  void members(Take take_member) {
    need('{', "at the begin of an object");
    if (take('}')) return;
    do {
      if (peek() != '"') refuse("a key in quotes");
      const std::string name = string();
      need(':', "after the key " + scalelaw::quoted(name));
      take_member(name);
    } while (take(','));
    need('}', "or a comma between the members of an object");
  }

  /// The text of a string.
  std::string string() {
    std::string out;
    need('"', "at the begin of a text");
    for (;;) {
      const std::size_t plain = text_.find_first_of("\"\\\n", at_);
      if (plain == std::string_view::npos || text_[plain] == '\n') {
        at_ = std::min(plain, text_.size());
        refuse("the closing quote of a text");
      }
      out += text_.substr(at_, plain - at_);
      at_ = plain + 1;
      if (text_[plain] == '"') return out;
      unescape(out);
    }
  }

  /// Moves behind a value and returns its text.
  std::string_view skip_value(int depth = 0) {
    if (depth > kDeepestObject) refuse("at most 64 levels of lists and objects");
    const char first = peek();
    const std::size_t begin = at_;
    if (first == '{') {
      members([&](const std::string& /*name*/) { skip_value(depth + 1); });
    } else if (first == '[') {
      skip_list(depth);
    } else if (first == '"') {
      string();
    } else {
      return scalar();
    }
    return text_.substr(begin, at_ - begin);
  }

  /// A number, true, false or null; also NaN and Infinity, which Python writes.
  std::string_view scalar() {
    peek();
    const std::size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    static constexpr std::string_view kWords[] = {"true", "false",    "null",
                                                  "NaN",  "Infinity", "-Infinity"};
    const bool known = std::ranges::find(kWords, word) != std::end(kWords);
    if (!known && !parse_number(word) && !is_infinite(word)) refuse("a value");
    at_ = end;
    return word;
  }

  [[noreturn]] void refuse(const std::string& expected) {
    peek();
    const auto line = static_cast<std::uint64_t>(
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    throw parse_error(
        source_, line + 1, "JSON: expected {}, found {}", expected,
        at_ == text_.size() ? "the end of the file" : scalelaw::quoted(text_.substr(at_, 20)));
  }

 private:
  void skip_list(int depth) {
    need('[', "at the begin of a list");
    if (take(']')) return;
    do {
      skip_value(depth + 1);
    } while (take(','));
    need(']', "or a comma between the values of a list");
  }

  void unescape(std::string& out) {
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char name = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t known = kNames.find(name);
    if (known != std::string_view::npos && name != '\0') {
      ++at_;
      out += kMeanings[known];
      return;
    }
    if (name != 'u') refuse("an escape such as \\n or \\u00e9");
    ++at_;
    std::uint32_t code = four_digits();
    const bool pair = code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u";
    if (pair) {
      at_ += 2;
      const std::uint32_t low = four_digits();
      if (low < 0xDC00 || low > 0xDFFF) refuse("the second half of a character");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code < 0xE000) {
      refuse("the other half of a character");
    }
    append_utf8(out, code);
  }

  std::uint32_t four_digits() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      static constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
      const std::size_t digit =
          at_ < text_.size() ? kDigits.find(text_[at_]) : std::string_view::npos;
      if (digit == std::string_view::npos) refuse("four hexadecimal digits");
      code = code * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
    }
    return code;
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t at_ = 0;
};

/// A member of the object at the begin of a document.
struct JsonMember {
  std::string name;
  std::size_t begin = 0;  ///< Where its value begins.
  std::string_view value;

  /// The first character inside a list or an object.
  char inside() const { return value[value.find_first_not_of(kJsonBlanks, 1)]; }
};

}  // namespace scalelaw
