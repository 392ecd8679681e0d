#include "scalelaw/base/progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace scalelaw {
namespace {

constexpr double kQuietSeconds = 1.0;
constexpr double kSecondsBetweenDrawings = 0.2;
constexpr int kBarWidth = 24;

std::string bar(double share) {
  const int full = static_cast<int>(share * kBarWidth);
  return std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kBarWidth - full), '.');
}

}  // namespace

Progress::Progress(std::string what, std::uint64_t total_bytes, std::uint64_t total_files)
    : what_(std::move(what)),
      total_(total_bytes),
      total_files_(total_files),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::advance(std::uint64_t bytes, std::uint64_t files) {
  done_files_.fetch_add(files, std::memory_order_relaxed);
  const std::uint64_t done = done_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (!shown_) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (seconds < kQuietSeconds) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || seconds - drawn_at_ < kSecondsBetweenDrawings) return;
  drawn_at_ = seconds;
  draw(done, seconds);
}

void Progress::draw(std::uint64_t done, double seconds) {
  const double mega = static_cast<double>(done) / 1e6;
  const double rate = mega / seconds;
  std::string line = fmt::format("\r{} ", what_);
  if (total_ > 0 && done <= total_) {
    const double share = static_cast<double>(done) / static_cast<double>(total_);
    const double left = (static_cast<double>(total_ - done) / 1e6) / rate;
    line += fmt::format("[{}] {:3.0f} %  {:.0f} MB/s  {:.0f} s left", bar(share), 100 * share, rate,
                        left);
  } else {
    line += fmt::format("{:.0f} MB  {:.0f} MB/s", mega, rate);
  }
  if (total_files_ > 0) {
    line +=
        fmt::format("  {} of {} files", done_files_.load(std::memory_order_relaxed), total_files_);
  }
  std::fputs((line + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace scalelaw
