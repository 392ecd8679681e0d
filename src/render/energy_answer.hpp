#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/render/energy_report.hpp"

namespace scalelaw {

/// Three sentences on one group: how energy grows with the scale, where it is least, and what the
/// next doubling costs. Sentences that the runs give no answer to say why or are left out.
std::vector<std::string> energy_answer(const EnergyReport& report, const EnergyScaling& scaling);

/// Takes note of groups one by one, and says of all of them how far they differ.
class EnergyAnswer {
 public:
  explicit EnergyAnswer(const EnergyReport& report) : report_(report) {}

  void take_note_of(const GroupKey& group, const EnergyScaling& scaling);
  std::vector<std::string> sentences() const;
  bool tells_growth() const { return least_.has_value(); }  ///< Of any group.

 private:
  struct Noted {
    GroupKey group;
    double twice;  ///< Energy at twice the scale over energy.
  };

  std::string growth_of_several() const;
  std::string minima_of_several() const;

  EnergyReport report_;
  std::optional<Noted> least_;
  std::optional<Noted> greatest_;
  std::size_t groups_ = 0;
  std::array<std::size_t, 3> least_at_ =
      {};  ///< Groups whose energy is least there, by LeastPlace.
};

}  // namespace scalelaw
