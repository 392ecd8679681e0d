#include <isa-l/igzip_lib.h>

#include <cstdint>

#include "input/gzip_members.hpp"

namespace scalelaw {
namespace {

[[noreturn]] void refuse(int status) {
  throw DamagedMember{status == ISAL_INCORRECT_CHECKSUM ? GzipDamage::kChecksum
                                                        : GzipDamage::kBits};
}

}  // namespace

struct Inflater::State {
  /// Keeps the places in the input and the output.
  void begin_member() {
    isal_inflate_reset(&inflate);
    inflate.crc_flag = ISAL_GZIP_NO_HDR_VER;  // The header is read here.
    header = {};
    has_header = false;
  }

  /// Whether the header has been read to its end. With ISAL_GZIP isal_inflate() reads it itself,
  /// but to a place without a value: version 2.30 then looks for a checksum of the header that is
  /// not there, if the call finds such bits in memory.
  bool reads_header() {
    if (has_header) return true;
    const int status = isal_read_gzip_header(&inflate, &header);
    if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT) refuse(status);
    has_header = status == ISAL_DECOMP_OK;
    return has_header;
  }

  inflate_state inflate{};
  isal_gzip_header header{};
  bool has_header = false;
};

Inflater::Inflater() : state_(std::make_unique<State>()) { state_->begin_member(); }
Inflater::~Inflater() = default;

bool Inflater::inflate(std::span<const char>& in, std::span<char>& out) {
  inflate_state& inflate = state_->inflate;
  // ISA-L writes to no input.
  inflate.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(in.data()));
  inflate.avail_in = static_cast<std::uint32_t>(in.size());
  inflate.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  inflate.avail_out = static_cast<std::uint32_t>(out.size());
  const bool has_header = state_->reads_header();
  const int status = has_header ? isal_inflate(&inflate) : ISAL_DECOMP_OK;
  if (status != ISAL_DECOMP_OK) refuse(status);
  in = in.last(inflate.avail_in);
  out = out.last(inflate.avail_out);
  const bool ended = has_header && inflate.block_state == ISAL_BLOCK_FINISH;
  if (ended) state_->begin_member();
  return ended;
}

}  // namespace scalelaw
