#include "input/gzip_members.hpp"

#include <algorithm>
#include <array>

namespace scalelaw {
namespace {

/// The first bytes of a member: two that say gzip, the method "deflate", and flags.
constexpr std::array<unsigned char, 3> kMemberBegin{0x1f, 0x8b, 8};
constexpr std::size_t kPlaceOfFlags = kMemberBegin.size();
constexpr unsigned char kReservedFlags = 0xe0;

[[noreturn]] void refuse_header(std::size_t place, bool is_first) {
  if (place < 2 && !is_first) {
    throw DamagedGzip(
        "something that is no gzip follows the gzip data; copy the file again, or unpack it by "
        "gzip -dc, which leaves that out");
  }
  throw DamagedGzip(
      "damaged gzip data: a member has no gzip header that RFC 1952 defines; copy the file again");
}

[[noreturn]] void refuse_member(GzipDamage damage) {
  throw DamagedGzip(damage == GzipDamage::kChecksum
                        ? "damaged gzip data: its checksum or length does not match; copy the file "
                          "again"
                        : "damaged gzip data: the bits make no sense; copy the file again");
}

}  // namespace

void GzipMembers::inflate(std::span<const char>& in, std::span<char>& out) try {
  leave_out_padding(in);
  if (in.empty()) return;
  check_header(in);
  const std::size_t before = in.size();
  const bool ended = inflater_.inflate(in, out);
  taken_ = ended ? 0 : taken_ + before - in.size();
  is_first_ = is_first_ && !ended;
} catch (const DamagedMember& member) {
  refuse_member(member.damage);
}

void GzipMembers::leave_out_padding(std::span<const char>& in) const {
  if (is_first_ || taken_ > 0) return;
  const auto end = std::ranges::find_if(in, [](char byte) { return byte != 0; });
  in = in.subspan(static_cast<std::size_t>(end - in.begin()));
}

/// Looks at those of the first four bytes that are there: the libraries check them differently, and
/// ISA-L takes flags that are reserved.
void GzipMembers::check_header(std::span<const char> in) const {
  for (std::size_t i = 0; taken_ + i <= kPlaceOfFlags && i < in.size(); ++i) {
    const auto byte = static_cast<unsigned char>(in[i]);
    const std::size_t place = taken_ + i;
    const bool is_right =
        place < kPlaceOfFlags ? byte == kMemberBegin.at(place) : (byte & kReservedFlags) == 0;
    if (!is_right) refuse_header(place, is_first_);
  }
}

}  // namespace scalelaw
