#include "input/gzip_members.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/compress.hpp"

namespace scalelaw {
namespace {

/// What comes out if the bytes come in two pieces, or why they are refused.
std::string unpacked_in_two(const std::string& packed, std::size_t cut) try {
  GzipMembers members;
  std::string out(64, '\0');
  std::span<char> room(out);
  for (std::span<const char> piece :
       {std::span(packed).first(cut), std::span(packed).subspan(cut)}) {
    while (!piece.empty()) members.inflate(piece, room);
  }
  out.resize(out.size() - room.size());
  return members.is_inside_member() ? out + " (no end)" : out;
} catch (const DamagedGzip& damage) {
  return damage.what();
}

void expect_wherever_cut(const std::string& packed, const std::string& expected) {
  for (std::size_t cut = 0; cut <= packed.size(); ++cut) {
    EXPECT_EQ(unpacked_in_two(packed, cut), expected) << "after " << cut << " bytes";
  }
}

/// The member with other flags in its header, and fields that they announce.
std::string with_flags(char flags, const std::string& fields = "") {
  std::string packed = test::gzip("1,10\n");
  packed[3] = flags;
  return packed.insert(10, fields);
}

constexpr const char* kNoGzipBehind =
    "something that is no gzip follows the gzip data; copy the file again, or unpack it by gzip "
    "-dc, which leaves that out";
constexpr const char* kNoHeader =
    "damaged gzip data: a member has no gzip header that RFC 1952 defines; copy the file again";
constexpr const char* kChecksum =
    "damaged gzip data: its checksum or length does not match; copy the file again";

TEST(GzipMembers, ZerosBehindAMemberArePadding) {
  const std::string zeros(5, '\0');
  expect_wherever_cut(test::gzip("1,10\n") + zeros, "1,10\n");
  expect_wherever_cut(test::gzip("1,10\n") + zeros + test::gzip("2,5\n"), "1,10\n2,5\n");
}

TEST(GzipMembers, OtherDataBehindAMemberAreNamed) {
  expect_wherever_cut(test::gzip("1,10\n") + "x", kNoGzipBehind);
  expect_wherever_cut(test::gzip("1,10\n") + "garbage of twenty by", kNoGzipBehind);
  expect_wherever_cut(test::gzip("1,10\n") + std::string("\0\0y", 3), kNoGzipBehind);
}

TEST(GzipMembers, AMemberThatEndsInItsHeaderIsNotWhole) {
  const std::string begin = test::gzip("2,5\n").substr(0, 3);
  expect_wherever_cut(test::gzip("1,10\n") + begin, "1,10\n (no end)");
}

TEST(GzipMembers, ReservedFlagsAndOtherMethodsAreRefused) {
  expect_wherever_cut(with_flags('\x20'), kNoHeader);
  std::string packed = test::gzip("1,10\n");
  packed[2] = 7;
  expect_wherever_cut(packed, kNoHeader);
}

TEST(GzipMembers, TheChecksumOfAHeaderIsOne) {
  expect_wherever_cut(with_flags('\x02', "xx"), kChecksum);
}

}  // namespace
}  // namespace scalelaw
