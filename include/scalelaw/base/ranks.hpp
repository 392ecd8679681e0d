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

/// Thrown by a rank that waits for the leader, once the leader has ended. It is not an Error,
/// because there is nothing to tell the user.
struct Dismissed {
  int status;  ///< Exit status of the whole job.
};

/// The processes (ranks) that share the work of one call, as mpirun or srun started them. All make
/// the same call and reach the functions below in the same order. One of them leads: only the
/// leader has the whole result, writes it, and talks to the user.
///
/// In all functions below, if a rank fails, the leader throws what it reported. If the leader has
/// ended, the others throw Dismissed.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int count() const = 0;
  virtual bool leads() const = 0;
  /// The threads for this rank: `requested` if positive, else its share of the usable processors.
  virtual int threads(int requested) const = 0;

  /// The leader's bytes, on every rank.
  virtual std::string broadcast(std::string bytes) = 0;

  /// The result of a piece of work: bytes for the leader, mostly none. Empty means that no more
  /// pieces are to be handed out.
  using Work = std::function<std::optional<std::string>(std::size_t piece, int worker)>;
  /// Takes the bytes of a piece.
  using Take = std::function<void(std::size_t piece, const std::string& bytes)>;

  /// Calls work(piece, worker) once for every piece in [0, sizes.size()), on some rank and one of
  /// its `threads` threads; 0 <= worker < threads.
  ///
  /// Pieces are handed out in increasing order, several at a time while many are left and one by
  /// one near the end. A slow rank therefore delays the others by its last pieces at most. If
  /// `work` stops the handing out, all earlier pieces are still done.
  ///
  /// @param sizes  Bytes of each piece; the same on every rank.
  /// @param take  Called on the leader soon after a piece is done, one call at a time, except for
  /// pieces that return "". The order of calls is arbitrary, so the result must not depend on it.
  /// @param progress  What `work` reports; the leader's gets the sum over ranks. May be nullptr.
  virtual void share(std::span<const std::uint64_t> sizes, int threads, const Work& work,
                     const Take& take, Progress* progress) = 0;

  /// The bytes of all ranks in order, on the leader; empty on the others.
  virtual std::vector<std::string> gather(std::string bytes) = 0;

  /// Waits for the leader. For other ranks when their part is done.
  /// @throws Dismissed
  [[noreturn]] virtual void await_end() = 0;

  /// Makes the leader throw DataError(message) and waits for its end. For other ranks.
  /// @throws Dismissed
  [[noreturn]] virtual void fail(const std::string& message) = 0;

  /// The leader dismisses the others, which wait for it in await_end(). Nothing may be called
  /// afterwards.
  virtual void end(int status) = 0;
};

}  // namespace scalelaw
