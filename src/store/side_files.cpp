#include "scalelaw/store/side_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/file_bytes.hpp"

namespace scalelaw {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMagicBytes = 4;
constexpr std::string_view kLogMagics[] = {"\x37\x7f\x06\x82", "\x37\x7f\x06\x83",
                                           "\xd9\xd5\x05\xf9"};
constexpr std::string_view kIndexMagic = "\x18\xe2\x2d\0"sv;  // As written on this machine.
constexpr std::string_view kZeros = "\0\0\0\0"sv;

bool is_magic_of_log(std::string_view begin) {
  return std::ranges::find(kLogMagics, begin) != std::end(kLogMagics);
}

/// A file of fewer bytes is judged by these: SQLite cuts the index to three before it fills it.
bool may_be_of_database(const std::string& path) {
  const std::string begin = beginning_of(path, kMagicBytes);
  return kZeros.starts_with(begin) || kIndexMagic.starts_with(begin) ||
         std::ranges::any_of(kLogMagics,
                             [&](std::string_view magic) { return magic.starts_with(begin); });
}

}  // namespace

bool is_log_of_database(const std::string& path) {
  return is_magic_of_log(beginning_of(path, kMagicBytes));
}

void refuse_foreign_side_files(const std::string& database) {
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(database, error).string();
  for (const std::string& one : {database, error ? database : real}) {
    for (const std::string_view ending : kSideEndings) {
      const std::string name = one + std::string(ending);
      if (may_be_of_database(name)) continue;
      throw DataError(
          fmt::format("{}: SQLite would take this file for a part of {} and delete it; move it, or "
                      "name another store",
                      name, database));
    }
  }
}

}  // namespace scalelaw
