#include <mpi.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include "scalelaw/cluster/transport.hpp"
#include "scalelaw/version.hpp"

namespace {

/// Messages over MPI. Nothing waits inside MPI, because waiting ranks would take time from ranks
/// that work.
class MpiTransport final : public scalelaw::Transport {
 public:
  MpiTransport() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    // A failure in MPI ends all ranks with its own message, so no call below returns an error. This
    // overrides what a launcher may have set.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (provided < MPI_THREAD_FUNNELED) {
      std::fputs("scalelaw: this MPI does not work beside threads\n", stderr);
      abort(2);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &count_);
    sharers_ = count_sharers();
  }
  ~MpiTransport() override { close(); }

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  int processor_sharers() const override { return sharers_; }

  void send(int to, std::string bytes) override {
    Sending& sending = leaving_.emplace_back(Sending{std::move(bytes), MPI_REQUEST_NULL});
    MPI_Isend(sending.bytes.data(), static_cast<int>(sending.bytes.size()), MPI_BYTE, to, kTag,
              all_, &sending.request);
  }

  std::optional<scalelaw::Message> receive() override {
    forget_sent();
    int arrived = 0;
    MPI_Message handle = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, kTag, all_, &arrived, &handle, &status);
    if (arrived == 0) return std::nullopt;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    scalelaw::Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(bytes), 0)};
    MPI_Mrecv(message.bytes.data(), bytes, MPI_BYTE, &handle, MPI_STATUS_IGNORE);
    return message;
  }

  bool idle() override {
    forget_sent();
    return leaving_.empty();
  }

  void close() override {
    if (std::exchange(closed_, true)) return;
    MPI_Comm_free(&all_);
    MPI_Finalize();
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  static constexpr int kTag = 1;
  struct Sending {
    std::string bytes;
    MPI_Request request;
  };

  void forget_sent() {
    leaving_.remove_if([](Sending& sending) {
      int sent = 0;
      MPI_Test(&sending.request, &sent, MPI_STATUS_IGNORE);
      return sent != 0;
    });
  }

  /// How many ranks on this machine have the same set of processors.
  int count_sharers() {
    cpu_set_t own;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int ranks = 0;
    MPI_Comm_size(machine, &ranks);
    std::vector<cpu_set_t> sets(static_cast<std::size_t>(ranks));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, sets.data(), sizeof own, MPI_BYTE, machine);
    MPI_Comm_free(&machine);
    int sharers = 0;
    for (const cpu_set_t& set : sets) sharers += std::memcmp(&set, &own, sizeof own) == 0 ? 1 : 0;
    return sharers;
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0;
  int count_ = 0;
  int sharers_ = 1;
  bool closed_ = false;
  std::list<Sending> leaving_;
};

}  // namespace

/// The entry point, which cluster/launch.cpp looks up by name. Null for another version.
extern "C" scalelaw::Transport* scalelaw_mpi_transport(std::string_view version) {
  return version == scalelaw::kVersion ? new MpiTransport : nullptr;
}
