#pragma once

#include <array>
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

/// How busy one part of the GPUs of a group is. The mean and the variation at N are the values at N
/// = 1 times N^(-beta) and N^(-variation_beta).
struct UtilisationLaw {
  double percent;  ///< Mean at N = 1, in (0, 100].
  double beta = 0;
  double variation;  ///< Coefficient of variation during a run at N = 1, > 0.
  double variation_beta = 0;
};

/// Utilisation of a group's GPUs: their streaming multiprocessors and their memory.
struct GpuUtilisation {
  UtilisationLaw sm;
  UtilisationLaw memory;
};

/// The law that one group of a synthetic study follows: t = alpha N^(-beta) + gamma.
struct GroupLaw {
  GroupKey group;
  double alpha;      ///< Seconds per epoch at N = 1 above the floor; > 0.
  double beta;       ///< Scaling exponent.
  double gamma = 0;  ///< Floor in seconds; >= 0.
  /// Mean power of one GPU at N = 1, > 0. At N it is power_watts N^(-power_beta). Empty if the
  /// study has no energy.
  std::optional<double> power_watts = {};
  double power_beta = 0;
  std::optional<GpuUtilisation> utilisation = {};  ///< Empty if the study has none.
};

/// The laws of a synthetic study.
struct LawTable {
  std::vector<std::string> by;  ///< Names of the group columns.
  /// At least one. All of them have power or none, and likewise utilisation.
  std::vector<GroupLaw> laws;
};

/// Reads laws from CSV. The columns are alpha, beta and optionally gamma, power_w and power_beta.
/// Utilisation has sm_pct, sm_cv, mem_pct, mem_cv (all or none) with sm_beta, sm_cv_beta, mem_beta,
/// mem_cv_beta. Every other column names the group.
/// @throws ParseError naming source, line and column if a number is missing or malformed.
/// @throws DataError if a column or every row is missing.
LawTable parse_law_table(std::string_view csv, std::string_view source);

/// The same for a file, "-" for standard input.
LawTable read_law_table(const std::string& path);

/// The size and the scatter of a synthetic study.
struct StudyPlan {
  std::vector<std::uint64_t> gpus{2, 4, 8, 16, 32, 64, 128, 256, 424};
  double noise = 0.05;  ///< Standard deviation of ln t about the law; >= 0.
  std::uint32_t replicates = 3;
  std::uint64_t seed = 1;
};

/// Seconds per epoch of the replicates of a law at one N: law(N) exp(noise z), z standard normal.
///
/// The seed, the group's values and N name the random stream, and replicates are drawn in order.
/// The same arguments therefore give the same bytes anywhere. More groups, N or replicates do not
/// change the others.
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

/// Writes the run table of a synthetic study as CSV: the group columns, gpus, replicate and
/// epoch_seconds. If laws have a power, power_mean_w of one GPU and energy_per_epoch_j of all
/// follow (seven digits). If they have utilisation, sm_util_mean_pct, sm_util_cv, mem_util_mean_pct
/// and mem_util_cv follow (four digits), named as ingest does. Power and utilisation have a fifth
/// of the noise of times. No mean exceeds 100 %, and no variation exceeds sqrt((100 - mean) /
/// mean), the maximum for values between 0 and 100 %.
void generate_runs(const LawTable& laws, const StudyPlan& plan,
                   const std::function<void(std::string_view)>& sink);

/// Made-up training runs at compute budgets: loss = E + A / parameters^alpha + B / tokens^beta
/// (Hoffmann et al. 2022, eq. 2), times exp(noise z) with z standard normal.
struct LossPlan {
  /// E >= 0, A, B, alpha, beta > 0; the default is what Hoffmann et al. printed.
  std::array<double, 5> law{1.69, 406.4, 410.7, 0.34, 0.28};
  /// Computes C > 0 in FLOP, where C = 6 parameters tokens.
  std::vector<double> budgets{1e18, 3e18, 1e19, 3e19, 1e20, 3e20, 1e21};
  std::uint32_t sizes = 7;  ///< Models of a budget, at least one.
  /// The sizes of a budget go in even steps of their logarithm from the best one divided by `reach`
  /// to the best one times `reach`; > 1.
  double reach = 4;
  double noise = 0.002;  ///< >= 0.
  std::uint32_t replicates = 1;
  std::uint64_t seed = 1;
};

/// Writes runs as CSV with the columns parameters (four significant digits), tokens (six) and the
/// loss at these (six). A budget names its random stream, so that more budgets do not change the
/// others.
void generate_losses(const LossPlan& plan, const std::function<void(std::string_view)>& sink);

/// Writes a trace tree like MIT SuperCloud's: gpu/00NN/<job>-<node>.csv with two GPUs per node, and
/// jobs.csv with job_id, the group columns, gpus, epochs, start_time and end_time.
///
/// A job is one group at one N of at most 16, in the order of the laws. Its time per epoch is that
/// of replicate 1 in generate_runs. Each GPU has about 150 samples, at least 0.1 s apart: enough
/// for energy and utilisation, while a tree of the default size stays below 3 MB. Utilisation and
/// power are invented. Power follows the power cap and the clock if the columns power_cap_w and
/// clock_mhz exist.
///
/// @param folder  Is created; must be empty if it exists.
/// @returns The number of jobs written.
/// @throws DataError if the folder cannot be used or no N is at most 16. What was made is then
/// removed.
std::size_t generate_traces(const LawTable& laws, const StudyPlan& plan, const std::string& folder,
                            std::size_t most_jobs);

}  // namespace scalelaw
