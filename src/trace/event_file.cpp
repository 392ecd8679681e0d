#include "trace/event_file.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace scalelaw {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
    table[i] = crc;
  }
  return table;
}

}  // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF] ^ (crc >> 8);
  }
  return std::rotr(~crc, 15) + 0xA282EAD8U;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

void note_end(RecordsEnd end, std::uint64_t count, TraceNotes& notes) {
  if (end != RecordsEnd::kCut && end != RecordsEnd::kDamaged) return;
  notes.note(end == RecordsEnd::kCut ? TraceOddity::kCutLine : TraceOddity::kDamagedRecord, 0,
             fmt::format("record {}", count + 1));
}

bool RecordReader::fill(std::size_t bytes) {
  buffer_.clear();
  read_to(bytes, in_, buffer_);  // It takes room only as bytes come: a length may be a lie.
  return buffer_.size() == bytes;
}

std::optional<std::string_view> RecordReader::next() {
  constexpr std::size_t kHead = 12;
  constexpr std::size_t kTail = 4;
  if (end_ != End::kNone) return std::nullopt;
  const auto stop = [&](End end) {
    end_ = end;
    return std::nullopt;
  };
  if (!fill(kHead)) return stop(buffer_.empty() ? End::kWhole : End::kCut);
  const std::string_view head = buffer_;
  const std::uint64_t length = little_endian(head.substr(0, 8));
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (masked_crc32c(head.substr(0, 8)) != little_endian(head.substr(8)) || length > kMost) {
    return stop(End::kDamaged);
  }
  if (!fill(static_cast<std::size_t>(length) + kTail)) return stop(End::kCut);
  const std::string_view data = std::string_view(buffer_).substr(0, buffer_.size() - kTail);
  if (masked_crc32c(data) != little_endian(std::string_view(buffer_).substr(data.size()))) {
    return stop(End::kDamaged);
  }
  ++count_;
  return data;
}

double ProtoField::as_double() const { return std::bit_cast<double>(value); }
double ProtoField::as_float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value));
}

std::optional<std::uint64_t> ProtoReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ProtoReader::fixed(std::size_t bytes) {
  if (rest_.size() < bytes) return std::nullopt;
  const std::uint64_t value = little_endian(rest_.substr(0, bytes));
  rest_.remove_prefix(bytes);
  return value;
}

std::optional<ProtoField> ProtoReader::next() {
  const auto key = varint();
  if (!key) return std::nullopt;
  ProtoField field{.number = *key >> 3};
  std::optional<std::uint64_t> value;
  switch (*key & 7) {
    case 0:
      value = varint();
      break;
    case 1:
      value = fixed(8);
      break;
    case 5:
      value = fixed(4);
      break;
    case 2:
      value = varint();
      if (!value || *value > rest_.size()) return std::nullopt;
      field.bytes = rest_.substr(0, static_cast<std::size_t>(*value));
      rest_.remove_prefix(field.bytes.size());
      break;
    default:
      break;
  }
  if (!value) return std::nullopt;
  field.value = *value;
  return field;
}

}  // namespace scalelaw
