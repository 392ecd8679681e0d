#include "runs/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "scalelaw/base/number.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

/// A name or word without case and without what is no letter or digit: "Exit Code" is "exitcode".
std::string plain_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) continue;
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word;
}

template <std::size_t kCount>
bool is_one_of_words(const std::string& word, const std::string_view (&words)[kCount]) {
  return std::ranges::find(words, word) != std::end(words);
}

std::optional<StateKind> kind_of_name(std::string_view name) {
  static constexpr std::string_view kStates[] = {"state", "status", "outcome"};
  static constexpr std::string_view kSuccesses[] = {"success",   "succeeded", "successful",
                                                    "completed", "finished",  "ok"};
  static constexpr std::string_view kFailures[] = {"failed",    "failure",   "crashed",  "aborted",
                                                   "cancelled", "preempted", "timedout", "killed"};
  static constexpr std::string_view kCodes[] = {"exitcode", "exitstatus", "returncode"};
  std::string word = plain_word(name);
  // "Slurm state", "job success", "is_completed".
  for (const std::string_view before : {"slurm", "job", "run", "is", "was", "final", "train"}) {
    if (word.starts_with(before)) word.erase(0, before.size());
  }
  if (is_one_of_words(word, kStates)) return StateKind::kState;
  if (is_one_of_words(word, kSuccesses)) return StateKind::kSuccess;
  if (is_one_of_words(word, kFailures)) return StateKind::kFailure;
  if (is_one_of_words(word, kCodes)) return StateKind::kExitCode;
  return std::nullopt;
}

bool is_false(const std::string& word) {
  static constexpr std::string_view kFalse[] = {"false", "no", "0", "n", "f"};
  return is_one_of_words(word, kFalse);
}

bool is_true(const std::string& word) {
  static constexpr std::string_view kTrue[] = {"true", "yes", "1", "y", "t"};
  return is_one_of_words(word, kTrue);
}

/// An exit code other than 0, or a pair of them as Slurm writes: "0:9".
bool is_failing_code(std::string_view cell) {
  const std::size_t colon = cell.find(':');
  const auto code = parse_number(cell.substr(0, colon));
  if (!code) return false;
  if (colon == std::string_view::npos) return *code != 0;
  const auto signal = parse_number(cell.substr(colon + 1));
  return signal && (*code != 0 || *signal != 0);
}

}  // namespace

std::vector<StateColumn> state_columns(const Header& header, std::span<const std::size_t> used) {
  std::vector<StateColumn> columns;
  for (std::size_t place = 0; place < header.names.size(); ++place) {
    const auto kind = kind_of_name(header.names[place]);
    if (kind && std::ranges::find(used, place) == used.end()) {
      columns.push_back({place, *kind});
    }
  }
  return columns;
}

bool is_failure_word(std::string_view cell) {
  static constexpr std::string_view kFailureWords[] = {
      "failed",   "fail",      "failure",  "timeout",  "timedout",  "outofmemory", "oom",
      "oomkill",  "oomkilled", "cudaoom",  "nodefail", "preempted", "error",       "errored",
      "crashed",  "crash",     "aborted",  "abort",    "killed",    "bootfail",    "deadline",
      "canceled", "cancelled", "diverged", "segfault", "dnf"};
  if (cell.empty() || std::isalpha(static_cast<unsigned char>(cell.front())) == 0) return false;
  // Slurm adds who cancelled, and people what happened: "CANCELLED by 1000", "OOM (40 GB)".
  const std::string word = plain_word(cell);
  const std::size_t first = cell.find_first_of(" :(@");
  const bool explained = first != std::string_view::npos &&
                         is_one_of_words(plain_word(cell.substr(0, first)), kFailureWords);
  return explained || is_one_of_words(word, kFailureWords);
}

bool tells_failure(StateKind kind, std::string_view cell) {
  static constexpr std::string_view kUnfinished[] = {"running", "pending", "queued", "requeued",
                                                     "suspended"};
  const std::string word = plain_word(cell);
  switch (kind) {
    case StateKind::kExitCode:
      return is_failing_code(cell);
    case StateKind::kSuccess:
      return is_false(word) || is_failure_word(cell);
    case StateKind::kFailure:
      return is_true(word) || is_failure_word(cell);
    case StateKind::kState:
      break;
  }
  const bool said_false = is_false(word) && word != "0";  // Some write 0 for success, others 1.
  return said_false || is_failure_word(cell) || is_one_of_words(word, kUnfinished);
}

void add_failure(std::vector<Failure>& failures, const Failure& more) {
  constexpr std::size_t kMostValues = 100;
  const auto key = [](const Failure& one) { return std::tie(one.column, one.value); };
  const auto place = std::ranges::lower_bound(failures, key(more), {}, key);
  if (place != failures.end() && key(*place) == key(more)) return;
  failures.insert(place, more);
  if (failures.size() > kMostValues) failures.pop_back();
}

std::string failed_sentence(std::uint64_t runs, std::span<const Failure> failures) {
  constexpr std::size_t kMostShown = 4;
  std::string reasons;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const bool same = i > 0 && failures[i].column == failures[i - 1].column;
    if (i == kMostShown) {
      reasons += ", and others";
      break;
    }
    if (i > 0) reasons += same ? " or " : "; ";
    if (!same) reasons += failures[i].column + " is ";
    reasons += printable(failures[i].value);
  }
  return fmt::format("{} {} left out: {}", counted(runs, "run"), runs == 1 ? "is" : "are", reasons);
}

}  // namespace scalelaw
