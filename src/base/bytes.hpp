#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

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
  /// How many items follow, each of eight bytes or more: damage cannot ask for much memory.
  std::uint64_t count() {
    const std::uint64_t items = number();
    if (items > rest_.size() / 8) refuse();
    return items;
  }
  bool at_end() const { return rest_.empty(); }
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

// Whole values and records. A record is a type whose namespace has parts_of(record), the std::tie()
// of its members. A namespace may also define put() and take() for a type of its own.

template <class Pair>
auto parts_of(Pair& pair) requires requires {
  pair.second;
}
{ return std::tie(pair.first, pair.second); }

template <class Value>
void put(ByteWriter& out, const Value& value) {
  if constexpr (std::is_integral_v<Value>) {
    out.number(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<Value, double>) {
    out.real(value);
  } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
    out.text(value);
  } else if constexpr (requires { value.has_value(); }) {
    put(out, value.has_value());
    if (value) put(out, *value);
  } else if constexpr (requires { value.size(); }) {
    out.number(value.size());
    for (const auto& item : value) put(out, item);
  } else {
    std::apply([&out](const auto&... part) { (put(out, part), ...); }, parts_of(value));
  }
}

/// Reads what put() wrote. @throws DataError if the bytes are damaged.
template <class Value>
void take(ByteReader& in, Value& value) {
  if constexpr (std::is_integral_v<Value>) {
    value = static_cast<Value>(in.number());
  } else if constexpr (std::is_same_v<Value, double>) {
    value = in.real();
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = in.text();
  } else if constexpr (requires { value.has_value(); }) {
    value.reset();
    if (in.number() != 0) take(in, value.emplace());
  } else if constexpr (requires { typename Value::mapped_type; }) {
    for (std::uint64_t more = in.count(); more > 0; --more) {
      typename Value::key_type key;
      take(in, key);
      take(in, value[std::move(key)]);
    }
  } else if constexpr (requires { value.emplace_back(); }) {
    for (std::uint64_t more = in.count(); more > 0; --more) take(in, value.emplace_back());
  } else {
    std::apply([&in](auto&... part) { (take(in, part), ...); }, parts_of(value));
  }
}

template <class Record>
std::string written(const Record& record) {
  ByteWriter out;
  put(out, record);
  return out.finish();
}

/// Reads what written() wrote. @throws DataError if the bytes are damaged or too many.
template <class Record>
Record read_from(std::string_view bytes) {
  ByteReader in(bytes);
  Record record;
  take(in, record);
  if (!in.at_end()) in.refuse();
  return record;
}

}  // namespace scalelaw
