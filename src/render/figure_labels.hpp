#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "scalelaw/render/study_figures.hpp"

namespace scalelaw {

/// How a figure names the groups that it draws: by the columns in which they differ, with units.
class GroupLabels {
 public:
  /// @param kept  So many of the first columns are named even if all groups agree.
  GroupLabels(std::vector<std::string> by, const std::vector<const GroupKey*>& groups,
              std::size_t kept = 0);

  /// "BERT, 250 W"; of the only group all values, and "all runs" without group columns.
  std::string of(const GroupKey& group) const;
  /// The columns of the names: "model, power_cap_w".
  std::string columns() const;
  /// What all groups share: "250 W, 1380 MHz"; empty where a group stands alone.
  std::string shared() const;
  /// How many columns tell the groups apart.
  std::size_t count() const { return named_.size(); }
  /// The name of a group by the first of these columns alone, and by the others.
  std::string first_of(const GroupKey& group) const;
  std::string rest_of(const GroupKey& group) const;
  std::string rest_columns() const;

 private:
  std::string values(const GroupKey& group, std::span<const std::size_t> columns) const;

  std::vector<std::string> by_;
  std::vector<std::size_t> named_;   ///< Columns in which groups differ,
  std::vector<std::size_t> common_;  ///< and those in which they agree.
  GroupKey first_;
};

/// The order in which figures show groups: numbers by value, also inside of names, so that M2 comes
/// before M10.
bool shown_before(const GroupKey& a, const GroupKey& b);

/// Where the groups are, in that order.
template <class Group>
std::vector<const Group*> in_shown_order(std::span<const Group> groups) {
  std::vector<const Group*> order;
  for (const Group& group : groups) order.push_back(&group);
  std::stable_sort(order.begin(), order.end(),
                   [](const Group* a, const Group* b) { return shown_before(a->group, b->group); });
  return order;
}

/// The first groups in that order.
template <class Group>
std::vector<Group> first_shown(std::span<const Group> groups, std::size_t most) {
  std::vector<Group> first;
  for (const Group* const group : in_shown_order(groups)) {
    if (first.size() < most) first.push_back(*group);
  }
  return first;
}

/// How many groups of its study a figure leaves out that draws some of those that it was given.
inline std::size_t left_out(const StudyAxes& axes, std::size_t given, std::size_t drawn) {
  return axes.more_groups + given - drawn;
}

/// The labels of what a figure draws: a range of groups with a member `group`.
template <class Groups>
GroupLabels labels_of(const StudyAxes& axes, const Groups& groups, std::size_t kept = 0) {
  std::vector<const GroupKey*> keys;
  for (const auto& one : groups) keys.push_back(&one.group);
  return GroupLabels(axes.by, keys, kept);
}

/// The style of a group: its own in all figures of a study of few groups, else its place here.
std::size_t style_of(const StudyAxes& axes, const GroupKey& group, std::size_t place);

}  // namespace scalelaw
