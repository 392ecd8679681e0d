#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/judge/study.hpp"

namespace scalelaw {

/// One regression as a paper prints it, and the group of a study with the same settings.
struct PublishedFit {
  std::string model;
  std::optional<double> power_cap_w;
  std::optional<double> clock_mhz;  ///< Empty: not stated.
  std::string beta;                 ///< As printed, digits kept.
  std::string r2;
  std::string note;                  ///< Where another place of the paper prints something else.
  std::optional<std::size_t> group;  ///< Index in StudyAnalysis::groups; empty: not in the study.
};

/// A printed table, its rows in order.
struct PublishedTable {
  std::string name;    ///< "Table 2".
  std::string varied;  ///< What tells its rows apart: "model", "power_cap_w", "clock_mhz".
  std::vector<PublishedFit> fits;
};

/// A printed figure of scaling laws and the groups that it is drawn from.
struct PublishedFigure {
  std::string name;  ///< "Figure 8".
  std::string title;
  std::string varied;                ///< The group column that tells its curves apart.
  std::vector<std::size_t> groups;   ///< Indices in StudyAnalysis::groups.
  std::vector<std::string> missing;  ///< What the study does not have of it, in words.
};

/// A study beside Frey et al. 2022.
struct PublishedComparison {
  std::vector<PublishedTable> tables;    ///< Those of which the study has a row.
  std::vector<PublishedFigure> figures;  ///< Those of which it has a group.
};

/// Finds the groups that a published table and its figures are about: by the columns `model`,
/// `power_cap_w` and `clock_mhz`, all of which the study must have. Names of models are compared in
/// any case; where the paper states no clock, the greatest one of the study is taken.
///
/// @param csv  data/published/frey2022.csv.
PublishedComparison compare_with_published(const StudyAnalysis& study,
                                           const std::vector<std::string>& by,
                                           std::string_view csv);

}  // namespace scalelaw
