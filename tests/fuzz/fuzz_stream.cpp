// Bytes as a compressed file. Its stream gives bytes or an Error, and the bytes do not depend on
// the size of the reads.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/reading.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/input/lines.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw::fuzz {
namespace {

constexpr std::size_t kMost = 4 << 20;  // A few bytes may expand to gigabytes.

std::string read_in_pieces(const MemoryFile& memory, std::size_t piece) {
  std::string all;
  std::string part(piece, '\0');
  try {
    const InputFile file(memory.path());
    const auto stream = open_stream(file);  // A file that begins like a store is refused here.
    while (all.size() < kMost) {
      const std::size_t got = stream->read(part.data(), std::min(piece, kMost - all.size()));
      if (got == 0) return all;
      all.append(part, 0, got);
    }
  } catch (const Error&) {
    return "error";  // The size of the reads decides how much comes before it.
  }
  return all;
}

void check(std::string_view text) {
  static MemoryFile file;
  file.assign(text);
  const std::size_t piece = 1 + text.size() % 4099;
  const std::string large = read_in_pieces(file, 1 << 16);
  const std::string small = read_in_pieces(file, piece);
  // For a frame that ends in an empty block, libzstd checks the declared size only if the read has
  // room for that size.
  if (large == "error" && text.starts_with("\x28\xb5\x2f\xfd")) return;
  expect_same(large, small, "large pieces and small");
}

}  // namespace
}  // namespace scalelaw::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scalelaw::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
