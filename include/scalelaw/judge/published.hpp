#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/judge/study.hpp"

namespace scalelaw {

/// One regression as a paper prints it, with the group of a study that has the same settings.
struct PublishedFit {
  std::string model;
  std::optional<double> power_cap_w;
  std::optional<double> clock_mhz;  ///< Empty if not stated.
  std::string beta;                 ///< As printed, with its digits.
  std::string r2;
  std::string note;                  ///< Set where another place in the paper prints another value.
  std::optional<std::size_t> group;  ///< Index in StudyAnalysis::groups; empty: not in the study.
};

/// A printed table, its rows in order.
struct PublishedTable {
  std::string name;    ///< "Table 2".
  std::string varied;  ///< What its rows differ in: "model", "power_cap_w", "clock_mhz".
  std::vector<PublishedFit> fits;
};

/// A printed figure of scaling laws, and the groups behind its curves.
struct PublishedFigure {
  std::string name;  ///< "Figure 8".
  std::string title;
  std::string varied;                ///< The group column that its curves differ in.
  std::vector<std::size_t> groups;   ///< Indices in StudyAnalysis::groups.
  std::vector<std::string> missing;  ///< The parts that the study does not have, in words.
};

/// A study beside Frey et al. 2022.
struct PublishedComparison {
  std::vector<PublishedTable> tables;    ///< The tables of which the study has a row.
  std::vector<PublishedFigure> figures;  ///< The figures of which it has a group.
};

/// Finds the groups behind a published table and its figures, by the columns `model`, `power_cap_w`
/// and `clock_mhz`, which the study must have. Names of models match in any case. Where the paper
/// states no clock, the greatest clock of the study is taken.
///
/// @param csv  data/published/frey2022.csv.
PublishedComparison compare_with_published(const StudyAnalysis& study,
                                           const std::vector<std::string>& by,
                                           std::string_view csv);

}  // namespace scalelaw
