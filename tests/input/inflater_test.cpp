#include "input/gzip_members.hpp"

#include <gtest/gtest.h>

#include <string>

namespace scalelaw {
namespace {

// gzip 1.12 of "gpus,seconds\n1,10\n2,5.2\n", with the name n.csv in its header.
const std::string kPacked(
    "\x1f\x8b\x08\x08\x52\xab\x03\x6b\x02\x03\x6e\x2e\x63\x73\x76\x00"
    "\x4b\x2f\x28\x2d\xd6\x29\x4e\x4d\xce\xcf\x4b\x29\xe6\x32\xd4\x31"
    "\x34\xe0\x32\xd2\x31\xd5\x33\xe2\x02\x00\x3a\x2b\x02\xff\x18\x00"
    "\x00\x00",
    50);

/// What comes out if the bytes come in two pieces.
std::string inflated_in_two(std::size_t cut) {
  Inflater inflater;
  std::string out(64, '\0');
  std::span<char> room(out);
  bool ended = false;
  for (std::span<const char> piece :
       {std::span(kPacked).first(cut), std::span(kPacked).subspan(cut)}) {
    while (!piece.empty() && !ended) ended = inflater.inflate(piece, room);
  }
  out.resize(out.size() - room.size());
  return ended ? out : out + " (no end)";
}

TEST(Inflater, TakesAHeaderThatIsCutAnywhere) {
  for (std::size_t cut = 0; cut <= kPacked.size(); ++cut) {
    EXPECT_EQ(inflated_in_two(cut), "gpus,seconds\n1,10\n2,5.2\n") << "after " << cut << " bytes";
  }
}

}  // namespace
}  // namespace scalelaw
