#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/outcome.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {

/// How busy one part of a GPU is in the runs of a group: mean and variation at N are those at N = 1
/// times N^(-beta) and N^(-variation_beta).
struct UtilisationLaw {
  double percent;  ///< Mean at N = 1, in (0, 100].
  double beta = 0;
  double variation;  ///< Coefficient of variation during a run at N = 1, > 0.
  double variation_beta = 0;
};

/// Streaming multiprocessors and memory of the GPUs of a group.
struct GpuUtilisation {
  UtilisationLaw sm;
  UtilisationLaw memory;
};

/// The law that one group of a synthetic study follows: t = alpha N^(-beta) + gamma.
struct GroupLaw {
  GroupKey group;
  double alpha;      ///< Seconds an epoch at N = 1, without the floor; > 0.
  double beta;       ///< Scaling exponent.
  double gamma = 0;  ///< Floor in seconds; >= 0.
  /// Mean power of one GPU at N = 1, > 0; at N it is power_watts N^(-power_beta). Empty: the study
  /// has no energy.
  std::optional<double> power_watts = {};
  double power_beta = 0;
  std::optional<GpuUtilisation> utilisation = {};  ///< Empty: the study has none.
};

/// The laws of a synthetic study.
struct LawTable {
  std::vector<std::string> by;  ///< Names of the group columns.
  /// One at least; power and utilisation are known of all of them or of none.
  std::vector<GroupLaw> laws;
};

/// Reads laws from CSV: the columns alpha, beta and, if there, gamma, power_w, power_beta, and of
/// utilisation sm_pct, sm_cv, mem_pct, mem_cv (all or none) with sm_beta, sm_cv_beta, mem_beta,
/// mem_cv_beta; every other column names the group.
/// @throws ParseError naming source, line and column if a number is missing or cannot be one.
/// @throws DataError if a column or every row is missing.
LawTable parse_law_table(std::string_view csv, std::string_view source);

/// The same of a file, "-" for standard input.
LawTable read_law_table(const std::string& path);

/// What a synthetic study consists of.
struct StudyPlan {
  std::vector<std::uint64_t> gpus{2, 4, 8, 16, 32, 64, 128, 256, 424};
  double noise = 0.05;  ///< Standard deviation of ln t about the law; >= 0.
  std::uint32_t replicates = 3;
  std::uint64_t seed = 1;
};

/// Seconds per epoch of the replicates of a law at one N: law(N) exp(noise z), z standard normal.
///
/// The random stream is named by the seed, the group's values and N, and replicates are drawn in
/// order. So the same arguments give the same bytes anywhere, and more groups, N or replicates
/// leave the others as they are.
class EpochSeconds {
 public:
  EpochSeconds(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan);
  /// The next replicate.
  double operator()();

 private:
  RandomStream random_;
  double curve_;
  double noise_;
};

/// Writes the run table of a synthetic study as CSV: the group columns, gpus, replicate,
/// epoch_seconds and, where laws have a power, power_mean_w of one GPU and energy_per_epoch_j of
/// them all (seven digits); where they have utilisation, sm_util_mean_pct, sm_util_cv,
/// mem_util_mean_pct and mem_util_cv (four digits), as ingest names them. Power and utilisation
/// scatter by a fifth of the noise of times. No mean is above 100 %, and no variation above
/// sqrt((100 - mean) / mean), the greatest of a quantity between 0 and 100 %.
void generate_runs(const LawTable& laws, const StudyPlan& plan,
                   const std::function<void(std::string_view)>& sink);

/// Writes a trace tree as MIT SuperCloud has it: gpu/00NN/<job>-<node>.csv with two GPUs a node,
/// and jobs.csv with job_id, the group columns, gpus, epochs, start_time and end_time.
///
/// A job is one group at one N of at most 16, in the order of the laws; its time per epoch is that
/// of replicate 1 in generate_runs. Each GPU has about 150 samples, at least 0.1 s apart: enough
/// for energy and utilisation, and a tree of the default size stays under 3 MB. Utilisation and
/// power are made up: power follows the power cap and the clock where the columns power_cap_w and
/// clock_mhz exist.
///
/// @param folder  Is created; must be empty if it exists.
/// @returns the number of jobs written.
/// @throws DataError if the folder cannot be used or no N is at most 16.
std::size_t generate_traces(const LawTable& laws, const StudyPlan& plan, const std::string& folder,
                            std::size_t most_jobs);

}  // namespace scalelaw
