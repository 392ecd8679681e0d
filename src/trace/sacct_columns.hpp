#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/formats.hpp"

// How the output of sacct is divided into fields, and what they hold.
namespace scalelaw {

/// The fields of sacct that are read.
enum class SacctField {
  kId,
  kRawId,
  kName,
  kPartition,
  kAccount,
  kUser,
  kQos,
  kState,
  kTres,
  kGres,
  kNodes,
  kCpus,
  kElapsed,
  kElapsedRaw,
  kConsumedEnergy,
  kEnergyRaw,
  kSubmit,
  kStart,
  kEnd,
  kNodeList,
  kCluster,
  kCount
};

struct SacctLayout {
  std::string delimiter;
  std::size_t fields = 0;  ///< 0: there is no layout.
  bool has_header = false;
  std::array<std::size_t, static_cast<std::size_t>(SacctField::kCount)> place;

  SacctLayout() { place.fill(kNowhere); }
  std::size_t& at(SacctField field) { return place[static_cast<std::size_t>(field)]; }
  std::size_t at(SacctField field) const { return place[static_cast<std::size_t>(field)]; }
  bool has(SacctField field) const { return at(field) != kNowhere; }
};

/// A job's id, and its step: "7965768" and "batch" of "7965768.batch". Empty if it is none.
struct SacctId {
  std::string_view job;
  std::string_view step;
};
std::optional<SacctId> sacct_id(std::string_view text);

/// The GPUs in a list of AllocGRES (Slurm before 21), over all nodes of a job: "gpu:tesla:2" and
/// "gpu:4,nic:1". Empty if it has none.
struct GresGpus {
  double count = 0;
  std::string_view type;  ///< Empty if none or several are named.
};
std::optional<GresGpus> gres_gpus(std::string_view gres);

/// The amount of a resource as it is written; empty if the list lacks it.
std::string_view tres_amount(std::string_view tres, std::string_view name);

/// Seconds of "1-04:37:26"; empty if it is no duration.
std::optional<double> sacct_seconds(std::string_view text);

/// The fields of a line. Commas that belong to lists of resources or of nodes divide nothing.
void split_sacct(std::string_view line, std::string_view delimiter,
                 std::vector<std::string_view>& fields);

/// The layout that a header tells; empty if it is none.
std::optional<SacctLayout> sacct_header(std::string_view line);

/// The layout of lines without a header, from what their cells hold: a column of states, one of
/// resources that steps have, too, and the durations that lie between two columns of times.
/// @param names  Names of the columns, if a user told them.
std::optional<SacctLayout> sacct_layout_of_cells(std::span<const std::string> lines,
                                                 std::span<const std::string> names);

}  // namespace scalelaw
