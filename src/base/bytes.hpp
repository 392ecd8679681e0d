#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"

namespace scalelaw {

/// Numbers and texts as bytes, the same on every machine.
class ByteWriter {
 public:
  void number(std::uint64_t value) {
    char digits[8];
    for (int i = 0; i < 8; ++i) digits[i] = static_cast<char>(value >> (8 * i) & 0xff);
    bytes_.append(digits, 8);
  }
  void time(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  std::string finish() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads the output of a ByteWriter. @throws DataError if the bytes end too early.
class ByteReader {
 public:
  /// @param what  The name of the bytes in messages.
  explicit ByteReader(std::string_view bytes, std::string_view what = "bytes of another process")
      : rest_(bytes), what_(what) {}

  std::uint64_t number() {
    const std::string_view digits = take(8);
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(digits[i]);
    return value;
  }
  std::int64_t time() { return static_cast<std::int64_t>(number()); }
  double real() { return std::bit_cast<double>(number()); }
  /// Valid as long as the bytes are.
  std::string_view text() { return take(number()); }
  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }
  [[noreturn]] void refuse() const { throw DataError("damaged " + std::string(what_)); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) refuse();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  std::string_view what_;
};

inline std::string joined_texts(std::span<const std::string> texts) {
  ByteWriter out;
  for (const std::string& text : texts) out.text(text);
  return out.finish();
}

/// The inverse of joined_texts.
inline std::vector<std::string> split_texts(std::string_view bytes) {
  std::vector<std::string> texts;
  for (ByteReader in(bytes); !in.at_end();) texts.emplace_back(in.text());
  return texts;
}

}  // namespace scalelaw
