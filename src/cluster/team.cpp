#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/bytes.hpp"
#include "cluster/dispenser.hpp"
#include "scalelaw/base/call_context.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/parallel.hpp"
#include "scalelaw/base/progress.hpp"
#include "scalelaw/cluster/transport.hpp"

namespace scalelaw {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// The kind of a message, which is its first byte.
enum class Kind : char {
  kBroadcast,  ///< From the leader: bytes.
  kPieces,     ///< From the leader: a range of pieces; empty if there are no more.
  kEnd,        ///< From the leader: the exit status.
  kAsk,        ///< To the leader: more pieces, please.
  kDone,       ///< To the leader: everything handed out is done.
  kStop,       ///< To the leader: hand nothing more out.
  kProgress,   ///< To the leader: bytes and files read.
  kResults,    ///< To the leader: pieces and their results.
  kGathered,   ///< To the leader: its part of a gather.
  kFailure,    ///< To the leader: a sentence.
  kGone,       ///< To the leader: I have heard of the end.
  kMore,       ///< Either way: a part of the next message of another kind.
};

constexpr std::size_t kPartBytes = std::size_t{16} << 20;
static_assert(kPartBytes < kLongestMessage);
constexpr std::size_t kResultBytes = 256 << 10;  // Sent at once; less waits a little.
constexpr milliseconds kTell{200};
constexpr milliseconds kLongestGoodbye{5000};
constexpr microseconds kAnswer{5000};  // Until a rank that asks gets pieces: two short sleeps.

std::string message(Kind kind, std::string_view body = {}) {
  std::string bytes(1, static_cast<char>(kind));
  return bytes += body;
}

Kind kind_of(const std::string& bytes) { return static_cast<Kind>(bytes.front()); }
std::string_view body_of(const std::string& bytes) { return std::string_view(bytes).substr(1); }

/// A message that nobody waits for. If it were skipped, both sides would wait for ever.
[[noreturn]] void refuse(int from, Kind found, Kind expected) {
  throw DataError(
      fmt::format("ranks are out of step: rank {} sent a message of kind {} where one of kind {} "
                  "was due; this is an error in scalelaw",
                  from, static_cast<int>(found), static_cast<int>(expected)));
}

std::string numbers(std::uint64_t first, std::uint64_t second) {
  ByteWriter out;
  out.number(first);
  out.number(second);
  return out.finish();
}

/// A sleep that begins short because answers mostly come at once. It grows because a rank that
/// waits must not take time from working ranks, or from its own workers. On virtual machines every
/// wakening costs them up to 0.1 ms.
class Patience {
 public:
  static constexpr microseconds kIdle{1000};
  static constexpr microseconds kBesideWork{2000};

  microseconds next(microseconds longest) {
    const microseconds now = std::min(next_, longest);
    next_ = std::min(next_ * 2, longest);
    return now;
  }
  void wait(microseconds longest = kIdle) { std::this_thread::sleep_for(next(longest)); }
  void renew() { next_ = kShortest; }

 private:
  static constexpr microseconds kShortest{20};
  microseconds next_ = kShortest;
};

/// Threads that work on pieces while their creator talks to other ranks.
class Workers {
 public:
  /// @param next  The next piece for a worker; if empty, the worker may end. It is called under the
  /// lock, and so is `take`, for pieces with results.
  Workers(int threads, const Ranks::Work& work, std::function<std::optional<std::size_t>()> next,
          Ranks::Take take)
      : work_(work), next_(std::move(next)), take_(std::move(take)) {
    threads_.reserve(static_cast<std::size_t>(threads));
    try {
      for (int worker = 0; worker < threads; ++worker) {
        threads_.emplace_back([this, worker, call = current_call()] {
          const CallScope scope(call);
          run(worker);
        });
      }
    } catch (const std::exception&) {
      // The system gives no more threads, or no memory for one, so the existing ones do the work.
      if (threads_.empty()) throw;
    }
  }
  /// Workers that are busy end after their current piece.
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      given_up_ = true;
      more_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::mutex& mutex() { return mutex_; }
  /// Waits until a worker needs attention, but not for long. Under the lock.
  void attend(std::unique_lock<std::mutex>& lock, microseconds longest) {
    attention_.wait_for(lock, longest);
  }
  /// Makes sleeping workers look for a piece again. Under the lock.
  void wake() { more_.notify_all(); }
  /// No more pieces will come, so idle workers end. Under the lock.
  void close() {
    closed_ = true;
    more_.notify_all();
  }
  bool at_rest() const { return resting_ == threads_.size(); }
  bool stopped() const { return stopped_; }
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run(int worker) {
    std::unique_lock lock(mutex_);
    while (!given_up_) {
      const auto piece = next_();
      if (!piece) {
        if (closed_) break;
        attention_.notify_one();
        more_.wait_for(lock, milliseconds(5));
        continue;
      }
      lock.unlock();
      std::optional<std::string> said;
      std::exception_ptr failure = failure_of([&] { said = work_(*piece, worker); });
      lock.lock();
      if (said && !said->empty()) failure = failure_of([&] { take_(*piece, *said); });
      if (!failure_) failure_ = failure;
      if (!said || failure) stopped_ = true;
      if (stopped_) attention_.notify_one();
    }
    ++resting_;
    attention_.notify_one();
  }
  template <class Act>
  static std::exception_ptr failure_of(const Act& act) {
    try {
      act();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  const Ranks::Work& work_;
  std::function<std::optional<std::size_t>()> next_;
  Ranks::Take take_;
  std::mutex mutex_;
  std::condition_variable attention_;
  std::condition_variable more_;
  bool closed_ = false;
  bool given_up_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;  ///< The first one.
  std::size_t resting_ = 0;
  std::vector<std::thread> threads_;
};

class Team : public Ranks {
 public:
  explicit Team(std::unique_ptr<Transport> transport)
      : transport_(std::move(transport)), begun_(static_cast<std::size_t>(transport_->count())) {}

  int count() const override { return transport_->count(); }
  int threads(int requested) const override {
    if (requested > 0) return thread_count(requested);
    return std::max(1, thread_count(0) / transport_->processor_sharers());
  }

 protected:
  Transport& transport() { return *transport_; }

  /// Sends a message of any length, in parts that every transport can carry.
  void send(int to, Kind kind, std::string_view body = {}) {
    for (; body.size() > kPartBytes; body.remove_prefix(kPartBytes)) {
      transport_->send(to, message(Kind::kMore, body.substr(0, kPartBytes)));
    }
    transport_->send(to, message(kind, body));
  }

  /// The next message, once all its parts are there.
  std::optional<Message> receive() {
    while (auto received = transport_->receive()) {
      std::string& begun = begun_[static_cast<std::size_t>(received->from)];
      const Kind kind = kind_of(received->bytes);
      if (begun.empty() && kind != Kind::kMore) return received;
      if (begun.empty()) begun = message(kind);
      begun += body_of(received->bytes);
      if (kind == Kind::kMore) continue;
      begun.front() = static_cast<char>(kind);
      return Message{received->from, std::exchange(begun, {})};
    }
    return std::nullopt;
  }

  /// Waits until everything that was sent has left, at most until `latest`.
  bool drain(Clock::time_point latest) {
    Patience patience;
    while (!transport_->idle()) {
      if (Clock::now() > latest) return false;
      patience.wait();
    }
    return true;
  }

 private:
  std::unique_ptr<Transport> transport_;
  std::vector<std::string> begun_;  ///< By rank: the parts so far of an incomplete message.
};

/// Pieces that a rank was given and has not begun.
class PieceQueue {
 public:
  void add(PieceRange range) {
    if (!range.empty()) ranges_.push_back(range);
    size_ += range.end - range.begin;
    added_ = Clock::now();
    begun_ = 0;
  }
  std::optional<std::size_t> take() {
    if (ranges_.empty()) return std::nullopt;
    const std::size_t piece = ranges_.front().begin++;
    if (ranges_.front().empty()) ranges_.pop_front();
    --size_;
    ++begun_;
    return piece;
  }
  std::size_t size() const { return size_; }
  /// How many pieces `workers` finish in `time`, at the rate since pieces were last added.
  std::size_t done_within(microseconds time, std::size_t workers) const {
    const std::size_t done = begun_ - std::min(begun_, workers);
    const auto past = std::max<Clock::duration>(Clock::now() - added_, microseconds(1));
    return static_cast<std::size_t>(static_cast<double>(done) *
                                    (std::chrono::duration<double>(time) / past));
  }

 private:
  std::deque<PieceRange> ranges_;
  std::size_t size_ = 0;
  std::size_t begun_ = 0;  ///< Pieces begun since then.
  Clock::time_point added_ = Clock::now();
};

/// Rank 0.
class Leader final : public Team {
 public:
  explicit Leader(std::unique_ptr<Transport> transport)
      : Team(std::move(transport)), inbox_(static_cast<std::size_t>(count())) {}

  bool leads() const override { return true; }

  std::string broadcast(std::string bytes) override {
    for (int rank = 1; rank < count(); ++rank) send(rank, Kind::kBroadcast, bytes);
    return bytes;
  }

  void share(std::span<const std::uint64_t> sizes, int threads, const Work& work, const Take& take,
             Progress* progress) override {
    Sharing sharing{Dispenser(sizes, count()), progress, {}, {}, 0};
    sharing.told.resize(inbox_.size());
    std::mutex taking;
    const auto take_one = [&](std::size_t piece, const std::string& said) {
      const std::lock_guard lock(taking);
      take(piece, said);
    };
    const auto next = [&]() -> std::optional<std::size_t> {
      const PieceRange one = sharing.dispenser.take_one();
      return one.empty() ? std::nullopt : std::optional(one.begin);
    };
    Workers workers(threads, work, next, take_one);
    Patience patience;
    for (bool all_done = false; !all_done;) {
      const bool heard = hear();
      if (heard) patience.renew();
      microseconds longest = Patience::kBesideWork;
      {
        const std::lock_guard lock(workers.mutex());
        if (workers.stopped()) sharing.dispenser.stop();
        for (std::size_t rank = 1; rank < inbox_.size(); ++rank) serve(rank, sharing);
        if (sharing.done + 1 == count()) workers.close();
        all_done = workers.at_rest();
        if (sharing.dispenser.empty()) longest = Patience::kIdle;
      }
      // Without the lock, so that own workers get pieces while this thread takes the results.
      for (const std::string& results : std::exchange(sharing.results, {})) {
        take_results(body_of(results), take_one);
      }
      if (!heard && !all_done) patience.wait(longest);
    }
    workers.rethrow_failure();
  }

  std::vector<std::string> gather(std::string bytes) override {
    std::vector<std::string> all(inbox_.size());
    all.front() = std::move(bytes);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      const std::string gathered = next_of(rank);
      const Kind kind = kind_of(gathered);
      if (kind != Kind::kGathered) refuse(static_cast<int>(rank), kind, Kind::kGathered);
      all[rank] = body_of(gathered);
    }
    return all;
  }

  [[noreturn]] void await_end() override { throw std::logic_error("the leader does not wait"); }
  [[noreturn]] void fail(const std::string& sentence) override { throw DataError(sentence); }

  void end(int status) override {
    for (int rank = 1; rank < count(); ++rank) {
      ByteWriter out;
      out.number(static_cast<std::uint64_t>(status));
      send(rank, Kind::kEnd, out.finish());
    }
    const auto latest = Clock::now() + kLongestGoodbye;
    Patience patience;
    for (int gone = 1; gone < count();) {
      const auto received = receive();
      if (received && kind_of(received->bytes) == Kind::kGone) ++gone;
      if (Clock::now() > latest) transport().abort(status == 0 ? 2 : status);
      if (!received) patience.wait();
    }
    if (!drain(latest)) transport().abort(status == 0 ? 2 : status);
    transport().close();
  }

 private:
  /// What a rank reports to have read.
  struct Told {
    std::uint64_t bytes = 0;
    std::uint64_t files = 0;
    bool done = false;
  };
  struct Sharing {
    Dispenser dispenser;
    Progress* progress;
    std::vector<Told> told;            ///< By rank.
    std::vector<std::string> results;  ///< Messages with results that were not yet taken.
    int done;                          ///< Number of ranks that are done.
  };

  /// Receives a message, if one has come.
  bool hear() {
    auto received = receive();
    if (!received) return false;
    if (kind_of(received->bytes) == Kind::kFailure) {
      throw DataError(std::string(body_of(received->bytes)));
    }
    inbox_[static_cast<std::size_t>(received->from)].push_back(std::move(received->bytes));
    return true;
  }

  std::string next_of(std::size_t rank) {
    Patience patience;
    while (inbox_[rank].empty()) {
      if (hear()) {
        patience.renew();
      } else {
        patience.wait();
      }
    }
    std::string first = std::move(inbox_[rank].front());
    inbox_[rank].pop_front();
    return first;
  }

  /// Answers what a rank said about pieces. Its later messages belong to a later step.
  void serve(std::size_t rank, Sharing& sharing) {
    auto& inbox = inbox_[rank];
    Told& told = sharing.told[rank];
    for (; !inbox.empty() && !told.done; inbox.pop_front()) {
      const Kind kind = kind_of(inbox.front());
      if (kind == Kind::kAsk) {
        const PieceRange range = sharing.dispenser.take_share();
        send(static_cast<int>(rank), Kind::kPieces, numbers(range.begin, range.end));
      } else if (kind == Kind::kStop) {
        sharing.dispenser.stop();
      } else if (kind == Kind::kProgress) {
        take_progress(body_of(inbox.front()), told, sharing.progress);
      } else if (kind == Kind::kResults) {
        sharing.results.push_back(std::move(inbox.front()));
      } else if (kind == Kind::kDone) {
        told.done = true;
        ++sharing.done;
      } else {
        refuse(static_cast<int>(rank), kind, Kind::kDone);
      }
    }
  }

  static void take_results(std::string_view body, const Take& take) {
    for (ByteReader in(body); !in.at_end();) {
      const std::uint64_t piece = in.number();
      take(piece, std::string(in.text()));
    }
  }

  static void take_progress(std::string_view body, Told& told, Progress* progress) {
    ByteReader in(body);
    const std::uint64_t bytes = in.number();
    const std::uint64_t files = in.number();
    if (progress != nullptr) progress->advance(bytes - told.bytes, files - told.files);
    told.bytes = bytes;
    told.files = files;
  }

  std::vector<std::deque<std::string>> inbox_;  ///< By rank: messages not yet examined.
};

/// Any other rank.
class Follower final : public Team {
 public:
  using Team::Team;

  bool leads() const override { return false; }

  std::string broadcast(std::string /*bytes*/) override {
    return std::string(body_of(await(Kind::kBroadcast)));
  }

  void share(std::span<const std::uint64_t> /*sizes*/, int threads, const Work& work,
             const Take& /*take*/, Progress* progress) override {
    Sharing sharing{{}, {}, 0, progress, progress == nullptr ? Progress::Done{} : progress->done()};
    const auto next = [&] { return sharing.queue.take(); };
    const auto keep = [&](std::size_t piece, const std::string& bytes) {
      sharing.results.number(piece);
      sharing.results.text(bytes);
      sharing.result_bytes += bytes.size();
    };
    Workers workers(threads, work, next, keep);
    work_on_pieces(workers, static_cast<std::size_t>(threads), sharing);
    workers.rethrow_failure();
    tell(sharing);
    to_leader(Kind::kDone);
  }

  std::vector<std::string> gather(std::string bytes) override {
    to_leader(Kind::kGathered, bytes);
    return {};
  }

  [[noreturn]] void await_end() override {
    await(Kind::kEnd);
    throw std::logic_error("unreachable");
  }

  [[noreturn]] void fail(const std::string& sentence) override {
    char host[256] = "";
    static_cast<void>(::gethostname(host, sizeof host - 1));
    to_leader(Kind::kFailure, fmt::format("rank {} on {}: {}", transport().rank(), host, sentence));
    Patience patience;
    for (;; patience.wait()) {  // Messages sent before the leader heard of it are dropped.
      const auto received = receive();
      if (received && kind_of(received->bytes) == Kind::kEnd) leave(received->bytes);
    }
  }

  void end(int /*status*/) override { await_end(); }

 private:
  void to_leader(Kind kind, std::string_view body = {}) { send(0, kind, body); }

  struct Sharing {
    PieceQueue queue;
    ByteWriter results;  ///< Not yet sent.
    std::size_t result_bytes;
    Progress* progress;
    Progress::Done before;
  };

  /// Works until no pieces are left. It asks for more shortly before the last one begins.
  void work_on_pieces(Workers& workers, std::size_t threads, Sharing& sharing) {
    bool asked = false;
    bool all_given = false;
    bool stop_told = false;
    auto told = Clock::now();
    Patience patience;
    std::unique_lock lock(workers.mutex());
    while (!workers.at_rest()) {
      if (workers.stopped() && !stop_told) {
        to_leader(Kind::kStop);
        stop_told = true;
      }
      if (!asked && sharing.queue.size() <= sharing.queue.done_within(kAnswer, threads)) {
        to_leader(Kind::kAsk);
        asked = true;
      }
      if (const auto range = received_pieces()) {
        all_given = range->empty();
        asked = all_given;  // There are no more to ask for.
        patience.renew();
        sharing.queue.add(*range);
        if (all_given) workers.close();
        workers.wake();
        continue;
      }
      if (sharing.result_bytes > kResultBytes || Clock::now() - told > kTell) {
        tell(sharing);
        told = Clock::now();
      }
      const bool starves = sharing.queue.size() == 0 && !all_given;
      workers.attend(lock, starves ? microseconds(100) : patience.next(Patience::kBesideWork));
    }
  }

  std::optional<PieceRange> received_pieces() {
    const auto received = receive_of(Kind::kPieces);
    if (!received) return std::nullopt;
    ByteReader in(body_of(*received));
    const std::uint64_t begin = in.number();
    return PieceRange{begin, in.number()};
  }

  /// Sends what was done since the last report.
  void tell(Sharing& sharing) {
    if (sharing.result_bytes > 0) to_leader(Kind::kResults, sharing.results.finish());
    sharing.results = {};
    sharing.result_bytes = 0;
    if (sharing.progress == nullptr) return;
    const Progress::Done now = sharing.progress->done();
    to_leader(Kind::kProgress,
              numbers(now.bytes - sharing.before.bytes, now.files - sharing.before.files));
  }

  /// A message of that kind; empty if none has come. Ends the process if the leader has ended.
  std::optional<std::string> receive_of(Kind kind) {
    auto received = receive();
    if (!received) return std::nullopt;
    const Kind found = kind_of(received->bytes);
    if (found == Kind::kEnd) leave(received->bytes);
    if (found != kind) refuse(received->from, found, kind);
    return std::move(received->bytes);
  }

  std::string await(Kind kind) {
    Patience patience;
    for (;; patience.wait()) {
      if (auto received = receive_of(kind)) return *std::move(received);
    }
  }

  [[noreturn]] void leave(const std::string& end) {
    const auto status = static_cast<int>(ByteReader(body_of(end)).number());
    to_leader(Kind::kGone);
    drain(Clock::now() + kLongestGoodbye);
    transport().close();
    throw Dismissed{status};
  }
};

}  // namespace

std::unique_ptr<Ranks> make_team(std::unique_ptr<Transport> transport) {
  if (transport->rank() == 0) return std::make_unique<Leader>(std::move(transport));
  return std::make_unique<Follower>(std::move(transport));
}

}  // namespace scalelaw
