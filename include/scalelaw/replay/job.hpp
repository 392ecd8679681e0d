#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/replay/traces.hpp"

namespace scalelaw {

/// A result, or the sentence that tells why there is none.
template <class T>
using Replayed = std::variant<T, std::string>;

/// What `make` returns, or why it could not: the one place of replays where a DataError becomes an
/// outcome, so that one case does not stop the others.
template <class Make>
auto replayed(Make&& make) -> Replayed<std::invoke_result_t<Make>> {
  try {
    return std::forward<Make>(make)();
  } catch (const DataError& error) {
    return error.what();
  }
}

/// A recurring training job: its model, its target, and its limit of epochs.
struct Job {
  std::string dataset;
  std::string network;
  std::string optimizer;
  double target_metric = 0;
  std::uint32_t max_epochs = 0;
  std::int64_t default_batch_size = 0;  ///< b0.
};

/// The six jobs of the Zeus study (You, Chung and Chowdhury, NSDI 2023), as its group script sets
/// them.
std::span<const Job> published_jobs();
/// The published job of a dataset; nullptr if there is none.
const Job* published_job(std::string_view dataset);

/// What a user says about a job; the rest is looked up.
struct JobWish {
  std::string dataset = {};  ///< If empty, librispeech as published, or the trace's only one.
  std::string network = {};
  std::string optimizer = {};
  std::optional<double> target_metric = {};
  std::uint32_t max_epochs = 0;
  std::int64_t default_batch_size = 0;
};

/// The job that a wish means. Missing parts come from the published job of the dataset, or from a
/// trace that knows only one network and optimizer.
/// @throws DataError naming what is missing and the choices.
Job wished_job(const JobWish& wish, const TrainTrace& train);

/// Energy and time of one epoch.
struct Epoch {
  double seconds = 0;
  double energy_j = 0;
};

/// eta * energy + (1 - eta) * max_power * time, in joules (Zeus, eq. 2).
double zeus_cost(double eta, double max_power_w, double energy_j, double seconds);

/// The measurements of one power limit at a batch size.
struct LimitTrace {
  double limit_w = 0;
  std::vector<Epoch> rows;  ///< One row, unless the trace repeats the limit.
  Epoch mean;               ///< Mean of the rows; its energy is mean power times mean time.
};

/// One feasible batch size of a job.
struct SizeTrace {
  std::int64_t batch_size = 0;
  std::vector<LimitTrace> limits;            ///< From the highest down.
  std::vector<std::optional<double>> paths;  ///< Epochs to the target per training run; empty if
                                             ///< never reached.
  Epoch profiled;  ///< An epoch that all limits share: the mean over all rows.

  double largest_limit_w() const { return limits.front().limit_w; }
};

/// A job, joined with all that both traces know about it.
struct JobTrace {
  Job job;
  std::string power;             ///< Name of the power trace.
  std::vector<SizeTrace> sizes;  ///< Ascending; the sizes that both traces have.
  double max_power_w = 0;        ///< The largest limit anywhere in the joined traces.
  std::size_t default_size = 0;  ///< Place of b0 in `sizes`.

  /// 2 * batch sizes * limits, both from rows with the job's target. The published study lets a job
  /// recur this often.
  std::uint32_t usual_recurrences() const;
};

/// Joins the traces on dataset, network, optimizer and batch size (inner join, in the order of the
/// train trace). A batch size that one trace lacks is not feasible. A feasible batch size without a
/// row for the target never reached it.
///
/// @param cap_default  Lower b0 to the largest feasible batch size if it is larger.
/// @throws DataError naming what there is, if nothing is feasible, no row has the target, or b0 is
/// not feasible.
JobTrace join_traces(const TrainTrace& train, const PowerTrace& power, const Job& job,
                     bool cap_default = false);

/// Joins the traces for the job that a wish means. If the wish has no b0, it is at most the largest
/// feasible batch size.
/// @throws as wished_job() and join_traces().
JobTrace join_wished(const TrainTrace& train, const PowerTrace& power, const JobWish& wish);

/// What runs take.
struct Spending {
  double energy_j = 0;
  double time_s = 0;
  double cost = 0;  ///< zeus_cost(), J.

  Spending& operator+=(const Spending& other) {
    energy_j += other.energy_j;
    time_s += other.time_s;
    cost += other.cost;
    return *this;
  }
};

/// The mean spending of a job that always runs with the same knobs. It has no early stopping and no
/// profiling, and starts again until it reaches the target.
/// @returns Empty if no training run reaches the target within the job's epochs.
std::optional<Spending> expected_cost(const JobTrace& trace, std::size_t size, std::size_t limit,
                                      double eta);

/// A batch size and a power limit, by their places.
struct Knobs {
  std::size_t size = 0;
  std::size_t limit = 0;
};

/// The knobs of least expected cost; among equals the smallest size, then the highest limit.
/// @returns Empty if no batch size ever reaches the target.
std::optional<Knobs> oracle_knobs(const JobTrace& trace, double eta);

/// The place of the limit that the just-in-time profiler picks. It has the least (eta * power + (1
/// - eta) * max_power) * seconds per epoch; among equals it is the highest.
std::size_t profiled_limit(const SizeTrace& size, double eta, double max_power_w);

}  // namespace scalelaw
