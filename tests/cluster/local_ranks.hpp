#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "scalelaw/cluster/transport.hpp"

namespace scalelaw::testing {

/// Mailboxes for ranks that are threads of this process.
struct PostOffice {
  explicit PostOffice(int ranks) : boxes(static_cast<std::size_t>(ranks)) {}
  std::mutex mutex;
  std::vector<std::deque<Message>> boxes;
};

class LocalTransport final : public Transport {
 public:
  LocalTransport(std::shared_ptr<PostOffice> office, int rank)
      : office_(std::move(office)), rank_(rank) {}
  int rank() const override { return rank_; }
  int count() const override { return static_cast<int>(office_->boxes.size()); }
  int processor_sharers() const override { return count(); }
  void send(int to, std::string bytes) override {
    if (bytes.size() > kCarried) throw std::length_error("a message that is not sent in parts");
    const std::lock_guard lock(office_->mutex);
    office_->boxes[static_cast<std::size_t>(to)].push_back({rank_, std::move(bytes)});
  }
  std::optional<Message> receive() override {
    const std::lock_guard lock(office_->mutex);
    auto& box = office_->boxes[static_cast<std::size_t>(rank_)];
    if (box.empty()) return std::nullopt;
    Message first = std::move(box.front());
    box.pop_front();
    return first;
  }
  bool idle() override { return true; }
  void close() override {}
  [[noreturn]] void abort(int /*status*/) override { throw std::runtime_error("aborted"); }

 private:
  /// Less than kLongestMessage, so that tests of messages in parts need no gigabytes.
  static constexpr std::size_t kCarried = std::size_t{32} << 20;

  std::shared_ptr<PostOffice> office_;
  int rank_;
};

/// Runs the same function on several ranks and rethrows the leader's exception. Returns the exit
/// statuses with which the other ranks were dismissed.
inline std::vector<int> run_ranks(int count, const std::function<void(Ranks&, int rank)>& run) {
  const auto office = std::make_shared<PostOffice>(count);
  std::vector<int> statuses(static_cast<std::size_t>(count), -1);
  std::vector<std::thread> others;
  for (int rank = 1; rank < count; ++rank) {
    others.emplace_back([&, rank] {
      const auto ranks = make_team(std::make_unique<LocalTransport>(office, rank));
      try {
        try {
          run(*ranks, rank);
          ranks->await_end();
        } catch (const std::exception& error) {
          ranks->fail(error.what());
        }
      } catch (const Dismissed& dismissed) {
        statuses[static_cast<std::size_t>(rank)] = dismissed.status;
      }
    });
  }
  const auto leader = make_team(std::make_unique<LocalTransport>(office, 0));
  std::exception_ptr thrown;
  try {
    run(*leader, 0);
  } catch (...) {
    thrown = std::current_exception();
  }
  leader->end(thrown ? 2 : 0);
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
  return {statuses.begin() + 1, statuses.end()};
}

}  // namespace scalelaw::testing
