#include "scalelaw/base/call_context.hpp"

#include <utility>

namespace scalelaw {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Clock::duration kBetweenQuestions = std::chrono::milliseconds(100);

thread_local CallContext* current = nullptr;

}  // namespace

CallContext::CallContext(const MemoryTables* tables, GoesOn goes_on, KeptSheet* sheet)
    : tables_(tables), goes_on_(std::move(goes_on)), sheet_(sheet) {}

void CallContext::begin() {
  thread_ = &current;
  bytes_read_ = 0;
  asked_at_ = Clock::now();
}

bool CallContext::asks_now() {
  if (!goes_on_ || thread_ != &current) return false;
  const Clock::time_point now = Clock::now();
  if (now - asked_at_ < kBetweenQuestions) return false;
  asked_at_ = now;
  return true;
}

void CallContext::refuse_cancelled() {
  if (asks_now() && !goes_on_()) cancel();
  if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled{};
}

CallContext* current_call() { return current; }

CallScope::CallScope(CallContext* call) : before_(std::exchange(current, call)) {}

CallScope::~CallScope() { current = before_; }

}  // namespace scalelaw
