#include "input/folder_reader.hpp"

#include <unistd.h>

#include <cerrno>
#include <new>
#include <string_view>

#include "scalelaw/base/call_context.hpp"

namespace scalelaw {
namespace {

/// The absolute path without links, even for something that no longer exists.
std::string resolved(const std::string& path) {
  char real[PATH_MAX];
  if (::realpath(path.c_str(), real) != nullptr) return real;
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return error ? path : canonical.string();
}

}  // namespace

std::string RealPaths::of_folder(const std::string& folder) const {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = folders_.try_emplace(folder);
  if (is_new) known->second = resolved(folder);
  return known->second;
}

std::string RealPaths::of(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash + 1);
  char target;
  const bool is_link = ::readlink(path.c_str(), &target, 1) >= 0;
  if (is_link || name.empty() || name == "." || name == "..") return resolved(path);
  const std::string folder =
      of_folder(slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1)));
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

namespace {

namespace fs = std::filesystem;

fs::file_type kind_of(const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return fs::file_type::regular;
    case DT_DIR:
      return fs::file_type::directory;
    case DT_LNK:
      return fs::file_type::symlink;
    case DT_FIFO:
      return fs::file_type::fifo;
    case DT_SOCK:
      return fs::file_type::socket;
    case DT_CHR:
      return fs::file_type::character;
    case DT_BLK:
      return fs::file_type::block;
    default:
      return fs::file_type::none;
  }
}

}  // namespace

bool leads_out(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return false;
  const std::string place = resolved(folder.string());
  const std::string target = resolved(path.string());
  return target != place && !target.starts_with(place.ends_with('/') ? place : place + '/');
}

bool FolderEntry::is_link() const {
  std::error_code error;
  return kind_ == fs::file_type::none ? fs::is_symlink(fs::symlink_status(path_, error))
                                      : kind_ == fs::file_type::symlink;
}

bool FolderEntry::is_other() const { return fs::is_other(fs::file_status(kind())); }

fs::file_type FolderEntry::kind() const {
  const bool is_told = kind_ != fs::file_type::none && kind_ != fs::file_type::symlink;
  std::error_code error;
  return is_told ? kind_ : fs::status(path_, error).type();
}

FolderReader::FolderReader(const fs::path& folder, const fs::path& within)
    : folder_(folder), within_(within.empty() ? folder : within) {
  if (!within.empty() && is_link_out(folder)) return;
  handle_.reset(::opendir(folder.c_str()));
  if (handle_ == nullptr) note_failure(errno);
}

bool FolderReader::is_link_out(const fs::path& path) const {
  if (!leads_out(path, within_)) return false;
  if (CallContext* const call = current_call()) call->note_link_out(path.string());
  return true;
}

std::optional<FolderEntry> FolderReader::next() {
  while (handle_ != nullptr) {
    errno = 0;
    const dirent* const entry = ::readdir(handle_.get());
    if (entry == nullptr) {
      if (errno != 0) note_failure(errno);
      return std::nullopt;
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    FolderEntry found(folder_ / name, kind_of(*entry));
    if (!found.is_link() || !is_link_out(found.path())) return found;
  }
  return std::nullopt;
}

void FolderReader::note_failure(int error_number) {
  if (error_number == ENOMEM) throw std::bad_alloc();
  error_.assign(error_number, std::generic_category());
}

}  // namespace scalelaw
