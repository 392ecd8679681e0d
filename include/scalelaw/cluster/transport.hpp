#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "scalelaw/base/ranks.hpp"

namespace scalelaw {

/// Bytes that another rank sent.
struct Message {
  int from = 0;
  std::string bytes;
};

/// Length that a transport must carry in one message: MPI counts bytes with an int.
inline constexpr std::size_t kLongestMessage = std::size_t{1} << 30;

/// Carries messages between the ranks of a job. Messages from one rank to another stay in order.
/// One thread may use it. A library implements it over MPI and is loaded where a launcher started
/// several ranks (src/cluster/mpi), so no other code has to know MPI.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  /// Ranks that may run on exactly the processors that this rank may run on, this one included.
  virtual int processor_sharers() const = 0;
  /// Returns at once. The bytes, at most kLongestMessage, leave while receive() is called.
  virtual void send(int to, std::string bytes) = 0;
  /// The next message; empty if none has arrived.
  virtual std::optional<Message> receive() = 0;
  /// Whether everything that was sent has left.
  virtual bool idle() = 0;
  /// Ends the transport on all ranks; each has to call it.
  virtual void close() = 0;
  /// Ends all ranks at once.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// Ranks that talk over a transport; rank 0 leads.
std::unique_ptr<Ranks> make_team(std::unique_ptr<Transport> transport);

}  // namespace scalelaw
