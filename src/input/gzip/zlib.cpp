#include <zlib.h>

#include <new>
#include <string_view>

#include "input/gzip_members.hpp"

namespace scalelaw {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;

[[noreturn]] void refuse(const z_stream& stream) {
  const std::string_view message = stream.msg == nullptr ? "" : stream.msg;
  const bool is_checksum = message == "incorrect data check" ||
                           message == "incorrect length check" || message == "header crc mismatch";
  throw DamagedMember{is_checksum ? GzipDamage::kChecksum : GzipDamage::kBits};
}

}  // namespace

struct Inflater::State {
  State() {
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~State() { inflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  z_stream stream{};
};

Inflater::Inflater() : state_(std::make_unique<State>()) {}
Inflater::~Inflater() = default;

bool Inflater::inflate(std::span<const char>& in, std::span<char>& out) {
  z_stream& stream = state_->stream;
  // zlib does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = ::inflate(&stream, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  const bool ended = status == Z_STREAM_END;
  if (!ended && status != Z_OK && status != Z_BUF_ERROR) refuse(stream);
  in = in.last(stream.avail_in);
  out = out.last(stream.avail_out);
  if (ended) inflateReset(&stream);
  return ended;
}

}  // namespace scalelaw
