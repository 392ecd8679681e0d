#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace scalelaw {

class Progress;

/// Thrown where a rank that does not lead waits, once the leader has ended. Not an Error: there is
/// nothing to tell the user.
struct Dismissed {
  int status;  ///< Exit status of the whole job.
};

/// The processes (ranks) that share the work of one call, as mpirun or srun started them. All run
/// the same call and come to the same functions below in the same order. One of them leads: it
/// alone has the whole result, writes it, and tells the user what there is to tell.
///
/// Everywhere below, a rank that failed makes the leader throw what it told; and where the leader
/// has ended, the others throw Dismissed.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int count() const = 0;
  virtual bool leads() const = 0;
  /// Threads that this rank should use: `requested` where positive, else its share of the
  /// processors that it may run on.
  virtual int threads(int requested) const = 0;

  /// What the leader passed in, on every rank.
  virtual std::string broadcast(std::string bytes) = 0;

  /// What a piece of work says: bytes for the leader, mostly none, or nothing at all: no more
  /// pieces are to be handed out.
  using Work = std::function<std::optional<std::string>(std::size_t piece, int worker)>;
  /// Takes what a piece said.
  using Take = std::function<void(std::size_t piece, const std::string& bytes)>;

  /// Calls work(piece, worker) once for every piece in [0, sizes.size()), on some rank and one of
  /// `threads` threads there; 0 <= worker < threads.
  ///
  /// Pieces are handed out in increasing order, several at a time while many are left, and one by
  /// one near the end, so that a slow rank holds nobody up for longer than its last pieces. Where
  /// `work` stops the handing out, all pieces before that one are worked on.
  ///
  /// @param sizes     Of each piece, in bytes; the same on every rank.
  /// @param take      Called on the leader, soon after a piece is done, one call at a time; not for
  ///                  pieces that say "". Without an order: what follows must not depend on it.
  /// @param progress  What `work` tells; the leader's is told the sum over ranks. May be nullptr.
  virtual void share(std::span<const std::uint64_t> sizes, int threads, const Work& work,
                     const Take& take, Progress* progress) = 0;

  /// What each rank passed in, in order of rank, on the leader; nothing on the others.
  virtual std::vector<std::string> gather(std::string bytes) = 0;

  /// For ranks that do not lead, when their part is done: waits for the leader.
  /// @throws Dismissed
  [[noreturn]] virtual void await_end() = 0;

  /// For ranks that do not lead: makes the leader throw DataError(message) and waits for its end.
  /// @throws Dismissed
  [[noreturn]] virtual void fail(const std::string& message) = 0;

  /// The leader sends the others home; they wait for it, as with await_end(). Nothing may be called
  /// any more.
  virtual void end(int status) = 0;
};

}  // namespace scalelaw
