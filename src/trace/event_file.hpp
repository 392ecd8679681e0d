#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scalelaw/input/source.hpp"
#include "scalelaw/trace/sample.hpp"

// TensorBoard's event files: records of protocol buffers, each with its length and checksums
// (tensorflow/core/lib/io/record_writer.h).
namespace scalelaw {

/// CRC-32C of bytes, rotated and shifted as records have it.
std::uint32_t masked_crc32c(std::string_view bytes);

/// The number in bytes whose least significant one comes first.
std::uint64_t little_endian(std::string_view bytes);

/// How the records of a file end.
enum class RecordsEnd { kNone, kWhole, kCut, kDamaged };

/// Notes where the records of a file end that is cut or damaged.
/// @param count  Whole records.
void note_end(RecordsEnd end, std::uint64_t count, TraceNotes& notes);

/// The records of a stream, one after another.
class RecordReader {
 public:
  using End = RecordsEnd;

  explicit RecordReader(ByteStream& in) : in_(in) {}
  /// The next record; valid until the next call. Empty at the end, and before a record that is cut
  /// or whose checksum is wrong. A length is believed only as far as bytes follow.
  std::optional<std::string_view> next();
  End end() const { return end_; }
  /// Records up to here.
  std::uint64_t count() const { return count_; }

 private:
  bool fill(std::size_t bytes);

  ByteStream& in_;
  std::string buffer_;
  End end_ = End::kNone;
  std::uint64_t count_ = 0;
};

/// A field of a protocol buffer.
struct ProtoField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;      ///< Of a whole number or of fixed bits.
  std::string_view bytes = {};  ///< Of a text, a message or a packed list.

  double as_double() const;
  double as_float() const;
};

/// The fields of a protocol buffer, one after another.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : rest_(message) {}
  /// Empty at the end, and before what is malformed.
  std::optional<ProtoField> next();

 private:
  std::optional<std::uint64_t> varint();
  std::optional<std::uint64_t> fixed(std::size_t bytes);

  std::string_view rest_;
};

}  // namespace scalelaw
